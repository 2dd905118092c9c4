"""One study of a plan as the driver sees it: what every study must say, and what it may.

    must   name, level, measures, headline, cells(), describe(item, respondent)
    fits   function = "module:perform" (what a worker calls with a unit), time_limit
    asks   models (name -> options), limit_usd, perform(cell, repeat, ask) -> outcome
    may    about(), notes, references, datasets, and for `plan`: units(), cautions(), reach(), calibration(), alike()

A study is a class with from_plan(table, context), built in or not; this is the one place that asks what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar, cast

from trueness.measure import Measure
from trueness.models import Message, Reply, Settings
from trueness.outside import Json
from trueness.running.cells import Cell
from trueness.running.outcomes import Outcome as Outcome

T = TypeVar("T")
Ask = Callable[[str, Sequence[Message], Settings, str], Reply]


class PlannedStudy(Protocol):
    """What every study says of itself."""

    name: str
    measures: Sequence[str | Measure]
    headline: Sequence[str | Measure]

    @property
    def level(self) -> float: ...

    def cells(self) -> list[Cell]: ...

    def describe(self, item: str, respondent: str) -> dict[str, Json]: ...


class AskingStudy(PlannedStudy, Protocol):
    """One whose units are questions to models."""

    def perform(self, cell: Cell, repeat: int, ask: Ask) -> Outcome: ...


@dataclass(frozen=True, eq=False)
class Stage:
    """A study of a plan and its cells."""

    study: PlannedStudy
    cells: list[Cell]

    @property
    def name(self) -> str:
        return self.study.name

    @property
    def planned(self) -> int:
        return sum(cell.repeats for cell in self.cells)

    @property
    def function(self) -> str:
        """Of a worker; nothing where models are asked from the driver."""
        return str(self._may("function", ""))

    @property
    def is_fitted(self) -> bool:
        return bool(self.function)

    @property
    def time_limit(self) -> float:
        """Seconds of a fit."""
        return float(self._may("time_limit", 300.0))

    @property
    def models(self) -> Mapping[str, Mapping[str, Json]]:
        return self._may("models", {})

    @property
    def has_judges(self) -> bool:
        return getattr(self.study, "judges", None) is not None

    @property
    def limit_usd(self) -> float | None:
        return self._may("limit_usd", None)

    def perform(self, cell: Cell, repeat: int, ask: Ask) -> Outcome:
        return cast(AskingStudy, self.study).perform(cell, repeat, ask)

    @cached_property
    def about(self) -> dict[str, Json]:
        """What a reader of the store must know of the study as a whole."""
        return self._call("about", {})

    @property
    def datasets(self) -> Mapping[str, Json]:
        return self._may("datasets", {})

    # ---- for `plan`

    @property
    def notes(self) -> Sequence[str]:
        return self._may("notes", ())

    @property
    def n_respondents(self) -> int:
        return len({cell.respondent for cell in self.cells}) + len(getattr(self.study, "references", ()))

    @property
    def units(self) -> tuple[int, str]:
        """What was drawn independently, and so counts in a test; of a study that does not say it, its items."""
        return self._call("units", (len({cell.item for cell in self.cells}), "items"))

    @property
    def cautions(self) -> list[str]:
        """What its design cannot show."""
        return self._call("cautions", [])

    @property
    def reach(self) -> list[str] | None:
        """What its own tests could show; None where respondents are compared in pairs."""
        return self._call("reach", None)

    def calibration(self, cell: Cell) -> dict[int, float]:
        """Which repeats of a cell to time, and each one's share."""
        return self._call("calibration", {0: 1.0}, cell)

    def alike(self, cell: Cell) -> Hashable:
        """Cells with the same value take the same time."""
        return self._call("alike", cell.key(0), cell)

    def _may(self, name: str, default: T) -> T:
        value: T = getattr(self.study, name, default)
        return value

    def _call(self, name: str, default: T, *arguments: object) -> T:
        method: Callable[..., T] | None = getattr(self.study, name, None)
        return default if method is None else method(*arguments)
