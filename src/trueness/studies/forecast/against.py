"""Claims against the runs that they are about: arrays in, a column of values for each score out.

`of_ends` needs only ends and mean of a truth, so that all rows of a table go at once; `of_outcomes` takes truths that
have as many runs each; `of_claims` all levels of a claim together. Shapes: claims (k,), truths (k,), runs (k, n).

A measure lies in [0, M], M = 1, or d(d-1)/2 for SHD. A claim that leaves [0, M] is scored as it was made, never clipped
and never left out. Where no value of it can be (it lies wholly outside) it scores no better than the worst claim that
can be, all of it at the end of [0, M] that is farther from the outcomes:

    interval score >= (2/a) w,   WIS, CRPS >= w,   pinball >= w/2,      w = max(m, M - m), m the mean of the outcomes

The true quantiles lie in [0, M], so the floor never meets an honest claim, and the scores stay proper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.intervals import Interval
from trueness.measures import interval_scores as of
from trueness.statistics.runs import QuantileBounds
from trueness.studies.forecast.frames import Truth

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

VERSUS = ("overlaps", "covers", "inside", "iou", "fraction", "calibration", "class", "log_width_ratio")


@dataclass(frozen=True, eq=False)
class Claims:
    """Rows of a claims table that were read, as arrays of one length."""

    row: Rows  # where the row stands in the table
    claim: NDArray[np.int64]  # which claim it is a level of
    whole: NDArray[np.bool_]  # whether every level of that claim was read
    level: Array
    low: Array
    high: Array
    median: Array
    uniforms: Array  # (k, 2), for the PIT; NaN where none is wanted

    def __len__(self) -> int:
        return len(self.row)

    def take(self, which: Rows | NDArray[np.bool_]) -> Claims:
        return Claims(*(getattr(self, field.name)[which] for field in fields(self)))


def outcomes(truths: Sequence[Truth], target: str) -> Array:
    """(k, n): what a proper score is taken against: every run, or the one mean."""
    return np.array([truth.runs if target == "run" else (truth.mean,) for truth in truths])


def of_ends(claims: Claims, truths: Sequence[Truth]) -> dict[str, NDArray[np.generic]]:
    """{score: (k,) values}; truths: (k,) that of each row."""
    low, high = claims.low, claims.high
    centre = np.where(np.isnan(claims.median), (low + high) / 2, claims.median)
    mean = np.array([truth.mean for truth in truths])
    counts = np.array([truth.measure == "shd" for truth in truths], dtype=bool)
    scores: dict[str, NDArray[np.generic]] = {
        "covers_mean": of.covers(low, high, mean),
        "width": high - low,
        "bias": np.where(counts, of.bias(centre, mean, "lower"), of.bias(centre, mean, "higher")),
    }
    resolution = np.array([truth.resolution for truth in truths])
    for suffix, intervals in (
        ("mean_ci", [truth.mean_ci for truth in truths]),
        ("runs", [truth.run_range for truth in truths]),
    ):
        versus = _versus(low, high, intervals, resolution)
        scores |= {f"{name}_{suffix}": values for name, values in versus.items()}
    return scores


def of_outcomes(claims: Claims, truths: Sequence[Truth], target: str) -> dict[str, Array]:
    """{score: (k,) values}; truths: that of each row, with as many runs each."""
    low, high, level = claims.low, claims.high, claims.level
    score = of.interval_score(low, high, outcomes(truths, target), level).mean(axis=1)
    return {
        "coverage_runs": of.coverage_of_runs(low, high, outcomes(truths, "run")),
        "interval_score": np.maximum(score, 2 / (1 - level) * _floor(low, high, truths)),
    }


def is_beyond(low: Array, high: Array, upper: ArrayLike) -> NDArray[np.bool_]:
    """Whether an end of the claim lies outside what the measure can be."""
    return np.asarray((low < 0) | (high > np.asarray(upper, float)))


def is_impossible(low: Array, high: Array, upper: ArrayLike) -> NDArray[np.bool_]:
    """Whether no value of the claim can be."""
    return np.asarray((high < 0) | (low > np.asarray(upper, float)))


def _floor(low: Array, high: Array, truths: Sequence[Truth]) -> Array:
    """(k,): where no value of a claim can be, how far the outcomes are, on average, from the farther end of what the
    measure can be; else 0."""
    upper = np.array([truth.upper for truth in truths])
    worst = np.array([max(truth.mean, truth.upper - truth.mean) for truth in truths])
    return np.where(is_impossible(low, high, upper), worst, 0.0)


def of_claims(claims: Claims, truths: Sequence[Truth], target: str) -> Iterator[tuple[Rows, dict[str, Array]]]:
    """(rows of the widest level, {score: values}) for all whole claims that share their levels."""
    in_turn = np.lexsort((claims.level, claims.claim))
    order = in_turn[claims.whole[in_turn]]
    whole = claims.take(order)
    for (has_median, *levels), first in _patterns(whole).items():
        at = np.array(first)[:, None] + np.arange(len(levels))  # (claims, levels), the narrowest first
        lows, highs = whole.low[at], whole.high[at]
        median = whole.median[at[:, 0]] if has_median else None
        taus = of.quantile_levels(levels, has_median)
        quantiles = np.column_stack([lows[:, ::-1], *([] if median is None else [median]), highs])
        theirs = [truths[k] for k in order[first].tolist()]
        values = outcomes(theirs, target)
        floor = _floor(lows[:, -1], highs[:, -1], theirs)
        wis = np.maximum(of.weighted_interval_score(lows, highs, levels, values, median).mean(axis=1), floor)
        scores = {
            "wis": wis,
            "pinball": wis / 2,  # an identity: WIS is twice the mean pinball loss of the same quantiles
            "crps": np.maximum(of.crps_of_quantiles(quantiles, taus, values).mean(axis=1), floor),
        }
        counts = np.array([truth.measure == "shd" for truth in theirs])
        if target == "run" and counts.any():
            which, v = whole.uniforms[at[counts, -1]].T
            run = values[counts, (which * values.shape[1]).astype(np.intp)]
            scores["pit"] = np.full(len(theirs), np.nan)
            scores["pit"][counts] = of.pit_of_quantiles(quantiles[counts], taus, run, v)
        yield whole.row[at[:, -1]], scores


def _versus(
    low: Array, high: Array, intervals: Sequence[Interval | None], resolution: Array
) -> dict[str, NDArray[np.generic]]:
    """NaN where there is no interval: one run has none of its mean."""
    start, end = np.array([QuantileBounds.of(one) for one in intervals], dtype=np.float64).reshape(-1, 2).T
    calibration = of.calibration_score(low, high, start, end)
    scores = {
        "overlaps": of.intersects(low, high, start, end),
        "covers": of.contains(low, high, start, end),
        "inside": of.contains(start, end, low, high),
        "iou": of.iou(low, high, start, end),
        "fraction": of.coverage_fraction(low, high, start, end),
        "calibration": calibration,
        "log_width_ratio": of.log_width_ratio(low, high, start, end, resolution),
    }
    absent = np.isnan(start)
    return {name: np.where(absent, np.nan, values) for name, values in scores.items()} | {
        "class": of.calibration_class(calibration)
    }


def _patterns(claims: Claims) -> dict[tuple[bool, *tuple[float, ...]], list[int]]:
    """(whether it has a median, levels ...) -> first rows of such claims; sorted by claim and level."""
    starts = np.flatnonzero(np.diff(claims.claim, prepend=-1))
    missing = np.isnan(claims.median)
    lacks_median = np.logical_or.reduceat(missing, starts) if len(starts) else missing
    level = claims.level.tolist()
    first_rows: dict[tuple[bool, *tuple[float, ...]], list[int]] = {}
    for (start, end), lacks in zip(pairwise([*starts.tolist(), len(level)]), lacks_median.tolist(), strict=True):
        first_rows.setdefault((not lacks, *level[start:end]), []).append(start)
    return first_rows
