"""The runs of one task, read from the store when they are asked for: a cell at a time, never a million at once.

The file is opened anew each time, so that results outlive the store they came from. Only units that were there in the
beginning are seen, although a driver may add others meanwhile.

How many units a cell should have is a number, and may be a stranger's: time and memory go with the units that are
stored. A unit is the plan's by its key, a hash; its names tell which cell's to try, and where they do not (a learner
was given another name) a search does, which has an end.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from trueness.running.cells import Cell
from trueness.running.store import Run, Store, Unit

SEARCHED = 2_000_000  # keys made for units under names that the plan does not have: three seconds
NAMES_TRIED = 8  # cells whose units may be under one name, and units of a name that are searched for in vain

Names = tuple[str, str, str]  # item, variant, respondent


class Units:
    """Which units of a task's cells are stored, and how they ended. Cells that ask the same have the same units."""

    def __init__(self, cells: Sequence[Cell], units: Iterable[Unit] = ()) -> None:
        self.cells = cells
        self.ids, self.places = array("q"), array("q")  # of each unit: its row, the place of its cell
        self.statuses: dict[int, dict[str, int]] = {}  # place -> status -> how many
        self._repeats: dict[int, array[int]] = {}
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

    def add(self, units: Iterable[Unit]) -> None:
        for row, key, item, variant, respondent, repeat, status in units:
            for place in self._places_of(key, (item, variant, respondent), repeat):
                if 0 <= repeat < self.cells[place].repeats:
                    self.ids.append(row)
                    self.places.append(place)
                    self._repeats.setdefault(place, array("q")).append(repeat)
                    ended = self.statuses.setdefault(place, {})
                    ended[status] = ended.get(status, 0) + 1

    def keys(self, place: int) -> list[str]:
        """Of the units of a cell that are stored, in the order of their repeats."""
        cell = self.cells[place]
        return [cell.key(repeat) for repeat in sorted(self._repeats.get(place, ()))]

    def _places_of(self, key: str, names: Names, repeat: int) -> Sequence[int]:
        """The cells that a unit belongs to; none where it is of a plan that was replaced."""
        known = self._named.setdefault(names, [])
        found = self._which(known, key, repeat)
        if found or len(known) >= NAMES_TRIED or self._in_vain[names] >= NAMES_TRIED or self._left < len(self._alike):
            return found
        self._left -= len(self._alike)
        found = self._which(self._alike, key, repeat)
        if found:
            known.append(found)
        else:
            self._in_vain[names] += 1
        return found

    def _which(self, alike: Iterable[list[int]], key: str, repeat: int) -> list[int]:
        return next((places for places in alike if self.cells[places[0]].key(repeat) == key), [])


class StoredRuns(Mapping[str, Run]):
    """key -> Run. `of(keys)` reads many together."""

    def __init__(self, store: Store, task: str) -> None:
        self._folder, self._task, self._last = store.folder, task, store.last_id()

    def of(self, keys: Sequence[str]) -> list[Run]:
        """The runs of these keys that are there, in the order of the keys."""
        if not keys:
            return []
        with Store.rereading(self._folder) as store:
            return store.runs_of(keys, self._last)

    def units(self, cells: Sequence[Cell]) -> Units:
        with Store.rereading(self._folder) as store:
            return Units(cells, store.units(self._task, last=self._last))

    def __getitem__(self, key: str) -> Run:
        found = self.of([key])
        if not found:
            raise KeyError(key)
        return found[0]

    def __iter__(self) -> Iterator[str]:
        with Store.rereading(self._folder) as store:
            return iter(store.statuses(self._task, self._last))

    def __len__(self) -> int:
        return sum(1 for _ in self)
