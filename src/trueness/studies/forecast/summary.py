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
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from trueness.outside import Json
from trueness.statistics import mean, share
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.scores import pooled_skills

SHARES = {
    "calibrated_coverage": "covers_mean",
    "coverage_runs": "coverage_runs",
    "overlap": "overlaps_mean_ci",
}
MEANS = {"interval_score": "interval_score_scaled", "bias": "bias_scaled", "width": "width_scaled"}
MEDIANS = {
    "iou_mean_ci": "iou_mean_ci", "iou_runs": "iou_runs", "calibration_mean_ci": "calibration_mean_ci",
    "calibration_runs": "calibration_runs",
}  # fmt: skip
CLASSES = ("overconfident", "calibrated", "underconfident")
OVER, UNDER, CONSISTENT, UNKNOWN = "overconfident", "underconfident", "consistent", "cannot be told"
WIDEST = 0.5  # an interval from .3 to 1 holds .95 and says nothing


@selection.once
def rows(forecasts: Forecasts) -> list[dict[str, Json]]:
    """Models first, then references; None where there is nothing to average."""
    scores = selection.headline(forecasts)
    parts = {str(name): part for name, part in scores.groupby("respondent")}
    skills = _skills(forecasts, scores)
    table = []
    for name in selection.respondents(forecasts):
        part = parts.get(name, scores.iloc[:0])
        row = {"respondent": name, "kind": "reference" if name in forecasts.references else "model"}
        table.append(row | _summary(forecasts, part) | skills[name])
    return table


def _summary(forecasts: Forecasts, part: pd.DataFrame) -> dict[str, Json]:
    answered = part[selection.is_answered(part)]
    row: dict[str, Json] = {
        "asked": len(part),
        "answered": len(answered),
        "missing": "; ".join(f"{status} {n}" for status, n in _missing(part).items()),
        "datasets": int(answered["dataset"].nunique()),
    }
    clusters = part["dataset"].to_numpy()  # claims about one share its truth: it is what was drawn
    for name, column in SHARES.items():
        row |= share(part[column].to_numpy(dtype=np.float64), clusters, forecasts.level).cells(name)
    for name, column in MEANS.items():
        values = part[column].to_numpy(dtype=np.float64)
        possible = np.nanmax(np.abs(values), initial=0) <= 1  # claims of what cannot be may pass the bounds of a bias
        bounds = (0.0, None) if name != "bias" else (-1.0, 1.0) if possible else (None, None)
        row |= mean(values, clusters, level=forecasts.level, bounds=bounds).cells(name)
    row |= {f"median_{name}": _median(part[column]) for name, column in MEDIANS.items()}
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


def _skills(forecasts: Forecasts, scores: pd.DataFrame) -> dict[str, dict[str, float | None]]:
    """Respondent -> skill_<reference> -> its skill over the cells that both answered."""
    by_reference = pooled_skills(scores, forecasts.references)
    return {
        name: {
            f"skill_{reference.rsplit('/', 1)[-1]}": None if math.isnan(skills.get(name, math.nan)) else skills[name]
            for reference, skills in by_reference.items()
        }
        for name in selection.respondents(forecasts)
    }


def _confidence(forecasts: Forecasts, part: pd.DataFrame) -> str:
    """Of what the claims speak of: single runs, or their mean."""
    coverage = share(part["hit"].to_numpy(dtype=np.float64), part["dataset"].to_numpy(), forecasts.level)
    if coverage.interval is None:
        return UNKNOWN
    if coverage.interval.high < forecasts.level:
        return OVER
    if coverage.interval.low > forecasts.level:
        return UNDER
    return CONSISTENT if coverage.interval.high - coverage.interval.low <= WIDEST else UNKNOWN


def _missing(part: pd.DataFrame) -> dict[str, int]:
    counts = part.loc[~selection.is_answered(part), "status"].astype(str).value_counts()
    return {str(status): int(n) for status, n in sorted(counts.items())}


def _median(column: pd.Series) -> float | None:
    present = column.dropna()
    return float(present.median()) if len(present) else None
