"""Discovery: runs with scores, graphs, and what every learner assumes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trueness.running.provenance import plan_folder_of
from trueness.showing.console import Console
from trueness.showing.drawn import Draw
from trueness.showing.paper import Part as PaperPart
from trueness.showing.saving import Figure, Save
from trueness.showing.tables import Table
from trueness.studies import run_tables
from trueness.studies.discovery import files, paper, tables
from trueness.studies.discovery.cell import DiscoveryPart
from trueness.studies.discovery.printed import print_discovery
from trueness.studies.discovery.scores import write_variances
from trueness.studies.protocol import PagePlace
from trueness.studies.run_reading import RunReading


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
        return [tables.measured_table(self.results, run_tables.choose_measures(self.results, measures))]

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        print_discovery(out, self.results, folder, measures and run_tables.choose_measures(self.results, measures))

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
