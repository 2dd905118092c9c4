"""Exponential of a non-negative matrix, without the identity: the NOTEARS constraint and its gradient.

    h(W) = tr(e^A) - d,   A = W o W >= 0 (d, d)          dh/dW = (e^A)^T o 2W           Zheng et al. (2018), theorem 1

X = e^A - I is summed as A + A^2/2 + A^3/6 + ... Every term is non-negative, so that nothing cancels: each entry of X,
and h = tr(X) however small, is right to relative precision (tr(e^A) - d has lost all digits at h = 1e-15).
Each term is A times the last one; A is sparse (the lasso keeps about 5 entries a row) and its powers fall fast, so that
a term costs nonzeros x d and about 12 terms suffice. Where a row sum of A is above LARGEST, A is halved first and X is
squared back: e^(2B) - I = X X + 2 X (scaling and squaring, Higham 2005).

Loops are written out: slices and np.dot would double the time to compile.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
LARGEST = 4.0  # with row sums up to 4 about 30 terms reach full precision; a squaring costs as much as 6 sparse terms
SMALLEST = 1e-16  # a term below this, relative to the sum, adds nothing that the gradient could feel
TERMS = 60


class Sparse(NamedTuple):
    """Rows of a sparse (d, d) matrix: places start[i] to start[i + 1] hold the columns and values of row i."""

    start: NDArray[np.int64]  # (d + 1,)
    column: NDArray[np.int64]  # (d d,), as the next
    value: Array


def sparse_space(d: int) -> Sparse:
    return Sparse(np.zeros(d + 1, np.int64), np.empty(d * d, np.int64), np.empty(d * d))


@njit(cache=True)
def gather_rows(matrix: Array, into: Sparse) -> None:
    """The nonzeros of a matrix, row by row."""
    d, k = len(matrix), 0
    for i in range(d):
        into.start[i] = k
        for j in range(d):
            if matrix[i, j] != 0.0:
                into.column[k] = j
                into.value[k] = matrix[i, j]
                k += 1
    into.start[d] = k


@njit(cache=True)
def exponential_excess(weights: Sparse, excess: Array, term: Array, spare: Array) -> float:
    """Fill `excess` with e^(W o W) - I for the sparse W; returns its trace, h(W). The others are (d, d) work space."""
    d = len(excess)
    halvings, scale = _halvings(weights, d)
    for i in range(d):
        for j in range(d):
            excess[i, j] = term[i, j] = 0.0
        for k in range(weights.start[i], weights.start[i + 1]):
            j = weights.column[k]
            excess[i, j] = term[i, j] = weights.value[k] * weights.value[k] * scale
    for power in range(2, TERMS):
        added, reached = _next_term(weights, scale / power, term, spare, excess)
        term, spare = spare, term
        if not added > SMALLEST * max(1.0, reached):  # also ends on nan
            break
    for _ in range(halvings):
        _square(excess, term)
    h = 0.0
    for i in range(d):
        h += excess[i, i]
    return h


@njit(cache=True)
def _next_term(weights: Sparse, factor: float, term: Array, following: Array, total: Array) -> tuple[float, float]:
    """following = factor A term, added to the total; returns the largest row sum of each."""
    d = len(term)
    added, reached = 0.0, 0.0
    for i in range(d):
        row, sums = following[i], total[i]
        for j in range(d):
            row[j] = 0.0
        for k in range(weights.start[i], weights.start[i + 1]):
            a = weights.value[k] * weights.value[k] * factor
            source = term[weights.column[k]]
            for j in range(d):
                row[j] += a * source[j]
        new, old = 0.0, 0.0
        for j in range(d):
            sums[j] += row[j]
            new += row[j]
            old += sums[j]
        added, reached = max(added, new), max(reached, old)
    return added, reached


@njit(cache=True)
def _halvings(weights: Sparse, d: int) -> tuple[int, float]:
    """How often A must be halved until its row sums are small, and the factor that this makes."""
    largest = 0.0
    for i in range(d):
        rowsum = 0.0
        for k in range(weights.start[i], weights.start[i + 1]):
            rowsum += weights.value[k] * weights.value[k]
        largest = max(largest, rowsum)
    halvings, scale = 0, 1.0
    while largest * scale > LARGEST and halvings < TERMS:
        scale *= 0.5
        halvings += 1
    return halvings, scale


@njit(cache=True)
def _square(excess: Array, product: Array) -> None:
    """X <- X X + 2 X."""
    d = len(excess)
    for i in range(d):
        row = product[i]
        for j in range(d):
            row[j] = 2.0 * excess[i, j]
        for k in range(d):
            a, source = excess[i, k], excess[k]
            for j in range(d):
                row[j] += a * source[j]
    for i in range(d):
        for j in range(d):
            excess[i, j] = product[i, j]


def acyclicity(weights: Array) -> tuple[float, Array]:
    """h(W) and dh/dW of a dense W (d, d); for use outside the solvers."""
    d = len(weights)
    rows = sparse_space(d)
    gather_rows(np.ascontiguousarray(weights), rows)
    excess = np.empty((d, d))
    h = exponential_excess(rows, excess, np.empty((d, d)), np.empty((d, d)))
    return float(h), np.asarray((excess + np.eye(d)).T * 2.0 * weights)
