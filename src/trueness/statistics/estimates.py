"""A mean and how well it is known, when rows nest in clusters.

    SE_c = (1/n) sqrt(C/(C-1) sum_c (sum_{i in c} (s_i - mean))^2),    interval = mean -+ t_{C-1} SE_c
    clusters of unequal size: fewer degrees of freedom (clusters.py)
    two ways: V = V_a + V_b - V_ab,  V_ab from the cells of both,      t with min(C_a, C_b) - 1

A thousand repeats of six tasks are six things known well, not six thousand. Methods:

    t            the above; holds its level from 6 clusters up, the default
    sign-flip    all means that an exact sign-flip test would not reject; exact for symmetric clusters
    wild         the same of a wild cluster bootstrap-t
    bootstrap    percentiles of resampled clusters, expanded for few of them (cluster_bootstrap.py)
    percentile   the plain ones, as most papers report them; too short below about 30 clusters

Miller (2024), Adding error bars to evals; Cameron, Gelbach & Miller (2008, 2011).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from trueness.errors import DataError
from trueness.intervals import Interval
from trueness.statistics import cluster_bootstrap, sign_flip, wild
from trueness.statistics.cluster_bootstrap import RESAMPLES
from trueness.statistics.clusters import (
    Array,
    Clusters,
    Labels,
    Totals,
    as_sample,
    clusters_of,
    cross,
    labels_at,
    present,
)
from trueness.statistics.result import UNBOUNDED, Bounds, Estimate, checked_choice, checked_level

ROUNDING = 1e-12  # of which values of a computation differ that are the same
Method = Literal["t", "sign-flip", "wild", "bootstrap", "percentile"]


def mean(
    values: ArrayLike,
    clusters: Labels | None = None,
    second: Labels | None = None,
    level: float = 0.95,
    method: Method = "t",
    *,
    name: str = "mean",
    bounds: Bounds = UNBOUNDED,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """values: (n,), NaN where missing; clusters, second: one label a row, the second crossing the first.

    bounds: what the mean can be at all; the interval is cut to it. Where all that was drawn has one value there is no
    interval: it would have no width, which is a claim that nothing can vary.
    rng: for the bootstraps; None draws from a fixed seed, so that the same values give the same interval.
    """
    checked_level(level)
    checked_choice("method", method, Method)
    sample, inside, n_missing = present(as_sample(values), clusters)
    if second is not None:
        return _two_way(as_sample(values), clusters, second, level, method, name, bounds)
    if len(sample) == 0:
        return Estimate(name, None, None, 0, 0, method, level, n_missing=n_missing, notes=("No row has a value.",))
    centre = _exact_mean(sample)
    if inside.count < 2:
        note = (
            "One unit has no spread." if len(sample) == 1 else "All rows lie in one cluster, so no interval is known."
        )
        return Estimate(name, centre, None, len(sample), 1, method, level, n_missing=n_missing, notes=(note,))
    se = math.sqrt(inside.variance((sample - centre) / len(sample)))
    label = f"clustered {method}" if inside.count < len(sample) else method
    plain = Estimate(name, centre, None, len(sample), inside.count, label, level, se, n_missing)
    if se <= ROUNDING * float(np.abs(sample).max()):
        return replace(plain, se=0.0, notes=(_same(sample),), constant=True)
    interval = _interval(sample, inside, centre, se, level, method, resamples, rng or np.random.default_rng(0))
    if interval is None:
        return replace(plain, notes=(f"{inside.count} clusters cannot bound the mean at this level.",))
    return replace(plain, interval=interval.within(*bounds))


def hierarchical_mean(
    values: ArrayLike,
    levels: Sequence[Labels],
    level: float = 0.95,
    *,
    name: str = "mean",
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """The hierarchical bootstrap: draw models, within each draw tasks; the repeats of a task stay together.

    levels: labels from the outermost in (model, then task); inner labels are taken within the outer ones.
    Drawing at inner levels too repeats noise that the outer draw already holds: the interval errs on the long side.
    """
    checked_level(level)
    if not levels:
        raise DataError("'levels' must hold at least one label a row, got none. Pass (models, tasks).")
    sample = as_sample(values)
    there = ~np.isnan(sample)
    values_present, n_missing = sample[there], int((~there).sum())
    nested = [clusters_of(labels_at(labels, there), len(values_present)) for labels in levels]
    for k in range(1, len(nested)):
        nested[k] = cross(nested[k - 1], nested[k])
    outer = nested[0]
    if outer.count < 2:
        note = "Fewer than two outermost clusters have a value, so no interval is known."
        centre = _exact_mean(values_present) if len(values_present) else None
        return Estimate(
            name,
            centre,
            None,
            len(values_present),
            outer.count,
            "hierarchical bootstrap",
            level,
            n_missing=n_missing,
            notes=(note,),
        )
    if np.ptp(values_present) <= ROUNDING * np.abs(values_present).max():
        label = "hierarchical bootstrap"
        return Estimate(
            name, _exact_mean(values_present), None, len(values_present), outer.count, label, level, 0.0, n_missing,
            notes=(_same(values_present),), constant=True,
        )  # fmt: skip
    draws = cluster_bootstrap.hierarchically_resampled_means(
        values_present - values_present[0], nested, resamples, rng or np.random.default_rng(0)
    )
    tail = cluster_bootstrap.expanded_tail(level, outer.count)
    low, high = np.quantile(draws, [tail, 1 - tail]) + values_present[0]
    interval = Interval(low, high, level, "mean")
    se = float(draws.std(ddof=1))
    return Estimate(
        name,
        _exact_mean(values_present),
        interval,
        len(values_present),
        outer.count,
        "hierarchical bootstrap",
        level,
        se,
        n_missing,
    )


def _interval(
    sample: Array,
    inside: Clusters,
    centre: float,
    se: float,
    level: float,
    method: Method,
    resamples: int,
    rng: np.random.Generator,
) -> Interval | None:
    if method == "t":
        df, factor = inside.reference
        half = float(stdtrit(df, (1 + level) / 2)) * factor * se
        return Interval(centre - half, centre + half, level, "mean")
    # measured from the mean: rounding stays small whatever the size of the values
    totals = Totals(inside.labels, inside.sums(sample - centre), inside.sizes)
    if method == "sign-flip":
        ends = sign_flip.flips(totals, resamples, rng).interval(level)
    elif method == "wild":
        ends = wild.bootstrap(totals, resamples, rng).interval(level)
    else:
        tail = (1 - level) / 2 if method == "percentile" else cluster_bootstrap.expanded_tail(level, inside.count)
        draws = cluster_bootstrap.resampled_means(totals.sums, totals.sizes, resamples, rng)
        low, high = np.quantile(draws, [tail, 1 - tail])
        ends = float(low), float(high)
    return None if ends is None else Interval(centre + ends[0], centre + ends[1], level, "mean")


def _two_way(
    values: Array, clusters: Labels | None, second: Labels, level: float, method: Method, name: str, bounds: Bounds
) -> Estimate:
    if clusters is None or method != "t":
        raise DataError("'second' needs 'clusters' and method 't': a two-way interval is V_a + V_b - V_ab with t.")
    there = ~np.isnan(values)
    sample, n_missing = values[there], int((~there).sum())
    one, two = (clusters_of(labels_at(labels, there), len(sample)) for labels in (clusters, second))
    few = min(one.count, two.count)
    if few < 2:
        note = "Each way needs two clusters with a value, so no interval is known."
        centre = _exact_mean(sample) if len(sample) else None
        return Estimate(name, centre, None, len(sample), few, "two-way t", level, n_missing=n_missing, notes=(note,))
    centre = _exact_mean(sample)
    influence = (sample - centre) / len(sample)
    both = cross(one, two)
    v_one, v_two = one.variance(influence), two.variance(influence)
    # V_ab may exceed what it is taken from, by chance; the larger of both ways is then the safe one
    se = math.sqrt(max(v_one + v_two - both.variance(influence), v_one, v_two))
    note = f"Clustered two ways, {one.count} x {two.count}."
    plain = Estimate(name, centre, None, len(sample), few, "two-way t", level, se, n_missing, notes=(note,))
    if se <= ROUNDING * float(np.abs(sample).max()):
        return replace(plain, se=0.0, notes=(note, _same(sample)), constant=True)
    half = float(stdtrit(few - 1, (1 + level) / 2)) * se
    interval = Interval(centre - half, centre + half, level, "mean").within(*bounds)
    p = min(1.0, 2 * float(stdtr(few - 1, -abs(centre) / se)))
    return replace(plain, interval=interval, p=p, test="two-way t", null=0.0)


def _same(sample: Array) -> str:
    what = "value is the same" if np.ptp(sample) <= ROUNDING * np.abs(sample).max() else "cluster has the same mean"
    return f"Every {what}: a constant, of which no interval is known."


def _exact_mean(sample: Array) -> float:
    """A mean of equal numbers may differ by rounding; this one does not."""
    return float(sample[0] + (sample - sample[0]).mean())
