"""Tests of independence on numbers and categories together, and on rows with gaps.

A category of k levels is k - 1 columns of 0 and 1. With S, X, Y the columns of the set given and of the two sides,

    W = det C(Y | S, X) / det C(Y | S)               C: covariances of what S leaves (Wilks)
    degenerate Gaussian     -(n - 1 - |S| - (|X| + |Y| + 1) / 2) log W,  df = |X| |Y|     Andrews et al. (2019); the
                            factor is Bartlett's (1938), with which chi2 holds for few rows
    Fisher's z with gaps    (n - |S| - 3) atanh(r)^2,  r^2 = 1 - W,  df = 1
    regressions             as degenerate where a side is continuous: a linear regression of that side. Of two
                            categories 2 (log L(y | S, x) - log L(y | S)) of multinomial logits, and the same of x
                            on y; the smaller one counts                            Tsagris et al. (2018)

Columns that S determines leave X or Y, and df with them. Test-wise deletion: a row with a gap in x, y or S is left out.
numbers: (p, p) correlations of the columns, or (p, n) their standardised values, NaN in gaps; first: (d + 1,) where the
columns of each variable begin. A set that is too large for its rows proves nothing: its statistic is infinite.
work: (2 p + 1, p + 2); in [:, p] the columns of the test, below row p their covariances.

    s(y | S) = -n/2 (|Y| + log det V_Y + log det C(Y | S)) - c log(n)/2 (|Y| |S| + |Y| (|Y| + 1) / 2)

of the BIC of Y's regression on S: |Y|, |S| count columns that vary, V_Y are their variances. With numbers alone it is
the Gaussian BIC; score equivalent, as it is the BIC of a Gaussian over all columns. A column that others determine (two
categories that are unknown in the same rows share one) counts as one of which next to nothing is left, on either side
of the bar: were it counted on one only, searches would go round in circles. Andrews, Ramsey & Cooper (2019).

Multinomial logits of one category on other columns, by Newton's method.

    P(level c | z) = exp(b_c z) / sum_e exp(b_e z),  b_0 = 0,  z = (1, columns)
    gradient_c = sum_r (1[level_r = c] - P_c) z_r,   Hessian_ce = -sum_r P_c (1[c = e] - P_e) z_r z_r'

A coefficient whose direction has no curvature left (a level that does not occur, a column that others determine, a
perfect separation) stays where it is: the likelihood does not change along it.

Fisher's z on rows with gaps, corrected for gaps that hang on other columns.

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

GAPS, DEGENERATE, DEGENERATE_ROWS, REGRESSIONS = 4, 5, 6, 7  # 0 to 2: testing.py
SINGULAR = 1e-10  # share of a variance that counts as none
_STEPS, _FLAT = 30, 1e-8  # of Newton's method; the gain of a step below which it ends
_NO_CURVATURE = 1e-9


@bare
def mixed_statistic(tests, x, y, chosen, k, work, room):
    """Statistic and degrees of freedom of x and y given the first k chosen."""
    kind, numbers, first = tests.kind, tests.correlation, tests.first
    p = numbers.shape[0]
    s = np.int64(0)
    for i in range(k):
        s = list_columns(first, chosen[i], s, p, work)
    end = list_columns(first, x, s, p, work)
    m = list_columns(first, y, end, p, work)
    rows = tests.n
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
    if kind == REGRESSIONS and tests.levels[0, x] > 0 and tests.levels[0, y] > 0:
        of_y = _logit_ratio(numbers, work, s, m, end, m, s, end, room)
        of_x = _logit_ratio(numbers, work, s, m, s, end, end, m, room)
        return max(min(of_x, of_y), 0.0), df
    return -bartlett * log_wilks, df


@bare
def room_for_logits(levels, p):
    """Numbers that the fits of a category of so many levels on p columns work in."""
    coefficients = (levels - 1) * (p + 1)
    return (coefficients + 3) * coefficients + p + 1 + levels


@bare
def _logit_ratio(numbers, work, s, m, low, high, x_low, x_high, room):
    """2 (log L(y | S, x) - log L(y | S)): y the listed columns from low to high, x those from x_low to x_high."""
    with_x = _fit_logits(numbers, work, s, m, low, high, x_low, x_high, room)
    return 2.0 * (with_x - _fit_logits(numbers, work, s, m, low, high, x_low, x_low, room))


@bare
def _fit_logits(numbers, work, s, m, low, high, x_low, x_high, room):
    """The greatest log likelihood."""
    q, logits = 1 + s + x_high - x_low, high - low
    size = q * logits
    b, gradient, last = room[:size], room[size : 2 * size], room[2 * size : 3 * size]
    hessian, rest = room[3 * size : (3 + size) * size].reshape(size, size), room[(3 + size) * size :]
    before, likelihood, halvings = -np.inf, 0.0, 0
    b[:] = 0.0
    for step in range(_STEPS):
        likelihood = _derivatives(numbers, work, s, m, low, x_low, q, logits, b, gradient, hessian, rest)
        if likelihood < before and halvings < 10:  # too far: half of the last step back
            halvings += 1
            for a in range(size):
                b[a] = 0.5 * (b[a] + last[a])
            continue
        if likelihood - before < _FLAT and step > 0:
            break
        before, halvings = likelihood, 0
        for a in range(size):
            last[a] = b[a]
        _newton_step(b, gradient, hessian)
    return max(likelihood, before)


@bare
def _derivatives(numbers, work, s, m, low, x_low, q, logits, b, gradient, hessian, rest):
    """Log likelihood at the coefficients b; its gradient and minus its Hessian (the lower triangle)."""
    p, z, share = numbers.shape[0], rest[:q], rest[q:]
    gradient[:] = 0.0
    hessian[:] = 0.0
    likelihood = 0.0
    for r in range(numbers.shape[1]):
        whole = True
        for i in range(m):
            whole = whole and not math.isnan(numbers[np.int64(work[i, p]), r])
        if not whole:
            continue
        z[0] = 1.0
        for j in range(1, q):
            listed = j - 1 if j <= s else x_low + j - 1 - s
            z[j] = numbers[np.int64(work[listed, p]), r]
        greatest = 0.0
        for c in range(logits):
            value = 0.0
            for j in range(q):
                value += b[c * q + j] * z[j]
            share[c] = value
            greatest = max(greatest, value)
        total, here = math.exp(-greatest), -greatest
        for c in range(logits):
            if numbers[np.int64(work[low + c, p]), r] > 0.0:  # standardised: 1 lies above the mean, 0 below
                here = share[c] - greatest
            share[c] = math.exp(share[c] - greatest)
            total += share[c]
        likelihood += here - math.log(total)
        for c in range(logits):
            of_c = share[c] / total
            level = 1.0 if numbers[np.int64(work[low + c, p]), r] > 0.0 else 0.0
            for j in range(q):
                a = c * q + j
                gradient[a] += (level - of_c) * z[j]
                for e in range(c + 1):
                    curve = of_c * ((1.0 if e == c else 0.0) - share[e] / total) * z[j]
                    for i in range(q if e < c else j + 1):
                        hessian[a, e * q + i] += curve * z[i]
    return likelihood


@bare
def _newton_step(b, gradient, hessian):
    """b += (-Hessian)^-1 gradient, by Cholesky in place; directions without curvature are left out."""
    size = len(b)
    for a in range(size):
        left = hessian[a, a]
        enough = _NO_CURVATURE * max(left, 1.0)
        for c in range(a):
            value = hessian[a, c]
            for t in range(c):
                value -= hessian[a, t] * hessian[c, t]
            value *= hessian[c, c]
            hessian[a, c] = value
            left -= value * value
        hessian[a, a] = 1.0 / math.sqrt(left) if left > enough else 0.0
        value = gradient[a]
        for t in range(a):
            value -= hessian[a, t] * gradient[t]
        gradient[a] = value * hessian[a, a]
    for a in range(size - 1, -1, -1):
        value = gradient[a]
        for t in range(a + 1, size):
            value -= hessian[t, a] * gradient[t]
        gradient[a] = value * hessian[a, a]
        b[a] += gradient[a]


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
        _sweep(c, np.int64(work[j, d + 1]), m)
    scale = c[a, a] * c[b, b]
    return min(abs(c[a, b]) / math.sqrt(scale), 1.0 - 1e-16) if scale > SINGULAR * SINGULAR else 0.0
