"""How well respondents forecast, drawn: calibration, differences from a reference, consistency, ranks.

calibration  coverage(level) = mean over claims of the share of runs in [low, high]   (target `run`)
                             = share of claims with low <= mean of the runs <= high    (target `mean`)
             On the diagonal a respondent is calibrated, below it overconfident. Bands and bars: Wilson's interval
             at the effective number of claims, clustered by data set
differences  d_i = S_ref(i) - S(i) of the scaled interval score, repeats averaged; positive: better than the
             reference. Interval and p: exact sign-flip over data sets; p adjusted by Holm over the respondents
             shown, the interval that of the adjusted verdict (`level`), or alone where so few data sets bound
             nothing at its level
consistency  for each cell (data set, learner, measure), with midpoints m over the measure's largest value:
             across = mean |m_k - m_l| between formulations, within = mean |m_r - m_s| between repeats of one. On
             the dashed line asking otherwise changes no more than asking again; above it the wording matters
ranks        mean ranks of the respondents over data sets (showing/chart_critical_difference.py)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.chart_critical_difference import ranks, with_enough
from trueness.showing.marks import named_data, panel_columns, row_axis, row_scale, text_width, with_data
from trueness.showing.saving import Figure
from trueness.statistics import adjusted, mean, paired_difference, share
from trueness.studies.forecast.analysis import PROPER, per_item
from trueness.studies.forecast.charts import COLUMN, PAGE, Colours, Drawn, by_respondent, look, panels
from trueness.studies.forecast.frames import Forecasts, formulations
from trueness.studies.forecast.robustness import robustness

_CALIBRATION = (
    "respondent", "formulation", "level", "coverage", "low", "high", "n", "asked", "datasets", "interval",
)  # fmt: skip
_CALIBRATION_KEY = "dashed: calibrated; bars and bands: intervals over data sets"
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right"]


def calibration_frame(forecasts: Forecasts, respondents: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a respondent, formulation and claimed level."""
    chosen = forecasts.respondents if respondents is None else list(respondents)
    scores = forecasts.in_main_arm(forecasts.scores)
    scores = scores[scores["respondent"].isin(chosen)]
    of_mean = scores["target"].astype(str).eq("mean")
    scores = scores.assign(hit=np.where(of_mean, scores["covers_mean"].astype(float), scores["coverage_runs"]))
    rows: list[dict[str, object]] = []
    for (name, formulation, level), part in scores.groupby(["respondent", "formulation", "level"]):
        hits = share(part["hit"].astype(float), part["dataset"].to_numpy(), forecasts.level)
        row = {"respondent": name, "formulation": formulation, "level": float(str(level)), "coverage": hits.value}
        row |= {"low": hits.interval.low, "high": hits.interval.high} if hits.interval else {}
        rows.append(row | {"n": hits.n, "asked": len(part), "datasets": hits.n_clusters, "interval": hits.method})
    return by_respondent(pd.DataFrame(rows, columns=list(_CALIBRATION)), chosen).reset_index(drop=True)


def calibration_chart(frame: pd.DataFrame, colours: Colours, labels: Mapping[str, str]) -> Drawn:
    names = list(dict.fromkeys(frame["respondent"]))
    forms = formulations(frame)
    shown = frame.assign(
        panel=frame["respondent"].map(dict(labels)), colour=frame["respondent"].map(dict(colours)),
        place=_beside_each_other(frame, forms),
    )  # fmt: skip
    most = panel_columns(len(names), 5)
    side = (PAGE - 40 - 20 * (most - 1)) / most
    whole = alt.Scale(domain=[0, 1])
    levels = alt.Axis(values=sorted(frame["level"].round(3).unique()), format=".0%", labelAngle=-60, labelOverlap=False)
    x = alt.X("place:Q", scale=whole, axis=levels, title="claimed level")
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


