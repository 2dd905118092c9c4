"""The sign-flip test of a mean difference: exact when clusters are few, and the interval that belongs to it.

With S_c, n_c the sum and the number of the differences in cluster c, and H0: the mean is m, each S_c - m n_c is as
likely as its negative. Flipping the clusters of a set F lowers the total by 2 sum_F (S_c - m n_c), so

    P(total* >= total) = #{F : S_F / n_F <= m} / 2^C,    S_F = sum_F S_c,  n_F = sum_F n_c,  the empty F counted

One array, the 2^C - 1 subset means S_F / n_F, therefore holds the p of every m, and its k-th smallest and k-th
greatest, k = floor(2^C alpha/2), are the ends of the interval of all m that are not rejected (k = 0: no such end).
Two-sided p = 2 min(one-sided p, 1/2). Beyond 20 clusters R random subsets stand for all and p = (1 + #)/(R + 1),
which is valid for any R; its own sampling error is sqrt(p (1 - p)/R).
Fisher (1935); Hartigan (1969), Using subsample values as typical values; Canay, Romano & Shaikh (2017).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trueness.errors import SettingError
from trueness.statistics.clusters import Array, Totals
from trueness.statistics.result import Alternative

RESAMPLES = 10_000
ENUMERATED = 20  # clusters up to which all 2^C sign patterns are used
GROUPS = 2000  # clusters beyond which groups of them flip together: as valid, and a million rows stay quick
_SUBSETS_AT_ONCE = 2_000_000
_ROUNDING = 1e-12  # sums of the same numbers in another order differ by that much: still a tie


@dataclass(frozen=True, eq=False)
class Flips:
    """subset_means: means of the non-empty subsets. patterns: how many sign patterns stand behind them."""

    subset_means: Array
    patterns: int
    exact: bool

    def p(self, m: float = 0.0, alternative: Alternative = "two-sided") -> float:
        """Of H0: the mean is m; 'greater' is the alternative that it is greater."""
        slack = _ROUNDING * max(abs(m), float(np.abs(self.subset_means).max()))
        greater = (1 + int(np.count_nonzero(self.subset_means <= m + slack))) / self.patterns
        less = (1 + int(np.count_nonzero(self.subset_means >= m - slack))) / self.patterns
        return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]

    @property
    def test(self) -> str:
        """Its name; where signs were drawn, how many times."""
        return "sign-flip" if self.exact else f"{self.patterns - 1:,} drawn sign flips"

    def error(self, p: float) -> float | None:
        """The standard error of a Monte Carlo p; None when it is exact."""
        return None if self.exact else math.sqrt(p * (1 - p) / (self.patterns - 1))

    def interval(self, level: float) -> tuple[float, float] | None:
        """All m with two-sided p > 1 - level; None when the clusters are too few to reject any."""
        k = math.floor(self.patterns * (1 - level) / 2 + 1e-9)
        if k < 1:
            return None
        ordered = np.partition(self.subset_means, (k - 1, len(self.subset_means) - k))
        return float(ordered[k - 1]), float(ordered[-k])

    def smallest_p(self, alternative: Alternative = "two-sided") -> float:
        return min(1.0, (2 if alternative == "two-sided" else 1) / self.patterns)


def flips(totals: Totals, resamples: int, rng: np.random.Generator) -> Flips:
    if len(totals.sums) <= ENUMERATED:
        return Flips(_all_subset_means(totals), 2 ** len(totals.sums), True)
    check_resamples(resamples)
    return Flips(_random_subset_means(totals.merge(GROUPS), resamples, rng), resamples + 1, False)


def _all_subset_means(totals: Totals) -> Array:
    sums, sizes = np.zeros(1), np.zeros(1)
    for total, size in zip(totals.sums, totals.sizes, strict=True):
        sums, sizes = np.concatenate([sums, sums + total]), np.concatenate([sizes, sizes + size])
    return np.asarray(sums[1:] / sizes[1:])


def _random_subset_means(totals: Totals, resamples: int, rng: np.random.Generator) -> Array:
    """The empty subset has no mean; its odds are 2^-C, below one in a million here, and the full one stands in."""
    n = len(totals.sums)
    table = np.column_stack([totals.sums, totals.sizes])
    means = np.empty(resamples)
    block = max(1, min(resamples, _SUBSETS_AT_ONCE // n))
    for start in range(0, resamples, block):
        k = min(block, resamples - start)
        chosen = rng.integers(2, size=(k, n), dtype=np.uint8)
        chosen[~chosen.any(axis=1)] = 1
        drawn = chosen.astype(np.float64) @ table
        means[start : start + k] = drawn[:, 0] / drawn[:, 1]
    return means


def check_resamples(resamples: int) -> None:
    if resamples < 1:
        raise SettingError(f"'resamples' must be at least 1, got {resamples}. Try {RESAMPLES}.")
