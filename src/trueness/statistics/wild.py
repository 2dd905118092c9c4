"""The wild cluster bootstrap-t of a mean, for few clusters of unequal size.

    under H0: mean = m,   u_c = S_c - m n_c,   u*_c = w_c u_c,   t* = mean(u*) / SE_c(u*)
    p(m) = share of |t*| >= |t|,    interval = {m : p(m) > alpha}

S_c, n_c: sum and number of rows of cluster c. Weights w: Rademacher, -1 or 1, all 2^C patterns up to 12 clusters; below
8 clusters Webb's six points +-sqrt(1/2), +-1, +-sqrt(3/2), as 2^C patterns are then too few to tell p-values apart.
Everything is quadratic in m, so seven products of the weight matrix serve every m, and the interval costs a bisection.
Cameron, Gelbach & Miller (2008); Webb (2023); MacKinnon & Webb (2018).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trueness.statistics.cluster_bootstrap import check_resamples
from trueness.statistics.clusters import Array, Totals
from trueness.statistics.result import Alternative

Weights = Literal["rademacher", "webb"]
ENUMERATED = 12  # clusters up to which all Rademacher patterns are used
FEW = 8
GROUPS = 2000  # clusters beyond which groups of them share a weight
_WEIGHTS_AT_ONCE = 2_000_000
_WEBB = np.sqrt([0.5, 1.0, 1.5])
_STEPS = 40  # halvings: an end is known to 2^-40 of the range searched


@dataclass(frozen=True, eq=False)
class WildBootstrap:
    """Products of the weights w (R x C) with the totals: w S, w n, w^2 S^2, w^2 S n, w^2 n^2, w S n, w n^2."""

    products: Array
    totals: Totals
    exact: bool

    def t(self, m: float = 0.0) -> float:
        sums = self.totals.sums - m * self.totals.sizes
        return float(_t(sums.sum(), (sums**2).sum(), (sums * self.totals.sizes).sum(), self.totals))

    def p(self, m: float = 0.0, alternative: Alternative = "two-sided") -> float:
        w_s, w_n, ww_ss, ww_sn, ww_nn, w_sn, w_nn = self.products
        drawn = _t(w_s - m * w_n, ww_ss - 2 * m * ww_sn + m * m * ww_nn, w_sn - m * w_nn, self.totals)
        seen = self.t(m)
        sided = {"two-sided": (np.abs(drawn), abs(seen)), "greater": (drawn, seen), "less": (-drawn, -seen)}
        resampled, observed = sided[alternative]
        beyond = int(np.count_nonzero(resampled >= observed - 1e-9 * max(1.0, abs(observed))))
        # the patterns of a full enumeration hold the data themselves; of a draw they do not
        return beyond / len(drawn) if self.exact else (1 + beyond) / (1 + len(drawn))

    def error(self, p: float) -> float | None:
        return None if self.exact else math.sqrt(p * (1 - p) / self.products.shape[1])

    def interval(self, level: float) -> tuple[float, float] | None:
        """All m with p > 1 - level, outwards from the mean; None when p stays above it however far m goes."""
        sums, sizes = self.totals.sums, self.totals.sizes
        centre = float(sums.sum() / sizes.sum())
        reach = float(np.abs(sums / sizes - centre).max()) or 1.0
        ends = [self._end(centre, way * reach, 1 - level) for way in (-1, 1)]
        return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])

    def _end(self, centre: float, step: float, alpha: float) -> float | None:
        outside = next((centre + step * 2**k for k in range(12) if self.p(centre + step * 2**k) <= alpha), None)
        if outside is None:
            return None
        inside, outside = centre, float(outside)
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if middle in (inside, outside):
                break
            inside, outside = (middle, outside) if self.p(middle) > alpha else (inside, middle)
        return outside


def bootstrap(
    totals: Totals, resamples: int, rng: np.random.Generator, weights: Weights | None = None
) -> WildBootstrap:
    """weights: None takes Webb's below 8 clusters and Rademacher's from there on."""
    totals = totals.merge(GROUPS)
    n = len(totals.sums)
    weights = weights or ("webb" if n < FEW else "rademacher")
    if weights == "rademacher" and n <= ENUMERATED:
        patterns = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return WildBootstrap(_products(patterns, totals), totals, True)
    check_resamples(resamples)
    block = max(1, min(resamples, _WEIGHTS_AT_ONCE // n))
    parts = []
    for start in range(0, resamples, block):
        drawn = rng.choice([-1.0, 1.0], size=(min(block, resamples - start), n))
        parts.append(_products(drawn * rng.choice(_WEBB, size=drawn.shape) if weights == "webb" else drawn, totals))
    return WildBootstrap(np.concatenate(parts, axis=1), totals, False)


def _products(weights: Array, totals: Totals) -> Array:
    s, n = totals.sums, totals.sizes
    once = weights @ np.column_stack([s, n, s * n, n * n])
    twice = weights**2 @ np.column_stack([s * s, s * n, n * n])
    return np.vstack([once[:, 0], once[:, 1], twice.T, once[:, 2], once[:, 3]])


def _t(total: Array, squares: Array, crossed: Array, totals: Totals) -> Array:
    """mean / SE_c, from sum u, sum u^2 and sum u n over clusters; 0/0, where all clusters agree on 0, is 0."""
    sizes, count = totals.sizes, len(totals.sizes)
    rows = sizes.sum()
    centre = total / rows
    spread = squares - 2 * centre * crossed + centre**2 * (sizes**2).sum()
    se = np.sqrt(np.maximum(spread, 1e-24 * squares) * count / (count - 1)) / rows
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total == 0, 0.0, np.asarray(centre / se))
