"""What a corruption hands back: the rows as observed, the clean ones beside them, and what was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.observed import Observed

if TYPE_CHECKING:
    import pandas

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CorruptionCard:
    """One line of `trueness list corruptions`, and the label that every result of it carries."""

    name: str
    summary: str
    steps: tuple[str, ...]  # what is done, in order, each with its strength
    uses_graph: bool  # the mask is built from the true parents, so it reveals the graph
    needs_system: bool  # regimes: interventions on the system that makes the rows
    labels: tuple[str, ...] = ()  # what a reader must know beside a number got under it

    def row(self) -> dict[str, object]:
        return {
            "name": self.name,
            "summary": self.summary,
            "steps": "; ".join(self.steps) or "nothing",
            "uses the graph": "yes" if self.uses_graph else "no",
            "regimes": "yes" if self.needs_system else "no",
        }


@dataclass(frozen=True, eq=False)
class Corrupted:
    """values, clean: (n, d) in the units of the data, `values` NaN where mask[t, j] (missing); regimes: (n,).

    Arrays are in column order; `observed` copies them into a table."""

    names: tuple[str, ...]
    values: Array
    mask: NDArray[np.bool_]
    regimes: NDArray[np.intp]
    clean: Array
    card: CorruptionCard
    seed: int
    source: str = "the data"
    lags: int = 0

    def __post_init__(self) -> None:
        for array in (self.values, self.mask, self.regimes, self.clean):
            array.setflags(write=False)

    @property
    def observed(self) -> Observed:
        """What a learner gets: no clean values, no card, no truth. Regimes are None where there is one only."""
        regimes = self.regimes if self.regimes.any() else None
        kinds = (None,) * len(self.names)
        return Observed(self.names, self.values, kinds, f"{self.source} ({self.card.name})", regimes, self.lags)

    def frame(self, rows: int = 200, columns: int = 4) -> pandas.DataFrame:
        """Clean beside corrupted, one line a value of the first columns and of `rows` rows, taken evenly."""
        import pandas as pd

        at = np.unique(np.linspace(0, len(self.values) - 1, min(rows, len(self.values))).astype(np.intp))
        n, d = len(at), min(columns, len(self.names))
        return pd.DataFrame(
            {
                "row": np.repeat(at, d),
                "column": np.tile(np.array(self.names[:d], dtype=object), n),
                "clean": self.clean[at, :d].ravel(),
                "corrupted": self.values[at, :d].ravel(),
                "missing": self.mask[at, :d].ravel(),
                "regime": np.repeat(self.regimes[at], d),
            }
        )
