"""Masks: which values are missing. z (n, d) in standard units, column order -> missing (n, d), truth values.

    mcar               every cell with probability p
    mnar_self          P(x_j missing) = sigmoid(a_j + b z_j)                     large values go missing
    mnar_threshold     values above the (1 - p) quantile of their column are missing
    mnar_structural    P(x_j missing) = sigmoid(a_j + b sum_i z_i / sqrt(k)) over the k true parents i of j; roots: mcar
    mnar_decoy         the same with two columns drawn at random in place of the parents
    sensor_failure     stretches of rows, on average n / 50 long, in one column at a time

p is `strength`: the share of cells that go missing, on average (a_j is solved for that). b = 2.
mnar_structural is built from the true graph, so the mask itself tells the edges: whoever looks at what is missing can
read them off. It is the original's; mnar_decoy is as hard on the data and tells nothing.
Rubin (1976); Mohan & Pearl (2021) for masks that depend on other variables.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
STEEPNESS = 2.0  # b: two standard deviations move the odds of being missing by e^4
DECOYS = 2
_SAMPLE = 4000  # rows that tell where the share of missing cells is p


def mcar(z: Array, strength: float, rng: Generator) -> Mask:
    # 16 bits a cell: the share is p to one part in 65,536, in a quarter of the time
    return (rng.integers(0, 2**16, z.T.shape, dtype=np.uint16) < round(strength * 2**16)).T


def mnar_self(z: Array, strength: float, rng: Generator) -> Mask:
    missing = np.empty(z.shape, dtype=np.bool_, order="F")
    for j in range(z.shape[1]):
        missing[:, j] = _logistic(z[:, j], strength, rng)
    return missing


def mnar_threshold(z: Array, strength: float, rng: Generator) -> Mask:
    if strength == 0:
        return np.zeros(z.shape, dtype=np.bool_, order="F")
    above: Mask = z > np.nanquantile(z, 1 - strength, axis=0)
    return above


def mnar_structural(z: Array, strength: float, rng: Generator, parents: NDArray[np.bool_]) -> Mask:
    """parents[i, j]: i -> j in the true graph."""
    missing = np.empty(z.shape, dtype=np.bool_, order="F")
    for j in range(z.shape[1]):
        causes = np.flatnonzero(parents[:, j])
        if len(causes):
            missing[:, j] = _logistic(_combine(z, causes), strength, rng)
        else:
            missing[:, j] = mcar(z[:, j], strength, rng)
    return missing


def mnar_decoy(z: Array, strength: float, rng: Generator) -> Mask:
    d = z.shape[1]
    decoys = np.zeros((d, d), dtype=np.bool_)
    for j in range(d):
        others = np.delete(np.arange(d), j)
        decoys[rng.choice(others, size=min(DECOYS, d - 1), replace=False), j] = True
    return mnar_structural(z, strength, rng, decoys)


def sensor_failure(z: Array, strength: float, rng: Generator) -> Mask:
    n, d = z.shape
    length = max(1, n // 50)
    # stretches overlap: with m of them at random places a share 1 - (1 - length / n)^m is covered
    count = math.ceil(math.log1p(-strength) / math.log1p(-min(length / n, 0.5))) if strength else 0
    missing = np.zeros((n, d), dtype=np.bool_, order="F")
    for j in range(d):
        for start in rng.integers(0, n, count):
            stop = start + int(rng.integers(1, 2 * length))
            missing[start:stop, j] = True
            missing[: max(0, stop - n), j] = True  # what runs over the end begins again: no row is safer
    return missing


def _combine(z: Array, columns: NDArray[np.intp]) -> Array:
    total = z[:, columns[0]].copy()
    for i in columns[1:]:
        total += z[:, i]
    total /= math.sqrt(len(columns))
    return total  # as wide as one column, when they are independent


def _logistic(driver: Array, share: float, rng: Generator) -> Mask:
    """Missing with probability sigmoid(a + b driver), a such that the mean probability is `share`.

    u < sigmoid(a + b x) is logit(u) < a + b x; instead of a logarithm a cell, the sorted threshold of x for each of
    65,536 values of u is looked up.
    """
    if not share:
        return np.zeros(len(driver), dtype=np.bool_)
    known = driver[:: max(1, len(driver) // _SAMPLE)]
    level = _intercept(STEEPNESS * known[np.isfinite(known)], share)
    bound = ((_logits() - level) / STEEPNESS).astype(np.float32)
    # a gap that is there already drives nothing: the comparison with NaN is false
    return np.take(bound, rng.integers(0, 2**16, len(driver), dtype=np.uint16)) < driver


@cache
def _logits() -> Array:
    """logit(u) of u = (k + 1/2) / 2^16."""
    u = np.arange(0.5, 2**16) / 2**16
    return np.asarray(np.log(u) - np.log1p(-u))


def _intercept(slope: Array, share: float) -> float:
    """a with mean sigmoid(a + slope) = share, by bisection."""
    if not len(slope):
        return 0.0
    low, high = -40.0 - float(slope.max()), 40.0 - float(slope.min())
    for _ in range(40):
        middle = (low + high) / 2
        if float(expit(middle + slope).mean()) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2
