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
from typing import Any, Protocol

from trueness.measure import Measure
from trueness.models import Message, Reply, Settings
from trueness.running.cells import Cell

Outcome = dict[str, Any]  # of one unit: status, message, seconds, answer, scores; of a question also cost and excerpt
Ask = Callable[[str, Sequence[Message], Settings, str], Reply]


class PlannedStudy(Protocol):
    """What every study says of itself."""

    name: str
    measures: Sequence[str | Measure]
    headline: Sequence[str | Measure]

    @property
    def level(self) -> float: ...

    def cells(self) -> list[Cell]: ...

    def describe(self, item: str, respondent: str) -> dict[str, Any]: ...


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
    def models(self) -> Mapping[str, Mapping[str, Any]]:
        found: Mapping[str, Mapping[str, Any]] = self._may("models", {})
        return found

    @property
    def has_judges(self) -> bool:
        return self._may("judges", None) is not None

    @property
    def limit_usd(self) -> float | None:
        found: float | None = self._may("limit_usd", None)
        return found

    def perform(self, cell: Cell, repeat: int, ask: Ask) -> Outcome:
        found: Outcome = self._may("perform", None)(cell, repeat, ask)
        return found

    @cached_property
    def about(self) -> dict[str, Any]:
        """What a reader of the store must know of the study as a whole."""
        found: dict[str, Any] = self._call("about", {})
        return found

    @property
    def datasets(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._may("datasets", {})
        return found

    # ---- for `plan`

    @property
    def notes(self) -> Sequence[str]:
        found: Sequence[str] = self._may("notes", ())
        return found

    @property
    def n_respondents(self) -> int:
        return len({cell.respondent for cell in self.cells}) + len(self._may("references", ()))

    @property
    def units(self) -> tuple[int, str]:
        """What was drawn independently, and so counts in a test; of a study that does not say it, its items."""
        found: tuple[int, str] = self._call("units", (len({cell.item for cell in self.cells}), "items"))
        return found

    @property
    def cautions(self) -> list[str]:
        """What its design cannot show."""
        found: list[str] = self._call("cautions", [])
        return found

    @property
    def reach(self) -> list[str] | None:
        """What its own tests could show; None where respondents are compared in pairs."""
        found: list[str] | None = self._call("reach", None)
        return found

    def calibration(self, cell: Cell) -> dict[int, float]:
        """Which repeats of a cell to time, and each one's share."""
        found: dict[int, float] = self._call("calibration", {0: 1.0}, cell)
        return found

    def alike(self, cell: Cell) -> Hashable:
        """Cells with the same value take the same time."""
        found: Hashable = self._call("alike", cell.key(0), cell)
        return found

    def _may(self, name: str, default: Any) -> Any:
        return getattr(self.study, name, default)

    def _call(self, name: str, default: Any, *arguments: Any) -> Any:
        method = getattr(self.study, name, None)
        return default if method is None else method(*arguments)
