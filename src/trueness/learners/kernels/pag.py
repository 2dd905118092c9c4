"""Directions under latent causes and selection: R0 to R10 of FCI. marks[i, j] is the mark at j's end of i *-* j.

    R0   a *-* b *-* c, a and c apart, b not in S(a, c)                             a *-> b <-* c
    R1   a *-> b o-* c, a and c apart                                               b -> c
    R2   a -> b *-> c or a *-> b -> c, a *-o c                                      a *-> c
    R3   a *-> b <-* c, a *-o d o-* c, a and c apart, d *-o b                       d *-> b
    R4   (x, ..., a, b, c) discriminates b, b o-* c, b in S(x, c)                   b -> c
         the same, b not in S(x, c)                                                 a <-> b <-> c
    R5   a o-o b and an uncovered circle path a, c, ..., d, b; a, d and b, c apart  all its edges and a - b become --
    R6   a -- b o-* c                                                               b -* c
    R7   a -o b o-* c, a and c apart                                                b -* c
    R8   a -> b -> c or a -o b -> c, a o-> c                                        a -> c
    R9   a o-> c, uncovered path a, b, ..., c that may be directed, b and c apart   a -> c
    R10  a o-> c, b -> c <- d, uncovered paths from a to b and to d that may be
         directed and begin with different nodes that are apart                     a -> c

Zhang (2008), On the completeness of orientation rules. R5 to R7 fire only under selection, or where tests err.
A mark that is a tail or an arrow is never overwritten.
"""

from __future__ import annotations

import numpy as np

from trueness.learners.kernels.compiling import bare, kernel
from trueness.learners.kernels.skeleton import separates

NONE, TAIL, ARROW, CIRCLE = 0, 1, 2, 3


@kernel
def left_out(adjacent, where, pool):
    """(m, 3) unshielded a *-* b *-* c whose separating set has no b."""
    d = adjacent.shape[0]
    triples = np.empty((0, 3), np.int32)
    for is_counted in (False, True):
        count = 0
        for b in range(d):
            for a in range(d):
                for c in range(a + 1, d if adjacent[a, b] else 0):
                    apart = adjacent[c, b] and not adjacent[a, c] and where[a, c] >= 0
                    if apart and not separates(where, pool, a, c, b):
                        if is_counted:
                            triples[count, 0], triples[count, 1], triples[count, 2] = a, b, c
                        count += 1
        if not is_counted:
            triples = np.empty((count, 3), np.int32)
    return triples


@kernel
def colliders(adjacent, triples, forbidden, required):
    """Circles, what knowledge says (j -> i forbidden: an arrow at j, for j is no cause of i), R0 of these triples."""
    d = adjacent.shape[0]
    marks = np.zeros((d, d), np.int8)
    for i in range(d):
        for j in range(d):
            if adjacent[i, j]:
                marks[i, j] = ARROW if forbidden[j, i] else TAIL if required[j, i] else CIRCLE
    for t in range(triples.shape[0]):
        a, b, c = triples[t]
        if marks[a, b] != TAIL and marks[c, b] != TAIL:
            marks[a, b] = ARROW
            marks[c, b] = ARROW
    return marks


@kernel
def close(marks, where, pool, discriminate, selection):
    """Apply R1 to R10, in place, until nothing changes: R4 only to discriminate, R5 to R7 only for selection."""
    d = marks.shape[0]
    stack, before = np.empty(d * d + 1, np.int64), np.empty(d * d + 1, np.int64)
    seen = np.zeros((d, d), np.int64)
    stamp = np.zeros(1, np.int64)
    changed = True
    while changed:
        changed = _rules_1_and_2(marks)
        changed |= _rule_3(marks)
        if discriminate:
            changed |= _rule_4(marks, where, pool, stack, seen, stamp)
        if selection:
            changed |= _rule_5(marks, stack, before, seen, stamp)
            changed |= _rules_6_and_7(marks)
        changed |= _rules_8_to_10(marks, stack, seen, stamp)


@bare
def _rules_1_and_2(marks):
    d = marks.shape[0]
    changed = False
    for b in range(d):
        for one in range(d):
            if marks[one, b] == NONE:
                continue
            for other in range(one + 1, d):
                if marks[other, b] == NONE:
                    continue
                for turn in range(2):
                    a, c = (one, other) if turn == 0 else (other, one)
                    if marks[a, c] == NONE and marks[a, b] == ARROW and marks[c, b] == CIRCLE and marks[b, c] != TAIL:
                        marks[c, b] = TAIL
                        marks[b, c] = ARROW
                        changed = True
                for turn in range(2):
                    a, c = (one, other) if turn == 0 else (other, one)
                    if marks[a, c] == CIRCLE and marks[a, b] == ARROW and marks[b, c] == ARROW:
                        if marks[b, a] == TAIL or marks[c, b] == TAIL:
                            marks[a, c] = ARROW
                            changed = True
    return changed


