"""Equivalence classes of DAGs, on matrices: CPDAG (Meek's rules), PAG (Zhang's rules), d-separation.

directed[i, j] means i -> j; undirected is symmetric; marks[i, j] is the mark at j's end (0 none, 1 tail, 2 arrow,
3 circle). Meek (1995); Zhang (2008), rules R0 to R4 and R8 to R10
(R5 to R7 concern selection bias, which we do not model).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

NONE, TAIL, ARROW, CIRCLE = 0, 1, 2, 3
Matrix = NDArray[np.bool_]
Marks = NDArray[np.int8]


def topological_order(directed: Matrix) -> list[int] | None:
    """Causes first, smallest index among equals; None when there is a cycle."""
    left = directed.sum(axis=0)
    ready = [int(i) for i in np.flatnonzero(left == 0)]
    order: list[int] = []
    while ready:
        i = ready.pop(0)
        order.append(i)
        for j in np.flatnonzero(directed[i]):
            left[j] -= 1
            if left[j] == 0:
                ready.append(int(j))
                ready.sort()
    return order if len(order) == len(directed) else None


def find_cycle(directed: Matrix) -> list[int]:
    """A directed cycle as a list whose first and last entries are equal; empty when there is none."""
    left = directed.sum(axis=0)
    alive = np.ones(len(directed), dtype=bool)
    roots = np.flatnonzero(left == 0)
    while len(roots):  # peel off nodes without parents, a layer at a time; the rest all have a parent in the rest
        alive[roots] = False
        left -= directed[roots].sum(axis=0)
        roots = np.flatnonzero(alive & (left == 0))
    if not alive.any():
        return []
    path = [int(np.flatnonzero(alive)[0])]
    place = {path[0]: 0}
    while True:
        parent = int(np.flatnonzero(directed[:, path[-1]] & alive)[0])
        if parent in place:
            return [parent, *reversed(path[place[parent] :])]
        place[parent] = len(path)
        path.append(parent)


def ancestors(directed: Matrix, of: Sequence[int]) -> Matrix:
    """ancestors[i]: i is in `of` or has a directed path into it."""
    reached: Matrix = np.zeros(len(directed), dtype=bool)
    reached[list(of)] = True
    while True:
        more = reached | directed[:, reached].any(axis=1)
        if (more == reached).all():
            return reached
        reached = more


def d_separated(directed: Matrix, x: int, y: int, z: Sequence[int]) -> bool:
    """x and y are apart in the moral graph of the ancestors of {x, y} + z, with z taken out."""
    keep = ancestors(directed, [x, y, *z])
    part = directed & keep[:, None] & keep[None, :]
    moral = part | part.T | _meet(part, part.T)
    moral[:, list(z)] = False
    reached: Matrix = np.zeros(len(directed), dtype=bool)
    reached[x] = True
    while not reached[y]:
        more = reached | moral[reached].any(axis=0)
        if (more == reached).all():
            return True
        reached = more
    return False


def _meet(a: Matrix, b: Matrix) -> Matrix:
    """meet[i, k]: a[i, j] and b[j, k] for some j. Counted in floats: 256 such j are 0 in a byte."""
    return np.asarray(a.astype(np.float32) @ b.astype(np.float32) > 0)


def arcs(marks: Marks) -> Matrix:
    """arcs[i, j]: there is an edge and it is not j -> i, so that i -> j may have a strength."""
    return np.asarray((marks != NONE) & ~((marks == TAIL) & (marks.T == ARROW)))


# ---- CPDAG


def colliders(directed: Matrix) -> Matrix:
    """colliders[i, k]: i -> k is part of an unshielded collider i -> k <- j."""
    adjacent = directed | directed.T
    into_colliders = np.zeros_like(directed)
    for k in np.flatnonzero(directed.sum(axis=0) > 1):
        parents = np.flatnonzero(directed[:, k])
        apart = ~adjacent[np.ix_(parents, parents)]
        np.fill_diagonal(apart, False)
        into_colliders[parents, k] = apart.any(axis=1)
    return into_colliders


def meek(directed: Matrix, undirected: Matrix) -> tuple[Matrix, Matrix]:
    """Close a partially directed graph under Meek's rules 1 to 4.

    1  i -> j -- k, i and k apart                          then j -> k
    2  i -> j -> k, i -- k                                 then i -> k
    3  i -- j -> l, i -- k -> l, j and k apart, i -- l     then i -> l
    4  i -- k -> l -> j, i -- l or adjacent, k and j apart, i -- j   then i -> j
    """
    directed, undirected = directed.copy(), undirected.copy()
    adjacent = directed | directed.T | undirected
    while True:
        rule_1 = _meet(directed.T, ~adjacent)
        rule_2 = _meet(directed, directed)
        new = undirected & (rule_1 | rule_2)
        if not new.any():
            new = _meek_3_and_4(directed, undirected, adjacent)
        new &= ~new.T  # a conflict stays undirected; it cannot arise from a DAG
        if not new.any():
            return directed, undirected
        directed |= new
        undirected &= ~(new | new.T)


def _meek_3_and_4(directed: Matrix, undirected: Matrix, adjacent: Matrix) -> Matrix:
    new = np.zeros_like(directed)
    for i, j in np.argwhere(undirected):
        between = np.flatnonzero(undirected[i] & directed[:, j])
        rule_3 = any(not adjacent[k, m] for k, m in combinations(between, 2))
        middle = directed[:, j] & adjacent[i]
        rule_4 = any((directed[k] & middle).any() for k in np.flatnonzero(undirected[i] & ~adjacent[j]) if k != j)
        new[i, j] = rule_3 or rule_4
    return new


def cut_edges(targets: Matrix) -> Matrix:
    """cut[i, j]: one of i and j, not both, is among the targets of an intervention (targets: (interventions, d))."""
    return np.asarray((targets[:, :, None] != targets[:, None, :]).any(axis=0))


def cpdag_of_dag(directed: Matrix, cut: Matrix | None = None) -> Marks:
    """With `cut` that of the interventional class: DAGs with the same adjacencies, colliders and direction of the cut
    edges have the same distributions under all of the interventions (Hauser & Buehlmann 2012, theorem 10)."""
    compelled = colliders(directed) if cut is None else colliders(directed) | (directed & cut)
    reversible = (directed & ~compelled) | (directed & ~compelled).T
    return marks_of(*meek(compelled, reversible))


def marks_of(directed: Matrix, undirected: Matrix) -> Marks:
    marks = np.zeros(directed.shape, dtype=np.int8)
    marks[directed] = ARROW
    marks[directed.T | undirected] = TAIL
    return marks


def consistent_extension(directed: Matrix, undirected: Matrix) -> Matrix | None:
    """A DAG with the same skeleton and colliders, or None (Dor & Tarsi 1992): remove a sink at a time."""
    out, left = directed.copy(), np.ones(len(directed), dtype=bool)
    adjacent = directed | directed.T | undirected
    while left.any():
        for x in np.flatnonzero(left):
            if (directed[x] & left).any():
                continue
            around = adjacent[x] & left
            loose = np.flatnonzero(undirected[x] & left)
            if all((around & ~adjacent[y])[np.arange(len(left)) != y].sum() == 0 for y in loose):
                out[loose, x] = True
                left[x] = False
                break
        else:
            return None
    return out


def is_cpdag(directed: Matrix, undirected: Matrix, cut: Matrix | None = None) -> bool:
    """Whether this is the CPDAG of some DAG; with `cut`, that of its interventional class.

    Direct the undirected edges along a maximum cardinality order (each next node has most neighbours among those
    before it): in a CPDAG, whose undirected parts are chordal, that gives a DAG of the class (Tarjan & Yannakakis 1984;
    Andersson et al. 1997), and that DAG's CPDAG is the graph again. Whatever the graph, only a CPDAG comes back.
    """
    place = np.empty(len(directed), dtype=np.intp)
    weight = np.zeros(len(directed))
    for k in range(len(directed)):
        v = int(weight.argmax())
        place[v] = k
        weight += undirected[v]
        weight[v] = -np.inf
    dag = directed | (undirected & (place[:, None] < place[None, :]))
    return not find_cycle(dag) and bool((cpdag_of_dag(dag, cut) == marks_of(directed, undirected)).all())


# ---- PAG


def mag_of_dag(directed: Matrix, observed: Sequence[int]) -> Marks:
    """The maximal ancestral graph over `observed`, the other nodes being latent.

    i and j are adjacent when no observed set separates them, which is when the observed ancestors of
    {i, j} do not (Richardson & Spirtes 2002, th. 4.2); i -> j when i is an ancestor of j, else i <-> j.
    """
    seen = list(observed)
    before = np.array([ancestors(directed, [j]) for j in seen]).T[seen]  # before[a, b]: a is an ancestor of b
    marks = np.zeros((len(seen), len(seen)), dtype=np.int8)
    if len(seen) == len(directed):
        return marks_of(directed[np.ix_(seen, seen)], np.zeros_like(directed))
    for a, b in combinations(range(len(seen)), 2):
        candidates = [seen[c] for c in np.flatnonzero(before[:, a] | before[:, b]) if c not in (a, b)]
        if not d_separated(directed, seen[a], seen[b], candidates):
            marks[a, b] = TAIL if before[b, a] else ARROW
            marks[b, a] = TAIL if before[a, b] else ARROW
    return marks


def pag_of_dag(directed: Matrix, observed: Sequence[int]) -> Marks:
    mag = mag_of_dag(directed, observed)
    marks = np.where(mag != NONE, CIRCLE, NONE).astype(np.int8)
    for b in range(len(mag)):  # R0: unshielded colliders
        around = np.flatnonzero(mag[:, b] == ARROW)
        for a, c in combinations(around, 2):
            if mag[a, c] == NONE:
                marks[a, b] = marks[c, b] = ARROW
    close_pag(marks, lambda a, b, c: bool(mag[a, b] == ARROW and mag[c, b] == ARROW))
    return marks


def close_pag(marks: Marks, is_collider: Callable[[int, int, int], bool]) -> None:
    """Apply R1 to R4 and R8 to R10 to `marks`, in place, until nothing changes.

    is_collider(a, b, c) decides R4: whether b is a collider between a and c (from a MAG, or from separating sets).
    """
    while True:
        before = marks.copy()
        _rules_1_to_3(marks)
        _rule_4(marks, is_collider)
        _rules_8_to_10(marks)
        if (marks == before).all():
            return


def _rules_1_to_3(marks: Marks) -> None:
    d = len(marks)
    for a, b in np.argwhere(marks == ARROW):  # a *-> b
        for c in range(d):
            if c == a or marks[b, c] == NONE:
                continue
            if marks[c, b] == CIRCLE and marks[a, c] == NONE:  # R1: b o-* c
                marks[c, b], marks[b, c] = TAIL, ARROW
            if marks[a, c] == CIRCLE and marks[b, c] == ARROW and TAIL in (marks[b, a], marks[c, b]):
                marks[a, c] = ARROW  # R2: a -> b *-> c or a *-> b -> c, and a *-o c
    for c, b in np.argwhere(marks == CIRCLE):  # R3: c *-o b
        into = [a for a in range(d) if marks[a, b] == ARROW and marks[a, c] == CIRCLE]
        if any(marks[a, e] == NONE for a, e in combinations(into, 2)):
            marks[c, b] = ARROW


def _rule_4(marks: Marks, is_collider: Callable[[int, int, int], bool]) -> None:
    """R4: a discriminating path (x, ..., a, b, c) for b, with b o-* c."""
    d = len(marks)
    for c, b in np.argwhere(marks == CIRCLE):
        for a in range(d):
            parent = marks[a, c] == ARROW and marks[c, a] == TAIL
            if marks[c, b] == CIRCLE and parent and marks[b, a] == ARROW and _discriminates(marks, int(a), int(b), c):
                if is_collider(a, b, c):
                    marks[a, b] = marks[b, c] = marks[c, b] = ARROW
                else:
                    marks[c, b], marks[b, c] = TAIL, ARROW


def _discriminates(marks: Marks, a: int, b: int, c: int) -> bool:
    """Walk back from a over colliders that are parents of c until a node that is not adjacent to c."""
    queue, seen = deque([a]), {a, b, int(c)}
    while queue:
        v = queue.popleft()
        for u in range(len(marks)):
            if u in seen or marks[u, v] != ARROW:
                continue
            if marks[u, c] == NONE:
                return True
            if marks[v, u] == ARROW and marks[u, c] == ARROW and marks[c, u] == TAIL:
                seen.add(u)
                queue.append(u)
    return False


def _rules_8_to_10(marks: Marks) -> None:
    for c, a in np.argwhere(marks == CIRCLE):  # a o-> c
        if marks[a, c] == ARROW and (_rule_8(marks, a, c) or _rule_9(marks, a, c) or _rule_10(marks, a, c)):
            marks[c, a] = TAIL


def _rule_8(marks: Marks, a: int, c: int) -> bool:
    """a -> b -> c or a -o b -> c."""
    to_b = (marks[:, a] == TAIL) & (marks[a] != NONE) & (marks[a] != TAIL)
    b_to_c = (marks[:, c] == ARROW) & (marks[c] == TAIL)
    return bool((to_b & b_to_c).any())


def _rule_9(marks: Marks, a: int, c: int) -> bool:
    """An uncovered potentially directed path a, b, ..., c with b and c apart."""
    starts = [b for b in _possible_steps(marks, a) if b != c and marks[b, c] == NONE]
    return any(_uncovered_path(marks, a, b, c) for b in starts)


def _rule_10(marks: Marks, a: int, c: int) -> bool:
    """b -> c <- e with uncovered potentially directed paths a..b and a..e that start with nodes apart."""
    parents = np.flatnonzero((marks[:, c] == ARROW) & (marks[c] == TAIL))
    steps = [s for s in _possible_steps(marks, a) if s != c]
    reach = {b: [s for s in steps if s == b or _uncovered_path(marks, a, s, b)] for b in parents.tolist() if b != a}
    return any(s != t and marks[s, t] == NONE for b, e in combinations(reach, 2) for s in reach[b] for t in reach[e])


def _possible_steps(marks: Marks, u: int) -> list[int]:
    """v with an edge u *-* v that may be u -> v: no arrow at u, no tail at v."""
    return [int(v) for v in np.flatnonzero((marks[u] != NONE) & (marks[u] != TAIL) & (marks[:, u] != ARROW))]


def _uncovered_path(marks: Marks, a: int, b: int, goal: int) -> bool:
    """A path a, b, ..., goal of possible steps in which every three nodes in a row are unshielded."""
    stack, seen = [(int(a), int(b))], {(int(a), int(b))}
    while stack:
        u, v = stack.pop()
        for w in _possible_steps(marks, v):
            if w in (u, a) or marks[u, w] != NONE or (v, w) in seen:
                continue
            if w == goal:
                return True
            seen.add((v, w))
            stack.append((v, w))
    return False
