"""What the page shows of learn beside the runs on twins."""

from __future__ import annotations

from functools import cached_property

from trueness.studies.learn.findings import Learned, headline, sentences, untold
from trueness.studies.protocol import AnalysisPart, PagePlace, Section, Summary
from trueness.studies.run_page import RunsPart, row_checks


class LearnPart(RunsPart):
    def __init__(self, place: PagePlace):
        super().__init__(place)
        self._place = place

    @cached_property
    def _scores(self) -> Learned:
        return Learned.of(self._task)

    def summary(self) -> Summary:
        made = tuple(Section(title, tuple(lines)) for title, lines in sentences(self._scores))
        complete = [check for check in super().summary().checks if check.name == "complete"]
        checks = (*complete, *row_checks({"": self._task.about}))
        return Summary(checks, made, tuple(untold(self._scores)), headline(self._scores))

    def analyses(self) -> list[AnalysisPart]:
        return [AnalysisPart(title, tuple(lines)) for title, lines in sentences(self._scores)]
