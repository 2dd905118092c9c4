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
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import kernel, reordered

Array = NDArray[np.float64]
LARGEST = 4.0  # with row sums up to 4 about 30 terms reach full precision; a squaring costs as much as 6 sparse terms
SMALLEST = 1e-16  # a term with row sums below this adds nothing that the gradient could feel
TERMS = 60


class Sparse(NamedTuple):
    """Rows of a sparse (d, d) matrix: places start[i] to start[i + 1] hold the columns and values of row i."""

    start: NDArray[np.int64]  # (d + 1,)
    column: NDArray[np.int64]  # (d d,), as the next
    value: Array
    sums: Array  # (2, d): room for the row sums of two terms


def sparse_space(d: int) -> Sparse:
    return Sparse(np.zeros(d + 1, np.int64), np.empty(d * d, np.int64), np.empty(d * d), np.empty((2, d)))


@kernel
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


@kernel
def exponential_excess(weights: Sparse, excess: Array, term: Array, spare: Array) -> float:
    """Fill `excess` with e^(W o W) - I for the sparse W; returns its trace, h(W). The others are (d, d) work space."""
    d = len(excess)
    halvings, scale = _halvings(weights, d)
    sums, following = weights.sums[0], weights.sums[1]
    for i in range(d):
        sums[i] = 0.0
        for j in range(d):
            excess[i, j] = term[i, j] = 0.0
        for k in range(weights.start[i], weights.start[i + 1]):
            j = weights.column[k]
            excess[i, j] = term[i, j] = weights.value[k] * weights.value[k] * scale
            sums[i] += term[i, j]
    for power in range(2, TERMS):
        added = _next_term(weights, scale / power, term, spare, excess, sums, following)
        term, spare = spare, term
        sums, following = following, sums
        if not added > SMALLEST:  # also ends on nan
            break
    for _ in range(halvings):
        _square(excess, term)
    h = 0.0
    for i in range(d):
        h += excess[i, i]
    return h


@reordered
def _next_term(
    weights: Sparse, factor: float, term: Array, following: Array, total: Array, sums: Array, next_sums: Array
) -> float:
    """following = factor A term, added to the total; its row sums are factor A (row sums of the term). Their largest.

    So no row need be added up: a chain of additions would take as long as all the rest.
    """
    d, added = len(term), 0.0
    for i in range(d):
        row, into, new = following[i], total[i], 0.0
        k, end = weights.start[i], weights.start[i + 1]
        for j in range(d):
            row[j] = 0.0
        while k < end:  # four rows at a time: to begin a loop over a row takes as long as to run it
            a0, s0, n0 = _share(weights, k, end, factor, term, sums)
            a1, s1, n1 = _share(weights, k + 1, end, factor, term, sums)
            a2, s2, n2 = _share(weights, k + 2, end, factor, term, sums)
            a3, s3, n3 = _share(weights, k + 3, end, factor, term, sums)
            new += (n0 + n1) + (n2 + n3)
            k += 4
            for j in range(d):
                more = (a0 * s0[j] + a1 * s1[j]) + (a2 * s2[j] + a3 * s3[j])
                row[j] += more
                into[j] += more
        next_sums[i] = new
        added = max(added, new)
    return added


@reordered
def _share(weights: Sparse, k: int, end: int, factor: float, term: Array, sums: Array) -> tuple[float, Array, float]:
    """The k-th nonzero of factor A, the row of the term that it takes, what it adds to the row's sum; 0 at the end."""
    if k >= end:
        return 0.0, term[0], 0.0
    a = weights.value[k] * weights.value[k] * factor
    return a, term[weights.column[k]], a * sums[weights.column[k]]


@reordered
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


@reordered
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
