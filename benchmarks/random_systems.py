"""Random systems whose graph is known, of every kind of column: what the atlas is made on, and `learn` is tried on.

    number     x_j = f_j(parents) + e_j,  f_j a relation of Synthetic;  e_j of one of five noises
    category   P(level) = a table of shares where all parents are categories, else a logit of the parents
               shares = even / k + (1 - even) ((1 - strength) base + strength own),  base and own: Dirichlet(evenness)
    additive   a category by a logit of its parents, categories too: main effects alone, in no order of the levels
    rule       a category whose level follows from its parents with probability `hold`, else has shares of its own

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
CURVED = ("nonlinear", "sigmoid", "gp", "additive-gp")
CATEGORIES = ("discrete", "rule", "additive")
ADDITIVE = range(46_000, 50_000)  # seeds: a kind that came later; the systems of the others stay what they are
MOST_SHARES = 4096  # rows of a table of shares; beyond it several cases of the parents have one row


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
    evenness: float = 0.7  # of the shares: Dirichlet's parameter
    even: float = 0.1
    standardised: bool = True
    units: float = 0.0  # columns on scales exp(units N(0, 1))
    strength: float = 1.0  # of effects: on weights and shares
    noises: tuple[float, float] = (1.0, 0.0)  # e_j has a scale of noises[0] exp(noises[1] N(0, 1))
    hold: float = 0.9

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"X{j}" for j in range(self.nodes))

    @cached_property
    def _made(self) -> Synthetic:
        low, high = (0.3, 1.5) if self.kind == "mixed" else (0.5, 2.0)
        return Synthetic(
            self.nodes, min(self.density, (self.nodes - 1) / 2), self.graph, self.noise,  # type: ignore[arg-type]
            self.kind if self.kind in CURVED else "linear",  # type: ignore[arg-type]
            (low * self.strength, high * self.strength), graph_seed=self.seed,
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
        return some.tolist() if self.kind in (*CATEGORIES, "mixed") else [0] * self.nodes

    def draw(self, n: int, rng: Generator) -> Table:
        fixed, (size, spread) = np.random.default_rng([self.seed, 6]), self.noises
        noise = NOISES[self.noise](rng, (n, self.nodes)) * size * np.exp(spread * fixed.standard_normal(self.nodes))
        if self.kind in (*CATEGORIES, "mixed"):
            values = self._with_categories(noise, rng)
        else:
            values = self._made._run(noise)
            if self.standardised:
                values = (values - values.mean(axis=0)) / values.std(axis=0)
        values *= np.where(self._levels, 1.0, np.exp(self.units * fixed.standard_normal(self.nodes)))
        if self.gaps:
            values[rng.random(values.shape) < self.gaps] = np.nan
        levels = tuple(tuple(map(str, range(k))) if k else None for k in self._levels)
        return Table(self.columns, values, levels, f"{self.kind} {self.seed}")

    def _with_categories(self, noise: np.ndarray, rng: Generator) -> np.ndarray:
        (weights, order, _), n = self._made._model, len(noise)
        values = np.zeros((n, self.nodes))
        for j in order:
            parents, fixed = np.flatnonzero(weights[:, j]), np.random.default_rng([self.seed, 2, int(j)])
            k = self._levels[j]
            if k and all(self._levels[i] for i in parents) and (self.kind != "additive" or not len(parents)):
                values[:, j] = self._level(
                    values[:, parents].astype(int), [self._levels[i] for i in parents], k, fixed, rng
                )
                continue
            effects = sum((self._effect(values[:, i], i, weights[i, j], max(k, 1), fixed) for i in parents), start=0.0)
            if k:
                logits = effects + fixed.normal(0, 0.5, size=k) + np.zeros((n, k))
                values[:, j] = (np.clip(logits, -2.5, 2.5) + rng.gumbel(size=(n, k))).argmax(axis=1)
            else:
                made = (effects[:, 0] if len(parents) else 0.0) + noise[:, j]
                values[:, j] = (made - made.mean()) / made.std()
        return values

    def _level(self, causes: np.ndarray, sizes: list[int], k: int, fixed: Generator, rng: Generator) -> np.ndarray:
        """Of a category whose parents are categories of these sizes."""
        n, rule = len(causes), self.kind == "rule" and bool(sizes)
        cases = 1 if rule else min(int(np.prod(sizes, dtype=object)), MOST_SHARES)
        base, own = fixed.dirichlet(np.full(k, self.evenness)), fixed.dirichlet(np.full(k, self.evenness), size=cases)
        shares = self.even / k + (1 - self.even) * ((1 - self.strength) * base + self.strength * own)
        place = np.zeros(n, dtype=int)
        for column, size in zip(causes.T, sizes, strict=True):
            place = (place * size + column) % len(shares)
        made = (rng.random(n)[:, None] > np.cumsum(shares[place], axis=1)[:, :-1]).sum(axis=1)
        if not rule:
            return made
        turned = fixed.random(len(sizes)) < 0.3
        relative = np.abs(turned - causes / (np.array(sizes) - 1))
        told = relative.max(axis=1) if fixed.random() < 0.5 else relative.min(axis=1)
        return np.where(rng.random(n) < self.hold, np.rint(told * (k - 1)).astype(int), made)

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
    """Wider: 4 to 50 columns, 80 to 5,000 rows, up to 30 levels and rare ones, weak effects, sparse graphs, units."""
    rng = np.random.default_rng([seed, 4])
    kinds = ("linear", "linear", *CURVED, "discrete", "discrete", "discrete", "rule", "mixed", "mixed")
    units = float(rng.choice([0.0, 0.0, 0.0, 1.5]))
    kind = str(rng.choice(kinds))
    return System(
        kind="additive" if seed in ADDITIVE else kind,
        nodes=round(float(np.exp(rng.triangular(np.log(4), np.log(7), np.log(50))))),
        density=float(rng.uniform(0.4, 2.8)),
        noise=str(rng.choice(list(NOISES))),
        graph=str(rng.choice(["erdos-renyi", "scale-free"])),
        rows=round(float(np.exp(rng.uniform(np.log(80), np.log(5000))))),
        gaps=float(rng.choice([0.0, 0.0, 0.0, 0.0, 0.0, 0.05, 0.15])),
        seed=seed,
        most_levels=round(
            float(
                np.exp(
                    rng.choice([rng.uniform(np.log(2), np.log(6)), rng.uniform(np.log(4), np.log(30))], p=[0.8, 0.2])
                )
            )
        ),
        evenness=float(np.exp(rng.uniform(np.log(0.1), 0.0))),
        even=float(rng.choice([0.0, 0.02, 0.1])),
        standardised=bool(units or rng.random() < 0.8),
        units=units,
        strength=float(rng.choice([1.0, np.exp(rng.uniform(np.log(0.1), 0.0))])),
        noises=(float(np.exp(rng.uniform(np.log(0.3), np.log(1.5)))), float(rng.choice([0.0, 0.5]))),
        hold=float(1 - np.exp(rng.uniform(np.log(0.005), np.log(0.4)))),
    )
