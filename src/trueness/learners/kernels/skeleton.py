"""All that asks for separating sets, as one compiled function: so the tests in it are compiled once.

Skeleton: remove x - y when some S among the neighbours of x or of y makes them independent.

    for k = 0, 1, 2, ...: for each x, each neighbour y, each S of k other neighbours of x: test x, y given S
    neighbours are those at the start of depth k, so that the order of the columns does not matter (PC-stable)

Colombo & Maathuis (2014), algorithm 4.1. `exhaustive`: every set of a depth is tested, and the separating set of a
pair is the union of all that separate it at that depth: what causal-learn's stable=True does.
Separating sets are kept as lists: where[x, y] points into pool at [size, members ...], -1 where there is none.

Possible-D-SEP: FCI's second search: separating sets beyond the neighbours, which latent causes can make necessary.

    Possible-D-SEP(x, y): the nodes v with a path from x to v on which
        every inner node b of three in a row (a, b, c) is a collider, or a and c are adjacent     (definition 3.3)
        every node lies on a path between x and y: in the block (biconnected component) of x - y  (definition 3.4)
        every node may be a cause of x or of y: a path leads there against no arrow

For each edge x - y, sets S of Possible-D-SEP(x, y), then of (y, x), from two nodes upward, that are not among
the neighbours of x or of y alone (these were tested before); the first that separates removes the edge.
Spirtes, Glymour & Scheines (2000), ch. 6.7, whose D-SEP(x, y) has only ancestors of x or y;
Colombo, Maathuis, Kalisch & Richardson (2012), definitions 3.3 and 3.4. All three hold for D-SEP(x, y), so that nothing
is lost, and the number of sets, which is exponential, stays small.

Ballots: how sets of neighbours vote on unshielded triples x - y - z: those that separate x and z, the best, or the one
that was met.

Each set is tested once: all those around x, then those around z that are not all neighbours of x. Sets around a node
grow until there would be more than MOST_SETS of them: 3 neighbours of 25 at a time, 2 of 80. Where none of them
separates, the set that the search met votes: if it is of neighbours too, only larger, or if `latent` causes can make
sets beyond the neighbours necessary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import bare, inner, kernel
from trueness.learners.kernels.testing import (
    FISHER_Z,
    evaluate,
    merged_on,
    p_value,
    squared_partial,
    verdict,
    workspace,
)

NO_EDGE, ARROW = 0, 2
NONE, MET, ALL, BEST = -1, 0, 1, 2  # whose votes are asked for
MOST_SETS = 4096


class Skeleton(NamedTuple):
    adjacent: NDArray[np.bool_]  # (d, d)
    where: NDArray[np.int32]  # (d, d)
    pool: NDArray[np.int32]
    tests: NDArray[np.int64]  # tests[k]: how many were made with |S| = k

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


class Evidence(NamedTuple):
    """Of each unshielded triple x - y - z whose ends a test has separated."""

    triples: NDArray[np.int32]  # (m, 3) x < z; those of a pair follow each other
    collides: NDArray[np.bool_]  # (m,) y is a collider
    supports: NDArray[np.float64]  # (m,) evidence that it is: share of the votes times the largest p of a set without y
    opposes: NDArray[np.float64]  # (m,) evidence that it is none, of sets with y

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


NOTHING = np.zeros((0, 0), np.int8)  # as marks: the first search
NO_SKELETON = Skeleton(
    np.zeros((0, 0), np.bool_), np.zeros((0, 0), np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64)
)


@kernel
def search(tests, required, forbidden, exhaustive, most, voters, marks, first):
    """The skeleton from nothing, or what Possible-D-SEP leaves of a `first` one with its `marks`, which change too; and
    the evidence on its unshielded triples, empty where none is asked for.

    required, forbidden: (d, d), i -> j; required pairs stay untested, pairs forbidden both ways are apart.
    Sets have at most `most` members.
    """
    if marks.shape[0] == 0:
        found = _skeleton(tests, required, forbidden, exhaustive, most)
    else:
        found = _remove_by_possible_dsep(tests, marks, first, required, most)
    if voters == NONE:
        nothing = np.empty(0)
        return found, Evidence(np.empty((0, 3), np.int32), np.empty(0, np.bool_), nothing, nothing)
    return found, _ballots(tests, found, voters, most, marks.shape[0] > 0)


# ---- sets


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
def _neighbours(adjacent, x, members):
    """x first, then its neighbours in order; how many in all."""
    members[0] = x
    q = 1
    for v in range(adjacent.shape[0]):
        if adjacent[x, v]:
            members[q] = v
            q += 1
    return q


@inner
def _note(where, pool, used, listed, count, x, y):
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


# ---- the first search


@inner
def _skeleton(tests, required, forbidden, exhaustive, most):
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
    room = workspace(tests, min(d, most + 2))
    members, places = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    chosen, listed = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    k = np.int64(0)  # not a literal: numba would compile what it calls for that literal too
    deep = True
    while deep and k <= most:
        deep = False
        for x in range(d):
            q = _neighbours(adjacent, x, members)
            if q - 2 < k:
                continue
            deep = True
            local = k > 1 and tests.planes.shape[0] > 0 and (q - 1) * (q - 2) > 4  # enough tests to pay for merging
            here = merged_on(tests, members, q, room) if local else tests
            for p in range(1, q):
                y = members[p]
                if (k == 0 and y < x) or (removed[x, y] and not exhaustive) or required[x, y] or required[y, x]:
                    continue
                made, count = _test_pair(
                    here, room, adjacent, members, q, p, k, local, np.bool_(False), exhaustive,
                    places, chosen, listed,
                )  # fmt: skip
                counts[k] += made
                if count >= 0:
                    removed[x, y] = removed[y, x] = True
                    if k == 0:
                        where[x, y] = where[y, x] = 0
                    else:
                        pool, used = _note(where, pool, used, listed, count, x, y)
        for x in range(d):
            for y in range(d):
                adjacent[x, y] = adjacent[x, y] and not removed[x, y]
        k += 1
    return Skeleton(adjacent, where, pool[:used].copy(), counts)


@bare
def _test_pair(tests, room, adjacent, members, q, p, k, local, beyond, exhaustive, places, chosen, listed):
    """Test members[0] and members[p] given each k of the other q - 2 members, or until one set separates them.

    How many tests were made; how many nodes are listed as their separating set (-1: there is none).
    Columns are those of all nodes, or of the members alone when `local`. Sets that were tested before are left out:
    those among the neighbours of y where its turn came first, or (`beyond`) among the neighbours of either.
    """
    x, y = members[0], members[p]
    made, count = 0, -1
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
            if tests.kind == FISHER_Z:  # past `evaluate`, whose arguments take longer to hand over than this test
                statistic, df = squared_partial(tests.correlation, x, y, chosen, k, valid, room.factor), k
            else:
                a, b = (np.int64(0), np.int64(p)) if local else (x, y)
                statistic, df = evaluate(tests, tests.xlogx, room, a, b, chosen, k, valid)
            valid = k
            if verdict(tests, statistic, df):
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
    return made, count


# ---- Possible-D-SEP


@bare
def _find_blocks(marks, block, depth, low, parent, path, edges):
    """block[u, v]: the number of the biconnected component of the edge u - v (Hopcroft & Tarjan 1973)."""
    d = marks.shape[0]
    for u in range(d):
        depth[u] = -1
    number, n_edges = 0, 0
    for root in range(d):
        if depth[root] >= 0:
            continue
        path[0] = root * (d + 1)  # a node and the next neighbour of it to look at
        depth[root], low[root], parent[root] = 0, 0, -1
        top = 1
        while top > 0:
            u, v = path[top - 1] // (d + 1), path[top - 1] % (d + 1)
            if v < d:
                path[top - 1] += 1
                if marks[u, v] == NO_EDGE or v == parent[u]:
                    continue
                if depth[v] < 0:
                    edges[n_edges] = u * d + v
                    n_edges += 1
                    depth[v], low[v], parent[v] = depth[u] + 1, depth[u] + 1, u
                    path[top] = v * (d + 1)
                    top += 1
                elif depth[v] < depth[u]:
                    edges[n_edges] = u * d + v
                    n_edges += 1
                    low[u] = min(low[u], depth[v])
                continue
            top -= 1
            w = parent[u]
            if w < 0:
                continue
            low[w] = min(low[w], low[u])
            if low[u] >= depth[w]:  # w cuts off what hangs below it through u
                last = -1
                while last != w * d + u:
                    n_edges -= 1
                    last = edges[n_edges]
                    block[last // d, last % d] = block[last % d, last // d] = number
                number += 1


@bare
def _may_cause(marks, x, y, allowed, stack):
    """Take from `allowed` the nodes from which every path to x and y meets an arrow head-on."""
    d = marks.shape[0]
    for v in range(d):
        if allowed[v]:
            allowed[v] = 1
    allowed[x] = allowed[y] = 2  # 2: may be an ancestor
    stack[0], stack[1] = x, y
    top = 2
    while top > 0:
        top -= 1
        v = stack[top]
        for u in range(d):
            if allowed[u] == 1 and marks[u, v] != NO_EDGE and marks[v, u] != ARROW:
                allowed[u] = 2
                stack[top] = u
                top += 1


@bare
def _possible_dsep(marks, block, x, y, members, stack, seen, stamp, allowed):
    """Members from 2 on become Possible-D-SEP(x, y), in order; how many members there are then.

    seen[u, v] == stamp: the path has gone from u to v.
    """
    d = marks.shape[0]
    for v in range(d):
        allowed[v] = 0
        for u in range(d):
            if marks[u, v] != NO_EDGE and block[u, v] == block[x, y]:
                allowed[v] = 1
                break
    _may_cause(marks, x, y, allowed, stack)
    top = 0
    for v in range(d):
        if marks[x, v] != NO_EDGE and allowed[v] == 2:
            allowed[v] = 3  # 3: reached
            seen[x, v] = stamp
            stack[top] = x * d + v
            top += 1
    while top > 0:
        top -= 1
        a, b = stack[top] // d, stack[top] % d
        for c in range(d):
            if c == x or marks[b, c] == NO_EDGE or seen[b, c] == stamp or allowed[c] < 2:
                continue
            if c != a and ((marks[a, b] == ARROW and marks[c, b] == ARROW) or marks[a, c] != NO_EDGE):
                seen[b, c] = stamp
                allowed[c] = 3
                stack[top] = b * d + c
                top += 1
    q = 2
    for v in range(d):
        if allowed[v] == 3 and v != x and v != y:
            members[q] = v
            q += 1
    return q


@inner
def _remove_by_possible_dsep(tests, marks, first, required, most):
    """Remove edges from `marks` and from the first skeleton, in place; its tests are those made here."""
    d = marks.shape[0]
    adjacent, where, pool = first.adjacent, first.where, first.pool
    used = np.int64(pool.shape[0])
    counts = np.zeros(d + 1, np.int64)
    room = workspace(tests, d)
    members, places = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    chosen, listed = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    stack, seen, allowed = np.empty(d * d + 2, np.int64), np.zeros((d, d), np.int64), np.empty(d, np.int64)
    block, edges = np.empty((d, d), np.int64), np.empty(d * d, np.int64)
    depth, low, parent = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64)
    _find_blocks(marks, block, depth, low, parent, stack, edges)
    stamp = np.int64(0)
    for x in range(d):
        for y in range(x + 1, d):
            if not adjacent[x, y] or required[x, y] or required[y, x]:
                continue
            for side in range(2):
                stamp += 1
                members[0], members[1] = x, y
                q = _possible_dsep(
                    marks, block, x if side == 0 else y, y if side == 0 else x, members, stack, seen, stamp, allowed
                )
                local = q > 5 and tests.columns.shape[1] > 64
                here = merged_on(tests, members, q, room) if local else tests
                k, count = np.int64(2), np.int64(-1)
                while count < 0 and k <= min(most, q - 2):
                    made, count = _test_pair(
                        here, room, adjacent, members, q, np.int64(1), k, local, np.bool_(True), np.bool_(False),
                        places, chosen, listed,
                    )  # fmt: skip
                    counts[k] += made
                    k += 1
                if count >= 0:
                    pool, used = _note(where, pool, used, listed, count, x, y)
                    adjacent[x, y] = adjacent[y, x] = False
                    marks[x, y] = marks[y, x] = NO_EDGE
                    _find_blocks(marks, block, depth, low, parent, stack, edges)
                    break
    return Skeleton(adjacent, where, pool[:used].copy(), counts)


# ---- ballots


@inner
def _ballots(tests, skeleton, rule, most, latent):
    adjacent = skeleton.adjacent
    d = adjacent.shape[0]
    where, pool = skeleton.where, skeleton.pool
    room = workspace(tests, min(d, most + 2))
    count = 0
    for x in range(d):
        for z in range(x + 1, d):
            if not adjacent[x, z] and where[x, z] >= 0:
                for y in range(d):
                    count += adjacent[x, y] and adjacent[y, z]
    triples, collides, evidence = np.empty((count, 3), np.int32), np.empty(count, np.bool_), np.zeros((2, count))
    members, places, chosen = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    within = np.empty(d, np.int64)  # votes with y
    in_best, is_in = np.zeros(d, np.bool_), np.zeros(d, np.bool_)
    at = 0
    for x in range(d):
        for z in range(x + 1, d):
            if adjacent[x, z] or where[x, z] < 0:
                continue
            start = at
            for y in range(d):
                if adjacent[x, y] and adjacent[y, z]:
                    triples[at, 0], triples[at, 1], triples[at, 2] = x, y, z
                    within[at - start] = 0
                    in_best[at - start] = False
                    at += 1
            if at == start:
                continue
            votes, best, of_x, of_z = 0, -1.0, np.int64(-1), np.int64(-1)  # largest sets around x, around z
            for end in range(2 if rule == MET else 0, 3):
                q = _neighbours(adjacent, z if end else x, members) - 1
                size, sets = np.int64(0), 1.0
                if end == 2:
                    q = size = pool[where[x, z]] if rule == MET or votes == 0 else -1
                    for i in range(size):
                        members[i + 1] = pool[where[x, z] + 1 + i]
                while size <= q and (size <= most or end == 2) and sets <= MOST_SETS:
                    for i in range(size):
                        places[i] = i
                    more = True
                    while more:
                        near_x, near_z = True, end == 2
                        for i in range(size):
                            chosen[i] = members[places[i] + 1]
                            near_x = near_x and adjacent[x, chosen[i]]
                            near_z = near_z and adjacent[z, chosen[i]]
                        known = (near_x and size <= of_x) or (near_z and size <= of_z)
                        if rule != MET and end == 2:
                            known = known or not (near_x or near_z or latent)
                        if not known:
                            p, separates = 0.0, False
                            if size <= most:  # a union of sets may be more than can be given
                                statistic, df = evaluate(tests, tests.xlogx, room, x, z, chosen, size, np.int64(0))
                                p = p_value(tests, statistic, df)
                                separates = rule == ALL and verdict(tests, statistic, df)
                            separates = separates or (rule == ALL and latent and end == 2)
                            votes += separates
                            for i in range(size):
                                is_in[chosen[i]] = True
                            for t in range(start, at):
                                here = is_in[triples[t, 1]]
                                within[t - start] += here and separates
                                evidence[int(here), t] = max(evidence[int(here), t], p)
                                in_best[t - start] = here if p > best else in_best[t - start]
                            for i in range(size):
                                is_in[chosen[i]] = False
                            best = max(best, p)
                        more = next_set(places, size, q) >= 0
                    of_x, of_z = (size, of_z) if end == 0 else (of_x, size)
                    size += 1
                    sets = _sets_up_to(q, size)
            for t in range(start, at):
                share = 1 - within[t - start] / votes if votes else 1.0 - in_best[t - start]
                collides[t] = share > 0.5
                evidence[0, t] *= share
                evidence[1, t] *= 1 - share
    return Evidence(triples, collides, evidence[0], evidence[1])


@bare
def _sets_up_to(q, size):
    """How many subsets of q have at most so many members."""
    sets, of_size = 1.0, 1.0
    for k in range(1, size + 1):
        of_size *= (q - k + 1) / k
        sets += of_size
    return sets
