"""Which nodes separate an unshielded pair: the set that the search met, or a judgement over all sets.

For x - y - z with x and z apart, y is a collider when it is not in the set kept for x and z.

    separating set   the set (or union of sets) that removed x - z
    majority         the nodes in at least half of all sets that separate x and z; where none does, the set that removed
                     x - z                                                   (Colombo & Maathuis 2014, sec. 4.2)
    max-p            the set with the largest p-value                                (Ramsey 2016)

"All sets" are the subsets of the neighbours of x and of those of z in the final skeleton: neither rule hangs on the
order of the columns (conflicts between colliders do), both are less prone to one wrong test, and take 2^degree tests a
pair. Around a hub, that is a node of more than 12 neighbours, "all" are those up to the size at which they are
MOST_SETS at most: 3 of 25, 2 of 80.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np

from trueness.learners.independence import Independence
from trueness.learners.kernels import skeleton as skeletons
from trueness.learners.kernels import testing

Colliders = Literal["separating set", "majority", "max-p"]
MOST_SETS = 4096  # around one end of a pair


def with_separating_sets(
    skeleton: skeletons.Skeleton, tests: Independence, rule: Colliders, most: int
) -> skeletons.Skeleton:
    """The skeleton with the set of each unshielded pair as the rule says."""
    if rule == "separating set":
        return skeleton
    near = skeleton.adjacent.astype(np.float32)
    unshielded = (near @ near > 0) & ~skeleton.adjacent & (skeleton.where >= 0)
    sets: dict[tuple[int, int], tuple[int, ...]] = {}
    single, kernel = testing.single, tests.kernel  # looked up once: there are thousands of tests
    for x, z in np.argwhere(np.triu(unshielded, 1)).tolist():
        candidates = dict.fromkeys(_candidates(skeleton, x, z, most))  # those around both once
        tested = {subset: single(*kernel, x, z, np.array(subset, dtype=np.int64))[2:] for subset in candidates}
        if rule == "max-p":
            sets[x, z] = max(tested, key=lambda subset: tested[subset])
        else:
            separating = [subset for subset, (_, independent) in tested.items() if independent]
            if separating:  # else what the search met stays: it was of neighbours that are none any more
                sets[x, z] = _majority(separating)
    return skeleton.updated(sets)


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
