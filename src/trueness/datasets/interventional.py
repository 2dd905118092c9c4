"""Rows under interventions, from a system that can be run again: a synthetic one, an autoregression, or a network.

    numbers     m and s: mean and standard deviation without intervention, e ~ N(0, 1)
        do      x := m + s (2 + e)                              causes have no say
        shift   x := x + 2 s
        soft    x := m + (x - m) / 2 + s sqrt(3 / 4) e
    levels
        do      x uniform over the levels
        shift   x one level up, with probability .5, the last one stays
        soft    x uniform over the levels, with probability .5

x on the right is what its causes make of it. Hard interventions cut the edges into a target, the two others keep them;
learners that know targets use neither kind of rows for the target itself.

Regimes are stretches of rows: in regime 0 nothing is held, in each other 1 to 3 nodes are,

    x_j := mean_j + sd_j (c_j + e),   |c_j| uniform in [1, 2] with random sign,  e ~ N(0, 1)

Their effects reach the descendants only when the system itself is run again: what DrawsRegimes has such rows and a
plain table has not. Pearl (2009), ch. 3; Eberhardt & Scheines (2007).

    [datasets.lab]
    kind = "experiments"
    of = "asia"                            # or synthetic-20, net.bif, ...
    targets = [["smoke"], ["bronc", "tub"]]
    how = "do"                             # or shift, soft
    observational = 0.5                    # share of the rows in which nothing is done; the rest in equal parts
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.dataset import About, Dataset, Source
from trueness.datasets.experiments import Experiment, Experiments, How, Intervention
from trueness.datasets.table import Table
from trueness.errors import SettingError, did_you_mean
from trueness.graphs import Graph

Array = NDArray[np.float64]
Hold = Callable[[int, Array], None]
STRENGTH = 2.0  # of do and shift, in standard deviations
MOST_HELD = 3  # nodes that one regime holds


def hold_columns(interventions: Sequence[Intervention], mean: Array, sd: Array, fresh: Array) -> Hold:
    """What sets the rows of column j that are intervened on, in place; fresh: (n, d) N(0, 1)."""

    def hold(j: int, column: Array) -> None:
        for start, stop, _, how in (one for one in interventions if j in one.nodes):
            part, e = column[start:stop], fresh[start:stop, j]
            if how == "do":
                part[:] = mean[j] + sd[j] * (STRENGTH + e)
            elif how == "shift":
                part += STRENGTH * sd[j]
            else:
                part[:] = mean[j] + 0.5 * (part - mean[j]) + sd[j] * np.sqrt(0.75) * e

    return hold


@dataclass(frozen=True)
class Interventional(Source):
    """A system in its laboratory: part of the rows observational, the rest under one intervention each."""

    inner: Dataset
    targets_of_each: tuple[tuple[str, ...], ...]
    how: How = "do"
    observational: float = 0.5
    label: str = ""

    def __post_init__(self) -> None:
        if not hasattr(self.inner, "draw_under"):
            raise SettingError(
                f"'of' must be a system that is simulated (a network, or a synthetic one), got {self.inner.name!r}."
            )
        if self.how not in get_args(How):
            raise SettingError(f"'how' must be one of do, shift and soft, got {self.how!r:.40}.")
        if not 0 <= self.observational < 1:
            raise SettingError(f"'observational' must be a share in [0, 1), got {self.observational!r:.40}.")
        if not self.targets_of_each or not all(self.targets_of_each):
            raise SettingError("'targets' must have a list of columns for each intervention, such as [['smoke']].")
        nodes = self.inner.truth.nodes
        for name in (name for targets in self.targets_of_each for name in targets):
            if name not in nodes:
                raise SettingError(f"{name!r:.60} in 'targets' is not a node. {did_you_mean(name, nodes)}".rstrip())

    @property
    def name(self) -> str:
        return self.label or f"{self.inner.name}-experiments"

    @property
    def truth(self) -> Graph:
        return self.inner.truth

    @property
    def targets(self) -> tuple[tuple[str, ...], ...]:
        return ((),) * (self.observational > 0) + self.targets_of_each

    @property
    def about(self) -> About:
        about = self.inner.about
        words = ", ".join(" + ".join(targets) for targets in self.targets_of_each)
        return replace(about, properties=(*about.properties, f"interventions ({self.how}) on {words}"))

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table:
        n = self.about.rows if n is None else n
        count = len(self.targets_of_each)
        first = round(n * self.observational)
        edges = [first + (n - first) * k // count for k in range(count + 1)]
        plan = [
            Intervention(start, stop, tuple(self.truth.index(name) for name in targets), self.how)
            for (start, stop), targets in zip(pairwise(edges), self.targets_of_each, strict=True)
        ]
        table: Table = self.inner.draw_under(plan, n, np.random.default_rng(rng))  # type: ignore[attr-defined]
        kinds = (Experiment("none", ()), *(Experiment(" + ".join(names), names) for names in self.targets_of_each))
        rows = np.repeat(np.arange(count + 1), [first, *np.diff(edges)])
        return replace(table, source=self.name, experiments=Experiments(kinds, rows))


# ---- regimes


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

    def of(self, node: int) -> Iterator[tuple[slice, Array]]:
        """Where a node is held, and its values there, in standard units."""
        for block in self.blocks:
            for k in np.flatnonzero(block.nodes == node):
                yield slice(block.start, block.stop), block.values[:, k]

    def hold(self, mean: Array, sd: Array) -> Hold:
        """What sets the rows of column j in which it is held, in place."""

        def hold(j: int, column: Array) -> None:
            for rows, standard in self.of(j):
                column[rows] = mean[j] + sd[j] * standard

        return hold


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
