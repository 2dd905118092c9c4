"""GOLEM: a weighted DAG by the Gaussian likelihood with soft penalties.

    minimise  S(W) - log |det(I - W)| + lambda1 |W|_1 + lambda2 h(W),   h(W) = tr(e^(W o W)) - d

S is d/2 log |X - X W|^2 for equal noise variances (EV) and 1/2 sum_j log |x_j - X w_j|^2 for unequal ones (NV);
X (n, d) is centred; weights[i, j] != 0 means i -> j. Ng, Ghassami & Zhang (2020). NV starts from EV's answer, as they
advise.
One thing differs: they take 100,000 steps of Adam, the kernel goes to the minimum by L-BFGS.
Weights below w_threshold are dropped, then the weakest edges on cycles (the authors raise the threshold until the graph
is acyclic, which also drops edges on no cycle).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import AtLeast0, Card, Checked, checked
from trueness.learners.kernels import expm, lbfgsb, notears
from trueness.learners.kernels import golem as kernel
from trueness.learners.notears import FOLLOWS_SCALE, Scale, Thresholded, cut_weights, problem_of, warnings

LAMBDA1 = {"equal": 0.02, "unequal": 0.002}  # the authors' settings


@dataclass(frozen=True, eq=False)
class GOLEMResult(Thresholded):
    objective: float  # at `weights`, penalties included
    h: float
    evaluations: int
    converged: bool
    ended: str

    def __str__(self) -> str:
        return (
            f"GOLEM: {self.ended}, h = {self.h:.1e}, objective {self.objective:.6g}, {self.evaluations} evaluations; "
            f"{self.graph.n_edges()} edges{warnings(self)}."
        )


@dataclass(frozen=True)
class GOLEM(Checked):
    """Linear GOLEM. Returns a DAG with weights."""

    noise: Literal["equal", "unequal"] = "equal"
    lambda1: AtLeast0 | None = None  # 0.02 for equal, 0.002 for unequal noise variances where not given
    lambda2: AtLeast0 = 5.0
    w_threshold: AtLeast0 = 0.3
    scale: Scale = "raw"

    card: ClassVar[Card] = Card(
        title="GOLEM",
        summary=f"Gaussian likelihood with a lasso and a soft penalty on cycles. {FOLLOWS_SCALE}",
        returns="dag",
        data={"continuous"},
        assumes=(
            "linear relations",
            "Gaussian noise",
            "equal noise variances (EV)",
            "causal sufficiency",
            "acyclicity",
        ),
        paper="Ng, Ghassami & Zhang 2020",
        family="functional",
    )

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
        return self.fit_details(data, rng).graph

    def fit_details(self, data: Table, rng: Generator | None = None) -> GOLEMResult:
        """The graph with W before the threshold, h, and the edges that hang on the threshold."""
        table = checked(data, self)
        problem = problem_of(table, "l2", self.scale)
        space, weights, spent = notears.space_for(problem), np.zeros((table.d, table.d)), 0
        for noise in ("equal", "unequal")[: 1 if self.noise == "equal" else 2]:
            chosen = noise == self.noise and self.lambda1 is not None
            search = notears.search_for(problem, float(self.lambda1 or 0.0) if chosen else LAMBDA1[noise])
            evaluations, state = kernel.solve(problem, space, search, noise == "equal", float(self.lambda2), weights)
            spent += int(evaluations)
        return GOLEMResult(
            *cut_weights(weights, self.w_threshold, table.names),
            scale=self.scale,
            objective=float(search.number[lbfgsb.VALUE]),
            h=expm.acyclicity(weights)[0],
            evaluations=spent,
            converged=int(state) != lbfgsb.EVALUATE,
            ended=lbfgsb.ENDINGS[int(state)],
        )


LEARNERS = {"golem": GOLEM}
