"""What a study found so far, read from its store: the long table, completeness, and a summary of every cell.

The long table has one row a measure of a run: study, task, item, variant, respondent, repeat, measure, value, status.
A run that failed has a row for every measure, with its status and no value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness.measure import Measure, measure_of
from trueness.outside import Json
from trueness.running.cells import Cell, stream
from trueness.running.store import Aggregate, Run, RunColumns, Store, StoredUnits
from trueness.running.study_db import StudyEntry, TaskEntry, declared_measures, read_entry
from trueness.statistics.runs import RunSummary, summarise_columns
from trueness.status import Status

VALUES_AT_ONCE = 2_500_000  # of cells that are summarised together: 20 MB
HELD = 100_000  # values of a study whose runs are not read twice: 15 MB
READ_OR_NOT = (Status.UNREADABLE, Status.REFUSED, Status.TRUNCATED)  # a model answered; what it said is another matter
NOT_RUN = "not run"  # planned, and not done yet


class Row(NamedTuple):
    """One line of scores.csv."""

    study: str
    task: str
    item: str
    variant: str
    respondent: str
    repeat: int
    measure: str
    value: float | None
    status: str


@dataclass(frozen=True)
class CellSummary:
    """One respondent on one item: how its runs ended, and each measure over them."""

    item: str
    respondent: str
    repeats: int
    about: dict[str, Json]
    statuses: dict[str, int]
    measures: dict[str, RunSummary]
    runs: RunColumns  # those that are there

    @property
    def values(self) -> dict[str, NDArray[np.float64]]:
        """(n,) of each measure, NaN where a run has none."""
        return dict(zip(self.measures, self.runs.values, strict=True))

    @property
    def done(self) -> NDArray[np.int64]:
        """(n,) which repeats these are."""
        return self.runs.repeats

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Of the runs that say."""
        seconds = self.runs.seconds
        return np.extract(~np.isnan(seconds), seconds)

    @property
    def ok(self) -> int:
        return self.statuses.get(Status.OK, 0)

    @property
    def failures(self) -> dict[str, int]:
        """Runs that ended without an answer, by status."""
        return {status: n for status, n in self.statuses.items() if status not in (Status.OK, NOT_RUN)}


