"""DYNOTEARS: NOTEARS of a series. Effects within a row (acyclic) and of the rows before it, in one optimisation.

    x(t) = W' x(t) + A_1' x(t - 1) + ... + A_L' x(t - L) + e(t),            W[i, j], A_l[i, j] of i -> j
    minimise  1/(2n) |X - X W - Y A|^2 + lambda1 (|W|_1 + |A|_1)   subject to   h(W) = tr(e^(W o W)) - d = 0
    matrix[i, j] = max over l of |A_l[i, j]| and |W[i, j]|,    columns standardised

It is NOTEARS on the columns (x(t), x(t - 1), ..., x(t - L)) with every weight into a column of the past held at 0: no
cycle leads through the past, so h is that of W. The loss needs their correlations only, so gaps are left out pair by
pair (scoring/covariance.py). One penalty for W and A, as the authors' defaults have. What it keeps by its own rule
(`own_k`) is ours: |effect| > .1. Pamfil et al. (2020), DYNOTEARS, AISTATS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.learners import notears
from trueness.learners.base import AtLeast0, Card
from trueness.learners.scoring.covariance import PAIRWISE, Transform, pairwise_correlations, with_lags
from trueness.learners.scoring.edge_scores import EdgeScores, Lags, Scorer, answer, series

THRESHOLD = 0.1


@dataclass(frozen=True)
class DYNOTEARS(Scorer):
    """The sizes of the weights of linear DYNOTEARS. A small lambda1 leaves few ties at 0."""

    lambda1: AtLeast0 = 0.02
    lags: Lags = None
    transform: Transform = "none"

    card: ClassVar[Card] = Card(
        title="DYNOTEARS",
        summary="The sizes of the weights within a row and over lags of linear DYNOTEARS on standardised columns.",
        missing=PAIRWISE,
        assumes=("linear relations", "stationarity", "causal sufficiency", "acyclicity within a step"),
        paper="Pamfil et al. 2020",
        needs_series=True,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen, lags = series(data, self, self.lags)
        d = seen.d
        r = pairwise_correlations(with_lags(seen, seen.values, lags), self.transform)
        held = np.eye(d * (lags + 1), dtype=bool)
        held[:, d:] = True  # nothing acts on the past
        problem = notears.problem_of(r.stand_in(), "l2", "raw")
        weights, steps = notears.NOTEARS(lambda1=self.lambda1, solver="reference").solve(problem, held)
        effects = weights[:, :d].reshape(lags + 1, d, d)  # by lag, cause and effect
        size = np.abs(effects).max(axis=0)
        n_edges = int(np.count_nonzero((size > THRESHOLD) & ~np.eye(d, dtype=bool)))
        return answer(
            self, seen, size, effects=effects, h=steps[-1].h, own_k=n_edges, lags=lags, shrinkage=r.shrinkage,
            objective=steps[-1].objective - lags * d / 2,  # the past is left as it is: 1/2 a column
        )  # fmt: skip


SCORERS = {"dynotears": DYNOTEARS}
