"""DAGMA: its barrier, its stages against scipy on the split problem, and its contract."""

import numpy as np
import pytest
from scipy.optimize import minimize

from trueness.datasets.synthetic import Synthetic
from trueness.learners.kernels.notears import barrier
from trueness.learners.notears import DAGMA, NEAR
from trueness.measures.graphs import score_graph


def reference(x, lambda1=0.03, s=(1.0, 0.9, 0.8, 0.7, 0.6)):
    """Bello et al. (2022), algorithm 1, each stage by scipy: W, and L + lambda1 |W|_1 + h_s / mu of each stage."""
    x = x - x.mean(axis=0)
    n, d = x.shape
    covariance, identity = x.T @ x / n, np.eye(d)

    def stage(z, mu, size):
        w = (z[: d * d] - z[d * d :]).reshape(d, d)
        inside = size * identity - w * w
        if np.abs(np.linalg.eigvals(w * w)).max() >= size:
            return 1e10, np.zeros_like(z)
        rest = identity - w
        h = d * np.log(size) - np.linalg.slogdet(inside)[1]
        smooth = (-covariance @ rest + 2 * w * np.linalg.inv(inside).T / mu).ravel()
        value = 0.5 * (rest * (covariance @ rest)).sum() + h / mu + lambda1 * z.sum()
        return value, np.concatenate((smooth + lambda1, lambda1 - smooth))

    bounds = [(0, 0) if i == j else (0, None) for _ in range(2) for i in range(d) for j in range(d)]
    z, values = np.zeros(2 * d * d), []
    options = {"ftol": 1e-13, "gtol": 1e-8, "maxiter": 50_000, "maxfun": 50_000}
    for k, size in enumerate(s):
        value, before = np.inf, None
        while (
            before is None or value < before - 1e-9
        ):  # scipy stalls where a step has touched the wall; it goes on anew
            before = value
            found = minimize(stage, z, (0.1**k, size), "L-BFGS-B", jac=True, bounds=bounds, options=options)
            z, value = found.x, found.fun
        values.append(value)
    return (z[: d * d] - z[d * d :]).reshape(d, d), values


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_stage_ends_at_the_minimum_that_scipy_finds(seed):
    table = Synthetic(nodes=6, standardised=False).draw(500, np.random.default_rng(seed))
    w, values = reference(np.array(table.values))
    result = DAGMA().fit_details(table)
    ours = [stage.objective + stage.h / stage.mu for stage in result.trace]
    np.testing.assert_allclose(ours, values, rtol=1e-5)
    np.testing.assert_allclose(result.weights, w, atol=5e-3)
    sure = np.abs(np.abs(w) - 0.3) > NEAR
    assert ((np.abs(result.weights) >= 0.3) == (np.abs(w) >= 0.3))[sure].all()


def test_the_barrier_is_the_log_determinant_and_infinite_outside_its_domain():
    rng = np.random.default_rng(0)
    w = rng.normal(scale=0.3, size=(7, 7))
    np.fill_diagonal(w, 0)
    inverse = np.empty((7, 7))
    inside = 1.2 * np.eye(7) - w * w
    assert barrier(w, 1.2, np.empty((7, 7)), inverse) == pytest.approx(7 * np.log(1.2) - np.linalg.slogdet(inside)[1])
    np.testing.assert_allclose(inverse, np.linalg.inv(inside), atol=1e-12)
    cycle = np.array([[0.0, 1.5], [1.5, 0.0]])  # the determinant of I - W o W is negative, its eigenvalues are not all
    assert barrier(cycle, 1.0, np.empty((2, 2)), np.empty((2, 2))) == np.inf
    double = np.kron(np.eye(2), cycle)  # here the determinant is positive: only the pivots tell
    assert np.linalg.det(np.eye(4) - double * double) > 0
    assert barrier(double, 1.0, np.empty((4, 4)), np.empty((4, 4))) == np.inf


def test_it_finds_a_graph_whose_scale_tells_the_direction():
    dataset = Synthetic(nodes=12, standardised=False)
    result = DAGMA().fit_details(dataset.draw(1000, np.random.default_rng(0)))
    assert score_graph(result.graph, dataset.truth)["f1"].value > 0.9
    assert result.h < 1e-6 and [stage.mu for stage in result.trace] == pytest.approx([1, 0.1, 0.01, 1e-3, 1e-4])
    assert str(result).startswith("DAGMA: h = ")
