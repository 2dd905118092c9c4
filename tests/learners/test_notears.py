"""NOTEARS against a plain implementation of the paper on scipy, and what it says of its own answer.

The problem is not convex, so equal graphs can be asked for only where both paths end in one optimum: the objective must
not be worse, and weights near the threshold may lie on its other side. benchmarks/equality_notears.py counts on many.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm as scipy_expm
from scipy.optimize import minimize

from tests.learners.exponential import expm
from trueness.datasets import Table, load
from trueness.datasets.synthetic import Synthetic
from trueness.errors import SettingError
from trueness.learners.kernels.notears import barrier, space_for, value_at
from trueness.learners.notears import DAGMA, NOTEARS, cut_weights

NEAR = 0.02

TOLERANCE = 1e-4  # relative, on the objective


def reference(x, lambda1=0.1, most=100, h_tol=1e-8, rho_max=1e16, note=lambda found: None, **options):
    """Zheng et al. (2018), algorithm 1: W, the objective L + lambda1 |W|_1 and h. `options` go to L-BFGS-B.

    note: called with scipy's result of each inner problem.
    """
    x = x - x.mean(axis=0)
    n, d = x.shape
    covariance, identity = x.T @ x / n, np.eye(d)

    def part(w):
        rest = identity - w
        return 0.5 * (rest * (covariance @ rest)).sum(), -covariance @ rest

    def constraint(w):
        whole = expm(w * w)
        return np.trace(whole) - d, whole.T * w * 2

    def matrix(z):
        return (z[: d * d] - z[d * d :]).reshape(d, d)

    def lagrangian(z, rho, alpha):
        w = matrix(z)
        value, gradient = part(w)
        h, slope = constraint(w)
        smooth = (gradient + (rho * h + alpha) * slope).ravel()
        value += 0.5 * rho * h * h + alpha * h + lambda1 * z.sum()
        return value, np.concatenate((smooth + lambda1, lambda1 - smooth))

    bounds = [(0, 0) if i == j else (0, None) for _ in range(2) for i in range(d) for j in range(d)]
    z, rho, alpha, h = np.zeros(2 * d * d), 1.0, 0.0, np.inf
    for _ in range(most):
        while rho < rho_max:
            found = minimize(lagrangian, z, (rho, alpha), "L-BFGS-B", jac=True, bounds=bounds, options=options)
            note(found)
            new = found.x
            reached = constraint(matrix(new))[0]
            if reached <= 0.25 * h:
                break
            rho *= 10
        z, h = new, reached
        alpha += rho * h
        if h <= h_tol or rho >= rho_max:
            break
    w = matrix(z)
    return w, part(w)[0] + lambda1 * np.abs(w).sum(), h


def draw(name, seed):
    """One draw of a standard data set; sachs is resampled and standardised (its variances reach 1e5)."""
    rng = np.random.default_rng(seed)
    if name == "sachs":
        table = load("sachs").table
        values = table.values[rng.integers(table.n, size=table.n)] if seed else table.values
        return Table(table.names, (values - values.mean(axis=0)) / values.std(axis=0), table.levels)
    if name == "raw-8":
        return Synthetic(nodes=8, standardised=False).draw(1000, rng)
    return load(name).draw({"asia": 10_000, "cancer": 5_000, "child": 5_000}.get(name, 1000), rng).as_numbers()


def same_graph(found, w, threshold=0.3):
    """Equal except where a weight lies within NEAR of the threshold."""
    sure = np.abs(np.abs(w) - threshold) > NEAR
    return bool(((np.abs(found) >= threshold) == (np.abs(w) >= threshold))[sure].all())


@pytest.mark.parametrize(
    ("name", "seed"),
    [("asia", 0), ("sachs", 1), ("raw-8", 2)],
)
def test_the_objective_is_not_worse_than_the_references_and_the_graph_is_the_same(name, seed):
    table = draw(name, seed)
    w, objective, h = reference(np.array(table.values))
    result = NOTEARS(solver="reference").fit_details(table)
    assert result.converged and result.h <= 1e-8
    assert result.objective <= objective * (1 + TOLERANCE)
    assert same_graph(result.weights, w)


@pytest.mark.parametrize("seed", [0])
def test_weights_are_those_of_a_reference_that_solves_its_inner_problems(seed):
    """scipy's default ftol (2.2e-9) stops it short: W is then up to 0.0185 off on these draws, 0.0025 with 1e-11."""
    table = draw("raw-8", seed)
    w, objective, _ = reference(np.array(table.values), ftol=1e-11, gtol=1e-9, maxcor=30, maxfun=200_000)
    result = NOTEARS().fit_details(table)
    np.testing.assert_allclose(result.weights, w, atol=5e-3)
    assert result.objective == pytest.approx(objective, rel=1e-6)


