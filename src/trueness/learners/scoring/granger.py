"""Granger causality in a vector autoregression: do i's past values help to predict j, given everybody's past?

    x_t = c + A_1 x_{t-1} + ... + A_L x_{t-L} + u_t                            least squares (statsmodels' VAR)
    H0(i -> j): A_1[j, i] = ... = A_L[j, i] = 0      F = b' V^-1 b / L,  b the L coefficients, V their covariance,
                                                     with L and d (T - L - dL - 1) degrees of freedom

One joint F test of all lags for each ordered pair: no least p over lags is picked. statsmodels'
results.test_causality(kind="f") gives the same F and p, one pair at a time. matrix[i, j] = F of i -> j; all pairs share
their degrees of freedom, so the ranks are those of 1 - p without its rounding to 1. Granger (1969); Luetkepohl
(2005), ch. 3.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from scipy import stats

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.learners.base import Card
from trueness.learners.scoring.base import EdgeScores, Lags, Scorer, answer, series
from trueness.learners.scoring.imputation import INTERPOLATION, interpolated

ALPHA = 0.05  # its own rule of what to keep; the score does not know it


@dataclass(frozen=True)
class Granger(Scorer):
    """Joint F tests of all lags in one VAR."""

    lags: Lags = None

    card: ClassVar[Card] = Card(
        title="Granger",
        summary="Joint F tests, for each ordered pair, of all lags of one in a vector autoregression of all.",
        missing=INTERPOLATION,
        assumes=("linear relations", "stationarity", "no effects within a time step", "causal sufficiency"),
        paper="Granger 1969; Luetkepohl 2005",
        needs_series=True,
    )

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        from statsmodels.tsa.api import VAR

        seen, lags = series(data, self, self.lags)
        values = interpolated(seen.values)
        z = (values - values.mean(axis=0)) / values.std(axis=0)
        fit = VAR(z).fit(lags, trend="c")
        if np.linalg.matrix_rank(fit.endog_lagged) < fit.endog_lagged.shape[1]:
            raise DataError(f"{seen.source} must have no column that is a linear function of others' past.")
        # coefs (L, d, d): coefs[l, j, i] of x_i(t - l - 1) on x_j(t); the first regressor is the constant
        inverse = np.linalg.inv(fit.endog_lagged.T @ fit.endog_lagged)
        noise = np.asarray(fit.sigma_u).diagonal()
        f = np.zeros((seen.d, seen.d))
        for i in range(seen.d):
            past = 1 + i + seen.d * np.arange(lags)
            b = fit.coefs[:, :, i]  # (L, d): on every j
            f[i] = np.einsum("lj,lm,mj->j", b, np.linalg.inv(inverse[np.ix_(past, past)]), b) / noise / lags
        freedom = (lags, seen.d * fit.df_resid)
        p = stats.f.sf(f, *freedom)
        own = int(np.count_nonzero(p[~np.eye(seen.d, dtype=bool)] < ALPHA))
        return answer(self, seen, f, p_values=p, freedom=freedom, lags=lags, own_k=own)


SCORERS = {"granger": Granger}
