"""Adaptive lasso on the Gram matrix, the penalty chosen by BIC. The number of rows drops out.

    beta(l) = argmin (1/2) |y - X b|^2 + l sum_k |b_k| / |b_k^ols|          all l at once, by LARS (Efron et al. 2004)
    BIC(l)  = n log(2 pi s^2) + RSS(l) / s^2 + log(n) df(l)                 s^2 from the full least-squares fit

as scikit-learn's LassoLarsIC(criterion="bic") on X scaled by |b^ols| (Zou 2006; Zou, Hastie & Tibshirani 2007).
gram = X'X (p, p), xy = X'y (p,), yy = y'y, all of centred columns.

Ties and limits: columns that tie enter in the order of their index; a column that the active ones explain but for
1e-11 of its variance stays out; least squares of a singular Gram matrix is the one of least norm.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import inner, kernel

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

STOP = float(np.finfo(np.float32).eps)  # scikit-learn's: a path ends where |x'y| falls below this part of y'y
SINGULAR = 1e-11  # part of a column's variance that the others must leave unexplained
PERFECT = 1e-14  # part of y'y below which a residual is rounding
MOST_KNOTS = 500  # scikit-learn's max_iter; a path of p columns has about p knots
_ACTIVE, _OUT = 1, 2


def adaptive_lasso(gram: Array, xy: Array, yy: float, n: int) -> Array:
    """Coefficients of y on the columns of X; gram = X'X, xy = X'y, yy = y'y of centred data."""
    ols = np.empty(len(xy))
    if not least_squares(gram, xy, ols):
        ols = least_norm(gram, xy)
    return np.asarray(penalised(gram, xy, float(yy), n, ols))


def least_norm(gram: Array, xy: Array) -> Array:
    """Least squares where the Gram matrix is singular: the solution of least norm."""
    return np.asarray(np.linalg.lstsq(gram, xy, rcond=SINGULAR)[0])


# Below, loops are written out: numba compiles them ten times faster than expressions of whole arrays.


@kernel
def least_squares(gram: Array, xy: Array, out: Array) -> bool:
    """Solve gram out = xy by Cholesky; False, with `out` unspecified, where gram is singular."""
    p = len(xy)
    factor, all_of_them = np.empty((p, p)), np.empty(p, np.int64)
    for k in range(p):
        all_of_them[k] = k
        out[k] = xy[k]
        if not _append(factor, gram, all_of_them, k, k):
            return False
    _solve(factor, p, out)
    return True


@kernel
def penalised(gram: Array, xy: Array, yy: float, n: int, ols: Array) -> Array:
    """The knot of least BIC on the path of X |ols|, as coefficients of X; the earlier one where two are equal."""
    p = len(xy)
    scaled, target = np.empty((p, p)), np.empty(p)
    residual = yy
    for i in range(p):
        target[i] = xy[i] * abs(ols[i])
        residual -= xy[i] * ols[i]
        for j in range(p):
            scaled[i, j] = gram[i, j] * abs(ols[i]) * abs(ols[j])
    path, explained = np.empty((_room(p), p)), np.empty(_room(p))
    knots = _lars(scaled, target, STOP * yy, path, explained)
    variance = max(residual, PERFECT * yy) / max(n - p - 1, 1)
    best, least = 0, np.inf
    for k in range(knots):
        df = 0
        for j in range(p):
            df += path[k, j] != 0.0
        bic = max(yy - explained[k], 0.0) / variance + math.log(n) * df
        if bic < least:
            best, least = k, bic
    chosen = np.empty(p)
    for j in range(p):
        chosen[j] = path[best, j] * abs(ols[j])
    return chosen


@kernel
def _room(p: int) -> int:
    return max(MOST_KNOTS, 2 * p) + 1


