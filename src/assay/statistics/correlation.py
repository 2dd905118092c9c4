"""Rank correlation with an interval: Spearman's rho and Kendall's tau-b.

    atanh(r) -+ z SE,   SE = sqrt((1 + r^2/2)/(n - 3)) for rho,  sqrt(.437/(n - 4)) for tau    Bonett & Wright (2000)
    clusters:  atanh(r) -+ t_{C-1} SE,   SE from leaving out one cluster at a time (jackknife)

p is scipy's for independent rows (exact for Kendall without ties), and atanh(r)/SE against t_{C-1} for clusters. The
bootstrap draws whole clusters and expands its tails for few of them (cluster_bootstrap.py).
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from assay.errors import DataError
from assay.intervals import Interval
from assay.statistics.cluster_bootstrap import check_resamples, expanded_tail
from assay.statistics.clusters import Array, Clusters, Labels, as_sample, clusters_of, kept
from assay.statistics.paired import t_p
from assay.statistics.result import Estimate, checked_choice, checked_level

Kind = Literal["spearman", "kendall"]
Method = Literal["fisher", "bootstrap"]
_NAMES = {"spearman": "Spearman's rho", "kendall": "Kendall's tau"}
_MOST = 1 - 1e-9  # a perfect correlation has no atanh


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
    inside = clusters_of(kept(clusters, there), len(one))
    n, n_missing = len(one), int((~there).sum())
    label = {"fisher": "atanh scale", "bootstrap": "bootstrap"}[method]
    if n < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        note = "A correlation needs three pairs." if n < 3 else "A constant column has no correlation."
        return Estimate(_NAMES[kind], None, None, n, inside.count, label, level, n_missing=n_missing, notes=(note,))
    value, p = _correlation(one, other, kind)
    clustered = inside.count < n
    if clustered and inside.count < 3:
        note = "Fewer than three clusters: no interval and no test."
        return Estimate(_NAMES[kind], value, None, n, inside.count, label, level, n_missing=n_missing, notes=(note,))
    error = _jackknife_error(one, other, inside, kind) if clustered else _bonett_wright(value, n, kind)
    test = {"spearman": "t approximation", "kendall": "Kendall's test"}[kind]
    if clustered:
        test = f"cluster jackknife t({inside.count - 1})"
        p = t_p(math.atanh(_clip(value)) / error, inside.count - 1, "two-sided") if error else None
    if method == "bootstrap":
        interval = _bootstrap(one, other, inside, kind, level, resamples, rng or np.random.default_rng(0))
    elif error is None:
        interval = None
    else:
        quantile = stdtrit(inside.count - 1, (1 + level) / 2) if clustered else ndtri((1 + level) / 2)
        middle, half = math.atanh(_clip(value)), float(quantile) * error
        interval = Interval(math.tanh(middle - half), max(math.tanh(middle + half), value), level, "mean")
    notes = () if interval else ("Too few pairs for an interval.",)
    return Estimate(
        _NAMES[kind], value, interval, n, inside.count, label, level, error, n_missing, p, test, 0.0, notes
    )  # fmt: skip


def _correlation(x: Array, y: Array, kind: Kind) -> tuple[float, float | None]:
    from scipy import stats

    found = stats.spearmanr(x, y) if kind == "spearman" else stats.kendalltau(x, y)
    return float(found.statistic), float(found.pvalue)


def _bonett_wright(r: float, n: int, kind: Kind) -> float | None:
    """The standard error of atanh(r); None below five pairs."""
    if n < 5:
        return None
    return math.sqrt((1 + r * r / 2) / (n - 3)) if kind == "spearman" else math.sqrt(0.437 / (n - 4))


def _jackknife_error(x: Array, y: Array, inside: Clusters, kind: Kind) -> float | None:
    left = []
    for k in range(inside.count):
        rest = inside.codes != k
        if rest.sum() < 3 or np.ptp(x[rest]) == 0 or np.ptp(y[rest]) == 0:
            return None
        left.append(math.atanh(_clip(_correlation(x[rest], y[rest], kind)[0])))
    values, count = np.array(left), inside.count
    return math.sqrt((count - 1) / count * float(((values - values.mean()) ** 2).sum())) or None


def _bootstrap(
    x: Array, y: Array, inside: Clusters, kind: Kind, level: float, resamples: int, rng: np.random.Generator
) -> Interval | None:
    check_resamples(resamples)
    rows = [np.flatnonzero(inside.codes == k) for k in range(inside.count)]
    found = []
    for drawn in rng.integers(inside.count, size=(resamples, inside.count)):
        chosen = np.concatenate([rows[k] for k in drawn])
        if np.ptp(x[chosen]) > 0 and np.ptp(y[chosen]) > 0:
            found.append(_correlation(x[chosen], y[chosen], kind)[0])
    if len(found) < resamples / 2:
        return None
    tail = expanded_tail(level, inside.count)
    low, high = np.quantile(found, [tail, 1 - tail])
    return Interval(low, high, level, "mean")


def _clip(r: float) -> float:
    return min(max(r, -_MOST), _MOST)
