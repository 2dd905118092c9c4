"""Operators on CPDAGs: what each gains at most, with which set, and what opposes it.

graph[i, j] = 1 where the edge is i -> j or i -- j. Ne(y): nodes with -- to y, Pa(y): parents, NA = Ne(y) and Adj(x).

    Insert(x, y, T)   T in Ne(y) - Adj(x): add x -> y, turn t -- y into t -> y
        gain          s(y | NA + T + Pa(y) + x) - s(y | NA + T + Pa(y))
        valid         NA + T is a clique, and every semi-directed path from y to x meets NA + T
    Delete(x, y, H)   H in NA: take the edge between x and y out, turn y -- h into y -> h and x -- h into x -> h
        gain          s(y | NA - H + Pa(y) - x) - s(y | NA - H + Pa(y) + x)
        valid         NA - H is a clique
    Turn(x, y, T)     of y -> x, T in Ne(y) - Adj(x): make it x -> y, turn t -- y into t -> y
        gain          that of Insert(x, y, T) + s(x | Pa(x) - y) - s(x | Pa(x))
        valid         NA + T is a clique, and every other semi-directed path from y to x meets NA + T + Ne(x)

Chickering (2002), theorems 15 and 17, corollaries 16 and 18; Hauser & Buehlmann (2012), proposition 31. Only cliques
are enumerated, so a hub with many neighbours costs no 2^|Ne|; a clique of k nodes still has 2^k parts, which `limit`
keeps in bounds where the data are dense.
"""

from __future__ import annotations

import numpy as np

from trueness.learners.kernels.compiling import bare
from trueness.learners.kernels.equivalence import Matrix
from trueness.learners.kernels.scores import Floats, Integers, Scorer, added_scores, local_score

INSERT, DELETE, TURN = 0, 1, 2
NO_PATHS, PATHS, PATHS_OF_TURN = 0, 1, 2
NO_GAIN = 1e-9  # a gain below this is rounding
# rows of `sets`, the working space (9, d + 1): Ne(y); Pa(y); what all operators of the pair condition on, followed by
# what one of them adds; what they may choose from; where the chosen ones stand there; the best choice; a queue; from
# where a node was reached; flags of nodes on paths that were found
NEAR, PARENTS, BASE, FREE, PLACE, BEST, QUEUE, SEEN, ON_PATH = range(9)


@bare
def sets_of(graph: Matrix, y: int, sets: Integers) -> None:
    """Ne(y) and Pa(y), their sizes in the last column."""
    d = len(graph)
    near, parents = 0, 0
    for v in range(d):
        if graph[v, y]:
            if graph[y, v]:
                sets[NEAR, near] = v
                near += 1
            else:
                sets[PARENTS, parents] = v
                parents += 1
    sets[NEAR, d], sets[PARENTS, d] = near, parents


@bare
def best_insert(s: Scorer, graph: Matrix, x: int, y: int, paths: int, out: Integers, sets: Integers) -> float:
    """The greatest gain of Insert(x, y, T); T is left in `sets`. paths: what is asked of them, see `_reaches`."""
    d = len(graph)
    base = sets[BASE]
    k, n_free = np.int64(0), np.int64(0)
    for i in range(sets[NEAR, d]):  # NA, which must be a clique
        v = sets[NEAR, i]
        if graph[v, x] or graph[x, v]:
            if not joins(graph, v, base, k - k, k):
                return -np.inf
            base[k] = v
            k += 1
    in_clique = k
    for i in range(sets[NEAR, d]):  # what may join it
        v = sets[NEAR, i]
        if not graph[v, x] and not graph[x, v] and joins(graph, v, base, k - k, k):
            sets[FREE, n_free] = v
            n_free += 1
    for i in range(sets[PARENTS, d]):
        base[k] = sets[PARENTS, i]
        k += 1
    top = -np.inf
    chosen, start = np.int64(0), np.int64(0)
    while True:  # every clique T among the free ones, depth first, in base[k:k + chosen]
        if k + chosen < s.limit:
            without = local_score(s, y, base, k + chosen)
            base[k + chosen] = x
            gained = local_score(s, y, base, k + chosen + 1) - without
            if gained > top and not (paths and _reaches(graph, y, x, paths, in_clique, k, k + chosen, out, sets)):
                top = gained
                keep(sets, k, chosen, d)
        else:
            start = n_free  # a larger T only adds parents
        chosen = next_clique(graph, sets, n_free, k, chosen, start)
        if chosen == 0:
            return top
        start = sets[PLACE, chosen - 1] + 1


@bare
def best_inserts(s: Scorer, graph: Matrix, y: int, gains: Floats, rows: Floats, sets: Integers) -> None:
    """gains[x] = the greatest gain of Insert(x, y, T) for every x, no path asked for; of one Gaussian score.

    Every clique of Ne(y) is NA + T for those x whose NA lies in it, so that one set serves them all at once.
    """
    d = len(graph)
    base, missing, k, n_free = sets[BASE], sets[SEEN], sets[PARENTS, d], sets[NEAR, d]
    for i in range(k):
        base[i] = sets[PARENTS, i]
    for i in range(n_free):
        sets[FREE, i] = sets[NEAR, i]
    for x in range(d):
        gains[x] = -np.inf
    chosen, start = np.int64(0), np.int64(0)
    while True:
        if k + chosen < s.limit:
            for x in range(d):
                missing[x] = 0
            for i in range(n_free):  # of NA: those that are not among the chosen
                v = sets[FREE, i]
                for x in range(d):
                    missing[x] += graph[v, x] | graph[x, v]
            for i in range(k, k + chosen):
                v = base[i]
                for x in range(d):
                    missing[x] -= graph[v, x] | graph[x, v]
            without = local_score(s, y, base, k + chosen)
            added_scores(s, y, base, k + chosen, rows)
            for x in range(d):
                if missing[x] == 0:
                    gains[x] = max(gains[x], rows[d, x] - without)
        else:
            start = n_free
        chosen = next_clique(graph, sets, n_free, k, chosen, start)
        if chosen == 0:
            return
        start = sets[PLACE, chosen - 1] + 1


