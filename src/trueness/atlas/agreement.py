"""What learners' graphs of one table say, each of itself and of the others: seen once they have run.

    edges      pairs that are joined, a column
    directed   the share of them that has a direction
    alike      mean over the other learners of 2 |A and B| / (|A| + |B|),   A, B: the pairs that two learners join
    same_way   the same of directed edges

A learner that did not run has -1 everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trueness.graphs import ARROW, TAIL

OF_EACH = ("edges", "directed", "alike", "same_way")


def agreement_of(marks: Mapping[str, NDArray[np.int8]], learners: Sequence[str]) -> NDArray[np.float64]:
    """All edges, then all directed ...: of each learner, by the marks of its graph; columns in the same order."""
    made = np.full((len(OF_EACH), len(learners)), -1.0)
    there = [name for name in learners if name in marks]
    joined = {name: np.triu((marks[name] != 0) | (marks[name].T != 0)) for name in there}
    ways = {name: (marks[name] == ARROW) & (marks[name].T == TAIL) for name in there}
    for name in there:
        count = joined[name].sum()
        others = [other for other in there if other != name]
        made[:, learners.index(name)] = (
            count / len(joined[name]),
            ways[name].sum() / max(count, 1),
            *(np.mean([_alike(of[name], of[other]) for other in others] or [0.0]) for of in (joined, ways)),
        )
    return made.ravel()


def _alike(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    return float(2 * (one & other).sum() / max(one.sum() + other.sum(), 1))
