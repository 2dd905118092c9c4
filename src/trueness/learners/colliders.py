"""Which unshielded triples are colliders, and how strong the evidence is.

For x - y - z with x and z apart, sets that separate x and z vote: y is a collider when most leave it out. Who votes:

    separating set   the set (or union of sets) that removed x - z
    majority         all sets that separate x and z                         (Colombo & Maathuis 2014, sec. 4.2);
                     where none does, as it was removed by neighbours that are none any more, that of max-p
    max-p            the set with the largest p-value                        (Ramsey 2016)

    evidence         share of the votes that say so  x  largest p of a set that says so; of a collider, and against it

"All sets" are the subsets of the neighbours of x and of those of z in the final skeleton: neither rule hangs on the
order of the columns, both are less prone to one wrong test, and take 2^degree tests a pair. Around a hub, that is a
node of more than 12 neighbours, "all" are those up to the size at which they are 4,096 at most: 3 of 25, 2 of 80.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels import ballots

Colliders = Literal["separating set", "majority", "max-p"]
VOTERS = {"separating set": "MET", "majority": "ALL", "max-p": "BEST", None: "NONE"}


def voters(rule: Colliders | None) -> int:
    """The kernel's number of it."""
    number: int = getattr(ballots, VOTERS[rule])
    return number


class Evidence(NamedTuple):
    """Of each unshielded triple x - y - z whose ends a test has separated."""

    triples: NDArray[np.int32]  # (m, 3) x < z; those of a pair follow each other
    collides: NDArray[np.bool_]  # (m,) y is a collider
    supports: NDArray[np.float64]  # (m,) evidence that it is
    opposes: NDArray[np.float64]  # (m,) evidence that it is none

    def in_turn(self, known: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Places of the triples in causal-learn's order; known: (d, d) directions that were given, i -> j."""
        x, y, z = self.triples.T
        order: NDArray[np.intp] = np.lexsort((z, known[y, z], x, y, known[x, y]))
        return order

    def strongest_first(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Places of the triples; equal ones by the order of the nodes."""
        x, y, z = np.argsort(nodes)[self.triples].T
        order: NDArray[np.intp] = np.lexsort((np.maximum(x, z), np.minimum(x, z), y, self.opposes, -self.supports))
        return order
