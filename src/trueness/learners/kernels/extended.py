"""Extended greedy equivalence search: deletions first, two starts, and every node and edge of the end is doubted.

    climb      while one gains: the best Delete, else the best Turn, else the best Insert. An edge that was put in for
               want of the right ones goes as soon as they are there, before anything is built on it.
    starts     no edge; and the class of the best order (`kernels/boss.py`) that moves lead to, from the order of
               sum_u gain of Insert(u, v, {}), the least first, or a shuffle of it. The climb that ends higher counts.
    doubt      of the class reached, take out all edges of a node, and climb again; then an edge, and forbid it; what
               costs least first. Where that ends higher it is the class from which the doubt begins anew; otherwise
               it is forgotten. Nothing is doubted again while nothing has changed near what its climb had touched.

Every class of a climb has a higher score than the one before, and so has every class that a doubt leads to.
Nazaret & Blei (2024), "Extremely greedy equivalence search", UAI, written from the paper's description; the second
start and the doubt of nodes are ours: an end that no single edge leads out of is often one where a node stands in the
wrong place of the order, and in dense graphs many do.
Insert and Delete as in `kernels/ges.py`, Turn(x, y, T) of a directed y -> x as in `kernels/turning.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.errors import DataError
from trueness.learners.kernels import boss
from trueness.learners.kernels.compiling import bare, inner, kernel
from trueness.learners.kernels.equivalence import NO_CUT, Matrix, complete, cpdag_of_dag
from trueness.learners.kernels.ges import (
    BEST,
    DELETE,
    INSERT,
    NO_GAIN,
    NO_PATHS,
    ON_PATH,
    PATHS,
    TURN,
    best_delete,
    best_insert,
    list_out,
    sets_of,
    take_out,
)
from trueness.learners.kernels.scores import Floats, Integers, Scorer, local_score
from trueness.learners.kernels.turning import best_turn

NOTHING = -1  # in place of a node
WORD = 64  # bits
MOST_STEPS = 20  # times d d; climbs of honest scores end within a few edges


class State(NamedTuple):
    """A class and what its operators gain; kept until an edge that enters the formula changes."""

    graph: Matrix  # (d, d) the CPDAG
    before: Matrix  # (d, d) as it was a step earlier
    gain: Floats  # (d, d) [y, x]: the most of Delete(x, y, .), Turn or Insert, whichever there is, if no path opposes
    paths: Integers  # (d, d + 1, words) [y, x]: bits of the nodes on paths that oppose greater ones; [y, d]: any of y
    best: Integers  # (3, d) the x of the greatest gain of each operator and y
    changed: Matrix  # (d,) whether an edge of y is another since the gains were computed
    lost: Integers  # (words,) bits of the nodes from which fewer edges lead since then
    out: Integers  # (d, d + 1) where the edges of y lead to, how many in its end
    cut: Matrix  # (0, 0) no interventions


class Room(NamedTuple):
    """Working space."""

    sets: Integers  # (9, d + 1), as in kernels/ges.py
    nodes: Integers  # (d + 1,) those that changed; parents
    touched: Matrix  # (d,) whose edges have changed
    trace: Floats  # (steps, 4): operator, x, y, gain


def search(s: Scorer, d: int) -> tuple[Matrix, Floats]:
    """The CPDAG, and the steps that led to it: (operator, x, y, gain) a row; the edges of an order as Inserts."""
    state, trial = _empty(d), _empty(d)
    room = Room(
        np.zeros((9, d + 1), dtype=np.int64),
        np.zeros(d + 1, dtype=np.int64),
        np.zeros(d, dtype=np.uint8),
        np.empty((d * d, 4)),
    )
    climb(s, state, NOTHING, NOTHING, True, room._replace(trace=room.trace[:0]))  # no step, but the gains
    order = np.argsort(np.where(np.isfinite(state.gain), state.gain, 0).sum(axis=1), kind="stable")
    steps = [_climb_on(s, state, NOTHING, NOTHING, room, free=True)]
    ordered = np.vstack([_start_from(s, trial, order), _climb_on(s, trial, NOTHING, NOTHING, room, free=True)])
    if _rise(np.append(ordered[:, 3], -steps[0][:, 3])):
        state, trial, steps = trial, state, [ordered]
    doubted, cleared = _dearest_first(state), dict[tuple[int, int], NDArray[np.bool_]]()
    while doubted:
        _check_end(steps, d)
        x, y = doubted.pop()
        if (x, y) in cleared:
            continue
        room.touched[:] = 0
        for kept, tried in zip(state, trial, strict=True):
            np.copyto(tried, kept)
        taken = room.trace[: force(s, trial, x, y, room)].copy()
        climbed = _climb_on(s, trial, x, y, room)
        if x == y:
            climbed = np.vstack([climbed, _climb_on(s, trial, x, y, room, free=True)])
        if _rise(np.append(taken[:, 3], climbed[:, 3])):
            steps += [taken, climbed, _climb_on(s, trial, x, y, room, free=True)]
            other = (state.graph != trial.graph).any(axis=0) | (state.graph != trial.graph).any(axis=1)
            cleared = {pair: near for pair, near in cleared.items() if not (near & other).any()}
            state, trial = trial, state
            doubted = _dearest_first(state)
        else:
            near = state.graph[room.touched == 1].any(axis=0) | state.graph[:, room.touched == 1].any(axis=1)
            cleared[x, y] = near | (room.touched == 1)
    return state.graph, np.vstack(steps)


def _empty(d: int) -> State:
    words = 1 + d // WORD
    return State(
        np.zeros((d, d), dtype=np.uint8),
        np.zeros((d, d), dtype=np.uint8),
        np.empty((d, d)),
        np.zeros((d, d + 1, words), dtype=np.int64),
        np.zeros((3, d), dtype=np.int64),
        np.ones(d, dtype=np.uint8),
        np.zeros(words, dtype=np.int64),
        np.zeros((d, d + 1), dtype=np.int64),
        NO_CUT.copy(),
    )


def _start_from(s: Scorer, state: State, order: Integers) -> Floats:
    """Take the class of the best order that moves of `order` or of a shuffle lead to; its edges, node by node."""
    orders = [order, np.random.default_rng(0).permutation(order)]
    _, order, dag = boss.search(s, orders)
    trace = []
    for y in order.tolist():
        parents = np.flatnonzero(dag[:, y])
        gains = np.diff([local_score(s, y, parents, k) for k in range(len(parents) + 1)])
        trace += [(INSERT, x, y, gain) for x, gain in zip(parents.tolist(), gains, strict=True)]
    enter(state, cpdag_of_dag(dag, order))
    return np.array(trace).reshape(-1, 4)


def _rise(gains: Floats) -> bool:
    """Whether they are more than nothing together, and more than the rounding that large ones leave."""
    return bool(gains.sum() > NO_GAIN * max(1.0, np.abs(gains).sum()))


def _climb_on(s: Scorer, state: State, x: int, y: int, room: Room, free: bool = False) -> Floats:
    """The steps of a climb to its end from where the edge of x and y, or x = y, was taken out.

    free: they may be joined again, which they were forbidden."""
    if free and x >= 0:
        state.changed[[x, y]] = 1
    parts = [room.trace[: climb(s, state, x, y, free, room)].copy()]
    while len(parts[-1]) == len(room.trace):
        _check_end(parts, len(state.graph))
        parts.append(room.trace[: climb(s, state, x, y, free, room)].copy())
    return np.vstack(parts)


def _check_end(steps: list[Floats], d: int) -> None:
    """Where a column follows from others, rounding decides what an operator gains: gains can go round in circles."""
    if sum(map(len, steps)) > MOST_STEPS * d * d:
        raise DataError(
            "columns must not follow from each other for a search that climbs to its end, got some whose scores lead "
            "in circles. Drop one, or set search = 'plain'."
        )


def _dearest_first(state: State) -> list[tuple[int, int]]:
    """What to doubt, last first: x, x of each node by its cheapest edge; x, y of each edge's better Delete(x, y, .)."""
    cost = np.where(state.graph.T == 1, state.gain, -np.inf)  # [y, x]
    y, x = np.nonzero((cost > cost.T) | ((cost == cost.T) & (cost > -np.inf) & np.tri(len(cost), k=-1, dtype=bool)))
    order = np.argsort(cost[y, x], kind="stable")
    edges = zip(x[order].tolist(), y[order].tolist(), strict=True)
    of_node = np.maximum(cost.max(axis=0), cost.max(axis=1))
    return [*edges, *((v, v) for v in np.argsort(of_node, kind="stable").tolist() if of_node[v] > -np.inf)]


