"""consistency: does the answer depend on how the question is put, more than on asking it again?

For each cell (data set, learner, measure) of a respondent, with midpoints m of its claimed ranges over the largest
value of the measure, averaged over pairs:

    across   = mean |m_k - m_l|     between formulations k, l
    within   = mean |m_r - m_s|     between repeats r, s of one formulation

One point a cell, within along x and across along y; the larger mark is the mean of the cells with t intervals clustered
by data set. On the dashed line asking otherwise changes no more than asking again; above it the wording matters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.marks import named_data, panel_columns, with_data
from trueness.showing.saving import Figure
from trueness.statistics import mean
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.robustness import robustness

if TYPE_CHECKING:
    import altair as alt

KEY = "small: cells; large: their mean with its interval; dashed: equal"

CELLS = ("respondent", "dataset", "learner", "measure", "within", "across")
COLUMNS = ("kind", *CELLS, "within_low", "within_high", "across_low", "across_high", "n", "datasets")
MOST_PANELS = {"column": 2, "page": 4}


def consistency_frame(forecasts: Forecasts) -> pd.DataFrame:
    """One row a mark. kind: `cell`, or `mean` over the n cells of a respondent that have both spreads."""
    framed = robustness(forecasts).more.get("cells") if len(forecasts.scores) else None
    if framed is None:
        return pd.DataFrame(columns=list(COLUMNS))
    cells = framed.rename(columns={"spread": "across", "spread_repeats": "within"})
    cells = cells[list(CELLS)].dropna(subset=["within", "across"])
    parts: list[pd.DataFrame] = [cells.assign(kind="cell")]
    for name in (name for name in selection.respondents(forecasts) if name in set(cells["respondent"])):
        mine = cells[cells["respondent"] == name]
        row: dict[str, object] = {"kind": "mean", "respondent": name, "n": len(mine)}
        for key in ("within", "across"):
            datasets = mine["dataset"].to_numpy()
            estimate = mean(mine[key].to_numpy(), datasets, level=forecasts.level, bounds=(0.0, 1.0))
            row |= estimate.cells(key)
        parts.append(pd.DataFrame([row | {"datasets": int(mine["dataset"].nunique())}]))
    return pd.concat(parts, ignore_index=True).reindex(columns=list(COLUMNS))


def consistency_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "page",
) -> alt.FacetChart:
    import altair as alt

    names = list(frame.loc[frame["kind"] == "mean", "respondent"])
    labels = labels or theme.labels(names)
    marks = frame.assign(panel=frame["respondent"].map(dict(labels)), colour=frame["respondent"].map(dict(colours)))
    most = panel_columns(len(names), MOST_PANELS[width])
    side = min(150.0, (theme.POINTS[width] - 34 - 14 * (most - 1)) / most)
    ends = pd.concat([frame[key].astype(float) for key in ("within", "across", "within_high", "across_high")]).dropna()
    far = max(0.02, 1.04 * float(ends.max())) if len(ends) else 1.0
    scale = alt.Scale(domain=[0, far], nice=False, clamp=True)
    axis: dict[str, Json] = {"format": "~g", "tickCount": 4}
    x = alt.X("within:Q", scale=scale, axis=alt.Axis(title="between repeats", **axis))
    y = alt.Y("across:Q", scale=scale, axis=alt.Axis(title="between formulations", **axis))
    colour = alt.Color("colour:N", scale=None)
    cell, whole = (alt.Chart().transform_filter(f"datum.kind == '{kind}'") for kind in ("cell", "mean"))
    layers = alt.layer(
        alt.Chart()
        .transform_filter("datum.kind == 'mean'")
        .mark_rule(strokeDash=[3, 2], strokeWidth=0.8, color="#666666")
        .encode(x=alt.value(0), y=alt.value(side), x2=alt.value(side), y2=alt.value(0)),
        cell.mark_point(size=10, filled=True, opacity=0.3).encode(x=x, y=y, color=colour),
        whole.transform_filter("datum.within_low != null")
        .mark_rule(strokeWidth=1.4, color="#111111")
        .encode(x=alt.X("within_low:Q", scale=scale), x2=alt.X2("within_high:Q"), y=y),
        whole.transform_filter("datum.across_low != null")
        .mark_rule(strokeWidth=1.4, color="#111111")
        .encode(x=x, y=alt.Y("across_low:Q", scale=scale), y2=alt.Y2("across_high:Q")),
        whole.mark_point(size=46, filled=True, opacity=1, stroke="white", strokeWidth=0.8).encode(
            x=x, y=y, color=colour
        ),
        data=named_data("marks"),
        width=side,
        height=side,
    )
    header = alt.Header(title=None, labelAnchor="start", labelFontSize=7.5)
    facet = alt.Facet("panel:N", sort=[labels[name] for name in names], header=header)
    grid = layers.facet(facet=facet, columns=most, spacing=10)
    return with_data(
        theme.apply_theme(grid, "Spread of the claimed middle: asked otherwise, and asked again", KEY), {"marks": marks}
    )


def consistency(forecasts: Forecasts, width: theme.Width = "page") -> Figure:
    frame = consistency_frame(forecasts)
    names = selection.respondents(forecasts)
    chart = consistency_chart(frame, theme.colours(names, forecasts.references), theme.labels(names), width)
    means = frame[frame["kind"] == "mean"]
    caption = (
        "How far the middle of a claimed range moves, as a share of the largest value of the measure, when the "
        "question is put in another formulation (up) and when it is asked again (right). Points: "
        f"{int((frame['kind'] == 'cell').sum())} cells (data set, learner, measure) of {len(means)} models in "
        f"{int(means['datasets'].max()) if len(means) else 0} data sets; large: their mean with "
        f"{100 * forecasts.level:g} % t intervals clustered by data set. Above the dashed line the wording matters "
        f"more than chance. {selection.arm_text(forecasts)} Descriptive; no test."
    )
    return Figure("consistency", frame, chart, caption)
