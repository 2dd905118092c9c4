"""Partial correlations, and d-separation: the tests that need no counts.

    r(x, y | S)^2 = v_xy^2 / (v_x v_y),   v_ab = R_ab - u_a . u_b,   L u_a = R_Sa,   L L' = R_SS   (R: correlations)
    Fisher's z: independent when sqrt(n - |S| - 3) atanh |r| is below the normal quantile, which is r^2 < limit(|S|)

Sets come in lexicographic order, so that L and u of the unchanged first elements are kept from one set to the next.
"""

from __future__ import annotations

import math

import numpy as np

from trueness.learners.kernels.compiling import bare, kernel

SINGULAR = 1e-12  # a variance left after regression below this share counts as none


@bare
def squared_partial(r, x, y, chosen, k, keep, factor):
    """r(x, y | the first k chosen)^2; the first `keep` rows of `factor` are still right from the last set.

    Row i of `factor` (k, k + 5) holds L[i, :i] and 1 / L[i, i]; in its last five places u_x[i], u_y[i] and what is left
    after the first i + 1 elements: v_x, v_y, v_xy.
    """
    if k == 0:
        return r[x, y] * r[x, y]
    if k == 1:
        s = chosen[0]
        a, b = r[x, s], r[y, s]
        left = (1.0 - a * a) * (1.0 - b * b)
        if left < SINGULAR:
            return 1.0
        covariance = r[x, y] - a * b
        return covariance * covariance / left
    end = factor.shape[1]
    left_x, left_y, left_xy = 1.0, 1.0, r[x, y]
    if keep > 0:
        left_x, left_y, left_xy = factor[keep - 1, end - 3], factor[keep - 1, end - 2], factor[keep - 1, end - 1]
    for i in range(keep, k):
        s = chosen[i]
        left = 1.0
        for j in range(i):
            value = r[s, chosen[j]]
            for t in range(j):
                value -= factor[i, t] * factor[j, t]
            value *= factor[j, j]
            factor[i, j] = value
            left -= value * value
        inverse = 1.0 / math.sqrt(left) if left > SINGULAR else 0.0  # a copy of earlier elements adds nothing
        factor[i, i] = inverse
        at_x, at_y = r[x, s], r[y, s]
        for t in range(i):
            at_x -= factor[i, t] * factor[t, end - 5]
            at_y -= factor[i, t] * factor[t, end - 4]
        at_x *= inverse
        at_y *= inverse
        left_x -= at_x * at_x
        left_y -= at_y * at_y
        left_xy -= at_x * at_y
        factor[i, end - 5] = at_x
        factor[i, end - 4] = at_y
        factor[i, end - 3] = left_x
        factor[i, end - 2] = left_y
        factor[i, end - 1] = left_xy
    if left_x < SINGULAR or left_y < SINGULAR:
        return 1.0
    return left_xy * left_xy / (left_x * left_y)


@bare
def normal_tail(squared, n, k):
    """Two-sided p-value of Fisher's z."""
    free = n - k - 3
    if free <= 0:
        return 1.0
    r = math.sqrt(min(squared, 1.0 - 1e-16))
    return math.erfc(math.sqrt(0.5 * free) * math.atanh(r))


@kernel
def scale(gram, ridge):
    """X'X of centred columns becomes their correlations, in place; off the diagonal divided by 1 + ridge."""
    d = gram.shape[0]
    for i in range(d):
        for j in range(i):
            gram[i, j] = gram[j, i] = gram[i, j] / math.sqrt(gram[i, i] * gram[j, j]) / (1.0 + ridge)
    for i in range(d):
        gram[i, i] = 1.0


@kernel
def dependent_column(r):
    """The first column that earlier ones determine (1 - R^2 below SINGULAR), or -1: Cholesky with watched pivots."""
    d = r.shape[0]
    factor = np.zeros((d, d))
    for i in range(d):
        left = 1.0
        for j in range(i):
            value = r[i, j]
            for t in range(j):
                value -= factor[i, t] * factor[j, t]
            value /= factor[j, j]
            factor[i, j] = value
            left -= value * value
        if left < SINGULAR:
            return i
        factor[i, i] = math.sqrt(left)
    return -1


@bare
def separated(dag, x, y, chosen, k, flags, stack):
    """Whether the first k chosen d-separate x and y in the DAG (Bayes ball; dag[i, j] means i -> j).

    flags: 4 d numbers, stack: 2 d + 2; their content does not matter.
    """
    d = dag.shape[0]
    conditioned, above, from_child, from_parent = 0, d, 2 * d, 3 * d  # above: ancestors of the given nodes, and these
    for i in range(4 * d):
        flags[i] = 0
    top = 0
    for i in range(k):
        flags[conditioned + chosen[i]] = flags[above + chosen[i]] = 1
        stack[top] = chosen[i]
        top += 1
    while top > 0:
        top -= 1
        v = stack[top]
        for u in range(d):
            if dag[u, v] and not flags[above + u]:
                flags[above + u] = 1
                stack[top] = u
                top += 1
    flags[from_child + x] = 1
    stack[0] = x
    top = 1
    while top > 0:
        top -= 1
        downward, v = stack[top] >= d, stack[top] % d
        if v == y:
            return False
        down = flags[conditioned + v] == 0
        up = flags[above + v] == 1 if downward else down
        for u in range(d):
            if up and dag[u, v] and not flags[from_child + u]:
                flags[from_child + u] = 1
                stack[top] = u
                top += 1
            if down and dag[v, u] and not flags[from_parent + u]:
                flags[from_parent + u] = 1
                stack[top] = d + u
                top += 1
    return True
