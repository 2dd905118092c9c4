"""What two sorted uniforms score, in closed form: the random baseline without a draw.

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
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.intervals import Interval
from trueness.measures import interval_scores as of
from trueness.studies.forecast.against import outcomes
from trueness.studies.forecast.frames import Truth

Array = NDArray[np.float64]

_GRID = 128  # lows and highs of the fixed intervals each
_OUTCOMES = np.linspace(0, 1, 129)


def coverage(t: ArrayLike) -> Array:
    """P(L <= t <= U)."""
    inside = np.clip(np.asarray(t, dtype=np.float64), 0, 1)
    return np.asarray(2 * inside * (1 - inside))


def interval_score(y: ArrayLike, level: float) -> Array:
    """E IS for each outcome."""
    y = np.asarray(y, dtype=np.float64)
    inside = np.clip(y, 0, 1)
    missed = (inside**3 + (1 - inside) ** 3) / 3 + np.abs(y - inside)
    return np.asarray(1 / 3 + 2 / (1 - level) * missed)


def weighted_interval_score(y: ArrayLike, levels: Sequence[float]) -> Array:
    """E WIS of an interval at each level and a median, drawn apart; the expectation does not see how they depend."""
    y = np.asarray(y, dtype=np.float64)
    inside = np.clip(y, 0, 1)
    median = (inside**2 + (1 - inside) ** 2) / 2 + np.abs(y - inside)
    total = median / 2 + sum((1 - level) / 2 * interval_score(y, level) for level in levels)
    return np.asarray(total / (len(levels) + 0.5))


def crps(y: ArrayLike, level: float) -> Array:
    """E CRPS of the one interval at `level`, even in between; from the fixed grid."""
    y = np.asarray(y, dtype=np.float64)
    inside = np.clip(y, 0, 1)
    return np.asarray(np.interp(inside, _OUTCOMES, _crps_table(level)) + np.abs(y - inside))


def log_width(floor: float) -> float:
    """E log max(U - L, floor), 0 < floor <= 1."""
    below = floor * (2 - floor) * math.log(floor)
    return below + (-1.5 - (2 * floor * (math.log(floor) - 1) - floor**2 * (math.log(floor) - 0.5)))


@lru_cache(4096)  # the same truth is asked for with every target and level
def against(interval: Interval | None, upper: float, resolution: float) -> dict[str, float | str]:
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
        "log_width_ratio": log_width(floor) - math.log(max(w, floor)),
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
        "covers_mean": coverage(mean / scale),
        "coverage_runs": coverage(runs).mean(axis=1),
        "width": scale / 3,
        "interval_score": scale * interval_score(y, level).mean(axis=1),
        "bias": scale * np.where(counts, -optimistic, optimistic),
    }
    if level == levels[-1]:
        wis = scale * weighted_interval_score(y, levels).mean(axis=1)
        row |= {"wis": wis, "pinball": wis / 2, "crps": scale * crps(y, level).mean(axis=1)}
    for name, interval in (("mean_ci", "mean_ci"), ("runs", "run_range")):
        scores = [against(getattr(truth, interval), truth.upper, truth.resolution) for truth in truths]
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
