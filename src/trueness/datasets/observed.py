"""Observed: a Table as a sensor gives it, with missing values, regimes, and rows that may be in time order.

values (n, d), NaN where a value is missing;  regimes (n,) the label of each row's regime, or None;
lags > 0: row t follows row t - 1 (a time series), and causes may lie up to `lags` rows back; lags = 0: rows have
no order. It is a Table, so every learner takes it; check_usable refuses its gaps for those that need complete rows.
A learner that handles gaps itself calls check_observed instead and says in its card how (own likelihood, pairwise,
imputation by name). Nothing here knows a truth.

Regimes: stretches of rows in which a few nodes are held by an intervention.

    regime 0: nothing is held.   regime r > 0: 1 to 3 nodes are cut from their causes,
    x_j := mean_j + sd_j (c_j + e),   |c_j| uniform in [1, 2] with random sign,  e ~ N(0, 1)

mean_j and sd_j are those without intervention. That is a hard (perfect, stochastic) intervention; its effects reach
the descendants only when the system itself is run again (`draw_regimes` of simulated systems).
Pearl (2009), ch. 3; Eberhardt & Scheines (2007) on hard and soft ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table, check_columns, check_values
from trueness.errors import DataError, SettingError

Array = NDArray[np.float64]
Hold = Callable[[int, Array], None]
MOST_HELD = 3  # nodes that one regime holds
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

    def rows(self, index: NDArray[np.intp]) -> Self:
        """Those rows. Whether they are still in time order is the caller's to see to: blocks are, resamples are not."""
        kept = replace(self, regimes=None) if self.regimes is not None else self
        rows = super(Observed, kept).rows(index)
        return rows if self.regimes is None else replace(rows, regimes=self.regimes[index])

    @classmethod
    def from_table(cls, table: Table) -> Observed:
        """Rows without a time order."""
        return cls(table.names, table.values, table.levels, table.source, experiments=table.experiments)


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


# ---- regimes


class Block(NamedTuple):
    """Rows start to stop in which `nodes` take `values` (stop - start, nodes), in standard units."""

    start: int
    stop: int
    nodes: NDArray[np.intp]
    values: Array


@dataclass(frozen=True, eq=False)
class Regimes:
    """labels: (n,) the regime of each row; one block a regime that holds something."""

    labels: NDArray[np.intp]
    blocks: tuple[Block, ...]

    def hold(self, mean: Array, sd: Array) -> Hold:
        """What sets the rows of column j in which it is held, in place."""

        def hold(j: int, column: Array) -> None:
            for rows, standard in self.of(j):
                column[rows] = mean[j] + sd[j] * standard

        return hold

    def of(self, node: int) -> Iterator[tuple[slice, Array]]:
        """Where a node is held, and its values there, in standard units."""
        for block in self.blocks:
            for k in np.flatnonzero(block.nodes == node):
                yield slice(block.start, block.stop), block.values[:, k]


def plan_regimes(n: int, d: int, count: int, rng: Generator) -> Regimes:
    """`count` blocks of equal length; the first is left alone. The nodes do not depend on the graph."""
    if not 1 <= count <= n:
        raise SettingError(f"the number of regimes must be in [1, {n}] for {n} rows, got {count}. Try 3.")
    edges = [regime * n // count for regime in range(count + 1)]
    labels = np.repeat(np.arange(count, dtype=np.intp), np.diff(edges))
    blocks = []
    for start, stop in pairwise(edges[1:]):
        nodes = np.sort(rng.choice(d, size=int(rng.integers(1, max(1, min(MOST_HELD, d - 1)) + 1)), replace=False))
        centre = rng.uniform(1.0, 2.0, len(nodes)) * rng.choice([-1.0, 1.0], len(nodes))
        blocks.append(Block(start, stop, nodes, centre + rng.standard_normal((stop - start, len(nodes)))))
    return Regimes(labels, tuple(blocks))
