"""The store of a study: one SQLite file, written by the driver alone.

    runs      one row a unit of work: key, item, variant, respondent, repeat, status, message, seconds, answer
    scores    one row a measure of a run: value, or none and a status
    replies   one row a reply of a model: what was asked, what came back, what it cost
    prompts   the messages behind replies, once each
    meta      schema version and the plan

A unit is committed when its result arrives, a reply the moment it does; a killed driver loses at most what was in
flight. A file lock keeps a second driver out; readers (`trueness show`) may look at any time. What is damaged or locked
is reported, never touched.

How many units a cell should have is a number, and may be a stranger's: time and memory go with the units that are
stored. A unit is the plan's by its key, a hash; its names tell which cell's to try, and where they do not (a learner
was given another name) a search does, which has an end.

`RunColumns` are the runs of a cell by columns, without answers: a row a run, as Python knows it, takes two kilobytes.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isnan
from operator import itemgetter
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple, Self, TypedDict, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from trueness.errors import StoreError
from trueness.models.services import hide_keys
from trueness.outside import Json, one_line
from trueness.running import study_db
from trueness.running.cells import Cell
from trueness.running.outcomes import Outcome
from trueness.status import Status
from trueness.texts import arriving, arriving_json, arriving_values, printable_json

SEARCHED = 2_000_000  # keys made for units under names that the plan does not have: three seconds
NAMES_TRIED = 8  # cells whose units may be under one name

Names = tuple[str, str, str]  # item, variant, respondent
UnitRow = tuple[int, str, str, str, str, int, str]  # id, key, item, variant, respondent, repeat, status
RunRow = tuple[int, int, str, str, float | None]  # id, repeat, status, message, seconds
ScoreRow = tuple[int, str, float | None, str]  # id of the run, measure, value, status
_LISTED = "IN (SELECT value FROM json_each(?))"
_ROWS_AT_ONCE = 10_000
_UNIT = "id, key, item, variant, respondent, repeat, status"
_RUN = "id, key, item, variant, respondent, repeat, status, message, seconds, answer"


class StoredUnits:
    """Which units of a task's cells are stored, and how they ended. Cells that ask the same have the same units."""

    def __init__(self, cells: Sequence[Cell], units: Iterable[UnitRow] = ()) -> None:
        self.cells = cells
        self.statuses: dict[int, dict[str, int]] = {}  # place of a cell -> status -> how many
        self._stored: dict[int, tuple[array[int], array[int]]] = {}  # place -> repeats and ids
        alike: dict[str, list[int]] = {}
        for place, cell in enumerate(cells):
            alike.setdefault(cell.start, []).append(place)
        self._alike = list(alike.values())
        self._named = {(cell.item, cell.variant, cell.respondent): [alike[cell.start]] for cell in cells}
        self._in_vain: set[Names] = set()
        self._left = SEARCHED
        self.add(units)

    def add(self, units: Iterable[UnitRow]) -> None:
        for row, key, item, variant, respondent, repeat, status in units:
            for place in self._places_of(key, (item, variant, respondent), repeat):
                if 0 <= repeat < self.cells[place].repeats:
                    repeats, ids = self._stored.setdefault(place, (array("q"), array("q")))
                    repeats.append(repeat)
                    ids.append(row)
                    ended = self.statuses.setdefault(place, {})
                    ended[status] = ended.get(status, 0) + 1

    def ids_of(self, place: int) -> list[int]:
        """Of the units of a cell that are stored, in the order of their repeats."""
        return [row for _, row in sorted(zip(*self._stored.get(place, ((), ())), strict=True))]

    def _places_of(self, key: str, names: Names, repeat: int) -> Sequence[int]:
        """The cells that a unit belongs to; none where it is of a plan that was replaced."""
        known = self._named.setdefault(names, [])
        places = self._which(known, key, repeat)
        may_search = names not in self._in_vain and len(known) < NAMES_TRIED and self._left >= len(self._alike)
        if not places and may_search:
            self._left -= len(self._alike)
            if places := self._which(self._alike, key, repeat):
                known.append(places)
            else:
                self._in_vain.add(names)
        return places

    def _which(self, alike: Iterable[list[int]], key: str, repeat: int) -> list[int]:
        return next((places for places in alike if self.cells[places[0]].key(repeat) == key), [])


