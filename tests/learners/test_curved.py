"""The test of curved relations: its formula, rates, searches."""

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


def test_rates_under_independence_are_those_of_alpha_and_a_curve_is_seen():
    """200 draws of 200 rows: .05 within 4 standard errors; z^2 + noise is seen to hang on z, by a line rarely."""
    rng, rejected, seen, by_line = np.random.default_rng(5), 0, 0, 0
    for seed in range(200):
        rejected += Independence(curved_sample(rng), "rcot", seed=seed).p_value("x", "y", GIVEN) < 0.05
        z = rng.normal(size=200)
        bent = Table(("z", "y"), np.column_stack([z, z**2 + rng.normal(size=200)]), (None, None))
        seen += Independence(bent, "rcot", seed=seed).p_value("z", "y") < 0.05
        by_line += Independence(bent).p_value("z", "y") < 0.05
    assert abs(rejected / 200 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 200), rejected
    assert seen > 180 and by_line < 100, (seen, by_line)


@pytest.fixture(scope="module")
def collider():
    rng, n = np.random.default_rng(0), 400
    a, b = rng.normal(size=(2, n))
    c = np.cos(2 * a) + np.abs(b) * 1.5 + 0.3 * rng.normal(size=n)
    return Table(("a", "b", "c"), np.column_stack([a, b, c]), (None,) * 3)


@pytest.mark.parametrize("name", ["pc", "fci", "rfci"])
def test_searches_find_a_curved_collider(collider, name):
    rng = np.random.default_rng
    chosen = learner(name, test="rcot")
    graph = chosen.fit(collider, rng(1))
    assert (graph.marks[0, 2], graph.marks[1, 2], graph.marks[0, 1]) == (2, 2, 0)
    assert graph == chosen.fit(collider, rng(1)) and not chosen.card.deterministic
    turned = chosen.fit(collider.columns([2, 0, 1]), rng(1)).reorder(collider.names)
    assert (turned.marks == graph.marks).all()  # waves go with a column's name
    assert not learner(name).fit(collider).adjacent[0, 2]  # no line sees it
