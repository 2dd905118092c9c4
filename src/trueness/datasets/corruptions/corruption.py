"""A corruption: steps done in the fixed order, on columns in standard units.

    z = (x - mean) / sd  per column, over what is observed and without intervention
    regimes: the system is run again under interventions, with the same noise
    bias, noise, outliers, drift: z -> z';   mask: missing = mask(z');   observed = mean + sd z', NaN where missing

So the same strength means the same on a column of 0.01 volts as on one of 1,000 hectopascal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.corruptions.steps import STAGES, Array, Step
from trueness.datasets.dataset import Dataset
from trueness.datasets.observed import FEWEST, Observed
from trueness.datasets.regimes import DrawsRegimes, plan_regimes
from trueness.datasets.table import Table
from trueness.errors import DataError, SettingError, listed
from trueness.graphs import Graph

if TYPE_CHECKING:
    import pandas

_ROWS_AT_ONCE = 2048  # turning rows into columns block by block, in the cache: a third of the time
_REVEALS = "the mask is built from the true graph"
_OVERWRITTEN = "regimes overwrite recorded values: their effects on other columns are missing"


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
        steps = tuple(str(step) for step in self.steps)
        labels = (_REVEALS,) if uses_graph else ()
        return CorruptionCard(self.name, self.summary, steps, uses_graph, needs_system, labels)

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
        if count > 1 and isinstance(dataset, DrawsRegimes):
            n = dataset.about.rows if n is None else n
            regimes = plan_regimes(n, len(dataset.truth), count, self.steps[0].rng(seed))
            clean, moved = dataset.draw_regimes(regimes, n, rng)
            scale = _Scale.of(clean)
            return self._finish(clean, scale, scale.standard(moved.values), regimes.labels, dataset.truth, seed)
        return self.apply(dataset.draw(n, rng), seed=seed, truth=dataset.truth, overwrite_regimes=overwrite_regimes)

    def apply(
        self, table: Table, *, seed: int, truth: Graph | None = None, overwrite_regimes: bool = False
    ) -> Corrupted:
        """The rows of a table, corrupted. `truth` is needed by masks that use the graph, and by those alone."""
        count, scale = self._regimes, _Scale.of(table)
        z = scale.standard(table.values)
        if count <= 1:
            labels = getattr(table, "regimes", None)
            labels = np.zeros(table.n, dtype=np.intp) if labels is None else labels.copy()
            return self._finish(table, scale, z, labels, truth, seed)
        if not overwrite_regimes:
            raise DataError(
                f"regimes of {self.name!r} must be drawn from a simulated system, got rows of {table.source}: an "
                "intervention cannot be run on recorded rows. Use a synthetic or var data set, or pass "
                "overwrite_regimes=True (labelled)."
            )
        regimes = plan_regimes(table.n, table.d, count, self.steps[0].rng(seed))
        regimes.overwrite(z)
        return self._finish(table, scale, z, regimes.labels, truth, seed, _OVERWRITTEN)

    @property
    def _regimes(self) -> int:
        return next((int(step.strength) for step in self.steps if step.name == "regimes"), 1)

    def _finish(
        self,
        clean: Table,
        scale: _Scale,
        z: Array,
        labels: NDArray[np.intp],
        truth: Graph | None,
        seed: int,
        *notes: str,
    ) -> Corrupted:
        """Bias to mask, on what the regimes left; z is changed in place."""
        if clean.experiments is not None:
            raise DataError(
                f"a corruption must have rows whose targets are not told, got those of {clean.source}: a corrupted "
                "row does not say where it was intervened on. Leave 'targets' out, or take observational rows."
            )
        if clean.discrete.any():
            name = clean.names[int(clean.discrete.argmax())]
            raise DataError(
                f"a corruption must have continuous columns, got the discrete {name!r} of {clean.source}. "
                "Use Table.as_numbers() where its levels are numbers."
            )
        mask: NDArray[np.bool_] = np.isnan(z)
        for step in self.steps:
            more = {"parents": self._parents(truth, clean)} if step.card.uses_graph else {}
            lost = None if step.name == "regimes" else step.apply(z, seed, **more)
            if lost is not None:
                mask |= lost
        self._check_mask(mask, clean)
        scale.restore(z)
        np.copyto(z, np.nan, where=mask)
        card = replace(self.card, labels=(*self.card.labels, *notes))
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


@dataclass(frozen=True, eq=False)
class _Scale:
    """Mean and sd of each column over what is observed; a constant column keeps its unit."""

    mean: Array
    sd: Array

    @classmethod
    def of(cls, table: Table) -> _Scale:
        values = table.values
        if np.isfinite(values.sum()):  # one quick pass; the slower functions are for gaps only
            mean = values.mean(axis=0)
            square = np.einsum("tj,tj->j", values, values) / max(len(values), 1)
            sd = np.sqrt(np.maximum(square - mean**2, 0.0))
            rough = sd < 1e-3 * np.abs(mean)  # the difference of two large numbers: once more, exactly
            sd[rough] = values[:, rough].std(axis=0)
        else:
            mean, sd = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        return cls(mean, np.where(sd > 0, sd, 1.0))

    def standard(self, values: Array) -> Array:
        """(x - mean) / sd, a copy in column order: steps go through a column at a time."""
        z = np.empty(values.shape, order="F")
        for start in range(0, len(z), _ROWS_AT_ONCE):
            part = z[start : start + _ROWS_AT_ONCE]
            np.subtract(values[start : start + _ROWS_AT_ONCE], self.mean, out=part)
            part /= self.sd
        return z

    def restore(self, z: Array) -> None:
        for j, column in enumerate(z.T):
            column *= self.sd[j]
            column += self.mean[j]
