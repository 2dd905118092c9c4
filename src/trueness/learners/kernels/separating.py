"""All that asks for separating sets as one compiled function, so that the tests in it are compiled once."""

from __future__ import annotations

import numpy as np

from trueness.learners.kernels.ballots import NONE, ballots
from trueness.learners.kernels.compiling import kernel
from trueness.learners.kernels.possible_dsep import remove_by_possible_dsep
from trueness.learners.kernels.skeleton import skeleton

NOTHING = (  # as marks, adjacent, where, pool, largest: the first search
    np.zeros((0, 0), np.int8), np.zeros((0, 0), np.bool_), np.zeros((0, 0), np.int32), np.zeros(0, np.int32),
    np.zeros((0, 0)),
)  # fmt: skip


@kernel
def search(
    kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
    required, forbidden, exhaustive, most, want_p, voters, marks, adjacent, where, pool, largest,
):  # fmt: skip
    """The fields of Skeleton: from nothing, or what Possible-D-SEP leaves of the first search and its marks. Behind
    them the evidence on its unshielded triples, empty where none is asked for."""
    if marks.shape[0] == 0:
        adjacent, where, pool, counts, largest = skeleton(
            kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
            required, forbidden, exhaustive, most, want_p,
        )  # fmt: skip
    else:
        adjacent, where, pool, counts, largest = remove_by_possible_dsep(
            kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
            marks, adjacent, required, where, pool, most, largest,
        )  # fmt: skip
    triples, collides, supports, opposes = np.empty((0, 3), np.int32), np.empty(0, np.bool_), np.empty(0), np.empty(0)
    if voters != NONE:
        triples, collides, supports, opposes = ballots(
            kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
            adjacent, where, pool, voters, most, marks.shape[0] > 0,
        )  # fmt: skip
    return adjacent, where, pool, counts, largest, triples, collides, supports, opposes
