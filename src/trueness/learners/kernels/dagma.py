"""DAGMA's central path, in one compiled call a fit.

    minimise  L(W) + l |W|_1 + h_s(W) / mu,    h_s(W) = d log s - log det(s I - W o W)    for mu = 1, .1, .01, ...
    gradient of h_s:  2 W o M',   M = (s I - W o W)^-1;        weights[i, j] != 0 means i -> j

Bello, Aragam & Ravikumar (2022), algorithm 1, which minimises mu (L + l |W|_1) + h_s: the same minima.
h_s is finite where the spectral radius of A = W o W is below s. There s I - A is an M-matrix, elimination needs no
pivoting and all pivots are positive; the first pivot that is not tells that a step has left the domain (value inf).
The authors descend by Adam (up to 180,000 steps of 3e-4); here the search of lbfgsb.py, with the diagonal curvature
c_ij + (2 M_ji + (2 W_ij M_ji)^2) / mu, ends each stage at its minimum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import inner, kernel
from trueness.learners.kernels.expm import gather_rows
from trueness.learners.kernels.lbfgsb import (
    EVALUATE,
    TRIAL,
    TRIAL_CURVATURE,
    TRIAL_GRADIENT,
    Search,
    X,
    advance,
    restart,
)
from trueness.learners.kernels.notears import MOST_EVALUATIONS, Problem, Space, loss_at, size

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
def solve(
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
