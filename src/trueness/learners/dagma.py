"""DAGMA: NOTEARS with a log-determinant for its constraint.

    minimise  mu (L(W) + lambda1 |W|_1) + h_s(W),   h_s(W) = d log s - log det(s I - W o W),   mu = 1, .1, .01, ... (T)

weights[i, j] != 0 means i -> j; L as in notears.py (l2 on the covariance, logistic on the distinct rows).
Bello, Aragam & Ravikumar (2022). Settings as in the authors' package (mu_init, mu_factor, s, T, lambda1, w_threshold).
Two things differ. They descend by Adam for a set number of steps, the kernel goes to the minimum of each stage by
L-BFGS, so that there is no learning rate to set. And the diagonal is held at 0; theirs drifts to about 3e-5, self-loops
that can lower their objective by 2e-5 of itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.errors import SettingError
from trueness.graphs import Graph
from trueness.learners.base import AtLeast0, Card, Checked, checked
from trueness.learners.kernels import dagma as kernel
from trueness.learners.kernels import lbfgsb, notears
from trueness.learners.notears import (
    ASSUMES,
    FOLLOWS_SCALE,
    Scale,
    Thresholded,
    check_scale,
    cut_weights,
    problem_of,
    warnings,
)
from trueness.settings import Positive, Share, Whole


class CentralPathPoint(NamedTuple):
    """One point of the central path: its mu and s, and the h_s and objective L + lambda1 |W|_1 that it reached."""

    mu: float
    s: float
    h: float
    objective: float
    evaluations: int
    ended: str


@dataclass(frozen=True, eq=False)
class DAGMAResult(Thresholded):
    objective: float  # L(W) + lambda1 |W|_1 at `weights`
    h: float
    evaluations: int
    trace: tuple[CentralPathPoint, ...]

    def __str__(self) -> str:
        return (
            f"DAGMA: h = {self.h:.1e}, objective {self.objective:.6g}, {len(self.trace)} stages, "
            f"{self.evaluations} evaluations; {self.graph.n_edges()} edges{warnings(self)}."
        )


@dataclass(frozen=True)
class DAGMA(Checked):
    """Linear DAGMA. Returns a DAG with weights."""

    lambda1: AtLeast0 = 0.03
    loss: Literal["l2", "logistic"] = "l2"
    w_threshold: AtLeast0 = 0.3
    scale: Scale = "raw"
    T: Whole = 5
    mu_init: Positive = 1.0
    mu_factor: Share = 0.1
    s: tuple[float, ...] = (1.0, 0.9, 0.8, 0.7, 0.6)  # the last one is used for all further stages

    card: ClassVar[Card] = Card(
        title="DAGMA",
        summary="Least squares with a lasso, kept acyclic by a log-determinant barrier that is lowered in stages. "
        + FOLLOWS_SCALE,
        returns="dag",
        data={"continuous"},
        assumes=ASSUMES,
        paper="Bello, Aragam & Ravikumar 2022",
        family="functional",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_scale(self.scale, self.loss, self.card.title)
        if not self.s or not all(0 < size < np.inf for size in self.s):
            raise SettingError(f"'s' of dagma must hold numbers above 0, got {list(self.s)}. Try [1.0, 0.9, 0.8].")

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
        return self.fit_details(data, rng).graph

    def fit_details(self, data: Table, rng: Generator | None = None) -> DAGMAResult:
        """The graph with W before the threshold, the trace of h, and the edges that hang on the threshold."""
        table = checked(data, self)
        problem = problem_of(table, self.loss, self.scale)
        mus = np.array([self.mu_init * self.mu_factor**k for k in range(self.T)])
        sizes = np.array([self.s[min(k, len(self.s) - 1)] for k in range(self.T)], dtype=np.float64)
        weights, trace = np.zeros((table.d, table.d)), np.empty((self.T, len(CentralPathPoint._fields)))
        kernel.solve(
            problem,
            notears.space_for(problem),
            notears.search_for(problem, self.lambda1),
            float(self.lambda1),
            mus,
            sizes,
            weights,
            trace,
        )
        steps = tuple(
            CentralPathPoint(mu, s, h, objective, int(evaluations), lbfgsb.ENDINGS[int(ended)])
            for mu, s, h, objective, evaluations, ended in trace.tolist()
        )
        return DAGMAResult(
            *cut_weights(weights, self.w_threshold, table.names),
            scale=self.scale,
            objective=steps[-1].objective,
            h=steps[-1].h,
            evaluations=sum(step.evaluations for step in steps),
            trace=steps,
        )


LEARNERS = {"dagma": DAGMA}
