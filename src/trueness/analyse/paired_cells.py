"""Runs averaged to cells: what is paired.

    x_{u s} = mean over the runs of unit u on side s        a side: one condition, or several pooled

Repeats of a cell say how noisy a model is on a task, not how the conditions differ on other tasks; averaging them
first makes the unit of the test the thing that was sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueness.analyse.domain import Domain, Mask
from trueness.analyse.roles import Pair
from trueness.analyse.shares import Array


@dataclass(frozen=True, eq=False)
class PairedCells:
    """treatment[i] and reference[i] are the means of one unit, which lies in clusters[i] and is of models[i]."""

    treatment: Array
    reference: Array
    clusters: tuple[str, ...] = ()
    models: tuple[str, ...] = ()  # empty where the table names none, or where they are what is compared
    unpaired: tuple[str, ...] = ()  # units that one side does not have
    why_not: str = ""  # why there are no pairs at all

    @property
    def n(self) -> int:
        return len(self.treatment)


def side_values(domain: Domain, side: Sequence[str]) -> Array:
    """Values of the runs of a side, without the missing ones."""
    values = domain.value[domain.under(side)]
    return np.asarray(values[~np.isnan(values)])


def paired_cells(domain: Domain, pair: Pair, values: Array | None = None) -> PairedCells:
    """values: (n,) to be averaged in place of the runs' own (a rule's passes)."""
    if not domain.unit:
        return PairedCells(np.zeros(0), np.zeros(0), why_not="no column names a model or a task to pair by")
    units = domain.units
    taken = domain.value if values is None else values
    treatment, reference = (
        _means(taken, domain.under(side), units.codes, len(units.names)) for side in (pair.treatment, pair.reference)
    )
    whole = ~(np.isnan(treatment) | np.isnan(reference))
    alone = np.isnan(treatment) != np.isnan(reference)
    # a unit may span models: two logs
    within = domain.schema.model and set(units.models) <= set(domain.runs["model"].unique())
    return PairedCells(
        treatment[whole],
        reference[whole],
        tuple(units.clusters[whole]),
        tuple(units.models[whole]) if within else (),
        tuple(str(name) for name in units.names[alone]),
        "" if whole.any() else f"no {domain.unit} cell has runs under both",
    )


def _means(values: Array, rows: Mask, units: NDArray[np.intp], count: int) -> Array:
    """The mean of each unit over these rows; NaN where it has none."""
    rows = rows & ~np.isnan(values)
    sizes = np.bincount(units[rows], minlength=count)
    sums = np.bincount(units[rows], weights=values[rows], minlength=count)
    return np.asarray(np.divide(sums, sizes, out=np.full(count, np.nan), where=sizes > 0))
