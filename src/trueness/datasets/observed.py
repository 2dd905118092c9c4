"""Observed: a Table as a sensor gives it, with missing values, regimes, and rows that may be in time order.

values (n, d), NaN where a value is missing;  regimes (n,) the label of each row's regime, or None;
lags > 0: row t follows row t - 1 (a time series), and causes may lie up to `lags` rows back; lags = 0: rows have
no order. It is a Table, so every learner takes it; check_usable refuses its gaps for those that need complete rows.
A learner that handles gaps itself calls check_observed instead and says in its card how (own likelihood, pairwise,
imputation by name). Nothing here knows a truth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.table import Table, check_columns, check_values
from trueness.errors import DataError

FEWEST = 3  # values of a column without which it has no variance to speak of


@dataclass(frozen=True, eq=False)
class Observed(Table):
    """What a learner may know of corrupted or measured rows."""

    regimes: NDArray[np.intp] | None = None
    lags: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.regimes is not None:
            regimes = np.array(self.regimes, dtype=np.intp)
            if regimes.shape != (self.n,):
                raise DataError(f"'regimes' of {self.source} must have one label a row, got shape {regimes.shape}.")
            regimes.setflags(write=False)
            object.__setattr__(self, "regimes", regimes)
        if self.lags < 0:
            raise DataError(f"'lags' of {self.source} must be 0 (no time order) or more, got {self.lags}.")

    @property
    def missing(self) -> NDArray[np.bool_]:
        """missing[t, j]: the value of column j in row t was not observed."""
        return np.isnan(self.values)

    @property
    def share_missing(self) -> float:
        return float(self.missing.mean()) if self.values.size else 0.0

    def rows(self, index: NDArray[np.intp]) -> Self:
        """Those rows. Whether they are still in time order is the caller's to see to: blocks are, resamples are not."""
        kept = replace(self, regimes=None) if self.regimes is not None else self
        rows = super(Observed, kept).rows(index)
        return rows if self.regimes is None else replace(rows, regimes=self.regimes[index])

    def complete_rows(self) -> Self:
        """The rows without a gap: listwise deletion, which biases what is not missing at random."""
        return self.rows(np.flatnonzero(~self.missing.any(axis=1)))

    @classmethod
    def from_table(cls, table: Table, lags: int = 0) -> Observed:
        """The table as it is where it is one already."""
        if isinstance(table, cls):
            return table
        return cls(table.names, table.values, table.levels, table.source, None, lags, experiments=table.experiments)


def check_observed(table: Table, lags: int = 0) -> None:
    """Raise for what no learner can use even where it handles gaps: an empty or constant column, too few rows."""
    check_columns(table)
    if np.isinf(table.values).any():
        raise DataError(f"{table.source} must be finite or missing, got an infinite value. Mark it as missing.")
    counts = np.count_nonzero(~np.isnan(table.values), axis=0)
    if (counts < FEWEST).any():
        j = int((counts < FEWEST).argmax())
        raise DataError(
            f"column {table.names[j]!r} of {table.source} must have at least {FEWEST} observed values, "
            f"got {counts[j]} of {table.n}. Drop it, or have fewer values missing."
        )
    for j in range(table.d):
        check_values(table, j, True, "Drop it, or use more rows.")
    check_lags(table, lags)


def check_lags(table: Table, lags: int) -> None:
    """A series must be longer than what one equation of its lagged model has coefficients: d * lags + 1."""
    least = table.d * lags + lags + 2
    if lags and table.n < least:
        raise DataError(
            f"{table.source} must have at least {least} rows for {lags} lags of {table.d} variables, got {table.n}. "
            "Use fewer lags or a longer series."
        )
