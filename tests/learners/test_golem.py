"""GOLEM: its likelihood against the formulas of the paper, and its contract."""

import numpy as np
import pytest
from scipy.linalg import expm

from trueness.datasets.synthetic import Synthetic
from trueness.errors import SettingError
from trueness.learners.contract import check_learner
from trueness.learners.golem import GOLEM
from trueness.learners.kernels.golem import golem_value
from trueness.learners.kernels.notears import space_for
from trueness.learners.notears import problem_of
from trueness.measures.graphs import score_graph


def table(seed=0, nodes=6):
    return Synthetic(nodes=nodes, standardised=False).draw(500, np.random.default_rng(seed))


def objective(w, x, equal, lambda2=5.0):
    """Ng et al. (2020), equations 3 and 4 without the lasso and without constants."""
    x = x - x.mean(axis=0)
    n, d = x.shape
    errors = ((x - x @ w) ** 2).sum(axis=0) / n
    score = 0.5 * d * np.log(errors.sum()) if equal else 0.5 * np.log(errors).sum()
    return score - np.linalg.slogdet(np.eye(d) - w)[1] + lambda2 * (np.trace(expm(w * w)) - d)


@pytest.mark.parametrize("equal", [True, False])
def test_value_and_gradient_are_those_of_the_paper(equal):
    data, small = table(), 1e-6
    w = np.random.default_rng(1).normal(scale=0.3, size=(6, 6))
    np.fill_diagonal(w, 0)
    problem = problem_of(data, "l2", "raw")
    gradient = np.empty((6, 6))
    value, _ = golem_value(problem, w, equal, 5.0, space_for(problem), gradient, np.empty((6, 6)))
    assert value == pytest.approx(objective(w, data.values, equal))
    for i, j in ((0, 1), (3, 2), (5, 4), (2, 0)):
        step = np.zeros((6, 6))
        step[i, j] = small
        slope = (objective(w + step, data.values, equal) - objective(w - step, data.values, equal)) / (2 * small)
        assert gradient[i, j] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize(("noise", "lambda1"), [("equal", 0.02), ("unequal", 0.002)])
def test_no_small_change_lowers_the_objective(noise, lambda1):
    data = table(2)
    result = GOLEM(noise=noise).fit_details(data)
    best = objective(result.weights, data.values, noise == "equal") + lambda1 * np.abs(result.weights).sum()
    assert result.objective == pytest.approx(best, rel=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(200):
        w = result.weights + rng.normal(scale=1e-3, size=(6, 6)) * (rng.random((6, 6)) < 0.2)
        np.fill_diagonal(w, 0)
        assert objective(w, data.values, noise == "equal") + lambda1 * np.abs(w).sum() >= best - 1e-7


def test_it_keeps_the_contract_with_unequal_noise_too():
    assert [check for check in check_learner(GOLEM(noise="unequal")) if check.passed is False] == []


def test_it_finds_a_graph_whose_scale_tells_the_direction():
    dataset = Synthetic(nodes=12, standardised=False)
    result = GOLEM().fit_details(dataset.draw(1000, np.random.default_rng(0)))
    assert score_graph(result.graph, dataset.truth)["f1"].value > 0.9
    assert result.converged and str(result).startswith("GOLEM: ")


def test_settings_are_checked():
    with pytest.raises(SettingError, match="'lambda2' of GOLEM must be a number of at least 0, got -1."):
        GOLEM(lambda2=-1)
