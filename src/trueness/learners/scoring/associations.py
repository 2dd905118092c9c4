"""Scores from correlations alone: the correlation, and NOTEARS' first step.

    correlation            |R_ij|                                                             symmetric
    notears-lite           one pass on R:  W_ij = -O_ij / O_jj, the least-squares weights of all others on j
                           (O = (R + ridge I)^-1), then one step down h(W) = tr exp(W o W) - d, whose gradient is
                           (exp(W o W))' o 2W:  W <- W o (1 - (exp(W o W))' / (2 max)),  so that what closes strong ways
                           back shrinks most.  A baseline: no search, no guarantee of a DAG.

R is the pairwise correlation matrix shrunk to the identity where it must be (scoring/covariance.py). `transform`:
"normal scores" ranks each column first, which outliers cannot sway.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.learners.base import Card
from trueness.learners.scoring.covariance import PAIRWISE, Correlations, Transform, pairwise_correlations
from trueness.learners.scoring.edge_scores import Array, EdgeScores, Scorer, answer, as_observed
from trueness.settings import Between


@dataclass(frozen=True)
class CorrelationScorer(Scorer):
    """|r| of each pair."""

    transform: Transform = "none"

    card: ClassVar[Card] = Card(
        title="Correlation",
        summary="The size of each pair's correlation; says nothing of direction.",
        missing=PAIRWISE,
        assumes=("no indirect dependence",),
        paper="baseline",
        symmetric=True,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen = as_observed(data, self)
        r = pairwise_correlations(seen, self.transform)
        matrix, details = self._strength(r)
        return answer(self, seen, matrix, shrinkage=r.shrinkage, **details)

    def _strength(self, r: Correlations) -> tuple[Array, dict[str, object]]:
        return np.abs(r.matrix), {"counts": r.counts}


@dataclass(frozen=True)
class NotearsLite(CorrelationScorer):
    """Regression of each column on all others, and one step against cycles."""

    ridge: Annotated[float, Between(0, 1, closed=True)] = 0.01

    card: ClassVar[Card] = Card(
        title="NOTEARS-lite",
        summary="One pass on the covariance: least-squares weights, and one gradient step of NOTEARS' constraint.",
        missing=PAIRWISE,
        assumes=("linear relations", "causal sufficiency", "acyclicity"),
        paper="baseline after Zheng, Aragam, Ravikumar & Xing 2018",
    )

    def _strength(self, r: Correlations) -> tuple[Array, dict[str, object]]:
        from scipy.linalg import expm

        precision = np.linalg.inv(r.matrix + self.ridge * np.eye(len(r.matrix)))
        weights = -precision / precision.diagonal()
        np.fill_diagonal(weights, 0.0)
        ways_back = expm(np.clip(weights**2, 0.0, 4.0)).T
        np.fill_diagonal(ways_back, 0.0)
        return np.abs(weights) * (1 - 0.5 * ways_back / max(ways_back.max(), 1.0)), {"weights": weights}


SCORERS = {"correlation": CorrelationScorer, "notears-lite": NotearsLite}
