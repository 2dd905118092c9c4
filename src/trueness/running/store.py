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
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from sys import intern
from typing import NamedTuple, Self, TypeVar

from trueness.errors import StoreError
from trueness.models.services import hide_keys
from trueness.outside import Json, one_line
from trueness.running import study_db
from trueness.running.cells import Cell
from trueness.running.outcomes import Outcome
from trueness.running.stored_units import RunColumns, RunRow, ScoreRow, StoredUnits, UnitRow
from trueness.texts import arriving, arriving_json, arriving_values, printable_json

NO_LAST = 2**63 - 1  # no id is greater
_AT_ONCE = 500  # variables of one SQL statement
_ROWS_AT_ONCE = 10_000
_CELLS_AT_ONCE = 50
_MEASURE_OF_RUN = itemgetter(0, 1)  # of a row of scores
_Value = TypeVar("_Value", str, int)
_UNIT = "id, key, item, variant, respondent, repeat, status"
_RUN = "id, key, item, variant, respondent, repeat, status, message, seconds, answer"


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

    @classmethod
    def of(cls, cell: Cell, repeat: int, outcome: Outcome) -> Self:
        ended = (outcome["status"], outcome["message"], outcome["seconds"], outcome["answer"], outcome["scores"])
        return cls(cell.key(repeat), cell.item, cell.variant, cell.respondent, repeat, *ended)


@dataclass(frozen=True)
class StoredReply:
    """One stored reply: `settings` are those of the call, `reply` is models.Reply as a dict."""

    key: str
    respondent: str
    prompt: str  # hash of the messages
    settings: dict[str, Json]
    at: str
    status: str
    cost: float | None
    reply: dict[str, Json]


class Aggregate(NamedTuple):
    """One measure of one cell over the repeats that have a value."""

    cell: int
    measure: str
    n: int
    mean: float | None
    low: float | None
    high: float | None


