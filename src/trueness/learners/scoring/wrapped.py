"""Our graph learners as scorers: NOTEARS by |W|, PC by p-values or by stability.

    notears    |W_ij| before any threshold, on standardised columns: the scale of a column gives no order away
    pc         "stability": the mean of share_ij over resamples of the rows (blocks of rows of a series)
               "-log10 p": share_ij (-log10 p_ij),  p_ij the largest p of the tests made on the pair (the strongest
               separating test); the ranks are those of 1 - p without its rounding to 1
               share_ij of the learned marks: 1 for i -> j, 0 for i <- j, 1/2 for i - j; of a pair without an edge 0 for
               stability, 1/2 for p

What each would keep by its own rule (`own_k`): |W| > .3, an edge of at least half of the resamples, the graph's own
edges. Both use the data through correlations and n alone, so gaps are handled pairwise (scoring/covariance.py).
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
from trueness.learners import notears, pc
from trueness.learners.base import Alpha, AtLeast0, Card
from trueness.learners.scoring.covariance import PAIRWISE, Transform, pairwise_correlations
from trueness.learners.scoring.edge_scores import Array, EdgeScores, Scorer, answer, as_observed
from trueness.settings import Between, Hint

LEAST_P = 1e-300
THRESHOLD = 0.3  # of |W|: what the papers keep


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
class PCScorer(Scorer):
    """How often an edge is found in `repeats` resamples of the rows, or each pair's strongest separating test."""

    alpha: Alpha = 0.05
    score: Literal["-log10 p", "stability"] = "stability"
    repeats: Annotated[int, Between(1, 10_000, closed=True), Hint("Try 50.")] = 20
    transform: Transform = "none"

    card: ClassVar[Card] = Card(
        title="PC",
        summary="How often each edge is found in resamples, or the p-value of its strongest separating test.",
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
        if self.score == "stability":
            share = np.zeros((seen.d, seen.d))
            for _ in range(self.repeats):
                sample = pairwise_correlations(seen.rows(_resample(seen, rng)), self.transform)
                share += _shares(learner.fit(sample.stand_in()), 0.0)
            share /= self.repeats
            return answer(self, seen, share, own_k=int(np.count_nonzero(share >= 0.5)))
        fit = learner.fit_details(pairwise_correlations(seen, self.transform).stand_in())
        scores = _by_p(fit.graph, fit.p_values)
        return answer(self, seen, scores, graph=fit.graph, p_values=fit.p_values, own_k=own_k(fit.graph))


def own_k(graph: Graph) -> int:
    """Ordered pairs that a graph keeps; an edge without a direction is two."""
    return int(np.count_nonzero(_shares(graph, 0.0)))


def _by_p(graph: Graph, p_values: Array) -> Array:
    p = np.clip(np.nan_to_num(p_values, nan=1.0), LEAST_P, 1.0)  # a pair without a test has nothing to speak for it
    return np.asarray(-np.log10(p) * _shares(graph, 0.5))


def _shares(graph: Graph, without_edge: float) -> Array:
    """share[i, j]: how far the graph speaks for i -> j."""
    share = np.where(graph.directed, 1.0, np.where(graph.undirected, 0.5, 0.0))
    return np.where(graph.adjacent, share, without_edge)


def _resample(seen: Observed, rng: Generator) -> NDArray[np.intp]:
    """Rows with replacement; of a series whole blocks of about n^(1/3) rows, which keep its dependence."""
    length = round(seen.n ** (1 / 3)) if seen.lags else 1
    starts = rng.integers(0, seen.n - length + 1, size=-(-seen.n // length))
    return (starts[:, None] + np.arange(length)).reshape(-1)[: seen.n].astype(np.intp)


SCORERS = {"notears": NOTEARSScorer, "pc": PCScorer}
