"""Forecast: replies read as ranges, scored against the runs of discovery."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import pandas as pd

from trueness.outside import Json
from trueness.running.results import Row
from trueness.showing.console import Console
from trueness.showing.drawn import Draw
from trueness.showing.paper import Part as PaperPart
from trueness.showing.saving import Figure, Save, csv_text
from trueness.showing.tables import Table
from trueness.studies.forecast import files, paper, tables
from trueness.studies.forecast.answers import forecasts_of, long_rows
from trueness.studies.forecast.cell import ForecastPart
from trueness.studies.forecast.findings import Findings, findings
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.printed import print_forecasts
from trueness.studies.forecast.summary import rows
from trueness.studies.reading import Reading


class ForecastReading(Reading):
    title = "Forecast"
    question = "Does a model know what a learner will do on a data set?"
    rests_on = ("discovery",)
    asks = many_charts = True
    files_below = "statistics"
    charts_first = ("intervals_f1", "intervals", "calibration", "differences", "heatmap", "runs")
    clusters = "data sets"

    @cached_property
    def forecasts(self) -> Forecasts:
        discovery = self.before["discovery"].results
        with self.results.store.ensure_open() as store:
            return forecasts_of(discovery, self.results, store)

    @classmethod
    def cluster_of(cls, items: pd.Series) -> pd.Series:
        """An item is dataset/learner/measure."""
        return items.str.split("/").str[0]

    def page(self) -> ForecastPart:
        return ForecastPart(self.results, lambda: self.forecasts, lambda: self.findings)

    @cached_property
    def findings(self) -> Findings:
        return findings(self.forecasts)

    def rows(self) -> Iterable[Row]:
        return long_rows(self.forecasts)

    def to_dict(self) -> dict[str, Json]:
        return {"respondents": rows(self.forecasts), "findings": self.findings.to_dict()}

    def as_json(self, measures: Sequence[str] | None) -> dict[str, Json]:
        return {"study": self.results.study, "task": self.results.task, "rows": rows(self.forecasts)}

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return csv_text(pd.DataFrame(rows(self.forecasts)))

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [tables.main_results(self.forecasts), tables.by_formulation(self.forecasts)]

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        out.print()
        print_forecasts(out, self.forecasts)

    def first_findings(self) -> list[str]:
        """The checks, then each hypothesis with its verdict."""
        return [*map(str, self.findings.validation.checks), *self.findings.hypotheses.sentences]

    def figures(self, folder: Path) -> Iterator[Figure]:
        return files.plots(self.forecasts)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        return files.write_forecast_tree(folder, self.forecasts, lambda: self.findings, save)

    def paper(self, folder: Path, draw: Draw) -> PaperPart:
        return paper.part(folder, self.forecasts, self.findings, draw)
