"""The charts of a robustness study, each as its frame (one row a mark) and how that is drawn.

    sensitivity   F1 and SHD against the number of edges kept, the chosen K marked, the band K +- 5 around the first; a
                  line a learner: the mean over its curves (seeds, or systems of one size) with its t interval
    k_lambda      F1 for every K and every value of one setting (lambda) of a scorer; the best K of each lambda looks at
                  the truth, so the mark is an oracle's

Systems that are not averaged (series and rows, graphs of another size) have panels of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, spread_of, text_width, with_data
from trueness.showing.saving import Figure, safe_name
from trueness.statistics import mean
from trueness.studies.robustness.choose_k import ORACLE, OTHERS, Curves, KChoice
from trueness.studies.robustness.scores import RobustnessScores
from trueness.studies.robustness.sensitivity import AROUND, SensitivityCurve, k_range

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 130
MEASURES = {"f1": "F1 (directed)", "shd_reversals_twice": "SHD (reversals twice)"}
_BLUES = ["#F2F6FB", "#C3D9EE", "#7FB2D9", "#2F78B7", "#08396E"]


def figures(evaluation: RobustnessScores) -> Iterator[Figure]:
    """Every figure of a study."""
    for corruption in evaluation.corruptions:
        if panels := panels_of(evaluation, corruption):
            yield sensitivity_panels(panels, corruption)
    for scorer in dict.fromkeys(whose for whose, _, _ in evaluation.sweeps.values()):
        for group in evaluation.groups:
            figure = k_lambda(evaluation, scorer, group)
            if len(figure.frame):
                yield figure


# ---- sensitivity


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves of systems of one size, by learner. graphs: the graph of each curve, where there are several."""

    curves: Curves
    choices: Sequence[KChoice] = ()
    graphs: Mapping[str, Sequence[str]] = field(default_factory=dict)


def sensitivity_frame(panels: Mapping[str, Panel]) -> pd.DataFrame:
    """One row a panel, learner, measure and K; seeds of one graph are one cluster."""
    rows: list[dict[str, object]] = []
    for title, panel in panels.items():
        for learner, several in panel.curves.items():
            parts = [curve.between(*k_range(curve.nodes)) for curve in several]
            graphs = panel.graphs.get(learner)
            clusters = None if graphs is None or len(set(graphs)) < 2 else list(graphs)
            for measure in MEASURES:
                for at, k in enumerate(parts[0].k):
                    values = [getattr(part, measure)[at] for part in parts]
                    estimate = mean(values, clusters, bounds=(0.0, 1.0 if measure == "f1" else None))
                    row = {"panel": title, "learner": learner, "measure": measure, "k": int(k)}
                    row |= estimate.cells("value", "")
                    rows.append(row | {"n": estimate.n, "graphs": estimate.n_clusters})
    return pd.DataFrame(rows, columns=["panel", "learner", "measure", "k", "value", "low", "high", "n", "graphs"])


def sensitivity_chart(
    frame: pd.DataFrame, choices: Mapping[str, Sequence[KChoice]], title: str
) -> alt.VConcatChart | alt.HConcatChart:
    """choices: of each panel by its title."""
    import altair as alt

    colours = sorted(theme.colours(frame["learner"]).items())
    scale = alt.Scale(domain=[name for name, _ in colours], range=[one for _, one in colours])
    colour = alt.Color("learner:N", scale=scale, legend=alt.Legend(title=None, symbolOpacity=1))
    bands = pd.DataFrame(
        [{"panel": p, "low": cs[0].k - AROUND, "high": cs[0].k + AROUND} for p, cs in choices.items() if cs],
        columns=["panel", "low", "high"],
    )
    several = [{"panel": panel, "k": choice.k} for panel, some in choices.items() for choice in some]
    chosen = pd.DataFrame(several, columns=["panel", "k"])
    rows = []
    for panel in dict.fromkeys(frame["panel"]):
        part = frame[frame["panel"] == panel]
        ends = [float(part["k"].min()), float(part["k"].max())]
        wide = (theme.POINTS["page"] - 170) / 2
        both = [_layers(measure, label, panel, ends, colour, wide) for measure, label in MEASURES.items()]
        row = alt.hconcat(*both, spacing=14)
        rows.append(row.properties(title=alt.TitleParams(panel, fontSize=8, anchor="start")) if panel else row)
    chart = alt.vconcat(*rows, spacing=10) if len(rows) > 1 else rows[0]
    key = "line: mean; area: t interval; dashed: chosen K; grey: K +- 5"
    return with_data(theme.apply_theme(chart, title, key), {"curves": frame, "chosen": chosen, "bands": bands})


