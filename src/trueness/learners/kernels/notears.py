"""NOTEARS' augmented Lagrangian: its value, and its minimum at given multipliers in one compiled call.

    minimise  F(W) = L(W) + l |W|_1   subject to  h(W) = tr(e^(W o W)) - d = 0;    weights[i, j] != 0 means i -> j
    by        min_W  F(W) + rho/2 h^2 + alpha h,   rho <- 10 rho until h <= h_before / 4,   alpha <- alpha + rho h

    least squares  L = 1/2 tr((I - W)' C (I - W)), C = X'X / n (d, d)      gradient -C (I - W); n has dropped out
    logistic       L = sum_r share_r sum_j log(1 + e^m) - x m, m = X W     gradient X' share (sigmoid(m) - x)
    poisson        L = sum_r share_r sum_j e^m - x m                       gradient X' share (e^m - x)

Zheng, Aragam, Ravikumar & Xing (2018), algorithm 1, with the settings of the authors' notears/linear.py.

The last problems (rho from 1e11 on) are so ill-conditioned that the reference's L-BFGS-B stops short of their minimum,
and its answer hangs on where. `minimise` gets to the minimum: entry i -> j has curvature C_ii from the loss, but
2 (rho h + alpha) (e^A)_ji + rho (2 W_ij (e^A)_ji)^2 from the constraint, up to 1e6; with that known diagonal 20 to 50
evaluations do instead of 300 to 10,000. On standardised data it often leaves the reference's valley for a lower one.

DAGMA: DAGMA's central path, in one compiled call a fit.

    minimise  L(W) + l |W|_1 + h_s(W) / mu,    h_s(W) = d log s - log det(s I - W o W)    for mu = 1, .1, .01, ...
    gradient of h_s:  2 W o M',   M = (s I - W o W)^-1;        weights[i, j] != 0 means i -> j

Bello, Aragam & Ravikumar (2022), algorithm 1, which minimises mu (L + l |W|_1) + h_s: the same minima.
h_s is finite where the spectral radius of A = W o W is below s. There s I - A is an M-matrix, elimination needs no
pivoting and all pivots are positive; the first pivot that is not tells that a step has left the domain (value inf).
The authors descend by Adam (up to 180,000 steps of 3e-4); here the search of lbfgsb.py, with the diagonal curvature
c_ij + (2 M_ji + (2 W_ij M_ji)^2) / mu, ends each stage at its minimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import inner, kernel, reordered
from trueness.learners.kernels.expm import Sparse, exponential_excess, gather_rows, sparse_space
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

LEAST_SQUARES, LOGISTIC, POISSON = 0, 1, 2
LOSSES = {"l2": LEAST_SQUARES, "logistic": LOGISTIC, "poisson": POISSON}
MOST_EVALUATIONS = 15000  # of one inner problem, as scipy's L-BFGS-B


class Problem(NamedTuple):
    """What the loss sees. `covariance` is used by least squares, `rows` and `shares` by the others."""

    loss: int
    covariance: Array  # (d, d), X'X / n
    rows: Array  # (r, d), distinct rows
    shares: Array  # (r,), their shares of the data
    moments: Array  # (d,), mean of x_i^2


class Space(NamedTuple):
    """Work space of one fit."""

    weights: Sparse
    excess: Array
    term: Array
    spare: Array
    fitted: Array  # (r, d), X W, then shares x (mean - X)
    gradient: Array
    curvature: Array


def space_for(problem: Problem) -> Space:
    d = len(problem.moments)
    fitted = np.empty((len(problem.rows), d))
    squares = (np.empty((d, d)) for _ in range(5))
    return Space(sparse_space(d), next(squares), next(squares), next(squares), fitted, *squares)


def search_for(problem: Problem, penalty: float, held: NDArray[np.bool_] | None = None) -> Search:
    """A search over W in row order, its diagonal (or the entries `held`) held at 0."""
    d = len(problem.moments)
    return new_search(d * d, penalty, (np.eye(d, dtype=bool) if held is None else held).ravel())


@reordered
def loss_at(problem: Problem, space: Space, gradient: Array, curvature: Array) -> float:
    """L(W) for the nonzeros of W in space.weights; fills its gradient and (a bound of) its diagonal curvature."""
    if problem.loss == LEAST_SQUARES:
        return least_squares(problem, space, gradient, curvature)
    return loss_on_rows(problem, space, gradient, curvature)


@reordered
def least_squares(problem: Problem, space: Space, gradient: Array, curvature: Array) -> float:
    covariance, weights, turned = problem.covariance, space.weights, space.term
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
            curvature[i, j] = problem.moments[i]
    return 0.5 * loss


@reordered
def loss_on_rows(problem: Problem, space: Space, gradient: Array, curvature: Array) -> float:
    rows, fitted, weights, rate = problem.rows, space.fitted, space.weights, space.spare[0]
    d = rows.shape[1]
    for j in range(d):
        rate[j] = 0.0
        for i in range(d):
            gradient[i, j] = 0.0
    loss = 0.0
    for r in range(len(rows)):
        share, x, m = problem.shares[r], rows[r], fitted[r]
        for j in range(d):
            m[j] = 0.0
        for i in range(d):
            for k in range(weights.start[i], weights.start[i + 1]):
                m[weights.column[k]] += x[i] * weights.value[k]
        for j in range(d):
            cost, mean, bend = _one_value(problem.loss, m[j], x[j])
            loss += share * cost
            rate[j] += share * bend
            m[j] = share * (mean - x[j])
        for i in range(d):
            if x[i] != 0.0:  # half of all binary values
                row = gradient[i]
                for j in range(d):
                    row[j] += x[i] * m[j]
    for i in range(d):
        for j in range(d):
            curvature[i, j] = problem.moments[i] * rate[j]
    return loss


@reordered
def _one_value(loss: int, m: float, x: float) -> tuple[float, float, float]:
    """Cost and mean of x when its linear predictor is m, and (a bound of) the cost's second derivative."""
    if loss == LOGISTIC:
        tail = np.exp(-abs(m))  # never overflows
        mean = 1.0 / (1.0 + tail) if m >= 0.0 else tail / (1.0 + tail)
        return max(m, 0.0) + np.log1p(tail) - x * m, mean, 0.25
    mean = np.exp(m)
    return mean - x * m, mean, mean


