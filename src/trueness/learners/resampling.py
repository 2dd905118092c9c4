"""Resamples of one table, prepared together and without copying rows: moments for numbers, counts for categories.

numbers      W (runs, n): how often a run drew each row; z (n, d): the columns, centred and scaled once;
             P (n, .): all products z_j z_k, and z. All sums of all runs are one matrix product W P, and a run's
             centred Gram matrix is  sum_i w_i z_ij z_ik - (sum_i w_i z_ij)(sum_i w_i z_ik) / m
categories   rows are coded once, equal ones get the same number; a run counts numbers

draws: (runs, m) row numbers. Counts are those of the copied rows, in the same order, so that what is computed from them
is the same to the last bit. Moments differ by rounding, which also depends on the runs that share the product: they
serve graphs, where a statistic would have to lie within 1e-12 of its limit to matter, and no weights of edges.
A run is left out (None) where rounding could matter: a column hardly varies, or nearly follows from others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.learners.base import Draws, checked
from trueness.learners.independence import (
    Independence,
    check_levels,
    chosen_test,
    discrete_tests,
    gaussian_tests,
    most_merged,
)
from trueness.learners.kernels import counting, testing

Floats = NDArray[np.float64]
_PRODUCTS = 1 << 22  # most numbers in P; wider tables take longer to search than to copy
_SLIGHT = 1e-6  # variance that is left in a run, as a share of the table's, below which rounding could matter
_SINGULAR = 1e-9  # the same of a column given those before it


class ResampledTests(Independence):
    """The tests of one run."""

    def __init__(self, names: tuple[str, ...], n: int, test: str, kernel: testing.Tests, most: int):
        self.names, self.n, self.test, self.kernel, self.most = names, n, test, kernel, most


def resampled_tests(learner: Any, data: Table, draws: Draws) -> Iterator[Independence | None]:
    """The tests of each run of PC, FCI or RFCI; what all runs share is prepared at once."""
    table = checked(data, learner)
    test, m = chosen_test(table, learner.test), draws.shape[1]
    if test not in ("fisher-z", "chi2", "g2") or table.has_gaps or table.n != data.n:
        return iter([None] * len(draws))  # each run by itself
    if test == "fisher-z":
        return (
            None if r is None else ResampledTests(table.names, m, test, *gaussian_tests(r, m, learner.alpha))
            for r in correlations(moments(table, draws), m, learner.ridge)
        )
    levels, rows = check_levels(table, test), CodedRows.of(table)
    return (
        None
        if run is None
        else ResampledTests(
            table.names, m, test, discrete_tests(*run, levels, m, test, learner.alpha, learner.df), table.d
        )
        for run in (rows.merge(draw, most_merged(m)) for draw in draws)
    )


# ---- numbers


class Moments(NamedTuple):
    """Z'Z of each run's centred columns (runs, d, d), in units of the table's standard deviations; which are clear."""

    grams: Floats
    clear: NDArray[np.bool_]


def moments(table: Table, draws: Draws) -> Moments:
    runs, m = draws.shape
    i, j = np.triu_indices(table.d)
    if m < table.d or table.n * (len(i) + table.d) > _PRODUCTS:
        return Moments(np.zeros((runs, table.d, table.d)), np.zeros(runs, dtype=np.bool_))
    z = (table.values - table.values.mean(axis=0)) / table.values.std(axis=0)
    times = np.empty((runs, table.n))
    for run, draw in enumerate(draws):
        times[run] = np.bincount(draw, minlength=table.n)
    sums = times @ np.hstack([z[:, i] * z[:, j], z])
    totals = sums[:, len(i) :]
    grams = np.empty((runs, table.d, table.d))
    grams[:, i, j] = grams[:, j, i] = sums[:, : len(i)]
    grams -= totals[:, :, None] * totals[:, None, :] / m
    return Moments(grams, np.all(grams.diagonal(axis1=1, axis2=2) > _SLIGHT * m, axis=1))


def correlations(moments: Moments, m: int, ridge: float) -> Iterator[Floats | None]:
    """None where a column hardly varies or nearly follows from others; which one, the plain fit tells."""
    grams = np.where(moments.clear[:, None, None], moments.grams, np.eye(moments.grams.shape[1]))
    scale = np.sqrt(grams.diagonal(axis1=1, axis2=2))
    r = grams / (scale[:, :, None] * scale[:, None, :] * (1.0 + ridge))
    every, some = np.arange(r.shape[1]), min(r.shape[1], m - 1)
    r[:, every, every] = 1.0
    clear = moments.clear & _regular(r[:, :some, :some])
    return (r[run] if clear[run] else None for run in range(len(r)))


def _regular(r: Floats) -> NDArray[np.bool_]:
    """Which of the matrices (runs, d, d) are positive definite by a margin."""
    try:
        left = np.linalg.cholesky(r).diagonal(axis1=1, axis2=2) ** 2
    except np.linalg.LinAlgError:  # one of them is not, and LAPACK does not tell which
        return np.concatenate([_regular(half) for half in np.array_split(r, 2)]) if len(r) > 1 else np.zeros(1, bool)
    return np.asarray(np.all(left > _SINGULAR, axis=1))


# ---- categories


class CodedRows(NamedTuple):
    """The rows of a table as codes, and the distinct ones with the number that each row has among them."""

    columns: NDArray[np.uint8]  # (d, n)
    distinct: NDArray[np.uint8]  # (d, k)
    numbers: NDArray[np.int64]  # (n,)

    @classmethod
    def of(cls, table: Table) -> CodedRows:
        check_levels(table, "a batch")
        columns = counting.encode(table.values, table.d)
        whole_rows = np.ascontiguousarray(columns.T).view(f"V{table.d}").ravel()
        _, kept, numbers = np.unique(whole_rows, return_index=True, return_inverse=True)
        return cls(columns, columns.take(kept, axis=1), numbers.astype(np.int64))

    def merge(self, draw: NDArray[np.int64], most: int) -> tuple[NDArray[np.uint8], NDArray[np.int32] | None] | None:
        """The draw's rows merged, with their weights; as they come where over `most` differ; None for a constant."""
        kept, weights = counting.merge_drawn(self.numbers, self.distinct.shape[1], draw, most)
        columns = self.distinct.take(kept, axis=1) if len(weights) else self.columns.take(draw, axis=1)
        if len(draw) < len(columns) or (columns == columns[:, :1]).all(axis=1).any():
            return None
        return columns, weights if len(weights) else None
