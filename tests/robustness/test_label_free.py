"""K from the rows alone: near the number of true edges where scores are good, and no truth anywhere."""

import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest

from trueness.datasets import load
from trueness.datasets.corruptions import corruption
from trueness.datasets.observed import Observed
from trueness.datasets.series import VAR
from trueness.errors import DataError, SettingError
from trueness.studies.robustness import label_free as module
from trueness.studies.robustness.label_free import (
    LABEL_FREE,
    Budget,
    adaptive_k,
    bic_k,
    cross_validated_k,
    half_sample_scores,
    held_out_k,
    label_free,
    stability_k,
    stars_k,
)
from trueness.studies.robustness.ranking_likelihood import likelihood_path, moments

VARIABLES = 8
SERIES = VAR(nodes=VARIABLES, edges_per_node=1.0, lags=1)


class Regression:
    """|coefficients| of x(t) on all of x(t - 1): near the truth on such series; gaps by pairs."""

    def scores(self, data, rng):
        s, d = moments(data).matrix, data.d
        slopes = np.linalg.solve(s[d:, d:], s[d:, :d])
        return SimpleNamespace(matrix=np.abs(slopes) * (1 - np.eye(d)))


class Coin:
    def scores(self, data, rng):
        return SimpleNamespace(matrix=rng.random((data.d, data.d)) * (1 - np.eye(data.d)))


def series(n=2000, name="clean", seed=0):
    return corruption(name).of(SERIES, n, seed=seed, rng=np.random.default_rng(seed)).observed


@pytest.fixture(scope="module")
def chosen():
    data, rng = series(), np.random.default_rng(1)
    scorer = Regression()
    return label_free(scorer, data, scorer.scores(data, rng).matrix, rng, "mine", Budget(subsamples=10))


def test_all_of_them_come_with_what_they_used(chosen):
    assert tuple(chosen) == LABEL_FREE
    assert {choice.uses for choice in chosen.values()} == {"the rows alone"}
    assert {choice.learner for choice in chosen.values()} == {"mine"}
    assert [choice.fits for choice in chosen.values()] == [10, 10, 1, 1, 5, 1]


@pytest.mark.parametrize("method", ["bic", "held-out", "cross-validated", "adaptive"])
def test_they_find_about_the_number_of_true_edges(chosen, method):
    assert chosen[method].k == pytest.approx(SERIES.truth.n_edges(), abs=3)


def test_stability_selection_keeps_less_than_what_is_true_and_at_least_something(chosen):
    assert 1 <= chosen["stability"].k <= SERIES.truth.n_edges()


def test_no_function_can_be_given_a_truth():
    for name, function in inspect.getmembers(module, inspect.isfunction):
        assert not {"truth", "graph", "reference", "curve", "curves"} & set(inspect.signature(function).parameters), (
            name
        )


def test_a_coin_is_stable_nowhere():
    halves = half_sample_scores(Coin(), series(300), np.random.default_rng(0), 20)
    assert stars_k(halves).k <= 2
    kept = stability_k(halves)
    assert kept.k == 1 and "favour no edge" in kept.note


def test_gaps_are_worked_around_and_not_filled_with_zeros():
    data = series(3000, "mcar_40")
    scores = Regression().scores(data, None).matrix
    assert bic_k(data, scores).k == pytest.approx(SERIES.truth.n_edges(), abs=3)


def test_the_same_generator_gives_the_same_k():
    data = series(500)
    one, again = (held_out_k(Regression(), data, np.random.default_rng(3)) for _ in range(2))
    assert one == again


def test_half_samples_of_a_series_are_stretches():
    seen = []

    class Watches(Coin):
        def scores(self, data, rng):
            seen.append(data.values)
            return super().scores(data, rng)

    data = series(101)
    half_sample_scores(Watches(), data, np.random.default_rng(0), 4)
    for part in seen:
        start = int(np.flatnonzero((data.values == part[0]).all(axis=1))[0])
        np.testing.assert_array_equal(part, data.values[start : start + 50])


