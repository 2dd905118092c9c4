"""The store of a study: one SQLite file, written by the driver alone.

    runs      one row a unit of work: key, item, variant, respondent, repeat, status, message, seconds, answer
    scores    one row a measure of a run: value, or none and a status
    replies   one row a reply of a model: what was asked, what came back, what it cost
    prompts   the messages behind replies, once each
    meta      schema version and the plan

A unit is committed when its result arrives, a reply the moment it does; a killed driver loses at most what was in
flight. A file lock keeps a second driver out; readers (`trueness show`) may look at any time. What is damaged or locked
is reported, never touched.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sys import intern
from typing import Any

from trueness.errors import StoreError
from trueness.models.services import hide_keys
from trueness.outside import one_line
from trueness.running import study_db
from trueness.texts import arriving, arriving_json, arriving_values, printable_json

NO_LAST = 2**63 - 1  # no id is greater
_AT_ONCE = 500  # variables of one SQL statement
_UNIT = "id, key, item, variant, respondent, repeat, status"
_RUN = "id, key, item, variant, respondent, repeat, status, message, seconds, answer"

Unit = tuple[int, str, str, str, str, int, str]  # _UNIT


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
        """The driver's store: made where there is none, locked against a second driver; no key gets into it."""
        hide_keys()
        with study_db.writing(folder) as connection:
            store = cls(connection, folder / study_db.NAME)
            store.set_meta("schema", str(study_db.SCHEMA_VERSION))
            try:
                yield store
            finally:
                with store._lock:  # a thread may be in the middle of a statement: closing then would end the process
                    study_db.end_journal(connection)
                    connection.close()

    @classmethod
    @contextmanager
    def reading(cls, folder: Path) -> Iterator[Store]:
        with study_db.reading(folder) as connection:
            yield cls(connection, folder / study_db.NAME)

    @classmethod
    @contextmanager
    def rereading(cls, folder: Path) -> Iterator[Store]:
        """A store that this process has opened, and so checked, before."""
        with study_db.rereading(folder) as connection:
            yield cls(connection, folder / study_db.NAME)

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

    def units(self, task: str, after: int = 0, last: int = NO_LAST) -> Iterator[Unit]:
        """What every stored unit of a task is, and how it ended, in the order in which they came."""
        query = f"SELECT {_UNIT} FROM runs WHERE task = ? AND id > ? AND id <= ? ORDER BY id"
        with self._lock:
            for row in self._db.execute(query, (task, after, last)):
                yield (*row[:-1], intern(row[-1]))

    def runs_of(self, keys: Sequence[str], last: int = NO_LAST) -> list[Run]:
        """The units of these keys that are there (up to the unit with id `last`), in the order of the keys."""
        found: dict[str, Run] = {}
        with self._lock:
            for part in _parts(keys):
                query = f"SELECT {_RUN} FROM runs WHERE key IN ({_marks(part)}) AND id <= ?"
                rows = self._db.execute(query, (*part, last)).fetchall()
                scores = self._scores([row[0] for row in rows])
                for number, *what, answer in rows:
                    found[what[0]] = Run(*(*what, answer and arriving_json(answer), scores[number]))
        return [found[key] for key in keys if key in found]

    def _scores(self, runs: Sequence[int]) -> dict[int, dict[str, tuple[float | None, str]]]:
        found: dict[int, dict[str, tuple[float | None, str]]] = {run: {} for run in runs}
        query = f"SELECT run, measure, value, status FROM scores WHERE run IN ({_marks(runs)})"
        for run, measure, value, status in self._db.execute(query, runs):
            if measure in found[run]:  # a key: in a sound file it is there once
                raise sqlite3.DatabaseError(f"the measure {measure!r:.40} of a run twice")
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
        """The messages behind a reply; none where the store does not hold them."""
        with self._lock:
            row = self._db.execute("SELECT messages FROM prompts WHERE hash = ?", (hash,)).fetchone()
        return [] if row is None else _messages(hash, row[0])

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


def _messages(hash: str, text: str) -> list[dict[str, str]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(m, dict) and isinstance(m.get("content"), str) for m in found):
        raise StoreError(f"the stored prompt {hash:.40} must be a list of messages, got another. Restore a copy.")
    return found


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


def to_json(value: Any) -> str:
    return printable_json(value, indent=2, allow_nan=False) + "\n"
