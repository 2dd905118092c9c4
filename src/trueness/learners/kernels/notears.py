"""NOTEARS' augmented Lagrangian: its value, and its minimum at given multipliers in one compiled call.

    minimise  F(W) = L(W) + l |W|_1   subject to  h(W) = tr(e^(W o W)) - d = 0;    weights[i, j] != 0 means i -> j
    by        min_W  F(W) + rho/2 h^2 + alpha h,   rho <- 10 rho until h <= h_before / 4,   alpha <- alpha + rho h

    least squares  L = 1/2 tr((I - W)' C (I - W)), C = X'X / n (d, d)      gradient -C (I - W); n has dropped out
    logistic       L = sum_r share_r sum_j log(1 + e^m) - x m, m = X W     gradient X' share (sigmoid(m) - x)
    poisson        L = sum_r share_r sum_j e^m - x m                       gradient X' share (e^m - x)

Zheng, Aragam, Ravikumar & Xing (2018), algorithm 1, with the settings of the authors' notears/linear.py.

Two ways to solve an inner problem. `minimise` takes the reference's own path (L-BFGS-B on the 2 d d parts of W). The
last problems (rho from 1e11 on) are so ill-conditioned that this search stops short of their minimum, and the answer
hangs on where. `minimise_scaled` gets to the minimum: entry i -> j has curvature C_ii from the loss, but
2 (rho h + alpha) (e^A)_ji + rho (2 W_ij (e^A)_ji)^2 from the constraint, up to 1e6; with that known diagonal 20 to 50
evaluations do instead of 300 to 10,000. On standardised data it often leaves the reference's valley for a lower one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import trueness.learners.kernels.bounded as bounded
from trueness.learners.kernels.bounded import Bounded, new_bounded
from trueness.learners.kernels.compiling import kernel, reordered
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


def bounded_for(problem: Problem, held: NDArray[np.bool_] | None = None) -> Bounded:
    """A search over P and Q of W = P - Q, both in row order, their diagonals (or the entries `held`) held at 0."""
    held = np.eye(len(problem.moments), dtype=bool) if held is None else held
    return new_bounded(np.tile(held.ravel(), 2))


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
def minimise(
    problem: Problem,
    rows: Array | None,
    space: Space,
    search: Bounded,
    penalty: float,
    rho: float,
    alpha: float,
    parts: Array,
    weights: Array,
) -> tuple[float, float, int, int]:
    """One inner problem on the reference's path, from W = P - Q, parts = (P, Q) (2 d d,), both >= 0: L, h,
    evaluations and why it ended. `parts` and `weights` become the answer.

    `rows` is problem.rows, or None for least squares: numba leaves out what None cannot reach, of arguments only.
    """
    d, n = len(weights), len(weights) * len(weights)
    gradient, curvature = space.gradient, space.curvature
    trial, slope = search.vectors[bounded.TRIAL], search.vectors[bounded.TRIAL_GRADIENT]
    bounded.begin(search, parts)
    state, evaluations = EVALUATE, 0
    while state == EVALUATE and evaluations < MOST_EVALUATIONS:
        total = 0.0
        for i in range(d):
            for j in range(d):
                p, q = trial[i * d + j], trial[n + i * d + j]
                weights[i, j] = p - q
                total += p + q
        value, _, _ = lagrangian(problem, rows, weights, rho, alpha, space, gradient, curvature)
        evaluations += 1
        for i in range(d):
            for j in range(d):
                slope[i * d + j] = gradient[i, j] + penalty
                slope[n + i * d + j] = penalty - gradient[i, j]
        state = bounded.follow(search, value + penalty * total)
    for k in range(2 * n):
        parts[k] = search.vectors[bounded.X, k]
    for i in range(d):
        for j in range(d):
            weights[i, j] = parts[i * d + j] - parts[n + i * d + j]
    _, loss, h = lagrangian(problem, rows, weights, rho, alpha, space, gradient, curvature)
    return loss, h, evaluations, state


@kernel
def minimise_scaled(
    problem: Problem,
    rows: Array | None,
    space: Space,
    search: Search,
    rho: float,
    alpha: float,
    scaled: int,
    weights: Array,
) -> tuple[float, float, int, int]:
    """The same by the search in lbfgsb.py, from `weights`, which become the answer."""
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
