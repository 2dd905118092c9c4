"""Discovery: runs with scores, the graphs of learners, and what every learner assumes.

    plots/measured          range of runs and CI of the mean, one row a data set and learner, one panel a measure
    plots/ranks_learners    mean ranks of the learners by F1, where there are two learners and two data sets
    plots/results_summary   the table, .csv .tex .md (a forecast study writes its own, with coverage)
    statistics/edges.csv    of data sets without a known graph: how often each learner found each edge
    statistics/interpretation.txt  statistical_tests.csv      what was found, in sentences and tests
    variance/{dataset}_{algorithm}_variance.json              every measure of a cell over its runs

each chart as .png .svg .pdf, its numbers as .csv. Below forecasts: ranks_learners alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from trueness.intervals import ends_text, fixed
from trueness.measure import direction
from trueness.running.results import CellSummary
from trueness.showing import theme
from trueness.showing.methods_paragraph import listed, percent, section, settings_text, spread
from trueness.showing.saving import Figure, Save, csv_text
from trueness.showing.tables import Column, Table
from trueness.statistics.proportions import wilson
from trueness.statistics.runs import range_note
from trueness.status import Status
from trueness.studies.discovery.variances import write_variances
from trueness.studies.item_graphs import count_edges, graph_of, name_of
from trueness.studies.protocol import CellKey
from trueness.studies.reading import MOST_CELLS, OPEN, Reading, choose_measures, wide_means
from trueness.studies.run_findings import LEARNERS
from trueness.texts import counted

MOST_EDGES = 30  # of a learner on a data set without a truth, in a terminal
OFTEN = 0.5  # of the graphs: edges that a terminal shows
BASELINES = ("random", "correlation")
_PERFECT = ("precision", "recall", "f1", "shd")
_IN_WORDS = {"redraw": "a fresh sample", "bootstrap": "rows drawn with replacement from one sample"}
_IN_WORDS |= {"permute": "the columns of one sample in another order", "seed": "the learner's own random numbers"}
_ROWS_USED = {
    "observational": "observational rows only",
    "pool": "all rows pooled",
    "targets": "all rows and their targets, scored against the interventional class",
}


class FoundEdge(NamedTuple):
    """How often a learner found an edge, with Wilson's interval; it is no probability that the edge is true."""

    dataset: str
    learner: str
    source: str
    marks: str
    target: str
    times: int
    graphs: int
    frequency: float
    low: float
    high: float

    def __str__(self) -> str:
        share = f"{100 * self.frequency:.0f} % [{100 * self.low:.0f}, {100 * self.high:.0f}]"
        return f"{self.source} {self.marks} {self.target}  {share}"


