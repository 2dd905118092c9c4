"""Tests of independence on numbers and categories together, and on rows with gaps.

A category of k levels is k - 1 columns of 0 and 1. With S, X, Y the columns of the set given and of the two sides,

    W = det C(Y | S, X) / det C(Y | S)               C: covariances of what S leaves (Wilks)
    degenerate Gaussian     -(n - 1 - |S| - (|X| + |Y| + 1) / 2) log W,  df = |X| |Y|     Andrews et al. (2019); the
                            factor is Bartlett's (1938), with which chi2 holds for few rows
    Fisher's z with gaps    (n - |S| - 3) atanh(r)^2,  r^2 = 1 - W,  df = 1
    regressions             the same where a side is continuous: a linear regression of that side. Of two categories
                            2 (log L(y | S, x) - log L(y | S)) of multinomial logits (logits.py), and the same of x on
                            y; the smaller one counts                                   Tsagris et al. (2018)

Columns that S determines leave X or Y, and df with them. Test-wise deletion: a row with a gap in x, y or S is left out.
numbers: (p, p) correlations of the columns, or (p, n) their standardised values, NaN in gaps; first: (d + 1,) where the
columns of each variable begin. A set that is too large for its rows proves nothing: its statistic is infinite.
work: (2 p + 1, p + 2); in [:, p] the columns of the test, below row p their covariances.
"""

from __future__ import annotations

import math

import numpy as np

from trueness.learners.kernels.compiling import bare
from trueness.learners.kernels.logits import logit_ratio

GAPS, DEGENERATE, DEGENERATE_ROWS, REGRESSIONS = 4, 5, 6, 7  # 0 to 3: testing.py
SINGULAR = 1e-10  # share of a variance that counts as none


@bare
def mixed_statistic(kind, n, numbers, first, levels, x, y, chosen, k, work, room):
    """Statistic and degrees of freedom of x and y given the first k chosen."""
    p = numbers.shape[0]
    s = np.int64(0)
    for i in range(k):
        s = list_columns(first, chosen[i], s, p, work)
    end = list_columns(first, x, s, p, work)
    m = list_columns(first, y, end, p, work)
    rows = n
    if kind == DEGENERATE:
        for i in range(m):
            for j in range(m):
                work[p + i, j] = numbers[np.int64(work[i, p]), np.int64(work[j, p])]
    else:
        rows = _correlations(numbers, m, p, work)
    log_wilks, size_s, size_x, size_y = _wilks(work, s, end, m, p)
    df = size_x * size_y
    if df == 0:
        return 0.0, 0
    if kind == GAPS:
        free = rows - size_s - 3
        r = math.sqrt(min(max(1.0 - math.exp(log_wilks), 0.0), 1.0 - 1e-16))
        return (free * math.atanh(r) ** 2 if free > 0 else np.inf), 1
    bartlett = rows - 1 - size_s - 0.5 * (size_x + size_y + 1)
    if bartlett <= 0.0:
        return np.inf, 1
    if kind == REGRESSIONS and levels[0, x] > 0 and levels[0, y] > 0:
        of_y = logit_ratio(numbers, work, p, s, m, end, m, s, end, room)
        of_x = logit_ratio(numbers, work, p, s, m, s, end, end, m, room)
        return max(min(of_x, of_y), 0.0), df
    return -bartlett * log_wilks, df


@bare
def list_columns(first, v, at, p, work):
    for column in range(first[v], first[v + 1]):
        work[at, p] = column
        at += 1
    return at


@bare
def _correlations(numbers, m, p, work):
    """Correlations of the m columns over the rows in which none has a gap, 0 where one is constant; how many rows."""
    total, scales = centred_products(numbers, m, p, work), 2 * p
    for i in range(m):
        variance = work[p + i, i]
        work[scales, i] = 1.0 / math.sqrt(variance) if variance > SINGULAR * max(total, 1) else 0.0
    for i in range(m):
        for j in range(i + 1):
            work[p + i, j] *= work[scales, i] * work[scales, j]
            work[p + j, i] = work[p + i, j]
    return total


@bare
def centred_products(numbers, m, p, work):
    """From row p on: sum (a - mean a)(b - mean b) of the listed columns over rows without gaps, below; how many."""
    total, sums = 0, 2 * p
    for i in range(m):
        work[sums, i] = 0.0
        for j in range(i + 1):
            work[p + i, j] = 0.0
    for r in range(numbers.shape[1]):
        whole = True
        for i in range(m):
            whole = whole and not math.isnan(numbers[np.int64(work[i, p]), r])
        if not whole:
            continue
        total += 1
        for i in range(m):
            value = numbers[np.int64(work[i, p]), r]
            work[sums, i] += value
            for j in range(i + 1):
                work[p + i, j] += value * numbers[np.int64(work[j, p]), r]
    for i in range(m):
        for j in range(i + 1):
            work[p + i, j] -= work[sums, i] * work[sums, j] / max(total, 1)
    return total


@bare
def _wilks(work, s, end, m, p):
    """log W, and how many columns of S, of X (s to end) and of Y (end to m) are new: Cholesky, a row at a time."""
    size_s, size_x, size_y, log_wilks = 0, 0, 0, 0.0
    for i in range(s):
        size_s += add_row(work, i, i, p) > SINGULAR
    for i in range(end, m):
        left = add_row(work, s + i - end, i, p)
        work[i, p + 1] = left
        if left > SINGULAR:
            log_wilks -= math.log(left)
            size_y += 1
    for i in range(s, end):
        size_x += add_row(work, i, i, p) > SINGULAR
    for i in range(end, m):
        left = add_row(work, i, i, p)
        if work[i, p + 1] > SINGULAR:
            log_wilks += math.log(max(left, SINGULAR * SINGULAR))
    return log_wilks, size_s, size_x, size_y


@bare
def add_row(work, place, i, p):
    """Row `place` of the factor, of the listed column i; what the rows before leave of its variance.

    work[2 p, j]: the listed column of row j. On the diagonal 1 / L, 0 where the rows before determine the column.
    """
    work[2 * p, place] = i
    left = work[p + i, i]
    for j in range(place):
        value = work[p + i, np.int64(work[2 * p, j])]
        for t in range(j):
            value -= work[place, t] * work[j, t]
        value *= work[j, j]
        work[place, j] = value
        left -= value * value
    work[place, place] = 1.0 / math.sqrt(left) if left > SINGULAR else 0.0
    return left
