"""Graph scores: which edges count as correct, against which reference, and when there is no number."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.errors import GraphError, SettingError
from trueness.graphs import ARROW, CIRCLE, NONE, TAIL, Graph
from trueness.measures import MEASURES, UNDEFINED, Reference, Score, score_graph
from trueness.status import Status

ASIA = Graph.from_edges(
    ["asia -> tub", "smoke -> lung", "smoke -> bronc", "tub -> either", "lung -> either"]
    + ["either -> xray", "either -> dysp", "bronc -> dysp"]
)
SACHS = Graph.from_edges(  # the 17 edges of bnlearn's sachs.bif
    ["Erk -> Akt", "PKA -> Akt", "Mek -> Erk", "PKA -> Erk", "PKA -> Jnk", "PKC -> Jnk", "PKA -> Mek", "PKC -> Mek"]
    + ["Raf -> Mek", "PKA -> P38", "PKC -> P38", "PIP3 -> PIP2", "Plcg -> PIP2", "Plcg -> PIP3", "PKC -> PKA"]
    + ["PKA -> Raf", "PKC -> Raf"]
)


def random_dag(rng, d, p):
    order = rng.permutation(d)
    upper = np.triu(rng.random((d, d)) < p, k=1)
    return Graph.from_matrix(upper[np.ix_(order, order)], [f"x{i}" for i in range(d)], direction="row to column")


def pairs_of_dags(n, most=10):
    rng = np.random.default_rng(20)
    for _ in range(n):
        d, p = int(rng.integers(2, most + 1)), rng.uniform(0.05, 0.6)
        yield random_dag(rng, d, p), random_dag(rng, d, p)


def values(scores, *names):
    return tuple(scores[name].value for name in names)


# ---- golden figures


def test_the_true_cpdag_of_asia_against_the_dag():
    # facts/discovery.md: strict directed F1 .625, causal-learn and gadjid SHD 3
    scores = score_graph(ASIA.to_cpdag(), ASIA)
    assert values(scores, "dag_precision", "dag_recall", "dag_f1", "dag_shd") == (0.625, 0.625, 0.625, 3)
    assert values(scores, "precision", "recall", "f1", "shd") == (1, 1, 1, 0)
    perfect = Reference(ASIA).perfect("cpdag")
    assert values(perfect, "perfect_precision", "perfect_recall", "perfect_f1", "perfect_shd") == (0.625,) * 3 + (3,)


def test_a_flawless_pc_on_sachs_has_no_edge_of_the_dag():
    # facts/discovery.md: 17 of 17 edges are reversible; directed F1 0 and SHD 17
    assert values(Reference(SACHS).perfect("cpdag"), "perfect_f1", "perfect_shd") == (0, 17)
    assert score_graph(SACHS.to_cpdag(), SACHS)["f1"].value == 1


def test_one_of_each_mistake_by_hand():
    truth = Graph.from_edges(["a -> b", "b -> c", "c -> d", "d -> e"])
    estimate = Graph.from_edges(["a -> b", "c -> b", "a -> e", "d -> e"], nodes=truth.nodes)
    scores = score_graph(estimate, truth)  # 2 right, 1 reversed, 1 missing, 1 extra
    assert values(scores, "precision", "recall", "f1") == (2 / 4, 2 / 4, 4 / 8)
    assert values(scores, "shd", "shd_reversals_twice", "shd_normalised") == (3, 4, 3 / 10)
    assert values(scores, "skeleton_precision", "skeleton_recall", "skeleton_f1") == (3 / 4, 3 / 4, 6 / 8)
    assert values(scores, "arrowhead_precision", "arrowhead_recall", "arrowhead_f1") == (2 / 4, 2 / 4, 4 / 8)


# ---- other implementations
#
# SHD of the pair of marks, 1 a pair: causal-learn, gadjid, pcalg, MXM, and ours, in every class they know.
# They differ elsewhere:
#   causal-learn   also counts self-loops; knows circles, so PAGs agree too; matches nodes by name
#   gadjid         DAG and CPDAG only, nodes by position; refuses a cycle; returns (shd / pairs, shd)
#   cdt            reversal counts 2 by default (double_for_anticausal), as shd_reversals_twice on DAGs; with an
#                  undirected edge as two ones it counts -- for -> as 1 and a missing -- as 2, which is neither of ours
#   notears, gCastle   an undirected edge on a true adjacency counts 0: the CPDAG of asia has SHD 0
#   bnlearn        turns both graphs into CPDAGs first: our shd of to_cpdag() of both
#   MRPC's aSHD    a wrong direction counts 1/2


def causallearn_shd(truth, estimate):
    causallearn_graph = pytest.importorskip("causallearn.graph.GeneralGraph").GeneralGraph
    node = pytest.importorskip("causallearn.graph.GraphNode").GraphNode
    shd = pytest.importorskip("causallearn.graph.SHD").SHD
    code = np.zeros(4, dtype=int)
    code[[NONE, TAIL, ARROW, CIRCLE]] = 0, -1, 1, 2

    def convert(graph):
        converted = causallearn_graph([node(name) for name in graph.nodes])
        converted.graph = code[graph.marks].T  # theirs[j, i] is the mark at j of i *-* j
        return converted

    return shd(convert(truth), convert(estimate)).get_shd()


def gadjid_shd(truth, estimate):
    gadjid = pytest.importorskip("gadjid")
    return gadjid.shd(*((g.directed + 2 * np.triu(g.undirected)).astype(np.int8) for g in (truth, estimate)))


@pytest.mark.slow
@pytest.mark.parametrize("convert", [lambda g: g, Graph.to_cpdag], ids=["dag", "cpdag"])
def test_shd_is_causallearns_and_gadjids(convert):
    for truth, guess in pairs_of_dags(500):
        estimate, target = convert(guess), convert(truth)
        scores = Reference(truth).score(estimate, ("shd", "dag_shd", "shd_normalised"))
        normalised, count = gadjid_shd(target, estimate)
        assert scores["shd"].value == causallearn_shd(target, estimate) == count
        assert scores["shd_normalised"].value == pytest.approx(normalised)
        assert scores["dag_shd"].value == causallearn_shd(truth, estimate) == gadjid_shd(truth, estimate)[1]


def test_shd_of_pags_is_causallearns():
    for truth, guess in pairs_of_dags(100, most=6):
        assert score_graph(guess.to_pag(), truth)["shd"].value == causallearn_shd(truth.to_pag(), guess.to_pag())


def test_reversals_twice_is_the_hamming_distance_of_two_dag_matrices():
    # cdt.metrics.SHD(double_for_anticausal=True): sum |A - B|
    for truth, guess in pairs_of_dags(200):
        distance = np.abs(truth.directed.astype(int) - guess.directed.astype(int)).sum()
        assert Reference(truth).score(guess, ["shd_reversals_twice"])["shd_reversals_twice"].value == distance


# ---- rules


def test_a_transposed_estimate_changes_the_score():
    flipped = Graph.from_matrix(ASIA.directed, ASIA.nodes, direction="column to row")
    assert values(score_graph(flipped, ASIA), "f1", "shd", "skeleton_f1") == (0, 8, 1)


def test_the_order_of_the_columns_does_not_change_the_score():
    for truth, guess in pairs_of_dags(20):
        order = np.random.default_rng(1).permutation(guess.nodes)
        for estimate in (guess, guess.to_cpdag()):
            assert score_graph(estimate.reorder(list(order)), truth) == score_graph(estimate, truth)


def test_an_empty_estimate_has_no_precision_and_no_recall_of_zero_over_zero():
    scores = score_graph(Graph.empty(ASIA.nodes), ASIA)
    for name in ("precision", "dag_precision", "skeleton_precision", "arrowhead_precision"):
        assert scores[name] == Score(None, Status.DEGENERATE)
    assert values(scores, "recall", "f1", "shd", "shd_reversals_twice") == (0, 0, 8, 8)


def test_an_empty_truth_has_no_recall():
    scores = score_graph(ASIA, Graph.empty(ASIA.nodes))
    assert scores["recall"] == UNDEFINED and values(scores, "precision", "f1", "shd") == (0, 0, 8)
    both = score_graph(Graph.empty("ab"), Graph.empty("ab"))
    assert both["precision"] == both["recall"] == both["f1"] == UNDEFINED and both["shd"].value == 0


# ---- latent nodes


def test_with_latent_nodes_the_pag_is_the_truth():
    truth = Graph.from_edges(["u -> a", "u -> b", "c -> a", "d -> b"])  # c -> a <-> b <- d
    reference = Reference(truth, latent=["u"])
    assert reference.nodes == ("a", "b", "c", "d")
    answer = Graph.from_edges(["c o-> a", "a <-> b", "d o-> b"], nodes=reference.nodes)
    scores = reference.score(answer)
    assert values(scores, "f1", "shd", "dag_f1", "dag_shd") == (1, 0, 0, 3)


def test_with_latent_nodes_a_dag_has_no_truth_of_its_class():
    truth = Graph.from_edges(["u -> a", "u -> b", "c -> a"])
    reference = Reference(truth, latent=["u"])
    scores = reference.score(Graph.from_edges(["c -> a", "a -> b"], nodes=reference.nodes))
    assert scores["f1"] == scores["shd"] == scores["skeleton_f1"] == scores["parent_aid"] == UNDEFINED
    assert values(scores, "dag_precision", "dag_recall", "dag_shd") == (1 / 2, 1, 1)
    with pytest.raises(GraphError, match="no dag over the observed"):
        reference.perfect("dag")


# ---- the list of measures


def test_only_what_is_asked_for_comes_back():
    reference = Reference(ASIA)
    assert list(reference.score(ASIA, ["shd", "f1"])) == ["shd", "f1"]
    with pytest.raises(SettingError, match=r"'presicion' is not a measure of a graph. Did you mean 'precision'"):
        reference.score(ASIA, ["presicion"])


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 8))
def test_scores_stay_in_their_bounds_and_fit_together(seed, d):
    rng = np.random.default_rng(seed)
    truth, guess = random_dag(rng, d, 0.4), random_dag(rng, d, 0.4)
    for estimate in (guess, guess.to_cpdag()):
        scores = score_graph(estimate, truth)
        for name, (value, status) in scores.items():
            measure = MEASURES[name]
            assert (value is None) == (status is not Status.OK)
            if value is not None:
                assert measure.minimum <= value <= (measure.maximum or d * (d - 1))
        p, r, f1 = values(scores, "precision", "recall", "f1")
        if p and r:
            assert f1 == pytest.approx(2 * p * r / (p + r))
        shd, twice = values(scores, "shd", "shd_reversals_twice")
        assert shd <= twice <= 2 * shd
        assert shd <= d * (d - 1) / 2


@pytest.mark.parametrize("kind", ["dag", "cpdag", "pag"])
def test_chance_is_the_mean_of_all_the_truths_with_permuted_names(kind):
    truth = Graph.from_edges(["a -> b", "b -> c", "d -> c", "c -> e"])
    reference = Reference(truth)
    own = reference._own_class(kind).graph
    scored = [
        reference.score(Graph(names, own.marks, None, kind), ["f1"])["f1"].value for names in permutations(own.nodes)
    ]
    assert reference.chance(kind) == pytest.approx(np.mean(scored), abs=1e-12)
    if kind == "dag":
        assert reference.chance(kind) == pytest.approx(4 / 20)
