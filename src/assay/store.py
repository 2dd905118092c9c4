"""The store of a study: one SQLite file, written by the driver alone.

    runs      one row a unit of work: key, item, variant, respondent, repeat, status, message, seconds, answer
    scores    one row a measure of a run: value, or none and a status
    replies   one row a reply of a model: what was asked, what came back, what it cost
    prompts   the messages behind replies, once each
    meta      schema version and the plan

A unit is committed when its result arrives, a reply the moment it does; a killed driver loses at most what was in
flight. A file lock keeps a second driver out; readers (`assay show`) may look at any time. What is damaged or locked
is reported, never touched.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sys import intern
from typing import Any

from assay.errors import StoreError
from assay.files import open_in_place
from assay.outside import json_of, one_line
from assay.texts import arriving, arriving_json, arriving_values

SCHEMA_VERSION = 1
BUSY_SECONDS = 3.0
CHECKED_WHOLE = 100_000_000  # bytes of a file that is checked from end to end whenever it is opened
NO_LAST = 2**63 - 1  # no id is greater
_AT_ONCE = 500  # variables of one SQL statement
_RUN = "id, key, item, variant, respondent, repeat, status, message, seconds, answer"
_SCHEMA = """
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

MAX_REPEATS = 100_000_000  # of a cell
_TASK = {"task": str, "level": int | float, "measures": list, "headline": list, "about": dict, "cells": list}
_CELL = {"item": str, "variant": str, "respondent": str, "repeats": int, "identity": dict, "about": dict}
_TEXT, _NUMBER = "'text'", "'real', 'integer', 'null'"
_KINDS = {  # SQLite keeps any value in any column; a database of somebody else may
    "meta": dict.fromkeys(("key", "value"), _TEXT),
    "runs": dict.fromkeys(("key", "task", "item", "variant", "respondent", "status", "message"), _TEXT)
    | {"repeat": "'integer'", "seconds": _NUMBER, "answer": "'text', 'null'"},
    "scores": {"measure": _TEXT, "status": _TEXT, "value": _NUMBER},
    "prompts": {"messages": _TEXT},
    "replies": dict.fromkeys(("key", "respondent", "prompt", "asked", "at", "status", "reply"), _TEXT)
    | {"cost": _NUMBER},
}


@dataclass(frozen=True)
class Run:
    """One stored unit of work with its scores (measure -> (value, status))."""

    key: str
    item: str
    variant: str
    respondent: str
    repeat: int
    status: str
    message: str
    seconds: float | None
    answer: str | None
    scores: dict[str, tuple[float | None, str]]


@dataclass(frozen=True)
class StoredReply:
    """One stored reply: `asked` are the settings of the call, `reply` is models.Reply as a dict."""

    key: str
    respondent: str
    prompt: str  # hash of the messages
    asked: dict[str, Any]
    at: str
    status: str
    cost: float | None
    reply: dict[str, Any]


