"""AUPRC and AUROC of edge scores: an independent implementation's numbers, ties, direction, and no number for 0 / 0."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.each import each

from trueness.errors import GraphError
from trueness.graphs import Graph
from trueness.measures.ranking import RANKING_MEASURES, average_precision, chance, score_ranking

TRUTH = Graph.from_edges(["a -> b", "b -> c", "a -> d"], tuple("abcd"), "dag")


def random_case(seed, levels=5):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, 8))
    edges = np.triu(rng.random((d, d)) < 0.4, 1)
    edges[0, 1] = True
    truth = Graph.from_matrix(edges, "abcdefgh"[:d], direction="row to column")
    return rng.integers(0, levels, (d, d)).astype(float), truth


@each("seed", range(20))
def test_numbers_are_scikit_learns_with_ties(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    scores, truth = random_case(seed)
    off = ~np.eye(len(truth), dtype=bool)
    found = score_ranking(scores, truth)
    assert found["auprc"].value == pytest.approx(metrics.average_precision_score(truth.directed[off], scores[off]))
    assert found["auroc"].value == pytest.approx(metrics.roc_auc_score(truth.directed[off], scores[off]))
    upper = np.triu_indices(len(truth), 1)
    pair = np.maximum(scores, scores.T)[upper]
    joined = (truth.directed | truth.directed.T)[upper]
    assert found["skeleton_auprc"].value == pytest.approx(metrics.average_precision_score(joined, pair))


def test_the_truth_itself_is_perfect_and_its_transpose_is_not():
    right, turned = (score_ranking(matrix.astype(float), TRUTH) for matrix in (TRUTH.directed, TRUTH.directed.T))
    assert [right[name].value for name in RANKING_MEASURES] == [1, 1, 1, 1]
    assert turned["auprc"].value < 0.3 and turned["skeleton_auprc"].value == 1


def test_equal_scores_everywhere_get_the_share_of_true_pairs():
    found = score_ranking(np.ones((4, 4)), TRUTH)
    assert found["auprc"].value == pytest.approx(3 / 12)
    assert found["auroc"].value == 0.5


def test_chance_is_what_random_scores_get_and_not_what_constant_ones_get():
    """Over all orders of the pairs of a small graph, exactly; and the figures of d = 8, T = 10."""
    small = Graph.from_edges(["a -> b", "c -> b"], tuple("abc"), "dag")
    off, upper = ~np.eye(3, dtype=bool), np.triu_indices(3, 1)
    for name, true in (("auprc", small.directed[off]), ("skeleton_auprc", (small.directed | small.directed.T)[upper])):
        every = [average_precision(np.array(order, float), true).value for order in permutations(range(len(true)))]
        assert chance(name, small) == pytest.approx(np.mean(every))
    edges = np.zeros((8, 8), dtype=bool)
    edges[np.triu_indices(8, 1)[0][:10], np.triu_indices(8, 1)[1][:10]] = True
    truth = Graph.from_matrix(edges, "abcdefgh", direction="row to column")
    assert chance("auprc", truth) == pytest.approx(0.2326, abs=1e-4)  # 10 / 56 = .179 is that of constant scores
    assert chance("auroc", truth) == chance("skeleton_auroc", truth) == 0.5


@given(st.integers(0, 10**6))
def test_permuting_the_columns_changes_nothing(seed):
    scores, truth = random_case(seed)
    order = np.random.default_rng(seed).permutation(len(truth))
    moved = Graph.from_matrix(
        truth.directed[np.ix_(order, order)], [truth.nodes[j] for j in order], direction="row to column"
    )
    one, other = score_ranking(scores, truth), score_ranking(scores[np.ix_(order, order)], moved)
    for name in RANKING_MEASURES:
        assert (one[name].value is None) == (other[name].value is None)
        assert one[name].value == pytest.approx(other[name].value)


def test_a_weighted_graph_is_matched_by_name():
    scores = np.random.default_rng(0).random((4, 4)) * (1 - np.eye(4))
    graph = Graph.from_matrix(scores, "abcd", direction="row to column", kind="weighted")
    assert score_ranking(graph.reorder(("d", "b", "a", "c")), TRUTH) == score_ranking(scores, TRUTH)


@pytest.mark.parametrize(
    ("scores", "told"), [(np.ones((3, 3)), "must be 4 x 4, got"), (np.full((4, 4), np.nan), "must be finite numbers")]
)
def test_scores_that_are_none_are_told(scores, told):
    with pytest.raises(GraphError, match=told):
        score_ranking(scores, TRUTH)