@kernel
def enter(state: State, graph: Matrix) -> None:
    """Begin at a class."""
    state.graph[:] = state.before[:] = graph
    state.changed[:] = 1
    for v in range(len(graph)):
        list_out(graph, v, state.out)


@kernel
def force(s: Scorer, state: State, x: int, y: int, room: Room) -> int:
    """Take out the edge between x and y, or all edges of x = y, the cheapest first, by the best Delete of each.

    How many; they stand in `trace`, with gains that are less than nothing.
    """
    graph, steps = state.graph, 0
    while True:
        a, b, most = np.int64(NOTHING), np.int64(NOTHING), -np.inf
        for u in range(len(graph)):
            for v in range(len(graph)):
                its = (u == x and v == y) if x != y else (u == x or v == x)
                if its and graph[u, v]:
                    sets_of(graph, v, room.sets)
                    gained = best_delete(s, graph, u, v, room.sets)
                    if gained > most:
                        a, b, most = u, v, gained
        if a < 0:
            return steps
        sets_of(graph, b, room.sets)
        best_delete(s, graph, a, b, room.sets)
        _apply(state, np.int64(DELETE), a, b, room.sets[BEST], room.touched)
        trace = room.trace[steps]
        trace[0], trace[1], trace[2], trace[3] = DELETE, a, b, most
        steps += 1


