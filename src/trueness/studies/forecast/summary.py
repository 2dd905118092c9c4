"""One row a respondent: how much it answered, what its ranges hold, how sharp they are, and against whom it is better.

    calibrated_coverage      share of claims that hold the mean of the runs (the original's primary measure)
    coverage_runs            share of runs that lie in the claimed range
    interval_score           (u - l) + (2/a)(l - y)+ + (2/a)(y - u)+ averaged over the runs, divided by the largest
                             value the measure can take; lower is better
    skill_<reference>        1 - mean S / mean S_ref over the cells that both answered; 0: no better, 1: perfect
    bias                     claimed middle minus measured mean, scaled; positive: optimistic
    width_ratio_runs         median of width / width of the range of runs (with a floor); below 1: narrower than they
    class_runs               what most claims are by their width against that of the runs, and class_share of them
    confidence               coverage against the level claimed, with its interval: over- or underconfident where the
                             level lies outside; inside, consistent, or cannot be told where it is wider than a half

All of the main arm at the study's level. Intervals: Wilson's at the effective number for shares, t for means, both
clustered by data set and cut to what the quantity can be; a mean of equal values has none. Nothing is averaged over
what was not answered: n stands beside.

Coverage by one factor at a time stands beside: one row a respondent and value of the factor, and for each value one of
all models together. Two intervals stand beside each share: Wilson's, as if all claims were independent, and the one
that counts data sets (learners, where the factor is the data set itself), which is the one to quote.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from trueness.outside import Json
from trueness.showing.summary import Headline, Standing, joined
from trueness.statistics import mean, share
from trueness.statistics.result import interval_cells
from trueness.studies.forecast.analysis import ALL_MODELS
from trueness.studies.forecast.frames import Forecasts, formulations, is_answered
from trueness.studies.forecast.scores import pooled_skills
from trueness.studies.forecast.validation import vacuous

SHARES = {
    "calibrated_coverage": "covers_mean",
    "coverage_runs": "coverage_runs",
    "overlap": "overlaps_mean_ci",
}
MEANS = {"interval_score": "interval_score_scaled", "bias": "bias_scaled", "width": "width_scaled"}
MEDIANS = ("iou_mean_ci", "iou_runs", "calibration_mean_ci", "calibration_runs")
CLASSES = ("overconfident", "calibrated", "underconfident")
OVER, UNDER, CONSISTENT, UNKNOWN = "overconfident", "underconfident", "consistent", "cannot be told"
WIDEST = 0.5  # an interval from .3 to 1 holds .95 and says nothing
FACTORS: Mapping[str, str | None] = {  # the file's name -> the column
    "model": None,
    "algorithm": "learner",
    "dataset": "dataset",
    "metric": "measure",
    "formulation": "formulation",
}
NAIVE = "skill_climatology"


def rows(forecasts: Forecasts) -> list[dict[str, Json]]:
    """Models first, then references; None where there is nothing to average."""
    scores = forecasts.headline
    parts = {str(name): part for name, part in scores.groupby("respondent")}
    by_reference = pooled_skills(scores, forecasts.references)
    table = []
    for name in forecasts.respondents:
        row: dict[str, Json] = {"respondent": name, "kind": "reference" if name in forecasts.references else "model"}
        row |= _summary(forecasts, parts.get(name, scores.iloc[:0]))
        for reference, skills in by_reference.items():
            skill = skills.get(name, math.nan)
            row[f"skill_{reference.rsplit('/', 1)[-1]}"] = None if math.isnan(skill) else skill
        table.append(row)
    return table


def _summary(forecasts: Forecasts, part: pd.DataFrame) -> dict[str, Json]:
    answered = is_answered(part)
    missing = part.loc[~answered, "status"].astype(str).value_counts().sort_index()
    row: dict[str, Json] = {
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
    shares = {word: row[f"{word}_runs"] for word in CLASSES if row[f"{word}_runs"]}
    most = max(shares, key=lambda word: shares[word], default=None)
    row |= {"class_runs": most, "class_share": shares[most] if most else None}
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
    scores = forecasts.headline
    scores = scores.assign(answered=is_answered(scores))
    nobody, within = scores.iloc[:0], "learner" if column == "dataset" else "dataset"
    parts = {str(name): part for name, part in scores.groupby("respondent")} | {ALL_MODELS: forecasts.of_models(scores)}
    rows: list[dict[str, object]] = []
    for name in (*forecasts.respondents, ALL_MODELS):
        part = parts.get(name, nobody)
        if column is None:
            rows.append({"respondent": name} | _coverage(forecasts, part, within))
            continue
        order = {
            "dataset": forecasts.dataset_names, "learner": forecasts.learner_names, "measure": forecasts.measures,
            "formulation": formulations(part),
        }[column]  # fmt: skip
        groups = {str(value): group for value, group in part.groupby(column)}
        rows += [
            {"respondent": name, column: value} | _coverage(forecasts, groups.get(value, nobody), within)
            for value in order
        ]
    shown = ["respondent", *([column] if column else []), *_coverage(forecasts, nobody, within)]
    return pd.DataFrame(rows, columns=shown)


def _coverage(forecasts: Forecasts, part: pd.DataFrame, within: str) -> dict[str, object]:
    answered, clusters = part["answered"].to_numpy(dtype=bool), part[within].to_numpy(dtype=object)
    row: dict[str, object] = {"asked": len(part), "n": int(answered.sum()), "clusters": len(set(clusters[answered]))}
    row["clustered_by"] = within
    for name, score in SHARES.items():
        values = part[score].to_numpy(dtype=np.float64)
        row |= share(values, clusters, forecasts.level).cells(name)
        row |= interval_cells(share(values, level=forecasts.level).interval, f"{name}_wilson")
    return row


# ---- what is said first


def headline_of(forecasts: Forecasts, table: Sequence[Mapping[str, Json]]) -> Headline:
    """Whether models' ranges hold what they say, and whether they beat naive ones. table: of `rows`."""
    of_run = forecasts.main_arm.get("target") == "run"
    covered = "coverage_runs" if of_run else "calibrated_coverage"
    models = [row for row in table if row["kind"] == "model"]
    readable = [row for row in models if row[covered] is not None]
    if not readable:
        return Headline("No model gave a range that can be read.")
    missing, empty = len(models) - len(readable), vacuous(forecasts)
    there = [row for row in readable if row["respondent"] not in empty]  # who says nothing is not praised for it
    silent = f"; {missing} of {len(models)} gave no range that can be read" if missing else ""
    level = forecasts.percent
    standings = tuple(
        Standing(row["respondent"], row[covered], row[f"{covered}_low"], row[f"{covered}_high"])
        for row in sorted(readable, key=lambda row: (row not in there, row["interval_score"]))
    )
    honest, untold = (
        joined([row["respondent"] for row in there if row["confidence"] == word]) for word in (CONSISTENT, UNKNOWN)
    )
    parts = [f"the coverage of {honest} is consistent with it"] if honest else []
    parts += [f"so few data sets cannot tell it of {untold}"] if untold else []
    better = [row["respondent"] for row in there if (row.get(NAIVE) or 0.0) > 0]
    naive = "" if not any(row.get(NAIVE) is not None for row in there) else (
        f"; {joined(better) or 'none'} {'score' if better[1:] else 'scores'} better than ranges of the other data sets"
        " (climatology)"
    )  # fmt: skip
    nothing = f"{joined(empty)} answered the whole range everywhere, which says nothing"
    verdict = (
        f"Ranges that say {level}: {'; '.join(parts)}" if parts else _dishonest(there, covered, level, bool(empty))
    )
    judged = f"{verdict}{naive}{f'; {nothing}' if empty else ''}" if there else f"Ranges that say {level}: {nothing}"
    of = f"share of single runs in {level} ranges" if of_run else f"share of {level} ranges that hold the runs' mean"
    last = ", who says nothing last" if empty else ""
    return Headline(
        f"{judged}{silent}.", f"{of}; the best interval score first{last}; intervals over data sets", standings
    )


def _dishonest(there: Sequence[Mapping[str, Json]], covered: str, level: str, others: bool) -> str:
    """Every model's ranges hold less, or more, than they say; others answered the whole range and are left out."""
    shares = sorted((f"{100 * row[covered]:.0f}" for row in there), key=float)
    held = " to ".join(dict.fromkeys((shares[0], shares[-1]))) if shares else ""
    whose = f"those of {joined([row['respondent'] for row in there])}" if others else "they"
    what = f"hold {held} % of the runs" if covered == "coverage_runs" else f"hold the runs' mean in {held} % of cases"
    return f"No model's {level} ranges are honest: {whose} {what}"
