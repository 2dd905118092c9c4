"""The search for a skeleton: remove x - y when some S among the neighbours of x or of y makes them independent.

    for k = 0, 1, 2, ...: for each x, each neighbour y, each S of k other neighbours of x: test x, y given S
    neighbours are those at the start of depth k, so that the order of the columns does not matter (PC-stable)

Colombo & Maathuis (2014), algorithm 4.1. `exhaustive`: every set of a depth is tested, and the separating set of a
pair is the union of all that separate it at that depth: what causal-learn's stable=True does.
Separating sets are kept as lists: where[x, y] points into pool at [size, members ...], -1 where there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import bare, inner
from trueness.learners.kernels.counting import rows_of
from trueness.learners.kernels.testing import FISHER_Z, evaluate, p_value, squared_partial, verdict, workspace


class Skeleton(NamedTuple):
    adjacent: NDArray[np.bool_]  # (d, d)
    where: NDArray[np.int32]  # (d, d)
    pool: NDArray[np.int32]
    tests: NDArray[np.int64]  # tests[k]: how many were made with |S| = k
    p_values: NDArray[np.float64]  # (d, d) the largest p of the pair's tests, -1 for none; (0, 0) where not asked for

    def members(self, x: int, y: int) -> NDArray[np.int32]:
        """The separating set of a pair that has one."""
        start = int(self.where[x, y])
        return self.pool[start + 1 : start + 1 + self.pool[start]]

    def updated(self, sets: Mapping[tuple[int, int], Iterable[int]]) -> Skeleton:
        """The same with other separating sets for these pairs."""
        where, pool = self.where.copy(), self.pool.tolist()
        for (x, y), chosen in sets.items():
            listed = sorted(chosen)
            where[x, y] = where[y, x] = len(pool)
            pool += [len(listed), *listed]
        return self._replace(where=where, pool=np.array(pool, dtype=np.int32))


@bare
def next_set(places, k, q):
    """The next k of q in lexicographic order, in place; the first place that changed, -1 after the last set."""
    i = k - 1
    while i >= 0 and places[i] == q - k + i:
        i -= 1
    if i >= 0:
        places[i] += 1
        for j in range(i + 1, k):
            places[j] = places[j - 1] + 1
    return i


@bare
def separates(where, pool, x, y, z):
    """Whether z is in the separating set of x and y."""
    start = where[x, y]
    is_member = False
    for i in range(start + 1, start + 1 + pool[start]):
        is_member |= pool[i] == z
    return is_member


@bare
def neighbours(adjacent, x, members):
    """x first, then its neighbours in order; how many in all."""
    members[0] = x
    q = 1
    for v in range(adjacent.shape[0]):
        if adjacent[x, v]:
            members[q] = v
            q += 1
    return q


@inner
def skeleton(
    kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
    required, forbidden, exhaustive, most, want_p,
):  # fmt: skip
    """required, forbidden: (d, d), i -> j; required pairs stay untested, pairs forbidden both ways are apart.

    Sets have at most `most` members.
    """
    d = required.shape[0]
    adjacent = np.ones((d, d), np.bool_)
    for x in range(d):
        for y in range(d):
            if x == y or (forbidden[x, y] and forbidden[y, x]):
                adjacent[x, y] = False
    removed = np.zeros((d, d), np.bool_)
    where = np.full((d, d), -1, np.int32)
    pool = np.zeros(1024, np.int32)
    used = np.int64(1)  # pool[0] is the empty set, shared by all pairs that need no more
    counts = np.zeros(d + 1, np.int64)
    largest = np.full((d, d) if want_p else (0, 0), -1.0)
    code, table, strata, margins, factor = workspace(
        kind, weights.shape[0], levels, min(d, most + 2), correlation.shape[0]
    )
    members, places = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    chosen, listed = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    local_columns, local_weights, local_levels = columns, weights, levels
    k = np.int64(0)  # not a literal: numba would compile what it calls for that literal too
    deep = True
    while deep and k <= most:
        deep = False
        for x in range(d):
            q = neighbours(adjacent, x, members)
            if q - 2 < k:
                continue
            deep = True
            local = k > 1 and planes.shape[0] > 0 and (q - 1) * (q - 2) > 4  # enough tests to pay for merging
            if local:
                local_columns, local_weights, local_levels = rows_of(
                    columns, weights, levels, members, q, code, table, strata
                )
            else:
                local_columns, local_weights, local_levels = columns, weights, levels
            for p in range(1, q):
                y = members[p]
                if (k == 0 and y < x) or (removed[x, y] and not exhaustive) or required[x, y] or required[y, x]:
                    continue
                made, count, p_here = test_pair(
                    kind, n, alpha, limits, correlation, dag, local_columns, local_weights, local_levels, planes, burt,
                    first, xlogx, code, table, strata, margins, factor,
                    adjacent, members, q, p, k, local, np.bool_(False), exhaustive, want_p, places, chosen, listed,
                )  # fmt: skip
                counts[k] += made
                if want_p and p_here > largest[x, y]:
                    largest[x, y] = largest[y, x] = p_here
                if count >= 0:
                    removed[x, y] = removed[y, x] = True
                    if k == 0:
                        where[x, y] = where[y, x] = 0
                    else:
                        pool, used = note(where, pool, used, listed, count, x, y)
        for x in range(d):
            for y in range(d):
                adjacent[x, y] = adjacent[x, y] and not removed[x, y]
        k += 1
    return adjacent, where, pool[:used].copy(), counts, largest


@bare
def test_pair(
    kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
    code, table, strata, margins, factor,
    adjacent, members, q, p, k, local, beyond, exhaustive, want_p, places, chosen, listed,
):  # fmt: skip
    """Test members[0] and members[p] given each k of the other q - 2 members, or until one set separates them.

    How many tests were made; how many nodes are listed as their separating set (-1: there is none); the largest p.
    Columns are those of all nodes, or of the members alone when `local`. Sets that were tested before are left out:
    those among the neighbours of y where its turn came first, or (`beyond`) among the neighbours of either.
    """
    x, y = members[0], members[p]
    made, count, largest = 0, -1, -1.0
    for i in range(k):
        places[i] = i
    new, valid = np.int64(0), np.int64(0)  # places from `new` on have changed; rows of the factor below `valid` not
    while new >= 0:
        of_x, of_y = beyond, beyond or (k > 0 and y < x)
        for i in range(k):
            at = places[i] + 1 + (places[i] + 1 >= p)
            of_x = of_x and adjacent[x, members[at]]
            of_y = of_y and adjacent[y, members[at]]
            chosen[i] = at if local else members[at]
        if not of_x and not of_y:
            made += 1
            if (
                xlogx.ndim == 1 and kind == FISHER_Z
            ):  # past `evaluate`, whose arguments take longer to hand over than this test
                statistic, df = squared_partial(correlation, x, y, chosen, k, valid, factor), k
            else:
                statistic, df = evaluate(
                    kind, n, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
                    code, table, strata, margins, factor, 0 if local else x, p if local else y, chosen, k, valid,
                )  # fmt: skip
            valid = k
            if want_p:
                largest = max(largest, p_value(kind, n, statistic, df))
            if verdict(kind, alpha, limits, statistic, df):
                count = max(count, 0)
                for i in range(k):
                    node = members[chosen[i]] if local else chosen[i]
                    known = False
                    for j in range(count):
                        known = known or listed[j] == node
                    if not known:
                        listed[count] = node
                        count += 1
                if not exhaustive:
                    break
        new = next_set(places, k, q - 2)
        valid = min(valid, new)
    return made, count, largest


@inner
def note(where, pool, used, listed, count, x, y):
    """Write the separating set of x and y, together with what the other side found at this depth."""
    start = where[x, y]
    if start >= 0:
        for i in range(start + 1, start + 1 + pool[start]):
            known = False
            for j in range(count):
                known = known or listed[j] == pool[i]
            if not known:
                listed[count] = pool[i]
                count += 1
    if used + count + 1 > pool.shape[0]:
        grown = np.empty(2 * (used + count + 1), np.int32)
        for i in range(used):
            grown[i] = pool[i]
        pool = grown
    where[x, y] = where[y, x] = used
    pool[used] = count
    for i in range(count):
        pool[used + 1 + i] = listed[i]
    return pool, used + count + 1
