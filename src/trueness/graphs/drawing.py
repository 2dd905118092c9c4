"""A graph as SVG: layered from causes to effects, end marks drawn, and against a truth coloured and line-styled.

    correct     solid      bluish green        same edge, same marks
    wrong mark  dash-dot   orange              an edge in both, other marks (reversed, undirected, circle)
    extra       dashed     vermillion          not in the truth
    missing     dotted     grey                only in the truth

Colours are Okabe & Ito's, and each has a line style of its own, so that print and colour-blind eyes lose nothing.
The picture brings its own white card: it reads the same on a light page, a dark page and paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Literal, NamedTuple
from unicodedata import combining, east_asian_width

import numpy as np

from trueness.errors import GraphError
from trueness.graphs.equivalence import ARROW, CIRCLE, TAIL
from trueness.graphs.layering import BEND, Layers, layers_of, place_across
from trueness.graphs.marked import Edge, MarkedGraph
from trueness.texts import drawable, html_text, printable

Verdict = Literal["plain", "correct", "wrong mark", "extra", "missing"]


_Point = tuple[float, float]


class _Style(NamedTuple):
    colour: str
    dashes: str
    legend: str


_STYLES: dict[Verdict, _Style] = {
    "plain": _Style("#3d4652", "", ""),
    "correct": _Style("#009e73", "", "correct"),
    "wrong mark": _Style("#e69f00", "9 3 2 3", "reversed or wrong mark"),
    "extra": _Style("#d55e00", "6 4", "extra"),
    "missing": _Style("#7f7f7f", "2 3", "missing"),
}
_FONT = "Helvetica, Arial, 'Segoe UI', 'DejaVu Sans', sans-serif"
_TALL = 30.0  # the box of a node
_SPACE = 20.0  # between two boxes of a layer
_GAP = (40.0, 120.0)  # between two layers, least and most
_LABEL = (42.0, 13.0)  # the room of a label
_MARGIN = 18.0
_LONGEST_NAME = 30
_MOST_EDGES = 4  # a node; beyond, edges cannot be led around the boxes in a way that can be read
_EDGES_A_NODE = 3  # of a weighted graph, where every pair may have a weight


class _Drawn(NamedTuple):
    """One edge as it is drawn, and which of its nodes the layers put above the other (if the edge `leads`)."""

    edge: Edge
    upper: int
    lower: int
    leads: bool
    verdict: Verdict
    width: float
    label: str = ""


class _Scene(NamedTuple):
    """A picture and the room it takes from (0, 0)."""

    shapes: list[str]
    width: float
    height: float


def to_svg(
    graph: MarkedGraph, truth: MarkedGraph | None = None, labels: Mapping[tuple[str, str], str] | None = None
) -> str:
    """The drawing as SVG text; with a truth over the same nodes, the graph is drawn as an answer to it.

    labels: (source, target) -> words beside that edge.
    """
    if truth is not None:
        if graph.kind == "weighted":
            raise GraphError("only definite edges can be drawn against a truth, got a weighted graph. Threshold it.")
        truth = truth.reorder(graph.nodes)
    drawn, note = _edges_to_draw(graph, truth, {frozenset(pair): text for pair, text in (labels or {}).items()})
    boxes = [_Box.of(node) for node in graph.nodes]
    linked = sorted({end for item in drawn for end in (item.upper, item.lower)})
    scene = _linked_scene(graph.nodes, boxes, linked, drawn)
    alone = [boxes[i] for i in sorted(set(range(len(graph))) - set(linked))]
    scene = _below(scene, _alone_scene(alone, max(scene.width, 420.0)))
    if truth is not None or note:
        scene = _below(scene, _legend_scene(drawn, note))
    about = f"{graph.kind} with {len(graph)} nodes and {graph.n_edges()} edges"
    return _document(scene, about if truth is None else f"{about}, against a truth with {truth.n_edges()}")


# ---- what is drawn


def _edges_to_draw(
    graph: MarkedGraph, truth: MarkedGraph | None, labels: Mapping[frozenset[str], str]
) -> tuple[list[_Drawn], str]:
    """The edges with their verdicts and widths, and a note where not all are shown."""
    weights = np.zeros(graph.marks.shape) if graph.weights is None else np.abs(graph.weights)
    strength = np.maximum(weights, weights.T)
    strongest = float(strength.max(initial=0.0)) or 1.0
    estimated = {frozenset(edge[:2]): edge for edge in graph.edges}
    true = estimated if truth is None else {frozenset(edge[:2]): edge for edge in truth.edges}
    items: list[_Drawn] = []
    for pair, edge in {**true, **estimated}.items():
        lead = true.get(pair, edge)  # the truth says which node is above the other, whatever is drawn against it
        i, j = graph.index(lead.source), graph.index(lead.target)
        leads = pair in true and lead.target_mark == ARROW and lead.source_mark != ARROW
        verdict = "plain" if truth is None else _verdict(estimated.get(pair), true.get(pair))
        most = 1.2 if labels else 3.0  # a thick line leaves no room for words
        width = 1.7 if graph.weights is None else 1.0 + most * float(strength[i, j]) / strongest
        items.append(_Drawn(edge, i, j, leads, verdict, width, labels.get(pair, "")))
    most = _EDGES_A_NODE * len(graph) if graph.kind == "weighted" else _MOST_EDGES * len(graph) + 40
    if len(items) > most:
        kept = sorted(items, key=lambda item: -item.width)[:most]
        return kept, f"{'' if graph.weights is None else 'the strongest '}{most} of {len(items)} edges"
    return items, ""


def _verdict(estimated: Edge | None, true: Edge | None) -> Verdict:
    if estimated is None or true is None:
        return "missing" if estimated is None else "extra"
    ends = [{(edge.source, edge.source_mark), (edge.target, edge.target_mark)} for edge in (estimated, true)]
    return "correct" if ends[0] == ends[1] else "wrong mark"


class _Box(NamedTuple):
    """A node's box: the full name, what fits into it, and how wide that makes it."""

    name: str
    label: str
    wide: float

    @classmethod
    def of(cls, node: str) -> _Box:
        name = printable(node)
        label = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "\u2026"
        return cls(drawable(name), label, max(36.0, _text_width(label) + 20.0))

    def shape(self, x: float, y: float) -> str:
        label = html_text(self.label)
        return (
            f'<g><title>{html_text(self.name)}</title><rect x="{x - self.wide / 2:.1f}" y="{y - _TALL / 2:.1f}" '
            f'width="{self.wide:.1f}" height="{_TALL:.0f}" rx="8" fill="#f2f5f9" stroke="#5b6675"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" fill="#16191d">{label}</text></g>'
        )


