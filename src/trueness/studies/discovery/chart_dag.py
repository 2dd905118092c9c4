"""dag: the true graph of a data set, and over it what each learner found in most of its runs.

    in the majority graph: a pair with an edge in more than half of the graphs, with the marks it has most often
    (a dag has no cycle: its edges enter from the most frequent on, and one that would close a cycle stays out)

against the truth of the learner's own class: correct, reversed or wrong mark, extra, missing; by colour and by line
style (graphs/drawing.py). The numbers are the list of edges, with the share of the graphs that have each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from trueness.graphs import ARROW, CIRCLE, TAIL, Edge, Graph, Kind
from trueness.running.results import Results
from trueness.showing import theme
from trueness.showing.marks import text_width
from trueness.showing.saving import Drawing, Figure
from trueness.studies.item_graphs import graphs_found
from trueness.texts import html_text

Link = tuple[str, str, str]  # source, marks, target

COLUMNS = ("dataset", "learner", "source", "marks", "target", "true_edge", "verdict", "share", "n")
TRUE = "true graph"
_ENDS = {Edge("", "", *ends).arrow: ends for ends in product((TAIL, ARROW, CIRCLE), repeat=2)}
_FONT_FAMILY = re.compile(r' font-family="[^"]*"')
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)" width="\d+" height="\d+"')
_HEAD, _SPACE = 22.0, 14.0
_PAGE = 2.0 * theme.POINTS["page"]  # graphs are drawn for a screen, and half as large on paper


@dataclass(frozen=True, eq=False)
class Majority:
    """What a learner found in most of its n graphs; share: pair -> share of the graphs that join it by any edge."""

    graph: Graph
    share: Mapping[frozenset[str], float]
    n: int


def majority(nodes: Sequence[str], graphs: Iterable[Iterable[Link]], kind: Kind) -> Majority:
    """graphs: each as (source, marks, target) triples, e.g. ("a", "->", "b")."""
    counted: Counter[Link] = Counter()
    n = 0
    for links, times in Counter(map(tuple, graphs)).items():  # ten thousand runs find a few, over and over
        n += times
        for link in map(_in_order, links):
            counted[link] += times
    pairs: Counter[frozenset[str]] = Counter()
    for (source, _, target), times in counted.items():
        pairs[frozenset((source, target))] += times
    marks = np.zeros((len(nodes), len(nodes)), dtype=np.int8)
    reach = np.eye(len(nodes), dtype=bool)
    index = {name: k for k, name in enumerate(nodes)}
    for (source, arrow, target), _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        i, j = index[source], index[target]
        closes = kind == "dag" and reach[j, i]
        if marks[i, j] or closes or 2 * pairs[frozenset((source, target))] <= n:
            continue
        marks[j, i], marks[i, j] = _ENDS[arrow]
        reach |= np.outer(reach[:, i], reach[j])
    return Majority(Graph(tuple(nodes), marks, None, kind), {pair: times / n for pair, times in pairs.items()}, n)


def majorities(results: Results, dataset: str, nodes: Sequence[str]) -> dict[str, Majority]:
    """Learner -> its majority graph on a data set, of the learners that gave graphs with definite edges there."""
    by_learner = {}
    for place, (cell, about) in enumerate(zip(results.cells, results.abouts, strict=True)):
        if cell.item != dataset or about["returns"] == "weighted":
            continue
        graphs: list[list[Link]] = []
        for graph, times in graphs_found(results.answers_at(place)):
            if set(graph["nodes"]) == set(nodes):  # a file may have changed since
                graphs += [[(e["source"], e["marks"], e["target"]) for e in graph["edges"]]] * times
        if graphs:
            by_learner[cell.respondent] = majority(nodes, graphs, about["returns"])
    return by_learner


def dag_frame(truth: Graph, learned: Mapping[str, Majority], dataset: str = "") -> pd.DataFrame:
    """One row an edge of the picture; verdict: correct, wrong mark, extra, missing, or true (of the truth itself)."""
    rows: list[tuple[object, ...]] = [
        (dataset, TRUE, edge.source, edge.arrow, edge.target, str(edge), "true", None, None) for edge in truth.edges
    ]
    for learner, consensus in learned.items():
        true = {frozenset(edge[:2]): edge for edge in in_class(truth, consensus.graph.kind).edges}
        edges = {frozenset(edge[:2]): edge for edge in consensus.graph.edges}
        for pair, shown in {**true, **edges}.items():
            right = str(true[pair]) if pair in true else None
            what = (shown.source, shown.arrow if pair in edges else None, shown.target, right)
            verdict = _verdict(edges.get(pair), true.get(pair))
            rows.append((dataset, learner, *what, verdict, consensus.share.get(pair, 0.0), consensus.n))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def dag_chart(truth: Graph, learned: Mapping[str, Majority]) -> Drawing:
    """The truth first, then a panel a learner."""
    panels = [(f"{TRUE} ({truth.n_edges()} edges)", truth.to_svg())]
    labels = theme.labels(learned)
    for learner, consensus in learned.items():
        title = f"{labels[learner]}: {consensus.graph.kind} of {consensus.n} runs"
        panels.append((title, consensus.graph.to_svg(in_class(truth, consensus.graph.kind))))
    return Drawing(_flowing(panels))


def dag(results: Results, dataset: str, truth: Graph) -> Figure:
    learned = majorities(results, dataset, truth.nodes)
    frame = dag_frame(truth, learned, dataset)
    n = sorted({consensus.n for consensus in learned.values()}) or [0]
    runs = f"{n[0]}" if len(n) == 1 else f"{n[0]} to {n[-1]}"
    caption = (
        f"{dataset}: the true graph ({len(truth)} nodes, {truth.n_edges()} edges), and for each of {len(learned)} "
        f"learners the pairs with an edge in more than half of its graphs ({runs} runs), with their most frequent "
        "marks, against the truth of the learner's own class. Green, solid: correct; orange, dash-dot: reversed or "
        "wrong mark; red, dashed: extra; grey, dotted: missing. Descriptive; no interval, no test."
    )
    return Figure(f"dag_{dataset}", frame, dag_chart(truth, learned), caption)


def in_class(truth: Graph, kind: Kind) -> Graph:
    return truth.to_cpdag() if kind == "cpdag" else truth.to_pag(()) if kind == "pag" else truth


def _in_order(link: Link) -> Link:
    """An edge with equal marks is counted once, whichever end was written first."""
    source, arrow, target = link
    return (target, arrow, source) if source > target and _ENDS[arrow][0] == _ENDS[arrow][1] else link


def _verdict(learned: Edge | None, true: Edge | None) -> str:
    if learned is None or true is None:
        return "missing" if learned is None else "extra"
    ends = [{(edge.source, edge.source_mark), (edge.target, edge.target_mark)} for edge in (learned, true)]
    return "correct" if ends[0] == ends[1] else "wrong mark"


def _flowing(panels: Sequence[tuple[str, str]]) -> str:
    """Drawings in lines like words, all at one scale unless one is wider than the page."""
    shapes, x, y, tall, far = [], 0.0, 0.0, 0.0, 0.0
    for title, svg in panels:
        size = _SIZE.search(svg)
        assert size is not None
        scale = min(1.0, _PAGE / float(size[1]))
        width, height = scale * float(size[1]), scale * float(size[2])
        room = max(width, text_width([title], 13.0, _PAGE))
        if x and x + room > _PAGE:
            x, y, tall = 0.0, y + tall + _SPACE, 0.0
        place = f'x="{x:.1f}" y="{y + _HEAD:.1f}" width="{width:.1f}" height="{height:.1f}"'
        shapes.append(f'<text x="{x + 2:.1f}" y="{y + 15:.1f}" font-size="13" fill="#16191d">{html_text(title)}</text>')
        shapes.append(svg.replace(size[0], f'viewBox="0 0 {size[1]} {size[2]}" {place}', 1))
        far, tall = max(far, x + room), max(tall, height + _HEAD)
        x += room + _SPACE
    wide, deep = round(far), round(y + tall)
    body = _FONT_FAMILY.sub("", "".join(shapes))
    ground = f'<rect width="{wide}" height="{deep}" fill="white"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {deep}" width="{wide / 2:g}" '
        f'height="{deep / 2:g}" font-family="{theme.FONT}">{ground}{body}</svg>'
    )
