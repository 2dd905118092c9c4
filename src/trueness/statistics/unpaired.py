"""Two samples of different units: Welch, Mann-Whitney, and the permutation of labels.

    welch          (mean a - mean b) / SE against t; clusters respected (influence.py)         the default
    mann-whitney   U = #{a > b} + #{a = b}/2, p exact over all splits of these very ranks up to 50 values, ties and all,
                   beyond by scipy's normal form with tie and continuity correction
    permutation    all splits of the values (or of whole clusters) into samples of these sizes, or R random ones

Difference and interval are Welch's in all three; beside it stands Cliff's delta = 2U/(nm) - 1. Samples that share units
are paired data: paired.py finds more in them, and these tests may find what is not there.
Welch (1947); Mann & Whitney (1947); Phipson & Smyth (2010) for p = (1 + #)/(R + 1).
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics.cluster_bootstrap import RESAMPLES, check_resamples
from trueness.statistics.clusters import Array, Labels, as_sample, clusters_of, labels_at
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import cliffs_delta
from trueness.statistics.influence import robust_error
from trueness.statistics.paired import t_p
from trueness.statistics.result import Alternative, checked_choice, checked_level
from trueness.statistics.signed_rank import sided_p

Test = Literal["welch", "mann-whitney", "permutation"]
EXACT = 50  # values in both samples together up to which Mann-Whitney's p is exact
ENUMERATED = 200_000  # splits up to which a permutation test takes all


def unpaired_difference(
    a: ArrayLike,
    b: ArrayLike,
    clusters: tuple[Labels | None, Labels | None] | None = None,
    level: float = 0.95,
    test: Test = "welch",
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("a", "b"),
    *,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Comparison:
    """clusters: labels of a and of b. A label in both samples is one cluster (the same task in two conditions)."""
    checked_level(level)
    checked_choice("test", test, Test)
    checked_choice("alternative", alternative, Alternative)
    one, other = as_sample(a, "a"), as_sample(b, "b")
    there, here = ~np.isnan(one), ~np.isnan(other)
    labels = None if clusters is None else (labels_at(clusters[0], there), labels_at(clusters[1], here))
    one, other = one[there], other[here]
    error, df, count = robust_error(one, other, labels) if min(len(one), len(other)) else (None, None, None)
    n = len(one) + len(other)
    comparison = Comparison(
        names, None, None, test, None, n, n if count is None else count, alternative, "unpaired", level,
        n_each=(len(one), len(other)), n_missing=int((~there).sum() + (~here).sum()), interval_method="welch t",
    )  # fmt: skip
    if min(len(one), len(other)) == 0:
        return replace(comparison, notes=("A sample has no value.",))
    comparison = replace(
        comparison,
        difference=float(one.mean() - other.mean()),
        means=(float(one.mean()), float(other.mean())),
        effect=cliffs_delta(one, other, labels, level),
    )
    if error is None or df is None:
        comparison = replace(comparison, notes=("Fewer than two independent units in a sample: no interval.",))
    elif error == 0:
        comparison = replace(comparison, constant=True)
    else:
        half = float(stdtrit(df, (1 + level) / 2)) * error
        middle = comparison.difference or 0.0
        comparison = replace(comparison, interval=Interval(middle - half, middle + half, level, "mean"))
    if test == "welch":
        return _by_welch(comparison, error, df)
    if test == "mann-whitney":
        if labels is not None:
            raise DataError(
                "'clusters' cannot enter a Mann-Whitney test. Give it the mean of each cluster, or use welch."
            )
        return _by_ranks(comparison, one, other)
    return _by_permutation(comparison, one, other, labels, resamples, rng or np.random.default_rng(0))


def mann_whitney(
    a: ArrayLike,
    b: ArrayLike,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """U of the first sample, p, difference of means with Welch's interval, and Cliff's delta."""
    return unpaired_difference(a, b, None, level, "mann-whitney", alternative, names)


def _by_welch(comparison: Comparison, error: float | None, df: float | None) -> Comparison:
    if error is None or df is None:
        return comparison
    if error == 0:
        same = comparison.difference == 0
        note = "Both samples are constant" + (" and equal." if same else ": t has no value.") + " No interval is known."
        return replace(comparison, p=1.0 if same else None, notes=(*comparison.notes, note))
    t = (comparison.difference or 0.0) / error
    return replace(comparison, statistic=t, p=t_p(t, df, comparison.alternative))


def _by_ranks(comparison: Comparison, one: Array, other: Array) -> Comparison:
    from scipy import stats

    n, m = len(one), len(other)
    doubled = np.rint(2 * stats.rankdata(np.concatenate([one, other]))).astype(np.int64)
    u = float(doubled[:n].sum()) / 2 - n * (n + 1) / 2
    ties = n + m - len(np.unique(doubled))
    notes = (*comparison.notes, f"{ties} tied values share their ranks.") if ties else comparison.notes
    if len(np.unique(doubled)) == 1:
        return replace(
            comparison, statistic=u, p=1.0, exact=True, notes=(*comparison.notes, "All values are the same.")
        )
    if n + m > EXACT:
        p = float(stats.mannwhitneyu(one, other, alternative=comparison.alternative, method="asymptotic").pvalue)
        return replace(comparison, statistic=u, p=p, notes=notes)
    shares, at = _rank_sums(doubled, n), int(doubled[:n].sum())
    p = sided_p(float(shares[at:].sum()), float(shares[: at + 1].sum()), comparison.alternative)
    smallest = min(1.0, (2 if comparison.alternative == "two-sided" else 1) / math.comb(n + m, n))
    return replace(comparison, statistic=u, p=p, exact=True, smallest_p=smallest, notes=notes)


def _rank_sums(doubled: NDArray[np.int64], n: int) -> Array:
    """shares[s] of all ways to choose n of the doubled ranks whose sum is s."""
    ways = np.zeros((n + 1, int(np.sort(doubled)[-n:].sum()) + 1))
    ways[0, 0] = 1.0
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank]
    return np.asarray(ways[n] / math.comb(len(doubled), n))


def _by_permutation(
    comparison: Comparison,
    one: Array,
    other: Array,
    labels: tuple[list[object] | None, list[object] | None] | None,
    resamples: int,
    rng: np.random.Generator,
) -> Comparison:
    check_resamples(resamples)
    n = len(one)
    joined = None if labels is None else [*(labels[0] or []), *(labels[1] or [])]
    inside = clusters_of(joined, n + len(other))
    first = np.zeros(inside.count, dtype=bool)
    first[inside.codes[:n]] = True
    if first[inside.codes[n:]].any():
        raise DataError("a permutation test needs clusters that lie in one sample each. Use paired_difference.")
    values = np.concatenate([one, other])
    sums, sizes = inside.sums(values - values.mean()), inside.sizes
    k, count = int(first.sum()), inside.count
    exact = math.comb(count, k) <= ENUMERATED
    chosen = _all_splits(count, k) if exact else _random_splits(count, k, resamples, rng)
    in_first = chosen @ np.column_stack([sums, sizes])
    total, rows = float(sums.sum()), float(sizes.sum())
    drawn = in_first[:, 0] / in_first[:, 1] - (total - in_first[:, 0]) / (rows - in_first[:, 1])
    seen = comparison.difference or 0.0
    slack = 1e-12 * max(abs(seen), float(np.abs(values).max()))
    counts = {
        "greater": np.count_nonzero(drawn >= seen - slack),
        "less": np.count_nonzero(drawn <= seen + slack),
        "two-sided": np.count_nonzero(np.abs(drawn) >= abs(seen) - slack),
    }
    beyond = int(counts[comparison.alternative])
    if exact:
        return replace(comparison, p=beyond / len(drawn), exact=True, smallest_p=1 / len(drawn))
    p = (1 + beyond) / (1 + resamples)
    return replace(comparison, p=p, p_error=math.sqrt(p * (1 - p) / resamples))


def _all_splits(count: int, k: int) -> Array:
    places = np.array(list(combinations(range(count), k)), dtype=np.intp)
    chosen = np.zeros((len(places), count))
    np.put_along_axis(chosen, places, 1.0, axis=1)
    return chosen


def _random_splits(count: int, k: int, resamples: int, rng: np.random.Generator) -> Array:
    chosen = np.zeros((resamples, count))
    chosen[:, :k] = 1.0
    return rng.permuted(chosen, axis=1, out=chosen)
