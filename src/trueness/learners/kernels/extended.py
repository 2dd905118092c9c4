"""Extended greedy equivalence search: deletions first, and every edge of the end is doubted once more.

    climb      while one gains: the best Delete, else the best Insert. An edge that was put in for want of the right
               ones goes as soon as they are there, before anything is built on it.
    doubt      of the class reached, take out an edge, the one that costs least first, forbid it, and climb again.
               Where that ends higher it is the class from which the doubt begins anew; otherwise it is forgotten.

Every class of a climb has a higher score than the one before, and so has every class that a doubt leads to. Operators
are those of `kernels/ges.py`. Nazaret & Blei (2024), "Extremely greedy equivalence search", UAI; written from the
paper's description.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from trueness.learners.kernels.equivalence import Matrix, complete
from trueness.learners.kernels.ges import (
    BEST,
    DELETE,
    INSERT,
    NO_GAIN,
    best_delete,
    best_insert,
    greatest,
    sets_of,
    take_out,
)
from trueness.learners.kernels.scores import Floats, Integers, Scorer, lean

NOTHING = -1  # in place of a node


class State(NamedTuple):
    """A class and what its operators gain; kept until an edge that enters the formula changes."""

    graph: Matrix  # (d, d) the CPDAG
    before: Matrix  # (d, d) as it was a step earlier
    insert: Floats  # (d, d) [y, x]: the most that Insert(x, y, T) gains with any T, paths not asked; -inf for no such
    delete: Floats  # (d, d) [y, x]: the most that Delete(x, y, H) gains
    best: Integers  # (2, d): the x of the greatest insert and delete of each y
    changed: Matrix  # (d,) whether an edge of y is another since the gains were computed

    def copy_to(self, other: State) -> None:
        for mine, its in zip(self, other, strict=True):
            np.copyto(its, mine)


class Room(NamedTuple):
    """Working space."""

    sets: Integers  # (8, d + 1), as in kernels/ges.py
    kept: Integers  # (d + 1,) the set of the best Delete
    held: Floats  # (d d, 3): y, x and gain of inserts that a path made invalid in this step
    trace: Floats  # (steps, 4): operator, x, y, gain


def search(s: Scorer, d: int) -> tuple[Matrix, Floats]:
    """The CPDAG, and the steps that led to it: (operator, x, y, gain) a row."""
    state, trial = _empty(d), _empty(d)
    room = Room(
        np.zeros((8, d + 1), dtype=np.int64),
        np.zeros(d + 1, dtype=np.int64),
        np.empty((d * d, 3)),
        np.empty((d * d, 4)),
    )
    steps = [_climb_on(s, state, NOTHING, NOTHING, room)]
    waiting = _cheapest_first(state)
    while waiting:
        x, y = waiting.pop()
        state.copy_to(trial)
        forced = force(s, trial, x, y, room)
        tried = _climb_on(s, trial, x, y, room)
        if forced + tried[:, 3].sum() > NO_GAIN:
            trial.changed[[x, y]] = 1  # what was forbidden is no longer
            again = _climb_on(s, trial, NOTHING, NOTHING, room)
            steps += [np.array([[DELETE, x, y, forced]]), tried, again]
            state, trial = trial, state
            waiting = _cheapest_first(state)
    return state.graph, np.vstack(steps)


def _empty(d: int) -> State:
    return State(
        np.zeros((d, d), dtype=np.uint8),
        np.zeros((d, d), dtype=np.uint8),
        np.empty((d, d)),
        np.empty((d, d)),
        np.zeros((2, d), dtype=np.int64),
        np.ones(d, dtype=np.uint8),
    )


def _climb_on(s: Scorer, state: State, x: int, y: int, room: Room) -> Floats:
    """The steps of a climb to its end, x and y never joined."""
    parts = [room.trace[: climb(s, state, x, y, room)].copy()]
    while len(parts[-1]) == len(room.trace):
        parts.append(room.trace[: climb(s, state, x, y, room)].copy())
    return np.vstack(parts)


def _cheapest_first(state: State) -> list[tuple[int, int]]:
    """Pairs (x, y) of the edges, the one whose deletion costs least last."""
    pairs = [(x, y) for y, x in np.argwhere(state.graph.T).tolist() if not state.graph[y, x] or x < y]
    one_way = {(x, y): state.delete[y, x] for x, y in pairs}
    other_way = {(x, y): state.delete[x, y] for x, y in pairs}
    turned = [(y, x) if other_way[x, y] > one_way[x, y] else (x, y) for x, y in pairs]
    return sorted(turned, key=lambda pair: state.delete[pair[1], pair[0]])


@njit(cache=True)
def force(s: Scorer, state: State, x: int, y: int, room: Room) -> float:
    """Take the edge between x and y out by its best Delete; what that gains, which is less than nothing."""
    sets_of(state.graph, y, room.sets)
    gained = best_delete(s, state.graph, x, y, room.sets)
    _apply(state, DELETE, x, y, room.sets[BEST])
    return gained


@njit(cache=True)
def climb(s: Scorer, state: State, x: int, y: int, room: Room) -> int:
    """Apply operators while one gains, but none that joins x and y; how many they were, at most len(trace)."""
    steps, u, v, operator = 0, x, y, DELETE
    while True:
        _renew(s, state, u, v, x, y, room.sets)
        if steps == len(room.trace):
            return steps
        operator, u, v = _first_delete(s, state, room)
        if u < 0:
            operator, u, v = _first_insert(s, state, room)
        if u < 0:
            return steps
        gained = state.delete[v, u] if operator == DELETE else state.insert[v, u]
        trace = room.trace[steps]
        trace[0], trace[1], trace[2], trace[3] = operator, u, v, gained
        steps += 1
        _apply(state, operator, u, v, room.kept if operator == DELETE else room.sets[BEST])


@njit(cache=True)  # not lean: `complete` makes arrays
def _apply(state: State, operator: int, x: int, y: int, chosen: Integers) -> None:
    """The operator with its set, and which nodes have other edges than before."""
    graph, before, changed = state.graph, state.before, state.changed
    d = len(graph)
    if operator == DELETE:
        take_out(graph, x, y, chosen)
    else:
        for k in range(chosen[d]):
            graph[y, chosen[k]] = 0
        graph[x, y] = 1
    if not complete(graph):
        raise ValueError("a valid operator has a consistent extension")
    for i in range(d):
        for j in range(d):
            if graph[i, j] != before[i, j]:
                changed[i] = changed[j] = 1
                before[i, j] = graph[i, j]


@lean
def _renew(s: Scorer, state: State, x: int, y: int, no_x: int, no_y: int, sets: Integers) -> None:
    """Compute the gains anew that a changed edge of the target v, or another adjacency of x and y, enters."""
    graph, changed = state.graph, state.changed
    for v in range(len(graph)):
        near_x = x >= 0 and graph[v, x] and graph[x, v]
        near_y = x >= 0 and graph[v, y] and graph[y, v]
        all_new = changed[v] or (near_x and near_y)  # the latter decides what is a clique
        changed[v] = 0
        if not (all_new or near_x or near_y):
            continue
        sets_of(graph, v, sets)
        for u in range(len(graph)):
            # a neighbour of v that u has become adjacent to, or is no longer
            if all_new or (near_x and u == y) or (near_y and u == x):
                state.insert[v, u] = state.delete[v, u] = -np.inf
                if graph[u, v]:
                    state.delete[v, u] = best_delete(s, graph, u, v, sets)
                elif u != v and not graph[v, u] and not (u == no_x and v == no_y) and not (u == no_y and v == no_x):
                    state.insert[v, u] = best_insert(s, graph, u, v, np.int64(0), sets)
        state.best[0, v], state.best[1, v] = greatest(state.insert, v), greatest(state.delete, v)


@lean
def _first_delete(s: Scorer, state: State, room: Room) -> tuple[int, int, int]:
    """The best Delete, its set in room.kept; x = -1 where none gains."""
    y = _first_row(state.delete, state.best[1])
    x = state.best[1, y]
    if not state.delete[y, x] > NO_GAIN:
        return DELETE, NOTHING, NOTHING
    sets_of(state.graph, y, room.sets)
    best_delete(s, state.graph, x, y, room.sets)
    for i in range(len(room.kept)):
        room.kept[i] = room.sets[BEST, i]
    return DELETE, x, y


@lean
def _first_insert(s: Scorer, state: State, room: Room) -> tuple[int, int, int]:
    """The best valid Insert, its T in room.sets; x = -1 where none gains.

    A pair whose best operator has a path gets the gain of its best valid one, until one is chosen.
    """
    insert, best, held = state.insert, state.best[0], room.held
    x = y = np.int64(NOTHING)
    gained, count = 0.0, 0
    while True:
        y = _first_row(insert, best)
        x = best[y]
        if not insert[y, x] > NO_GAIN:
            x = y = np.int64(NOTHING)
            break
        sets_of(state.graph, y, room.sets)
        gained = best_insert(s, state.graph, x, y, np.int64(1), room.sets)
        if gained > insert[y, x] - NO_GAIN:  # the same operator; a score computed anew may round otherwise
            break
        held[count, 0], held[count, 1], held[count, 2] = y, x, insert[y, x]
        count += 1
        insert[y, x] = gained
        best[y] = greatest(insert, y)
    for k in range(count - 1, -1, -1):  # from the last one: the first that was held of a pair counts
        v, u = np.int64(held[k, 0]), np.int64(held[k, 1])
        insert[v, u] = held[k, 2]
        best[v] = greatest(insert, v)
    if x >= 0 and count > 0:
        insert[y, x] = gained
    return INSERT, x, y


@lean
def _first_row(gain: Floats, best: Integers) -> int:
    y = np.int64(0)
    for v in range(1, len(gain)):
        if gain[v, best[v]] > gain[y, best[y]]:
            y = v
    return y
