"""Max-t: several paired comparisons on the same clusters, adjusted together by sign flips.

    t_j = mean(d_j) / SE_c(d_j),   j = 1 ... k;   each sign pattern flips a cluster in all comparisons at once
    step down: with |t_(1)| >= ... >= |t_(k)|,   p_(j) = max_{i <= j} P(max_{l >= i} |t*_(l)| >= |t_(i)|)

Comparisons that share units depend on each other, and the flips carry the dependence, so the adjustment costs less than
Holm's. Westfall & Young (1993), algorithm 4.1; Romano & Wolf (2005).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trueness.errors import DataError
from trueness.statistics.clusters import Array
from trueness.statistics.comparison import Comparison

ENUMERATED = 14  # clusters up to which all sign patterns are used
RESAMPLES = 9999
_FLIPS_AT_ONCE = 2_000_000


def max_t_p(comparisons: Sequence[Comparison], rng: np.random.Generator | None = None) -> Array:
    """Two-sided adjusted p-values, NaN for a comparison without a test. Clusters are matched by their labels."""
    adjusted = np.full(len(comparisons), np.nan)
    tested = [k for k, comparison in enumerate(comparisons) if comparison.p is not None]
    if not tested:
        return adjusted
    for k in tested:
        if comparisons[k].totals is None or comparisons[k].alternative != "two-sided":
            raise DataError(f"max-t needs two-sided paired comparisons, got {comparisons[k].names}. Use Holm.")
    sums, sizes = _align_totals([comparisons[k] for k in tested])
    adjusted[tested] = _step_down(*_flipped_t(sums, sizes, rng or np.random.default_rng(0)))
    return adjusted


def _align_totals(comparisons: Sequence[Comparison]) -> tuple[Array, Array]:
    """(C, k) sums and sizes; a cluster that a comparison lacks has size 0 there."""
    labels: dict[object, int] = {}
    for comparison in comparisons:
        for label in comparison.totals.labels:  # type: ignore[union-attr]
            labels.setdefault(label, len(labels))
    sums, sizes = np.zeros((len(labels), len(comparisons))), np.zeros((len(labels), len(comparisons)))
    for k, comparison in enumerate(comparisons):
        places = [labels[label] for label in comparison.totals.labels]  # type: ignore[union-attr]
        sums[places, k] = comparison.totals.sums  # type: ignore[union-attr]
        sizes[places, k] = comparison.totals.sizes  # type: ignore[union-attr]
    return sums, sizes


def _flipped_t(sums: Array, sizes: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """(|t| of the data (k,), |t*| of the patterns (R, k)); the first pattern is the data themselves."""
    count = len(sums)
    if count <= ENUMERATED:
        signs = 1.0 - 2.0 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1)
        flipped = _absolute_t(signs, sums, sizes)
        return flipped[0], flipped
    block = max(1, _FLIPS_AT_ONCE // count)
    parts = [_absolute_t(np.ones((1, count)), sums, sizes)]
    for start in range(0, RESAMPLES, block):
        signs = rng.choice([-1.0, 1.0], size=(min(block, RESAMPLES - start), count))
        parts.append(_absolute_t(signs, sums, sizes))
    return parts[0][0], np.concatenate(parts)


def _absolute_t(signs: Array, sums: Array, sizes: Array) -> Array:
    """|t| without the factor C/(C - 1), which is the same in every pattern."""
    centre = signs @ sums / sizes.sum(axis=0)
    spread = (sums**2).sum(axis=0) - 2 * centre * (signs @ (sums * sizes)) + centre**2 * (sizes**2).sum(axis=0)
    spread = np.maximum(spread, 1e-20 * (sums**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(centre) * sizes.sum(axis=0) / np.sqrt(spread)
    return np.where(np.isnan(t), 0.0, t)


def _step_down(seen: Array, flipped: Array) -> Array:
    order = np.argsort(-seen, kind="stable")
    greatest_of_rest = np.maximum.accumulate(flipped[:, order][:, ::-1], axis=1)[:, ::-1]
    p = np.mean(greatest_of_rest >= seen[order] * (1 - 1e-9), axis=0)
    stepped = np.empty(len(seen))
    stepped[order] = np.maximum.accumulate(p)
    return stepped
