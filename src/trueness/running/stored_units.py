"""Which units of a plan are stored, and how they ended.

How many units a cell should have is a number, and may be a stranger's: time and memory go with the units that are
stored. A unit is the plan's by its key, a hash; its names tell which cell's to try, and where they do not (a learner
was given another name) a search does, which has an end.

`RunColumns` are the runs of a cell by columns, without answers: a row a run, as Python knows it, takes two kilobytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Self

import numpy as np
from numpy.typing import NDArray

from trueness.running.cells import Cell
from trueness.status import Status

SEARCHED = 2_000_000  # keys made for units under names that the plan does not have: three seconds
NAMES_TRIED = 8  # cells whose units may be under one name

Names = tuple[str, str, str]  # item, variant, respondent
UnitRow = tuple[int, str, str, str, str, int, str]  # id, key, item, variant, respondent, repeat, status
RunRow = tuple[int, int, str, str, float | None]  # id, repeat, status, message, seconds
ScoreRow = tuple[int, str, float | None, str]  # id of the run, measure, value, status


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
