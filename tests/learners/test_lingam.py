"""DirectLiNGAM equals the lingam package's, and keeps its rules where it has none.

benchmarks/equality_lingam.py makes the same comparison on 30 draws of six data sets.
"""

import warnings
from importlib import import_module

import numpy as np
import pytest

import trueness
from tests.each import each
from trueness.errors import SettingError
from trueness.learners.kernels import lingam
from trueness.learners.lingam import DirectLiNGAM


@pytest.fixture(scope="module")
def package():
    """The lingam package: to import it takes four seconds, of each process that collects this file."""
    return import_module("lingam")


DRAWS = [
    *(("asia", 10_000, seed) for seed in range(2)),
    *(("cancer", 5000, seed) for seed in range(3)),
    *(("synthetic-12", 500, seed) for seed in range(3)),
    *(("sachs", 853, seed) for seed in range(2)),
    ("child", 500, 0),
]


def draw(name, n, seed):
    rng = np.random.default_rng(seed)
    if name == "sachs":
        table = trueness.load(name).table
        return table.rows(rng.integers(table.n, size=n)).as_numbers()
    return trueness.load(name).draw(n, rng).as_numbers()


def fitted(model, values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(np.array(values))


def assert_same(ours, theirs):
    assert [ours.graph.index(name) for name in ours.order] == list(theirs.causal_order_)
    np.testing.assert_allclose(ours.graph.weights, theirs.adjacency_matrix_.T, rtol=1e-6, atol=1e-6)


def linear(seed, n=300, d=5):
    """x_j of its three predecessors at most, Laplace noise, columns shuffled."""
    rng = np.random.default_rng(seed)
    values = rng.laplace(size=(n, d))
    for j in range(1, d):
        values[:, j] += values[:, max(0, j - 3) : j] @ rng.normal(size=min(j, 3))
    return values[:, rng.permutation(d)]


def measures(x):
    """M of each column by the formula, all pairs, no short cuts."""
    z = (x - x.mean(axis=0)) / x.std(axis=0)

    def entropy(u):
        u = u / u.std()
        return (
            (1 + np.log(2 * np.pi)) / 2
            - 79.047 * (np.log(np.cosh(u)).mean() - 0.37457) ** 2
            - 7.4129 * (u * np.exp(-(u**2) / 2)).mean() ** 2
        )

    d, found = x.shape[1], np.zeros(x.shape[1])
    for i in range(d):
        for j in range(d):
            if i != j:
                rho = (z[:, i] * z[:, j]).mean()
                r_i, r_j = z[:, i] - rho * z[:, j], z[:, j] - rho * z[:, i]
                found[i] += min(0, entropy(z[:, j]) + entropy(r_i) - entropy(z[:, i]) - entropy(r_j)) ** 2
    return found


@each("name,n,seed", DRAWS)
def test_direct_has_the_order_and_the_weights_of_lingam(name, n, seed, package):
    table = draw(name, n, seed)
    assert_same(DirectLiNGAM().fit_details(table), fitted(package.DirectLiNGAM(), table.values))


@each("seed", range(10))
def test_stopping_early_chooses_what_all_pairs_choose(seed):
    values = linear(seed, d=7)
    found, left = DirectLiNGAM().fit_details(values), values.copy()
    columns = [int(name[1:]) for name in found.order]
    for k, best in enumerate(columns[:-1]):
        rest = columns[k:]
        measure = measures(left[:, rest])
        assert measure.argmin() == 0
        assert found.margins[k] <= np.sort(measure)[1] - measure[0] + 1e-12
        for j in rest[1:]:
            left[:, j] -= np.cov(left[:, j], left[:, best], bias=True)[0, 1] / left[:, best].var() * left[:, best]
    assert found.comparisons < 56  # of (7^3 - 7) / 6


def test_the_polynomials_are_exact_to_1e_13():
    y = -np.random.default_rng(0).uniform(0, 60, 2000)
    np.testing.assert_allclose([lingam.exp2(v) for v in y], np.exp2(y), rtol=1e-13)
    e = np.append(np.random.default_rng(1).uniform(0, 1, 2000), [0, 1, 1e-300])
    np.testing.assert_allclose([lingam.log1p(v) for v in e], np.log1p(e), rtol=1e-13)


def test_of_equal_measures_the_first_column_wins_and_the_tie_is_reported():
    pairs = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [40, 17, 17, 26], axis=0)  # as many ones each
    for columns in ([0, 1], [1, 0]):
        found = DirectLiNGAM().fit_details(pairs[:, columns])
        assert found.order == ("X0", "X1")
        assert found.ties == ("X0",)


@pytest.mark.parametrize("seed", range(4))
def test_knowledge_is_lingams_prior_knowledge(seed, package):
    table = draw("synthetic-12", 500, seed)
    known = {"paths": [(3, 4)], "no_paths": [(0, 1), (5, 6), (6, 5)], "exogenous_variables": [7]}
    prior = package.utils.make_prior_knowledge(12, **known)
    forbidden = ["X0 -> X1", "X5 -> X6", "X6 -> X5", *(f"X{i} -> X7" for i in range(12) if i != 7)]
    theirs = fitted(package.DirectLiNGAM(prior_knowledge=prior), table.values)
    ours = DirectLiNGAM(forbidden=tuple(forbidden), tiers=(("X3",), ("X4",))).fit_details(table)
    assert_same(ours, theirs)


def test_knowledge_that_allows_no_order_is_refused():
    with pytest.raises(SettingError, match="must allow an order, got"):
        DirectLiNGAM(forbidden=("a -> b", "b -> c", "c -> a"))
    with pytest.raises(SettingError, match="must list edges as"):
        DirectLiNGAM(required=("a, b",))