@dataclass(frozen=True, eq=False)
class RunColumns:
    """n runs in the order of their repeats, and m measures of each; NaN where there is no number."""

    ids: NDArray[np.int64]  # (n,), greater where a run came later
    repeats: NDArray[np.int64]  # (n,)
    statuses: Sequence[str]  # (n,)
    messages: Sequence[str]  # (n,)
    seconds: NDArray[np.float64]  # (n,)
    values: NDArray[np.float64]  # (m, n)
    reasons: NDArray[np.object_] | None  # (m, n): the status of each value; None where all are there

    @classmethod
    def of(cls, ids: Sequence[int], runs: Sequence[RunRow], scores: Sequence[ScoreRow], names: Sequence[str]) -> Self:
        """In the order of the ids; ids without a run are left out, and so are scores that nobody asks for."""
        run_of = {run[0]: run for run in runs}
        ordered = [run_of[row] for row in ids if row in run_of]
        ids, repeats, statuses, messages, seconds = zip(*ordered, strict=True) if ordered else ((),) * 5
        n, m = len(ids), len(names)
        row_of = {name: k * n for k, name in enumerate(names)}
        place_of = {run: k for k, run in enumerate(ids)}
        wanted = [score for score in scores if score[1] in row_of]
        where = np.array([row_of[measure] + place_of[run] for run, measure, _, _ in wanted], dtype=np.int64)
        values, why = np.full(m * n, np.nan), [score[3] for score in wanted]
        values[where] = np.array([score[2] for score in wanted], dtype=np.float64)  # None becomes NaN
        reasons = None
        if {*why, *statuses} - {Status.OK} or np.isnan(values).any():
            reasons = np.tile(np.array(statuses, dtype=object), m)  # what failed has no scores, and its own status
            reasons[where] = why
        shape = (m, n)
        return cls(
            np.array(ids, dtype=np.int64), np.array(repeats, dtype=np.int64), statuses, messages,
            np.array(seconds, dtype=np.float64), values.reshape(shape),
            None if reasons is None else reasons.reshape(shape),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.repeats)

    def numbers(self, row: int) -> list[float | None]:
        """The values of a measure; None where there is none."""
        return or_none(self.values[row])

    def reasons_of(self, row: int) -> list[str]:
        """The status of each value of a measure."""
        return [Status.OK] * len(self) if self.reasons is None else self.reasons[row].tolist()


def or_none(values: NDArray[np.float64]) -> list[float | None]:
    """Python's own numbers; None where there is none."""
    return [None if isnan(value) else value for value in values.tolist()]


NO_LAST = 2**63 - 1  # no id is greater
_MEASURE_OF_RUN = itemgetter(0, 1)  # of a row of scores
Kind = TypeVar("Kind")


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


