"""The part of a page that one task fills, and what every task's part can say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from assay.showing.grid import Grid

if TYPE_CHECKING:
    from assay.running.results import Results
    from assay.studies.faithfulness.answers import FaithfulnessStudy
    from assay.studies.forecast.findings import Findings
    from assay.studies.forecast.frames import Forecasts
    from assay.studies.population.answers import Populations
    from assay.studies.robustness.answers import RobustnessStudy

CellKey = tuple[str, str, str]  # item, variant, respondent


@dataclass(frozen=True)
class Check:
    """One line of the top of the page; `passed` is None where there is nothing to check yet."""

    name: str
    passed: bool | None
    sentence: str


@dataclass(frozen=True)
class Section:
    """Findings of one kind: a title and sentences, each with its estimate, interval, n and test."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """What a task says first: whether its numbers stand, what was found, what its design cannot tell."""

    checks: tuple[Check, ...] = ()
    sections: tuple[Section, ...] = ()
    untold: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnalysisPart:
    """One analysis: sentences and the tables they rest on. Not told: why it cannot be made."""

    name: str
    sentences: tuple[str, ...] = ()
    told: bool = True
    tables: tuple[dict[str, Any], ...] = field(default_factory=tuple)


@dataclass(frozen=True, eq=False)
class Known:
    """Tables that somebody has read already: writing a report reads them once."""

    forecasts: Forecasts | None = None
    findings: Findings | None = None
    populations: Populations | None = None
    faithfulness: FaithfulnessStudy | None = None
    robustness: RobustnessStudy | None = None
    discovery: Results | None = None


NOTHING = Known()


class Part(Protocol):
    """A task's tables, read from the store when they are first asked for."""

    task: str

    def grid(self) -> Grid: ...

    def cell(self, key: CellKey) -> dict[str, Any] | None:
        """All of one cell; None where the study has no such cell."""

    def cell_keys(self) -> Iterator[CellKey]:
        """The cells of the grid, in the order in which a static page takes them in."""

    def summary(self) -> Summary: ...

    def analyses(self) -> list[AnalysisPart]: ...
