"""RC-GNN: its two loops against formulas written out, what it finds, and that it cleans, holds and fills as it says."""

import numpy as np
import pytest

from trueness.datasets.corruptions import corruption
from trueness.datasets.observed import Observed
from trueness.datasets.series import VAR
from trueness.datasets.synthetic import Synthetic
from trueness.learners.kernels.rcgnn import pass_messages, search
from trueness.learners.scoring.rcgnn import CALIBRATION, RCGNN, edge_probability
from trueness.measures.ranking import score_ranking


def corrupted(system, *names, seed=0):
    return [corruption(name).of(system, seed=seed, rng=np.random.default_rng(seed)) for name in names]


def auprc(found, system):
    return score_ranking(found.matrix, system.truth)["auprc"].value


@pytest.fixture(scope="module")
def moderate():
    """A series with noise, outliers, drift and gaps, and what RC-GNN makes of it."""
    system = VAR(nodes=5, lags=1, graph_seed=111, rows=800, noise="laplace")
    (data,) = corrupted(system, "moderate")
    return system, data, RCGNN().scores(data.observed, np.random.default_rng(0))


def test_a_sweep_draws_each_value_from_its_conditional():
    """Two values, 0 -> 1 within one row, weight w: means and variances by hand."""
    w, trust, spread = 0.8, np.array([[4.0, 0.0]]), np.array([[1.0, 0.5]])
    y, start = np.array([[2.0, 0.0]]), np.array([[0.3, -0.4]])
    edges = np.array([1]), np.array([0]), np.array([w]), np.array([0, 1, 1])
    x, left = start.copy(), np.array([[0.3, -0.4 - w * 0.3]])
    pass_messages(x, left, y, trust, spread, *edges, np.ones((1, 2), dtype=bool), np.array([[0.0, 1.0]]))
    first = (4.0 * 2.0 + w * -0.4 / 0.5) / (4.0 + 1.0 + w * w / 0.5)  # precision-weighted, no noise
    assert x[0, 0] == pytest.approx(first)
    assert x[0, 1] == pytest.approx(w * first + np.sqrt(0.5))  # a gap: its cause and one standard deviation
    assert left[0] == pytest.approx([x[0, 0], x[0, 1] - w * x[0, 0]])


def graph_of(values, regime=None, shape=1.0, cost=4.0):
    n, d = values.shape
    z = np.ascontiguousarray(np.hstack((values, np.ones((n, 1)))))
    regime = np.zeros(n, dtype=np.int64) if regime is None else regime
    grams = np.stack([z[regime == g].T @ z[regime == g] for g in range(regime.max() + 1)])
    parents, allowed = np.zeros((d, d + 1), dtype=np.uint8), np.ones((d, d + 1), dtype=np.uint8)
    np.fill_diagonal(allowed, 0)
    strength, weights, held = np.empty((d, d + 1)), np.empty((d, d + 1)), np.zeros((d, len(grams)), dtype=np.uint8)
    search(parents, allowed, grams, z, np.ones(n), regime, cost, 2 * cost, shape, strength, held, weights)
    return parents[:, :-1].T, strength[:, :-1].T, held, weights


def test_the_shape_of_the_noise_gives_the_direction():
    rng = np.random.default_rng(1)
    a = rng.uniform(-1, 1, 2000)
    b = a + rng.uniform(-1, 1, 2000)
    for order in ((0, 1), (1, 0)):  # whichever column comes first
        edges = graph_of(np.column_stack((a, b))[:, order])[0]
        assert edges[order.index(0), order.index(1)] == 1 and edges.sum() == 1


def test_a_regime_that_holds_the_effect_gives_the_direction_of_gaussian_rows():
    rng = np.random.default_rng(2)
    regime = np.repeat([0, 1], 500)
    a = rng.standard_normal(1000)
    b = np.where(regime == 1, 1.5 + rng.standard_normal(1000), 0.8 * a + rng.standard_normal(1000))
    for order in ((0, 1), (1, 0)):
        edges, _, held, _ = graph_of(np.column_stack((a, b))[:, order], regime, shape=0.0)
        assert edges[order.index(0), order.index(1)] == 1 and edges.sum() == 1
        assert held[order.index(1)].sum() == 1 and not held[order.index(0)].any()


def test_it_finds_an_autoregression_under_compound_corruption(moderate):
    system, _, found = moderate
    assert auprc(found, system) >= 0.9
    assert found.details["own_k"] == np.count_nonzero(found.details["frequency"] >= 0.5)


def test_the_signal_is_nearer_to_the_clean_values_than_the_readings(moderate):
    _, data, found = moderate
    there = ~data.mask

    def r(values, cells):
        return np.mean([np.corrcoef(values[c, j], data.clean[c, j])[0, 1] for j, c in enumerate(cells.T)])

    assert r(found.details["signal"], there) > r(data.values, there) + 0.03
    assert r(found.details["signal"], ~there) > 0.3  # gaps are filled by what causes and effects say
    assert np.array_equal(np.isnan(found.details["noise"]), data.mask)


def test_regimes_are_used_and_their_held_nodes_named():
    system = Synthetic(nodes=5, edges_per_node=1.2, graph_seed=3, rows=900, noise="gaussian")
    (data,) = corrupted(system, "regimes")
    told = RCGNN(members=8).scores(data.observed, np.random.default_rng(0))
    seen = data.observed
    unlabelled = Observed(seen.names, seen.values, seen.levels, "no labels", None, 0)
    blind = RCGNN(members=8).scores(unlabelled, np.random.default_rng(0))
    assert auprc(told, system) > auprc(blind, system)
    assert told.details["held"].shape == (3, 5) and not told.details["held"][0].any()
    assert blind.details["held"].shape == (1, 5) and not blind.details["held"].any()  # one regime: none is held
    assert "disentanglement" not in {**told.details, **blind.details}  # it says nothing of itself that it cannot know


def test_the_probability_of_an_edge_is_the_formulas():
    """By hand, d = 11: half of 24 graphs are odds of 1, so the log odds are the intercept; twice d - 1 halves odds."""
    a, b = CALIBRATION[True]
    half, all_of_them = edge_probability(np.array([0.5, 1.0]), 24, 11, (a, b))
    assert half == pytest.approx(1 / (1 + np.exp(-a)))
    assert np.log(all_of_them / (1 - all_of_them)) == pytest.approx(a + b * np.log(24.5 / 0.5))
    wider = edge_probability(np.array([0.5]), 24, 21, (a, b))[0]
    assert wider / (1 - wider) == pytest.approx(half / (1 - half) / 2)
