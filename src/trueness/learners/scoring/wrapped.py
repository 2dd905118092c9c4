"""Scorers of columns: the correlation, NOTEARS' first step, NOTEARS by |W|, LiNGAM by |B|, PC by stability.

    correlation    |R_ij|, symmetric
    notears-lite   one pass on R:  W_ij = -O_ij / O_jj, the least-squares weights of all others on j
                   (O = (R + ridge I)^-1), then one step down h(W) = tr exp(W o W) - d, whose gradient is
                   (exp(W o W))' o 2W:  W <- W o (1 - (exp(W o W))' / (2 max)),  so that what closes strong ways back
                   shrinks most.  A baseline: no search, no guarantee of a DAG.
    notears        |W_ij| before any threshold, on standardised columns: the scale of a column gives no order away
    lingam         |B_ij| on standardised columns
    pc             the mean over resamples of the rows (blocks of rows of a series) of what the learned marks say: 1 for
                   i -> j, 1/2 for i - j, else 0

What each would keep by its own rule (`own_k`): |W| > .3, every weight of LiNGAM, an edge of at least half of the
resamples. All but LiNGAM use the data through correlations and n alone, so gaps are handled pairwise
(scoring/covariance.py). `transform`: "normal scores" ranks each column first, which outliers cannot sway.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners import lingam, notears, pc
from trueness.learners.base import Alpha, AtLeast0, Card
from trueness.learners.scoring.covariance import (
    DRAWS,
    PAIRWISE,
    Correlations,
    Transform,
    fill_by_correlations,
    pairwise_correlations,
)
from trueness.learners.scoring.edge_scores import Array, EdgeScores, Scorer, answer, as_observed
from trueness.settings import Between, Hint

THRESHOLD = 0.3  # of |W|: what the papers keep


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


@dataclass(frozen=True)
class NOTEARSScorer(Scorer):
    """|W| of linear NOTEARS. A small lambda1 leaves few ties at 0."""

    lambda1: AtLeast0 = 0.02
    transform: Transform = "none"

    card: ClassVar[Card] = Card(
        title="NOTEARS",
        summary="The sizes of the weights of linear NOTEARS on standardised columns.",
        missing=PAIRWISE,
        assumes=("linear relations", "causal sufficiency", "acyclicity"),
        paper=notears.NOTEARS.card.paper,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen = as_observed(data, self)
        r = pairwise_correlations(seen, self.transform)
        fit = notears.NOTEARS(lambda1=self.lambda1, solver="reference").fit_details(r.stand_in())
        size = np.abs(fit.weights)
        n_edges = int(np.count_nonzero(size > THRESHOLD))
        return answer(self, seen, size, h=fit.h, own_k=n_edges, shrinkage=r.shrinkage, converged=fit.converged)


@dataclass(frozen=True)
class LiNGAMScorer(Scorer):
    """|B| of DirectLiNGAM. It needs the shape of the noise, so correlations do not do: gaps are drawn."""

    card: ClassVar[Card] = Card(
        title="DirectLiNGAM",
        summary="The sizes of the weights of DirectLiNGAM on standardised columns.",
        missing=DRAWS,
        assumes=("linear relations", "non-Gaussian noise", "causal sufficiency", "acyclicity"),
        paper=lingam.DirectLiNGAM.card.paper,
        deterministic=False,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        rng = np.random.default_rng(rng)
        seen = as_observed(data, self)
        values = fill_by_correlations(seen, rng)
        z = (values - values.mean(axis=0)) / values.std(axis=0)
        fit = lingam.DirectLiNGAM().fit_details(Table(seen.names, z, (None,) * seen.d, seen.source))
        weights = np.zeros((seen.d, seen.d)) if fit.graph.weights is None else fit.graph.weights  # it has no edge
        n_edges = int(np.count_nonzero(weights))
        return answer(self, seen, np.abs(weights), order=fit.order, ties=fit.ties, own_k=n_edges)


@dataclass(frozen=True)
class PCScorer(Scorer):
    """How often an edge is found in `repeats` resamples of the rows, or each pair's strongest separating test."""

    alpha: Alpha = 0.05
    score: Literal["stability"] = "stability"  # a setting still, by which fits of before are known
    repeats: Annotated[int, Between(1, 10_000, closed=True), Hint("Try 50.")] = 20
    transform: Transform = "none"

    card: ClassVar[Card] = Card(
        title="PC",
        summary="How often each edge is found in resamples.",
        missing=PAIRWISE,
        assumes=pc.PC.card.assumes,
        paper=pc.PC.card.paper,
        deterministic=False,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        rng = np.random.default_rng(rng)
        seen = as_observed(data, self)
        # the rule for colliders that docs/rcgnn.md is measured with: what another is worth for a ranking is not known
        learner = pc.PC(alpha=self.alpha, test="fisher-z", colliders="separating set", conflicts="first")
        share = np.zeros((seen.d, seen.d))
        for _ in range(self.repeats):
            sample = pairwise_correlations(seen.rows(_resample(seen, rng)), self.transform)
            share += _shares(learner.fit(sample.stand_in()))
        share /= self.repeats
        return answer(self, seen, share, own_k=int(np.count_nonzero(share >= 0.5)))


def _shares(graph: Graph) -> Array:
    """share[i, j]: how far the graph speaks for i -> j."""
    return np.where(graph.directed, 1.0, np.where(graph.undirected, 0.5, 0.0))


def _resample(seen: Observed, rng: Generator) -> NDArray[np.intp]:
    """Rows with replacement; of a series whole blocks of about n^(1/3) rows, which keep its dependence."""
    length = round(seen.n ** (1 / 3)) if seen.lags else 1
    starts = rng.integers(0, seen.n - length + 1, size=-(-seen.n // length))
    return (starts[:, None] + np.arange(length)).reshape(-1)[: seen.n].astype(np.intp)


SCORERS = {
    "correlation": CorrelationScorer,
    "notears-lite": NotearsLite,
    "notears": NOTEARSScorer,
    "lingam": LiNGAMScorer,
    "pc": PCScorer,
}
