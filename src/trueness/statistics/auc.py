"""Does a score tell two groups apart? The area under its curve, known only as far as few values can tell.

    AUC = P(A > B) + P(A = B)/2 = (Cliff's delta + 1)/2        interval: that of the delta (effect_sizes.py)

A few values agree by chance, and then look certain: of scores that are pure noise 66 % of the intervals of 2 against 1
values exclude .5, 10 % of 3 against 3, and 65 % of 4 against 100 where nine in ten are the same. Hence two rules:

    fewer than LEAST clusters hold a group (a row is a cluster where none are named): a value and no interval
    the interval excludes .5 only where Mann and Whitney's test does: else it is widened up to .5

The test is of rows, and where clusters are named of their means in each group. Where every cluster holds both groups,
values are compared within clusters, whose spread is seen, and the interval stands alone. Simulated: docs/statistics.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from trueness.intervals import Interval
from trueness.statistics.clusters import Array, Labels, two_samples
from trueness.statistics.effect_sizes import cliffs_delta, delta_interval
from trueness.statistics.result import Estimate
from trueness.statistics.unpaired import mann_whitney

LEAST = 4  # clusters that hold values of a group
Held = tuple[list[object], list[object]]


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
    p = mann_whitney(one, other, level=level).p
    return p is not None and p <= 1 - level


def _means(values: Array, labels: list[object]) -> Array:
    codes = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    inside = np.array([codes[label] for label in labels])
    return np.asarray(np.bincount(inside, weights=values) / np.bincount(inside))
