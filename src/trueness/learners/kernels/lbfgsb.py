"""L-BFGS for a smooth function with a lasso penalty: the bounded problem of NOTEARS in half its unknowns.

    minimise F(x) = f(x) + l |x|_1        over x (n,), some entries held at 0

The reference splits x = p - q with bounds p, q >= 0 and calls L-BFGS-B (Byrd, Lu, Nocedal & Zhu 1995) on 2 n unknowns.
At a minimum p or q is 0, so that the bound that holds is the sign of x: an entry is *free* where x != 0 or |f'| > l and
moves within its orthant; the others stay at 0 (Andrew & Gao 2007; two-metric projection, Bertsekas 1982). On the free
entries the step is -H F' with H from the last m pairs (s, y) of steps and gradient changes, restricted to them, around

    H0 = s'y / y'y  (plain)      or      H0 = diag(1 / c)  (scaled), c the curvature that the caller knows

The scaled form matters where curvatures differ by orders: with the NOTEARS penalty at rho = 1e12 they span 1e0 to 1e6.
A step is accepted on Armijo's rule. Stops as scipy's L-BFGS-B: (F - F') / max(|F|, |F'|, 1) <= ftol or |F'| <= gtol.

Reverse communication, so that one compiled search serves every objective (numba cannot cache functions passed along):

    search = new_search(n, l, fixed)
    restart(search, x, scaled)
    state = EVALUATE
    while state == EVALUATE:
        value = ...                     # f at search.vectors[TRIAL]; fill TRIAL_GRADIENT, and TRIAL_CURVATURE if scaled
        state = advance(search, value)  # the answer is in search.vectors[X]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import inner, kernel

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.int64]

EVALUATE, FLAT, STALLED, STUCK = 0, 1, 2, 3  # go on; |F'| <= gtol; F falls no more; no step lowers F
ENDINGS = {
    EVALUATE: "out of evaluations",
    FLAT: "gradient below tolerance",
    STALLED: "objective falls no more",
    STUCK: "no step lowers the objective",
}
MEMORY, FTOL, GTOL = 10, 2.2e-9, 1e-5  # scipy's defaults, which the reference leaves as they are
ARMIJO, SHRINKS = 1e-4, 20
# rows of `vectors`; the last two are compressed: place k belongs to entry free[k]
X, GRADIENT, CURVATURE, TRIAL, TRIAL_GRADIENT, TRIAL_CURVATURE, SLOPE, DIRECTION = range(8)
STEPS, CHANGES, FREE_STEPS, FREE_CHANGES = range(4)  # of `pairs`; the last two compressed, newest first
VALUE, STEP, DECREASE, PENALTY, F_TOLERANCE, G_TOLERANCE = range(6)  # of `number`
PAIRS, HEAD, FREE, TRIES, STARTED, SCALED = range(6)  # of `count`


class Search(NamedTuple):
    """All that a search holds, in few arrays: each one more makes every function here slower to compile."""

    vectors: Array  # (8, n)
    pairs: Array  # (4, m, n)
    free: Index  # (n,)
    fixed: Flags  # (n,)
    number: Array
    count: Index


def new_search(
    n: int, penalty: float, fixed: Flags, memory: int = MEMORY, ftol: float = FTOL, gtol: float = GTOL
) -> Search:
    number = np.zeros(6)
    number[PENALTY], number[F_TOLERANCE], number[G_TOLERANCE] = penalty, ftol, gtol
    pairs = np.zeros((4, memory, n))
    return Search(np.zeros((8, n)), pairs, np.zeros(n, np.int64), fixed, number, np.zeros(6, np.int64))


@kernel
def restart(search: Search, x: Array, scaled: int) -> None:
    """Begin anew at x (n,), with no memory: the function has changed. The first trial is x itself."""
    _copy(x, search.vectors[TRIAL])
    search.count[PAIRS] = search.count[STARTED] = 0
    search.count[SCALED] = scaled


@kernel
def advance(search: Search, value: float) -> int:
    """Take in f at the trial point; set the next trial, or say why the search has ended."""
    number, count, trial = search.number, search.count, search.vectors[TRIAL]
    size = 0.0
    for p in range(len(trial)):
        size += abs(trial[p])
    value += number[PENALTY] * size
    if count[STARTED] == 0:
        count[STARTED] = 1
        _accept(search, value)
    elif value <= number[VALUE] + ARMIJO * number[DECREASE]:
        before = number[VALUE]
        _remember(search)
        _accept(search, value)
        if before - value <= number[F_TOLERANCE] * max(abs(before), abs(value), 1.0):
            return STALLED
    elif count[TRIES] < SHRINKS and _shrink(search, value):
        return EVALUATE
    elif count[PAIRS] == 0:
        return STUCK
    else:
        count[PAIRS] = 0  # the memory misleads: forget it
    return _new_direction(search)


@inner
def _copy(source: Array, target: Array) -> None:
    for p in range(len(source)):
        target[p] = source[p]


@inner
def _accept(search: Search, value: float) -> None:
    search.number[VALUE] = value
    for moved, kept in ((TRIAL, X), (TRIAL_GRADIENT, GRADIENT), (TRIAL_CURVATURE, CURVATURE)):
        _copy(search.vectors[moved], search.vectors[kept])


@inner
def _remember(search: Search) -> None:
    head, memory, vectors = search.count[HEAD], search.pairs.shape[1], search.vectors
    step, change = search.pairs[STEPS, head], search.pairs[CHANGES, head]
    for p in range(len(step)):
        step[p] = vectors[TRIAL, p] - vectors[X, p]
        change[p] = vectors[TRIAL_GRADIENT, p] - vectors[GRADIENT, p]
    search.count[HEAD] = (head + 1) % memory
    search.count[PAIRS] = min(search.count[PAIRS] + 1, memory)


@inner
def _new_direction(search: Search) -> int:
    """From x: the free entries, a direction, the first trial along it."""
    number, count = search.number, search.count
    if _find_free(search) <= number[G_TOLERANCE]:
        return FLAT
    while True:
        known = _find_direction(search)
        downhill = _dot(search.vectors[SLOPE], search.vectors[DIRECTION], count[FREE])
        if downhill < 0.0:
            number[STEP] = 1.0
            if not known:  # no curvature yet: a first step of length 1 at most, as in L-BFGS-B
                number[STEP] = min(1.0, 1.0 / np.sqrt(-downhill))
            count[TRIES] = 0
            if _try(search):
                return EVALUATE
        if count[PAIRS] == 0:
            return STUCK
        count[PAIRS] = 0


@inner
def _find_free(search: Search) -> float:
    """The free entries and F' on them; returns the largest |F'|."""
    vectors, penalty = search.vectors, search.number[PENALTY]
    k, largest = 0, 0.0
    for p in range(len(search.fixed)):
        x, g = vectors[X, p], vectors[GRADIENT, p]
        if search.fixed[p]:
            continue
        if x > 0.0 or (x == 0.0 and g < -penalty):
            slope = g + penalty
        elif x < 0.0 or g > penalty:
            slope = g - penalty
        else:
            continue
        search.free[k] = p
        vectors[SLOPE, k] = slope
        largest = max(largest, abs(slope))
        k += 1
    search.count[FREE] = k
    return largest


@inner
def _find_direction(search: Search) -> bool:
    """direction = -H F' on the free entries by the two-loop recursion; whether H0 has a known scale."""
    pairs, head, n, scaled = search.count[PAIRS], search.count[HEAD], search.count[FREE], search.count[SCALED]
    memory, direction = search.pairs.shape[1], search.vectors[DIRECTION]
    product, share = np.zeros(memory), np.zeros(memory)
    for k in range(n):
        direction[k] = -search.vectors[SLOPE, k]
    scale = 0.0
    for t in range(pairs):
        step, change = search.pairs[FREE_STEPS, t], search.pairs[FREE_CHANGES, t]
        _compress(search, (head - 1 - t) % memory, step, change)
        sy, yy = _dot(step, change, n), _dot(change, change, n)
        if not sy > 2.2e-16 * yy:  # on the free entries this pair shows no positive curvature
            continue
        product[t], share[t] = sy, _dot(step, direction, n) / sy
        if scale == 0.0:
            scale = sy / yy
        for k in range(n):
            direction[k] -= share[t] * change[k]
    for k in range(n):
        if scaled:
            direction[k] /= search.vectors[CURVATURE, search.free[k]]
        elif scale > 0.0:
            direction[k] *= scale
    for t in range(pairs - 1, -1, -1):
        if product[t] > 0.0:
            step, change = search.pairs[FREE_STEPS, t], search.pairs[FREE_CHANGES, t]
            back = share[t] - _dot(change, direction, n) / product[t]
            for k in range(n):
                direction[k] += back * step[k]
    return scaled != 0 or scale > 0.0


