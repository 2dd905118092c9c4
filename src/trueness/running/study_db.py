"""study.db: how it is opened, and what is checked before anything of it is used.

    reading(folder)      a connection that cannot write
    writing(folder)      the driver's, behind study.lock; made where there is none
    as_written(folder)   around readers of a stored study: what they stumble over is one line

The file may be a stranger's. It and its logs must be plain files (files.py); its schema must be ours, word for word,
so that no view, trigger, generated column, check or virtual table is ever evaluated; its values must have the types
that are written, and its entry 'study' the shape that we give it.

While a driver works, the journal is a WAL, so that readers see what is committed; it ends in a journal that needs no
second file, so that a finished study can be read where nothing can be written.

The entry 'study' of study.db: what was planned, so that the store can be read without the plan's files.

    entry_of(name, seed, stages) -> JSON -> check_entry(text) -> StudyEntry

It may be a stranger's: its shape is checked before anything of it is used, and nothing is made in proportion to a
number that stands in it.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from traceback import extract_tb
from typing import Annotated, Literal
from urllib.parse import quote

import msgspec
import numpy as np

from trueness import registry
from trueness.errors import StoreError, TruenessError
from trueness.files import check_plain, open_in_place, read_bytes
from trueness.measure import Measure
from trueness.outside import Json, json_of, one_line
from trueness.running.cells import Stage
from trueness.texts import arriving_json, shown_alike

MAX_SUMMARIES = 1_000_000  # cells x measures of a task: each has an interval of its own
FEW_COMBINED, PER_CELL = 5_000, 20  # combinations that any study may have, or for each of its cells
MAX_COMBINED = 100_000  # of what a task multiplies; 50 data sets, 20 learners, 6 references, 2 targets are 12,000
_MULTIPLIED = (  # lists in a study's `about` of which tables are made that have a row for each combination
    "datasets", "learners", "references", "targets", "corruptions", "scorers", "truths", "judges", "evaluated",
    "graphs",
)  # fmt: skip
SCHEMA_VERSION = 1
BUSY_SECONDS = 3.0
TRIES = 10  # of BUSY_SECONDS: a page may read a large study for seconds, and then lets go
CHECKED_WHOLE = 100_000_000  # bytes of a file whose types are checked, and to which a driver, too, reads all of it
SHORT_TEXT = 40  # bytes of a text that may come again
NAME = "study.db"
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, task TEXT NOT NULL, item TEXT NOT NULL, variant TEXT NOT NULL,
    respondent TEXT NOT NULL, repeat INTEGER NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL,
    seconds REAL, answer TEXT);
CREATE TABLE IF NOT EXISTS scores (
    run INTEGER NOT NULL REFERENCES runs(id), measure TEXT NOT NULL, value REAL, status TEXT NOT NULL,
    PRIMARY KEY (run, measure)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS prompts (hash TEXT PRIMARY KEY, messages TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, respondent TEXT NOT NULL, prompt TEXT NOT NULL REFERENCES prompts(hash),
    asked TEXT NOT NULL, at TEXT NOT NULL, status TEXT NOT NULL, cost REAL, reply TEXT NOT NULL) WITHOUT ROWID;
"""
_TEXT, _NUMBER = "'text'", "'real', 'integer', 'null'"


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


_KINDS = {  # SQLite keeps any value in any column; a database of somebody else may
    "meta": dict.fromkeys(("key", "value"), _TEXT),
    "runs": dict.fromkeys(("key", "task", "item", "variant", "respondent", "status", "message"), _TEXT)
    | {"repeat": "'integer'", "seconds": _NUMBER, "answer": "'text', 'null'"},
    "scores": {"measure": _TEXT, "status": _TEXT, "value": _NUMBER},
    "prompts": {"messages": _TEXT},
    "replies": dict.fromkeys(("key", "respondent", "prompt", "asked", "at", "status", "reply"), _TEXT)
    | {"cost": _NUMBER},
}
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")


