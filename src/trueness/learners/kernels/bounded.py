"""L-BFGS-B: minimise f(x) over x >= 0 (n,), some entries held at 0, on the path that scipy's takes.

    B = theta I - Q M Q',   Q = [Y, S] (n, 2 m): the last m changes of the gradient and of x;   theta = y'y / s'y
    M^-1 = [[-D, L'/theta], [L/theta, S'S/theta]],   D = diag(s_i'y_i),   L_ij = s_i'y_j where pair i is newer than j

An iteration: the first minimum of the quadratic model along the projected gradient (generalised Cauchy point); on the
entries that are not at 0 there, the model's minimum, projected onto x >= 0; from x towards it a line search.
Byrd, Lu, Nocedal & Zhu (1995), algorithms CP and direct primal; projection: Morales & Nocedal (2011); line search: More
& Thuente (1994), kernels/line_search.py. Tolerances, limits and the order of decisions are those of L-BFGS-B 3.0 as
scipy calls it: NOTEARS' last problems are so ill-conditioned that where it stops decides the answer.

The quadratic forms are solved by LU of the 2 m x 2 m matrices M^-1 and M^-1 - Q_F'Q_F / theta (F: the free entries);
pairs stay in their places, the oldest is overwritten. Reverse communication as in lbfgsb.py:

    search = new_bounded(fixed)
    begin(search, x)
    state = EVALUATE
    while state == EVALUATE:
        value = ...               # f at search.vectors[TRIAL]; fill TRIAL_GRADIENT
        state = follow(search, value)    # the answer is in search.vectors[X]
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import reordered
from trueness.learners.kernels.lbfgsb import EVALUATE, FLAT, FTOL, GTOL, MEMORY, STALLED, STUCK
from trueness.learners.kernels.line_search import SLOPE as START
from trueness.learners.kernels.line_search import STEP, new_line, next_step, start_line

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Flags = NDArray[np.bool_]

EPSILON = float(np.finfo(np.float64).eps)
TRIES = 20  # evaluations of one line search
X, GRADIENT, TRIAL, TRIAL_GRADIENT, TOWARDS, DIRECTION, TIME, FACTOR = range(8)  # rows of `vectors`
INVERSE, INNER, PRODUCTS, REDUCED = range(4)  # of `matrices`: M^-1; S'Y and S'S; Q_F'Q_F; work space
P, C, V, BREAK = range(4)  # of `short`
VALUE, THETA = range(2)  # of `number`
PAIRS, HEAD, FREE, ITERATION, STARTED, TRIED = range(6)  # of `count`


class Bounded(NamedTuple):
    """All that a search holds."""

    vectors: Array  # (8, n)
    pairs: Array  # (n, 2 m): Y and S, entry by entry
    matrices: Array  # (4, 2 m, 2 m)
    short: Array  # (4, 2 m)
    free: Index  # (n,): entries not at 0 at the Cauchy point; before that, entries that move towards 0
    moving: Index  # (n,): entries of a sum over few entries
    fixed: Flags  # (n,)
    counted: Flags  # (n,): entries in Q_F'Q_F
    number: Array
    count: Index
    line: Array


def new_bounded(fixed: Flags) -> Bounded:
    n, k = len(fixed), 2 * MEMORY
    arrays = (
        np.zeros((8, n)),
        np.zeros((n, k)),
        np.zeros((4, k, k)),
        np.zeros((4, k)),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
    )
    return Bounded(*arrays, fixed, np.zeros(n, np.bool_), np.zeros(2), np.zeros(6, np.int64), new_line())


@reordered
def begin(search: Bounded, x: Array) -> None:
    """Begin anew at x (n,). The first trial is x itself."""
    trial = search.vectors[TRIAL]
    for i in range(len(x)):
        trial[i] = x[i]
    search.count[STARTED] = search.count[ITERATION] = 0
    _forget(search)


@reordered
def _forget(search: Bounded) -> None:
    """No pairs: B = I. Unused places of M^-1 are those of a unit matrix, so that it stays quasi-definite."""
    pairs, inverse, sums = search.pairs, search.matrices[INVERSE], search.matrices[INNER]
    products = search.matrices[PRODUCTS]
    for i in range(pairs.shape[0]):
        for j in range(pairs.shape[1]):
            pairs[i, j] = 0.0
    for i in range(len(inverse)):
        for j in range(len(inverse)):
            inverse[i, j] = 0.0
            sums[i, j] = 0.0
            products[i, j] = 0.0
        inverse[i, i] = -1.0 if i < MEMORY else 1.0
    for i in range(len(pairs)):
        search.counted[i] = False
    search.count[PAIRS] = search.count[HEAD] = 0
    search.number[THETA] = 1.0


@reordered
def follow(search: Bounded, value: float) -> int:
    """Take in f at the trial point; set the next trial, or say why the search has ended."""
    vectors, number, count = search.vectors, search.number, search.count
    if count[STARTED] == 0:
        count[STARTED] = 1
        if _accept(search, value) <= GTOL:
            return FLAT
    else:
        slope = _dot(vectors[TRIAL_GRADIENT], vectors[DIRECTION])
        before = number[VALUE]
        if next_step(search.line, value, slope):
            count[ITERATION] += 1
            _remember(search, slope)
            if _accept(search, value) <= GTOL:
                return FLAT
            if before - value <= FTOL * max(abs(before), abs(value), 1.0):
                return STALLED
        else:
            count[TRIED] += 1
            if count[TRIED] < TRIES:
                _place_trial(search)
                return EVALUATE
            if count[PAIRS] == 0:
                return STUCK
            _forget(search)
    while not _new_line(search):
        if count[PAIRS] == 0:
            return STUCK
        _forget(search)
    return EVALUATE


@reordered
def _dot(a: Array, b: Array) -> float:
    """Four sums at once: a single chain of additions would wait for each one."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = len(a) - len(a) % 4
    for k in range(0, whole, 4):
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
    for k in range(whole, len(a)):
        s0 += a[k] * b[k]
    return (s0 + s1) + (s2 + s3)


