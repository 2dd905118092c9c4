"""The local score of a degenerate Gaussian: BIC of the regression of one variable's columns on its parents' columns.

    s(y | S) = -n/2 (|Y| + log det V_Y + log det C(Y | S)) - c log(n)/2 (|Y| |S| + |Y| (|Y| + 1) / 2)

A category of k levels has k - 1 columns of 0 and 1, a number has one; |Y|, |S| count columns that vary, V_Y are their
variances, C the correlations that S leaves. With numbers alone it is the Gaussian BIC. Score equivalent: it is the BIC
of a Gaussian over all columns. A column that others determine (two categories that are unknown in the same rows share
one) counts as one of which next to nothing is left, on either side of the bar: were it counted on one only, searches
would go round in circles. Andrews, Ramsey & Cooper (2019).
"""

from __future__ import annotations

import math

import numpy as np

from trueness.learners.kernels.compiling import bare
from trueness.learners.kernels.mixed import SINGULAR, add_row, list_columns


@bare
def degenerate_score(moments, starts, n, price, y, parents, k, work):
    """moments: (p + 1, p) correlations, in the last row log V; starts: (d + 1, 1) the first column of each variable."""
    p = moments.shape[1]
    s = np.int64(0)
    for i in range(k):
        s = list_columns(starts[:, 0], parents[i], s, p, work)
    m = list_columns(starts[:, 0], y, s, p, work)
    for i in range(m):
        for j in range(m):
            work[p + i, j] = moments[np.int64(work[i, p]), np.int64(work[j, p])]
    size_s, size_y, log_det = 0, 0, 0.0
    for i in range(m):
        column = np.int64(work[i, p])
        left = add_row(work, i, i, p)
        is_there = moments[column, column] > 0.0  # a level that does not occur has no variance
        if i < s:
            size_s += is_there
        elif is_there:
            log_det += 1.0 + moments[p, column] + math.log(max(left, SINGULAR))
            size_y += 1
    return -0.5 * n * log_det - price * (size_y * size_s + 0.5 * size_y * (size_y + 1))
