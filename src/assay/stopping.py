"""SIGTERM, as a scheduler or a container sends it before it kills: the run ends within ten seconds.

    heed_sigterm()     SIGTERM is a Ctrl-C that does not wait long: it raises Terminated in the main thread
    countdown()        LONGEST seconds from now this process ends, whatever it waits for

What is stored stays: every unit and every reply is committed when it comes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

LONGEST = 9.0  # seconds between SIGTERM and the end
INTERRUPTED = 130  # the exit code of a command that was stopped


class Terminated(KeyboardInterrupt):
    """SIGTERM came."""


def heed_sigterm() -> None:
    signal.signal(signal.SIGTERM, _terminated)


def countdown() -> None:
    timer = threading.Timer(LONGEST, _end)
    timer.daemon = True
    timer.start()


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    countdown()
    raise Terminated


def _end() -> None:
    said = f"assay: {LONGEST:g} s after SIGTERM something is still waited for; it is left. The same command goes on.\n"
    os.write(sys.stderr.fileno(), said.encode())
    os._exit(INTERRUPTED)
