"""Which unshielded triples are colliders, and how strong the evidence is.

For x - y - z with x and z apart, sets that separate x and z vote: y is a collider when most leave it out. Who votes:

    separating set   the set (or union of sets) that removed x - z
    majority         all sets that separate x and z                         (Colombo & Maathuis 2014, sec. 4.2);
                     where none does, as it was removed by neighbours that are none any more, that of max-p
    max-p            the set with the largest p-value                        (Ramsey 2016)

    evidence         share of the votes that say so  x  largest p of a set that says so; of a collider, and against it

"All sets" are the subsets of the neighbours of x and of those of z in the final skeleton: neither rule hangs on the
order of the columns, both are less prone to one wrong test, and take 2^degree tests a pair. Around a hub, that is a
node of more than 12 neighbours, "all" are those up to the size at which they are MOST_SETS at most: 3 of 25, 2 of 80.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trueness.learners.independence import Independence
from trueness.learners.kernels import skeleton as skeletons
from trueness.learners.kernels import testing

Colliders = Literal["separating set", "majority", "max-p"]
MOST_SETS = 4096  # around one end of a pair

Ballot: TypeAlias = tuple[tuple[int, int], list[tuple[int, ...]], dict[tuple[int, ...], float]]  # a pair, votes, p


class Evidence(NamedTuple):
    """Of each unshielded triple x - y - z whose ends a test has separated."""

    triples: NDArray[np.int32]  # (m, 3) x < z; those of a pair follow each other
    collides: NDArray[np.bool_]  # (m,) y is a collider
    opposes: NDArray[np.float64]  # (m,) evidence that it is none
    order: NDArray[np.intp]  # (m,) the strongest first; equal ones by name, so that columns may stand in any order
    nodes: NDArray[np.intp]  # (d,) by name


def with_separating_sets(
    skeleton: skeletons.Skeleton, tests: Independence, rule: Colliders, most: int
) -> skeletons.Skeleton:
    """The skeleton with the set of each unshielded pair as the rule says."""
    if rule == "separating set":
        return skeleton
    return skeleton.updated({pair: _majority(votes) for pair, votes, _ in _ballots(skeleton, tests, rule, most)})


def evidence(skeleton: skeletons.Skeleton, tests: Independence, rule: Colliders, most: int) -> Evidence:
    found: list[tuple[int, int, int]] = []
    weights: list[tuple[float, float, float]] = []  # share of votes for a collider, largest p for it, and against it
    for (i, k), votes, p_values in _ballots(skeleton, tests, rule, most):
        for j in np.flatnonzero(skeleton.adjacent[i] & skeleton.adjacent[k]).tolist():
            found.append((i, j, k))
            outside = max((p for subset, p in p_values.items() if j not in subset), default=0.0)
            inside = max((p for subset, p in p_values.items() if j in subset), default=0.0)
            weights.append((sum(j not in subset for subset in votes) / len(votes), outside, inside))
    shares, without, within = np.array(weights).reshape(-1, 3).T
    supports, opposes = shares * without, (1 - shares) * within
    triples = np.array(found, dtype=np.int32).reshape(-1, 3)
    nodes = np.argsort(tests.names)
    x, y, z = np.argsort(nodes)[triples].T
    order = np.lexsort((np.maximum(x, z), np.minimum(x, z), y, opposes, -supports))
    return Evidence(triples, shares > 0.5, opposes, order, nodes)


def _ballots(skeleton: skeletons.Skeleton, tests: Independence, rule: Colliders, most: int) -> Iterator[Ballot]:
    near = skeleton.adjacent.astype(np.float32)
    unshielded = (near @ near > 0) & ~skeleton.adjacent & (skeleton.where >= 0)
    single, kernel = testing.single, tests.kernel  # looked up once: there are thousands of tests
    for x, z in np.argwhere(np.triu(unshielded, 1)).tolist():
        if rule == "separating set":
            candidates = {tuple(skeleton.members(x, z).tolist()): None}
        else:
            candidates = dict.fromkeys(_candidates(skeleton, x, z, most))  # those around both once
        tested = {subset: single(*kernel, x, z, np.array(subset, dtype=np.int64))[2:] for subset in candidates}
        p_values = {subset: p for subset, (p, _) in tested.items()}
        votes = [subset for subset, (_, independent) in tested.items() if independent and rule == "majority"]
        yield (x, z), votes or [max(p_values, key=lambda subset: p_values[subset])], p_values


def _candidates(skeleton: skeletons.Skeleton, x: int, z: int, most: int) -> Iterator[tuple[int, ...]]:
    for end in (x, z):
        around = np.flatnonzero(skeleton.adjacent[end]).tolist()
        sets = 0
        for size in range(min(len(around), most) + 1):
            sets += comb(len(around), size)
            if sets > MOST_SETS:
                break
            yield from combinations(around, size)


def _majority(separating: list[tuple[int, ...]]) -> tuple[int, ...]:
    """A tie counts as being in the set: an ambiguous triple is no collider."""
    votes = Counter(node for subset in separating for node in subset)
    return tuple(sorted(node for node, count in votes.items() if 2 * count >= len(separating)))
