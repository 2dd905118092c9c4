"""What a study found so far, read from its store: the long table, completeness, and a summary of every cell.

The long table has one row a measure of a run: study, task, item, variant, respondent, repeat, measure, value, status.
A run that failed has a row for every measure, with its status and no value.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay import registry
from assay.errors import StoreError
from assay.intervals import short
from assay.statistics.runs import RunSummary, summarise_columns
from assay.status import Status
from assay.store import Run, Store
from assay.tasks.cells import Cell, stream

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
    values: dict[str, list[float | None]]

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
    runs: dict[str, Run]

    about: dict[str, Any] = field(default_factory=dict)  # what the task says of itself as a whole

    @classmethod
    def all_of(cls, store: Store) -> tuple[Results, ...]:
        """The results of every task of the study, in order."""
        text = store.meta("study")
        if text is None:
            raise StoreError(
                "the study has a database and no plan in it: it was stopped before it began. Run it again."
            )
        found = json.loads(text)
        if "tasks" not in found:
            raise StoreError("the study was made by an earlier version. Go on with it: assay run FOLDER")
        return tuple(cls._of_task(found["study"], found["seed"], task, store) for task in found["tasks"])

    @classmethod
    def _of_task(cls, study: str, seed: int, found: dict[str, Any], store: Store) -> Results:
        cells = tuple(
            Cell(c["item"], c["variant"], c["respondent"], c["repeats"], {}, c["identity"]) for c in found["cells"]
        )
        abouts = tuple(c["about"] for c in found["cells"])
        return cls(
            study, found["task"], seed, found["level"], tuple(found["measures"]), tuple(found["headline"]), cells,
            abouts, _scored(found, store.runs(found["task"])), found["about"],
        )  # fmt: skip

    @classmethod
    def read(cls, folder: Path | str) -> Results:
        """The results of a study's first task."""
        with Store.reading(Path(folder)) as store:
            return cls.all_of(store)[0]

    def rows(self) -> Iterator[Row]:
        """The long table, in the order of the plan."""
        for cell in self.cells:
            for repeat, key in enumerate(cell.keys):
                run = self.runs.get(key)
                if run is None:
                    continue
                for measure in self.measures:
                    value, status = run.scores.get(measure, (None, run.status))
                    yield Row(
                        self.study, self.task, cell.item, cell.variant, cell.respondent, repeat, measure, value, status
                    )

    def n_failed(self) -> int:
        """Runs without a result; a reply that came and could not be read is one, and is counted elsewhere."""
        fine = (Status.OK,) if self.task == "discovery" else (*READ_OR_NOT, Status.OK)
        return sum(run.status not in fine for run in self.failed_runs())

    def failed_runs(self) -> list[Run]:
        found = (self.runs.get(key) for cell in self.cells for key in cell.keys)
        return [run for run in found if run is not None and run.status != Status.OK]

    def completeness(self) -> list[dict[str, Any]]:
        """One row a cell: how many of the planned runs ended in which status."""
        found = []
        for cell in self.cells:
            statuses = self._statuses(cell)
            row = {"item": cell.item, "respondent": cell.respondent, "planned": cell.repeats}
            found.append(row | {"ok": statuses.get(Status.OK, 0), **_others(statuses)})
        return found

    def _statuses(self, cell: Cell) -> dict[str, int]:
        runs = [self.runs.get(key) for key in cell.keys]
        return dict(Counter(run.status if run else NOT_RUN for run in runs))

    @cached_property
    def summaries(self) -> list[CellSummary]:
        """Every cell and measure, with one bootstrap for all."""
        width = max((cell.repeats for cell in self.cells), default=0)
        values = np.full((width, len(self.cells) * len(self.measures)), np.nan)
        reasons = np.full(values.shape, NOT_RUN, dtype=object)
        for c, cell in enumerate(self.cells):
            for repeat, key in enumerate(cell.keys):
                run = self.runs.get(key)
                if run is None:
                    continue
                for m, measure in enumerate(self.measures):
                    value, status = run.scores.get(measure, (None, run.status))
                    column = c * len(self.measures) + m
                    reasons[repeat, column] = status
                    if value is not None:
                        values[repeat, column] = value
        rng = stream(self.seed, "bootstrap of the means")
        found = summarise_columns(values, reasons, self.level, rng=rng) if values.size else []
        return [self._summary(c, cell, values, found) for c, cell in enumerate(self.cells)]

    def _summary(self, c: int, cell: Cell, values: NDArray[np.float64], found: Sequence[RunSummary]) -> CellSummary:
        runs = [self.runs.get(key) for key in cell.keys]
        first = c * len(self.measures)
        columns = {measure: first + m for m, measure in enumerate(self.measures)}
        return CellSummary(
            cell.item,
            cell.respondent,
            cell.repeats,
            self.abouts[c],
            self._statuses(cell),
            tuple(run.seconds for run in runs if run is not None and run.seconds is not None),
            {measure: found[column] for measure, column in columns.items()},
            {
                measure: [None if np.isnan(v) else float(v) for v in values[: cell.repeats, column]]
                for measure, column in columns.items()
            },
        )

    def _repr_html_(self) -> str:
        """In a notebook: one row a cell, how its runs ended and the mean of each headline measure with its CI."""
        head = "".join(f"<th>{escape(name)}</th>" for name in ("item", "respondent", "ok / planned", *self.headline))
        rows = []
        for cell in self.summaries:
            texts = [cell.item, cell.respondent, f"{cell.ok} / {cell.repeats}"]
            texts += [_mean_text(cell.measures[name]) for name in self.headline]
            rows.append("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in texts) + "</tr>")
        title = f"{self.study}: {self.task}, {100 * self.level:g} % CI of the mean"
        return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{''.join(rows)}</table>"


def _mean_text(found: RunSummary) -> str:
    if found.mean is None:
        return "-"
    ends = "" if found.ci is None else f" [{short(found.ci.low)}, {short(found.ci.high)}]"
    return f"{short(found.mean)}{ends}"


def _scored(task: dict[str, Any], runs: dict[str, Run]) -> dict[str, Run]:
    """Runs with their scores; a task whose workers know no truth scores them here, from what it said of itself."""
    if task["task"] not in registry.TASKS:  # of another package: nothing is imported to read a store
        return runs
    score = getattr(registry.resolve("task", task["task"]), "scored", None)
    return runs if score is None else {key: score(task["about"], run) for key, run in runs.items()}


def describe(name: str, seed: int, stages: Sequence[tuple[Any, Sequence[Cell]]]) -> str:
    """What the store must know to be read without the plan's files: JSON for its `study` entry."""
    tasks = [
        {
            "task": task.name,
            "level": task.level,
            "measures": list(task.measures),
            "headline": list(task.headline),
            "about": task.about() if hasattr(task, "about") else {},
            "cells": [
                {
                    "item": cell.item,
                    "variant": cell.variant,
                    "respondent": cell.respondent,
                    "repeats": cell.repeats,
                    "identity": cell.identity,
                    "about": task.describe(cell.item, cell.respondent),
                }
                for cell in cells
            ],
        }
        for task, cells in stages
    ]
    return json.dumps({"study": name, "seed": seed, "tasks": tasks}, default=str)


def _others(statuses: dict[str, int]) -> dict[str, int]:
    return {status: count for status, count in sorted(statuses.items()) if status != Status.OK}
