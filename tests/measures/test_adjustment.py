"""AID and SID: gadjid's numbers on valid graphs, no number otherwise."""

import numpy as np
import pytest
from tests.each import each

from trueness.graphs import Graph
from trueness.measures import UNDEFINED, Reference, score_graph

gadjid = pytest.importorskip("gadjid")

DISTANCES = ("parent_aid", "ancestor_aid", "oset_aid", "sid")
DIRECTION = "from row to column"


def dag(*rows):
    return Graph.from_matrix(np.array(rows), "abcde", direction="row to column")


# Peters & Buehlmann (2015), doi:10.1162/NECO_a_00708, their example: SHD 1 twice, SID 0 and 8 (of 20 pairs)
TRUE = dag([0, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0] * 5, [0] * 5, [0] * 5)
EXTRA = dag([0, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 0], [0] * 5, [0] * 5)
REVERSED = dag([0, 0, 1, 1, 1], [1, 0, 1, 1, 1], [0] * 5, [0] * 5, [0] * 5)


def test_sid_of_the_papers_example():
    extra, turned = score_graph(EXTRA, TRUE), score_graph(REVERSED, TRUE)
    assert (extra["shd"].value, turned["shd"].value) == (1, 1)
    assert (extra["sid"].value, turned["sid"].value) == (0, 8 / 20)


def test_the_distance_is_from_the_truth_to_the_estimate_and_not_back():
    # an edge too many only makes adjustment sets larger; an edge too few loses an effect
    assert score_graph(EXTRA, TRUE)["sid"].value == 0
    assert score_graph(TRUE, EXTRA)["sid"].value > 0


def matrices(*graphs):
    return ((g.directed + 2 * np.triu(g.undirected)).astype(np.int8) for g in graphs)


@pytest.mark.parametrize("kind", ["dag", "cpdag"])
def test_distances_are_gadjids_against_the_truth_of_the_class(kind):
    rng = np.random.default_rng(3)
    for _ in range(40):
        d = int(rng.integers(2, 9))
        truth, estimate = (
            Graph.from_matrix(np.triu(rng.random((d, d)) < 0.4, 1), "abcdefghi"[:d], direction="row to column")
            for _ in range(2)
        )
        target = truth
        if kind == "cpdag":
            estimate, target = estimate.to_cpdag(), truth.to_cpdag()
        scores = Reference(truth).score(estimate, DISTANCES)
        for name in DISTANCES[:3]:
            expected = getattr(gadjid, name)(*matrices(target, estimate), edge_direction=DIRECTION)[0]
            assert scores[name].value == expected
        assert (scores["sid"] == UNDEFINED) == (kind == "cpdag")


@each(
    "estimate",
    [
        Graph.from_edges(["a -> b", "b -- c"], nodes="abc", kind="cpdag"),  # Meek's rule 1 would direct b -> c
        Graph.from_edges(["a <-> b", "b -- c"], nodes="abc", kind="pag"),
        Graph.from_edges(["a -> b", "b -> c", "c -> a"], nodes="abc", kind="cpdag"),
        Graph(tuple("abc"), [[0, 2, 0], [2, 0, 0], [0, 0, 0]], None, "cpdag"),  # a <-> b in a cpdag
        Graph.from_edges(["a o-> b"], nodes="abc"),
    ],
)
def test_what_is_no_valid_dag_or_cpdag_has_no_distance(estimate):
    scores = score_graph(estimate, Graph.from_edges(["a -> b", "b -> c"]))
    assert all(scores[name] == UNDEFINED for name in DISTANCES)
    assert scores["shd"].value is not None