# ---- where it lies


class _Plan:
    """Layers as rows of the page, arrows downwards."""

    def __init__(self, layers: Layers, wide: Sequence[float]):
        self.layers, self.wide = layers, wide
        self.across = place_across(layers, wide, _SPACE)
        self.first: list[float] = []  # where each layer begins
        for k in range(len(layers.rows)):
            gap = min(max(_GAP[0], 0.22 * self._slant(k)), _GAP[1])
            self.first.append(self.first[-1] + _TALL + gap if k else 0.0)
        far = max(x + (wide[v] if v < len(wide) else BEND) / 2 for v, x in enumerate(self.across))
        self.size = far, self.first[-1] + _TALL

    def _slant(self, k: int) -> float:
        """How far an edge has to go across between layer k - 1 and layer k."""
        steps = (pair for route in self.layers.routes for pair in pairwise(route) if self.layers.layer[pair[1]] == k)
        return max((abs(self.across[a] - self.across[b]) for a, b in steps), default=0.0)

    def top(self, v: int) -> float:
        return self.first[self.layers.layer[v]]

    def ports(self) -> dict[tuple[int, int], float]:
        """(edge, 0 for its upper or -1 for its lower end) -> where it meets the box, in the order of where it goes."""
        sides: dict[tuple[int, int], list[int]] = {}
        for k, route in enumerate(self.layers.routes):
            for end in (0, -1):
                sides.setdefault((route[end], end), []).append(k)
        ports: dict[tuple[int, int], float] = {}
        for (v, end), edges in sides.items():
            edges.sort(key=lambda k: (self.across[self.layers.routes[k][1 if end == 0 else -2]], k))
            step = min(14.0, 0.7 * self.wide[v] / len(edges))
            for place, k in enumerate(edges):
                ports[k, end] = self.across[v] + step * (place - (len(edges) - 1) / 2)
        return ports


