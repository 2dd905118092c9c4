"""SCORE: a causal order from the curvature of the log density, then additive regressions.

    s(x) = grad log p(x);  with Gaussian noise d s_j / d x_j is constant exactly where j has no effect
    repeat: leaf = argmin_j Var_rows(d s_j / d x_j) among the columns left; take it out
    Stein's estimator, K_kl = exp(-|x_k - x_l|^2 / (2 h^2)), h the median distance, e = .001:
    G = (K + e I)^-1 grad K,   d s_j / d x_j = -G_j^2 + (K + e I)^-1 d2 K / d x_j^2

Rolland et al. (2022), Li & Turner (2018). Above `rows` rows the order comes from so many of them, evenly spaced.
Edges: what additive regressions on splines, of all rows, keep of the order, as the pruning of CAM (Buhlmann, Peters &
Ernest 2014), whose splines are penalised:

    x_j = c + sum_i f_i(x_i) + e_j,     f_i: cubic B-splines (their knots are quantiles), by least squares
    edge i -> j  if the F-test of f_i = 0 among all columns before j in the order has p < cutoff

With B the centred splines of all columns, G = B'B, b = G^-1 B'x_j:  RSS without i - RSS = b_i' ((G^-1)_ii)^-1 b_i, so
that one inverse serves all tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table, TableLike
from trueness.graphs import Graph
from trueness.learners.base import Alpha, Card, Checked, checked
from trueness.settings import Between, Hint

Array = NDArray[np.float64]
EPSILON = 1e-3
_MEDIAN_ROWS = 500
SPLINES, ROWS_PER_SPLINE = 8, 5  # of a column at most; rows that each of a regression must have at least
_RIDGE = 1e-9  # of a spline's variance: splines of columns that depend on each other


@dataclass(frozen=True)
class SCORE(Checked):
    """A DAG. `cutoff`: the p-value below which an edge stays."""

    cutoff: Alpha = 0.001
    rows: Annotated[int, Between(100, 5000, closed=True), Hint("Its matrix has the square of it.")] = 1000

    card: ClassVar[Card] = Card(
        title="SCORE",
        summary="Orders columns by the curvature of the log density, then prunes by additive regressions.",
        returns="dag",
        data={"continuous"},
        assumes=("nonlinear relations", "additive noise", "Gaussian noise", "causal sufficiency", "acyclicity"),
        paper="Rolland et al. 2022",
        family="functional",
        recovers="adjacencies",
        curved=True,
    )

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        additive = Additive(table)
        some = np.linspace(0, table.n - 1, min(table.n, self.rows)).astype(np.int64)
        return additive.prune(causal_order(additive.z[some]), self.cutoff, table.names)


def causal_order(z: Array) -> list[int]:
    """Columns of (n, d), causes first."""
    left, order = list(range(z.shape[1])), []
    while len(left) > 1:
        leaf = left[int(curvatures(z[:, left]).var(axis=0).argmin())]
        order.append(leaf)
        left.remove(leaf)
    return left + order[::-1]


def curvatures(z: Array) -> Array:
    """(n, d): d s_j / d x_j at each row."""
    from scipy.linalg import cho_factor, cho_solve

    squares = (z**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares - 2 * z @ z.T, 0.0)
    some = distances[:_MEDIAN_ROWS, :_MEDIAN_ROWS]
    h2 = float(np.median(some[np.tril_indices_from(some, -1)]))
    k = np.exp(-distances / (2 * h2))
    total, first, second = k.sum(axis=1)[:, None], k @ z, k @ z**2
    gradient = (first - z * total) / h2
    bend = -total / h2 + (z**2 * total - 2 * z * first + second) / h2**2
    k[np.diag_indices_from(k)] += EPSILON
    solved = cho_solve(cho_factor(k, lower=True, overwrite_a=True), np.hstack([gradient, bend]))
    d = z.shape[1]
    return np.asarray(solved[:, d:] - solved[:, :d] ** 2)


class Additive:
    """The splines of all columns: design (n, .), first[i] where those of column i begin; z: (n, d) standardised."""

    def __init__(self, table: Table):
        scale = np.abs(table.values).max(axis=0)  # first: squares of what is very small or large
        values = table.values / scale
        self.z: Array = (values - values.mean(axis=0)) / values.std(axis=0)
        count = int(np.clip(table.n // (ROWS_PER_SPLINE * max(table.d - 1, 1)), 1, SPLINES))
        parts = [_splines(column, count) for column in self.z.T]
        self.first = np.concatenate([[0], np.cumsum([part.shape[1] for part in parts])])
        self.design: Array = np.hstack(parts)
        self.gram: Array = self.design.T @ self.design
        self.gram[np.diag_indices_from(self.gram)] *= 1 + _RIDGE

    def places(self, columns: Sequence[int]) -> NDArray[np.intp]:
        return np.concatenate([np.arange(self.first[i], self.first[i + 1]) for i in columns])

    def p_values(self, j: int, causes: Sequence[int]) -> Array:
        """Of each cause: the F-test that x_j's regression does without it."""
        from scipy.special import fdtrc

        if not len(causes):
            return np.zeros(0)
        places, n = self.places(causes), len(self.z)
        inverse = np.linalg.inv(self.gram[np.ix_(places, places)])
        slopes = inverse @ self._with(j)[places]
        left = max(n - float(slopes @ self._with(j)[places]), 1e-12 * n)
        free, p_values, at = max(n - 1 - len(places), 1), [], 0
        for i in causes:
            block = slice(at, at := at + int(self.first[i + 1] - self.first[i]))
            more = max(float(slopes[block] @ np.linalg.solve(inverse[block, block], slopes[block])), 0.0)
            count = block.stop - block.start
            p_values.append(fdtrc(count, free, more / count / (left / free)))
        return np.array(p_values)

    def _with(self, j: int) -> Array:
        return np.asarray(self.design.T @ self.z[:, j])

    def prune(self, order: Sequence[int], cutoff: float, names: Sequence[str]) -> Graph:
        """The DAG of what is left of all edges along the order."""
        edges = np.zeros((len(order), len(order)))
        for k, j in enumerate(order):
            before = np.sort(np.asarray(order[:k], dtype=np.int64))
            edges[before, j] = self.p_values(j, before.tolist()) < cutoff
        return Graph.from_matrix(edges, names, direction="row to column")


def _splines(column: Array, count: int) -> Array:
    """(n, at most count) centred splines of one column: a line alone where it has few values or splines."""
    from scipy.interpolate import BSpline

    if count < 4 or len(np.unique(column)) < 8:
        return column[:, None]
    knots = np.unique(np.quantile(column, np.linspace(0, 1, count - 1)))  # count - 3 inner ones, and the ends
    whole = np.concatenate([[knots[0]] * 3, knots, [knots[-1]] * 3])
    basis = BSpline.design_matrix(column, whole, 3).toarray()[:, 1:]  # all of them sum to 1
    return np.asarray(basis - basis.mean(axis=0))


LEARNERS = {"score": SCORE}
