"""Several comparisons at once: p-values that answer for all of them.

    Holm:  p_(i) -> max_{j <= i} min(1, (k - j + 1) p_(j))        of k comparisons, controls any false finding
    BH:    p_(i) -> min_{j >= i} min(1, k p_(j) / j)              controls the share of false findings

Holm for hypotheses declared beforehand, BH for a screening. Max-t (max_t.py) uses that comparisons on the same units
depend on each other, and gives away less than Holm.

The interval of a verdict excludes 0 exactly where the adjusted test rejects (R of k rejected, a = 1 - level):

    BH     at 1 - max(R, 1) a / k                                 false coverage rate, Benjamini & Yekutieli (2005)
    Holm   at 1 - a / (k - i + 1) where the i-th is rejected, 1 - a / (k - R) where it is not; none rejected: Bonferroni

Holm (1979); Benjamini & Hochberg (1995).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from trueness.errors import DataError
from trueness.statistics.cluster_bootstrap import RESAMPLES
from trueness.statistics.clusters import Array
from trueness.statistics.comparison import Comparison
from trueness.statistics.max_t import max_t_p
from trueness.statistics.paired import at_level
from trueness.statistics.result import checked_choice

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
    method: Literal["holm", "bh", "max-t"] = "holm",
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Comparison]:
    """The same comparisons with p_adjusted; one without a p keeps none and is not counted.

    By Holm and BH each paired one has the interval that belongs to its verdict; `alone`: the one it had.
    resamples, seed: those of the comparisons, so that p and interval rest on the same draws.
    """
    judged = with_adjusted_p(comparisons, method)
    if method == "max-t" or not judged:
        return judged
    levels = verdict_levels([np.nan if c.p is None else c.p for c in comparisons], method, comparisons[0].level)
    return [
        one if np.isnan(level) else at_level(one, level, resamples=resamples, rng=np.random.default_rng(seed))
        for one, level in zip(judged, levels.tolist(), strict=True)
    ]


def with_adjusted_p(
    comparisons: Sequence[Comparison], method: Literal["holm", "bh", "max-t"] = "holm"
) -> list[Comparison]:
    """p_adjusted alone: their intervals stay as they are."""
    checked_choice("method", method, Literal["holm", "bh", "max-t"])
    if method == "max-t":
        values = max_t_p(comparisons)
    else:
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
