"""Parts of the repository's networks with more than 70 nodes: real tables of probabilities, for the atlas.

A part is closed under causes (all ancestors of some nodes), so that its graph is the truth of its columns. The networks
with at most 70 nodes stay unseen: `learn.py` claims on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.random import Generator

from trueness.datasets import load
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.graphs.equivalence import ancestors

LARGE = ("andes", "arth150", "diabetes", "link", "munin1", "pathfinder", "pigs", "win95pts")
PARTS = range(50_000, 54_000)  # seeds
LEAST, MOST = 4, 30  # more take minutes a fit where columns have 20 levels (diabetes)


@dataclass(frozen=True)
class Part:
    kind: str  # the network
    columns: tuple[int, ...]
    rows: int
    gaps: float
    seed: int

    @property
    def nodes(self) -> int:
        return len(self.columns)

    @cached_property
    def truth(self) -> Graph:
        whole = load(self.kind).truth
        names = [whole.nodes[k] for k in self.columns]
        return Graph.from_matrix(whole.directed[np.ix_(self.columns, self.columns)], names, direction="row to column")

    def draw(self, n: int, rng: Generator) -> Table:
        table = load(self.kind).draw(n, rng).columns(self.columns)
        if not self.gaps:
            return table
        values = np.where(rng.random(table.values.shape) < self.gaps, np.nan, table.values)
        return Table(table.names, values, table.levels, self.kind)


@cache
def _closures(name: str) -> np.ndarray:
    """(node, node): row k is node k with all its ancestors."""
    directed = load(name).truth.directed
    return np.array([ancestors(directed, [k]) | (np.arange(len(directed)) == k) for k in range(len(directed))])


def part_of(seed: int) -> Part:
    """A random one: ancestors of nodes that are near each other, 4 to 30 columns, 80 to 5,000 rows."""
    rng = np.random.default_rng([seed, 8])
    name = str(rng.choice(LARGE))
    directed, closed = load(name).truth.directed, _closures(name)
    wanted = np.exp(rng.triangular(np.log(LEAST), np.log(10), np.log(MOST)))
    inside = np.zeros(len(directed), dtype=bool)
    while inside.sum() < LEAST:
        inside = closed[rng.integers(len(directed))]
        inside &= inside.sum() <= MOST
        for k in rng.permutation(len(directed)):
            near = directed[inside].any(axis=0)[k] or not inside.any()
            if inside.sum() < wanted and near and (inside | closed[k]).sum() <= MOST:
                inside = inside | closed[k]
    rows = round(float(np.exp(rng.uniform(np.log(80), np.log(5000)))))
    gaps = float(rng.choice([0.0] * 5 + [0.05, 0.15]))
    return Part(name, tuple(map(int, np.flatnonzero(inside))), rows, gaps, seed)
