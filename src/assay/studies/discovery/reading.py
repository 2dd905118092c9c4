"""Discovery: runs with scores, graphs, and what every learner assumes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.running.provenance import plan_folder_of
from assay.showing.console import Console
from assay.showing.drawn import Draw
from assay.showing.paper import Part as PaperPart
from assay.showing.saving import Figure, Save
from assay.showing.tables import Table
from assay.studies import run_tables
from assay.studies.discovery import files, paper, tables
from assay.studies.discovery.cell import DiscoveryPart
from assay.studies.discovery.printed import print_discovery
from assay.studies.discovery.scores import write_variances
from assay.studies.protocol import PagePlace
from assay.studies.run_reading import RunReading


class DiscoveryReading(RunReading):
    title = "Discovery"
    question = "What graph does a learner find in data whose graph we know?"
    graphs = True
    charts_first = ("measured",)
    clusters = "data sets"

    @classmethod
    def page(cls, place: PagePlace) -> DiscoveryPart:
        return DiscoveryPart(place)

    def write_numbers(self, folder: Path) -> None:
        write_variances(self.results, folder)

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [tables.measured_table(self.results, run_tables.chosen(self.results, measures))]

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        print_discovery(out, self.results, folder, measures and run_tables.chosen(self.results, measures))

    def show_findings(self, out: Console) -> None:
        """They are in statistics/interpretation.txt, and on the page."""

    def where(self, alone: bool = True) -> str:
        return ""

    def figures(self, folder: Path) -> Iterator[Figure]:
        return files.plots(self.results, plan_folder_of(folder))

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        return files.write_discovery_tree(folder, self.results, alone, save)

    def paper(self, folder: Path, draw: Draw) -> PaperPart:
        return paper.part(folder, self.results)
