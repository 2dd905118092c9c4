"""Wilcoxon's signed-rank test, exact with ties, and the Hodges-Lehmann interval.

    W = sum of the ranks of |d_i| with d_i > 0,   ranks averaged over ties, d_i = 0 left out (Wilcoxon 1945)
    exact p: the distribution of W over all 2^n sign patterns of these very ranks, by convolution
    estimate: median of the Walsh averages (d_i + d_j)/2, i <= j;  interval: their k-th smallest and k-th greatest

scipy's exact distribution knows no ties and falls back to the normal one; rounded rates are full of them, so the
convolution here runs over twice the midranks, which are whole numbers. Beyond 200 units scipy's normal form with its
tie correction serves. Hodges & Lehmann (1963); Hollander, Wolfe & Chicken (2013), ch. 3.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trueness.statistics.clusters import Array
from trueness.statistics.result import Alternative

EXACT = 200  # units up to which p is exact
WALSH = 3000  # units up to which all Walsh averages are written out


def signed_rank_p(d: Array, alternative: Alternative = "two-sided") -> tuple[float, float | None, bool]:
    """(W, p, whether p is exact). d: (n,) differences; no difference but zero leaves no test (None)."""
    moved = d[d != 0]
    if len(moved) == 0:
        return 0.0, None, True
    doubled = _doubled_ranks(np.abs(moved))
    w = float(doubled[moved > 0].sum()) / 2
    if len(moved) > EXACT:
        from scipy.stats import wilcoxon

        test = wilcoxon(moved, alternative=alternative, method="approx", correction=True)
        return w, float(test.pvalue), False
    shares = _distribution(doubled)
    at = round(2 * w)
    return w, sided_p(float(shares[at:].sum()), float(shares[: at + 1].sum()), alternative), True


def hodges_lehmann(d: Array, level: float) -> tuple[float, tuple[float, float] | None]:
    """The median of the Walsh averages and its interval; None when n is too small to bound it, or too great."""
    n = len(d)
    if n > WALSH:
        return float(np.median(d)), None
    rows, columns = np.triu_indices(n)
    walsh = np.sort((d[rows] + d[columns]) / 2)
    k = _order_of_ends(n, level)
    return float(np.median(walsh)), None if k < 1 else (float(walsh[k - 1]), float(walsh[-k]))


def sided_p(greater: float, less: float, alternative: Alternative) -> float:
    """From the two one-sided p-values; rounding may take a sum of shares above 1."""
    p = {"greater": greater, "less": less, "two-sided": 2 * min(greater, less)}[alternative]
    return min(1.0, p)


def _order_of_ends(n: int, level: float) -> int:
    """The greatest k with P(W <= k - 1) <= alpha/2, without ties: the ends are the k-th Walsh averages."""
    if n > EXACT:
        from scipy.special import ndtri

        centre, sd = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return math.floor(centre - float(ndtri((1 + level) / 2)) * sd)
    below = np.cumsum(_distribution(2 * np.arange(1, n + 1))[::2])
    return int(np.count_nonzero(below <= (1 - level) / 2 * (1 + 1e-12)))


def _doubled_ranks(sizes: Array) -> NDArray[np.int64]:
    from scipy.stats import rankdata

    return np.asarray(np.rint(2 * rankdata(sizes)), dtype=np.int64)


def _distribution(doubled: NDArray[np.int64]) -> Array:
    """shares[w] of the 2^n sign patterns whose positive doubled ranks sum to w."""
    shares: Array = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(shares)
        moved[rank:] = shares[: len(shares) - rank]
        shares = (shares + moved) / 2
    return shares
