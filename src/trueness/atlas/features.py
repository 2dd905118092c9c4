"""What anybody can see of a table before a graph is learned: the place of the table in the atlas.

Each column is a block of numbers, whitened: a number is itself, a category its levels as 0 and 1 (the first left out).
C holds the correlations of all blocks, P its inverse; pairs of columns (i, j), p_i numbers in block i:

    marginal   m_ij = ||C_ij||_F^2 / min(p_i, p_j)                n ||C_ij||_F^2 ~ chi2(p_i p_j) without dependence
    partial    q_ij = the same of P_ii^-1/2 P_ij P_jj^-1/2        given all other columns
    R2_j       1 - tr(P_jj^-1) / p_j                              of column j on all others

A gap counts as the column's mean.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from trueness.datasets.table import Table

Array = NDArray[np.float64]
ALPHA = 0.01
RIDGE = 1e-3
FEATURES = (
    "log_rows", "log_columns", "categories", "log_levels", "gaps", "skewness", "tails", "scales", "rest_skewness",
    "rest_tails", "curved", "marginal", "marginal_share", "partial", "partial_degree", "r2", "r2_spread", "r2_most",
    "rank",
)  # fmt: skip


def features_of(table: Table) -> Array:
    """In the order of FEATURES."""
    numbers = table.values[:, ~table.discrete]
    levels = [len(one) for one in table.levels if one is not None]
    blocks, sizes = _whitened(table)
    n, d = max(table.n, 2), table.d
    correlation = blocks.T @ blocks / n
    owner = np.repeat(np.arange(d), sizes)
    inverse: Array = np.asarray(np.linalg.inv(correlation + RIDGE * np.eye(len(owner))), dtype=np.float64)
    upper = np.triu_indices(d, 1)
    least = np.minimum.outer(sizes, sizes)[upper]
    freedom = np.multiply.outer(sizes, sizes)[upper]
    marginal = _squared(correlation, owner, d)[upper]
    partial = _squared(_scaled(inverse, owner, d), owner, d)[upper]
    ends = stats.chi2.isf(ALPHA, freedom) / n
    r2 = np.array([1 - np.trace(np.linalg.inv(inverse[np.ix_(owner == j, owner == j)])) / sizes[j] for j in range(d)])
    eigen = np.clip(np.linalg.eigvalsh(correlation) / len(owner), 1e-12, None)
    rest, curved = _residuals(blocks, inverse, owner, table) if numbers.size else (np.zeros((n, 0)), 0.0)
    moments = [_mean(one) for values in (numbers, rest) for one in _shape(values)]
    made = [
        np.log(n), np.log(d), len(levels) / d, _mean(np.log(levels)), float(table.gaps.mean()),
        *moments[:2], _scales(numbers), *moments[2:], curved,
        _mean(marginal / least), _mean(marginal > ends), _mean(partial / least), _mean(partial > ends) * (d - 1),
        _mean(r2), float(r2.std()), float(r2.max()),
        float(-(eigen * np.log(eigen)).sum() / max(np.log(len(owner)), 1e-9)),
    ]  # fmt: skip
    return np.array(made, dtype=np.float64)


def _mean(values: ArrayLike) -> float:
    there = np.asarray(values, dtype=np.float64)
    there = there[np.isfinite(there)]
    return float(there.mean()) if there.size else 0.0


def _shape(values: Array) -> tuple[Array, Array]:
    """Of each column: |skewness|, log(1 + |excess kurtosis|)."""
    return np.abs(_moment(values, 3)), np.log1p(np.abs(_moment(values, 4) - 3))


def _moment(values: Array, power: int) -> Array:
    """Standardised, of each column."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        apart = values - np.nanmean(values, axis=0)
        spread = np.nanmean(apart**2, axis=0)
        return np.asarray(np.nanmean(apart**power, axis=0) / np.where(spread > 0, spread, np.nan) ** (power / 2))


def _scales(numbers: Array) -> float:
    """Spread of the columns' scales: 0 where they were standardised, or look so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column of gaps alone
        spread = np.nanvar(numbers, axis=0) if numbers.size else np.zeros(0)
    spread = spread[spread > 0]
    return float(np.log(spread).std()) if len(spread) > 1 else 0.0


def _whitened(table: Table) -> tuple[Array, NDArray[np.intp]]:
    """Blocks side by side, (n, sum of sizes), each with unit covariance; the sizes."""
    made, sizes = [], []
    for column, levels in zip(table.values.T, table.levels, strict=True):
        if levels is None:
            block = column[:, None]
        else:
            block = np.where(np.isnan(column)[:, None], np.nan, column[:, None] == np.arange(1, len(levels)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a column of gaps alone
            block = np.nan_to_num(block - np.nanmean(block, axis=0))
        values, vectors = np.linalg.eigh(block.T @ block / len(block))
        kept = values > 1e-10 * max(values.max(initial=0.0), 1e-300)
        made.append(block @ vectors[:, kept] / np.sqrt(values[kept]) if kept.any() else np.zeros((len(block), 1)))
        sizes.append(made[-1].shape[1])
    return np.concatenate(made, axis=1), np.array(sizes)


def _squared(matrix: Array, owner: NDArray[np.intp], d: int) -> Array:
    """||block||_F^2 of each pair of columns."""
    rows = np.zeros((d, len(owner)))
    np.add.at(rows, owner, matrix**2)
    made = np.zeros((d, d))
    np.add.at(made.T, owner, rows.T)
    return made


def _scaled(inverse: Array, owner: NDArray[np.intp], d: int) -> Array:
    """P_ii^-1/2 P_ij P_jj^-1/2"""
    root = np.zeros(inverse.shape)
    for j in range(d):
        place = np.ix_(owner == j, owner == j)
        values, vectors = np.linalg.eigh(inverse[place])
        root[place] = vectors / np.sqrt(values) @ vectors.T
    return root @ inverse @ root


def _residuals(blocks: Array, inverse: Array, owner: NDArray[np.intp], table: Table) -> tuple[Array, float]:
    """Of each number on all others; sqrt(n) times the largest correlation with another's square, on average.

    e_j = X P_j / P_jj: what a regression on all others leaves (P the inverse of X'X / n with its ridge).
    """
    numbers = np.flatnonzero(~table.discrete[owner])
    rest = blocks @ inverse[:, numbers] / np.diag(inverse)[numbers]
    squares = blocks[:, numbers] ** 2 - 1
    sizes = np.sqrt(np.multiply.outer((squares**2).mean(axis=0), rest.var(axis=0)))
    alike = np.abs(squares.T @ rest / len(rest) / np.maximum(sizes, 1e-12))
    np.fill_diagonal(alike, 0.0)
    curved = alike.max(axis=0)[rest.std(axis=0) > 0] if len(numbers) > 1 else np.zeros(0)
    return rest, _mean(curved) * np.sqrt(len(blocks))
