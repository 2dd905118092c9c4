"""A corruption: steps done in the fixed order, on columns in standard units.

    z = (x - mean) / sd  per column, over what is observed and without intervention
    regimes: the system is run again under interventions, with the same noise
    bias, noise, outliers, drift: z -> z';   mask: missing = mask(z');   observed = mean + sd z', NaN where missing

So the same strength means the same on a column of 0.01 volts as on one of 1,000 hectopascal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from assay.datasets.corruptions.corrupted import Array, Corrupted, CorruptionCard
from assay.datasets.corruptions.steps import STAGES, Step
from assay.datasets.dataset import Dataset
from assay.datasets.observed import FEWEST, Observed
from assay.datasets.regimes import System, plan_regimes
from assay.datasets.table import Table
from assay.errors import DataError, SettingError, listed
from assay.graphs import Graph

_REVEALS = "the mask is built from the true graph"
_OVERWRITTEN = "regimes overwrite recorded values: their effects on other columns are missing"


@dataclass(frozen=True)
class Corruption:
    """A name and its steps; apply it to a table, or let it draw from a data set."""

    name: str
    steps: tuple[Step, ...] = ()
    summary: str = ""

    def __post_init__(self) -> None:
        order = [STAGES.index(step.card.stage) for step in self.steps]
        if order != sorted(order):
            got = " -> ".join(step.card.stage for step in self.steps)
            raise SettingError(f"steps of {self.name!r} must be in the order {' -> '.join(STAGES)}, got {got}.")
        twice = sorted({step.name for step in self.steps if [s.name for s in self.steps].count(step.name) > 1})
        if twice:
            raise SettingError(f"a corruption must have each step once, got {listed(twice)} twice in {self.name!r}.")

    @property
    def card(self) -> CorruptionCard:
        uses_graph = any(step.card.uses_graph for step in self.steps)
        needs_system = any(step.name == "regimes" and step.strength > 1 for step in self.steps)
        told = tuple(str(step) for step in self.steps)
        labels = (_REVEALS,) if uses_graph else ()
        return CorruptionCard(self.name, self.summary, told, uses_graph, needs_system, labels)

    def scaled(self, factor: float) -> Corruption:
        """Every strength times `factor` (a number of regimes stays), for a curve of degradation."""
        steps = tuple(s if s.card.whole else replace(s, strength=s.strength * factor) for s in self.steps)
        return Corruption(f"{self.name} x {factor:g}", steps, self.summary)

    def of(
        self, dataset: Dataset, n: int | None = None, *, seed: int, rng: Generator, overwrite_regimes: bool = False
    ) -> Corrupted:
        """n rows of a data set, drawn with `rng` and corrupted with `seed`.

        A simulated system is run under the regimes. Measured rows cannot be: that is an error unless
        `overwrite_regimes`, which puts the held values into the table and is labelled.
        """
        count = self._regimes
        if count > 1 and isinstance(dataset, System):
            n = dataset.about.rows if n is None else n
            regimes = plan_regimes(n, len(dataset.truth), count, self.steps[0].rng(seed))
            clean, moved = dataset.draw_regimes(regimes, n, rng)
            return self._finish(clean, moved.values, regimes.labels, dataset.truth, seed, ())
        return self.apply(dataset.draw(n, rng), seed=seed, truth=dataset.truth, overwrite_regimes=overwrite_regimes)

    def apply(
        self, table: Table, *, seed: int, truth: Graph | None = None, overwrite_regimes: bool = False
    ) -> Corrupted:
        """The rows of a table, corrupted. `truth` is needed by masks that use the graph, and by those alone."""
        count = self._regimes
        if count <= 1:
            labels = getattr(table, "regimes", None)
            labels = np.zeros(table.n, dtype=np.intp) if labels is None else labels.copy()
            return self._finish(table, table.values, labels, truth, seed, ())
        if not overwrite_regimes:
            raise DataError(
                f"regimes of {self.name!r} must be drawn from a simulated system, got rows of {table.source}: an "
                "intervention cannot be run on recorded rows. Use a synthetic or var data set, or pass "
                "overwrite_regimes=True (labelled)."
            )
        regimes = plan_regimes(table.n, table.d, count, self.steps[0].rng(seed))
        moved = table.values.copy()
        mean, sd = _scale(table)
        for block in regimes.blocks:
            held = mean[block.nodes] + sd[block.nodes] * block.values
            moved[block.start : block.stop, block.nodes] = held
        return self._finish(table, moved, regimes.labels, truth, seed, (_OVERWRITTEN,))

    @property
    def _regimes(self) -> int:
        return next((int(step.strength) for step in self.steps if step.name == "regimes"), 1)

    def _finish(
        self, clean: Table, moved: Array, labels: NDArray[np.intp], truth: Graph | None, seed: int, notes: tuple[str, ...]
    ) -> Corrupted:
        """Bias to mask, on the rows that the regimes left."""
        if clean.discrete.any():
            name = clean.names[int(clean.discrete.argmax())]
            raise DataError(
                f"a corruption must have continuous columns, got the discrete {name!r} of {clean.source}. "
                "Use Table.as_numbers() where its levels are numbers."
            )
        mean, sd = _scale(clean)
        z = moved - mean
        z /= sd
        mask: NDArray[np.bool_] = np.isnan(moved)
        for step in self.steps:
            if step.card.stage == "mask":
                more = {"parents": self._parents(truth, clean)} if step.card.uses_graph else {}
                mask |= step.apply(z, seed, **more)
            elif step.name != "regimes":
                step.apply(z, seed)
        z *= sd
        z += mean
        self._check_mask(mask, clean)
        z[mask] = np.nan
        card = self.card
        card = replace(card, labels=(*card.labels, *notes))
        lags = clean.lags if isinstance(clean, Observed) else 0
        return Corrupted(clean.names, z, mask, labels, clean.values, card, seed, clean.source, lags)

    def _parents(self, truth: Graph | None, table: Table) -> NDArray[np.bool_]:
        if truth is None:
            raise DataError(
                f"the mask of {self.name!r} is built from the true graph and must be given one (truth=...), got none. "
                "Use mnar_decoy, which needs none."
            )
        return truth.reorder(table.names).directed

    def _check_mask(self, mask: NDArray[np.bool_], table: Table) -> None:
        left = table.n - np.count_nonzero(mask, axis=0)
        if (left < FEWEST).any():
            j = int((left < FEWEST).argmax())
            raise DataError(
                f"the mask of {self.name!r} must leave {FEWEST} values in every column, got {left[j]} of {table.n} in "
                f"{table.names[j]!r}. Lower its strength, or use more rows."
            )


def _scale(table: Table) -> tuple[Array, Array]:
    """Mean and sd of each column over what is observed; a constant column keeps its unit."""
    complete = np.isfinite(table.values.sum())  # one quick pass; the slower functions are for gaps only
    mean = (np.mean if complete else np.nanmean)(table.values, axis=0)
    sd = (np.std if complete else np.nanstd)(table.values, axis=0)
    return np.asarray(mean), np.where(sd > 0, sd, 1.0)
