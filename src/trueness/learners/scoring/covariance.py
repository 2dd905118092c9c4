"""Correlations of columns with gaps, and rows that carry them to learners which want complete rows.

pairwise      R_ij over the rows where both i and j are observed (columns standardised over those rows)
shrinkage     R <- (1 - a) R + a I with the least a in [0, 1] for which the smallest eigenvalue is at least FLOOR:
              a = (FLOOR - l) / (1 - l) for smallest eigenvalue l < FLOOR (pairwise matrices may have negative ones)
normal scores each column's ranks r of its m values to Phi^-1(r / (m + 1)): no outlier weighs much (Liu et al. 2009)
effective n   the harmonic mean of the pairs' counts: what one sample size for all tests can be at best
stand-in      rows whose sample correlations are R exactly: sqrt(n) Q L' with R = L L' and Q (n, d) orthonormal cosines.
              A learner that uses the data through R and n alone (l2 losses, Fisher's z) gets the same answer from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.table import Table
from trueness.errors import DataError

Array = NDArray[np.float64]
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
