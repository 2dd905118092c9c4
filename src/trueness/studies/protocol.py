"""What a study gives the page: a part, and what every part can say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from trueness.outside import Json
from trueness.showing.blocks import Block
from trueness.showing.console import Console
from trueness.showing.grid import Grid
from trueness.showing.headline import Headline
from trueness.showing.tables import Table

Kind = TypeVar("Kind")
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
    headline: Headline | None = None


@dataclass(frozen=True)
class AnalysisPart:
    """One analysis: sentences and the tables they rest on. Not told: why it cannot be made."""

    name: str
    sentences: tuple[str, ...] = ()
    told: bool = True
    tables: tuple[Block, ...] = field(default_factory=tuple)


class FilesReading(Protocol):
    """What a study reads from a folder of result files of others, without a store."""

    @property
    def title(self) -> str: ...

    @property
    def question(self) -> str: ...

    @property
    def level(self) -> float: ...

    def as_json(self, measures: Sequence[str] | None) -> dict[str, Json]: ...

    def as_csv(self, measures: Sequence[str] | None) -> str: ...

    def tables(self, measures: Sequence[str] | None) -> list[Table]: ...

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None: ...

    def first_findings(self) -> Sequence[str]: ...

    def completeness(self) -> list[dict[str, Json]]:
        """Respondents by status: `respondent`, `planned`, `statuses`."""

    def files_part(self) -> PagePart: ...


class PagePart(Protocol):
    """What the page asks of a reading."""

    @property
    def task(self) -> str: ...

    def grid(self) -> Grid: ...

    def cell(self, key: CellKey) -> dict[str, object] | None:
        """All of one cell; None where the study has no such cell."""

    def cell_keys(self) -> Iterator[CellKey]:
        """The cells of the grid, in the order in which a static page takes them in."""

    def summary(self) -> Summary: ...

    def analyses(self) -> list[AnalysisPart]: ...

    def graph(self, item: str) -> dict[str, object] | None:
        """The graphs of an item; None where it has none."""
