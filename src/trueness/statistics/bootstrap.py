"""The percentile bootstrap of means, for all cells and measures of a study together.

    mean*_r = (1/n) sum_i c_ri x_i,    c_r ~ Multinomial(n; 1/n, ..., 1/n),    r = 1 ... R
    interval at level 1 - a = [a/2, 1 - a/2] quantiles of mean*_1 ... mean*_R

Efron & Tibshirani (1993), ch. 13. A resample is a row of counts, so that R resamples of m columns are one product
(R x n) (n x m) and no resample is ever written out.

Columns with equally many values share their resamples. Each interval is the one it would be on its own, because the
counts are drawn without a look at the values; shared are the Monte Carlo errors alone, and that makes differences
between columns less noisy, not more. The resamples depend on the generator and on n only, so a column's interval
does not change (but in the last digit, by rounding) when another measure joins the table.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from trueness.errors import DataError, SettingError
from trueness.intervals import Interval

Array = NDArray[np.float64]

_COUNTS_AT_ONCE = 250_000  # entries of a block of counts: 2 MB, so that drawing and product stay in the cache
_MEANS_AT_ONCE = 12_500_000  # entries of a block of resampled means: 100 MB
_GUESS_FROM = 1_000  # resamples that tell where the tails begin


def bootstrap_means(
    values: ArrayLike, level: float = 0.95, resamples: int = 10_000, *, rng: np.random.Generator
) -> list[Interval | None]:
    """The percentile interval of each column's mean. values: (n, m), or (n,) for one column; NaN is missing.

    A column with fewer than two values has no interval (None). A constant column has one of zero width.
    """
    table = as_columns(values)
    _check(level, resamples)
    seed = int(rng.integers(2**63))
    present = ~np.isnan(table)
    sizes = present.sum(axis=0)
    # values first, missing last: the order of the runs does not matter to a resample, their number does
    packed = np.take_along_axis(table, np.argsort(~present, axis=0, kind="stable"), axis=0)
    intervals: list[Interval | None] = [None] * table.shape[1]
    for n in np.unique(sizes[sizes > 1]):
        columns = np.flatnonzero(sizes == n)
        blocks = math.ceil(len(columns) * resamples / _MEANS_AT_ONCE)
        for block in np.array_split(columns, min(blocks, len(columns))):
            # measured from the first run: a constant column then stays exactly constant, whatever the rounding
            origin = packed[0, block]
            means = _resampled_means(packed[:n, block] - origin, resamples, np.random.default_rng([seed, int(n)]))
            ends = _tails(means, (1 - level) / 2) + origin[:, None]
            for column, (low, high) in zip(block, ends, strict=True):
                intervals[column] = Interval(low, high, level, "mean")
    return intervals


def as_columns(values: ArrayLike) -> Array:
    """A (n, m) table of float64 in which NaN is missing; infinite values are refused."""
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2:
        raise DataError(f"'values' must be (runs, columns), got shape {table.shape}.")
    if np.isinf(table).any():
        raise DataError("'values' must be finite or missing (nan), got inf. Mark such runs as missing.")
    return table


def _check(level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise SettingError(f"'level' of a bootstrap must be in (0, 1), got {level}. Try 0.95.")
    if resamples < 1:
        raise SettingError(f"'resamples' of a bootstrap must be at least 1, got {resamples}. Try 10000.")


def _resampled_means(values: Array, resamples: int, rng: np.random.Generator) -> Array:
    """means[k, r]: the mean of column k of values (n, m) in resample r."""
    n, m = values.shape
    rows = np.ascontiguousarray(values.T) / n
    means = np.empty((m, resamples))
    size = max(1, min(resamples, _COUNTS_AT_ONCE // n))  # m has no say: a column's resamples do not depend on it
    narrow = np.uint16 if n <= 2**16 else np.int64  # half the time of the draws
    ones, starts = np.ones(size * n), np.arange(0, size * n + 1, n, dtype=np.int32)
    for start in range(0, resamples, size):
        k = min(size, resamples - start)
        drawn = rng.integers(n, size=k * n, dtype=narrow)
        # what a sparse matrix has several times in one place it adds up: a third of the time of np.bincount
        counts = csr_array((ones[: k * n], drawn.astype(np.int32), starts[: k + 1]), shape=(k, n)).toarray()
        np.matmul(rows, counts.T, out=means[:, start : start + k])
    return means


def _tails(means: Array, tail: float) -> Array:
    """The `tail` and 1 - tail quantiles (numpy's 'linear') of each row, as (m, 2).

    Few of R numbers lie in the tails: the first thousand say where a tail of twice the size begins, and only
    what lies beyond is partitioned. Half the time of np.quantile, the same numbers.
    """
    position = (means.shape[1] - 1) * tail  # of the low end, counted from 0; the high end mirrors it
    guess = np.quantile(means[:, :_GUESS_FROM], [min(2 * tail, 0.5), max(1 - 2 * tail, 0.5)], axis=1)
    ends = np.empty((len(means), 2))
    for k, (row, below, above) in enumerate(zip(means, *guess, strict=True)):
        low, high = row[row <= below], row[row >= above]
        low = low if low.size > position + 1 else row  # the guess was wrong: take them all
        high = high if high.size > position + 1 else row
        ends[k] = _at(low, position), _at(high, high.size - 1 - position)
    return ends


def _at(part: Array, position: float) -> float:
    """The entry that sorting would bring to `position`, between two entries by the line through both."""
    k = int(position)
    after = min(k + 1, part.size - 1)
    part = np.partition(part, (k, after))
    return float(part[k] + (position - k) * (part[after] - part[k]))