class Store:
    """Open with `Store.writing(folder)` or `Store.reading(folder)`. Threads may share it: one statement at a time."""

    def __init__(self, connection: sqlite3.Connection, folder: Path):
        self.folder = folder
        self._db = connection
        self._lock = threading.RLock()
        self._is_closed, self._users, self._again = False, 0, ExitStack()
        self._counted = (0, 0)  # of all tasks: how many units, and the row of the last
        self._units: dict[str, StoredUnits] = {}

    @classmethod
    @contextmanager
    def writing(cls, folder: Path) -> Iterator[Store]:
        """The driver's store: made where there is none, locked against a second driver; no key gets into it."""
        hide_keys()
        with study_db.writing(folder) as connection:
            store = cls(connection, folder)
            store.set_meta("schema", str(study_db.SCHEMA_VERSION))
            try:
                yield store
            finally:
                with store._lock:  # a thread may be in the middle of a statement: closing then would end the process
                    study_db.end_journal(connection)
                    connection.close()
                    store._is_closed = True

    @classmethod
    @contextmanager
    def reading(cls, folder: Path) -> Iterator[Store]:
        with study_db.reading(folder) as connection:
            store = cls(connection, folder)
            try:
                yield store
            finally:
                store._is_closed = True

    @contextmanager
    def ensure_open(self) -> Iterator[Store]:
        """Itself. Where it was closed it is opened again, to be read, until the last one leaves; it was checked."""
        with study_db.as_store_error(self.folder / study_db.NAME):
            with self._lock:
                if self._is_closed and not self._users:
                    self._db = self._again.enter_context(study_db.rereading(self.folder))
                self._users += 1
            try:
                yield self
            finally:
                with self._lock:
                    self._users -= 1
                    if not self._users:
                        self._again.close()

    def meta(self, key: str) -> str | None:
        with self._lock:
            row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else arriving_json(str(row[0]))

    def set_meta(self, key: str, value: str) -> None:
        with self._lock, self._db:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, arriving_json(value)))

    def last_id(self) -> int:
        """Of the unit that came last; units that come later have greater ones."""
        with self._lock:
            return int(self._db.execute("SELECT IFNULL(MAX(id), 0) FROM runs").fetchone()[0])

    def statuses(self, task: str | None = None) -> dict[str, str]:
        """key -> status of every stored unit, or of one task's."""
        with self._lock:
            rows = self._db.execute("SELECT key, status FROM runs WHERE task = IFNULL(?, task)", (task,))
            return {key: intern(status) for key, status in rows}

    def add(self, task: str, runs: Sequence[Run]) -> None:
        """Store finished units in one transaction; a unit that is there already is replaced (--retry)."""
        with self._lock, self._db:
            first = self.last_id() + 1  # an id never comes again: readers know units by it
            self._forget([run.key for run in runs])
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

    def units(self, task: str, after: int = 0, last: int = NO_LAST) -> Iterator[UnitRow]:
        """What every stored unit of a task is, and how it ended, in the order in which they came."""
        query = f"SELECT {_UNIT} FROM runs WHERE task = ? AND id > ? AND id <= ? ORDER BY id"
        with self._lock:
            for row in self._db.execute(query, (task, after, last)):
                yield (*row[:-1], intern(row[-1]))

    def runs_of(self, keys: Sequence[str]) -> list[Run]:
        """The units of these keys that are there, in the order of the keys."""
        with self._lock:
            runs = {run.key: run for run in self._runs("key", keys).values()}
        return [runs[key] for key in keys if key in runs]

    def runs_at(self, ids: Sequence[int]) -> list[Run]:
        """The units with these ids that are there, in their order; an id is found in half the time of a key."""
        with self._lock:
            runs = self._runs("id", ids)
        return [runs[row] for row in ids if row in runs]

    def _runs(self, by: str, values: Sequence[_Value]) -> dict[int, Run]:
        runs: dict[int, Run] = {}
        for rows in self._rows(_RUN, by, values):
            scores = self._scores([row[0] for row in rows])
            for number, *what, answer in rows:
                runs[number] = Run(*(*what, answer and arriving_json(answer), scores[number]))
        return runs

    def columns_at(self, ids: Sequence[int], measures: Sequence[str]) -> RunColumns:
        """The same units without their answers, by columns."""
        runs: list[RunRow] = []
        scores: list[ScoreRow] = []
        with self._lock:
            for rows in self._rows("id, repeat, status, message, seconds", "id", ids):
                runs += rows
                scores += self._score_rows([row[0] for row in rows])
        return RunColumns.of(ids, runs, scores, measures)

    def answers_at(self, ids: Sequence[int]) -> list[tuple[str, str | None]]:
        """Status and answer of the units with these ids that are there; their scores are not read."""
        with self._lock:
            parts = [*self._rows("id, status, answer", "id", ids)]
        ended = {row: (status, answer) for rows in parts for row, status, answer in rows}
        return [ended[row] for row in ids if row in ended]

    def _rows(self, columns: str, by: str, values: Sequence[_Value]) -> Iterator[list[tuple[Json, ...]]]:
        for part in _parts(values):
            yield self._db.execute(f"SELECT {columns} FROM runs WHERE {by} IN ({_marks(part)})", part).fetchall()

    def _scores(self, runs: Sequence[int]) -> dict[int, dict[str, tuple[float | None, str]]]:
        scores: dict[int, dict[str, tuple[float | None, str]]] = {run: {} for run in runs}
        for run, measure, value, status in self._score_rows(runs):
            scores[run][measure] = (value, status)
        return scores

    def _score_rows(self, runs: Sequence[int]) -> list[ScoreRow]:
        """In parts: a driver has not looked whether pages of a large file point at each other, and have no end."""
        rows: list[ScoreRow] = []
        seen: set[tuple[int, str]] = set()
        cursor = self._db.execute(f"SELECT run, measure, value, status FROM scores WHERE run IN ({_marks(runs)})", runs)
        while part := cursor.fetchmany(_ROWS_AT_ONCE):
            rows += part
            seen.update(map(_MEASURE_OF_RUN, part))
            if len(seen) < len(rows):  # a key: in a sound file it is there once
                raise sqlite3.DatabaseError("a measure of a run twice")
        return rows

    # ---- sums, by SQL, so that a million scores need neither time nor memory

    def version(self) -> str:
        """Changes whenever something was added: the page then asks again."""
        with self._lock:
            replies = self._db.execute("SELECT COUNT(*) FROM replies").fetchone() if self._has("replies") else (0,)
            return "-".join(map(str, (*self._count(), *replies)))

    def _count(self) -> tuple[int, int]:
        count, last = self._db.execute("SELECT COUNT(*), IFNULL(MAX(id), 0) FROM runs").fetchone()
        return int(count), int(last)

    def units_up_to(self, last: int, task: str, cells: Sequence[Cell]) -> StoredUnits:
        """The stored units of a task's cells, as they were when the unit with that id was the last."""
        with self._lock:
            live = self._live_units(task, cells)
            if last == self._counted[1]:
                return live.copy()
            return StoredUnits(cells, self.units(task, last=last))

    def counts(self, task: str, cells: Sequence[Cell]) -> dict[str, int]:
        """Status -> units of a task's cells, as they are now."""
        counts: Counter[str] = Counter()
        with self._lock:
            for statuses in self._live_units(task, cells).statuses.values():
                counts.update(statuses)
        return dict(counts)

    def _live_units(self, task: str, cells: Sequence[Cell]) -> StoredUnits:
        """A page that polls asks every two seconds: only what came since is read."""
        (before, last), now = self._counted, self._count()
        if now != (before, last):
            (added,) = self._db.execute("SELECT COUNT(*) FROM runs WHERE id > ?", (last,)).fetchone()
            if now[0] != before + added:  # a unit that was done again has moved
                self._units.clear()
            for name, units in self._units.items():
                units.add(self.units(name, last, now[1]))
            self._counted = now
        if task not in self._units or self._units[task].cells != cells:
            self._units[task] = StoredUnits(cells, self.units(task, last=now[1]))
        return self._units[task]

    def aggregates(self, units: StoredUnits) -> list[Aggregate]:
        """Every measure of every cell. One caller at a time.

        Some cells at a time, so that who only asks how far the study is need not wait for a million scores.
        """
        aggregates: list[Aggregate] = []
        with self._lock:
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS page_cells (run INTEGER, cell INTEGER)")
            self._db.execute("DELETE FROM page_cells")
            pairs = zip(units.ids, units.places, strict=True)
            self._db.executemany("INSERT INTO page_cells VALUES (?, ?)", pairs)
        for start in range(0, max(units.places, default=-1) + 1, _CELLS_AT_ONCE):
            with self._lock:
                part = self._db.execute(
                    "SELECT cell, measure, COUNT(value), AVG(value), MIN(value), MAX(value) "
                    "FROM page_cells CROSS JOIN scores USING (run) WHERE cell >= ? AND cell < ? GROUP BY cell, measure",
                    (start, start + _CELLS_AT_ONCE),
                )
                aggregates += [Aggregate(*row) for row in part]
        with self._lock:
            self._db.rollback()  # the temporary table is empty again
        return aggregates

    def values_of(self, units: StoredUnits, measure: str) -> dict[int, dict[int, float]]:
        """Place of a cell -> repeat -> the value of a measure, of the runs that have one."""
        with self._lock:
            rows = self._db.execute(
                "SELECT runs.id, runs.repeat, scores.value FROM runs "
                "JOIN scores ON scores.run = runs.id AND scores.measure = ? WHERE scores.value IS NOT NULL",
                (measure,),
            )
            values = {run: (repeat, value) for run, repeat, value in rows}
        by_cell: dict[int, dict[int, float]] = {}
        for run, place in zip(units.ids, units.places, strict=True):
            if run in values:
                repeat, value = values[run]
                by_cell.setdefault(place, {})[repeat] = value
        return {place: dict(sorted(values.items())) for place, values in by_cell.items()}  # however they came

    def latest(self, most: int = 8) -> list[dict[str, Json]]:
        """The units that came last, newest first."""
        columns = ("task", "item", "variant", "respondent", "repeat", "status", "message", "seconds")
        with self._lock:
            rows = self._db.execute(f"SELECT {', '.join(columns)} FROM runs ORDER BY id DESC LIMIT ?", (most,))
            return [dict(zip(columns, row, strict=True)) for row in rows]

    def cost(self) -> float | None:
        """USD so far; None where no reply has a known price."""
        if not self._has("replies"):
            return None
        with self._lock:
            total = self._db.execute("SELECT SUM(cost) FROM replies").fetchone()[0]
        return None if total is None else float(total)

    def _has(self, table: str) -> bool:
        with self._lock:
            row = self._db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,))
            return row.fetchone() is not None

    # ---- replies

    def add_reply(
        self, key: str, respondent: str, prompt: str, messages: str, settings: dict[str, Json], reply: dict[str, Json]
    ) -> None:
        """Commit a reply the moment it is there; one that had failed is replaced."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        settings_json = json.dumps(arriving_values(settings), sort_keys=True)
        came = json.dumps(arriving_values(reply))  # values, not their JSON: in that half a character is plain ASCII
        with self._lock, self._db:
            self._db.execute("INSERT OR IGNORE INTO prompts VALUES (?, ?)", (prompt, arriving_json(messages)))
            self._db.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (key, arriving(respondent), prompt, settings_json, now, reply["status"], reply.get("cost"), came),
            )

    def reply(self, key: str) -> StoredReply | None:
        with self._lock:
            row = self._db.execute("SELECT * FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else _stored_reply(row)

    def replies(self) -> dict[str, StoredReply]:
        """Every stored reply by key; none in a store that was made before models could be asked."""
        with self._lock:
            if not self._has("replies"):
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
            (total,) = self._db.execute(f"SELECT TOTAL(MAX(IFNULL(cost, 0), 0) + {unknown}) FROM replies").fetchone()
        return float(total)

    def answered_as(self) -> dict[str, dict[str, int]]:
        """Respondent -> the other names under which replies came, and how many of each."""
        some, none = '%"answered_as": "%', '%"answered_as": ""%'
        names: dict[str, Counter[str]] = {}
        with self._lock:
            query = "SELECT respondent, reply FROM replies WHERE reply LIKE ? AND reply NOT LIKE ?"
            rows = self._db.execute(query, (some, none)).fetchall()
        for respondent, reply in rows:
            name = json.loads(arriving_json(reply)).get("answered_as")
            if name and isinstance(name, str):
                names.setdefault(respondent, Counter())[name] += 1
        return {respondent: dict(counted.most_common()) for respondent, counted in names.items()}


def _messages(hash: str, text: str) -> list[dict[str, str]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, list) or not all(isinstance(m, dict) and isinstance(m.get("content"), str) for m in value):
        raise StoreError(f"the stored prompt {hash:.40} must be a list of messages, got another. Restore a copy.")
    return value


def _stored_reply(row: tuple[Json, ...]) -> StoredReply:
    key, respondent, prompt, request, at, status, cost, reply = row
    try:
        settings, came = json.loads(request), json.loads(arriving_json(reply))
    except (ValueError, RecursionError) as error:
        raise StoreError(f"the stored reply {key:.40} must be JSON, got: {one_line(error)}. Restore a copy.") from None
    if not isinstance(settings, dict) or not isinstance(came, dict) or not isinstance(came.get("text"), str):
        raise StoreError(f"the stored reply {key:.40} must be a table with its text, got another. Restore a copy.")
    return StoredReply(key, respondent, prompt, settings, at, status, cost, came)


def _parts(values: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def to_json(value: Json) -> str:
    return printable_json(value, indent=2, allow_nan=False) + "\n"
