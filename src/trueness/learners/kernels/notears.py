"""NOTEARS' augmented Lagrangian: its value, and its minimum at given multipliers in one compiled call.

    min_W  L(W) + l |W|_1 + rho/2 h^2 + alpha h,     L = 1/2 tr((I - W)' C (I - W)), C = X'X / n (d, d)

What is minimised and how rho and alpha grow: learners/notears.py. L has the gradient -C (I - W); n has dropped out.

The last problems (rho from 1e11 on) are so ill-conditioned that the reference's L-BFGS-B stops short of their minimum,
and its answer hangs on where. `minimise` gets to the minimum: entry i -> j has curvature C_ii from the loss, but
2 (rho h + alpha) (e^A)_ji + rho (2 W_ij (e^A)_ji)^2 from the constraint, up to 1e6; with that known diagonal 20 to 50
evaluations do instead of 300 to 10,000. On standardised data it often leaves the reference's valley for a lower one.

The exponential of a non-negative matrix, without the identity:

    h(W) = tr(e^A) - d,   A = W o W >= 0 (d, d)          dh/dW = (e^A)^T o 2W           Zheng et al. (2018), theorem 1

X = e^A - I is summed as A + A^2/2 + A^3/6 + ... Every term is non-negative, so that nothing cancels: each entry of X,
and h = tr(X) however small, is right to relative precision (tr(e^A) - d has lost all digits at h = 1e-15).
Each term is A times the last one; A is sparse (the lasso keeps about 5 entries a row) and its powers fall fast, so that
a term costs nonzeros x d and about 12 terms suffice. Where a row sum of A is above LARGEST, A is halved first and X is
squared back: e^(2B) - I = X X + 2 X (scaling and squaring, Higham 2005).
Loops are written out: slices and np.dot would double the time to compile.

DAGMA: its central path (formulas: learners/notears.py), in one compiled call a fit.

h_s is finite where the spectral radius of A = W o W is below s. There s I - A is an M-matrix, elimination needs no
pivoting and all pivots are positive; the first pivot that is not tells that a step has left the domain (value inf).
Its gradient is 2 W o M', M = (s I - A)^-1. The search of lbfgsb.py, with the diagonal curvature
c_ij + (2 M_ji + (2 W_ij M_ji)^2) / mu, ends each stage at its minimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import inner, kernel, reordered
from trueness.learners.kernels.lbfgsb import (
    EVALUATE,
    TRIAL,
    TRIAL_CURVATURE,
    TRIAL_GRADIENT,
    Search,
    X,
    advance,
    new_search,
    restart,
)

Array = NDArray[np.float64]

MOST_EVALUATIONS = 15000  # of one inner problem, as scipy's L-BFGS-B
LARGEST = 4.0  # with row sums up to 4 about 30 terms reach full precision; a squaring costs as much as 6 sparse terms
SMALLEST = 1e-16  # a term with row sums below this adds nothing that the gradient could feel
TERMS = 60


class Sparse(NamedTuple):
    """Rows of a sparse (d, d) matrix: places start[i] to start[i + 1] hold the columns and values of row i."""

    start: NDArray[np.int64]  # (d + 1,)
    column: NDArray[np.int64]  # (d d,), as the next
    value: Array
    sums: Array  # (2, d): room for the row sums of two terms


class Space(NamedTuple):
    """Work space of one fit; all but the first (d, d)."""

    weights: Sparse
    excess: Array
    term: Array
    spare: Array
    gradient: Array
    curvature: Array


def space_for(d: int) -> Space:
    rows = Sparse(np.zeros(d + 1, np.int64), np.empty(d * d, np.int64), np.empty(d * d), np.empty((2, d)))
    return Space(rows, *(np.empty((d, d)) for _ in range(5)))


def search_for(d: int, penalty: float) -> Search:
    """A search over W in row order, its diagonal held at 0."""
    return new_search(d * d, penalty, np.eye(d, dtype=bool).ravel())


@kernel
def gather_rows(matrix: Array, into: Sparse) -> None:
    """The nonzeros of a matrix, row by row."""
    d, k = len(matrix), 0
    for i in range(d):
        into.start[i] = k
        for j in range(d):
            if matrix[i, j] != 0.0:
                into.column[k] = j
                into.value[k] = matrix[i, j]
                k += 1
    into.start[d] = k


@kernel
def exponential_excess(weights: Sparse, excess: Array, term: Array, spare: Array) -> float:
    """Fill `excess` with e^(W o W) - I for the sparse W; returns its trace, h(W). The others are (d, d) work space."""
    d = len(excess)
    halvings, scale = _halvings(weights, d)
    sums, following = weights.sums[0], weights.sums[1]
    for i in range(d):
        sums[i] = 0.0
        for j in range(d):
            excess[i, j] = term[i, j] = 0.0
        for k in range(weights.start[i], weights.start[i + 1]):
            j = weights.column[k]
            excess[i, j] = term[i, j] = weights.value[k] * weights.value[k] * scale
            sums[i] += term[i, j]
    for power in range(2, TERMS):
        added = _next_term(weights, scale / power, term, spare, excess, sums, following)
        term, spare = spare, term
        sums, following = following, sums
        if not added > SMALLEST:  # also ends on nan
            break
    for _ in range(halvings):
        _square(excess, term)
    h = 0.0
    for i in range(d):
        h += excess[i, i]
    return h


@reordered
def _next_term(
    weights: Sparse, factor: float, term: Array, following: Array, total: Array, sums: Array, next_sums: Array
) -> float:
    """following = factor A term, added to the total; its row sums are factor A (row sums of the term). Their largest.

    So no row need be added up: a chain of additions would take as long as all the rest.
    """
    d, added = len(term), 0.0
    for i in range(d):
        row, into, new = following[i], total[i], 0.0
        k, end = weights.start[i], weights.start[i + 1]
        for j in range(d):
            row[j] = 0.0
        while k < end:  # four rows at a time: to begin a loop over a row takes as long as to run it
            a0, s0, n0 = _share(weights, k, end, factor, term, sums)
            a1, s1, n1 = _share(weights, k + 1, end, factor, term, sums)
            a2, s2, n2 = _share(weights, k + 2, end, factor, term, sums)
            a3, s3, n3 = _share(weights, k + 3, end, factor, term, sums)
            new += (n0 + n1) + (n2 + n3)
            k += 4
            for j in range(d):
                more = (a0 * s0[j] + a1 * s1[j]) + (a2 * s2[j] + a3 * s3[j])
                row[j] += more
                into[j] += more
        next_sums[i] = new
        added = max(added, new)
    return added


@reordered
def _share(weights: Sparse, k: int, end: int, factor: float, term: Array, sums: Array) -> tuple[float, Array, float]:
    """The k-th nonzero of factor A, the row of the term that it takes, what it adds to the row's sum; 0 at the end."""
    if k >= end:
        return 0.0, term[0], 0.0
    a = weights.value[k] * weights.value[k] * factor
    return a, term[weights.column[k]], a * sums[weights.column[k]]


