"""What was measured, and what was claimed: numbers (`x_frame`, one row a mark), how they are drawn, and the caption.

    intervals    what was measured against what was claimed. Does a bar cross the black line? One panel a respondent,
                 one row an item (data set and learner). Behind: the range of the runs (grey, 2.5 to 97.5 %). Black: the
                 CI of the mean. In front: the claims as coloured bars, one offset a formulation: the median of both
                 ends over the repeats of a question. No readable claim is a grey cross
    runs         one panel a cell (data set by learner, the smallest graph first). Grey: a histogram of the runs, each
                 panel to its own height. Below it one line a model: from the median of the lower to the median of the
                 upper ends that it claimed over formulations and repeats
    heatmap      the mean of a score in each cell, with its n; a cell without an answer is hatched
    calibration  coverage(level) = mean over claims of the share of runs in [low, high]   (target `run`)
                                 = share of claims with low <= mean of the runs <= high    (target `mean`)
                 On the diagonal a respondent is calibrated, below it overconfident. Bands and bars: Wilson's interval
                 at the effective number of claims, clustered by data set

SHD is drawn as a share of the d(d-1)/2 it could be, so that data sets of all sizes stand in one panel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.marks import (
    HATCH,
    named_data,
    panel_columns,
    spread_of,
    text_width,
    with_data,
)
from trueness.showing.saving import Figure
from trueness.statistics import share
from trueness.statistics.runs import range_note
from trueness.status import Status
from trueness.studies.forecast.frames import RANDOM, REFERENCE, Forecasts, Truth, formulations, hits_of
from trueness.texts import counted

Colours = Mapping[str, str]
Drawn = alt.FacetChart | alt.LayerChart
PAGE, COLUMN = theme.POINTS["page"], theme.POINTS["column"]
UNIT = alt.Scale(domain=[0, 1], nice=False, clamp=True)
TENTHS = alt.Axis(values=[0, 0.5, 1], format="~g")
ENDS = {
    "low": ("low", "median"), "high": ("high", "median"), "n": ("answered", "sum"), "asked": ("answered", "size"),
    "status": ("status", "first"),
}  # fmt: skip


def look(forecasts: Forecasts) -> tuple[dict[str, str], dict[str, str]]:
    """Colours and labels of the respondents, the same in every chart."""
    return theme.colours(forecasts.respondents, forecasts.references), theme.labels(forecasts.respondents)


def panels(layers: Drawn, names: Sequence[str], columns: int, spacing: int = 10, **header: Json) -> Drawn:
    style: dict[str, Any] = {"title": None, "labelAnchor": "start", "labelFontSize": 7.5, **header}
    facet = alt.Facet("panel:N", sort=list(names), header=alt.Header(**style))
    return layers.facet(facet=facet, columns=columns, spacing=spacing)


def _axis_title(measure: str) -> str:
    return "SHD as a share of d(d−1)/2" if measure == "shd" else theme.measure_label(measure)


def _measure_of(frame: pd.DataFrame) -> str:
    return str(frame["measure"].iloc[0]) if len(frame) else ""


def by_respondent(frame: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    place = {name: k for k, name in enumerate(order)}
    return frame.sort_values("respondent", key=lambda names: names.map(place), kind="stable")


def _claimed(forecasts: Forecasts, measure: str, names: Sequence[str], keys: list[str], sort: bool) -> pd.DataFrame:
    """The medians of both ends over the claims of a group, how many were read, and the largest value."""
    scores = forecasts.headline
    scores = scores[(scores["measure"] == measure) & scores["respondent"].isin(names)]
    claims = scores.groupby(keys, sort=sort).agg(**ENDS).reset_index()
    uppers = {key[:2]: truth.upper for key, truth in forecasts.truths.items() if key[2] == measure}
    claims["upper"] = [uppers.get(key, 1.0) for key in zip(claims["dataset"], claims["learner"], strict=True)]
    claims["status"] = claims["status"].where(claims["n"] == 0, str(Status.OK))
    return by_respondent(claims, names)


def _as_shares(frame: pd.DataFrame) -> pd.DataFrame:
    upper = frame["upper"].astype(float)
    return frame.assign(shown_low=frame["low"].astype(float) / upper, shown_high=frame["high"].astype(float) / upper)


# ---- intervals

MEASURED = "measured"
_INTERVALS = (
    "kind", "measure", "dataset", "learner", "item", "respondent", "formulation", "status", "low", "high", "upper",
    "shown_low", "shown_high", "n", "asked",
)  # fmt: skip
_INTERVALS_KEY = "grey: range of single runs; black: CI of their mean; coloured: claimed; cross: no readable claim"


def intervals_frame(forecasts: Forecasts, measure: str) -> pd.DataFrame:
    """One row a mark. kind: `runs` and `mean` (respondent `measured`), `claim` or `missing`.

    n: runs with a value, or repeats that were read; asked: runs planned, or repeats asked for.
    """
    keys = ["dataset", "learner", "respondent", "formulation"]
    claims = _claimed(forecasts, measure, forecasts.respondents, keys, sort=False)
    claims["kind"] = claims["n"].gt(0).map({True: "claim", False: "missing"})
    truths = pd.DataFrame(_truth_marks(forecasts, measure), columns=list(_INTERVALS))
    frame = pd.concat([truths, claims.reindex(columns=list(_INTERVALS))], ignore_index=True)
    frame["item"] = [theme.item_label(d, a) for d, a in zip(frame["dataset"], frame["learner"], strict=True)]
    return _as_shares(frame.assign(measure=measure))[list(_INTERVALS)]


def _truth_marks(forecasts: Forecasts, measure: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for dataset, learner in forecasts.items:
        truth = forecasts.truths.get((dataset, learner, measure))
        if truth is None:
            continue
        row = {"dataset": dataset, "learner": learner, "respondent": MEASURED, "formulation": "", "upper": truth.upper}
        row |= {"n": len(truth.runs), "asked": truth.planned}
        for kind, interval in (("runs", truth.run_range), ("mean", truth.mean_ci)):
            ends = {"low": interval.low, "high": interval.high} if interval else {}
            status = Status.OK if interval else Status.DEGENERATE if len(truth.runs) else Status.FAILED
            rows.append(row | {"kind": kind, "status": str(status)} | ends)
    return rows


def intervals_chart(frame: pd.DataFrame, colours: Colours, labels: Mapping[str, str]) -> Drawn:
    """Panels side by side. frame: of one measure, as intervals_frame gives it."""
    names = [name for name in frame["respondent"].unique() if name != MEASURED]
    items = list(dict.fromkeys(frame["item"]))
    # a panel's title: its respondent and, in a second line, how many claims were read
    read = frame[frame["kind"].isin(("claim", "missing"))].groupby("respondent")[["n", "asked"]].sum()
    titles = {name: f"{labels[name]}\n{read['n'][name]:g} of {read['asked'][name]:g} read" for name in names}
    most = panel_columns(len(names), 5)
    claims, measured = (frame[(frame["respondent"] == MEASURED) == of] for of in (False, True))
    claims = claims.assign(panel=claims["respondent"].map(titles), colour=claims["respondent"].map(dict(colours)))
    measured = measured.assign(colour=measured["kind"].map({"runs": theme.RUNS, "mean": theme.TRUTH}))
    forms = [name for name in formulations(claims) if name != REFERENCE] or [REFERENCE]
    asked = claims["formulation"] != REFERENCE  # who was not asked stands in the middle
    claims["formulation"] = claims["formulation"].where(asked, forms[len(forms) // 2])
    marks = pd.concat([claims, *(measured.assign(panel=panel) for panel in titles.values())])  # it stands in each panel
    wide = (PAGE - text_width(items) - 16 - 20 * (most - 1)) / most
    tall = len(items) * max(8.0, 2.6 * len(forms) + 2)
    rows = alt.Axis(title=None, ticks=False, domain=False, labelOverlap=False)
    base = alt.Chart().encode(y=alt.Y("item:N", sort=items, axis=rows, scale=alt.Scale(padding=0.08)))
    by_form = {"yOffset": alt.YOffset("formulation:N", sort=forms, scale=alt.Scale(paddingOuter=0.2, paddingInner=0.2))}
    x = alt.X("shown_low:Q", scale=UNIT, title=None, axis=TENTHS)
    layers = [
        base.transform_filter(f"datum.kind == '{kind}' && datum.shown_low != null")
        .mark_bar(strokeWidth=0.5)
        .encode(
            x=x, x2="shown_high:Q", color=alt.Color("colour:N", scale=None), stroke=alt.Stroke("colour:N", scale=None),
            **offset,
        )
        for kind, offset in (("runs", {}), ("claim", by_form), ("mean", {}))
    ]  # fmt: skip
    crosses = base.transform_filter("datum.kind == 'missing'").mark_point(
        shape="M-1,-1L1,1M-1,1L1,-1", size=5, color=theme.MISSING, strokeWidth=0.7, opacity=1
    )
    layers.append(crosses.encode(x=alt.value(4), **by_form))
    drawn = alt.layer(*layers, data=named_data("marks"), width=wide, height=tall)
    grid = panels(drawn, list(titles.values()), most, labelExpr="split(datum.value, '\\n')")
    title = f"{_axis_title(_measure_of(frame))}: measured and claimed"
    shown = marks[["panel", "kind", "item", "formulation", "shown_low", "shown_high", "colour"]]
    return with_data(theme.apply_theme(grid, title, _INTERVALS_KEY), {"marks": shown})


def intervals(forecasts: Forecasts, measure: str) -> Figure:
    frame = intervals_frame(forecasts, measure)
    claims = frame[frame["kind"].isin(("claim", "missing"))]
    forms = [name for name in formulations(claims) if name]
    runs_of = frame.loc[frame["kind"] == "runs", "n"]
    level = forecasts.percent
    order = f", from top to bottom by formulation ({', '.join(forms)})" if len(forms) > 1 else ""
    random = (claims["respondent"] == RANDOM).any()
    expected = f" The bars of {RANDOM} are its expected ends; it is scored in closed form." if random else ""
    caption = (
        f"{_axis_title(measure)} of {frame['item'].nunique()} items (data set and learner; {spread_of(runs_of)} runs "
        f"each) and what {claims['respondent'].nunique()} respondents claimed. Grey: {level} range of the runs; black: "
        f"{level} bootstrap CI of their mean; coloured: claims{order}, the median over repeats; crosses: no "
        f"claim could be read. {int(claims['n'].sum())} of {int(claims['asked'].sum())} claims were read.{expected} "
        f"{range_note(runs_of.astype(int), forecasts.level)} {forecasts.arm_text} Descriptive; no test."
    )
    return Figure(f"intervals_{measure}", frame, intervals_chart(frame, *look(forecasts)), caption)


# ---- runs

BINS = 40
_RUNS = (
    "kind", "measure", "dataset", "learner", "respondent", "low", "high", "upper", "shown_low", "shown_high", "count",
    "n", "asked", "status",
)  # fmt: skip
_RUNS_KEY = "histogram: measured runs; lines, in the order of the legend: claims, between the medians of both ends"
_SLOT = 0.16  # height of a respondent's line, of that of the histogram


def runs_frame(forecasts: Forecasts, measure: str) -> pd.DataFrame:
    """One row a mark: kind `bin` (count of runs in [low, high)) or `claim` (one a cell and respondent)."""
    rows: list[dict[str, object]] = []
    nodes = {name: about.get("nodes") or 0 for name, about in forecasts.datasets.items()}
    for dataset, learner in sorted(forecasts.items, key=lambda item: nodes.get(item[0], 0)):
        truth = forecasts.truths.get((dataset, learner, measure))
        if truth is not None:
            rows.extend({"dataset": dataset, "learner": learner, "upper": truth.upper} | row for row in _bins(truth))
    claims = _claimed(forecasts, measure, forecasts.models, ["respondent", "dataset", "learner"], sort=True)
    claims = claims.assign(kind="claim").reindex(columns=list(_RUNS))
    frame = pd.concat([pd.DataFrame(rows, columns=list(_RUNS)), claims], ignore_index=True)
    return _as_shares(frame.assign(measure=measure))[list(_RUNS)]


def _bins(truth: Truth) -> list[dict[str, object]]:
    row = {"kind": "bin", "respondent": "", "n": len(truth.runs), "asked": truth.planned, "status": str(Status.OK)}
    if not len(truth.runs):
        return [row | {"status": str(Status.FAILED)}]
    counts, edges = np.histogram(truth.runs, bins=BINS, range=(0.0, truth.upper))
    return [row | {"low": edges[k], "high": edges[k + 1], "count": int(counts[k])} for k in np.flatnonzero(counts)]


def runs_chart(frame: pd.DataFrame, colours: Colours, labels: Mapping[str, str]) -> Drawn:
    names = [name for name in frame["respondent"].dropna().unique() if name]
    rows, columns = (list(dict.fromkeys(frame[key])) for key in ("dataset", "learner"))
    who = {name: labels[name] for name in names}
    marks = _run_marks(frame, names, who)
    wide = (PAGE - text_width(rows) - 30 - 8 * (len(columns) - 1)) / max(len(columns), 1)
    x = alt.X("from:Q", scale=UNIT, title=None, axis=TENTHS)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[-_SLOT * len(names) - 0.08, 1], nice=False), axis=None)
    shades = ["#9AA3AD", *(colours[name] for name in names)]
    palette = alt.Scale(domain=["measured runs", *who.values()], range=shades)
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal", columns=4)
    colour = alt.Color("who:N", scale=palette, legend=legend)
    boxes = alt.Chart().mark_rect().encode(x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2("y2:Q"), color=colour)
    drawn = alt.layer(boxes, data=named_data("marks"), width=wide, height=30 + 5.5 * len(names))
    side = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="middle", title=None, labelFontSize=7.5)
    grid: alt.FacetChart = drawn.facet(
        row=alt.Row("dataset:N", sort=rows, header=side),
        column=alt.Column("learner:N", sort=columns, header=alt.Header(title=None, labelFontSize=7.5)),
        spacing=6,
    )
    title = f"{_axis_title(_measure_of(frame))}: distribution of the runs, and the ranges claimed"
    return with_data(theme.apply_theme(grid, title, _RUNS_KEY), {"marks": marks})


def _run_marks(frame: pd.DataFrame, names: list[str], who: Mapping[str, str]) -> pd.DataFrame:
    """Boxes: the bins above zero, a box a claim below."""
    bins = frame[(frame["kind"] == "bin") & frame["count"].notna()]
    claims = frame[(frame["kind"] == "claim") & frame["low"].notna()]
    most = bins.groupby(["dataset", "learner"])["count"].transform("max")
    place = claims["respondent"].map({name: k for k, name in enumerate(names)}).astype(float)
    top = -0.06 - _SLOT * place
    above = bins.assign(who="measured runs", y=0.0, y2=(bins["count"] / most).astype(float))
    below = claims.assign(
        who=claims["respondent"].map(dict(who)), y=top - 0.02, y2=top - _SLOT + 0.02
    )  # fmt: skip
    marks = pd.concat([above, below], ignore_index=True).rename(columns={"shown_low": "from", "shown_high": "to"})
    return marks.reindex(columns=["dataset", "learner", "who", "from", "to", "y", "y2"])


def runs(forecasts: Forecasts, measure: str) -> Figure:
    frame = runs_frame(forecasts, measure)
    claims, bins = frame[frame["kind"] == "claim"], frame[frame["kind"] == "bin"]
    caption = (
        "Runs of each learner on each data set, the smallest graph first "
        f"({spread_of(bins.drop_duplicates(['dataset', 'learner'])['n'])} runs a "
        f"cell; histograms to their own height) and the {forecasts.percent} ranges claimed by "
        f"{counted(claims['respondent'].nunique(), 'model')}: between the medians of both ends, over formulations and "
        "repeats. "
        f"{int(claims['n'].sum())} of {int(claims['asked'].sum())} claims were read. {forecasts.arm_text} "
        "Descriptive; no test."
    )
    return Figure(f"runs_{measure}", frame, runs_chart(frame, *look(forecasts)), caption)


# ---- heatmap

_HEATED = {
    "overlaps_mean_ci": "claims that overlap the CI of the mean",
    "overlaps_runs": "claims that overlap the range of runs",
    "covers_mean": "claims that hold the mean of the runs",
}
CELLS = ("respondent", "dataset", "learner")  # panel, row, column
_HEATMAP_KEY = "the darker, the higher; n: answers in a cell; hatched: none"
_HEIGHT = 19.0
_DARK = 0.62  # of a value whose ground asks for white words
_BLUES = ["#F2F6FB", "#C3D9EE", "#7FB2D9", "#2F78B7", "#08396E"]


def heatmap_frame(forecasts: Forecasts, score: str = "overlaps_mean_ci", by: tuple[str, ...] = CELLS) -> pd.DataFrame:
    """One row a cell: panel, row, column, value (mean of the score), n claims behind it, asked, status."""
    scores, keys = forecasts.headline, list(by)
    order = {
        "dataset": forecasts.dataset_names, "learner": forecasts.learner_names, "respondent": forecasts.respondents,
    }  # fmt: skip
    values = scores[score].astype(float)
    cells = values.groupby([scores[key] for key in keys]).agg(value="mean", n="count", asked="size")
    every = pd.MultiIndex.from_product([order[key] for key in keys], names=keys)
    frame = cells.reindex(every).reset_index()
    frame[["n", "asked"]] = frame[["n", "asked"]].fillna(0).astype(int)
    frame["status"] = np.where(frame["n"] > 0, "ok", np.where(frame["asked"] > 0, "not read", "not asked"))
    frame = frame.rename(columns=dict(zip(keys[::-1], ("column", "row", "panel"), strict=False)))
    if len(keys) < 3:
        frame.insert(0, "panel", "")
    return frame.assign(score=score)


def heatmap_chart(frame: pd.DataFrame, labels: Mapping[str, str]) -> Drawn:
    names = {key: [labels.get(name, name) for name in dict.fromkeys(frame[key])] for key in ("panel", "row", "column")}
    shown = frame.assign(**{key: [labels.get(name, name) for name in frame[key]] for key in names})
    shown["text"] = ["" if pd.isna(value) else f"{value:.2f}" for value in frame["value"]]
    shown["count"] = [f"n {n}" if n else "" for n in frame["n"]]
    most = panel_columns(len(names["panel"]), 4)
    room = PAGE - text_width(names["row"]) - 18 - 16 * (most - 1)
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
    for text, ink, size, dy in (
        ("text", "#111111", min(7.0, cell / 3.2), -2.5),
        ("count", "#444444", min(4.8, cell / 4.4), 5),
    ):
        colour = alt.condition(f"datum.value > {_DARK}", alt.value("white"), alt.value(ink))
        layers.append(base.mark_text(fontSize=size, dy=dy).encode(text=f"{text}:N", color=colour))
    wide, tall = cell * len(names["column"]), _HEIGHT * len(names["row"])
    grid: Drawn = alt.layer(*layers, data=named_data("cells"), width=wide, height=tall)
    if len(names["panel"]) > 1:
        grid = panels(grid, names["panel"], most)
    return with_data(theme.apply_theme(grid, _heated(frame), _HEATMAP_KEY), {"cells": shown})


def _heated(frame: pd.DataFrame) -> str:
    score = str(frame["score"].iloc[0]) if len(frame) else ""
    return f"Share of {_HEATED.get(score, score.replace('_', ' '))}"


def heatmap(forecasts: Forecasts, score: str = "overlaps_mean_ci", by: tuple[str, ...] = CELLS) -> Figure:
    """by: panel (or none), row, column."""
    frame = heatmap_frame(forecasts, score, by)
    empty = int((frame["n"] == 0).sum())
    caption = (
        f"{_heated(frame)}: the mean over measures, formulations and repeats, and below it the "
        f"number of claims n. {int(frame['n'].sum())} of {int(frame['asked'].sum())} claims have a value"
        + (f"; {empty} of {len(frame)} cells are hatched: nothing to average. " if empty else ". ")
        + f"{forecasts.arm_text} Descriptive; no interval, no test."
    )
    labels = theme.labels(forecasts.respondents)
    return Figure(f"heatmap_{score}_{by[-2]}_{by[-1]}", frame, heatmap_chart(frame, labels), caption)


# ---- calibration

_CALIBRATION = (
    "respondent", "formulation", "level", "coverage", "low", "high", "n", "asked", "datasets", "interval",
)  # fmt: skip
_CALIBRATION_KEY = "dashed: calibrated; bars and bands: intervals over data sets"
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right"]


def calibration_frame(forecasts: Forecasts) -> pd.DataFrame:
    """One row a respondent, formulation and claimed level."""
    scores = forecasts.in_main_arm(forecasts.scores)
    rows: list[dict[str, object]] = []
    groups = scores.assign(hit=hits_of(scores)).groupby(["respondent", "formulation", "level"])
    for (name, formulation, level), part in groups:
        hits = share(part["hit"], part["dataset"].to_numpy(), forecasts.level)
        row = {"respondent": name, "formulation": formulation, "level": float(str(level)), **hits.cells("coverage", "")}
        rows.append(row | {"n": hits.n, "asked": len(part), "datasets": hits.n_clusters, "interval": hits.method})
    frame = pd.DataFrame(rows, columns=list(_CALIBRATION))
    return by_respondent(frame, forecasts.respondents).reset_index(drop=True)


def calibration_chart(frame: pd.DataFrame, colours: Colours, labels: Mapping[str, str]) -> Drawn:
    names = list(dict.fromkeys(frame["respondent"]))
    forms = formulations(frame)
    shown = frame.assign(
        panel=frame["respondent"].map(dict(labels)), colour=frame["respondent"].map(dict(colours))
    )  # fmt: skip
    most = panel_columns(len(names), 5)
    side = (PAGE - 40 - 20 * (most - 1)) / most
    whole = alt.Scale(domain=[0, 1])
    levels = alt.Axis(values=sorted(frame["level"].round(3).unique()), format=".0%", labelAngle=-60, labelOverlap=False)
    x = alt.X("level:Q", scale=whole, axis=levels, title="claimed level")
    percent = alt.Axis(format=".0%", tickCount=5)
    y, low = (alt.Y(f"{end}:Q", scale=whole, title="coverage", axis=percent) for end in ("coverage", "low"))
    colour, by = alt.Color("colour:N", scale=None), alt.Detail("formulation:N")
    legend = alt.Legend(orient="bottom", direction="horizontal", symbolFillColor="#444444", symbolStrokeColor="#444444")
    signs = alt.Scale(domain=forms, range=[_SHAPES[k % len(_SHAPES)] for k in range(len(forms))])
    shape = alt.Shape("formulation:N", scale=signs, title=None, legend=legend)
    answered = alt.Chart().transform_filter("datum.coverage != null")
    diagonal = alt.Chart().transform_aggregate(n="count()", groupby=["panel"]).transform_calculate(zero="0", one="1")
    rule = diagonal.mark_rule(color="#888888", strokeDash=[3, 2], strokeWidth=0.8)
    layers = [
        rule.encode(
            x=alt.X("zero:Q", scale=whole, axis=levels), x2=alt.X2("one:Q"), y=alt.Y("zero:Q", scale=whole),
            y2=alt.Y2("one:Q"),
        ),
        answered.mark_area(opacity=0.18, line=False).encode(x=x, y=low, y2=alt.Y2("high:Q"), color=colour, detail=by),
        answered.mark_line(strokeWidth=1.2).encode(x=x, y=y, color=colour, detail=by),
        answered.mark_rule(strokeWidth=1).encode(x=x, y=low, y2=alt.Y2("high:Q"), color=colour),
        answered.mark_point(size=16, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape),
    ]  # fmt: skip
    drawn = alt.layer(*layers, data=named_data("coverage"), width=side, height=side)
    grid = panels(drawn, [labels[name] for name in names], most, spacing=12)
    title = "Coverage against the claimed level"
    return with_data(theme.apply_theme(grid, title, _CALIBRATION_KEY), {"coverage": shown})


def calibration(forecasts: Forecasts) -> Figure:
    frame = calibration_frame(forecasts)
    target = forecasts.main_arm.get("target", "")
    of = {"mean": "the mean of the runs", "run": "single runs"}.get(target, "runs")
    caption = (
        f"How often claimed ranges hold {of}, against the level they were claimed at; the dashed line is calibration. "
        f"Bars and bands: {forecasts.percent} Wilson intervals at the effective number of claims, clustered by "
        f"data set ({len(forecasts.dataset_names)} data sets); {int(frame['n'].sum())} of "
        f"{int(frame['asked'].sum())} claims have a value. {forecasts.arm_text} No test."
    )
    return Figure("calibration", frame, calibration_chart(frame, *look(forecasts)), caption)