def _beside_each_other(frame: pd.DataFrame, forms: list[str]) -> list[float]:
    """Formulations that claim one level would lie upon each other: each a little to the left of the last."""
    place = {form: k for k, form in enumerate(reversed(forms))}
    single = frame.groupby(["respondent", "formulation"])["level"].transform("nunique") == 1
    return [
        float(level) - (0.025 * place[form] if alone else 0.0)
        for level, form, alone in zip(frame["level"], frame["formulation"], single, strict=True)
    ]


def calibration(forecasts: Forecasts, respondents: Sequence[str] | None = None) -> Figure:
    frame = calibration_frame(forecasts, respondents)
    target = forecasts.main_arm.get("target", "")
    of = {"mean": "the mean of the runs", "run": "single runs"}.get(target, "runs")
    caption = (
        f"How often claimed ranges hold {of}, against the level they were claimed at; the dashed line is calibration. "
        f"Bars and bands: {forecasts.percent} Wilson intervals at the effective number of claims, clustered by "
        f"data set ({len(forecasts.dataset_names)} data sets); {int(frame['n'].sum())} of "
        f"{int(frame['asked'].sum())} claims have a value. Points close to the left of a level are at it, "
        f"one a formulation. {forecasts.arm_text} No test."
    )
    return Figure("calibration", frame, calibration_chart(frame, *look(forecasts)), caption)


# ---- differences

_DIFFERENCES = (
    "respondent", "reference", "score", "difference", "low", "high", "level", "p", "p_adjusted", "adjustment", "test",
    "n", "datasets", "missing", "notes",
)  # fmt: skip
_DIFFERENCES_KEY = "dot: mean difference; bar: its interval over data sets; p: Holm-adjusted"


def differences_frame(forecasts: Forecasts, reference: str) -> pd.DataFrame:
    """One row a respondent."""
    table = per_item(forecasts.headline, PROPER, forecasts)
    clusters: Any = table.index.get_level_values("dataset").to_numpy() if len(table) else []
    others = [name for name in forecasts.respondents if name != reference]
    blank = pd.Series(float("nan"), index=table.index)
    theirs = table.get(reference, blank).to_numpy()
    pairs = [
        paired_difference(theirs, table.get(name, blank).to_numpy(), clusters, forecasts.level, names=(reference, name))
        for name in others
    ]
    rows = []
    for name, one in zip(others, adjusted(pairs, "holm") if pairs else [], strict=True):
        row: dict[str, object] = {"respondent": name, "reference": reference, "score": PROPER, "n": one.n_units}
        row |= {"low": one.span.low, "high": one.span.high, "level": one.span.level} if one.span else {}
        row |= {"difference": one.difference, "p": one.p, "p_adjusted": one.p_adjusted, "adjustment": one.adjustment}
        row |= {"test": ("exact " if one.exact else "") + one.test, "datasets": one.n_clusters}
        rows.append(row | {"missing": one.n_missing, "notes": " ".join(one.notes)})
    return pd.DataFrame(rows, columns=list(_DIFFERENCES))