@inner
def _compress(search: Search, place: int, step: Array, change: Array) -> None:
    """A remembered pair on the free entries."""
    steps, changes = search.pairs[STEPS, place], search.pairs[CHANGES, place]
    for k in range(search.count[FREE]):
        p = search.free[k]
        step[k] = steps[p]
        change[k] = changes[p]


@inner
def _try(search: Search) -> bool:
    """trial = x + step direction, cut at 0 where it would leave its orthant; False where F' promises no decrease."""
    vectors, step, penalty = search.vectors, search.number[STEP], search.number[PENALTY]
    _copy(vectors[X], vectors[TRIAL])
    decrease = 0.0
    for k in range(search.count[FREE]):
        p = search.free[k]
        x, slope = vectors[X, p], vectors[SLOPE, k]
        moved = x + step * vectors[DIRECTION, k]
        side = x if x != 0.0 else -slope
        if penalty > 0.0 and moved * side < 0.0:
            moved = 0.0
        vectors[TRIAL, p] = moved
        decrease += slope * (moved - x)
    search.number[DECREASE] = decrease
    return decrease < 0.0


@inner
def _shrink(search: Search, value: float) -> bool:
    """A shorter step: the minimum of the parabola through F, F' and the value tried, kept within [0.1, 0.5]."""
    number = search.number
    search.count[TRIES] += 1
    rise = value - number[VALUE] - number[DECREASE]
    factor = 0.1  # the value is infinite or nan
    if rise < np.inf:
        factor = min(0.5, max(0.1, -0.5 * number[DECREASE] / rise))
    number[STEP] *= factor
    return _try(search)


@inner
def _dot(a: Array, b: Array, n: int) -> float:
    """Four sums at once: a single chain of additions would wait for each one."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = n - n % 4
    for k in range(0, whole, 4):
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
    for k in range(whole, n):
        s0 += a[k] * b[k]
    return (s0 + s1) + (s2 + s3)
