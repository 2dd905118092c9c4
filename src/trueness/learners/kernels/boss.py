"""Best order score search: the order of the nodes whose best DAG, found by grow and shrink, scores highest.

    score of an order    sum_v s(v | grow-shrink(v, nodes before v))
    a move               take one node to the place in the order where the sum is greatest
    the search           move every node in turn, until no move raises the sum; of places that are as good take the
                         first and the last by turns, which leads through orders that score the same

Grow adds the parent that raises s(v | .) most, while one does; shrink then removes likewise. What grow and shrink find
for v depends on the set of nodes before v only, and is kept in a grow-shrink tree for each v: a node of the tree is a
set that grow has reached, its branches are the parents that would raise the score, best first, and a prefix follows
the first branch that it contains. So different prefixes share their work. Branches are found a few at a time, as
walks ask for them: most are never looked at. And what a walk has not looked at does not
decide it: only nodes whose walk looked at v are traced again when v is taken from one place to another.
Andrews, Ramsey, Sanchez Romero, Camchong & Kummerfeld (2023), "Fast scalable and accurate discovery of DAGs using
the best order score search and grow-shrink trees", NeurIPS.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trueness.learners.kernels.compiling import bare, bare_kernel
from trueness.learners.kernels.equivalence import Matrix
from trueness.learners.kernels.scores import (
    GAUSSIAN_BIC,
    Codes,
    Floats,
    Integers,
    Scorer,
    added_scores,
    least_needed,
    local_score,
    room_for_sets,
)

NO_GAIN = 1e-6  # as in Tetrad: an order must be better by more than this, and more than rounding
ROUNDING = 1e-12  # of a score, summed in another order
FULL = np.inf  # told in place of a score when a tree has no room to grow
MOST_NODES = 2**22  # of trees that are kept while orders improve, 170 MB
AT_A_TIME = 16  # branches; a further one stands for the rest, where there is one
# columns of `links` (nodes of the trees, 4): the first branch and how many, -1 where not grown yet; where in `removed`
# the shrunk parents stand and how many, -1 where not shrunk yet
_FIRST, _BRANCHES, _REMOVED, _COUNT = range(4)
# rows of `sets`, the working space (6, d + 1): parents; a stamp where a node is out; the prefix; the order without the
# node that moves; the order in which nodes move; parents on trial. `used` counts entries of `links` and of `removed`
_PARENTS, _OUT, _PREFIX, _REST, _TURNS, _TRIAL = range(6)


class Forest(NamedTuple):
    """The trees of all nodes, and working space."""

    links: Codes
    added: Codes  # (nodes of the trees,): the parent that leads there
    scores: Floats  # (nodes of the trees, 2): grown, and then shrunk
    removed: Codes
    sets: Integers
    used: Integers
    seen: Matrix  # (d, d) [u, v]: whether the walk of u looked at v, in the order as it is
    rows: Floats  # of scores.py
    at: Floats  # (2, d + 1): scores with a node at each place; of each node in the order as it is


def forest_for(s: Scorer, room: int) -> Forest:
    """Trees that hold their roots only, with room for so many nodes in all."""
    d = len(s.nodes)
    forest = Forest(
        np.full((room, 4), -1, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty((room, 2)),
        np.empty(room, dtype=np.int32),
        np.zeros((6, d + 1), dtype=np.int64),
        np.array([d, 0]),
        np.zeros((d, d), dtype=np.uint8),
        room_for_sets(d),
        np.empty((2, d + 1)),
    )
    plant(s, forest)
    return forest


def search(s: Scorer, orders: list[Integers]) -> tuple[list[float], Integers, Matrix]:
    """Improve the orders in place until no move gains; their scores, the best of them and its DAG."""
    forest = forest_for(s, 256 * len(s.nodes))
    scores = []
    for order in orders:
        begun = order.copy()
        while (score := climb(s, order, forest)) == FULL:
            is_new = bool((order != begun).any())
            forest, begun = _with_room(s, forest, is_new), order.copy()
        scores.append(float(score))
    nothing = max(NO_GAIN, ROUNDING * abs(max(scores)))
    best = next(order for order, score in zip(orders, scores, strict=True) if score >= max(scores) - nothing)
    dag = np.zeros((len(best), len(best)), dtype=np.uint8)
    while order_score(s, best, forest, dag) == FULL:
        forest = _with_room(s, forest, False)
    return scores, best, dag


def _with_room(s: Scorer, forest: Forest, may_forget: bool) -> Forest:
    """The trees with room to grow; new ones instead where they have become large, and may be forgotten."""
    room = len(forest.links)
    if may_forget and room >= MOST_NODES:
        return forest_for(s, room)
    kept = forest.links, forest.added, forest.scores, forest.removed
    wider = [np.empty((2 * room, *rows.shape[1:]), rows.dtype) for rows in kept]
    for new, rows in zip(wider, kept, strict=True):
        new[:room] = rows
    return Forest(*wider, *forest[len(kept) :])


@bare_kernel
def plant(s: Scorer, f: Forest) -> None:
    """The roots, entries 0 to d - 1: no parents."""
    for v in range(len(s.nodes)):
        f.scores[v, 0] = f.scores[v, 1] = local_score(s, v, f.sets[_PARENTS], np.int64(0))


@bare_kernel
def climb(s: Scorer, order: Integers, f: Forest) -> float:
    """Move nodes until none gains; the score of the order, or FULL."""
    d = len(order)
    improved, total = True, 0.0
    if not _retrace(s, order, np.int64(0), np.int64(d - 1), np.int64(-1), f):
        return FULL
    for k in range(d):
        total += abs(f.at[1, k])
    nothing = max(NO_GAIN, ROUNDING * total)
    while improved:
        improved, nothing = False, -nothing
        for k in range(d):
            f.sets[_TURNS, k] = order[k]
        for k in range(d):
            gain, total = _move(s, f.sets[_TURNS, k], order, nothing, f)
            if gain == FULL:
                return FULL
            improved = improved or gain > 0
    return total


@bare_kernel
def order_score(s: Scorer, order: Integers, f: Forest, dag: Matrix) -> float:
    """The score of an order, or FULL; fills dag (1 for i -> j) with the parents chosen from those before each node."""
    d = len(order)
    total = 0.0
    for k in range(d):
        f.sets[_PREFIX, order[k]] = 0
    for k in range(d):
        score = _trace(s, order[k], f)
        if score == FULL:
            return FULL
        total += score
        for i in range(d):
            dag[i, order[k]] = 0
        for i in range(f.sets[_PARENTS, d]):
            dag[f.sets[_PARENTS, i], order[k]] = 1
        f.sets[_PREFIX, order[k]] = 1
    return total


@bare
def _retrace(s: Scorer, order: Integers, first: int, last: int, v: int, f: Forest) -> bool:
    """Trace v and those of order[first:last + 1] whose walk looked at v, or all for v = -1; False where there is no
    room."""
    d = len(order)
    prefix, out = f.sets[_PREFIX], f.sets[_OUT]
    for k in range(d):
        prefix[k] = 0
    for k in range(last + 1):
        u = order[k]
        if k >= first and (v < 0 or u == v or f.seen[u, v]):
            score = _trace(s, u, f)
            if score == FULL:
                return False
            f.at[1, u] = score
            for p in range(d):
                f.seen[u, p] = out[p] == out[d]
        prefix[u] = 1
    return True


@bare
def _move(s: Scorer, v: int, order: Integers, nothing: float, f: Forest) -> tuple[float, float]:
    """Take v to its best place; what that gains, 0 where it stays, or FULL; and the score of the order then.

    at[0, k]: the score with v before the k-th of the others, k = d - 1 for the end; at[1, u] that of u as it stands.
    Of places that are as good it is the first for nothing < 0, the last for > 0: rounding does not decide.
    """
    d = len(order)
    rest, prefix, out, at, now = f.sets[_REST], f.sets[_PREFIX], f.sets[_OUT], f.at[0], f.at[1]
    place, count = 0, 0
    for k in range(d):
        prefix[order[k]] = 0
        if order[k] == v:
            place = k
        else:
            rest[count] = order[k]
            count += 1
    before, with_v = 0.0, 0.0
    for k in range(d):  # the others before v do not have it in their prefix
        if k == 0 or f.seen[v, rest[k - 1]]:
            with_v = _trace(s, v, f)
            if with_v == FULL:
                return FULL, 0.0
            for p in range(d):
                f.seen[v, p] = out[p] == out[d]
        at[k] = before + with_v
        if k < d - 1:
            score = now[rest[k]]
            if k >= place and f.seen[rest[k], v]:
                score = _trace(s, rest[k], f)
                if score == FULL:
                    return FULL, 0.0
            before += score
            prefix[rest[k]] = 1
    prefix[v] = 1
    after, best = 0.0, d - 1
    for k in range(d - 2, -1, -1):  # those after v do
        prefix[rest[k]] = 0
        score = now[rest[k]]
        if k < place and f.seen[rest[k], v]:
            score = _trace(s, rest[k], f)
            if score == FULL:
                return FULL, 0.0
        after += score
        at[k] += after
        if at[k] > at[best] + nothing:
            best = k
    gain, total = at[best] - at[place], at[best]
    if not gain > abs(nothing):
        gain, total, best = 0.0, at[place], place
    for k in range(d):
        order[k] = rest[k] if k < best else v if k == best else rest[k - 1]
    if not _retrace(s, order, min(place, best), max(place, best), v, f):
        return FULL, 0.0
    return gain, total


@bare
def _trace(s: Scorer, v: int, f: Forest) -> float:
    """The score of v with what grow and shrink choose from the prefix, left in sets[_PARENTS]; or FULL."""
    d = len(s.nodes)
    links, parents, out, prefix = f.links, f.sets[_PARENTS], f.sets[_OUT], f.sets[_PREFIX]
    out[d] += 1  # the stamp of this walk: what bears it may not be added any more
    out[v] = out[d]
    node, k = v, np.int64(0)
    while True:
        onwards, some = np.int64(-1), node
        while onwards < 0 and some >= 0:
            if links[some, _BRANCHES] < 0 and not _grow(s, v, some, k, f):
                return FULL
            first, count = links[some, _FIRST], links[some, _BRANCHES]
            for branch in range(first, first + min(count, AT_A_TIME)):
                p = f.added[branch]
                out[p] = out[d]
                if prefix[p]:
                    parents[k] = p
                    onwards = branch
                    break
            some = first + AT_A_TIME if count > AT_A_TIME else np.int64(-1)
        if onwards < 0:
            break
        node, k = onwards, k + 1
    if links[node, _COUNT] < 0 and not _shrink(s, v, node, k, f):
        return FULL
    first = links[node, _REMOVED]
    for i in range(first, first + links[node, _COUNT]):
        k = _without(parents, k, f.removed[i])
    parents[d] = k
    return f.scores[node, 1]


@bare
def _without(parents: Integers, k: int, p: int) -> int:
    """Take p out of parents[:k], keeping the order of the others."""
    i = 0
    while parents[i] != p:
        i += 1
    for m in range(i, k - 1):
        parents[m] = parents[m + 1]
    return k - 1


@bare
def _grow(s: Scorer, v: int, node: int, k: int, f: Forest) -> bool:
    """The best branches of a node with parents[:k] that the walk has not looked at, the best first; False where there
    is no room."""
    d = len(s.nodes)
    links, added, scores, parents, out = f.links, f.added, f.scores, f.sets[_PARENTS], f.sets[_OUT]
    first = f.used[0]
    if first + AT_A_TIME >= len(links):
        return False
    count = np.int64(0)
    if k < s.limit:
        if s.kind == GAUSSIAN_BIC:
            added_scores(s, v, parents, k, f.rows)
        for p in range(d):
            if out[p] == out[d]:
                continue
            parents[k] = p
            score = f.rows[d, p] if s.kind == GAUSSIAN_BIC else local_score(s, v, parents, k + 1)
            if score > scores[node, 0]:
                m = first + min(count, AT_A_TIME)
                while m > first and scores[m - 1, 0] < score:
                    scores[m, 0] = scores[m - 1, 0]
                    added[m] = added[m - 1]
                    m -= 1
                if m < first + AT_A_TIME:
                    scores[m, 0], added[m] = score, p
                count += 1
    count = min(count, AT_A_TIME + 1)
    for m in range(first, first + count):
        scores[m, 1] = scores[m, 0]
        links[m, _BRANCHES] = links[m, _COUNT] = -1
    if count > AT_A_TIME:
        scores[first + AT_A_TIME, 0] = scores[node, 0]
    links[node, _FIRST], links[node, _BRANCHES] = first, count
    f.used[0] = first + count
    return True


@bare
def _shrink(s: Scorer, v: int, node: int, k: int, f: Forest) -> bool:
    """What a node with parents[:k] loses, one at a time while the score rises; False where there is no room."""
    links, scores, removed, used, trial = f.links, f.scores, f.removed, f.used, f.sets[_TRIAL]
    if used[1] + k > len(removed):
        return False
    links[node, _REMOVED], links[node, _COUNT] = used[1], 0
    left = k
    for i in range(k):
        trial[i] = f.sets[_PARENTS, i]
    while left > 0:
        i, score = least_needed(s, v, trial, left, f.rows)
        if not score > scores[node, 1] - NO_GAIN:
            break
        p = trial[i]
        left = _without(trial, left, p)
        score = local_score(s, v, trial, left)
        if not score > scores[node, 1]:
            break
        scores[node, 1] = score
        removed[used[1]] = p
        used[1] += 1
        links[node, _COUNT] += 1
    return True