@reordered
def _accept(search: Bounded, value: float) -> float:
    """The trial becomes x; the largest entry of the projected gradient there."""
    vectors, largest = search.vectors, 0.0
    search.number[VALUE] = value
    x, gradient, trial, new = vectors[X], vectors[GRADIENT], vectors[TRIAL], vectors[TRIAL_GRADIENT]
    for i in range(len(x)):
        x[i], gradient[i] = trial[i], new[i]
        if not search.fixed[i]:
            largest = max(largest, abs(new[i] if new[i] < 0.0 else min(new[i], x[i])))
    return largest


@reordered
def _remember(search: Bounded, slope: float) -> None:
    """Put the step and the change of the gradient in place of the oldest pair, where their curvature is positive."""
    vectors, number, count, sums = search.vectors, search.number, search.count, search.matrices[INNER]
    step, start, m = search.line[STEP], search.line[START], MEMORY
    curvature = (slope - start) * step
    if curvature <= -EPSILON * start * step:
        return
    h, size, pairs, newest, moved = count[HEAD], 0.0, search.pairs, search.short[V], 0
    for i in range(len(pairs)):
        change, along = vectors[TRIAL_GRADIENT, i] - vectors[GRADIENT, i], step * vectors[DIRECTION, i]
        size += change * change
        pairs[i, h], pairs[i, m + h] = change, along
        if along != 0.0:
            search.moving[moved], vectors[FACTOR, moved] = i, along
            moved += 1
    for j in range(2 * m):
        newest[j] = 0.0
    _add_rows(newest, pairs, search.moving, vectors[FACTOR], moved)  # Q's
    for j in range(m):
        sums[j, h] = 0.0  # older steps meet no newer change
        sums[h, j] = newest[j]
        sums[m + h, m + j] = sums[m + j, m + h] = newest[m + j]
    sums[h, h] = curvature
    count[HEAD] = (h + 1) % m
    count[PAIRS] = min(count[PAIRS] + 1, m)
    number[THETA] = size / curvature
    _invert(search)


@reordered
def _invert(search: Bounded) -> None:
    """M^-1 from S'Y and S'S; unused places stay those of a unit matrix."""
    sums, inverse, theta, m = search.matrices[INNER], search.matrices[INVERSE], search.number[THETA], MEMORY
    for i in range(search.count[PAIRS]):
        for j in range(search.count[PAIRS]):
            inverse[i, j] = -sums[i, i] if i == j else 0.0
            inverse[m + i, m + j] = sums[m + i, m + j] / theta
            inverse[m + i, j] = inverse[j, m + i] = sums[i, j] / theta if i != j else 0.0


@reordered
def _new_line(search: Bounded) -> bool:
    """From x: the point to search towards, and the first trial; False where the model leads nowhere."""
    vectors, number, count = search.vectors, search.number, search.count
    if not _cauchy_point(search) or not _subspace_minimum(search):
        return False
    x, towards, direction = vectors[X], vectors[TOWARDS], vectors[DIRECTION]
    length, slope, limit = 0.0, 0.0, 1.0 if count[ITERATION] == 0 else 1e10
    for i in range(len(x)):
        direction[i] = towards[i] - x[i]
        if direction[i] != 0.0:
            length += direction[i] * direction[i]
            slope += vectors[GRADIENT, i] * direction[i]
            if direction[i] < 0.0 and count[ITERATION] > 0 and direction[i] * limit < -x[i]:
                limit = -x[i] / direction[i]
    if not slope < 0.0:
        return False
    step = min(1.0 / math.sqrt(length), limit) if count[ITERATION] == 0 else 1.0
    start_line(search.line, number[VALUE], slope, step, limit)
    count[TRIED] = 0
    _place_trial(search)
    return True


