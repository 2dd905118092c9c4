"""Random systems whose graph is known, of every kind of column: what the atlas is made on, and `learn` is tried on.

    number     x_j = f_j(parents) + e_j,  f_j linear, sum_h v_h tanh(u_h parents) or sigmoid;  e_j of one of five noises
    category   P(level) = a table of shares (Dirichlet) where all parents are categories, else a logit of the parents

A system is made from its seed alone; a mixed one has about half of its columns of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from trueness.datasets.synthetic import NOISES, Synthetic
from trueness.datasets.table import Table
from trueness.graphs import Graph

KINDS = ("linear", "nonlinear", "discrete", "mixed")
CURVED = ("nonlinear", "sigmoid")


@dataclass(frozen=True)
class System:
    kind: str
    nodes: int
    density: float  # edges a node
    noise: str = "laplace"
    graph: str = "erdos-renyi"
    rows: int = 1000
    gaps: float = 0.0  # share of values that are missing, at random
    seed: int = 0
    most_levels: int = 4
    evenness: float = 0.7  # of the shares: Dirichlet's parameter, beside an even tenth
    standardised: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"X{j}" for j in range(self.nodes))

    @cached_property
    def _made(self) -> Synthetic:
        weights = (0.3, 1.5) if self.kind == "mixed" else (0.5, 2.0)
        return Synthetic(
            self.nodes, min(self.density, (self.nodes - 1) / 2), self.graph, self.noise,  # type: ignore[arg-type]
            self.kind if self.kind in CURVED else "linear",  # type: ignore[arg-type]
            weights, self.standardised, graph_seed=self.seed,
        )  # fmt: skip

    @property
    def truth(self) -> Graph:
        return self._made.truth

    @cached_property
    def _levels(self) -> list[int]:
        """Of each column; 0 for a number."""
        rng = np.random.default_rng([self.seed, 1])
        some = rng.integers(2, self.most_levels + 1, size=self.nodes)
        if self.kind == "mixed":
            some *= rng.random(self.nodes) < 0.5
        return some.tolist() if self.kind in ("discrete", "mixed") else [0] * self.nodes

    def draw(self, n: int, rng: Generator) -> Table:
        if self.kind in ("discrete", "mixed"):
            values = self._with_categories(n, rng)
        else:
            values = self._made.draw(n, rng).values.copy()
        if self.gaps:
            values[rng.random(values.shape) < self.gaps] = np.nan
        levels = tuple(tuple(map(str, range(k))) if k else None for k in self._levels)
        return Table(self.columns, values, levels, f"{self.kind} {self.seed}")

    def _with_categories(self, n: int, rng: Generator) -> np.ndarray:
        weights, order, _ = self._made._model
        values, noise = np.zeros((n, self.nodes)), NOISES[self.noise](rng, (n, self.nodes))
        for j in order:
            parents, fixed = np.flatnonzero(weights[:, j]), np.random.default_rng([self.seed, 2, int(j)])
            k = self._levels[j]
            if k and all(self._levels[i] for i in parents):
                size = tuple(self._levels[i] for i in parents)
                shares = 0.1 / k + 0.9 * fixed.dirichlet(np.full(k, self.evenness), size=int(np.prod(size, dtype=int)))
                place = np.ravel_multi_index(values[:, parents].astype(int).T, size) if size else np.zeros(n, int)
                values[:, j] = (rng.random(n)[:, None] > np.cumsum(shares[place], axis=1)[:, :-1]).sum(axis=1)
                continue
            effects = sum((self._effect(values[:, i], i, weights[i, j], max(k, 1), fixed) for i in parents), start=0.0)
            if k:
                logits = effects + fixed.normal(0, 0.5, size=k) + np.zeros((n, k))
                values[:, j] = (np.clip(logits, -2.5, 2.5) + rng.gumbel(size=(n, k))).argmax(axis=1)
            else:
                made = (effects[:, 0] if len(parents) else 0.0) + noise[:, j]
                values[:, j] = (made - made.mean()) / made.std()
        return values

    def _effect(self, column: np.ndarray, i: int, weight: float, wide: int, fixed: Generator) -> np.ndarray:
        """Of a parent on the logits of a category, or on a number: (n, wide)."""
        if self._levels[i]:
            return abs(weight) * 1.5 * fixed.standard_normal((self._levels[i], wide))[column.astype(int)]
        return np.outer(column, weight * (fixed.standard_normal(wide) if wide > 1 else np.ones(1)))


def random_system(seed: int, kinds: tuple[str, ...] = KINDS) -> System:
    """One of the family: 5 to 40 columns, 100 to 5,000 rows."""
    rng = np.random.default_rng([seed, 3])
    return System(
        kind=str(rng.choice(kinds)),
        nodes=round(float(np.exp(rng.uniform(np.log(5), np.log(40))))),
        density=float(rng.uniform(0.7, 3.0)),
        noise=str(rng.choice(list(NOISES))),
        graph=str(rng.choice(["erdos-renyi", "scale-free"])),
        rows=round(float(np.exp(rng.uniform(np.log(100), np.log(5000))))),
        gaps=float(rng.choice([0.0, 0.0, 0.0, 0.03, 0.1])),
        seed=seed,
    )


def atlas_system(seed: int) -> System:
    """Wider: 4 to 50 columns, 80 to 5,000 rows, more levels and rarer ones, sparse graphs, raw scales."""
    rng = np.random.default_rng([seed, 4])
    return System(
        kind=str(rng.choice(["linear", "nonlinear", "sigmoid", "discrete", "discrete", "mixed"])),
        nodes=round(float(np.exp(rng.triangular(np.log(4), np.log(7), np.log(50))))),
        density=float(rng.uniform(0.4, 2.8)),
        noise=str(rng.choice(list(NOISES))),
        graph=str(rng.choice(["erdos-renyi", "scale-free"])),
        rows=round(float(np.exp(rng.uniform(np.log(80), np.log(5000))))),
        gaps=float(rng.choice([0.0, 0.0, 0.0, 0.0, 0.0, 0.05, 0.15])),
        seed=seed,
        most_levels=int(rng.integers(2, 7)),
        evenness=float(np.exp(rng.uniform(np.log(0.2), 0.0))),
        standardised=bool(rng.random() < 0.7),
    )
