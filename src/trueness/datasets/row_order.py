"""Do the rows of a table hang on each other? Tests take rows as independent draws; hours of a sensor are none.

    r_k        lag-k autocorrelation of a column along the rows; of a category that of its levels as columns of 0 and 1
    test       numbers: sum z_i z_(i+1) of ranks, against all orders of the rows (Wald & Wolfowitz 1943);
               a category, and the most frequent value of a number that has over half of the rows: how many runs a level
               makes, hypergeometric. Holm over columns, and over the order of a time column where it is another one
    sorted     by a column that is beyond chance, and only rises or falls or has each level in one run; then by another
               one within its ties. A sorted file of independent rows is no series, but what follows such a column
               changes along the file as well: the others are tested once more, less their regression on it
    effective  n / (1 + 2 sum_k r_k(a) r_k(b)) rows, of the pair of columns where they are fewest (Bartlett 1946)
    units      rows of the same unit, where a column names units that repeat (repeated_units.py): r in place of r_k,
               n / (1 + (g - 1) r(a) r(b)) effective rows, g rows a unit (Kish 1965)

Beyond chance is p < LEVEL for the table as a whole. It fails where it matters: the effective rows of a column with one
like itself (b = a) are fewer than ENOUGH of n. Gaps are left out: the next value that is there is the neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.order import RepeatedUnits, likeness
from trueness.datasets.table import Table
from trueness.errors import listed

Array = NDArray[np.float64]
LEVEL = 0.01
ENOUGH = 0.95  # of the rows: fewer effective ones are told as a failure
KNOTS = 20
MOST_LAGS = 10_000
MOST_VALUES = 20_000_000  # that are looked at, in their first rows
FEWEST = 20
REMEDY = (
    "Thin the rows until neighbours are independent, add columns of earlier rows as lags, or use a scorer for series "
    "('trueness list scorers')."
)
UNITS = "Keep one row of each, or take differences within each."


@dataclass(frozen=True)
class ColumnOrder:
    """Lag-1 autocorrelation and Holm-adjusted p; both beside the columns that the file is sorted by, where it is."""

    column: str
    lag1: float
    p: float
    dependent: bool


@dataclass(frozen=True)
class RowDependence:
    n: int
    order: str  # in which rows follow each other: "rows", or the name of a time column
    columns: tuple[ColumnOrder, ...]
    sorted_by: tuple[str, ...] = ()
    effective_rows: float | None = None  # None where no column is dependent
    pair: tuple[str, ...] = ()
    matters: bool = False
    units: int = 0  # with several rows each; `order` is the column that names them, and lag1 the r of two of its rows

    @property
    def passed(self) -> bool:
        return not self.matters

    @property
    def dependent(self) -> list[ColumnOrder]:
        return sorted((one for one in self.columns if one.dependent), key=lambda one: -abs(one.lag1))

    def sentence(self) -> str:
        """The answer first; a failed one ends with what to do."""
        most = max((abs(one.lag1) for one in self.columns), default=0.0)
        where = "row order" if self.order == "rows" else f"the order of {self.order}"
        if not self.dependent and self.units:
            return f"rows of the same {self.order} are no more alike than others, beyond chance (at most {most:.2f})"
        if not self.dependent and self.sorted_by:
            others = f"; the others only follow {'it' if len(self.sorted_by) == 1 else 'them'}"
            kept = others if len(self.columns) > len(self.sorted_by) else ""
            return f"sorted by {listed(self.sorted_by)}{kept}: beside that no dependence of rows is seen"
        if not self.dependent:
            return f"no lag-1 autocorrelation beyond chance in {where} (at most {most:.2f}, Holm over columns)"
        named = ", ".join(f"{one.column} {one.lag1:.2f}" for one in self.dependent[:4])
        named += f" and {len(self.dependent) - 4} more" if len(self.dependent) > 4 else ""
        worth = f"{self.effective_rows:,.0f} effective rows of {self.n:,} ({' and '.join(self.pair)})"
        if self.units:
            found = f"rows of the same {self.order} depend on each other, correlations {named}, beyond chance"
            worth, remedy = f"{self.units:,} different, {worth}", UNITS
        else:
            after = f", beside sorting by {listed(self.sorted_by)}" if self.sorted_by else ""
            found = f"lag-1 autocorrelation in {where}{after}: {named}, beyond chance"
            remedy = REMEDY
        if not self.matters:
            return f"{found}, but too little to matter{';' if self.units else ':'} {worth}"
        return f"{'' if self.units else 'rows depend on each other, '}{found}; {worth}. {remedy}"

    def to_dict(self) -> dict[str, object]:
        return {
            "passed": self.passed,
            "order": self.order,
            "rows": self.n,
            "effective_rows": self.effective_rows,
            "pair": list(self.pair),
            "sorted_by": list(self.sorted_by),
            "columns": {one.column: {"lag1": one.lag1, "p": one.p, "dependent": one.dependent} for one in self.columns},
            "sentence": self.sentence(),
        }


@lru_cache(maxsize=4)
def row_dependence(table: Table) -> RowDependence | None:
    """None where rows are said to be a series, or are too few to tell."""
    if (isinstance(table, Observed) and table.lags) or table.n < FEWEST or table.experiments is not None:
        return None
    most = max(MOST_VALUES // max(table.d, 1), FEWEST)
    orders: list[tuple[str, Table]] = [("rows", table.rows(np.arange(min(table.n, most))))]
    if table.times is not None and (np.diff(table.times.rows) != 1).any():
        orders.append((table.times.column, table.rows(table.times.rows[:most])))
    tests = len(orders) + len(table.units)
    verdicts = [_in_order(ordered, name, tests) for name, ordered in orders]
    verdicts += [_in_units(orders[0][1], units, tests) for units in table.units]
    fewest = min(verdicts, key=lambda one: (one.passed, not one.dependent, one.effective_rows or 0.0))
    failed = [one for one in verdicts if one.units and not one.passed]  # which says more of why than the order of rows
    return replace(failed[0], effective_rows=fewest.effective_rows, pair=fewest.pair) if failed else fewest


def _in_order(table: Table, order: str, orders: int) -> RowDependence:
    p = _holm([_p(table, j) for j in range(table.d)], orders)
    columns = {j: ColumnOrder(name, _lag1(table, j), p[j], p[j] < LEVEL) for j, name in enumerate(table.names)}
    flagged = [j for j, one in columns.items() if one.dependent]
    keys = _sorting_columns(table, flagged)
    by, flagged = tuple(table.names[j] for j in keys), [j for j in flagged if j not in keys]
    parts = {j: _embedded(table, j) for j in range(table.d) if j not in keys}
    if keys:
        columns |= {j: replace(columns[j], dependent=False) for j in keys}
        along = _along(table, keys)
        parts = {j: _less_keys(table, j, along) for j in parts}
        lag1 = {j: float(_autocorrelations(parts[j], 1)[0]) for j in flagged}
        beside = [_order_p(parts[j]) if lag1[j] > 0 else 1.0 for j in flagged]  # a regression leaves neighbours opposed
        for j, p_beside in zip(flagged, _holm(beside, orders), strict=True):
            columns[j] = replace(columns[j], dependent=p_beside < LEVEL, p=p_beside, lag1=lag1[j])
        flagged = [j for j in flagged if columns[j].dependent]
    if not flagged:
        return RowDependence(table.n, order, tuple(columns.values()), by)
    rows, pair, alone = _effective_rows(parts, flagged, table.n)
    names, matters = tuple(table.names[j] for j in pair), bool(alone < ENOUGH * table.n)
    return RowDependence(table.n, order, tuple(columns.values()), by, rows, names, matters)


def _in_units(table: Table, units: RepeatedUnits, orders: int) -> RowDependence:
    of = units.of[: table.n]
    places = [j for j, name in enumerate(table.names) if name != units.column]
    kinds = np.where(table.ordered, 0, table.n_levels)
    r, p = np.array([likeness(table.values[:, j], int(kinds[j]), of) for j in places]).reshape(-1, 2).T
    p, names = np.array(_holm(list(p), orders)), [table.names[j] for j in places]
    columns = tuple(ColumnOrder(*one, one[2] < LEVEL) for one in zip(names, r.tolist(), p.tolist(), strict=True))
    sizes = np.bincount(of)
    if not (p < LEVEL).any():
        return RowDependence(table.n, units.column, columns, units=len(sizes))
    more = (sizes**2).sum() / table.n - 1  # rows of its unit beside a row
    best = np.argsort(-r)
    a = next(j for j in best if p[j] < LEVEL)
    b = next((j for j in best if j != a), a)
    effective, alone = (float(table.n / (1 + more * max(of_two, 0.0))) for of_two in (r[a] * r[b], r[a] ** 2))
    pair, matters = (names[a], names[b]), bool(alone < ENOUGH * table.n)
    return RowDependence(table.n, units.column, columns, (), effective, pair, matters, len(sizes))


def _holm(p: Sequence[float], orders: int) -> list[float]:
    from trueness.statistics.multiplicity import adjust

    return np.minimum(adjust(np.array(p)) * orders, 1.0).tolist() if len(p) else []


# ---- a column along the rows


def _embedded(table: Table, j: int) -> Array:
    """(n, p), centred: numbers as they are, a category as columns of 0 and 1; 0 in gaps."""
    values, levels = table.values[:, j], table.levels[j]
    z: Array = values[:, None]
    if levels is not None:
        z = np.where(np.isnan(z), np.nan, z == np.arange(len(levels)))
    centred: Array = np.nan_to_num(z - np.nanmean(z, axis=0))
    return centred


def _lag1(table: Table, j: int) -> float:
    z = _embedded(table, j)[~table.gaps[:, j]]
    return float((z[1:] * z[:-1]).sum() / max((z * z).sum(), 1e-300))


def _p(table: Table, j: int) -> float:
    """Two-sided, of one column."""
    from scipy import stats

    values = table.values[:, j]
    values = values[~np.isnan(values)]
    if len(values) < FEWEST:
        return 1.0
    if table.levels[j] is None:
        levels, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        if counts.max() <= len(values) / 2:
            return _order_p(stats.rankdata(values)[:, None])
        return _runs_p(codes == int(counts.argmax())) if len(levels) > 1 else 1.0
    kinds = [level for level in np.unique(values) if (values != level).any()]
    kinds = kinds[: 1 if len(kinds) == 2 else None]  # the runs of one of two levels are those of the other
    return min([1.0, *(len(kinds) * _runs_p(values == level) for level in kinds)])


def _runs_p(there: NDArray[np.bool_]) -> float:
    """Runs of a level with a of n rows: P(R = r) = C(a - 1, r - 1) C(n - a + 1, r) / C(n, a)."""
    from scipy import stats

    n, a = len(there), int(there.sum())
    runs = int(there[0]) + int((there[1:] & ~there[:-1]).sum())
    chance = stats.hypergeom(n, n - a + 1, a)
    return float(min(1.0, 2 * min(chance.cdf(runs), chance.sf(runs - 1))))


def _order_p(z: Array) -> float:
    """Sum of z_i . z_(i+1) of rows (n, p), against all orders of them: normal."""
    from scipy import stats

    m, z = len(z), z - z.mean(axis=0)
    squares = (z * z).sum(axis=1)
    a, fourth = float(squares.sum()), float((squares * squares).sum())
    t2 = float(((z.T @ z) ** 2).sum()) - fourth  # sum over i != j of (z_i . z_j)^2
    t3 = fourth - t2  # over pairs with one row in common
    t4 = a * a - 4 * t3 - 2 * t2  # with none
    mean = -a / m
    variance = t2 / m + 2 * t3 / (m * (m - 1)) + t4 / (m * (m - 1)) - mean * mean
    total = float((z[1:] * z[:-1]).sum()) - mean
    return float(2 * stats.norm.sf(abs(total) / np.sqrt(variance))) if variance > 1e-300 else 1.0


# ---- a sorted file


def _sorting_columns(table: Table, flagged: Sequence[int]) -> list[int]:
    """By which the file is sorted: one, then one more within its ties, and so on."""
    keys: list[int] = []
    ties = np.ones(table.n - 1, dtype=np.bool_)  # row i and i + 1 are alike in all keys
    while True:
        some = [j for j in flagged if j not in keys and ties.sum() >= FEWEST and _is_sorted(table, j, ties)]
        if not some:
            return keys
        keys.append(some[0])
        values = table.values[:, some[0]]
        ties = ties & (values[1:] == values[:-1])


def _is_sorted(table: Table, j: int, ties: NDArray[np.bool_]) -> bool:
    values = table.values[:, j]
    if np.isnan(values).any() or (values[1:] == values[:-1])[ties].all():
        return False
    steps = np.diff(values)[ties]
    if (steps >= 0).all() or (steps <= 0).all():
        return True
    if table.levels[j] is None:
        return False
    group = np.concatenate([[0], np.cumsum(~ties)])
    begins = np.concatenate([[True], (values[1:] != values[:-1]) | ~ties])
    return bool(begins.sum() == len(np.unique(np.stack([group, values]), axis=1).T))


def _along(table: Table, keys: Sequence[int]) -> Array:
    """(n, k), orthonormal: a line with KNOTS bends along the file, and the keys themselves."""
    at = np.arange(table.n) / table.n
    knots = np.linspace(0, 1, 2 + int(np.clip(table.n // 20, 1, KNOTS)))[:-1]
    basis = [np.ones(table.n), *(np.maximum(at - knot, 0.0) for knot in knots)]
    for key in keys:
        basis += list(_embedded(table, key).T[: max(int(table.n_levels[key]) - 1, 1)])
    return np.asarray(np.linalg.qr(np.stack(basis, axis=1))[0])


def _less_keys(table: Table, j: int, along: Array) -> Array:
    """The column, in ranks, less its regression on the file and its keys."""
    from scipy import stats

    z = _embedded(table, j)
    if table.levels[j] is None:
        there = ~table.gaps[:, j]
        z[there, 0] = stats.rankdata(table.values[there, j]) - (there.sum() + 1) / 2
    return np.asarray(z - along @ (along.T @ z))


# ---- effective rows


def _effective_rows(
    columns: dict[int, Array], dependent: Sequence[int], n: int
) -> tuple[float, tuple[int, int], float]:
    """Of the pair with the fewest, one of them dependent; that pair; the fewest of a column with one like itself."""
    lags = max(min(n // 4, MOST_LAGS), 1)
    places = list(columns)
    r = np.stack([_autocorrelations(columns[j], lags) for j in places])
    sums = np.maximum(r @ r.T, 0.0)
    rows = [places.index(j) for j in dependent]
    alone = float(n / (1 + 2 * max(sums[k, k] for k in rows)))
    if len(places) == 1:
        return alone, (places[0], places[0]), alone
    np.fill_diagonal(sums, -1.0)
    others = np.setdiff1d(np.arange(len(places)), rows)
    sums[np.ix_(others, others)] = -1.0
    a, b = np.unravel_index(int(sums.argmax()), sums.shape)
    return float(n / (1 + 2 * max(sums[a, b], 0.0))), (places[int(a)], places[int(b)]), alone


def _autocorrelations(z: Array, lags: int) -> Array:
    from scipy import fft

    size = fft.next_fast_len(len(z) + lags, real=True)
    power = (np.abs(fft.rfft(z, size, axis=0)) ** 2).sum(axis=1)
    r = fft.irfft(power, size)[: lags + 1]
    return np.asarray(r[1:] / max(r[0], 1e-300))