@reordered
def lagrangian(
    problem: Problem,
    rows: Array | None,
    weights: Array,
    rho: float,
    alpha: float,
    space: Space,
    gradient: Array,
    curvature: Array,
) -> tuple[float, float, float]:
    """L + rho/2 h^2 + alpha h, then L and h; fills gradient and curvature of the first."""
    d = len(weights)
    gather_rows(weights, space.weights)
    if rows is None:
        loss = least_squares(problem, space, gradient, curvature)
    else:
        loss = loss_on_rows(problem, space, gradient, curvature)
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
def value_at(
    problem: Problem, rows: Array | None, weights: Array, rho: float, alpha: float, space: Space
) -> tuple[float, float, float]:
    """The Lagrangian, L and h at W (d, d); its gradient is left in space.gradient."""
    return lagrangian(problem, rows, weights, rho, alpha, space, space.gradient, space.curvature)


@kernel
def minimise(
    problem: Problem,
    rows: Array | None,
    space: Space,
    search: Search,
    rho: float,
    alpha: float,
    scaled: int,
    weights: Array,
) -> tuple[float, float, int, int]:
    """One inner problem, from `weights`, which become the answer: L, h, evaluations and why it ended.

    `rows` is problem.rows, or None for least squares: numba leaves out what None cannot reach, of arguments only.
    """
    d = len(weights)
    x, flat = search.vectors[X], weights.reshape(d * d)
    trial, gradient = search.vectors[TRIAL].reshape(d, d), search.vectors[TRIAL_GRADIENT].reshape(d, d)
    curvature = search.vectors[TRIAL_CURVATURE].reshape(d, d)
    restart(search, flat, scaled)
    state, evaluations = EVALUATE, 0
    while state == EVALUATE and evaluations < MOST_EVALUATIONS:
        value, _, _ = lagrangian(problem, rows, trial, rho, alpha, space, gradient, curvature)
        evaluations += 1
        state = advance(search, value)
    for p in range(len(x)):
        flat[p] = x[p]
    _, loss, h = lagrangian(problem, rows, weights, rho, alpha, space, gradient, curvature)
    return loss, h, evaluations, state


@reordered
def size(x: Array) -> float:
    """|x|_1."""
    total = 0.0
    for p in range(len(x)):
        total += abs(x[p])
    return total


Array = NDArray[np.float64]
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
    problem: Problem, weights: Array, mu: float, s: float, space: Space, gradient: Array, curvature: Array
) -> tuple[float, float, float]:
    """L + h_s / mu, then L and h_s; fills gradient and curvature of the first."""
    d = len(weights)
    h = barrier(weights, s, space.spare, space.excess)
    if not h < np.inf:
        return np.inf, np.inf, np.inf
    gather_rows(weights, space.weights)
    loss = loss_at(problem, space, gradient, curvature)
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
    problem: Problem, space: Space, search: Search, penalty: float, mus: Array, sizes: Array, best: Array, trace: Array
) -> None:
    """Fill `best` (d, d) with W, and a row of `trace` (mu, s, h, objective, evaluations, ended) for each mu."""
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
            value, _, _ = stage_value(problem, weights, mu, s, space, gradient, curvature)
            evaluations += 1
            state = advance(search, value)
        for p in range(len(x)):
            flat[p] = x[p]
        _, loss, h = stage_value(problem, best, mu, s, space, gradient, curvature)
        trace[stage, 0], trace[stage, 1], trace[stage, 2] = mu, s, h
        trace[stage, 3], trace[stage, 4], trace[stage, 5] = loss + penalty * size(x), evaluations, state