@kernel
def climb(s: Scorer, state: State, x: int, y: int, free: bool, room: Room) -> int:
    """Apply operators while one gains; how many, at most len(trace). Not free: none that joins x and y, or x = y."""
    steps, no_x, no_y = 0, np.int64(NOTHING), np.int64(NOTHING)
    if not free:
        no_x, no_y = x, y
    while True:
        _renew(s, state, x, y, no_x, no_y, room)
        if steps == len(room.trace):
            return steps
        for operator in (DELETE, TURN, INSERT):
            x, y, gained = _first_valid(s, state, operator, room)
            if x >= 0:
                break
        if x < 0:
            return steps
        trace = room.trace[steps]
        trace[0], trace[1], trace[2], trace[3] = operator, x, y, gained
        steps += 1
        _apply(state, operator, x, y, room.sets[BEST], room.touched)


@inner  # not bare: `complete` makes arrays
def _apply(state: State, operator: int, x: int, y: int, chosen: Integers, touched: Matrix) -> None:
    """The operator with its set, and which nodes have other edges than before."""
    graph, before, changed = state.graph, state.before, state.changed
    d = len(graph)
    if operator == DELETE:
        take_out(graph, x, y, chosen)
    else:
        for k in range(chosen[d]):
            graph[y, chosen[k]] = 0
        graph[y, x] = 0
        graph[x, y] = 1
    if not complete(graph, state.cut):
        raise ValueError("a valid operator has a consistent extension")
    for i in range(d):
        for j in range(d):
            if graph[i, j] != before[i, j]:
                changed[i] = changed[j] = touched[i] = touched[j] = 1
                if before[i, j]:
                    _mark(state.lost, i)
                before[i, j] = graph[i, j]
    for i in range(d):
        if changed[i]:
            list_out(graph, i, state.out)


@bare
def _operator(graph: Matrix, x: int, y: int) -> int:
    """Which operator [y, x] stands for."""
    return DELETE if graph[x, y] else TURN if graph[y, x] else INSERT


@bare
def _forbidden(u: int, v: int, no_x: int, no_y: int) -> bool:
    """Whether u and v may not be joined: they are no_x and no_y, or one is the no_x = no_y that is to stay alone."""
    if no_x == no_y:
        return no_x >= 0 and (u == no_x or v == no_x)
    return (u == no_x and v == no_y) or (u == no_y and v == no_x)


