"""Sortability: CausalDisco's numbers, ties at one half, and names that are matched."""

import numpy as np
import pandas as pd
import pytest

from trueness.errors import DataError, GraphError
from trueness.graphs import Graph
from trueness.measures import r2_sortability, varsortability


def linear_sem(seed, d, n, p, scaled):
    """Columns in a shuffled order; weights[i, j] != 0 means i -> j."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(d)
    weights = np.triu(rng.uniform(0.5, 2, (d, d)) * rng.choice([-1, 1], (d, d)) * (rng.random((d, d)) < p), 1)
    x, noise = np.zeros((n, d)), rng.laplace(size=(n, d)) * rng.uniform(0.5, 2, d)
    for j in range(d):
        x[:, j] = x @ weights[:, j] + noise[:, j]
    if scaled:
        x *= rng.uniform(0.1, 1, d)
    back = np.argsort(order)
    names = [f"x{i}" for i in range(d)]
    return x[:, back], Graph.from_matrix(weights[np.ix_(back, back)] != 0, names, direction="row to column")


@pytest.mark.parametrize(  # CausalDisco 0.2.4: var_sortability and r2_sortability, measure="paths"
    ("arguments", "by_variance", "by_r2"),
    [
        ((0, 5, 50, 0.5, False), 1.0, 0.9230769230769231),
        ((1, 8, 100, 0.3, True), 0.5, 0.75),
        ((2, 12, 200, 0.25, False), 0.9264705882352942, 0.8382352941176471),
        ((3, 12, 200, 0.25, True), 0.7777777777777778, 0.6666666666666666),
        ((4, 20, 300, 0.2, True), 0.8913043478260869, 0.8695652173913043),
    ],
)
def test_sortabilities_are_those_of_causaldisco(arguments, by_variance, by_r2):
    data, truth = linear_sem(*arguments)
    assert varsortability(data, truth).value == pytest.approx(by_variance)
    assert r2_sortability(data, truth).value == pytest.approx(by_r2)


def test_a_pair_counts_once_for_every_length_of_path():
    # a -> b -> c and a -> c: (a, b), (b, c), (a, c) at length 1, (a, c) again at length 2
    truth = Graph.from_edges(["a -> b", "b -> c", "a -> c"])
    data = np.random.default_rng(0).normal(size=(50, 3)) * [1, 10, 5]  # a < c < b: only b -> c is wrong
    assert varsortability(data, truth).value == 3 / 4
    assert varsortability(-data[:, [1, 0, 2]], truth).value == 1 / 4


def test_standardised_columns_are_tied_whatever_the_rounding():
    data, truth = linear_sem(5, 10, 137, 0.3, False)
    standard = (data - data.mean(axis=0)) / data.std(axis=0)
    assert varsortability(data, truth).value > 0.9
    assert varsortability(standard, truth).value == 0.5
    assert r2_sortability(standard, truth).value == pytest.approx(r2_sortability(data, truth).value)


def test_columns_are_matched_by_name():
    data, truth = linear_sem(2, 12, 200, 0.25, False)
    frame = pd.DataFrame(data, columns=truth.nodes)[sorted(truth.nodes, reverse=True)]
    assert varsortability(frame, truth) == varsortability(data, truth)
    assert varsortability(frame.to_numpy(), truth, list(frame.columns)) == varsortability(data, truth)
    with pytest.raises(DataError, match="columns must be the nodes of the truth"):
        varsortability(data, truth, [*truth.nodes[:-1], "y"])


def test_collinear_columns_still_have_an_r2():
    truth = Graph.from_edges(["a -> b", "a -> c", "b -> d", "c -> d"])
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 200))
    data = np.column_stack([a, a + b, a + c, 2 * a + b + c])  # d = b + c, so b, c and d have R^2 = 1, as has a not
    assert r2_sortability(data, truth).value is not None
    few_rows = r2_sortability(data[:3], truth)
    assert few_rows.value == 0.5  # fewer rows than columns: every R^2 is 1


def test_wrong_data_are_refused():
    truth = Graph.from_edges(["a -> b"])
    with pytest.raises(DataError, match=r"must be .rows, 2 columns."):
        varsortability(np.zeros((5, 3)), truth)
    with pytest.raises(DataError, match="must be finite"):
        varsortability([[1.0, np.nan], [2.0, 3.0]], truth)
    with pytest.raises(GraphError, match="defined on a dag, got a cpdag"):
        varsortability(np.eye(2), truth.to_cpdag())
