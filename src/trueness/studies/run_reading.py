"""What a study's store says, made once; tables, terminal, files, paper and page take it.

RunReading shows a study of which nothing is known but its runs and their scores: a line a cell, sentences that compare
respondents, a chart, a part of the paper, a matrix and cells. A study's own reading says more where it can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import pandas as pd

from trueness.files import write_atomically
from trueness.running.results import Results, Row
from trueness.running.store import Store
from trueness.running.study_folder import Scored
from trueness.showing.console import Console, plain, print_points, print_rows
from trueness.showing.drawn import Draw, read_pictures
from trueness.showing.methods_paragraph import section
from trueness.showing.paper import Part as PaperPart
from trueness.showing.saving import Figure, Save
from trueness.showing.tables import Table
from trueness.studies import run_tables
from trueness.studies.protocol import PagePart, PagePlace
from trueness.studies.run_findings import ANYBODY, RunFindings, findings_of
from trueness.studies.run_page import RunsPart
from trueness.texts import counted

MOST_CELLS = 2_000  # of which a chart can show anything


@dataclass(frozen=True, eq=False)
class RunReading:
    """`results` are the stored runs of one study; `before` are the readings that it may rest on."""

    results: Results

    title: ClassVar[str] = ""  # of its tab; its own name where there is none
    question: ClassVar[str] = ""
    rests_on: ClassVar[tuple[str, ...]] = ()  # studies that are not shown alone where this one is
    asks: ClassVar[bool] = False  # nothing of it can be shown where no model has answered
    graphs: ClassVar[bool] = False  # its items have graphs
    many_charts: ClassVar[bool] = False
    charts_first: ClassVar[tuple[str, ...]] = ()  # starts of names of the charts that are to be seen first
    clusters: ClassVar[str] = "items"  # what was drawn independently

    @classmethod
    def read(cls, results: Results, store: Store, before: Mapping[str, Scored]) -> Self:
        return cls(results)

    @classmethod
    def cluster_of(cls, items: pd.Series) -> pd.Series:
        """The independent draw that an item belongs to."""
        return items

    @classmethod
    def answers_of(cls, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows in which respondents are compared."""
        return rows

    @classmethod
    def page(cls, place: PagePlace) -> PagePart:
        return RunsPart(place)

    # ---- numbers

    def rows(self) -> Iterable[Row] | None:
        return None

    def write_numbers(self, folder: Path) -> None:
        """None beside scores.csv."""

    def to_dict(self) -> dict[str, object] | None:
        """What `report --json` says of it."""
        return None

    # ---- tables, as `show` prints them

    def as_json(self, measures: Sequence[str] | None) -> dict[str, object]:
        return run_tables.as_dict(self.results, run_tables.choose_measures(self.results, measures))

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return run_tables.as_csv(self.results, run_tables.choose_measures(self.results, measures))

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [run_tables.means_table(self.results, run_tables.choose_measures(self.results, measures))]

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        """In the terminal."""
        results, names = self.results, run_tables.choose_measures(self.results, measures)
        out.print(f"[bold]{plain(results.study)}[/]   {plain(results.task)}   {plain(folder)}")
        rows = [
            {"item": cell.item, "respondent": who, "ok / planned": f"{cell.ok} / {cell.repeats}"}
            | {f"{name} [CI]": run_tables.cell_text(cell.measures[name]) for name in names}
            for who, cell in zip(results.names, results.summaries, strict=True)
        ]
        print_rows(rows, "cells", out)

    def show_findings(self, out: Console) -> None:
        """What `run` and `report` print below the tables."""
        print_points(self._findings.first, out)

    def where(self, alone: bool = True) -> str:
        """Where its files lie below the study's folder; nothing where it has none of its own."""
        return run_tables.own_name(self.results.task)

    # ---- files, paper

    def figures(self, folder: Path) -> Iterator[Figure]:
        from trueness.showing.chart_measured import measured

        if self.results.has_runs and len(self.results.cells) <= MOST_CELLS:
            figure = measured(self.results, who="respondent")
            yield Figure(self._chart_name, figure.frame, figure.chart, figure.caption)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        """alone: no other study of the plan rests on it."""
        place = self.where()
        written = [path for figure in self.figures(folder) for path in save(figure, folder, "plots")]
        (table,) = self.tables(None)
        for suffix, text in (("csv", table.to_csv()), ("tex", table.to_latex()), ("md", table.to_markdown())):
            written.append(write_atomically(folder, f"{place}/summary.{suffix}", text))
        parts = [section(title, lines) for title, lines in self._sections]
        return [*written, write_atomically(folder, f"{place}/findings.txt", "\n\n".join(parts) + "\n")]

    def paper(self, folder: Path, draw: Draw) -> PaperPart | None:
        results = self.results
        planned, done = (sum(row[key] for row in results.completeness()) for key in ("planned", "ok"))
        respondents, items = ({getattr(c, name) for c in results.cells} for name in ("respondent", "item"))
        checks = [f"{done:,} of {planned:,} runs that were planned gave a result."]
        abstract = (
            f"{counted(len(respondents), 'respondent')} answered {counted(len(items), 'item')} of {results.task}."
        )
        methods = [
            f"Measures: {', '.join(results.headline)}; {100 * results.level:g} % bootstrap intervals of the mean. A "
            "run that failed is missing, with its status."
        ]
        pictures = read_pictures(folder, "plots", self._chart_name)
        return PaperPart(results.task, abstract, checks, methods, self._sections, self.tables(None), pictures)

    @property
    def _chart_name(self) -> str:
        return f"{run_tables.own_name(self.results.task)}_measured"

    @property
    def _sections(self) -> list[tuple[str, tuple[str, ...]]]:
        return [*self._findings.sections, ("What this design cannot tell", self._findings.untold)]

    @cached_property
    def _findings(self) -> RunFindings:
        return findings_of(self.results, ANYBODY)
