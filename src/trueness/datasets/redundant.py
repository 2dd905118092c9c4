"""Columns that say nothing of their own: constant ones, copies, and those that follow exactly from others.

    constant     one value in all rows that have one, or no value at all
    copy         the same categories under other names, the same gaps
    dependent    1 - R^2 < 1e-12 on the numbers before it, over the complete rows: age = 6 + education + experience

Of columns that follow from one another the last one is named. A test of independence has no answer on any of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import listed

Floats = NDArray[np.float64]
SINGULAR = 1e-12  # share of a variance that counts as none
_SMALL = 1e-9  # of a coefficient, as a share of the greatest


def redundant_columns(table: Table) -> dict[str, str]:
    """Name -> why it says nothing of its own, in the order of the columns."""
    why = _copies(table) | _constants(table)
    read = table.read_ordered()
    numbers = [j for j, levels in enumerate(read.levels) if levels is None and table.names[j] not in why]
    while len(numbers) > 1:
        values = read.values[:, numbers]
        values = values[np.isfinite(values).all(axis=1)]
        place = _dependent(values)
        if place < 0:
            break
        why[table.names[numbers[place]]] = _equation([table.names[j] for j in numbers[: place + 1]], values)
        del numbers[place]
    return {name: why[name] for name in table.names if name in why}


def _constants(table: Table) -> dict[str, str]:
    why = {}
    for j, name in enumerate(table.names):
        seen = table.values[:, j][np.isfinite(table.values[:, j])]
        if not len(seen):
            why[name] = "no value"
        elif (seen == seen[0]).all():
            levels = table.levels[j]
            why[name] = f"constant (all {levels[int(seen[0])] if levels else format(seen[0], 'g')})"
    return why


def _copies(table: Table) -> dict[str, str]:
    """Categories with the same levels in other words, by what stands in which row."""
    first: dict[bytes, str] = {}
    why = {}
    for j in np.flatnonzero(table.discrete):
        codes = np.where(np.isnan(table.values[:, j]), -1, table.values[:, j]).astype(np.int64)
        _, place, inverse = np.unique(codes, return_index=True, return_inverse=True)
        in_order = place[inverse.ravel()].tobytes()  # of each row the first one with its level
        gaps = (codes < 0).tobytes()
        other = first.setdefault(in_order + gaps, table.names[j])
        if other != table.names[j]:
            why[table.names[j]] = f"a copy of {other}"
    return why


def _dependent(values: Floats) -> int:
    """The first column that those before it determine; -1 where none is, or too few complete rows could tell."""
    n, d = values.shape
    if n < d + 2:
        return -1
    centred = values - values.mean(axis=0)
    scale = np.sqrt((centred**2).sum(axis=0))
    if (scale == 0).any():
        return -1
    z = centred / scale
    for place in range(1, d):
        left = z[:, place] - z[:, :place] @ (z[:, :place].T @ z[:, place])
        left -= z[:, :place] @ (z[:, :place].T @ left)  # twice is enough (Giraud et al. 2005)
        size = float(left @ left)
        if size < SINGULAR:
            return place
        z[:, place] = left / np.sqrt(size)
    return -1


def _equation(names: list[str], values: Floats) -> str:
    """What the last column is of those before it."""
    before = np.column_stack([np.ones(len(values)), values[:, : len(names) - 1]])
    coefficients = np.linalg.lstsq(before, values[:, len(names) - 1], rcond=None)[0]
    share = np.abs(coefficients) * np.abs(before).max(axis=0)
    terms = [
        f"{c:.6g}" if not name else name if abs(c - 1) < _SMALL else f"{c:.6g} {name}"
        for c, name, size in zip(coefficients, ["", *names[:-1]], share, strict=True)
        if size > _SMALL * share.max()
    ]
    text = " + ".join(terms).replace("+ -", "- ")
    return f"it is {text}" if len(terms) <= 6 else f"it follows from {listed(names[:-1])}"
