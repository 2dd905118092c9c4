"""One study of a plan as the driver sees it: what every study must say, and what it may.

    must   name, level, measures, headline, cells(), describe(item, respondent)
    fits   function = "module:perform" (what a worker calls with a unit), time_limit
    asks   models (name -> options), limit_usd, perform(cell, repeat, ask) -> outcome
    may    about(), notes, references, datasets, and for `plan`: units(), cautions(), reach(), calibration(), alike()

A study is a class with from_plan(table, context), built in or not; this is the one place that asks what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, cast

from trueness.measure import Measure
from trueness.models import Message, Reply, Settings
from trueness.outside import Json
from trueness.running.cells import Cell
from trueness.running.outcomes import Outcome as Outcome

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


_MAY: dict[str, Any] = {  # what a study may say, as a value or a method -> what holds where it does not
    "function": "",  # of a worker; nothing where models are asked from the driver
    "time_limit": 300.0,  # seconds of a fit
    "models": {},
    "judges": None,
    "limit_usd": None,
    "datasets": {},
    "references": (),
    "notes": (),
    "cautions": list,  # what its design cannot show
    "reach": lambda: None,  # what its own tests could show; None where respondents are compared in pairs
    "calibration": lambda cell: {0: 1.0},  # which repeats of a cell to time, and each one's share
    "alike": lambda cell: cell.key(0),  # cells with the same value take the same time
}


@dataclass(frozen=True, eq=False)
class Stage:
    """A study of a plan and its cells; what the study may say is asked of the stage."""

    study: PlannedStudy
    cells: list[Cell]

    def __getattr__(self, name: str) -> Any:
        if name not in _MAY:
            raise AttributeError(name)
        return getattr(self.study, name, _MAY[name])

    @property
    def name(self) -> str:
        return self.study.name

    @property
    def planned(self) -> int:
        return sum(cell.repeats for cell in self.cells)

    @property
    def is_fitted(self) -> bool:
        return bool(self.function)

    def perform(self, cell: Cell, repeat: int, ask: Ask) -> Outcome:
        return cast(AskingStudy, self.study).perform(cell, repeat, ask)

    @cached_property
    def about(self) -> dict[str, Json]:
        """What a reader of the store must know of the study as a whole."""
        return getattr(self.study, "about", dict)()

    def units(self) -> tuple[int, str]:
        """What was drawn independently, and so counts in a test; of a study that does not say it, its items."""
        items = {cell.item for cell in self.cells}
        return getattr(self.study, "units", lambda: (len(items), "items"))()
