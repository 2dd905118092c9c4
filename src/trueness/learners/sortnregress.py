"""sortnregress: sort the columns, regress each on those before it. Shows how much a simple order gives away.

    by variance    order by increasing variance              (Reisach, Seiler & Weichwald 2021)
    by r2          order by increasing R2_j = 1 - 1 / (R^-1)_jj, R the correlation matrix   (Reisach et al. 2023)

Coefficients by the adaptive lasso with BIC. A learner that does not beat it on raw data has learnt the scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import Card, Checked, checked
from trueness.learners.kernels import lasso


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

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
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


LEARNERS = {"sortnregress": SortnRegress}
