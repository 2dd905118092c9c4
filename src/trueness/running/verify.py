"""Verify: a random share of the stored units is done again, and must come out the same.

    fits    fitted anew by the executor: status, answer and every score must be equal
    asks    read and scored anew from the stored replies: nobody is asked, nothing is paid

A unit that timed out hangs on the machine's speed and is not compared. Nothing is written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass

from numpy.random import default_rng

from trueness.errors import SettingError, StoreError
from trueness.models import Message, Reply, Settings
from trueness.outside import Json
from trueness.running.cells import Cell, Stage, reply_key
from trueness.running.engine import Chunk, run_chunk
from trueness.running.outcomes import Outcome, checked_outcome, without_answer
from trueness.running.store import Run, Store
from trueness.running.study import Study
from trueness.status import Status

SHARE = 0.01


@dataclass(frozen=True)
class Difference:
    """One unit that came out otherwise: `what` differs (status, answer, or a measure), as stored and as found now."""

    task: str
    item: str
    variant: str
    respondent: str
    repeat: int
    what: str
    stored: str
    now: str

    def __str__(self) -> str:
        cell = " x ".join(part for part in (self.item, self.variant, self.respondent) if part)
        return f"{self.task}: {cell}, run {self.repeat}: {self.what} was {self.stored}, is now {self.now}"


@dataclass(frozen=True)
class Verification:
    """How many of the stored units were done again, and which differ."""

    stored: int
    compared: int
    not_comparable: int  # timed out: another machine may have had the time
    seed: int
    differences: tuple[Difference, ...]

    def to_dict(self) -> dict[str, Json]:
        return asdict(self)

    def sentence(self) -> str:
        units = len({(d.task, d.item, d.variant, d.respondent, d.repeat) for d in self.differences})
        text = f"{self.compared:,} of {self.stored:,} stored units were done again (seed {self.seed}): "
        text += f"{units:,} differ." if units else "none differs."
        if units == 0 and self.compared:
            most = 1.0 - 0.05 ** (1.0 / self.compared)  # under which so many equal ones still come up in 1 of 20 cases
            text += f" So at most {100 * most:.2g} % of all differ (95 %)."
        if self.not_comparable:
            text += f" {self.not_comparable:,} more had timed out and cannot be compared."
        return text


def verify(study: Study, executor: Executor, share: float = SHARE, seed: int | None = None) -> Verification:
    """Do a random `share` of the stored units again, at least one of each task; `seed` chooses which."""
    if not 0 < share <= 1:
        raise SettingError(f"'--verify' must be a share in (0, 1], got {share:g}. Try 0.01.")
    seed = int(default_rng().integers(2**31)) if seed is None else seed
    stored = compared = skipped = 0
    differences: list[Difference] = []
    with Store.reading(study.plan.folder) as store:
        for stage in study.stages:
            known = store.statuses(stage.name)
            there = [(cell, r) for cell in stage.cells for r in range(cell.repeats) if cell.key(r) in known]
            stored += len(there)
            size = min(len(there), math.ceil(share * len(there)))
            rng = default_rng([seed, *stage.name.encode()])
            places = [there[i] for i in sorted(rng.choice(len(there), size, replace=False))] if there else []
            runs = store.runs_of([cell.key(r) for cell, r in places])
            chosen = [(cell, r, run) for (cell, r), run in zip(places, runs, strict=True)]
            again = [unit for unit in chosen if unit[2].status != Status.TIMED_OUT]
            skipped += len(chosen) - len(again)
            compared += len(again)
            if stage.is_fitted:
                chunks = [Chunk(stage.function, c.common, (c.unit(r),), stage.time_limit) for c, r, _ in again]
                done = zip(again, executor.map(run_chunk, chunks), strict=True)
                outcomes = [cell.settled(r, checked_outcome(came)) for (cell, r, _), (came,) in done]
            else:
                outcomes = _reread(stage, again, store)
            for (_, _, run), outcome in zip(again, outcomes, strict=True):
                differences += _differences(stage.name, run, outcome)
    if stored == 0:
        raise StoreError(f"{study.plan.folder} has no unit of this plan to verify. Run it first.")
    return Verification(stored, compared, skipped, seed, tuple(differences))


StoredUnit = tuple[Cell, int, Run]


def _reread(stage: Stage, units: Sequence[StoredUnit], store: Store) -> list[Outcome]:
    def ask(name: str, messages: Sequence[Message], settings: Settings, salt: str) -> Reply:
        key = reply_key(name, stage.models.get(name, {}), messages, settings, salt)
        known = store.reply(key)
        if known is None:  # the prompt is another one now: the unit could not be rebuilt from what was paid for
            raise StoreError(f"no reply of {name} to this prompt is stored. The prompt or its settings have changed.")
        return Reply.from_dict(known.reply)

    outcomes = []
    for cell, repeat, _ in units:
        try:
            outcomes.append(stage.perform(cell, repeat, ask))
        except StoreError as error:
            outcomes.append(without_answer(Status.FAILED, str(error)))
    return outcomes


def _differences(task: str, run: Run, now: Outcome) -> list[Difference]:
    """Seconds and messages may differ; status, answer and scores may not."""
    stored = {"status": run.status, "answer": run.answer, **run.scores}
    found = {"status": now["status"], "answer": now["answer"]} | {
        measure: (value, str(status)) for measure, (value, status) in now["scores"].items()
    }
    return [
        Difference(task, run.item, run.variant, run.respondent, run.repeat, what, *map(_short, (old, new)))
        for what in ("status", "answer", *sorted({*run.scores, *now["scores"]}))
        if (old := stored.get(what)) != (new := found.get(what))
    ]


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
