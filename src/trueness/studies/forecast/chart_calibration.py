"""calibration: how often claims hold what they speak of, against how often they say they do.

    coverage(level) = mean over claims of the share of runs in [low, high]   (target `run`)
                    = share of claims with low <= mean of the runs <= high    (target `mean`)

On the diagonal a respondent is calibrated, below it overconfident. Bands and bars: Wilson's interval at the effective
number of claims, clustered by data set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, panel_columns, with_data
from trueness.showing.saving import Figure
from trueness.statistics import share
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import Forecasts

if TYPE_CHECKING:
    import altair as alt

KEY = "dashed: calibrated; bars and bands: intervals over data sets"

COLUMNS = ("respondent", "formulation", "level", "coverage", "low", "high", "n", "asked", "datasets", "interval")
MOST_PANELS = {"column": 2, "page": 5}


def calibration_frame(forecasts: Forecasts, respondents: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a respondent, formulation and claimed level."""
    chosen = selection.respondents(forecasts) if respondents is None else list(respondents)
    scores = selection.in_main_arm(forecasts, forecasts.scores)
    scores = scores[scores["respondent"].isin(chosen)]
    of_mean = scores["target"].astype(str).eq("mean")
    scores = scores.assign(hit=np.where(of_mean, scores["covers_mean"].astype(float), scores["coverage_runs"]))
    rows: list[dict[str, object]] = []
    for (name, formulation, level), part in scores.groupby(["respondent", "formulation", "level"]):
        hits = share(part["hit"].astype(float), part["dataset"].to_numpy(), forecasts.level)
        row = {"respondent": name, "formulation": formulation, "level": float(str(level))}
        row |= hits.cells("coverage", "", np.nan)
        rows.append(row | {"n": hits.n, "asked": len(part), "datasets": hits.n_clusters, "interval": hits.method})
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {name: k for k, name in enumerate(chosen)}
    return frame.sort_values("respondent", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def calibration_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "page",
) -> alt.FacetChart:
    import altair as alt

    names = list(dict.fromkeys(frame["respondent"]))
    labels = labels or theme.labels(names)
    forms = selection.formulations(frame)
    shown = frame.assign(
        panel=frame["respondent"].map(dict(labels)), colour=frame["respondent"].map(dict(colours)),
        place=_beside_each_other(frame, forms),
    )  # fmt: skip
    most = panel_columns(len(names), MOST_PANELS[width])
    side = (theme.POINTS[width] - 40 - 20 * (most - 1)) / most
    whole = alt.Scale(domain=[0, 1])
    levels = alt.Axis(values=sorted(frame["level"].round(3).unique()), format=".0%", labelAngle=-60, labelOverlap=False)
    x = alt.X("place:Q", scale=whole, axis=levels, title="claimed level")
    percent = alt.Axis(format=".0%", tickCount=5)
    y, low = (alt.Y(f"{end}:Q", scale=whole, title="coverage", axis=percent) for end in ("coverage", "low"))
    colour, by = alt.Color("colour:N", scale=None), alt.Detail("formulation:N")
    answered = alt.Chart().transform_filter("datum.coverage != null")
    diagonal = alt.Chart().transform_aggregate(n="count()", groupby=["panel"]).transform_calculate(zero="0", one="1")
    points = answered.mark_point(size=16, filled=True, opacity=1)
    layers = [
        diagonal.mark_rule(color="#888888", strokeDash=[3, 2], strokeWidth=0.8).encode(
            x=alt.X("zero:Q", scale=whole, axis=levels),
            x2=alt.X2("one:Q"),
            y=alt.Y("zero:Q", scale=whole),
            y2=alt.Y2("one:Q"),
        ),
        answered.mark_area(opacity=0.18, line=False).encode(x=x, y=low, y2=alt.Y2("high:Q"), color=colour, detail=by),
        answered.mark_line(strokeWidth=1.2).encode(x=x, y=y, color=colour, detail=by),
        answered.mark_rule(strokeWidth=1).encode(x=x, y=low, y2=alt.Y2("high:Q"), color=colour),
        points.encode(x=x, y=y, color=colour, shape=_shape(forms)),
    ]
    header = alt.Header(title=None, labelAnchor="start", labelFontSize=7.5)
    panels = [labels[name] for name in names]
    grid = alt.layer(*layers, data=named_data("coverage"), width=side, height=side).facet(
        facet=alt.Facet("panel:N", sort=panels, header=header), columns=most, spacing=12
    )
    return with_data(theme.apply_theme(grid, "Coverage against the claimed level", KEY), {"coverage": shown})


def calibration(forecasts: Forecasts, respondents: Sequence[str] | None = None, width: theme.Width = "page") -> Figure:
    frame = calibration_frame(forecasts, respondents)
    names = selection.respondents(forecasts)
    chart = calibration_chart(frame, theme.colours(names, forecasts.references), theme.labels(names), width)
    of = {"mean": "the mean of the runs", "run": "single runs"}.get(
        selection.main_arm(forecasts).get("target", ""), "runs"
    )
    caption = (
        f"How often claimed ranges hold {of}, against the level they were claimed at; the dashed line is calibration. "
        f"Bars and bands: {100 * forecasts.level:g} % Wilson intervals at the effective number of claims, clustered by "
        f"data set ({len(selection.datasets(forecasts))} data sets); {int(frame['n'].sum())} of "
        f"{int(frame['asked'].sum())} claims have a value. Points close to the left of a level are at it, "
        f"one a formulation. {selection.arm_text(forecasts)} No test."
    )
    return Figure("calibration", frame, chart, caption)


_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right"]


def _shape(forms: list[str]) -> alt.Shape:
    import altair as alt

    legend = alt.Legend(orient="bottom", direction="horizontal", symbolFillColor="#444444", symbolStrokeColor="#444444")
    scale = alt.Scale(domain=forms, range=[_SHAPES[k % len(_SHAPES)] for k in range(len(forms))])
    return alt.Shape("formulation:N", scale=scale, title=None, legend=legend)


def _beside_each_other(frame: pd.DataFrame, forms: list[str]) -> list[float]:
    """Formulations that claim one level would lie upon each other: each a little to the left of the last."""
    place = {form: k for k, form in enumerate(reversed(forms))}
    single = frame.groupby(["respondent", "formulation"])["level"].transform("nunique") == 1
    return [
        float(level) - (0.025 * place[form] if alone else 0.0)
        for level, form, alone in zip(frame["level"], frame["formulation"], single, strict=True)
    ]
