"""Truth beside model, one panel a condition of a task.

distribution: bars are P(level | condition) in the population, with the 95 % interval of the truth; the light tick in
each bar's row is the marginal P(level). Marks are what a model said, one row a model and mode: colour the model, shape
the mode. An outcome that is a number has tables and no chart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.marks import named_data, panel_columns, text_width, with_data
from trueness.showing.saving import Figure, safe_name
from trueness.statistics.proportions import wilson
from trueness.studies.population.answers import Populations

if TYPE_CHECKING:
    import altair as alt

KEY = "grey bars: the population; light ticks: its marginal; marks: what models said"

COLUMNS = (
    "condition", "level", "respondent", "mode", "share", "low", "high", "n", "status", "truth", "truth_low",
    "truth_high", "marginal", "rows", "n_eff",
)  # fmt: skip
MOST_PANELS, WIDTH = 4, theme.POINTS["page"]
MOST_CONDITIONS = 12  # drawn; a high-dimensional task has a hundred profiles, all of them in the CSV
_SHAPES = {
    "qa": "circle", "sample": "square", "story": "triangle-down", "likelihood": "diamond",
    "distribution": "triangle-up",
}  # fmt: skip


def distribution_frame(populations: Populations, task: str) -> pd.DataFrame:
    """One row a condition, level, model and mode; a condition without an answer has its status and no share."""
    truth = populations.truths[task]
    low, high = np.quantile(truth.draws, [(1 - populations.level) / 2, (1 + populations.level) / 2], axis=0)
    rows: list[tuple[object, ...]] = []
    for key, answers in populations.answers.items():
        if key.task != task or key.repeat or key.respondent in populations.references:
            continue
        for c, condition in enumerate(truth.conditions):
            answer = answers.get(condition)
            claimed, status = (answer.distribution, str(answer.status)) if answer else (None, "not asked")
            n = None if claimed is None else claimed.n
            for k, level in enumerate(truth.levels):
                share = None if claimed is None else claimed.prob(level)
                rows.append((
                    condition, level, key.respondent, key.mode, share, *_ends(share, n), n, status, truth.probs[c, k],
                    low[c, k], high[c, k], truth.marginal[k], truth.rows[c], truth.n_eff[c],
                ))  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def distribution_chart(frame: pd.DataFrame, colours: dict[str, str], title: str) -> alt.FacetChart:
    import altair as alt

    conditions = list(dict.fromkeys(frame["condition"]))[:MOST_CONDITIONS]
    frame = frame[frame["condition"].isin(conditions)]
    levels, modes = list(dict.fromkeys(frame["level"])), list(dict.fromkeys(frame["mode"]))
    names = theme.labels(frame["respondent"])
    shown = frame.assign(
        model=frame["respondent"].map(names),
        panel=frame["condition"].map(_lines),
        series=frame["respondent"] + " " + frame["mode"],
    )
    models, series = list(dict.fromkeys(shown["model"])), list(dict.fromkeys(shown["series"]))
    columns = panel_columns(len(conditions), MOST_PANELS)
    side = (WIDTH - text_width([level[:26] for level in levels]) - 24 - 12 * (columns - 1)) / columns
    largest = float(np.nanmax(shown[["share", "truth_high", "high"]].to_numpy(dtype=float), initial=0.1))
    scale = alt.Scale(domain=[0, min(1.0, 1.02 * largest)], nice=False)
    percent = alt.Axis(format=".0%", tickCount=3, title="share")
    shorten = "length(datum.label) > 26 ? slice(datum.label, 0, 25) + '…' : datum.label"
    y = alt.Y("level:N", sort=levels, scale=alt.Scale(padding=0.16), axis=alt.Axis(title=None, labelExpr=shorten))
    beside = alt.YOffset("series:N", sort=series)
    colour = alt.Color(
        "model:N",
        legend=alt.Legend(
            orient="bottom", direction="horizontal", title=None,
            columns=max(1, int(WIDTH / (text_width(models) + 30))),  # beside each other below the chart
        ),
        scale=alt.Scale(domain=models, range=[colours[n] for n in dict.fromkeys(frame["respondent"])]),
    )  # fmt: skip
    shape = alt.Shape(
        "mode:N",
        legend=alt.Legend(orient="top", direction="horizontal", title=None),
        scale=alt.Scale(domain=modes, range=[_SHAPES.get(mode, "circle") for mode in modes]),
    )

    def x(name: str) -> alt.X:
        return alt.X(f"{name}:Q", scale=scale, axis=percent)

    least: dict[str, Json] = {key: f"min({key})" for key in ("truth", "truth_low", "truth_high", "marginal")}
    once = alt.Chart().transform_aggregate(groupby=["panel", "level"], **least).encode(y=y)
    claims = alt.Chart().transform_filter("isValid(datum.share)").encode(y=y, yOffset=beside, color=colour)
    layers = [
        once.mark_bar(color=theme.RUNS).encode(x=x("truth")),
        once.mark_tick(color=theme.TRUTH, thickness=1.2).encode(x=x("truth")),
        once.mark_rule(color=theme.TRUTH, strokeWidth=0.8).encode(x=x("truth_low"), x2="truth_high:Q"),
        once.mark_tick(color=theme.MISSING, thickness=0.8).encode(x=x("marginal")),
        claims.mark_rule(strokeWidth=0.9).encode(x=x("low"), x2="high:Q"),
        claims.mark_point(size=22, filled=True, opacity=1).encode(x=x("share"), shape=shape),
    ]
    header = alt.Header(
        title=None, labelAnchor="start", labelFontSize=7.5, labelLimit=side, labelExpr="split(datum.label, '|')"
    )
    panels = [_lines(condition) for condition in conditions]
    grid = alt.layer(
        *layers, data=named_data("shares"), width=side, height=len(levels) * max(18, 9 * len(series))
    ).facet(facet=alt.Facet("panel:N", sort=panels, header=header), columns=columns, spacing=12)
    return with_data(theme.apply_theme(grid, title, KEY), {"shares": shown})


def distribution(populations: Populations, task: str) -> Figure:
    frame = distribution_frame(populations, task)
    question = populations.truths[task].question
    title = f"{question.asks}: {question.source}"
    chart = distribution_chart(frame, theme.colours(populations.models, populations.references), title)
    missing = frame.loc[frame["share"].isna(), ["respondent", "mode", "condition"]].drop_duplicates()
    conditions = len(populations.truths[task].conditions)
    part = f" The first {MOST_CONDITIONS} of {conditions} conditions." if conditions > MOST_CONDITIONS else ""
    caption = (
        f"{question.population.text}: bars are shares in the population with {100 * populations.level:g} % intervals, "
        "light ticks the marginal; marks are what models said, with 95 % Wilson intervals where draws were counted. "
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
