"""Asking models: every reply is stored the moment it arrives, and nothing is paid for twice.

    key of a reply = hash(model and its options, messages, settings, salt)

A task performs a unit of work as plain code that calls `ask` once or several times; a reply that is in the store is
given back without a call. So a resumed study goes on where it stopped, and a better reader rereads old replies for
nothing. A call whose cost could pass the limit is not made. Models work side by side, each with as many calls in
flight as it allows.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from assay import models
from assay.errors import AssayError
from assay.models import Message, Model, Reply, Settings
from assay.models.prices import stated_price
from assay.progress import EXAMPLES, Asked, Progress, Report
from assay.status import Status
from assay.store import Run, Store
from assay.tasks.cells import Cell, hashed, reply_key

PASSING = (Status.FAILED, Status.TIMED_OUT)  # statuses that another try may mend
CHARACTERS_A_TOKEN = 3.0  # fewer than real text has, so that the cost of a call is not underestimated

SHOW_EVERY = 0.2  # seconds between reports of progress

InFlight = dict[Future[dict[str, Any]], tuple[Cell, int]]
Ask = Callable[[str, Sequence[Message], Settings, str], Reply]


class BudgetReached(AssayError):
    """The next call could pass the limit."""


class Asker:
    """`ask` that calls a model where the store has no reply."""

    def __init__(
        self,
        store: Store,
        options: Mapping[str, Mapping[str, Any]],
        limit: float | None = None,
        retry: bool = False,
        folder: Path = Path(),
    ):
        self.store, self.options, self.limit, self.retry, self.folder = store, options, limit, retry, folder
        self.spent = store.spent()
        self.calls = 0
        self._reserved = 0.0
        self._models: dict[str, Model] = {}
        self._lock = threading.Lock()
        self._under_way: dict[str, Future[Reply]] = {}
        self._unstored: Exception | None = None  # why a reply could not be kept: nothing more is asked then

    def model(self, name: str) -> Model:
        with self._lock:
            if name not in self._models:
                self._models[name] = models.build(name, self.options.get(name, {}), self.folder)
            return self._models[name]

    def close(self) -> None:
        for model in self._models.values():
            model.close()

    def ask(self, name: str, messages: Sequence[Message], settings: Settings, salt: str) -> Reply:
        """The stored reply, or a new one; two threads that ask the same get one call's reply."""
        key = reply_key(name, self.options.get(name, {}), messages, settings, salt)
        with self._lock:
            known = self.store.reply(key)
            if known is not None and not (self.retry and known.status in PASSING):
                return Reply.from_dict(known.reply)
            other = self._under_way.get(key)
            if other is None:
                mine: Future[Reply] = Future()
                self._under_way[key] = mine
        if other is not None:
            return other.result()
        try:
            reply = self._call(key, name, messages, settings)
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._under_way[key]
        mine.set_result(reply)
        return reply

    def _call(self, key: str, name: str, messages: Sequence[Message], settings: Settings) -> Reply:
        if self._unstored is not None:
            raise self._unstored
        model = self.model(name)
        most = self._reserve(name, messages, settings)
        reply = None
        try:
            reply = model.ask(messages, settings)
            asked = [m.to_dict() for m in messages]
            text = json.dumps(asked, ensure_ascii=False)
            try:
                self.store.add_reply(key, name, hashed(text), text, settings.to_dict(), reply.to_dict())
            except Exception as error:  # a full disk: what other threads would ask next could not be kept either
                self._unstored = error
                raise
        finally:
            with self._lock:
                self._reserved -= most
                self.calls += 1
                self.spent += (reply.cost or 0.0) if reply is not None else 0.0
        return reply

    def _reserve(self, name: str, messages: Sequence[Message], settings: Settings) -> float:
        """Set aside the most this call can cost; refuse it where that could pass the limit."""
        price = stated_price(self.options.get(name, {}).get("price"), name)
        if self.limit is None or price is None:
            return 0.0
        most = price.cost(tokens_of(messages), settings.max_tokens) or 0.0
        with self._lock:
            if self.spent + self._reserved + most > self.limit:
                raise BudgetReached(
                    f"the next call to {name} could cost {most:.4f} USD, and {self.spent:.4f} of the limit of "
                    f"{self.limit:g} USD is spent. Raise 'limit_usd' and give the same command again; nothing is lost."
                )
            self._reserved += most
        return most


def tokens_of(messages: Sequence[Message]) -> int:
    """A generous estimate of a prompt's tokens."""
    return math.ceil(sum(len(m.content) + 12 for m in messages) / CHARACTERS_A_TOKEN)


