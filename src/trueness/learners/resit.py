"""RESIT: a causal order by regression and independence: what an effect's regression leaves does not hang on its causes.

    repeat: r_k = x_k - f(other columns left), for each k left;  effect = argmin_k  sum_i D(r_k, x_i);  take it out
    D(r, x) = (HSIC - its mean) / its standard deviation if independent;  HSIC = tr K_r K_x, kernels centred
    f: additive splines (learners/additive.py); HSIC's moments as in kernels/kci.py with nothing given

Peters, Mooij, Janzing & Scholkopf (2014), algorithm 1. Its second phase tests independence again for each edge; here
edges are those that additive regressions along the order keep, as in CAM: fewer tests, and none at the border of power.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.additive import Additive
from trueness.learners.base import Alpha, Card, Checked, checked
from trueness.learners.kernels import kci

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RESIT(Checked):
    """A DAG. `cutoff`: the p-value below which an edge stays."""

    cutoff: Alpha = 0.001

    card: ClassVar[Card] = Card(
        title="RESIT",
        summary="Takes out effects one by one: columns whose regression leaves what hangs least on the others.",
        returns="dag",
        data={"continuous"},
        assumes=("additive noise", "nonlinear relations or non-Gaussian noise", "causal sufficiency", "acyclicity"),
        paper="Peters, Mooij, Janzing & Scholkopf 2014",
        family="functional",
        recovers="adjacencies",
        curved=True,
    )

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        additive = Additive(table)
        return additive.prune(causal_order(additive), self.cutoff, table.names)


class Kernel(NamedTuple):
    """The kernel of a column as L'L, L (m, n); its trace and the sum of its squares."""

    rows: Array
    trace: float
    squares: float

    @classmethod
    def of(cls, column: Array) -> Kernel:
        rows = kci.kernel_rows(np.ascontiguousarray(column / column.std(ddof=1)))
        return cls(rows, float((rows**2).sum()), float(((rows @ rows.T) ** 2).sum()))

    def dependence(self, other: Kernel) -> float:
        n = self.rows.shape[1]
        statistic = float(((self.rows @ other.rows.T) ** 2).sum())
        return float((statistic * n - self.trace * other.trace) / np.sqrt(2 * self.squares * other.squares))


def causal_order(additive: Additive) -> list[int]:
    """Causes first."""
    columns = [Kernel.of(column) for column in additive.z.T]
    left, order = list(range(len(columns))), []
    while len(left) > 1:
        sums = []
        for k in left:
            causes = [i for i in left if i != k]
            residual = Kernel.of(additive.residual(k, causes))
            sums.append(sum(residual.dependence(columns[i]) for i in causes))
        order.append(left.pop(int(np.argmin(sums))))
    return left + order[::-1]


LEARNERS = {"resit": RESIT}
