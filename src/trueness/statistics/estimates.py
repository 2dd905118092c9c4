"""A mean and how well it is known, when rows nest in clusters.

    SE_c = (1/n) sqrt(C/(C-1) sum_c (sum_{i in c} (s_i - mean))^2),    interval = mean -+ t_{C-1} SE_c
    clusters of unequal size: fewer degrees of freedom (clusters.py)
    two ways: V = V_a + V_b - V_ab,  V_ab from the cells of both,      t with min(C_a, C_b) - 1

A thousand repeats of six tasks are six things known well, not six thousand. The interval holds its level from 6
clusters up. Miller (2024), Adding error bars to evals; Cameron, Gelbach & Miller (2011).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics.clusters import Array, Labels, as_sample, clusters_of, cross, labels_at, present
from trueness.statistics.result import UNBOUNDED, Alternative, Bounds, Estimate, checked_level

ROUNDING = 1e-12  # of which values of a computation differ that are the same


def mean(
    values: ArrayLike,
    clusters: Labels | None = None,
    second: Labels | None = None,
    level: float = 0.95,
    *,
    name: str = "mean",
    bounds: Bounds = UNBOUNDED,
) -> Estimate:
    """values: (n,), NaN where missing; clusters, second: one label a row, the second crossing the first.

    bounds: what the mean can be at all; the interval is cut to it. Where all that was drawn has one value there is no
    interval: it would have no width, which is a claim that nothing can vary.
    """
    checked_level(level)
    if second is not None:
        return _two_way(as_sample(values), clusters, second, level, name, bounds)
    sample, inside, n_missing = present(as_sample(values), clusters)
    if len(sample) == 0:
        return Estimate(name, None, None, 0, 0, "t", level, n_missing=n_missing, notes=("No row has a value.",))
    centre = _exact_mean(sample)
    plain = Estimate(name, centre, None, len(sample), inside.count, "t", level, n_missing=n_missing)
    if inside.count < 2:
        several = "All rows lie in one cluster, so no interval is known."
        return replace(plain, notes=("One unit has no spread." if len(sample) == 1 else several,))
    se = math.sqrt(inside.variance((sample - centre) / len(sample)))
    label = "clustered t" if inside.count < len(sample) else "t"
    return _with_interval(replace(plain, method=label, se=se), sample, *inside.reference, bounds)


def _two_way(
    values: Array, clusters: Labels | None, second: Labels, level: float, name: str, bounds: Bounds
) -> Estimate:
    if clusters is None:
        raise DataError("'second' needs 'clusters': a two-way interval is V_a + V_b - V_ab with t.")
    there = ~np.isnan(values)
    sample, n_missing = values[there], int((~there).sum())
    one, two = (clusters_of(labels_at(labels, there), len(sample)) for labels in (clusters, second))
    few = min(one.count, two.count)
    centre = _exact_mean(sample) if len(sample) else None
    plain = Estimate(name, centre, None, len(sample), few, "two-way t", level, n_missing=n_missing)
    if centre is None or few < 2:
        return replace(plain, notes=("Each way needs two clusters with a value, so no interval is known.",))
    influence = (sample - centre) / len(sample)
    v_one, v_two = one.variance(influence), two.variance(influence)
    # V_ab may exceed what it is taken from, by chance; the larger of both ways is then the safe one
    se = math.sqrt(max(v_one + v_two - cross(one, two).variance(influence), v_one, v_two))
    note = f"Clustered two ways, {one.count} x {two.count}."
    estimate = _with_interval(replace(plain, se=se, notes=(note,)), sample, few - 1, 1.0, bounds)
    if estimate.constant:
        return estimate
    return replace(estimate, p=t_p(centre / se, few - 1), test="two-way t", null=0.0)


def _with_interval(plain: Estimate, sample: Array, df: float, factor: float, bounds: Bounds) -> Estimate:
    """The t interval, or the note that nothing varies."""
    centre, se, greatest = plain.value or 0.0, plain.se or 0.0, float(np.abs(sample).max())
    if se <= ROUNDING * greatest:
        what = "value is the same" if np.ptp(sample) <= ROUNDING * greatest else "cluster has the same mean"
        note = f"Every {what}: a constant, of which no interval is known."
        return replace(plain, se=0.0, notes=(*plain.notes, note), constant=True)
    half = float(stdtrit(df, (1 + plain.level) / 2)) * factor * se
    interval = Interval(centre - half, centre + half, plain.level, "mean")
    return replace(plain, interval=interval.within(*bounds))


def _exact_mean(sample: Array) -> float:
    """A mean of equal numbers may differ by rounding; this one does not."""
    return float(sample[0] + (sample - sample[0]).mean())


def t_p(t: float, df: float, alternative: Alternative = "two-sided") -> float:
    """The p of Student's t."""
    if alternative == "two-sided":
        return min(1.0, 2 * float(stdtr(df, -abs(t))))
    return float(stdtr(df, -t if alternative == "greater" else t))
