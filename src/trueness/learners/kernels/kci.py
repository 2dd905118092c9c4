"""KCI: a test of independence for curved relations, by kernels of all pairs of rows; for small samples.

    K: k(u, v) = exp(-|u - v|^2 / (2 h^2 |S|)), centred; of x together with S / 2, of y, of S.  h: 1.2, .7, .4 up to
       200, 1,200, more rows
    R = e (K_S + e I)^-1,  e = .001;   A = R K_x R,  B = R K_y R
    T = tr A B ~ sum_k l_k chi2_1 if independent      l: eigenvalues of A o B (products by elements)
    p: of the gamma distribution with that mean and variance, tr(A o B) and 2 |A o B|^2
    nothing given: R = I, h: .8, .5, .3, mean tr A tr B / n and variance 2 |A|^2 |B|^2 / n^2

Zhang, Peters, Janzing & Scholkopf (2011); widths as in their code and in causal-learn. No matrix of n x n is stored or
decomposed: K = L'L by Cholesky with pivots, until what is left of the diagonal is below 1e-6 (Bach & Jordan 2002); with
L of m rows, R L takes n m^2 steps and T the same, the variance n^2 m. Statistic and df are -2 log p and 2, as of RCoT.
"""

from __future__ import annotations

import math

import numpy as np

from trueness.learners.kernels.compiling import bare, kernel
from trueness.learners.kernels.contingency import chi2_tail
from trueness.learners.kernels.rows import add_times, cholesky, dot, gather, whole_rows

LEFT = 1e-6  # of the diagonal
EPSILON = 1e-3
ROWS = 300  # of the factor of one column: some 50 are enough for any n


@bare
def room_for_kernels(n, p):
    """Rows and columns of work: columns, three factors, a matrix between them."""
    return p + 4 * n + 3, n


@bare
def kci_statistic(numbers, first, x, y, chosen, k, work, code):
    """-2 log p and 2 of x and y given the first k chosen; the lower number of the two is x."""
    x, y = min(x, y), max(x, y)
    n = whole_rows(numbers, first, x, y, chosen, k, code)
    if n < 6:
        return np.inf, 2
    columns, rest = work[: numbers.shape[0]], work[numbers.shape[0] :]
    of_x, of_y, of_set, spare = rest[:n], rest[n : 2 * n], rest[2 * n : 3 * n], rest[3 * n :]
    n_set, none = np.int64(0), np.int64(0)  # no literals: see skeleton.py
    for i in range(k):
        n_set = gather(numbers, first, chosen[i], code, n, columns, n_set)
    theta = _theta(n, n_set)
    m_set = factor(columns, none, n_set, theta, 1.0, none, n, of_set, spare) if k else none
    end = gather(numbers, first, x, code, n, columns, n_set)
    m_x = factor(columns, n_set, end, theta if k else theta * (end - n_set), 0.5, n_set, n, of_x, spare)
    end = gather(numbers, first, y, code, n, columns, n_set)
    m_y = factor(columns, n_set, end, theta if k else theta * (end - n_set), 0.0, none, n, of_y, spare)
    if k:
        _whiten(of_set, m_set, n, spare)
        _take_out(of_set, m_set, of_x, m_x, n, spare[0])
        _take_out(of_set, m_set, of_y, m_y, n, spare[0])
    statistic = squares_between(of_x, m_x, of_y, m_y, n)
    if k:
        mean, variance = _moments(of_x, m_x, of_y, m_y, n, spare)
    else:
        mean = _trace(of_x, m_x, n) * _trace(of_y, m_y, n) / n
        variance = 2.0 * squares_between(of_x, m_x, of_x, m_x, n) * squares_between(of_y, m_y, of_y, m_y, n) / n**2
    if mean <= 1e-12:
        return 0.0, 2
    return -2.0 * math.log(max(gamma_tail(statistic, mean, variance), 1e-300)), 2


@bare
def gamma_tail(statistic, mean, variance):
    """P(gamma of that mean and variance > statistic)."""
    return chi2_tail(2.0 * statistic * mean / variance, 2.0 * mean * mean / variance)


