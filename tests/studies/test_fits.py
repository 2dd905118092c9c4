"""The driver of fits: every cell's time is known first, and the time left follows from what is left."""

import time
from concurrent.futures import Executor, Future
from threading import Timer
from types import SimpleNamespace

import pytest

from trueness.running.cells import Cell, Stage
from trueness.running.drivers import FitDriver, Progress

SECONDS = {"quick": 0.01, "slow": 3.0, "dies": None, "odd": 0.01}


class AtOnce(Executor):
    """Does a chunk when it is handed out, and remembers it."""

    def __init__(self):
        self.chunks = []

    def submit(self, function, /, chunk):
        self.chunks.append((chunk.common["name"], len(chunk.units)))
        seconds = SECONDS[chunk.common["name"]]
        found = {
            "status": "ok" if seconds else "failed",
            "message": "",
            "seconds": seconds,
            "answer": None,
            "scores": {},
        }
        if chunk.common["name"] == "odd":  # a task of the user's own may answer with anything
            found = found | {"message": None, "more": 1}
        future = Future()
        future.set_result([found for _ in chunk.units])
        return future


def drive(slots=2, **repeats):
    cells = [Cell(name, "", "x", n, {"name": name}, {"name": name}) for name, n in repeats.items()]
    stored, seen, executor = [], [], AtOnce()
    task = SimpleNamespace(name="t", function="f", time_limit=1.0)
    store = SimpleNamespace(add=lambda _, runs: stored.extend(runs))
    progress = Progress(sum(repeats.values()), 0)
    missing = {index: list(range(cell.repeats)) for index, cell in enumerate(cells)}

    def report(now):
        done = {name: sum(run.item == name for run in stored) for name in repeats}
        seen.append((now.seconds_left, {name: n - done[name] for name, n in repeats.items()}))

    FitDriver(Stage(task, cells), store, executor, slots, missing, progress, report).drive()
    return stored, seen, executor.chunks


def test_one_fit_of_every_cell_goes_first():
    _, _, chunks = drive(quick=300, slow=5)
    assert chunks[:2] == [("quick", 1), ("slow", 1)]
    assert max(size for name, size in chunks if name == "quick") == 100  # about a second
    assert {size for name, size in chunks if name == "slow"} == {1}


def test_an_outcome_that_cannot_be_stored_is_a_failed_fit():
    stored, _, _ = drive(odd=1)
    assert [run.status for run in stored] == ["failed"]
    assert stored[0].message.endswith("got: Expected `str`, got `null` - at `$.message`")


def test_the_time_left_is_that_of_the_units_left():
    _, seen, _ = drive(quick=300, slow=5)
    for seconds, left in seen[3:]:
        assert seconds == pytest.approx(sum(SECONDS[name] * n for name, n in left.items()) / 2, abs=1e-9)
    assert seen[-1][0] == pytest.approx(0.0, abs=1e-9)


class OneAtATime(Executor):
    """Works on the first chunk for a while; what is handed out behind it waits, unless it is cancelled."""

    def __init__(self):
        self.futures = []

    def submit(self, function, /, chunk):
        future = Future()
        self.futures.append(future)
        if len(self.futures) == 1:
            future.set_running_or_notify_cancel()
        Timer(0.8 * len(self.futures), self._end, [future]).start()
        return future

    def _end(self, future):
        if future.running() or future.set_running_or_notify_cancel():
            future.set_result([{"status": "ok", "message": "", "seconds": 1.0, "answer": None, "scores": {}}])


def test_what_waits_when_the_time_is_up_is_not_begun():
    cells = [Cell(name, "", "x", 1, {"name": name}, {"name": name}) for name in "abc"]
    stored, executor = [], OneAtATime()
    store = SimpleNamespace(add=lambda _, runs: stored.extend(runs))
    stage = Stage(SimpleNamespace(name="t", function="f", time_limit=1.0), cells)
    until = time.monotonic() + 0.1
    missing = {index: [0] for index in range(3)}
    assert not FitDriver(stage, store, executor, 1, missing, Progress(3, 0), lambda _: None, until).drive()
    assert [run.item for run in stored] == ["a"] and [future.cancelled() for future in executor.futures] == [
        False,
        True,
    ]
