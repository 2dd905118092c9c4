"""Conditional Gaussians: in each cell of the categories the numbers have means and covariances of their own.

    L(A) = sum_c n_c log n_c - n_c / 2 log det C_c       c: cells of A's categories, C_c: covariances of its numbers
    mi-cg      2 n I(x; y | S) = 2 (L(x, y, S) + L(S) - L(x, S) - L(y, S)),  times df / (its mean where x, y do not
               hang on each other): a cell's variances have the mean logarithms of chi2, E log det C_c = log det +
               sum_i psi((n_c - i) / 2) + log(2 / n_c), i = 1 ... numbers
               df = the same sum of parameters: 1 + a (a + 3) / 2 for a cell with a numbers
    cg-bic     s(y | S) = L(y, S) - L(S) - c log(n)/2 (P(y, S) - P(S)),  P: parameters of all possible cells

R's bnlearn has the test as mi-cg, without the factor; the score: Andrews, Ramsey & Cooper (2018). Of numbers alone they
are -n log(1 - r^2) and the Gaussian BIC (with one parameter more a node), of categories alone G2 and the discrete
BIC. The score is score equivalent, as a difference of joint scores. Numbers that hang on a category are Gaussian in its
cells; categories that hang on numbers fit less well.

A cell with fewer than a + 3 rows has no covariances. The test leaves out levels of x and of y that are so rare in a
cell of S, and the cell of S where x and y together are; it proves nothing (infinite) where more than half of the rows
go. The score gives such rows the covariances of all rows.
values: (d, n) standardised numbers, codes of categories, NaN in gaps; levels: (d,), 0 for a number.
room: counts of levels, then blocks of moments (n, sums, products); factor: (., d + 2), in [:, d:] lists of columns.
"""

from __future__ import annotations

import math

import numpy as np

from trueness.learners.kernels.compiling import bare
from trueness.learners.kernels.mixed import SINGULAR

_CELL, _OF_X, _STRATUM, _OF_Y = 0, 1, 2, 3  # blocks of moments; of y one for each level


@bare
def room_for_cells(most, p):
    """Numbers that tests of p columns with at most so many levels work in."""
    return 2 * (most + 1) + (_OF_Y + most + 1) * (1 + p + p * p)


@bare
def conditional_statistic(values, levels, x, y, chosen, k, order, room, factor):
    """Statistic and degrees of freedom of x and y given the first k chosen."""
    categories, numbers = list_kinds(levels, chosen, k, values.shape[0], factor)
    rows = _sort_rows(values, values.shape[1], levels, x, y, categories, numbers, order, room, factor)
    statistic, mean, df, left_out = 0.0, 0.0, 0, 0
    low = np.int64(0)  # a plain 0 would be compiled for itself, and so would -1 below
    while low < rows:
        high = _end_of_cell(values, categories, order, low, rows, factor)
        of_cell = _test_cell(values, levels, x, y, numbers, order, low, high, room, factor)
        statistic += of_cell[0]
        mean += of_cell[1]
        df += of_cell[2]
        left_out += of_cell[3]
        low = high
    if 2 * left_out > rows or rows == 0:
        return np.inf, 1
    return max(statistic * (df / mean if mean > 0.0 else 1.0), 0.0), df


@bare
def list_kinds(levels, chosen, k, d, factor):
    """The categories and the numbers among the chosen, into [:, d] and [:, d + 1]; how many."""
    categories, numbers = 0, 0
    for i in range(k):
        if levels[chosen[i]] > 0:
            factor[categories, d] = chosen[i]
            categories += 1
        else:
            factor[numbers, d + 1] = chosen[i]
            numbers += 1
    return categories, numbers


@bare
def _sort_rows(values, n, levels, x, y, categories, numbers, order, counts, factor):
    """order[:rows]: rows without gaps by the listed categories, then x, then y, where these are some; how many."""
    d, rows = values.shape[0], np.int64(0)
    for r in range(n):
        whole = not (math.isnan(values[x, r]) or math.isnan(values[y, r]))
        for i in range(categories):
            whole = whole and not math.isnan(values[np.int64(factor[i, d]), r])
        for i in range(numbers):
            whole = whole and not math.isnan(values[np.int64(factor[i, d + 1]), r])
        if whole:
            order[rows] = r
            rows += 1
    _sort_by(values, levels, y, rows, n, order, counts)
    if x != y:
        _sort_by(values, levels, x, rows, n, order, counts)
    for i in range(categories):
        _sort_by(values, levels, np.int64(factor[i, d]), rows, n, order, counts)
    return rows


