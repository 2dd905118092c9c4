"""The tables of a forecast study: who answered and how well, what was measured, what the hypotheses came to."""

from __future__ import annotations

import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.tables import Column, Table
from trueness.statistics.result import interval_cells
from trueness.statistics.sign_flip import ENUMERATED
from trueness.studies.forecast.analysis import ALL_MODELS
from trueness.studies.forecast.findings import Findings, statistical_tests
from trueness.studies.forecast.frames import Forecasts
from trueness.studies.forecast.summary import coverage_by

TESTS_SHOWN = 20
SKILL_AGAINST = ("climatology", "heuristic", "random")  # the first of climatology and heuristic stands in every table


def of_paper(findings: Findings) -> list[Table]:
    forecasts = findings.forecasts
    made = [main_results(findings), by_formulation(forecasts), measured_table(forecasts)]
    return [*made, hypotheses(findings), tests(findings)]


def main_results(findings: Findings) -> Table:
    """One row a respondent; bold among the models alone."""
    forecasts = findings.forecasts
    names = theme.labels(forecasts.respondents, longest=30)
    rows = [row | {"name": names[row["respondent"]], "contends": row["kind"] == "model"} for row in findings.rows]
    skills = [name for name in SKILL_AGAINST if rows and f"skill_{name}" in rows[0]]
    of_skill = {name: Column(f"skill_{name}", f"Skill ({name})", decimals=2) for name in skills}
    skill = of_skill.pop(next((name for name in SKILL_AGAINST[:2] if name in skills), ""), None)
    columns = [
        Column("name", "Respondent", "text"),
        Column("asked", "asked", "count"),
        Column("answered", "n", "count"),
        _share("calibrated_coverage", "Coverage of the mean, %"),
        _share("coverage_runs", "Coverage of runs, %"),
        Column("interval_score", "Interval score", "number", "interval_score_low", "interval_score_high", "lower"),
        Column("bias", "Bias", "number", "bias_low", "bias_high"),
        Column("width_ratio_runs", "Width / runs", decimals=2),
    ]
    if skill:
        columns.insert(6, skill)
    on_screen = (*of_skill.values(), Column("confidence", "Confidence", "text"))
    first = [*(column.key for column in of_skill.values()), "asked", "bias", "width_ratio_runs"]
    drop = [(key,) for key in (*first, *([skill.key] if skill else []), "coverage_runs", "confidence", "answered")]
    caption = (
        f"Forecasts against measured runs: share of {forecasts.percent} ranges that hold the mean of the runs, "
        "share of runs inside the ranges, interval score scaled by the largest value of the measure (lower is better), "
        "bias (positive: optimistic) and median ratio of the claimed width to the range of runs. n: claims read of "
        f"those asked. Brackets: {forecasts.percent} intervals clustered by "
        f"{len(forecasts.dataset_names)} data sets; a mean without them is the same on each. "
        f"Bold: the best model, where its interval is apart from all "
        f"others. {forecasts.arm_text} "
        f"{forecasts.range_note}".rstrip()
    )
    return Table(
        "main_results",
        tuple(columns),
        rows,
        caption,
        contends="contends",
        rule_before="kind",
        drop=drop,
        on_screen=on_screen,
    )


def measured_table(forecasts: Forecasts) -> Table:
    """One row a data set and learner: the mean of each measure with the CI of the mean; how many claims held it."""
    scores = forecasts.headline
    models = forecasts.of_models(scores)
    held = models["covers_mean"].groupby([models["dataset"], models["learner"]]).agg(["mean", "count"])
    rows = [_measured_row(forecasts, d, a, held) for d, a in forecasts.items]
    columns = [Column("dataset", "Data set", "text"), Column("learner", "Learner", "text"), Column("n", "n", "count")]
    for m in forecasts.measures:
        columns += [
            Column(m, theme.measure_label(m), "number", f"{m}_low", f"{m}_high"),
            Column(f"{m}_sd", f"{theme.measure_label(m)} sd"),
        ]
    columns += [Column("covered", "Models' coverage, %", "percent", decimals=0), Column("claims", "claims", "count")]
    caption = (
        f"What the learners did: mean over n runs with the {forecasts.percent} bootstrap CI of the mean, the "
        "sd of the runs, and "
        "the share of the models' claims, over measures, formulations and repeats, that hold it. A mean "
        f"without brackets is that of every run. {forecasts.arm_text}"
    )
    return Table("results_summary", tuple(columns), rows, caption, rule_before="dataset")


