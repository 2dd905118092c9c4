"""Adapters to the lingam package: DirectLiNGAM and ICA-LiNGAM.

Its adjacency_matrix_[i, j] != 0 means j -> i ("column to row"), the transpose of notears' and ours.
It is imported in `fit`, so that cards can be listed where it is not installed.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import Card, checked

_ASSUMES = ("linear relations", "non-Gaussian noise", "continuous variables", "causal sufficiency", "acyclicity")


def _graph(model: Any, table: Table) -> Graph:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lasso and ICA convergence warnings, one for each regression
        model.fit(np.array(table.values))
    return Graph.from_matrix(model.adjacency_matrix_, table.names, direction="column to row")


@dataclass(frozen=True)
class Direct:
    """lingam's DirectLiNGAM: find the most independent variable, take its effect out, go on."""

    card: ClassVar[Card] = Card(
        title="DirectLiNGAM (lingam)",
        summary="Finds a causal order by independence of regression residuals, then prunes with the adaptive lasso.",
        returns="dag",
        data={"continuous"},
        assumes=_ASSUMES,
        paper="Shimizu et al. 2011",
        family="functional",
        package="lingam",
        needs="lingam",
    )

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        from lingam import DirectLiNGAM

        return _graph(DirectLiNGAM(), table)


@dataclass(frozen=True)
class ICA:
    """lingam's ICA-LiNGAM: independent component analysis, rows permuted to a causal order."""

    max_iter: int = 1000

    card: ClassVar[Card] = Card(
        title="ICA-LiNGAM (lingam)",
        summary="Independent component analysis, its rows permuted to a causal order, then pruned.",
        returns="dag",
        data={"continuous"},
        assumes=_ASSUMES,
        paper="Shimizu et al. 2006",
        family="functional",
        package="lingam",
        needs="lingam",
        deterministic=False,
    )

    def fit(self, data: Table, rng: Generator) -> Graph:
        table = checked(data, self)
        seed = int(rng.integers(2**31))
        from lingam import ICALiNGAM

        return _graph(ICALiNGAM(random_state=seed, max_iter=self.max_iter), table)
