"""What a study will cost and what it can show, before it is run.

expected time = sum over cells (seconds of one calibration fit x fits left) / workers
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from assay.engine import Chunk, run_chunk
from assay.statistics.reach import Reach
from assay.statistics.runs import quantile_bounds
from assay.status import Status
from assay.store import Store
from assay.study import Study

CALIBRATION_LIMIT = 20.0  # seconds; a slower fit is reported as "at least"


@dataclass(frozen=True)
class CellCost:
    item: str
    respondent: str
    left: int
    seconds: float
    status: str
    message: str


@dataclass(frozen=True)
class Estimate:
    """The cost and the reach of a plan."""

    cells: tuple[CellCost, ...]
    fits: int
    done: int
    workers: int
    notes: tuple[str, ...]

    @property
    def seconds(self) -> float:
        return sum(cell.seconds * cell.left for cell in self.cells) / self.workers

    @property
    def at_least(self) -> bool:
        """A calibration fit was cut off: the time is a lower bound."""
        return any(cell.status == Status.TIMED_OUT for cell in self.cells)

    def to_dict(self) -> dict[str, Any]:
        return {
            "cells": len(self.cells),
            "fits": self.fits,
            "fits_done": self.done,
            "workers": self.workers,
            "expected_seconds": round(self.seconds, 3),
            "expected_is_lower_bound": self.at_least,
            "per_cell": [vars(cell) for cell in self.cells],
            "what_it_can_show": list(self.notes),
        }


def estimate(study: Study, executor: Executor, workers: int) -> Estimate:
    """One fit of every cell, not stored; with what the folder already holds taken off."""
    task = study.plan.task
    limit = min(task.time_limit, CALIBRATION_LIMIT)
    futures = [
        executor.submit(run_chunk, Chunk(task.function, cell.common, (cell.unit(0),) * 2, limit))
        for cell in study.cells
    ]
    known = _stored(study)
    costs = []
    for cell, future in zip(study.cells, futures, strict=True):
        # the second of two fits: the first also pays for imports, compilation and caches
        outcome = future.result()[-1]
        left = sum(key not in known for key in cell.keys)
        costs.append(
            CellCost(cell.item, cell.respondent, left, outcome["seconds"] or 0.0, outcome["status"], outcome["message"])
        )
    fits = sum(cell.repeats for cell in study.cells)
    done = fits - sum(cost.left for cost in costs)
    return Estimate(tuple(costs), fits, done, workers, tuple(_notes(study)))


def _stored(study: Study) -> set[str]:
    if not (study.plan.folder / "study.db").is_file():
        return set()
    with Store.reading(study.plan.folder) as store:
        return set(store.statuses())


def _notes(study: Study) -> list[str]:
    """What later tests could show at all with this design."""
    items = {cell.item for cell in study.cells}
    respondents = {cell.respondent for cell in study.cells}
    notes = []
    pairs = len(respondents) * (len(respondents) - 1) // 2
    if pairs:
        notes.append(
            f"Comparing {len(respondents)} respondents in pairs over {len(items)} data sets (the units): "
            f"{Reach(len(items), pairs)}"
        )
    runs = min(cell.repeats for cell in study.cells)
    if runs < 100:
        notes.append(f"{runs} runs a cell: at least 100 are asked for before conclusions are drawn from intervals.")
    if quantile_bounds(list(range(runs)), 0.025).low is None:
        notes.append(
            f"With {runs} runs the ends of the 2.5 to 97.5 % range of runs cannot be bounded from outside "
            "(146 runs can); the CI of the mean is not affected."
        )
    return notes
