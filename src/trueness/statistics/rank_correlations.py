"""Rank correlation with an interval: Spearman's rho and Kendall's tau-b.

    atanh(r) -+ z SE,   SE = sqrt((1 + r^2/2)/(n - 3)) for rho,  sqrt(.437/(n - 4)) for tau    Bonett & Wright (2000)
    clusters:  atanh(r) -+ t_{C-1} SE,   SE from leaving out one cluster at a time (jackknife)

p of independent rows: all n! orders for rho up to n = 8, scipy's beyond and for tau; of clusters: atanh(r)/SE against
t_{C-1}. The bootstrap draws whole clusters and expands its tails for few of them (cluster_bootstrap.py).

Leaving out and drawing again are weights k_i = 0, 1, 2, ... on the rows; with s_ij = sign(x_i - x_j), r_ij that of y

    rank_i = sum_j k_j (1 + s_ij)/2,    tau-b = k' (s r) k / sqrt(k' s^2 k  k' r^2 k)

so that all weightings are one matrix product.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import permutations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics.cluster_bootstrap import check_resamples, expanded_tail
from trueness.statistics.clusters import Array, Clusters, Labels, as_sample, clusters_of, labels_at
from trueness.statistics.paired import t_p
from trueness.statistics.result import Estimate, checked_choice, checked_level

Kind = Literal["spearman", "kendall"]
Method = Literal["fisher", "bootstrap"]
_NAMES = {"spearman": "Spearman's rho", "kendall": "Kendall's tau"}
_LABELS = {"fisher": "atanh scale", "bootstrap": "bootstrap"}
_MOST = 1 - 1e-9  # a perfect correlation has no atanh
_ENUMERATED = 8  # pairs up to which all orders are tried
_MOST_LEFT_OUT = 500  # groups of clusters beyond which leaving out one at a time tells no more
_PAIRED_ROWS = 2000  # rows up to which the n x n signs are written out
_WEIGHTS_AT_ONCE = 1_000_000


def rank_correlation(
    x: ArrayLike,
    y: ArrayLike,
    clusters: Labels | None = None,
    kind: Kind = "spearman",
    level: float = 0.95,
    method: Method = "fisher",
    *,
    resamples: int = 2000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """x[i] and y[i] belong together; a pair with a missing end (NaN) is left out and counted."""
    checked_level(level)
    checked_choice("kind", kind, Kind)
    checked_choice("method", method, Method)
    one, other = as_sample(x, "x"), as_sample(y, "y")
    if len(one) != len(other):
        raise DataError(f"'x' and 'y' of a correlation must be equally long, got {len(one)} and {len(other)}.")
    there = ~(np.isnan(one) | np.isnan(other))
    one, other = one[there], other[there]
    inside = clusters_of(labels_at(clusters, there), len(one))
    n, n_missing = len(one), int((~there).sum())
    if n < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        note = "A correlation needs three pairs." if n < 3 else "A constant column has no correlation."
        return Estimate(
            _NAMES[kind], None, None, n, inside.count, _LABELS[method], level, n_missing=n_missing, notes=(note,)
        )
    value, p, test = _test(one, other, kind)
    if inside.count < n:
        error = _jackknife_error(one, other, inside.merge(_MOST_LEFT_OUT), kind)
        test = f"cluster jackknife t({inside.count - 1})"
        p = t_p(math.atanh(_clip(value)) / error, inside.count - 1, "two-sided") if error else None
        quantile = float(stdtrit(inside.count - 1, (1 + level) / 2))
    else:
        error = _bonett_wright(value, n, kind)
        quantile = float(ndtri((1 + level) / 2))
    if method == "bootstrap":
        interval = _bootstrap(one, other, inside, kind, level, resamples, rng or np.random.default_rng(0))
    else:
        interval = _on_atanh_scale(value, error, quantile, level)
    notes = () if interval else ("Too few independent pairs for an interval.",)
    label = _LABELS[method]
    return Estimate(_NAMES[kind], value, interval, n, inside.count, label, level, error, n_missing, p, test, 0.0, notes)


def spearman(x: Array, y: Array) -> float:
    """rho of two columns that vary; scipy's own makes a p of it each time, for ten times the time."""
    from scipy.stats import rankdata

    return _correlation(rankdata(x), rankdata(y))