def differences_chart(frame: pd.DataFrame, colours: Colours, labels: Mapping[str, str]) -> Drawn:
    names = [labels[name] for name in frame["respondent"]]
    shown = frame.assign(
        row=[k + 0.5 for k in range(len(frame))], colour=frame["respondent"].map(dict(colours)),
        text=[_p_text(p) for p in frame["p_adjusted"]],
    )  # fmt: skip
    # zero stays in view: the question is on which side of it an interval lies
    ends = pd.concat([frame[column].astype(float) for column in ("low", "high", "difference")]).dropna()
    low, high = min(0.0, ends.min() if len(ends) else 0.0), max(0.0, ends.max() if len(ends) else 1.0)
    pad = 0.06 * (high - low or 1.0)
    scale = alt.Scale(domain=[low - pad, high + pad], nice=False, zero=False)
    y = alt.Y("row:Q", scale=row_scale(len(names)), axis=row_axis(names))
    reference = str(frame["reference"].iloc[0]) if len(frame) else ""
    label = labels.get(reference, reference)
    axis = alt.Axis(title=f"better than {label} by (scaled interval score)", format="~f", tickCount=5)
    x, low_end = (alt.X(f"{end}:Q", scale=scale, axis=axis) for end in ("difference", "low"))
    base = alt.Chart(named_data("differences"))
    colour = alt.Color("colour:N", scale=None)
    wide = COLUMN - text_width(names) - 62
    bars = base.transform_filter("datum.low != null").mark_rule(strokeWidth=1.4)
    dots = base.transform_filter("datum.difference != null").mark_point(size=22, filled=True, opacity=1)
    words = base.mark_text(align="left", fontSize=6.5, color="#444444")
    layers = [
        base.mark_rule(color="#666666", strokeDash=[3, 2], strokeWidth=0.8).encode(x=alt.XDatum(0, scale=scale)),
        bars.encode(x=low_end, x2=alt.X2("high:Q"), y=y, color=colour),
        dots.encode(x=x, y=y, color=colour),
        words.encode(x=alt.value(wide + 5), y=y, text=alt.Text("text:N")),
    ]
    chart = alt.layer(*layers, width=wide, height=12 * max(len(names), 1))
    return with_data(theme.apply_theme(chart, f"Against {label}", _DIFFERENCES_KEY), {"differences": shown})


def differences(forecasts: Forecasts) -> Figure:
    """Against climatology, else the heuristic, else the first reference there is."""
    known = ("baseline/climatology", "baseline/heuristic", *forecasts.references)
    reference = next((name for name in known if name in forecasts.references), "")
    frame = differences_frame(forecasts, reference)
    tests = sorted(set(frame["test"])) if len(frame) else ["none"]
    n, datasets = (int(frame[name].max()) if len(frame) else 0 for name in ("n", "datasets"))
    levels = sorted(frame["level"].dropna().astype(float))
    bars = " to ".join(dict.fromkeys(f"{100 * level:.4g}" for level in (*levels[:1], *levels[-1:]))) or "no"
    caption = (
        f"Scaled interval score of {reference} minus that of each respondent, paired over up to {n} items (data set, "
        f"learner, measure, formulation) in {datasets} data sets; right of "
        f"zero: better than {reference}. Bars: {bars} % intervals, of the verdict where the data sets bound it; p: "
        f"{', '.join(tests)} over data sets, two-sided, Holm-adjusted over {len(frame)} comparisons. "
        f"{forecasts.arm_text}"
    )
    return Figure("differences", frame, differences_chart(frame, *look(forecasts)), caption)


def _p_text(p: float | None) -> str:
    if p is None or pd.isna(p):
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


# ---- consistency

_CELLS = ("respondent", "dataset", "learner", "measure", "within", "across")
_CONSISTENCY = ("kind", *_CELLS, "within_low", "within_high", "across_low", "across_high", "n", "datasets")
_CONSISTENCY_KEY = "small: cells; large: their mean with its interval; dashed: equal"


def consistency_frame(forecasts: Forecasts) -> pd.DataFrame:
    """One row a mark. kind: `cell`, or `mean` over the n cells of a respondent that have both spreads."""
    framed = robustness(forecasts).more.get("cells") if len(forecasts.scores) else None
    if framed is None:
        return pd.DataFrame(columns=list(_CONSISTENCY))
    cells = framed.rename(columns={"spread": "across", "spread_repeats": "within"})
    cells = cells[list(_CELLS)].dropna(subset=["within", "across"])
    parts: list[pd.DataFrame] = [cells.assign(kind="cell")]
    for name in (name for name in forecasts.respondents if name in set(cells["respondent"])):
        mine = cells[cells["respondent"] == name]
        datasets = mine["dataset"].to_numpy()
        row: dict[str, object] = {"kind": "mean", "respondent": name, "n": len(mine), "datasets": len(set(datasets))}
        for key in ("within", "across"):
            row |= mean(mine[key].to_numpy(), datasets, level=forecasts.level, bounds=(0.0, 1.0)).cells(key)
        parts.append(pd.DataFrame([row]))
    return pd.concat(parts, ignore_index=True).reindex(columns=list(_CONSISTENCY))


