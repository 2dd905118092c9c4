"""What a page asks of a study's store: sums by SQL, so that a million scores need neither time nor memory.

A store is opened once, read-only, and checked once; SQLite's own log shows what another process commits meanwhile.
Units are named by their keys: a store may also hold units of a plan that was replaced, which are not the study's.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from trueness.running.outline import TaskOutline
from trueness.running.store import Run, Store
from trueness.running.stored_runs import Units

_CELLS_AT_ONCE = 50
_KEYS_AT_ONCE = 500  # variables of one SQL statement


@contextmanager
def page_store(folder: Path) -> Iterator[PageStore]:
    """The store of a study, for reading."""
    with PageStore.reading(folder) as store:
        assert isinstance(store, PageStore)
        yield store


class Aggregate(NamedTuple):
    """One measure of one cell over the repeats that have a value."""

    cell: int
    measure: str
    n: int
    mean: float | None
    low: float | None
    high: float | None


class PageStore(Store):
    """A store with the queries of the page; open it with `page_store(folder)`."""

    def __init__(self, connection: sqlite3.Connection, path: Path):
        super().__init__(connection, path)
        self._counted = (0, 0)
        self._units: dict[str, Units] = {}

    def version(self) -> str:
        """Changes whenever something was added: the page then asks again."""
        with self._lock:
            replies = self._db.execute("SELECT COUNT(*) FROM replies").fetchone() if self._has("replies") else (0,)
            return "-".join(map(str, (*self._count(), *replies)))

    def _count(self) -> tuple[int, int]:
        """Of all tasks: how many units, and the row of the last."""
        count, last = self._db.execute("SELECT COUNT(*), IFNULL(MAX(id), 0) FROM runs").fetchone()
        return int(count), int(last)

    def units_of(self, task: TaskOutline) -> Units:
        """The stored units of its cells. A page that polls asks every two seconds: only what came since is read."""
        with self._lock:
            (before, last), now = self._counted, self._count()
            if now != (before, last):
                (added,) = self._db.execute("SELECT COUNT(*) FROM runs WHERE id > ?", (last,)).fetchone()
                if now[0] != before + added:  # a unit that was done again has moved
                    self._units.clear()
                for name, units in self._units.items():
                    units.add(self.units(name, last, now[1]))
                self._counted = now
            if task.task not in self._units or self._units[task.task].cells != task.cells:
                self._units[task.task] = Units(task.cells, self.units(task.task, last=now[1]))
            return self._units[task.task]

    def statuses_of(self, task: TaskOutline) -> dict[int, dict[str, int]]:
        """Place of a cell -> status -> units."""
        with self._lock:
            return {place: dict(found) for place, found in self.units_of(task).statuses.items()}

    def runs_at(self, task: TaskOutline, place: int) -> list[Run]:
        """The runs of a cell that are there, in the order of their repeats."""
        with self._lock:
            return self.runs_of(self.units_of(task).keys(place))

    def aggregates(self, task: TaskOutline) -> list[Aggregate]:
        """Every measure of every cell. One caller at a time.

        Some cells at a time, so that who only asks how far the study is need not wait for a million scores.
        """
        found: list[Aggregate] = []
        with self._lock:
            units = self.units_of(task)
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS page_cells (run INTEGER, cell INTEGER)")
            self._db.execute("DELETE FROM page_cells")
            pairs = zip(units.ids, units.places, strict=True)
            self._db.executemany("INSERT INTO page_cells VALUES (?, ?)", pairs)
            last = max(units.places, default=-1)
        for start in range(0, last + 1, _CELLS_AT_ONCE):
            with self._lock:
                part = self._db.execute(
                    "SELECT cell, measure, COUNT(value), AVG(value), MIN(value), MAX(value) "
                    "FROM page_cells CROSS JOIN scores USING (run) WHERE cell >= ? AND cell < ? GROUP BY cell, measure",
                    (start, start + _CELLS_AT_ONCE),
                )
                found += [Aggregate(*row) for row in part]
        with self._lock:
            self._db.rollback()  # the temporary table is empty again
        return found

    def values_of(self, task: TaskOutline, measure: str) -> dict[int, dict[int, float]]:
        """Place of a cell -> repeat -> the value of a measure, of the runs that have one."""
        found: dict[int, dict[int, float]] = {}
        with self._lock:
            units = self.units_of(task)
            rows = self._db.execute(
                "SELECT runs.id, runs.repeat, scores.value FROM runs "
                "JOIN scores ON scores.run = runs.id AND scores.measure = ? WHERE scores.value IS NOT NULL",
                (measure,),
            )
            values = {run: (repeat, value) for run, repeat, value in rows}
        for run, place in zip(units.ids, units.places, strict=True):
            if run in values:
                repeat, value = values[run]
                found.setdefault(place, {})[repeat] = value
        return found

    def answers_at(self, task: TaskOutline, place: int) -> list[tuple[str, str | None]]:
        """Status and answer of the runs of a cell that are there; their scores are not read."""
        found: dict[str, tuple[str, str | None]] = {}
        with self._lock:
            keys = self.units_of(task).keys(place)
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                part = keys[start : start + _KEYS_AT_ONCE]
                marks = ", ".join("?" * len(part))
                rows = self._db.execute(f"SELECT key, status, answer FROM runs WHERE key IN ({marks})", part)
                found |= {key: (status, answer) for key, status, answer in rows}
        return [found[key] for key in keys if key in found]

    def latest(self, most: int = 8) -> list[dict[str, Any]]:
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
