"""Paired differences: the same units under two conditions, which is where the power is.

    d_i = a_i - b_i,   clusters of units share a sign, a weight, or a rank

    sign-flip      exact over 2^C sign patterns; interval by inversion                     the default
    t              mean(d) / SE_c against t with C - 1; interval mean -+ t SE_c
    wild-cluster   wild cluster bootstrap-t, for few clusters of unequal size
    wilcoxon       signed ranks of the cluster means, exact with ties; Hodges-Lehmann estimate and interval
    McNemar        the sign-flip test of pairs of passes, in closed form: b of b + c against 1/2 (McNemar 1947)

Twenty tasks of five repeats and a shift of .3 sd: an unpaired test finds it in .49 of studies, these in .98; with
task-by-condition variation the unpaired one also rejects a true null in .39. So average the repeats of a unit first,
or name the unit in `clusters`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics import sign_flip, wild
from trueness.statistics.cluster_bootstrap import RESAMPLES
from trueness.statistics.clusters import Array, Labels, Totals, as_sample, clusters_of, labels_at, reference
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import paired_superiority
from trueness.statistics.estimates import ROUNDING
from trueness.statistics.result import Alternative, checked_choice, checked_level
from trueness.statistics.signed_rank import WALSH, hodges_lehmann, signed_rank_p

SAME = "The difference is the same in every unit, so no interval is known."
Test = Literal["sign-flip", "t", "wild-cluster", "wilcoxon"]


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
    one, other = as_sample(a, "a"), as_sample(b, "b")
    if len(one) != len(other):
        raise DataError(f"'a' and 'b' of a paired comparison must be equally long, got {len(one)} and {len(other)}.")
    there = ~(np.isnan(one) | np.isnan(other))
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
    generator = rng or np.random.default_rng(0)
    if test == "t":
        return _by_t(comparison, totals)
    means = inside.means(d)
    if test == "wilcoxon":
        return _by_ranks(comparison, means)
    if test == "sign-flip":
        flips = sign_flip.flips(totals, resamples, generator)
        p, ends, label = flips.p(0.0, alternative), flips.interval(level), "sign-flip inversion"
        comparison = replace(
            comparison, test=flips.test, p=p, exact=flips.exact, p_error=flips.error(p),
            smallest_p=flips.smallest_p(alternative),
        )  # fmt: skip
    else:
        wilds = wild.bootstrap(totals, resamples, generator)
        p, ends, label = wilds.p(0.0, alternative), wilds.interval(level), "wild cluster bootstrap-t inversion"
        comparison = replace(comparison, p=p, statistic=wilds.t(), p_error=wilds.error(p))
    if np.ptp(means) <= rounding:
        return replace(comparison, interval_method=label, notes=(SAME,), constant=True)
    if ends is None:
        note = f"{inside.count} independent units are too few to bound the difference at this level."
        return replace(comparison, interval_method=label, notes=(note,))
    return replace(comparison, interval=Interval(*ends, level, "mean"), interval_method=label)


def wilcoxon(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Labels | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Wilcoxon's signed-rank test on pairs, or on the mean differences of clusters of pairs."""
    return paired_difference(a, b, clusters, level, "wilcoxon", alternative, names)


def at_level(
    comparison: Comparison, level: float, *, resamples: int = RESAMPLES, rng: np.random.Generator | None = None
) -> Comparison:
    """A paired comparison with its interval at another level, which an adjusted verdict asks for; `alone`: as it was.

    resamples, rng: as for paired_difference.
    """
    totals, generator = comparison.totals, rng or np.random.default_rng(0)
    unadjusted = comparison.alone or comparison.interval
    unadjusted = unadjusted if unadjusted is not None and abs(unadjusted.level - comparison.level) < 1e-12 else None
    if comparison.constant or totals is None or abs(level - comparison.level) < 1e-12:
        return replace(comparison, interval=unadjusted, alone=unadjusted)
    ends: tuple[float, float] | None
    if comparison.test == "t":
        centre, se, df = _centre_error(totals)
        half = float(stdtrit(df, (1 + level) / 2)) * se
        ends = centre - half, centre + half
    elif comparison.test == "wilcoxon":
        ends = hodges_lehmann(_round_off(totals.sums / totals.sizes), level)[1]
    elif comparison.test == "wild-cluster":
        ends = wild.bootstrap(totals, resamples, generator).interval(level)
    else:
        ends = sign_flip.flips(totals, resamples, generator).interval(level)
    interval = None if ends is None else Interval(*ends, level, "mean").within(*comparison.bounds)
    few = f"{len(totals.sums)} independent units are too few to bound the difference at {100 * level:.4g} %."
    lost = (few,) if interval is None and unadjusted is not None and few not in comparison.notes else ()
    return replace(comparison, interval=interval, alone=unadjusted, notes=(*comparison.notes, *lost))


