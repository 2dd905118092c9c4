"""Graphs as objects of other libraries: networkx.DiGraph, causal-learn's GeneralGraph, a pandas edge list.

networkx      one arc u -> v an edge; two arcs, u -> v and v -> u, where the edge is not directed (--, <->, o->, o-o):
              so a weight lies on its own arc. Marks are words (tail, arrow, circle) on the arc, the kind on the graph.
causal-learn  graph[a, b] is the mark at a of the edge a - b: -1 tail, 1 arrow, 2 circle. So i -> j is
              graph[j, i] = 1 and graph[i, j] = -1, the transpose of our marks.
pandas        one row an edge: source, target, source_mark, target_mark, weight; nodes and kind in frame.attrs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from trueness.errors import GraphError, listed
from trueness.graphs.equivalence import ARROW, CIRCLE, NONE, TAIL, arcs
from trueness.graphs.links import WORD_OF_MARK, Link, assemble, links_of, mark_of, weight_of
from trueness.graphs.marked import Kind, MarkedGraph, infer_kind

if TYPE_CHECKING:
    import networkx
    import pandas
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphClass import CausalGraph

_CAUSALLEARN = {NONE: 0, TAIL: -1, ARROW: 1, CIRCLE: 2}
_ENDS = (("source", "target"), ("from", "to"))

# ---- networkx


def to_networkx(graph: MarkedGraph) -> networkx.DiGraph:
    """A DiGraph with source_mark, target_mark (and weight) on every arc and the kind on the graph."""
    import networkx

    out = networkx.DiGraph(kind=graph.kind)
    if graph.weights is not None:
        out.graph["weights"] = True  # says so even where there is no edge to carry one
    out.add_nodes_from(graph.nodes)
    for i, j in np.argwhere(arcs(graph.marks)):
        ends = {
            "source_mark": WORD_OF_MARK[int(graph.marks[j, i])],
            "target_mark": WORD_OF_MARK[int(graph.marks[i, j])],
        }
        weight = {} if graph.weights is None else {"weight": float(graph.weights[i, j])}
        out.add_edge(graph.nodes[i], graph.nodes[j], **ends, **weight)
    return out


def from_networkx(graph: networkx.Graph, kind: Kind | None = None) -> MarkedGraph:
    """A graph from a networkx one, with marks or plain.

    In a plain DiGraph an arc u -> v is a directed edge, and two arcs u -> v, v -> u are one undirected edge (a cpdag).
    In a plain Graph all edges are undirected. A weight on each edge is kept.
    """
    if graph.is_multigraph() and any(len(graph[u][v]) > 1 for u, v in graph.edges()):
        raise GraphError("a networkx graph must have one edge a pair, got a multigraph with parallel edges.")
    kind = kind or graph.graph.get("kind") or (None if graph.is_directed() else "cpdag")
    links: dict[tuple[str, str], Link] = {}
    for u, v, data in graph.edges(data=True):
        link = _link_of_arc(str(u), str(v), data, graph.is_directed())
        back = links.get((link.target, link.source))
        if back is not None and back[2:4] == (link.target_mark, link.source_mark):
            links[back[:2]] = back._replace(reverse_weight=link.weight)  # the second arc of one edge
        else:
            links[link[:2]] = link
    weighted = graph.graph.get("weights") is True
    return assemble(links.values(), [str(node) for node in graph.nodes], kind, weighted, pair_means="cpdag")


def _link_of_arc(u: str, v: str, data: Mapping[str, object], directed: bool) -> Link:
    where = f"edge {u!r} to {v!r}"
    weight = weight_of(data.get("weight"), where)
    if "source_mark" not in data and "target_mark" not in data:
        return Link(u, v, weight=weight) if directed else Link(u, v, TAIL, TAIL, weight, weight)
    if not directed:
        raise GraphError(f"marks must be on a networkx.DiGraph, got them on {where} of an undirected graph.")
    return Link(u, v, mark_of(data.get("source_mark"), where), mark_of(data.get("target_mark"), where), weight)


# ---- causal-learn


def from_causallearn(
    graph: GeneralGraph | CausalGraph, kind: Kind | None = None, nodes: Sequence[str] | None = None
) -> MarkedGraph:
    """From a GeneralGraph, or anything that holds one as `.G` (the CausalGraph that pc returns).

    The kind is the one given, else the narrowest that fits the marks;
    say kind='cpdag' for PC and GES, kind='pag' for FCI: a fully directed answer looks like a dag.
    """
    graph = getattr(graph, "G", graph)
    values = np.asarray(graph.graph)
    if not np.isin(values, list(_CAUSALLEARN.values())).all():
        raise GraphError(
            "a causal-learn graph must have the end marks -1, 1 and 2, one edge a pair, "
            f"got {listed(sorted(set(values.ravel().tolist())))}."
        )
    names = list(nodes) if nodes is not None else [node.get_name() for node in graph.get_nodes()]
    marks = np.zeros(values.shape, dtype=np.int8)
    for mark, value in _CAUSALLEARN.items():
        marks.T[values == value] = mark
    return MarkedGraph(tuple(names), marks, None, kind or infer_kind(marks))


# ---- pandas


def to_pandas(graph: MarkedGraph) -> pandas.DataFrame:
    """One row an edge; `weight` only where there are weights, `reverse_weight` only where one goes both ways."""
    import pandas

    links = list(links_of(graph))
    columns = ["source", "target", "source_mark", "target_mark"]
    rows = [
        (link.source, link.target, WORD_OF_MARK[link.source_mark], WORD_OF_MARK[link.target_mark], *link[4:])
        for link in links
    ]
    frame = pandas.DataFrame(rows, columns=[*columns, "weight", "reverse_weight"])
    if graph.weights is not None:
        columns.append("weight")
    if any(link.reverse_weight is not None for link in links):
        columns.append("reverse_weight")
    frame = frame[columns]
    frame.attrs = {"nodes": list(graph.nodes), "kind": graph.kind}
    return frame


def from_pandas(frame: pandas.DataFrame, nodes: Sequence[str] | None = None, kind: Kind | None = None) -> MarkedGraph:
    """From an edge list; only source and target (or from and to) mean source -> target.

    A row without target and marks is a node on its own. Nodes are those given, else those in frame.attrs, then those
    of the rows in the order of mention; the kind is the one given, else of frame.attrs, else of a `kind` column.
    """
    columns = {str(column).strip().lower(): position for position, column in enumerate(frame.columns)}
    ends = next((pair for pair in _ENDS if set(pair) <= set(columns)), None)
    if ends is None:
        raise GraphError(
            f"an edge list must have the columns source,target (or from,to), got {listed(frame.columns)}. Rename them; "
            "a matrix becomes a graph by Graph.from_matrix, with its direction."
        )
    mentioned: dict[str, None] = dict.fromkeys(frame.attrs.get("nodes", ()))
    kind = kind or frame.attrs.get("kind")
    links: list[Link] = []
    for number, cells in enumerate(frame.astype(object).where(frame.notna(), "").to_numpy(), start=1):
        row = {name: cells[position] for name, position in columns.items() if cells[position] != ""}
        source, target, kind = cells[columns[ends[0]]], cells[columns[ends[1]]], kind or row.get("kind")
        marks = [row.get("source_mark"), row.get("target_mark")]
        mentioned[str(source)] = None
        if target == "" and marks == [None, None]:
            continue
        mentioned[str(target)] = None
        where = f"row {number} ({source} to {target})"
        ends_of = (TAIL, ARROW) if marks == [None, None] else tuple(mark_of(mark, where) for mark in marks)
        weights = [weight_of(row.get(name), where) for name in ("weight", "reverse_weight")]
        links.append(Link(str(source), str(target), *ends_of, *weights))
    return assemble(links, list(mentioned) if nodes is None else list(nodes), kind, weighted="weight" in columns)
