"""Many pictures at once, drawn by processes beside Python while it goes on.

The renderer holds Python's lock while it draws, so threads gain nothing. A process takes about as long to start as four
charts to draw: fewer than ENOUGH are drawn here. The files are the same either way, and only this process writes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from assay.engine import Chunk, local_executor, run_chunk
from assay.report.rendering import FORMATS, Source, pictures_of
from assay.report.saving import Figure, source_of, write_numbers, write_pictures
from assay.status import Status

PROCESSES = min(2, os.cpu_count() or 1)
ENOUGH = 8
LIMIT = 120.0  # seconds for one picture; beyond it, it is drawn here
_HELD = 32  # pictures on their way: a study of hundreds does not hold them all

_NOTHING: Source = {"mark": "point", "data": {"values": []}}

Pictures = dict[str, bytes]


@dataclass(frozen=True, eq=False)
class _Job:
    source: Source
    formats: Sequence[str]
    use: Callable[[Pictures], object]


class Press:
    """Opened by `press()`. What was given is there when `wait` returns."""

    def __init__(self, stack: ExitStack, processes: int = PROCESSES):
        self._stack = stack
        self._processes = processes
        self._executor: Executor | None = None
        self._queued: list[_Job] = []
        self._sent: deque[tuple[_Job, Future[list[dict[str, Any]]]]] = deque()

    def begin(self) -> None:
        """Many will come: the processes may start, which they do while Python reads the study."""
        if self._processes > 1:
            self._open()
            for _ in range(self._processes):
                self._submit(_Job(_NOTHING, (), lambda found: None))

    def save(self, figure: Figure, folder: Path, inner: str) -> list[Path]:
        """As `save_figure`: the files that will be there."""
        name = str(PurePosixPath(inner, figure.name))
        self.draw(source_of(figure.chart), FORMATS, lambda found: write_pictures(folder, name, found, figure.caption))
        return [*(folder / f"{name}.{form}" for form in FORMATS), write_numbers(folder, name, figure.frame)]

    def draw(self, source: Source, formats: Sequence[str], use: Callable[[Pictures], object]) -> None:
        """`use` is called with the pictures, by this thread: now, or at the latest in `wait`."""
        self._queued.append(_Job(source, formats, use))
        if self._processes > 1 and (self._executor is not None or len(self._queued) >= ENOUGH):
            for job in self._queued:
                self._submit(job)
            self._queued.clear()
        while len(self._sent) > _HELD:
            self._take()

    def pdfs(self, svgs: Sequence[str]) -> list[bytes]:
        """Each as PDF, in order."""
        found: dict[int, bytes] = {}
        for k, svg in enumerate(svgs):
            self.draw(svg, ("pdf",), lambda drawn, k=k: found.update({k: drawn["pdf"]}))  # type: ignore[misc]
        self.wait()
        return [found[k] for k in range(len(svgs))]

    def wait(self) -> None:
        while self._sent:
            self._take()
        while self._queued:
            job = self._queued.pop(0)
            job.use(pictures_of(job.source, job.formats))

    def _open(self) -> Executor:
        if self._executor is None:
            self._executor, _ = self._stack.enter_context(local_executor(self._processes))
        return self._executor

    def _submit(self, job: _Job) -> None:
        chunk = Chunk("assay.report.rendering:perform", {"formats": job.formats}, ({"source": job.source},), LIMIT)
        self._sent.append((job, self._open().submit(run_chunk, chunk)))

    def _take(self) -> None:
        """The oldest; one that no process could draw is drawn here, where it says what is wrong with it."""
        job, coming = self._sent.popleft()
        (outcome,) = coming.result()
        done = outcome["status"] == Status.OK
        job.use(outcome["pictures"] if done else pictures_of(job.source, job.formats))


@contextmanager
def press() -> Iterator[Press]:
    with ExitStack() as stack:
        made = Press(stack)
        yield made
        made.wait()