def test_the_reference_solver_takes_the_references_path():
    """Not only its answer: as many evaluations for each inner problem, until rounding has grown."""
    table = draw("sachs", 3)
    evaluations: list[int] = []
    w, objective, _ = reference(np.array(table.values), note=lambda found: evaluations.append(found.nfev))
    result = NOTEARS(solver="reference").fit_details(table)
    assert [stage.evaluations for stage in result.trace][:4] == evaluations[:4]
    assert result.objective == pytest.approx(objective, rel=TOLERANCE)
    np.testing.assert_allclose(result.weights, w, atol=NEAR)


def test_a_cycle_above_the_threshold_loses_its_weakest_edge_and_says_so():
    w = np.zeros((4, 4))
    w[0, 1], w[1, 2], w[2, 0], w[2, 3], w[3, 0] = 0.9, 0.8, -0.4, 0.35, 0.5
    graph, removed = cut_weights(w, 0.3, ("a", "b", "c", "d"))
    assert list(removed) == ["c -> d (0.350)", "c -> a (-0.400)"]
    assert graph.find_cycle() == ()
    assert {str(edge) for edge in graph.edges} == {"a -> b", "b -> c", "d -> a"}


def test_settings_and_data_are_checked():
    with pytest.raises(SettingError, match="'lambda1' of NOTEARS must be a number of at least 0, got -1."):
        NOTEARS(lambda1=-1)
    with pytest.raises(SettingError, match="'w_threshold' of NOTEARS must be a number of at least 0"):
        NOTEARS(w_threshold=-0.1)
    with pytest.raises(SettingError, match="'h_tol' of NOTEARS must be a number above 0, got 0."):
        NOTEARS(h_tol=0)
    with pytest.raises(SettingError, match="'solver' of NOTEARS must be one of scaled, reference, l-bfgs-b"):
        NOTEARS(solver="adam")
    with pytest.raises(SettingError, match="'rho_max' of NOTEARS must be a number above 1"):
        NOTEARS(rho_max=0.5)
    with pytest.raises(SettingError, match="'loss' of NOTEARS must be 'l2', got 'logistic'|'loss' of NOTEARS must be"):
        NOTEARS(loss="logistic")


# ---- the constraint


def random_weights(seed, d, density, scale):
    rng = np.random.default_rng(seed)
    found = rng.normal(scale=scale, size=(d, d)) * (rng.random((d, d)) < density)
    np.fill_diagonal(found, 0.0)
    return found


@given(
    seed=st.integers(0, 10**6), d=st.integers(2, 25), density=st.floats(0.05, 1), scale=st.sampled_from([0.05, 0.5, 2])
)
@settings(max_examples=60)
def test_h_and_its_gradient_are_those_of_scipys_exponential(seed, d, density, scale):
    w = random_weights(seed, d, density, scale)
    whole = scipy_expm(w * w)
    space, nothing = space_for(d), np.zeros((d, d))
    _, _, h = value_at(nothing, w, 0.0, 1.0, space)  # alpha = 1 and no loss: the constraint alone
    gradient = space.gradient
    assert h == pytest.approx(np.trace(whole) - d, rel=1e-9, abs=1e-12 * np.trace(whole))
    np.testing.assert_allclose(gradient, whole.T * 2 * w, rtol=1e-9, atol=1e-11 * whole.max())


# ---- DAGMA


def reference_of_dagma(x, lambda1=0.03, s=(1.0, 0.9, 0.8, 0.7, 0.6)):
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


@pytest.mark.parametrize("seed", [0, 1])
def test_every_stage_ends_at_the_minimum_that_scipy_finds(seed):
    table = Synthetic(nodes=6, standardised=False).draw(500, np.random.default_rng(seed))
    w, values = reference_of_dagma(np.array(table.values))
    result = DAGMA().fit_details(table)
    ours = [stage.objective + stage.h / 0.1**k for k, stage in enumerate(result.trace)]
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
