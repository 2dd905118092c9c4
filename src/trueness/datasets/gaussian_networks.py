"""Linear Gaussian networks that were fitted to measurements: x_j = a_j + sum_i b_ij x_i + e_j,  e_j ~ N(0, v_j).

{"nodes": ["a", ...], "arcs": [["a", "b"], ...],
 "cpds": {"b": {"coefficients": {"(Intercept)": [a_b], "a": [b_ab]}, "variance": [v_b], "parents": ["a"]}}}
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.dataset import About, Anonymous, about_of_card, need_rng, read_card
from trueness.datasets.interventional import Intervention, hold_columns
from trueness.datasets.table import Table
from trueness.errors import SettingError
from trueness.graphs import Graph

Array = NDArray[np.float64]
PROPERTIES = ("linear", "gaussian noise", "causally sufficient", "acyclic")


@dataclass(frozen=True, eq=False)
class GaussianNetwork:
    """weights[i, j]: the coefficient of i in the equation of j."""

    name: str
    nodes: tuple[str, ...]
    weights: Array
    intercepts: Array
    variances: Array
    about: About
    table: None = None

    @cached_property
    def truth(self) -> Graph:
        return Graph.from_matrix(self.weights != 0, self.nodes, direction="row to column")

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table:
        return self.draw_under((), self.about.rows if n is None else n, need_rng(rng, self.name))

    def draw_under(self, interventions: Sequence[Intervention], n: int, rng: Generator) -> Table:
        """n rows on their raw scale, some of them under interventions (interventional.py)."""
        if n < 1:
            raise SettingError(f"'n' of {self.name} must be at least 1, got {n}.")
        values = self.intercepts + np.sqrt(self.variances) * rng.standard_normal((n, len(self.nodes)))
        inverse = np.linalg.inv(np.eye(len(self.nodes)) - self.weights)
        mean, sd = self.intercepts @ inverse, np.sqrt(self.variances @ inverse**2)
        fresh = rng.standard_normal(values.shape) if interventions else values
        hold = hold_columns(interventions, mean, sd, fresh)
        for j in map(self.nodes.index, self.truth.topological_order()):
            values[:, j] += values @ self.weights[:, j]
            hold(j, values[:, j])
        return Table(self.nodes, values, (None,) * len(self.nodes), self.name)

    def anonymous(self) -> Anonymous:
        return Anonymous(self)


@cache
def builtin(name: str) -> GaussianNetwork:
    """A network kept in the package."""
    file = resources.files("trueness.datasets") / "data" / f"{name}.gaussian.json.gz"
    stored = json.loads(gzip.decompress(file.read_bytes()))
    nodes, d = tuple(stored["nodes"]), len(stored["nodes"])
    place = {node: j for j, node in enumerate(nodes)}
    weights, intercepts, variances = np.zeros((d, d)), np.zeros(d), np.zeros(d)
    for node, equation in stored["cpds"].items():
        intercepts[place[node]], variances[place[node]] = (
            equation["coefficients"]["(Intercept)"][0],
            equation["variance"][0],
        )
        for parent in equation["parents"]:
            weights[place[parent], place[node]] = equation["coefficients"][parent][0]
    about = about_of_card(read_card(name), "continuous", PROPERTIES).naming(nodes)
    return GaussianNetwork(name, nodes, weights, intercepts, variances, about)
