"""Do the levels of a column have an order, and are rows of the same unit alike?

Whole numbers with few values may be grades, or names written as numbers. Of columns j (levels 1..k) and i, with m_c the
mean of i in level c of j:

    LR_ij     n log(RSS(rising or falling means) / RSS(free means)),    the better of the two, by weighted least squares
    broken    LR_ij > (k - 2) log n + 2 log d:    BIC wants means that neither rise nor fall

An order is broken on either side, so the column with the greatest excess, over both, is taken out first, until none is
left. Where a quarter of them go, and at least two, the codes of the whole table are names.

Rows of units that repeat, as the visits of a patient:

    F      mean square between units / mean square within them, of ranks; of a category by its levels as 0 and 1
    r      (F - 1) / (F - 1 + g), g rows a unit: the correlation of two rows of the same unit (Fisher 1925)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MOST_OTHERS = 400  # columns that one is compared with; of wider tables every second, third, ...
MOST_WORK, MOST_ROWS, FEWEST_ROWS = 2e9, 50_000, 500  # rows x columns x columns, and rows, that are looked at
EXPECTED = 5.0  # pairs of rows of a unit at a level, by chance; rarer levels tell nothing
LEVEL = 0.01
SHARE = 0.25  # of the columns with levels without an order, from which on codes are names in the whole table


def unordered(columns: Sequence[Array], levels: NDArray[np.int64]) -> dict[int, int]:
    """Column without an order -> the column that shows it; of d columns of n values, codes where levels > 0, NaN in
    gaps."""
    d, n = len(columns), len(columns[0]) if columns else 0
    rows = int(np.clip(MOST_WORK / max(d, 1) ** 2, FEWEST_ROWS, MOST_ROWS))
    columns = [column[:: max(n // rows, 1)] for column in columns]
    others = np.arange(d)[:: max(d // MOST_OTHERS, 1)]
    z = np.stack([columns[i] for i in others], axis=1)
    there = np.isfinite(z)
    z = np.where(there, z, 0.0)
    z = np.where(there, z - z.sum(axis=0) / np.maximum(there.sum(axis=0), 1), 0.0)
    scale = np.sqrt((z**2).sum(axis=0) / max(len(z), 1))
    z /= np.where(scale > 0, scale, 1.0)
    excess = np.zeros((d, d))
    for j in np.flatnonzero(levels > 2):
        inside = (columns[j][:, None] == np.arange(int(levels[j]))).astype(np.float64)
        excess[j, others] = _excess(inside.T @ z, inside.T @ there, inside.sum(axis=1) @ z**2)
    np.fill_diagonal(excess, 0.0)
    shown: dict[int, int] = {}
    while (excess > 0).any():
        worst = int(np.where(levels > 2, excess.sum(axis=0) + excess.sum(axis=1), -1.0).argmax())
        shown[worst] = int(np.maximum(excess[worst], excess[:, worst]).argmax())
        excess[worst] = excess[:, worst] = 0.0
    return shown


def _excess(sums: Array, counts: Array, squares: Array) -> Array:
    """LR less what BIC asks for, of each other column; 0 where BIC is content."""
    n, k = counts.sum(axis=0), len(sums)
    free = (sums**2 / np.maximum(counts, 1.0)).sum(axis=0)
    in_order = np.maximum(_explained_in_order(sums, counts), _explained_in_order(-sums, counts))
    floor = 1e-9 * np.maximum(squares, 1.0)
    ratio = n * np.log(np.maximum(squares - in_order, floor) / np.maximum(squares - free, floor))
    over = ratio - (k - 2) * np.log(np.maximum(n, 1.0)) - 2 * np.log(len(n))
    return np.where(np.isfinite(over), np.maximum(over, 0.0), 0.0)


def _explained_in_order(sums: Array, counts: Array) -> Array:
    """The sum of squares that rising means explain; m_c = max over a <= c of the least mean of levels a..b, b >= c."""
    k = len(sums)
    sum_to, count_to = (np.vstack([np.zeros_like(of[:1]), np.cumsum(of, axis=0)]) for of in (sums, counts))
    means = [
        [(sum_to[b + 1] - sum_to[a]) / np.maximum(count_to[b + 1] - count_to[a], 1e-9) for b in range(k)]
        for a in range(k)
    ]
    rising = np.array([np.max([np.min(means[a][c:], axis=0) for a in range(c + 1)], axis=0) for c in range(k)])
    return np.asarray((2 * sums * rising - counts * rising**2).sum(axis=0))


# ---- units that repeat


class RepeatedUnits(NamedTuple):
    """A column that names units with several rows each, and the number of the unit of each row."""

    column: str
    of: NDArray[np.intp]


def likeness(values: Array, levels: int, units: NDArray[np.intp]) -> tuple[float, float]:
    """r and its p of a column: codes of a category with so many levels, or numbers (0)."""
    from scipy import stats

    there = ~np.isnan(values)
    values, (_, unit, sizes) = values[there], np.unique(units[there], return_inverse=True, return_counts=True)
    n, k = len(values), len(sizes)
    if k < 2 or n <= k:
        return 0.0, 1.0
    g = (n - (sizes**2).sum() / n) / (k - 1)
    between, within = [], []
    for level in range(levels or 1):
        z = (values == level).astype(np.float64) if levels else stats.rankdata(values)
        rows = min(z.sum(), n - z.sum()) if levels else n
        if rows**2 * (g - 1) / (2 * n) < EXPECTED:
            continue
        z -= z.mean()
        between.append(float((np.bincount(unit, z, k) ** 2 / sizes).sum()))
        within.append(max(float((z * z).sum()) - between[-1], 1e-12 * between[-1]))
    if not between or not any(between):
        return 0.0, 1.0
    squares = np.array([between, within]) / [[k - 1], [n - k]]
    p = min(1.0, len(between) * float(stats.f.sf(squares[0] / np.maximum(squares[1], 1e-300), k - 1, n - k).min()))
    ratio = float(squares[0].sum() / squares[1].sum())
    return (ratio - 1) / (ratio - 1 + g), p


def is_quantity(values: Array, numbers: Array) -> bool:
    """Whether the means of a column follow the numbers of units, from low to high or smoothly: no name would do so."""
    from scipy import stats

    there = ~np.isnan(values)
    seen, unit = np.unique(numbers[there], return_inverse=True)
    means = stats.rankdata(np.bincount(unit, values[there]) / np.bincount(unit))
    z = (means - means.mean()) / max(float(means.std()), 1e-300)
    smooth = stats.norm.sf(float(z[1:] @ z[:-1]) / np.sqrt(len(seen)))
    return bool(min(smooth, stats.spearmanr(seen, means).pvalue) < LEVEL / 2)
