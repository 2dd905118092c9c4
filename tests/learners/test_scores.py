"""Local scores: the formulas, decomposability, score equivalence, and causal-learn's values."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from trueness.datasets.table import Table
from trueness.errors import DataError, GraphError
from trueness.graphs import Graph
from trueness.learners.scores import Scores, ScoreSettings, content_order

NAMES = ("a", "b", "c", "d")


def gaussian(seed=0, n=200, d=4):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * [1.0, 30.0, 0.1, 5.0][:d] + 7.0
    return Table(NAMES[:d], values, (None,) * d)


def discrete(seed=0, n=300, levels=(2, 3, 4, 2)):
    rng = np.random.default_rng(seed)
    d = len(levels)
    noise = rng.integers(0, 4, size=(n, d))
    codes = (np.cumsum(noise, axis=1) // 2) % np.array(levels)
    return Table(NAMES[:d], codes, tuple(tuple(f"l{k}" for k in range(r)) for r in levels))


def all_dags(nodes):
    pairs = [(i, j) for i in range(len(nodes)) for j in range(i)]
    seen = set()
    for choice in product((0, 1, 2), repeat=len(pairs)):
        matrix = np.zeros((len(nodes), len(nodes)))
        for (i, j), way in zip(pairs, choice, strict=True):
            matrix[i, j], matrix[j, i] = way == 1, way == 2
        if _acyclic(matrix) and matrix.tobytes() not in seen:
            seen.add(matrix.tobytes())
            yield Graph.from_matrix(matrix, nodes, direction="row to column")


def _acyclic(matrix):
    return not np.trace(np.linalg.matrix_power(matrix + np.eye(len(matrix)), len(matrix)) - np.eye(len(matrix))) > 0


def regression_bic(table, y, parents, penalty=1.0):
    """By least squares on the rows, from the likelihood up."""
    x = np.column_stack([np.ones(table.n), *(table.values[:, table.names.index(p)] for p in parents)])
    target = table.values[:, table.names.index(y)]
    rest = target - x @ np.linalg.lstsq(x, target, rcond=None)[0]
    return -0.5 * table.n * (1 + math.log(rest @ rest / table.n)) - 0.5 * penalty * math.log(table.n) * x.shape[1]


def counted(table, y, parents):
    columns = [table.values[:, table.names.index(p)] for p in (*parents, y)]
    groups = {}
    for *configuration, level in zip(*columns, strict=True):
        counts = groups.setdefault(tuple(configuration), {})
        counts[level] = counts.get(level, 0) + 1
    return groups


def levels_of(table, node):
    return len(np.unique(table.values[:, table.names.index(node)]))


def written_out_bdeu(table, y, parents, size=1.0):
    q, r = math.prod(levels_of(table, p) for p in parents), levels_of(table, y)
    total = 0.0
    for counts in counted(table, y, parents).values():
        total += gammaln(size / q) - gammaln(sum(counts.values()) + size / q)
        total += sum(gammaln(x + size / (q * r)) - gammaln(size / (q * r)) for x in counts.values())
    return total


def written_out_bic(table, y, parents, penalty=1.0):
    q, r = math.prod(levels_of(table, p) for p in parents), levels_of(table, y)
    fit = sum(
        x * math.log(x / sum(counts.values()))
        for counts in counted(table, y, parents).values()
        for x in counts.values()
    )
    return fit - 0.5 * penalty * math.log(table.n) * (r - 1) * q


FAMILIES = [("a", ()), ("a", ("b",)), ("c", ("d", "a")), ("b", ("c", "a", "d"))]


@pytest.mark.parametrize("penalty", [1.0, 2.5])
@pytest.mark.parametrize(("y", "parents"), FAMILIES)
def test_gaussian_bic_is_that_of_the_regression(y, parents, penalty):
    table = gaussian()
    found = Scores.of(table, ScoreSettings(penalty=penalty)).local(y, parents)
    assert found == pytest.approx(regression_bic(table, y, parents, penalty), rel=1e-11)


@pytest.mark.parametrize(("y", "parents"), FAMILIES)
def test_discrete_scores_are_those_of_the_counts(y, parents):
    table = discrete()
    bic = Scores.of(table, ScoreSettings("bic", penalty=1.5)).local(y, parents)
    bdeu = Scores.of(table, ScoreSettings("bdeu", equivalent_sample_size=10, structure_prior=0)).local(y, parents)
    assert bic == pytest.approx(written_out_bic(table, y, parents, 1.5), rel=1e-11)
    assert bdeu == pytest.approx(written_out_bdeu(table, y, parents, 10), rel=1e-11)


@pytest.mark.parametrize("kind", ["bic", "bdeu", "gaussian"])
def test_equivalent_dags_have_equal_scores_and_others_do_not(kind):
    table = gaussian() if kind == "gaussian" else discrete()
    scores = Scores.of(table, ScoreSettings("bdeu" if kind == "bdeu" else "bic"))
    classes = {}
    for dag in all_dags(NAMES):
        classes.setdefault(dag.to_cpdag(), []).append(scores.total(dag))
    assert sum(map(len, classes.values())) == 543 and len(classes) == 185  # OEIS A003024, A007984
    for found in classes.values():
        assert max(found) - min(found) < 1e-8 * abs(max(found))
    means = sorted(np.mean(found) for found in classes.values())
    assert min(np.diff(means)) > 1e-7


@pytest.mark.parametrize("table", [gaussian(), discrete()], ids=["gaussian", "discrete"])
def test_a_graphs_score_is_the_sum_over_its_nodes_and_that_of_its_class(table):
    scores = Scores.of(table)
    dag = Graph.from_edges(["a -> b", "c -> b", "b -> d"], NAMES)
    assert scores.total(dag) == pytest.approx(sum(scores.local(node, dag.parents(node)) for node in NAMES), rel=1e-12)
    assert scores.total(dag.to_cpdag()) == pytest.approx(scores.total(dag), rel=1e-12)


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_a_cached_score_is_the_score(seed):
    """Asked twice, in any order of the parents, after many others: the same number, but for rounding."""
    table = discrete(seed)
    scores = Scores.of(table)
    families = [(y, p) for y in NAMES for k in range(4) for p in permutations([n for n in NAMES if n != y], k)]
    rng = np.random.default_rng(seed)
    first = {(y, frozenset(p)): scores.local(y, p) for y, p in (families[i] for i in rng.permutation(len(families)))}
    fresh = Scores.of(table)
    for y, parents in families:
        assert fresh.local(y, parents) == pytest.approx(first[y, frozenset(parents)], rel=1e-12)


def test_scores_are_causal_learns():
    from causallearn.score.LocalScoreFunction import local_score_BDeu, local_score_BIC

    continuous, levels = gaussian(), discrete()
    ours = Scores.of(continuous, ScoreSettings(penalty=2.0)), Scores.of(levels)
    for y, parents in FAMILIES:
        i, found = NAMES.index(y), [NAMES.index(p) for p in parents]
        bic = local_score_BIC(continuous.values, i, found, {"lambda_value": 1.0})
        assert ours[0].local(y, parents) == pytest.approx(bic, rel=1e-11)
        assert ours[1].local(y, parents) == pytest.approx(local_score_BDeu(levels.values, i, found), rel=1e-11)


def test_what_cannot_be_scored_is_refused_with_the_reason():
    with pytest.raises(DataError, match="must hold discrete columns for BDeu"):
        Scores.of(gaussian(), ScoreSettings("bdeu"))
    with pytest.raises(DataError, match="must hold discrete columns for BDeu, got a continuous column 'b'"):
        Scores.of(Table(("a", "b"), np.eye(2), (("x", "y"), None)), ScoreSettings("bdeu"))
    with pytest.raises(GraphError, match="each once"):
        Scores.of(gaussian()).local("a", ["b", "b"])
    with pytest.raises(GraphError, match="is not a column"):
        Scores.of(gaussian()).local("z")
    with pytest.raises(GraphError, match="only a dag"):
        Scores.of(gaussian()).total(Graph.from_edges(["a <-> b"], NAMES))


def test_the_order_by_content_follows_the_columns_and_ignores_rows_and_units():
    values = gaussian(3).values
    rng = np.random.default_rng(0)
    order = content_order(values)
    turned = rng.permutation(4)
    assert [turned[k] for k in content_order(values[:, turned])] == order.tolist()
    assert content_order(values[rng.permutation(len(values))]).tolist() == order.tolist()
    assert content_order(values * [2.0, 0.5, 1e3, 1.0] + 4.0).tolist() == order.tolist()
