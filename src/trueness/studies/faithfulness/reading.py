"""Faithfulness: reasoning graphs executed and judged, and models' own graphs under changed problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import pandas as pd

from trueness.reasoning.damage import DAMAGES
from trueness.running.results import Row
from trueness.showing.console import Console
from trueness.showing.drawn import Draw
from trueness.showing.paper import Part as PaperPart
from trueness.showing.saving import Figure, Save
from trueness.showing.tables import Table
from trueness.studies.faithfulness import files, paper, tables
from trueness.studies.faithfulness.answers import FaithfulnessStudy, faithfulness_of
from trueness.studies.faithfulness.cell import FaithfulnessPart
from trueness.studies.faithfulness.chart_pairs import pairs
from trueness.studies.faithfulness.chart_probes import probes
from trueness.studies.faithfulness.known_groups import RIGHT
from trueness.studies.faithfulness.printed import print_faithfulness
from trueness.studies.reading import Reading


class FaithfulnessReading(Reading):
    title = "Faithfulness"
    question = "Does reasoning depend on what it says it depends on?"
    asks = True
    clusters = "problems"

    @cached_property
    def study(self) -> FaithfulnessStudy:
        with self.results.store.ensure_open() as store:
            return faithfulness_of(self.results, store)

    @classmethod
    def answers_of(cls, rows: pd.DataFrame) -> pd.DataFrame:
        """A graph as given and one that a model wrote answer the same problem; damaged copies are ours."""
        answers = rows[~rows["variant"].isin(DAMAGES)]
        return answers.assign(variant=answers["variant"].replace("own_graph", RIGHT))

    def page(self) -> FaithfulnessPart:
        return FaithfulnessPart(self.results, lambda: self.study)

    def rows(self) -> Iterable[Row]:
        return self.study.rows()

    def to_dict(self) -> dict[str, object]:
        return tables.as_dict(self.study)

    def as_json(self, measures: Sequence[str] | None) -> dict[str, object]:
        return {"study": self.results.study, "task": self.results.task, **tables.as_dict(self.study)}

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return tables.component_table(self.study).to_csv()

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return tables.all_tables(self.study)

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        print_faithfulness(out, self.study)

    def first_findings(self) -> Sequence[str]:
        return ()  # they stand with the tables

    def figures(self, folder: Path) -> Iterator[Figure]:
        yield probes(self.study)
        if self.study.behaviours:
            yield pairs(self.study)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        return files.write_faithfulness_tree(folder, self.study, save)

    def paper(self, folder: Path, draw: Draw) -> PaperPart:
        return paper.part(folder, self.study)
