"""Rank correlation with an interval: Spearman's rho.

    atanh(r) -+ z SE,   SE = sqrt((1 + r^2/2)/(n - 3))                                   Bonett & Wright (2000)
    clusters:  atanh(r) -+ t_{C-1} SE,   SE from leaving out one cluster at a time (jackknife)

p of independent rows: all n! orders up to n = 8, scipy's beyond; of clusters: atanh(r)/SE against t_{C-1}.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from trueness.intervals import Interval
from trueness.statistics.clusters import Array, Clusters, Labels, clusters_of, equally_long, labels_at
from trueness.statistics.estimates import t_p
from trueness.statistics.result import Estimate, checked_level

_MOST = 1 - 1e-9  # a perfect correlation has no atanh
_ENUMERATED = 8  # pairs up to which all orders are tried
_MOST_LEFT_OUT = 500  # groups of clusters beyond which leaving out one at a time tells no more


def rank_correlation(x: ArrayLike, y: ArrayLike, clusters: Labels | None = None, level: float = 0.95) -> Estimate:
    """x[i] and y[i] belong together; a pair with a missing end (NaN) is left out and counted."""
    checked_level(level)
    one, other, there = equally_long(x, y, ("x", "y"), " of a correlation")
    one, other = one[there], other[there]
    inside = clusters_of(labels_at(clusters, there), len(one))
    n, n_missing = len(one), int((~there).sum())
    blank = Estimate("Spearman's rho", None, None, n, inside.count, "atanh scale", level, n_missing=n_missing)
    if n < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        note = "A correlation needs three pairs." if n < 3 else "A constant column has no correlation."
        return replace(blank, notes=(note,))
    value, p, test = _test(one, other)
    if inside.count < n:
        error = _clustered_error(one, other, inside.merge(_MOST_LEFT_OUT))
        test = f"cluster jackknife t({inside.count - 1})"
        p = t_p(math.atanh(_clip(value)) / error, inside.count - 1) if error else None
        quantile = float(stdtrit(inside.count - 1, (1 + level) / 2))
    else:
        error = math.sqrt((1 + value * value / 2) / (n - 3)) if n >= 5 else None
        quantile = float(ndtri((1 + level) / 2))
    known = replace(blank, value=value, se=error, p=p, test=test, null=0.0)
    if error is None:
        return replace(known, notes=("Too few independent pairs for an interval.",))
    return replace(known, interval=atanh_interval(value, error, quantile, level))


def spearman(x: Array, y: Array) -> float:
    """rho of two columns that vary; scipy's own makes a p of it each time, for ten times the time."""
    from scipy.stats import rankdata

    return _correlation(rankdata(x), rankdata(y))


def _correlation(ranks_x: Array, ranks_y: Array) -> float:
    return float(np.corrcoef(ranks_x, ranks_y)[1, 0])


def _test(x: Array, y: Array) -> tuple[float, float | None, str]:
    from scipy import stats

    if len(x) > _ENUMERATED:
        test = stats.spearmanr(x, y)
        return float(test.statistic), float(test.pvalue), "t approximation"
    ranks, ranks_y = stats.rankdata(x), stats.rankdata(y)
    products = ranks_y[_orders(len(y))] @ (ranks - ranks.mean())
    seen = float(ranks_y @ (ranks - ranks.mean()))
    return _correlation(ranks, ranks_y), float(np.mean(np.abs(products) >= abs(seen) - 1e-9)), "exact permutation"


@cache
def _orders(n: int) -> NDArray[np.intp]:
    """All (n!, n) of them, n at most _ENUMERATED."""
    return np.array(list(permutations(range(n))), dtype=np.intp)


def atanh_interval(value: float, error: float, quantile: float, level: float) -> Interval:
    """Of a coefficient in [-1, 1] whose atanh has this standard error."""
    middle, half = math.atanh(_clip(value)), quantile * error
    low, high = math.tanh(middle - half), math.tanh(middle + half)
    return Interval(min(low, value), max(high, value), level, "mean")


def jackknife_error(left_out: Array) -> float:
    """The standard error of atanh, from the coefficients without one cluster each."""
    z, count = np.arctanh(np.clip(left_out, -_MOST, _MOST)), len(left_out)
    return math.sqrt((count - 1) / count * float(((z - z.mean()) ** 2).sum()))


def _clustered_error(x: Array, y: Array, inside: Clusters) -> float | None:
    """Of atanh(r); None where a correlation without one of the clusters has no value."""
    if inside.count < 3:
        return None
    kept = [inside.codes != cluster for cluster in range(inside.count)]
    left = np.array([spearman(x[k], y[k]) if np.ptp(x[k]) and np.ptp(y[k]) else math.nan for k in kept])
    return None if np.isnan(left).any() else jackknife_error(left) or None


def _clip(r: float) -> float:
    return min(max(r, -_MOST), _MOST)