@dataclass(frozen=True, eq=False)
class Results:
    """One study of a plan: what was planned, and the runs that were stored when this was made.

    Runs are read when they are asked for, a cell at a time, never a million at once; those of a small study once. The
    store is opened again where it was closed, so that results outlive it. What a driver adds meanwhile is not seen.
    """

    study: str
    task: str
    seed: int
    level: float
    measures: tuple[str, ...]
    headline: tuple[str, ...]
    cells: tuple[Cell, ...]
    abouts: tuple[dict[str, Json], ...]  # of each cell
    about: dict[str, Json]  # what the task says of itself as a whole
    declared: Mapping[str, Measure]  # of a study that is not built in
    store: Store = field(repr=False)
    last: int  # id of the last unit that is seen

    @classmethod
    def all_of(cls, store: Store) -> tuple[Results, ...]:
        """The results of every task of the study, in order."""
        entry, last = read_entry(store.meta("study")), store.last_id()
        return tuple(cls._of_task(entry, task, store, last) for task in entry.tasks)

    @classmethod
    def _of_task(cls, entry: StudyEntry, task: TaskEntry, store: Store, last: int) -> Results:
        cells = tuple(Cell(c.item, c.variant, c.respondent, c.repeats, {}, c.identity) for c in task.cells)
        return cls(
            entry.study, task.task, entry.seed, task.level, tuple(task.measures), tuple(task.headline), cells,
            tuple(c.about for c in task.cells), task.about, declared_measures(task), store, last,
        )  # fmt: skip

    @classmethod
    def read(cls, folder: Path | str) -> Results:
        """The results of a study's first task."""
        with Store.reading(Path(folder)) as store:
            return cls.all_of(store)[0]

    def measure(self, name: str) -> Measure:
        """What a measure means; of one that nobody declared its name alone."""
        return (
            self.declared.get(name) or measure_of(name) or Measure(name, better="neither", minimum=None, maximum=None)
        )

    # ---- what was planned

    @cached_property
    def place_of(self) -> dict[tuple[str, str, str], int]:
        """Item, variant and respondent of a cell -> its place."""
        return {(cell.item, cell.variant, cell.respondent): place for place, cell in enumerate(self.cells)}

    @property
    def planned(self) -> int:
        return sum(cell.repeats for cell in self.cells)

    @property
    def items(self) -> list[str]:
        return list(dict.fromkeys(cell.item for cell in self.cells))

    @property
    def respondents(self) -> list[str]:
        return list(dict.fromkeys(cell.respondent for cell in self.cells))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of each cell who answers, with the variant where there are several; "clean" needs no word."""
        several = len({cell.variant for cell in self.cells}) > 1
        return tuple(
            f"{cell.respondent} ({cell.variant})" if several and cell.variant != "clean" else cell.respondent
            for cell in self.cells
        )

    def of_item(self, item: str) -> list[int]:
        """The places of the cells of an item."""
        return [place for place, cell in enumerate(self.cells) if cell.item == item]

    # ---- what is stored

    @cached_property
    def _units(self) -> StoredUnits:
        with self.store.ensure_open() as store:
            return StoredUnits(self.cells, store.units(self.task, last=self.last))

    @property
    def has_runs(self) -> bool:
        return bool(self._units.statuses)

    @property
    def statuses(self) -> Mapping[int, Mapping[str, int]]:
        """Place of a cell -> status -> how many runs ended so."""
        return self._units.statuses

    def of_cell(self, cell: Cell) -> Sequence[Run]:
        """The runs of a cell that are there, in the order of their repeats."""
        return self.runs_at(self.place_of[cell.item, cell.variant, cell.respondent])

    def runs_at(self, place: int) -> Sequence[Run]:
        if place in self._held:
            return self._held[place]
        ids = self._units.ids_of(place)
        with self.store.ensure_open() as store:
            runs = store.runs_at(ids)
        if self.planned * (1 + len(self.measures)) <= HELD:
            self._held[place] = runs
        return runs

    @cached_property
    def _held(self) -> dict[int, Sequence[Run]]:
        """Place of a cell -> its runs, of a small study: summaries, tables, charts and page each ask for them."""
        return {}

    def columns_at(self, place: int) -> RunColumns:
        """The runs of a cell without their answers; what was summarised is not read again."""
        if self.is_summarised:
            return self.summaries[place].runs
        ids = self._units.ids_of(place)
        with self.store.ensure_open() as store:
            return store.columns_at(ids, self.measures)

    def answers_at(self, place: int) -> list[tuple[str, str | None]]:
        """Status and answer of the runs of a cell; their scores are not read."""
        ids = self._units.ids_of(place)
        with self.store.ensure_open() as store:
            return store.answers_at(ids)

    def aggregates(self) -> list[Aggregate]:
        """Every measure of every cell that has runs, summed by the store."""
        units = self._units
        with self.store.ensure_open() as store:
            return store.aggregates(units)

    def values_of(self, measure: str) -> dict[int, dict[int, float]]:
        """Place of a cell -> repeat -> the value of a measure, of the runs that have one."""
        if measure not in self.measures:
            return {}
        row, values = self.measures.index(measure), {}
        for place in sorted(self.statuses):
            columns = self.columns_at(place)
            pairs = zip(columns.repeats.tolist(), columns.numbers(row), strict=True)
            values[place] = {repeat: value for repeat, value in pairs if value is not None}
        return {place: of_cell for place, of_cell in values.items() if of_cell}

    # ---- tables

    def rows(self) -> Iterator[Row]:
        """The long table, in the order of the plan."""
        for place, cell in enumerate(self.cells):
            runs = self.columns_at(place)
            start = (self.study, self.task, cell.item, cell.variant, cell.respondent)
            scores = [zip(runs.numbers(k), runs.reasons_of(k), strict=True) for k in range(len(self.measures))]
            for repeat, *of_run in zip(runs.repeats.tolist(), *scores, strict=True):
                for measure, score in zip(self.measures, of_run, strict=True):
                    yield Row(*start, repeat, measure, *score)

    def n_failed(self, replies: bool) -> int:
        """Runs without a result; where replies are read, one that could not be is a result, and counted elsewhere."""
        fine = (*READ_OR_NOT, Status.OK, NOT_RUN) if replies else (Status.OK, NOT_RUN)
        return sum(count for statuses in self._endings for status, count in statuses.items() if status not in fine)

    def reasons(self) -> Counter[str]:
        """What failed runs said, and how many of them; replies that cannot be read are results."""
        fine = (*READ_OR_NOT, Status.OK, NOT_RUN)
        return Counter(run.message for run in self.failed_runs() if run.message and run.status not in fine)

    def failed_runs(self) -> list[Run]:
        cells = [c for c, ended in zip(self.cells, self._endings, strict=True) if ended.keys() - {Status.OK, NOT_RUN}]
        with self.store.ensure_open():
            return [run for cell in cells for run in self.of_cell(cell) if run.status != Status.OK]

    def completeness(self) -> list[dict[str, Json]]:
        """One row a cell: how many of the planned runs ended in which status."""
        rows = []
        for cell, statuses in zip(self.cells, self._endings, strict=True):
            row = {"item": cell.item, "respondent": cell.respondent, "planned": cell.repeats, "ok": 0}
            rows.append(row | dict(sorted(statuses.items())))
        return rows

    @cached_property
    def _endings(self) -> list[dict[str, int]]:
        """Of each cell: how many runs ended how."""
        stored = [dict(sorted(self._units.statuses.get(place, {}).items())) for place in range(len(self.cells))]
        left = [cell.repeats - sum(ended.values()) for cell, ended in zip(self.cells, stored, strict=True)]
        return [ended | _not_run(n) for ended, n in zip(stored, left, strict=True)]

    @property
    def is_summarised(self) -> bool:
        """Somebody has asked for the summaries already."""
        return "summaries" in vars(self)

    @cached_property
    def summaries(self) -> list[CellSummary]:
        """Every cell and measure."""
        return list(self.each_summary())

    def each_summary(self) -> Iterator[CellSummary]:
        """As many cells at a time, with one bootstrap for all, as memory should hold. How many does not matter (but in
        the last digit, by rounding): resamples follow from the seed and the number of runs."""
        if self.is_summarised:
            yield from self.summaries
            return
        longest = max((sum(statuses.values()) for statuses in self._units.statuses.values()), default=0)
        together = max(1, VALUES_AT_ONCE // max(1, longest * len(self.measures)))
        for start in range(0, len(self.cells), together):
            yield from self._summarise(range(start, min(start + together, len(self.cells))))

    def _summarise(self, which: Sequence[int]) -> Iterator[CellSummary]:
        """Cells with equally many runs in one go."""
        with self.store.ensure_open():  # once for all of them
            runs = {c: self.columns_at(c) for c in which}
        made = {c: [RunSummary(0, self.level, {}) for _ in self.measures] for c in which}
        for n in sorted(set(map(len, runs.values())) - {0}) if self.measures else ():
            alike = [c for c in which if len(runs[c]) == n]
            values = np.concatenate([runs[c].values for c in alike]).T
            why = [runs[c].reasons for c in alike]
            fine = np.full((len(self.measures), n), Status.OK, dtype=object)
            reasons = None if all(w is None for w in why) else np.concatenate([fine if w is None else w for w in why]).T
            rng = stream(self.seed, "bootstrap of the means")
            summaries = iter(summarise_columns(values, reasons, self.level, rng=rng))
            made |= {c: [next(summaries) for _ in self.measures] for c in alike}
        for c, of_cell in runs.items():
            cell, not_run = self.cells[c], _not_run(self.cells[c].repeats - len(of_cell))
            whole = [replace(one, missing={**one.missing, **not_run}) if not_run else one for one in made[c]]
            measures = dict(zip(self.measures, whole, strict=True))
            yield CellSummary(
                cell.item, cell.respondent, cell.repeats, self.abouts[c], self._endings[c], measures, of_cell
            )


def _not_run(left: int) -> dict[str, int]:
    return {NOT_RUN: left} if left else {}
