"""Greedy equivalence search: from the empty CPDAG, the best Insert while one improves, then the best Delete.

As in FGES (Ramsey et al. 2017) what an operator of a pair can gain is kept until an edge that enters its formula
changes. Paths, which any edge may open, are looked at when an operator comes first; one that opposes it is remembered
as long as no edge leads away from its nodes that did before (Nazaret & Blei 2024 remember the path).
Chickering (2002), JMLR 3; the operators: `kernels/operators.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trueness.errors import DataError
from trueness.learners.kernels.compiling import bare, inner, kernel
from trueness.learners.kernels.equivalence import NO_CUT, Matrix, adjacent_of, complete_around, list_out
from trueness.learners.kernels.operators import (
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
    best_inserts,
    best_turn,
    sets_of,
    take_out,
    unturned,
)
from trueness.learners.kernels.scores import GAUSSIAN_BIC, Floats, Integers, Scorer, room_for_sets

NOTHING = -1  # in place of a node
MOST_STEPS = 20  # times d d; climbs of honest scores end within a few edges
WORD, MOST_WORDS = 64, 4  # bits; beyond 256 nodes some share one, so that more is computed anew than need be


class State(NamedTuple):
    """A class and what its operators gain; kept until an edge that enters the formula changes."""

    graph: Matrix  # (d, d) the CPDAG
    before: Matrix  # (d, d) as it was a step earlier
    gain: Floats  # (d, d) [y, x]: the most of Delete(x, y, .), Turn or Insert, whichever there is, if no path opposes
    paths: Integers  # (d, d + 1, words) [y, x]: bits of the nodes on paths that oppose greater ones; [y, d]: any of y
    best: Integers  # (d, 3) the x of the greatest gain of each y and operator
    changed: Matrix  # (d,) whether an edge of y is another since the gains were computed
    out: Integers  # (d, d + 1) where the edges of y lead to, how many in its end
    lost: Integers  # (words,) bits of the nodes from which fewer edges lead since the gains were computed
    cut: Matrix  # as in kernels/equivalence.py


class Room(NamedTuple):
    """Working space."""

    sets: Integers  # (9, d + 1), as in kernels/operators.py
    nodes: Integers  # (d + 1,) those that changed; parents
    touched: Matrix  # (d,) whose edges have changed
    renewed: Matrix  # (d,) the y of which more was computed anew than [y, x] and [y, y] of the x and y begun with
    trace: Floats  # (steps, 4): operator, x, y, gain
    rows: Floats  # of scores.py
    labels: Matrix  # (d, d) zeros, as in kernels/equivalence.py


def search(s: Scorer, d: int) -> tuple[Matrix, Floats]:
    """The CPDAG that GES finds, and its steps: (operator, x, y, gain) a row."""
    graph = np.zeros((d, d), dtype=np.uint8)
    return graph, np.vstack([grow(s, graph), shrink(s, graph)])


def grow(s: Scorer, graph: Matrix, cut: Matrix = NO_CUT) -> Floats:
    """The forward phase alone, on the CPDAG itself; its steps."""
    return _climb_by(s, graph, cut, INSERT)


def shrink(s: Scorer, graph: Matrix, cut: Matrix = NO_CUT) -> Floats:
    """The backward phase alone, on the CPDAG itself; its steps."""
    return _climb_by(s, graph, cut, DELETE)


def _climb_by(s: Scorer, graph: Matrix, cut: Matrix, operator: int) -> Floats:
    d = len(graph)
    state, room = empty_state(d, cut)._replace(graph=graph), working_space(d)
    enter(state, graph)
    return room.trace[: climb(s, state, NOTHING, NOTHING, True, 1 << operator, room)]


def empty_state(d: int, cut: Matrix = NO_CUT) -> State:
    """No edge."""
    words = min(1 + d // WORD, MOST_WORDS)
    return State(
        np.zeros((d, d), dtype=np.uint8),
        np.zeros((d, d), dtype=np.uint8),
        np.empty((d, d)),
        np.zeros((d, d + 1, words), dtype=np.int64),
        np.zeros((d, 3), dtype=np.int64),
        np.ones(d, dtype=np.uint8),
        np.zeros((d, d + 1), dtype=np.int64),
        np.zeros(words, dtype=np.int64),
        cut,
    )


class InCirclesError(DataError):
    """Where a column follows from others, rounding decides what an operator gains: gains can go round in circles."""


def check_end(n_steps: int, d: int) -> None:
    if n_steps > MOST_STEPS * d * d:
        raise InCirclesError(
            "columns must not follow from each other for a search that climbs to its end, got some whose scores lead "
            "in circles. Drop one, or take GES."
        )


def enter(state: State, graph: Matrix) -> None:
    """Begin at a class."""
    state.graph[:] = state.before[:] = graph
    state.changed[:] = 1


def working_space(d: int) -> Room:
    return Room(
        np.zeros((9, d + 1), dtype=np.int64),
        np.zeros(d + 1, dtype=np.int64),
        np.zeros(d, dtype=np.uint8),
        np.zeros(d, dtype=np.uint8),
        np.empty((d * d, 4)),
        room_for_sets(d),
        np.zeros((d, d), dtype=np.uint8),
    )


@kernel
def climb(s: Scorer, state: State, x: int, y: int, free: bool, operators: int, room: Room) -> int:
    """Apply operators while one gains; how many, at most len(trace). Not free: none that joins x and y, or x = y.

    operators: the bits of those that there are. A Delete before a Turn before an Insert."""
    steps, no_x, no_y = 0, np.int64(NOTHING), np.int64(NOTHING)
    if not free:
        no_x, no_y = x, y
    for v in range(len(state.graph)):
        if state.changed[v]:
            list_out(state.graph, v, state.out)
    while True:
        _renew(s, state, x, y, no_x, no_y, operators, room)
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
        apply(state, operator, x, y, room)


@inner  # not bare: what is adjacent goes into new arrays
def apply(state: State, operator: int, x: int, y: int, room: Room) -> None:
    """The operator with its set, and which nodes have other edges than before."""
    graph, before, changed, chosen, touched = state.graph, state.before, state.changed, room.sets[BEST], room.touched
    d = len(graph)
    if operator == DELETE:
        take_out(graph, x, y, chosen)
    else:
        for k in range(chosen[d]):
            graph[y, chosen[k]] = 0
        graph[y, x] = 0
        graph[x, y] = 1
    list_out(graph, x, state.out)  # where others lead to is less than before, if not the same
    start, around = adjacent_of(graph, state.out)
    if not complete_around(graph, state.cut, start, around, room.labels):
        raise ValueError("a valid operator has a consistent extension")
    for i in range(d):
        for k in range(start[i], start[i + 1] + (i in (x, y))):
            j = around[k] if k < start[i + 1] else x + y - i  # of x and y, too, where they no longer are adjacent
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
def _renew(s: Scorer, state: State, x: int, y: int, no_x: int, no_y: int, operators: int, room: Room) -> None:
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
        was_opposed = _share(state.paths[v, d], state.lost)
        many_new = all_new or was_opposed
        for k in range(nodes[d]):
            many_new = many_new or (graph[v, nodes[k]] and not graph[nodes[k], v])
        if many_new:
            room.renewed[v] = 1
        elif not (near_x or near_y or alone):
            continue
        sets_of(graph, v, room.sets)
        if all_new:
            _renew_all(s, state, v, no_x, no_y, operators, room)
        elif was_opposed:
            state.paths[v, d] = 0
        for k in range(d if was_opposed else nodes[d] + 2):  # of new parents, x and y, if not of all
            u = k if was_opposed else nodes[k] if k < nodes[d] else x if k == nodes[d] else y
            if all_new or u < 0:
                break
            turned = changed[u] and graph[v, u] and not graph[u, v]
            # a neighbour of v that u has become adjacent to, or is no longer
            is_new = turned or (near_x and u == y) or (near_y and u == x) or (alone and u == x)
            if is_new or (was_opposed and _share(state.paths[v, u], state.lost)):
                state.gain[v, u], state.paths[v, u] = -np.inf, 0
                if _is_asked(graph, u, v, no_x, no_y, operators):
                    state.gain[v, u] = _gain(s, graph, u, v, np.int64(NO_PATHS), state.out, room.sets)
            if was_opposed:
                _join(state.paths[v, d], state.paths[v, u])
        _rank(state, v)
    for k in range(nodes[d]):
        changed[nodes[k]] = 0
    state.lost[:] = 0


@bare
def _renew_all(s: Scorer, state: State, v: int, no_x: int, no_y: int, operators: int, room: Room) -> None:
    """The gains of all operators [v, .]; of one Gaussian score those of Insert and Turn at once."""
    graph, gain = state.graph, state.gain[v]
    at_once = s.kind == GAUSSIAN_BIC and len(s.moments) == len(graph) + 1 and operators != 1 << DELETE
    state.paths[v] = 0
    if at_once:
        best_inserts(s, graph, v, gain, room.rows, room.sets)
    for u in range(len(graph)):
        if not _is_asked(graph, u, v, no_x, no_y, operators):
            gain[u] = -np.inf
        elif not at_once or graph[u, v]:
            gain[u] = _gain(s, graph, u, v, np.int64(NO_PATHS), state.out, room.sets)
        elif graph[v, u] and gain[u] > -np.inf:
            gain[u] += unturned(s, graph, u, v, room.sets)


@bare
def _is_asked(graph: Matrix, u: int, v: int, no_x: int, no_y: int, operators: int) -> bool:
    return operators >> _operator(graph, u, v) & 1 and u != v and not _forbidden(u, v, no_x, no_y)


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
    gain, best, paths = state.gain, state.best[:, operator], state.paths
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
        gain[y, x], paths[y, x], room.renewed[y] = gained, 0, 1
        for v in range(d):
            if room.sets[ON_PATH, v]:
                _mark(paths[y, x], v)
        _join(paths[y, d], paths[y, x])
        _rank(state, y)


@bare
def _mark(bits: Integers, v: int) -> None:
    bits[v // WORD % len(bits)] |= np.int64(1) << np.int64(v % WORD)


@bare
def _join(bits: Integers, others: Integers) -> None:
    for k in range(len(bits)):
        bits[k] |= others[k]


@bare
def _share(bits: Integers, others: Integers) -> bool:
    shared = np.int64(0)
    for k in range(len(bits)):
        shared |= bits[k] & others[k]
    return shared != 0


@bare
def _at(state: State, operator: int, y: int, x: int) -> float:
    """The gain of [y, x] where it is of that operator."""
    return state.gain[y, x] if _operator(state.graph, x, y) == operator else -np.inf


@bare
def _rank(state: State, y: int) -> None:
    """The x of the greatest gain of each operator."""
    gain, best = state.gain[y], state.best[y]
    best[:] = 0
    for x in range(len(gain)):
        operator = _operator(state.graph, x, y)
        if gain[x] > _at(state, operator, y, best[operator]):
            best[operator] = x
