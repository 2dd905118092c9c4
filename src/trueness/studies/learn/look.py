"""What a table looks like, each by a test with its number: curved relations, Gaussian noise, scales, dependence.

    curved      of each number: F test of the squares of the others in its regression on all others, Holm over columns
    Gaussian    of each number: Jarque-Bera test of the residuals of that regression, Holm over columns
    R2          of each number on all others: how much the others tell (near 1: nearly dependent columns)
    trouble     a column with many gaps, one that the others nearly determine, a level that few rows have

A category enters as columns of 0 and 1, an ordered column as its numbers. Rows with a gap are left out here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from trueness.datasets.table import Table
from trueness.statistics.multiplicity import adjust

Array = NDArray[np.float64]
LEVEL = 0.05


def look_at(table: Table) -> dict[str, object]:
    columns = [_column(table, j) for j in range(table.d)]
    table = table.read_ordered()
    whole = table.values[~table.gaps.any(axis=1)]
    looked: dict[str, object] = {
        "n": table.n,
        "d": table.d,
        "kind": table.kind,
        "complete_rows": len(whole),
        "columns": columns,
    }
    numbers = np.flatnonzero(~table.discrete)
    if len(numbers) and len(whole) > 3 * table.d + 20:
        tests = [_regress(table, whole, j) for j in numbers]
        for name, place in (("curved", 0), ("not_gaussian", 1)):
            p = adjust(np.array([test[place] for test in tests]))
            rejected = [table.names[j] for j, q in zip(numbers, p, strict=True) if q < LEVEL]
            looked[name] = {"columns": rejected, "of": len(numbers), "least_p": float(p.min())}
        r2 = [test[2] for test in tests]
        for j, share in zip(numbers, r2, strict=True):
            columns[j]["r2"] = share
        looked["r2"] = {"most": max(r2), "column": table.names[numbers[int(np.argmax(r2))]], "mean": float(np.mean(r2))}
    return looked


def _column(table: Table, j: int) -> dict[str, object]:
    """complete_without: rows that would be complete if it were left out; least: rows of its rarest level."""
    values, levels = table.values[:, j], table.levels[j]
    missing = int(np.isnan(values).sum())
    seen = values[~np.isnan(values)]
    kind = "continuous" if levels is None else f"{len(levels)} {'ordered ' * bool(table.ordered[j])}levels"
    looked: dict[str, object] = {"column": table.names[j], "kind": kind, "missing": missing}
    if missing:
        looked["complete_without"] = int((~np.delete(table.gaps, j, axis=1).any(axis=1)).sum())
    if levels is None:
        return looked | {"variance": float(seen.var())}
    return looked | {"least": int(np.bincount(seen.astype(int), minlength=len(levels)).min())}


def _regress(table: Table, whole: Array, j: int) -> tuple[float, float, float]:
    """p of curvature, p of Gaussian residuals, R2."""
    y = whole[:, j] - whole[:, j].mean()
    linear, squares = [np.ones(len(y))], []
    for i in range(table.d):
        if i == j:
            continue
        if table.levels[i] is None:
            z = (whole[:, i] - whole[:, i].mean()) / max(whole[:, i].std(), 1e-12)
            linear.append(z)
            squares.append(z**2)
        else:
            linear += [(whole[:, i] == level).astype(float) for level in range(1, len(table.levels[i] or ()))]
    plain, curved = np.stack(linear, 1), np.stack([*linear, *squares], 1)
    (rest, rss), (_, rss_curved) = _residuals(plain, y), _residuals(curved, y)
    more, left = len(squares), len(y) - curved.shape[1]
    f = ((rss - rss_curved) / more) / max(rss_curved / max(left, 1), 1e-300) if more and left > 0 else 0.0
    p_curved = float(stats.f.sf(f, more, left)) if more and left > 0 else 1.0
    return p_curved, float(stats.jarque_bera(rest).pvalue), float(1 - rss / max(float(y @ y), 1e-300))


def _residuals(x: Array, y: Array) -> tuple[Array, float]:
    rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    return rest, float(rest @ rest)