@bare
def _rule_3(marks):
    d = marks.shape[0]
    changed = False
    for b in range(d):
        for e in range(d):
            if marks[e, b] != CIRCLE:
                continue
            for a in range(d):
                if marks[a, b] != ARROW or marks[a, e] != CIRCLE:
                    continue
                for c in range(a + 1, d):
                    if marks[c, b] == ARROW and marks[c, e] == CIRCLE and marks[a, c] == NONE:
                        marks[e, b] = ARROW
                        changed = True
    return changed


@bare
def _rule_4(marks, where, pool, stack, seen, stamp):
    d = marks.shape[0]
    changed = False
    for b in range(d):
        for a in range(d):
            if marks[b, a] != ARROW:
                continue
            for c in range(d):
                if marks[c, b] != CIRCLE or marks[a, c] != ARROW or marks[c, a] != TAIL:
                    continue
                x = discriminating(marks, where, a, b, c, stack, seen, stamp)
                if x < 0:
                    continue
                if separates(where, pool, x, c, b):
                    if marks[b, c] != TAIL:
                        marks[c, b] = TAIL
                        marks[b, c] = ARROW
                        changed = True
                elif marks[a, b] != TAIL and marks[b, c] != TAIL:
                    marks[a, b] = ARROW
                    marks[c, b] = ARROW
                    marks[b, c] = ARROW
                    changed = True
    return changed


@bare
def discriminating(marks, where, a, b, c, stack, seen, stamp):
    """The far end x of a discriminating path (x, ..., a, b, c) for b whose S(x, c) is known, or -1.

    Walk back from a over colliders that are parents of c until a node that is not adjacent to c.
    The path is left in `seen`: seen[1, v] is the node that comes after v on the way to b.
    """
    d = marks.shape[0]
    stamp[0] += 1
    mark = stamp[0]
    seen[0, a] = seen[0, b] = seen[0, c] = mark
    seen[1, a] = b
    stack[0] = a
    at, top = 0, 1
    while at < top:
        v = stack[at]
        at += 1
        if marks[seen[1, v], v] != ARROW:
            continue
        for u in range(d):
            if seen[0, u] == mark or marks[u, v] != ARROW:
                continue
            if marks[u, c] == NONE:
                if where[u, c] >= 0:
                    seen[1, u] = v
                    return u
            elif marks[u, c] == ARROW and marks[c, u] == TAIL:
                seen[0, u] = mark
                seen[1, u] = v
                stack[top] = u
                top += 1
    return -1


@bare
def _rule_5(marks, stack, before, seen, stamp):
    d = marks.shape[0]
    changed = False
    for b in range(d):
        for a in range(d):
            if marks[a, b] == CIRCLE and marks[b, a] == CIRCLE:
                end = _circle_path(marks, a, b, stack, before, seen, stamp)
                if end < 0:
                    continue
                changed = True
                marks[a, b] = marks[b, a] = TAIL
                last = stack[end] % d
                marks[last, b] = marks[b, last] = TAIL
                while end >= 0:
                    u, v = stack[end] // d, stack[end] % d
                    marks[u, v] = marks[v, u] = TAIL
                    end = before[end]
    return changed


@bare
def _circle_path(marks, a, b, stack, before, seen, stamp):
    """Where in `stack` the last edge (u, v) of a path a, c, ..., u, v stands, v o-o b, that R5 asks for; or -1."""
    d = marks.shape[0]
    stamp[0] += 1
    mark = stamp[0]
    top = 0
    for c in range(d):
        if c != b and marks[a, c] == CIRCLE and marks[c, a] == CIRCLE and marks[b, c] == NONE:
            seen[a, c] = mark
            stack[top] = a * d + c
            before[top] = -1
            top += 1
    at = 0
    while at < top:
        u, v = stack[at] // d, stack[at] % d
        if u != a and marks[v, b] == CIRCLE and marks[b, v] == CIRCLE and marks[v, a] == NONE and marks[u, b] == NONE:
            return at
        for w in range(d):
            if marks[v, w] != CIRCLE or marks[w, v] != CIRCLE or marks[u, w] != NONE or _any_of(w, a, b, u):
                continue
            if seen[v, w] == mark or _passes(stack, before, at, d, w):
                continue
            seen[v, w] = mark
            stack[top] = v * d + w
            before[top] = at
            top += 1
        at += 1
    return -1


