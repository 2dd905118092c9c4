"""One conditional independence test for all searches: what it needs, its statistic, its verdict, its p-value.

    kind            statistic       independent when
    FISHER_Z        r^2             below limits[|S|]
    CHI2, G2        X2, G2          below limits[df], the upper alpha quantile of chi2; always when df = 0
    ORACLE          1 or 0          d-separated in a known DAG, whose nodes beyond the observed ones are latent
    from GAPS on    as of mixed.py  below limits[df], as chi2
    RCOT, KCI       -2 log p        the same with df = 2: rcot.py, kci.py
    CORRECTED       of corrected.py the same with df = 1
    CONDITIONAL     2 n I(x; y | S) the same: conditional.py

Categories with gaps: a gap is one level more, whose code is levels[2]; rows that have it in x, y or S weigh nothing.
A search takes the fields of Tests one by one. Those that a kind has no use for are empty arrays, not None: numba then
compiles each search once for all kinds of a family. Families are known by the dimensions of xlogx: 1 up to ORACLE,
2 RCOT, KCI and CORRECTED, 3 of mixed columns and of gaps (from GAPS to REGRESSIONS, and CONDITIONAL).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.learners.kernels.compiling import bare, inner, kernel
from trueness.learners.kernels.conditional import conditional_statistic, room_for_cells
from trueness.learners.kernels.contingency import (
    CELLS,
    CHI2,
    G2,
    chi2_tail,
    statistic_of_planes,
    statistic_of_rows,
)
from trueness.learners.kernels.corrected import corrected_statistic
from trueness.learners.kernels.kci import kci_statistic, room_for_kernels
from trueness.learners.kernels.logits import room_for_logits
from trueness.learners.kernels.mixed import DEGENERATE, DEGENERATE_ROWS, GAPS, REGRESSIONS, mixed_statistic
from trueness.learners.kernels.partial import normal_tail, separated, squared_partial
from trueness.learners.kernels.rcot import rcot_statistic, room_for_waves

FISHER_Z, ORACLE = 0, 3
RCOT, KCI, CORRECTED, CONDITIONAL = 8, 9, 10, 11  # 4 to 7: mixed.py
KINDS = {"fisher-z": FISHER_Z, "chi2": CHI2, "g2": G2, "degenerate-gaussian": DEGENERATE, "regressions": REGRESSIONS,
         "mi-cg": CONDITIONAL, "rcot": RCOT, "kci": KCI}  # fmt: skip
__all__ = [
    "CHI2", "CONDITIONAL", "CORRECTED", "DEGENERATE", "DEGENERATE_ROWS", "FISHER_Z", "G2", "GAPS", "KCI", "KINDS",
    "ORACLE", "RCOT", "REGRESSIONS", "Tests", "evaluate", "p_value", "single", "verdict", "workspace",
]  # fmt: skip


class Tests(NamedTuple):
    kind: int
    n: int
    alpha: float
    limits: NDArray[np.float64]
    correlation: NDArray[np.float64]  # (d, d); of mixed columns (p, p), or (p, n) their values
    dag: NDArray[np.bool_]  # (d and the latent ones, the same); of CORRECTED the causes of gaps
    columns: NDArray[np.uint8]  # (d, rows)
    weights: NDArray[np.int32]  # (rows,)
    levels: NDArray[np.int64]  # (3, d): how many; how many occur, or 0 where df are those observed; a gap's code, or -1
    planes: NDArray[np.uint64]  # (sum of levels, n / 64), empty where rows are merged
    burt: NDArray[np.int32]
    first: NDArray[np.int64]  # (d + 1,) the first plane, or mixed column, of each column
    xlogx: NDArray[np.float64]  # k log k, k = 0 ... n; a matrix (RCOT: its waves) or a cube in other families


@inner
def workspace(kind, rows, levels, d, p):
    """Memory that tests write to, made once a search: codes of rows, table (zero), strata, margins, factor.

    p: rows of Tests.correlation.

    For the oracle `rows` is the number of nodes: it uses codes as flags, strata as a stack.
    """
    k, wide = (d, d + 5) if kind == FISHER_Z else (2 * p + 1, p + 2) if kind >= GAPS else (0, 5)
    cells, most = 2.0, 0  # a flag beside the cells of each stratum
    for j in range(levels.shape[1]):
        cells *= levels[0, j]
        most = max(most, levels[0, j])
    margins = room_for_logits(most, p) if kind == REGRESSIONS and most > 1 else 2 * most
    if kind == RCOT:
        k, wide, margins = room_for_waves(rows, p, d - 2)
    elif kind == KCI:
        k, wide = room_for_kernels(rows, p)
    elif kind == CONDITIONAL:
        margins = room_for_cells(most, p)
    cells = min(cells, float(max(CELLS, rows * most, most * most + 1)))
    return (
        np.empty(4 * rows, np.int32),
        np.zeros(int(cells), np.int32),
        np.empty(4 * rows, np.int64),
        np.empty(margins),
        np.empty((k, wide)),
    )


@bare
def _few_cells(levels, planes, x, y, chosen, k):
    """Whether counting by popcount is cheaper than passing over the rows: 64 rows a word, some 3 words a row."""
    cells = (levels[0, x] - 1) * (levels[0, y] - 1)
    for i in range(k):
        cells *= levels[0, chosen[i]] - 1
    return k <= 1 and planes.shape[0] > 0 and cells < 192


@bare
def evaluate(
    kind, n, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
    code, table, strata, margins, factor, x, y, chosen, k, keep,
):  # fmt: skip
    """Statistic and degrees of freedom (|S| for Fisher's z) of x and y given the first k chosen."""
    if xlogx.ndim == 3:  # known to numba as it compiles, which leaves out the other sides
        if kind == CONDITIONAL:
            return conditional_statistic(correlation, levels[0], x, y, chosen, k, code, margins, factor)
        return mixed_statistic(kind, n, correlation, first, levels, x, y, chosen, k, factor, margins)
    if xlogx.ndim == 2:
        if kind == RCOT:
            return rcot_statistic(correlation, first, xlogx, x, y, chosen, k, factor, margins, code)
        if kind == CORRECTED:
            return corrected_statistic(correlation, dag, x, y, chosen, k, factor)
        return kci_statistic(correlation, first, x, y, chosen, k, factor, code)
    if kind == FISHER_Z:
        return squared_partial(correlation, x, y, chosen, k, keep, factor), k
    if kind == ORACLE:
        return 0.0 if separated(dag, x, y, chosen, k, code, strata) else 1.0, k
    if _few_cells(levels, planes, x, y, chosen, k):
        s = chosen[0] if k else -1
        statistic, df = statistic_of_planes(planes, burt, first, x, y, s, kind, xlogx, table, margins)
    else:
        here = weights
        if _has_gaps(levels, x, y, chosen, k):
            here = code[2 * weights.shape[0] : 3 * weights.shape[0]]
            _weigh_whole_rows(columns, weights, levels, x, y, chosen, k, here)
        statistic, df = statistic_of_rows(
            columns, here, levels, x, y, chosen, k, kind, xlogx, code, table, strata, margins
        )
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
def verdict(kind, alpha, limits, statistic, df):
    """Whether the statistic says independent, by critical value."""
    if kind == ORACLE:
        return statistic == 0.0
    if kind == FISHER_Z:  # a set too large for the rows proves nothing
        return df < limits.shape[0] and statistic < limits[df]
    if df < limits.shape[0]:
        return df == 0 or statistic < limits[df]
    return chi2_tail(statistic, df) > alpha


@bare
def p_value(kind, n, statistic, df):
    if kind == ORACLE:
        return 1.0 - statistic
    if kind == FISHER_Z:
        return normal_tail(statistic, n, df)
    return chi2_tail(statistic, df)


@kernel
def single(
    kind, n, alpha, limits, correlation, dag, columns, weights, levels, planes, burt, first, xlogx, x, y, chosen
):  # fmt: skip
    """One test on its own: statistic, degrees of freedom, p-value, verdict."""
    k = chosen.shape[0]
    code, table, strata, margins, factor = workspace(kind, weights.shape[0], levels, k + 2, correlation.shape[0])
    statistic, df = evaluate(
        kind, n, correlation, dag, columns, weights, levels, planes, burt, first, xlogx,
        code, table, strata, margins, factor, x, y, chosen, k, np.int64(0),
    )  # fmt: skip
    return statistic, df, p_value(kind, n, statistic, df), verdict(kind, alpha, limits, statistic, df)
