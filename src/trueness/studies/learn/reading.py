"""Learn: which learner to believe on a table, its graph with the odds of every edge, and a user's own graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from trueness.files import write_atomically
from trueness.showing.console import Console, plain, print_points
from trueness.showing.drawn import Draw, read_pictures
from trueness.showing.methods_paragraph import section
from trueness.showing.paper import Part as PaperPart
from trueness.showing.saving import Drawing, Figure, Save, csv_text
from trueness.showing.sheet import Sheet, left_out, one_by_one
from trueness.showing.tables import Table
from trueness.studies.learn.findings import Learned, headline, sentences, untold
from trueness.studies.learn.scores import DIRECTED
from trueness.studies.learn.tables import edges_frame, edges_table, ranking_table
from trueness.studies.protocol import AnalysisPart, Section, Summary
from trueness.studies.reading import Reading, row_checks


class LearnReading(Reading):
    title = "Learn"
    question = "What is the graph of this table, how sure is each edge, and which learner is to be believed?"
    charts_first = ("learned",)
    clusters = "twins"

    @cached_property
    def scores(self) -> Learned:
        return Learned.of(self.results)

    def to_dict(self) -> dict[str, object]:
        return self.scores.to_dict()

    def as_json(self, measures: Sequence[str] | None) -> dict[str, object]:
        return self.scores.to_dict()

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return csv_text(edges_frame(self.scores))

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [ranking_table(self.scores), edges_table(self.scores)]

    def show(self, out: Console, folder: Path, measures: Sequence[str] | None = None) -> None:
        for title, lines in self._sections:
            out.print(f"[bold]{plain(title)}[/]")
            if title == "Which learner to believe":
                self._print(ranking_table(self.scores), out, folder, ["class", "against the first"])
            elif title == "The graph":
                self._print(edges_table(self.scores), out, folder, ["hidden cause", "share of graphs"])
                lines = tuple(line for line in lines if ": odds " not in line)
            print_points(lines, out)

    def _print(self, table: Table, out: Console, folder: Path, drop: Sequence[str]) -> None:
        cells = table.cells()
        if cells:
            columns = {title: [row[k] for row in cells] for k, title in enumerate(table.titles())}
            sheet = Sheet(columns, one_by_one(drop))
            sheet.print(out)
            for word in left_out(sheet.missing(out.width), f"{folder}/learn"):
                out.print(plain(word), style="dim")

    def first_findings(self) -> Sequence[str]:
        return ()  # they stand with the tables

    def figures(self, folder: Path) -> Iterator[Figure]:
        if self.scores.edges:
            caption = f"Edges of at least even odds, with these; a direction is drawn from {100 * DIRECTED:.0f} % on."
            yield Figure("learned_graph", edges_frame(self.scores), Drawing(self.scores._repr_svg_()), caption)

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        place, learned = self.files_below, self.scores
        written = [path for figure in self.figures(folder) for path in save(figure, folder, "plots")]
        for table, rows in (
            (ranking_table(learned), ranking_table(learned).frame()),
            (edges_table(learned, 0.0), edges_frame(learned)),
        ):
            for suffix, text in (("csv", csv_text(rows)), ("tex", table.to_latex()), ("md", table.to_markdown())):
                written.append(write_atomically(folder, f"{place}/{table.name}.{suffix}", text))
        written.append(write_atomically(folder, f"{place}/graph.dot", learned.graph.to_dot()))
        parts = [section(title, lines) for title, lines in self._sections]
        return [*written, write_atomically(folder, f"{place}/findings.txt", "\n\n".join(parts) + "\n")]

    def summary(self) -> Summary:
        made = tuple(Section(title, tuple(lines)) for title, lines in sentences(self.scores))
        complete = [check for check in super().summary().checks if check.name == "complete"]
        checks = (*complete, *row_checks({"": self.results.about}))
        return Summary(checks, made, tuple(untold(self.scores)), headline(self.scores))

    def analyses(self) -> list[AnalysisPart]:
        return [AnalysisPart(title, tuple(lines)) for title, lines in sentences(self.scores)]

    @property
    def _sections(self) -> list[tuple[str, tuple[str, ...]]]:
        sections = [*sentences(self.scores), ("What this design cannot tell", untold(self.scores))]
        return [(title, tuple(lines)) for title, lines in sections]

    def paper(self, folder: Path, draw: Draw) -> PaperPart:
        learned, twins = self.scores, len(next(iter(self.scores.f1.values()), {}))
        about = learned.about
        abstract = f"The graph of {about['data']} ({about['n']:,} rows, {about['d']} columns) was learned with odds."
        checks = [
            f"{learned.done:,} of {learned.planned:,} runs were done; {sum(learned.failures.values())} gave no graph."
        ]
        methods = [
            f"Learners were run on fresh draws of {twins} twins: systems fitted to the table, with the graphs that the "
            "learners found in it or in resamples of it. Odds are shares over resamples, calibrated on twins."
        ]
        pictures = read_pictures(folder, "plots", "learned_graph")
        return PaperPart("learn", abstract, checks, methods, self._sections, self.tables(None), pictures)