def _centre_error(totals: Totals) -> tuple[float, float, float]:
    """The mean, its clustered standard error and its degrees of freedom."""
    n, count = float(totals.sizes.sum()), len(totals.sums)
    centre = float(totals.sums.sum()) / n
    df, factor = reference(totals.sizes)
    return (
        centre,
        factor * math.sqrt(count / (count - 1) * float((((totals.sums - centre * totals.sizes) / n) ** 2).sum())),
        df,
    )


def _by_t(comparison: Comparison, totals: Totals) -> Comparison:
    centre, se, df = _centre_error(totals)
    if se <= ROUNDING * abs(centre):
        return replace(comparison, interval_method="t", notes=(f"{SAME} t has no value.",), constant=True)
    half = float(stdtrit(df, (1 + comparison.level) / 2)) * se
    interval = Interval(centre - half, centre + half, comparison.level, "mean")
    p = t_p(centre / se, df, comparison.alternative)
    return replace(comparison, interval=interval, interval_method="t", statistic=centre / se, p=p)


def _round_off(d: Array) -> Array:
    """Rounding in the means must neither make nor break a tie."""
    return np.round(d, 12 - math.ceil(math.log10(float(np.abs(d).max()))))


def _by_ranks(comparison: Comparison, d: Array) -> Comparison:
    d = _round_off(d)
    w, p, exact = signed_rank_p(d, comparison.alternative)
    estimate, ends = hodges_lehmann(d, comparison.level)
    zeros, moved = int(np.count_nonzero(d == 0)), np.abs(d[d != 0])
    ties = len(moved) - len(np.unique(moved))
    notes: tuple[str, ...] = (f"{zeros} zero differences left out of the test.",) if zeros else ()
    notes += (f"{ties} tied differences share their ranks.",) if ties else ()
    if ends is None:
        many = f"More than {WALSH} units: their Walsh averages are not written out; see test='t' for an interval."
        notes += (many if len(d) > WALSH else "The units cannot bound the difference at this level.",)
    sides = 2 if comparison.alternative == "two-sided" else 1
    return replace(
        comparison,
        difference=estimate,
        interval=None if ends is None else Interval(*ends, comparison.level, "mean"),
        estimand="median difference (Hodges-Lehmann)",
        interval_method="Walsh averages",
        statistic=w,
        p=p,
        exact=exact,
        smallest_p=min(1.0, math.ldexp(sides, -len(moved))) if exact else None,
        notes=notes,
    )


def mcnemar_p(d: Array, alternative: Alternative = "two-sided") -> float | None:
    """The exact McNemar test, P(Binomial(b + c, 1/2) as far from its middle as b): the sign-flip test of pairs that
    differ by one step or not at all; None where some differ by more, and so for pairs of anything but passes."""
    from scipy.stats import binomtest

    moved = d[d != 0]
    if len(moved) == 0 or np.ptp(np.abs(moved)) > 1e-12 * float(np.abs(moved).max()):
        return None
    return float(binomtest(int((moved > 0).sum()), len(moved), 0.5, alternative).pvalue)


def t_p(t: float, df: float, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return min(1.0, 2 * float(stdtr(df, -abs(t))))
    return float(stdtr(df, -t if alternative == "greater" else t))
