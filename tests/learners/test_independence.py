"""The tests of independence against scipy, causal-learn and the definition of d-separation."""

import itertools

import numpy as np
import pytest
from scipy import stats

import trueness
from tests.each import each
from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs import Graph
from trueness.learners.independence import Independence, Oracle


def discrete(codes, levels=None):
    codes = np.asarray(codes, dtype=float)
    counts = levels or [int(column.max()) + 1 for column in codes.T]
    names = tuple(f"X{j}" for j in range(codes.shape[1]))
    return Table(names, codes, tuple(tuple(str(a) for a in range(count)) for count in counts))


def continuous(values):
    return Table(tuple(f"X{j}" for j in range(values.shape[1])), values, (None,) * values.shape[1])


def questions(rng, d, most, count):
    for _ in range(count):
        x, y, *given = rng.permutation(d)[: 2 + rng.integers(0, most + 1)].tolist()
        yield x, y, given


def asked(tests, x, y, given):
    return tests.result(f"X{x}", f"X{y}", [f"X{s}" for s in given])


def by_definition(codes, x, y, given, test):
    """Statistic and degrees of freedom, stratum by stratum, with scipy."""
    statistic, df = 0.0, 0
    strata = np.unique(codes[:, given], axis=0, return_inverse=True)[1].ravel() if given else np.zeros(len(codes), int)
    for s in range(strata.max() + 1):
        table = np.zeros((codes[:, x].max() + 1, codes[:, y].max() + 1))
        np.add.at(table, (codes[strata == s, x], codes[strata == s, y]), 1)
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        if min(table.shape) > 1:
            kind = "pearson" if test == "chi2" else "log-likelihood"
            found = stats.chi2_contingency(table, correction=False, lambda_=kind)
            statistic, df = statistic + found.statistic, df + found.dof
    return statistic, df


@each("test", ["chi2", "g2"])
@each("rows, levels", [(3000, (2, 2, 2, 2, 2)), (400, (2, 3, 4, 5, 3, 2)), (150, (6, 7, 5, 8, 9, 4))])
def test_counts_give_the_statistic_by_its_definition(rows, levels, test):
    rng = np.random.default_rng(rows)  # equal rows merged; bit planes; more cells than rows
    codes = np.stack([rng.integers(count, size=rows) for count in levels], axis=1)
    codes[:, 1] = np.where(rng.random(rows) < 0.4, codes[:, 0] % levels[1], codes[:, 1])
    tests = Independence(discrete(codes, levels), test)
    for x, y, given in questions(rng, len(levels), 4, 60):
        result = asked(tests, x, y, given)
        statistic, df = by_definition(codes, x, y, given, test)
        assert result.df == df
        assert result.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-9)
        assert result.p_value == pytest.approx(stats.chi2.sf(statistic, df) if df else 1.0, rel=1e-9, abs=1e-13)
        assert result.independent == (result.p_value > 0.05)


@pytest.mark.parametrize("name", ["asia", "child"])
@pytest.mark.parametrize("test, theirs", [("chi2", "chisq"), ("g2", "gsq")])
def test_p_values_of_counts_are_those_of_causal_learn(name, test, theirs):
    cit = pytest.importorskip("causallearn.utils.cit")
    table = trueness.load(name).draw(2000, np.random.default_rng(3))
    ours, other = Independence(table, test), cit.CIT(table.values.astype(np.int64), theirs)
    rng = np.random.default_rng(4)
    for x, y, given in questions(rng, table.d, 4, 40):
        p = ours.p_value(table.names[x], table.names[y], [table.names[s] for s in given])
        assert p == pytest.approx(other(x, y, tuple(given)), rel=1e-8, abs=1e-12)


def test_p_values_of_correlations_are_those_of_causal_learn():
    cit = pytest.importorskip("causallearn.utils.cit")
    table = trueness.load("synthetic-12").draw(500, np.random.default_rng(3))
    ours, other = Independence(table), cit.CIT(np.array(table.values), "fisherz")
    for x, y, given in questions(np.random.default_rng(4), table.d, 6, 80):
        p = ours.p_value(table.names[x], table.names[y], [table.names[s] for s in given])
        assert p == pytest.approx(other(x, y, tuple(given)), rel=1e-6, abs=1e-12)


def test_a_column_that_follows_from_others_is_named():
    values = np.random.default_rng(0).normal(size=(200, 4))
    values[:, 2] = values[:, 0] - 2 * values[:, 1]
    with pytest.raises(DataError, match=r"column 'X2'.*linear combination of X0, X1.*ridge = 1e-6"):
        Independence(continuous(values))
    assert not Independence(continuous(values), ridge=1e-6).independent("X0", "X2")


def test_a_set_that_leaves_no_degree_of_freedom_is_refused():
    tests = Independence(continuous(np.random.default_rng(0).normal(size=(8, 7))))
    with pytest.raises(DataError, match="at most 4 columns with 8 rows"):
        asked(tests, 0, 1, [2, 3, 4, 5, 6])


@each("seed", range(20))
def test_the_oracle_is_d_separation(seed):
    rng = np.random.default_rng(seed)
    d = 7
    order = rng.permutation(d)
    dag = np.triu(rng.random((d, d)) < 0.35, 1)[np.ix_(order, order)]
    truth = Graph.from_matrix(dag, [f"X{j}" for j in range(d)], direction="row to column")
    latent = [f"X{j}" for j in rng.choice(d, size=2, replace=False)]
    oracle = Oracle(truth, latent)
    for x, y in itertools.combinations(oracle.names, 2):
        rest = [name for name in oracle.names if name not in (x, y)]
        for given in itertools.chain.from_iterable(itertools.combinations(rest, k) for k in range(len(rest) + 1)):
            assert oracle.independent(x, y, given) == truth.d_separated(x, y, given)
