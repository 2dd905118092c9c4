"""Random: a DAG that never looked at the data. The floor that every learner must beat.

A random causal order, and each of the d(d-1)/2 forward pairs an edge with probability edges_per_node 2 / (d - 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import AtLeast0, Card, Checked, checked


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

    def fit(self, data: Table, rng: Generator) -> Graph:
        table = checked(data, self)
        d = table.d
        chance = min(1.0, self.edges_per_node * 2 / (d - 1)) if d > 1 else 0.0
        forward = np.triu(rng.random((d, d)) < chance, 1)
        order = rng.permutation(d)
        return Graph.from_matrix(forward[np.ix_(order, order)], table.names, direction="row to column")


LEARNERS = {"random": Random}
