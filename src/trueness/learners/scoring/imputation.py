"""Filling gaps, each way by its name. For scorers whose method has no place for a missing value.

linear interpolation in time    between the nearest observed neighbours of a column; the first or last one at the ends
conditional draws               x_mis ~ N(m + C_mo C_oo^-1 (x_obs - m), C_mm - C_mo C_oo^-1 C_om), C pairwise: one draw,
                                so that relations are neither diluted (as by means) nor made too exact (no noise)
the same by likelihood          m and C those under which what is there is most likely (EM)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.learners.scoring.covariance import pairwise_correlations

Array = NDArray[np.float64]
Index = NDArray[np.intp]
_STEPS, _STILL, _RIDGE = 100, 1e-4, 1e-8  # of EM: most of them, the change that ends it, what keeps C regular
INTERPOLATION = "imputation: linear interpolation in time"
DRAWS = "imputation: conditional draws from the Gaussian of the pairwise correlations"


def interpolate(values: Array) -> Array:
    """(T, d) without gaps."""
    filled = np.array(values, dtype=np.float64)
    time = np.arange(len(filled))
    for column in filled.T:
        gaps = np.isnan(column)
        if gaps.any():
            column[gaps] = np.interp(time[gaps], time[~gaps], column[~gaps])
    return filled


def fill_by_correlations(seen: Observed, rng: Generator) -> Array:
    """(n, d) without gaps."""
    return _draw_gaps(seen, lambda z: (np.zeros(z.shape[1]), pairwise_correlations(seen).matrix), rng)


def fill_by_likelihood(seen: Observed, rng: Generator, resample: bool = False) -> Array:
    """The same with the means and covariances under which what is there (or a resample of it) is most likely."""
    n = len(seen.values)
    rows = rng.integers(n, size=n) if resample else slice(None)
    return _draw_gaps(seen, lambda z: most_likely(z[rows], pairwise_correlations(seen).matrix), rng)


def _draw_gaps(seen: Observed, moments: Callable[[Array], tuple[Array, Array]], rng: Generator) -> Array:
    centre, scale = np.nanmean(seen.values, axis=0), np.nanstd(seen.values, axis=0)
    z = (seen.values - centre) / scale
    if not np.isnan(z).any():
        return np.array(seen.values)
    mean, c = moments(z)
    noise = rng.standard_normal(z.shape)
    for same in list(_patterns(z)):
        slope, left = _regressions(c, same)
        cells = same.cells(same.gap)
        root = np.asarray(np.linalg.cholesky(left), dtype=np.float64)
        z[cells] = _conditional_mean(z, mean, slope, same) + _times(root[same.which], noise[cells])
    return np.asarray(z * scale + centre)


def most_likely(z: Array, start: Array) -> tuple[Array, Array]:
    """Mean and covariance of rows with gaps, by EM from mean 0 and `start` (Dempster, Laird & Rubin 1977).

    Right also where gaps hang on what is there (MAR), which correlations by pairs are not.
    """
    patterns, c = list(_patterns(z)), start
    mean: Array = np.zeros(z.shape[1])
    for _ in range(_STEPS):
        filled, more = z.copy(), np.zeros_like(c)
        for same in patterns:
            slope, left = _regressions(c, same)
            filled[same.cells(same.gap)] = _conditional_mean(z, mean, slope, same)
            rows = np.bincount(same.which)[:, None, None]
            np.add.at(more, (same.gap[:, :, None], same.gap[:, None, :]), rows * left)
        before, mean = c, filled.mean(axis=0)
        centred = filled - mean
        c = (centred.T @ centred + more) / len(z) + _RIDGE * np.eye(len(c))
        if np.abs(c - before).max() < _STILL:
            break
    return mean, c


class _Patterns(NamedTuple):
    """All patterns of gaps with the same number of them: one stack of solves."""

    gap: Index  # (patterns, gaps): columns
    there: Index  # (patterns, d - gaps)
    rows: Index  # with one of these patterns
    which: Index  # its number, of each row

    def cells(self, columns: Index) -> tuple[Index, Index]:
        return self.rows[:, None], columns[self.which]


def _patterns(z: Array) -> Iterator[_Patterns]:
    """Rows with the same gaps share one solve; rows without are left out."""
    patterns, which = np.unique(np.isnan(z), axis=0, return_inverse=True)
    counts = patterns.sum(axis=1)
    for count in np.unique(counts[counts > 0]):
        some = np.flatnonzero(counts == count)
        gap, there = (np.nonzero(part)[1].reshape(len(some), -1) for part in (patterns[some], ~patterns[some]))
        rows = np.flatnonzero(counts[which.ravel()] == count)
        yield _Patterns(gap, there, rows, np.searchsorted(some, which.ravel()[rows]))


def _regressions(c: Array, same: _Patterns) -> tuple[Array, Array]:
    """Of each pattern: slopes of what is missing on what is there, and the covariance that they leave."""
    gap, there = same.gap[:, :, None], same.there[:, :, None]
    across = c[gap, same.there[:, None, :]]
    slope = np.linalg.solve(c[there, same.there[:, None, :]], across.swapaxes(1, 2)).swapaxes(1, 2)
    return np.asarray(slope, dtype=np.float64), c[gap, same.gap[:, None, :]] - slope @ across.swapaxes(1, 2)


def _conditional_mean(z: Array, mean: Array, slope: Array, same: _Patterns) -> Array:
    """What is missing, given what is there."""
    seen = z[same.cells(same.there)] - mean[same.there[same.which]]
    return mean[same.gap[same.which]] + _times(slope[same.which], seen)


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])
