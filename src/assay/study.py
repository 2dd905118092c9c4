"""A study: a TOML plan and a folder. Run what is missing, write what can be regenerated.

    Plan.read("study.toml")  ->  Study(plan).run(...)  ->  study.db, scores.csv, variance/*.json, provenance.json

The same command resumes: units that are in study.db are not done again. A folder belongs to one plan; another plan
in the same folder is refused unless it is said to replace the first (`--replan`).
"""

from __future__ import annotations

import json
import tomllib
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import registry
from assay.engine import Chunk, chunk_sizes, run_chunk
from assay.errors import AssayError, PlanError, StoreError, did_you_mean, listed
from assay.outputs import write_outputs
from assay.results import Results, describe
from assay.status import Status
from assay.store import Run, Store
from assay.tasks.cells import Cell

PLAN_KEYS = ("name", "seed", "folder", "datasets")
TRIES = 3  # of a chunk whose executor failed (a lost cluster worker), before the study stops
Report = Callable[["Progress"], None]


@dataclass(frozen=True)
class Plan:
    """A study.toml, checked. `text` is the file as it was, `settings` what it says."""

    name: str
    seed: int
    folder: Path
    base: Path  # where the plan's own relative paths start
    text: str
    settings: dict[str, Any]
    task: Any
    file: str = "study.toml"

    @classmethod
    def read(cls, path: Path | str, folder: Path | str | None = None) -> Plan:
        """A plan file, or a study folder that was made from one."""
        path = Path(path)
        base = path.parent
        if path.is_dir():
            folder, path, base = folder or path, path / "study.toml", _base_of(path)
        if not path.is_file():
            raise PlanError(f"{path} is not there. Write one with: assay new discovery {path}")
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(f"{path} must be a TOML file in UTF-8, got: {error}.") from None
        return cls.parse(text, path.name, base, folder)

    @classmethod
    def parse(cls, text: str, file: str, base: Path = Path(), folder: Path | str | None = None) -> Plan:
        """`base` is where the plan's own paths start; `folder` overrules the plan's."""
        try:
            settings = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"{file} must be TOML, got: {error}.") from None
        tasks = [key for key in settings if key in registry.names("task")]
        for key in settings:
            if key not in PLAN_KEYS and key not in tasks:
                known = (*PLAN_KEYS, *registry.names("task"))
                raise PlanError(f"{key!r} is not a key of a plan. {did_you_mean(key, known)}  ({file})")
        if len(tasks) != 1:
            raise PlanError(
                f"a plan must have one task table, such as [discovery], got {listed(tasks) or 'none'}.  ({file})"
            )
        name = str(settings.get("name", Path(file).stem))
        seed = settings.get("seed", 1)
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise PlanError(f"'seed' must be a whole number of at least 0, got {seed!r}.  ({file})")
        own = settings.get("datasets", {})
        if not isinstance(own, dict) or not all(isinstance(value, dict) for value in own.values()):
            raise PlanError(f"'datasets' at the top of a plan must be tables such as [datasets.plant].  ({file})")
        where = Path(folder) if folder else Path(settings.get("folder", Path("results") / name))
        if not isinstance(settings[tasks[0]], dict):
            raise PlanError(f"{tasks[0]!r} must be a table, [{tasks[0]}], got {settings[tasks[0]]!r}.  ({file})")
        task = registry.resolve("task", tasks[0]).from_plan(settings[tasks[0]], own, seed, base.resolve(), file)
        return cls(name, seed, where, base.resolve(), text, settings, task, file)

    def identity(self) -> dict[str, Any]:
        """What makes two plans the same: everything but the name, the folder and comments."""
        return {key: value for key, value in self.settings.items() if key not in ("name", "folder")}


@dataclass
class Progress:
    """What has been done so far, for whoever shows it."""

    total: int
    before: int  # already in the store when the run began
    done: int = 0  # in this run
    seconds_left: float | None = None  # None while too little is known
    slots: int = 1
    failures: dict[str, int] = field(default_factory=dict)
    last: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a run ended: complete, or interrupted with work left."""

    total: int
    done: int
    failed: int
    interrupted: bool


class Study:
    """A plan and the store behind it."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.cells: list[Cell] = plan.task.cells()

    def run(
        self,
        executor: Executor,
        slots: int,
        report: Report | None = None,
        retry: bool = False,
        replan: bool = False,
    ) -> Outcome:
        """Do what is missing (with `retry`, also what failed), then write the outputs."""
        folder = self.plan.folder
        folder.mkdir(parents=True, exist_ok=True)
        with Store.writing(folder) as store:
            self._claim(store, replan)
            known = store.statuses()
            missing = {
                index: deque(
                    r for r, key in enumerate(cell.keys) if key not in known or (retry and known[key] != Status.OK)
                )
                for index, cell in enumerate(self.cells)
            }
            total = sum(cell.repeats for cell in self.cells)
            progress = Progress(total, total - sum(map(len, missing.values())), slots=slots)
            driver = _Driver(self, store, executor, slots, missing, progress, report or (lambda _: None))
            interrupted = driver.drive()
            results = Results.of(store)
        write_outputs(results, self.plan.text, self.plan.base, folder)
        return Outcome(total, progress.before + progress.done, results.n_failed(), interrupted)

    def _claim(self, store: Store, replan: bool) -> None:
        """A folder belongs to one plan."""
        ours, theirs = json.dumps(self.plan.identity(), sort_keys=True, default=str), store.meta("plan")
        if theirs is not None and theirs != ours and not replan:
            raise StoreError(
                f"the study in {self.plan.folder} was made from another plan "
                f"({_difference(json.loads(theirs), json.loads(ours))}). Use a new folder, or --replan."
            )
        task = self.plan.task
        store.set_meta("plan", ours)
        store.set_meta("study", describe(self.plan.name, task, self.plan.seed, self.cells))


