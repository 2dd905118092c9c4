"""Additive regression on splines, and the edges that it leaves of a causal order.

    x_j = c + sum_i f_i(x_i) + e_j,     f_i: cubic B-splines (their knots are quantiles), by least squares
    edge i -> j  if the F-test of f_i = 0 among all columns before j in the order has p < cutoff

The pruning of CAM (Buhlmann, Peters & Ernest 2014), whose splines are penalised. With B the centred splines of all
columns, G = B'B, b = G^-1 B'x_j:  RSS without i - RSS = b_i' ((G^-1)_ii)^-1 b_i, so that one inverse serves all tests.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph

Array = NDArray[np.float64]
SPLINES, ROWS_PER_SPLINE = 8, 5  # of a column at most; rows that each of a regression must have at least
_RIDGE = 1e-9  # of a spline's variance: splines of columns that depend on each other


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

    def residual(self, j: int, causes: Sequence[int]) -> Array:
        """What x_j's regression on the causes leaves."""
        if not len(causes):
            return np.asarray(self.z[:, j])
        places = self.places(causes)
        x = self.z[:, j]
        return np.asarray(
            x - self.design[:, places] @ np.linalg.solve(self.gram[np.ix_(places, places)], self._with(j)[places])
        )

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