class Store:
    """Open with `Store.writing(folder)` or `Store.reading(folder)`. Threads may share it: one statement at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path):
        self._db = connection
        self._path = path
        self._lock = threading.RLock()

    @classmethod
    @contextmanager
    def writing(cls, folder: Path) -> Iterator[Store]:
        """The driver's store: made where there is none, locked against a second driver."""
        path = folder / "study.db"
        with _driver_lock(folder), _explained(path):
            connection = _connect(path, f"file:{_quoted(path)}?mode=rwc")
            store = cls(connection, path)
            try:
                _check(connection, path)
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.executescript(_SCHEMA)
                store.set_meta("schema", str(SCHEMA_VERSION))
                yield store
            finally:
                with store._lock:  # a thread may be in the middle of a statement: closing then would end the process
                    connection.close()

    @classmethod
    @contextmanager
    def reading(cls, folder: Path) -> Iterator[Store]:
        path = folder / "study.db"
        if not path.is_file():
            raise StoreError(f"{folder} must be a study folder with a study.db, got none. Run 'assay run' first.")
        with _explained(path):
            connection = _connect(path, f"file:{_quoted(path)}?mode=ro")
            try:
                _check(connection, path)
                yield cls(connection, path)
            finally:
                connection.close()

    @classmethod
    @contextmanager
    def rereading(cls, folder: Path) -> Iterator[Store]:
        """A store that this process has opened, and so checked, before."""
        path = folder / "study.db"
        with _explained(path), closing(_connect(path, f"file:{_quoted(path)}?mode=ro")) as connection:
            yield cls(connection, path)

    def meta(self, key: str) -> str | None:
        with self._lock:
            row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else arriving_json(str(row[0]))

    def set_meta(self, key: str, value: str) -> None:
        with self._lock, self._db:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, arriving_json(value)))

    @property
    def folder(self) -> Path:
        return self._path.parent

    def last_id(self) -> int:
        """Of the unit that came last; units that come later have greater ones."""
        with self._lock:
            return int(self._db.execute("SELECT IFNULL(MAX(id), 0) FROM runs").fetchone()[0])

    def statuses(self, task: str | None = None, last: int = NO_LAST) -> dict[str, str]:
        """key -> status of every stored unit, or of one task's, up to the unit with that id."""
        query = "SELECT key, status FROM runs WHERE id <= ? AND task = IFNULL(?, task)"
        with self._lock:
            return {key: intern(status) for key, status in self._db.execute(query, (last, task))}

    def add(self, task: str, runs: Sequence[Run]) -> None:
        """Store finished units in one transaction; a unit that is there already is replaced (--retry)."""
        with self._lock, self._db:
            self._forget([run.key for run in runs])
            first = self.last_id() + 1
            self._db.executemany(
                "INSERT INTO runs (id, key, task, item, variant, respondent, repeat, status, message, seconds, answer) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(first + k, run.key, *map(arriving, (task, run.item, run.variant, run.respondent)), run.repeat,
                  run.status, arriving(run.message), run.seconds, run.answer and arriving_json(run.answer))
                 for k, run in enumerate(runs)],
            )  # fmt: skip
            self._db.executemany(
                "INSERT INTO scores VALUES (?, ?, ?, ?)",
                [(first + k, measure, *score) for k, run in enumerate(runs) for measure, score in run.scores.items()],
            )

    def _forget(self, keys: Sequence[str]) -> None:
        for part in _parts(keys):
            marks = _marks(part)
            there = [row[0] for row in self._db.execute(f"SELECT id FROM runs WHERE key IN ({marks})", part)]
            self._db.execute(f"DELETE FROM scores WHERE run IN ({_marks(there)})", there)
            self._db.execute(f"DELETE FROM runs WHERE id IN ({_marks(there)})", there)

    def runs(self, task: str) -> dict[str, Run]:
        """Every stored unit of a task by key."""
        with self._lock:
            keys = [row[0] for row in self._db.execute("SELECT key FROM runs WHERE task = ?", (task,))]
        return {run.key: run for run in self.runs_of(keys)}

    def count_statuses(self, keys: Sequence[str], last: int = NO_LAST) -> dict[str, int]:
        """status -> how many of the units of these keys ended so."""
        found: Counter[str] = Counter()
        with self._lock:
            for part in _parts(keys):
                query = f"SELECT status, COUNT(*) FROM runs WHERE key IN ({_marks(part)}) AND id <= ? GROUP BY status"
                found.update(dict(self._db.execute(query, (*part, last))))
        return dict(found)

    def runs_of(self, keys: Sequence[str], last: int = NO_LAST) -> list[Run]:
        """The units of these keys that are there (up to the unit with id `last`), in the order of the keys."""
        found: dict[str, Run] = {}
        with self._lock:
            for part in _parts(keys):
                query = f"SELECT {_RUN} FROM runs WHERE key IN ({_marks(part)}) AND id <= ?"
                rows = self._db.execute(query, (*part, last)).fetchall()
                scores = self._scores([row[0] for row in rows])
                found |= {row[1]: Run(*row[1:-1], row[-1] and arriving_json(row[-1]), scores[row[0]]) for row in rows}
        return [found[key] for key in keys if key in found]

    def _scores(self, runs: Sequence[int]) -> dict[int, dict[str, tuple[float | None, str]]]:
        found: dict[int, dict[str, tuple[float | None, str]]] = {run: {} for run in runs}
        query = f"SELECT run, measure, value, status FROM scores WHERE run IN ({_marks(runs)})"
        for run, measure, value, status in self._db.execute(query, runs):
            found[run][measure] = (value, status)
        return found

    def add_reply(
        self, key: str, respondent: str, prompt: str, messages: str, asked: dict[str, Any], reply: dict[str, Any]
    ) -> None:
        """Commit a reply the moment it is there; one that had failed is replaced."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        settings = json.dumps(arriving_values(asked), sort_keys=True)
        came = json.dumps(arriving_values(reply))  # values, not their JSON: in that half a character is plain ASCII
        with self._lock, self._db:
            self._db.execute("INSERT OR IGNORE INTO prompts VALUES (?, ?)", (prompt, arriving_json(messages)))
            self._db.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (key, arriving(respondent), prompt, settings, now, reply["status"], reply.get("cost"), came),
            )

    def reply(self, key: str) -> StoredReply | None:
        with self._lock:
            row = self._db.execute("SELECT * FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else _stored_reply(row)

    def replies(self) -> dict[str, StoredReply]:
        """Every stored reply by key; none in a store that was made before models could be asked."""
        with self._lock:
            if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
                return {}
            rows = self._db.execute("SELECT * FROM replies").fetchall()
        return {row[0]: _stored_reply(row) for row in rows}

    def prompt(self, hash: str) -> list[dict[str, str]]:
        """The messages behind a reply."""
        with self._lock:
            row = self._db.execute("SELECT messages FROM prompts WHERE hash = ?", (hash,)).fetchone()
        found: list[dict[str, str]] = [] if row is None else json.loads(row[0])
        return found

    def spent(self) -> float:
        """What all stored replies count against a limit, in USD: what they cost, and the most that usage nobody told
        of can have cost (`unknown_usd` of what was asked)."""
        unknown = "IFNULL(json_extract(asked, '$.unknown_usd'), 0)"
        with self._lock:
            found = self._db.execute(f"SELECT TOTAL(MAX(IFNULL(cost, 0), 0) + {unknown}) FROM replies").fetchone()
        return float(found[0])

    def uncounted(self) -> list[tuple[str, str, dict[str, Any], list[dict[str, str]]]]:
        """Respondent, status, settings and messages of replies that `spent` knows nothing of."""
        with self._lock:
            rows = self._db.execute(
                "SELECT respondent, status, asked, messages FROM replies JOIN prompts ON hash = prompt "
                "WHERE cost IS NULL AND json_extract(asked, '$.unknown_usd') IS NULL"
            ).fetchall()
        return [(respondent, status, json.loads(asked), json.loads(sent)) for respondent, status, asked, sent in rows]

    def answered_as(self) -> dict[str, dict[str, int]]:
        """Respondent -> the other names under which replies came, and how many of each."""
        some, none = '%"answered_as": "%', '%"answered_as": ""%'
        found: dict[str, Counter[str]] = {}
        with self._lock:
            query = "SELECT respondent, reply FROM replies WHERE reply LIKE ? AND reply NOT LIKE ?"
            rows = self._db.execute(query, (some, none)).fetchall()
        for respondent, reply in rows:
            name = json.loads(arriving_json(reply)).get("answered_as")
            if name and isinstance(name, str):
                found.setdefault(respondent, Counter())[name] += 1
        return {respondent: dict(names.most_common()) for respondent, names in found.items()}


def _stored_reply(row: tuple[Any, ...]) -> StoredReply:
    key, respondent, prompt, asked, at, status, cost, reply = row
    try:
        given, came = json.loads(asked), json.loads(arriving_json(reply))
    except (ValueError, RecursionError) as error:
        raise StoreError(f"the stored reply {key:.40} must be JSON, got: {one_line(error)}. Restore a copy.") from None
    if not isinstance(given, dict) or not isinstance(came, dict) or not isinstance(came.get("text"), str):
        raise StoreError(f"the stored reply {key:.40} must be a table with its text, got another. Restore a copy.")
    return StoredReply(key, respondent, prompt, given, at, status, cost, came)


def _parts(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), _AT_ONCE):
        yield keys[start : start + _AT_ONCE]


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))


def _connect(path: Path, uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.text_factory = lambda raw: str(raw, "utf-8", "replace")  # half a character must not lock up the rest
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a damaged file or one of a newer version before anything is written.

    A large file is not read from end to end: that would take longer than to find what is left to do. SQLite tells of
    damage when it comes upon it, and a transaction that does is undone.
    """
    if path.stat().st_size <= CHECKED_WHOLE:
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict is None or verdict[0] != "ok":
            raise sqlite3.DatabaseError(str(verdict and verdict[0]))
    _check_plain(connection, path)
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        _check_study(connection)
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        if row is not None and not (isinstance(row[0], str) and row[0].isdecimal() and len(row[0]) < 10):
            raise sqlite3.DatabaseError(f"{row[0]!r:.40} for the version of its schema")
        if row is not None and int(row[0]) > SCHEMA_VERSION:
            raise StoreError(
                f"{path} must be of schema {SCHEMA_VERSION} or older, got {row[0]}. Update: pip install -U causal-assay"
            )