@kernel
def _lars(gram: Array, xy: Array, stop: float, path: Array, explained: Array) -> int:
    """Fill `path` with the knots, `explained` with 2 b'xy - b'Gb of each (y'y less RSS); return their number.

    The active columns have |x'(y - X b)| = top; along `step` = G_AA^-1 signs all of these fall at the same rate 1.
    """
    p = len(xy)
    state, active, signs = np.zeros(p, np.int64), np.empty(p, np.int64), np.empty(p)
    factor, step, rate, c = np.empty((p, p)), np.empty(p), np.empty(p), np.empty(p)
    for j in range(p):
        c[j], path[0, j] = xy[j], 0.0
    explained[0] = 0.0
    size, dropped = np.int64(0), np.int64(-1)  # not literals: what they are handed to would be compiled for those too
    knots = 1
    top = 0.0
    while knots < len(path):
        if dropped < 0:
            j = _most_correlated(c, state)
            if j < 0 or abs(c[j]) <= stop:
                break
            if not _append(factor, gram, active, size, j):
                state[j] = _OUT
                continue
            state[j], active[size], signs[size] = _ACTIVE, j, math.copysign(1.0, c[j])
            size, top = size + 1, abs(c[j])
        elif top <= stop or size == 0:
            break
        _direction(gram, factor, active, signs, size, step, rate)
        gamma = _first_to_join(c, rate, state, dropped, top)
        gamma, leaves = _first_to_leave(path[knots - 1], step, active, size, gamma)
        full = gamma >= top
        top -= gamma
        for j in range(p):
            c[j] -= gamma * rate[j]
            path[knots, j] = path[knots - 1, j]
        for k in range(size):
            c[active[k]] = signs[k] * top
            path[knots, active[k]] += gamma * step[k]
        dropped = -1
        if leaves >= 0:
            dropped = active[leaves]
            state[dropped], path[knots, dropped] = 0, 0.0
            size = _remove(factor, gram, active, signs, leaves, size)
        explained[knots] = 0.0
        for j in range(p):
            explained[knots] += path[knots, j] * (xy[j] + c[j])
        knots += 1
        if full:
            break
    return knots


@inner
def _direction(gram: Array, factor: Array, active: Integers, signs: Array, size: int, step: Array, rate: Array) -> None:
    """step = G_AA^-1 signs (in the order of `active`), rate = G_A' step: how fast each correlation falls."""
    for k in range(size):
        step[k] = signs[k]
    _solve(factor, size, step)
    for j in range(len(rate)):
        rate[j] = 0.0
    for k in range(size):
        for j in range(len(rate)):
            rate[j] += step[k] * gram[active[k], j]


@inner
def _most_correlated(c: Array, state: Integers) -> int:
    best = -1
    for j in range(len(c)):
        if state[j] == 0 and (best < 0 or abs(c[j]) > abs(c[best])):
            best = j
    return best


@inner
def _first_to_join(c: Array, rate: Array, state: Integers, dropped: int, top: float) -> float:
    """The step after which an idle column is as correlated as the active ones; `top` leads to least squares."""
    gamma = top
    for j in range(len(c)):
        if state[j] != 0:
            continue
        # a column that has just left stands at `top` with its old sign: that meeting is in the past
        if rate[j] < 1.0 and not (j == dropped and c[j] > 0):
            gamma = min(gamma, max((top - c[j]) / (1.0 - rate[j]), 0.0))
        if rate[j] > -1.0 and not (j == dropped and c[j] < 0):
            gamma = min(gamma, max((top + c[j]) / (1.0 + rate[j]), 0.0))
    return gamma


@inner
def _first_to_leave(beta: Array, step: Array, active: Integers, size: int, gamma: float) -> tuple[float, int]:
    """The step after which an active coefficient is zero, where that comes before gamma."""
    leaves = -1
    for k in range(size):
        zero = -beta[active[k]] / step[k]
        if 0.0 < zero < gamma:
            gamma, leaves = zero, k
    return gamma, leaves


@inner
def _append(factor: Array, gram: Array, active: Integers, size: int, j: int) -> bool:
    """Add column j as row `size` of the Cholesky factor L of G_AA; False where the active columns explain it."""
    left = gram[j, j]
    for k in range(size):
        value = gram[j, active[k]]
        for m in range(k):
            value -= factor[k, m] * factor[size, m]
        value /= factor[k, k]
        factor[size, k] = value
        left -= value * value
    if not left > SINGULAR * gram[j, j]:
        return False
    factor[size, size] = math.sqrt(left)
    return True


@inner
def _solve(factor: Array, size: int, b: Array) -> None:
    """b <- (L L')^-1 b, row by row of L."""
    for k in range(size):
        value = b[k]
        for m in range(k):
            value -= factor[k, m] * b[m]
        b[k] = value / factor[k, k]
    for k in range(size - 1, -1, -1):
        b[k] /= factor[k, k]
        for m in range(k):
            b[m] -= factor[k, m] * b[k]


@inner
def _remove(factor: Array, gram: Array, active: Integers, signs: Array, leaves: int, size: int) -> int:
    """Take a column out of the active ones; the factor from there on is made anew."""
    for k in range(leaves, size - 1):
        active[k], signs[k] = active[k + 1], signs[k + 1]
        _append(factor, gram, active, k, active[k])
    return size - 1
