"""Population: replies read as distributions, scored against weighted microdata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import pandas as pd

from trueness.outside import Json
from trueness.running.results import Row
from trueness.showing.console import Console
from trueness.showing.drawn import Draw
from trueness.showing.paper import Part as PaperPart
from trueness.showing.saving import Figure, Save
from trueness.showing.tables import Table
from trueness.studies.population import files, paper, tables
from trueness.studies.population.answers import Populations, populations_of
from trueness.studies.population.cell import FilesPart, PopulationPart
from trueness.studies.population.numeric_outcomes import numbers_tables
from trueness.studies.population.original_results import read_results, result_files
from trueness.studies.population.printed import print_populations
from trueness.studies.reading import Reading


class PopulationTables:
    """Populations as `show` prints them, from a store or from a folder of the original's results."""

    title: ClassVar[str] = "Population"
    question: ClassVar[str] = "Does a model know real distributions?"

    @property
    def populations(self) -> Populations:
        raise NotImplementedError

    def as_json(self, measures: Sequence[str] | None) -> dict[str, Json]:
        rows = tables.summary_rows(self.populations)
        return {"study": self.populations.study, "task": "population", "rows": rows}

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return self.tables(measures)[0].to_csv()

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [tables.task_table(self.populations, (measures or ["score"])[0]), *numbers_tables(self.populations)]

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        print_populations(out, self.populations)

    def first_findings(self) -> Sequence[str]:
        return ()  # they stand with the tables


class OriginalResults(PopulationTables):
    """From a folder of the original's results, without a store."""

    def __init__(self, populations: Populations):
        self._populations = populations

    @property
    def populations(self) -> Populations:
        return self._populations

    @property
    def level(self) -> float:
        return self.populations.level

    def completeness(self) -> list[dict[str, Json]]:
        counts: dict[str, Counter[str]] = {name: Counter() for name in self.populations.models}
        for key, answers in self.populations.answers.items():
            if key.respondent in counts:
                counts[key.respondent].update(str(answer.status) for answer in answers.values())
        return [{"respondent": name, "planned": of.total(), "statuses": dict(of)} for name, of in counts.items()]

    def files_part(self) -> FilesPart:
        return FilesPart(self.populations)


def foreign_results(folder: Path) -> OriginalResults | None:
    """The results in a folder that is no study; None where it holds no JSON file."""
    return OriginalResults(read_results(folder)) if result_files(folder) else None


class PopulationReading(PopulationTables, Reading):
    asks = True
    charts_first = ("population",)
    clusters = "sources"

    @cached_property
    def populations(self) -> Populations:
        with self.results.store.ensure_open() as store:
            return populations_of(self.results, store)

    @classmethod
    def cluster_of(cls, items: pd.Series) -> pd.Series:
        """An item is source/task, and what was drawn is the source."""
        return items.str.rsplit("/", n=1).str[0]

    def page(self) -> PopulationPart:
        return PopulationPart(self.results, lambda: self.populations)

    def rows(self) -> Iterable[Row]:
        return self.populations.rows()

    def to_dict(self) -> dict[str, Json]:
        asked_otherwise = tables.fallback_sentences(self.populations)
        return {"respondents": tables.summary_rows(self.populations), "asked_otherwise": asked_otherwise}

    def figures(self, folder: Path) -> Iterator[Figure]:
        return files.plots(self.populations)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        return files.write_population_tree(folder, self.populations, save)

    def paper(self, folder: Path, draw: Draw) -> PaperPart:
        return paper.part(folder, self.populations)
