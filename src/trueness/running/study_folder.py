"""A study's folder: its store, opened and checked once, and what was read of it, once, for all who show it.

    with StudyFolder.reading(path) as folder:  folder.tasks       one Results a study of the plan, in order
                                               folder.readings    what each study makes of its own

Both outlive the store. A reading knows its study; nothing here does: the class behind a name is found by the registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Protocol

from trueness import registry
from trueness.errors import StoreError
from trueness.running.results import Results, Row
from trueness.running.store import Store

RESULTS = Path("results")


class Scored(Protocol):
    """As much of a reading as running a study needs."""

    @property
    def results(self) -> Results: ...

    def rows(self) -> Iterable[Row] | None:
        """The long table of what is scored when it is read; None where the stored runs carry their scores."""

    def write_numbers(self, folder: Path) -> None:
        """Files beside scores.csv that need no drawing."""


class StudyFolder:
    """What was stored when this was made."""

    def __init__(self, store: Store):
        self.store, self.path = store, store.folder
        self.tasks = Results.all_of(store)

    @classmethod
    @contextmanager
    def reading(cls, path: Path | str) -> Iterator[StudyFolder]:
        with Store.reading(Path(path)) as store:
            yield cls(store)

    @property
    def study(self) -> str:
        return self.tasks[0].study

    @property
    def seed(self) -> int:
        return self.tasks[0].seed

    def task(self, name: str) -> Results:
        for results in self.tasks:
            if results.task == name:
                return results
        names = ", ".join(results.task for results in self.tasks)
        raise StoreError(f"{self.path} must hold a {name} study, got {names}. Write one: trueness new {name}")

    @cached_property
    def readings(self) -> dict[str, Scored]:
        """By the names of their studies, each after those that it may rest on; they read when they are asked."""
        readings: dict[str, Scored] = {}
        for results in self.tasks:
            readings[results.task] = registry.reading(results.task)(results, dict(readings))
        return readings


def newest_folder() -> Path:
    """The study under results/ that was written last."""
    folders = studies_below(RESULTS)
    if not folders:
        raise StoreError("there is no study under results/. Name a folder, or make one: trueness run")
    return folders[0]


def studies_below(folder: Path) -> list[Path]:
    """The study folders in a folder, the newest first."""
    stores = sorted(folder.glob("*/study.db"), key=lambda path: path.lstat().st_mtime, reverse=True)
    return [path.parent for path in stores]