@bare
def _sort_by(values, levels, v, rows, n, order, counts):
    """Stable, by counting; numbers stay as they are."""
    if levels[v] < 2:
        return
    for level in range(levels[v] + 1):
        counts[level] = 0.0
    for i in range(rows):
        counts[np.int64(values[v, order[i]]) + 1] += 1.0
    for level in range(levels[v]):
        counts[level + 1] += counts[level]
    for i in range(rows):
        level = np.int64(values[v, order[i]])
        order[n + np.int64(counts[level])] = order[i]
        counts[level] += 1.0
    for i in range(rows):
        order[i] = order[n + i]


@bare
def _end_of_cell(values, categories, order, low, rows, factor):
    d = values.shape[0]
    high = low + 1
    while high < rows:
        for i in range(categories):
            v = np.int64(factor[i, d])
            if values[v, order[high]] != values[v, order[low]]:
                return high
        high += 1
    return rows


@bare
def _test_cell(values, levels, x, y, a, order, low, high, room, factor):
    """Statistic, its mean, degrees of freedom and rows left out, of one cell of the set given with `a` numbers."""
    d = values.shape[0]
    none = np.int64(-1)
    t, x_at, y_at = a, none, none
    if levels[x] == 0:
        factor[t, d + 1] = x
        x_at, t = t, t + 1
    if levels[y] == 0:
        factor[t, d + 1] = y
        y_at, t = t, t + 1
    least = t + 3 if t > 0 else 1
    of_x, of_y = max(levels[x], 1), max(levels[y], 1)
    size, start = 1 + t + t * t, of_x + of_y
    for level in range(start):
        room[level] = 0.0
    for i in range(low, high):
        room[_level(values, levels, x, order[i])] += 1.0
        room[of_x + _level(values, levels, y, order[i])] += 1.0
    kept_x, kept_y, cells, small = 0, 0, 0, False
    for level in range(of_x):
        kept_x += room[level] >= least
    for level in range(of_y):
        kept_y += room[of_x + level] >= least
        _clear(room, start + (_OF_Y + level) * size, size)
    stratum = start + _STRATUM * size
    _clear(room, stratum, size)
    statistic, mean, i = 0.0, 0.0, low
    while i < high:
        level_x = _level(values, levels, x, order[i])
        _clear(room, start + _OF_X * size, size)
        while i < high and _level(values, levels, x, order[i]) == level_x:
            level_y = _level(values, levels, y, order[i])
            keep = room[level_x] >= least and room[of_x + level_y] >= least
            _clear(room, start, size)
            while (
                i < high
                and _level(values, levels, x, order[i]) == level_x
                and _level(values, levels, y, order[i]) == level_y
            ):
                if keep:
                    _add_row(values, d, order[i], t, room, start, factor)
                i += 1
            if keep:
                cells += 1
                small = small or room[start] < least
                statistic, mean = _add_likelihood(statistic, mean, 1.0, room, start, t, a, x_at, y_at, factor)
                for block in (_OF_X, _STRATUM, _OF_Y + level_y):
                    _add_block(room, start + block * size, start, size)
        statistic, mean = _add_likelihood(statistic, mean, -1.0, room, start + _OF_X * size, t, a, x_at, none, factor)
    for level in range(of_y):
        block = start + (_OF_Y + level) * size
        statistic, mean = _add_likelihood(statistic, mean, -1.0, room, block, t, a, y_at, none, factor)
    statistic, mean = _add_likelihood(statistic, mean, 1.0, room, stratum, t, a, none, none, factor)
    left_out = high - low - np.int64(room[stratum])
    if t > 0 and (small or cells < kept_x * kept_y):
        return 0.0, 0.0, 0, high - low
    if kept_x == 0 or kept_y == 0:
        return 0.0, 0.0, 0, left_out
    free = (kept_x - 1) * (kept_y - 1)
    df = free + kept_x * kept_y * _parameters(t) + _parameters(a)
    df -= kept_x * _parameters(a + (x_at >= 0)) + kept_y * _parameters(a + (y_at >= 0))
    return statistic, mean + free, df, left_out


@bare
def _parameters(a):
    """Means and covariances of so many numbers."""
    return a * (a + 3) // 2


@bare
def _level(values, levels, v, r):
    return np.int64(values[v, r]) if levels[v] > 0 else np.int64(0)


@bare
def _clear(room, at, size):
    for i in range(size):
        room[at + i] = 0.0


@bare
def _add_block(room, at, other, size):
    for i in range(size):
        room[at + i] += room[other + i]