@bare
def _passes(stack, before, at, d, w):
    """Whether the path that ends at this place of the stack goes through w."""
    while at >= 0:
        if stack[at] // d == w or stack[at] % d == w:
            return True
        at = before[at]
    return False


@bare
def _rules_6_and_7(marks):
    d = marks.shape[0]
    changed = False
    for b in range(d):
        line = False
        for a in range(d):
            line = line or (marks[a, b] == TAIL and marks[b, a] == TAIL)
        for c in range(d):
            if marks[c, b] == CIRCLE and line:
                marks[c, b] = TAIL
                changed = True
    for b in range(d):
        for c in range(d):
            if marks[c, b] != CIRCLE:
                continue
            for a in range(d):
                if a != c and marks[a, b] == CIRCLE and marks[b, a] == TAIL and marks[a, c] == NONE:
                    marks[c, b] = TAIL
                    changed = True
                    break
    return changed


@bare
def _rules_8_to_10(marks, stack, seen, stamp):
    d = marks.shape[0]
    changed = False
    for rule in range(8, 11):
        for c in range(d):
            for a in range(d):
                if marks[a, c] != ARROW or marks[c, a] != CIRCLE:
                    continue
                if rule == 8:
                    holds = _rule_8(marks, a, c)
                elif rule == 9:
                    holds = _rule_9(marks, a, c, stack, seen, stamp)
                else:
                    holds = _rule_10(marks, a, c, stack, seen, stamp)
                if holds:
                    marks[c, a] = TAIL
                    changed = True
    return changed


@bare
def _rule_8(marks, a, c):
    for b in range(marks.shape[0]):
        if marks[b, a] == TAIL and (marks[a, b] == ARROW or marks[a, b] == CIRCLE):
            if marks[b, c] == ARROW and marks[c, b] == TAIL:
                return True
    return False


@bare
def _any_of(v, a, b, c):
    return v == a or v == b or v == c  # noqa: SIM109  three comparisons; `in` would be a loop over a tuple


@bare
def _may_step(marks, u, v):
    """Whether u *-* v may be u -> v: no arrow at u, no tail at v."""
    return (marks[u, v] == ARROW or marks[u, v] == CIRCLE) and marks[v, u] != ARROW


@bare
def _uncovered(marks, a, b, goal, stack, seen, stamp):
    """Whether a path a, b, ..., goal of such steps exists in which every three nodes in a row are unshielded."""
    d = marks.shape[0]
    stamp[0] += 1
    mark = stamp[0]
    seen[a, b] = mark
    stack[0] = a * d + b
    top = 1
    while top > 0:
        top -= 1
        u, v = stack[top] // d, stack[top] % d
        for w in range(d):
            if _any_of(w, a, u, u) or seen[v, w] == mark or marks[u, w] != NONE or not _may_step(marks, v, w):
                continue
            if w == goal:
                return True
            seen[v, w] = mark
            stack[top] = v * d + w
            top += 1
    return False


@bare
def _rule_9(marks, a, c, stack, seen, stamp):
    for b in range(marks.shape[0]):
        if b != c and marks[b, c] == NONE and _may_step(marks, a, b):
            if _uncovered(marks, a, b, c, stack, seen, stamp):
                return True
    return False


@bare
def _rule_10(marks, a, c, stack, seen, stamp):
    """For each pair of first steps s, t that are apart: does one reach a parent of c and the other another one?"""
    d = marks.shape[0]
    for b in range(d):
        if b == a or marks[b, c] != ARROW or marks[c, b] != TAIL:
            continue
        for e in range(d):
            if _any_of(e, a, b, b) or marks[e, c] != ARROW or marks[c, e] != TAIL:
                continue
            for s in range(d):
                if s == c or not _may_step(marks, a, s):
                    continue
                if s != b and not _uncovered(marks, a, s, b, stack, seen, stamp):
                    continue
                for t in range(d):
                    if _any_of(t, c, s, s) or marks[s, t] != NONE or not _may_step(marks, a, t):
                        continue
                    if t == e or _uncovered(marks, a, t, e, stack, seen, stamp):
                        return True
    return False
