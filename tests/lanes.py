"""Worker processes that stay for all tests of a process: to start one takes a second of the processor.

For tests that run a study and let it end; those of workers themselves, and of fits that hang or kill, start their own.
"""

import atexit
from contextlib import contextmanager
from functools import cache

from trueness.running.engine import LaneExecutor


@contextmanager
def same_lanes(workers=1):
    """As engine.local_executor."""
    yield _kept(workers), workers


@cache
def _kept(workers):
    executor = LaneExecutor(workers)
    atexit.register(executor.shutdown)
    return executor
