"""All that asks for separating sets as one compiled function, so that the tests in it are compiled once.

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

import numpy as np

from trueness.learners.kernels.compiling import bare, inner, kernel
from trueness.learners.kernels.counting import rows_of
from trueness.learners.kernels.skeleton import neighbours, next_set, note, skeleton, test_pair
from trueness.learners.kernels.testing import ORACLE, evaluate, p_value, verdict, workspace

NO_EDGE, ARROW = 0, 2


@bare
def find_blocks(marks, block, depth, low, parent, path, edges):
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
def possible_dsep(marks, block, x, y, members, stack, seen, stamp, allowed):
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
def remove_by_possible_dsep(
    kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
    marks, adjacent, required, where, pool, most, largest,
):  # fmt: skip
    """Remove edges from `marks` and `adjacent`, in place; as `skeleton` returns them, with the tests made here."""
    d = marks.shape[0]
    used = np.int64(pool.shape[0])
    want_p = largest.shape[0] > 0
    counts = np.zeros(d + 1, np.int64)
    code, table, strata, margins, factor = workspace(kind, weights.shape[0], levels, d, correlation.shape[0])
    members, places = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    chosen, listed = np.empty(d + 1, np.int64), np.empty(d + 1, np.int64)
    stack, seen, allowed = np.empty(d * d + 2, np.int64), np.zeros((d, d), np.int64), np.empty(d, np.int64)
    block, edges = np.empty((d, d), np.int64), np.empty(d * d, np.int64)
    depth, low, parent = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64)
    find_blocks(marks, block, depth, low, parent, stack, edges)
    local_columns, local_weights, local_levels = columns, weights, levels
    stamp = np.int64(0)
    for x in range(d):
        for y in range(x + 1, d):
            if not adjacent[x, y] or required[x, y] or required[y, x]:
                continue
            for side in range(2):
                stamp += 1
                members[0], members[1] = x, y
                q = possible_dsep(
                    marks, block, x if side == 0 else y, y if side == 0 else x, members, stack, seen, stamp, allowed
                )
                local = kind < ORACLE and q > 5 and columns.shape[1] > 64
                if local:
                    local_columns, local_weights, local_levels = rows_of(
                        columns, weights, levels, members, q, code, table, strata
                    )
                else:
                    local_columns, local_weights, local_levels = columns, weights, levels
                k, count = np.int64(2), np.int64(-1)
                while count < 0 and k <= min(most, q - 2):
                    made, count, p_here = test_pair(
                        kind, n, alpha, limits, correlation, dag, local_columns, local_weights, local_levels, planes,
                        burt, first, xlogx, code, table, strata, margins, factor,
                        adjacent, members, q, np.int64(1), k, local, np.bool_(True), np.bool_(False), want_p,
                        places, chosen, listed,
                    )  # fmt: skip
                    counts[k] += made
                    if want_p and p_here > largest[x, y]:
                        largest[x, y] = largest[y, x] = p_here
                    k += 1
                if count >= 0:
                    pool, used = note(where, pool, used, listed, count, x, y)
                    adjacent[x, y] = adjacent[y, x] = False
                    marks[x, y] = marks[y, x] = NO_EDGE
                    find_blocks(marks, block, depth, low, parent, stack, edges)
                    break
    return adjacent, where, pool[:used].copy(), counts, largest


NONE, MET, ALL, BEST = -1, 0, 1, 2
MOST_SETS = 4096


@inner
def ballots(
    kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
    adjacent, where, pool, rule, most, latent,
):  # fmt: skip
    """Of unshielded triples: (m, 3) x < z, those of a pair behind each other; whether most votes leave y out; (m,)
    their share times the largest p of a set without y; the others' share times the largest p of one with y."""
    d = adjacent.shape[0]
    code, table, strata, margins, factor = workspace(
        kind, weights.shape[0], levels, min(d, most + 2), correlation.shape[0]
    )
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
                q = neighbours(adjacent, z if end else x, members) - 1
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
                                statistic, df = evaluate(
                                    kind, n, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
                                    code, table, strata, margins, factor, x, z, chosen, size, np.int64(0),
                                )  # fmt: skip
                                p = p_value(kind, n, statistic, df)
                                separates = rule == ALL and verdict(kind, alpha, limits, statistic, df)
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
                    sets = sets_up_to(q, size)
            for t in range(start, at):
                share = 1 - within[t - start] / votes if votes else 1.0 - in_best[t - start]
                collides[t] = share > 0.5
                evidence[0, t] *= share
                evidence[1, t] *= 1 - share
    return triples, collides, evidence[0], evidence[1]


@bare
def sets_up_to(q, size):
    """How many subsets of q have at most so many members."""
    sets, of_size = 1.0, 1.0
    for k in range(1, size + 1):
        of_size *= (q - k + 1) / k
        sets += of_size
    return sets


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
