"""The driver of fits: hands out chunks of cells to an executor, stores what comes back.

One fit of every cell goes first, so that each one's time is known; then chunks of about a second, longer ones where
hundreds of workers would ask for more than can be handed out. A chunk whose executor failed (a lost cluster worker) is
handed out again; a fit that failed is a result and is not.
"""

from __future__ import annotations

import math
import signal
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait

from trueness.errors import TruenessError
from trueness.running.engine import Chunk, ClusterExecutor, RawOutcome, chunk_sizes, run_chunk
from trueness.running.outcomes import checked_outcome
from trueness.running.progress import Progress, Report, clock
from trueness.running.stage import Stage
from trueness.running.stopping import AFTER_SIGTERM, heed_signals
from trueness.running.store import Run, Store
from trueness.status import Status

CHUNKS_A_SECOND = 100  # that a Dask scheduler and this driver pass on without hurry: docs/scale.md
TRIES = 3  # of a chunk whose executor failed, before the study stops


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
        self.seconds_left, self.untimed = 0.0, len(self.left)  # of timed cells; cells without a time
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
                raise TruenessError(
                    f"work was lost {TRIES} times ({type(error).__name__}: {' '.join(str(error).split())[:120]}). "
                    "Check the cluster; the same command goes on with what is missing."
                ) from error
            self._submit(index, repeats, attempt + 1)
            return
        runs = [
            Run.of(cell, r, cell.settled(r, checked_outcome(outcome)))
            for r, outcome in zip(repeats, outcomes, strict=True)
        ]
        self.store.add(self.stage.name, runs)
        self._count(index, runs)

    def _count(self, index: int, runs: Sequence[Run]) -> None:
        self._time(index, runs)
        self.progress.done += len(runs)
        self.progress.seconds_left = None if self.untimed else max(0.0, self.seconds_left) / self.slots
        self.progress.last = f"{runs[-1].item} x {runs[-1].respondent}"
        for run in runs:
            if run.status != Status.OK:
                self.progress.failures[run.status] = self.progress.failures.get(run.status, 0) + 1

    def _time(self, index: int, runs: Sequence[Run]) -> None:
        """The cell's part of the seconds that are left, anew; a sum over all cells would be made for every chunk."""
        times = [run.seconds for run in runs if run.seconds is not None]
        before = self.seconds.get(index)
        after = sum(times) / len(times) if times else before
        old, new = self.left[index], self.left[index] - len(runs)
        self.left[index] = new
        self.seconds_left += new * (after or 0.0) - old * (before or 0.0)
        if after is not None:
            self.seconds[index] = after
        self.untimed -= before is None and (after is not None or new == 0)
