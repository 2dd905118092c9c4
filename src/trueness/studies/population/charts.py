"""Truth beside model, one panel a condition of a task.

distribution: bars are P(level | condition) in the population, with the 95 % interval of the truth; the dashed line in
each bar's row is the marginal P(level). Marks are what a model said, one row a model and mode: colour the model, shape
the mode. An outcome that is a number has tables and no chart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.marks import named_data, panel_columns, row_axis, row_scale, text_width, with_data
from trueness.showing.saving import Figure, safe_name
from trueness.statistics.proportions import wilson
from trueness.studies.population.answers import Populations

if TYPE_CHECKING:
    import altair as alt

KEY = "grey bars: the population; dashed: its marginal; marks: what models said"

COLUMNS = (
    "condition", "level", "respondent", "mode", "share", "low", "high", "n", "status", "truth", "truth_low",
    "truth_high", "marginal", "rows", "n_eff",
)  # fmt: skip
MOST_PANELS = {"column": 2, "page": 4}
MOST_CONDITIONS = 12  # drawn; a high-dimensional task has a hundred profiles, all of them in the CSV
_SHAPES = {
    "qa": "circle", "sample": "square", "story": "triangle-down", "likelihood": "diamond",
    "distribution": "triangle-up",
}  # fmt: skip
_LEVEL_GAP = 0.16  # of a level's row that stays free


def distribution_frame(populations: Populations, task: str) -> pd.DataFrame:
    """One row a condition, level, model and mode; a condition without an answer has its status and no share."""
    truth = populations.truths[task]
    low, high = np.quantile(truth.draws, [(1 - populations.level) / 2, (1 + populations.level) / 2], axis=0)
    rows: list[dict[str, object]] = []
    for key, answers in populations.answers.items():
        if key.task != task or key.repeat or key.respondent in populations.references:
            continue
        for c, condition in enumerate(truth.conditions):
            answer = answers.get(condition)
            claimed = answer.distribution if answer is not None else None
            for k, level in enumerate(truth.levels):
                share = claimed.prob(level) if claimed is not None else None
                ends = _ends(share, claimed.n if claimed is not None else None)
                status = "not asked" if answer is None else str(answer.status)
                rows.append(
                    {"condition": condition, "level": level, "respondent": key.respondent, "mode": key.mode,
                     "share": share, "low": ends[0], "high": ends[1], "n": None if claimed is None else claimed.n,
                     "status": status, "truth": truth.probs[c, k], "truth_low": low[c, k], "truth_high": high[c, k],
                     "marginal": truth.marginal[k], "rows": truth.rows[c], "n_eff": truth.n_eff[c]}
                )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def distribution_chart(
    frame: pd.DataFrame, colours: dict[str, str], title: str, width: theme.Width = "page"
) -> alt.FacetChart:
    import altair as alt

    conditions = list(dict.fromkeys(frame["condition"]))[:MOST_CONDITIONS]
    frame = frame[frame["condition"].isin(conditions)]
    levels = list(dict.fromkeys(frame["level"]))
    labels = theme.labels(frame["respondent"])
    series = list(dict.fromkeys(zip(frame["respondent"], frame["mode"], strict=True)))
    place = {pair: (k + 0.5) / len(series) for k, pair in enumerate(series)}
    at = frame["level"].map({level: k for k, level in enumerate(levels)})
    beside = [place[pair] for pair in zip(frame["respondent"], frame["mode"], strict=True)]
    shown = frame.assign(
        top=at + _LEVEL_GAP / 2,
        bottom=at + 1 - _LEVEL_GAP / 2,
        row=at + _LEVEL_GAP / 2 + (1 - _LEVEL_GAP) * np.array(beside),
        middle=at + 0.5,
        model=frame["respondent"].map(labels),
        panel=frame["condition"].map(_lines),
    )
    columns = panel_columns(len(conditions), MOST_PANELS[width])
    names = text_width([level[:26] for level in levels])
    side = (theme.POINTS[width] - names - 24 - 12 * (columns - 1)) / columns
    largest = float(np.nanmax(shown[["share", "truth_high", "high"]].to_numpy(dtype=float), initial=0.1))
    scale = alt.Scale(domain=[0, min(1.0, 1.02 * largest)], nice=False)
    percent = alt.Axis(format=".0%", tickCount=3, title="share")
    x = alt.X("truth:Q", scale=scale, axis=percent)
    rows: dict[str, Json] = {
        "scale": row_scale(len(levels)),
        "axis": row_axis([level if len(level) <= 26 else level[:25] + "…" for level in levels]),
    }
    top, row, middle = (alt.Y(f"{name}:Q", **rows) for name in ("top", "row", "middle"))
    zero = alt.XDatum(0, scale=scale)
    least: dict[str, Json] = {key: f"min({key})" for key in ("truth", "truth_low", "truth_high", "marginal")}
    once = alt.Chart().transform_aggregate(groupby=["panel", "level", "top", "bottom", "middle"], **least)
    claims = alt.Chart().transform_filter("isValid(datum.share)")
    models = list(dict.fromkeys(shown["model"]))
    modes = list(dict.fromkeys(shown["mode"]))
    fit = max(1, int(theme.POINTS[width] / (text_width(models) + 30)))  # models beside each other below the chart
    colour = alt.Color(
        "model:N",
        legend=alt.Legend(orient="bottom", direction="horizontal", title=None, columns=fit),
        scale=alt.Scale(domain=models, range=[colours[n] for n in dict.fromkeys(frame["respondent"])]),
    )
    above = alt.Legend(orient="top", direction="horizontal", title=None)
    shape = alt.Shape(
        "mode:N", legend=above, scale=alt.Scale(domain=modes, range=[_SHAPES.get(mode, "circle") for mode in modes])
    )
    panels = [_lines(condition) for condition in conditions]
    layers = [
        once.mark_bar(color=theme.RUNS).encode(x=x, x2=zero, y=top, y2=alt.Y2("bottom:Q")),
        once.mark_rule(color=theme.TRUTH, strokeWidth=1.2).encode(x=x, y=top, y2=alt.Y2("bottom:Q")),
        once.mark_rule(color=theme.TRUTH, strokeWidth=0.8).encode(
            x=alt.X("truth_low:Q", scale=scale), x2=alt.X2("truth_high:Q"), y=middle
        ),
        once.mark_rule(color=theme.MISSING, strokeDash=[2, 2], strokeWidth=0.8).encode(
            x=alt.X("marginal:Q", scale=scale), y=top, y2=alt.Y2("bottom:Q")
        ),
        claims.mark_rule(strokeWidth=0.9).encode(
            x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), y=row, color=colour
        ),
        claims.mark_point(size=22, filled=True, opacity=1).encode(
            x=alt.X("share:Q", scale=scale, axis=percent), y=row, color=colour, shape=shape
        ),
    ]
    header = alt.Header(
        title=None, labelAnchor="start", labelFontSize=7.5, labelLimit=side, labelExpr="split(datum.label, '|')"
    )
    grid = alt.layer(
        *layers, data=named_data("shares"), width=side, height=len(levels) * max(18, 9 * len(series))
    ).facet(facet=alt.Facet("panel:N", sort=panels, header=header), columns=columns, spacing=12)
    return with_data(theme.apply_theme(grid, title, KEY), {"shares": shown})


def distribution(populations: Populations, task: str, width: theme.Width = "page") -> Figure:
    frame = distribution_frame(populations, task)
    question = populations.truths[task].question
    title = f"{question.asks}: {question.source}"
    chart = distribution_chart(frame, theme.colours(populations.models, populations.references), title, width)
    missing = frame.loc[frame["share"].isna(), ["respondent", "mode", "condition"]].drop_duplicates()
    conditions = len(populations.truths[task].conditions)
    part = f" The first {MOST_CONDITIONS} of {conditions} conditions." if conditions > MOST_CONDITIONS else ""
    caption = (
        f"{question.population.text}: bars are shares in the population with {100 * populations.level:g} % intervals, "
        "dashed lines the marginal; marks are what models said, with 95 % Wilson intervals where draws were counted. "
        f"{len(missing)} answers are missing and not drawn.{part}"
    )
    return Figure(safe_name("population", task), frame, chart, caption)


def _ends(share: float | None, n: float | None) -> tuple[float | None, float | None]:
    """Wilson's interval of a share of n draws; a stated share has none."""
    if share is None or not n:
        return None, None
    ends = wilson(round(share * n), round(n))
    return ends.low, ends.high


def _lines(condition: str) -> str:
    """A profile of several variables in lines of two, by its levels alone: the title names the variables."""
    parts = condition.split("; ")
    if len(parts) == 1:
        return condition
    levels = [part.split(": ", 1)[-1] for part in parts]
    return "|".join(", ".join(levels[k : k + 2]) for k in range(0, len(levels), 2))
