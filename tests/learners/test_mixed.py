"""Tests on mixed columns and on gaps: formulas, rates under independence, searches."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs import Graph
from trueness.learners import learner
from trueness.learners.independence import Independence
from trueness.learners.scores import Scores, mixed_scorer

NAMES = ("a", "b", "c", "u", "v", "w")


def mixed_sample(rng, n=300, dependent=0.0):
    """Three categories (2, 3, 2 levels) and three numbers; all hang on c and w, u and a on b by `dependent`."""
    w, c = rng.normal(size=n), rng.integers(2, size=n)
    b = (rng.gumbel(size=(n, 3)) + np.outer(0.5 * w + 0.4 * c, [0, 1, -1])).argmax(axis=1)
    a = rng.random(n) < 1 / (1 + np.exp(-(0.6 * w - 0.5 * c + dependent * (b - 1))))
    v = 0.6 * w + 0.5 * c + rng.normal(size=n)
    u = 0.5 * w - 0.5 * c + dependent * (b == 1) + rng.normal(size=n)
    levels = (("no", "yes"), ("r", "g", "b"), ("0", "1"), None, None, None)
    return Table(NAMES, np.column_stack([a, b, c, u, v, w]).astype(float), levels)


@pytest.fixture(scope="module")
def table():
    return mixed_sample(np.random.default_rng(3), dependent=0.3)


@pytest.fixture(scope="module")
def collider():
    rng, n = np.random.default_rng(0), 2000
    cause, other = rng.integers(3, size=n), rng.normal(size=n)
    effect = 1.0 * (cause == 1) - 1.0 * (cause == 2) + other + rng.normal(size=n)
    sign = rng.random(n) < 1 / (1 + np.exp(-2 * effect))
    values = np.column_stack([cause, other, effect, sign]).astype(float)
    return Table(("cause", "other", "effect", "sign"), values, (("r", "g", "b"), None, None, ("no", "yes")))


def dummies(table, names):
    columns = [np.empty((table.n, 0))]
    for name in names:
        j = table.names.index(name)
        column, levels = table.values[:, j], table.levels[j]
        columns.append(column[:, None] if levels is None else column[:, None] == np.arange(1, len(levels)))
    return np.hstack(columns).astype(float)


def log_det(z):
    return np.linalg.slogdet(np.atleast_2d(np.cov(z.T, bias=True)))[1] if z.shape[1] else 0.0


def degenerate_p(table, x, y, given):
    s, x, y = (dummies(table, names) for names in (given, [x], [y]))
    parts = (np.hstack([s, x]), np.hstack([s, y]), s, np.hstack([s, x, y]))
    ratio = log_det(parts[0]) + log_det(parts[1]) - log_det(parts[2]) - log_det(parts[3])
    bartlett = table.n - 1 - s.shape[1] - (x.shape[1] + y.shape[1] + 1) / 2
    return stats.chi2.sf(bartlett * ratio, x.shape[1] * y.shape[1])


PAIRS = [("a", "b", ()), ("a", "u", ("c",)), ("u", "v", ("b", "w")), ("b", "c", ("a", "u", "w"))]


@pytest.mark.parametrize(("x", "y", "given"), PAIRS)
def test_degenerate_gaussian_is_the_likelihood_ratio_of_its_columns(table, x, y, given):
    tests = Independence(table, "degenerate-gaussian")
    assert tests.p_value(x, y, given) == pytest.approx(degenerate_p(table, x, y, given), rel=1e-8)
    assert tests.p_value(y, x, given[::-1]) == pytest.approx(tests.p_value(x, y, given), rel=1e-8)


def logit_statistic(table, response, given, other):
    import statsmodels.api as sm

    y = table.values[:, table.names.index(response)].astype(int)
    small, large = (sm.add_constant(dummies(table, names), has_constant="add") for names in (given, (*given, other)))
    fits = [sm.MNLogit(y, design).fit(disp=0, method="newton", maxiter=100).llf for design in (small, large)]
    return 2 * (fits[1] - fits[0])


def test_regressions_of_two_categories_are_those_of_statsmodels(table):
    tests = Independence(table, "regressions")
    given = ("c", "w")
    expected = min(logit_statistic(table, "a", given, "b"), logit_statistic(table, "b", given, "a"))
    found = tests.result("a", "b", given)
    assert (found.statistic, found.df) == (pytest.approx(expected, rel=1e-6), 2)
    assert tests.p_value("u", "b", given) == pytest.approx(degenerate_p(table, "u", "b", given), rel=1e-8)


@pytest.mark.parametrize("test", ["degenerate-gaussian", "regressions"])
def test_rates_under_independence_are_those_of_alpha(test):
    """400 draws, 200 rows: .05 within 4 standard errors; and where there is an effect it is found more often."""
    rng = np.random.default_rng(5)
    pairs = [("a", "b"), ("a", "u"), ("u", "v")]
    rejected, found = np.zeros(3), np.zeros(3)
    for _ in range(400):
        null, effect = Independence(mixed_sample(rng, 200), test), Independence(mixed_sample(rng, 200, 0.6), test)
        rejected += [null.p_value(x, y, ("c", "w")) < 0.05 for x, y in pairs]
        found += [effect.p_value(x, y, (*z, "w")) < 0.05 for x, y, *z in ["abc", "buc", "cv"]]
    assert (np.abs(rejected / 400 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 400)).all(), rejected
    assert (found > 3 * rejected).all(), found


def test_auto_chooses_by_the_columns_and_says_so(table):
    assert learner("pc").fit_details(table).test == "degenerate-gaussian"
    assert learner("pc").fit_details(table.columns([0, 1, 2])).test == "chi2"
    assert learner("fci").fit_details(table.columns([3, 4, 5])).test == "fisher-z"
    with pytest.raises(
        DataError, match=r"must hold numbers for fisher-z, got both kinds of columns. Use test = 'auto'"
    ):
        learner("pc", test="fisher-z").fit(table)


@pytest.mark.parametrize("name", ["pc", "fci", "rfci"])
@pytest.mark.parametrize("test", ["auto", "regressions"])
def test_searches_find_a_mixed_collider(collider, name, test):
    graph = learner(name, test=test).fit(collider)
    edges = {frozenset((edge.source, edge.target)) for edge in graph.edges}
    assert edges == {frozenset(pair) for pair in (("cause", "effect"), ("other", "effect"), ("effect", "sign"))}
    assert graph.marks[0, 2] == graph.marks[1, 2] == 2  # arrows at the effect


# ---- scores


def degenerate_bic(table, node, parents):
    n, y, s = table.n, dummies(table, [node]), dummies(table, parents)
    residual = (
        y - np.column_stack([np.ones(n), s]) @ np.linalg.lstsq(np.column_stack([np.ones(n), s]), y, rcond=None)[0]
    )
    size = y.shape[1]
    free = size * s.shape[1] + size * (size + 1) / 2
    return -n / 2 * (size + np.linalg.slogdet(residual.T @ residual / n)[1]) - np.log(n) / 2 * free


@pytest.mark.parametrize(("node", "parents"), [("u", ()), ("b", ("u", "c")), ("w", ("a", "b")), ("a", ("b", "v", "w"))])
def test_the_mixed_score_is_the_bic_of_a_regression_of_all_columns(table, node, parents):
    assert Scores.of(table).local(node, parents) == pytest.approx(degenerate_bic(table, node, parents), rel=1e-9)


def test_the_mixed_score_is_the_gaussian_bic_on_numbers_and_equal_within_a_class(table):
    numbers = table.columns([3, 4, 5])
    plain, mixed = Scores.of(numbers), Scores(numbers.names, mixed_scorer(numbers, 1.0, 9))
    assert mixed.local("u", ["v", "w"]) == pytest.approx(plain.local("u", ["v", "w"]), rel=1e-12)
    graphs = (["a -> u", "u -> b", "w -> c"], ["u -> a", "u -> b", "c -> w"], ["b -> u", "u -> a", "c -> w"])
    totals = [Scores.of(table).total(Graph.from_edges(edges, table.names)) for edges in graphs]
    assert totals == pytest.approx([totals[0]] * 3, rel=1e-10)
    with pytest.raises(DataError, match="must hold discrete columns for BDeu, got a continuous column '[uvw]'"):
        learner("ges", score="bdeu").fit(table)


@pytest.mark.parametrize("name", ["ges", "boss"])
def test_score_based_searches_take_mixed_columns_and_gaps(collider, name):
    edges = {frozenset(pair) for pair in (("cause", "effect"), ("other", "effect"), ("effect", "sign"))}
    for data in (collider, with_gaps(collider, 0.05)):
        found = learner(name).fit_details(data)
        pairs = {frozenset((edge.source, edge.target)) for edge in found.graph.edges}
        assert pairs == edges
    assert "pairwise correlations of" in found.note
    assert learner(name, missing="impute").fit_details(data).note == ""
    with pytest.raises(DataError, match="Set missing = 'complete' or 'impute'"):
        learner(name).fit(data.columns([0, 3]))


# ---- gaps


def with_gaps(table, share, seed=0):
    values = table.values.copy()
    values[np.random.default_rng(seed).random(values.shape) < share] = np.nan
    return Table(table.names, values, table.levels)


@pytest.mark.parametrize("columns", [[0, 1, 2], [3, 4, 5], [0, 1, 2, 3, 4, 5]])
@pytest.mark.parametrize("test", ["auto", "regressions"])
def test_a_test_with_gaps_is_the_test_on_the_rows_that_have_all_of_its_columns(table, columns, test):
    gappy = with_gaps(table.columns(columns), 0.2)
    x, y, *rest = gappy.names
    for given in ((), tuple(rest[:1])):
        places = [gappy.names.index(name) for name in (x, y, *given)]
        whole = gappy.columns(places).rows(np.flatnonzero(~gappy.gaps[:, places].any(axis=1)))
        kind = Independence(gappy, test).test
        expected, found = Independence(whole, kind).result(x, y, given), Independence(gappy, test).result(x, y, given)
        assert (found.p_value, found.n) == (pytest.approx(expected.p_value, rel=1e-7), whole.n)


def test_ways_with_gaps_are_settings_and_the_rows_are_told(table):
    gappy = with_gaps(table, 0.1)
    complete = gappy.rows(np.flatnonzero(~gappy.gaps.any(axis=1)))
    assert learner("pc", missing="complete").fit(gappy) == learner("pc").fit(complete)
    imputed = learner("pc", missing="impute").fit_details(gappy)
    assert imputed.graph == learner("pc", missing="impute").fit(gappy)
    with pytest.raises(DataError, match="must have no missing values"):
        learner("pc", missing="refuse").fit(gappy)
    with pytest.raises(DataError, match="must have no missing values"):
        learner("lingam").fit(gappy.columns([3, 4, 5]))


def test_pc_with_gaps_is_causal_learn_s():
    """The larger comparison is benchmarks/equality_gaps.py."""
    pc = pytest.importorskip("causallearn.search.ConstraintBased.PC").pc
    from trueness.graphs.libraries import from_causallearn

    for seed in range(3):
        rng = np.random.default_rng(seed)
        weights = np.triu(rng.uniform(0.4, 1.0, (6, 6)) * (rng.random((6, 6)) < 0.4), 1)
        values = rng.normal(size=(400, 6)) @ np.linalg.inv(np.eye(6) - weights)
        values[rng.random(values.shape) < 0.1] = np.nan
        theirs = pc(values, 0.05, "mv_fisherz", stable=True, show_progress=False)
        ours = learner("pc", search="exhaustive").fit(Table.of(pd.DataFrame(values, columns=list("abcdef")), []))
        assert (from_causallearn(theirs.G, "cpdag", list("abcdef")).marks == ours.marks).all()


# ---- gaps that hang on other columns


def selected_sample(rng, n=2000):
    """x and y do not hang on each other; where their sum is large, s (and so the row of a test given s) is missing."""
    x, y = rng.normal(size=(2, n))
    s = 0.7 * x + 0.7 * y + rng.normal(size=n)
    w = rng.normal(size=n)
    values = np.column_stack([x, y, s, w])
    values[x + y + 0.3 * rng.normal(size=n) > 0.5, 3] = np.nan
    return Table(("x", "y", "s", "w"), values, (None,) * 4)


def corrected_r(table, causes, places):
    """r(x, y | s) of the covariances put together again, x and y first."""
    whole = table.values[~np.isnan(table.values).any(axis=1)]
    v = [j for j in places if j not in causes]
    c, n_w = np.cov(whole.T, bias=True), table.values[~np.isnan(table.values[:, causes]).any(axis=1)]
    b = c[np.ix_(v, causes)] @ np.linalg.inv(c[np.ix_(causes, causes)])
    of_causes = np.cov(n_w[:, causes].T, bias=True)
    joint = np.zeros((table.d, table.d))
    joint[np.ix_(causes, causes)] = of_causes
    joint[np.ix_(v, v)] = c[np.ix_(v, v)] - b @ c[np.ix_(causes, v)] + b @ of_causes @ b.T
    joint[np.ix_(v, causes)] = b @ of_causes
    joint[np.ix_(causes, v)] = (b @ of_causes).T
    precision = np.linalg.inv(joint[np.ix_(places, places)])
    return -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])


def test_a_corrected_test_allows_for_gaps_that_hang_on_both_sides():
    rejected = {"plain": 0, "corrected": 0}
    for seed in range(40):
        table = selected_sample(np.random.default_rng(seed))
        plain, corrected = Independence(table), Independence(table, corrected=True)
        assert corrected.causes[:2, 3].all() and not corrected.causes[:, :3].any()
        rejected["plain"] += plain.p_value("x", "y", ("w",)) < 0.05
        rejected["corrected"] += corrected.p_value("x", "y", ("w",)) < 0.05
    assert rejected["plain"] == 40 and rejected["corrected"] <= 7  # of 40 at .05: P(more than 7) < .001
    found = corrected.result("x", "y", ("w",))
    r = corrected_r(table, [0, 1], [0, 1, 3])
    assert found.statistic == pytest.approx((found.n - 4) * np.arctanh(r) ** 2, rel=1e-6)
    one = corrected.result("x", "w", ("y", "s"))
    r = corrected_r(table, [0, 1], [0, 3, 1, 2])
    assert one.statistic == pytest.approx((one.n - 5) * np.arctanh(r) ** 2, rel=1e-6, abs=1e-9)


def test_imputed_correlations_are_right_where_gaps_hang_on_what_is_there():
    rng, n = np.random.default_rng(0), 20_000
    a = rng.normal(size=n)
    b = 0.8 * a + 0.6 * rng.normal(size=n)
    values = np.column_stack([a, b])
    values[a > 0.5, 1] = np.nan  # of the large half of b hardly any is left: r by pairs is .60 or so
    from trueness.learners.gaps import without_gaps

    imputed = without_gaps(Table(("a", "b"), values, (None, None)), "impute").values
    assert np.corrcoef(imputed.T)[0, 1] == pytest.approx(0.8, abs=0.02)
    assert imputed[:, 1].mean() == pytest.approx(0.0, abs=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_categories_that_are_unknown_in_the_same_rows_are_searched_to_the_end(seed):
    """They share a column of 0 and 1, which was counted among a node's own and not among its parents'."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(300, 4)) @ np.array([[1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1.0]])
    frame = pd.DataFrame(x, columns=list("pqrs"))
    for name in "pq":
        frame[name] = np.where(frame[name] > 0, "high", "low").astype(object)
        frame.loc[:9, name] = "unknown"
    plain, boss = (learner(name).fit_details(Table.of(frame)) for name in ("ges", "boss"))
    assert learner("ges", search="extended").fit_details(Table.of(frame)).score >= plain.score - 1e-6
    assert boss.score >= max(boss.starts) - 1e-6