def _linked_scene(
    nodes: Sequence[str], boxes: Sequence[_Box], linked: Sequence[int], drawn: Sequence[_Drawn]
) -> _Scene:
    """The nodes that have edges, and the edges, in layers."""
    if not linked:
        return _Scene([], 0.0, 0.0)
    number = {node: v for v, node in enumerate(linked)}
    pairs = [(number[item.upper], number[item.lower]) for item in drawn]
    layers = layers_of(len(linked), pairs, [item.leads for item in drawn])
    plan = _Plan(layers, [boxes[i].wide for i in linked])
    ports = plan.ports()
    shapes, words, taken = [], [], list[_Point]()
    for k, item in enumerate(drawn):
        downwards = nodes[linked[layers.routes[k][0]]] == item.edge.source
        shapes.append(_route_shape(plan, k, item, downwards, (ports[k, 0], ports[k, -1])))
        if item.label:
            words.append(_label_shape(item.label, _free(_along(plan, k, (ports[k, 0], ports[k, -1])), taken)))
    shapes += words  # above every line
    shapes += [boxes[i].shape(plan.across[v], plan.top(v) + _TALL / 2) for v, i in enumerate(linked)]
    return _Scene(shapes, *plan.size)


def _route_shape(plan: _Plan, k: int, item: _Drawn, downwards: bool, ports: tuple[float, float]) -> str:
    """A line that is straight within a layer and bends between layers, so it never runs behind a box."""
    route = plan.layers.routes[k]
    marks = item.edge[2:4] if downwards else item.edge[3:1:-1]
    across = [ports[0], *(plan.across[v] for v in route[1:-1]), ports[1]]
    starts, ends = [plan.top(v) for v in route], [plan.top(v) + _TALL for v in route]
    tips = (across[0], ends[0], -1), (across[-1], starts[-1], 1)
    ends[0] += _room(marks[0], item.width)
    starts[-1] -= _room(marks[1], item.width)
    path = [f"M{_pair((across[0], ends[0]))}"]
    for a, b in pairwise(range(len(route))):
        half = (starts[b] - ends[a]) / 2
        corners = (across[a], ends[a] + half), (across[b], starts[b] - half), (across[b], starts[b])
        path.append("C" + " ".join(map(_pair, corners)))
        if b < len(route) - 1:
            path.append(f"L{_pair((across[b], ends[b]))}")
    return _edge_shape(item, " ".join(path), marks, tips)


