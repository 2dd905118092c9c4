"""means: each condition with its interval. differences: each comparison with the interval of its verdict."""

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
    level, first = 100 * analysis.settings.level, analysis.domains[0].domain
    unit = f"{first.outcome}{' (%)' if first.percent else ''}"
    over = f"over {first.cluster}s" if first.unit else "over runs"
    means = pd.DataFrame(reading.rows("conditions"))
    means = means.assign(row=means["domain"] + ", " + means["condition"])
    caption = f"{unit}; {level:g} % CI {over}. n: runs with a value."
    made = [Figure("means", means, interval_chart(means, "mean", "low", "high", unit), caption)]
    if rows := reading.rows("contrasts"):
        frame = pd.DataFrame(rows)
        frame = frame.assign(row=frame["domain"] + ": " + frame["treatment"] + " against " + frame["reference"])
        verdicts = f"Better by, {unit}, with the interval of the verdict; {analysis.family}. For "
        axis = f"better by ({'points' if first.percent else first.outcome})"
        chart = interval_chart(frame, "diff", "diff_low", "diff_high", axis)
        made.append(Figure("differences", frame, chart, f"{verdicts}{listed_scopes(analysis)}."))
    return made


def interval_chart(frame: pd.DataFrame, value: str, low: str, high: str, title: str) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    frame = frame.head(MOST_ROWS)
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