def _layers(
    measure: str, label: str, panel: str, ends: list[float], colour: alt.Color, wide: float
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    here = alt.datum.panel == panel
    x = alt.X("k:Q", scale=alt.Scale(domain=ends, nice=False), axis=alt.Axis(title="K, edges kept", grid=False))
    scale = alt.Scale(domain=[0, 1]) if measure == "f1" else alt.Scale(domainMin=0)
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(title=label))
    base = alt.Chart(named_data("curves")).transform_filter((alt.datum.measure == measure) & here)
    bands, chosen = (alt.Chart(named_data(name)).transform_filter(here) for name in ("bands", "chosen"))

    return alt.layer(
        bands.mark_rect(color=theme.RUNS, opacity=0.4, clip=True).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_area(opacity=0.15, clip=True).encode(
            x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q"), color=colour
        ),
        base.mark_line(strokeWidth=1.2).encode(x=x, y=y, color=colour),
        chosen.mark_rule(strokeDash=[3, 2], color="#444444", clip=True).encode(x=alt.X("k:Q")),
        width=wide,
        height=HEIGHT,
    )


def sensitivity(curves: Curves, corruption: str, choices: Sequence[KChoice] = ()) -> Figure:
    """curves: learner -> its curves."""
    return sensitivity_panels({"": Panel(curves, choices)}, corruption)


def sensitivity_panels(panels: Mapping[str, Panel], corruption: str) -> Figure:
    frame = sensitivity_frame(panels)
    dashed = "; ".join(
        (f"{title}: " if title else "")
        + ", ".join(f"{c.learner and f'{c.learner}: '}{c.title} (K = {c.k})" for c in panel.choices)
        for title, panel in panels.items()
        if panel.choices
    )
    n, graphs = (int(frame[name].max()) if len(frame) else 0 for name in ("n", "graphs"))
    inside = f" of {graphs} graphs" if graphs < n else ""
    caption = (
        f"Directed F1 and SHD (fp + fn) under {corruption} against K, the number of edges kept; mean over "
        f"{spread_of(frame['n'])} curve{'s' if n != 1 else ''}{inside} a learner"
        f"{', areas: 95 % t intervals of the mean' if n > 1 else ''}."
        + (f" Dashed: {dashed}; shaded: the first of them +- {AROUND}." if dashed else "")
    )
    chosen = {title: panel.choices for title, panel in panels.items()}
    chart = sensitivity_chart(frame, chosen, f"How many edges to keep: {corruption}")
    return Figure(f"sensitivity_curve_{safe_name(corruption)}", frame, chart, caption)


def panels_of(evaluation: RobustnessScores, corruption: str) -> dict[str, Panel]:
    """A panel a group and size: curves with the graph of each, and two K of the scorer that others are matched to."""
    kinds: dict[tuple[str, int], dict[str, tuple[list[SensitivityCurve], list[str]]]] = {}
    for (dataset, name, scorer, _), curve in evaluation.curves.items():
        if name == corruption and scorer in evaluation.scorers_compared:
            kind = (evaluation.systems[dataset].group, curve.nodes)
            curves, graphs = kinds.setdefault(kind, {}).setdefault(scorer, ([], []))
            curves.append(curve)
            graphs.append(dataset)
    panels = {}
    for (group, nodes), by_scorer in kinds.items():
        title = f"{group}, d = {nodes}" if len(kinds) > 1 else ""
        ordered = {name: by_scorer[name] for name in evaluation.scorers_compared if name in by_scorer}
        of = {name: pair[1] for name, pair in ordered.items()}
        panels[title] = Panel({name: pair[0] for name, pair in ordered.items()}, _median_choices(evaluation, of), of)
    return panels


