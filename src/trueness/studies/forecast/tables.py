"""The tables of a forecast study: who answered and how well, what was measured, what the hypotheses came to.

One row a respondent (`rows`): how much it answered, what its ranges hold, how sharp they are, and against whom it is
better.

    calibrated_coverage      share of claims that hold the mean of the runs (the original's primary measure)
    coverage_runs            share of runs that lie in the claimed range
    interval_score           (u - l) + (2/a)(l - y)+ + (2/a)(y - u)+ averaged over the runs, divided by the largest
                             value the measure can take; lower is better
    skill_<reference>        1 - mean S / mean S_ref over the cells that both answered; 0: no better, 1: perfect
    bias                     claimed middle minus measured mean, scaled; positive: optimistic
    width_ratio_runs         median of width / width of the range of runs (with a floor); below 1: narrower than they
    confidence               coverage against the level claimed, with its interval: over- or underconfident where the
                             level lies outside; inside, consistent, or cannot be told where it is wider than a half

All of the main arm at the study's level. Intervals: Wilson's at the effective number for shares, t for means, both
clustered by data set and cut to what the quantity can be; a mean of equal values has none. Nothing is averaged over
what was not answered: n stands beside.

Coverage by one factor at a time (`coverage_by`) has one row a respondent and value of the factor, and for each value
one of all models together. The intervals count data sets (learners, where the factor is the data set itself).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from trueness.outside import Json
from trueness.showing import theme
from trueness.showing.saving import plain_records
from trueness.showing.summary import Headline, Standing, joined
from trueness.showing.tables import Column, Table
from trueness.statistics import mean, share
from trueness.statistics.result import interval_cells
from trueness.studies.forecast.analysis import ALL_MODELS
from trueness.studies.forecast.frames import Forecasts, formulations
from trueness.studies.forecast.scores import pooled_skills
from trueness.studies.forecast.validation import vacuous

SHARES = {"calibrated_coverage": "covers_mean", "coverage_runs": "coverage_runs", "overlap": "overlaps_mean_ci"}
MEANS = {"interval_score": "interval_score_scaled", "bias": "bias_scaled", "width": "width_scaled"}
MEDIANS = ("iou_mean_ci", "iou_runs", "calibration_mean_ci", "calibration_runs")
CLASSES = ("overconfident", "calibrated", "underconfident")
OVER, UNDER, CONSISTENT, UNKNOWN = "overconfident", "underconfident", "consistent", "cannot be told"
WIDEST = 0.5  # an interval from .3 to 1 holds .95 and says nothing
FACTORS: Mapping[str, str] = {  # the file's name -> the column
    "model": "respondent",
    "algorithm": "learner",
    "dataset": "dataset",
    "metric": "measure",
    "formulation": "formulation",
}
SKILL_AGAINST = ("climatology", "heuristic", "random")  # the first of climatology and heuristic stands in every table
Row = dict[str, Json]


def rows(forecasts: Forecasts) -> list[Row]:
    """One row a respondent, models first, then references; None where there is nothing to average."""
    scores = forecasts.headline
    parts = {str(name): part for name, part in scores.groupby("respondent")}
    by_reference = pooled_skills(scores, forecasts.references)
    table = []
    for name in forecasts.respondents:
        row: Row = {"respondent": name, "kind": "reference" if name in forecasts.references else "model"}
        row |= _summary(forecasts, parts.get(name, scores.iloc[:0]))
        for reference, skills in by_reference.items():
            skill = skills.get(name, math.nan)
            row[f"skill_{reference.rsplit('/', 1)[-1]}"] = None if math.isnan(skill) else skill
        table.append(row)
    return table


def _summary(forecasts: Forecasts, part: pd.DataFrame) -> Row:
    answered = part["answered"]
    missing = part.loc[~answered, "status"].astype(str).value_counts().sort_index()
    row: Row = {
        "asked": len(part),
        "answered": int(answered.sum()),
        "missing": "; ".join(f"{status} {n}" for status, n in missing.items()),
        "datasets": int(part.loc[answered, "dataset"].nunique()),
    }
    clusters = part["dataset"].to_numpy()  # claims about one share its truth: it is what was drawn
    for name, column in SHARES.items():
        row |= share(part[column].to_numpy(dtype=np.float64), clusters, forecasts.level).cells(name)
    for name, column in MEANS.items():
        values = part[column].to_numpy(dtype=np.float64)
        possible = np.nanmax(np.abs(values), initial=0) <= 1  # claims of what cannot be may pass the bounds of a bias
        bounds = (0.0, None) if name != "bias" else (-1.0, 1.0) if possible else (None, None)
        row |= mean(values, clusters, level=forecasts.level, bounds=bounds).cells(name)
    row |= {f"median_{name}": _median(part[name]) for name in MEDIANS}
    for truth in ("mean_ci", "runs"):
        log_ratio = _median(part[f"log_width_ratio_{truth}"])
        row[f"log_width_ratio_{truth}"] = log_ratio
        row[f"width_ratio_{truth}"] = None if log_ratio is None else math.exp(log_ratio)
        classes = part[f"class_{truth}"].dropna()
        row |= {f"{word}_{truth}": float((classes == word).mean()) if len(classes) else None for word in CLASSES}
    return row | {"confidence": _confidence(forecasts, part)}


def _confidence(forecasts: Forecasts, part: pd.DataFrame) -> str:
    """Of what the claims speak of: single runs, or their mean."""
    span = share(part["hit"].to_numpy(dtype=np.float64), part["dataset"].to_numpy(), forecasts.level).interval
    if span is None:
        return UNKNOWN
    if span.high < forecasts.level:
        return OVER
    if span.low > forecasts.level:
        return UNDER
    return CONSISTENT if span.high - span.low <= WIDEST else UNKNOWN


def _median(column: pd.Series) -> float | None:
    present = column.dropna()
    return float(present.median()) if len(present) else None


def coverage_by(forecasts: Forecasts, factor: str) -> pd.DataFrame:
    """factor: a key of FACTORS."""
    column = FACTORS[factor]
    scores = pd.concat([forecasts.headline, forecasts.of_models(forecasts.headline).assign(respondent=ALL_MODELS)])
    within = "learner" if column == "dataset" else "dataset"
    found: list[dict[str, object]] = []
    for name in (*forecasts.respondents, ALL_MODELS):
        mine = scores[scores["respondent"] == name]
        values = {
            "respondent": [name], "dataset": forecasts.dataset_names, "learner": forecasts.learner_names,
            "measure": forecasts.measures, "formulation": formulations(mine),
        }[column]  # fmt: skip
        for value in values:
            part = mine[mine[column] == value]
            found.append({"respondent": name, column: value} | _coverage(part, within, forecasts.level))
    shown = {"respondent": "", column: ""} | _coverage(scores.iloc[:0], within, forecasts.level)
    return pd.DataFrame(found, columns=list(shown))


def _coverage(part: pd.DataFrame, within: str, level: float) -> dict[str, object]:
    answered, clusters = part["answered"].to_numpy(dtype=bool), part[within].to_numpy(dtype=object)
    row: dict[str, object] = {"asked": len(part), "n": int(answered.sum()), "clusters": len(set(clusters[answered]))}
    row["clustered_by"] = within
    for name, score in SHARES.items():
        row |= share(part[score].to_numpy(dtype=np.float64), clusters, level).cells(name)
    return row


# ---- tables


def main_results(forecasts: Forecasts, table: Sequence[Row]) -> Table:
    """One row a respondent (table: of `rows`); bold among the models alone."""
    names = theme.labels(forecasts.respondents, longest=30)
    shown = [row | {"name": names[row["respondent"]], "contends": row["kind"] == "model"} for row in table]
    skills = [name for name in SKILL_AGAINST if shown and f"skill_{name}" in shown[0]]
    of_skill = {name: Column(f"skill_{name}", f"Skill ({name})", decimals=2) for name in skills}
    skill = of_skill.pop(next((name for name in SKILL_AGAINST[:2] if name in skills), ""), None)
    columns = (
        Column("name", "Respondent", "text"),
        Column("asked", "asked", "count"),
        Column("answered", "n", "count"),
        # a coverage has no best: what is wanted is the level that was claimed, not the most
        Column("calibrated_coverage", "Coverage of the mean, %", "percent", *_ends("calibrated_coverage")),
        Column("coverage_runs", "Coverage of runs, %", "percent", *_ends("coverage_runs")),
        Column("interval_score", "Interval score", "number", *_ends("interval_score"), "lower"),
        *([skill] if skill else []),
        Column("bias", "Bias", "number", *_ends("bias")),
        Column("width_ratio_runs", "Width / runs", decimals=2),
    )
    on_screen = (*of_skill.values(), Column("confidence", "Confidence", "text"))
    first = [*(column.key for column in of_skill.values()), "asked", "bias", "width_ratio_runs"]
    drop = [(key,) for key in (*first, *([skill.key] if skill else []), "coverage_runs", "confidence", "answered")]
    caption = (
        f"Forecasts against measured runs: share of {forecasts.percent} ranges that hold the mean of the runs, "
        "share of runs inside the ranges, interval score scaled by the largest value of the measure (lower is better), "
        "bias (positive: optimistic) and median ratio of the claimed width to the range of runs. n: claims read of "
        f"those asked. Brackets: {forecasts.percent} intervals clustered by "
        f"{len(forecasts.dataset_names)} data sets; a mean without them is the same on each. Bold: the best model, "
        f"where its interval is apart from all others. {forecasts.arm_text} {forecasts.range_note}".rstrip()
    )
    return Table(
        "main_results", columns, shown, caption, contends="contends", rule_before="kind", drop=drop, on_screen=on_screen
    )


def _ends(name: str) -> tuple[str, str]:
    return f"{name}_low", f"{name}_high"


def measured_table(forecasts: Forecasts) -> Table:
    """One row a data set and learner: the mean of each measure with the CI of the mean; how many claims held it."""
    models = forecasts.of_models(forecasts.headline)
    held = models["covers_mean"].groupby([models["dataset"], models["learner"]]).agg(["mean", "count"])
    shown = [_measured_row(forecasts, d, a, held) for d, a in forecasts.items]
    columns = [Column("dataset", "Data set", "text"), Column("learner", "Learner", "text"), Column("n", "n", "count")]
    for m in forecasts.measures:
        label = theme.measure_label(m)
        columns += [Column(m, label, "number", *_ends(m)), Column(f"{m}_sd", f"{label} sd")]
    columns += [Column("covered", "Models' coverage, %", "percent", decimals=0), Column("claims", "claims", "count")]
    caption = (
        f"What the learners did: mean over n runs with the {forecasts.percent} bootstrap CI of the mean, the sd of the "
        "runs, and the share of the models' claims, over measures, formulations and repeats, that hold it. A mean "
        f"without brackets is that of every run. {forecasts.arm_text}"
    )
    return Table("results_summary", tuple(columns), shown, caption, rule_before="dataset")


def _measured_row(forecasts: Forecasts, dataset: str, learner: str, held: pd.DataFrame) -> Row:
    row: Row = {"dataset": dataset, "learner": learner, "n": 0}
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


def hypotheses(forecasts: Forecasts, table: pd.DataFrame) -> Table:
    columns = (
        Column("hypothesis", "", "text"), Column("title", "Hypothesis", "text"), Column("verdict", "Verdict", "text"),
        Column("estimate", "Estimate", "number", "low", "high"), Column("n", "n", "count"),
        Column("unit", "of", "text"), Column("p_holm", "p (Holm)", decimals=3),
    )  # fmt: skip
    caption = (
        "The hypotheses, each with its estimate and interval over n units, and its one-sided p (sign flips over data "
        "sets; of H4 a permutation over models), adjusted by Holm. A verdict stays open where the design cannot reach "
        f".05. {forecasts.arm_text}"
    )
    return Table("hypotheses", columns, plain_records(table), caption)


# ---- what is said first


def headline_of(forecasts: Forecasts, table: Sequence[Mapping[str, Json]]) -> Headline:
    """Whether models' ranges hold what they say, and whether they beat naive ones. table: of `rows`."""
    of_run, level = forecasts.main_arm.get("target") == "run", forecasts.percent
    covered = "coverage_runs" if of_run else "calibrated_coverage"
    models = [row for row in table if row["kind"] == "model"]
    readable = [row for row in models if row[covered] is not None]
    if not readable:
        return Headline("No model gave a range that can be read.")
    empty = vacuous(forecasts)
    there = [row for row in readable if row["respondent"] not in empty]  # who says nothing is not praised for it
    standings = tuple(
        Standing(row["respondent"], row[covered], row[f"{covered}_low"], row[f"{covered}_high"])
        for row in sorted(readable, key=lambda row: (row not in there, row["interval_score"]))
    )
    parts = [_verdict(there, covered, level, bool(empty))] if there else []
    skills = {row["respondent"]: row.get("skill_climatology") for row in there}
    if any(skill is not None for skill in skills.values()):
        better = [name for name, skill in skills.items() if (skill or 0.0) > 0]
        parts.append(
            f"{joined(better) or 'none'} {'score' if better[1:] else 'scores'} better than ranges of the other data "
            "sets (climatology)"
        )
    if empty:
        says = "" if there else f"Ranges that say {level}: "
        parts.append(f"{says}{joined(empty)} answered the whole range everywhere, which says nothing")
    if len(readable) < len(models):
        parts.append(f"{len(models) - len(readable)} of {len(models)} gave no range that can be read")
    of = f"share of single runs in {level} ranges" if of_run else f"share of {level} ranges that hold the runs' mean"
    last = ", who says nothing last" if empty else ""
    key = f"{of}; the best interval score first{last}; intervals over data sets"
    return Headline(f"{'; '.join(parts)}.", key, standings)


def _verdict(there: Sequence[Mapping[str, Json]], covered: str, level: str, others: bool) -> str:
    """Whose ranges hold what they say; others answered the whole range and are left out."""
    honest, untold = (
        joined([row["respondent"] for row in there if row["confidence"] == word]) for word in (CONSISTENT, UNKNOWN)
    )
    parts = [f"the coverage of {honest} is consistent with it"] if honest else []
    parts += [f"so few data sets cannot tell it of {untold}"] if untold else []
    if parts:
        return f"Ranges that say {level}: {'; '.join(parts)}"
    shares = sorted((f"{100 * row[covered]:.0f}" for row in there), key=float)
    held = " to ".join(dict.fromkeys((shares[0], shares[-1])))
    whose = f"those of {joined([row['respondent'] for row in there])}" if others else "they"
    what = f"hold {held} % of the runs" if covered == "coverage_runs" else f"hold the runs' mean in {held} % of cases"
    return f"No model's {level} ranges are honest: {whose} {what}"
