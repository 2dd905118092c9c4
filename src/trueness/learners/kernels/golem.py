"""GOLEM's penalised likelihood, minimised in one compiled call.

    minimise  S(W) - log |det(I - W)| + l1 |W|_1 + l2 h(W),   h(W) = tr(e^(W o W)) - d;   weights[i, j]: i -> j

    equal variances (EV)      S = d/2 log q,         q = tr((I - W)' C (I - W)),     gradient -d C (I - W) / q
    unequal variances (NV)    S = 1/2 sum_j log q_j, q_j = ((I - W)' C (I - W))_jj,  gradient -(C (I - W))_ij / q_j

Ng, Ghassami & Zhang (2020), equations 3 and 4 without constants; C = X'X / n (d, d), so that n has dropped out.
The gradient of -log |det(I - W)| is (I - W)^-T. The likelihood makes a DAG attractive: no hard constraint is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import kernel
from trueness.learners.kernels.expm import exponential_excess, gather_rows
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
from trueness.learners.kernels.notears import MOST_EVALUATIONS, Problem, Space, least_squares

Array = NDArray[np.float64]


@kernel
def golem_value(
    problem: Problem, weights: Array, equal: bool, acyclic: float, space: Space, gradient: Array, curvature: Array
) -> tuple[float, float]:
    """S - log |det(I - W)| + l2 h, and h; fills gradient and curvature."""
    d = len(weights)
    gather_rows(weights, space.weights)
    total = 2.0 * least_squares(problem, space, gradient, curvature)  # gradient = -C (I - W)
    value = 0.5 * d * np.log(total)
    if not equal:
        value = 0.0
    for j in range(d):
        residual = total / d  # q_j where variances differ, their mean where they are equal
        if not equal:
            residual = -gradient[j, j]
            for i in range(d):
                residual += weights[i, j] * gradient[i, j]
            value += 0.5 * np.log(residual)
        for i in range(d):
            gradient[i, j] /= residual
            curvature[i, j] /= residual
    h = exponential_excess(space.weights, space.excess, space.term, space.spare)
    for i in range(d):
        for j in range(d):
            space.term[i, j] = -weights[i, j]
        space.term[i, i] += 1.0
    value -= np.linalg.slogdet(space.term)[1]
    if not value < np.inf:
        return np.inf, h
    inverse = np.linalg.inv(space.term)
    for i in range(d):
        for j in range(d):
            back, pull = inverse[j, i], 2.0 * acyclic * space.excess[j, i]
            gradient[i, j] += back + pull * weights[i, j]
            curvature[i, j] += back * back + pull
    return value + acyclic * h, h


@kernel
def solve(problem: Problem, space: Space, search: Search, equal: bool, acyclic: float, best: Array) -> tuple[int, int]:
    """Go from `best` (d, d) to a minimum, in place; evaluations, and why it ended."""
    d = len(best)
    x, flat = search.vectors[X], best.reshape(d * d)
    weights, gradient = search.vectors[TRIAL].reshape(d, d), search.vectors[TRIAL_GRADIENT].reshape(d, d)
    curvature = search.vectors[TRIAL_CURVATURE].reshape(d, d)
    restart(search, flat, 1)
    state, evaluations = EVALUATE, 0
    while state == EVALUATE and evaluations < MOST_EVALUATIONS:
        value, _ = golem_value(problem, weights, equal, acyclic, space, gradient, curvature)
        evaluations += 1
        state = advance(search, value)
    for p in range(len(x)):
        flat[p] = x[p]
    return evaluations, state
