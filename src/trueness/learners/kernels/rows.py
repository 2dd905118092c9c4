"""Columns of a test over the rows in which none has a gap, as rows of a matrix; sums that use the vector unit."""

from __future__ import annotations

import math

from trueness.learners.kernels.compiling import bare, reordered


@bare
def whole_rows(numbers, first, x, y, chosen, k, code):
    """The rows that have x, y and the first k chosen, in `code`; how many."""
    n = 0
    for r in range(numbers.shape[1]):
        whole = not math.isnan(numbers[first[x], r]) and not math.isnan(numbers[first[y], r])
        for i in range(k):
            whole = whole and not math.isnan(numbers[first[chosen[i]], r])
        if whole:
            code[n] = r
            n += 1
    return n


@bare
def gather(numbers, first, v, code, n, work, at):
    """The columns of v, of mean 0 and variance 1, from row `at` of work on; the row behind them."""
    for column in range(first[v], first[v + 1]):
        for i in range(n):
            work[at, i] = numbers[column, code[i]]
        standardise(work[at], n)
        at += 1
    return at


@reordered
def standardise(z, n):
    """The first n of z get mean 0 and variance 1; all 0 where they are constant."""
    total, squares = 0.0, 0.0
    for i in range(n):
        total += z[i]
    mean = total / n
    for i in range(n):
        z[i] -= mean
        squares += z[i] * z[i]
    scale = math.sqrt((n - 1) / squares) if squares > 1e-20 * n else 0.0
    for i in range(n):
        z[i] *= scale


@reordered
def dot(a, b, n):
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@reordered
def add_times(a, factor, b, n):
    """a += factor b."""
    for i in range(n):
        a[i] += factor * b[i]


@bare
def cholesky(matrix, m):
    """matrix (m, m) becomes its lower factor, in place."""
    for i in range(m):
        for j in range(i + 1):
            value = matrix[i, j] - dot(matrix[i], matrix[j], j)
            matrix[i, j] = math.sqrt(max(value, 1e-14)) if i == j else value / matrix[j, j]