def test_every_regime_is_in_what_is_held_out():
    data = corruption("regimes").of(SERIES, 600, seed=0, rng=np.random.default_rng(0)).observed
    seen = []

    class Watches(Coin):
        def scores(self, data, rng):
            seen.append(np.bincount(data.regimes))
            return super().scores(data, rng)

    held_out_k(Watches(), data, np.random.default_rng(0))
    cross_validated_k(Watches(), data, np.random.default_rng(0), folds=4)
    assert seen[0].tolist() == [140] * 3 and all((part == 150).all() for part in seen[1:])


def test_the_elbow_is_where_scores_fall_off():
    scores = np.full((10, 10), 0.01)
    scores[0, 1:] = 1.0
    assert adaptive_k(scores).k == 9
    assert adaptive_k(np.zeros((4, 4))).note.startswith("The rows favour no edge")


def test_effects_within_a_row_of_a_series_count_too():
    process = VAR(nodes=VARIABLES, edges_per_node=1.0, lags=1, contemporaneous=1.0)
    data = process.draw(2000, np.random.default_rng(0))
    assert bic_k(data, process.truth.directed + np.random.default_rng(0).random((8, 8)) / 2).k == pytest.approx(
        8, abs=2
    )


# ---- the likelihood underneath


def test_bic_of_a_full_dag_is_that_of_the_sample_covariance():
    data = Observed.from_table(load("synthetic-12").draw(300, np.random.default_rng(0))).columns([0, 1, 2])
    scores = np.triu(np.ones((3, 3)), 1)
    path = likelihood_path(scores, moments(data), moments(data), 6)
    # sum_j log s2_j of a complete DAG is log det of the correlation matrix, and each judged variance is 1
    assert path.loss[-1] == pytest.approx(np.linalg.slogdet(np.corrcoef(data.values.T))[1] + 3)
    assert path.parameters.tolist() == [0, 1, 2, 3]


def test_the_loss_in_sample_never_rises_with_k():
    data = Observed.from_table(load("synthetic-12").draw(200, np.random.default_rng(0)))
    scores = np.random.default_rng(0).random((12, 12))
    loss = likelihood_path(scores, moments(data), moments(data), 132).loss
    assert (np.diff(loss) <= 1e-9).all() and len(loss) == 133


def test_an_edge_that_closes_a_cycle_adds_nothing():
    data = Observed.from_table(load("synthetic-12").draw(200, np.random.default_rng(0))).columns([0, 1, 2])
    scores = np.array([[0, 3, 0], [0, 0, 2], [1, 0, 0.0]])  # a -> b -> c -> a
    assert likelihood_path(scores, moments(data), moments(data), 6).parameters.tolist() == [0, 1, 2, 2]


def test_a_parent_of_a_series_brings_its_lags_and_the_present_where_that_closes_no_cycle():
    data = VAR(nodes=3, lags=2, edges_per_node=1).draw(200, np.random.default_rng(0))
    scores = np.array([[0, 3, 0], [2, 0, 0], [0, 0, 0.0]])
    assert likelihood_path(scores, moments(data), moments(data), 6).parameters.tolist() == [6, 9, 11]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: Budget(subsamples=1), "'subsamples' of a budget must be at least 2"),
        (lambda: Budget(held_out=1.0), r"'held_out' of a budget must be in \(0, 1\)"),
        (lambda: stability_k([np.ones((3, 3))], threshold=0.5), r"must be in \(0.5, 1\]"),
        (lambda: stars_k([np.ones((3, 3))], instability=0.7), "'instability' of stars"),
        (lambda: bic_k(series(100), np.ones((8, 8)), most=57), r"'K' must be in \[1, 56\]"),
    ],
)
def test_settings_out_of_range_are_told(call, told):
    with pytest.raises(SettingError, match=told):
        call()


def test_too_few_rows_to_hold_some_out_are_told():
    with pytest.raises(DataError, match="must have enough rows to hold some out"):
        held_out_k(Coin(), series(20), np.random.default_rng(0))


def test_q_is_meinshausens():
    kept = stability_k([np.random.default_rng(0).random((13, 13))] * 4)
    assert kept.note.startswith(f"{round(math.sqrt(0.4 * 156))} edges of each of 4")