class Asked(TypedDict):
    """A message of a stored prompt."""

    role: str
    content: str


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
        self._live: dict[str, tuple[StoredUnits, int, int]] = {}  # task -> units as last counted, all of them, the last

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
                    self._db = self._again.enter_context(study_db.reading(self.folder, again=True))
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
            keys = (json.dumps([run.key for run in runs]),)
            self._db.execute(f"DELETE FROM scores WHERE run IN (SELECT id FROM runs WHERE key {_LISTED})", keys)
            self._db.execute(f"DELETE FROM runs WHERE key {_LISTED}", keys)
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

    def units(self, task: str, after: int = 0, last: int = NO_LAST) -> Iterator[UnitRow]:
        """What every stored unit of a task is, and how it ended, in the order in which they came."""
        query = f"SELECT {_UNIT} FROM runs WHERE task = ? AND id > ? AND id <= ? ORDER BY id"
        with self._lock:
            for row in self._db.execute(query, (task, after, last)):
                yield (*row[:-1], intern(row[-1]))

    def runs_of(self, keys: Sequence[str]) -> list[Run]:
        """The units of these keys that are there, in the order of the keys."""
        query = f"SELECT key, id FROM runs WHERE key {_LISTED}"
        with self._lock:
            ids = dict(self._db.execute(query, (json.dumps(keys),)).fetchall())
        return self.runs_at([ids[key] for key in keys if key in ids])

    def runs_at(self, ids: Sequence[int]) -> list[Run]:
        """The units with these ids that are there, in their order."""
        with self._lock:
            scores: dict[int, dict[str, tuple[float | None, str]]] = {run: {} for run in ids}
            for run, measure, value, status in self._score_rows(ids):
                scores[run][measure] = (value, status)
            runs = {
                number: Run(*(*what, answer and arriving_json(answer), scores[number]))
                for number, *what, answer in self._rows(_RUN, ids)
            }
        return [runs[row] for row in ids if row in runs]

    def columns_at(self, ids: Sequence[int], measures: Sequence[str]) -> RunColumns:
        """The same units without their answers, by columns."""
        with self._lock:
            runs: list[RunRow] = self._rows("id, repeat, status, message, seconds", ids)
            return RunColumns.of(ids, runs, self._score_rows(ids), measures)

    def answers_at(self, ids: Sequence[int]) -> list[tuple[str, str | None]]:
        """Status and answer of the units with these ids that are there; their scores are not read."""
        with self._lock:
            ended = {row: (status, answer) for row, status, answer in self._rows("id, status, answer", ids)}
        return [ended[row] for row in ids if row in ended]

    def _rows(self, columns: str, ids: Sequence[int]) -> list[Json]:
        return self._db.execute(f"SELECT {columns} FROM runs WHERE id {_LISTED}", (json.dumps(ids),)).fetchall()

    def _score_rows(self, runs: Sequence[int]) -> list[ScoreRow]:
        """In parts: a driver has not looked whether pages of a large file point at each other, and have no end."""
        rows: list[ScoreRow] = []
        seen: set[tuple[int, str]] = set()
        query = f"SELECT run, measure, value, status FROM scores WHERE run {_LISTED}"
        cursor = self._db.execute(query, (json.dumps(runs),))
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
            replies = self._db.execute("SELECT COUNT(*) FROM replies").fetchone()
            return "-".join(map(str, (*self._count(), *replies)))

    def _count(self) -> tuple[int, int]:
        """How many units, and the row of the last."""
        count, last = self._db.execute("SELECT COUNT(*), IFNULL(MAX(id), 0) FROM runs").fetchone()
        return int(count), int(last)

    def counts(self, task: str, cells: Sequence[Cell]) -> dict[str, int]:
        """Status -> units of a task's cells, as they are now. A page asks every two seconds: only what came since is
        read."""
        with self._lock:
            now, last = self._count()
            units, before, seen = self._live.get(task) or (StoredUnits(cells), 0, 0)
            (added,) = self._db.execute("SELECT COUNT(*) FROM runs WHERE id > ?", (seen,)).fetchone()
            if units.cells != cells or now != before + added:  # another plan, or a unit that was done again has moved
                units, seen = StoredUnits(cells), 0
            units.add(self.units(task, seen, last))
            self._live[task] = units, now, last
            return dict(sum(map(Counter, units.statuses.values()), Counter[str]()))

    def aggregates(self, units: StoredUnits) -> list[Aggregate]:
        """Every measure of every cell; who only asks how far the study is need not wait for a million scores."""
        query = "SELECT ?, measure, COUNT(value), AVG(value), MIN(value), MAX(value) FROM scores"
        aggregates: list[Aggregate] = []
        for place in sorted(units.statuses):
            with self._lock:
                ids = json.dumps(units.ids_of(place))
                part = self._db.execute(f"{query} WHERE run {_LISTED} GROUP BY measure", (place, ids))
                aggregates += [Aggregate(*row) for row in part]
        return aggregates

    def latest(self, most: int = 8) -> list[dict[str, Json]]:
        """The units that came last, newest first."""
        columns = ("task", "item", "variant", "respondent", "repeat", "status", "message", "seconds")
        with self._lock:
            rows = self._db.execute(f"SELECT {', '.join(columns)} FROM runs ORDER BY id DESC LIMIT ?", (most,))
            return [dict(zip(columns, row, strict=True)) for row in rows]

    def cost(self) -> float | None:
        """USD so far; None where no reply has a known price."""
        with self._lock:
            total = self._db.execute("SELECT SUM(cost) FROM replies").fetchone()[0]
        return None if total is None else float(total)

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
        """Every stored reply by key."""
        with self._lock:
            rows = self._db.execute("SELECT * FROM replies").fetchall()
        return {row[0]: _stored_reply(row) for row in rows}

    def prompt(self, hash: str) -> list[Asked]:
        """The messages behind a reply; none where the store does not hold them."""
        with self._lock:
            row = self._db.execute("SELECT messages FROM prompts WHERE hash = ?", (hash,)).fetchone()
        return [] if row is None else _as_written(row[0], list[Asked], f"the stored prompt {hash:.40}")

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


def _as_written(text: str, kind: type[Kind], what: str) -> Kind:
    try:
        return msgspec.convert(json.loads(text), kind)
    except (ValueError, RecursionError, msgspec.ValidationError) as wrong:
        raise StoreError(f"{what} must be as trueness writes it, got: {one_line(wrong)}. Restore a copy.") from None


def _stored_reply(row: tuple[Json, ...]) -> StoredReply:
    key, respondent, prompt, request, at, status, cost, reply = row
    what = f"the stored reply {key:.40}"
    settings, came = (_as_written(text, dict[str, Any], what) for text in (request, arriving_json(reply)))
    if not isinstance(came.get("text"), str):
        raise StoreError(f"{what} must have a text, got none. Restore a copy.")
    return StoredReply(key, respondent, prompt, settings, at, status, cost, came)


def to_json(value: Json) -> str:
    return printable_json(value, indent=2, allow_nan=False) + "\n"
