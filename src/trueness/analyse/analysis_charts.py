"""means: each condition with its interval. differences, families: each comparison with the interval of its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from trueness.analyse.reading import AnalysisReading, listed_scopes
from trueness.showing import theme
from trueness.showing.marks import named_data, row_axis, row_scale, text_width, with_data
from trueness.showing.saving import Figure

if TYPE_CHECKING:
    import altair as alt

KEY = "dot: the estimate; line: its interval"

MOST_ROWS = 60


def figures(reading: AnalysisReading) -> list[Figure]:
    """Means first; one row a condition, and one a comparison."""
    analysis = reading.analysis
    frames = {name: pd.DataFrame(rows) for name, rows in reading.chart_frames().items() if rows}
    level, first = 100 * analysis.settings.level, analysis.domains[0].domain
    unit = f"{first.outcome}{' (%)' if first.percent else ''}"
    means = frames["means"].assign(row=lambda frame: frame["domain"] + ", " + frame["condition"])
    over = f"over {first.cluster}s" if first.unit else "over runs"
    parts = [("means", means, "mean", "low", "high", unit, f"{unit}; {level:g} % CI {over}. n: runs with a value.")]
    axis = f"better by ({'points' if first.percent else first.outcome})"
    verdicts = f"Better by, {unit}, with the interval of the verdict; {analysis.family}. For {listed_scopes(analysis)}."
    exploratory = (
        f"Families of models, exploratory: the first is better by, {unit}, paired over condition x task cells, "
        "tasks flipped together, with the interval of q (Benjamini-Hochberg over the pairs of a domain)."
    )
    pairs = (("differences", "treatment", "reference", verdicts), ("families", "family", "other", exploratory))
    for name, one, other, caption in pairs:
        if name in frames:
            frame = frames[name]
            rows = frame["domain"] + ": " + frame[one] + " against " + frame[other]
            parts.append((name, frame.assign(row=rows), "diff", "diff_low", "diff_high", axis, caption))
    return [
        Figure(name, frame, interval_chart(frame.head(MOST_ROWS), value, low, high, axis), caption)
        for name, frame, value, low, high, axis, caption in parts
    ]


def interval_chart(frame: pd.DataFrame, value: str, low: str, high: str, title: str) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    names = list(frame["row"])
    marks = pd.DataFrame(
        {"row": [k + 0.5 for k in range(len(frame))]} | {k: frame[k].to_list() for k in (value, low, high)}
    )
    y = alt.Y("row:Q", scale=row_scale(len(names)), axis=row_axis(names))
    x = alt.X(f"{value}:Q", title=title, scale=alt.Scale(zero=value == "diff"))
    base = alt.Chart(named_data("marks"))
    layers: list[alt.Chart] = [
        base.transform_filter(f"datum.{low} != null").mark_rule(strokeWidth=1.3, color=theme.TRUTH).encode(
            x=alt.X(f"{low}:Q", title=title), x2=alt.X2(f"{high}:Q"), y=y
        ),
        base.transform_filter(f"datum.{value} != null")
        .mark_point(filled=True, size=22, color=theme.TRUTH)
        .encode(x=x, y=y),
    ]  # fmt: skip
    if value == "diff":
        zero = alt.Chart(named_data("zero")).mark_rule(strokeDash=[2, 2], color=theme.MISSING).encode(x=alt.X("zero:Q"))
        layers.insert(0, zero)
    width = max(120.0, theme.POINTS["page"] - text_width(names) - 24)
    chart = alt.layer(*layers, width=width, height=11 * max(len(names), 1))
    return with_data(theme.apply_theme(chart, "", KEY), {"marks": marks, "zero": pd.DataFrame({"zero": [0.0]})})
