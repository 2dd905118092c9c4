"""The search reaches the minimum that scipy's L-BFGS-B reaches on the split, bounded problem."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.each import each
from trueness.learners.kernels import lbfgsb


def search(function, x, penalty=0.0, fixed=None, curvature=None, most=20000, **settings):
    """Minimise function(x) -> (value, gradient) with a lasso penalty; the answer, F there and why it ended."""
    n = len(x)
    held = np.zeros(n, dtype=bool) if fixed is None else fixed
    state = lbfgsb.new_search(n, penalty, held, **settings)
    lbfgsb.restart(state, np.asarray(x, dtype=float), 0 if curvature is None else 1)
    ended = lbfgsb.EVALUATE
    for _ in range(most):
        value, gradient = function(state.vectors[lbfgsb.TRIAL])
        state.vectors[lbfgsb.TRIAL_GRADIENT] = gradient
        if curvature is not None:
            state.vectors[lbfgsb.TRIAL_CURVATURE] = curvature
        ended = lbfgsb.advance(state, value)
        if ended != lbfgsb.EVALUATE:
            break
    return state.vectors[lbfgsb.X].copy(), state.number[lbfgsb.VALUE], ended


def split(function, n, penalty):
    """The same by scipy: x = p - q with p, q >= 0."""

    def doubled(z):
        value, gradient = function(z[:n] - z[n:])
        return value + penalty * z.sum(), np.concatenate((gradient + penalty, penalty - gradient))

    options = {"maxiter": 50000, "maxfun": 50000, "ftol": 1e-15, "gtol": 1e-9}
    found = minimize(doubled, np.zeros(2 * n), jac=True, bounds=[(0, None)] * (2 * n), options=options)
    return found.x[:n] - found.x[n:], found.fun


def quadratic(seed, n, condition):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
    a, b = (turn * np.geomspace(1, condition, n)) @ turn.T, rng.normal(size=n) * 2
    return lambda x: (0.5 * x @ a @ x - b @ x, a @ x - b)


@each("seed", range(8))
@each("penalty", [0.0, 0.3, 3.0])
def test_a_lasso_ends_at_the_minimum_of_the_bounded_problem(seed, penalty):
    function = quadratic(seed, 15, 100.0)
    ours, value, _ = search(function, np.zeros(15), penalty, ftol=1e-14, gtol=1e-9)
    theirs, best = split(function, 15, penalty)
    assert value == pytest.approx(best, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_known_curvature_saves_evaluations_where_scales_differ():
    scales = np.geomspace(1, 1e8, 30)
    calls = []

    def function(x):
        calls.append(1)
        return 0.5 * (scales * (x - 1) ** 2).sum() + 0.1 * (np.cos(x)).sum(), scales * (x - 1) - 0.1 * np.sin(x)

    _, plain, _ = search(function, np.zeros(30), ftol=1e-14, gtol=1e-7)
    spent = len(calls)
    _, scaled, _ = search(function, np.zeros(30), curvature=scales, ftol=1e-14, gtol=1e-7)
    assert scaled <= plain + 1e-9 and (len(calls) - spent) * 3 < spent


def test_an_infinite_value_is_a_step_too_long():
    def barrier(x):  # defined below 1 only
        return (np.inf, x) if (x >= 1).any() else (float((-np.log(1 - x) - 3 * x).sum()), 1 / (1 - x) - 3)

    ours, _, ended = search(barrier, np.zeros(4), gtol=1e-8, ftol=0.0)
    np.testing.assert_allclose(ours, 2 / 3, atol=1e-7)
    assert ended != lbfgsb.EVALUATE
