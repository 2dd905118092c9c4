"""Tables of real rows: those kept in the package, and a user's own file, with a graph beside it or without one.

A table without a graph has truth `none`. Its columns that say nothing of their own are left out; what was left out,
and why, stands in `about.notes`. With a graph every node must be a column.

    constant     one value in all rows that have one, or no value at all
    copy         the same categories under other names, the same gaps
    dependent    1 - R^2 < 1e-12 on the numbers before it, over the complete rows: age = 6 + education + experience

Of columns that follow from one another the last one is named. A test of independence has no answer on any of them.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.columns import Kinds
from trueness.datasets.dataset import About, Source, Truth, about_of_card, read_card, users_own
from trueness.datasets.frames import Decimal, read_rows
from trueness.datasets.table import Table, check_usable
from trueness.errors import DataError, GraphError, listed
from trueness.graphs import Graph
from trueness.outside import MISSING, is_there

GRAPH_SUFFIXES = (".graph.json", ".graph.csv", ".dot", ".gv", ".json", ".edges.csv")
Floats = NDArray[np.float64]
SINGULAR = 1e-12  # share of a variance that counts as none
_DOUBTFUL = 1e-8  # the same, as far as correlations tell
_ROWS_AT_ONCE = 20_000
_SMALL = 1e-9  # of a coefficient, as a share of the greatest


@dataclass(frozen=True, eq=False)
class RealTable(Source):
    """Rows that were measured, and the graph that they are said to come from: they can be resampled, never redrawn."""

    name: str
    graph: Graph | None  # None where none is known
    about: About
    table: Table

    @property
    def truth(self) -> Graph:
        if self.graph is None:
            raise DataError(
                f"{self.table.source} must have a known graph to be scored against, got none. "
                f"Write '{self.table.source}:my_graph.dot', or put one beside it."
            )
        return self.graph

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table:
        """n rows drawn with replacement (n defaults to all of them)."""
        rng = np.random.default_rng(rng)
        return self.table.rows(rng.integers(0, self.table.n, size=self.table.n if n is None else n))


@cache
def builtin(name: str) -> RealTable:
    """A table kept in the package."""
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
    truth: Truth | None = None,
    name: str | None = None,
    kinds: Kinds | None = None,
    targets: str | None = None,
    decimal: Decimal | None = None,
) -> RealTable:
    """A user's CSV, TSV, parquet or JSONL, with the graph named or beside it; without one its truth is `none`."""
    path = Path(path)
    file = Path(graph) if graph else None if truth == "none" else _graph_beside(path)
    table = read_rows(path, discrete, kinds=kinds, strict=False, targets=targets, decimal=decimal)
    if file is None and truth in (None, "none"):
        return table_alone(table, name or _stem(path))
    check_usable(table, True, "Take it out of the graph and set its kind in 'kinds' to 'left out', or add rows.")
    dag, about = truth_of_file(path, table, file, truth or "assumed")
    about = replace(about, notes=(*_left_out(table), *table.notes))
    return RealTable(name or _stem(path), dag, about, table)


def table_alone(table: Table, name: str) -> RealTable:
    """Rows without a graph; columns that say nothing of their own are left out."""
    nothing_new, notes = redundant_columns(table), table.notes
    judged = tuple(
        column._replace(kind="left out", why=nothing_new[column.name], keep="")
        if column.name in nothing_new
        else column
        for column in table.judged
    )
    if nothing_new:
        table = table.columns([j for j, column in enumerate(table.names) if column not in nothing_new])
    table = replace(table, judged=judged, notes=notes)
    left_out = _left_out(table)
    if table.d < 2 and left_out:
        raise DataError(
            f"{table.source} must have at least two columns to learn from, got {table.d} in {table.n:,} rows: "
            f"{'; '.join(left_out[:3])}{f'; and {len(left_out) - 3} more' if len(left_out) > 3 else ''}."
        )
    check_usable(table, gaps=True)
    about = _about(table, "none", "no graph is known: nothing is scored")
    return RealTable(name, None, replace(about, notes=(*left_out, *notes)), table)


def _left_out(table: Table) -> tuple[str, ...]:
    return tuple(
        f"{column.name} was left out: {column.why}"
        + (f"; --kinds {column.name}={column.keep} keeps it" if column.keep else "")
        for column in table.judged
        if column.kind == "left out"
    )


def _about(table: Table, truth: Truth, note: str, rows: str = "rows") -> About:
    summary = f"{table.n:,} {rows} of {table.d} variables from {table.source}."
    return users_own(table.source, table.names, table.n, summary, truth=truth, truth_note=note, data=table.kind)


def truth_of_file(
    path: Path, table: Table, graph: Path | str | None, truth: Truth, rows: str = "rows"
) -> tuple[Graph, About]:
    """The DAG over the table's columns, from the file named or the one beside `path`, and the data set's card."""
    file = Path(graph) if graph else _graph_beside(path)
    if file is None:
        looked = listed((_stem(path) + suffix for suffix in GRAPH_SUFFIXES), 3)
        raise DataError(
            f"{path.name} needs a graph to be scored against; looked for {looked}. "
            f"Write '{path.name}:my_graph.dot', or an edge list with columns source,target."
        )
    dag = Graph.read(file)
    if dag.kind != "dag":
        raise GraphError(f"the graph in {file.name} must be a dag (the truth), got a {dag.kind}.")
    about = replace(_about(table, truth, f"the graph is the user's own ({file.name})", rows), title=path.name)
    return _fit_to_columns(dag, table, file), about


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name


