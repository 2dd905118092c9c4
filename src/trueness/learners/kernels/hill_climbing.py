"""Hill climbing over DAGs: add, delete or reverse the edge that raises the score most, until none does.

dag[i, j] = 1 means i -> j. One matrix serves all three moves, because a score is a sum over nodes:

    change[i, j] = s(j | Pa(j) + i) - s(j | Pa(j))    where i -> j is not there       add
                 = s(j | Pa(j) - i) - s(j | Pa(j))    where it is                     delete
    reverse i -> j: change[i, j] + change[j, i]

so that a move renews one column, a reversal two. i -> j may be added when j does not reach i, and reversed when i
does not reach j by another way. Tabu search (Glover 1989) goes on with the best move even where it lowers the score,
but never back to one of the last DAGs, and keeps the best DAG seen. Gamez, Mateo & Puerta (2011).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trueness.learners.kernels.compiling import bare, bare_kernel
from trueness.learners.kernels.equivalence import Matrix
from trueness.learners.kernels.scores import Floats, Integers, Scorer, local_score

ADD, DELETE, REVERSE = 0, 1, 2
NO_GAIN = 1e-9  # a gain below this is rounding: members of one class have equal scores


class Room(NamedTuple):
    """Working space."""

    change: Floats  # (d, d)
    reach: Matrix  # (d, d)
    best: Matrix  # (d, d): the best DAG seen
    lists: Integers  # (3, d)
    recent: Integers  # (tabu,): keys of the last DAGs


def room_for(d: int, tabu: int) -> Room:
    flags = np.zeros((d, d), dtype=np.uint8)
    return Room(np.empty((d, d)), flags, flags.copy(), np.zeros((3, d), dtype=np.int64), np.zeros(tabu, dtype=np.int64))


@bare_kernel
def climb(s: Scorer, dag: Matrix, patience: int, w: Room, trace: Floats) -> int:
    """Improve dag in place; the number of moves to the best DAG, (move, i, j, gain) each in the rows of trace.

    A tabu search ends after `patience` moves in a row without a new best; any search when trace is full.
    """
    d = len(dag)
    change, best, tabu = w.change, w.best, len(w.recent)
    for j in range(d):
        _renew(s, dag, j, change, w.lists)
        for i in range(d):
            best[i, j] = dag[i, j]
    gained, top, idle, best_steps = 0.0, 0.0, 0, 0
    steps = np.int64(0)
    while steps < len(trace):
        reachable(dag, w.reach, w.lists)
        move, i, j = _best_move(s, dag, w, steps)
        if move < 0 or (tabu == 0 and not _gain(change, move, i, j) > NO_GAIN):
            break
        gain = _gain(change, move, i, j)
        if tabu > 0:
            w.recent[steps % tabu] = _key(s, dag)
        dag[i, j] = 1 if move == ADD else 0
        if move == REVERSE:
            dag[j, i] = 1
            _renew(s, dag, i, change, w.lists)
        _renew(s, dag, j, change, w.lists)
        trace[steps, 0], trace[steps, 1], trace[steps, 2], trace[steps, 3] = move, i, j, gain
        steps += 1
        gained += gain
        if gained > top + NO_GAIN:
            top, idle, best_steps = gained, 0, steps
            _copy(dag, best)
        else:
            idle += 1
            if idle > patience:
                break
    _copy(best, dag)
    return best_steps


@bare
def _copy(source: Matrix, target: Matrix) -> None:
    for i in range(len(source)):
        for j in range(len(source)):
            target[i, j] = source[i, j]


@bare
def _gain(change: Floats, move: int, i: int, j: int) -> float:
    return change[i, j] + change[j, i] if move == REVERSE else change[i, j]


@bare
def _best_move(s: Scorer, dag: Matrix, w: Room, steps: int) -> tuple[int, int, int]:
    """The allowed move with the greatest gain, the first of those within rounding; -1 where none is allowed."""
    d, change, tabu = len(dag), w.change, len(w.recent)
    best_move, source, target = np.int64(-1), np.int64(-1), np.int64(-1)
    most = -np.inf
    here = _key(s, dag) if tabu > 0 else np.int64(0)
    for i in range(d):
        for j in range(d):
            if i == j:
                continue
            for move in range(3):
                gain = _gain(change, move, i, j)
                if not gain > most + NO_GAIN or not _allowed(s, dag, w.reach, move, i, j):
                    continue
                if tabu > 0 and _is_recent(here ^ _flip(s, move, i, j), w.recent, steps):
                    continue
                most, best_move, source, target = gain, np.int64(move), i, j
    return best_move, source, target


@bare
def _allowed(s: Scorer, dag: Matrix, reach: Matrix, move: int, i: int, j: int) -> bool:
    """Whether the move leaves a DAG, and no node with more parents than the limit."""
    if move == ADD:
        return not dag[i, j] and not reach[j, i] and _room(s, dag, j)
    if not dag[i, j]:
        return False
    if move == REVERSE:
        if not _room(s, dag, i):
            return False
        for v in range(len(dag)):
            if v != j and dag[i, v] and reach[v, j]:
                return False
    return True


@bare
def _room(s: Scorer, dag: Matrix, j: int) -> bool:
    count = 0
    for i in range(len(dag)):
        count += dag[i, j]
    return count < s.limit


@bare
def _renew(s: Scorer, dag: Matrix, j: int, change: Floats, lists: Integers) -> None:
    """change[:, j]: what adding or deleting i -> j gains for each i."""
    d, parents = len(dag), lists[0]
    k = np.int64(0)
    for i in range(d):
        if dag[i, j]:
            parents[k] = i
            k += 1
    now = local_score(s, j, parents, k)
    for i in range(d):
        if i == j:
            change[i, j] = -np.inf
        elif not dag[i, j]:
            if k < s.limit:
                parents[k] = i
                change[i, j] = local_score(s, j, parents, k + 1) - now
            else:
                change[i, j] = -np.inf
    for m in range(k):  # the last parent takes the place of the one that is left out, and goes back
        i = parents[m]
        parents[m] = parents[k - 1]
        change[i, j] = local_score(s, j, parents, k - 1) - now
        parents[m] = i


@bare_kernel
def reachable(dag: Matrix, reach: Matrix, lists: Integers) -> None:
    """reach[i, j] = 1 where a directed path leads from i to j, or i = j."""
    d = len(dag)
    left, order = lists[1], lists[2]
    for i in range(d):
        left[i] = 0
        for j in range(d):
            left[i] += dag[i, j]
            reach[i, j] = 1 if i == j else 0
    count = 0
    for i in range(d):
        if left[i] == 0:
            order[count] = i
            count += 1
    for k in range(d):  # effects first: what a child reaches is known before its parents ask
        j = order[k]
        for i in range(d):
            if dag[i, j]:
                for v in range(d):
                    reach[i, v] |= reach[j, v]
                left[i] -= 1
                if left[i] == 0:
                    order[count] = i
                    count += 1


@bare
def _key(s: Scorer, dag: Matrix) -> int:
    """A Zobrist key of the whole DAG."""
    key = np.int64(0)
    for i in range(len(dag)):
        for j in range(len(dag)):
            if dag[i, j]:
                key ^= _edge_key(s, i, j)
    return key


@bare
def _edge_key(s: Scorer, i: int, j: int) -> int:
    return (s.nodes[i, 2] ^ (s.nodes[j, 0] >> 7)) * (s.nodes[j, 1] | 1) ^ (s.nodes[i, 3] >> 11)


@bare
def _flip(s: Scorer, move: int, i: int, j: int) -> int:
    key = _edge_key(s, i, j)
    return key ^ _edge_key(s, j, i) if move == REVERSE else key


@bare
def _is_recent(key: int, recent: Integers, steps: int) -> bool:
    k, held = 0, min(len(recent), steps)
    while k < held and recent[k] != key:
        k += 1
    return k < held