def consistency_chart(frame: pd.DataFrame, colours: Colours, labels: Mapping[str, str]) -> Drawn:
    names = list(frame.loc[frame["kind"] == "mean", "respondent"])
    marks = frame.assign(panel=frame["respondent"].map(dict(labels)), colour=frame["respondent"].map(dict(colours)))
    most = panel_columns(len(names), 4)
    side = min(150.0, (PAGE - 34 - 14 * (most - 1)) / most)
    ends = pd.concat([frame[key].astype(float) for key in ("within", "across", "within_high", "across_high")]).dropna()
    far = max(0.02, 1.04 * float(ends.max())) if len(ends) else 1.0
    scale = alt.Scale(domain=[0, far], nice=False, clamp=True)
    axis: dict[str, Json] = {"format": "~g", "tickCount": 4}
    x = alt.X("within:Q", scale=scale, axis=alt.Axis(title="between repeats", **axis))
    y = alt.Y("across:Q", scale=scale, axis=alt.Axis(title="between formulations", **axis))
    colour = alt.Color("colour:N", scale=None)
    cell, whole = (alt.Chart().transform_filter(f"datum.kind == '{kind}'") for kind in ("cell", "mean"))
    equal = whole.mark_rule(strokeDash=[3, 2], strokeWidth=0.8, color="#666666")
    right, up = (
        whole.transform_filter(f"datum.{end} != null").mark_rule(strokeWidth=1.4, color="#111111")
        for end in ("within_low", "across_low")
    )
    large = whole.mark_point(size=46, filled=True, opacity=1, stroke="white", strokeWidth=0.8)
    layers = alt.layer(
        equal.encode(x=alt.value(0), y=alt.value(side), x2=alt.value(side), y2=alt.value(0)),
        cell.mark_point(size=10, filled=True, opacity=0.3).encode(x=x, y=y, color=colour),
        right.encode(x=alt.X("within_low:Q", scale=scale), x2=alt.X2("within_high:Q"), y=y),
        up.encode(x=x, y=alt.Y("across_low:Q", scale=scale), y2=alt.Y2("across_high:Q")),
        large.encode(x=x, y=y, color=colour),
        data=named_data("marks"),
        width=side,
        height=side,
    )
    grid = panels(layers, [labels[name] for name in names], most)
    title = "Spread of the claimed middle: asked otherwise, and asked again"
    return with_data(theme.apply_theme(grid, title, _CONSISTENCY_KEY), {"marks": marks})


def consistency(forecasts: Forecasts) -> Figure:
    frame = consistency_frame(forecasts)
    means = frame[frame["kind"] == "mean"]
    caption = (
        "How far the middle of a claimed range moves, as a share of the largest value of the measure, when the "
        "question is put in another formulation (up) and when it is asked again (right). Points: "
        f"{int((frame['kind'] == 'cell').sum())} cells (data set, learner, measure) of {len(means)} models in "
        f"{int(means['datasets'].max()) if len(means) else 0} data sets; large: their mean with "
        f"{forecasts.percent} t intervals clustered by data set. Above the dashed line the wording matters "
        f"more than chance. {forecasts.arm_text} Descriptive; no test."
    )
    return Figure("consistency", frame, consistency_chart(frame, *look(forecasts)), caption)


# ---- ranks


def ranks_of_respondents(forecasts: Forecasts, **settings: Json) -> Figure:
    """Respondents by their scaled interval score over the items that all of them answered."""
    table, names = per_item(forecasts.headline, PROPER, forecasts), forecasts.respondents
    answered = with_enough(table.reindex(columns=names)).dropna()
    scores = answered.groupby(level="dataset").mean()
    silent = [name for name in names if name not in scores]
    scores = scores.assign(**dict.fromkeys(silent, float("nan")))[names]  # they are named in the caption
    level, title = forecasts.level, "scaled interval score"
    return ranks(scores, "lower", title, forecasts.references, names, level=level, **settings)
