"""The entry 'study' of study.db: what was planned, so that the store can be read without the plan's files.

    entry_of(name, seed, stages) -> JSON -> check_entry(text) -> StudyEntry

It may be a stranger's: its shape is checked before anything of it is used, and nothing is made in proportion to a
number that stands in it.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from trueness import registry
from trueness.errors import StoreError
from trueness.measure import Measure
from trueness.outside import Json, json_of, one_line
from trueness.running.stage import Stage
from trueness.texts import arriving_json, shown_alike

MAX_SUMMARIES = 1_000_000  # cells x measures of a task: each has an interval of its own
FEW_COMBINED, PER_CELL = 5_000, 20  # combinations that any study may have, or for each of its cells
MAX_COMBINED = 100_000  # of what a task multiplies; 50 data sets, 20 learners, 6 references, 2 targets are 12,000
_MULTIPLIED = (  # lists in a study's `about` of which tables are made that have a row for each combination
    "datasets", "learners", "references", "targets", "corruptions", "scorers", "truths", "judges", "evaluated",
    "graphs",
)  # fmt: skip


class CellEntry(msgspec.Struct):
    item: str
    variant: str
    respondent: str
    repeats: Annotated[int, msgspec.Meta(ge=0, le=100_000_000)]
    identity: dict[str, Json]
    about: dict[str, Json]


class MeasureEntry(msgspec.Struct):
    """What a reader must know of a measure of a study that is not built in."""

    title: str
    better: Literal["higher", "lower", "neither"]
    description: str
    minimum: float | None = None
    maximum: float | None = None


class TaskEntry(msgspec.Struct, omit_defaults=True):
    task: str
    level: Annotated[float, msgspec.Meta(gt=0, lt=1)]
    measures: list[str]
    headline: list[str]
    about: dict[str, Json]
    cells: list[CellEntry]
    declared: dict[str, MeasureEntry] | None = None


class StudyEntry(msgspec.Struct):
    """One of an earlier version has no tasks."""

    study: str = ""
    seed: int = 0
    tasks: list[TaskEntry] = []


def entry_of(name: str, seed: int, stages: Sequence[Stage]) -> str:
    """As JSON."""
    entry = StudyEntry(name, seed, [_task(stage) for stage in stages])
    return json.dumps(msgspec.to_builtins(entry, builtin_types=(float,), enc_hook=str), default=str)


def _task(stage: Stage) -> TaskEntry:
    study = stage.study
    declared = {
        one.name: MeasureEntry(one.title, one.better, one.description, one.minimum, one.maximum)
        for one in study.measures
        if isinstance(one, Measure)
    }
    cells = [
        CellEntry(c.item, c.variant, c.respondent, c.repeats, c.identity, study.describe(c.item, c.respondent))
        for c in stage.cells
    ]
    measures, headline = (
        [str(getattr(one, "name", one)) for one in names] for names in (study.measures, study.headline)
    )
    return TaskEntry(stage.name, study.level, measures, headline, stage.about, cells, declared or None)


def read_entry(text: str | None) -> StudyEntry:
    if text is None:
        raise StoreError("the study has a database and no plan in it: it was stopped before it began. Run it again.")
    entry = check_entry(text)
    if not entry.tasks:
        raise StoreError("the study was made by an earlier version. Go on with it: trueness run FOLDER")
    return entry


def declared_measures(task: TaskEntry) -> dict[str, Measure]:
    """What a study that is not built in said of its measures."""
    declared = {} if task.task in registry.built_in("task") else task.declared or {}
    return {name: Measure(name, **msgspec.structs.asdict(entry)) for name, entry in declared.items()}


@lru_cache(maxsize=1)
def check_entry(text: str) -> StudyEntry:
    """The entry must have the shape that `entry_of` gives it. A driver asks before it begins: what it could not read
    again must not be paid for."""
    try:
        study = msgspec.convert(json_of(arriving_json(text), "its entry 'study'", StoreError), StudyEntry)
    except msgspec.ValidationError as wrong:
        raise _no_entry(f"of another shape: {one_line(wrong)}") from None
    if not 0 <= study.seed < 2**64:
        raise _no_entry("with a seed that no plan can have")
    if len({one.task for one in study.tasks}) < len(study.tasks):
        raise _no_entry("with a task twice")
    for task in study.tasks:
        _check_task(task)
    return study


def _check_task(task: TaskEntry) -> None:
    """A list of a few kilobytes must not become rows without end: it names each once, and products have a limit."""
    names = [(cell.item, cell.variant, cell.respondent) for cell in task.cells]
    lists = {key: value for key, value in task.about.items() if isinstance(value, list) and key != "notes"}
    lists |= {"measures": task.measures, "cells": names}
    for key, value in lists.items():
        for name, count in Counter(name for name in value if isinstance(name, str | tuple)).most_common(1):
            if count > 1:
                raise _no_entry(f"with a name twice in {key!r:.40}, {name!r:.80}")
    if not set(task.headline) <= set(task.measures):
        raise _no_entry("with a headline that is not measured")
    if len(names) * len(task.measures) > MAX_SUMMARIES:
        raise sqlite3.DatabaseError(f"more than {MAX_SUMMARIES:,} measures of cells")
    for kind in (task.measures, *zip(*names, strict=True)):
        if alike := shown_alike(kind):
            raise _no_entry(f"with two names that look alike where they are shown, {alike[0]!r} and {alike[1]!r}")
    multiplied = [task.about[key] for key in _MULTIPLIED if isinstance(task.about.get(key), list | dict)]
    most = min(MAX_COMBINED, max(FEW_COMBINED, PER_CELL * len(names)))
    if math.prod(max(1, len(value)) for value in multiplied) > most:
        raise sqlite3.DatabaseError(f"more than {most:,} combinations of what the task {task.task} is about")


def _no_entry(what: str) -> sqlite3.DatabaseError:
    return sqlite3.DatabaseError(f"an entry 'study' {what}")
