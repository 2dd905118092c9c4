"""A worker: `python -P -m trueness.running.worker FD` takes chunks, reports each unit, writes nothing.

It is two processes. The *guard* keeps watch; the *worker*, its child, does the fits. When the worker ends, or the
driver ends (by kill -9 too) or hangs up, the guard ends the worker and whatever its fits have started: R, Java, pools
of processes; on Linux also those that went into a session of their own, elsewhere those of its process group.

The worker says "begin" when all is imported, then the outcome of each unit: from one message to the next the driver
counts the time limit. Beside its function, say `perform(common, unit)`, a module may have `prepare(common)`, called
before the first unit, and `perform_each(common, units)`, an iterator over the outcomes of units that share work.
"""

from __future__ import annotations

import ctypes
import fcntl
import importlib
import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from random import randrange

from trueness import registry
from trueness.outside import Json
from trueness.running.channel import HUNG_UP, MARK, frame_of, send

_PDEATHSIG, _SUBREAPER = 1, 36  # of prctl
_MOST_OPEN = 4096  # the highest descriptor: the kernel's table of them is as long as the highest is high
_PATIENCE = 10.0  # seconds for processes to end that were killed


def main(descriptor: int) -> None:
    connection = _out_of_reach(descriptor)
    guard = os.getpid()
    worker = os.fork()
    if worker:
        _guard(worker, connection)
    _die_with(guard)
    registry.before_code(lambda file: None)  # the driver has announced it
    try:
        _work(connection)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(1)  # the driver is gone
    except OSError:
        os._exit(HUNG_UP)


def _work(descriptor: int) -> None:
    pipe, me = Connection(descriptor), os.getpid()
    mark = pipe.recv_bytes(MARK)
    while True:
        path, common, units = pipe.recv()
        outcomes = _begin(path, common, units)
        send(descriptor, frame_of(mark, "begin"))
        for _ in units:
            frame, more = _next(outcomes, mark)
            if os.getpid() != me:
                os._exit(0)  # a fit has forked, and both came back
            send(descriptor, frame)
            if not more:
                os._exit(1)


def _begin(path: str, common: dict[str, Json], units: Sequence[dict[str, Json]]) -> Iterator[object]:
    """The outcomes of the units, each made when it is asked for."""
    module_name, name = path.split(":")
    module = importlib.import_module(module_name)
    function = getattr(module, name)
    if hasattr(module, "prepare"):
        module.prepare(common)  # imports and data are not on the clock of the first unit
    each = getattr(module, f"{name}_each", None)  # units that share work, still made one at a time
    return iter(each(common, units)) if each else (function(common, unit) for unit in units)


def _next(outcomes: Iterator[object], mark: bytes) -> tuple[bytes, bool]:
    """The next outcome as a frame, and whether others can follow: not from an iterator that has raised."""
    try:
        return frame_of(mark, next(outcomes)), True
    except Exception as error:  # of a function of the user's own; ours answer with a status
        from trueness.running.outcomes import failure_line, without_answer
        from trueness.status import Status

        return frame_of(mark, without_answer(Status.FAILED, failure_line(error), 0.0)), False


def _out_of_reach(descriptor: int) -> int:
    """The same connection under a number that nobody guesses and no program that a fit starts inherits."""
    most = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], _MOST_OPEN)
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, randrange(most // 2, most - 8))
    os.close(descriptor)
    return moved


def _die_with(guard: int) -> None:
    """End when the guard ends, even inside a loop that never returns to Python."""
    os.setpgid(0, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == guard:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _guard(worker: int, connection: int) -> None:
    """Until the worker ends or the driver hangs up; then nothing of theirs is left. Never returns."""
    driver = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1)  # who loses its parent becomes a child of the guard
    ended, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(connection, 0)  # nothing but that it was hung up
    code = None
    while (code := _code(worker)) is None and os.getppid() == driver:
        events = dict(poll.poll(1000))
        if connection in events:
            break
        if ended in events:
            os.read(ended, 4096)
    _end_all(worker)
    os._exit(1 if code is None else code)


def _code(worker: int) -> int | None:
    """How the worker ended, as a shell says it; None while it lives. Others' children that came to us are let go."""
    code = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            if ended[0] == worker:
                status = os.waitstatus_to_exitcode(ended[1])
                code = status if status >= 0 else 128 - status
    return code


def _end_all(worker: int) -> None:
    """The worker, then who became a child of ours by its end, and so on until there is none."""
    limit = time.monotonic() + _PATIENCE
    if sys.platform != "linux":
        with suppress(OSError):
            os.killpg(worker, signal.SIGKILL)
    while time.monotonic() < limit:
        for child in _children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        time.sleep(0.001)


def _children() -> list[int]:
    """Direct ones; when they are gone, theirs are ours. Nobody, where there is no /proc."""
    me, children = os.getpid(), []
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                if int(file.read().rpartition(b")")[2].split()[1]) == me:
                    children.append(int(name))
    return children


if __name__ == "__main__":
    main(int(sys.argv[1]))
