"""Regimes: stretches of rows in which a few nodes are held by an intervention.

    regime 0: nothing is held.   regime r > 0: 1 to 3 nodes are cut from their causes,
    x_j := mean_j + sd_j (c_j + e),   |c_j| uniform in [1, 2] with random sign,  e ~ N(0, 1)

mean_j and sd_j are those without intervention. That is a hard (perfect, stochastic) intervention; its effects reach
the descendants only when the system itself is run again, so what DrawsRegimes has such rows and a plain table has not.
Pearl (2009), ch. 3; Eberhardt & Scheines (2007) on hard and soft ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import SettingError

Array = NDArray[np.float64]
Hold = Callable[[int, Array], None]
MOST_HELD = 3  # nodes that one regime holds


class Block(NamedTuple):
    """Rows start to stop in which `nodes` take `values` (stop - start, nodes), in standard units."""

    start: int
    stop: int
    nodes: NDArray[np.intp]
    values: Array


@dataclass(frozen=True, eq=False)
class Regimes:
    """labels: (n,) the regime of each row; one block a regime that holds something."""

    labels: NDArray[np.intp]
    blocks: tuple[Block, ...]

    def hold(self, mean: Array, sd: Array) -> Hold:
        """What sets the rows of column j in which it is held, in place."""

        def hold(j: int, column: Array) -> None:
            for rows, standard in self.of(j):
                column[rows] = mean[j] + sd[j] * standard

        return hold

    def of(self, node: int) -> Iterator[tuple[slice, Array]]:
        """Where a node is held, and its values there, in standard units."""
        for block in self.blocks:
            for k in np.flatnonzero(block.nodes == node):
                yield slice(block.start, block.stop), block.values[:, k]


@runtime_checkable
class DrawsRegimes(Protocol):
    """A data set that can be run again under interventions."""

    def draw_regimes(self, regimes: Regimes, n: int, rng: Generator) -> tuple[Table, Table]:
        """n rows without any intervention and n rows under the regimes, from the same noise."""
        ...


def plan_regimes(n: int, d: int, count: int, rng: Generator) -> Regimes:
    """`count` blocks of equal length; the first is left alone. The nodes do not depend on the graph."""
    if not 1 <= count <= n:
        raise SettingError(f"the number of regimes must be in [1, {n}] for {n} rows, got {count}. Try 3.")
    edges = [regime * n // count for regime in range(count + 1)]
    labels = np.repeat(np.arange(count, dtype=np.intp), np.diff(edges))
    blocks = []
    for start, stop in pairwise(edges[1:]):
        nodes = np.sort(rng.choice(d, size=int(rng.integers(1, max(1, min(MOST_HELD, d - 1)) + 1)), replace=False))
        centre = rng.uniform(1.0, 2.0, len(nodes)) * rng.choice([-1.0, 1.0], len(nodes))
        blocks.append(Block(start, stop, nodes, centre + rng.standard_normal((stop - start, len(nodes)))))
    return Regimes(labels, tuple(blocks))
