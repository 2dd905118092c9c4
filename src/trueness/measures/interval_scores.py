"""Claimed intervals against the runs of an algorithm: overlap, width, and the interval score.

A claim is [l, u] at level 1 - a. The truth [L, U] is either the
CI of the **mean** over the runs or the **range of the runs**; which of the two is the caller's to say in a name
(`*_mean_ci`, `*_runs`), because the first shrinks as 1/sqrt(runs) and the second does not.

    intersects        l <= U and L <= u                           contains    l <= L and U <= u
    IoU               |A and B| / |A or B|                        fraction    |A and B| / |B|,  B = [L, U]
    calibration       (w_claim - w_truth) / w_truth               < 0 overconfident, > 0 underconfident
    log width ratio   log max(w_claim, r) - log max(w_truth, r)   r: the measure's resolution

    sharpness         u - l                                       only among claims that reach their level
    interval score    IS = (u - l) + (2/a) (l - y)+ + (2/a) (y - u)+                       Winkler 1972
    skill             1 - S / S_ref                                                        1 perfect, 0 as the reference

Scores are losses: lower is better. Shapes: claims (k,), outcomes (n,) of all or (k, n) of each, so that a score of k
claims against n runs is (k, n) before it is averaged. A truth of zero width has no ratio: NaN, which tables show as
`degenerate`; nothing here divides by zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.errors import SettingError

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]

# A width within a factor of 1.25 of the truth's counts as calibrated; the bounds are equally far on a log scale.
# The original protocol says "near zero" and names no bounds.
CALIBRATED = (-0.2, 0.25)
CLASSES = ("overconfident", "calibrated", "underconfident")
DEGENERATE = "degenerate"


def covers(low: ArrayLike, high: ArrayLike, value: ArrayLike) -> Truths:
    """Calibrated coverage, the original's primary measure, when `value` is the mean over the runs."""
    return np.asarray((np.asarray(low) <= value) & (np.asarray(value) <= high))


def intersects(low: ArrayLike, high: ArrayLike, truth_low: ArrayLike, truth_high: ArrayLike) -> Truths:
    """At least one point in common; touching counts."""
    return np.asarray((np.asarray(low) <= truth_high) & (np.asarray(truth_low) <= high))


def contains(low: ArrayLike, high: ArrayLike, inner_low: ArrayLike, inner_high: ArrayLike) -> Truths:
    """Every point of the second interval is in the first."""
    return np.asarray((np.asarray(low) <= inner_low) & (np.asarray(inner_high) <= high))


def iou(low: ArrayLike, high: ArrayLike, truth_low: ArrayLike, truth_high: ArrayLike) -> Array:
    """Intersection over union, in [0, 1]. Of two points: 1 when they are equal, else 0 (as Interval.iou)."""
    low, high, truth_low, truth_high = _floats(low, high, truth_low, truth_high)
    common = _common(low, high, truth_low, truth_high)
    union = (high - low) + (truth_high - truth_low) - common
    points = (low == truth_low) & (high == truth_high)
    return np.where(union > 0, common / np.where(union > 0, union, 1.0), points.astype(np.float64))


def coverage_fraction(low: ArrayLike, high: ArrayLike, truth_low: ArrayLike, truth_high: ArrayLike) -> Array:
    """The share of the truth's interval that the claim covers; NaN where that has no width."""
    low, high, truth_low, truth_high = _floats(low, high, truth_low, truth_high)
    return _ratio(_common(low, high, truth_low, truth_high), truth_high - truth_low)


def calibration_score(low: ArrayLike, high: ArrayLike, truth_low: ArrayLike, truth_high: ArrayLike) -> Array:
    """(w_claim - w_truth) / w_truth; NaN where the truth has no width."""
    low, high, truth_low, truth_high = _floats(low, high, truth_low, truth_high)
    width = truth_high - truth_low
    return _ratio((high - low) - width, width)


