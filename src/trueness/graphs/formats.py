"""Graphs in and out of text and files.

    read_graph                       the suffix of the file says the format: JSON, DOT, BIF or a table
    write_graph                      JSON, DOT or a table; read_graph gives the same graph back
    JSON       {"format": "trueness-graph", "version": 1, "kind": "cpdag", "nodes": ["a", "b"],
               "edges": [{"source": "a", "target": "b", "marks": "--"}]}; plain {"nodes": [...], "edges": [["a", "b"]]}
    dot.py, bif.py                   the other two

What is read may come from anywhere: nothing in it is evaluated, its size is bounded, and whatever is wrong with it is a
GraphError of one line.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from trueness.errors import GraphError, listed
from trueness.graphs.bif import from_bif
from trueness.graphs.dot import from_dot, to_dot
from trueness.graphs.libraries import from_pandas, to_pandas
from trueness.graphs.links import (
    MARKS_OF_ARROW,
    MAX_CHARACTERS,
    Link,
    assemble,
    check_text,
    links_of,
    weight_of,
)
from trueness.graphs.marked import Edge, MarkedGraph, infer_kind
from trueness.outside import json_of, text_of
from trueness.texts import csv_value, not_computed

_SEPARATOR = {".csv": ",", ".tsv": "\t"}


def read_graph(path: str | Path) -> MarkedGraph:
    """The graph in a file: .json, .dot, .gv, .bif, .csv or .tsv (an edge list), also with .gz behind it."""
    path = Path(path)
    suffix = _suffix(path, _READERS)
    text = text_of(path, MAX_CHARACTERS, GraphError)
    try:
        return _from_table(text, _SEPARATOR[suffix]) if suffix in _SEPARATOR else _READERS[suffix](text)
    except GraphError as error:
        raise GraphError(f"{path.name}: {' '.join(str(error).split())}") from error


def write_graph(graph: MarkedGraph, path: str | Path) -> None:
    """Write a graph in the format of the suffix: .json, .dot, .gv, .csv or .tsv, also with .gz behind it."""
    path = Path(path)
    suffix = _suffix(path, _WRITERS)
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


def _suffix(path: Path, formats: Mapping[str, object]) -> str:
    suffix = Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    if suffix not in formats and suffix not in _SEPARATOR:
        known = listed([*formats, *_SEPARATOR], 12)
        raise GraphError(f"the suffix of the graph file '{path}' must be one of {known}, got {suffix!r}. Rename it.")
    return suffix


# ---- tables: an edge list


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


def _from_table(text: str, separator: str) -> MarkedGraph:
    import pandas

    try:
        source = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
        head, *rows = [[csv_value(cell) for cell in row] for row in source if row] or [[]]
    except csv.Error as error:
        raise GraphError(f"a table must be readable as CSV, got: {error}.") from None
    uneven = next((n for n, row in enumerate(rows, start=2) if len(row) != len(head)), None)
    if uneven is not None:
        got = len(rows[uneven - 2])
        raise GraphError(
            f"each row of a table must have {len(head)} cells as its first line, got {got} in row {uneven}."
        )
    return from_pandas(pandas.DataFrame(rows, columns=head, dtype=object))


# ---- JSON

_FORMATS = ("trueness-graph", "assay-graph")  # the second: what the program wrote before it had this name


def to_json(graph: MarkedGraph) -> str:
    """One edge a line, so that a change of a graph is a readable change of its file."""
    head = {"format": _FORMATS[0], "version": 1, "kind": graph.kind}
    if graph.weights is not None:
        head["weights"] = True
    lines = [_dumps(_json_edge(link)) for link in links_of(graph)]
    edges = "[" + ",".join(f"\n  {line}" for line in lines) + "]"
    return f'{_dumps(head)[:-1]},\n "nodes": {_dumps(list(graph.nodes))},\n "edges": {edges}}}\n'


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _json_edge(link: Link) -> dict[str, str | float]:
    edge: dict[str, str | float] = {"source": link.source, "target": link.target, "marks": Edge(*link[:4]).arrow}
    if link.weight is not None:
        edge["weight"] = link.weight
    if link.reverse_weight is not None:
        edge["reverse_weight"] = link.reverse_weight
    return edge


def from_json(text: str) -> MarkedGraph:
    """From our own form, or from plain {"nodes": [...], "edges": [["a", "b"], ...]}, which means a -> b."""
    content = json_of(check_text(text, "a JSON graph", ",{["), "a JSON graph", GraphError)
    if not isinstance(content, dict) or not all(isinstance(content.get(part), list) for part in ("nodes", "edges")):
        raise GraphError('a JSON graph must be {"nodes": [...], "edges": [...]}, got other content. See Graph.to_json.')
    if content.get("format", _FORMATS[0]) not in _FORMATS or content.get("version", 1) != 1:
        got = f"{content.get('format')!r:.60} version {content.get('version')!r:.60}"
        raise GraphError(f"a JSON graph must be of format 'trueness-graph' version 1, got {got}. Update trueness.")
    kind = content.get("kind")
    if not isinstance(kind, str | None):
        raise GraphError(f"'kind' of a JSON graph must be text, got {kind!r:.60}.")
    nodes = [_json_name(node) for node in content["nodes"]]
    return assemble([_json_link(edge) for edge in content["edges"]], nodes, kind, content.get("weights") is True)


def _json_name(value: object) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise GraphError(f"a node of a JSON graph must be text, got {value!r:.60}.")
    return str(value)


def _json_link(edge: object) -> Link:
    if isinstance(edge, list) and len(edge) == 2:
        return Link(_json_name(edge[0]), _json_name(edge[1]))
    if not isinstance(edge, dict) or not {"source", "target"} <= set(edge):
        raise GraphError(
            f'an edge of a JSON graph must be ["a", "b"] or {{"source": "a", "target": "b", "marks": "->"}}, '
            f"got {edge!r:.60}."
        )
    marks = edge.get("marks", "->")
    if not isinstance(marks, str) or marks not in MARKS_OF_ARROW:
        raise GraphError(f"'marks' of an edge must be one of {listed(MARKS_OF_ARROW, 9)}, got {marks!r:.60}.")
    where = f"edge {edge['source']!r:.60} to {edge['target']!r:.60}"
    weights = [weight_of(edge.get(name), where) for name in ("weight", "reverse_weight")]
    return Link(_json_name(edge["source"]), _json_name(edge["target"]), *MARKS_OF_ARROW[marks], *weights)


_READERS: dict[str, Callable[[str], MarkedGraph]] = {
    ".json": from_json,
    ".dot": from_dot,
    ".gv": from_dot,
    ".bif": from_bif,
}
_WRITERS: dict[str, Callable[[MarkedGraph], str]] = {".json": to_json, ".dot": to_dot, ".gv": to_dot}
