"""Adjustment identification distances: does the estimate tell which effects can be had, and how?

    distance = (ordered pairs (x, y) whose effect the estimate identifies wrongly) / (d (d - 1))

For each pair the estimate names an adjustment set (its parents, its ancestors or the optimal set of x) or says that
there is no effect or no identification; the pair is wrong when the reference disagrees. SID is the older distance
between DAGs. Computed by gadjid (Henckel, Wuertzen & Weichwald 2024; Peters & Buehlmann 2015 for the SID).

The reference is the truth of the estimate's own class. gadjid trusts its input: a matrix that is no CPDAG gets a
number without meaning, and PC often answers one. So an estimate that is not a valid graph of its class, and a PAG,
for which no such distance is defined, are undefined here.
gadjid keeps a pool of threads: a process forked after its first use hangs at the second. Workers must be spawned.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from trueness.graphs import Graph
from trueness.measures.score import UNDEFINED, Score

DISTANCES = ("parent_aid", "ancestor_aid", "oset_aid", "sid")


def scores(estimate: Graph, reference: Graph | None, names: Iterable[str] = DISTANCES) -> dict[str, Score]:
    """The named distances; `reference` is of the estimate's class with its nodes in the same order, or None."""
    distances = dict.fromkeys(names, UNDEFINED)
    if reference is None or estimate.kind not in ("dag", "cpdag") or len(estimate) < 2 or estimate.problems():
        return distances
    import gadjid  # late: comparing marks does without it

    truth, guess = _matrix(reference), _matrix(estimate)
    for name in distances:
        if name == "sid" and estimate.kind != "dag":
            continue
        distance, _ = getattr(gadjid, name)(truth, guess, edge_direction="from row to column")
        distances[name] = Score(float(distance))
    return distances


def _matrix(graph: Graph) -> NDArray[np.int8]:
    """1 at (i, j) for i -> j, 2 once for i -- j, as gadjid reads it."""
    return (graph.directed + 2 * np.triu(graph.undirected)).astype(np.int8)
