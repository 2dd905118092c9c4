"""One conditional independence test for all searches: what it needs, its statistic, its verdict, its p-value.

    kind            statistic       independent when
    FISHER_Z        r^2             below limits[|S|]
    CHI2, G2        X2, G2          below limits[df], the upper alpha quantile of chi2; always when df = 0
    from GAPS on    as of mixed.py  below limits[df], as chi2
    RCOT            -2 log p        the same with df = 2: curved.py
    CORRECTED       of mixed.py     the same with df = 1

Categories with gaps: a gap is one level more, whose code is levels[2]; rows that have it in x, y or S weigh nothing.
Fields of Tests that a kind has no use for are empty arrays, not None: numba then compiles each search once for all
kinds of a family. Families are known by the dimensions of xlogx: 1 up to G2, 2 RCOT and CORRECTED, 3 of mixed columns
and of gaps (from GAPS to REGRESSIONS).

Partial correlations: the test that needs no counts.

    r(x, y | S)^2 = v_xy^2 / (v_x v_y),   v_ab = R_ab - u_a . u_b,   L u_a = R_Sa,   L L' = R_SS   (R: correlations)
    Fisher's z: independent when sqrt(n - |S| - 3) atanh |r| is below the normal quantile, which is r^2 < limit(|S|)

Sets come in lexicographic order, so that L and u of the unchanged first elements are kept from one set to the next.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import bare, inner, kernel
from trueness.learners.kernels.counting import (
    CELLS,
    CHI2,
    G2,
    chi2_tail,
    rows_of,
    statistic_of_planes,
    statistic_of_rows,
)
from trueness.learners.kernels.curved import rcot_statistic, room_for_waves
from trueness.learners.kernels.mixed import (
    DEGENERATE,
    GAPS,
    REGRESSIONS,
    corrected_statistic,
    mixed_statistic,
    room_for_logits,
)

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


FISHER_Z = 0
RCOT, CORRECTED = 8, 9  # 4 to 7: mixed.py
KINDS = {"fisher-z": FISHER_Z, "chi2": CHI2, "g2": G2, "degenerate-gaussian": DEGENERATE, "regressions": REGRESSIONS,
         "rcot": RCOT}  # fmt: skip


class Tests(NamedTuple):
    kind: int
    n: int = 0
    alpha: float = 0.0
    limits: NDArray[np.float64] = np.zeros(0)
    correlation: NDArray[np.float64] = np.zeros((0, 0))  # (d, d); of mixed columns (p, p), or (p, n) their values
    causes: NDArray[np.bool_] = np.zeros((0, 0), np.bool_)  # (d, d) CORRECTED: gaps of the second hang on the first
    columns: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)  # (d, rows)
    weights: NDArray[np.int32] = np.zeros(0, np.int32)  # (rows,)
    # (3, d): how many; how many occur, or 0 where df are those observed; a gap's code, or -1
    levels: NDArray[np.int64] = np.zeros((3, 0), np.int64)
    planes: NDArray[np.uint64] = np.zeros((0, 0), np.uint64)  # (sum of levels, n / 64), empty where rows are merged
    burt: NDArray[np.int32] = np.zeros((0, 0), np.int32)
    first: NDArray[np.int64] = np.zeros(1, np.int64)  # (d + 1,) the first plane, or mixed column, of each column
    xlogx: NDArray[np.float64] = np.zeros(0)  # k log k, k = 0 ... n; a matrix (RCOT: its waves) or a cube elsewhere


class Room(NamedTuple):
    """Memory that tests write to, made once a search."""

    code: NDArray[np.int32]  # four numbers a row
    table: NDArray[np.int32]  # zero before and after each test
    strata: NDArray[np.int64]
    margins: NDArray[np.float64]
    factor: NDArray[np.float64]


@inner
def workspace(tests, d):
    """Room for tests of at most d columns at once."""
    kind, rows, levels, p = tests.kind, tests.weights.shape[0], tests.levels, tests.correlation.shape[0]
    k, wide = (d, d + 5) if kind == FISHER_Z else (2 * p + 1, p + 2) if kind >= GAPS else (0, 5)
    cells, most = 2.0, 0  # a flag beside the cells of each stratum
    for j in range(levels.shape[1]):
        cells *= levels[0, j]
        most = max(most, levels[0, j])
    margins = room_for_logits(most, p) if kind == REGRESSIONS else 2 * most
    if kind == RCOT:
        k, wide, margins = room_for_waves(rows, p, d - 2)
    cells = min(cells, float(max(CELLS, rows * most, most * most + 1)))
    return Room(
        np.empty(4 * rows, np.int32),
        np.zeros(int(cells), np.int32),
        np.empty(4 * rows, np.int64),
        np.empty(margins),
        np.empty((k, wide)),
    )


@inner
def merged_on(tests, members, q, room):
    """The tests on the first q member columns alone, in that order, with equal rows merged."""
    columns, weights, levels = rows_of(tests.columns, tests.weights, tests.levels, members, q, room)
    return Tests(
        tests.kind, tests.n, tests.alpha, tests.limits, tests.correlation, tests.causes, columns, weights, levels,
        tests.planes, tests.burt, tests.first, tests.xlogx,
    )  # fmt: skip


@bare
def _few_cells(levels, planes, x, y, chosen, k):
    """Whether counting by popcount is cheaper than passing over the rows: 64 rows a word, some 3 words a row."""
    cells = (levels[0, x] - 1) * (levels[0, y] - 1)
    for i in range(k):
        cells *= levels[0, chosen[i]] - 1
    return k <= 1 and planes.shape[0] > 0 and cells < 192


@bare
def evaluate(tests, xlogx, room, x, y, chosen, k, keep):
    """Statistic and degrees of freedom (|S| for Fisher's z) of x and y given the first k chosen.

    xlogx: that of the tests, apart: numba knows its dimensions as it compiles, and leaves out the other families.
    """
    kind, columns, levels = tests.kind, tests.columns, tests.levels
    if xlogx.ndim == 3:
        return mixed_statistic(tests, x, y, chosen, k, room.factor, room.margins)
    if xlogx.ndim == 2:
        if kind == RCOT:
            return rcot_statistic(
                tests.correlation, tests.first, xlogx, x, y, chosen, k, room.factor, room.margins, room.code
            )
        return corrected_statistic(tests.correlation, tests.causes, x, y, chosen, k, room.factor)
    if kind == FISHER_Z:
        return squared_partial(tests.correlation, x, y, chosen, k, keep, room.factor), k
    if _few_cells(levels, tests.planes, x, y, chosen, k):
        s = chosen[0] if k else -1
        statistic, df = statistic_of_planes(
            tests.planes, tests.burt, tests.first, x, y, s, kind, xlogx, room.table, room.margins
        )
    else:
        weights = tests.weights
        if _has_gaps(levels, x, y, chosen, k):
            weights = room.code[2 * columns.shape[1] : 3 * columns.shape[1]]
            _weigh_whole_rows(columns, tests.weights, levels, x, y, chosen, k, weights)
        statistic, df = statistic_of_rows(columns, weights, levels, x, y, chosen, k, kind, xlogx, room)
    if levels[1, x] > 0:  # the textbook's degrees of freedom
        df = (levels[1, x] - 1) * (levels[1, y] - 1)
        for i in range(k):
            df *= levels[1, chosen[i]]
    return statistic, df


@bare
def _has_gaps(levels, x, y, chosen, k):
    gaps = levels[2, x] >= 0 or levels[2, y] >= 0
    for i in range(k):
        gaps = gaps or levels[2, chosen[i]] >= 0
    return gaps


@bare
def _weigh_whole_rows(columns, weights, levels, x, y, chosen, k, here):
    """The weights of rows, 0 where x, y or one of the chosen has a gap."""
    for r in range(weights.shape[0]):
        whole = columns[x, r] != levels[2, x] and columns[y, r] != levels[2, y]
        for i in range(k):
            whole = whole and columns[chosen[i], r] != levels[2, chosen[i]]
        here[r] = weights[r] if whole else 0


@bare
def verdict(tests, statistic, df):
    """Whether the statistic says independent, by critical value."""
    limits = tests.limits
    if tests.kind == FISHER_Z:  # a set too large for the rows proves nothing
        return df < limits.shape[0] and statistic < limits[df]
    if df < limits.shape[0]:
        return df == 0 or statistic < limits[df]
    return chi2_tail(statistic, df) > tests.alpha


@bare
def p_value(tests, statistic, df):
    if tests.kind == FISHER_Z:
        return normal_tail(statistic, tests.n, df)
    return chi2_tail(statistic, df)


@kernel
def single(tests, x, y, chosen):
    """One test on its own: statistic, degrees of freedom, p-value, verdict."""
    k = chosen.shape[0]
    room = workspace(tests, k + 2)
    statistic, df = evaluate(tests, tests.xlogx, room, x, y, chosen, k, np.int64(0))
    return statistic, df, p_value(tests, statistic, df), verdict(tests, statistic, df)
