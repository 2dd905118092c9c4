"""sensitivity: F1 and SHD against the number of edges kept, the chosen K marked, and the band K +- 5 around the first.

One line a learner: the mean over its curves (seeds, or systems of one size), and the t interval of that mean as an area
where there are two curves or more. Rules: the chosen K; an oracle says so in its label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from assay.report import look
from assay.report.charts.marks import named, with_data
from assay.report.saving import Figure
from assay.robustness.choose_k import KChoice
from assay.robustness.plateau import AROUND
from assay.robustness.sensitivity import SensitivityCurve, k_range
from assay.statistics import mean

if TYPE_CHECKING:
    import altair as alt

MEASURES = {"f1": "F1 (directed)", "shd_reversals_twice": "SHD (reversals twice)"}
Curves = Mapping[str, Sequence[SensitivityCurve]]  # learner -> its curves


def sensitivity_frame(curves: Curves, within: tuple[int, int] | None = None) -> pd.DataFrame:
    """One row a learner, measure and K. within: the K range; k_range(d) unless told."""
    rows: list[dict[str, Any]] = []
    for learner, several in curves.items():
        parts = [curve.between(*(within or k_range(curve.nodes))) for curve in several]
        for measure in MEASURES:
            for at, k in enumerate(parts[0].k):
                found = mean([getattr(part, measure)[at] for part in parts])
                ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
                row = {"learner": learner, "measure": measure, "k": int(k), "value": found.value}
                rows.append(row | {"low": ends[0], "high": ends[1], "n": found.n})
    return pd.DataFrame(rows, columns=["learner", "measure", "k", "value", "low", "high", "n"])


def sensitivity_chart(
    frame: pd.DataFrame, choices: Sequence[KChoice] = (), width: look.Width = "page", title: str = "Edges kept"
) -> alt.HConcatChart:
    import altair as alt

    colours = look.colours(frame["learner"])
    names = sorted(colours)
    colour = alt.Color(
        "learner:N",
        scale=alt.Scale(domain=names, range=[colours[name] for name in names]),
        legend=alt.Legend(title=None),
    )
    marked = pd.DataFrame(
        [{"k": choice.k, "label": _label(choice)} for choice in choices], columns=["k", "label"]
    ).drop_duplicates()
    bands = pd.DataFrame([{"low": c.k - AROUND, "high": c.k + AROUND} for c in choices[:1]], columns=["low", "high"])
    ends = [float(frame["k"].min()), float(frame["k"].max())] if len(frame) else [0.0, 1.0]
    x = alt.X("k:Q", scale=alt.Scale(domain=ends, nice=False), axis=alt.Axis(title="K, edges kept", grid=False))
    panels = []
    for measure, label in MEASURES.items():
        base = alt.Chart(named("curves")).transform_filter(alt.datum.measure == measure)
        layers = [
            alt.Chart(named("bands"))
            .mark_rect(color=look.RUNS, opacity=0.4, clip=True)
            .encode(x=alt.X("low:Q"), x2="high:Q"),
            base.mark_area(opacity=0.15, clip=True).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour),
            base.mark_line(strokeWidth=1.2).encode(x=x, y=alt.Y("value:Q", axis=alt.Axis(title=label)), color=colour),
            alt.Chart(named("chosen")).mark_rule(strokeDash=[3, 2], color="#444444", clip=True).encode(x=alt.X("k:Q")),
            alt.Chart(named("chosen"))
            .mark_text(angle=270, align="right", dy=-4, fontSize=6, color="#444444", clip=True)
            .encode(x=alt.X("k:Q"), y=alt.value(4), text="label:N"),
        ]
        panels.append(alt.layer(*layers).properties(width=(look.POINTS[width] - 170) / 2, height=130))
    chart = alt.hconcat(*panels, spacing=14)
    return with_data(look.themed(chart, title), {"curves": frame, "chosen": marked, "bands": bands})


def sensitivity(
    curves: Curves,
    corruption: str,
    choices: Sequence[KChoice] = (),
    within: tuple[int, int] | None = None,
    width: look.Width = "page",
) -> Figure:
    frame = sensitivity_frame(curves, within)
    told = ", ".join(f"{_label(choice)} (K = {choice.k})" for choice in choices)
    n = int(frame["n"].max()) if len(frame) else 0
    caption = (
        f"Directed F1 and SHD (fp + fn) under {corruption} against K, the number of edges kept; mean over {n} "
        f"curve{'s' if n != 1 else ''} a learner{', areas: 95 % t intervals of the mean' if n > 1 else ''}."
        + (f" Dashed: {told}; shaded: the first of them +- {AROUND}." if told else "")
    )
    chart = sensitivity_chart(frame, choices, width, f"How many edges to keep: {corruption}")
    return Figure(f"sensitivity_curve_{corruption}", frame, chart, caption)


def _label(choice: KChoice) -> str:
    name = f"{choice.learner}: {choice.method}" if choice.learner else choice.method
    return f"{name} (oracle)" if choice.is_oracle and "oracle" not in name else name
