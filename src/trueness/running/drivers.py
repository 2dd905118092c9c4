"""What drives a study: fits go to an executor, questions to models; what comes back is stored here.

One fit of every cell goes first, so that each one's time is known; then chunks of about a second, longer ones where
hundreds of workers would ask for more than can be handed out. A chunk whose executor failed (a lost cluster worker) is
handed out again; a fit that failed is a result and is not.

Models work side by side. Ctrl-C and SIGTERM wake this loop and do not break into it, so that what was taken is stored:
the first one calls off what was not sent and says what is waited for, another one leaves that, too. After SIGTERM calls
under way have a few seconds. Whatever holds up a model's call, its threads do not keep the program from ending.

A scheduler or a container sends SIGTERM before it kills: it is a Ctrl-C that does not wait long. Every unit and every
reply is stored when it comes, so that nothing is lost where it then kills.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType
from typing import NoReturn

from trueness import models
from trueness.errors import TruenessError
from trueness.running.asking import Asker, BudgetReached
from trueness.running.calling import PASSING, CalledOff
from trueness.running.cells import Cell, Stage
from trueness.running.engine import Chunk, ClusterExecutor, RawOutcome, chunk_sizes, run_chunk
from trueness.running.outcomes import checked_outcome, failure_line, without_answer
from trueness.running.store import Run, Store
from trueness.status import Status

AFTER_SIGTERM = 5.0  # seconds that calls and fits under way have to come back
EXAMPLES = 3  # unreadable replies kept to be shown
CHUNKS_A_SECOND = 100  # that a Dask scheduler and this driver pass on without hurry: docs/scale.md
TRIES = 3  # of a chunk whose executor failed, before the study stops
SHOW_EVERY = 0.2  # seconds between reports of progress
ENDED, WOKEN = "ended", "woken"


def heed_sigterm() -> None:
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


@contextmanager
def heed_signals(wake: Callable[[], object] = lambda: None) -> Iterator[deque[int]]:
    """Where Ctrl-C or SIGTERM would raise something, the first is laid here for a loop to take; a second one raises.

    An exception at any moment could fall between taking a result and storing it, or leave a lock closed.
    """
    came: deque[int] = deque()
    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    number_came = 0

    def heed(number: int, frame: FrameType | None) -> None:
        nonlocal number_came
        number_came += 1
        if number_came > 1:
            raise KeyboardInterrupt
        came.append(number)
        wake()

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ours = [number for number, handler in before.items() if callable(handler)]
    for number in ours:
        signal.signal(number, heed)
    try:
        yield came
    finally:
        for number in ours:
            signal.signal(number, before[number])


@dataclass
class ModelProgress:
    """One model's part of a stage."""

    total: int
    done: int = 0
    in_flight: int = 0
    cost: float | None = None  # None while nothing with a known price came back
    waiting: int = 0  # calls that will be made again, after a time-out, a fault, or a busy provider
    trouble: str = ""  # what the last fault said
    unreadable: int = 0
    refused: int = 0
    failed: int = 0
    timed_out: int = 0
    is_set_aside: bool = False
    examples: list[str] = field(default_factory=list)


@dataclass
class Progress:
    """What has been done so far in one stage."""

    total: int
    before: int  # already in the store when the run began
    done: int = 0  # in this run
    seconds_left: float | None = None  # None while too little is known
    slots: int = 1
    failures: dict[str, int] = field(default_factory=dict)
    last: str = ""
    stage: str = ""
    unit: str = "fits"
    models: dict[str, ModelProgress] = field(default_factory=dict)
    spent: float = 0.0
    limit: float | None = None
    notes: list[str] = field(default_factory=list)  # lines that are told once, at once


