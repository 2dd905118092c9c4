"""The baselines that a learner must beat: pairs, the scale of the columns, and chance.

correlation     an undirected edge wherever two columns depend on each other; causation is not claimed
                continuous pair    r, tested by t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of freedom
                otherwise          chi2 of the table of counts (a continuous column cut at its quartiles), strength
                                   Cramer's V
sortnregress    sort the columns, regress each on those before it by the adaptive lasso with BIC: how much a simple
                order gives away. A learner that does not beat it on raw data has learnt the scale
                by variance    order by increasing variance              (Reisach, Seiler & Weichwald 2021)
                by r2          order by increasing R2_j = 1 - 1 / (R^-1)_jj, R the correlation matrix   (the same, 2023)
random          a DAG that never looked at the data: a random causal order, and each of the d(d-1)/2 forward pairs an
                edge with probability edges_per_node 2 / (d - 1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table, TableLike
from trueness.graphs import TAIL, Graph
from trueness.learners.base import Alpha, AtLeast0, Card, Checked, checked
from trueness.learners.kernels import lasso


@dataclass(frozen=True)
class Correlation(Checked):
    """Every pair tested on its own at level alpha."""

    alpha: Alpha = 0.05

    card: ClassVar[Card] = Card(
        title="Correlation",
        summary="Joins every pair of columns that are marginally dependent; directs nothing.",
        returns="cpdag",
        data={"discrete", "continuous"},
        assumes=("no indirect dependence",),
        paper="baseline",
        recovers="adjacencies",
    )

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        p, strength = _pairs(table)
        marks = np.where(p < self.alpha, TAIL, 0).astype(np.int8)
        return Graph(table.names, marks, np.where(p < self.alpha, strength, 0.0), "cpdag")


def _pairs(table: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """p-values and strengths of all pairs, symmetric, 1 and 0 on the diagonal."""
    from scipy import stats

    r = np.corrcoef(table.values.T).clip(-1, 1)
    with np.errstate(divide="ignore"):
        t = np.abs(r) * np.sqrt((table.n - 2) / (1 - r**2))
    p, strength = 2 * stats.t.sf(t, table.n - 2), np.abs(r)
    discrete = table.discrete
    codes = [_codes(table, j) for j in range(table.d)] if discrete.any() else []
    for i in range(table.d):
        for j in range(i):
            if discrete[i] or discrete[j]:
                pair_p, pair_strength = _chi2(codes[i], codes[j])
                p[[i, j], [j, i]] = pair_p
                strength[[i, j], [j, i]] = pair_strength
    np.fill_diagonal(p, 1.0)
    np.fill_diagonal(strength, 0.0)
    return p, strength


def _codes(table: Table, j: int) -> NDArray[np.intp]:
    column = table.values[:, j]
    if table.levels[j] is None:
        return np.searchsorted(np.quantile(column, (0.25, 0.5, 0.75)), column)
    return column.astype(np.intp)


def _chi2(x: NDArray[np.intp], y: NDArray[np.intp]) -> tuple[float, float]:
    from scipy import stats

    counts = np.bincount(x * (y.max() + 1) + y, minlength=(x.max() + 1) * (y.max() + 1)).reshape(x.max() + 1, -1)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return 1.0, 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(x)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    p = float(stats.chi2.sf(statistic, (counts.shape[0] - 1) * (counts.shape[1] - 1)))
    return p, float(np.sqrt(statistic / len(x) / (min(counts.shape) - 1)))


@dataclass(frozen=True)
class SortnRegress(Checked):
    """A DAG with weights; its direction comes from the order alone."""

    by: Literal["variance", "r2"] = "variance"

    card: ClassVar[Card] = Card(
        title="sortnregress",
        summary="Sorts columns by variance (or by R2) and regresses each on its predecessors with the lasso.",
        returns="dag",
        data={"continuous"},
        assumes=("linear relations", "causes have smaller variance", "causal sufficiency", "acyclicity"),
        paper="Reisach, Seiler & Weichwald 2021",
    )

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        centred = table.values - table.values.mean(axis=0)
        gram = centred.T @ centred
        order = np.argsort(self._key(gram, table.n), kind="stable")
        weights = np.zeros((table.d, table.d))  # weights[i, j] != 0 means i -> j
        for k in range(1, table.d):
            before, j = order[:k], order[k]
            weights[before, j] = lasso.adaptive_lasso(
                gram[np.ix_(before, before)], gram[before, j], gram[j, j], table.n
            )
        return Graph.from_matrix(weights, table.names, direction="row to column")

    def _key(self, gram: lasso.Array, n: int) -> lasso.Array:
        if self.by == "variance":
            return np.asarray(gram.diagonal() / n)
        scale = np.sqrt(gram.diagonal())
        return np.asarray(1 - 1 / np.linalg.pinv(gram / np.outer(scale, scale)).diagonal())


@dataclass(frozen=True)
class Random(Checked):
    """A random DAG with the given expected number of edges a node."""

    edges_per_node: AtLeast0 = 1.5

    card: ClassVar[Card] = Card(
        title="Random graph",
        summary="Draws a random acyclic graph without looking at the data.",
        returns="dag",
        data={"discrete", "continuous"},
        assumes=(),
        paper="baseline",
        deterministic=False,
        recovers="nothing",
    )

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        table, rng = checked(data, self), np.random.default_rng(rng)
        d = table.d
        chance = min(1.0, self.edges_per_node * 2 / (d - 1)) if d > 1 else 0.0
        forward = np.triu(rng.random((d, d)) < chance, 1)
        order = rng.permutation(d)
        return Graph.from_matrix(forward[np.ix_(order, order)], table.names, direction="row to column")


LEARNERS = {"correlation": Correlation, "sortnregress": SortnRegress, "random": Random}