def calibration_class(score: ArrayLike) -> NDArray[np.object_]:
    """The class of each calibration score: CLASSES by the bounds of CALIBRATED (both included), or `degenerate`."""
    score = np.asarray(score, dtype=np.float64)
    classes = np.full(score.shape, CLASSES[1], dtype=object)
    classes[score < CALIBRATED[0]] = CLASSES[0]
    classes[score > CALIBRATED[1]] = CLASSES[2]
    classes[np.isnan(score)] = DEGENERATE
    return classes


def log_width_ratio(
    low: ArrayLike, high: ArrayLike, truth_low: ArrayLike, truth_high: ArrayLike, floor: ArrayLike
) -> Array:
    """Natural log of the ratio of widths, neither below the measure's resolution: 0 as wide, log 2 twice as wide."""
    low, high, truth_low, truth_high, floor = _floats(low, high, truth_low, truth_high, floor)
    if np.any(floor <= 0):
        raise SettingError(f"'floor' of a width ratio must be > 0, got {floor.min():g}. Give the measure's resolution.")
    return np.asarray(np.log(np.maximum(high - low, floor)) - np.log(np.maximum(truth_high - truth_low, floor)))


def interval_score(low: ArrayLike, high: ArrayLike, outcomes: ArrayLike, level: float | Array) -> Array:
    """(k, n): the interval score of each claim for each outcome. `level`: of each claim, or one of all."""
    low, high, y = _against(low, high, outcomes)
    penalty = 2 / (1 - _levels(level)[..., None])
    return np.asarray((high - low) + penalty * (np.maximum(low - y, 0) + np.maximum(y - high, 0)))


def coverage_of_runs(low: ArrayLike, high: ArrayLike, outcomes: ArrayLike) -> Array:
    """(k,): the share of the outcomes in each claim; of an honest claim about runs it is the level."""
    low, high, y = _against(low, high, outcomes)
    return np.asarray(((low <= y) & (y <= high)).mean(axis=-1))


def quantile_levels(levels: Sequence[float], median: bool = False) -> Array:
    """The tau of both ends of each level, rising, with .5 between where there is a median."""
    tails = sorted((1 - _levels(levels)) / 2)
    return np.array([*tails, *([0.5] if median else []), *(1 - tail for tail in reversed(tails))])


def bias(centre: ArrayLike, mean: ArrayLike, better: Literal["higher", "lower"]) -> Array:
    """How much better than measured the claim's centre is: positive is optimistic, whichever way the measure points."""
    centre, mean = _floats(centre, mean)
    return centre - mean if better == "higher" else mean - centre


def skill(score: ArrayLike, reference: ArrayLike) -> Array:
    """1 - S / S_ref; NaN where the reference loses nothing."""
    score, reference = _floats(score, reference)
    return 1 - _ratio(score, reference)


def _floats(*values: ArrayLike) -> tuple[Array, ...]:
    return tuple(np.asarray(value, dtype=np.float64) for value in values)


def _against(low: ArrayLike, high: ArrayLike, outcomes: ArrayLike) -> tuple[Array, Array, Array]:
    """Claims as columns, so that they meet the outcomes along a new last axis."""
    low, high, y = _floats(low, high, outcomes)
    return low[..., None], high[..., None], y


def _common(low: Array, high: Array, truth_low: Array, truth_high: Array) -> Array:
    return np.asarray(np.maximum(np.minimum(high, truth_high) - np.maximum(low, truth_low), 0.0))


def _ratio(part: Array, whole: Array) -> Array:
    """part / whole, NaN where whole is 0."""
    known = whole > 0
    return np.where(known, part / np.where(known, whole, 1.0), np.nan)


def _levels(level: float | Array | Sequence[float]) -> Array:
    levels = np.asarray(level, dtype=np.float64)
    if not ((levels > 0) & (levels < 1)).all():
        raise SettingError(f"'level' of an interval score must be in (0, 1), got {level}. Try 0.95.")
    return levels