@bare
def keep(sets: Integers, k: int, chosen: int, d: int) -> None:
    sets[BEST, d] = chosen
    for i in range(chosen):
        sets[BEST, i] = sets[BASE, k + i]


@bare
def next_clique(graph: Matrix, sets: Integers, n_free: int, k: int, chosen: int, start: int) -> int:
    """Lengthen the chosen clique by a free node from `start` on, or change its last one; its size, 0 at the end."""
    base = sets[BASE]
    while True:
        for i in range(start, n_free):
            v = sets[FREE, i]
            if joins(graph, v, base, k, k + chosen):
                base[k + chosen] = v
                sets[PLACE, chosen] = i
                return chosen + 1
        if chosen == 0:
            return 0
        chosen -= 1
        start = sets[PLACE, chosen] + 1


@bare
def joins(graph: Matrix, v: int, members: Integers, first: int, last: int) -> bool:
    """Whether v is adjacent to all of members[first:last]."""
    i = first
    while i < last and (graph[v, members[i]] or graph[members[i], v]):
        i += 1
    return i == last


@bare
def _reaches(
    graph: Matrix, y: int, x: int, paths: int, in_clique: int, first: int, last: int, out: Integers, sets: Integers
) -> bool:
    """A semi-directed path from y to x that avoids base[:in_clique] (NA) and base[first:last] (T); sets[ON_PATH] marks
    what leads on.

    Where paths is PATHS_OF_TURN one that is not the edge y -> x and avoids Ne(x) too.
    """
    d = len(graph)
    base, queue, seen = sets[BASE], sets[QUEUE], sets[SEEN]  # seen: -1 not yet, d not to be entered, else from where
    for v in range(d):
        seen[v] = -1
    for i in range(last):
        if i < in_clique or i >= first:
            seen[base[i]] = d
    if paths == PATHS_OF_TURN:
        for v in range(d):
            if graph[v, x] and graph[x, v]:
                seen[v] = d
    seen[y] = d
    queue[0] = y
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        if graph[u, x] and (paths != PATHS_OF_TURN or u != y):
            while u < d:
                sets[ON_PATH, u] = 1
                u = seen[u]
            return True
        for k in range(out[u, d]):
            v = out[u, k]
            if seen[v] < 0 and v != x:
                seen[v] = u
                queue[tail] = v
                tail += 1
    return False


@bare
def best_delete(s: Scorer, graph: Matrix, x: int, y: int, sets: Integers) -> float:
    """The greatest gain of Delete(x, y, H); NA - H is left in `sets`."""
    d = len(graph)
    base = sets[BASE]
    k, n_free = np.int64(0), np.int64(0)
    for i in range(sets[PARENTS, d]):
        if sets[PARENTS, i] != x:
            base[k] = sets[PARENTS, i]
            k += 1
    for i in range(sets[NEAR, d]):
        v = sets[NEAR, i]
        if v != x and (graph[v, x] or graph[x, v]):
            sets[FREE, n_free] = v
            n_free += 1
    top = -np.inf
    chosen, start = np.int64(0), np.int64(0)
    while True:  # every clique NA - H
        if chosen == 0 or k + chosen < s.limit:
            without = local_score(s, y, base, k + chosen)
            base[k + chosen] = x
            gained = without - local_score(s, y, base, k + chosen + 1)
            if gained > top:
                top = gained
                keep(sets, k, chosen, d)
        else:
            start = n_free
        chosen = next_clique(graph, sets, n_free, k, chosen, start)
        if chosen == 0:
            return top
        start = sets[PLACE, chosen - 1] + 1


@bare
def take_out(graph: Matrix, x: int, y: int, kept: Integers) -> None:
    """Take the edge out; H are the common neighbours that are not among kept[:kept[d]]."""
    d = len(graph)
    graph[x, y] = graph[y, x] = 0
    for h in range(d):
        if graph[h, y] and graph[y, h] and (graph[h, x] or graph[x, h]):
            is_kept = False
            for i in range(kept[d]):
                is_kept = is_kept or kept[i] == h
            if not is_kept:
                graph[h, y] = 0  # y -> h
                if graph[x, h]:
                    graph[h, x] = 0  # x -> h


@bare
def best_turn(s: Scorer, graph: Matrix, x: int, y: int, paths: int, out: Integers, sets: Integers) -> float:
    """The greatest gain of Turn(x, y, T) of y -> x; T is left in `sets`. paths: whether they are asked for."""
    gained = best_insert(s, graph, x, y, np.int64(PATHS_OF_TURN if paths else NO_PATHS), out, sets)
    return gained if gained == -np.inf else gained + unturned(s, graph, x, y, sets)


@bare
def unturned(s: Scorer, graph: Matrix, x: int, y: int, sets: Integers) -> float:
    """s(x | Pa(x) - y) - s(x | Pa(x)): what Turn(x, y, .) gains beside Insert(x, y, .)."""
    parents, k = sets[FREE], np.int64(0)  # what it held is used up
    for v in range(len(graph)):
        if graph[v, x] and not graph[x, v] and v != y:
            parents[k] = v
            k += 1
    without = local_score(s, x, parents, k)
    parents[k] = y
    return without - local_score(s, x, parents, k + 1)