@bare
def _renew(s: Scorer, state: State, x: int, y: int, no_x: int, no_y: int, room: Room) -> None:
    """Compute the gains anew that a changed edge of v, another adjacency of x and y, or new parents of u enter, or
    that a path opposed which may no longer be there.

    x = y: it has lost all of its edges, so that neighbours of v which were adjacent to it are no longer."""
    graph, changed, nodes = state.graph, state.changed, room.nodes
    d = len(graph)
    count = 0
    for v in range(d):
        if changed[v]:
            nodes[count] = v
            count += 1
    nodes[d] = count
    for v in range(d):
        near_x = x >= 0 and graph[v, x] and graph[x, v]
        near_y = x >= 0 and graph[v, y] and graph[y, v]
        all_new = changed[v] or (near_x and near_y)  # the latter decides what is a clique
        alone = x >= 0 and x == y
        some_new = near_x or near_y or alone
        for k in range(nodes[d]):
            some_new = some_new or (graph[v, nodes[k]] and not graph[nodes[k], v])
        was_opposed = _share(state.paths[v, d], state.lost)
        if not (all_new or some_new or was_opposed):
            continue
        sets_of(graph, v, room.sets)
        for u in range(d):
            turned = changed[u] and graph[v, u] and not graph[u, v]
            # a neighbour of v that u has become adjacent to, or is no longer
            is_new = all_new or turned or (near_x and u == y) or (near_y and u == x) or (alone and u == x)
            if is_new or (was_opposed and _share(state.paths[v, u], state.lost)):
                state.gain[v, u], state.paths[v, u] = -np.inf, 0
                if u != v and not _forbidden(u, v, no_x, no_y):
                    state.gain[v, u] = _gain(s, graph, u, v, np.int64(NO_PATHS), state.out, room.sets)
        state.paths[v, d] = 0
        for u in range(d):
            _join(state.paths[v, d], state.paths[v, u])
        for operator in range(3):
            state.best[operator, v] = _greatest(state, operator, v)
    for k in range(nodes[d]):
        changed[nodes[k]] = 0
    state.lost[:] = 0


@bare
def _gain(s: Scorer, graph: Matrix, x: int, y: int, paths: int, out: Integers, sets: Integers) -> float:
    """The most that the operator of [y, x] gains, its set left in `sets`; paths: whether they are asked for."""
    operator = _operator(graph, x, y)
    if operator == DELETE:
        return best_delete(s, graph, x, y, sets)
    if operator == INSERT:
        return best_insert(s, graph, x, y, paths, out, sets)
    return best_turn(s, graph, x, y, paths, out, sets)


@bare
def _first_valid(s: Scorer, state: State, operator: int, room: Room) -> tuple[int, int, float]:
    """x, y and gain of the best valid operator of a kind, its set in room.sets; x = -1 where none gains.

    A pair whose best operator a path opposes gets the gain of its best valid one, and the path is noted.
    """
    gain, best, paths = state.gain, state.best[operator], state.paths
    d = len(gain)
    while True:
        y = np.int64(0)
        for v in range(1, d):
            if _at(state, operator, v, best[v]) > _at(state, operator, y, best[y]):
                y = v
        x = best[y]
        if not _at(state, operator, y, x) > NO_GAIN:
            return np.int64(NOTHING), np.int64(NOTHING), 0.0
        sets_of(state.graph, y, room.sets)
        room.sets[ON_PATH] = 0
        gained = _gain(s, state.graph, x, y, np.int64(PATHS), state.out, room.sets)
        if gained > gain[y, x] - NO_GAIN:  # the same operator; a score computed anew may round otherwise
            return x, y, gained
        gain[y, x], paths[y, x] = gained, 0
        for v in range(d):
            if room.sets[ON_PATH, v]:
                _mark(paths[y, x], v)
        _join(paths[y, d], paths[y, x])
        best[y] = _greatest(state, operator, y)


@bare
def _mark(bits: Integers, v: int) -> None:
    bits[v // WORD] |= np.int64(1) << np.int64(v % WORD)


@bare
def _join(bits: Integers, others: Integers) -> None:
    for k in range(len(bits)):
        bits[k] |= others[k]


@bare
def _share(bits: Integers, others: Integers) -> bool:
    for k in range(len(bits)):
        if bits[k] & others[k]:
            return True
    return False


@bare
def _at(state: State, operator: int, y: int, x: int) -> float:
    """The gain of [y, x] where it is of that operator."""
    return state.gain[y, x] if _operator(state.graph, x, y) == operator else -np.inf


@bare
def _greatest(state: State, operator: int, y: int) -> int:
    best = np.int64(0)
    for x in range(1, len(state.graph)):
        if _at(state, operator, y, x) > _at(state, operator, y, best):
            best = x
    return best
