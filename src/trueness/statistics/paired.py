"""Paired differences: the same units under two conditions, which is where the power is.

    d_i = a_i - b_i,   clusters of units share a sign or a weight

    sign-flip      exact over 2^C sign patterns; interval by inversion                     the default
    t              mean(d) / SE_c against t with C - 1; interval mean -+ t SE_c
    signed ranks   a p alone, exact with ties
    McNemar        the sign-flip test of pairs of passes, in closed form: b of b + c against 1/2 (McNemar 1947)

Wilcoxon (1945):  W = sum of the ranks of |d_i| with d_i > 0,   ranks averaged over ties, d_i = 0 left out
    exact p: the distribution of W over all 2^n sign patterns of these very ranks, by convolution

scipy's exact distribution knows no ties; rounded rates are full of them, so the convolution runs over twice the
midranks, which are whole numbers. Beyond 200 units scipy's normal form with its tie correction serves.
Hollander, Wolfe & Chicken (2013), ch. 3.

Twenty tasks of five repeats and a shift of .3 sd: an unpaired test finds it in .49 of studies, these in .98; with
task-by-condition variation the unpaired one also rejects a true null in .39. So average the repeats of a unit first,
or name the unit in `clusters`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from trueness.intervals import Interval
from trueness.statistics import sign_flip
from trueness.statistics.clusters import Array, Labels, Totals, clusters_of, equally_long, labels_at, reference
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import paired_superiority
from trueness.statistics.estimates import ROUNDING, t_p
from trueness.statistics.result import Alternative, checked_choice, checked_level
from trueness.statistics.sign_flip import RESAMPLES

SAME = "The difference is the same in every unit, so no interval is known."
Test = Literal["sign-flip", "t"]
EXACT = 200  # units up to which the p of ranks is exact


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Labels | None = None,
    level: float = 0.95,
    test: Test = "sign-flip",
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("a", "b"),
    *,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Comparison:
    """a[i] and b[i] belong to one unit; a pair with a missing end (NaN) is left out and counted.

    rng: for what is too large to enumerate; None draws from a fixed seed, so that the same data give the same p.
    """
    checked_level(level)
    checked_choice("test", test, Test)
    checked_choice("alternative", alternative, Alternative)
    one, other, there = equally_long(a, b)
    one, other = one[there], other[there]
    d = one - other
    inside = clusters_of(labels_at(clusters, there), len(d))
    blank = Comparison(
        names, None, None, test, None, len(d), inside.count, alternative, "paired", level,
        n_each=(len(d), len(d)), n_missing=int((~there).sum()),
    )  # fmt: skip
    if len(d) == 0:
        return replace(blank, notes=("No unit has both values.",))
    blank = replace(blank, difference=float(d.mean()), means=(float(one.mean()), float(other.mean())))
    if inside.count < 2:
        return replace(blank, notes=("One independent unit allows no test and no interval.",))
    totals = Totals(inside.labels, inside.sums(d), inside.sizes)
    comparison = replace(blank, effect=paired_superiority(one, other, labels_at(clusters, there), level), totals=totals)
    rounding = ROUNDING * max(float(np.abs(one).max()), float(np.abs(other).max()))
    if float(np.abs(d).max()) <= rounding:
        note = "Both are equal in every unit, so no interval is known."
        return replace(comparison, difference=0.0, p=1.0, notes=(note,), constant=True)
    if test == "t":
        return _by_t(comparison, totals)
    means = inside.means(d)
    flips = sign_flip.flips(totals, resamples, rng or np.random.default_rng(0))
    p, ends = flips.p(0.0, alternative), flips.interval(level)
    comparison = replace(
        comparison, test=flips.test, p=p, exact=flips.exact, p_error=flips.error(p),
        smallest_p=flips.smallest_p(alternative), interval_method="sign-flip inversion",
    )  # fmt: skip
    if np.ptp(means) <= rounding:
        return replace(comparison, notes=(SAME,), constant=True)
    if ends is None:
        note = f"{inside.count} independent units are too few to bound the difference at this level."
        return replace(comparison, notes=(note,))
    return replace(comparison, interval=Interval(*ends, level, "mean"))


def at_level(
    comparison: Comparison, level: float, *, resamples: int = RESAMPLES, rng: np.random.Generator | None = None
) -> Comparison:
    """A paired comparison with its interval at another level, which an adjusted verdict asks for; `alone`: as it was.

    resamples, rng: as for paired_difference.
    """
    totals = comparison.totals
    unadjusted = comparison.alone or comparison.interval
    unadjusted = unadjusted if unadjusted is not None and abs(unadjusted.level - comparison.level) < 1e-12 else None
    if comparison.constant or totals is None or abs(level - comparison.level) < 1e-12:
        return replace(comparison, interval=unadjusted, alone=unadjusted)
    ends: tuple[float, float] | None
    if comparison.test == "t":
        centre, se, df = _centre_error(totals)
        half = float(stdtrit(df, (1 + level) / 2)) * se
        ends = centre - half, centre + half
    else:
        ends = sign_flip.flips(totals, resamples, rng or np.random.default_rng(0)).interval(level)
    interval = None if ends is None else Interval(*ends, level, "mean").within(*comparison.bounds)
    few = f"{len(totals.sums)} independent units are too few to bound the difference at {100 * level:.4g} %."
    lost = (few,) if interval is None and unadjusted is not None and few not in comparison.notes else ()
    return replace(comparison, interval=interval, alone=unadjusted, notes=(*comparison.notes, *lost))


def _centre_error(totals: Totals) -> tuple[float, float, float]:
    """The mean, its clustered standard error and its degrees of freedom."""
    n, count = float(totals.sizes.sum()), len(totals.sums)
    centre = float(totals.sums.sum()) / n
    df, factor = reference(totals.sizes)
    squares = float((((totals.sums - centre * totals.sizes) / n) ** 2).sum())
    return centre, factor * math.sqrt(count / (count - 1) * squares), df


def _by_t(comparison: Comparison, totals: Totals) -> Comparison:
    centre, se, df = _centre_error(totals)
    if se <= ROUNDING * abs(centre):
        return replace(comparison, interval_method="t", notes=(f"{SAME} t has no value.",), constant=True)
    half = float(stdtrit(df, (1 + comparison.level) / 2)) * se
    interval = Interval(centre - half, centre + half, comparison.level, "mean")
    p = t_p(centre / se, df, comparison.alternative)
    return replace(comparison, interval=interval, interval_method="t", statistic=centre / se, p=p)


def mcnemar_p(d: Array, alternative: Alternative = "two-sided") -> float | None:
    """The exact McNemar test, P(Binomial(b + c, 1/2) as far from its middle as b): the sign-flip test of pairs that
    differ by one step or not at all; None where some differ by more, and so for pairs of anything but passes."""
    from scipy.stats import binomtest

    moved = d[d != 0]
    if len(moved) == 0 or np.ptp(np.abs(moved)) > 1e-12 * float(np.abs(moved).max()):
        return None
    return float(binomtest(int((moved > 0).sum()), len(moved), 0.5, alternative).pvalue)


def signed_rank_p(d: Array, alternative: Alternative = "two-sided") -> tuple[float, float | None, bool]:
    """(W, p, whether p is exact). d: (n,) differences; no difference but zero leaves no test (None)."""
    most = float(np.abs(d).max(initial=0.0))
    if most == 0:
        return 0.0, None, True
    d = np.round(d, 12 - math.ceil(math.log10(most)))  # rounding in means must neither make nor break a tie
    moved = d[d != 0]
    doubled = _doubled_ranks(np.abs(moved))
    w = float(doubled[moved > 0].sum()) / 2
    if len(moved) > EXACT:
        from scipy.stats import wilcoxon

        test = wilcoxon(moved, alternative=alternative, method="approx", correction=True)
        return w, float(test.pvalue), False
    shares = _distribution(doubled)
    at = round(2 * w)
    return w, sided_p(float(shares[at:].sum()), float(shares[: at + 1].sum()), alternative), True


def sided_p(greater: float, less: float, alternative: Alternative) -> float:
    """From the two one-sided p-values; rounding may take a sum of shares above 1."""
    p = {"greater": greater, "less": less, "two-sided": 2 * min(greater, less)}[alternative]
    return min(1.0, p)


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
