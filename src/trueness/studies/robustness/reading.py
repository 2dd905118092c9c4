"""Robustness: rankings of edges under corruption, scored with and without a K."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from trueness.running.results import Row
from trueness.showing.console import Console
from trueness.showing.drawn import Draw
from trueness.showing.paper import Part as PaperPart
from trueness.showing.saving import Figure, Save
from trueness.showing.tables import Table
from trueness.studies.reading import Reading
from trueness.studies.robustness import files, paper, tables
from trueness.studies.robustness.answers import RobustnessStudy, robustness_of
from trueness.studies.robustness.cell import RobustnessPart
from trueness.studies.robustness.printed import print_robustness


class RobustnessReading(Reading):
    title = "Robustness"
    question = "What do corrupted data do to a learner?"
    has_graphs = True
    clusters = "data sets"

    @cached_property
    def study(self) -> RobustnessStudy:
        return robustness_of(self.results)

    def page(self) -> RobustnessPart:
        return RobustnessPart(self.results, lambda: self.study)

    def rows(self) -> Iterable[Row]:
        return self.study.rows()

    def to_dict(self) -> dict[str, object]:
        notes, auprc = list(self.study.notes), tables.summary_rows(self.study)
        return {"findings": self.study.findings, "notes": notes, "auprc": auprc}

    def as_json(self, measures: Sequence[str] | None) -> dict[str, object]:
        rows = tables.summary_rows(self.study, self._measure(measures))
        return {"study": self.results.study, "task": self.results.task, "rows": rows}

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return self.tables(measures)[0].to_csv()

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [tables.ranking_table(self.study, self._measure(measures))]

    def _measure(self, measures: Sequence[str] | None) -> str:
        return tables.checked_measure((measures or ["auprc"])[0])

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        print_robustness(out, self.study)

    def first_findings(self) -> Sequence[str]:
        return ()  # they stand with the tables

    def figures(self, folder: Path) -> Iterator[Figure]:
        return files.plots(self.study.evaluation)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        return files.write_robustness_tree(folder, self.study, save)

    def paper(self, folder: Path, draw: Draw) -> PaperPart:
        return paper.part(folder, self.study)