class AskDriver:
    """Questions of one task until none is missing."""

    def __init__(
        self,
        task: Any,
        cells: Sequence[Cell],
        store: Store,
        missing: Mapping[int, Sequence[int]],
        progress: Progress,
        report: Report,
        retry: bool = False,
        folder: Path = Path(),  # where the plan's own paths start
    ):
        self.task, self.cells, self.store, self.report = task, cells, store, report
        self.asker = Asker(store, task.models, task.limit_usd, retry, folder)
        self.progress = progress
        self.units: dict[str, list[tuple[Cell, int]]] = {}
        for index, repeats in ((index, repeats) for index, repeats in missing.items() if repeats):
            self.units.setdefault(cells[index].respondent, []).extend((cells[index], r) for r in repeats)
        progress.unit, progress.limit, progress.spent = "asks", task.limit_usd, self.asker.spent
        progress.asked = {
            name: Asked(total=sum(cell.repeats for cell in cells if cell.respondent == name))
            for name in dict.fromkeys(cell.respondent for cell in cells)
        }
        for name, asked in progress.asked.items():
            asked.done = asked.total - len(self.units.get(name, ()))
        self.slots: dict[str, int] = {}
        self._began = self._shown = time.monotonic()

    def drive(self) -> tuple[bool, str]:
        """Until all is done. (True, "") when Ctrl-C ended it, (False, why) when the budget did."""
        self.report(self.progress)
        stopping, stopped = False, ""
        with ExitStack() as stack:
            stack.callback(self.asker.close)
            in_flight, finished = self._submit(stack)
            while in_flight:
                try:
                    stopped = self._take(in_flight, finished) or stopped
                except KeyboardInterrupt:
                    if stopping:
                        raise  # a second Ctrl-C does not wait
                    stopping = True
                    self._cancel(in_flight)
            self._show(last=True)
        return stopping, stopped

    def _submit(self, stack: ExitStack) -> tuple[InFlight, SimpleQueue[Future[dict[str, Any]]]]:
        """A pool of threads for each model, as many as it takes calls at a time."""
        in_flight: InFlight = {}
        finished: SimpleQueue[Future[dict[str, Any]]] = SimpleQueue()
        self.slots = {name: self.asker.model(name).concurrency for name in self.units}  # a missing key is said here
        for name, units in self.units.items():
            pool = ThreadPoolExecutor(self.slots[name], thread_name_prefix=f"ask {name}")
            stack.callback(pool.shutdown, wait=False, cancel_futures=True)
            for cell, repeat in units:
                future = pool.submit(self.task.perform, cell, repeat, self.asker.ask)
                in_flight[future] = (cell, repeat)
                future.add_done_callback(finished.put)
        return in_flight, finished

    def _take(self, in_flight: InFlight, finished: SimpleQueue[Future[dict[str, Any]]]) -> str:
        """Store one outcome; why the rest was called off, or ''."""
        try:
            future = finished.get(timeout=0.5)
        except Empty:
            self._show()
            done = [f for f in in_flight if f.done()]  # Ctrl-C may have come between taking one and storing it
            if not done:
                return ""
            future = done[0]
        if future not in in_flight:
            return ""  # called off
        cell, repeat = in_flight.pop(future)
        try:
            self._store(cell, repeat, future.result())
        except BudgetReached as reached:
            self._cancel(in_flight)
            return str(reached)
        self._show()
        return ""

    @staticmethod
    def _cancel(in_flight: InFlight) -> None:
        for future in [f for f in in_flight if f.cancel()]:
            del in_flight[future]

    def _store(self, cell: Cell, repeat: int, outcome: dict[str, Any]) -> None:
        excerpt, cost = outcome.pop("excerpt", ""), outcome.pop("cost", None)
        run = Run(cell.keys[repeat], cell.item, cell.variant, cell.respondent, repeat, **outcome)
        self.store.add(self.task.name, [run])
        self.progress.done += 1
        asked = self.progress.asked[cell.respondent]
        asked.done += 1
        if cost is not None:
            asked.cost = (asked.cost or 0.0) + cost
        if run.status in (Status.UNREADABLE, Status.TRUNCATED):
            asked.unreadable += 1
            if len(asked.examples) < EXAMPLES:
                asked.examples.append(excerpt)
        asked.refused += run.status == Status.REFUSED
        asked.failed += run.status in PASSING
        if run.status != Status.OK:
            self.progress.failures[run.status] = self.progress.failures.get(run.status, 0) + 1
        self.progress.last = f"{run.item} x {run.respondent}"

    def _show(self, last: bool = False) -> None:
        now = time.monotonic()
        if now - self._shown < SHOW_EVERY and not last:
            return
        self._shown = now
        self.progress.spent = self.asker.spent
        for name, asked in self.progress.asked.items():
            asked.in_flight = min(self.slots.get(name, 0), asked.total - asked.done)
        left = self.progress.total - self.progress.before - self.progress.done
        if self.progress.done:
            self.progress.seconds_left = (now - self._began) / self.progress.done * left
        self.report(self.progress)