@reordered
def _halvings(weights: Sparse, d: int) -> tuple[int, float]:
    """How often A must be halved until its row sums are small, and the factor that this makes."""
    largest = 0.0
    for i in range(d):
        rowsum = 0.0
        for k in range(weights.start[i], weights.start[i + 1]):
            rowsum += weights.value[k] * weights.value[k]
        largest = max(largest, rowsum)
    halvings, scale = 0, 1.0
    while largest * scale > LARGEST and halvings < TERMS:
        scale *= 0.5
        halvings += 1
    return halvings, scale


@reordered
def _square(excess: Array, product: Array) -> None:
    """X <- X X + 2 X."""
    d = len(excess)
    for i in range(d):
        row = product[i]
        for j in range(d):
            row[j] = 2.0 * excess[i, j]
        for k in range(d):
            a, source = excess[i, k], excess[k]
            for j in range(d):
                row[j] += a * source[j]
    for i in range(d):
        for j in range(d):
            excess[i, j] = product[i, j]


@reordered
def least_squares(covariance: Array, space: Space, gradient: Array, curvature: Array) -> float:
    """L(W) for the nonzeros of W in space.weights; fills its gradient and its diagonal curvature."""
    weights, turned = space.weights, space.term
    d = len(covariance)
    for i in range(d):  # turned[j, k] = (C (I - W))[k, j]: each nonzero takes a row of C from a row of it
        for j in range(d):
            turned[i, j] = covariance[i, j]
    for i in range(d):
        source = covariance[i]
        for k in range(weights.start[i], weights.start[i + 1]):
            w, row = weights.value[k], turned[weights.column[k]]
            for j in range(d):
                row[j] -= w * source[j]
    loss = 0.0
    for i in range(d):
        loss += turned[i, i]
        for k in range(weights.start[i], weights.start[i + 1]):
            loss -= weights.value[k] * turned[weights.column[k], i]
    for i in range(d):
        for j in range(d):
            gradient[i, j] = -turned[j, i]
            curvature[i, j] = covariance[i, i]
    return 0.5 * loss


@reordered
def lagrangian(
    covariance: Array, weights: Array, rho: float, alpha: float, space: Space, gradient: Array, curvature: Array
) -> tuple[float, float, float]:
    """L + rho/2 h^2 + alpha h, then L and h; fills gradient and curvature of the first."""
    d = len(weights)
    gather_rows(weights, space.weights)
    loss = least_squares(covariance, space, gradient, curvature)
    h = exponential_excess(space.weights, space.excess, space.term, space.spare)
    force = 2.0 * (rho * h + alpha)
    for i in range(d):
        for j in range(d):
            pull = space.excess[j, i]
            if pull > 0.0:
                slope = 2.0 * pull * weights[i, j]
                gradient[i, j] += 0.5 * force * slope
                curvature[i, j] += force * pull + rho * slope * slope
    return loss + 0.5 * rho * h * h + alpha * h, loss, h


