"""runs: the distribution of the measured runs, and the ranges that were claimed for them.

One panel a cell (data set by learner, the smallest graph first). Grey: a histogram of the runs, each panel to its own
height. Below it one numbered line a respondent: the hull of what it claimed over formulations and repeats, thick where
half of its claims agree (from the median of the low ends to the median of the high ends).
SHD is drawn as a share of d(d-1)/2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, spread_of, text_width, with_data
from trueness.showing.saving import Figure
from trueness.status import Status
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import Forecasts, Truth

if TYPE_CHECKING:
    import altair as alt

KEY = "histogram: measured runs; lines: claims, pale their hull, full between the medians of both ends"

BINS = 40
MOST_RESPONDENTS = 6
COLUMNS = (
    "kind", "measure", "dataset", "learner", "respondent", "low", "high", "lowest", "highest", "upper", "shown_low",
    "shown_high", "shown_lowest", "shown_highest", "count", "n", "asked", "status",
)  # fmt: skip
_SLOT = 0.16  # height of a respondent's line, of that of the histogram


def runs_frame(forecasts: Forecasts, measure: str, respondents: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a mark: kind `bin` (count of runs in [low, high)) or `claim` (one a cell and respondent)."""
    chosen = selection.best(forecasts, MOST_RESPONDENTS) if respondents is None else list(respondents)
    rows: list[dict[str, object]] = []
    nodes = {name: about.get("nodes") or 0 for name, about in forecasts.datasets.items()}
    for dataset, learner in sorted(selection.items(forecasts), key=lambda item: nodes.get(item[0], 0)):
        truth = forecasts.truths.get((dataset, learner, measure))
        if truth is not None:
            rows.extend({"dataset": dataset, "learner": learner, "upper": truth.upper} | row for row in _bins(truth))
    frame = pd.concat(
        [pd.DataFrame(rows, columns=list(COLUMNS)), _claims(forecasts, measure, chosen)], ignore_index=True
    )
    frame["measure"] = measure
    for end in ("low", "high", "lowest", "highest"):
        frame[f"shown_{end}"] = frame[end].astype(float) / frame["upper"].astype(float)
    return frame[list(COLUMNS)]


def runs_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "page",
) -> alt.FacetChart:
    import altair as alt

    names = [name for name in frame["respondent"].dropna().unique() if name]
    labels = labels or theme.labels(names)
    rows, columns = (list(dict.fromkeys(frame[key])) for key in ("dataset", "learner"))
    who = {name: f"{k} {labels[name]}" for k, name in enumerate(names, 1)}
    marks = _marks(frame, names, who)
    wide = (theme.POINTS[width] - text_width(rows) - 30 - 8 * (len(columns) - 1)) / max(len(columns), 1)
    deep = _SLOT * len(names) + 0.08
    scale = alt.Scale(domain=[0, 1], nice=False, clamp=True)
    x = alt.X("from:Q", scale=scale, title=None, axis=alt.Axis(values=[0, 0.5, 1], format="~g"))
    y = alt.Y("y:Q", scale=alt.Scale(domain=[-deep, 1], nice=False), axis=None)
    palette = alt.Scale(
        domain=["measured runs", *who.values()],
        range=["#9AA3AD", *(colours[name] for name in names)],
    )
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal", columns=4 if width == "page" else 2)
    boxes = (
        alt.Chart()
        .mark_rect()
        .encode(
            x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2("y2:Q"), color=alt.Color("who:N", scale=palette, legend=legend),
            opacity=alt.Opacity("opacity:Q", scale=None),
        )
    )  # fmt: skip
    numbers = (
        alt.Chart()
        .transform_filter("isValid(datum.number)")
        .mark_text(align="right", baseline="middle", dx=-1.5, fontSize=5)
        .encode(x=alt.XDatum(0, scale=scale), y=alt.Y("middle:Q", axis=None), text=alt.Text("number:Q"))
    )
    drawn = alt.layer(boxes, numbers, data=named_data("marks"), width=wide, height=30 + 5.5 * len(names))
    side = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="middle", title=None, labelFontSize=7.5)
    grid: alt.FacetChart = drawn.facet(
        row=alt.Row("dataset:N", sort=rows, header=side),
        column=alt.Column("learner:N", sort=columns, header=alt.Header(title=None, labelFontSize=7.5)),
        spacing=6,
    )
    measure = str(frame["measure"].iloc[0]) if len(frame) else ""
    label = "SHD as a share of d(d−1)/2" if measure == "shd" else theme.measure_label(measure)
    return with_data(
        theme.apply_theme(grid, f"{label}: distribution of the runs, and the ranges claimed", KEY), {"marks": marks}
    )


