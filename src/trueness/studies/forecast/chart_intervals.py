"""intervals: what was measured against what was claimed. Does a bar cross the black line?

One panel a respondent, one row an item (data set and learner). Behind: the range of the runs (grey, 2.5 to 97.5 %).
Black: the CI of the mean. In front: the claims as coloured bars, one offset a formulation: the median of both ends over
the repeats of a question, pale the hull of the repeats. No readable claim is a grey cross at the left edge.
SHD is drawn as a share of the d(d-1)/2 it could be, so that data sets of all sizes stand in one panel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, panel_columns, row_axis, row_scale, spread_of, text_width, with_data
from trueness.showing.saving import Figure
from trueness.statistics.runs import range_note
from trueness.status import Status
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.scores import RANDOM

if TYPE_CHECKING:
    import altair as alt

KEY = "grey: range of single runs; black: CI of their mean; coloured: claimed; cross: no readable claim"

COLUMNS = (
    "kind", "measure", "dataset", "learner", "item", "respondent", "formulation", "status", "low", "high", "upper",
    "shown_low", "shown_high", "n", "asked",
)  # fmt: skip
MEASURED = "measured"
MOST_PANELS = {"column": 2, "page": 5}  # beside one another


def intervals_frame(forecasts: Forecasts, measure: str, respondents: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a mark. kind: `runs` and `mean` (respondent `measured`), `claim`, `repeats` (their hull) or `missing`.

    n: runs with a value, or repeats that were read; asked: runs planned, or repeats asked for.
    """
    chosen = selection.respondents(forecasts) if respondents is None else list(respondents)
    scores = selection.headline(forecasts)
    scores = scores[(scores["measure"] == measure) & scores["respondent"].isin(chosen)]
    frame = pd.concat([_truth_marks(forecasts, measure), _claim_marks(forecasts, measure, scores)], ignore_index=True)
    frame["item"] = [theme.item_label(d, a) for d, a in zip(frame["dataset"], frame["learner"], strict=True)]
    frame["measure"] = measure
    frame["shown_low"] = frame["low"].astype(float) / frame["upper"].astype(float)
    frame["shown_high"] = frame["high"].astype(float) / frame["upper"].astype(float)
    return frame[list(COLUMNS)]


def intervals_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "page",
) -> alt.FacetChart:
    """Panels side by side. frame: of one measure, as intervals_frame gives it."""
    import altair as alt

    names = [name for name in frame["respondent"].unique() if name != MEASURED]
    items = list(dict.fromkeys(frame["item"]))
    panels = _panel_titles(frame, names, labels or theme.labels(names))
    most = panel_columns(len(names), MOST_PANELS[width])
    marks = _marks(frame, items, panels, colours)
    wide = (theme.POINTS[width] - text_width(items) - 16 - 20 * (most - 1)) / most
    tall = len(items) * max(8.0, 2.6 * marks["slots"].max() + 2)
    y = alt.Y("y:Q", scale=row_scale(len(items)), axis=row_axis(items))
    scale = alt.Scale(domain=[0, 1], nice=False, clamp=True)
    x = alt.X("shown_low:Q", scale=scale, title=None, axis=alt.Axis(values=[0, 0.5, 1], format="~g"))
    boxes = (
        alt.Chart()
        .transform_filter("datum.kind != 'missing' && datum.shown_low != null")
        .mark_rect(strokeWidth=0.5)
        .encode(
            x=x, x2=alt.X2("shown_high:Q"), y=y, y2=alt.Y2("y2:Q"), opacity=alt.Opacity("opacity:Q", scale=None),
            color=alt.Color("colour:N", scale=None), stroke=alt.Stroke("colour:N", scale=None),
        )
    )  # fmt: skip
    crosses = (
        alt.Chart()
        .transform_filter("datum.kind == 'missing'")
        .mark_point(shape="M-1,-1L1,1M-1,1L1,-1", size=5, color=theme.MISSING, strokeWidth=0.7, opacity=1)
        .encode(x=alt.value(4), y=alt.Y("middle:Q", scale=row_scale(len(items)), axis=row_axis(items)))
    )
    header = alt.Header(labelExpr="split(datum.value, '\\n')", title=None, labelAnchor="start", labelFontSize=7.5)
    grid = alt.layer(boxes, crosses, data=named_data("marks"), width=wide, height=tall).facet(
        facet=alt.Facet("panel:N", sort=list(panels.values()), header=header), columns=most, spacing=10
    )
    measure = str(frame["measure"].iloc[0]) if len(frame) else ""
    return with_data(theme.apply_theme(grid, f"{_axis(measure)}: measured and claimed", KEY), {"marks": marks})


def intervals(
    forecasts: Forecasts, measure: str, respondents: Sequence[str] | None = None, width: theme.Width = "page"
) -> Figure:
    frame = intervals_frame(forecasts, measure, respondents)
    names = selection.respondents(forecasts)
    chart = intervals_chart(frame, theme.colours(names, forecasts.references), theme.labels(names), width)
    return Figure(f"intervals_{measure}", frame, chart, _caption(forecasts, frame, measure))


