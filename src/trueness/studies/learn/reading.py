"""Learn: which learner to believe on a table, its graph with the odds of every edge, and a user's own graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pandas as pd

from trueness.showing.saving import Drawing, Figure, csv_text
from trueness.showing.tables import Column, Table
from trueness.studies.learn.findings import Learned, headline, sentences, untold
from trueness.studies.learn.scores import DIRECTED, LIKELY, LearnedEdge, LearnScores, ends, percent
from trueness.studies.protocol import AnalysisPart, Section, Summary
from trueness.studies.reading import Reading, row_checks


class LearnReading(Reading):
    title = "Learn"
    question = "What is the graph of this table, how sure is each edge, and which learner is to be believed?"
    charts_first = ("learned",)
    clusters = "twins"
    pictures = ("learned_graph",)

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

    def first_findings(self) -> Sequence[str]:
        lines = [line for _, lines in sentences(self.scores) for line in lines]
        return [line for line in (*lines, *untold(self.scores)) if ": odds " not in line]  # these are in the table

    def figures(self, folder: Path) -> Iterator[Figure]:
        if self.scores.edges:
            caption = f"Edges of at least even odds, with these; a direction is drawn from {100 * DIRECTED:.0f} % on."
            yield Figure("learned_graph", edges_frame(self.scores), Drawing(self.scores._repr_svg_()), caption)

    def files(self) -> Mapping[str, str]:
        """Of edges, every pair and all digits."""
        below = f"{self.files_below}/"
        edges, dot = csv_text(edges_frame(self.scores)), self.scores.graph.to_dot()
        return {**super().files(), f"{below}edges.csv": edges, f"{below}graph.dot": dot}

    def summary(self) -> Summary:
        made = tuple(Section(title, tuple(lines)) for title, lines in sentences(self.scores))
        checks = [check for check in self._checks() if check.name == "complete"]
        checks += row_checks({"": self.results.about})
        return Summary(tuple(checks), made, tuple(untold(self.scores)), headline(self.scores))

    def analyses(self) -> list[AnalysisPart]:
        return [AnalysisPart(title, tuple(lines)) for title, lines in sentences(self.scores)]

    def abstract(self) -> str:
        about = self.scores.about
        return f"The graph of {about['data']} ({about['n']:,} rows, {about['d']} columns) was learned with odds."

    def methods(self) -> list[str]:
        twins = len(next(iter(self.scores.f1.values()), {}))
        return [
            f"Learners were run on fresh draws of {twins} twins: systems fitted to the table, with the graphs that the "
            "learners found in it or in resamples of it. Odds are shares over resamples, calibrated on twins."
        ]


def ranking_table(learned: LearnScores) -> Table:
    rows = []
    for name, value in learned.ranking:
        row = {"learner": name, "class": learned.about["classes"].get(name)}
        expected = learned.expected("f1", name)
        if expected is not None:
            rival = next((one for one in learned.rivals if one.learner == name), None)
            row |= {"f1": value.value, **ends(value)}
            row |= {"one": expected.mean, "one_low": expected.low, "one_high": expected.high}
            row["verdict"] = "first" if rival is None else "worse" if rival.told_apart else "not told apart"
        rows.append(row)
    columns = (
        Column("learner", "learner", "text"),
        Column("class", "class", "text"),
        Column("f1", "F1 expected [CI]", low="low", high="high"),  # `verdict` tells apart, no bold
        Column("one", "of one table [90 %]", low="one_low", high="one_high"),
        Column("verdict", "against the first", "text"),
    )
    caption = "Learners on twins of the table: mean F1, as such promises have been kept, with its CI over twins."
    if learned.depends:
        caption = "Learners; no F1 is promised, as the table's rows depend on each other."
    drop = (("class",), ("verdict",))
    return Table("learners", columns, rows, caption, title="Which learner to believe", drop=drop)


def edges_frame(learned: LearnScores) -> pd.DataFrame:
    """Every pair, unrounded: source, mark, target, present, onward, share, confounded."""
    rows = [{"source": edge.source, "mark": edge.mark} | edge._asdict() for edge in learned.edges]
    return pd.DataFrame(rows, columns=["source", "mark", *LearnedEdge._fields[1:]])


def edges_table(learned: LearnScores, least: float = LIKELY) -> Table:
    rows = [
        {"edge": f"{edge.source} {edge.mark} {edge.target}", "odds": percent(edge.present), "way": percent(edge.onward)}
        | edge._asdict()
        for edge in learned.edges
        if edge.present >= least
    ]
    columns: tuple[Column, ...] = (
        Column("edge", "edge", "text"),
        Column("odds", "odds", "text"),
        Column("way", "this way", "text"),
        Column("share", "share of graphs", decimals=2),
    )
    if any(row["confounded"] is not None for row in rows):
        columns = (*columns, Column("confounded", "hidden cause", decimals=2))
    return Table(
        "edges", columns, rows, "Edges with their odds, calibrated on twins; `this way` given that there is one.",
        title="The graph", drop=(("confounded",), ("share",)),
    )  # fmt: skip
