"""Robustness: rankings of edges under corruption, scored with and without a K."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from trueness.running.results import Results, Row
from trueness.running.store import Store
from trueness.running.study_folder import Scored
from trueness.showing.console import Console
from trueness.showing.drawn import Draw
from trueness.showing.paper import Part as PaperPart
from trueness.showing.saving import Figure, Save
from trueness.showing.tables import Table
from trueness.studies.protocol import PagePlace
from trueness.studies.robustness import charts, files, paper, tables
from trueness.studies.robustness.answers import RobustnessStudy, robustness_of
from trueness.studies.robustness.cell import RobustnessPart
from trueness.studies.robustness.printed import print_robustness
from trueness.studies.run_reading import RunReading


@dataclass(frozen=True, eq=False)
class RobustnessReading(RunReading):
    study: RobustnessStudy

    title = "Robustness"
    question = "What do corrupted data do to a learner?"
    graphs = True
    clusters = "data sets"

    @classmethod
    def read(cls, results: Results, store: Store, before: Mapping[str, Scored]) -> Self:
        return cls(results, robustness_of(results))

    @classmethod
    def page(cls, place: PagePlace) -> RobustnessPart:
        return RobustnessPart(place, lambda: place.reading(cls).study)

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

    def show_findings(self, out: Console) -> None:
        """They stand with the tables."""

    def figures(self, folder: Path) -> Iterator[Figure]:
        return charts.figures(self.study.evaluation)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        return files.write_robustness_tree(folder, self.study, save)

    def paper(self, folder: Path, draw: Draw) -> PaperPart:
        return paper.part(folder, self.study)
