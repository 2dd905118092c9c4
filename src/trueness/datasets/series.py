"""Time series with known summary graphs: vector autoregressions, linear or not, with or without regimes.

    linear       x_j(t) = a_j x_j(t-1) + sum_{i, l} w_ij x_i(t-l)        + e_j(t)       l in 1 ... lags
    nonlinear    x_j(t) = a_j x_j(t-1) + sum_{i, l} w_ij tanh(2 x_i(t-l)) + e_j(t)      (or sin, by turns)
    |a_j| <= .6,  |w_ij| uniform in [.3, .6] with random sign,  e_j of variance 1

coefficients[l, i, j] is the effect of x_i(t - l) on x_j(t). The summary graph has i -> j, i != j, when any lag of i
enters j. It is acyclic here (scores are against a DAG; a variable's own past is no edge), so the process is stable
for any |a_j| < 1: the companion matrix is block triangular and its eigenvalues are the a_j.
Columns are standardised unless told otherwise; node order is shuffled. Burn-in is dropped.
Stability and summary graphs: Luetkepohl (2005), ch. 2; Runge et al. (2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.signal import lfilter

from trueness.datasets.dataset import About, Source, check_settings, simulated
from trueness.datasets.observed import Observed
from trueness.datasets.regimes import Regimes, plan_regimes
from trueness.datasets.synthetic import NOISES, AtLeast0, Noise
from trueness.errors import SettingError
from trueness.graphs import Graph
from trueness.settings import Between

Array = NDArray[np.float64]
BURN_IN = 200
_SHAPES = (lambda x: np.tanh(2 * x), np.sin)  # bounded: no coefficient can make the process explode


@dataclass(frozen=True)
class VAR(Source):
    """One process of the family; graph and coefficients are fixed by `graph_seed`, each draw has fresh noise."""

    nodes: Annotated[int, Between(2, 2000, closed=True)] = 10
    lags: Annotated[int, Between(1, 50, closed=True)] = 2
    edges_per_node: AtLeast0 = 1.2
    relation: Literal["linear", "nonlinear"] = "linear"
    noise: Noise = "gaussian"
    regimes: Annotated[int, Between(1, 100, closed=True)] = 1  # blocks of rows; all but the first hold 1 to 3 nodes
    weights: tuple[float, float] = (0.3, 0.6)
    autoregression: Annotated[float, Between(0, 0.99, closed=True)] = 0.6  # the largest |a_j|
    contemporaneous: Annotated[float, Between(0, 1, closed=True)] = 0.0  # share of the edges within the same row
    standardised: bool = True
    rows: Annotated[int, Between(3, 10**8, closed=True)] = 1000
    graph_seed: Annotated[int, Between(0, closed=True)] = 0
    label: str = ""

    def __post_init__(self) -> None:
        check_settings(self, "var")
        self._check_rows(self.rows)

    @property
    def name(self) -> str:
        return self.label or f"var-{self.nodes}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"X{j}" for j in range(self.nodes))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.random.default_rng([self.graph_seed, self.nodes, self.lags]).permutation(self.nodes)

    @cached_property
    def coefficients(self) -> Array:
        """(lags + 1, d, d); [0] is within the row, [l, i, j] is from i, l rows back, to j; own past on the diagonal."""
        rng = np.random.default_rng([self.graph_seed, self.nodes, self.lags, 1])
        first, second = np.triu_indices(self.nodes, 1)
        count = round(self.edges_per_node * self.nodes)
        picked = rng.choice(len(first), size=count, replace=False)
        at = rng.integers(1, self.lags + 1, count)
        at[: round(self.contemporaneous * count)] = 0
        size = rng.uniform(*self.weights, size=count) * rng.choice([-1.0, 1.0], size=count)
        coefficients = np.zeros((self.lags + 1, self.nodes, self.nodes))
        coefficients[at, self._order[first[picked]], self._order[second[picked]]] = size
        node = np.arange(self.nodes)
        coefficients[1, node, node] = rng.uniform(self.autoregression / 2, self.autoregression, self.nodes)
        coefficients.setflags(write=False)
        return coefficients

    @cached_property
    def truth(self) -> Graph:
        """The summary graph."""
        any_lag = (self.coefficients != 0).any(axis=0)
        return Graph.from_matrix(any_lag & ~np.eye(self.nodes, dtype=bool), self.columns, direction="row to column")

    @property
    def about(self) -> About:
        shape = f"{self.relation} autoregression of {self.nodes} variables, lags 1 to {self.lags}"
        regimes = f", {self.regimes} regimes with hard interventions" if self.regimes > 1 else ""
        return simulated(
            f"Simulated {shape}",
            f"A {shape}{regimes}, {self.noise} noise; {self.truth.n_edges()} edges in its summary graph.",
            "rows are simulated from the graph; i -> j when any lag of i enters j",
            self.rows,
            self.columns,
            ("time series", self.relation, f"{self.noise} noise", "causally sufficient", "acyclic summary")
            + (("standardised",) if self.standardised else ()),
        )

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Observed:
        """n rows in time order; with regimes, their labels too."""
        n = self._check_rows(n)
        rng = np.random.default_rng(rng)
        if self.regimes > 1:
            plan = plan_regimes(n, self.nodes, self.regimes, rng)
            return self.draw_regimes(plan, n, rng)[1]
        values = self._run(self._noise(n, rng), None, None)
        return self._as_observed(values, values, None)

    def draw_regimes(self, regimes: Regimes, n: int, rng: Generator) -> tuple[Observed, Observed]:
        """The process left alone, and the same noise under the regimes."""
        noise = self._noise(self._check_rows(n), rng)
        free = self._run(noise, None, None)
        moved = self._run(noise, regimes, free)
        return self._as_observed(free, free, None), self._as_observed(moved, free, regimes.labels)

    def _check_rows(self, n: int | None) -> int:
        n = self.rows if n is None else n
        if n < self.lags + 2:
            raise SettingError(f"'n' of {self.name} must be at least {self.lags + 2} (lags + 2), got {n}.")
        return n

    def _noise(self, n: int, rng: Generator) -> Array:
        return NOISES[self.noise](rng, (n + BURN_IN, self.nodes))

    def _run(self, noise: Array, regimes: Regimes | None, free: Array | None) -> Array:
        """All rows after the burn-in; node by node in causal order, each one a filtered sum of its drivers."""
        values = np.empty(noise.shape, order="F")
        for j in self._order:
            drive = noise[:, j].copy()
            for lag, i in np.argwhere(self.coefficients[:, :, j]):
                if i != j:
                    past = values[: len(values) - lag, i]
                    drive[lag:] += self.coefficients[lag, i, j] * self._shape(i, j, past)
            phi = self.coefficients[1, j, j]
            values[:, j] = lfilter([1.0], [1.0, -phi], drive)
            if regimes is not None and free is not None:
                self._hold(values[:, j], drive, phi, j, regimes, free)
        return values[BURN_IN:]

    def _shape(self, i: int, j: int, past: Array) -> Array:
        return past if self.relation == "linear" else np.asarray(_SHAPES[(i + j) % len(_SHAPES)](past))

    def _hold(self, column: Array, drive: Array, phi: float, j: int, regimes: Regimes, free: Array) -> None:
        """Set the held rows of node j, and let it go on from the last of them."""
        mean, sd = free[:, j].mean(), free[:, j].std()
        for rows, standard in regimes.of(j):
            start, stop = rows.start + BURN_IN, rows.stop + BURN_IN
            column[start:stop] = mean + sd * standard
            column[stop:], _ = lfilter([1.0], [1.0, -phi], drive[stop:], zi=[phi * column[stop - 1]])

    def _as_observed(self, values: Array, free: Array, labels: NDArray[np.intp] | None) -> Observed:
        if self.standardised:
            values = (values - free.mean(axis=0)) / free.std(axis=0)
        return Observed(self.columns, values, (None,) * self.nodes, self.name, labels, self.lags)
