"""What a study will cost and what it can show, before it is run.

expected time = sum over cells (seconds of one calibration fit x fits left) / workers
expected cost = sum over calls (prompt tokens x price in + reply tokens x price out), low: short, high: max_tokens

No model is asked; a prompt's tokens are counted as one for every 4 characters (low) or 3 (high).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from trueness import models
from trueness.models.base import stated_price
from trueness.outside import Json, is_there
from trueness.running.cells import Cell, Stage
from trueness.running.engine import Chunk, RawOutcome, run_chunk
from trueness.running.store import Store, StoredUnits
from trueness.running.study import Study
from trueness.statistics.reach import Reach
from trueness.status import Status

SHORT_REPLY = {  # tokens of a reply that wastes none, by formulation, mode or probe; 1 where it is not known
    "judge": 80, "behaviour": 60,
    "direct": 60, "steps": 300, "interval": 60, "quantiles": 200,
    "qa": 1, "likelihood": 1, "sample": 3, "story": 150, "distribution": 40,
}  # fmt: skip
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
class AskCost:
    """What asking one model will take. Costs are in USD, None where its price is not known."""

    model: str
    calls: int
    left: int
    input_tokens: tuple[int, int]
    output_tokens: tuple[int, int]
    cost: tuple[float | None, float | None]
    missing: str  # what must be there before it can be asked, or ''
    elsewhere: str = ""  # its address and its key, where they are not the provider's own
    asks: int = 0  # what `run` counts: each takes one call or several


@dataclass(frozen=True)
class PlanCost:
    """The cost and the reach of a plan."""

    cells: tuple[CellCost, ...]
    fits: int
    done: int
    workers: int
    notes: tuple[str, ...]
    asks: tuple[AskCost, ...] = ()
    limit_usd: float | None = None

    @property
    def seconds(self) -> float:
        return sum(cell.seconds * cell.left for cell in self.cells) / self.workers

    @property
    def at_least(self) -> bool:
        """A calibration fit was cut off: the time is a lower bound."""
        return any(cell.status == Status.TIMED_OUT for cell in self.cells)

    def to_dict(self) -> dict[str, Json]:
        return {
            "cells": len(self.cells),
            "fits": self.fits,
            "fits_done": self.done,
            "workers": self.workers,
            "expected_seconds": round(self.seconds, 3),
            "expected_is_lower_bound": self.at_least,
            "per_cell": [vars(cell) for cell in self.cells],
            "calls": sum(ask.calls for ask in self.asks),
            "calls_left": sum(ask.left for ask in self.asks),
            "per_model": [vars(ask) for ask in self.asks],
            "limit_usd": self.limit_usd,
            "what_it_can_show": list(self.notes),
        }


def estimate(study: Study, executor: Executor, workers: int) -> PlanCost:
    """One fit of every cell of tasks that fit (of cells that a task calls alike, of the first), not stored; with what
    the folder already holds taken off."""
    fitted = [(stage, cell) for stage in study.stages if stage.is_fitted for cell in stage.cells]
    first = {(stage.name, stage.alike(cell)): (stage, cell) for stage, cell in reversed(fitted)}
    chunks = {kind: _calibration(*pair) for kind, pair in first.items()}
    timed = {kind: executor.submit(run_chunk, chunk) for kind, chunk in chunks.items()}
    done = _units_stored(study)
    times = {kind: _time(*first[kind], future.result()[1:]) for kind, future in timed.items()}
    costs = tuple(
        CellCost(cell.item, cell.respondent, cell.repeats - stored, *times[stage.name, stage.alike(cell)])
        for stage in study.stages
        if stage.is_fitted
        for cell, stored in zip(stage.cells, done[stage.name], strict=True)
    )
    fits = sum(cell.repeats for _, cell in fitted)
    asking = [stage for stage in study.stages if not stage.is_fitted]
    asks = tuple(ask for stage in asking for ask in _ask_costs(stage, done[stage.name], study.plan.base))
    limit = study.plan.settings.get("limit_usd")
    left = sum(cost.left for cost in costs)
    return PlanCost(costs, fits, fits - left, workers, tuple(_notes(study, asks, limit)), asks, limit)


def _calibration(stage: Stage, cell: Cell) -> Chunk:
    """Where fits of a cell differ, its task says which ones to time; the first is done twice: it also pays for imports,
    compilation and caches."""
    shares = stage.calibration(cell)
    units = tuple(cell.unit(repeat) for repeat in (next(iter(shares)), *shares))
    return Chunk(stage.function, cell.common, units, min(stage.time_limit, CALIBRATION_LIMIT))


def _time(stage: Stage, cell: Cell, outcomes: Sequence[RawOutcome]) -> tuple[float, str, str]:
    """Seconds of a fit, status and message."""
    shares = stage.calibration(cell).values()
    seconds = sum(share * (one["seconds"] or 0.0) for share, one in zip(shares, outcomes, strict=True))
    worst = next((one for one in outcomes if one["status"] != Status.OK), outcomes[-1])
    return seconds, worst["status"], worst["message"]


def _ask_costs(stage: Stage, done: Sequence[int], folder: Path) -> Iterator[AskCost]:
    for name, options in stage.models.items():
        mine = [(cell, stored) for cell, stored in zip(stage.cells, done, strict=True) if cell.respondent == name]
        todo = [(cell, (cell.repeats - stored) * cell.common.get("calls", 1)) for cell, stored in mine]
        characters = sum(left * sum(len(m.content) for m in cell.common["messages"]) for cell, left in todo)
        tokens_in = (math.ceil(characters / 4), math.ceil(characters / 3))
        tokens_out = (
            sum(left * SHORT_REPLY.get(cell.variant.split("/")[0], 1) for cell, left in todo),
            sum(left * cell.common["settings"].max_tokens for cell, left in todo),
        )
        price = stated_price(options.get("price"), name)
        low, high = (None if price is None else price.cost(*pair) for pair in zip(tokens_in, tokens_out, strict=True))
        missing = models.check_ready(name, options, folder) or ""
        asks = sum(cell.repeats for cell, _ in mine)
        calls = sum(cell.repeats * cell.common.get("calls", 1) for cell, _ in mine)
        left = sum(left for _, left in todo)
        elsewhere = models.elsewhere(name, options)
        yield AskCost(name, calls, left, tokens_in, tokens_out, (low, high), missing, elsewhere, asks)


def _units_stored(study: Study) -> dict[str, list[int]]:
    """Of each task and cell: how many units the folder holds; counted by those that are there, not by those planned."""
    counts = {stage.name: [0] * len(stage.cells) for stage in study.stages}
    if is_there(study.plan.folder / "study.db"):
        with Store.reading(study.plan.folder) as store:
            for stage in study.stages:
                for place, statuses in StoredUnits(stage.cells, store.units(stage.name)).statuses.items():
                    counts[stage.name][place] = sum(statuses.values())
    return counts


def _notes(study: Study, asks: Sequence[AskCost], limit: float | None) -> list[str]:
    """What later tests could show at all with this design, and what stands in its way."""
    notes = [line for ask in asks for line in (ask.missing, ask.elsewhere) if line]
    notes += [note for stage in study.stages for note in stage.notes]
    high = sum(ask.cost[1] or 0.0 for ask in asks)
    if limit is not None and high > limit:
        notes.append(f"The calls could cost up to {high:.2f} USD, and the limit is {limit:g}: it may be reached.")
    for stage in study.stages:
        if (reach := stage.reach()) is not None:
            notes += reach
            continue
        respondents = len({cell.respondent for cell in stage.cells}) + len(stage.references)
        units, called = stage.units()
        pairs = respondents * (respondents - 1) // 2
        if pairs:
            notes.append(
                f"Comparing {respondents} respondents of {stage.name} in pairs over {units} {called} (the units): "
                f"{Reach(units, pairs)}"
            )
    return notes + [note for stage in study.stages for note in stage.cautions()]
