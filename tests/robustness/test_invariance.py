"""Whether kept edges stay the same: memberships, Jaccard, expected edges, parts told apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.graphs import Graph
from trueness.status import Status
from trueness.studies.robustness.calibration import disentanglement, expected_edges, invariance, membership
from trueness.studies.robustness.scores import RobustnessScores, ScorerAnswer, System, Variant

TRUTH = Graph.from_edges(["a -> b", "b -> c"], tuple("abcd"), "dag")


def evaluation(matrices, told_apart=None):
    """One scorer on one graph: a matrix for each corruption."""
    answers = tuple(
        ScorerAnswer("g", f"c{k}", "s", 0, Status.OK, matrix, disentanglement=told_apart)
        for k, matrix in enumerate(matrices)
    )
    corruptions = {f"c{k}": Variant(False) for k in range(len(matrices))}
    return RobustnessScores({"g": System(TRUTH, "known", False, 100)}, corruptions, ("s",), answers, "c0", "s")


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 4))
def test_a_membership_holds_k_edges_or_all_that_have_a_score(seed, k, levels):
    size = np.random.default_rng(seed).integers(0, levels + 1, (4, 4)).astype(float)
    np.fill_diagonal(size, 0.0)
    found = membership(size, k)
    assert found.sum() == pytest.approx(min(k, np.count_nonzero(size)))
    assert ((found >= 0) & (found <= 1)).all() and not found[size == 0].any()


def test_tied_pairs_share_their_places_whatever_the_order_of_columns():
    size = np.array([[0, 3.0, 1.0], [1.0, 0, 0], [0, 1.0, 0]])
    assert membership(size, 2)[[0, 0, 1, 2], [1, 2, 0, 1]] == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])


def test_the_same_edges_under_every_corruption_agree_fully_and_reversed_ones_not_at_all():
    up = np.triu(np.arange(1.0, 17).reshape(4, 4), 1)
    assert invariance(evaluation([up, up, 2 * up])).loc[0, "value"] == 1
    two = np.zeros((4, 4))
    two[[0, 1, 2, 0], [1, 2, 3, 3]] = [4, 3, 2, 1]
    assert invariance(evaluation([two, two.T])).loc[0, "value"] == 0


def test_expected_edges_are_counted_beside_chance():
    scores = np.zeros((4, 4))
    scores[[0, 1, 2, 3], [1, 2, 3, 0]] = [4, 3, 2, 1]
    edges = {"required": ["a -> b", "b -> a", "x -> y"], "forbidden": ["d -> a"]}
    frame = expected_edges(evaluation([scores]), edges).set_index("kind")  # K: one edge a node
    assert frame.loc["required", ["edges", "k", "found"]].tolist() == [2, 4, 1]
    assert frame.loc["required", "chance"] == pytest.approx(2 * 4 / 12) and frame.loc["forbidden", "found"] == 1


def test_only_scorers_with_two_parts_have_a_disentanglement():
    matrix = np.ones((4, 4)) - np.eye(4)
    assert disentanglement(evaluation([matrix])).empty
    assert disentanglement(evaluation([matrix], (0.75, 0.5)))["value"].tolist() == [0.25]