def _along(plan: _Plan, k: int, ports: tuple[float, float]) -> list[_Point]:
    """Places on edge k, the best for its label first: beside a box that it passes, else near the middle of a gap."""
    route = plan.layers.routes[k]
    passing = [(plan.across[v], plan.top(v) + _TALL / 2) for v in route[1:-1]]
    a = (len(route) - 1) // 2
    across = [ports[0], *(plan.across[v] for v in route[1:-1]), ports[1]]
    start, stop = plan.top(route[a]) + _TALL, plan.top(route[a + 1])

    def at(t: float) -> _Point:
        bent = t * t * (3 - 2 * t)  # of a line that leaves and arrives straight
        straight = 1.5 * t * (1 - t) + t**3  # along: the curve's ends are half the gap long
        return across[a] + bent * (across[a + 1] - across[a]), start + straight * (stop - start)

    return [*passing[len(passing) // 2 :], *(at(t) for t in (0.5, 0.35, 0.65, 0.22, 0.78))]


def _free(places: Sequence[_Point], taken: list[_Point]) -> _Point:
    """The first place that no label has taken; of places that all have one near, the one farthest from it."""

    def room(place: _Point) -> float:
        return min((max(abs(place[0] - x) / _LABEL[0], abs(place[1] - y) / _LABEL[1]) for x, y in taken), default=inf)

    best = next((place for place in places if room(place) >= 1), max(places, key=room))
    taken.append(best)
    return best


def _label_shape(label: str, place: _Point) -> str:
    return (
        f'<text x="{place[0]:.1f}" y="{place[1] + 4:.1f}" text-anchor="middle" font-size="10.5" fill="#16191d" '
        f'stroke="#fff" stroke-width="4" paint-order="stroke">{html_text(label)}</text>'
    )


def _edge_shape(item: _Drawn, path: str, marks: tuple[int, ...], tips: Sequence[tuple[float, float, int]]) -> str:
    """The line and its two marks; a mark touches its box at the tip and points upwards (-1) or downwards (1)."""
    style, edge = _STYLES[item.verdict], item.edge
    dashes = f' stroke-dasharray="{style.dashes}"' if style.dashes else ""
    weight = "" if edge.weight is None else f", weight {edge.weight:.3g}"
    verdict = "" if item.verdict == "plain" else f" ({style.legend})"
    return (
        f"<g><title>{html_text(f'{edge}{weight}{verdict}')}</title>"
        f'<path d="{path}" fill="none" stroke="{style.colour}" stroke-width="{item.width:.1f}"{dashes}/>'
        + "".join(_mark_shape(mark, *tip, item.width, style.colour) for mark, tip in zip(marks, tips, strict=True))
        + "</g>"
    )


def _room(mark: int, width: float) -> float:
    """How much of the line a mark takes the place of."""
    return 0.0 if mark == TAIL else 1.4 * (4.0 + width)


def _mark_shape(mark: int, x: float, y: float, down: int, width: float, colour: str) -> str:
    size = 4.0 + width
    if mark == ARROW:
        base, wing = y - 1.7 * size * down, 0.8 * size
        corners = " L".join(map(_pair, ((x, y), (x - wing, base), (x + wing, base))))
        return f'<path d="M{corners} Z" fill="{colour}"/>'
    if mark == CIRCLE:
        r = 0.7 * size
        place = f'cx="{x:.1f}" cy="{y - r * down:.1f}" r="{r:.1f}"'
        return f'<circle {place} fill="#fff" stroke="{colour}" stroke-width="1.5"/>'
    return ""


def _pair(point: _Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"


def _alone_scene(boxes: Sequence[_Box], width: float) -> _Scene:
    """Nodes without edges, in lines like words."""
    shapes, x, y, far = [], 0.0, 0.0, 0.0
    for box in boxes:
        if x > 0 and x + box.wide > width:
            x, y = 0.0, y + _TALL + 12.0
        shapes.append(box.shape(x + box.wide / 2, y + _TALL / 2))
        x += box.wide + 12.0
        far = max(far, x - 12.0)
    return _Scene(shapes, far, y + _TALL if boxes else 0.0)


def _legend_scene(drawn: Sequence[_Drawn], note: str) -> _Scene:
    """The note, and a sample line and a count for each verdict."""
    entries: list[tuple[_Style | None, str]] = [(None, note)] if note else []
    for verdict, style in _STYLES.items() if any(item.verdict != "plain" for item in drawn) or not note else ():
        count = sum(item.verdict == verdict for item in drawn)
        entries += [(style, f"{style.legend} {count}")] if style.legend else []
    shapes = []
    for k, (sample, words) in enumerate(entries):
        y, dashes = 20.0 * k, f' stroke-dasharray="{sample.dashes}"' if sample and sample.dashes else ""
        if sample:
            line = f'd="M0,{y + 8:.1f} h28" stroke="{sample.colour}" stroke-width="2.2"'
            shapes.append(f'<path {line} fill="none"{dashes}/>')
        place = f'x="{34 if sample else 0}" y="{y + 12:.1f}"'
        shapes.append(f'<text {place} font-size="11.5" fill="#3d4652">{html_text(words)}</text>')
    return _Scene(shapes, max(34.0 + 0.95 * _text_width(words) for _, words in entries), 20.0 * len(entries) - 4.0)


# ---- the page


def _below(upper: _Scene, lower: _Scene) -> _Scene:
    """One scene under another, both in the middle."""
    if not upper.shapes or not lower.shapes:
        return upper if upper.shapes else lower
    width, down = max(upper.width, lower.width), upper.height + _SPACE
    return _Scene(
        [_group_at(upper, (width - upper.width) / 2, 0.0), _group_at(lower, (width - lower.width) / 2, down)],
        width,
        down + lower.height,
    )


def _group_at(scene: _Scene, x: float, y: float) -> str:
    return f'<g transform="translate({x:.1f},{y:.1f})">{"".join(scene.shapes)}</g>'


def _document(scene: _Scene, about: str) -> str:
    width, height = (round(side + 2 * _MARGIN) for side in (scene.width, scene.height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="{_FONT}" font-size="13" style="max-width:100%">'
        f"<title>{html_text(about)}</title>"
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="#fff" stroke="#d8dde3"/>'
        f"{_group_at(scene, _MARGIN, _MARGIN)}</svg>"
    )


def _text_width(words: str) -> float:
    """In pixels at 13 px, by class of letter; generous, because the font is the reader's."""
    total = 0.0
    for letter in words:
        if combining(letter):
            continue
        if east_asian_width(letter) in "WF":
            total += 13.0
        elif letter in "iljtfrI.,;:'|!()[] ":
            total += 4.4
        elif letter in "mwMW@%<>=+&#~\u2026":
            total += 11.5
        else:
            total += 8.9 if letter.isupper() else 7.4
    return total
