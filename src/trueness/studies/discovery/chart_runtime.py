"""runtime: seconds a fit takes, one row a data set and learner, on a log axis.

Dot: the median of the fits that gave an answer; bar: their 5 to 95 % range (numpy's linear quantiles). The median, for
the first fit of a worker may pay for an import or a compilation. Seconds are wall-clock time on the machine of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.running.results import Results
from trueness.showing import theme
from trueness.showing.marks import named_data, panel_columns, row_axis, row_scale, spread_of, text_width, with_data
from trueness.showing.saving import Figure

if TYPE_CHECKING:
    import altair as alt

KEY = "dot: median; bar: 5 to 95 % range of fits"

COLUMNS = ("dataset", "respondent", "median", "low", "high", "total", "n", "planned")
RANGE = (0.05, 0.95)
MOST_PANELS = {"column": 2, "page": 4}
_LEAST = 1e-6  # a clock that did not move; a log axis has no zero


def runtime_frame(results: Results) -> pd.DataFrame:
    """One row a cell; no seconds where no fit has ended."""
    rows: list[dict[str, object]] = []
    for cell in results.summaries:
        seconds = cell.seconds
        row: dict[str, object] = {"dataset": cell.item, "respondent": cell.respondent, "n": len(seconds)}
        row["planned"] = cell.repeats
        if len(seconds):
            low, high = np.quantile(seconds, RANGE)
            row |= {"median": float(np.median(seconds)), "low": float(low), "high": float(high)}
            row["total"] = float(seconds.sum())
        rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def runtime_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "page",
) -> alt.FacetChart:
    """One panel a data set, one row a learner in it; all panels share the axis."""
    import altair as alt

    names, panels = list(dict.fromkeys(frame["respondent"])), list(dict.fromkeys(frame["dataset"]))
    labels = labels or theme.labels(names)
    row_labels = [labels[name] for name in names]
    marks = frame.assign(
        row=frame["respondent"].map({name: k + 0.5 for k, name in enumerate(names)}),
        colour=frame["respondent"].map(dict(colours)),
        **{key: frame[key].astype(float).clip(lower=_LEAST) for key in ("median", "low", "high")},
    )
    most = panel_columns(len(panels), MOST_PANELS[width])
    wide = (theme.POINTS[width] - text_width(row_labels) - 30 - 14 * (most - 1)) / most
    low, high = _decades(marks)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    every = 10.0 ** np.arange(np.log10(low), np.log10(high) + 0.5, 1 + (np.log10(high / low) > 4))
    axis = alt.Axis(title=None, values=[float(f"{value:.3g}") for value in every], format="~g", labelFlush=True)
    y = alt.Y("row:Q", scale=row_scale(len(names)), axis=row_axis(row_labels))
    colour = alt.Color("colour:N", scale=None)
    base = alt.Chart().transform_filter("datum.median != null")
    missing = alt.Chart().transform_filter("datum.median == null")
    layers = alt.layer(
        base.mark_rule(strokeWidth=3, opacity=0.4).encode(
            x=alt.X("low:Q", scale=scale, axis=axis), x2=alt.X2("high:Q"), y=y, color=colour
        ),
        base.mark_point(size=24, filled=True, opacity=1).encode(
            x=alt.X("median:Q", scale=scale, axis=axis), y=y, color=colour
        ),
        missing.mark_text(text="no fit ended", align="left", fontSize=6.5, color=theme.MISSING).encode(
            x=alt.value(3), y=y
        ),
        data=named_data("marks"),
        width=wide,
        height=12 * max(len(names), 1),
    )
    header = alt.Header(title=None, labelAnchor="start", labelFontSize=7.5)
    grid = layers.facet(facet=alt.Facet("dataset:N", sort=panels, header=header), columns=most, spacing=10)
    return with_data(theme.apply_theme(grid, "Seconds a fit (log axis)", KEY), {"marks": marks})


def runtime(results: Results, width: theme.Width = "page") -> Figure:
    frame = runtime_frame(results)
    names = list(dict.fromkeys(frame["respondent"]))
    ended = frame[frame["n"] > 0]
    caption = (
        f"Wall-clock seconds of a fit on the machine of the study, {frame['dataset'].nunique()} data sets and "
        f"{len(names)} learners: dots the median over {spread_of(ended['n'])} fits, bars the "
        f"{100 * RANGE[0]:g} to {100 * RANGE[1]:g} % range; {frame['total'].sum():.3g} s in all. Log axis. "
        "Descriptive; no interval, no test."
    )
    return Figure("runtime", frame, runtime_chart(frame, theme.colours(names), theme.labels(names), width), caption)


def _decades(marks: pd.DataFrame) -> tuple[float, float]:
    """The powers of ten around all that is drawn."""
    ends = pd.concat([marks["low"], marks["high"], marks["median"]]).dropna()
    if ends.empty:
        return 0.001, 1.0
    low, high = np.floor(np.log10(ends.min())), np.ceil(np.log10(ends.max()))
    return float(10.0**low), float(10.0 ** max(high, low + 1))
