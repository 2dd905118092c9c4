"""RCoT: a test of independence for curved relations, by random waves in place of kernels.

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
    one, none = np.int64(1), np.int64(0)  # no literals: see skeleton.py
    if k:
        _features(numbers, first, waves, none - 1, chosen, k, code, n, columns, spare, none + SIDE, features[:q])
    _features(numbers, first, waves, x, chosen, one, code, n, columns, spare, none, features[q : q + SIDE])
    _features(numbers, first, waves, y, chosen, one, code, n, columns, spare, none, features[q + SIDE :])
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
def _features(numbers, first, waves, alone, members, k, code, n, columns, distances, at, features):
    """Waves of the first k members, or of the variable `alone` (-1: none), whose waves stand from column `at` on.

    The same whatever the order of the set: every column brings its own waves.
    """
    end = np.int64(0)
    for i in range(k):
        end = gather(numbers, first, members[i] if alone < 0 else alone, code, n, columns, end)
    inverse = 1.0 / median_distance(columns, end, n, distances)
    for f in range(len(features)):
        for i in range(n):
            features[f, i] = waves[numbers.shape[0], at + f]
        row = 0
        for i in range(k):
            v = members[i] if alone < 0 else alone
            for c in range(first[v], first[v + 1]):
                add_times(features[f], inverse * waves[c, at + f], columns[row], n)
                row += 1
        bend(features[f], n)
        standardise(features[f], n)


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
        for r in range(n):
            products[i, r] = sides[i // side, r] * sides[side + i % side, r]
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


@reordered
def _sum(a, n):
    total = 0.0
    for i in range(n):
        total += a[i]
    return total