class DiscoveryReading(Reading):
    title = "Discovery"
    question = "What graph does a learner find in data whose graph we know?"
    words = LEARNERS
    has_graphs = True
    charts_first = ("measured",)
    clusters = "data sets"
    pictures = ("measured", "ranks_learners")
    files_below = "plots"

    def write_numbers(self, folder: Path) -> None:
        write_variances(self.results, folder)

    # ---- what it says

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        """One row a cell: the mean of each measure with the CI of the mean.

        Bold is the best learner of its class on a data set: a measure against a CPDAG is another one than against a
        DAG. Who is better than a baseline alone is not the best of anything.
        """
        results, names = self.results, choose_measures(self.results, measures)
        main = "f1" if "f1" in names else names[0]
        against_dag = [name for name in names if name.startswith("dag_") and name.removeprefix("dag_") in _PERFECT]
        columns = [Column("item", "Data set", "text"), Column("respondent", "Learner", "text")]
        columns += [Column("returns", "Class", "text"), Column("n", "n", "count")]
        for name in names:
            better = direction(name)
            columns.append(Column(name, theme.measure_label(name), "number", f"{name}_low", f"{name}_high", better))
        # what a flawless answer of the learner's class gets against the DAG
        whole = all(cell.ok == cell.repeats for cell in results.summaries)
        on_screen = [] if whole else [Column("lost", "without a graph", "text")]
        on_screen += [Column(f"perfect_{name}", f"perfect {name}", decimals=2) for name in against_dag]
        on_screen += [
            Column("runs", f"{theme.measure_label(main)} of runs", "text"),
            Column("seconds", "s/fit", decimals=3),  # the median: a first fit may pay for an import
            Column("breaks", "breaks", "text"),
        ]
        rows = [
            {"item": cell.item, "respondent": cell.respondent, "returns": cell.about.get("returns"), "n": cell.ok}
            | {"lost": ", ".join(f"{how} {n}" for how, n in cell.statuses.items() if how != Status.OK)}
            | wide_means(cell, names)
            | {f"perfect_{name}": _perfect(cell, name) for name in against_dag}
            | {"runs": _range_text(cell, main), "breaks": self._labels(cell)}
            | {"seconds": float(np.median(cell.seconds)) if len(cell.seconds) else None}
            | {"contends": identity.identity.get("learner") not in BASELINES}
            for identity, cell in zip(results.cells, results.summaries, strict=True)
        ]
        caption = (
            f"Mean over the n runs that gave a graph, with the {100 * results.level:g} % bootstrap CI of the mean; "
            "each learner against the truth of its own class. Bold: the best learner of a class on a data set, where "
            "its interval is apart from all others; baselines are no rivals."
        )
        both = tuple(name for name in ("precision", "recall") if name in names and name != main)
        others = [name for name in reversed(names) if name != main and name not in both]
        drop = (both, *((key,) for key in ("seconds", "runs", "breaks", *others)))
        return [
            Table(
                "results_summary", tuple(columns), rows, caption, rule_before="item", within=("item", "returns"),
                contends="contends", drop=drop, once=("item",), on_screen=tuple(on_screen),
            )
        ]  # fmt: skip

    def _labels(self, cell: CellSummary) -> str:
        return " ".join([*(self._letters[name] for name in _broken(cell)), *(["raw"] if "scale" in cell.about else [])])

    @cached_property
    def _letters(self) -> dict[str, str]:
        """A letter for each assumption that some cell breaks, explained below the table."""
        names = dict.fromkeys(name for cell in self.results.summaries for name in _broken(cell))
        return {name: chr(ord("a") + k % 26) for k, name in enumerate(names)}

    def notes(self) -> list[str]:
        cells, level = self.results.summaries, self.level
        notes = [
            f"mean [CI]: {100 * level:g} % bootstrap interval of the mean.  of runs: {100 * (1 - level) / 2:g} to "
            f"{100 * (1 + level) / 2:g} % range of single runs.  {range_note((c.ok for c in cells), level)}".rstrip(),
            "Each learner is scored against the truth of its own class (dag, cpdag, pag); dag_* against the DAG.",
        ]
        if self._letters:
            broken = ", ".join(f"{letter} {name}" for name, letter in self._letters.items())
            notes.append(f"breaks: the data set breaks what the learner assumes: {broken}")
        if any("scale" in cell.about for cell in cells):
            notes.append("raw: columns were not standardised (scale = 'raw'), and the learner follows their scale.")
        for item in dict.fromkeys(cell.item for cell in cells if "experiments" in cell.about):
            notes.append(f"{item} has rows under interventions: {self._rows_used(item)}.")
        if assumed := sorted({cell.item for cell in cells if cell.about["truth"] == "assumed"}):
            notes.append(f"Truth assumed, an expert's guess and not a measurement: {', '.join(assumed)}.")
        if alone := sorted({cell.item for cell in cells if cell.about["truth"] == "none"}):
            unknown = ", ".join(alone)
            notes.append(
                f"No graph is known of {unknown}: how often edges were found (statistics/edges.csv), no score."
            )
        notes += dict.fromkeys(f"{cell.item}: {note}." for cell in cells for note in cell.about.get("notes", ()))
        for item, about in {cell.item: cell.about for cell in cells if "row_dependence" in cell.about}.items():
            notes.append(f"{item}: {about['row_dependence']['sentence']}")
        if any(cell.about.get("level_codes") for cell in cells):
            notes.append("Learners that need numbers were given level codes of categories (codes = true).")
        return notes

    def _rows_used(self, item: str) -> str:
        used = {c.respondent: c.about["experiments"] for c in self.results.summaries if c.item == item}
        groups = {way: [name for name, chosen in used.items() if chosen == way] for way in _ROWS_USED}
        return "; ".join(f"{_ROWS_USED[way]}: {', '.join(names)}" for way, names in groups.items() if names)

    def first_findings(self) -> list[str]:
        """Edges of data sets whose graph nobody knows; what was found is in statistics/, and on the page."""
        lines = []
        for (item, learner), edges in groupby(self.found_edges(), key=lambda edge: (edge.dataset, edge.learner)):
            often = [str(edge) for edge in edges if edge.frequency >= OFTEN]
            lines.append(f"{item}, {learner}: {len(often)} edges in at least half of the graphs")
            lines += often[:MOST_EDGES]
        return lines

    def found_edges(self) -> Iterator[FoundEdge]:
        """Of all cells without a truth, most frequent first within a cell; of each pair the most frequent marks."""
        for place, cell in enumerate(self.results.cells):
            if self.results.abouts[place].get("truth") != "none":
                continue
            found = count_edges(self.results.answers_at(place))
            for source, marks, target, times in found.edges:
                share = wilson(times, found.graphs, self.level)
                edge = (source, marks, target, times, found.graphs, times / found.graphs)
                yield FoundEdge(cell.item, cell.respondent, *edge, share.low, share.high)

    def abstract(self) -> str:
        learners, datasets = len(self.results.respondents), len(self.results.items)
        return (
            f"We fitted {counted(learners, 'learner')} to {counted(datasets, 'data set')} whose graph is known or "
            f"believed: {self.state}."
        )

    def methods(self) -> list[str]:
        """Learners with every setting that is not the same in all of its cells left to provenance.json."""
        results = self.results
        pairs = list(zip(results.cells, results.abouts, strict=True))
        data = {
            cell.item: f"{cell.item} ({about['rows']} rows, truth {about['truth']}; each run "
            f"{_IN_WORDS.get(about['vary'], about['vary'])})"
            for cell, about in pairs
        }
        learners = {
            cell.respondent: f"{cell.respondent} ({about['returns']}{settings_text(cell.identity.get('settings'))})"
            for cell, about in pairs
        }
        runs = sorted({cell.repeats for cell in results.cells})
        return [
            f"Data: {listed(data.values())}.",
            f"Learners and what they return: {listed(learners.values())}.",
            f"Each learner was fitted {spread(runs)} time{'s' if runs != [1] else ''} to each data set; run k of a "
            "data set is the same table for every learner. A run that failed or timed out is missing, with its status.",
            f"Measures: {listed(theme.measure_label(name) for name in results.headline)}, against the truth of the "
            f"learner's own class; intervals: {percent(results.level)} bootstrap intervals of the mean, and the "
            f"{percent(results.level)} range of single runs. {range_note(runs, results.level)}".rstrip(),
        ]

    # ---- files

    def files(self) -> Mapping[str, str]:
        found, results = self.summary(), self.results
        checks = [check.sentence for check in found.checks]
        if len(results.cells) > MOST_CELLS:
            checks.append(
                f"No chart has room for {len(results.cells):,} cells: plots/results_summary.csv has them all."
            )
        parts = [f"Study {results.study}: what was found", section("Validation", checks)]
        parts += [section(part.title, part.sentences) for part in found.sections]
        tests = pd.DataFrame([pair.row() for pair in self.found.pairs])
        edges = pd.DataFrame(self.found_edges(), columns=FoundEdge._fields)
        texts = {"statistics/edges.csv": csv_text(edges)} if len(edges) else {}
        return texts | {
            "statistics/interpretation.txt": "\n\n".join([*parts, section(OPEN, found.untold)]) + "\n",
            "statistics/statistical_tests.csv": csv_text(tests),
        }

    def figures(self, folder: Path) -> Iterator[Figure]:
        """No runs, or more cells than can be seen: no figures."""
        if self.results.has_runs and len(self.results.cells) <= MOST_CELLS:
            from trueness.showing.chart_measured import measured

            yield measured(self.results)
            yield from self._ranks()

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        """Forecasts that rest on it show in their own charts what was measured, beside what was claimed."""
        if alone:
            return super().write_files(folder, save)
        return [path for figure in self._ranks() for path in save(figure, folder, "plots")]

    def _ranks(self) -> Iterator[Figure]:
        """Mean ranks by F1, where two learners at the least have it on the same two data sets."""
        from trueness.showing.chart_critical_difference import ranks

        if "f1" not in self.results.measures or len(self.results.cells) > MOST_CELLS:
            return
        cells = {(cell.item, cell.respondent): cell.measures["f1"].mean for cell in self.results.summaries}
        names = list(dict.fromkeys(cell.respondent for cell in self.results.summaries))
        table = pd.Series(cells, dtype=float).unstack().reindex(columns=names)
        ranked = table.loc[:, table.notna().mean() > 0.5]
        if ranked.shape[1] > 1 and len(ranked.dropna()) > 1:
            label, level = theme.measure_label("f1"), self.results.level
            yield ranks(table, "higher", label, respondents=names, level=level, name="ranks_learners")

    # ---- the page

    def _graph_name(self, key: CellKey) -> str:
        return name_of(*key[1:])

    def graph(self, item: str) -> dict[str, object] | None:
        return graph_of(self.results.store.folder, self.results, item)


def _perfect(cell: CellSummary, name: str) -> float | None:
    value: float | None = cell.about["perfect_class_against_dag"].get("perfect_" + name.removeprefix("dag_"))
    return value


def _range_text(cell: CellSummary, name: str) -> str:
    runs = cell.measures[name].runs
    return "" if runs is None else ends_text(runs.low, runs.high, fixed(2))


def _broken(cell: CellSummary) -> list[str]:
    return [name for name, verdict in cell.about.get("assumptions", {}).items() if verdict == "broken"]
