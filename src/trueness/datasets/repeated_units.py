"""Rows of units that repeat, as the visits of a patient: are rows of the same unit more alike than others?

F      mean square between units / mean square within them, of ranks; of a category by its levels as 0 and 1
r      (F - 1) / (F - 1 + g), g rows a unit: the correlation of two rows of the same unit (Fisher 1925)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
EXPECTED = 5.0  # pairs of rows of a unit at a level, by chance; rarer levels tell nothing
LEVEL = 0.01


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
