"""What a study found so far, read from its store: the long table, completeness, and a summary of every cell.

The long table has one row a measure of a run: study, task, item, variant, respondent, repeat, measure, value, status.
A run that failed has a row for every measure, with its status and no value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueness import registry
from trueness.errors import StoreError
from trueness.intervals import short
from trueness.measure import Measure, measure_of
from trueness.running.cells import Cell, stream
from trueness.running.stage import Stage
from trueness.running.store import Run, Store, Unit
from trueness.running.stored_runs import StoredRuns, Units
from trueness.statistics.runs import RunSummary, summarise_columns
from trueness.status import Status
from trueness.texts import html_text

VALUES_AT_ONCE = 2_500_000  # of cells that are summarised together: 20 MB
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
    about: dict[str, Any]
    statuses: dict[str, int]
    seconds: tuple[float, ...]
    measures: dict[str, RunSummary]
    values: dict[str, NDArray[np.float64]]  # (n,) of each measure, n runs that are there, NaN where one has none
    done: NDArray[np.int64]  # (n,) which repeats these are

    @property
    def ok(self) -> int:
        return self.statuses.get(Status.OK, 0)

    @property
    def failures(self) -> dict[str, int]:
        """Runs that ended without an answer, by status."""
        return {status: n for status, n in self.statuses.items() if status not in (Status.OK, NOT_RUN)}


@dataclass(frozen=True, eq=False)
class Results:
    study: str
    task: str
    seed: int
    level: float
    measures: tuple[str, ...]
    headline: tuple[str, ...]
    cells: tuple[Cell, ...]
    abouts: tuple[dict[str, Any], ...]
    runs: Mapping[str, Run]

    about: dict[str, Any] = field(default_factory=dict)  # what the task says of itself as a whole
    declared: Mapping[str, Measure] = field(default_factory=dict)  # of a study that is not built in

    @classmethod
    def all_of(cls, store: Store) -> tuple[Results, ...]:
        """The results of every task of the study, in order."""
        return tuple(cls._each(store))

    @classmethod
    def _each(cls, store: Store) -> Iterator[Results]:
        text = store.meta("study")
        if text is None:
            raise StoreError(
                "the study has a database and no plan in it: it was stopped before it began. Run it again."
            )
        found = json.loads(text)
        if not found.get("tasks"):
            raise StoreError("the study was made by an earlier version. Go on with it: trueness run FOLDER")
        for task in found["tasks"]:
            yield cls._of_task(found["study"], found["seed"], task, store)

    @classmethod
    def _of_task(cls, study: str, seed: int, found: dict[str, Any], store: Store) -> Results:
        cells = tuple(
            Cell(c["item"], c["variant"], c["respondent"], c["repeats"], {}, c["identity"]) for c in found["cells"]
        )
        abouts = tuple(c["about"] for c in found["cells"])
        return cls(
            study, found["task"], seed, found["level"], tuple(found["measures"]), tuple(found["headline"]), cells,
            abouts, StoredRuns(store, found["task"]), found["about"], declared_measures(found),
        )  # fmt: skip

    @classmethod
    def read(cls, folder: Path | str) -> Results:
        """The results of a study's first task."""
        with Store.reading(Path(folder)) as store:
            return next(cls._each(store))

    def measure(self, name: str) -> Measure:
        """What a measure means; of one that nobody declared its name alone."""
        return (
            self.declared.get(name) or measure_of(name) or Measure(name, better="neither", minimum=None, maximum=None)
        )

    def of_cell(self, cell: Cell) -> list[Run]:
        """The runs of a cell that are there, in the order of their repeats."""
        return self._runs_at(self._places[cell.item, cell.variant, cell.respondent])

    def _runs_at(self, place: int) -> list[Run]:
        keys = self._units.keys(place)
        return self.runs.of(keys) if isinstance(self.runs, StoredRuns) else [self.runs[key] for key in keys]

    @cached_property
    def _places(self) -> dict[tuple[str, str, str], int]:
        return {(cell.item, cell.variant, cell.respondent): place for place, cell in enumerate(self.cells)}

    @cached_property
    def _units(self) -> Units:
        if isinstance(self.runs, StoredRuns):
            return self.runs.units(self.cells)
        return Units(self.cells, map(_unit, self.runs.values()))

    def rows(self) -> Iterator[Row]:
        """The long table, in the order of the plan."""
        for cell in self.cells:
            yield from self.rows_of(cell, self.of_cell(cell))

    def rows_of(self, cell: Cell, runs: Sequence[Run]) -> Iterator[Row]:
        start = (self.study, self.task, cell.item, cell.variant, cell.respondent)
        for run in runs:
            for measure in self.measures:
                yield Row(*start, run.repeat, measure, *run.scores.get(measure, (None, run.status)))

    def n_failed(self, replies: bool) -> int:
        """Runs without a result; where replies are read, one that could not be is a result, and counted elsewhere."""
        fine = (*READ_OR_NOT, Status.OK, NOT_RUN) if replies else (Status.OK, NOT_RUN)
        return sum(count for found in self._statuses for status, count in found.items() if status not in fine)

    def failed_runs(self) -> list[Run]:
        cells = [c for c, found in zip(self.cells, self._statuses, strict=True) if found.keys() - {Status.OK, NOT_RUN}]
        return [run for cell in cells for run in self.of_cell(cell) if run.status != Status.OK]

    def completeness(self) -> list[dict[str, Any]]:
        """One row a cell: how many of the planned runs ended in which status."""
        found = []
        for cell, statuses in zip(self.cells, self._statuses, strict=True):
            row = {"item": cell.item, "respondent": cell.respondent, "planned": cell.repeats}
            found.append(row | {"ok": statuses.get(Status.OK, 0), **_others(statuses)})
        return found

    @cached_property
    def _statuses(self) -> list[dict[str, int]]:
        """Of each cell: how many runs ended how."""
        return [self._statuses_at(place) for place in range(len(self.cells))]

    def _statuses_at(self, place: int) -> dict[str, int]:
        found = dict(sorted(self._units.statuses.get(place, {}).items()))
        return found | _not_run(self.cells[place].repeats - sum(found.values()))

    @cached_property
    def summaries(self) -> list[CellSummary]:
        """Every cell and measure."""
        return list(self.each_summary())

    def each_summary(self) -> Iterator[CellSummary]:
        """As many cells at a time, with one bootstrap for all, as memory should hold. How many does not matter (but in
        the last digit, by rounding): resamples follow from the seed and the number of runs."""
        if "summaries" in vars(self):
            yield from self.summaries
            return
        longest = max((sum(found.values()) for found in self._units.statuses.values()), default=0)
        together = max(1, VALUES_AT_ONCE // max(1, longest * len(self.measures)))
        for start in range(0, len(self.cells), together):
            yield from self._summarised(range(start, min(start + together, len(self.cells))))

    def _summarised(self, which: Sequence[int]) -> Iterator[CellSummary]:
        runs = {c: self._runs_at(c) for c in which}
        m, begun = len(self.measures), [own for own in runs.values() if own]
        values = np.full((max(map(len, begun), default=0), len(begun) * m), np.nan)
        reasons = np.full(values.shape, NOT_RUN, dtype=object)
        for place, own in enumerate(begun):
            columns = slice(place * m, (place + 1) * m)
            for k, run in enumerate(own):
                found = [run.scores.get(measure, (None, run.status)) for measure in self.measures]
                values[k, columns] = [value for value, _ in found]  # None becomes NaN
                reasons[k, columns] = [status for _, status in found]
        rng = stream(self.seed, "bootstrap of the means")
        summaries = summarise_columns(values, reasons, self.level, rng=rng) if values.size else []
        empty = np.full((0, m), np.nan), [RunSummary(0, self.level, {})] * m
        place = 0
        for c, own in runs.items():
            columns = slice(place * m, (place + 1) * m)
            yield self._summary(c, own, *((values[:, columns], summaries[columns]) if own else empty))
            place += bool(own)

    def _summary(
        self, c: int, runs: Sequence[Run], values: NDArray[np.float64], found: Sequence[RunSummary]
    ) -> CellSummary:
        cell, not_run = self.cells[c], _not_run(self.cells[c].repeats - len(runs))
        whole = [  # what fills up the columns of a shorter cell was never planned
            replace(one, missing={why: n for why, n in one.missing.items() if why != NOT_RUN} | not_run)
            if not_run or NOT_RUN in one.missing
            else one
            for one in found
        ]
        return CellSummary(
            cell.item,
            cell.respondent,
            cell.repeats,
            self.abouts[c],
            self._statuses[c],
            tuple(run.seconds for run in runs if run.seconds is not None),
            dict(zip(self.measures, whole, strict=True)),
            dict(zip(self.measures, np.ascontiguousarray(values[: len(runs)].T), strict=True)),
            np.array([run.repeat for run in runs], dtype=np.int64),
        )

    def _repr_html_(self) -> str:
        """In a notebook: one row a cell, how its runs ended and the mean of each headline measure with its CI."""
        head = "".join(f"<th>{html_text(name)}</th>" for name in ("item", "respondent", "ok / planned", *self.headline))
        rows = []
        for cell in self.summaries:
            texts = [cell.item, cell.respondent, f"{cell.ok} / {cell.repeats}"]
            texts += [_mean_text(cell.measures[name]) for name in self.headline]
            rows.append("<tr>" + "".join(f"<td>{html_text(text)}</td>" for text in texts) + "</tr>")
        title = f"{self.study}: {self.task}, {100 * self.level:g} % CI of the mean"
        return f"<table><caption>{html_text(title)}</caption><tr>{head}</tr>{''.join(rows)}</table>"


def _unit(run: Run) -> Unit:
    return 0, run.key, run.item, run.variant, run.respondent, run.repeat, run.status


def _not_run(left: int) -> dict[str, int]:
    return {NOT_RUN: left} if left else {}


def _mean_text(found: RunSummary) -> str:
    if found.mean is None:
        return "-"
    ends = "" if found.ci is None else f" [{short(found.ci.low)}, {short(found.ci.high)}]"
    return f"{short(found.mean)}{ends}"


def declared_measures(task: Mapping[str, Any]) -> dict[str, Measure]:
    """What a study that is not built in said of its measures; what is no such thing is left out."""
    given = {} if task["task"] in registry.built_in("task") else task.get("declared")
    shapes = {"title": str, "better": str, "description": str}
    found = {}
    for name, said in given.items() if isinstance(given, dict) else ():
        if isinstance(said, dict) and all(isinstance(said.get(key), kind) for key, kind in shapes.items()):
            ends = [_bound(said.get(key)) for key in ("minimum", "maximum")]
            if said["better"] in ("higher", "lower", "neither"):
                found[name] = Measure(name, **{key: said[key] for key in shapes}, minimum=ends[0], maximum=ends[1])
    return found


def _bound(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if is_number else None


def _measures_entry(stage: Stage) -> dict[str, Any]:
    """Names; and of a study's own Measures what a reader must know."""
    own = [one for one in stage.study.measures if isinstance(one, Measure)]
    names = [one.name if isinstance(one, Measure) else one for one in stage.study.measures]
    headline = [one.name if isinstance(one, Measure) else one for one in stage.study.headline]
    kept = ("title", "better", "description", "minimum", "maximum")
    told = {one.name: {key: getattr(one, key) for key in kept} for one in own}
    return {"measures": names, "headline": headline} | ({"declared": told} if told else {})


def describe(name: str, seed: int, stages: Sequence[Stage]) -> str:
    """What the store must know to be read without the plan's files: JSON for its `study` entry."""
    tasks = [
        {
            "task": stage.name,
            "level": stage.study.level,
            **_measures_entry(stage),
            "about": stage.about,
            "cells": [
                {
                    "item": cell.item,
                    "variant": cell.variant,
                    "respondent": cell.respondent,
                    "repeats": cell.repeats,
                    "identity": cell.identity,
                    "about": stage.study.describe(cell.item, cell.respondent),
                }
                for cell in stage.cells
            ],
        }
        for stage in stages
    ]
    return json.dumps({"study": name, "seed": seed, "tasks": tasks}, default=str)


def _others(statuses: dict[str, int]) -> dict[str, int]:
    return {status: count for status, count in sorted(statuses.items()) if status != Status.OK}
