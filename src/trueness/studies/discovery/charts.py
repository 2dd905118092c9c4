"""The charts of a discovery study: frames (one row a mark) apart from how they are drawn.

dag       the true graph of a data set, and over it what each learner found in most of its runs

    in the majority graph: a pair with an edge in more than half of the graphs, with the marks it has most often
    (a dag has no cycle: its edges enter from the most frequent on, and one that would close a cycle stays out)

          against the truth of the learner's own class: correct, reversed or wrong mark, extra, missing; by colour and
          by line style (graphs/drawing.py)

runtime   seconds a fit takes, one row a data set and learner, on a log axis. Dot: the median of the fits that gave an
          answer, for the first fit of a worker may pay for an import; bar: their 5 to 95 % range

ranks_learners   mean ranks of the learners over data sets (showing/chart_critical_difference.py)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.graphs import ARROW, CIRCLE, TAIL, Edge, Graph, Kind
from trueness.measure import direction
from trueness.outside import Json
from trueness.running.results import Results
from trueness.showing import theme
from trueness.showing.chart_critical_difference import ranks
from trueness.showing.marks import named_data, panel_columns, row_axis, row_scale, spread_of, text_width, with_data
from trueness.showing.saving import Drawing, Figure
from trueness.studies.item_graphs import graphs_found
from trueness.texts import html_text

if TYPE_CHECKING:
    import altair as alt

Link = tuple[str, str, str]  # source, marks, target

COLUMNS = ("dataset", "learner", "source", "marks", "target", "true_edge", "verdict", "share", "n")
TRUE = "true graph"
_ENDS = {Edge("", "", *ends).arrow: ends for ends in product((TAIL, ARROW, CIRCLE), repeat=2)}
_FONT_FAMILY = re.compile(r' font-family="[^"]*"')
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)" width="\d+" height="\d+"')
_HEAD, _SPACE = 22.0, 14.0
_PAGE = 2.0 * theme.POINTS["page"]  # graphs are drawn for a screen, and half as large on paper
KEY = "dot: median; bar: 5 to 95 % range of fits"

RUNTIME_COLUMNS = ("dataset", "respondent", "median", "low", "high", "total", "n", "planned")
RANGE = (0.05, 0.95)
MOST_PANELS = {"column": 2, "page": 4}
_LEAST = 1e-6  # a clock that did not move; a log axis has no zero


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


def runtime_frame(results: Results) -> pd.DataFrame:
    """One row a cell; no seconds where no fit has ended."""
    rows: list[dict[str, object]] = []
    for cell in results.summaries:
        seconds = cell.seconds
        row: dict[str, object] = {"dataset": cell.item, "respondent": cell.respondent, "n": len(seconds)}
        row["planned"] = cell.repeats
        if len(seconds):
            low, high = np.quantile(seconds, RANGE)
            row |= {"median": float(np.median(seconds)), "low": float(low), "high": float(high)}
            row["total"] = float(seconds.sum())
        rows.append(row)
    return pd.DataFrame(rows, columns=list(RUNTIME_COLUMNS))


def runtime_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "page",
) -> alt.FacetChart:
    """One panel a data set, one row a learner in it; all panels share the axis."""
    import altair as alt

    names, panels = list(dict.fromkeys(frame["respondent"])), list(dict.fromkeys(frame["dataset"]))
    labels = labels or theme.labels(names)
    row_labels = [labels[name] for name in names]
    marks = frame.assign(
        row=frame["respondent"].map({name: k + 0.5 for k, name in enumerate(names)}),
        colour=frame["respondent"].map(dict(colours)),
        **{key: frame[key].astype(float).clip(lower=_LEAST) for key in ("median", "low", "high")},
    )
    most = panel_columns(len(panels), MOST_PANELS[width])
    wide = (theme.POINTS[width] - text_width(row_labels) - 30 - 14 * (most - 1)) / most
    low, high = _decades(marks)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    every = 10.0 ** np.arange(np.log10(low), np.log10(high) + 0.5, 1 + (np.log10(high / low) > 4))
    axis = alt.Axis(title=None, values=[float(f"{value:.3g}") for value in every], format="~g", labelFlush=True)
    y = alt.Y("row:Q", scale=row_scale(len(names)), axis=row_axis(row_labels))
    colour = alt.Color("colour:N", scale=None)
    base = alt.Chart().transform_filter("datum.median != null")
    missing = alt.Chart().transform_filter("datum.median == null")
    layers = alt.layer(
        base.mark_rule(strokeWidth=3, opacity=0.4).encode(
            x=alt.X("low:Q", scale=scale, axis=axis), x2=alt.X2("high:Q"), y=y, color=colour
        ),
        base.mark_point(size=24, filled=True, opacity=1).encode(
            x=alt.X("median:Q", scale=scale, axis=axis), y=y, color=colour
        ),
        missing.mark_text(text="no fit ended", align="left", fontSize=6.5, color=theme.MISSING).encode(
            x=alt.value(3), y=y
        ),
        data=named_data("marks"),
        width=wide,
        height=12 * max(len(names), 1),
    )
    header = alt.Header(title=None, labelAnchor="start", labelFontSize=7.5)
    grid = layers.facet(facet=alt.Facet("dataset:N", sort=panels, header=header), columns=most, spacing=10)
    return with_data(theme.apply_theme(grid, "Seconds a fit (log axis)", KEY), {"marks": marks})


def runtime(results: Results, width: theme.Width = "page") -> Figure:
    frame = runtime_frame(results)
    names = list(dict.fromkeys(frame["respondent"]))
    ended = frame[frame["n"] > 0]
    caption = (
        f"Wall-clock seconds of a fit on the machine of the study, {frame['dataset'].nunique()} data sets and "
        f"{len(names)} learners: dots the median over {spread_of(ended['n'])} fits, bars the "
        f"{100 * RANGE[0]:g} to {100 * RANGE[1]:g} % range; {frame['total'].sum():.3g} s in all. Log axis. "
        "Descriptive; no interval, no test."
    )
    return Figure("runtime", frame, runtime_chart(frame, theme.colours(names), theme.labels(names), width), caption)


def _decades(marks: pd.DataFrame) -> tuple[float, float]:
    """The powers of ten around all that is drawn."""
    ends = pd.concat([marks["low"], marks["high"], marks["median"]]).dropna()
    if ends.empty:
        return 0.001, 1.0
    low, high = np.floor(np.log10(ends.min())), np.ceil(np.log10(ends.max()))
    return float(10.0**low), float(10.0 ** max(high, low + 1))


def ranks_of_learners(results: Results, measure: str = "f1", **settings: Json) -> Figure:
    """A discovery study: learners by the mean of a measure over the runs on each data set."""
    cells = {(c.item, c.respondent): c.measures[measure].mean for c in results.summaries}
    names = list(dict.fromkeys(c.respondent for c in results.summaries))
    table = pd.Series(cells, dtype=float).unstack().reindex(columns=names)
    better = direction(measure) or "higher"
    return ranks(
        table,
        better,
        theme.measure_label(measure),
        respondents=names,
        level=results.level,
        name="ranks_learners",
        **settings,
    )
