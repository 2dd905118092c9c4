"""Ctrl-C, and SIGTERM as a scheduler or a container sends it before it kills: the run ends within ten seconds then.

    heed_sigterm()     SIGTERM is a Ctrl-C that does not wait long: it raises Terminated in the main thread
    heed_signals(wake) a loop looks at signals when it is ready for them; only a second one breaks into it
    countdown()        LONGEST seconds from now this process ends, whatever it waits for; a handler may call it

What is stored stays: every unit and every reply is committed when it comes, so who kills later loses nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

LONGEST = 9.0  # seconds between SIGTERM and the end
AFTER_SIGTERM = 5.0  # seconds of them that calls and fits under way have to come back
INTERRUPTED = 130  # the exit code of a command that was stopped
_wakers: list[int] = []  # the end of a pipe that wakes the thread that counts down


class Terminated(KeyboardInterrupt):
    """SIGTERM came."""


def heed_sigterm() -> None:
    """The thread is there before any signal: a handler that starts one could meet a lock that it has interrupted."""
    if not _wakers:
        reader, writer = os.pipe()
        threading.Thread(target=_count, args=(reader,), name="countdown", daemon=True).start()
        _wakers.append(writer)
    signal.signal(signal.SIGTERM, _terminate)


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
        if number == signal.SIGTERM:
            countdown()
        if number_came > 1:
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
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


def countdown() -> None:
    for writer in _wakers:
        os.write(writer, b".")


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    countdown()
    raise Terminated


def _count(reader: int) -> None:
    os.read(reader, 1)
    time.sleep(LONGEST)
    line = (
        f"trueness: {LONGEST:g} s after SIGTERM something is still waited for; it is left. The same command goes on.\n"
    )
    os.write(sys.stderr.fileno(), line.encode())
    os._exit(INTERRUPTED)
