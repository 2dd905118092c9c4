"""The search that uses all three phases: greedy interventional equivalence search.

Insert, Delete and the Turn of y -> x: `kernels/operators.py`. Here the Turn of an undirected edge, with its names:

    Turn(x, y, C) of y -- x    C in Ne(y) - x, not all in NA: c -> y, c -> x for c in NA; y and x before their others
        gain    s(y | Pa(y) + C + x) - s(y | Pa(y) + C) + s(x | Pa(x) + (C and NA)) - s(x | Pa(x) + (C and NA) + y)
        valid   C is a clique, and every undirected path from C to NA - C meets x or y

    search      Insert while one gains, then Delete, then Turn, and from the start until nothing changes

on the graph of an interventional class: `cut` edges (kernels/equivalence.py) are always directed.
Hauser & Buehlmann (2012), JMLR 13, propositions 31 and 34, algorithm 1.
"""

from __future__ import annotations

import numpy as np

from trueness.learners.kernels.compiling import bare, kernel
from trueness.learners.kernels.equivalence import Matrix, complete
from trueness.learners.kernels.ges import check_end, grow, shrink
from trueness.learners.kernels.operators import (
    BASE,
    BEST,
    FREE,
    NEAR,
    NO_GAIN,
    PARENTS,
    PATHS,
    PLACE,
    QUEUE,
    SEEN,
    TURN,
    best_turn,
    keep,
    list_out,
    next_clique,
    sets_of,
)
from trueness.learners.kernels.scores import Floats, Integers, Scorer, local_score


def search(s: Scorer, d: int, cut: Matrix) -> tuple[Matrix, Floats]:
    """The class that GIES finds, and its steps: (operator, x, y, gain) a row."""
    graph, steps = np.zeros((d, d), dtype=np.uint8), []
    while True:
        round_ = [grow(s, graph, cut), shrink(s, graph, cut), _turn(s, graph, cut)]
        steps += round_
        check_end(sum(map(len, steps)), d)
        if not any(map(len, round_)):
            return graph, np.vstack(steps)


def _turn(s: Scorer, graph: Matrix, cut: Matrix) -> Floats:
    """The turning phase alone; its steps."""
    d, parts = len(graph), []
    sets, out = np.zeros((9, d + 1), dtype=np.int64), np.zeros((d, d + 1), dtype=np.int64)
    kept, step = np.zeros(d + 1, dtype=np.int64), np.empty(4)
    while turn_best(s, graph, cut, out, sets, kept, step):
        parts.append(step.copy())
        check_end(len(parts), d)
    return np.array(parts).reshape(-1, 4)


@kernel  # not bare: `complete` makes arrays
def turn_best(
    s: Scorer, graph: Matrix, cut: Matrix, out: Integers, sets: Integers, kept: Integers, step: Floats
) -> bool:
    """Apply the best Turn where one gains, and say which in `step`."""
    d = len(graph)
    for i in range(d):
        list_out(graph, i, out)
    most, source, target = NO_GAIN, np.int64(-1), np.int64(-1)
    for y in range(d):
        for x in range(d):
            if not graph[y, x]:
                continue
            sets_of(graph, y, sets)
            if graph[x, y]:
                gained = best_exchange(s, graph, x, y, sets)
            else:
                gained = best_turn(s, graph, x, y, np.int64(PATHS), out, sets)
            if gained > most:
                most, source, target = gained, x, y
                for i in range(d + 1):
                    kept[i] = sets[BEST, i]
    if source < 0:
        return False
    step[0], step[1], step[2], step[3] = TURN, source, target, most
    if graph[source, target]:
        _exchange(graph, source, target, kept)
    for k in range(kept[d]):
        graph[target, kept[k]] = 0
    graph[target, source] = 0
    graph[source, target] = 1
    if not complete(graph, cut):
        raise ValueError("a valid Turn has a consistent extension")
    return True


@bare
def best_exchange(s: Scorer, graph: Matrix, x: int, y: int, sets: Integers) -> float:
    """The greatest gain of Turn(x, y, C) of y -- x; C is left in `sets`."""
    d = len(graph)
    base, parents = sets[BASE], sets[QUEUE]
    k, n_free = np.int64(0), np.int64(0)
    for i in range(sets[PARENTS, d]):
        base[k] = sets[PARENTS, i]
        k += 1
    for i in range(sets[NEAR, d]):
        if sets[NEAR, i] != x:
            sets[FREE, n_free] = sets[NEAR, i]
            n_free += 1
    top = -np.inf
    chosen, start = np.int64(0), np.int64(0)
    while True:  # every clique C among the free ones
        chosen = next_clique(graph, sets, n_free, k, chosen, start)
        if chosen == 0:
            return top
        start = sets[PLACE, chosen - 1] + 1
        if k + chosen >= s.limit:
            start = n_free  # a larger C only adds parents
            continue
        is_new = False
        for i in range(k, k + chosen):
            is_new = is_new or not graph[base[i], x]
        if not is_new or _meets(graph, x, y, k, k + chosen, sets):
            continue
        without = local_score(s, y, base, k + chosen)
        base[k + chosen] = x
        gained = local_score(s, y, base, k + chosen + 1) - without
        m = np.int64(0)
        for v in range(d):
            if graph[v, x] and not graph[x, v]:
                parents[m] = v
                m += 1
        for i in range(k, k + chosen):
            if graph[base[i], x]:
                parents[m] = base[i]
                m += 1
        gained += local_score(s, x, parents, m)
        parents[m] = y
        gained -= local_score(s, x, parents, m + 1)
        if gained > top:
            top = gained
            keep(sets, k, chosen, d)


@bare
def _meets(graph: Matrix, x: int, y: int, first: int, last: int, sets: Integers) -> bool:
    """Whether an undirected path without x and y leads from base[first:last] (C) to NA - C."""
    d = len(graph)
    base, queue, seen = sets[BASE], sets[QUEUE], sets[SEEN]
    for v in range(d):
        seen[v] = 0
    seen[x] = seen[y] = 1
    tail = 0
    for i in range(first, last):
        seen[base[i]] = 1
        queue[tail] = base[i]
        tail += 1
    head = 0
    while head < tail:
        u = queue[head]
        head += 1
        for v in range(d):
            if not seen[v] and graph[u, v] and graph[v, u]:
                if graph[v, y] and graph[y, v] and graph[v, x] and graph[x, v]:
                    return True
                seen[v] = 1
                queue[tail] = v
                tail += 1
    return False


@bare
def _exchange(graph: Matrix, x: int, y: int, chosen: Integers) -> None:
    """What Turn(x, y, C) of y -- x directs beside x -> y and C -> y."""
    d = len(graph)
    for v in range(d):
        is_chosen = False
        for i in range(chosen[d]):
            is_chosen = is_chosen or chosen[i] == v
        if v != y and graph[v, x] and graph[x, v]:
            if is_chosen:
                graph[x, v] = 0  # v -> x
            else:
                graph[v, x] = 0
        if v != x and not is_chosen and graph[v, y] and graph[y, v]:
            graph[v, y] = 0
