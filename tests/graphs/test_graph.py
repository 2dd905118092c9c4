"""What a Graph promises: direction said, names kept, kinds checked, never changed."""

import numpy as np
import pytest
from tests.each import each

from trueness.errors import GraphError
from trueness.graphs import ARROW, CIRCLE, NONE, TAIL, Graph

CHAIN = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]  # row to column: a -> b -> c


def edges(graph):
    return {str(edge) for edge in graph.edges}


# ---- from a matrix


def test_a_matrix_without_direction_is_refused():
    with pytest.raises(GraphError, match="row to column.*column to row.*got None. Say which"):
        Graph.from_matrix(CHAIN, "abc")


@pytest.mark.parametrize("direction", ["rows", "", 1, "row_to_column"])
def test_an_unknown_direction_is_refused(direction):
    with pytest.raises(GraphError, match="'direction' of a matrix must be"):
        Graph.from_matrix(CHAIN, "abc", direction)


def test_the_direction_says_what_an_entry_means():
    assert edges(Graph.from_matrix(CHAIN, "abc", "row to column")) == {"a -> b", "b -> c"}
    assert edges(Graph.from_matrix(CHAIN, "abc", "column to row")) == {"b -> a", "c -> b"}


def test_a_transposed_matrix_gives_another_graph():
    rng = np.random.default_rng(0)
    for _ in range(100):
        d = int(rng.integers(2, 8))
        matrix = np.triu(rng.random((d, d)) < 0.5, 1).astype(float)
        nodes = [f"v{i}" for i in range(d)]
        graph, turned = (Graph.from_matrix(m, nodes, "row to column") for m in (matrix, matrix.T))
        assert (graph != turned) == bool(matrix.any())
        assert turned == Graph.from_matrix(matrix, nodes, "column to row")


def test_a_pair_of_entries_is_undirected_in_a_cpdag_and_bidirected_in_a_pag():
    pair = [[0, 1], [1, 0]]
    assert edges(Graph.from_matrix(pair, "ab", "row to column", kind="cpdag")) == {"a -- b"}
    assert edges(Graph.from_matrix(pair, "ab", "row to column", kind="pag")) == {"a <-> b"}
    with pytest.raises(GraphError, match="a -> b and b -> a.*kind='cpdag'"):
        Graph.from_matrix(pair, "ab", "row to column")


def test_weights_stay_where_entries_are_not_0_or_1():
    graph = Graph.from_matrix([[0, -2.5], [0, 0]], "ab", "row to column")
    assert graph.edges[0].weight == -2.5
    assert Graph.from_matrix([[0, 1], [0, 0]], "ab", "row to column").weights is None
    turned = Graph.from_matrix([[0, -2.5], [0, 0]], "ab", "column to row")
    assert (str(turned.edges[0]), turned.edges[0].weight) == ("b -> a", -2.5)


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


def test_a_large_matrix_with_a_pair_and_too_few_names_is_refused_by_name():
    pair = np.zeros((3, 3))
    pair[1, 2] = pair[2, 1] = 1
    with pytest.raises(GraphError, match="over 2 nodes"):
        Graph.from_matrix(pair, "ab", "row to column")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_weight_that_is_no_number_is_refused(value):
    with pytest.raises(GraphError, match="finite numbers"):
        Graph.from_matrix([[0, value], [0, 0]], "ab", "row to column")


def test_a_node_is_not_its_own_cause():
    with pytest.raises(GraphError, match="an edge from 'b' to itself"):
        Graph.from_matrix([[0, 0], [0, 1]], "ab", "row to column")


# ---- kinds


def test_a_cycle_in_a_dag_is_shown():
    with pytest.raises(GraphError, match="must have no cycle, got b -> c -> d -> b"):
        Graph.from_edges(["a -> b", "b -> c", "c -> d", "d -> b"])


def test_a_cycle_in_an_answer_is_a_problem_not_an_error():
    graph = Graph.from_edges(["a -> b", "b -> c", "c -> a"], kind="cpdag")
    assert graph.find_cycle() == ("a", "b", "c", "a")
    assert not graph.is_valid()
    assert graph.problems() == ("has a directed cycle a -> b -> c -> a",)
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        graph.topological_order()


@pytest.mark.parametrize(
    ("edge", "kind"), [("a -> b", "dag"), ("a -- b", "cpdag"), ("a o-> b", "pag"), ("a <-> b", "pag")]
)
def test_the_kind_is_the_narrowest_that_fits(edge, kind):
    assert Graph.from_edges([edge]).kind == kind


@pytest.mark.parametrize("edge", ["a -- b", "a o-> b", "a <-> b", "a o-o b"])
def test_a_dag_has_directed_edges_only(edge):
    with pytest.raises(GraphError, match="a dag must have directed edges only"):
        Graph.from_edges([edge], kind="dag")


def test_a_cpdag_has_no_circles():
    with pytest.raises(GraphError, match="Use kind='pag'"):
        Graph.from_edges(["a o-> b"], kind="cpdag")


