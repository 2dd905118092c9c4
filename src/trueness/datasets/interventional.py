"""Rows under interventions, from a system that can be run again: a synthetic one or a Bayesian network.

    numbers     m and s: mean and standard deviation without intervention, e ~ N(0, 1), t the strength
        do      x := m + s (t + e)                                      t = 2;  causes have no say
        shift   x := x + t s                                            t = 2
        soft    x := m + (1 - t)(x - m) + s sqrt(1 - (1 - t)^2) e       t = .5
    levels
        do      x uniform over the levels
        shift   x one level up, with probability t = .5, the last one stays
        soft    x uniform over the levels, with probability t = .5

x on the right is what its causes make of it. Hard interventions cut the edges into a target, the two others keep them;
learners that know targets use neither kind of rows for the target itself.
Pearl (2009), ch. 3; Eberhardt & Scheines (2007).

    [datasets.lab]
    kind = "experiments"
    of = "asia"                            # or synthetic-20, net.bif, ...
    targets = [["smoke"], ["bronc", "tub"]]
    how = "do"                             # or shift, soft
    observational = 0.5                    # share of the rows in which nothing is done; the rest in equal parts
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.dataset import About, Dataset, Source
from trueness.datasets.experiments import Experiment, Experiments, How, Intervention
from trueness.datasets.table import Table
from trueness.errors import SettingError, did_you_mean
from trueness.graphs import Graph

Array = NDArray[np.float64]
STRENGTH = {"do": 2.0, "shift": 2.0, "soft": 0.5}  # of numbers


def hold_columns(
    interventions: Sequence[Intervention], mean: Array, sd: Array, fresh: Array
) -> Callable[[int, Array], None]:
    """What sets the rows of column j that are intervened on, in place; fresh: (n, d) N(0, 1)."""

    def hold(j: int, column: Array) -> None:
        for start, stop, nodes, how, strength in interventions:
            t = STRENGTH[how] if strength is None else strength
            part, e = column[start:stop], fresh[start:stop, j]
            if j in nodes and how == "do":
                part[:] = mean[j] + sd[j] * (t + e)
            elif j in nodes and how == "shift":
                part += t * sd[j]
            elif j in nodes:
                part[:] = mean[j] + (1 - t) * (part - mean[j]) + sd[j] * np.sqrt(1 - (1 - t) ** 2) * e

    return hold


@dataclass(frozen=True)
class Interventional(Source):
    """A system in its laboratory: part of the rows observational, the rest under one intervention each."""

    inner: Dataset
    targets_of_each: tuple[tuple[str, ...], ...]
    how: How = "do"
    strength: float | None = None
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
        share = self.strength
        if share is not None and not (0 < share <= 1 if self.how == "soft" else np.isfinite(share)):
            raise SettingError(f"'strength' must be in (0, 1] for soft, a number for the others, got {share!r:.40}.")

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
            Intervention(start, stop, tuple(self.truth.index(name) for name in targets), self.how, self.strength)
            for (start, stop), targets in zip(pairwise(edges), self.targets_of_each, strict=True)
        ]
        table: Table = self.inner.draw_under(plan, n, np.random.default_rng(rng))  # type: ignore[attr-defined]
        kinds = (Experiment("none", ()), *(Experiment(" + ".join(names), names) for names in self.targets_of_each))
        rows = np.repeat(np.arange(count + 1), [first, *np.diff(edges)])
        return replace(table, source=self.name, experiments=Experiments(kinds, rows))
