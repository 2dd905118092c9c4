"""The entry 'study' of study.db: what was planned, so that the store can be read without the plan's files.

    entry_of(name, seed, stages) -> JSON -> check_entry(text) -> StudyEntry

It may be a stranger's: its shape is checked before anything of it is used, and nothing is made in proportion to a
number that stands in it.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from typing import TypeVar

from trueness import registry
from trueness.errors import StoreError
from trueness.measure import Measure
from trueness.outside import Json, json_of
from trueness.running.stage import Stage
from trueness.texts import arriving_json, shown_alike

MAX_REPEATS = 100_000_000  # of a cell
MAX_SUMMARIES = 1_000_000  # cells x measures of a task: each has an interval of its own
FEW_COMBINED, PER_CELL = 5_000, 20  # combinations that any study may have, or for each of its cells
MAX_COMBINED = 100_000  # of what a task multiplies; 50 data sets, 20 learners, 6 references, 2 targets are 12,000
_MULTIPLIED = (  # lists in a study's `about` of which tables are made that have a row for each combination
    "datasets", "learners", "references", "targets", "corruptions", "scorers", "truths", "judges", "evaluated",
    "graphs",
)  # fmt: skip
_KINDS = {"str": str, "int": int, "float": int | float, "list": list, "dict": dict}  # of a field, by its annotation
_MEASURE = ("title", "better", "description", "minimum", "maximum")  # what a reader must know of a study's own


@dataclass(frozen=True)
class CellEntry:
    item: str
    variant: str
    respondent: str
    repeats: int
    identity: dict[str, Json]
    about: dict[str, Json]


@dataclass(frozen=True)
class TaskEntry:
    task: str
    level: float
    measures: list[str]
    headline: list[str]
    about: dict[str, Json]
    cells: list[CellEntry]
    declared: Json = None  # measures of a study that is not built in


@dataclass(frozen=True)
class StudyEntry:
    study: str
    seed: int
    tasks: list[TaskEntry]


Kind = TypeVar("Kind", CellEntry, TaskEntry, StudyEntry)


def entry_of(name: str, seed: int, stages: Sequence[Stage]) -> str:
    """As JSON."""
    return json.dumps(StudyEntry(name, seed, [_task(stage) for stage in stages]), default=_plain)


def _plain(value: object) -> Json:
    if is_dataclass(value):
        return {name: part for name, part in vars(value).items() if part is not None}
    return str(value)


def _task(stage: Stage) -> TaskEntry:
    study = stage.study
    declared = {
        one.name: {key: getattr(one, key) for key in _MEASURE} for one in study.measures if isinstance(one, Measure)
    }
    cells = [
        CellEntry(c.item, c.variant, c.respondent, c.repeats, c.identity, study.describe(c.item, c.respondent))
        for c in stage.cells
    ]
    measures, headline = ([_name(one) for one in names] for names in (study.measures, study.headline))
    return TaskEntry(stage.name, study.level, measures, headline, stage.about, cells, declared or None)


def _name(measure: str | Measure) -> str:
    return measure.name if isinstance(measure, Measure) else measure


def read_entry(text: str | None) -> StudyEntry:
    if text is None:
        raise StoreError("the study has a database and no plan in it: it was stopped before it began. Run it again.")
    entry = check_entry(text)
    if not entry.tasks:
        raise StoreError("the study was made by an earlier version. Go on with it: trueness run FOLDER")
    return entry


def declared_measures(task: TaskEntry) -> dict[str, Measure]:
    """What a study that is not built in said of its measures; what is no such thing is left out."""
    declared = {} if task.task in registry.built_in("task") else task.declared
    texts = ("title", "better", "description")
    measures = {}
    for name, entry in declared.items() if isinstance(declared, dict) else ():
        if isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in texts):
            low, high = (_number_or_none(entry.get(key)) for key in ("minimum", "maximum"))
            if entry["better"] in ("higher", "lower", "neither"):
                measures[name] = Measure(name, **{key: entry[key] for key in texts}, minimum=low, maximum=high)
    return measures


def _number_or_none(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if is_number else None  # type: ignore[arg-type]


# ---- checking


@lru_cache(maxsize=1)
def check_entry(text: str) -> StudyEntry:
    """The entry must have the shape that `entry_of` gives it; one of an earlier version has no tasks.

    A driver asks before it begins: what it could not read again must not be paid for.
    """
    study = json_of(arriving_json(text), "its entry 'study'", StoreError)
    if not isinstance(study, dict):
        raise sqlite3.DatabaseError("an entry 'study' that is no table")
    if "tasks" not in study:
        return StudyEntry("", 0, [])
    entry = _made(StudyEntry, study)
    if not 0 <= entry.seed < 2**64:
        raise sqlite3.DatabaseError("an entry 'study' with a seed that no plan can have")
    tasks = [_check_task(task) for task in entry.tasks]
    if len({one.task for one in tasks}) < len(tasks):
        raise sqlite3.DatabaseError("an entry 'study' with a task twice")
    return replace(entry, tasks=tasks)


def _check_task(entry: Json) -> TaskEntry:
    task = _made(TaskEntry, entry)
    measures, headline = task.measures, task.headline
    if not all(isinstance(name, str) for name in (*measures, *headline)) or len(set(measures)) < len(measures):
        raise sqlite3.DatabaseError("an entry 'study' with measures that are no different names")
    if not set(headline) <= set(measures):
        raise sqlite3.DatabaseError("an entry 'study' with a headline that is not measured")
    if not 0 < task.level < 1:
        raise sqlite3.DatabaseError("an entry 'study' with a level that is not between 0 and 1")
    if len(task.cells) * len(measures) > MAX_SUMMARIES:
        raise sqlite3.DatabaseError(f"more than {MAX_SUMMARIES:,} measures of cells")
    cells = [_made(CellEntry, cell) for cell in task.cells]
    for cell in cells:
        if not 0 <= cell.repeats <= MAX_REPEATS:
            raise sqlite3.DatabaseError(f"{cell.repeats:,} repeats of a cell (at most {MAX_REPEATS:,})")
    names = [(cell.item, cell.variant, cell.respondent) for cell in cells]
    if len(set(names)) < len(names):
        raise sqlite3.DatabaseError("an entry 'study' with a cell twice")
    if any(map(shown_alike, (measures, *zip(*names, strict=True)))):
        raise sqlite3.DatabaseError("an entry 'study' with two names that are shown alike")
    _check_about(task.task, task.about, len(cells))
    return replace(task, cells=cells)


def _check_about(task: str, about: Mapping[str, Json], cells: int) -> None:
    """A list of a few kilobytes must not become rows without end: it names each once, and products have a limit."""
    for key, value in about.items():
        listed = isinstance(value, list) and key != "notes"  # sentences, which nothing is multiplied with
        names = [name for name in value if isinstance(name, str)] if listed else []
        if len(set(names)) < len(names):
            raise sqlite3.DatabaseError(f"an entry 'study' with a name twice in {key!r:.40}")
    multiplied = [about[key] for key in _MULTIPLIED if isinstance(about.get(key), list | dict)]
    most = min(MAX_COMBINED, max(FEW_COMBINED, PER_CELL * cells))
    if math.prod(max(1, len(value)) for value in multiplied) > most:
        raise sqlite3.DatabaseError(f"more than {most:,} combinations of what the task {task} is about")


def _made(kind: type[Kind], entry: Json) -> Kind:
    values: dict[str, Json] = {}
    for one in fields(kind):
        value = entry.get(one.name) if isinstance(entry, dict) else None
        expected = _KINDS.get(str(one.type).partition("[")[0], object)
        if not isinstance(value, expected) or isinstance(value, bool):
            raise sqlite3.DatabaseError(f"an entry 'study' without a usable {one.name!r}")
        values[one.name] = value
    return kind(**values)
