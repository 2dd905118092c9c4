"""Distances, skills and the two scores on arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from trueness.measures import distributions as d

ONE = np.ones(1)
shares = st.integers(2, 6).flatmap(
    lambda n: st.tuples(*(st.lists(st.floats(0.01, 1), min_size=n, max_size=n) for _ in range(2)))
)


def score_against(p, q, w, draws):
    """0 to 100 between uniform and what `draws` of the truth keep."""
    worst = float(d.l1(np.full_like(p, 1 / p.shape[-1]), p, w))
    return float(d.clipped_scale(d.l1(q, p, w), d.ceiling(p, w, draws), worst))


def pair(drawn):
    p, q = (np.array([values]) for values in drawn)
    return p / p.sum(), q / q.sum()


@settings(max_examples=50)
@given(shares)
def test_distances_agree_with_scipy(drawn):
    p, q = pair(drawn)
    x = np.arange(p.shape[1])
    assert d.l1(p, q, ONE) == pytest.approx(np.abs(p - q).sum())
    assert d.jensen_shannon(p, q, ONE) == pytest.approx(jensenshannon(p[0], q[0], base=2) ** 2, abs=1e-9)
    assert d.wasserstein(p, q, ONE) == pytest.approx(wasserstein_distance(x, x, p[0], q[0]) / x[-1], abs=1e-9)


def test_wasserstein_sees_the_order_and_l1_does_not():
    p, near, far = (np.array([row]) for row in ([1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]))
    assert d.wasserstein(p, near, ONE) == pytest.approx(1 / 3)
    assert d.wasserstein(p, far, ONE) == 1
    assert d.l1(p, near, ONE) == d.l1(p, far, ONE) == 2


def test_squared_distance_is_unbiased_and_may_be_negative():
    rng = np.random.default_rng(0)
    p, q = np.array([[0.2, 0.3, 0.5]]), np.array([[0.3, 0.3, 0.4]])
    n, k = np.array([200.0]), np.array([30.0])
    found = d.d2(d.multinomial(p, n, 40_000, rng), d.multinomial(q, k, 40_000, rng), ONE, n, k)
    assert found.mean() == pytest.approx(0.02, abs=4 * found.std() / 200)  # .1^2 + .1^2; 200 = sqrt(40,000)
    assert found.min() < 0


# score_original by hand: distance D = sum w ||q - p||_1, worst from uniform, best the 97.5 % quantile of the resamples
BY_HAND = [
    # one condition: D = .2, worst = |.8-.5| + |.2-.5| = .6, two resamples at .1 and .1: best = .1; (.2-.6)/(.1-.6) = .8
    ([[0.8, 0.2]], [[0.7, 0.3]], [1.0], [[[0.75, 0.25]], [[0.85, 0.15]]], 80.0),
    # weights .25, .75: D = .25 * .4 + .75 * .2 = .25; worst = .25 * .8 + .75 * .4 = .5; best = .25 * .2 + .75 * .2 = .2
    ([[0.9, 0.1], [0.3, 0.7]], [[0.7, 0.3], [0.4, 0.6]], [0.25, 0.75], [[[0.8, 0.2], [0.2, 0.8]]], 100 * 0.25 / 0.3),
    # three levels, worse than uniform: D = 1.4 > worst = 8/15 + ... clipped to 0
    ([[0.6, 0.3, 0.1]], [[0.0, 0.2, 0.8]], [1.0], [[[0.5, 0.4, 0.1]]], 0.0),
]


@pytest.mark.parametrize(("p", "q", "w", "draws", "expected"), BY_HAND)
def test_score_original_is_the_one_computed_by_hand(p, q, w, draws, expected):
    found = score_against(np.array(p), np.array(q), np.array(w), np.array(draws))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("q", [[[1.0, 0.0]], [[0.5, 0.5]]])
def test_a_truth_at_uniform_has_no_score_by_the_original_rules(q):
    """Its ends have crossed: "100 % yes" got 100, the exact answer 0."""
    p, rng = np.array([[0.5, 0.5]]), np.random.default_rng(0)
    for n in (20, 5_000):  # n_mc draws of the document, rows of the published code's bootstrap
        assert np.isnan(score_against(p, np.array(q), ONE, d.multinomial(p, np.array([n]), 500, rng)))


def test_the_documents_rule_gives_a_perfect_sampler_of_as_many_draws_97_to_100():
    p, k, rng = np.array([[0.8, 0.2]]), np.array([20.0]), np.random.default_rng(3)
    draws = {"document": d.multinomial(p, k, 2_000, rng), "published": d.multinomial(p, np.array([5_000]), 2_000, rng)}
    found = {name: np.mean([score_against(p, q, ONE, some) for q in d.multinomial(p, k, 500, rng)])
             for name, some in draws.items()}  # fmt: skip
    assert found["document"] >= 97
    assert found["published"] < 87


@pytest.mark.parametrize("k", [20, 100, 1_000])
def test_perfect_samplers_average_98_and_uniform_ones_2_on_informative_tasks(k):
    rng = np.random.default_rng(k)
    perfect, uniform = [], []
    while len(perfect) < 12:
        conditions, levels = rng.integers(1, 6), rng.integers(2, 6)
        p = rng.dirichlet(np.full(levels, 0.7), size=conditions)
        w, n, ks = rng.dirichlet(np.full(conditions, 4)), rng.integers(100, 4_000, conditions), np.full(conditions, k)
        scale = d.scale_of(p, w, d.multinomial(p, n, 2_000, rng), ks, rng)
        if not scale.informative:
            continue
        truth = d.multinomial(p, n, 500, rng)
        even = np.full_like(p, 1 / levels)
        perfect.append(scale.score(d.l1(d.multinomial(p, ks, 500, rng), truth, w)).mean())
        uniform.append(scale.score(d.l1(d.multinomial(even, ks, 500, rng), truth, w)).mean())
    assert np.mean(perfect) >= 98.9
    assert min(perfect) >= 97  # each is itself a simulation of 500
    assert np.mean(uniform) <= 1.1
    assert max(uniform) <= 3


def test_the_fast_bootstrap_spreads_as_the_multinomial_does():
    p, k = np.array([[0.1, 0.3, 0.6], [0.5, 0.5, 0.0]]), np.array([100.0, np.inf])
    fast, exact = (f(p, k, 20_000, np.random.default_rng(0)) for f in (d.poisson_bootstrap, d.multinomial))
    assert fast.mean(axis=0) == pytest.approx(p, abs=2e-3)
    assert fast.std(axis=0) == pytest.approx(exact.std(axis=0), rel=0.04, abs=1e-12)
    assert (fast[:, 1] == p[1]).all()