Report = Callable[[Progress], None]


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class FitDriver:
    """Fits of one task until none is missing."""

    def __init__(
        self,
        stage: Stage,
        store: Store,
        executor: Executor,
        slots: int,
        missing: dict[int, list[int]],
        progress: Progress,
        report: Report,
        until: float = math.inf,
    ):
        """until: when by time.monotonic() nothing more is begun."""
        self.until = until
        self.stage, self.cells, self.store, self.executor, self.slots = stage, stage.cells, store, executor, slots
        self.missing = {index: deque(repeats) for index, repeats in missing.items() if repeats}  # not handed out yet
        self.fresh = deque(self.missing)  # cells of which no fit was handed out
        self.left = {index: len(repeats) for index, repeats in self.missing.items()}  # not stored yet
        self.progress, self.report = progress, report
        self.in_flight: dict[Future[list[RawOutcome]], tuple[int, list[int], int]] = {}
        self.seconds: dict[int, float] = {}  # of a fit, by cell, as measured so far

    def drive(self) -> bool:
        """Until all is done; True when Ctrl-C or SIGTERM ended it (what was in flight is finished first)."""
        self.report(self.progress)
        leaving = None  # when what is in flight is left, once it is to stop
        with heed_signals() as signals:
            while True:
                if signals:
                    leaving = self._call_off(signals.popleft())
                if time.monotonic() > self.until:
                    self._cancel_waiting()
                while leaving is None and len(self.in_flight) < 2 * self.slots and self._submit_next():
                    pass
                if not self.in_flight or (leaving is not None and time.monotonic() > leaving):
                    return leaving is not None
                finished, _ = wait(self.in_flight, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in finished:
                    self._store(future)
                if isinstance(self.executor, ClusterExecutor):
                    self.executor.check()
                self.report(self.progress)

    def _call_off(self, number: int) -> float:
        """What was not begun; when the rest is left, which a second Ctrl-C does not wait for."""
        self._cancel_waiting()
        terminated = number == signal.SIGTERM
        longest = AFTER_SIGTERM if terminated else self.stage.time_limit
        ends = "" if terminated else "; Ctrl-C again ends them"
        self.progress.notes.append(f"stopping; fits under way have at most {clock(longest)}{ends}")
        self.report(self.progress)
        return time.monotonic() + AFTER_SIGTERM if terminated else math.inf

    def _cancel_waiting(self) -> None:
        """What was handed out and has not begun."""
        for future in [f for f in self.in_flight if f.cancel()]:
            del self.in_flight[future]

    def _submit_next(self) -> bool:
        """One fit of every cell first, so that each one's time is known; then chunks of about a second."""
        if not self.missing or time.monotonic() > self.until:
            return False
        first = next(iter(self.missing))
        index = self.fresh.popleft() if self.fresh else next((i for i in self.missing if i in self.seconds), first)
        left = self.missing[index]
        target = max(1.0, self.slots / CHUNKS_A_SECOND)
        size = chunk_sizes(self.seconds.get(index), len(left), self.slots, target)
        # timed by a late repeat: the first ones of a cell may do more (choose K by refits, say)
        take = left.popleft if index in self.seconds else left.pop
        repeats = [take() for _ in range(min(size, len(left)))]
        if not left:
            del self.missing[index]
        self._submit(index, repeats, 1)
        return True

    def _submit(self, index: int, repeats: list[int], attempt: int) -> None:
        cell = self.cells[index]
        units = tuple(cell.unit(r) for r in repeats)
        chunk = Chunk(self.stage.function, cell.common, units, self.stage.time_limit)
        self.in_flight[self.executor.submit(run_chunk, chunk)] = (index, repeats, attempt)

    def _store(self, future: Future[list[RawOutcome]]) -> None:
        index, repeats, attempt = self.in_flight.pop(future)
        cell = self.cells[index]
        try:
            outcomes = future.result()
        except (Exception, CancelledError) as error:  # the executor failed, not the learner
            if attempt >= TRIES:
                why = f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
                again = "Check the cluster; the same command goes on with what is missing."
                raise TruenessError(f"work was lost {TRIES} times ({why}). {again}") from error
            self._submit(index, repeats, attempt + 1)
            return
        runs = [
            Run.of(cell, r, cell.settled(r, checked_outcome(outcome)))
            for r, outcome in zip(repeats, outcomes, strict=True)
        ]
        self.store.add(self.stage.name, runs)
        self._count(index, runs)

    def _count(self, index: int, runs: Sequence[Run]) -> None:
        """Also the time that is left, once a fit of every cell has told its own."""
        times = [run.seconds for run in runs if run.seconds is not None]
        if times:
            self.seconds[index] = sum(times) / len(times)
        self.left[index] -= len(runs)
        left = [count * self.seconds.get(i, math.nan) for i, count in self.left.items() if count]
        self.progress.seconds_left = None if math.isnan(sum(left)) else sum(left) / self.slots
        self.progress.done += len(runs)
        self.progress.last = f"{runs[-1].item} x {runs[-1].respondent}"
        for run in runs:
            if run.status != Status.OK:
                self.progress.failures[run.status] = self.progress.failures.get(run.status, 0) + 1


Unit = tuple[Cell, int]


@dataclass(frozen=True)
class AskingEnd:
    """How it ended: by Ctrl-C, or because the budget is spent (`stopped`: why); and models that were set aside."""

    interrupted: bool = False
    stopped: str = ""
    set_aside: dict[str, str] = field(default_factory=dict)  # name -> why


def check_models(stage: Stage, missing: Mapping[int, Sequence[int]], folder: Path) -> None:
    """Refuse a model that lacks something (a key, a yes, a package); for a study: before hours of fits, not after."""
    for name in dict.fromkeys(stage.cells[index].respondent for index, repeats in missing.items() if repeats):
        models.check(name, stage.models.get(name, {}), folder)


class AskDriver:
    """Questions of one task until none is missing."""

    def __init__(
        self,
        stage: Stage,
        store: Store,
        missing: Mapping[int, Sequence[int]],
        progress: Progress,
        report: Report,
        retry: bool = False,
        folder: Path = Path(),  # where the plan's own paths start
        seed: int = 1,
    ):
        self.stage, self.store, self.report, self.progress = stage, store, report, progress
        self.asker = Asker(store, stage.models, stage.limit_usd, retry, folder, seed)
        self.units: dict[str, deque[Unit]] = {}
        for index, repeats in ((index, repeats) for index, repeats in missing.items() if repeats):
            cell = stage.cells[index]
            self.units.setdefault(cell.respondent, deque()).extend((cell, r) for r in repeats)
        progress.unit, progress.limit, progress.spent = "asks", stage.limit_usd, self.asker.spent
        progress.models = {
            name: ModelProgress(total=sum(cell.repeats for cell in stage.cells if cell.respondent == name))
            for name in dict.fromkeys(cell.respondent for cell in stage.cells)
        }
        for name, model in progress.models.items():
            model.done = model.total - len(self.units.get(name, ()))
        self._finished: SimpleQueue[tuple[Cell, int, object] | str] = SimpleQueue()
        self._at_work = 0  # threads that have not ended
        self._set_aside: dict[str, str] = {}
        self._leaving = float("inf")  # when what is under way is left
        self._interrupted, self._stopped = False, ""
        self._began = self._shown = time.monotonic()

    def drive(self) -> AskingEnd:
        """Until all is done, or nothing more is to be."""
        self.report(self.progress)
        with ExitStack() as stack:
            stack.callback(self.asker.close)
            stack.callback(self._stop, "the run has ended")  # also by an error: nobody goes on paying
            # a SimpleQueue takes what it is given even where the loop is interrupted within `get`
            signals = stack.enter_context(heed_signals(lambda: self._finished.put(WOKEN)))
            self._start()
            while self._at_work:
                self._take()
                if signals:
                    self._interrupt(signals.popleft())
                if time.monotonic() > self._leaving:
                    self._tell(f"left: {self._waited_for()}. The same command asks again for what is missing.")
                    break
            self._show(last=True)
        return AskingEnd(self._interrupted, self._stopped, self._set_aside)

    def _start(self) -> None:
        """As many threads for each model as it takes calls at a time."""
        slots = {name: self.asker.model(name).concurrency for name in self.units}  # a missing key is said here
        for name, units in self.units.items():
            for k in range(min(slots[name], len(units))):  # from both ends: neighbours share the beginning of a prompt
                take = units.pop if k % 2 else units.popleft
                threading.Thread(target=self._work, args=(take,), name=f"unit {name}", daemon=True).start()
                self._at_work += 1

    def _work(self, take: Callable[[], Unit]) -> None:
        while True:
            try:
                cell, repeat = take()
            except IndexError:
                self._finished.put(ENDED)
                return
            outcome: object
            try:
                outcome = self.stage.perform(cell, repeat, self.asker.ask)
            except BaseException as error:
                outcome = error
            self._finished.put((cell, repeat, outcome))

    def _take(self) -> None:
        """Store one outcome, or look round after a moment in which there was none."""
        with suppress(Empty):
            came = self._finished.get(timeout=SHOW_EVERY)
            self._at_work -= came == ENDED
            if not isinstance(came, str):
                self._store(*came)
        self._look_round()
        self._show()

    def _store(self, cell: Cell, repeat: int, outcome: object) -> None:
        if isinstance(outcome, CalledOff):
            return  # it stays missing: the same command asks
        if isinstance(outcome, BudgetReached):
            self._stop(str(outcome))
            self._stopped = self._stopped or str(outcome)
            return
        if isinstance(outcome, BaseException):
            failure: BaseException = outcome
            if isinstance(failure, TruenessError) or failure is self.asker.unstored:
                self._stop(str(failure))
                raise failure
            outcome = without_answer(Status.FAILED, failure_line(failure), 0.0)  # of a study of the user's own
        ended = checked_outcome(outcome)
        run = Run.of(cell, repeat, ended)
        self.store.add(self.stage.name, [run])
        self._count(run, ended.get("excerpt", ""), ended.get("cost"))

    def _count(self, run: Run, excerpt: str, cost: float | None) -> None:
        self.progress.done += 1
        model = self.progress.models[run.respondent]
        model.done += 1
        if cost is not None:
            model.cost = (model.cost or 0.0) + cost
        if run.status in (Status.UNREADABLE, Status.TRUNCATED):
            model.unreadable += 1
            if len(model.examples) < EXAMPLES:
                model.examples.append(excerpt)
        model.refused += run.status == Status.REFUSED
        model.failed += run.status == Status.FAILED
        model.timed_out += run.status == Status.TIMED_OUT
        if run.status in PASSING:
            model.trouble = run.message
        if run.status != Status.OK:
            self.progress.failures[run.status] = self.progress.failures.get(run.status, 0) + 1
        self.progress.last = f"{run.item} x {run.respondent}"

    # ---- stopping

    def _interrupt(self, number: int) -> None:
        self._interrupted = True
        self._stop("stopped")
        calls, now = self.asker.under_way(), time.monotonic()
        longest = max((call.until - now for call in calls), default=AFTER_SIGTERM)
        longest = max(1.0, longest if number == signal.SIGINT else min(longest, AFTER_SIGTERM))
        self._leaving = now + longest + 0.5
        one = len(calls) == 1
        what = "1 call in flight is" if one else f"{len(calls) or 'no'} calls in flight are"
        more = f"; Ctrl-C again leaves {'it' if one else 'them'}" if number == signal.SIGINT else ""
        whose = f" ({self._waited_for()})" if number == signal.SIGTERM else ""
        self._tell(f"stopping; {what} paid and waited for, at most {clock(longest)}{whose}{more}")

    def _stop(self, why: str) -> None:
        """No unit is begun and no call is made; what is under way may end."""
        for units in self.units.values():
            units.clear()
        self.asker.stop(why)

    def _waited_for(self) -> str:
        """Calls under way, by model; what a task does beside them."""
        calls = Counter(call.name for call in self.asker.under_way())
        under_way = [f"{count} call{'s' if count > 1 else ''} to {name}" for name, count in calls.items()]
        return ", ".join(under_way) or "work of the task itself"

    # ---- what is told

    def _look_round(self) -> None:
        """A model that was set aside is told of once."""
        for name, standing in list(self.asker.standings.items()):
            if standing.why_set_aside and name not in self._set_aside:
                self._set_aside[name] = standing.why_set_aside
                model = self.progress.models.get(name, ModelProgress(0))
                self._tell(
                    f"{name} is set aside {standing.why_set_aside.rstrip('.')}. {model.total - model.done:,} of its "
                    f"{model.total:,} are not asked: the same command asks them, --retry also those that failed."
                )

    def _tell(self, line: str) -> None:
        self.progress.notes.append(line)
        self._show(last=True)

    def _show(self, last: bool = False) -> None:
        now = time.monotonic()
        if now - self._shown < SHOW_EVERY and not last:
            return
        self._shown = now
        self.progress.spent = self.asker.spent
        calls = Counter(call.name for call in self.asker.under_way())
        for name, model in self.progress.models.items():
            model.in_flight = calls[name]
            again = self.asker.trying_again(name)
            model.waiting, model.trouble = len(again), again[-1] if again else model.trouble
            model.is_set_aside = name in self._set_aside
        left = sum(model.total - model.done for model in self.progress.models.values() if not model.is_set_aside)
        if self.progress.done:
            self.progress.seconds_left = (now - self._began) / self.progress.done * left
        self.report(self.progress)
