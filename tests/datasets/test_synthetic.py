"""The synthetic family: graphs of the size asked for, noise of unit variance, no order to read off."""

import numpy as np
import pytest
from scipy import stats

from tests.each import each
from trueness.datasets.synthetic import Synthetic
from trueness.errors import SettingError

KURTOSIS = {"gaussian": 0.0, "laplace": 3.0, "uniform": -1.2, "exponential": 6.0, "student-t": 6.0}


def rows(dataset, n=2000, seed=1):
    return dataset.draw(n, np.random.default_rng(seed)).values


def share_of_edges_along_variance(dataset):
    variances = rows(dataset).var(axis=0)
    causes, effects = np.nonzero(dataset.truth.directed)
    return np.mean(variances[causes] < variances[effects])


@each("graph", ["erdos-renyi", "scale-free"])
@each("edges_per_node", [0.5, 1.5, 3])
def test_graphs_are_acyclic_and_have_the_edges_asked_for(graph, edges_per_node):
    for seed in range(5):
        truth = Synthetic(nodes=20, edges_per_node=edges_per_node, graph=graph, graph_seed=seed).truth
        assert truth.n_edges() == round(20 * edges_per_node)
        truth.topological_order()


@each("noise", KURTOSIS)
def test_noise_has_unit_variance_and_its_own_shape(noise):
    values = rows(Synthetic(nodes=2, edges_per_node=0, noise=noise, standardised=False), 200_000).ravel()
    assert values.mean() == pytest.approx(0, abs=0.01)
    assert values.var() == pytest.approx(1, abs=0.03)
    slack = 2.0 if noise in ("student-t", "exponential") else 0.15
    assert stats.kurtosis(values) == pytest.approx(KURTOSIS[noise], abs=slack)


def test_linear_rows_have_the_covariance_of_the_model():
    model = Synthetic(nodes=6, standardised=False)
    mixing = np.linalg.inv(np.eye(6) - model._model[0])
    np.testing.assert_allclose(np.cov(rows(model, 400_000).T), mixing.T @ mixing, rtol=0.1, atol=0.2)


def test_standardised_columns_give_no_order_away_and_raw_ones_do():
    raw, standardised = Synthetic(nodes=12, standardised=False), Synthetic(nodes=12)
    assert share_of_edges_along_variance(raw) > 0.9  # facts: .988 of paths on raw ER graphs with 12 nodes
    assert np.allclose(rows(standardised).var(axis=0), 1, atol=0.2)


def test_nonlinear_relations_are_not_linear():
    model = Synthetic(nodes=2, edges_per_node=0.5, relation="nonlinear", noise="gaussian", graph_seed=3)
    cause = model.truth.topological_order()[0]
    x = rows(model, 50_000)
    i, j = model.truth.index(cause), 1 - model.truth.index(cause)
    line = np.polynomial.Polynomial.fit(x[:, i], x[:, j], 1)
    curve = np.polynomial.Polynomial.fit(x[:, i], x[:, j], 9)
    assert np.var(x[:, j] - curve(x[:, i])) < 0.97 * np.var(x[:, j] - line(x[:, i]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nodes": 1}, "'nodes' of synthetic must be a whole number in"),
        ({"edges_per_node": 9}, "'edges_per_node' of synthetic must be in"),
        ({"noise": "cauchy"}, "'noise' of synthetic must be one of"),
        ({"weights": [0, 1]}, "'weights' of synthetic must be"),
        ({"graph": "tree"}, "'graph' of synthetic must be one of"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        Synthetic(**settings)


@pytest.mark.parametrize("relation", ["gp", "additive-gp", "sigmoid", "post-nonlinear"])
def test_curved_relations_are_one_function_for_all_draws(relation):
    """The same noise gives the same rows, other noise the same curve; a line does not explain what the curve does."""
    one, two = (
        Synthetic(nodes=6, relation=relation, noise="gaussian", standardised=False, graph_seed=s) for s in (1, 1)
    )
    first, again = (system.draw(400, np.random.default_rng(3)).values for system in (one, two))
    assert (first == again).all() and "nonlinear" in one.about.properties
    more = one.draw(800, np.random.default_rng(3)).values
    assert np.isfinite(more).all() and more.std(axis=0).max() < 10
    j = int(np.flatnonzero(one.truth.directed.any(axis=0))[0])
    quiet = np.zeros((2, 6))
    quiet[1, np.flatnonzero(one.truth.directed[:, j])] = 1.0
    assert one._run(quiet.copy())[0, j] != one._run(quiet.copy())[1, j]
