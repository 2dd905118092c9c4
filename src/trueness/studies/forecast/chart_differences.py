"""differences: each respondent against one reference, paired by item, with intervals that count data sets.

    d_i = S_ref(i) - S(i)   of the scaled interval score, repeats averaged; positive: better than the reference

Estimate: the mean of d. Interval and p: exact sign-flip over data sets; p adjusted by Holm over the respondents shown,
the interval that of the adjusted verdict (`level`), or alone where so few data sets bound nothing at its level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from trueness.showing import theme
from trueness.showing.marks import named_data, row_axis, row_scale, text_width, with_data
from trueness.showing.saving import Figure
from trueness.statistics import adjusted, paired_difference
from trueness.studies.forecast import selection
from trueness.studies.forecast.analysis import per_item
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.selection import headline

if TYPE_CHECKING:
    import altair as alt

SCORE = "interval_score_scaled"
KEY = "dot: mean difference; bar: its interval over data sets; p: Holm-adjusted"
COLUMNS = (
    "respondent", "reference", "score", "difference", "low", "high", "level", "p", "p_adjusted", "adjustment", "test",
    "n", "datasets", "missing", "notes",
)  # fmt: skip


def reference_of(forecasts: Forecasts) -> str | None:
    """What to compare with: climatology, else the heuristic, else the first reference there is."""
    names = list(forecasts.references)
    wanted = [name for name in ("baseline/climatology", "baseline/heuristic") if name in names]
    return next(iter([*wanted, *names]), None)


def differences_frame(forecasts: Forecasts, reference: str, respondents: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a respondent."""
    chosen = selection.respondents(forecasts) if respondents is None else list(respondents)
    rows = headline(forecasts)
    table = per_item(rows, SCORE, forecasts)
    clusters: Any = table.index.get_level_values("dataset").to_numpy() if len(table) else []
    others = [name for name in chosen if name != reference]
    blank = pd.Series(float("nan"), index=table.index)
    pairs = [
        paired_difference(
            table.get(reference, blank).to_numpy(), table.get(name, blank).to_numpy(), clusters,
            forecasts.level, names=(reference, name),
        )
        for name in others
    ]  # fmt: skip
    rows_of = []
    for name, one in zip(others, adjusted(pairs, "holm") if pairs else [], strict=True):
        row: dict[str, object] = {"respondent": name, "reference": reference, "score": SCORE, "n": one.n_units}
        row |= {"low": one.span.low, "high": one.span.high, "level": one.span.level} if one.span else {}
        row |= {"difference": one.difference, "p": one.p, "p_adjusted": one.p_adjusted, "adjustment": one.adjustment}
        row |= {"test": ("exact " if one.exact else "") + one.test, "datasets": one.n_clusters}
        rows_of.append(row | {"missing": one.n_missing, "notes": " ".join(one.notes)})
    return pd.DataFrame(rows_of, columns=list(COLUMNS))


def differences_chart(
    frame: pd.DataFrame,
    colours: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    width: theme.Width = "column",
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    names = list(frame["respondent"])
    labels = labels or theme.labels(names)
    shown = frame.assign(
        row=[k + 0.5 for k in range(len(frame))], colour=frame["respondent"].map(dict(colours)),
        text=[_p_text(p) for p in frame["p_adjusted"]],
    )  # fmt: skip
    row_labels = [labels[name] for name in names]
    # zero stays in view: the question is on which side of it an interval lies
    ends = pd.concat([frame[column].astype(float) for column in ("low", "high", "difference")]).dropna()
    low, high = min(0.0, ends.min() if len(ends) else 0.0), max(0.0, ends.max() if len(ends) else 1.0)
    pad = 0.06 * (high - low or 1.0)
    scale = alt.Scale(domain=[low - pad, high + pad], nice=False, zero=False)
    y = alt.Y("row:Q", scale=row_scale(len(names)), axis=row_axis(row_labels))
    label = labels.get(str(frame["reference"].iloc[0]), str(frame["reference"].iloc[0])) if len(frame) else ""
    axis = alt.Axis(title=f"better than {label} by (scaled interval score)", format="~f", tickCount=5)
    x = alt.X("difference:Q", scale=scale, axis=axis)
    base = alt.Chart(named_data("differences"))
    colour = alt.Color("colour:N", scale=None)
    wide = theme.POINTS[width] - text_width(row_labels) - 62
    layers = [
        base.mark_rule(color="#666666", strokeDash=[3, 2], strokeWidth=0.8).encode(x=alt.XDatum(0, scale=scale)),
        base.transform_filter("datum.low != null").mark_rule(strokeWidth=1.4).encode(
            x=alt.X("low:Q", scale=scale, axis=axis), x2=alt.X2("high:Q"), y=y, color=colour
        ),
        base.transform_filter("datum.difference != null").mark_point(size=22, filled=True, opacity=1).encode(
            x=x, y=y, color=colour
        ),
        base.mark_text(align="left", fontSize=6.5, color="#444444").encode(
            x=alt.value(wide + 5), y=y, text=alt.Text("text:N")
        ),
    ]  # fmt: skip
    chart = alt.layer(*layers, width=wide, height=12 * max(len(names), 1))
    return with_data(theme.apply_theme(chart, f"Against {label}", KEY), {"differences": shown})


def differences(
    forecasts: Forecasts, reference: str | None = None, respondents: Sequence[str] | None = None,
    width: theme.Width = "column",
) -> Figure:  # fmt: skip
    reference = reference or reference_of(forecasts) or ""
    frame = differences_frame(forecasts, reference, respondents)
    names = selection.respondents(forecasts)
    chart = differences_chart(frame, theme.colours(names, forecasts.references), theme.labels(names), width)
    tests = sorted(set(frame["test"])) if len(frame) else ["none"]
    n = int(frame["n"].max()) if len(frame) else 0
    levels = sorted(frame["level"].dropna().astype(float))
    bars = " to ".join(dict.fromkeys(f"{100 * level:.4g}" for level in (*levels[:1], *levels[-1:]))) or "no"
    caption = (
        f"Scaled interval score of {reference} minus that of each respondent, paired over up to {n} items (data set, "
        f"learner, measure, formulation) in {int(frame['datasets'].max()) if len(frame) else 0} data sets; right of "
        f"zero: better than {reference}. Bars: {bars} % intervals, of the verdict where the data sets bound it; p: "
        f"{', '.join(tests)} over data sets, two-sided, Holm-adjusted over {len(frame)} comparisons. "
        f"{selection.arm_text(forecasts)}"
    )
    return Figure("differences", frame, chart, caption)


def _p_text(p: float | None) -> str:
    if p is None or pd.isna(p):
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