def _check_study(connection: sqlite3.Connection) -> None:
    """What the store says of the study must have the shape that `results.describe` gives it."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'study'").fetchone()
    found = json_of(str(row[0]), "its entry 'study'", StoreError) if row is not None else {}
    if not isinstance(found, dict):
        raise sqlite3.DatabaseError("an entry 'study' that is no table")
    tasks = found.get("tasks", [])
    _check_shape(found, {"study": str, "seed": int, "tasks": list} if "tasks" in found else {})
    for task in tasks:
        _check_shape(task, _TASK)
        for cell in task["cells"]:
            _check_shape(cell, _CELL)
            if not 0 <= cell["repeats"] <= MAX_REPEATS:
                raise sqlite3.DatabaseError(f"{cell['repeats']:,} repeats of a cell (at most {MAX_REPEATS:,})")


def _check_shape(found: Any, shape: dict[str, Any]) -> None:
    for key, kind in shape.items():
        if not isinstance(found, dict) or not isinstance(found.get(key), kind):
            raise sqlite3.DatabaseError(f"an entry 'study' without a usable {key!r}")


def _check_plain(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse what assay never writes: a view can count for ever, a trigger changes what is stored."""
    odd = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger') OR sql LIKE 'create virtual%'"
    ).fetchone()
    if odd is not None:
        raise StoreError(
            f"{path} must hold tables only, as assay writes them, got the {odd[0]} {odd[1]!r:.60}. It was not opened."
        )
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if path.stat().st_size > CHECKED_WHOLE:
        return
    for table, kinds in _KINDS.items() if there >= set(_KINDS) else ():
        wrong = " OR ".join(f"typeof({column}) NOT IN ({allowed})" for column, allowed in kinds.items())
        if connection.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1").fetchone():
            raise sqlite3.DatabaseError(f"a value of another type than assay writes in the table {table}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """SQLite's errors as one line that says what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise StoreError(
                f"{path} is locked by another program. Close it or wait, then give the same command again; "
                "nothing was changed."
            ) from error
        if "readonly" in text or "unable to open" in text:
            raise StoreError(
                f"{path} cannot be opened for writing ({text}). Check its permissions and folder."
            ) from error
        if "full" in text:
            raise StoreError(f"the disk is full: {path} was not changed. Free some space and run again.") from error
        raise StoreError(_damaged(path, error)) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(_damaged(path, error)) from error


def _damaged(path: Path, error: Exception) -> str:
    return (
        f"{path} must be a sound SQLite file, got: {' '.join(str(error).split())[:120]}. It was not touched. Restore a "
        f"copy, save what is left with 'sqlite3 {path.name} .recover', or move it away to start anew."
    )


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.resolve()))


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
                f"{folder} is being written by another assay (process {holder}). Wait for it, or watch it with "
                f"'assay show {folder}'; nothing was changed."
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(lock)


def to_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
