"""heatmap: the mean of a score in each cell, with its n; a cell without an answer is hatched.

Shares (overlap, coverage) run from 0 to 1. The colour is the value, the small figure the number of claims behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import HATCH, named_data, panel_columns, text_width, with_data
from trueness.showing.saving import Figure
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import Forecasts

if TYPE_CHECKING:
    import altair as alt

KEY = "the darker, the higher; n: answers in a cell; hatched: none"

SCORES = {
    "overlaps_mean_ci": "claims that overlap the CI of the mean",
    "overlaps_runs": "claims that overlap the range of runs",
    "covers_mean": "claims that hold the mean of the runs",
    "coverage_runs": "runs that lie in the claimed range",
    "iou_mean_ci": "IoU of claim and CI of the mean",
    "iou_runs": "IoU of claim and range of runs",
}
MOST_PANELS = {"column": 2, "page": 4}
_HEIGHT = 19.0
_DARK = 0.62  # of a value whose ground asks for white words
_BLUES = ["#F2F6FB", "#C3D9EE", "#7FB2D9", "#2F78B7", "#08396E"]


def heatmap_frame(
    forecasts: Forecasts,
    score: str = "overlaps_mean_ci",
    rows: str = "dataset",
    columns: str = "learner",
    panels: str | None = "respondent",
    respondents: Sequence[str] | None = None,
) -> pd.DataFrame:
    """One row a cell: panel, row, column, value (mean of the score), n claims behind it, asked, status."""
    scores = selection.headline(forecasts)
    chosen = selection.respondents(forecasts) if respondents is None else list(respondents)
    scores = scores[scores["respondent"].isin(chosen)]
    keys = [key for key in (panels, rows, columns) if key]
    order = _orders(forecasts, scores, chosen)
    values = scores[score].astype(float)
    cells = values.groupby([scores[key] for key in keys]).agg(value="mean", n="count", asked="size")
    every = pd.MultiIndex.from_product([order[key] for key in keys], names=keys)
    frame = cells.reindex(every).reset_index()
    frame[["n", "asked"]] = frame[["n", "asked"]].fillna(0).astype(int)
    frame["status"] = [_status(n, total) for n, total in zip(frame["n"], frame["asked"], strict=True)]
    frame = frame.rename(columns={panels: "panel", rows: "row", columns: "column"})
    if not panels:
        frame.insert(0, "panel", "")
    return frame.assign(score=score)


def heatmap_chart(
    frame: pd.DataFrame, labels: Mapping[str, str] | None = None, width: theme.Width = "page", title: str | None = None
) -> alt.FacetChart | alt.LayerChart:
    import altair as alt

    labels = labels or {}
    names = {key: [labels.get(name, name) for name in dict.fromkeys(frame[key])] for key in ("panel", "row", "column")}
    shown = frame.assign(**{key: [labels.get(name, name) for name in frame[key]] for key in names})
    shown["text"] = ["" if pd.isna(value) else f"{value:.2f}" for value in frame["value"]]
    shown["count"] = [f"n {n}" if n else "" for n in frame["n"]]
    dark = frame["value"] > _DARK
    shown = shown.assign(
        ink=dark.map({True: "white", False: "#111111"}), faint=dark.map({True: "#F0F0F0", False: "#444444"})
    )
    most = panel_columns(len(names["panel"]), MOST_PANELS[width])
    room = theme.POINTS[width] - text_width(names["row"]) - 18 - 16 * (most - 1)
    cell = min(46.0, room / most / max(len(names["column"]), 1))
    slanted = cell < text_width(names["column"]) + 2
    across = alt.Axis(title=None, labelAngle=-40 if slanted else 0, domain=False, ticks=False, orient="bottom")
    down = alt.Axis(title=None, domain=False, ticks=False)
    base = alt.Chart().encode(
        x=alt.X("column:N", sort=names["column"], axis=across), y=alt.Y("row:N", sort=names["row"], axis=down)
    )
    answered, empty = base.transform_filter("datum.n > 0"), base.transform_filter("datum.n == 0")
    ground = alt.Fill("value:Q", scale=alt.Scale(domain=[0, 1], range=_BLUES), legend=None)
    layers: list[alt.Chart] = [answered.mark_rect(stroke="white", strokeWidth=1).encode(fill=ground)]
    if (frame["n"] == 0).any():  # a layer costs time even where it is empty
        size = (min(cell, _HEIGHT) - 3) ** 2
        layers += [
            empty.mark_rect(fill="#F4F4F4", stroke="white", strokeWidth=1),
            empty.mark_point(shape=HATCH, size=size, stroke="#AAAAAA", strokeWidth=0.8, opacity=1, filled=False),
        ]
    layers += [
        base.mark_text(fontSize=min(7.0, cell / 3.2), dy=-2.5).encode(text=alt.Text("text:N"), color=_as_is("ink")),
        base.mark_text(fontSize=min(4.8, cell / 4.4), dy=5).encode(text=alt.Text("count:N"), color=_as_is("faint")),
    ]
    wide, tall = cell * len(names["column"]), _HEIGHT * len(names["row"])
    cells = alt.layer(*layers, data=named_data("cells"), width=wide, height=tall)
    header = alt.Header(title=None, labelAnchor="start", labelFontSize=7.5)
    facet = alt.Facet("panel:N", sort=names["panel"], header=header)
    grid = cells.facet(facet=facet, columns=most, spacing=10) if len(names["panel"]) > 1 else cells
    return with_data(theme.apply_theme(grid, title or _title(frame), KEY), {"cells": shown})


def heatmap(
    forecasts: Forecasts,
    score: str = "overlaps_mean_ci",
    rows: str = "dataset",
    columns: str = "learner",
    panels: str | None = "respondent",
    respondents: Sequence[str] | None = None,
    width: theme.Width = "page",
) -> Figure:
    frame = heatmap_frame(forecasts, score, rows, columns, panels, respondents)
    chart = heatmap_chart(frame, theme.labels(selection.respondents(forecasts)), width)
    return Figure(f"heatmap_{score}_{rows}_{columns}", frame, chart, _caption(forecasts, frame, score))


def _as_is(column: str) -> alt.Color:
    """The column holds colours."""
    import altair as alt

    return alt.Color(f"{column}:N", scale=None)


def _title(frame: pd.DataFrame) -> str:
    score = str(frame["score"].iloc[0]) if len(frame) else ""
    words = SCORES.get(score, score.replace("_", " "))
    return words if score.startswith("iou") else f"Share of {words}"


def _orders(forecasts: Forecasts, scores: pd.DataFrame, respondents: list[str]) -> dict[str, list[str]]:
    return {
        "dataset": selection.datasets(forecasts),
        "learner": selection.learners(forecasts),
        "measure": selection.measures(forecasts),
        "formulation": selection.formulations(scores),
        "respondent": respondents,
    }


def _status(n: int, total: int) -> str:
    if n:
        return "ok"
    return "not read" if total else "not asked"


def _caption(forecasts: Forecasts, frame: pd.DataFrame, score: str) -> str:
    empty = int((frame["n"] == 0).sum())
    return (
        f"{_title(frame)}: the mean over measures, formulations and repeats, and below it the "
        f"number of claims n. {int(frame['n'].sum())} of {int(frame['asked'].sum())} claims have a value"
        + (f"; {empty} of {len(frame)} cells are hatched: nothing to average. " if empty else ". ")
        + f"{selection.arm_text(forecasts)} Descriptive; no interval, no test."
    )
