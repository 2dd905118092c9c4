"""Granger: do i's past values help to predict j, given everybody's past?

    x_t = c + A_1 x_{t-1} + ... + A_L x_{t-L} + u_t                            least squares
    H0(i -> j): A_1[j, i] = ... = A_L[j, i] = 0      F = b' V^-1 b / L,  b the L coefficients, V their covariance,
                                                     with L and d (T - L - dL - 1) degrees of freedom

One joint F test of all lags for each ordered pair: no least p over lags is picked. Without gaps these are the F and p
of statsmodels' VAR(...).fit(L).test_causality(kind="f"). matrix[i, j] = F of i -> j; all pairs share their degrees of
freedom, so the ranks are those of 1 - p without its rounding to 1. Granger (1969); Luetkepohl (2005), ch. 3.6.

Least squares need no more than the correlations of (x_t, x_{t-1}, ..., x_{t-L}) and their number of rows. So gaps can
be left out pair by pair, and outliers can be ranked away (`transform`); T is then the effective n of
scoring/covariance.py and F is approximate. lags = "bic": the L from 1 to two more than the data say with the least
log det S_u + L d^2 log(T) / T.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.learners.base import Card
from trueness.learners.scoring.covariance import PAIRWISE, Transform, normal_scores, pairwise_correlations, with_lags
from trueness.learners.scoring.edge_scores import Array, EdgeScores, Lags, Scorer, answer, series
from trueness.learners.scoring.imputation import INTERPOLATION, interpolate

ALPHA = 0.05  # Granger's own rule of what to keep; the score does not know it


@dataclass(frozen=True)
class Granger(Scorer):
    """Joint F tests of all lags in one VAR."""

    lags: Lags | Literal["bic"] = None
    gaps: Literal["interpolation", "pairwise"] = field(default="interpolation", metadata={"later": True})
    transform: Transform = field(default="none", metadata={"later": True})

    card: ClassVar[Card] = Card(
        title="Granger",
        summary="Joint F tests, for each ordered pair, of all lags of one in a vector autoregression of all.",
        missing=INTERPOLATION,
        assumes=("linear relations", "stationarity", "no effects within a time step", "causal sufficiency"),
        paper="Granger 1969; Luetkepohl 2005",
        needs_series=True,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        from scipy import stats

        seen, lags = series(data, self, None if self.lags == "bic" else self.lags)
        values = interpolate(seen.values) if self.gaps == "interpolation" else seen.values
        values = normal_scores(values) if self.transform == "normal scores" else values
        tried = range(1, lags + 3) if self.lags == "bic" else [lags]
        fits = [_Autoregression.of(seen, values, count) for count in tried if seen.n > 2 * (seen.d * count + count + 2)]
        fit = min(fits, key=lambda one: one.bic, default=_Autoregression.of(seen, values, lags))
        f = fit.joint_f()
        freedom = (fit.lags, seen.d * fit.residual_rows)
        p = stats.f.sf(f, *freedom)
        n_edges = int(np.count_nonzero(p[~np.eye(seen.d, dtype=bool)] < ALPHA))
        edge_scores = answer(self, seen, f, p_values=p, freedom=freedom, lags=fit.lags, own_k=n_edges)
        return edge_scores if self.gaps == "interpolation" else replace(edge_scores, handles_missing=PAIRWISE)


@dataclass(frozen=True, eq=False)
class _Autoregression:
    lags: int
    effects: Array  # (L d, d): row l d + i is the effect of x_i(t - l - 1)
    inverse: Array  # (L d, L d) of the correlations of the past
    noise: Array  # (d, d) residual covariance, of standardised columns, by n
    n: int

    @classmethod
    def of(cls, seen: Observed, values: Array, lags: int) -> _Autoregression:
        n, d = values.shape
        rows = with_lags(seen, values, lags)
        stacked, r = rows.values, pairwise_correlations(rows)
        past, now = r.matrix[d:, d:], r.matrix[d:, :d]
        if not np.isnan(stacked).any() and np.linalg.matrix_rank(stacked[:, d:]) < d * lags:
            raise DataError(f"{seen.source} must have no column that is a linear function of others' past.")
        effects: Array = np.linalg.solve(past, now).astype(np.float64)
        inverse: Array = np.linalg.inv(past).astype(np.float64)
        count = n - lags if not np.isnan(stacked).any() else r.effective_n
        return cls(lags, effects, inverse, r.matrix[:d, :d] - now.T @ effects, count)

    @property
    def residual_rows(self) -> int:
        return max(self.n - len(self.inverse) - 1, 1)

    @property
    def bic(self) -> float:
        size = len(self.effects) * len(self.noise)
        return float(np.linalg.slogdet(self.noise)[1] + size * np.log(self.n) / self.n)

    def joint_f(self) -> Array:
        """(d, d): F of i -> j."""
        d = len(self.noise)
        f = np.zeros((d, d))
        scale = self.noise.diagonal() / self.residual_rows
        for i in range(d):
            past: NDArray[np.intp] = i + d * np.arange(self.lags)
            b = self.effects[past]  # (L, d): on every j
            f[i] = np.einsum("lj,lm,mj->j", b, np.linalg.inv(self.inverse[np.ix_(past, past)]), b) / scale / self.lags
        return f


SCORERS = {"granger": Granger}