class _Driver:
    """Hands out chunks, stores what comes back."""

    def __init__(
        self,
        study: Study,
        store: Store,
        executor: Executor,
        slots: int,
        missing: dict[int, deque[int]],
        progress: Progress,
        report: Report,
    ):
        self.study, self.store, self.executor, self.slots = study, store, executor, slots
        self.missing, self.progress, self.report = missing, progress, report
        self.in_flight: dict[Future[list[dict[str, Any]]], tuple[int, list[int], int]] = {}
        self.seconds: dict[int, float] = {}  # of a fit, by cell, as measured so far
        self.asked: set[int] = set()  # cells whose first fit is on its way

    def drive(self) -> bool:
        """Until all is done; True when Ctrl-C ended it (what was in flight is finished first)."""
        self.report(self.progress)
        stopping = False
        while True:
            try:
                while not stopping and len(self.in_flight) < 2 * self.slots and self._submit_next():
                    pass
                if not self.in_flight:
                    return stopping
                finished, _ = wait(self.in_flight, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in finished:
                    self._store(future)
                self.report(self.progress)
            except KeyboardInterrupt:
                if stopping:
                    raise  # a second Ctrl-C does not wait
                stopping = True
                for future in [f for f in self.in_flight if f.cancel()]:
                    del self.in_flight[future]

    def _submit_next(self) -> bool:
        """One fit of every cell first, so that each one's time is known; then chunks of about a second."""
        waiting = [index for index, left in self.missing.items() if left]
        fresh = next((index for index in waiting if index not in self.asked), None)
        timed = next((index for index in waiting if index in self.seconds), None)
        index = fresh if fresh is not None else timed if timed is not None else next(iter(waiting), None)
        if index is None:
            return False
        self.asked.add(index)
        left = self.missing[index]
        size = chunk_sizes(self.seconds.get(index), len(left), self.slots)
        self._submit(index, [left.popleft() for _ in range(min(size, len(left)))], 1)
        return True

    def _submit(self, index: int, repeats: list[int], attempt: int) -> None:
        cell, task = self.study.cells[index], self.study.plan.task
        chunk = Chunk(task.function, cell.common, tuple(cell.unit(r) for r in repeats), task.time_limit)
        self.in_flight[self.executor.submit(run_chunk, chunk)] = (index, repeats, attempt)

    def _store(self, future: Future[list[dict[str, Any]]]) -> None:
        index, repeats, attempt = self.in_flight.pop(future)
        cell = self.study.cells[index]
        try:
            outcomes = future.result()
        except (Exception, CancelledError) as error:  # the executor failed, not the learner
            if attempt >= TRIES:
                raise AssayError(
                    f"work was lost {TRIES} times ({type(error).__name__}: {' '.join(str(error).split())[:120]}). "
                    "Check the cluster; the same command goes on with what is missing."
                ) from error
            self._submit(index, repeats, attempt + 1)
            return
        runs = [
            Run(cell.keys[r], cell.item, cell.variant, cell.respondent, r, **outcome)
            for r, outcome in zip(repeats, outcomes, strict=True)
        ]
        self.store.add(self.study.plan.task.name, runs)
        self._count(index, runs)

    def _left(self) -> float | None:
        """Seconds until the end, from what a fit of each cell took; None until a fit of every cell is in."""
        todo = {index: len(left) for index, left in self.missing.items()}
        for index, repeats, _ in self.in_flight.values():
            todo[index] += len(repeats)
        if any(count and index not in self.seconds for index, count in todo.items()):
            return None
        return sum(self.seconds[index] * count for index, count in todo.items() if count) / self.slots

    def _count(self, index: int, runs: Iterable[Run]) -> None:
        runs = list(runs)
        times = [run.seconds for run in runs if run.seconds is not None]
        if times:
            self.seconds[index] = sum(times) / len(times)
        self.progress.done += len(runs)
        self.progress.seconds_left = self._left()
        self.progress.last = f"{runs[-1].item} x {runs[-1].respondent}"
        for run in runs:
            if run.status != Status.OK:
                self.progress.failures[run.status] = self.progress.failures.get(run.status, 0) + 1


def _base_of(folder: Path) -> Path:
    """Where the paths of a study folder's own study.toml start: the folder of the plan it was copied from."""
    try:
        return Path(json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["plan_folder"])
    except (OSError, ValueError, KeyError):
        return folder


def _difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """The first settings that differ, e.g. 'alpha 0.01, now 0.05'."""
    flat_old, flat_new = _flat(old), _flat(new)
    keys = [key for key in {**flat_old, **flat_new} if flat_old.get(key) != flat_new.get(key)]
    return listed((f"{key} {flat_old.get(key, 'not set')}, now {flat_new.get(key, 'not set')}" for key in keys), most=2)


def _flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat = {}
    for key, value in settings.items():
        flat.update(_flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value})
    return flat
