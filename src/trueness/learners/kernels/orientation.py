"""Directions for a skeleton: unshielded colliders, then Meek's rules. marks[i, j] is the mark at j (1 tail, 2 arrow).

    collider   x - y - z, x and z apart, y not in S(x, z)               then x -> y <- z
    Meek 1     i -> j - k, i and k apart                                then j -> k
    Meek 2     i -> j -> k, i - k                                       then i -> k
    Meek 3     i - j -> k, i - m -> k, j and m apart, i - k             then i -> k
    Meek 4     i - m -> j -> k, i and j adjacent, m and k apart, i - k  then i -> k      (only with knowledge)

Meek (1995). An arrow that would close a directed cycle, or that knowledge forbids, is not drawn. Where colliders
disagree on an edge the strongest one stays, or the first one. The order of triples is causal-learn's: by middle node,
edges with a tail there before edges with an arrow there.
"""

from __future__ import annotations

import numpy as np

from trueness.learners.kernels.compiling import bare, inner, kernel

TAIL, ARROW = 1, 2
FIRST, STRONGEST = 0, 1
LEAST = 1e-9  # what one collider more costs, whatever the evidence


@inner
def lists_of(adjacent):
    """Neighbours as rows of one array: those of x are near[start[x]:start[x + 1]], in order."""
    d = adjacent.shape[0]
    near, start = np.empty(d * d, np.int64), np.zeros(d + 1, np.int64)
    at = 0
    for x in range(d):
        for y in range(d):
            if adjacent[x, y]:
                near[at] = y
                at += 1
        start[x + 1] = at
    return near, start


@bare
def leads_to(marks, near, start, source, target, other, stack, seen):
    """Whether a directed path goes from source to target or to the other target."""
    touched = 1
    stack[0] = source
    seen[source] = True
    reached = False
    at = 0
    while at < touched and not reached:
        u = stack[at]
        at += 1
        for e in range(start[u], start[u + 1]):
            v = near[e]
            if marks[u, v] == ARROW and marks[v, u] == TAIL and not seen[v]:
                reached |= v == target
                reached |= v == other
                seen[v] = True
                stack[touched] = v
                touched += 1
    for i in range(touched):
        seen[stack[i]] = False
    return reached


@inner
def start_marks(adjacent, forbidden, required):
    """Tails everywhere but where knowledge gives a direction."""
    d = adjacent.shape[0]
    marks = np.zeros((d, d), np.int8)
    for i in range(d):
        for j in range(d):
            if adjacent[i, j]:
                marks[i, j] = ARROW if required[i, j] or (forbidden[j, i] and not forbidden[i, j]) else TAIL
    return marks


@kernel
def orient(adjacent, triples, collides, opposes, order, nodes, forbidden, required, conflicts, with_knowledge):
    """Marks of the graph, from the skeleton and triples with their evidence (learners/pc.py), in this order; by
    STRONGEST they are those of a DAG. nodes: where two are as good, the first of these."""
    d = adjacent.shape[0]
    marks = start_marks(adjacent, forbidden, required)
    near, start = lists_of(adjacent)
    stack, seen = np.empty(d + 1, np.int64), np.zeros(d, np.bool_)
    for t in order:
        if collides[t]:
            x, y, z = triples[t, 0], triples[t, 1], triples[t, 2]
            _collide(marks, near, start, x, y, z, forbidden, stack, seen)
    if conflicts == STRONGEST:
        _complete(marks, adjacent, near, start, triples, opposes, nodes)
    _close(marks, adjacent, near, start, forbidden, with_knowledge, stack, seen)
    return marks


@inner
def _complete(marks, adjacent, near, start, triples, opposes, nodes):
    """Draw the colliders of a DAG that has all arrows: remove a sink at a time (Dor & Tarsi 1992). Where no node can go
    without a new collider, the one goes whose new colliders have the least evidence against them."""
    d = marks.shape[0]
    first = np.full((d, d), -1, np.int32)
    for t in range(triples.shape[0] - 1, -1, -1):
        first[triples[t, 0], triples[t, 2]] = t
    left = np.ones(d, np.bool_)
    for _ in range(d):
        sink, least = -1, np.inf
        for x in nodes:
            if left[x] and least > 0:
                price = _as_sink(marks, adjacent, near, start, left, x, triples, opposes, first, False)
                if price < least:
                    sink, least = x, price
        if sink < 0:
            return  # what is known beforehand is a cycle
        _as_sink(marks, adjacent, near, start, left, sink, triples, opposes, first, True)
        left[sink] = False