@kernel
def value_at(covariance: Array, weights: Array, rho: float, alpha: float, space: Space) -> tuple[float, float, float]:
    """The Lagrangian, L and h at W (d, d); its gradient is left in space.gradient."""
    return lagrangian(covariance, weights, rho, alpha, space, space.gradient, space.curvature)


@kernel
def minimise(
    covariance: Array, space: Space, search: Search, rho: float, alpha: float, scaled: int, weights: Array
) -> tuple[float, float, int, int]:
    """One inner problem, from `weights`, which become the answer: L, h, evaluations and why it ended."""
    d = len(weights)
    x, flat = search.vectors[X], weights.reshape(d * d)
    trial, gradient = search.vectors[TRIAL].reshape(d, d), search.vectors[TRIAL_GRADIENT].reshape(d, d)
    curvature = search.vectors[TRIAL_CURVATURE].reshape(d, d)
    restart(search, flat, scaled)
    state, evaluations = EVALUATE, 0
    while state == EVALUATE and evaluations < MOST_EVALUATIONS:
        value, _, _ = lagrangian(covariance, trial, rho, alpha, space, gradient, curvature)
        evaluations += 1
        state = advance(search, value)
    for p in range(len(x)):
        flat[p] = x[p]
    _, loss, h = lagrangian(covariance, weights, rho, alpha, space, gradient, curvature)
    return loss, h, evaluations, state


@reordered
def size(x: Array) -> float:
    """|x|_1."""
    total = 0.0
    for p in range(len(x)):
        total += abs(x[p])
    return total


WIDEN = 0.1  # added to s where the last stage's W lies outside its domain, as the authors do


@inner
def log_determinant(matrix: Array, inverse: Array) -> float:
    """log det of an M-matrix, and its inverse, by Gauss-Jordan without pivoting; -inf where it is no M-matrix."""
    d = len(matrix)
    total = 0.0
    for i in range(d):
        for j in range(d):
            inverse[i, j] = matrix[i, j]
    for k in range(d):
        pivot = inverse[k, k]
        if not pivot > 0.0:
            return -np.inf
        total += np.log(pivot)
        inverse[k, k] = 1.0
        row = inverse[k]
        for j in range(d):
            row[j] /= pivot
        for i in range(d):
            factor = inverse[i, k]
            if i != k and factor != 0.0:
                target = inverse[i]
                target[k] = 0.0
                for j in range(d):
                    target[j] -= factor * row[j]
    return total


@kernel
def barrier(weights: Array, s: float, matrix: Array, inverse: Array) -> float:
    """h_s(W), inf outside its domain; `inverse` becomes M."""
    d = len(weights)
    for i in range(d):
        for j in range(d):
            matrix[i, j] = -weights[i, j] * weights[i, j]
        matrix[i, i] += s
    return d * np.log(s) - log_determinant(matrix, inverse)


@inner
def stage_value(
    covariance: Array, weights: Array, mu: float, s: float, space: Space, gradient: Array, curvature: Array
) -> tuple[float, float, float]:
    """L + h_s / mu, then L and h_s; fills gradient and curvature of the first."""
    d = len(weights)
    h = barrier(weights, s, space.spare, space.excess)
    if not h < np.inf:
        return np.inf, np.inf, np.inf
    gather_rows(weights, space.weights)
    loss = least_squares(covariance, space, gradient, curvature)
    for i in range(d):
        for j in range(d):
            pull = space.excess[j, i]
            if pull > 0.0:
                slope = 2.0 * pull * weights[i, j]
                gradient[i, j] += slope / mu
                curvature[i, j] += (2.0 * pull + slope * slope) / mu
    return loss + h / mu, loss, h


@kernel
def follow_path(
    covariance: Array, space: Space, search: Search, penalty: float, mus: Array, sizes: Array, best: Array, trace: Array
) -> None:
    """Fill `best` (d, d) with W, and a row of `trace` (h, objective, evaluations, ended) for each mu."""
    d = len(best)
    x, flat = search.vectors[X], best.reshape(d * d)
    weights, gradient = search.vectors[TRIAL].reshape(d, d), search.vectors[TRIAL_GRADIENT].reshape(d, d)
    curvature = search.vectors[TRIAL_CURVATURE].reshape(d, d)
    for stage in range(len(mus)):
        mu, s = mus[stage], sizes[stage]
        while not barrier(best, s, space.spare, space.excess) < np.inf:
            s += WIDEN
        restart(search, flat, 1)
        state, evaluations = EVALUATE, 0
        while state == EVALUATE and evaluations < MOST_EVALUATIONS:
            value, _, _ = stage_value(covariance, weights, mu, s, space, gradient, curvature)
            evaluations += 1
            state = advance(search, value)
        for p in range(len(x)):
            flat[p] = x[p]
        _, loss, h = stage_value(covariance, best, mu, s, space, gradient, curvature)
        trace[stage, 0], trace[stage, 1] = h, loss + penalty * size(x)
        trace[stage, 2], trace[stage, 3] = evaluations, state
