"""Many pictures at once, drawn by processes beside Python while it goes on (drawers.py); only this process writes.

A picture that cannot be drawn is left out: its numbers are written, an older picture of that name is taken away, and
`notes` says how many and why.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from trueness.files import remove
from trueness.showing.drawers import Coming, Drawers, NotDrawn, Pictures
from trueness.showing.rendering import FORMATS, Source
from trueness.showing.saving import Figure, source_of, write_numbers, write_pictures

PROCESSES = min(2, os.cpu_count() or 1)  # for many; a start takes as long as four pictures
_HELD = 4  # pictures on their way, a process: a study of hundreds does not hold them all


@dataclass(frozen=True, eq=False)
class _Job:
    coming: Coming
    use: Callable[[Pictures], object]
    lost: Callable[[], object]


class Press:
    """Opened by `press()`. What was given is there, or left out, when `wait` returns."""

    def __init__(self, stack: ExitStack, processes: int = 1):
        self._drawers = Drawers(processes)
        stack.callback(self._drawers.close)
        self._sent: deque[_Job] = deque()
        self.missing: set[Path] = set()  # files of pictures that could not be drawn
        self._charts, self._why_not = 0, ""
        self._documents: list[str] = []

    def expect_many(self) -> None:
        self._drawers.processes = PROCESSES

    def save(self, figure: Figure, folder: Path, inner: str) -> list[Path]:
        """As `save_figure`: the files that will be there, if the picture can be drawn."""
        name = str(PurePosixPath(inner, figure.name))
        files = [f"{name}.{form}" for form in FORMATS]
        self._draw(
            source_of(figure.chart), FORMATS,
            lambda pictures: write_pictures(folder, name, pictures, figure.caption),
            lambda: self._leave_out(folder, files),
        )  # fmt: skip
        return [*(folder / file for file in files), write_numbers(folder, name, figure.frame)]

    def leave_out(self, folder: Path, file: str) -> None:
        """A document whose pages could not be drawn; an older one is taken away."""
        remove(folder, file)
        self._documents.append(file)

    def pdfs(self, svgs: Sequence[str]) -> list[bytes]:
        """Each as PDF, in order; NotDrawn where one cannot be drawn."""
        pdfs: dict[int, bytes] = {}
        for k, svg in enumerate(svgs):
            self._draw(svg, ("pdf",), lambda drawn, k=k: pdfs.update({k: drawn["pdf"]}), lambda: None)  # type: ignore[misc]
        self.wait()
        if len(pdfs) < len(svgs):
            raise NotDrawn(self._why_not)
        return [pdfs[k] for k in range(len(svgs))]

    def wait(self) -> None:
        while self._sent:
            self._take()

    def notes(self) -> list[str]:
        """One line where something is missing."""
        charts = [] if not self._charts else ["1 chart"] if self._charts == 1 else [f"{self._charts} charts"]
        lost = [*charts, *self._documents]
        many = "was" if len(lost) == 1 and self._charts < 2 else "were"
        return [f"{' and '.join(lost)} {many} left out (numbers are in the CSV files): {self._why_not}"] if lost else []

    def _draw(
        self, source: Source, formats: Sequence[str], use: Callable[[Pictures], object], lost: Callable[[], object]
    ) -> None:
        """What it is for is done by this thread, at the latest in `wait`."""
        self._sent.append(_Job(self._drawers.begin(source, formats), use, lost))
        while len(self._sent) > _HELD * self._drawers.processes:
            self._take()

    def _take(self) -> None:
        """The oldest."""
        job = self._sent.popleft()
        try:
            pictures = self._drawers.take(job.coming)
        except NotDrawn as error:
            self._why_not = str(error)
            job.lost()
        else:
            job.use(pictures)

    def _leave_out(self, folder: Path, files: Sequence[str]) -> None:
        self._charts += 1
        for file in files:
            remove(folder, file)
            self.missing.add(folder / file)


@contextmanager
def press() -> Iterator[Press]:
    with ExitStack() as stack:
        made = Press(stack)
        yield made
        made.wait()
