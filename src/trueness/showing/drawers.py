"""Pictures, drawn by processes beside Python and never in it.

The renderer brings an engine of its own (V8) that ends its process when it cannot have the memory it asks for, or comes
upon something it does not know. Here that is a picture which was not drawn: `NotDrawn`, and everything else goes on.

    pictures(source, formats)    at once, by a process that stays for the next one (a notebook draws one by one)
    Drawers(processes)           many at a time (press.py)

Of two processes one turns charts into SVG, the other SVG into PNG and PDF, for which it needs no engine: a start of
that takes as long as four pictures. Where the first picture of all, an empty one, cannot be drawn, or GIVE_UP in a row
cannot, no more are tried.
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
_NOTHING: Source = {"mark": "point", "data": {"values": []}}

Pictures = dict[str, bytes]  # format -> the file's bytes
Outcomes = Future[list[RawOutcome]]
Coming = tuple[Outcomes, ...]  # the last one holds the pictures


class NotDrawn(TruenessError):
    """The renderer gave no picture; nothing else depends on it. Its text says why."""


class Drawers:
    """Processes that draw, started with the first picture."""

    def __init__(self, processes: int = 1):
        self._processes = processes
        self._stack = ExitStack()
        self._executors: list[Executor] = []
        self._first: Outcomes | None = None
        self._in_a_row = 0
        self.broken = ""  # why no more are drawn

    def begin(self, source: Source, formats: Sequence[str]) -> Coming:
        """Start a picture, which `take` waits for."""
        if not self._executors:
            self._executors = [self._stack.enter_context(local_executor(1))[0] for _ in range(self._processes)]
            self._first = _draw(self._executors[0], _NOTHING, ())
        charts, images = self._executors[0], self._executors[-1]
        if charts is images or isinstance(source, str):
            return (_draw(images, source, formats),)
        chart = _draw(charts, source, ("svg",))
        return chart, images.submit(_draw_image, chart, formats)

    def take(self, coming: Coming) -> Pictures:
        """The pictures that were begun; NotDrawn where there are none."""
        if self._first is not None:
            first, self._first = self._first, None
            self.broken = _why_not(_outcome_of(first))
        if self.broken:
            for outcomes in coming:
                outcomes.cancel()
            raise NotDrawn(self.broken)
        outcome = _outcome_of(coming[-1])
        why_not = _why_not(outcome)
        self._in_a_row = self._in_a_row + 1 if why_not else 0
        if self._in_a_row >= GIVE_UP:
            self.broken = why_not
        if why_not:
            raise NotDrawn(why_not)
        drawn: Pictures = outcome["pictures"]
        return drawn

    def close(self) -> None:
        self._stack.close()
        self._executors = []


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


def _draw(executor: Executor, source: Source, formats: Sequence[str]) -> Outcomes:
    return executor.submit(run_chunk, _chunk(source, formats))


def _draw_image(chart: Outcomes, formats: Sequence[str]) -> list[RawOutcome]:
    """In a thread of the second process: a chart that is SVG by now, or why it is not."""
    (outcome,) = chart.result()
    return [outcome] if _why_not(outcome) else run_chunk(_chunk(outcome["pictures"]["svg"].decode(), formats))


def _chunk(source: Source, formats: Sequence[str]) -> Chunk:
    return Chunk("trueness.showing.rendering:perform", {"formats": list(formats)}, ({"source": source},), LIMIT)


def _outcome_of(outcomes: Outcomes) -> RawOutcome:
    try:
        (outcome,) = outcomes.result()
    except (OSError, CancelledError) as error:  # no process could be started
        return {"status": Status.FAILED, "message": str(error)}
    return outcome


def _why_not(outcome: RawOutcome) -> str:
    if outcome["status"] == Status.OK:
        return ""
    return f"{outcome['message']}. Drawing needs memory, and room for addresses (ulimit -v unlimited)."
