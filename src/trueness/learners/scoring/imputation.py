"""Filling gaps, each way by its name. For scorers whose method has no place for a missing value.

linear interpolation in time    between the nearest observed neighbours of a column; the first or last one at the ends
conditional draws               x_mis ~ N(m + C_mo C_oo^-1 (x_obs - m), C_mm - C_mo C_oo^-1 C_om), C pairwise: one draw,
                                so that relations are neither diluted (as by means) nor made too exact (no noise)
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.learners.scoring.covariance import pairwise_correlations

Array = NDArray[np.float64]
INTERPOLATION = "imputation: linear interpolation in time"
DRAWS = "imputation: conditional draws from the Gaussian of the pairwise correlations"


def interpolated(values: Array) -> Array:
    """(T, d) without gaps."""
    filled = np.array(values, dtype=np.float64)
    time = np.arange(len(filled))
    for column in filled.T:
        gaps = np.isnan(column)
        if gaps.any():
            column[gaps] = np.interp(time[gaps], time[~gaps], column[~gaps])
    return filled


def drawn(seen: Observed, rng: Generator) -> Array:
    """(n, d) without gaps; rows with the same gaps share one solve."""
    centre, scale = np.nanmean(seen.values, axis=0), np.nanstd(seen.values, axis=0)
    z = (seen.values - centre) / scale
    gaps = np.isnan(z)
    if not gaps.any():
        return np.array(seen.values)
    r = pairwise_correlations(seen).matrix
    noise = rng.standard_normal(z.shape)
    patterns, which = np.unique(gaps, axis=0, return_inverse=True)
    for number, gap in enumerate(patterns):
        rows = np.flatnonzero(which.ravel() == number)
        if gap.any():
            z[np.ix_(rows, gap)] = _conditional(r, gap, z[rows][:, ~gap], noise[rows][:, gap])
    return np.asarray(z * scale + centre)


def _conditional(r: Array, gap: NDArray[np.bool_], seen: Array, noise: Array) -> Array:
    inside = r[np.ix_(gap, gap)]
    if gap.all():
        return noise @ np.linalg.cholesky(inside).T
    across = r[np.ix_(gap, ~gap)]
    slope = np.linalg.solve(r[np.ix_(~gap, ~gap)], across.T).T
    return np.asarray(seen @ slope.T + noise @ np.linalg.cholesky(inside - slope @ across.T).T)