def _correlation(ranks_x: Array, ranks_y: Array) -> float:
    return float(np.corrcoef(ranks_x, ranks_y)[1, 0])


def _test(x: Array, y: Array, kind: Kind) -> tuple[float, float | None, str]:
    from scipy import stats

    if kind == "kendall":
        test = stats.kendalltau(x, y)
        return float(test.statistic), float(test.pvalue), "Kendall's test"
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


def _on_atanh_scale(value: float, error: float | None, quantile: float, level: float) -> Interval | None:
    if error is None:
        return None
    middle, half = math.atanh(_clip(value)), quantile * error
    low, high = math.tanh(middle - half), math.tanh(middle + half)
    return Interval(min(low, value), max(high, value), level, "mean")


def _bonett_wright(r: float, n: int, kind: Kind) -> float | None:
    """The standard error of atanh(r); None below five pairs."""
    if n < 5:
        return None
    return math.sqrt((1 + r * r / 2) / (n - 3)) if kind == "spearman" else math.sqrt(0.437 / (n - 4))


def _jackknife_error(x: Array, y: Array, inside: Clusters, kind: Kind) -> float | None:
    """Of atanh(r), from C correlations without one cluster each; None where one of them has no value."""
    count = inside.count
    if count < 3:
        return None
    left = weighted_correlations(x, y, 1.0 - np.eye(count), inside, kind)
    if np.isnan(left).any():
        return None
    values = np.arctanh(np.clip(left, -_MOST, _MOST))
    return math.sqrt((count - 1) / count * float(((values - values.mean()) ** 2).sum())) or None


def _bootstrap(
    x: Array, y: Array, inside: Clusters, kind: Kind, level: float, resamples: int, rng: np.random.Generator
) -> Interval | None:
    check_resamples(resamples)
    count = inside.count
    if count < 3:
        return None
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(np.float64)
    draws = weighted_correlations(x, y, drawn, inside, kind)
    draws = draws[~np.isnan(draws)]  # a resample in which a column is constant
    if len(draws) < resamples / 2:
        return None
    tail = expanded_tail(level, count)
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(low, high, level, "mean")


def weighted_correlations(x: Array, y: Array, weights: Array, inside: Clusters, kind: Kind) -> Array:
    """(R,) correlations under weights (R, C) of the clusters; NaN where a column is constant."""
    if len(x) > _PAIRED_ROWS:
        return np.array([correlation_of_repeated_rows(x, y, row[inside.codes], kind) for row in weights])
    signs_x, signs_y = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    one_block = _kendall_block if kind == "kendall" else _spearman_block
    block = max(1, _WEIGHTS_AT_ONCE // len(x))
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = [
            one_block(weights[start : start + block][:, inside.codes], signs_x, signs_y)
            for start in range(0, len(weights), block)
        ]
    return np.concatenate(parts)


def _kendall_block(k: Array, signs_x: Array, signs_y: Array) -> Array:
    def form(matrix: Array) -> Array:
        return np.asarray(((k @ matrix) * k).sum(axis=1))

    return np.asarray(form(signs_x * signs_y) / np.sqrt(form(signs_x**2) * form(signs_y**2)))


def _spearman_block(k: Array, signs_x: Array, signs_y: Array) -> Array:
    # sum_j k_j s_ij is twice the rank less a constant, and its weighted mean is 0: ready for a correlation
    ranks_x, ranks_y = k @ signs_x.T, k @ signs_y.T
    above = (k * ranks_x * ranks_y).sum(axis=1)
    return np.asarray(above / np.sqrt((k * ranks_x**2).sum(axis=1) * (k * ranks_y**2).sum(axis=1)))


def correlation_of_repeated_rows(x: Array, y: Array, counts: Array, kind: Kind) -> float:
    rows = np.repeat(np.arange(len(x)), counts.astype(np.int64))
    if np.ptp(x[rows]) == 0 or np.ptp(y[rows]) == 0:
        return math.nan
    if kind == "spearman":
        return spearman(x[rows], y[rows])
    from scipy.stats import kendalltau

    return float(kendalltau(x[rows], y[rows]).statistic)


def _clip(r: float) -> float:
    return min(max(r, -_MOST), _MOST)
