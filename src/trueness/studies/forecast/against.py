"""Claims against the runs that they are about: arrays in, a column of values for each score out.

`of_ends` needs only ends and mean of a truth, so that all rows of a table go at once; `of_outcomes` takes truths that
have as many runs each; `of_claims` all levels of a claim together. Shapes: claims (k,), truths (k,), runs (k, n).

A measure lies in [0, M], M = 1, or d(d-1)/2 for SHD. A claim that leaves [0, M] is scored as it was made, never clipped
and never left out. Where no value of it can be (it lies wholly outside) it scores no better than the worst claim that
can be, all of it at the end of [0, M] that is farther from the outcomes:

    interval score >= (2/a) w,   WIS, CRPS >= w,   pinball >= w/2,      w = max(m, M - m), m the mean of the outcomes

The true quantiles lie in [0, M], so the floor never meets an honest claim, and the scores stay proper.

What two sorted uniforms score is known in closed form, so the random baseline is scored without a draw.

[L, U] = sorted(V1, V2), V ~ U(0, 1), all lengths in units of the measure's range (SHD: of d(d-1)/2). For t in [0, 1],
a truth [a, b] of width w and a resolution r:

    P(covers t) = 2t(1 - t)                                     1/3 on average over t, never above 1/2
    P(meets [a, b]) = 1 - a^2 - (1 - b)^2                       P(contains [a, b]) = 2a(1 - b)
    P(inside [a, b]) = w^2                                      E fraction = (1/w) integral_a^b 2x(1 - x) dx
    E width = 1/3                                               E calibration = (1/3 - w) / w
    E log max(U - L, r) = r(2 - r) log r + integral_r^1 2(1 - x) log x dx
    E IS(y) = 1/3 + (2/alpha) (y^3 + (1 - y)^3) / 3             since E(L - y)+ = (1 - y)^3 / 3, E(y - U)+ = y^3 / 3
    E |y - V| = (y^2 + (1 - y)^2) / 2                           the median, a third uniform

IoU and CRPS have no such form; they are averaged over a fixed grid of intervals (error below 10^-3). An outcome y > 1
is possible for an SHD that counts a reversal twice: it adds its distance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
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


# ---- what chance scores

_GRID = 128  # lows and highs of the fixed intervals each
_OUTCOMES = np.linspace(0, 1, 129)


def expected_coverage(t: ArrayLike) -> Array:
    """P(L <= t <= U)."""
    inside = np.clip(np.asarray(t, dtype=np.float64), 0, 1)
    return np.asarray(2 * inside * (1 - inside))


def expected_interval_score(y: ArrayLike, level: float) -> Array:
    """E IS for each outcome."""
    y = np.asarray(y, dtype=np.float64)
    inside = np.clip(y, 0, 1)
    missed = (inside**3 + (1 - inside) ** 3) / 3 + np.abs(y - inside)
    return np.asarray(1 / 3 + 2 / (1 - level) * missed)


def expected_wis(y: ArrayLike, levels: Sequence[float]) -> Array:
    """E WIS of an interval at each level and a median, drawn apart; the expectation does not see how they depend."""
    y = np.asarray(y, dtype=np.float64)
    inside = np.clip(y, 0, 1)
    median = (inside**2 + (1 - inside) ** 2) / 2 + np.abs(y - inside)
    total = median / 2 + sum((1 - level) / 2 * expected_interval_score(y, level) for level in levels)
    return np.asarray(total / (len(levels) + 0.5))


def expected_crps(y: ArrayLike, level: float) -> Array:
    """E CRPS of the one interval at `level`, even in between; from the fixed grid."""
    y = np.asarray(y, dtype=np.float64)
    inside = np.clip(y, 0, 1)
    return np.asarray(np.interp(inside, _OUTCOMES, _crps_table(level)) + np.abs(y - inside))


def expected_log_width(floor: float) -> float:
    """E log max(U - L, floor), 0 < floor <= 1."""
    below = floor * (2 - floor) * math.log(floor)
    return below + (-1.5 - (2 * floor * (math.log(floor) - 1) - floor**2 * (math.log(floor) - 0.5)))


@lru_cache(4096)  # the same truth is asked for with every target and level
def expected_versus(interval: Interval | None, upper: float, resolution: float) -> dict[str, float | str]:
    """What chance scores against one truth: the six overlaps and widths, and the log width ratio; NaN without one."""
    names = ("overlaps", "covers", "inside", "iou", "fraction", "calibration", "log_width_ratio")
    if interval is None:
        return dict.fromkeys(names, math.nan) | {"class": of.DEGENERATE}
    a, b = np.clip([interval.low / upper, interval.high / upper], 0, 1)
    w = b - a
    calibration = (1 / 3 - w) / w if w > 0 else math.nan
    floor = min(resolution / upper, 1.0)
    return {
        "overlaps": 1 - a**2 - (1 - b) ** 2,
        "covers": 2 * a * (1 - b),
        "inside": w**2,
        "iou": _mean_iou(float(a), float(b)),
        "fraction": ((b**2 - 2 * b**3 / 3) - (a**2 - 2 * a**3 / 3)) / w if w > 0 else math.nan,
        "calibration": calibration,
        "class": str(of.calibration_class(calibration)[()]),
        "log_width_ratio": expected_log_width(floor) - math.log(max(w, floor)),
    }


def expected_scores(
    truths: Sequence[Truth], level: float, levels: Sequence[float], target: str
) -> dict[str, NDArray[np.generic]]:
    """{score: (k,) values}, everything in the units of the measure; the truths have as many runs each. `levels`: all
    that the claims have, rising.

    What is of the whole claim stands on the row of its widest level, as everywhere.
    """
    scale, mean = np.array([(truth.upper, truth.mean) for truth in truths]).T
    y, runs = (outcomes(truths, of_what) / scale[:, None] for of_what in (target, "run"))
    optimistic = 0.5 - mean / scale
    counts = np.array([truth.measure == "shd" for truth in truths])
    row: dict[str, NDArray[np.generic]] = {
        "covers_mean": expected_coverage(mean / scale),
        "coverage_runs": expected_coverage(runs).mean(axis=1),
        "width": scale / 3,
        "interval_score": scale * expected_interval_score(y, level).mean(axis=1),
        "bias": scale * np.where(counts, -optimistic, optimistic),
    }
    if level == levels[-1]:
        wis = scale * expected_wis(y, levels).mean(axis=1)
        row |= {"wis": wis, "pinball": wis / 2, "crps": scale * expected_crps(y, level).mean(axis=1)}
    for name, interval in (("mean_ci", "mean_ci"), ("runs", "run_range")):
        scores = [expected_versus(getattr(truth, interval), truth.upper, truth.resolution) for truth in truths]
        row |= {f"{key}_{name}": np.array([score[key] for score in scores]) for key in scores[0]}
    return row


@cache
def _grid() -> tuple[Array, Array]:
    """Sorted pairs of the midpoints of a square grid: each stands for the same probability."""
    points = (np.arange(_GRID) + 0.5) / _GRID
    first, second = np.meshgrid(points, (points + 0.25 / _GRID) % 1)  # apart, so that no pair is one point
    return np.minimum(first, second).ravel(), np.maximum(first, second).ravel()


def _mean_iou(a: float, b: float) -> float:
    return float(of.iou(*_grid(), a, b).mean())


@cache
def _crps_table(level: float) -> Array:
    low, high = _grid()
    tail = (1 - level) / 2
    total = np.zeros(len(_OUTCOMES))
    for part in np.array_split(np.arange(len(low)), 16):  # 16,384 intervals x 129 outcomes at once would be 17 MB
        few = np.array_split(np.column_stack([low[part], high[part]]), 8)  # in the cache: 0.4 of the time
        scores = [of.crps_of_quantiles(ends, [tail, 1 - tail], _OUTCOMES) for ends in few]
        total += np.concatenate(scores).sum(axis=0)
    return total / len(low)
