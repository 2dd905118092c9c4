"""What a page asks of a study's store: sums by SQL, so that a million scores need neither time nor memory.

A store is opened once, read-only, and checked once; SQLite's own log shows what another process commits meanwhile.
Units are named by their keys: a store may also hold units of a plan that was replaced, which are not the study's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from assay.store import Store

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

    _known: tuple[str, dict[str, str]] = ("", {})
    _counted: tuple[str, Mapping[str, int], dict[int, dict[str, int]]] = ("", {}, {})

    def version(self) -> str:
        """Changes whenever something was added: the page then asks again."""
        with self._lock:
            runs = self._db.execute("SELECT COUNT(*), IFNULL(MAX(id), 0) FROM runs").fetchone()
            replies = self._db.execute("SELECT COUNT(*) FROM replies").fetchone() if self._has("replies") else (0,)
        return "-".join(map(str, (*runs, *replies)))

    def statuses_of(self, cells: Mapping[str, int]) -> dict[int, dict[str, int]]:
        """Cell -> status -> units; `cells` tells the cell of each key. The same question again is not counted again."""
        with self._lock:  # what is kept must be of the state it is kept for
            statuses = self._statuses()
            version, asked, known = self._counted
            if version == self._known[0] and asked is cells:
                return known
            found: dict[int, dict[str, int]] = {}
            for key, status in statuses.items():
                cell = cells.get(key)
                if cell is not None:
                    counts = found.setdefault(cell, {})
                    counts[status] = counts.get(status, 0) + 1
            self._counted = self._known[0], cells, found
            return found

    def _statuses(self) -> dict[str, str]:
        """Key -> status, read again when something was committed: a page that polls asks for it every two seconds."""
        with self._lock:
            version = self.version()
            if self._known[0] != version:
                self._known = version, self.statuses()
            return self._known[1]

    def aggregates(self, cells: Mapping[str, int]) -> list[Aggregate]:
        """Every measure of every cell; `cells` tells the cell of each key. One caller at a time.

        Some cells at a time, so that who only asks how far the study is need not wait for a million scores.
        """
        found: list[Aggregate] = []
        with self._lock:
            rows = self._db.execute("SELECT id, key FROM runs").fetchall()
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS page_cells (run INTEGER PRIMARY KEY, cell INTEGER)")
            self._db.execute("DELETE FROM page_cells")
            self._db.executemany(
                "INSERT INTO page_cells VALUES (?, ?)", ((run, cells[key]) for run, key in rows if key in cells)
            )
        for start in range(0, max(cells.values(), default=-1) + 1, _CELLS_AT_ONCE):
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

    def values_of(self, cells: Mapping[str, int], measure: str) -> dict[int, dict[int, float]]:
        """Cell -> repeat -> the value of a measure, of the runs that have one."""
        found: dict[int, dict[int, float]] = {}
        with self._lock:
            rows = self._db.execute(
                "SELECT runs.key, runs.repeat, scores.value FROM runs "
                "JOIN scores ON scores.run = runs.id AND scores.measure = ? WHERE scores.value IS NOT NULL",
                (measure,),
            ).fetchall()
        for key, repeat, value in rows:
            if key in cells:
                found.setdefault(cells[key], {})[repeat] = value
        return found

    def answers_of(self, keys: Sequence[str]) -> list[tuple[str, str | None]]:
        """Status and answer of the units of these keys that are there; their scores are not read."""
        found: dict[str, tuple[str, str | None]] = {}
        with self._lock:
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
