"""Two samples of different units: Welch, Mann-Whitney, and the permutation of labels.

    welch          (mean a - mean b) / SE against t; clusters respected (clusters.py)         the default
    mann-whitney   U = #{a > b} + #{a = b}/2, p exact over all splits of these very ranks up to 50 values, ties and all,
                   beyond by scipy's normal form with tie and continuity correction
    permutation    all splits of the values (or of whole clusters) into samples of these sizes, or R random ones

Difference and interval are Welch's in all three; beside it stands Cliff's delta = 2U/(nm) - 1. Samples that share units
are paired data: paired.py finds more in them, and these tests may find what is not there.
Welch (1947); Mann & Whitney (1947); Phipson & Smyth (2010) for p = (1 + #)/(R + 1).

Does a score tell two groups apart? The area under its curve, known only as far as few values can tell:

    AUC = P(A > B) + P(A = B)/2 = (Cliff's delta + 1)/2        interval: that of the delta (effect_sizes.py)

A few values agree by chance, and then look certain: of scores that are pure noise 66 % of the intervals of 2 against 1
values exclude .5, 10 % of 3 against 3, and 65 % of 4 against 100 where nine in ten are the same. Hence two rules:

    fewer than LEAST clusters hold a group (a row is a cluster where none are named): a value and no interval
    the interval excludes .5 only where Mann and Whitney's test does: else it is widened up to .5

The test is of rows, and where clusters are named of their means in each group. Where every cluster holds both groups,
values are compared within clusters, whose spread is seen, and the interval stands alone. Simulated: docs/statistics.md.
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
from trueness.statistics.clusters import Array, Labels, clusters_of, robust_error, two_samples
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import cliffs_delta, delta_interval
from trueness.statistics.estimates import t_p
from trueness.statistics.paired import sided_p
from trueness.statistics.result import Alternative, Estimate, checked_choice, checked_level
from trueness.statistics.sign_flip import RESAMPLES, check_resamples

Test = Literal["welch", "mann-whitney", "permutation"]
EXACT = 50  # values in both samples together up to which Mann-Whitney's p is exact
LEAST = 4  # clusters that hold values of a group
Held = tuple[list[object], list[object]]
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
    one, other, labels, n_missing = two_samples(a, b, clusters)
    error, df, count = robust_error(one, other, labels) if min(len(one), len(other)) else (None, None, None)
    n = len(one) + len(other)
    comparison = Comparison(
        names, None, None, test, None, n, n if count is None else count, alternative, "unpaired", level,
        n_each=(len(one), len(other)), n_missing=n_missing, interval_method="welch t",
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


# ---- the area under the curve


def auc(
    a: ArrayLike,
    b: ArrayLike,
    clusters: tuple[Labels | None, Labels | None] | None = None,
    level: float = 0.95,
    *,
    name: str = "AUC",
) -> Estimate:
    """Above .5: values of a tend to be greater. clusters: labels of a and of b; a label in both is one cluster."""
    delta = cliffs_delta(a, b, clusters, level)
    one, other, labels, _ = two_samples(a, b, clusters)
    both: Held | None = None
    if labels is not None and labels[0] is not None and labels[1] is not None:
        both = (list(labels[0]), list(labels[1]))
    held = (len(one), len(other)) if both is None else (len(set(both[0])), len(set(both[1])))
    value = None if delta.value is None else (delta.value + 1) / 2
    count = delta.n_clusters if delta.n_clusters is not None else min(delta.n)
    estimate = Estimate(name, value, None, sum(delta.n), count, delta.method, level, notes=delta.notes)
    if delta.value is None or min(held) < LEAST:
        few = f"{held[0]} and {held[1]} clusters hold the two groups; an interval needs {LEAST} each."
        return replace(estimate, notes=(few,))
    ends = delta.interval
    if ends is not None and ends.width < 1e-6:  # all clusters alike: their number still says how well
        ends = delta_interval(delta.value, None, None, held, level)
    if ends is None:
        return estimate
    low, high = (ends.low + 1) / 2, (ends.high + 1) / 2
    if (low > 0.5 or high < 0.5) and not _ranks_differ(one, other, both, level):
        low, high = min(low, 0.5), max(high, 0.5)
        estimate = replace(
            estimate, notes=(*estimate.notes, "Widened up to .5, which the test of ranks does not exclude.")
        )
    return replace(estimate, interval=Interval(low, high, level, "mean"))


def _ranks_differ(one: Array, other: Array, labels: Held | None, level: float) -> bool:
    if labels is not None:
        if set(labels[0]) == set(labels[1]):
            return True
        one, other = _means(one, labels[0]), _means(other, labels[1])
    p = unpaired_difference(one, other, level=level, test="mann-whitney").p
    return p is not None and p <= 1 - level


def _means(values: Array, labels: list[object]) -> Array:
    codes = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    inside = np.array([codes[label] for label in labels])
    return np.asarray(np.bincount(inside, weights=values) / np.bincount(inside))
