"""The searches beyond one way up and one down.

Extended greedy equivalence search: deletions first, two starts, and every node and edge of the end is doubted.

    climb      while one gains: the best Delete, else the best Turn, else the best Insert. An edge that was put in for
               want of the right ones goes as soon as they are there, before anything is built on it.
    starts     no edge; and the class of the best order (`kernels/boss.py`) that moves lead to, from the order of
               sum_u gain of Insert(u, v, {}), the least first, or a shuffle of it. The climb that ends higher counts.
    doubt      of the class reached, take out all edges of a node, and climb again; then an edge, and forbid it; what
               costs least first. Where that ends higher it is the class from which the doubt begins anew; otherwise
               it is forgotten. Nothing is doubted again while nothing has changed near what its climb had touched,
               and where only something near has, after all the others.

Every class of a climb has a higher score than the one before, and so has every class that a doubt leads to.
Nazaret & Blei (2024), "Extremely greedy equivalence search", UAI, written from the paper's description; the second
start and the doubt of nodes are ours: an end that no single edge leads out of is often one where a node stands in the
wrong place of the order, and in dense graphs many do.
The operators: `kernels/operators.py`; a climb: `kernels/ges.py`.

Greedy interventional equivalence search (GIES): all three phases. Here the Turn of an undirected edge, with its names:

    Turn(x, y, C) of y -- x    C in Ne(y) - x, not all in NA: c -> y, c -> x for c in NA; y and x before their others
        gain    s(y | Pa(y) + C + x) - s(y | Pa(y) + C) + s(x | Pa(x) + (C and NA)) - s(x | Pa(x) + (C and NA) + y)
        valid   C is a clique, and every undirected path from C to NA - C meets x or y

    search      Insert while one gains, then Delete, then Turn, and from the start until nothing changes

on the graph of an interventional class: `cut` edges (kernels/equivalence.py) are always directed.
Hauser & Buehlmann (2012), JMLR 13, propositions 31 and 34, algorithm 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels import boss
from trueness.learners.kernels.compiling import bare, kernel
from trueness.learners.kernels.equivalence import NO_CUT, Matrix, complete, list_out
from trueness.learners.kernels.ges import (
    NOTHING,
    Room,
    State,
    apply,
    check_end,
    climb,
    empty_state,
    enter,
    grow,
    shrink,
    working_space,
)
from trueness.learners.kernels.operators import (
    BASE,
    BEST,
    DELETE,
    FREE,
    INSERT,
    NEAR,
    NO_GAIN,
    PARENTS,
    PATHS,
    PLACE,
    QUEUE,
    SEEN,
    TURN,
    best_delete,
    best_turn,
    keep,
    next_clique,
    sets_of,
)
from trueness.learners.kernels.scores import Floats, Integers, Scorer, local_score

Pair = tuple[int, int]
ALL = 1 << INSERT | 1 << DELETE | 1 << TURN


def search(s: Scorer, d: int) -> tuple[Matrix, Floats]:
    """The CPDAG, and the steps that led to it: (operator, x, y, gain) a row; the edges of an order as Inserts."""
    state, trial, room = empty_state(d), empty_state(d), working_space(d)
    climb(s, state, NOTHING, NOTHING, True, ALL, room._replace(trace=room.trace[:0]))  # no step, but the gains
    order = np.argsort(np.where(np.isfinite(state.gain), state.gain, 0).sum(axis=1), kind="stable")
    steps = [_climb_on(s, state, NOTHING, NOTHING, room, free=True)]
    ordered = np.vstack([_start_from(s, trial, order), _climb_on(s, trial, NOTHING, NOTHING, room, free=True)])
    if _rise(np.append(ordered[:, 3], -steps[0][:, 3])):
        state, trial, steps = trial, state, [ordered]
    for kept, tried in zip(state, trial, strict=True):
        np.copyto(tried, kept)
    doubted, later = _dearest_first(state), set[Pair]()
    cleared = dict[Pair, tuple[NDArray[np.bool_], NDArray[np.bool_]]]()  # whose edges its climb had changed; near them
    while doubted:
        check_end(sum(map(len, steps)), d)
        x, y = doubted.pop()
        if (x, y) in cleared and (x, y) not in later:
            continue
        later.discard((x, y))
        room.touched[:] = room.renewed[:] = 0
        taken = room.trace[: force(s, trial, x, y, room)].copy()
        climbed = _climb_on(s, trial, x, y, room)
        if x == y:
            climbed = np.vstack([climbed, _climb_on(s, trial, x, y, room, free=True)])
        if _rise(np.append(taken[:, 3], climbed[:, 3])):
            steps += [taken, climbed, _climb_on(s, trial, x, y, room, free=True)]
            other = (state.graph != trial.graph).any(axis=0) | (state.graph != trial.graph).any(axis=1)
            cleared = {pair: at for pair, at in cleared.items() if not (at[0] & other).any()}
            later = {pair for pair in later if pair in cleared}
            later |= {pair for pair, (_, near) in cleared.items() if (near & other).any()}
            state, trial = trial, state
            doubted = sorted(_dearest_first(state), key=lambda pair: pair not in later)
        else:
            touched = room.touched == 1
            near = state.graph[touched].any(axis=0) | state.graph[:, touched].any(axis=1)
            cleared[x, y] = touched, near | touched
        _make_equal(trial, state, x, y, room)
    return state.graph, np.vstack(steps)


def _make_equal(tried: State, kept: State, x: int, y: int, room: Room) -> None:
    """What differs of two states after a doubt of x and y, copied."""
    rows = np.flatnonzero(room.renewed)
    for to, of in zip(tried[:-2], kept[:-2], strict=True):  # `lost` is empty after a climb
        to[rows] = of[rows]
    for to, of in ((tried.gain, kept.gain), (tried.paths, kept.paths)):
        to[:, [x, y]] = of[:, [x, y]]
    tried.best[:] = kept.best


def _start_from(s: Scorer, state: State, order: Integers) -> Floats:
    """Take the class of the best order that moves of `order` or of a shuffle lead to; its edges, node by node."""
    orders = [order, np.random.default_rng(0).permutation(order)]
    _, order, dag = boss.search(s, orders)
    trace = []
    for y in order.tolist():
        parents = np.flatnonzero(dag[:, y])
        gains = np.diff([local_score(s, y, parents, k) for k in range(len(parents) + 1)])
        trace += [(INSERT, x, y, gain) for x, gain in zip(parents.tolist(), gains, strict=True)]
    complete(dag, NO_CUT)
    enter(state, dag)
    return np.array(trace).reshape(-1, 4)


def _rise(gains: Floats) -> bool:
    """Whether they are more than nothing together, and more than the rounding that large ones leave."""
    return bool(gains.sum() > NO_GAIN * max(1.0, np.abs(gains).sum()))


def _climb_on(s: Scorer, state: State, x: int, y: int, room: Room, free: bool = False) -> Floats:
    """The steps of a climb to its end from where the edge of x and y, or x = y, was taken out.

    free: they may be joined again, which they were forbidden."""
    if free and x >= 0:
        state.changed[[x, y]] = 1
    parts = [room.trace[: climb(s, state, x, y, free, ALL, room)].copy()]
    while len(parts[-1]) == len(room.trace):
        check_end(sum(map(len, parts)), len(state.graph))
        parts.append(room.trace[: climb(s, state, x, y, free, ALL, room)].copy())
    return np.vstack(parts)


def _dearest_first(state: State) -> list[Pair]:
    """What to doubt, last first: x, x of each node by its cheapest edge; x, y of each edge's better Delete(x, y, .)."""
    cost = np.where(state.graph.T == 1, state.gain, -np.inf)  # [y, x]
    y, x = np.nonzero((cost > cost.T) | ((cost == cost.T) & (cost > -np.inf) & np.tri(len(cost), k=-1, dtype=bool)))
    order = np.argsort(cost[y, x], kind="stable")
    edges = zip(x[order].tolist(), y[order].tolist(), strict=True)
    of_node = np.maximum(cost.max(axis=0), cost.max(axis=1))
    return [*edges, *((v, v) for v in np.argsort(of_node, kind="stable").tolist() if of_node[v] > -np.inf)]


@kernel
def force(s: Scorer, state: State, x: int, y: int, room: Room) -> int:
    """Take out the edge between x and y, or all edges of x = y, the cheapest first, by the best Delete of each.

    How many; they stand in `trace`, with gains that are less than nothing.
    """
    graph, steps = state.graph, 0
    while True:
        a, b, most = np.int64(NOTHING), np.int64(NOTHING), -np.inf
        for u in range(len(graph)):
            first, last = (0, len(graph)) if u == x else (x, x + 1)
            if x != y:
                first, last = (y, y + 1) if u == x else (y, y)
            for v in range(first, last):
                if graph[u, v]:
                    sets_of(graph, v, room.sets)
                    gained = best_delete(s, graph, u, v, room.sets)
                    if gained > most:
                        a, b, most = u, v, gained
        if a < 0:
            return steps
        sets_of(graph, b, room.sets)
        best_delete(s, graph, a, b, room.sets)
        apply(state, np.int64(DELETE), a, b, room)
        trace = room.trace[steps]
        trace[0], trace[1], trace[2], trace[3] = DELETE, a, b, most
        steps += 1


# ---- GIES


def search_by_targets(s: Scorer, d: int, cut: Matrix) -> tuple[Matrix, Floats]:
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
