"""Graphs in and out of other libraries, of text and of files; every pair to_x / from_x gives the same graph back.

    to_networkx  to_causallearn  to_pandas                 trueness.graphs.libraries
    to_json  to_graphml  to_bif                            trueness.graphs.text_formats
    to_dot                                                 trueness.graphs.dot
    read_graph  write_graph                                here: the suffix of the file says the format

What is read may come from anywhere: nothing in it is evaluated, its size is bounded, and whatever is wrong with it is a
GraphError of one line.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from trueness.errors import GraphError, listed
from trueness.graphs.dot import from_dot, to_dot
from trueness.graphs.libraries import (
    from_causallearn,
    from_networkx,
    from_pandas,
    to_causallearn,
    to_networkx,
    to_pandas,
)
from trueness.graphs.links import MAX_CHARACTERS
from trueness.graphs.marked import Direction, Kind, MarkedGraph, infer_kind
from trueness.graphs.text_formats import (
    bif_blocks,
    bif_family,
    bif_unquote,
    from_bif,
    from_graphml,
    from_json,
    to_bif,
    to_graphml,
    to_json,
)
from trueness.outside import check_file
from trueness.texts import csv_value, not_computed

__all__ = [
    "bif_blocks",
    "bif_family",
    "bif_unquote",
    "from_bif",
    "from_causallearn",
    "from_dot",
    "from_graphml",
    "from_json",
    "from_networkx",
    "from_pandas",
    "read_graph",
    "to_bif",
    "to_causallearn",
    "to_dot",
    "to_graphml",
    "to_json",
    "to_networkx",
    "to_pandas",
    "write_graph",
]

_READERS: dict[str, Callable[[str], MarkedGraph]] = {
    ".json": from_json,
    ".dot": from_dot,
    ".gv": from_dot,
    ".graphml": from_graphml,
    ".xml": from_graphml,
    ".bif": from_bif,
}
_WRITERS: dict[str, Callable[[MarkedGraph], str]] = {
    ".json": to_json,
    ".dot": to_dot,
    ".gv": to_dot,
    ".graphml": to_graphml,
    ".xml": to_graphml,
    ".bif": to_bif,
}
_SEPARATOR = {".csv": ",", ".tsv": "\t"}


def read_graph(path: str | Path, direction: Direction | None = None, kind: Kind | None = None) -> MarkedGraph:
    """The graph in a file: .json, .dot, .gv, .graphml, .xml, .bif, .csv or .tsv, also with .gz behind it.

    A .csv or .tsv is an edge list with the columns source,target (or from,to). With `direction` it may be a square
    matrix with names in its first line (and, if you like, in its first column). `kind` says what such a table holds
    where the table does not: a cpdag, a pag, a weighted graph.
    """
    path = Path(path)
    suffix = _suffix(path)
    text = _text_of(path)
    try:
        if suffix in _SEPARATOR:
            return _from_table(text, _SEPARATOR[suffix], direction, kind)
        if direction is not None or kind is not None:
            raise GraphError(f"'direction' and 'kind' are for a table (.csv, .tsv); a {suffix} file says them itself.")
        return _READERS[suffix](text)
    except GraphError as error:
        raise GraphError(f"{path.name}: {' '.join(str(error).split())}") from error


def write_graph(graph: MarkedGraph, path: str | Path) -> None:
    """Write a graph in the format of the suffix; `read_graph` gives the same graph back."""
    path = Path(path)
    suffix = _suffix(path)
    text = _to_table(graph, _SEPARATOR[suffix]) if suffix in _SEPARATOR else _WRITERS[suffix](graph)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        odd = error.object[error.start : error.end]
        raise GraphError(f"names must be text that UTF-8 can carry, got {odd!r}. Rename the node.") from None
    if path.suffix.lower() == ".gz":
        content = gzip.compress(content, mtime=0)  # the same graph gives the same bytes
    try:
        path.write_bytes(content)
    except OSError as error:
        raise GraphError(f"the graph file '{path}' cannot be written: {error.strerror}.") from None


def _suffix(path: Path) -> str:
    suffix = Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    if suffix not in _READERS and suffix not in _SEPARATOR:
        known = listed([*_READERS, *_SEPARATOR], 12)
        raise GraphError(f"the suffix of the graph file '{path}' must be one of {known}, got {suffix!r}. Rename it.")
    return suffix


def _text_of(path: Path) -> str:
    check_file(path, GraphError)
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rb") as file:
            content = file.read(MAX_CHARACTERS + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise GraphError(f"the graph file '{path}' must be gzip as its suffix says, got: {error}.") from None
    except OSError as error:
        raise GraphError(f"the graph file '{path}' cannot be read: {error.strerror}.") from None
    if len(content) > MAX_CHARACTERS:
        raise GraphError(f"the graph file '{path}' must have at most {MAX_CHARACTERS:,} bytes, got more.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraphError(f"the graph file '{path}' must be UTF-8 text, got {error.reason} at {error.start}.") from None


# ---- tables: an edge list, or a matrix with its direction


def _to_table(graph: MarkedGraph, separator: str) -> str:
    """An edge list; nodes come first, alone in their row, where the edges would not tell them or their order."""
    frame = to_pandas(graph)
    mentioned = dict.fromkeys(name for pair in zip(frame["source"], frame["target"], strict=True) for name in pair)
    columns = list(frame.columns)
    alone = [] if tuple(mentioned) == graph.nodes else [[node, *[""] * (len(columns) - 1)] for node in graph.nodes]
    cells = frame.astype(object).where(frame.notna(), "").to_numpy().tolist()
    rows = [*alone, *cells]
    if graph.kind != infer_kind(graph.marks):
        columns, rows = [*columns, "kind"], [[*row, graph.kind] for row in rows]
    out = io.StringIO()
    # what the reader would take for the end of a row or for the blank after a comma, and csv does not quote by itself
    odd = any("\r" in node or node.startswith(" ") for node in graph.nodes)
    quoting: Literal[0, 1] = csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    inert = [[not_computed(cell) if isinstance(cell, str) else cell for cell in row] for row in [columns, *rows]]
    csv.writer(out, delimiter=separator, lineterminator="\n", quoting=quoting).writerows(inert)
    return out.getvalue()


def _from_table(text: str, separator: str, direction: Direction | None, kind: Kind | None) -> MarkedGraph:
    import pandas

    try:
        source = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
        lines = [[csv_value(cell) for cell in row] for row in source if row]
    except csv.Error as error:
        raise GraphError(f"a table must be readable as CSV, got: {error}.") from None
    if not lines:
        raise GraphError("a table must have a line of column names, got an empty file.")
    head, rows = lines[0], lines[1:]
    uneven = next((n for n, row in enumerate(rows, start=2) if len(row) != len(head)), None)
    if uneven is not None:
        got = len(rows[uneven - 2])
        raise GraphError(
            f"each row of a table must have {len(head)} cells as its first line, got {got} in row {uneven}."
        )
    names = {name.strip().lower() for name in head}
    if {"source", "target"} <= names or {"from", "to"} <= names:
        if direction is not None:
            raise GraphError("'direction' is for a matrix; the columns of an edge list say it. Leave it out.")
        return from_pandas(pandas.DataFrame(rows, columns=head, dtype=object), kind=kind)
    return _from_matrix_rows(head, rows, direction, kind)


def _from_matrix_rows(
    head: Sequence[str], rows: Sequence[Sequence[str]], direction: Direction | None, kind: Kind | None
) -> MarkedGraph:
    named_rows = len(head) == len(rows) + 1
    nodes, cells = (head[1:], [row[1:] for row in rows]) if named_rows else (head, rows)
    numbers = all(_is_number(cell) for row in cells for cell in row)
    if numbers and named_rows and all(map(_is_number, head)):
        raise GraphError("a matrix must have the node names in its first line, got numbers only. Add them.")
    if not (numbers and rows and len(cells) == len(nodes)):
        raise GraphError(
            f"a table must be an edge list with columns source,target (or from,to), got {listed(head)}. Rename them."
        )
    if direction is None:
        raise GraphError(
            "a table must be an edge list with the columns source,target, got a matrix without direction. Write it as "
            "an edge list, or pass direction='row to column' or 'column to row' (see Graph.from_matrix)."
        )
    if named_rows and [row[0] for row in rows] != list(nodes):
        raise GraphError("the names of the rows of a matrix must be those of its columns, in the same order.")
    return MarkedGraph.from_matrix(np.array(cells, dtype=np.float64), nodes, direction, kind or "dag")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
