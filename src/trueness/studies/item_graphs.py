"""Graphs of an item: the true one, and how often each learner found each edge over its runs.

    score(i, j) = max over marks m of #{runs with i m j} / #{runs that gave a graph}

An edge of a pair is the one that was found most often; the page keeps the K with the highest score and counts

    tp = edges with the marks of the truth,   F1 = 2 tp / (K + T),   SHD = pairs whose marks differ

against the truth of the learner's own class, as measures/graphs.py does. Nodes lie in the layers of the true graph,
whatever is drawn over them, so that the eye compares edges and not places.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from trueness.datasets import load_stored
from trueness.errors import TruenessError
from trueness.graphs import Graph
from trueness.graphs.layering import layers_of, place_across
from trueness.outside import Json
from trueness.running.provenance import plan_folder_of, without_paths
from trueness.running.results import Results
from trueness.status import Status

MOST_EDGES = 1500  # candidates of one learner that a page can draw
_LETTER, _PADDING, _TALL = 7.4, 22.0, 30.0  # of a node's box, in pixels
_SPACE, _GAP, _MARGIN = 22.0, 74.0, 24.0
_TURN = str.maketrans("<>", "><")

Ended = tuple[str, str | None]  # status and answer of a run
Pair = tuple[int, int, str]  # i < j and the marks from i to j


class EdgeFrequencies(NamedTuple):
    """Of each pair the marks that most graphs have and how many have them, most frequent first."""

    graphs: int
    typical: int  # edges of a graph, the median
    edges: list[tuple[int, int, str, int]]
    left_out: int


def graph_of(folder: Path, task: Results, item: str) -> dict[str, object] | None:
    """All that the page needs to draw an item; None where the study has no such item."""
    places = task.of_item(item)
    if not places:
        return None
    truth, problem = _truth(folder, task, places)
    learners: dict[str, dict[str, object]] = {}
    nodes = list(truth.nodes) if truth is not None else []
    frequent: list[list[Pair]] = []
    for place in places:
        cell = task.cells[place]
        runs = task.answers_at(place)
        nodes = nodes or _nodes(runs)
        kind = str(task.abouts[place].get("returns", "dag"))
        frequencies = _edge_frequencies(nodes, runs)
        frequent.append([edge[:3] for edge in frequencies.edges])
        learners[name_of(cell.variant, cell.respondent)] = {
            "kind": kind,
            "n": frequencies.graphs,
            "failed": len(runs) - frequencies.graphs,
            "typical": frequencies.typical,
            "truth": [] if truth is None else [list(pair) for pair in pairs_of(_in_class(truth, kind), nodes)],
            "edges": [list(edge) for edge in frequencies.edges],
            "left_out": frequencies.left_out,
            "key": [cell.item, cell.variant, cell.respondent],
        }
    # without a truth the layers follow what the first learner found most often
    pairs = pairs_of(truth, nodes) if truth is not None else frequent[0][: 2 * len(nodes)]
    return {"item": item, "problem": problem, **layout(nodes, pairs), "learners": learners}


def name_of(variant: str, respondent: str) -> str:
    """Under which name the graphs of an item show what a learner found."""
    return respondent if variant == "clean" else f"{respondent} · {variant}"


def _truth(folder: Path, task: Results, places: Sequence[int]) -> tuple[Graph | None, str]:
    """The true graph, loaded as the plan named it; a file that is gone is said, not raised."""
    data = task.cells[places[0]].identity.get("data")
    if not isinstance(data, dict) or "dataset" not in data:
        return None, "this task says nothing of the data set its graphs belong to."
    try:
        return load_stored(data["dataset"], data.get("settings"), plan_folder_of(folder)).truth, ""
    except (TruenessError, OSError, TypeError, ValueError) as error:
        return None, f"the true graph cannot be loaded: {without_paths(str(error))}"


def _edge_frequencies(nodes: Sequence[str], runs: Sequence[Ended]) -> EdgeFrequencies:
    counted: Counter[Pair] = Counter()
    sizes: list[int] = []
    for graph, times in graphs_found(runs):
        pairs = _pairs(graph.get("edges", ()), nodes)
        sizes += [len(pairs)] * times
        for pair in pairs:
            counted[pair] += times
    best: dict[tuple[int, int], tuple[int, str]] = {}
    for (i, j, marks), times in sorted(counted.items()):
        if times > best.get((i, j), (0, ""))[0]:
            best[i, j] = (times, marks)
    ranked = sorted(((i, j, marks, times) for (i, j), (times, marks) in best.items()), key=lambda e: (-e[3], e[:2]))
    typical = sorted(sizes)[len(sizes) // 2] if sizes else 0
    return EdgeFrequencies(len(sizes), typical, ranked[:MOST_EDGES], max(0, len(ranked) - MOST_EDGES))


def graphs_found(runs: Sequence[Ended]) -> list[tuple[dict[str, Json], int]]:
    """The answers that are graphs, each once, and of how many runs: ten thousand runs find a few, over and over."""
    counted = Counter(answer for status, answer in runs if status == Status.OK and answer)
    return [(json.loads(answer), times) for answer, times in counted.items()]


class CountedEdges(NamedTuple):
    """Edges (source, marks, target, runs that have it), most frequent first, of so many graphs."""

    graphs: int
    edges: list[tuple[str, str, str, int]]


def count_edges(runs: Sequence[Ended]) -> CountedEdges:
    """Of each pair the marks that were found most often, drawn from left to right where they point to the left."""
    nodes = _nodes(runs)
    frequencies = _edge_frequencies(nodes, runs)
    edges = []
    for i, j, marks, times in frequencies.edges:
        if marks.startswith("<") and not marks.endswith(">"):
            i, j, marks = j, i, reverse_marks(marks)
        edges.append((nodes[i], marks, nodes[j], times))
    return CountedEdges(frequencies.graphs, edges)


def _in_class(truth: Graph, kind: str) -> Graph:
    return truth.to_cpdag() if kind == "cpdag" else truth.to_pag(()) if kind == "pag" else truth


def pairs_of(graph: Graph, nodes: Sequence[str]) -> list[Pair]:
    edges = ({"source": edge.source, "target": edge.target, "marks": edge.arrow} for edge in graph.edges)
    return _pairs(edges, nodes)


def _pairs(edges: Iterable[Mapping[str, str]], nodes: Sequence[str]) -> list[Pair]:
    """Every edge from its earlier node to its later one."""
    index = {node: k for k, node in enumerate(nodes)}
    pairs = []
    for edge in edges:
        i, j = index.get(edge["source"]), index.get(edge["target"])
        if i is not None and j is not None:
            pairs.append((i, j, edge["marks"]) if i < j else (j, i, reverse_marks(edge["marks"])))
    return pairs


def reverse_marks(marks: str) -> str:
    """The marks as read from the other end: -> becomes <-."""
    return marks[::-1].translate(_TURN)


def _nodes(runs: Sequence[Ended]) -> list[str]:
    answer = next((answer for _, answer in runs if answer), None)
    return [] if answer is None else list(json.loads(answer).get("nodes", ()))


def layout(nodes: Sequence[str], pairs: Sequence[Pair]) -> dict[str, object]:
    """Box of every node: middle and width."""
    wide = [max(40.0, _LETTER * min(len(node), 24) + _PADDING) for node in nodes]
    ends = [(j, i) if marks.startswith("<") and not marks.endswith(">") else (i, j) for i, j, marks in pairs]
    leads = [marks.startswith("<") != marks.endswith(">") for _, _, marks in pairs]
    linked = sorted({end for pair in ends for end in pair})
    number = {node: k for k, node in enumerate(linked)}
    boxes: list[list[float]] = [[0.0, 0.0, w] for w in wide]
    right = bottom = 0.0
    if linked:
        layers = layers_of(len(linked), [(number[i], number[j]) for i, j in ends], leads)
        across = place_across(layers, [wide[i] for i in linked], _SPACE)
        for k, i in enumerate(linked):
            boxes[i][:2] = [round(across[k], 1), round(_TALL / 2 + layers.layer[k] * (_TALL + _GAP), 1)]
            right, bottom = max(right, across[k] + wide[i] / 2), max(bottom, boxes[i][1] + _TALL / 2)
    x, y, most = 0.0, bottom + (_GAP / 2 if linked else 0.0), max(right, 520.0)
    for i in (i for i in range(len(nodes)) if i not in number):  # nodes without a true edge, in lines like words
        if x and x + wide[i] > most:
            x, y = 0.0, y + _TALL + 12.0
        boxes[i][:2] = [round(x + wide[i] / 2, 1), round(y + _TALL / 2, 1)]
        x += wide[i] + 12.0
        right, bottom = max(right, x - 12.0), y + _TALL
    size = [round(right + 2 * _MARGIN), round(bottom + 2 * _MARGIN)]
    placed = [[round(x + _MARGIN, 1), round(y + _MARGIN, 1), round(w, 1)] for x, y, w in boxes]
    return {"nodes": list(nodes), "boxes": placed, "size": size}