def _graph_beside(path: Path) -> Path | None:
    candidates = (path.with_name(_stem(path) + suffix) for suffix in GRAPH_SUFFIXES)
    return next((candidate for candidate in candidates if is_there(candidate)), None)


def _fit_to_columns(graph: Graph, table: Table, path: Path) -> Graph:
    """Match by name. Columns that no edge touches are isolated nodes; a node that is no column is an error."""
    strange = sorted(set(graph.nodes) - set(table.names))
    for column in table.judged:
        if column.name in strange:
            raise DataError(
                f"column {column.name!r} of {table.source} is a node of {path.name} and must be a number or a "
                f"category, got {column.why}. Take it out of the graph, or say what it is (kinds)."
            )
    if strange:
        raise GraphError(
            f"nodes of {path.name} must be columns of {table.source}, got {listed(strange)}. "
            f"The columns are {listed(table.names)}."
        )
    marks = np.zeros((table.d, table.d), dtype=np.int8)
    places = [table.names.index(node) for node in graph.nodes]
    marks[np.ix_(places, places)] = graph.marks
    return Graph(table.names, marks, None, "dag")


# ---- columns that say nothing of their own


def redundant_columns(table: Table) -> dict[str, str]:
    """Name -> why it says nothing of its own, in the order of the columns."""
    why = _copies(table) | _constants(table)
    read = table.read_ordered()
    numbers = [j for j, levels in enumerate(read.levels) if levels is None and table.names[j] not in why]
    while len(numbers) > 1 and _may_depend(read.values, numbers):
        values = read.values[:, numbers]
        values = values[np.isfinite(values).all(axis=1)]
        place = _dependent(values)
        if place < 0:
            break
        why[table.names[numbers[place]]] = _equation([table.names[j] for j in numbers[: place + 1]], values)
        del numbers[place]
    return {name: why[name] for name in table.names if name in why}


def _constants(table: Table) -> dict[str, str]:
    why = {}
    lows, highs = (of.reduce(table.values, initial=np.nan) for of in (np.fmin, np.fmax))
    for name, levels, low, high in zip(table.names, table.levels, lows, highs, strict=True):
        if np.isnan(low):
            why[name] = "no value"
        elif low == high:
            why[name] = f"constant (all {levels[int(low)] if levels else format(low, 'g')})"
    return why


def _copies(table: Table) -> dict[str, str]:
    """Categories with the same levels in other words, by what stands in which row."""
    first: dict[bytes, str] = {}
    why = {}
    for j in np.flatnonzero(table.discrete):
        codes = np.where(np.isnan(table.values[:, j]), -1, table.values[:, j])
        _, place, inverse = np.unique(codes, return_index=True, return_inverse=True)
        in_order = place[inverse.ravel()].tobytes() + (codes < 0).tobytes()  # of each row the first one with its level
        other = first.setdefault(in_order, table.names[j])
        if other != table.names[j]:
            why[table.names[j]] = f"a copy of {other}"
    return why


def _may_depend(values: Floats, columns: list[int]) -> bool:
    """Whether a column may follow from others, by the correlations of complete rows; they are looked at in parts."""
    rows, sums, gram = 0, np.zeros(len(columns)), np.zeros((len(columns), len(columns)))
    mean: Floats | None = None
    for _ in range(2):  # the means, then the products
        for start in range(0, len(values), _ROWS_AT_ONCE):
            part = values[start : start + _ROWS_AT_ONCE, columns]
            part = part[np.isfinite(part).all(axis=1)]
            if mean is None:
                rows, sums = rows + len(part), sums + part.sum(axis=0)
            else:
                part -= mean
                gram += part.T @ part
        mean = sums / max(rows, 1)
    scale = np.sqrt(gram.diagonal())
    if (scale == 0).any():
        return True
    try:
        return bool((np.linalg.cholesky(gram / scale / scale[:, None]).diagonal() ** 2 < _DOUBTFUL).any())
    except np.linalg.LinAlgError:
        return True


def _dependent(values: Floats) -> int:
    """The first column that those before it determine; -1 where none is, or too few complete rows could tell."""
    n, d = values.shape
    if n < d + 2:
        return -1
    z = values - values.mean(axis=0)
    scale = np.sqrt((z**2).sum(axis=0))
    if (scale == 0).any():
        return -1
    z /= scale
    for place in range(1, d):
        left = z[:, place] - z[:, :place] @ (z[:, :place].T @ z[:, place])
        left -= z[:, :place] @ (z[:, :place].T @ left)  # twice is enough (Giraud et al. 2005)
        size = float(left @ left)
        if size < SINGULAR:
            return place
        z[:, place] = left / np.sqrt(size)
    return -1


def _equation(names: list[str], values: Floats) -> str:
    """What the last column is of those before it."""
    before = np.column_stack([np.ones(len(values)), values[:, : len(names) - 1]])
    coefficients = np.linalg.lstsq(before, values[:, len(names) - 1], rcond=None)[0]
    share = np.abs(coefficients) * np.abs(before).max(axis=0)
    terms = [
        f"{c:.6g}" if not name else name if abs(c - 1) < _SMALL else f"{c:.6g} {name}"
        for c, name, size in zip(coefficients, ["", *names[:-1]], share, strict=True)
        if size > _SMALL * share.max()
    ]
    text = " + ".join(terms).replace("+ -", "- ")
    return f"it is {text}" if len(terms) <= 6 else f"it follows from {listed(names[:-1])}"
