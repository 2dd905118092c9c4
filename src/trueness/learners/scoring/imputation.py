"""Filling gaps, each way by its name. For scorers whose method has no place for a missing value.

linear interpolation in time    between the nearest observed neighbours of a column; the first or last one at the ends
conditional draws               x_mis ~ N(m + C_mo C_oo^-1 (x_obs - m), C_mm - C_mo C_oo^-1 C_om), C pairwise: one draw,
                                so that relations are neither diluted (as by means) nor made too exact (no noise)
the same by likelihood          m and C those under which what is there is most likely (EM)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.learners.scoring.covariance import pairwise_correlations

Array = NDArray[np.float64]
_STEPS, _STILL, _RIDGE = 100, 1e-4, 1e-8  # of EM: most of them, the change that ends it, what keeps C regular
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
    """(n, d) without gaps."""
    return _drawn(seen, lambda z: (np.zeros(z.shape[1]), pairwise_correlations(seen).matrix), rng)


def drawn_by_likelihood(seen: Observed, rng: Generator, resample: bool = False) -> Array:
    """The same with the means and covariances under which what is there (or a resample of it) is most likely."""
    n = len(seen.values)
    rows = rng.integers(n, size=n) if resample else slice(None)
    return _drawn(seen, lambda z: most_likely(z[rows], pairwise_correlations(seen).matrix), rng)


def _drawn(seen: Observed, moments: Callable[[Array], tuple[Array, Array]], rng: Generator) -> Array:
    centre, scale = np.nanmean(seen.values, axis=0), np.nanstd(seen.values, axis=0)
    z = (seen.values - centre) / scale
    if not np.isnan(z).any():
        return np.array(seen.values)
    mean, c = moments(z)
    noise = rng.standard_normal(z.shape)
    for gap, rows in list(_patterns(z)):
        slope, left = _regression(c, gap)
        z[np.ix_(rows, gap)] = (
            mean[gap] + (z[rows][:, ~gap] - mean[~gap]) @ slope.T + noise[rows][:, gap] @ np.linalg.cholesky(left).T
        )
    return np.asarray(z * scale + centre)


def most_likely(z: Array, start: Array) -> tuple[Array, Array]:
    """Mean and covariance of rows with gaps, by EM from mean 0 and `start` (Dempster, Laird & Rubin 1977).

    Right also where gaps hang on what is there (MAR), which correlations by pairs are not.
    """
    patterns, c = list(_patterns(z)), start
    mean: Array = np.zeros(z.shape[1])
    for _ in range(_STEPS):
        filled, more = z.copy(), np.zeros_like(c)
        for gap, rows in patterns:
            slope, left = _regression(c, gap)
            filled[np.ix_(rows, gap)] = mean[gap] + (z[rows][:, ~gap] - mean[~gap]) @ slope.T
            more[np.ix_(gap, gap)] += len(rows) * left
        before, mean = c, filled.mean(axis=0)
        centred = filled - mean
        c = (centred.T @ centred + more) / len(z) + _RIDGE * np.eye(len(c))
        if np.abs(c - before).max() < _STILL:
            break
    return mean, c


def _patterns(z: Array) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.intp]]]:
    """Rows with the same gaps share one solve; rows without are left out."""
    patterns, which = np.unique(np.isnan(z), axis=0, return_inverse=True)
    for number, gap in enumerate(patterns):
        if gap.any():
            yield gap, np.flatnonzero(which.ravel() == number)


def _regression(c: Array, gap: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Slopes of what is missing on what is there, and the covariance that they leave."""
    across = c[np.ix_(gap, ~gap)]
    slope = np.linalg.solve(c[np.ix_(~gap, ~gap)], across.T).T
    return np.asarray(slope, dtype=np.float64), c[np.ix_(gap, gap)] - slope @ across.T
