"""Tests of curved relations.

RCoT: a test of independence for curved relations, by random waves in place of kernels.

    f(x) = cos(w'x / sigma + b)         w ~ N(0, I), b ~ U(0, 2 pi); sigma: the median distance of 200 rows;
                                        5 of x, 5 of y, of S 100, 200 given three columns, 300 given more, at
                                        most one for 4 rows; each of mean 0 and variance 1
    C(x, y | S) = C_xy - C_xS (C_SS + e I)^-1 C_Sy,   e = 1e-10
    T = (n - 1 - df) sum C(x, y | S)^2                df = tr C_SS (C_SS + e I)^-1, which the residuals have lost
    T ~ sum_k l_k chi2_1 if independent               l: eigenvalues of A, the covariances of r_i(x | S) r_j(y | S)
    p = P(chi2_v > v + (T - c_1) sqrt(2 v / c_2))     c_1 = tr A, c_2 = 2 tr A^2, c_3 = 8 tr A^3, v = 8 c_2^3 / c_3^2

Strobl, Zhang & Visweswaran (2019), whose T has n; the tail by three moments: Hall, Buckley & Eagleson (Buckley &
Eagleson 1988). Statistic and degrees of freedom are -2 log p and 2: the same p, in the words of chi2.
It is no test of any shape: steps of S, and products, leave more than the level (docs/tables.md).
A curve of three columns has more shapes than 100 waves follow; what they leave in x and in y looks like dependence.
numbers: (p, n) columns, NaN in gaps; waves: (p + 1, SIDE + GIVEN), w of each column, then b.

KCI: a test of independence for curved relations, by kernels of all pairs of rows; for small samples.

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

from trueness.learners.kernels.compiling import bare, reordered
from trueness.learners.kernels.counting import chi2_tail


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


SIDE, GIVEN = 5, 300  # waves of a side; of the set given at most
NEAR = 200  # rows whose distances are measured
RIDGE = 1e-10
PRODUCTS = SIDE * SIDE


@bare
def features_of_sets(n, k):
    """Of k variables given: as many as their curves need and n rows can bear."""
    return min(100 * max(k - 1, 1), GIVEN, max(n // 4, SIDE)) if k > 0 else 0


@bare
def room_for_waves(n, p, k):
    """Rows and columns of work; values of spare, for distances and then for the covariances of the waves."""
    m = 2 * SIDE + features_of_sets(n, k)
    return p + m + 2 * PRODUCTS, max(n, PRODUCTS), max(NEAR * NEAR // 2, 2 * m * m)


@bare
def rcot_statistic(numbers, first, waves, x, y, chosen, k, work, spare, code):
    """-2 log p and 2 of x and y given the first k chosen."""
    p = numbers.shape[0]
    n = whole_rows(numbers, first, x, y, chosen, k, code)
    q = features_of_sets(n, k)
    m = q + 2 * SIDE
    if n < 4 * SIDE:
        return np.inf, 2
    features, columns, products = work[:m], work[m : m + p], work[m + p :]
    if k:
        _set_features(numbers, first, waves, chosen, k, code, n, columns, spare, features)
    _side_features(numbers, first, waves, x, code, n, columns, spare, features[q:])
    _side_features(numbers, first, waves, y, code, n, columns, spare, features[q + SIDE :])
    lost = _take_out(features, spare[: 2 * m * m].reshape(m, 2 * m), q, n)
    t, c1, c2, c3 = _cumulants(features[q:], products, n, (m - q) // 2)
    if c1 <= 1e-12 or c3 <= 0.0:
        return 0.0, 2
    if n - 1 - lost < SIDE:
        return np.inf, 2
    v = 8.0 * c2**3 / (c3 * c3)
    at = v + ((n - 1 - lost) * t - c1) * math.sqrt(2.0 * v / c2)
    return -2.0 * math.log(max(chi2_tail(at, v), 1e-300)), 2


@bare
def _set_features(numbers, first, waves, chosen, k, code, n, columns, distances, features):
    """The same whatever the order of the set: every column brings its own waves."""
    q = features_of_sets(n, k)
    at = np.int64(0)
    for i in range(k):
        at = gather(numbers, first, chosen[i], code, n, columns, at)
    inverse = 1.0 / median_distance(columns, at, n, distances)
    for f in range(q):
        fill(features[f], waves[numbers.shape[0], SIDE + f], n)
        at = 0
        for i in range(k):
            for c in range(first[chosen[i]], first[chosen[i] + 1]):
                add_times(features[f], inverse * waves[c, SIDE + f], columns[at], n)
                at += 1
        bend(features[f], n)
        standardise(features[f], n)


@bare
def _side_features(numbers, first, waves, v, code, n, columns, distances, features):
    end = gather(numbers, first, v, code, n, columns, np.int64(0))
    inverse = 1.0 / median_distance(columns, end, n, distances)
    for f in range(SIDE):
        fill(features[f], waves[numbers.shape[0], f], n)
        for at in range(end):
            add_times(features[f], inverse * waves[first[v] + at, f], columns[at], n)
        bend(features[f], n)
        standardise(features[f], n)


@bare
def fill(a, value, n):
    for i in range(n):
        a[i] = value


@reordered
def bend(a, n):
    """cos of the first n, by its series on [-pi, pi] / 2: an error of 1e-10, on the vector unit."""
    for i in range(n):
        turns = a[i] * 0.15915494309189535
        t = 0.5 - abs(turns - np.floor(turns + 0.5)) * 2.0  # cos a = sin(pi t), t in [-.5, .5]
        u = t * math.pi
        s = u * u
        series = 1.0 / 39916800.0 - s * (1.0 / 6227020800.0 - s / 1307674368000.0)
        a[i] = u * (1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s * (1.0 / 362880.0 - s * series)))))


@bare
def median_distance(z, columns, n, distances):
    """Of the pairs of the first NEAR rows, those that are equal left out; 1 where all are."""
    rows, count = min(n, NEAR), np.int64(0)
    for i in range(rows):
        for j in range(i):
            square = 0.0
            for c in range(columns):
                square += (z[c, i] - z[c, j]) ** 2
            if square > 0.0:
                distances[count] = square
                count += 1
    return math.sqrt(_select(distances, count, count // 2)) if count else 1.0


@bare
def _select(a, count, rank):
    """The value at that rank (Hoare's quickselect); `a` is reordered."""
    low, high = 0, count - 1
    while low < high:
        pivot, i, j = a[(low + high) // 2], low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return a[rank]


@bare
def _take_out(features, gram, q, n):
    """The features of both sides less what those of S (the first q) say of them, in place; the degrees of freedom."""
    if q == 0:
        return 0.0
    m = q + 2 * SIDE
    for i in range(m):
        for j in range(min(i + 1, q)):
            gram[i, j] = dot(features[i], features[j], n) / n
    for i in range(q):
        gram[i, i] += RIDGE
    cholesky(gram, q)
    lost, inverse = float(q), gram[0, q:]  # q - e tr (C_SS + e I)^-1: the squares of the factor's inverse, by columns
    for j in range(q):
        for i in range(j, q):
            inverse[i] = ((i == j) - dot(gram[i, j:], inverse[j:], i - j)) / gram[i, i]
            lost -= RIDGE * inverse[i] * inverse[i]
    for i in range(q, m):
        for j in range(q):  # b = C^-1 c: forwards, then backwards
            gram[i, j] = (gram[i, j] - dot(gram[i], gram[j], j)) / gram[j, j]
        for j in range(q - 1, -1, -1):
            gram[i, j] /= gram[j, j]
            add_times(gram[i], -gram[i, j], gram[j], j)
        for j in range(q):
            add_times(features[i], -gram[i, j], features[j], n)
    return lost


@bare
def _cumulants(sides, products, n, side):
    """sum C(x, y | S)^2 and the cumulants of its limit; products: (2 side^2, at least n)."""
    total, count = 0.0, side * side
    for i in range(count):
        times(products[i], sides[i // side], sides[side + i % side], n)
        total += (_sum(products[i], n) / n) ** 2
    c1, c2, c3 = 0.0, 0.0, 0.0
    a = products[count:]
    for i in range(count):
        for j in range(i + 1):
            a[i, j] = a[j, i] = dot(products[i], products[j], n) / n
    for i in range(count):
        c1 += a[i, i]
        for j in range(count):
            c2 += 2.0 * a[i, j] * a[i, j]
            c3 += 8.0 * a[i, j] * dot(a[i], a[j], count)
    return total, c1, c2, c3


@bare
def times(target, a, b, n):
    for i in range(n):
        target[i] = a[i] * b[i]


@reordered
def _sum(a, n):
    total = 0.0
    for i in range(n):
        total += a[i]
    return total


LEFT = 1e-6  # of the diagonal
EPSILON = 1e-3
ROWS = 300  # of the kernel_factor of one column: some 50 are enough for any n


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
    m_set = kernel_factor(columns, none, n_set, theta, 1.0, none, n, of_set, spare) if k else none
    end = gather(numbers, first, x, code, n, columns, n_set)
    m_x = kernel_factor(columns, n_set, end, theta if k else theta * (end - n_set), 0.5, n_set, n, of_x, spare)
    end = gather(numbers, first, y, code, n, columns, n_set)
    m_y = kernel_factor(columns, n_set, end, theta if k else theta * (end - n_set), 0.0, none, n, of_y, spare)
    if k:
        _whiten(of_set, m_set, n, spare)
        _take_out_of(of_set, m_set, of_x, m_x, n, spare[0])
        _take_out_of(of_set, m_set, of_y, m_y, n, spare[0])
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
def kernel_factor(columns, low, high, theta, share, n_set, n, rows, spare):
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
def _take_out_of(white, m, rows, count, n, products):
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
