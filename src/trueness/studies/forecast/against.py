"""The claims about one cell and measure against its runs: arrays in, a column of values for each score out.

`of_intervals` needs one interval at a time; `of_claims` all levels of a claim together. Shapes: claims (k,), runs (n,).

A measure lies in [0, M], M = 1, or d(d-1)/2 for SHD. A claim that leaves [0, M] is scored as it was made, never clipped
and never left out. Where no value of it can be (it lies wholly outside) it scores no better than the worst claim that
can be, all of it at the end of [0, M] that is farther from the outcomes:

    interval score >= (2/a) w,   WIS, CRPS >= w,   pinball >= w/2,      w = max(m, M - m), m the mean of the outcomes

The true quantiles lie in [0, M], so the floor never meets an honest claim, and the scores stay proper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.intervals import Interval
from trueness.measures import interval_scores as of
from trueness.studies.forecast.forecast_frames import Truth

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

VERSUS = ("overlaps", "covers", "inside", "iou", "fraction", "calibration", "class", "log_width_ratio")


@dataclass(frozen=True, eq=False)
class Claims:
    """Rows of a claims table that were read, as arrays of one length."""

    row: Rows  # where the row stands in the table
    claim: NDArray[np.int64]  # which claim it is a level of
    whole: NDArray[np.bool_]  # whether every level of that claim was read
    target: NDArray[np.object_]
    level: Array
    low: Array
    high: Array
    median: Array
    uniforms: Array  # (k, 2), for the PIT; NaN where none is wanted

    def __len__(self) -> int:
        return len(self.row)

    def take(self, which: Rows | NDArray[np.bool_]) -> Claims:
        return Claims(*(getattr(self, field.name)[which] for field in fields(self)))


def outcomes(truth: Truth, target: str) -> Array:
    """What a proper score is taken against: every run, or the one mean."""
    return truth.runs if target == "run" else np.array([truth.mean])


def of_intervals(claims: Claims, truth: Truth) -> dict[str, NDArray[np.generic]]:
    """{score: (k,) values}."""
    low, high = claims.low, claims.high
    centre = np.where(np.isnan(claims.median), (low + high) / 2, claims.median)
    scores: dict[str, NDArray[np.generic]] = {
        "covers_mean": of.covers(low, high, truth.mean),
        "coverage_runs": of.coverage_of_runs(low, high, truth.runs),
        "width": high - low,
        "bias": of.bias(centre, truth.mean, "lower" if truth.measure == "shd" else "higher"),
    }
    for suffix, interval in (("mean_ci", truth.mean_ci), ("runs", truth.run_range)):
        scores |= {f"{name}_{suffix}": values for name, values in _versus(low, high, interval, truth).items()}
    score = np.empty(len(claims))
    for level, target in set(zip(claims.level, claims.target, strict=True)):
        these = (claims.level == level) & (claims.target == target)
        score[these] = of.interval_score(low[these], high[these], outcomes(truth, target), level).mean(axis=1)
    floor = np.where(is_impossible(low, high, truth.upper), 2 / (1 - claims.level) * _worst(truth), 0.0)
    return scores | {"interval_score": np.maximum(score, floor)}


def is_beyond(low: Array, high: Array, upper: ArrayLike) -> NDArray[np.bool_]:
    """Whether an end of the claim lies outside what the measure can be."""
    return np.asarray((low < 0) | (high > np.asarray(upper, float)))


def is_impossible(low: Array, high: Array, upper: ArrayLike) -> NDArray[np.bool_]:
    """Whether no value of the claim can be."""
    return np.asarray((high < 0) | (low > np.asarray(upper, float)))


def _worst(truth: Truth) -> float:
    """How far the outcomes are, on average, from the farther end of what the measure can be."""
    return max(truth.mean, truth.upper - truth.mean)


def of_claims(claims: Claims, truth: Truth) -> Iterator[tuple[Rows, dict[str, Array]]]:
    """(rows of the widest level, {score: values}) for all whole claims that share their levels and target."""
    whole = claims.take(claims.whole)
    whole = whole.take(np.lexsort((whole.level, whole.claim)))
    for (target, has_median, *levels), first in _patterns(whole).items():
        at = np.array(first)[:, None] + np.arange(len(levels))  # (claims, levels), the narrowest first
        lows, highs, values = whole.low[at], whole.high[at], outcomes(truth, target)
        median = whole.median[at[:, 0]] if has_median else None
        taus = of.quantile_levels(levels, has_median)
        quantiles = np.column_stack([lows[:, ::-1], *([] if median is None else [median]), highs])
        floor = np.where(is_impossible(lows[:, -1], highs[:, -1], truth.upper), _worst(truth), 0.0)
        wis = np.maximum(of.weighted_interval_score(lows, highs, levels, values, median).mean(axis=1), floor)
        scores = {
            "wis": wis,
            "pinball": wis / 2,  # an identity: WIS is twice the mean pinball loss of the same quantiles
            "crps": np.maximum(of.crps_of_quantiles(quantiles, taus, values).mean(axis=1), floor),
        }
        if truth.measure == "shd" and target == "run":
            which, v = whole.uniforms[at[:, -1]].T
            run = truth.runs[(which * len(truth.runs)).astype(np.intp)]
            scores["pit"] = of.pit_of_quantiles(quantiles, taus, run, v)
        yield whole.row[at[:, -1]], scores


def _versus(low: Array, high: Array, interval: Interval | None, truth: Truth) -> dict[str, NDArray[np.generic]]:
    if interval is None:  # one run has no interval of its mean
        missing = np.full(len(low), np.nan)
        return dict.fromkeys(VERSUS, missing) | {"class": of.calibration_class(missing)}
    ends = interval.low, interval.high
    calibration = of.calibration_score(low, high, *ends)
    return {
        "overlaps": of.intersects(low, high, *ends),
        "covers": of.contains(low, high, *ends),
        "inside": of.contains(*ends, low, high),
        "iou": of.iou(low, high, *ends),
        "fraction": of.coverage_fraction(low, high, *ends),
        "calibration": calibration,
        "class": of.calibration_class(calibration),
        "log_width_ratio": of.log_width_ratio(low, high, *ends, truth.resolution),
    }


def _patterns(claims: Claims) -> dict[tuple[str, bool, *tuple[float, ...]], list[int]]:
    """(target, whether it has a median, levels ...) -> first rows of such claims; sorted by claim and level."""
    starts = np.flatnonzero(np.diff(claims.claim, prepend=-1))
    missing = np.isnan(claims.median)
    lacks_median = np.logical_or.reduceat(missing, starts) if len(starts) else missing
    target, level = claims.target.tolist(), claims.level.tolist()
    first_rows: dict[tuple[str, bool, *tuple[float, ...]], list[int]] = {}
    for (start, end), lacks in zip(pairwise([*starts.tolist(), len(level)]), lacks_median.tolist(), strict=True):
        first_rows.setdefault((target[start], not lacks, *level[start:end]), []).append(start)
    return first_rows