def by_formulation(forecasts: Forecasts) -> Table:
    frame = coverage_by(forecasts, "formulation")
    names = theme.labels(forecasts.respondents, longest=30) | {ALL_MODELS: ALL_MODELS}
    frame = forecasts.of_models(frame)
    rows = [row | {"name": names[row["respondent"]]} for row in _records(frame)]
    columns = (
        Column("name", "Respondent", "text"),
        Column("formulation", "Formulation", "text"),
        Column("n", "n", "count"),
        _share("calibrated_coverage", "Coverage of the mean, %"),
        _share("coverage_runs", "Coverage of runs, %"),
    )
    caption = (
        f"Coverage by formulation of the prompt. n: claims read; brackets: {forecasts.percent} Wilson "
        f"intervals at the effective number of claims, clustered by data set. {forecasts.arm_text}"
    )
    title = "Coverage by formulation"
    return Table(
        "coverage_by_formulation", columns, rows, caption, rule_before="respondent", title=title, once=("name",)
    )


def hypotheses(findings: Findings) -> Table:
    rows = _records(findings["hypotheses"].table)
    columns = (
        Column("hypothesis", "", "text"),
        Column("title", "Hypothesis", "text"),
        Column("verdict", "Verdict", "text"),
        Column("estimate", "Estimate", "number", "low", "high"),
        Column("n", "n", "count"),
        Column("unit", "of", "text"),
        Column("p_holm", "p (Holm)", decimals=3),
    )
    caption = (
        "The hypotheses, each with its estimate and interval over n units, and its one-sided p (sign flips over data "
        "sets; of H4 a permutation over models), adjusted by Holm. A verdict stays open where the design cannot reach "
        f".05. {findings.forecasts.arm_text}"
    )
    return Table("hypotheses", columns, rows, caption)


def tests(findings: Findings) -> Table:
    """The comparisons of models with references by the interval score, the test that counts data sets."""
    frame = statistical_tests(findings)
    kept = frame[(frame["analysis"] == "comparisons") & (frame["adjustment"] == "Holm")]
    kept = kept[kept["what"].astype(str).str.contains("interval_score")]
    columns = (
        Column("a", "a", "text"),
        Column("b", "b", "text"),
        Column("n_items", "n", "count"),
        Column("n_datasets", "sets", "count"),
        Column("estimate", "a - b", "number", "low", "high"),
        Column("p", "p", decimals=3),
        Column("p_adjusted", "p (Holm)", decimals=3),
    )
    more = f" The first {TESTS_SHOWN} of {len(kept)}; all in statistical_tests.csv." if len(kept) > TESTS_SHOWN else ""
    exact = "exact " if (kept["n_datasets"] <= ENUMERATED).all() else ""
    caption = (
        "Paired differences of the scaled interval score (negative: a is better), n items in so many data sets, "
        f"with the {exact}sign-flip test over data sets, two-sided, adjusted by Holm. "
        f"{findings.forecasts.arm_text}{more}"
    )
    return Table("statistical_tests", columns, _records(kept.head(TESTS_SHOWN)), caption, rule_before="a")


def _share(key: str, title: str) -> Column:
    """A coverage has no best: what is wanted is the level that was claimed, not the most."""
    return Column(key, title, "percent", f"{key}_low", f"{key}_high")


def _measured_row(forecasts: Forecasts, dataset: str, learner: str, held: pd.DataFrame) -> dict[str, Json]:
    row: dict[str, Json] = {"dataset": dataset, "learner": learner, "n": 0}
    for measure in forecasts.measures:
        truth = forecasts.truths.get((dataset, learner, measure))
        if truth is not None and len(truth.runs):
            row["n"] = max(row["n"], len(truth.runs))
            ci = None if truth.degenerate else truth.mean_ci  # runs that never differ are a constant
            row |= {measure: truth.mean, **interval_cells(ci, measure)}
            row[f"{measure}_sd"] = float(truth.runs.std(ddof=1)) if len(truth.runs) > 1 else None
    if (dataset, learner) in held.index:
        row |= {"covered": float(held["mean"][dataset, learner]), "claims": int(held["count"][dataset, learner])}
    return row


def _records(frame: pd.DataFrame) -> list[dict[str, Json]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
