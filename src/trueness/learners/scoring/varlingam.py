"""VARLiNGAM: a vector autoregression whose residuals are explained by LiNGAM (package lingam).

    x(t) = sum_l M_l x(t - l) + n(t),   n(t) = B_0 n(t) + e(t),   B_l = (I - B_0) M_l        e non-Gaussian, independent
    matrix[i, j] = max over l of |B_l[j, i]|,   columns standardised

lingam's adjacency_matrices_[l][j, i] is the effect of x_i(t - l) on x_j(t), pruned by the adaptive lasso.
Hyvarinen, Zhang, Shimizu & Hoyer (2010), JMLR 11.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.learners.base import Card
from trueness.learners.scoring.edge_scores import EdgeScores, Lags, Scorer, answer, series
from trueness.learners.scoring.imputation import DRAWS, fill_by_correlations
from trueness.registry import need


@dataclass(frozen=True)
class VARLiNGAM(Scorer):
    """lingam's VARLiNGAM with the lags of the data, or its own."""

    lags: Lags = None

    card: ClassVar[Card] = Card(
        title="VARLiNGAM",
        summary="Lagged and contemporaneous weights of an autoregression with non-Gaussian noise.",
        missing=DRAWS,
        assumes=(
            "linear relations",
            "non-Gaussian noise",
            "stationarity",
            "causal sufficiency",
            "acyclicity within a step",
        ),
        paper="Hyvarinen, Zhang, Shimizu & Hoyer 2010",
        needs_series=True,
        needs="lingam",
        deterministic=False,
    )

    def scores(self, data: Table, rng: Generator) -> EdgeScores:
        seen, lags = series(data, self, self.lags)
        values = fill_by_correlations(seen, rng)
        z = (values - values.mean(axis=0)) / values.std(axis=0)
        with warnings.catch_warnings():  # once for each regression
            warnings.simplefilter("ignore")
            model = need("lingam", "scorer 'varlingam'").VARLiNGAM(lags=lags, criterion=None, prune=True)
            model.fit(z)
        effects = np.abs(np.nan_to_num(np.stack(model.adjacency_matrices_)))  # (lags + 1, effect, cause)
        scores = effects.max(axis=0).T
        n_edges = int(np.count_nonzero(scores * ~np.eye(seen.d, dtype=bool)))
        order = tuple(seen.names[j] for j in model.causal_order_)
        return answer(self, seen, scores, lags=lags, order=order, own_k=n_edges)


SCORERS = {"varlingam": VARLiNGAM}
