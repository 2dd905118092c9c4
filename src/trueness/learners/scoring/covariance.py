"""What is done about gaps: correlations by pairs, rows that carry them to learners of complete rows, imputation.

pairwise      R_ij over the rows where both i and j are observed (columns standardised over those rows)
shrinkage     R <- (1 - a) R + a I with the least a in [0, 1] for which the smallest eigenvalue is at least FLOOR:
              a = (FLOOR - l) / (1 - l) for smallest eigenvalue l < FLOOR (pairwise matrices may have negative ones)
normal scores each column's ranks r of its m values to Phi^-1(r / (m + 1)): no outlier weighs much (Liu et al. 2009)
effective n   the harmonic mean of the pairs' counts: what one sample size for all tests can be at best
stand-in      rows whose sample correlations are R exactly: sqrt(n) Q L' with R = L L' and Q (n, d) orthonormal cosines.
              A learner that uses the data through R and n alone (l2 losses, Fisher's z) gets the same answer from them.

Filling gaps, each way by its name, for scorers whose method has no place for a missing value:

linear interpolation in time    between the nearest observed neighbours of a column; the first or last one at the ends
conditional draws               x_mis ~ N(m + C_mo C_oo^-1 (x_obs - m), C_mm - C_mo C_oo^-1 C_om), C pairwise: one draw,
                                so that relations are neither diluted (as by means) nor made too exact (no noise)
the same by likelihood          m and C those under which what is there is most likely (EM)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.table import Table
from trueness.errors import DataError

Array = NDArray[np.float64]
Index = NDArray[np.intp]
_STEPS, _STILL, _RIDGE = 100, 1e-4, 1e-8  # of EM: most of them, the change that ends it, what keeps C regular
INTERPOLATION = "imputation: linear interpolation in time"
DRAWS = "imputation: conditional draws from the Gaussian of the pairwise correlations"
Transform = Literal["none", "normal scores"]
PAIRWISE = "pairwise correlations, shrunk to the identity until positive definite"
FLOOR = 1e-3
FEWEST_PAIRS = 8


@dataclass(frozen=True, eq=False)
class Correlations:
    """R of columns with gaps, made positive definite, and how many rows it stands for."""

    matrix: Array  # (d, d)
    counts: NDArray[np.int64]  # (d, d) rows where both are observed
    shrinkage: float  # the weight of the identity; 0 where R was positive definite
    names: tuple[str, ...]
    source: str

    @property
    def effective_n(self) -> int:
        pairs = self.counts[~np.eye(len(self.counts), dtype=bool)]
        return round(1 / float(np.mean(1 / pairs))) if len(pairs) else int(self.counts[0, 0])

    def stand_in(self) -> Table:
        """Rows with these correlations."""
        d, n = len(self.matrix), max(self.effective_n, len(self.matrix) + 2)
        phase = np.pi * (np.arange(n)[:, None] + 0.5) / n
        orthonormal = np.sqrt(2 / n) * np.cos(phase * np.arange(1, d + 1))  # columns of mean 0
        rows = np.sqrt(n) * orthonormal @ np.linalg.cholesky(self.matrix).T
        return Table(self.names, rows, (None,) * d, self.source)


def with_lags(seen: Observed, values: Array, lags: int) -> Observed:
    """(n - lags, (lags + 1) d): each row of values (n, d), then the rows before it, as rows without order."""
    n = len(values)
    stacked = np.hstack([values[lags - back : n - back] for back in range(lags + 1)])
    names = tuple(f"{name} {back} back" for back in range(lags + 1) for name in seen.names)
    return Observed(names, stacked, (None,) * len(names), seen.source, None, 0)


def pairwise_correlations(seen: Observed, transform: Transform = "none") -> Correlations:
    values = normal_scores(seen.values) if transform == "normal scores" else seen.values
    there = ~np.isnan(values)
    mask = there.astype(np.float64)
    counts = mask.T @ mask
    few = np.argwhere(counts < FEWEST_PAIRS)
    if len(few):
        i, j = few[0]
        raise DataError(
            f"columns {seen.names[i]!r} and {seen.names[j]!r} of {seen.source} must be observed together in at least "
            f"{FEWEST_PAIRS} rows, got {int(counts[i, j])}. Drop one of them, or have fewer values missing."
        )
    # centred and scaled first, so that sums of squares do not cancel
    filled = np.where(there, (values - np.nanmean(values, axis=0)) / np.nanstd(values, axis=0), 0.0)
    # filled[there] alone enters: every product with a gap is 0 and is not counted
    sums, squares = filled.T @ mask, (filled**2).T @ mask
    covariance = filled.T @ filled - sums * sums.T / counts
    variance = squares - sums**2 / counts
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix = covariance / np.sqrt(variance * variance.T)
    matrix = np.clip(np.nan_to_num(matrix, nan=0.0), -1.0, 1.0)  # no variance where both are there: nothing is known
    np.fill_diagonal(matrix, 1.0)
    matrix, shrinkage = positive_definite((matrix + matrix.T) / 2)
    return Correlations(matrix, counts.astype(np.int64), shrinkage, seen.names, seen.source)


def positive_definite(matrix: Array) -> tuple[Array, float]:
    """Shrinkage to the identity, as little as needed; (the matrix, its weight)."""
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least >= FLOOR:
        return matrix, 0.0
    weight = (FLOOR - least) / (1 - least)
    return (1 - weight) * matrix + weight * np.eye(len(matrix)), weight


def normal_scores(values: Array) -> Array:
    """Column by column over the observed values; gaps stay gaps."""
    from scipy import special, stats

    ranks = stats.rankdata(values, axis=0, nan_policy="omit")
    return np.asarray(special.ndtri(ranks / (np.count_nonzero(~np.isnan(values), axis=0) + 1)))


# ---- filling gaps


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
