"""DirectLiNGAM: a linear model with non-Gaussian noise has one causal order, and the data show it.

    x_j = sum_i w_ij x_i + e_j          e_j independent, at most one of them Gaussian; weights[i, j] != 0 means i -> j

Finds the most exogenous column by pairwise likelihood ratios, takes it out of the others, goes on (Shimizu et al. 2011;
the measure: Hyvarinen & Smith 2013; formulas in kernels/lingam.py). Then regresses each column on those before it,
keeps what the adaptive lasso with BIC keeps, and refits. Only distinct rows are visited, each with its count.
`lingam` 1.13.0 is the reference.

Knowledge: required a -> b puts a before b and keeps the edge; forbidden a -> b draws none and puts b before a, unless
both directions are forbidden (lingam's prior knowledge, where 1 and 0 speak of paths); tiers forbid all edges back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table, TableLike
from trueness.errors import SettingError
from trueness.graphs import Graph
from trueness.graphs.equivalence import find_cycle
from trueness.learners.base import Card, Checked, checked
from trueness.learners.kernels import counting, lasso
from trueness.learners.kernels import lingam as kernel
from trueness.learners.knowledge import Knowledge

Array = NDArray[np.float64]
Matrix = NDArray[np.bool_]
Order = NDArray[np.int64]

ASSUMES = ("linear relations", "non-Gaussian noise", "continuous variables", "causal sufficiency", "acyclicity")


@dataclass(frozen=True, eq=False)
class DirectResult:
    """The graph, the causal order, and how clear each choice was."""

    graph: Graph
    order: tuple[str, ...]
    margins: Array  # margins[k]: how far, at least, the second least measure lay above order[k]'s; inf without a choice
    comparisons: int  # pairs of columns whose likelihood ratio was computed

    @property
    def ties(self) -> tuple[str, ...]:
        """Columns chosen by less than 1e-10 before another: there the order hangs on little or nothing."""
        return tuple(name for name, margin in zip(self.order, self.margins, strict=True) if margin < kernel.TIE)


@dataclass(frozen=True)
class DirectLiNGAM(Checked):
    """The most exogenous column first, its effect taken out of the others. Returns a DAG with weights."""

    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    tiers: tuple[Sequence[str], ...] = ()

    card: ClassVar[Card] = Card(
        title="DirectLiNGAM",
        summary="Finds a causal order by pairwise likelihood ratios of residuals, then prunes with the adaptive lasso.",
        returns="dag",
        data={"continuous"},
        assumes=ASSUMES,
        paper="Shimizu et al. 2011; Hyvarinen & Smith 2013",
        family="functional",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        knowledge = self._knowledge()
        _before(*knowledge.matrices(knowledge.names()), knowledge.names())

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        return self._search(checked(data, self), 0.0).graph

    def fit_details(self, data: TableLike, rng: Generator | None = None) -> DirectResult:
        """As `fit`, which does not look for ties: where many columns are exogenous at once, a quarter of its pairs."""
        return self._search(checked(data, self), kernel.TIE)

    def _search(self, table: Table, close: float) -> DirectResult:
        required, forbidden = self._knowledge().matrices(table.names)
        place, counts = counting.distinct_rows(table.values)
        single_first = np.argsort(counts > 1, kind="stable")
        place, times = place[single_first], counts[single_first].astype(np.float64)
        single = int(np.count_nonzero(counts == 1))
        values = table.values if single == table.n else table.values[place]
        z = np.empty(values.shape[::-1])  # columns are rows here, for the kernels' sake
        for start in range(0, len(values), 1024):  # in parts that stay in cache: a fifth of the time of all at once
            z[:, start : start + 1024] = values[start : start + 1024].T
        z -= (z @ times / table.n)[:, None]
        covariance = (z * times) @ z.T / table.n
        scale = np.sqrt(covariance.diagonal())
        correlation = covariance / np.outer(scale, scale)
        z /= scale[:, None]
        before = _before(required, forbidden, table.names)
        order, margins, comparisons = kernel.causal_order(z, times, single, table.n, correlation.copy(), before, close)
        weights = np.zeros_like(correlation)
        singular = kernel.prune(correlation, table.n, order, required, forbidden, weights)
        for j in np.flatnonzero(singular):
            earlier = order[: int(np.flatnonzero(order == j)[0])]
            _prune_singular(correlation, table.n, earlier[~forbidden[earlier, j]], j, required, weights)
        weights *= scale / scale[:, None]
        graph = Graph.from_matrix(weights, table.names, direction="row to column")
        return DirectResult(graph, tuple(table.names[i] for i in order), margins, comparisons)

    def _knowledge(self) -> Knowledge:
        return Knowledge.of(self.required, self.forbidden, self.tiers, "lingam")


def _before(required: Matrix, forbidden: Matrix, names: Sequence[str]) -> Matrix:
    """before[i, j]: i must precede j. SettingError where no order can keep all that is required and forbidden."""
    before = required | (forbidden.T & ~forbidden)
    cycle = find_cycle(before) if before.any() else None
    if cycle:
        raise SettingError(
            f"knowledge of lingam must allow an order, got {' before '.join(names[i] for i in cycle)}. "
            "A forbidden a -> b puts b first."
        )
    return before


def _prune_singular(r: Array, n: int, before: Order, j: int, required: Matrix, weights: Array) -> None:
    """As `prune`, where the columns before j depend on each other: least squares of least norm."""
    gram, xy = n * r[np.ix_(before, before)], n * r[before, j]
    keep = (lasso.adaptive_lasso(gram, xy, float(n), n) != 0) | required[before, j]
    weights[before[keep], j] = lasso.least_norm(gram[np.ix_(keep, keep)], xy[keep])


LEARNERS = {"lingam": DirectLiNGAM}