@bare
def _theta(n, n_set):
    if n_set:
        h = 1.2 if n < 200 else 0.7 if n < 1200 else 0.4
        return 1.0 / (h * h * n_set)
    h = 0.8 if n < 200 else 0.5 if n < 1200 else 0.3
    return 1.0 / (h * h)


@bare
def factor(columns, low, high, theta, share, n_set, n, rows, spare):
    """Centred rows L (m, n) with L'L the kernel of columns low to high, and of `share` times the first `n_set`; m."""
    left, row = spare[0], spare[1]
    for i in range(n):
        left[i] = 1.0
    m = 0
    while m < min(n, rows.shape[0]):
        pivot = 0
        for i in range(1, n):
            if left[i] > left[pivot]:
                pivot = i
        if left[pivot] < LEFT:
            break
        for i in range(n):
            row[i] = 0.0
        for c in range(low, high):
            _add_squares(row, columns[c], columns[c, pivot], 1.0, n)
        for c in range(n_set):
            _add_squares(row, columns[c], columns[c, pivot], share * share, n)
        for i in range(n):
            rows[m, i] = math.exp(-0.5 * theta * row[i])
        for s in range(m):
            add_times(rows[m], -rows[s, pivot], rows[s], n)
        scale = 1.0 / math.sqrt(left[pivot])
        for i in range(n):
            rows[m, i] *= scale
            left[i] -= rows[m, i] * rows[m, i]
        left[pivot] = 0.0
        m += 1
    for s in range(m):
        mean = 0.0
        for i in range(n):
            mean += rows[s, i]
        mean /= n
        for i in range(n):
            rows[s, i] -= mean
    return m


@bare
def _add_squares(row, column, at, weight, n):
    for i in range(n):
        row[i] += weight * (column[i] - at) ** 2


@bare
def _whiten(rows, m, n, gram):
    """W with I - W'W = e (L'L + e I)^-1, in place of L."""
    for i in range(m):
        for j in range(i + 1):
            gram[i, j] = dot(rows[i], rows[j], n)
        gram[i, i] += EPSILON
    cholesky(gram, m)
    for i in range(m):
        for j in range(i):
            add_times(rows[i], -gram[i, j], rows[j], n)
        for r in range(n):
            rows[i, r] /= gram[i, i]


@bare
def _take_out(white, m, rows, count, n, products):
    """rows (I - W'W), in place."""
    for a in range(count):
        for s in range(m):
            products[s] = dot(white[s], rows[a], n)
        for s in range(m):
            add_times(rows[a], -products[s], white[s], n)


@bare
def squares_between(a, m_a, b, m_b, n):
    """tr A'A B'B."""
    total = 0.0
    for i in range(m_a):
        for j in range(m_b):
            total += dot(a[i], b[j], n) ** 2
    return total


@bare
def _trace(rows, m, n):
    total = 0.0
    for i in range(m):
        total += dot(rows[i], rows[i], n)
    return total


@bare
def _moments(a, m_a, b, m_b, n, spare):
    """Mean tr(A o B) and variance 2 |A o B|^2."""
    mean, squares, of_a, of_b = 0.0, 0.0, spare[0], spare[1]
    for i in range(n):
        for j in range(i + 1):
            of_a[j] = of_b[j] = 0.0
        for s in range(m_a):
            add_times(of_a, a[s, i], a[s], i + 1)
        for s in range(m_b):
            add_times(of_b, b[s, i], b[s], i + 1)
        for j in range(i):
            squares += 2.0 * (of_a[j] * of_b[j]) ** 2
        mean += of_a[i] * of_b[i]
        squares += (of_a[i] * of_b[i]) ** 2
    return mean, 2.0 * squares


@kernel
def kernel_rows(column):
    """L (m, n) with L'L the centred kernel of one column of variance 1, as with nothing given."""
    n = np.int64(column.shape[0])
    rows, spare, none = np.empty((min(n, ROWS), n)), np.empty((2, n)), np.int64(0)
    m = factor(column.reshape(1, n), none, none + 1, _theta(n, none), 0.0, none, n, rows, spare)
    return rows[:m].copy()
