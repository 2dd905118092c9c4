"""SCORE: a causal order from the curvature of the log density, then additive regressions.

    s(x) = grad log p(x);  with Gaussian noise d s_j / d x_j is constant exactly where j has no effect
    repeat: leaf = argmin_j Var_rows(d s_j / d x_j) among the columns left; take it out
    Stein's estimator, K_kl = exp(-|x_k - x_l|^2 / (2 h^2)), h the median distance, e = .001:
    G = (K + e I)^-1 grad K,   d s_j / d x_j = -G_j^2 + (K + e I)^-1 d2 K / d x_j^2

Rolland et al. (2022), Li & Turner (2018). Edges: what additive regressions along the order keep (learners/additive.py).
Above `rows` rows the order comes from so many of them, evenly spaced; the regressions use all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.additive import Additive
from trueness.learners.base import Alpha, Card, Checked, checked
from trueness.settings import Between, Hint

Array = NDArray[np.float64]
EPSILON = 1e-3
_MEDIAN_ROWS = 500


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

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
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


LEARNERS = {"score": SCORE}
