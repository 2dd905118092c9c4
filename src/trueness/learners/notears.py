"""NOTEARS: a weighted DAG by continuous optimisation.

    minimise  L(W) + lambda1 |W|_1   subject to   h(W) = tr(e^(W o W)) - d = 0;     weights[i, j] != 0 means i -> j

L = 1/(2n) |X - X W|^2 of centred X (n, d), of which only the covariance is needed. By the augmented Lagrangian, then
|w| below w_threshold is dropped. Zheng, Aragam, Ravikumar & Xing (2018); settings as in the authors' notears/linear.py.

The problem is not convex, and on standardised data the answer hangs on the path taken and on where it stops:
solver = "scaled"     goes on to the minimum of each inner problem, mostly to a lower objective than the reference,
                      often to another graph; 5 to 300 times faster. Counts and F1: docs/equality.md
solver = "reference"  its path: its graph and objective up to what rounding changes in the reference itself
W can still be cyclic after the threshold; then the weakest edges on cycles are dropped and named in the details.

DAGMA is NOTEARS with a log-determinant for its constraint.

    minimise  mu (L(W) + lambda1 |W|_1) + h_s(W),   h_s(W) = d log s - log det(s I - W o W),   mu = 1, .1, .01, ... (T)

weights[i, j] != 0 means i -> j; L as above.
Bello, Aragam & Ravikumar (2022). Settings as in the authors' package (mu_init, mu_factor, s, T, lambda1, w_threshold).
Two things differ. They descend by Adam for a set number of steps, the kernel goes to the minimum of each stage by
L-BFGS, so that there is no learning rate to set. And the diagonal is held at 0; theirs drifts to about 3e-5, self-loops
that can lower their objective by 2e-5 of itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table, TableLike
from trueness.errors import SettingError
from trueness.graphs import Graph
from trueness.learners.base import AtLeast0, Card, Checked, checked
from trueness.learners.kernels import lbfgsb
from trueness.learners.kernels import notears as kernel
from trueness.settings import Between, Positive, Share, Whole

Array = NDArray[np.float64]
Loss = Literal["l2"]  # least squares; a setting still, by which fits of before are known
Scale = Literal["raw", "standardised"]
Solver = Literal["scaled", "reference", "l-bfgs-b"]
REFERENCE = "l-bfgs-b"  # as fits of before have it in their settings, by which they are known
Minimise = Callable[[Array, float, float], tuple[Array, Array, float, float, int, int]]

SCALED_FROM = 1e3  # rho from which on "scaled" uses the known curvature; before that it is not needed
ASSUMES = ("linear relations", "equal noise variances or informative scale", "causal sufficiency", "acyclicity")
FOLLOWS_SCALE = "Its directions follow the scale of the columns: expect less on standardised data (varsortability)."


class Stage(NamedTuple):
    """One inner problem: the h and the objective L + lambda1 |W|_1 that it reached."""

    h: float
    objective: float
    evaluations: int
    ended: str


@dataclass(frozen=True, eq=False)
class ThresholdedResult:
    """A DAG cut out of dense weights, what the cut hides, and how the weights were reached."""

    graph: Graph
    weights: Array  # W before the threshold
    removed: tuple[str, ...]  # above the threshold, dropped because they closed a cycle
    scale: Scale  # of the columns that were fitted
    trace: tuple[Stage, ...]
    converged: bool | None  # of NOTEARS: h <= h_tol

    @property
    def objective(self) -> float:
        """L(W) + lambda1 |W|_1 at `weights`."""
        return self.trace[-1].objective

    @property
    def h(self) -> float:
        return self.trace[-1].h

    @property
    def evaluations(self) -> int:
        return sum(step.evaluations for step in self.trace)


@dataclass(frozen=True)
class NOTEARS(Checked):
    """Linear NOTEARS. Returns a DAG with weights."""

    lambda1: AtLeast0 = 0.1
    loss: Loss = "l2"
    w_threshold: AtLeast0 = 0.3
    scale: Scale = "raw"  # as in the reference; which is better hangs on the data: docs/tables.md
    max_iter: Whole = 100
    h_tol: Positive = 1e-8
    rho_max: Annotated[float, Between(1)] = 1e16
    solver: Solver = "scaled"

    card: ClassVar[Card] = Card(
        title="NOTEARS",
        summary="Least squares with a lasso over weight matrices that a smooth constraint keeps acyclic. "
        + FOLLOWS_SCALE,
        returns="dag",
        data={"continuous"},
        assumes=ASSUMES,
        paper="Zheng, Aragam, Ravikumar & Xing 2018",
        family="functional",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.solver == "reference":
            object.__setattr__(self, "solver", REFERENCE)

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        return self.fit_details(data, rng).graph

    def fit_details(self, data: TableLike, rng: Generator | None = None) -> ThresholdedResult:
        """The graph with W before the threshold, the trace of h, and what was dropped from cycles."""
        table = checked(data, self)
        weights, steps = self.solve(covariance_of(table, self.scale))
        graph, removed = cut_weights(weights, self.w_threshold, table.names)
        return ThresholdedResult(graph, weights, removed, self.scale, tuple(steps), steps[-1].h <= self.h_tol)

    def solve(self, covariance: Array) -> tuple[Array, list[Stage]]:
        """Algorithm 1: W, and what each inner problem reached."""
        by_reference = self.solver == REFERENCE
        minimise = (_by_reference if by_reference else _by_scaled)(covariance, self.lambda1)
        d = len(covariance)
        start: Array = np.zeros(2 * d * d if by_reference else (d, d))
        rho, alpha, h, steps = 1.0, 0.0, np.inf, []
        for _ in range(self.max_iter):
            while True:
                reached, weights, loss, new_h, evaluations, ended = minimise(start, rho, alpha)
                objective = loss + self.lambda1 * float(np.abs(weights).sum())
                steps.append(Stage(new_h, objective, evaluations, lbfgsb.ENDINGS[ended]))
                if new_h <= 0.25 * h:
                    break
                rho *= 10
                if rho >= self.rho_max:
                    break
            start, h = reached, new_h
            alpha += rho * h
            if h <= self.h_tol or rho >= self.rho_max:
                break
        return weights, steps


def _by_reference(covariance: Array, lambda1: float) -> Minimise:
    """From parts (P, Q) of W = P - Q, both >= 0, to the parts, W, L and h that scipy's L-BFGS-B reaches, evaluations
    and the ending."""
    from scipy.optimize import minimize

    d, space = len(covariance), kernel.space_for(len(covariance))
    is_free = ~np.tile(np.eye(d, dtype=bool).ravel(), 2)
    bounds = [(0, None if free else 0) for free in is_free]

    def value_of(parts: Array, rho: float, alpha: float) -> tuple[float, float, float]:
        weights = (parts[: d * d] - parts[d * d :]).reshape(d, d)
        value, loss, h = kernel.value_at(covariance, weights, rho, alpha, space)
        return float(value), float(loss), float(h)

    def lagrangian(parts: Array, rho: float, alpha: float) -> tuple[float, Array]:
        value, slope = value_of(parts, rho, alpha)[0] + lambda1 * parts.sum(), space.gradient.ravel()
        return value, np.concatenate((slope + lambda1, lambda1 - slope))

    def minimise_parts(start: Array, rho: float, alpha: float) -> tuple[Array, Array, float, float, int, int]:
        reached = minimize(lagrangian, start, (rho, alpha), "L-BFGS-B", jac=True, bounds=bounds)
        slope = np.abs(np.where(is_free & ((reached.x > 0) | (reached.jac < 0)), reached.jac, 0.0)).max()
        ended = {1: lbfgsb.EVALUATE, 2: lbfgsb.STUCK}.get(reached.status)
        ended = (lbfgsb.FLAT if slope <= lbfgsb.GTOL else lbfgsb.STALLED) if ended is None else ended
        _, loss, h = value_of(reached.x, rho, alpha)
        weights = (reached.x[: d * d] - reached.x[d * d :]).reshape(d, d)
        return reached.x, weights, loss, h, reached.nfev, ended

    return minimise_parts


def _by_scaled(covariance: Array, lambda1: float) -> Minimise:
    """The same from W to W, by the search in kernels/lbfgsb.py."""
    space, search = kernel.space_for(len(covariance)), kernel.search_for(len(covariance), lambda1)

    def minimise(start: Array, rho: float, alpha: float) -> tuple[Array, Array, float, float, int, int]:
        weights = start.copy()
        rest = kernel.minimise(covariance, space, search, rho, alpha, int(rho >= SCALED_FROM), weights)
        return weights, weights, *rest

    return minimise


# ---- shared with DAGMA


def covariance_of(table: Table, scale: Scale) -> Array:
    centred = table.values - table.values.mean(axis=0)
    if scale == "standardised":
        centred /= centred.std(axis=0)
    return np.asarray(centred.T @ centred / table.n)


def cut_weights(weights: Array, threshold: float, names: tuple[str, ...]) -> tuple[Graph, tuple[str, ...]]:
    """Drop |w| < threshold, then the weakest edge on a cycle until there is none: the graph, and those edges."""
    kept = np.where(np.abs(weights) >= threshold, weights, 0.0)
    removed = []
    while True:
        cyclic = (kept != 0) & _reaches(kept != 0).T  # i -> j with a way back from j to i
        if not cyclic.any():
            break
        i, j = np.unravel_index(np.argmin(np.where(cyclic, np.abs(kept), np.inf)), kept.shape)
        removed.append(f"{names[i]} -> {names[j]} ({kept[i, j]:.3f})")
        kept[i, j] = 0.0
    return Graph.from_matrix(kept, names, direction="row to column"), tuple(removed)


def _reaches(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """reaches[i, j]: there is a directed path from i to j."""
    closed = edges.copy()
    for k in range(len(edges)):
        closed |= np.outer(closed[:, k], closed[k])
    return closed


@dataclass(frozen=True)
class DAGMA(Checked):
    """Linear DAGMA. Returns a DAG with weights."""

    lambda1: AtLeast0 = 0.03
    loss: Loss = "l2"
    w_threshold: AtLeast0 = 0.3
    scale: Scale = "raw"
    T: Whole = 5
    mu_init: Positive = 1.0
    mu_factor: Share = 0.1
    s: tuple[float, ...] = (1.0, 0.9, 0.8, 0.7, 0.6)  # the last one is used for all further stages

    card: ClassVar[Card] = replace(
        NOTEARS.card,
        title="DAGMA",
        summary="Least squares with a lasso, kept acyclic by a log-determinant barrier that is lowered in stages. "
        + FOLLOWS_SCALE,
        paper="Bello, Aragam & Ravikumar 2022",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.s or not all(0 < size < np.inf for size in self.s):
            raise SettingError(f"'s' of dagma must hold numbers above 0, got {list(self.s)}. Try [1.0, 0.9, 0.8].")

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        return self.fit_details(data, rng).graph

    def fit_details(self, data: TableLike, rng: Generator | None = None) -> ThresholdedResult:
        """The graph with W before the threshold, the trace of h, and what was dropped from cycles."""
        table = checked(data, self)
        covariance = covariance_of(table, self.scale)
        mus = np.array([self.mu_init * self.mu_factor**k for k in range(self.T)])
        sizes = np.array([self.s[min(k, len(self.s) - 1)] for k in range(self.T)], dtype=np.float64)
        weights, trace = np.zeros((table.d, table.d)), np.empty((self.T, len(Stage._fields)))
        room = kernel.space_for(table.d), kernel.search_for(table.d, self.lambda1)
        kernel.follow_path(covariance, *room, float(self.lambda1), mus, sizes, weights, trace)
        steps = tuple(
            Stage(h, objective, int(evaluations), lbfgsb.ENDINGS[int(ended)])
            for h, objective, evaluations, ended in trace.tolist()
        )
        graph, removed = cut_weights(weights, self.w_threshold, table.names)
        return ThresholdedResult(graph, weights, removed, self.scale, steps, None)


LEARNERS = {"notears": NOTEARS, "dagma": DAGMA}
