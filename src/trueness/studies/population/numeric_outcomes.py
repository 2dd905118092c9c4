"""Outcomes that are numbers: E[V1 | V2 = v] and quantiles, of the population and of each answer, side by side.

truth     weighted mean and quantiles of the rows; 95 % of the bootstrap draws of the mean
answer    mean and quantiles of the numbers that were drawn (95 % t interval of the mean), or of the stated
          distribution (no interval); a reference has its cells' middles
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.marks import named_data, row_axis, row_scale, with_data
from trueness.showing.saving import Figure, safe_name
from trueness.showing.tables import Column, Table
from trueness.statistics import mean
from trueness.statistics.result import interval_cells
from trueness.studies.population.answers import Populations
from trueness.studies.population.elicitation import Answer
from trueness.studies.population.truth import QUANTILES, Array, PopulationTruth

if TYPE_CHECKING:
    import altair as alt

KEY = "line: middle 80 %; bar: middle half; dot: mean; black: population"

NAMES = tuple(f"p{100 * q:.0f}" for q in QUANTILES)
TRUTH = "population"


def answer_numbers(truth: PopulationTruth, answer: Answer) -> tuple[float, Array]:
    """Mean and quantiles of an answer that is there."""
    assert answer.distribution is not None
    if answer.numbers:
        return float(np.mean(answer.numbers)), np.quantile(np.array(answer.numbers), QUANTILES, method="inverted_cdf")
    middles, shares = np.array(truth.question.outcome.middles), np.array(answer.distribution.probs)
    return float(shares @ middles), np.quantile(middles, QUANTILES, method="inverted_cdf", weights=shares)


def condition_rows(truth: PopulationTruth, level: float) -> list[dict[str, Json]]:
    """One row a condition: what is true."""
    assert truth.means is not None and truth.quantiles is not None
    low, high = np.quantile(truth.mean_draws(), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return [
        {"condition": condition, "true_mean": truth.means[c], "true_mean_low": low[c], "true_mean_high": high[c]}
        | {f"true_{name}": value for name, value in zip(NAMES, truth.quantiles[c], strict=True)}
        for c, condition in enumerate(truth.conditions)
    ]


def answer_row(truth: PopulationTruth, answer: Answer | None) -> dict[str, Json]:
    """What was said of one condition; its status where nothing was."""
    status = "not asked" if answer is None else str(answer.status)
    if answer is None or answer.distribution is None:
        return {"status": status, "n": None, "mean": None} | interval_cells(None, "mean") | dict.fromkeys(NAMES)
    centre, quantiles = answer_numbers(truth, answer)
    interval = mean(answer.numbers).interval if answer.draws and answer.numbers else None
    ends = interval_cells(None if interval is None or interval.degenerate else interval, "mean")
    numbers = dict(zip(NAMES, quantiles.tolist(), strict=True))
    return {"status": status, "n": answer.draws, "mean": centre} | ends | numbers


def numbers_frame(populations: Populations) -> pd.DataFrame:
    """One row a numeric task, condition, respondent, mode and repeat."""
    truths = {task: truth for task, truth in populations.truths.items() if truth.means is not None}
    known = {task: condition_rows(truth, populations.level) for task, truth in truths.items()}
    rows = [
        {"task": key.task, "condition": row["condition"], "respondent": key.respondent,
         "mode": key.mode or "reference", "repeat": key.repeat}
        | row | answer_row(truths[key.task], answers.get(row["condition"]))
        for key, answers in populations.answers.items() if key.task in truths
        for row in known[key.task]
    ]  # fmt: skip
    return pd.DataFrame(rows)


def numbers_tables(populations: Populations) -> list[Table]:
    """Conditional means and medians of the models, of tasks whose outcome is a number; none where there is no such."""
    frame = numbers_frame(populations)
    if frame.empty:
        return []
    frame = frame[(frame["repeat"] == 0) & ~frame["respondent"].isin(populations.references)]
    shown = theme.labels(populations.models, longest=24)
    rows = [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]
    columns = (
        Column("task", "Task", "text"),
        Column("condition", "Condition", "text"),
        Column("name", "Respondent", "text"),
        Column("mode", "Mode", "text"),
        Column("true_mean", "Mean", "number", "true_mean_low", "true_mean_high"),
        Column("mean", "Mean by the model", "number", "mean_low", "mean_high"),
        Column("true_p50", "Median", "number"),
        Column("p50", "Median by the model", "number"),
    )
    caption = (
        "Conditional means and medians of outcomes that are numbers: of the population, and as the models have them. "
        f"Brackets: {100 * populations.level:g} % intervals, of the survey and of the draws; a stated mean has none."
    )
    named_rows = [row | {"name": shown[row["respondent"]]} for row in rows]
    return [Table("population_means", columns, named_rows, caption, rule_before="condition")]


def numbers_figure(populations: Populations, task: str, width: theme.Width = "page") -> Figure:
    """One panel a condition; the middle 80 % as a line, the middle half as a bar, the mean as a dot."""
    truth = populations.truths[task]
    frame = numbers_frame(populations)
    frame = frame[(frame["task"] == task) & (frame["repeat"] == 0) & ~frame["respondent"].isin(populations.references)]
    names = theme.labels(populations.models)
    rows = [
        {"condition": row["condition"], "who": TRUTH, "colour": theme.TRUTH, "mean": row["true_mean"]}
        | {name: row[f"true_{name}"] for name in NAMES}
        for row in condition_rows(truth, populations.level)
    ]
    colours = theme.colours(populations.models, populations.references)
    for row in frame[frame["mean"].notna()].to_dict("records"):
        who = f"{names[row['respondent']]}, {row['mode']}"
        rows.append(
            {"condition": row["condition"], "who": who, "colour": colours[row["respondent"]], "mean": row["mean"]}
            | {name: row[name] for name in NAMES}
        )
    chart = numbers_chart(pd.DataFrame(rows), truth, width)
    missing = int(frame["mean"].isna().sum())
    caption = (
        f"{truth.question.population.text}: lines span the middle 80 %, bars the middle half, dots are means; black is "
        f"the population. {missing} answers are missing and not drawn."
    )
    return Figure(safe_name("population", task), frame, chart, caption)


def numbers_chart(shown: pd.DataFrame, truth: PopulationTruth, width: theme.Width) -> alt.FacetChart:
    import altair as alt

    names = list(dict.fromkeys(shown["who"]))
    shown = shown.assign(row=shown["who"].map({name: k + 0.5 for k, name in enumerate(names)}))
    y = alt.Y("row:Q", scale=row_scale(len(names)), axis=row_axis(names))
    colour = alt.Color("colour:N", scale=None)
    base = alt.Chart().encode(y=y, color=colour)
    layers = [
        base.mark_rule(strokeWidth=1).encode(
            x=alt.X("p10:Q", axis=alt.Axis(title=truth.question.outcome.name, tickCount=5)), x2=alt.X2("p90:Q")
        ),
        base.mark_rule(strokeWidth=5, opacity=0.5).encode(x=alt.X("p25:Q"), x2=alt.X2("p75:Q")),
        base.mark_point(filled=True, size=30, opacity=1).encode(x=alt.X("mean:Q")),
    ]
    header = alt.Header(title=None, labelAnchor="start", labelFontSize=7.5)
    panels = list(dict.fromkeys(shown["condition"]))
    wide = theme.POINTS[width] - theme.LABEL - 30
    grid = alt.layer(*layers, data=named_data("numbers"), width=wide, height=max(18, 14 * len(names))).facet(
        facet=alt.Facet("condition:N", sort=panels, header=header), columns=1, spacing=8
    )
    title = f"{truth.question.asks}: {truth.question.source}"
    return with_data(theme.apply_theme(grid, title, KEY), {"numbers": shown})
