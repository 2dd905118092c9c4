"""Fisher's z on rows with gaps, corrected for gaps that hang on other columns.

    W: the columns on which it hangs whether a value of x, y or S is missing (found by the caller); V: x, y, S without W
    P(V, W) = P(V | W, nothing missing) P(W)         for gaps that hang on W alone; linear and Gaussian:
    C_VV = R + B C_WW B',  C_VW = B C_WW             B, R: regression of V on W and what it leaves, on whole rows;
                                                     C_WW: on all rows that have W
    statistic = (n - |S| - 3) atanh(r(x, y | S))^2,  df = 1,  n: rows that have all of V and W

MVPC's correction by permutation (Tu et al. 2019) in its limit of infinitely many virtual rows, for every test.
numbers: (d, n) standardised, NaN in gaps; causes[w, v]: gaps of v hang on w.
work: (2 d + 1, d + 2); [:, d] the columns, W first; [:, d + 1] and row 2 d for sums; above and below row d covariances.
"""

from __future__ import annotations

import math

import numpy as np

from trueness.learners.kernels.compiling import bare
from trueness.learners.kernels.mixed import SINGULAR, centred_products


@bare
def corrected_statistic(numbers, causes, x, y, chosen, k, work):
    """Statistic and degrees of freedom of x and y given the first k chosen."""
    d = np.int64(numbers.shape[0])
    q, m = _list_columns(causes, x, y, chosen, k, d, work)
    rows = _covariances(numbers, m, d, work)
    whole, of_causes = work[:d], work[d:]
    for i in range(m):
        for j in range(m):
            whole[i, j] = of_causes[i, j]
    if q > 0:
        _covariances(numbers, q, d, work)
        _correct(whole, of_causes, q, m, work, d)
    r = _partial(whole, m, x, y, chosen, k, work, d)
    free = rows - k - 3
    return (free * math.atanh(r) ** 2 if free > 0 else np.inf), 1


@bare
def _list_columns(causes, x, y, chosen, k, d, work):
    """Causes of gaps first, then the others of the test; how many, and how many in all."""
    for v in range(d):
        work[v, d + 1] = 0.0
    for i in range(k + 2):
        v = x if i == k else y if i == k + 1 else chosen[i]
        work[v, d + 1] = max(work[v, d + 1], 1.0)
        for w in range(d):
            if causes[w, v]:
                work[w, d + 1] = 2.0
    q = 0
    for v in range(d):
        if work[v, d + 1] == 2.0:
            work[q, d] = v
            q += 1
    m = q
    for v in range(d):
        if work[v, d + 1] == 1.0:
            work[m, d] = v
            m += 1
    return q, m


@bare
def _covariances(numbers, m, d, work):
    """From row d on: of the first m listed columns over the rows that have them all; how many."""
    total = centred_products(numbers, m, d, work)
    for i in range(m):
        for j in range(i + 1):
            work[d + i, j] /= max(total, 1)
            work[d + j, i] = work[d + i, j]
    return total


@bare
def _correct(whole, of_causes, q, m, work, d):
    """whole: C with C_WW of all rows in place of that of whole rows, by sweeping W out and in again."""
    for w in range(q):
        _sweep(whole, w, m)  # whole[w, v] is then B_vw, whole[v, u] what is left
    for v in range(q, m):
        for w in range(q):
            work[w, d + 1] = 0.0
            for u in range(q):
                work[w, d + 1] += of_causes[w, u] * whole[u, v]  # C_WW B_v'
        for u in range(q, m):
            for w in range(q):
                whole[u, v] += whole[w, u] * work[w, d + 1]
        for w in range(q):
            of_causes[v, w] = work[w, d + 1]
    for v in range(m):
        for w in range(q):
            whole[v, w] = whole[w, v] = of_causes[v, w]


@bare
def _sweep(c, w, m):
    """The regression of all other columns on w, given those swept before."""
    pivot = c[w, w]
    if pivot < SINGULAR:
        return
    for i in range(m):
        if i != w:
            factor = c[i, w] / pivot
            for j in range(m):
                if j != w:
                    c[i, j] -= factor * c[w, j]
    for i in range(m):
        if i != w:
            c[i, w] /= -pivot
            c[w, i] /= pivot
    c[w, w] = 1.0 / pivot


@bare
def _partial(c, m, x, y, chosen, k, work, d):
    """|r(x, y | the first k chosen)|."""
    a = b = 0
    for i in range(m):
        column = np.int64(work[i, d])
        a = i if column == x else a
        b = i if column == y else b
        for j in range(k):
            if column == chosen[j]:
                work[j, d + 1] = i
    for j in range(k):
        w = np.int64(work[j, d + 1])
        pivot = c[w, w]
        if pivot < SINGULAR:
            continue
        for i in range(m):
            if i != w:
                factor = c[i, w] / pivot
                for u in range(m):
                    if u != w:
                        c[i, u] -= factor * c[w, u]
        for i in range(m):
            c[i, w] = c[w, i] = 0.0
    scale = c[a, a] * c[b, b]
    return min(abs(c[a, b]) / math.sqrt(scale), 1.0 - 1e-16) if scale > SINGULAR * SINGULAR else 0.0
