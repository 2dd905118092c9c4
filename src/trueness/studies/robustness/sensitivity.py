"""Sensitivity curves: what is scored when the K largest |scores| are kept, for every K at once.

scores[i, j] is the score of i -> j. Sort the d (d - 1) ordered pairs by |score|, largest first; with tp true edges
among those kept and T true edges in all:

    edges = K or the number of nonzero scores, whichever is less
    precision = tp / edges      recall = tp / T      f1 = 2 tp / (edges + T)                    directed, ordered pairs
    shd_reversals_twice = edges + T - 2 tp = fp + fn                                            the original's SHD
    shd = unordered pairs whose edges differ from the truth's (reversed, both directions kept: 1)
    skeleton_f1 = the same f1 over unordered pairs

All curves are cumulative sums along one sort: O(d^2 log d) for all K. Where the kept edges have one direction a pair
these are the numbers of trueness.measures.graphs for a DAG.
Ties: r of m tied pairs are kept, which ones nobody knows. Counts are expected values over all choices (a pair is in
with r / m, both of two with r (r - 1) / (m (m - 1))), so the order of columns gives nothing away; f1 and both SHD are
exact expectations. Taking ties row by row would favour edges from earlier to later columns, often the causal order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.errors import GraphError, SettingError
from trueness.graphs import Graph
from trueness.measures.ranking import ranked_pairs

if TYPE_CHECKING:
    import pandas

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
AROUND = 5  # how far a plateau reaches from a K
CURVES = ("edges", "precision", "recall", "f1", "shd", "shd_reversals_twice", "skeleton_f1")


@dataclass(frozen=True, eq=False)
class SensitivityCurve:
    """One value for each K of `k`; NaN where a measure has none (0 / 0)."""

    k: Counts
    edges: Counts
    precision: Array
    recall: Array
    f1: Array
    shd: Array
    shd_reversals_twice: Array
    skeleton_f1: Array
    tie: Counts  # which distinct |score|, from the largest down, the pair at place K has: one for all ranks nothing
    nodes: int
    true_edges: int

    def ranks_around(self, k: int, around: int) -> bool:
        """Do the |scores| at places K - around ... K + around differ? A cut within one tie is nobody's ranking."""
        near = self.tie[(self.k >= k - around) & (self.k <= k + around)]
        return bool(len(near)) and bool(near[0] != near[-1])

    @property
    def ranks(self) -> bool:
        return bool(self.tie[0] != self.tie[-1])

    def at(self, k: int) -> dict[str, float]:
        """All measures at one K."""
        return {name: float(getattr(self, name)[self.place(k)]) for name in CURVES}

    def place(self, k: int) -> int:
        """The index of K in the curve."""
        index = int(np.searchsorted(self.k, k))
        if index == len(self.k) or self.k[index] != k:
            raise SettingError(f"K must be in [{self.k[0]}, {self.k[-1]}] for {self.nodes} nodes, got {k}.")
        return index

    def between(self, low: int, high: int) -> SensitivityCurve:
        """The part of the curve with low <= K <= high."""
        kept = (self.k >= low) & (self.k <= high)
        if not kept.any():
            raise SettingError(f"K range must overlap [{self.k[0]}, {self.k[-1]}], got [{low}, {high}].")
        parts = {name: getattr(self, name)[kept] for name in ("k", "tie", *CURVES)}
        return SensitivityCurve(**parts, nodes=self.nodes, true_edges=self.true_edges)

    def frame(self) -> pandas.DataFrame:
        """One row a K: what the chart draws."""
        import pandas as pd

        return pd.DataFrame({name: getattr(self, name) for name in ("k", *CURVES)})


def sensitivity_curve(scores: Graph | ArrayLike, truth: Graph) -> SensitivityCurve:
    """The curve over all K = 1 ... d (d - 1). scores: a weighted graph, or (d, d) in the truth's node order."""
    size, edges = ranked_pairs(scores, truth)
    d, total = len(truth), truth.n_edges()
    if d < 2:
        raise GraphError(f"a sensitivity curve must have at least 2 nodes, got {d}.")
    source, target = np.nonzero(size)
    order = np.argsort(-size[source, target], kind="stable")
    source, target = source[order], target[order]
    k = np.arange(1, d * (d - 1) + 1)
    kept = np.minimum(k, len(order))  # a score of 0 is no edge, however large K is
    ties = _Ties.of(size[source, target])
    tie = np.append(ties.group, np.full(len(k) - len(order), len(ties.starts)))  # scores of 0 are the last tie
    tp, pairs, joined, apart = (np.append(0.0, counts)[kept] for counts in _counts(source, target, edges, ties))
    return SensitivityCurve(
        k=k,
        edges=kept,
        precision=_ratio(tp, kept),
        recall=_ratio(tp, np.full(len(k), total)),
        f1=_ratio(2 * tp, kept + total),
        shd=total + apart,
        shd_reversals_twice=kept + total - 2 * tp,
        skeleton_f1=_ratio(2 * joined, pairs + total),
        tie=tie,
        nodes=d,
        true_edges=total,
    )


