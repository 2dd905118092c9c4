"""Equivalence classes against causal-learn, networkx and their definitions."""

import contextlib
import io
from importlib.resources import as_file, files
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

from trueness.graphs import ARROW, CIRCLE, NONE, TAIL, Graph
from trueness.graphs.equivalence import (
    ancestors,
    consistent_extension,
    cpdag_of_dag,
    d_separated,
    find_cycle,
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


def test_there_are_543_dags_over_four_nodes():
    assert sum(1 for _ in every_dag_over(4)) == 543  # OEIS A003024


def test_topological_order_puts_causes_before_effects():
    for directed in random_dags(0, 200):
        order = topological_order(directed)
        place = {node: k for k, node in enumerate(order)}
        assert all(place[i] < place[j] for i, j in np.argwhere(directed))


def test_a_found_cycle_is_a_cycle_and_a_dag_has_none():
    rng = np.random.default_rng(1)
    for _ in range(300):
        d = int(rng.integers(2, 9))
        directed = rng.random((d, d)) < rng.uniform(0.05, 0.4)
        np.fill_diagonal(directed, False)
        cycle = find_cycle(directed)
        assert bool(cycle) == (topological_order(directed) is None)
        if cycle:
            assert cycle[0] == cycle[-1] and len(set(cycle)) == len(cycle) - 1
            assert all(directed[a, b] for a, b in zip(cycle, cycle[1:], strict=False))


def test_ancestors_agree_with_networkx():
    for directed in random_dags(2, 100):
        known = nx.from_numpy_array(directed, create_using=nx.DiGraph)
        for node in range(len(directed)):
            assert set(np.flatnonzero(ancestors(directed, [node]))) == nx.ancestors(known, node) | {node}


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


@pytest.mark.parametrize("children", [255, 256, 257, 512])
def test_any_number_of_common_children_connects_their_parents(children):
    # counted in a byte, 256 common children were none
    directed = np.zeros((children + 2, children + 2), dtype=bool)
    directed[:2, 2:] = True
    assert d_separated(directed, 0, 1, [])
    assert not d_separated(directed, 0, 1, list(range(2, children + 2)))


def test_meek_counts_beyond_a_byte():
    # 256 parents of j, none adjacent to k: each of them orients j -- k
    d = 258
    directed, undirected = np.zeros((d, d), dtype=bool), np.zeros((d, d), dtype=bool)
    directed[:256, 256] = True
    undirected[256, 257] = undirected[257, 256] = True
    assert meek(directed, undirected)[0][256, 257]


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


def test_the_cpdag_of_a_dag_is_valid_and_its_extension_has_the_same_cpdag():
    for directed in random_dags(6, 300):
        cpdag = graph_of(directed).to_cpdag()
        assert cpdag.is_valid(), cpdag.problems()
        dag = consistent_extension(cpdag.directed, cpdag.undirected)
        np.testing.assert_array_equal(cpdag_of_dag(dag), cpdag.marks)


def test_meek_adds_nothing_to_a_cpdag():
    for directed in random_dags(7, 200):
        cpdag = graph_of(directed).to_cpdag()
        after = meek(cpdag.directed, cpdag.undirected)
        np.testing.assert_array_equal(after[0], cpdag.directed)
        np.testing.assert_array_equal(after[1], cpdag.undirected)


@pytest.mark.slow
def test_meek_recovers_the_dag_that_a_background_edge_leads_to():
    # rule 4 is needed with background knowledge only: orient a reversible edge as in the DAG, close, compare with all
    # DAGs of the class that have it
    rng = np.random.default_rng(8)
    checked = 0
    for directed in random_dags(9, 250, nodes=(4, 6), density=(0.4, 0.9)):
        cpdag = graph_of(directed).to_cpdag()
        loose = np.argwhere(cpdag.undirected & directed)
        if not len(loose):
            continue
        i, j = loose[rng.integers(len(loose))]
        known, open_ = cpdag.directed.copy(), cpdag.undirected.copy()
        known[i, j], open_[i, j], open_[j, i] = True, False, False
        got, _ = meek(known, open_)
        members = [dag for dag in extensions(cpdag) if dag[i, j]]
        np.testing.assert_array_equal(got, np.all(members, axis=0))
        checked += 1
    assert checked > 100


def extensions(cpdag):
    """All DAGs of the class, by trying both directions of each undirected edge."""
    pairs = [(i, j) for i, j in np.argwhere(cpdag.undirected) if i < j]
    for choice in product((False, True), repeat=len(pairs)):
        dag = cpdag.directed.copy()
        for (i, j), turned in zip(pairs, choice, strict=True):
            dag[(j, i) if turned else (i, j)] = True
        if topological_order(dag) is not None and (cpdag_of_dag(dag) == cpdag.marks).all():
            yield dag


@pytest.mark.parametrize(
    ("name", "reversible"),
    [("asia", 3), ("cancer", 0), ("child", 12), ("insurance", 18), ("alarm", 4), ("sachs-17", 17)],
)
def test_published_networks_have_their_reversible_edges(name, reversible):
    with as_file(files("trueness.datasets") / "data" / f"{name}.bif.gz") as path:
        cpdag = Graph.read(path).to_cpdag()
    assert cpdag.undirected.sum() // 2 == reversible


def test_meek_rule_1_makes_no_new_collider():
    assert closed("i -> j", "j -- k") == {"i -> j", "j -> k"}


def test_meek_rule_1_needs_the_ends_apart():
    assert closed("i -> j", "j -- k", "i -- k") == {"i -> j", "j -- k", "i -- k"}


def test_meek_rule_2_closes_no_cycle():
    assert closed("i -> j", "j -> k", "i -- k") == {"i -> j", "j -> k", "i -> k"}


def test_meek_rule_3_meets_two_paths():
    # i - j -> l, i - k -> l, j and k apart
    assert closed("i -- j", "i -- k", "j -> l", "k -> l", "i -- l") == {
        "i -- j",
        "i -- k",
        "j -> l",
        "k -> l",
        "i -> l",
    }


def test_meek_rule_4_goes_around():
    # i - k -> l -> j, i - l, k and j apart: then i -> j
    got = closed("i -- k", "k -> l", "l -> j", "i -- l", "i -- j")
    assert "i -> j" in got and "i -- k" in got and "i -- l" in got


@pytest.mark.parametrize(
    ("edges", "problem"),
    [
        (["a -> b", "b -> c", "c -> a"], "has a directed cycle"),
        (["a <-> b", "b -> c"], "has a bidirected edge a <-> b"),
        (["a -> b", "b -- c"], "is not the CPDAG of any DAG"),  # rule 1 applies
        (["a -- b", "b -- c", "c -- d", "d -- a"], "is not the CPDAG of any DAG"),  # a hole: no chordal part
        (["a -> b"], "is not the CPDAG of any DAG"),  # the edge could be turned
        (["a -> c", "b -> c", "a -> b"], "is not the CPDAG of any DAG"),  # shielded collider
        (["a -- b", "b -> c", "a -> c", "d -> c", "d -- a", "e -> d"], "is not the CPDAG of any DAG"),
    ],
)
def test_what_is_no_cpdag_is_not_valid(edges, problem):
    graph = Graph.from_edges(edges, kind="cpdag")
    assert not graph.is_valid()
    assert problem in graph.problems()[0]


@pytest.mark.parametrize(
    "edges",
    [["a -- b", "b -- c"], ["a -> c", "b -> c"], ["a -- b", "b -- c", "a -- c"], ["a -> c", "b -> c", "c -> d"]],
)
def test_textbook_cpdags_are_valid(edges):
    assert Graph.from_edges(edges, kind="cpdag").is_valid()


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


def test_a_pag_without_hidden_nodes_has_the_arrowheads_of_the_cpdag():
    # an arrowhead shared by all DAGs of a class is shared by all its MAGs, and the other way round
    for directed in random_dags(11, 300, nodes=(3, 9)):
        graph = graph_of(directed)
        pag, cpdag = graph.to_pag(), graph.to_cpdag()
        np.testing.assert_array_equal(pag.adjacent, cpdag.adjacent)
        np.testing.assert_array_equal(pag.marks == ARROW, cpdag.marks == ARROW)


def test_equivalent_dags_have_one_pag():
    for directed in random_dags(12, 100, nodes=(3, 8)):
        graph = graph_of(directed)
        cpdag = graph.to_cpdag()
        other = consistent_extension(cpdag.directed, cpdag.undirected)
        assert graph_of(other).to_pag() == graph.to_pag()


def test_hiding_every_node_leaves_nothing():
    graph = Graph.from_edges(["a -> b"])
    assert graph.to_pag(latent=["a", "b"]).nodes == ()
