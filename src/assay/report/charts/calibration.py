"""calibration: how often claims hold what they speak of, against how often they say they do.

    coverage(level) = mean over claims of the share of runs in [low, high]   (target `run`)
                    = share of claims with low <= mean of the runs <= high    (target `mean`)

On the diagonal a respondent is calibrated, below it overconfident. Bands and bars: Wilson's interval at the effective
number of claims, clustered by data set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from assay.forecast.frames import Forecasts
from assay.report import look, selection
from assay.report.charts.marks import named, with_data
from assay.report.saving import Figure
from assay.statistics import share

if TYPE_CHECKING:
    import altair as alt

COLUMNS = ("respondent", "formulation", "level", "coverage", "low", "high", "n", "asked", "datasets", "interval")
MOST_PANELS = {"column": 3, "page": 5}


def calibration_frame(forecasts: Forecasts, respondents: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a respondent, formulation and claimed level."""
    chosen = selection.respondents(forecasts) if respondents is None else list(respondents)
    scores = selection.in_main_arm(forecasts, forecasts.scores)
    scores = scores[scores["respondent"].isin(chosen)]
    of_mean = scores["target"].astype(str).eq("mean")
    scores = scores.assign(hit=np.where(of_mean, scores["covers_mean"].astype(float), scores["coverage_runs"]))
    rows: list[dict[str, Any]] = []
    for (name, formulation, level), part in scores.groupby(["respondent", "formulation", "level"]):
        found = share(part["hit"].astype(float), part["dataset"].to_numpy(), forecasts.level)
        row = {"respondent": name, "formulation": formulation, "level": float(level), "coverage": found.value}
        row |= {"low": found.interval.low, "high": found.interval.high} if found.interval else {}
        rows.append(row | {"n": found.n, "asked": len(part), "datasets": found.n_clusters, "interval": found.method})
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {name: k for k, name in enumerate(chosen)}
    return frame.sort_values("respondent", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def calibration_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: look.Width = "page",
) -> alt.FacetChart:
    import altair as alt

    names = list(dict.fromkeys(frame["respondent"]))
    labels = labels or look.labels(names)
    forms = selection.formulations(frame)
    shown = frame.assign(
        panel=frame["respondent"].map(dict(labels)), colour=frame["respondent"].map(dict(colours)),
        place=_beside_each_other(frame, forms),
    )  # fmt: skip
    most = min(MOST_PANELS[width], max(len(names), 1))
    side = (look.POINTS[width] - 40 - 20 * (most - 1)) / most
    ticks = sorted({0.0, 1.0, *frame["level"].round(3)})
    axis = alt.Axis(values=ticks, format=".0%", labelAngle=-45, grid=True)
    x = alt.X("place:Q", scale=alt.Scale(domain=[0, 1]), axis=axis, title="claimed level")
    y = alt.Y("coverage:Q", scale=alt.Scale(domain=[0, 1]), title="coverage", axis=alt.Axis(format=".0%", tickCount=5))
    colour = alt.Color("colour:N", scale=None)
    lines = alt.Chart().transform_filter("datum.coverage != null")
    by = alt.Detail("formulation:N")
    layers = [
        alt.Chart().mark_line(color="#888888", strokeDash=[3, 2], strokeWidth=0.8).encode(
            x=alt.X("level:Q"), y=alt.Y("level:Q"), detail=alt.value(0)
        ) if False else alt.Chart().transform_calculate(zero="0", one="1").mark_rule(
            color="#888888", strokeDash=[3, 2], strokeWidth=0.8
        ).encode(x=alt.X("zero:Q", scale=alt.Scale(domain=[0, 1]), axis=axis), x2="one:Q", y=alt.Y("zero:Q"), y2="one:Q"),
        lines.mark_area(opacity=0.18, line=False).encode(
            x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour, detail=by
        ),
        lines.mark_line(strokeWidth=1.2).encode(x=x, y=y, color=colour, detail=by),
        lines.mark_rule(strokeWidth=1).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour),
        lines.mark_point(size=16, filled=True, opacity=1).encode(
            x=x, y=y, color=colour,
            shape=alt.Shape("formulation:N", scale=alt.Scale(domain=forms, range=_SHAPES[: len(forms)]), title=None,
                            legend=alt.Legend(orient="bottom", direction="horizontal", symbolFillColor="#444444",
                                              symbolStrokeColor="#444444")),
        ),
    ]  # fmt: skip
    header = alt.Header(title=None, labelAnchor="start", labelFontSize=7.5)
    panels = [labels[name] for name in names]
    grid = (
        alt.layer(*layers, data=named("coverage"))
        .properties(width=side, height=side)
        .facet(facet=alt.Facet("panel:N", sort=panels, header=header), columns=most, spacing=12)
    )
    return with_data(look.themed(grid, "Coverage against the claimed level"), {"coverage": shown})


def calibration(
    forecasts: Forecasts, respondents: Sequence[str] | None = None, width: look.Width = "page"
) -> Figure:
    frame = calibration_frame(forecasts, respondents)
    names = selection.respondents(forecasts)
    chart = calibration_chart(frame, look.colours(names, forecasts.references), look.labels(names), width)
    of = {"mean": "the mean of the runs", "run": "single runs"}.get(
        selection.main_arm(forecasts).get("target", ""), "runs"
    )
    caption = (
        f"How often claimed ranges hold {of}, against the level they were claimed at; the dashed line is calibration. "
        f"Bars and bands: {100 * forecasts.level:g} % Wilson intervals at the effective number of claims, clustered by "
        f"data set ({len(selection.datasets(forecasts))} data sets); {int(frame['n'].sum())} of "
        f"{int(frame['asked'].sum())} claims have a value. Points side by side are formulations. "
        f"{selection.arm_text(forecasts)} No test."
    )
    return Figure("calibration", frame, chart, caption)


_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right")


def _beside_each_other(frame: pd.DataFrame, forms: list[str]) -> list[float]:
    """Formulations that claim one level would lie upon each other: each a little to the left of the last."""
    place = {form: k for k, form in enumerate(reversed(forms))}
    single = frame.groupby(["respondent", "formulation"])["level"].transform("nunique") == 1
    return [
        float(level) - (0.045 * place[form] if alone else 0.0)
        for level, form, alone in zip(frame["level"], frame["formulation"], single, strict=True)
    ]
