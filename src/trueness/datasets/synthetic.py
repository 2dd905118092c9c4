"""Structural equation models with random graphs: the whole family of simulated continuous data.

    linear       x_j = sum_i w_ij x_i + e_j                      |w_ij| uniform in [0.5, 2], random sign
    nonlinear    x_j = sum_h v_h tanh(sum_i u_hi x_i) + e_j      10 hidden units a node
    gp           x_j = f_j(parents) + e_j                        f_j: drawn from a Gaussian process, kernel exp(-r^2/2),
                 as sqrt(2 / 500) sum_h v_h cos(sum_i u_hi x_i + b_h) (Rahimi & Recht 2007): one function for all draws
    additive-gp  x_j = sum_i f_ij(x_i) + e_j                     one such function for each parent
    sigmoid      x_j = sum_i a t / (1 + |t|) + e_j               t = b (x_i + c), as in Buhlmann et al. (2014)
    post-nonlinear  x_j = s log(1 + |s|) / |s|                   s = f_j(parents) + e_j as in gp: a sensor saturates
    e_j: mean 0, variance 1, gaussian | laplace | uniform | exponential | student-t (5 degrees of freedom)

The order of the nodes is shuffled (node 3 may cause node 1) and columns are standardised unless told otherwise:
otherwise the variances give the causal order away (varsortability; Reisach et al. 2021).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.dataset import About, Simulated, check_settings, simulated
from trueness.datasets.observed import Hold, Regimes
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.settings import Between, Whole

Array = NDArray[np.float64]
Noise = Literal["gaussian", "laplace", "uniform", "exponential", "student-t"]
Coefficients = tuple[Array, ...]
HIDDEN = 10
WAVES = 500  # of a Gaussian process

NOISES: dict[str, Callable[[Generator, tuple[int, int]], Array]] = {  # each with mean 0 and variance 1
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "laplace": lambda rng, shape: rng.laplace(0.0, 1 / np.sqrt(2), shape),
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
    "exponential": lambda rng, shape: rng.exponential(1.0, shape) - 1.0,
    "student-t": lambda rng, shape: rng.standard_t(5, shape) * np.sqrt(3 / 5),
}
AtLeast0 = Annotated[float, Between(0, closed=True)]
Relation = Literal["linear", "nonlinear", "gp", "additive-gp", "sigmoid", "post-nonlinear"]


@dataclass(frozen=True)
class Synthetic(Simulated):
    """One member of the family; the graph and its weights are fixed by `graph_seed`, each draw has fresh noise."""

    nodes: Annotated[int, Between(2, 10_000, closed=True)] = 12
    edges_per_node: AtLeast0 = 1.5
    graph: Literal["erdos-renyi", "scale-free"] = "erdos-renyi"
    noise: Noise = "laplace"
    relation: Relation = "linear"
    weights: tuple[float, float] = (0.5, 2.0)
    standardised: bool = True
    rows: Whole = 1000
    graph_seed: Annotated[int, Between(0, closed=True)] = 0
    label: str = ""

    def __post_init__(self) -> None:
        check_settings(self, "synthetic")

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.label or f"synthetic-{self.nodes}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"X{j}" for j in range(self.nodes))

    @cached_property
    def _model(self) -> tuple[Array, NDArray[np.intp], Generator]:
        """weights[i, j] != 0 means i -> j; the causal order; the generator that made them, to go on with."""
        rng = np.random.default_rng([self.graph_seed, self.nodes])
        order = rng.permutation(self.nodes)
        edges = self._edges(rng)  # pairs of positions (earlier, later) in the causal order
        weights = np.zeros((self.nodes, self.nodes))
        size = rng.uniform(*self.weights, size=len(edges)) * rng.choice([-1.0, 1.0], size=len(edges))
        weights[order[edges[:, 0]], order[edges[:, 1]]] = size
        return weights, order, rng

    def _edges(self, rng: Generator) -> NDArray[np.intp]:
        """Exactly round(edges_per_node * nodes) edges: uniform pairs, or later nodes choosing well-connected ones."""
        d, count = self.nodes, round(self.edges_per_node * self.nodes)
        first, second = np.triu_indices(d, 1)
        if self.graph == "erdos-renyi":
            picked = rng.choice(len(first), size=count, replace=False)
            return np.stack([first[picked], second[picked]], axis=1)
        degree, edges = np.ones(d), []
        quota = np.bincount(np.arange(count) % (d - 1) + 1, minlength=d)  # edges each later node sends back
        owed = 0
        for node in range(1, d):
            wanted = min(int(quota[node]) + owed, node)
            owed += int(quota[node]) - wanted
            for target in rng.choice(node, size=wanted, replace=False, p=degree[:node] / degree[:node].sum()):
                edges.append((target, node))
                degree[[target, node]] += 1
        return np.array(edges, dtype=np.intp).reshape(-1, 2)

    @cached_property
    def _curves(self) -> list[Coefficients]:
        """Of each node what its relation needs, as named above; signals have a variance near 1."""
        weights, _, rng = self._model
        return [self._curve(int(parents), rng) for parents in np.count_nonzero(weights, axis=0)]

    def _curve(self, p: int, rng: Generator) -> Coefficients:
        if self.relation == "nonlinear":
            return rng.standard_normal((p, HIDDEN)), rng.standard_normal(HIDDEN) * 2 / np.sqrt(HIDDEN)
        if self.relation == "sigmoid":
            sign = rng.choice([-1.0, 1.0], p)
            return rng.exponential(0.25, p) + 1.0, sign * rng.uniform(0.5, 2.0, p), rng.uniform(-2.0, 2.0, p)
        waves = p if self.relation == "additive-gp" else 1  # blocks of waves, each of one parent or of all
        u = rng.standard_normal((p, waves * WAVES))
        if self.relation == "additive-gp":
            u *= np.repeat(np.eye(p), WAVES, axis=1)
        b = rng.uniform(0.0, 2 * np.pi, waves * WAVES)
        return u, rng.standard_normal(waves * WAVES) * np.sqrt(2 / WAVES), b

    @cached_property
    def truth(self) -> Graph:
        return Graph.from_matrix(self._model[0] != 0, self.columns, direction="row to column")

    @property
    def about(self) -> About:  # type: ignore[override]
        scale = "standardised" if self.standardised else "on their raw scale"
        kind = "random" if self.graph == "erdos-renyi" else "scale-free random"
        return simulated(
            f"Synthetic, {self.nodes} nodes",
            f"A {kind} graph with {self.edges_per_node:g} edges a node, {self.relation} relations and "
            f"{self.noise} noise; node order shuffled, columns {scale}.",
            "rows are simulated from the graph",
            self.rows,
            self.columns,
            (self.relation, f"{self.noise} noise", "causally sufficient", "acyclic")
            + (("standardised",) if self.standardised else ())
            + (("nonlinear",) if self.relation not in ("linear", "nonlinear") else ()),
        )

    def simulate(self, n: int, rng: Generator) -> Table:
        values = self._run(NOISES[self.noise](rng, (n, self.nodes)))
        return self._table(values) if n == 1 else self._table(values, values.mean(axis=0), values.std(axis=0))

    def draw_regimes(self, regimes: Regimes, n: int, rng: Generator) -> tuple[Table, Table]:
        """n rows without intervention, and the same noise under the regimes; both on the scale of the first."""
        noise = NOISES[self.noise](rng, (n, self.nodes))
        free = self._run(noise.copy())
        mean, sd = free.mean(axis=0), free.std(axis=0)
        return self._table(free, mean, sd), self._table(self._run(noise, regimes.hold(mean, sd)), mean, sd)

    def _table(self, values: Array, mean: Array | float = 0.0, sd: Array | float = 1.0) -> Table:
        values = (values - mean) / sd if self.standardised else values
        return Table(self.columns, values, (None,) * self.nodes, self.name)

    def _run(self, noise: Array, hold: Hold | None = None) -> Array:
        """Every column from its parents and its noise, which is overwritten; `hold` sets what is held."""
        values = noise
        for j in self._model[1]:
            self._add_signal(values, j)
            if hold is not None:
                hold(j, values[:, j])
        return values

    def _add_signal(self, values: Array, j: int) -> None:
        weights = self._model[0]
        parents = np.flatnonzero(weights[:, j])
        if not len(parents):
            return
        causes = values[:, parents]
        if self.relation == "linear":
            values[:, j] += causes @ weights[parents, j]
        elif self.relation == "nonlinear":
            u, v = self._curves[j]
            values[:, j] += np.tanh(causes @ u) @ v
        elif self.relation == "sigmoid":
            scale, slope, shift = self._curves[j]
            bent = slope * (causes + shift)
            values[:, j] += (bent / (1 + np.abs(bent))) @ scale
        else:
            u, v, b = self._curves[j]
            values[:, j] += np.cos(causes @ u + b) @ v
            if self.relation == "post-nonlinear":
                values[:, j] = np.sign(values[:, j]) * np.log1p(np.abs(values[:, j]))


@cache
def builtin(name: str) -> Synthetic:
    """`synthetic-12`, `synthetic-30`, or any other number of nodes."""
    nodes = int(name.removeprefix("synthetic-"))
    return Synthetic(nodes=nodes, edges_per_node=min(1.5, (nodes - 1) / 2))


DATASETS = {"synthetic-12": builtin, "synthetic-30": builtin}
