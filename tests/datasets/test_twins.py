"""A twin has the graph it was given and rows that look like the table's."""

import numpy as np
import pandas as pd
import pytest

from trueness.datasets import Table, load
from trueness.datasets.twins import Twin
from trueness.graphs import Graph


def chain(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    a = rng.laplace(size=n)
    b = 0.8 * a + rng.uniform(-1, 1, size=n)
    c = np.rint(3 * np.abs(b) + rng.normal(size=n))
    return Table.of(pd.DataFrame({"a": a, "b": b, "c": c}))


def test_numbers_keep_their_moments_their_shape_and_their_curves():
    table = chain()
    twin = Twin(table, Graph.from_edges(["a -> b", "b -> c"], table.names, "dag"))
    drawn = twin.draw(20_000, np.random.default_rng(2)).values
    assert drawn.mean(axis=0) == pytest.approx(table.values.mean(axis=0), abs=0.1)
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(np.corrcoef(table.values.T)[0, 1], abs=0.03)
    assert np.corrcoef(np.abs(drawn[:, 1]), drawn[:, 2])[0, 1] > 0.8  # a bend at 0: no line could
    assert (drawn[:, 2] == np.rint(drawn[:, 2])).all()


def test_categories_keep_their_shares_given_their_parents():
    asia = load("asia")
    table = asia.draw(20_000, np.random.default_rng(3))
    drawn = Twin(table, asia.truth).draw(20_000, np.random.default_rng(4))
    for names in (("smoke", "lung"), ("bronc", "dysp"), ("either", "xray")):
        places = [table.names.index(name) for name in names]
        one, other = (np.histogram2d(*rows.values[:, places].T, bins=2)[0] / 20_000 for rows in (table, drawn))
        assert np.abs(one - other).max() < 0.015


def test_a_category_follows_a_number():
    rng = np.random.default_rng(5)
    x = rng.normal(size=3000)
    levels = np.where(x + 0.5 * rng.normal(size=3000) > 0.5, "high", "low")
    table = Table.of(pd.DataFrame({"x": x, "level": levels}))
    twin = Twin(table, Graph.from_edges(["x -> level"], table.names, "dag"))
    drawn = twin.draw(3000, rng).values
    means = [[rows[rows[:, 1] == level, 0].mean() for level in (0, 1)] for rows in (table.values, drawn)]
    assert means[1] == pytest.approx(means[0], abs=0.15)
