"""Rows of a linear system under interventions, for tests and benchmarks. m and s: mean and standard deviation without
intervention, e ~ N(0, 1), x on the right what the causes make of it:

do      x := m + s (2 + e)
shift   x := x + 2 s
soft    x := m + (x - m) / 2 + s sqrt(3 / 4) e
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from trueness.datasets.experiments import Experiment, Experiments
from trueness.datasets.synthetic import NOISES, Synthetic
from trueness.datasets.table import Table


@dataclass(frozen=True)
class Laboratory:
    """Half of the rows observational, the rest in equal parts under one intervention each."""

    system: Synthetic
    targets_of_each: tuple[tuple[str, ...], ...]
    how: str = "do"

    @property
    def truth(self):
        return self.system.truth

    @property
    def targets(self):
        return ((), *self.targets_of_each)

    def draw(self, n, rng):
        count, first = len(self.targets_of_each), round(n / 2)
        edges = [first + (n - first) * k // count for k in range(count + 1)]
        noise = NOISES[self.system.noise](rng, (n, self.system.nodes))
        e = rng.standard_normal(noise.shape)
        free = self._run(noise.copy(), lambda j, column: None)
        mean, sd = free.mean(axis=0), free.std(axis=0)

        def hold(j, column):
            for (start, stop), names in zip(pairwise(edges), self.targets_of_each, strict=True):
                x, fresh = column[start:stop], e[start:stop, j]
                if self.truth.nodes[j] not in names:
                    continue
                if self.how == "do":
                    x[:] = mean[j] + sd[j] * (2 + fresh)
                elif self.how == "shift":
                    x += 2 * sd[j]
                else:
                    x[:] = mean[j] + 0.5 * (x - mean[j]) + sd[j] * np.sqrt(0.75) * fresh

        kinds = (Experiment("none", ()), *(Experiment(" + ".join(names), names) for names in self.targets_of_each))
        rows = np.repeat(np.arange(count + 1), [first, *np.diff(edges)])
        values = (self._run(noise, hold) - mean) / sd
        levels = (None,) * self.system.nodes
        return Table(self.truth.nodes, values, levels, "lab", experiments=Experiments(kinds, rows))

    def _run(self, values, hold):
        weights = self.system._model[0]
        for j in map(self.truth.nodes.index, self.truth.topological_order()):
            parents = np.flatnonzero(weights[:, j])
            if len(parents):
                values[:, j] += values[:, parents] @ weights[parents, j]
            hold(j, values[:, j])
        return values