@reordered
def _place_trial(search: Bounded) -> None:
    x, trial, direction = search.vectors[X], search.vectors[TRIAL], search.vectors[DIRECTION]
    step, towards = search.line[STEP], search.vectors[TOWARDS]
    for i in range(len(x)):
        trial[i] = towards[i] if step == 1.0 else step * direction[i] + x[i]


@reordered
def _cauchy_point(search: Bounded) -> bool:
    """Fill TOWARDS with the first minimum of the model along x - t g, cut at 0; `short[C]` with Q' (towards - x)."""
    vectors, short, free, theta = search.vectors, search.short, search.free, search.number[THETA]
    x, gradient, towards, direction, time = (
        vectors[X], vectors[GRADIENT], vectors[TOWARDS], vectors[DIRECTION], vectors[TIME]
    )  # fmt: skip
    p, c, v, row = short[P], short[C], short[V], short[BREAK]
    for j in range(len(p)):
        p[j] = c[j] = 0.0
    moving, factors, moved = search.moving, vectors[FACTOR], 0
    slope, breaks, unbounded = 0.0, 0, False
    for i in range(len(x)):
        towards[i] = x[i]
        direction[i] = 0.0
        if search.fixed[i] or (x[i] <= 0.0 and gradient[i] >= 0.0):
            continue
        direction[i] = -gradient[i]
        slope -= gradient[i] * gradient[i]
        moving[moved], factors[moved] = i, direction[i]
        moved += 1
        if gradient[i] > 0.0:
            time[i] = x[i] / gradient[i]
            free[breaks] = i
            breaks += 1
        elif gradient[i] < 0.0:
            unbounded = True
    _add_rows(p, search.pairs, moving, factors, moved)
    if slope == 0.0:
        search.count[FREE] = 0
        return True
    reduced, curvature = search.matrices[REDUCED], -theta * slope
    least = EPSILON * curvature
    if search.count[PAIRS] > 0:
        _copy_square(search.matrices[INVERSE], reduced)
        if not _factor(reduced):
            return False
        _solve(reduced, p, v)
        curvature -= _dot(p, v)
    ahead, passed = -slope / curvature, 0.0
    while breaks > 0:
        at = 0
        for k in range(1, breaks):
            if time[free[k]] < time[free[at]]:
                at = k
        i = free[at]
        span = time[i] - passed
        if ahead < span:
            break
        breaks -= 1
        free[at] = free[breaks]
        passed = time[i]
        d, z = direction[i], -x[i]
        direction[i], towards[i] = 0.0, 0.0
        slope += span * curvature + d * d - theta * d * z
        curvature -= theta * d * d
        if search.count[PAIRS] > 0:
            for j in range(len(p)):
                c[j] += span * p[j]
                row[j] = search.pairs[i, j]
            _solve(reduced, row, v)
            slope += d * _dot(c, v)
            curvature += 2.0 * d * _dot(p, v) - d * d * _dot(row, v)
            _add_row(p, row, -d)
        curvature = max(least, curvature)
        ahead = -slope / curvature
        if breaks == 0 and not unbounded:
            ahead = 0.0
    ahead = max(ahead, 0.0)
    passed += ahead
    for j in range(len(p)):
        c[j] += ahead * p[j]
    k = 0
    for i in range(len(x)):
        if direction[i] != 0.0:
            towards[i] = x[i] + passed * direction[i]
        if not search.fixed[i] and (towards[i] > 0.0 or (x[i] <= 0.0 and gradient[i] < 0.0)):
            free[k] = i
            k += 1
    search.count[FREE] = k
    return True


@reordered
def _subspace_minimum(search: Bounded) -> bool:
    """Move TOWARDS to the model's minimum over the free entries, projected onto x >= 0."""
    vectors, short, free, theta = search.vectors, search.short, search.free, search.number[THETA]
    x, gradient, towards, step = vectors[X], vectors[GRADIENT], vectors[TOWARDS], vectors[TIME]
    n_free, pairs = search.count[FREE], search.pairs
    if n_free == 0 or search.count[PAIRS] == 0:
        return True
    reduced, v, w = search.matrices[REDUCED], short[V], short[BREAK]
    _solve(reduced, short[C], v)  # the factor of M^-1 is still there
    _copy_square(search.matrices[INVERSE], reduced)
    _count_free(search)
    for a in range(len(w)):
        w[a] = 0.0
        for b in range(a + 1):
            reduced[a, b] -= search.matrices[PRODUCTS, a, b] / theta
    for k in range(n_free):
        i = free[k]
        step[k] = -theta * (towards[i] - x[i]) - gradient[i] + _dot(pairs[i], v)
    _add_rows(w, pairs, free, step, n_free)
    if not _factor(reduced):
        return False
    _solve(reduced, w, v)
    rise, cut = 0.0, False
    for i in range(len(x)):
        rise += (towards[i] - x[i]) * gradient[i]
    for k in range(n_free):
        i = free[k]
        step[k] = step[k] / theta + _dot(pairs[i], v) / (theta * theta)
        cut = cut or towards[i] + step[k] < 0.0
        rise += (max(towards[i] + step[k], 0.0) - towards[i]) * gradient[i]
    if cut and rise > 0.0:  # the projection leads uphill
        _truncated(search)
        return True
    for k in range(n_free):
        towards[free[k]] = max(towards[free[k]] + step[k], 0.0)
    return True


