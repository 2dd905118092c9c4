"""Twin: a system whose graph is known and whose rows look like a table's.

    x_j = f_j(parents) + e_j      numbers: f_j linear, or with a bend at each quartile where BIC wants them;
                                  e_j drawn from the residuals of the table's own rows
    x_j ~ P_j(level | parents)    categories: the table's own shares where the parents' levels are few, drawn towards
                                  the column's shares (PRIOR rows' worth), else a multinomial logit
    ordered columns               by the logit; as parents they enter by their codes, as numbers do
    root columns                  drawn from the table's own values

A row of the table with gaps gives its pattern of gaps to drawn rows, whatever their values (missing at random is not
imitated). Columns of whole numbers stay whole. What a twin cannot have: causes outside the table, and relations that
the given graph denies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import optimize, special

from trueness.datasets.table import Table
from trueness.errors import GraphError
from trueness.graphs import Graph
from trueness.graphs.equivalence import topological_order

Array = NDArray[np.float64]
Draw = Callable[[Array, Generator], Array]  # rows drawn so far (n, d) -> the column
PRIOR = 2.0  # rows that the shares of a category are drawn towards the column's own by
ROWS_A_SHARE = 5  # rows a cell of a table of shares must have on average; with fewer a logit is fitted
RIDGE = 1e-3


@dataclass(frozen=True, eq=False)
class Twin:
    """A system of `truth` (a DAG over the table's columns) with relations fitted to the table."""

    table: Table
    truth: Graph

    def __post_init__(self) -> None:
        if self.truth.kind != "dag" or set(self.truth.nodes) != set(self.table.names):
            raise GraphError(f"the graph of a twin must be a dag of the table's columns, got a {self.truth.kind}.")

    def draw(self, n: int, rng: Generator) -> Table:
        table = self.table
        values = np.empty((n, table.d))
        for j, draw in self._mechanisms:
            values[:, j] = draw(values, rng)
        if table.has_gaps:
            values[table.gaps[rng.integers(table.n, size=n)]] = np.nan
        return Table(table.names, values, table.levels, f"a twin of {table.source}")

    @cached_property
    def _mechanisms(self) -> list[tuple[int, Draw]]:
        """Causes first."""
        directed = self.truth.reorder(self.table.names).directed
        order = topological_order(directed)
        assert order is not None
        return [(j, _column(self.table, j, np.flatnonzero(directed[:, j]))) for j in order]


def _column(table: Table, j: int, parents: NDArray[np.intp]) -> Draw:
    values = table.values[~np.isnan(table.values[:, [j, *parents]]).any(axis=1)]
    levels = table.n_levels
    if not len(parents) or len(values) < 10 + 2 * len(parents):
        seen = table.values[~table.gaps[:, j], j]
        return lambda rows, rng: seen[rng.integers(len(seen), size=len(rows))]
    numbers = np.where(table.ordered, 0, levels)  # how many levels a parent enters with
    if not levels[j]:
        return _number(values, j, parents, numbers)
    size = levels[j] * np.prod(levels[parents], dtype=float)
    if not table.ordered[j] and (numbers[parents] > 0).all() and size * ROWS_A_SHARE <= len(values):
        return _shares(values, j, parents, levels)
    return _logit(values, j, parents, numbers, int(levels[j]))


def _number(values: Array, j: int, parents: NDArray[np.intp], levels: NDArray[np.int64]) -> Draw:
    y = values[:, j]
    fits = []
    for bends in (False, True):
        basis = _Basis(values, parents, levels, bends)
        x = basis(values)
        beta = np.linalg.lstsq(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y, rcond=None)[0]
        left = y - x @ beta
        bic = np.log(left.var() + 1e-300) + x.shape[1] * np.log(len(y)) / len(y)
        fits.append((float(bic), basis, beta, left))
    _, basis, beta, residuals = min(fits, key=lambda fit: fit[0])
    whole = bool((y == np.rint(y)).all())

    def draw(rows: Array, rng: Generator) -> Array:
        made = basis(rows) @ beta + residuals[rng.integers(len(residuals), size=len(rows))]
        return np.asarray(np.rint(made) if whole else made)

    return draw


def _shares(values: Array, j: int, parents: NDArray[np.intp], levels: NDArray[np.int64]) -> Draw:
    size = tuple(int(k) for k in levels[parents])
    marginal = np.bincount(values[:, j].astype(int), minlength=levels[j]) / len(values)
    place = _place(values[:, parents], size)
    counts = np.zeros((int(np.prod(size)), levels[j]))
    np.add.at(counts, (place, values[:, j].astype(int)), 1.0)
    shares = (counts + PRIOR * marginal) / (counts.sum(axis=1, keepdims=True) + PRIOR)

    def draw(rows: Array, rng: Generator) -> Array:
        return _levels_of(shares[_place(rows[:, parents], size)], rng)

    return draw


def _logit(values: Array, j: int, parents: NDArray[np.intp], levels: NDArray[np.int64], k: int) -> Draw:
    basis = _Basis(values, parents, levels, bends=False)
    x, y = basis(values), np.eye(k)[values[:, j].astype(int)]

    def loss(flat: Array) -> tuple[float, Array]:
        beta = flat.reshape(x.shape[1], k)
        logs = special.log_softmax(x @ beta, axis=1)
        gradient = x.T @ (np.exp(logs) - y) + RIDGE * len(x) * beta
        return float(-(logs * y).sum() + RIDGE * len(x) * (beta**2).sum() / 2), gradient.ravel()

    fit = optimize.minimize(loss, np.zeros(x.shape[1] * k), jac=True, method="L-BFGS-B", options={"maxiter": 50})
    beta = fit.x.reshape(x.shape[1], k)
    return lambda rows, rng: _levels_of(special.softmax(basis(rows) @ beta, axis=1), rng)


def _place(levels: Array, size: tuple[int, ...]) -> NDArray[np.intp]:
    """Of each row (n, k) of levels its place in a table of that size."""
    return np.asarray(np.ravel_multi_index(tuple(levels.astype(np.intp).T), size))


def _levels_of(shares: Array, rng: Generator) -> Array:
    """A level for each row of shares (n, k)."""
    below = np.cumsum(shares, axis=1)[:, :-1]
    return np.asarray((rng.random(len(shares))[:, None] > below).sum(axis=1), dtype=np.float64)


class _Basis:
    """1, numbers standardised (with their bends, where wanted), categories as columns of 0 and 1."""

    def __init__(self, values: Array, parents: NDArray[np.intp], levels: NDArray[np.int64], bends: bool):
        self.parents, self.levels = parents, levels
        self.centre, self.scale = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-12)
        self.bends = np.quantile(values, (0.25, 0.5, 0.75), axis=0) if bends else np.zeros((0, values.shape[1]))

    def __call__(self, rows: Array) -> Array:
        columns = [np.ones(len(rows))]
        for i in self.parents:
            if self.levels[i]:
                columns += [(rows[:, i] == level).astype(float) for level in range(1, self.levels[i])]
            else:
                columns.append((rows[:, i] - self.centre[i]) / self.scale[i])
                columns += [np.maximum(rows[:, i] - bend, 0.0) / self.scale[i] for bend in self.bends[:, i]]
        return np.stack(columns, axis=1)