def runs(
    forecasts: Forecasts, measure: str, respondents: Sequence[str] | None = None, width: theme.Width = "page"
) -> Figure:
    frame = runs_frame(forecasts, measure, respondents)
    names = selection.respondents(forecasts)
    chart = runs_chart(frame, theme.colours(names, forecasts.references), theme.labels(names), width)
    claims, bins = frame[frame["kind"] == "claim"], frame[frame["kind"] == "bin"]
    which = "" if respondents is not None else ", those with the lowest scaled interval score"
    caption = (
        "Runs of each learner on each data set, the smallest graph first "
        f"({spread_of(bins.drop_duplicates(['dataset', 'learner'])['n'])} runs a "
        f"cell; histograms to their own height) and the {100 * forecasts.level:g} % ranges claimed by "
        f"{claims['respondent'].nunique()} of {len(names)} respondents{which}: pale the hull over formulations and "
        f"repeats, full the range between the medians of both ends. {int(claims['n'].sum())} of "
        f"{int(claims['asked'].sum())} claims were read. {selection.arm_text(forecasts)} Descriptive; no test."
    )
    return Figure(f"runs_{measure}", frame, chart, caption)


def _bins(truth: Truth) -> list[dict[str, object]]:
    row = {"kind": "bin", "respondent": "", "n": len(truth.runs), "asked": truth.planned, "status": str(Status.OK)}
    if not len(truth.runs):
        return [row | {"status": str(Status.FAILED)}]
    counts, edges = np.histogram(truth.runs, bins=BINS, range=(0.0, truth.upper))
    return [row | {"low": edges[k], "high": edges[k + 1], "count": int(counts[k])} for k in np.flatnonzero(counts)]


def _claims(forecasts: Forecasts, measure: str, respondents: list[str]) -> pd.DataFrame:
    scores = selection.headline(forecasts)
    scores = scores[(scores["measure"] == measure) & scores["respondent"].isin(respondents)]
    grouped = scores.assign(answered=selection.is_answered(scores)).groupby(["respondent", "dataset", "learner"])
    claims = grouped.agg(
        low=("low", "median"), high=("high", "median"), lowest=("low", "min"), highest=("high", "max"),
        n=("answered", "sum"), asked=("answered", "size"), status=("status", "first"),
    ).reset_index()  # fmt: skip
    claims["status"] = claims["status"].where(claims["n"] == 0, str(Status.OK))
    uppers = {key[:2]: truth.upper for key, truth in forecasts.truths.items() if key[2] == measure}
    claims["upper"] = [uppers.get(key, 1.0) for key in zip(claims["dataset"], claims["learner"], strict=True)]
    order = {name: k for k, name in enumerate(respondents)}
    claims = claims.sort_values("respondent", key=lambda names: names.map(order), kind="stable")
    return claims.assign(kind="claim").reindex(columns=list(COLUMNS))


def _marks(frame: pd.DataFrame, names: list[str], who: Mapping[str, str]) -> pd.DataFrame:
    """Boxes: the bins above zero, a pale and a full box a claim below, the full one with the respondent's number."""
    bins = frame[(frame["kind"] == "bin") & frame["count"].notna()]
    most = bins.groupby(["dataset", "learner"])["count"].transform("max")
    above = pd.DataFrame({
        "dataset": bins["dataset"], "learner": bins["learner"], "who": "measured runs", "from": bins["shown_low"],
        "to": bins["shown_high"], "y": 0.0, "y2": (bins["count"] / most).astype(float), "opacity": 1.0,
    })  # fmt: skip
    claims = frame[(frame["kind"] == "claim") & frame["low"].notna()]
    place = claims["respondent"].map({name: k for k, name in enumerate(names)}).astype(float)
    top = -0.06 - _SLOT * place
    parts = [above]
    for low, high, opacity, gap, number in (
        ("lowest", "highest", 0.3, 0.055, None),
        ("low", "high", 1, 0.02, place + 1),
    ):
        parts.append(pd.DataFrame({
            "dataset": claims["dataset"], "learner": claims["learner"], "who": claims["respondent"].map(dict(who)),
            "from": claims[f"shown_{low}"], "to": claims[f"shown_{high}"], "y": top - gap, "y2": top - _SLOT + gap,
            "opacity": opacity, "number": number, "middle": top - _SLOT / 2,
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)
