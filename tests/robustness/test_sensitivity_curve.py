"""The curve over all K: the numbers of trueness.measures at each K, and the verdict around a chosen one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.errors import SettingError
from trueness.graphs import Graph
from trueness.measures import Reference
from trueness.studies.robustness.sensitivity import (
    CURVES,
    k_range,
    original_range,
    sensitivity_curve,
)

LETTERS = "abcdefghijklmnop"


def random_truth(rng, d):
    edges = np.triu(rng.random((d, d)) < 0.4, 1)
    edges[0, 1] = True
    order = rng.permutation(d)
    return Graph.from_matrix(edges[np.ix_(order, order)], LETTERS[:d], direction="row to column")


def chain(d=12):
    return Graph.from_edges([f"{a} -> {b}" for a, b in zip(LETTERS, LETTERS[1:d], strict=False)], LETTERS[:d], "dag")


def ranked_pairs(scores, rng=None):
    """Ordered pairs with a score, largest first; equals as they come, or shuffled."""
    d = len(scores)
    pairs = [(i, j) for i in range(d) for j in range(d) if i != j and scores[i, j]]
    if rng is not None:
        rng.shuffle(pairs)
    return sorted(pairs, key=lambda pair: -abs(scores[pair]))


def kept(pairs, k, d):
    matrix = np.zeros((d, d), dtype=bool)
    for pair in pairs[:k]:
        matrix[tuple(pair)] = True
    return matrix


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_every_k_has_the_numbers_of_the_measures_of_graphs(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 8))
    truth = random_truth(rng, d)
    scores = np.triu(rng.standard_normal((d, d)) * (rng.random((d, d)) < 0.8), 1)  # one direction a pair: a DAG
    order = rng.permutation(d)
    scores = scores[np.ix_(order, order)]
    curve, reference = sensitivity_curve(scores, truth), Reference(truth)
    pairs = ranked_pairs(scores)
    for k in range(1, d * (d - 1) + 1):
        estimate = Graph.from_matrix(kept(pairs, k, d), truth.nodes, direction="row to column")
        expected = reference.score(estimate)
        found = curve.at(k)
        assert found["edges"] == estimate.n_edges()
        for name in CURVES[1:]:
            value = expected[name].value
            assert np.isnan(found[name]) if value is None else found[name] == pytest.approx(value)


def by_hand(matrix, edges):
    """(tp, SHD fp + fn, SHD by pairs, pairs joined, of them true)"""
    wrong = matrix != edges
    joined, true_joined = matrix | matrix.T, edges | edges.T
    overlap = np.triu(joined & true_joined).sum()
    return (matrix & edges).sum(), wrong.sum(), np.triu(wrong | wrong.T).sum(), np.triu(joined).sum(), overlap


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_both_directions_of_a_pair_count_as_two_edges_and_one_wrong_pair(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    truth, scores = random_truth(rng, d), rng.standard_normal((d, d))
    curve, pairs, total = sensitivity_curve(scores, truth), ranked_pairs(scores), truth.n_edges()
    for k in range(1, d * (d - 1) + 1):
        tp, twice, shd, joined, overlap = by_hand(kept(pairs, k, d), truth.directed)
        found = curve.at(k)
        assert (found["shd_reversals_twice"], found["shd"]) == (twice, shd)
        assert found["f1"] == pytest.approx(2 * tp / (k + total))
        assert found["skeleton_f1"] == pytest.approx(2 * overlap / (joined + total))


@pytest.mark.parametrize("seed", range(4))
def test_ties_have_the_mean_over_all_their_orders(seed):
    rng = np.random.default_rng(seed)
    truth, scores = random_truth(rng, 5), rng.integers(0, 3, (5, 5)).astype(float)
    curve, total = sensitivity_curve(scores, truth), truth.n_edges()
    for k in (2, 5, 9):
        draws = [by_hand(kept(ranked_pairs(scores, rng), k, 5), truth.directed) for _ in range(1000)]
        tp, twice, shd, *_ = np.mean(draws, axis=0)
        found = curve.at(k)
        assert found["f1"] == pytest.approx(2 * tp / (found["edges"] + total), abs=0.03)
        assert found["shd_reversals_twice"] == pytest.approx(twice, abs=0.2)
        assert found["shd"] == pytest.approx(shd, abs=0.2)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_the_order_of_columns_does_not_matter_even_with_ties(seed):
    rng = np.random.default_rng(seed)
    truth, scores = random_truth(rng, 6), rng.integers(0, 3, (6, 6)).astype(float)
    order = rng.permutation(6)
    at = np.ix_(order, order)
    moved = Graph.from_matrix(truth.directed[at], [truth.nodes[j] for j in order], direction="row to column")
    one, other = sensitivity_curve(scores, truth), sensitivity_curve(scores[at], moved)
    for name in CURVES:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name))


def test_a_transposed_matrix_changes_the_directed_curve_and_not_the_skeletons():
    truth = random_truth(np.random.default_rng(0), 6)
    scores = truth.directed * np.random.default_rng(1).random((6, 6))
    right, turned = sensitivity_curve(scores, truth), sensitivity_curve(scores.T, truth)
    t = truth.n_edges()
    assert right.at(t)["f1"] == 1 and turned.at(t)["f1"] == 0
    assert right.at(t)["skeleton_f1"] == turned.at(t)["skeleton_f1"] == 1


def test_scores_of_zero_are_no_edges_however_large_k_is():
    truth = Graph.from_edges(["a -> b", "b -> c"], tuple("abc"), "dag")
    curve = sensitivity_curve([[0, 1, 0], [0, 0, 0], [0, 0, 0]], truth)
    assert curve.edges.tolist() == [1] * 6 and curve.at(6)["precision"] == 1
    empty = sensitivity_curve(np.zeros((3, 3)), truth)
    assert empty.at(3)["edges"] == 0 and np.isnan(empty.at(3)["precision"]) and empty.at(3)["shd"] == 2


def test_k_ranges_are_the_originals_and_one_from_d_alone():
    assert original_range(13, 13) == (5, 39)  # the original's: [5, 39] for 13 edges
    assert original_range(1, 3) == (5, 5) and original_range(13, 3) == (5, 6)
    assert k_range(13) == (1, 52) and k_range(2) == (1, 2)


@pytest.mark.parametrize("k", [0, 7, 157])
def test_a_k_that_cannot_be_is_told(k):
    d = 3 if k == 7 else 13
    with pytest.raises(SettingError, match=f"got {k}"):
        sensitivity_curve(np.ones((d, d)), Graph.empty(LETTERS[:d])).at(k)
