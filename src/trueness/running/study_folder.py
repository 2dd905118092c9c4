"""A study's folder: its store, opened and checked once, what was read of it, and the files that are written from it.

    with StudyFolder.reading(path) as folder:  folder.tasks       one Results a study of the plan, in order
                                               folder.readings    what each study makes of its own

Both outlive the store. A reading knows its study; nothing here does: the class behind a name is found by the registry.
All but study.db can be written again:

    scores.csv                    the long table; the same bytes however the study was run
    runtime.csv                   seconds of every fit (they differ from run to run, so not in scores.csv)
    provenance.json, study.toml   versions, seed, the plan
    OUTDATED.txt                  only while those of before are there and work goes on, or was stopped before its end

and what a study's reading writes beside them (write_numbers).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from os.path import lexists
from pathlib import Path
from typing import Protocol

from trueness import registry
from trueness.errors import StoreError
from trueness.files import remove, write_atomically, write_bytes_atomically, writing_atomically
from trueness.running.provenance import provenance
from trueness.running.results import Results, Row
from trueness.running.store import Store, or_none, to_json
from trueness.texts import csv_row

OUTDATED, PAGE = "OUTDATED.txt", "report.html"
_RUNTIME = ("task", "item", "variant", "respondent", "repeat", "status", "seconds", "message")
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


def write_outputs(study: StudyFolder, plan: str, plan_folder: Path) -> None:
    """Everything that needs no drawing."""
    write_bytes_atomically(study.path, "study.toml", plan.encode())  # as the user wrote it
    what_for = provenance(study.store, study.tasks, plan, plan_folder)
    write_atomically(study.path, "provenance.json", to_json(what_for))
    _write_csv(study.path, "scores.csv", Row._fields, _score_rows(study))
    _write_csv(study.path, "runtime.csv", _RUNTIME, _runtime_rows(study))
    for reading in study.readings.values():
        reading.write_numbers(study.path)
    if not lexists(study.path / PAGE):  # where there is a report, it is the last to be written
        remove(study.path, OUTDATED)


def mark_outdated(folder: Path) -> None:
    """Before work goes on: what was written of an earlier state is told from what is current, also after a kill."""
    if lexists(folder / "scores.csv") or lexists(folder / PAGE):  # a link there is nothing to be opened
        text = (
            "Work on this study went on after its tables, charts and report were written, and has not ended since: "
            "they are of an earlier state. Write them anew: trueness report, with the name of this folder.\n"
        )
        write_atomically(folder, OUTDATED, text)


def outdated(folder: Path) -> str:
    """A line where files are of an earlier state than study.db; nothing where all are current."""
    if not lexists(folder / OUTDATED):
        return ""
    return f"tables, charts and report in {folder} are of an earlier state. Write them anew: trueness report {folder}"


def _score_rows(study: StudyFolder) -> Iterator[Iterable[object]]:
    for reading in study.readings.values():
        scored = reading.rows()
        for row in reading.results.rows() if scored is None else scored:
            yield row if row.value is None or type(row.value) is float else row._replace(value=float(row.value))


def _runtime_rows(study: StudyFolder) -> Iterator[Iterable[object]]:
    for results in study.tasks:
        for place, cell in enumerate(results.cells):
            runs = results.columns_at(place)
            what = (results.task, cell.item, cell.variant, cell.respondent)
            for row in zip(runs.repeats.tolist(), runs.statuses, or_none(runs.seconds), runs.messages, strict=True):
                yield (*what, *row)


def _write_csv(folder: Path, name: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Numbers as Python writes them (they read back exactly); a missing value is an empty cell beside its status; texts
    that nobody can be harmed by (texts.csv_row)."""
    with writing_atomically(folder, name) as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(columns)
        lines.writerows(map(csv_row, rows))
