"""How well scores rank the true edges, whatever number of edges one would keep.

scores (d, d): scores[i, j] is the score of i -> j; its size |scores[i, j]| ranks, the diagonal is not looked at.
Over the ordered pairs (i, j), i != j, with T true ones, at each distinct size s from the largest down:

    AUPRC = sum_s (recall_s - recall_{s-1}) precision_s          average precision: no line between points
    AUROC = P(size of a true pair > size of a false one) + P(equal) / 2

Tied pairs enter together, so the order of columns cannot matter. What chance gets, of N = d (d - 1) pairs:

    random scores     AUROC .5,  E[AUPRC] = q + (1 - q) H_N / N,   q = (T - 1) / (N - 1),  H_N = 1 + 1/2 + ... + 1/N
    constant scores   AUROC .5,  AUPRC = T / N: all pairs are one tie

(A true pair lies at each place k alike; of the k - 1 before it (k - 1) q are expected to be true.)
`skeleton_*` is the same over unordered pairs, whose score is the larger of the two directions: a learner that cannot
tell direction (correlation) has ties there and is judged fairly.
Davis & Goadrich (2006) on why precision and recall when few pairs are true; Fawcett (2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.errors import GraphError
from trueness.graphs import Graph
from trueness.measure import Measure
from trueness.measures.score import UNDEFINED, Score

Array = NDArray[np.float64]

_TEXT = {
    "auprc": "average precision of the ranking of {} by |score|; constant scores get the share of true ones",
    "auroc": "chance that a true one of the {} has the larger |score| than a false one, ties half; chance gets .5",
}
RANKING_MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        prefix + name: Measure(prefix + name, title.strip() + name.upper(), "higher", "dag", text.format(pairs))
        for prefix, title, pairs in (("", "", "ordered pairs"), ("skeleton_", "skeleton ", "unordered pairs"))
        for name, text in _TEXT.items()
    }
)


def score_ranking(scores: Graph | ArrayLike, truth: Graph) -> dict[str, Score]:
    """auprc, auroc, skeleton_auprc and skeleton_auroc of a weighted graph, or of a matrix in the truth's node order."""
    size, edges = ranked_pairs(scores, truth)
    d = len(truth)
    upper = np.triu_indices(d, 1)
    pair_size = np.maximum(size[upper], size.T[upper])
    pair_true = edges[upper] | edges.T[upper]
    off = ~np.eye(d, dtype=bool)
    return {
        "auprc": average_precision(size[off], edges[off]),
        "auroc": area_under_roc(size[off], edges[off]),
        "skeleton_auprc": average_precision(pair_size, pair_true),
        "skeleton_auroc": area_under_roc(pair_size, pair_true),
    }


def chance(measure: str, truth: Graph) -> float:
    """What random scores get on average in one of RANKING_MEASURES; NaN where no pair is true."""
    d, true = len(truth), truth.n_edges()
    pairs = d * (d - 1) // (2 if measure.startswith("skeleton_") else 1)
    if not true or (measure.endswith("auroc") and true == pairs):
        return float("nan")
    if measure.endswith("auroc"):
        return 0.5
    q, harmonic = (true - 1) / max(pairs - 1, 1), float((1 / np.arange(1, pairs + 1)).sum())
    return q + (1 - q) * harmonic / pairs


def ranked_pairs(scores: Graph | ArrayLike, truth: Graph) -> tuple[Array, NDArray[np.bool_]]:
    """|scores| and the true edges, both (d, d) in the truth's node order, [i, j] for i -> j."""
    if truth.kind != "dag":
        raise GraphError(f"the truth must be a dag, got a {truth.kind}.")
    if isinstance(scores, Graph):
        graph = scores.reorder(truth.nodes)
        matrix = graph.weights if graph.weights is not None else (graph.directed | graph.undirected).astype(np.float64)
    else:
        matrix = np.asarray(scores, dtype=np.float64)
    d = len(truth)
    if matrix.shape != (d, d):
        raise GraphError(f"scores of {d} nodes must be {d} x {d}, got {matrix.shape}.")
    size = np.abs(matrix)
    np.fill_diagonal(size, 0.0)
    if not np.isfinite(size).all():
        raise GraphError("scores must be finite numbers, got nan or inf. A pair without a score must have 0.")
    return size, truth.directed


def average_precision(size: Array, true: NDArray[np.bool_]) -> Score:
    """Of pairs (m,): undefined where none is true."""
    positives = int(np.count_nonzero(true))
    if not positives:
        return UNDEFINED
    order = np.argsort(-size, kind="stable")
    hits = np.cumsum(true[order])
    last = np.append(np.flatnonzero(np.diff(size[order])), len(size) - 1)  # the last pair of each tie
    recall = hits[last] / positives
    precision = hits[last] / (last + 1)
    return Score(float(np.diff(recall, prepend=0.0) @ precision))


def area_under_roc(size: Array, true: NDArray[np.bool_]) -> Score:
    """Of pairs (m,), by the rank sum of the true ones: undefined where all or none are true."""
    positives = int(np.count_nonzero(true))
    negatives = len(true) - positives
    if not positives or not negatives:
        return UNDEFINED
    _, place, count = np.unique(size, return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2  # of each distinct size: the mean of the places that ties share
    return Score(float((rank[place[true]].sum() - positives * (positives + 1) / 2) / (positives * negatives)))
