"""What anybody can see of a table before a graph is learned: the place of the table in the atlas.

Each column is a block of numbers, whitened: a number is itself, a category its levels as 0 and 1 (the first left out).
C holds the correlations of all blocks, P its inverse; pairs of columns (i, j), p_i numbers in block i:

    marginal   m_ij = ||C_ij||_F^2 / min(p_i, p_j)                n ||C_ij||_F^2 ~ chi2(p_i p_j) without dependence
    partial    q_ij = the same of P_ii^-1/2 P_ij P_jj^-1/2        given all other columns
    R2_j       1 - tr(P_jj^-1) / p_j                              of column j on all others
    bic        pairs with n ||C_ij||_F^2 > p_i p_j log n: those that a search by BIC would join, first

and of e_j, what a regression of a number j on all others leaves, with another number i (products: with two others):

    curved     sqrt(n) |corr(e_j, x_i^2)|      bent      (n eta^2(e_j | x_i in 8 bins) - 8) / 4, the largest over i
    products   sqrt(n) |corr(e_j, x_i x_k)|    fanning   the same of e_j^2: noise whose size depends on x_i

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
BINS = 8
MOST_PRODUCTS = 5e9  # n d^3 of the rows that products are taken from
FEATURES = (
    "log_rows", "log_columns", "categories", "log_levels", "gaps", "skewness", "tails", "scales", "rest_skewness",
    "rest_tails", "curved", "bent", "products", "fanning", "marginal", "marginal_share", "marginal_bic",
    "marginal_strong", "partial", "partial_degree", "partial_bic", "r2", "r2_spread", "r2_least", "r2_most", "rank",
)  # fmt: skip


def features_of(table: Table) -> Array:
    """In the order of FEATURES."""
    table = table.read_ordered()
    numbers = table.values[:, ~table.discrete]
    levels = [len(one) for one in table.levels if one is not None]
    blocks, sizes = _whiten(table)
    n, d = max(table.n, 2), table.d
    correlation = blocks.T @ blocks / n
    owner = np.repeat(np.arange(d), sizes)
    inverse: Array = np.asarray(np.linalg.inv(correlation + RIDGE * np.eye(len(owner))), dtype=np.float64)
    upper = np.triu_indices(d, 1)
    least = np.minimum.outer(sizes, sizes)[upper]
    freedom = np.multiply.outer(sizes, sizes)[upper]
    marginal = _squared_norms(correlation, owner, d)[upper]
    partial = _squared_norms(_scale_blocks(inverse, owner, d), owner, d)[upper]
    ends = stats.chi2.isf(ALPHA, freedom) / n
    r2 = np.array([1 - np.trace(np.linalg.inv(inverse[np.ix_(owner == j, owner == j)])) / sizes[j] for j in range(d)])
    eigen = np.clip(np.linalg.eigvalsh(correlation) / len(owner), 1e-12, None)
    rest, shapes = _residuals(blocks, inverse, owner, table)
    moments = [_mean(one) for values in (numbers, rest) for one in _shape(values)]
    strong = (marginal / least)[marginal > ends]
    made = [
        np.log(n), np.log(d), len(levels) / d, _mean(np.log(levels)), float(table.gaps.mean()),
        *moments[:2], _scales(numbers), *moments[2:], *shapes,
        _mean(marginal / least), _mean(marginal > ends), _mean(n * marginal > freedom * np.log(n)) * (d - 1),
        _mean(strong), _mean(partial / least), _mean(partial > ends) * (d - 1),
        _mean(n * partial > freedom * np.log(n)) * (d - 1), _mean(r2), float(r2.std()), float(r2.min()),
        float(r2.max()), float(-(eigen * np.log(eigen)).sum() / max(np.log(len(owner)), 1e-9)),
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


def _whiten(table: Table) -> tuple[Array, NDArray[np.intp]]:
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


def _squared_norms(matrix: Array, owner: NDArray[np.intp], d: int) -> Array:
    """||block||_F^2 of each pair of columns."""
    rows = np.zeros((d, len(owner)))
    np.add.at(rows, owner, matrix**2)
    made = np.zeros((d, d))
    np.add.at(made.T, owner, rows.T)
    return made


def _scale_blocks(inverse: Array, owner: NDArray[np.intp], d: int) -> Array:
    """P_ii^-1/2 P_ij P_jj^-1/2"""
    root = np.zeros(inverse.shape)
    for j in range(d):
        place = np.ix_(owner == j, owner == j)
        values, vectors = np.linalg.eigh(inverse[place])
        root[place] = vectors / np.sqrt(values) @ vectors.T
    return root @ inverse @ root


def _residuals(
    blocks: Array, inverse: Array, owner: NDArray[np.intp], table: Table
) -> tuple[Array, tuple[float, float, float, float]]:
    """Of each number on all others; curved, bent, products, fanning, each the largest of a column, on average.

    e_j = X P_j / P_jj: what a regression on all others leaves (P the inverse of X'X / n with its ridge).
    """
    continuous = np.flatnonzero(~table.discrete[owner])
    rest = blocks @ inverse[:, continuous] / np.diag(inverse)[continuous]
    varies = rest.std(axis=0) > 0
    if len(continuous) < 2 or not varies.any():
        return rest, (0.0, 0.0, 0.0, 0.0)
    x, e = blocks[:, continuous], _standard(rest)

    def most(alike: Array) -> float:
        np.fill_diagonal(alike, 0.0)
        return _mean(alike.max(axis=0)[varies])

    curved = most(np.abs(_standard(x**2).T @ e)) / np.sqrt(len(x))
    bins = np.argsort(np.argsort(x, axis=0, kind="stable"), axis=0, kind="stable") * BINS // len(x)
    bent, fanning = (np.log1p(max((most(_between(bins, of)) - BINS) / 4, 0.0)) for of in (e, _standard(e**2)))
    return rest, (curved, float(bent), _products(x, e, varies), float(fanning))


def _standard(values: Array) -> Array:
    apart = values - values.mean(axis=0)
    return np.asarray(apart / np.maximum(apart.std(axis=0), 1e-12))


def _between(bins: NDArray[np.intp], e: Array) -> Array:
    """n eta^2 of each e (columns) over the bins of each x (rows): chi2(BINS - 1) without dependence."""
    made = np.zeros((bins.shape[1], e.shape[1]))
    for k in range(BINS):
        inside = (bins == k).astype(np.float64)
        made += (inside.T @ e) ** 2 / np.maximum(inside.sum(axis=0), 1.0)[:, None]
    return made


def _products(x: Array, e: Array, varies: NDArray[np.bool_]) -> float:
    """sqrt(n) times the largest correlation of a column's rest with a product of two others, on average."""
    step = -(-len(x) * x.shape[1] ** 3 // int(MOST_PRODUCTS))
    x, e = x[::step], e[::step]
    most = np.zeros(x.shape[1])
    for i in range(x.shape[1]):
        alike = np.abs(_standard(x * x[:, [i]]).T @ e)
        np.fill_diagonal(alike, 0.0)
        alike[i] = alike[:, i] = 0.0
        most = np.maximum(most, alike.max(axis=0))
    return float(_mean(most[varies]) / np.sqrt(len(x)))
