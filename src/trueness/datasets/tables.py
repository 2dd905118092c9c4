"""Tables of real rows: those kept in the package, and a user's own file with a graph beside it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.random import Generator

from trueness.datasets.dataset import About, Anonymous, Truth, about_of_card, need_rng, read_card
from trueness.datasets.frames import MISSING, read_rows
from trueness.datasets.table import Table, check_usable
from trueness.errors import DataError, GraphError, listed
from trueness.graphs import Direction, Graph
from trueness.outside import is_there

GRAPH_SUFFIXES = (".graph.json", ".graph.csv", ".dot", ".gv", ".graphml", ".json", ".edges.csv")


@dataclass(frozen=True, eq=False)
class RealTable:
    """Rows that were measured: they can be resampled, never redrawn."""

    name: str
    truth: Graph
    about: About
    table: Table

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table:
        """n rows drawn with replacement (n defaults to all of them)."""
        rng = need_rng(rng, self.name)
        return self.table.rows(rng.integers(0, self.table.n, size=self.table.n if n is None else n))

    def anonymous(self) -> Anonymous:
        return Anonymous(self)


@cache
def builtin(name: str) -> RealTable:
    """A table kept in the package."""
    import gzip

    import pandas as pd

    card = read_card(name)
    raw = gzip.decompress((resources.files("trueness.datasets") / "data" / f"{name}.csv.gz").read_bytes())
    frame = pd.read_csv(io.BytesIO(raw), keep_default_na=False, na_values=MISSING)
    table = Table.of(frame, card["discrete"], name)
    truth = Graph.from_edges(card["edges"], table.names, "dag")
    return RealTable(name, truth, about_of_card(card, table.kind), table)


def table_of_file(
    path: Path | str,
    graph: Path | str | None = None,
    discrete: Sequence[str] | None = None,
    truth: Truth = "assumed",
    direction: Direction | None = None,
    name: str | None = None,
) -> RealTable:
    """A user's CSV, TSV or parquet with its graph; the graph is looked for beside it where none is given."""
    path = Path(path)
    table = read_rows(path, discrete)
    check_usable(table)
    dag, about = truth_of_file(path, table, graph, direction, truth)
    return RealTable(name or _stem(path), dag, about, replace(table, source=path.name))


def truth_of_file(
    path: Path, table: Table, graph: Path | str | None, direction: Direction | None, truth: Truth, rows: str = "rows"
) -> tuple[Graph, About]:
    """The DAG over the table's columns, from the file named or the one beside `path`, and the data set's card."""
    file = Path(graph) if graph else _graph_beside(path)
    about = About(
        title=path.name,
        domain="not told",
        summary=f"{table.n:,} {rows} of {table.d} variables from {path.name}.",
        truth=truth,
        truth_note=f"the graph is the user's own ({file.name})",
        rows=table.n,
        source=path.name,
        licence="the user's own",
        variables={column: "" for column in table.names},
        data=table.kind,
    )
    return _fit_to_columns(_read_dag(file, direction), table, file), about


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name


def _graph_beside(path: Path) -> Path:
    candidates = [path.with_name(_stem(path) + suffix) for suffix in GRAPH_SUFFIXES]
    for candidate in candidates:
        if is_there(candidate):
            return candidate
    raise DataError(
        f"{path.name} needs a graph to be scored against; looked for {listed((c.name for c in candidates), 3)}. "
        f"Write '{path.name}:my_graph.dot', or an edge list with columns source,target."
    )


def _read_dag(path: Path, direction: Direction | None) -> Graph:
    graph = Graph.read(path, direction=direction)
    if graph.kind != "dag":
        raise GraphError(f"the graph in {path.name} must be a dag (the truth), got a {graph.kind}.")
    return graph


def _fit_to_columns(graph: Graph, table: Table, path: Path) -> Graph:
    """Match by name. Columns that no edge touches are isolated nodes; a node that is no column is an error."""
    strange = sorted(set(graph.nodes) - set(table.names))
    if strange:
        raise GraphError(
            f"nodes of {path.name} must be columns of {table.source}, got {listed(strange)}. "
            f"The columns are {listed(table.names)}."
        )
    marks = np.zeros((table.d, table.d), dtype=np.int8)
    places = {name: place for place, name in enumerate(table.names)}
    where = np.array([places[node] for node in graph.nodes], dtype=np.intp)
    marks[np.ix_(where, where)] = graph.marks
    return Graph(table.names, marks, None, "dag")