def _truth_marks(forecasts: Forecasts, measure: str) -> pd.DataFrame:
    rows: list[dict[str, object]] = []
    for dataset, learner in selection.items(forecasts):
        truth = forecasts.truths.get((dataset, learner, measure))
        if truth is None:
            continue
        for kind, interval in (("runs", truth.run_range), ("mean", truth.mean_ci)):
            row: dict[str, object] = {
                "kind": kind,
                "dataset": dataset,
                "learner": learner,
                "respondent": MEASURED,
                "formulation": "",
            }
            row |= {"upper": truth.upper, "n": len(truth.runs), "asked": truth.planned}
            if interval is None:
                rows.append(row | {"status": str(Status.FAILED if not len(truth.runs) else Status.DEGENERATE)})
            else:
                rows.append(row | {"status": str(Status.OK), "low": interval.low, "high": interval.high})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _claim_marks(forecasts: Forecasts, measure: str, scores: pd.DataFrame) -> pd.DataFrame:
    """Over the repeats of a question: the medians of both ends, and the hull where the repeats differ."""
    keys = ["dataset", "learner", "respondent", "formulation"]
    grouped = scores.assign(answered=selection.is_answered(scores)).groupby(keys, sort=False)
    claims = grouped.agg(
        low=("low", "median"), high=("high", "median"), lowest=("low", "min"), highest=("high", "max"),
        n=("answered", "sum"), asked=("answered", "size"), status=("status", "first"),
    ).reset_index()  # fmt: skip
    uppers = {key[:2]: truth.upper for key, truth in forecasts.truths.items() if key[2] == measure}
    claims["upper"] = [uppers.get(key, 1.0) for key in zip(claims["dataset"], claims["learner"], strict=True)]
    claims["kind"] = claims["n"].gt(0).map({True: "claim", False: "missing"})
    claims["status"] = claims["status"].where(claims["n"] == 0, str(Status.OK))
    differ = claims[(claims["lowest"] < claims["low"]) | (claims["highest"] > claims["high"])]
    hulls = differ.assign(kind="repeats", low=differ["lowest"], high=differ["highest"])
    order = {name: k for k, name in enumerate(selection.respondents(forecasts))}
    both = pd.concat([hulls, claims]).sort_values("respondent", key=lambda names: names.map(order), kind="stable")
    return both.reindex(columns=list(COLUMNS))


def _panel_titles(frame: pd.DataFrame, names: list[str], labels: Mapping[str, str]) -> dict[str, str]:
    """Respondent -> its name and, in a second line, how many claims were read."""
    counted = frame[frame["kind"].isin(("claim", "missing"))].groupby("respondent")[["n", "asked"]].sum()
    return {name: f"{labels[name]}\n{counted['n'][name]:g} of {counted['asked'][name]:g} read" for name in names}


def _marks(
    frame: pd.DataFrame, items: list[str], panels: Mapping[str, str], colours: Mapping[str, str]
) -> pd.DataFrame:
    """The rows with place and colour, from the back to the front; the measured ones stand in every panel."""
    placed = frame.assign(row=frame["item"].map({item: k for k, item in enumerate(items)}), slot=0, slots=1)
    measured = placed["respondent"] == MEASURED
    for _, mine in placed[~measured].groupby("respondent"):
        order = {form: k for k, form in enumerate(selection.formulations(mine))}
        placed.loc[mine.index, "slot"] = mine["formulation"].map(order)
        placed.loc[mine.index, "slots"] = max(len(order), 1)
    margin = measured.map({True: 0.04, False: 0.14})  # so that the range of runs is seen behind claims that cover it
    inner = (1 - 2 * margin) / placed["slots"]  # the claims share a row by formulation
    gap = inner.where(~measured, 0.0) * 0.1
    placed["y"] = placed["row"] + margin + placed["slot"] * inner + gap
    placed["y2"] = placed["row"] + margin + (placed["slot"] + 1) * inner - gap
    placed["middle"] = (placed["y"] + placed["y2"]) / 2
    placed["opacity"] = placed["kind"].map({"repeats": 0.35}).fillna(1.0)
    placed["colour"] = placed["respondent"].map(colours).fillna(theme.RUNS).where(placed["kind"] != "mean", theme.TRUTH)
    claims = placed[~measured].assign(panel=placed["respondent"].map(panels))
    behind = [placed[measured].assign(panel=panel) for panel in panels.values()]
    marks = pd.concat([claims, *behind])
    marks["layer"] = marks["kind"].map({kind: k for k, kind in enumerate(("runs", "repeats", "claim", "mean"))})
    drawn = ["panel", "kind", "shown_low", "shown_high", "y", "y2", "middle", "opacity", "colour", "slots"]
    return marks.sort_values(["layer", "row"], kind="stable")[drawn]


def _axis(measure: str) -> str:
    return "SHD as a share of d(d−1)/2" if measure == "shd" else theme.measure_label(measure)


def _caption(forecasts: Forecasts, frame: pd.DataFrame, measure: str) -> str:
    claims = frame[frame["kind"].isin(("claim", "missing"))]
    forms = [name for name in selection.formulations(claims) if name]
    share = f"{100 * forecasts.level:g} %"
    n_claims, n_read = int(claims["asked"].sum()), int(claims["n"].sum())
    order = f", from top to bottom by formulation ({', '.join(forms)})" if len(forms) > 1 else ""
    hull = ", pale where repeats of a question differ" if (frame["kind"] == "repeats").any() else ""
    random = (claims["respondent"] == RANDOM).any()
    expected = f" The bars of {RANDOM} are its expected ends; it is scored in closed form." if random else ""
    return (
        f"{_axis(measure)} of {frame['item'].nunique()} items (data set and learner; "
        f"{spread_of(frame.loc[frame['kind'] == 'runs', 'n'])} runs each) and what "
        f"{claims['respondent'].nunique()} respondents claimed. Grey: {share} range of the runs; black: {share} "
        f"bootstrap CI of their mean; coloured: claims{order}, the median over repeats{hull}; crosses: no claim "
        f"could be read. {n_read} of {n_claims} claims were read.{expected} "
        f"{range_note(frame.loc[frame['kind'] == 'runs', 'n'].astype(int), forecasts.level)} "
        f"{selection.arm_text(forecasts)} Descriptive; no test."
    )