@reordered
def _count_free(search: Bounded) -> None:
    """Bring Q_F'Q_F (its lower half) up to date: entries that came or went, then the pair that is new."""
    pairs, products, counted = search.pairs, search.matrices[PRODUCTS], search.counted
    m, new = MEMORY, (search.count[HEAD] - 1) % MEMORY
    k = 0
    for i in range(len(pairs)):
        is_free = k < search.count[FREE] and search.free[k] == i
        k += is_free
        if is_free != counted[i]:
            counted[i] = is_free
            sign = 1.0 if is_free else -1.0
            for a in range(2 * m):
                _add_row(products[a], pairs[i], sign * pairs[i, a])
    change, step = products[new], products[m + new]
    for a in range(2 * m):
        change[a] = step[a] = 0.0
    factors = search.vectors[FACTOR]
    for place, sums in ((new, change), (m + new, step)):
        for k in range(search.count[FREE]):
            factors[k] = pairs[search.free[k], place]
        _add_rows(sums, pairs, search.free, factors, search.count[FREE])
    for a in range(2 * m):
        products[a, new], products[a, m + new] = change[a], step[a]


@reordered
def _truncated(search: Bounded) -> None:
    """As far along the step as no entry falls below 0; the entry that stops it is put at 0."""
    towards, step, free = search.vectors[TOWARDS], search.vectors[TIME], search.free
    share, stop = 1.0, -1
    for k in range(search.count[FREE]):
        z = towards[free[k]]
        if step[k] < 0.0 and step[k] * share < -z:
            share, stop = -z / step[k], k
    for k in range(search.count[FREE]):
        towards[free[k]] = 0.0 if k == stop else towards[free[k]] + share * step[k]


# ---- small matrices


@reordered
def _add_row(total: Array, row: Array, factor: float) -> None:
    for j in range(2 * MEMORY):
        total[j] += factor * row[j]


@reordered
def _add_rows(total: Array, pairs: Array, index: Index, factors: Array, count: int) -> None:
    """total += sum_k factors[k] pairs[index[k]], four rows at a time: to begin a loop takes as long as to run it."""
    whole = count - count % 4
    for k in range(0, whole, 4):
        f0, f1, f2, f3 = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        r0, r1, r2, r3 = pairs[index[k]], pairs[index[k + 1]], pairs[index[k + 2]], pairs[index[k + 3]]
        for j in range(2 * MEMORY):
            total[j] += (f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j])
    for k in range(whole, count):
        _add_row(total, pairs[index[k]], factors[k])


@reordered
def _copy_square(source: Array, target: Array) -> None:
    for i in range(len(source)):
        for j in range(len(source)):
            target[i, j] = source[i, j]


@reordered
def _factor(a: Array) -> bool:
    """L D L' of a symmetric matrix in its lower half, D on the diagonal, negative in its first half and then positive.

    Such matrices (quasi-definite) need no exchange of rows (Vanderbei 1995). False where the signs are others.
    """
    k = len(a)
    for i in range(k):
        pivot = a[i, i]
        for j in range(i):
            value = a[i, j]
            for t in range(j):
                value -= a[i, t] * a[j, t]
            a[i, j] = value  # L times D
        for j in range(i):
            share = a[i, j] / a[j, j]
            pivot -= share * a[i, j]
            a[i, j] = share
        a[i, i] = pivot
        if not (pivot < 0.0 if i < MEMORY else pivot > 0.0):
            return False
    return True


@reordered
def _solve(a: Array, b: Array, out: Array) -> None:
    """out = A^-1 b, by the factor."""
    k = len(out)
    for i in range(k):
        value = b[i]
        for j in range(i):
            value -= a[i, j] * out[j]
        out[i] = value
    for i in range(k):
        out[i] /= a[i, i]
    for i in range(k - 1, -1, -1):
        value = out[i]
        for j in range(i):
            out[j] -= a[i, j] * value
