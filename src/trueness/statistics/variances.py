"""Do two conditions differ in spread? Levene and the ratio of variances.

    ratio = s_a^2 / s_b^2,   ddof 1
    Levene (centre median):  compares mean |a - median a| with mean |b - median b|          Brown & Forsythe (1974)
    interval of the ratio:   log ratio -+ t SE, SE from leaving out one unit (or cluster) at a time     Miller (1968)
                             t of Welch's degrees of freedom, of C - 2 for clusters

The F test of two variances is left out: it takes any departure from normal tails for a difference in variance. Scores
that live in [0, 1] have their spread tied to their mean (a share near 1 cannot vary): a difference in spread then says
nothing beyond the difference in means, and the result says so.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from trueness.intervals import Interval
from trueness.statistics.clusters import Array, Clusters, Labels, as_sample, clusters_of, two_samples
from trueness.statistics.comparison import Comparison
from trueness.statistics.result import Effect, checked_level
from trueness.statistics.unpaired import unpaired_difference

_BOUNDED = "The values lie in [0, 1]: their spread follows their mean, so read it with the difference in means."


def levene(
    a: ArrayLike,
    b: ArrayLike,
    clusters: tuple[Labels | None, Labels | None] | None = None,
    level: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:
    """Brown and Forsythe's form. `difference` is of the mean absolute deviations from the median; effect: the ratio."""
    one, other = as_sample(a, "a"), as_sample(b, "b")
    spread = [np.abs(sample - np.nanmedian(sample)) if (~np.isnan(sample)).any() else sample for sample in (one, other)]
    comparison = unpaired_difference(spread[0], spread[1], clusters, level, "welch", names=names)
    comparison = replace(
        comparison,
        test="Levene (median)",
        estimand="difference of mean absolute deviations",
        effect=variance_ratio(one, other, clusters, level),
        notes=(*comparison.notes, *_bounds_note(one, other)),
    )
    if clusters is not None or comparison.p is None:
        return comparison
    if comparison.interval is None or comparison.interval.degenerate:  # no spread in the deviations: W is 0/0
        return replace(comparison, statistic=None, p=None)
    from scipy import stats

    tested = stats.levene(one[~np.isnan(one)], other[~np.isnan(other)], center="median")
    return replace(comparison, statistic=float(tested.statistic), p=float(tested.pvalue))


def variance_ratio(
    a: ArrayLike,
    b: ArrayLike,
    clusters: tuple[Labels | None, Labels | None] | None = None,
    level: float = 0.95,
) -> Effect:
    """s_a^2 / s_b^2 with a jackknife interval; clusters as in unpaired_difference."""
    checked_level(level)
    samples = two_samples(a, b, clusters)
    one, other, labels, missing = samples.one, samples.other, samples.labels, samples.notes
    n = (len(one), len(other))
    if min(n) < 2 or np.ptp(other) == 0:
        note = "A sample has fewer than two values." if min(n) < 2 else "The second sample is constant."
        return Effect("variance ratio", None, None, None, n, level, notes=(*missing, note))
    value = float(one.var(ddof=1) / other.var(ddof=1))
    if labels is not None and labels[0] is not None and labels[1] is not None:
        inside = clusters_of([*labels[0], *labels[1]], n[0] + n[1])
        error, df, count = *_joint_jackknife(one, other, inside), inside.count
    else:
        error, df = _separate_jackknife(one, other)
        count = None
    interval = None
    if error is not None and value > 0:
        half = float(stdtrit(df, (1 + level) / 2)) * error
        interval = Interval(value * math.exp(-half), value * math.exp(half), level, "mean")
    notes = (*missing, *_bounds_note(one, other), *(() if interval else ("Too few units for an interval.",)))
    return Effect("variance ratio", value, interval, None, n, level, "jackknife, log scale", count, notes)


def _separate_jackknife(a: Array, b: Array) -> tuple[float | None, float]:
    """Standard error of log(s_a^2/s_b^2), rows independent, and Welch's degrees of freedom."""
    errors = []
    for sample in (a, b):
        if len(sample) < 4:
            return None, math.nan
        pseudo = np.log(_left_out_variances(sample, np.arange(len(sample))))
        errors.append((len(sample) - 1) ** 2 / len(sample) * float(pseudo.var(ddof=1)))
    if not np.isfinite(errors).all() or sum(errors) == 0:
        return None, math.nan
    df = sum(errors) ** 2 / sum(v**2 / (len(x) - 1) for v, x in zip(errors, (a, b), strict=True))
    return math.sqrt(sum(errors)), df


def _joint_jackknife(a: Array, b: Array, inside: Clusters) -> tuple[float | None, float]:
    count = inside.count
    in_a, in_b = inside.codes[: len(a)], inside.codes[len(a) :]
    if count < 3:
        return None, math.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.log(_left_out_variances(a, in_a, count)) - np.log(_left_out_variances(b, in_b, count))
    if not np.isfinite(left).all():
        return None, math.nan
    # two variances have been estimated: with C - 1 six clusters would cover 93 %
    return math.sqrt((count - 1) / count * float(((left - left.mean()) ** 2).sum())), count - 2.0


def _left_out_variances(x: Array, codes: np.ndarray[tuple[int, ...], np.dtype[np.intp]], count: int = 0) -> Array:
    """The variance (ddof 1) without each cluster in turn."""
    centred = x - x.mean()
    n, sums, squares = (
        total - np.bincount(codes, weights=weights, minlength=count)
        for total, weights in (
            (float(len(x)), np.ones(len(x))), (float(centred.sum()), centred), (float((centred**2).sum()), centred**2)
        )
    )  # fmt: skip
    return np.asarray((squares - sums**2 / n) / (n - 1))


def _bounds_note(a: Array, b: Array) -> tuple[str, ...]:
    both = np.concatenate([a, b])
    both = both[~np.isnan(both)]
    return (_BOUNDED,) if len(both) and both.min() >= 0 and both.max() <= 1 else ()