@bare
def _add_row(values, d, r, t, room, at, factor):
    room[at] += 1.0
    for i in range(t):
        value = values[np.int64(factor[i, d + 1]), r]
        room[at + 1 + i] += value
        for j in range(i + 1):
            room[at + 1 + t + i * t + j] += value * values[np.int64(factor[j, d + 1]), r]


@bare
def _add_likelihood(statistic, mean, sign, room, at, t, a, one, other, factor):
    """2 L of a block's cell with `a` numbers and up to two more, and the mean of its part that hangs on chance."""
    n = room[at]
    if n == 0.0:
        return statistic, mean
    log_det, chance = _log_det(room, at, t, a, one, other, factor)
    return statistic + sign * n * (2.0 * math.log(n) - log_det), mean - sign * n * chance


@bare
def _log_det(room, at, t, a, one, other, factor):
    """log det of the covariances of the first `a` numbers and up to two more; the mean of it less the true one."""
    n, log_det, chance, regular = room[at], 0.0, 0.0, 0
    if one < 0:
        one, other = other, one
    size = a + (one >= 0) + (other >= 0)
    for i in range(size):
        u = i if i < a else one if i == a else other
        left = (room[at + 1 + t + u * t + u] - room[at + 1 + u] * room[at + 1 + u] / n) / n
        for j in range(i):
            v = j if j < a else one
            value = (room[at + 1 + t + max(u, v) * t + min(u, v)] - room[at + 1 + u] * room[at + 1 + v] / n) / n
            for s in range(j):
                value -= factor[i, s] * factor[j, s]
            value *= factor[j, j]
            factor[i, j] = value
            left -= value * value
        if left > SINGULAR:
            factor[i, i] = 1.0 / math.sqrt(left)
            log_det += math.log(left)
            chance += _digamma(0.5 * max(n - 1.0 - regular, 1.0)) + math.log(2.0 / n)
            regular += 1
        else:  # follows from those before in this cell: no new direction
            factor[i, i] = 0.0
            log_det += math.log(SINGULAR)
    return log_det, chance


@bare
def _digamma(x):
    value = 0.0
    while x < 6.0:
        value -= 1.0 / x
        x += 1.0
    s = 1.0 / (x * x)
    series = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))
    return value + math.log(x) - 0.5 / x - series


@bare
def conditional_score(values, nodes, price, y, parents, k, order, factor):
    """values: (d, n + 1), in the last column the logarithm of a number's variance; nodes[:, 4]: levels.

    factor: from its row d + 1 on the room.
    """
    d, n = values.shape[0], values.shape[1] - 1
    levels, room = nodes[:, 4], factor[d + 1 :].reshape(-1)
    categories, a = list_kinds(levels, parents, k, d, factor)
    rows = _sort_rows(values, n, levels, y, y, categories, a, order, room, factor)
    factor[a, d + 1] = y
    none = np.int64(-1)
    y_at, t = (np.int64(a), a + 1) if levels[y] == 0 else (none, a)
    size = 1 + t + t * t
    cell, stratum, whole = np.int64(0), size, 2 * size
    _clear(room, whole, size)
    score, few_cells, few_strata, possible = 0.0, 0.0, 0.0, 1.0
    for i in range(categories):
        possible *= levels[np.int64(factor[i, d])]
    i = np.int64(0)
    while i < rows:
        high = _end_of_cell(values, categories, order, i, rows, factor)
        _clear(room, stratum, size)
        while i < high:
            level = _level(values, levels, y, order[i])
            _clear(room, cell, size)
            while i < high and _level(values, levels, y, order[i]) == level:
                _add_row(values, d, order[i], t, room, cell, factor)
                i += 1
            score += room[cell] * math.log(room[cell])
            if room[cell] < t + 3:
                few_cells += room[cell]
            else:
                score -= 0.5 * room[cell] * _log_det(room, cell, t, a, y_at, none, factor)[0]
            _add_block(room, stratum, cell, size)
        score -= room[stratum] * math.log(room[stratum])
        if room[stratum] < a + 3:
            few_strata += room[stratum]
        else:
            score += 0.5 * room[stratum] * _log_det(room, stratum, t, a, none, none, factor)[0]
        _add_block(room, whole, stratum, size)
    if few_cells > 0.0:
        score -= 0.5 * few_cells * _log_det(room, whole, t, a, y_at, none, factor)[0]
    if few_strata > 0.0:
        score += 0.5 * few_strata * _log_det(room, whole, t, a, none, none, factor)[0]
    if y_at >= 0:
        score -= 0.5 * n * (1.0 + values[y, n])
        return score - price * possible * (a + 2)
    return score - price * possible * (levels[y] - 1) * (1 + _parameters(a))
