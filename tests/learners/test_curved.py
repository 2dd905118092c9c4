"""Tests and learners for curved relations: formulas, peers, rates, searches."""

import numpy as np
import pytest
from scipy import stats

from trueness.datasets.table import Table
from trueness.learners import learner
from trueness.learners.independence import Independence

GIVEN = ("z", "w")


def curved_sample(rng, n=200, effect=0.0):
    """x and y hang on z and w in curves that no line sees; y on x^2 by `effect`."""
    z, w = rng.normal(size=(2, n))
    x = np.cos(2 * z) + w**2 / 2 + 0.5 * rng.normal(size=n)
    y = np.abs(z) - np.sin(w) + effect * x**2 + 0.5 * rng.normal(size=n)
    return Table(("x", "y", *GIVEN), np.column_stack([x, y, z, w]), (None,) * 4)


def test_kci_is_causal_learn_s():
    """The larger comparison is benchmarks/curved.py."""
    kci = pytest.importorskip("causallearn.utils.KCI.KCI")
    for seed in range(4):
        table = curved_sample(np.random.default_rng(seed), 120 + 100 * (seed % 2), 0.2 * (seed // 2))
        x, y, z = np.split(table.values, [1, 2], axis=1)
        tests = Independence(table, "kci")
        assert tests.p_value("x", "y", GIVEN) == pytest.approx(kci.KCI_CInd().compute_pvalue(x, y, z)[0], abs=0.003)
        assert tests.p_value("y", "x") == pytest.approx(kci.KCI_UInd().compute_pvalue(x, y)[0], abs=1e-5)


def rcot_p(table, tests):
    """RCoT from its formulas, with the waves of `tests`; the tail of the weighted chi2 by simulation."""
    n, waves = table.n, tests.kernel.xlogx
    z = stats.zscore(table.values, ddof=1)

    def features(columns, some):
        near = z[:200, columns]
        far = np.sqrt(((near[:, None] - near) ** 2).sum(axis=2))[np.tril_indices(len(near), -1)]
        angle = z[:, columns] @ waves[columns][:, some] / np.sort(far)[len(far) // 2] + waves[-1, some]
        return stats.zscore(np.cos(angle), ddof=1)

    given = list(range(2, table.d))
    x, y = features([0], slice(0, 5)), features([1], slice(0, 5))
    s = features(given, slice(5, 5 + min(n // 4, 100 * (len(given) - 1))))
    smooth = s @ np.linalg.solve(s.T @ s / n + 1e-10 * np.eye(s.shape[1]), s.T / n)
    rx, ry = x - smooth @ x, y - smooth @ y
    statistic = (n - 1 - np.trace(smooth)) * ((rx.T @ ry / n) ** 2).sum()
    products = (rx[:, :, None] * ry[:, None]).reshape(n, -1)
    weights = np.linalg.eigvalsh(products.T @ products / n).clip(0)
    return np.mean(np.random.default_rng(0).chisquare(1, (50_000, len(weights))) @ weights > statistic)


@pytest.mark.parametrize("effect", [0.0, 0.1])
@pytest.mark.parametrize("given", [GIVEN, (*GIVEN, "v")])
def test_rcot_is_its_formula(effect, given):
    """100 waves of two columns given, 200 of three."""
    rng = np.random.default_rng(1)
    table = curved_sample(rng, 400 * (len(given) - 1), effect)
    values = np.column_stack([table.values, rng.normal(size=table.n)])[:, : len(given) + 2]
    table = Table(("x", "y", *given), values, (None,) * (len(given) + 2))
    tests = Independence(table, "rcot", seed=3)
    assert tests.p_value("x", "y", given) == pytest.approx(rcot_p(table, tests), abs=0.02)
    assert tests.p_value("y", "x", given[::-1]) == pytest.approx(tests.p_value("x", "y", given), rel=1e-6)


@pytest.mark.parametrize("test", ["rcot", "kci"])
def test_rates_under_independence_are_those_of_alpha_and_a_curve_is_seen(test):
    """200 draws of 200 rows: .05 within 4 standard errors; z^2 + noise is seen to hang on z, by a line rarely."""
    rng, rejected, seen, by_line = np.random.default_rng(5), 0, 0, 0
    for seed in range(200):
        rejected += Independence(curved_sample(rng), test, seed=seed).p_value("x", "y", GIVEN) < 0.05
        z = rng.normal(size=200)
        bent = Table(("z", "y"), np.column_stack([z, z**2 + rng.normal(size=200)]), (None, None))
        seen += Independence(bent, test, seed=seed).p_value("z", "y") < 0.05
        by_line += Independence(bent).p_value("z", "y") < 0.05
    assert abs(rejected / 200 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 200), rejected
    assert seen > 180 and by_line < 100, (seen, by_line)


@pytest.fixture(scope="module")
def collider():
    rng, n = np.random.default_rng(0), 400
    a, b = rng.normal(size=(2, n))
    c = np.cos(2 * a) + np.abs(b) * 1.5 + 0.3 * rng.normal(size=n)
    return Table(("a", "b", "c"), np.column_stack([a, b, c]), (None,) * 3)


@pytest.mark.parametrize(("name", "test"), [("pc", "rcot"), ("pc", "kci"), ("fci", "rcot"), ("rfci", "rcot")])
def test_searches_find_a_curved_collider(collider, name, test):
    rng = np.random.default_rng
    chosen = learner(name, test=test)
    graph = chosen.fit(collider, rng(1))
    assert (graph.marks[0, 2], graph.marks[1, 2], graph.marks[0, 1]) == (2, 2, 0)
    assert graph == chosen.fit(collider, rng(1)) and chosen.card.deterministic == (test == "kci")
    turned = chosen.fit(collider.columns([2, 0, 1]), rng(1)).reorder(collider.names)
    assert (turned.marks == graph.marks).all()  # waves go with a column's name
    assert not learner(name).fit(collider).adjacent[0, 2]  # no line sees it


# ---- learners


@pytest.mark.parametrize("name", ["score"])
def test_learners_direct_what_no_test_can(name):
    """A chain of curves with Gaussian noise: its class is undirected, so that PC cannot know."""
    right = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        a = rng.normal(size=400)
        b = 1.5 * np.sin(2 * a) + rng.normal(size=400)
        c = 2 * np.cos(b) + rng.normal(size=400)
        table = Table(("c", "a", "b"), np.column_stack([c, a, b]), (None,) * 3)
        right += {(e.source, e.target) for e in learner(name).fit(table).edges} == {("a", "b"), ("b", "c")}
    assert right >= 2


def test_an_edge_s_p_value_is_the_f_test_of_its_splines(collider):
    import statsmodels.api as sm

    from trueness.learners.score_matching import Additive

    additive = Additive(collider)
    full, small = (
        sm.OLS(additive.z[:, 2], sm.add_constant(additive.design[:, additive.places(of)])).fit() for of in ([0, 1], [1])
    )
    assert additive.p_values(2, [0, 1])[0] == pytest.approx(full.compare_f_test(small)[1], rel=1e-3)