@bare
def _as_sink(marks, adjacent, near, start, left, x, triples, opposes, first, draw):
    """What speaks against the new colliders at x when all lines point to it, which can be drawn; infinite where x has a
    child."""
    price = 0.0
    for e in range(start[x], start[x + 1]):
        u = near[e]
        if left[u] and marks[x, u] == ARROW and marks[u, x] == TAIL:
            return np.inf
        for f in range(start[x], e):
            v = near[f]
            if not left[u] or not left[v] or adjacent[u, v] or (marks[u, x] == ARROW and marks[v, x] == ARROW):
                continue
            if draw:
                marks[u, x] = marks[v, x] = ARROW
            else:
                price += LEAST + _opposed(triples, opposes, first[v, u], x)
    return price


@bare
def _opposed(triples, opposes, t, y):
    """The evidence against a collider y between the ends of triple t; 0 where nothing has separated them."""
    if t >= 0:
        x, z = triples[t, 0], triples[t, 2]
        while t < triples.shape[0] and triples[t, 0] == x and triples[t, 2] == z:
            if triples[t, 1] == y:
                return opposes[t]
            t += 1
    return 0.0


@inner
def _close(marks, adjacent, near, start, forbidden, with_knowledge, stack, seen):
    """Meek's rules until nothing changes."""
    order = _triples(marks, near, start)
    changed = True
    while changed:
        changed = False
        for rule in range(1, 5 if with_knowledge else 4):
            for t in range(order.shape[0]):
                i, j, k = order[t, 0], order[t, 1], order[t, 2]
                a, b = (j, k) if rule == 1 else (i, k)
                if marks[a, b] != TAIL or marks[b, a] != TAIL or forbidden[a, b]:
                    continue
                if not _meek(rule, marks, adjacent, near, start, i, j, k):
                    continue
                if not leads_to(marks, near, start, b, a, a, stack, seen):
                    marks[a, b] = ARROW
                    changed = True


@bare
def _meek(rule, marks, adjacent, near, start, i, j, k):
    """Whether the rule holds at the path (i, j, k): for j -> k (rule 1) or for i -> k (the others)."""
    if rule == 1:
        return marks[i, j] == ARROW and marks[j, i] == TAIL and not adjacent[i, k]
    if marks[j, k] != ARROW or marks[k, j] != TAIL:
        return False
    if rule == 2:
        return marks[i, j] == ARROW and marks[j, i] == TAIL
    if rule == 3 and (marks[i, j] != TAIL or marks[j, i] != TAIL):
        return False
    for e in range(start[i], start[i + 1]):  # rules 3 and 4: another neighbour of i, joined to it by a line
        m = near[e]
        if marks[i, m] != TAIL or marks[m, i] != TAIL:
            continue
        if rule == 3 and m > j and not adjacent[j, m] and marks[m, k] == ARROW and marks[k, m] == TAIL:
            return True
        if rule == 4 and m != k and not adjacent[m, k] and marks[m, j] == ARROW and marks[j, m] == TAIL:
            return True
    return False


@inner
def _triples(marks, near, start):
    """All paths (x, y, z): pairs with a tail at their second node before those with an arrow, then by second, first."""
    d = marks.shape[0]
    count = 0
    for y in range(d):
        degree = start[y + 1] - start[y]
        count += degree * (degree - 1)
    order = np.empty((count, 3), np.int32)
    at = 0
    for end_y in range(TAIL, ARROW + 1):
        for y in range(d):
            for e in range(start[y], start[y + 1]):
                x = near[e]
                if marks[x, y] != end_y:
                    continue
                for end_z in range(TAIL, ARROW + 1):
                    for f in range(start[y], start[y + 1]):
                        z = near[f]
                        if z != x and marks[y, z] == end_z:
                            order[at, 0] = x
                            order[at, 1] = y
                            order[at, 2] = z
                            at += 1
    return order


@bare
def _collide(marks, near, start, x, y, z, forbidden, stack, seen):
    """Draw x -> y <- z as far as knowledge, earlier colliders and acyclicity allow."""
    if forbidden[x, y] or forbidden[z, y] or marks[y, x] == ARROW or marks[y, z] == ARROW:
        return
    old_x, old_z = marks[x, y], marks[z, y]
    marks[x, y] = marks[z, y] = ARROW
    if leads_to(marks, near, start, y, x, z, stack, seen):
        marks[x, y], marks[z, y] = old_x, old_z
