"""What a store holds, read once and handed on: to scores.csv, the report, the terminal and the page.

A reading knows its study; nothing here does. The class behind a study's name is found by the registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from trueness import registry
from trueness.running.results import Results, Row
from trueness.running.store import Store


class Scored(Protocol):
    """As much of a reading as running a study needs."""

    is_whole: ClassVar[bool]  # holds all it needs: it outlives the store it was read from

    @property
    def results(self) -> Results: ...

    def rows(self) -> Iterable[Row] | None:
        """The long table of what is scored when it is read; None where the stored runs carry their scores."""

    def write_numbers(self, folder: Path) -> None:
        """Files beside scores.csv that need no drawing."""


Readings = Mapping[str, Scored]  # by the names of their studies, in the order of the plan


def readings_of(results: Sequence[Results], store: Store, known: Readings | None = None) -> dict[str, Scored]:
    """Each study read after those that it may rest on; what is known already, and whole, is not read again."""
    found: dict[str, Scored] = {}
    for one in results:
        before = (known or {}).get(one.task)
        whole = before if before is not None and before.is_whole else None
        found[one.task] = whole or registry.reading(one.task).read(one, store, found)
    return found
