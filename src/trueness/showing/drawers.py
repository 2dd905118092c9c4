"""Pictures, drawn by processes beside Python and never in it.

The renderer brings an engine of its own (V8) that ends its process when it cannot have the memory it asks for, or comes
upon something it does not know. Here that is a picture which was not drawn: `NotDrawn`, and everything else goes on.

    pictures(source, formats)    at once, by a process that stays for the next one (a notebook draws one by one)
    Drawers(processes)           many at a time (press.py)

Where GIVE_UP in a row cannot be drawn, no more are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import ExitStack
from functools import cache

from trueness.errors import TruenessError
from trueness.running.engine import Chunk, RawOutcome, local_executor, run_chunk
from trueness.showing.rendering import Source
from trueness.status import Status

LIMIT = 120.0  # seconds for one picture
GIVE_UP = 3

Pictures = dict[str, bytes]  # format -> the file's bytes
Coming = Future[list[RawOutcome]]


class NotDrawn(TruenessError):
    """The renderer gave no picture; nothing else depends on it. Its text says why."""


class Drawers:
    """Processes that draw, started with the first picture."""

    def __init__(self, processes: int = 1):
        self.processes = processes
        self._stack = ExitStack()
        self._executor: Executor | None = None
        self._in_a_row = 0
        self.broken = ""  # why no more are drawn

    def begin(self, source: Source, formats: Sequence[str]) -> Coming:
        """Start a picture, which `take` waits for."""
        if self.broken:
            return Future()  # which nobody fulfils, or waits for
        if self._executor is None:
            self._executor = self._stack.enter_context(local_executor(self.processes))[0]
        work = Chunk("trueness.showing.rendering:perform", {"formats": list(formats)}, ({"source": source},), LIMIT)
        return self._executor.submit(run_chunk, work)

    def take(self, coming: Coming) -> Pictures:
        """The pictures that were begun; NotDrawn where there are none."""
        if self.broken:
            coming.cancel()
            raise NotDrawn(self.broken)
        try:
            (outcome,) = coming.result()
        except (OSError, CancelledError) as error:  # no process could be started
            outcome = {"status": Status.FAILED, "message": str(error)}
        if outcome["status"] == Status.OK:
            self._in_a_row = 0
            drawn: Pictures = outcome["pictures"]
            return drawn
        why_not = f"{outcome['message']}. Drawing needs memory, and room for addresses (ulimit -v unlimited)."
        self._in_a_row += 1
        self.broken = why_not if self._in_a_row >= GIVE_UP else ""
        raise NotDrawn(why_not)

    def close(self) -> None:
        self._stack.close()
        self._executor = None


def pictures(source: Source, formats: Sequence[str]) -> Pictures:
    drawers = _alone()
    try:
        return drawers.take(drawers.begin(source, formats))
    except NotDrawn:
        if drawers.broken:  # there may be more memory the next time
            _alone.cache_clear()
            drawers.close()
        raise


@cache
def _alone() -> Drawers:
    return Drawers()
