"""measured: what the learners did. One row a data set and learner, one panel a measure.

Thick: the range of single runs (2.5 to 97.5 %, numpy's linear quantiles), which more runs do not shrink. Thin and
black: the bootstrap CI of their mean, which they do. SHD is a number of edges, each panel has its own axis.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from trueness.measure import measure_of
from trueness.outside import Json
from trueness.running.results import Results
from trueness.showing import theme
from trueness.showing.marks import named_data, row_axis, row_scale, spread_of, text_width, with_data
from trueness.showing.saving import Figure
from trueness.showing.theme import item_label
from trueness.statistics.result import interval_cells
from trueness.statistics.runs import range_note

if TYPE_CHECKING:
    import altair as alt

KEY = "coloured: range of single runs; black: CI of their mean"

COLUMNS = (
    "measure", "dataset", "respondent", "item", "mean", "mean_low", "mean_high", "run_low", "run_high", "n", "planned",
)  # fmt: skip


def measured_frame(results: Results, measures: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a cell and measure; no numbers where no run has a value."""
    rows: list[dict[str, Json]] = []
    for measure in measures or results.headline:
        for who, cell in zip(results.names, results.summaries, strict=True):
            summary = cell.measures[measure]
            row = {"measure": measure, "dataset": cell.item, "respondent": who, "mean": summary.mean}
            row |= {"item": item_label(cell.item, who), "n": summary.n, "planned": cell.repeats}
            for name, interval in (("mean", summary.ci), ("run", summary.runs)):
                row |= interval_cells(interval, name) if interval else {}
            rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def measured_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "page",
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    title: str = "What the learners did",
) -> alt.HConcatChart:
    import altair as alt

    items, measures = list(dict.fromkeys(frame["item"])), list(dict.fromkeys(frame["measure"]))
    bounds = bounds or {name: bounds_of(name) for name in measures}
    labels = labels or theme.labels(dict.fromkeys(frame["respondent"]))
    named_items = frame.drop_duplicates("item")
    rows = [item_label(d, labels[r]) for d, r in zip(named_items["dataset"], named_items["respondent"], strict=True)]
    marks = frame.assign(
        row=frame["item"].map({item: k + 0.5 for k, item in enumerate(items)}),
        colour=frame["respondent"].map(dict(colours)),
    )
    wide = (theme.POINTS[width] - text_width(rows) - 24 - 16 * (len(measures) - 1)) / max(len(measures), 1)
    panels = []
    for k, measure in enumerate(measures):
        mine = frame[frame["measure"] == measure]
        most = pd.concat([mine["run_high"], mine["mean_high"], mine["mean"]]).astype(float).max()
        whole = bounds[measure] == (0, 1)
        least = pd.concat([mine["run_low"], mine["mean_low"], mine["mean"]]).astype(float).min()
        scale = alt.Scale(domain=[1.05 * min(least, 0), 1 if whole else 1.05 * (most if most > 0 else 1)], nice=False)
        counts = measure_of(measure) is not None  # of edges
        ticks: dict[str, Json] = (
            {"values": [0, 0.5, 1], "format": "~g"} if whole else {"tickCount": 3, "format": "d" if counts else "~f"}
        )
        axis = alt.Axis(title=None, **ticks)
        y = alt.Y("row:Q", scale=row_scale(len(items)), axis=row_axis(rows, shown=k == 0))
        base = alt.Chart(named_data("marks")).transform_filter(f"datum.measure == {json.dumps(measure)}")
        layers = [
            base.transform_filter("datum.run_low != null")
            .mark_rule(strokeWidth=5, opacity=0.45)
            .encode(
                x=alt.X("run_low:Q", scale=scale, axis=axis), x2=alt.X2("run_high:Q"), y=y,
                color=alt.Color("colour:N", scale=None),
            ),
            base.transform_filter("datum.mean_low != null")
            .mark_rule(strokeWidth=1.3, color=theme.TRUTH)
            .encode(x=alt.X("mean_low:Q", scale=scale, axis=axis), x2=alt.X2("mean_high:Q"), y=y),
            base.transform_filter("datum.mean != null")
            .mark_tick(thickness=1.2, size=6, color=theme.TRUTH)
            .encode(x=alt.X("mean:Q", scale=scale, axis=axis), y=y),
        ]  # fmt: skip
        if mine["mean"].isna().any():
            unknown = base.transform_filter("datum.mean == null")
            layers.append(
                unknown.mark_text(text="no value", align="left", fontSize=6, color=theme.MISSING).encode(
                    x=alt.value(3), y=y
                )
            )
        heading = alt.Title(theme.measure_label(measure), fontSize=7.5, anchor="start", frame="group")
        panels.append(alt.layer(*layers, width=wide, height=9 * max(len(items), 1), title=heading))
    return with_data(theme.apply_theme(alt.hconcat(*panels, spacing=12), title, KEY), {"marks": marks})


def bounds_of(name: str) -> tuple[float | None, float | None]:
    measure = measure_of(name)
    return (None, None) if measure is None else (measure.minimum, measure.maximum)


def measured(
    results: Results, measures: Sequence[str] | None = None, width: theme.Width = "page", who: str = "learner"
) -> Figure:
    frame = measured_frame(results, measures)
    names = list(dict.fromkeys(frame["respondent"]))
    share = f"{100 * results.level:g} %"
    ours = who == "learner"
    kind = "data set and learner" if ours else f"item and {who}"
    against = "Each learner against the truth of its own class. " if ours else ""
    caption = (
        f"{frame['item'].nunique()} items ({kind}; {spread_of(frame['n'])} runs with a value of "
        f"{spread_of(frame['planned'])} planned). Coloured: {share} range of single runs; black: {share} bootstrap CI "
        f"of their mean. {against}Descriptive; no test. "
        f"{range_note(frame['n'].astype(int), results.level)}".rstrip()
    )
    bounds = {name: (results.measure(name).minimum, results.measure(name).maximum) for name in results.measures}
    chart = measured_chart(frame, theme.colours(names), theme.labels(names), width, bounds, f"What the {who}s did")
    return Figure("measured", frame, chart, caption)