def test_an_unknown_kind_is_refused():
    with pytest.raises(GraphError, match="must be one of dag, cpdag, pag, weighted, got 'tree'"):
        Graph.empty("ab", kind="tree")


@pytest.mark.parametrize("question", ["to_cpdag", "to_pag"])
def test_classes_are_of_dags(question):
    graph = Graph.from_matrix([[0, 2.0], [3.0, 0]], "ab", "row to column", kind="weighted")
    with pytest.raises(GraphError, match="is defined on a dag, got a weighted"):
        getattr(graph, question)()


# ---- marks and edges


@each("arrow", ["->", "--", "<->", "o->", "o-o", "-o"])
def test_an_edge_reads_as_it_was_written(arrow):
    text = f"a {arrow} b"
    graph = Graph.from_edges([text], kind="pag")
    assert str(graph.edges[0]) == text


@pytest.mark.parametrize(("written", "read"), [("a <- b", "b -> a"), ("a <-o b", "b o-> a"), ("a --> b", "a -> b")])
def test_other_spellings_of_an_edge(written, read):
    assert edges(Graph.from_edges([written])) == {read}


@each("text", ["a b", "a -> b c", "a > b", "a x-> b", "", "a - b"])
def test_an_edge_that_cannot_be_read_is_shown(text):
    with pytest.raises(GraphError, match="an edge must read 'a -> b'"):
        Graph.from_edges([text])


def test_marks_are_at_the_far_end():
    graph = Graph.from_edges(["a o-> b"])
    assert (graph.marks[0, 1], graph.marks[1, 0]) == (ARROW, CIRCLE)


def test_a_pair_has_one_edge():
    with pytest.raises(GraphError, match="a second one: b -> a"):
        Graph.from_edges(["a -> b", "b -> a"])


def test_a_misspelt_node_is_named_with_the_nearest():
    with pytest.raises(GraphError, match="'smoek' in edge .* is not a node. Did you mean 'smoke'?"):
        Graph.from_edges(["smoek -> cancer"], nodes=["smoke", "cancer"])
    with pytest.raises(GraphError, match="Did you mean 'smoke'?"):
        Graph.empty(["smoke", "cancer"]).index("smoek")


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


def test_a_name_is_used_once():
    with pytest.raises(GraphError, match="unique, got a more than once"):
        Graph.empty(["a", "b", "a"])


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


def test_graphs_that_differ_in_kind_marks_nodes_or_weights_are_not_equal():
    graph = Graph.from_edges(["a -> b"])
    others = [
        Graph.from_edges(["b -> a"]),
        Graph.from_edges(["a -> b"], kind="cpdag"),
        Graph.from_edges(["a -> b"], nodes=["a", "b", "c"]),
        Graph.from_matrix([[0, 2.0], [0, 0]], "ab", "row to column"),
    ]
    assert all(other != graph for other in others)
    assert graph != "a -> b"


def test_reordering_moves_marks_and_weights_with_their_names():
    graph = Graph.from_matrix([[0, 2.0, 0], [0, 0, 3.0], [0, 0, 0]], "abc", "row to column")
    turned = graph.reorder("cab")
    assert edges(turned) == {"a -> b", "b -> c"}
    assert turned.weights[turned.index("b"), turned.index("c")] == 3.0


def test_reordering_needs_the_same_names():
    with pytest.raises(GraphError, match="the same 2 names, got a difference: b, c"):
        Graph.empty("ab").reorder("ac")


def test_renaming_keeps_the_edges():
    assert edges(Graph.from_edges(["a -> b"]).rename({"a": "cause"})) == {"cause -> b"}


def test_threshold_keeps_strong_edges_with_their_direction():
    graph = Graph.from_matrix([[0, 0.9, -0.5], [0.1, 0, 0], [0, 0, 0]], "abc", "row to column", kind="weighted")
    assert edges(graph.threshold(0.3)) == {"a -> b", "a -> c"}
    assert edges(graph.threshold(0.05, kind="pag")) == {"a <-> b", "a -> c"}
    assert edges(graph.threshold(2.0)) == set()
    with pytest.raises(GraphError, match="needs weights"):
        Graph.empty("ab").threshold(0.1)


def test_parents_order_and_separation_go_by_name():
    graph = Graph.from_edges(["smoke -> tar", "tar -> cancer", "gene -> smoke", "gene -> cancer"])
    assert graph.parents("cancer") == ("tar", "gene")
    assert graph.topological_order() == ("gene", "smoke", "tar", "cancer")
    assert graph.d_separated("smoke", "cancer", ["tar", "gene"])
    assert not graph.d_separated("smoke", "cancer", ["tar"])


def test_a_graph_reads_well_in_a_terminal():
    graph = Graph.from_edges(["a -> b", "b -> c"])
    assert repr(graph) == "Graph(dag, 3 nodes, 2 edges: a -> b, b -> c)"
    assert len(graph) == 3
