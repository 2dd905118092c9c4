"""Several comparisons at once: p-values that answer for all of them.

    Holm:  p_(i) -> max_{j <= i} min(1, (k - j + 1) p_(j))        of k comparisons, controls any false finding
    BH:    p_(i) -> min_{j >= i} min(1, k p_(j) / j)              controls the share of false findings

Holm for hypotheses declared beforehand, BH for a screening.

The interval of a verdict excludes 0 exactly where the adjusted test rejects (R of k rejected, a = 1 - level):

    BH     at 1 - max(R, 1) a / k                                 false coverage rate, Benjamini & Yekutieli (2005)
    Holm   at 1 - a / (k - i + 1) where the i-th is rejected, 1 - a / (k - R) where it is not; none rejected: Bonferroni

Holm (1979); Benjamini & Hochberg (1995).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from trueness.errors import DataError
from trueness.statistics.clusters import Array, Labels, as_sample, labels_at
from trueness.statistics.comparison import Comparison
from trueness.statistics.paired import Test, at_level, paired_difference
from trueness.statistics.result import UNBOUNDED, Bounds, checked_choice
from trueness.statistics.sign_flip import RESAMPLES

Adjustment = Literal["holm", "bh"]


def adjust(p: ArrayLike, method: Adjustment = "holm") -> Array:
    """Adjusted p-values in the order given; NaN is a comparison that was not made and is not counted."""
    checked_choice("method", method, Adjustment)
    values = np.asarray(p, dtype=np.float64)
    there = np.flatnonzero(~np.isnan(values))
    if ((values[there] < 0) | (values[there] > 1)).any():
        raise DataError("'p' must be between 0 and 1, or missing (nan).")
    values_adjusted = np.full(values.shape, np.nan)
    order = there[np.argsort(values[there], kind="stable")]
    rank = np.arange(1, len(order) + 1)
    if method == "holm":
        stepped = np.maximum.accumulate((len(order) - rank + 1) * values[order])
    else:
        stepped = np.minimum.accumulate((len(order) / rank * values[order])[::-1])[::-1]
    values_adjusted[order] = np.minimum(stepped, 1.0)
    return values_adjusted


def verdict_levels(p: ArrayLike, method: Adjustment, level: float = 0.95) -> Array:
    """The level of the interval that belongs to each adjusted verdict; NaN where no comparison was made."""
    values = np.asarray(p, dtype=np.float64)
    rejected = adjust(values, method) <= 1 - level + 1e-12
    count, alpha = int(np.count_nonzero(~np.isnan(values))), 1 - level
    if method == "bh":
        return np.where(np.isnan(values), np.nan, 1 - max(int(rejected.sum()), 1) * alpha / max(count, 1))
    rank = np.argsort(np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable"))
    steps = np.where(rejected, count - rank, count - int(rejected.sum()))
    return np.where(np.isnan(values), np.nan, 1 - alpha / np.maximum(steps, 1))


def adjusted(
    comparisons: Sequence[Comparison],
    method: Adjustment = "holm",
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Comparison]:
    """The same comparisons with p_adjusted; one without a p keeps none and is not counted.

    By Holm and BH each paired one has the interval that belongs to its verdict; `alone`: the one it had.
    resamples, seed: those of the comparisons, so that p and interval rest on the same draws.
    """
    judged = with_adjusted_p(comparisons, method)
    if not judged:
        return judged
    levels = verdict_levels([np.nan if c.p is None else c.p for c in comparisons], method, comparisons[0].level)
    return [
        one if np.isnan(level) else at_level(one, level, resamples=resamples, rng=np.random.default_rng(seed))
        for one, level in zip(judged, levels.tolist(), strict=True)
    ]


def with_adjusted_p(comparisons: Sequence[Comparison], method: Adjustment = "holm") -> list[Comparison]:
    """p_adjusted alone: their intervals stay as they are."""
    values = adjust([np.nan if c.p is None else c.p for c in comparisons], method)
    made = int(np.count_nonzero(~np.isnan(values)))
    return [
        dataclasses.replace(
            comparison,
            p_adjusted=None if np.isnan(value) else float(value),
            adjustment=method,
            n_comparisons=max(made, 1),
        )
        for comparison, value in zip(comparisons, values, strict=True)
    ]


def differences_in_pairs(
    columns: Mapping[str, ArrayLike],
    clusters: Labels | None = None,
    level: float = 0.95,
    test: Test = "sign-flip",
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    better: Literal["higher", "lower"] | None = None,
    bounds: Bounds = UNBOUNDED,
    adjustment: Adjustment = "holm",
) -> list[Comparison]:
    """Every pair of several columns over the same units, as one family; a unit that neither has is in no count.

    columns: name -> (n,) one value a unit, NaN where missing; pairs: None takes all, in the order of the columns.
    better: the better of a pair stands first, by the units that both have. bounds: what a value can be.
    """
    made = []
    samples = {name: as_sample(values, name) for name, values in columns.items()}
    for one, other in combinations(samples, 2) if pairs is None else pairs:
        either = ~(np.isnan(samples[one]) & np.isnan(samples[other]))
        a, b = samples[one][either], samples[other][either]
        lead = np.nan_to_num(a - b).sum() * (-1 if better == "lower" else 1)
        if better is not None and lead < 0:
            one, other, a, b = other, one, b, a
        labels = labels_at(clusters, either)
        made.append(paired_difference(a, b, labels, level, test, names=(one, other)).within(*bounds))
    return adjusted(made, adjustment) if made else []
