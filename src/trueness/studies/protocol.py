"""What a study gives the page: a part, and what every part can say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from trueness.outside import Json
from trueness.showing.grid import Grid
from trueness.showing.summary import AnalysisPart, Check, Section, Summary
from trueness.showing.tables import Table

__all__ = ["AnalysisPart", "CellKey", "Check", "FilesReading", "PagePart", "Section", "Summary"]
CellKey = tuple[str, str, str]  # item, variant, respondent


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

    @property
    def study(self) -> str: ...

    @property
    def task(self) -> str: ...

    @property
    def state(self) -> str: ...

    def summary(self) -> Summary: ...

    def troubles(self) -> list[str]: ...

    def notes(self) -> list[str]: ...

    def first_findings(self) -> Sequence[str]: ...

    def completeness(self) -> list[dict[str, Json]]:
        """Respondents by status: `respondent`, `planned`, `statuses`."""

    def page(self) -> PagePart: ...


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
