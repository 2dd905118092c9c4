"""What a Graph promises: direction said, names kept, kinds checked, never changed."""

import numpy as np
import pytest
from tests.each import each

from trueness.errors import GraphError
from trueness.graphs import ARROW, NONE, TAIL, Graph

CHAIN = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]  # row to column: a -> b -> c


def edges(graph):
    return {str(edge) for edge in graph.edges}


# ---- from a matrix


def test_a_transposed_matrix_gives_another_graph():
    rng = np.random.default_rng(0)
    for _ in range(100):
        d = int(rng.integers(2, 8))
        matrix = np.triu(rng.random((d, d)) < 0.5, 1).astype(float)
        nodes = [f"v{i}" for i in range(d)]
        graph, turned = (Graph.from_matrix(m, nodes, "row to column") for m in (matrix, matrix.T))
        assert (graph != turned) == bool(matrix.any())
        assert turned == Graph.from_matrix(matrix, nodes, "column to row")


@each(
    "matrix",
    [
        np.zeros((2, 3)),
        np.zeros((3, 3)),
        np.zeros(2),
        [[0, 1], [0]],
        [["x", "y"], ["z", "w"]],
        [[0, 0], [1, 0], [0, 1]],
    ],
)
def test_a_matrix_that_does_not_fit_its_names_is_refused(matrix):
    with pytest.raises(GraphError, match="a matrix"):
        Graph.from_matrix(matrix, "ab", "row to column")


# ---- kinds


@pytest.mark.parametrize(
    ("edge", "kind"), [("a -> b", "dag"), ("a -- b", "cpdag"), ("a o-> b", "pag"), ("a <-> b", "pag")]
)
def test_the_kind_is_the_narrowest_that_fits(edge, kind):
    assert Graph.from_edges([edge]).kind == kind


# ---- marks and edges


@each("arrow", ["->", "--", "<->", "o->", "o-o", "-o"])
def test_an_edge_reads_as_it_was_written(arrow):
    text = f"a {arrow} b"
    graph = Graph.from_edges([text], kind="pag")
    assert str(graph.edges[0]) == text


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ([[0, ARROW], [NONE, 0]], "a mark at both ends"),
        ([[0, 7], [1, 0]], "a mark must be 0"),
        ([[0, ARROW, 0], [TAIL, 0, 0]], "must be 2 x 2"),
        ([[TAIL, 0], [0, 0]], "an edge from 'a' to itself"),
    ],
)
def test_marks_that_make_no_graph_are_refused(marks, message):
    with pytest.raises(GraphError, match=message):
        Graph(("a", "b"), np.array(marks), None, "pag")


def test_a_weight_belongs_to_an_edge():
    marks = np.array([[0, ARROW, 0], [TAIL, 0, 0], [0, 0, 0]])
    for place in [(1, 0), (0, 2), (1, 1)]:  # against the arrow, no edge, a node itself
        weights = np.zeros((3, 3))
        weights[place] = 0.5
        with pytest.raises(GraphError, match="a weight must belong to an edge, got 0.5"):
            Graph(("a", "b", "c"), marks, weights, "dag")


# ---- graphs as values


def test_a_graph_is_never_changed():
    marks = np.array([[0, ARROW], [TAIL, 0]])
    graph = Graph(("a", "b"), marks)
    marks[0, 1] = NONE
    assert graph.n_edges() == 1
    with pytest.raises(ValueError, match="read-only"):
        graph.marks[0, 1] = NONE


def random_marks(rng, d, kind):
    choices = {"dag": ["->"], "cpdag": ["->", "<-", "--"], "pag": ["->", "<-", "--", "<->", "o->", "<-o", "o-o", "-o"]}
    names = [f"v{i}" for i in range(d)]
    texts = [
        f"{names[i]} {rng.choice(choices[kind])} {names[j]}"
        for i in range(d)
        for j in range(i + 1, d)
        if rng.random() < 0.4
    ]
    return Graph.from_edges(texts, nodes=names, kind=kind)


@pytest.mark.parametrize("kind", ["dag", "cpdag", "pag"])
def test_the_order_of_nodes_does_not_matter_to_equality_or_hash(kind):
    rng = np.random.default_rng(1)
    for _ in range(100):
        graph = random_marks(rng, int(rng.integers(1, 8)), kind)
        turned = graph.reorder([graph.nodes[i] for i in rng.permutation(len(graph))])
        assert turned == graph and hash(turned) == hash(graph)
        assert turned.reorder(graph.nodes).nodes == graph.nodes


def test_reordering_moves_marks_and_weights_with_their_names():
    graph = Graph.from_matrix([[0, 2.0, 0], [0, 0, 3.0], [0, 0, 0]], "abc", "row to column")
    turned = graph.reorder("cab")
    assert edges(turned) == {"a -> b", "b -> c"}
    assert turned.weights[turned.index("b"), turned.index("c")] == 3.0


def test_parents_order_and_separation_go_by_name():
    graph = Graph.from_edges(["smoke -> tar", "tar -> cancer", "gene -> smoke", "gene -> cancer"])
    assert graph.parents("cancer") == ("tar", "gene")
    assert graph.topological_order() == ("gene", "smoke", "tar", "cancer")
    assert graph.d_separated("smoke", "cancer", ["tar", "gene"])
    assert not graph.d_separated("smoke", "cancer", ["tar"])