@dataclass(frozen=True, eq=False)
class _Ties:
    """Groups of equal sizes along a ranking; after each place, the chance that one or two of a group are in."""

    group: NDArray[np.intp]  # of each ranked pair
    starts: NDArray[np.intp]  # of each group
    one: Array
    two: Array

    @classmethod
    def of(cls, ranked: Array) -> _Ties:
        new = np.append(True, np.diff(ranked) != 0)[: len(ranked)]
        group, starts = np.cumsum(new) - 1, np.flatnonzero(new)
        length = np.diff(np.append(starts, len(ranked)))[group]
        taken = np.arange(1, len(ranked) + 1) - starts[group]
        return cls(group, starts, taken / length, taken * (taken - 1) / np.maximum(length * (length - 1), 1))

    def expected_sums(self, single: Array, double: Array) -> Array:
        """The sum after each place of weights of ranked pairs, and of weights (groups,) that need two of a group."""
        if not len(single):
            return np.zeros(0)
        singles = np.add.reduceat(single, self.starts)
        before = np.append(0.0, np.cumsum(singles + double))[self.group]
        return np.asarray(before + self.one * singles[self.group] + self.two * double[self.group])


def _counts(
    source: NDArray[np.intp], target: NDArray[np.intp], edges: NDArray[np.bool_], ties: _Ties
) -> tuple[Array, Array, Array, Array]:
    """After each kept edge: true edges, joined pairs, those joined in truth too, and the change of the SHD.

    Of a pair let a, b say that its directions are kept. It is joined by a + b - ab. It differs from the truth by
    a + b - ab where the truth has no edge, and by 1 - a + ab where it has the first.
    """
    d = len(edges)
    place = np.full((d, d), len(source), dtype=np.int64)
    place[source, target] = np.arange(len(source))
    this_way, other_way = edges[source, target], edges[target, source]
    true_pair = this_way | other_way
    mirror = place[target, source]
    second = mirror < np.arange(len(source))  # the other direction is kept already, or tied with this one
    same = second & (ties.group[np.where(second, mirror, 0)] == ties.group) if len(source) else second
    later = second & ~same

    def sums(single: Array, both: Array) -> Array:
        """single: weight of a kept edge; both: of a pair with both directions kept."""
        tied = np.bincount(ties.group[same], both[same], len(ties.starts)).astype(np.float64)
        return ties.expected_sums(single + np.where(later, both, 0.0), tied)

    one = np.ones(len(source))
    zero = np.zeros(len(source))
    return (
        sums(this_way.astype(np.float64), zero),
        sums(one, -one),
        sums(true_pair.astype(np.float64), -true_pair.astype(np.float64)),
        sums(np.where(this_way, -1.0, np.where(other_way, 0.0, 1.0)), np.where(true_pair, 1.0, -1.0)),
    )


def _ratio(part: Array, whole: NDArray[np.float64] | Counts) -> Array:
    ratio = np.full(len(part), np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio


def original_range(true_edges: int, d: int) -> tuple[int, int]:
    """The original's K from 5 to 3|E|, within d (d - 1). It knows |E|, the number of true edges."""
    most = d * (d - 1)
    return min(5, most), max(min(5, most), min(3 * true_edges, most))


def k_range(d: int) -> tuple[int, int]:
    """K from 1 to four edges a node, within d (d - 1): from the number of variables alone."""
    return 1, min(4 * d, d * (d - 1))


def k_at_threshold(scores: ArrayLike, threshold: float) -> int:
    """How many off-diagonal |scores| lie above a threshold."""
    size = np.abs(np.array(scores, dtype=np.float64))
    np.fill_diagonal(size, 0.0)
    return int(np.count_nonzero(size > threshold))


def sparsest(matrix: Array, k: int) -> Array:
    """The k largest |scores| as they are, 0 elsewhere; of several that tie for the last places the first by row."""
    size = np.abs(matrix)
    np.fill_diagonal(size, 0.0)
    order = np.argsort(-size, axis=None, kind="stable")[: min(k, np.count_nonzero(size))]
    sparse = np.zeros_like(matrix)
    sparse.flat[order] = matrix.flat[order]
    return sparse