@contextmanager
def reading(folder: Path, again: bool = False) -> Iterator[sqlite3.Connection]:
    """Unable to write, and checked; not `again` where this process has opened it before."""
    path = folder / NAME
    if not again and not _check_files(folder, writing=False):
        raise StoreError(f"{folder} must be a study folder with a study.db, got none. Run 'trueness run' first.")
    with as_store_error(path), closing(_connect(path, "mode=ro")) as connection:
        if not again:
            _check(connection, path, driver=False)
        yield connection


@contextmanager
def writing(folder: Path) -> Iterator[sqlite3.Connection]:
    """The driver's: made where there is none, locked against a second driver. Whoever uses it closes it."""
    path = folder / NAME
    with _driver_lock(folder), as_store_error(path):
        _check_files(folder, writing=True)
        connection = _connect(path, "mode=rwc")
        try:
            _check(connection, path, driver=True)
            _set_journal(connection, "WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.executescript(SCHEMA)
            yield connection
        finally:
            connection.close()


def end_journal(connection: sqlite3.Connection) -> None:
    """One file from now on. Where somebody is reading it stays in WAL mode, and is as complete."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode=DELETE")


@contextmanager
def as_written(folder: Path) -> Iterator[None]:
    """Around what reads a stored study: a stranger's may hold anything, and every reader's stumbling is one line.

    A sum of its numbers may be endless: numpy says nothing then, whoever needs a finite one does.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except (TruenessError, BrokenPipeError):
        raise
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {one_line(error, 100)}, {Path(place.filename).name} line {place.lineno}"
        raise StoreError(
            f"{folder} must hold a study as trueness writes it, got what cannot be read ({what}). Restore a copy; "
            "'trueness --debug' shows more."
        ) from error


@contextmanager
def as_store_error(path: Path) -> Iterator[None]:
    """SQLite's errors as one line that says what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise StoreError(_told(path, error)) from error


def _told(path: Path, error: sqlite3.DatabaseError) -> str:
    text, operational = " ".join(str(error).split())[:120], isinstance(error, sqlite3.OperationalError)
    if operational and ("locked" in text or "busy" in text):
        return f"{path} is locked by another program. Nothing was changed: close it or wait, then run again."
    if operational and "full" in text:
        return f"the disk is full: {path} was not changed. Free some space and run again."
    if operational and ("readonly" in text or "unable to open" in text):
        if not os.access(path.parent, os.W_OK):
            return f"{path.parent} cannot be written ({text}). Copy the study to where it can be."
        if path.with_name(f"{NAME}-journal").exists():
            return f"{path} was left in the middle of a write. Go on with the study: trueness run {path.parent}"
        return f"{path} cannot be opened ({text}). Check its permissions and folder."
    return (
        f"{path} must be a sound SQLite file, got: {text}. It was not touched. Restore a copy, save what is left with "
        f"'sqlite3 {path.name} .recover', or move it away to start anew."
    )


# ---- opening


def _check_files(folder: Path, writing: bool) -> bool:
    """Whether there is a store; StoreError where it or one of its logs is a link or no file.

    A rollback journal may name another file, which SQLite deletes when it rolls back: ours never does.
    """
    there = check_plain(folder, NAME, alone=writing)
    for log in ("wal", "shm", "journal"):
        check_plain(folder, f"{NAME}-{log}", alone=writing or log == "shm")  # readers, too, write into the second
    if writing and check_plain(folder, f"{NAME}-journal"):
        if read_bytes(folder, f"{NAME}-journal", CHECKED_WHOLE)[-8:] == _JOURNAL_MAGIC:
            raise StoreError(
                f"{folder / NAME}-journal must be trueness's own, got one that names another file. Nothing was "
                "touched: move it away."
            )
    return there


@lru_cache(10_000)
def _short_text(raw: bytes) -> str:
    """Names and statuses come again with every row."""
    return str(raw, "utf-8", "replace")  # half a character must not lock up the rest


def _text(raw: bytes) -> str:
    return _short_text(raw) if len(raw) <= SHORT_TEXT else str(raw, "utf-8", "replace")


def _connect(path: Path, how: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path.resolve()))}?{how}"  # a name may be bytes that are no text
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.text_factory = _text
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    return connection


def _set_journal(connection: sqlite3.Connection, mode: str) -> None:
    """It takes a moment in which nobody reads."""
    for _ in range(TRIES - 1):
        with suppress(sqlite3.OperationalError):
            connection.execute(f"PRAGMA journal_mode={mode}")
            return
    connection.execute(f"PRAGMA journal_mode={mode}")


@contextmanager
def _driver_lock(folder: Path) -> Iterator[None]:
    """One driver a study. The kernel lets go of the lock when its holder dies, however it dies."""
    lock = open_in_place(folder, "study.lock")
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(lock, 20).decode("utf-8", "replace").strip() or "unknown"
            raise StoreError(
                f"{folder} is being written by another trueness (process {holder}). Wait for it, or watch it with "
                f"'trueness show {folder}'; nothing was changed."
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(lock)


# ---- checking


def _check(connection: sqlite3.Connection, path: Path, driver: bool) -> None:
    """Refuse a damaged file, one of a newer version or of another make before anything is written or evaluated.

    Every page must have one parent: pages that point at each other make endless rows of a few kilobytes. It takes four
    seconds of a gigabyte, most of them for the scores. A driver, who needs none of them to know what is left to do,
    leaves those of a large file out (`Store` stops at a score that comes twice).
    """
    tables = _check_schema(connection, path)
    small = path.stat().st_size <= CHECKED_WHOLE
    for table in sorted(tables - {"scores"}) if driver and not small else [None]:
        verdict = connection.execute(f"PRAGMA quick_check({table or 1})").fetchone()
        if verdict is None or verdict[0] != "ok":
            raise sqlite3.DatabaseError(str(verdict and verdict[0]))
    if small:
        _check_types(connection, tables)
    if "meta" in tables:
        _check_meta(connection, path)


def _check_schema(connection: sqlite3.Connection, path: Path) -> set[str]:
    """The tables that are there, each as we make it; an older version made fewer of them."""
    with closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(SCHEMA)
        known = {name: _words(sql) for name, sql in ours.execute("SELECT name, sql FROM sqlite_master")}
    tables = set()
    for kind, name, table, sql in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        if kind == "index" and sql is None and table in known:
            continue  # of a key, made by SQLite itself
        if kind != "table" or _words(sql) != known.get(name):
            raise StoreError(
                f"{path} must hold tables only, as trueness writes them, got the {kind} {name!r:.60}. It was not "
                "opened."
            )
        tables.add(name)
    return tables


def _words(sql: object) -> str:
    return " ".join(str(sql).split())


def _check_types(connection: sqlite3.Connection, tables: set[str]) -> None:
    for table in tables:
        wrong = " OR ".join(f"typeof({column}) NOT IN ({allowed})" for column, allowed in _KINDS[table].items())
        if connection.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1").fetchone():
            raise sqlite3.DatabaseError(f"a value of another type than trueness writes in the table {table}")


def _check_meta(connection: sqlite3.Connection, path: Path) -> None:
    meta = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('schema', 'study')"))
    version = str(meta.get("schema", 0))
    if not (version.isascii() and version.isdecimal() and len(version) < 10):
        raise sqlite3.DatabaseError(f"{version!r:.40} for the version of its schema")
    if int(version) > SCHEMA_VERSION:
        raise StoreError(
            f"{path} must be of schema {SCHEMA_VERSION} or older, got {version}. Update: pip install -U trueness"
        )
    if "study" in meta:
        check_entry(str(meta["study"]))
