"""A worker: `python -P -m trueness.running.worker FD` takes chunks, reports each unit, writes nothing.

It is two processes. The *guard* keeps watch; the *worker*, its child, does the fits. When the worker ends, or the
driver ends (by kill -9 too) or hangs up, the guard ends the worker and its process group, whatever its fits have
started: R, Java, pools of processes.

The worker says "begin" when all is imported, then the outcome of each unit: from one message to the next the driver
counts the time limit. Beside its function, say `perform(common, unit)`, a module may have `prepare(common)`, called
before the first unit, and `perform_each(common, units)`, an iterator over the outcomes of units that share work.

The way back: frames of plain values, read within a time, whatever arrives.

    frame = mark (16 bytes, drawn for this worker) | length (8 bytes) | CRC-32 of the rest (4 bytes) | values

A learner runs in the worker's process and may close the connection or write into it. So the mark stands before every
result, and `FrameReader.read` counts its time until the last byte: what is cut off, garbled or never comes is the end
of one fit, not of the driver. Values are numbers, texts, bytes, lists and tables, as MessagePack: nothing can be run
by what arrives.
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
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from random import randrange
from struct import Struct

from msgspec import msgpack

from trueness import registry
from trueness.outside import Json
from trueness.running.outcomes import plain

MARK = 16  # bytes
HUNG_UP = 81  # exit code of a worker whose connection was closed on its own side, by a fit
LONGEST = 2**30  # bytes of a frame
FAR = 10.0  # times a limit that may pass by the clock where others have the machine
LOOK = 1.0  # seconds between two looks whether the other end is still there
Used = Callable[[], tuple[float, bool] | None]
_HEAD = Struct(f">{MARK}sQI")
_AT_ONCE = 2**16
_NOISE = "what came from the worker is no result: a fit wrote into its connection"
_PDEATHSIG = 1  # of prctl
_MOST_OPEN = 4096  # the highest descriptor: the kernel's table of them is as long as the highest is high


class NoResult(Exception):
    """What came is no frame of ours, or no outcome."""


class TooLate(Exception):
    """The frame was not complete in time."""


def frame_of(mark: bytes, value: object) -> bytes:
    """One frame; TypeError for what is no plain value."""
    content = msgpack.encode(value, enc_hook=plain)
    return _HEAD.pack(mark, len(content), zlib.crc32(content)) + content


def send(descriptor: int, frame: bytes) -> None:
    left = memoryview(frame)
    while left:
        left = left[os.write(descriptor, left) :]


class FrameReader:
    """Frames from a descriptor; `there` tells whether the process at the other end lives, `used` its CPU seconds and
    whether it is asleep, None where that cannot be known: then limits count by the clock."""

    def __init__(self, descriptor: int, mark: bytes, there: Callable[[], bool], used: Used = lambda: None):
        self._descriptor, self._mark, self._there, self._used = descriptor, mark, there, used
        self._held = bytearray()
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def read(self, seconds: float) -> object:
        """The next value; TooLate, NoResult, or EOFError when the other end is closed or gone."""
        end = _End(seconds, self._used)
        self._fill(_HEAD.size, end)
        mark, length, check = _HEAD.unpack_from(self._held)
        if mark != self._mark or length > LONGEST:
            raise NoResult(_NOISE)
        self._fill(_HEAD.size + length, end)
        content = bytes(self._held[_HEAD.size : _HEAD.size + length])
        del self._held[: _HEAD.size + length]
        if zlib.crc32(content) != check:
            raise NoResult(_NOISE)
        try:
            return msgpack.decode(content)
        except Exception:  # of a frame that somebody has forged
            raise NoResult(_NOISE) from None

    def _fill(self, size: int, end: _End) -> None:
        """Read on until that many bytes are held."""
        while len(self._held) < size:
            left = end.seconds_left()
            if left <= 0:
                raise TooLate
            if self._poll.poll(1000 * min(left, LOOK)):
                got = os.read(self._descriptor, max(_AT_ONCE, size - len(self._held)))
                if not got:
                    raise EOFError
                self._held += got
            elif not self._there():
                raise EOFError


class _End:
    """When a limit is used up: by CPU seconds, or seconds asleep, and FAR times as many by the clock.

    What others do on the machine does not count. Up to the first look the clock does: most results come before that,
    and cost no look.
    """

    def __init__(self, seconds: float, used: Used):
        self._began, self._seconds, self._used, self._spent = time.monotonic(), seconds, used, 0.0
        self._last: tuple[float, float] | None = None  # the last look: seconds by the clock, and of the CPU
        self._next = min(LOOK, seconds) / 2  # look, by the clock

    def seconds_left(self) -> float:
        """Seconds to wait at most before asking again; 0 or less at the end."""
        clock = time.monotonic() - self._began
        if (early := self._next - clock) > 0:
            return early
        look = self._used()
        if look is None:
            return self._seconds - clock
        cpu, asleep = look
        before = self._last or (0.0, cpu)
        self._spent += max(cpu - before[1], clock - before[0] if asleep or self._last is None else 0.0)
        self._last = clock, cpu
        left = min(self._seconds - self._spent, FAR * self._seconds - clock)
        self._next = clock + min(left, LOOK / 2)
        return left


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
    with suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    os._exit(1 if code is None else code)


def _code(worker: int) -> int | None:
    """How the worker ended, as a shell says it; None while it lives."""
    ended, status = os.waitpid(worker, os.WNOHANG)
    if not ended:
        return None
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    main(int(sys.argv[1]))
