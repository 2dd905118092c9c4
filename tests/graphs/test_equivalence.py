"""Equivalence classes against causal-learn, networkx and their definitions."""

import contextlib
import io
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

from trueness.graphs import ARROW, CIRCLE, NONE, TAIL, Graph
from trueness.graphs.equivalence import (
    cpdag_of_dag,
    d_separated,
    is_cpdag,
    meek,
    topological_order,
)


def random_dag(rng, d, p):
    upper = np.triu(rng.random((d, d)) < p, 1)
    order = rng.permutation(d)
    return upper[np.ix_(order, order)]


def graph_of(directed):
    return Graph.from_matrix(directed.astype(float), [f"v{i}" for i in range(len(directed))], "row to column")


def random_dags(seed, count, nodes=(2, 10), density=(0.1, 0.8)):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield random_dag(rng, int(rng.integers(*nodes)), rng.uniform(*density))


def every_dag_over(d):
    pairs = list(combinations(range(d), 2))
    for choice in product((0, 1, 2), repeat=len(pairs)):
        directed = np.zeros((d, d), dtype=bool)
        for (i, j), way in zip(pairs, choice, strict=True):
            directed[i, j], directed[j, i] = way == 1, way == 2
        if topological_order(directed) is not None:
            yield directed


def closed(*edges):
    """The edges after Meek's rules, as text."""
    graph = Graph.from_edges(edges, kind="cpdag")
    directed, undirected = meek(graph.directed, graph.undirected)
    marks = np.where(directed, ARROW, np.where(directed.T | undirected, TAIL, NONE))
    return {str(edge) for edge in Graph(graph.nodes, marks, None, "cpdag").edges}


# ---- DAGs


def test_d_separation_agrees_with_networkx():
    rng = np.random.default_rng(3)
    answers = []
    for directed in random_dags(4, 300, nodes=(3, 9), density=(0.1, 0.6)):
        known = nx.from_numpy_array(directed, create_using=nx.DiGraph)
        for _ in range(10):
            x, y, *rest = rng.permutation(len(directed)).tolist()
            given = rest[: rng.integers(0, len(rest) + 1)]
            answers.append(d_separated(directed, x, y, given))
            assert answers[-1] == nx.is_d_separator(known, {x}, {y}, set(given))
    assert 500 < sum(answers) < 2500  # both answers are well covered


# ---- CPDAGs


@pytest.mark.slow
def test_cpdags_agree_with_causal_learn():
    dags = pytest.importorskip("causallearn.graph.Dag")
    dag2cpdag = pytest.importorskip("causallearn.utils.DAG2CPDAG").dag2cpdag
    from causallearn.graph.GraphNode import GraphNode

    for directed in [*every_dag_over(4), *random_dags(5, 500)]:
        graph = graph_of(directed)
        known = dags.Dag([GraphNode(node) for node in graph.nodes])
        for edge in graph.edges:
            known.add_directed_edge(known.get_node(edge.source), known.get_node(edge.target))
        assert graph.to_cpdag() == Graph.from_causallearn(dag2cpdag(known), kind="cpdag")


def test_dags_over_four_nodes_have_185_classes_each_the_intersection_of_its_dags():
    shared = {}
    for directed in every_dag_over(4):
        shared.setdefault(cpdag_of_dag(directed).tobytes(), []).append(directed)
    assert len(shared) == 185  # Gillispie & Perlman 2001, table 1
    for key, dags in shared.items():
        marks = np.frombuffer(key, dtype=np.int8).reshape(4, 4)
        np.testing.assert_array_equal((marks == ARROW) & (marks.T == TAIL), np.all(dags, axis=0))


@pytest.mark.slow
def test_exactly_the_185_classes_over_four_nodes_are_valid():
    # every graph of -> and -- over four nodes: 4^6
    pairs = list(combinations(range(4), 2))
    valid = 0
    for choice in product(range(4), repeat=len(pairs)):
        directed, undirected = np.zeros((4, 4), dtype=bool), np.zeros((4, 4), dtype=bool)
        for (i, j), way in zip(pairs, choice, strict=True):
            directed[i, j], directed[j, i] = way == 1, way == 2
            undirected[i, j] = undirected[j, i] = way == 3
        valid += is_cpdag(directed, undirected)
    assert valid == 185


# ---- PAGs; those with hidden nodes are in test_pag.py


def fci_with_a_perfect_test(directed):
    fci = pytest.importorskip("causallearn.search.ConstraintBased.FCI").fci
    d = len(directed)
    known = nx.from_numpy_array(directed, create_using=nx.DiGraph)
    data = np.random.default_rng(0).normal(size=(d + 1, d))  # not looked at
    with contextlib.redirect_stdout(io.StringIO()):
        found, _ = fci(data, "d_separation", show_progress=False, true_dag=known)
    return Graph.from_causallearn(found, kind="pag", nodes=[f"v{i}" for i in range(d)])


@pytest.mark.slow
def test_pags_of_every_dag_over_four_nodes_agree_with_fci():
    for directed in every_dag_over(4):
        assert graph_of(directed).to_pag() == fci_with_a_perfect_test(directed)


@pytest.mark.slow
def test_arrowheads_of_larger_pags_agree_with_fci():
    # causal-learn's FCI is not exact from five nodes on: it leaves circles where all equivalent MAGs have a tail, and
    # its rule 5 (selection bias) fires where there is none. Its arrowheads, and all else it says, must be ours.
    same = 0
    for directed in random_dags(10, 120, nodes=(5, 7), density=(0.2, 0.7)):
        ours, known = graph_of(directed).to_pag(), fci_with_a_perfect_test(directed)
        np.testing.assert_array_equal(ours.adjacent, known.adjacent)
        assert not ours.undirected.any()
        if not known.undirected.any():
            differs = ours.marks != known.marks
            assert (ours.marks[differs] == TAIL).all() and (known.marks[differs] == CIRCLE).all()
        same += ours == known
    assert same > 100