def _median_choices(evaluation: RobustnessScores, graphs: dict[str, list[str]]) -> list[KChoice]:
    """The median K over the graphs of a panel, by the oracle and from other graphs."""
    whose = evaluation.match if evaluation.match in graphs else next(iter(graphs))
    medians = []
    for method in (ORACLE, OTHERS):
        chosen = [evaluation.by_truths.get((name, whose), {}).get(method) for name in dict.fromkeys(graphs[whose])]
        there = [choice for choice in chosen if choice is not None]
        if there:
            k = round(float(np.median([choice.k for choice in there])))
            medians.append(KChoice(k, method, there[0].uses, whose))
    return medians


# ---- K x lambda


def k_lambda_cells(evaluation: RobustnessScores, scorer: str, group: str) -> pd.DataFrame:
    """One row a lambda and K: mean F1 and SHD, n, and whether that K is the lambda's best (an oracle's)."""
    lambdas = {name: value for name, (whose, _, value) in evaluation.sweeps.items() if whose == scorer}
    sizes = Counter(len(system.truth) for system in evaluation.systems.values() if system.group == group)
    usual = sizes.most_common(1)[0][0] if sizes else 0  # a K means the same among graphs of one size alone
    parts = []
    for (dataset, _, name, _), curve in evaluation.curves.items():
        if name in lambdas and (evaluation.systems[dataset].group, curve.nodes) == (group, usual):
            part = curve.between(*k_range(usual)).frame()
            parts.append(part.assign(**{"lambda": float(lambdas[name])}))
    columns = ["lambda", "k", "f1", "shd", "n", "best"]
    if not parts:
        return pd.DataFrame(columns=columns)
    grouped = pd.concat(parts).groupby(["lambda", "k"], as_index=False)
    frame = grouped.agg(f1=("f1", "mean"), shd=("shd", "mean"), n=("f1", "count"))
    best = frame.dropna(subset=["f1"]).groupby("lambda")["f1"].idxmax()  # the first of several
    return frame.assign(best=frame.index.isin(best))[columns]


def k_lambda_chart(frame: pd.DataFrame, setting: str, title: str) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    shown = frame.assign(row=[f"{value:g}" for value in frame["lambda"]])
    rows = [f"{value:g}" for value in sorted(set(frame["lambda"]))]
    wide = theme.POINTS["page"] - text_width(rows) - 90
    base = alt.Chart(named_data("cells")).encode(
        x=alt.X(
            "k:O", axis=alt.Axis(title="K, edges kept", labelAngle=0, labelOverlap=True, ticks=False, domain=False)
        ),
        y=alt.Y("row:N", sort=rows[::-1], axis=alt.Axis(title=setting, ticks=False, domain=False)),
    )
    high = float(frame["f1"].max()) if len(frame) else 1.0
    colour = alt.Color(
        "f1:Q",
        scale=alt.Scale(domain=[0, high], range=_BLUES),
        legend=alt.Legend(title="F1", gradientLength=60, gradientThickness=8, tickCount=4, format=".2f"),
    )
    chart = alt.layer(
        base.mark_rect(stroke="white", strokeWidth=0.5).encode(color=colour),
        base.transform_filter("datum.best").mark_rect(fillOpacity=0, stroke="#D55E00", strokeWidth=1.4),
        width=wide, height=17 * len(rows),
    )  # fmt: skip
    return with_data(
        theme.apply_theme(chart, title, "framed: the best K of a row, which looks at the truth"), {"cells": shown}
    )


def k_lambda(evaluation: RobustnessScores, scorer: str, group: str) -> Figure:
    frame = k_lambda_cells(evaluation, scorer, group)
    setting = next(name for whose, name, _ in evaluation.sweeps.values() if whose == scorer)
    caption = (
        f"Directed F1 of {scorer} under {evaluation.validation} for every K and {setting}, {group}; mean over "
        f"{spread_of(frame['n'])} fits a cell. Framed: the best K of each row, which looks at the truth (oracle)."
    )
    title = f"{scorer}: K against {setting} ({group})"
    return Figure(f"k_lambda_{safe_name(scorer, group)}", frame, k_lambda_chart(frame, setting, title), caption)
