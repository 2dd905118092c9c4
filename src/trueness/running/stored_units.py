"""Which units of a plan are stored, and how they ended.

How many units a cell should have is a number, and may be a stranger's: time and memory go with the units that are
stored. A unit is the plan's by its key, a hash; its names tell which cell's to try, and where they do not (a learner
was given another name) a search does, which has an end.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Self

from trueness.running.cells import Cell

SEARCHED = 2_000_000  # keys made for units under names that the plan does not have: three seconds
NAMES_TRIED = 8  # cells whose units may be under one name, and units of a name that are searched for in vain

Names = tuple[str, str, str]  # item, variant, respondent
UnitRow = tuple[int, str, str, str, str, int, str]  # id, key, item, variant, respondent, repeat, status


class StoredUnits:
    """Which units of a task's cells are stored, and how they ended. Cells that ask the same have the same units."""

    def __init__(self, cells: Sequence[Cell], units: Iterable[UnitRow] = ()) -> None:
        self.cells = cells
        self.ids, self.places = array("q"), array("q")  # of each unit: its row, the place of its cell
        self.statuses: dict[int, dict[str, int]] = {}  # place -> status -> how many
        self._stored: dict[int, tuple[array[int], array[int]]] = {}  # place -> repeats and ids
        alike: dict[str, list[int]] = {}
        for place, cell in enumerate(cells):
            alike.setdefault(cell.start, []).append(place)
        self._alike = list(alike.values())
        self._named: dict[Names, list[list[int]]] = {
            (cell.item, cell.variant, cell.respondent): [alike[cell.start]] for cell in cells
        }
        self._in_vain: Counter[Names] = Counter()
        self._left = SEARCHED
        self.add(units)

    def add(self, units: Iterable[UnitRow]) -> None:
        for row, key, item, variant, respondent, repeat, status in units:
            for place in self._places_of(key, (item, variant, respondent), repeat):
                if 0 <= repeat < self.cells[place].repeats:
                    self.ids.append(row)
                    self.places.append(place)
                    repeats, ids = self._stored.setdefault(place, (array("q"), array("q")))
                    repeats.append(repeat)
                    ids.append(row)
                    ended = self.statuses.setdefault(place, {})
                    ended[status] = ended.get(status, 0) + 1

    def copy(self) -> Self:
        """As it is now; the cells are the same."""
        return deepcopy(self, {id(self.cells): self.cells})

    def ids_of(self, place: int) -> list[int]:
        """Of the units of a cell that are stored, in the order of their repeats."""
        return [row for _, row in sorted(zip(*self._stored.get(place, ((), ())), strict=True))]

    def _places_of(self, key: str, names: Names, repeat: int) -> Sequence[int]:
        """The cells that a unit belongs to; none where it is of a plan that was replaced."""
        known = self._named.setdefault(names, [])
        places = self._which(known, key, repeat)
        if places or len(known) >= NAMES_TRIED or self._in_vain[names] >= NAMES_TRIED or self._left < len(self._alike):
            return places
        self._left -= len(self._alike)
        places = self._which(self._alike, key, repeat)
        if places:
            known.append(places)
        else:
            self._in_vain[names] += 1
        return places

    def _which(self, alike: Iterable[list[int]], key: str, repeat: int) -> list[int]:
        return next((places for places in alike if self.cells[places[0]].key(repeat) == key), [])
