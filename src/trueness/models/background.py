"""One event loop in a thread of its own: blocking callers in many threads share the asynchronous SDKs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from functools import cache
from threading import Lock, Thread
from typing import TypeVar

T = TypeVar("T")
_starting = Lock()


def run(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine on the shared loop and wait for what it gives."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        return _start_loop(os.getpid())  # a forked process has the memory of the loop, but not its thread


@cache
def _start_loop(process: int) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="trueness-models", daemon=True).start()
    return loop
