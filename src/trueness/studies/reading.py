"""A study's reading: what its store says, made once; terminal, page, paper, files and JSON are renderers of it.

Nothing is read before somebody asks: a matrix is summed by SQL, a cell's runs are read when it is opened, replies are
parsed when the first of them is wanted, and then once. Reading itself shows a study of which nothing is known but its
runs and their scores; a study's own reading says more where it can.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trueness.errors import SettingError, did_you_mean, listed
from trueness.files import write_atomically
from trueness.outside import Json
from trueness.running.cells import stream
from trueness.running.results import NOT_RUN, CellSummary, Results, Row
from trueness.running.store import Aggregate, RunColumns
from trueness.showing import blocks, theme
from trueness.showing.grid import Facet, Grid, unique
from trueness.showing.methods_paragraph import section
from trueness.showing.paper import Part as PaperPart
from trueness.showing.paper import read_pictures
from trueness.showing.saving import Figure, Save
from trueness.showing.tables import Column, Table, label_of
from trueness.statistics.result import interval_cells
from trueness.statistics.runs import ENOUGH, RunSummary, range_note, summarise_columns
from trueness.status import Status
from trueness.studies.protocol import AnalysisPart, CellKey, Check, PagePart, Section, Summary
from trueness.studies.run_findings import (
    ANYBODY,
    ITEMS_TOLD,
    PAIRS_TESTED,
    CellRuns,
    RunFindings,
    Words,
    compare_learners,
    findings,
)  # fmt: skip
from trueness.texts import counted, csv_row

MOST_CELLS = 2_000  # of which a chart can show anything
COMPARED = ("f1", "shd")
OPEN = "What this design cannot tell"
LONGEST = 40  # letters of a study's name in names of files

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reading:
    """`results` are the stored runs of one study; `before` are the readings that it may rest on."""

    results: Results
    before: Mapping[str, Reading] = field(default_factory=dict)

    title: ClassVar[str] = ""  # of its tab; its own name where there is none
    question: ClassVar[str] = ""
    words: ClassVar[Words] = ANYBODY
    rests_on: ClassVar[tuple[str, ...]] = ()  # studies that are not shown alone where this one is
    asks: ClassVar[bool] = False  # nothing of it can be shown where no model has answered
    has_graphs: ClassVar[bool] = False
    many_charts: ClassVar[bool] = False
    charts_first: ClassVar[tuple[str, ...]] = ()  # starts of names of the charts that are to be seen first
    clusters: ClassVar[str] = "items"  # what was drawn independently
    pictures: ClassVar[tuple[str, ...]] = ()  # patterns of the figures that the paper takes, in their order
    figures_below: ClassVar[str] = "plots"

    def page(self) -> PagePart:
        """What the page asks."""
        return self

    @classmethod
    def cluster_of(cls, items: pd.Series) -> pd.Series:
        """The independent draw that an item belongs to."""
        return items

    @classmethod
    def answers_of(cls, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows in which respondents are compared."""
        return rows

    @property
    def study(self) -> str:
        return self.results.study

    @property
    def task(self) -> str:
        return self.results.task

    @property
    def level(self) -> float:
        return self.results.level

    # ---- numbers

    def rows(self) -> Iterable[Row] | None:
        """The long table of what is scored when it is read; None where the stored runs carry their scores."""
        return None

    def write_numbers(self, folder: Path) -> None:
        """Write what lies beside scores.csv and needs no drawing."""

    def to_dict(self) -> dict[str, object] | None:
        """What `report --json` says of it."""
        return None

    def as_json(self, measures: Sequence[str] | None) -> dict[str, object]:
        return _as_dict(self.results, choose_measures(self.results, measures))

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return as_csv(self.results, choose_measures(self.results, measures))

    # ---- what it says

    @property
    def state(self) -> str:
        """How whole it is, in a few words."""
        ok = sum(statuses.get(Status.OK, 0) for statuses in self.results.statuses.values())
        return f"{ok:,} of {self.results.planned:,} runs ok"

    def troubles(self) -> list[str]:
        """Why runs failed: each message once, with how often."""
        failed = Counter((run.respondent, run.status, run.message) for run in self.results.failed_runs())
        return [f"{who}  {status} x {n}: {message}" for (who, status, message), n in failed.most_common(8)]

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        return [_means_table(self.results, choose_measures(self.results, measures))]

    def tables_on_screen(self, measures: Sequence[str] | None) -> list[Table]:
        """What a terminal shows."""
        return self.tables(measures)

    def notes(self) -> list[str]:
        """What the numbers of the tables rest on."""
        return []

    def summary(self) -> Summary:
        """Whether its numbers stand, what was found, what its design cannot tell."""
        found = self.found
        sections = tuple(Section(title, sentences) for title, sentences in found.sections)
        return Summary(tuple(self._checks()), sections, found.untold, found.headline)

    def first_findings(self) -> Sequence[str]:
        """What `run` and `report` print below the tables."""
        return self.found.first

    def abstract(self) -> str:
        respondents, items = len(self.results.respondents), len(self.results.items)
        return f"{counted(respondents, self.words.who)} answered {counted(items, self.words.item)} of {self.task}."

    def methods(self) -> list[str]:
        results = self.results
        return [
            f"Measures: {', '.join(results.headline)}; {100 * results.level:g} % bootstrap intervals of the mean. A "
            "run that failed is missing, with its status."
        ]

    @cached_property
    def found(self) -> RunFindings:
        """What its runs show, by F1 where it was measured."""
        names = ("f1", *self.results.headline)
        measure = next((name for name in names if name in self.results.measures), None)
        if measure is None or not self.results.has_runs:
            return RunFindings((), (), ())
        return findings(self._cell_runs(measure), self.results.measure(measure), self.level, self.words)

    def _cell_runs(self, measure: str) -> list[CellRuns]:
        """Every cell with its runs; a CI for those of the items that get a sentence, which are few."""
        results = self.results
        if results.is_summarised:
            return [
                CellRuns(
                    cell.item, who, cell.values[measure], cell.measures[measure].ci, cell.statuses, done=cell.done
                ).with_about(cell.about, measure)
                for who, cell in zip(results.names, results.summaries, strict=True)
            ]
        stored = results.values_of(measure)
        by_repeat = [dict(sorted(stored.get(place, {}).items())) for place in range(len(results.cells))]
        values = [np.array(list(runs.values()), np.float64) for runs in by_repeat]
        items = set(results.items[:ITEMS_TOLD])
        shown = [place for place, cell in enumerate(results.cells) if cell.item in items]
        summaries = dict(zip(shown, self._summarise([values[place] for place in shown]), strict=True))
        return [
            CellRuns(
                cell.item, results.names[place], values[place], summaries[place].ci if place in summaries else None,
                results.statuses.get(place, {}), done=np.array(list(by_repeat[place]), dtype=np.int64),
            ).with_about(about, measure)
            for place, (cell, about) in enumerate(zip(results.cells, results.abouts, strict=True))
        ]  # fmt: skip

    def _checks(self) -> list[Check]:
        results = self.results
        planned, counts = results.planned, sum(map(Counter, results.statuses.values()), Counter[str]())
        done, ok = counts.total(), counts[Status.OK]
        others = ", ".join(f"{status} {n:,}" for status, n in sorted(counts.items()) if status != Status.OK)
        complete = f"{ok:,} of {planned:,} runs gave a result" + (f" ({others})" if others else "")
        complete += "." if done == planned else f"; {planned - done:,} are still to be done."
        rows = [row for row in results.completeness() if row["ok"] < row["planned"]] if others else []
        lost = [f"{row['respondent']} on {row['item']}: {row['ok']} of {row['planned']}" for row in rows]
        complete += f" {listed(lost, most=6)}." if lost else ""
        fewest = min((cell.repeats for cell in results.cells), default=0)
        passed = None if done < planned and not others else ok == planned
        runs = f"Each cell has {fewest} runs; {ENOUGH} and more bound a range of runs well."
        abouts = {cell.item: about for cell, about in zip(results.cells, results.abouts, strict=True)}
        return [
            Check("complete", passed, complete),
            Check("runs", fewest >= ENOUGH, f"{runs} {range_note([fewest], self.level)}".rstrip()),
            *row_checks(abouts),
        ]

    # ---- files, paper

    @property
    def files_below(self) -> str:
        """Where its tables and its findings lie below the study's folder."""
        return own_name(self.task)

    def figures(self, folder: Path) -> Iterator[Figure]:
        from trueness.showing.chart_measured import measured

        if self.results.has_runs and len(self.results.cells) <= MOST_CELLS:
            figure = measured(self.results, who="respondent")
            yield replace(figure, name=f"{own_name(self.task)}_measured")

    def files(self) -> Mapping[str, str]:
        """Its texts below the study's folder, besides tables and figures."""
        found = self.summary()
        parts = [section(part.title, part.sentences) for part in found.sections]
        return {f"{self.files_below}/findings.txt": "\n\n".join([*parts, section(OPEN, found.untold)]) + "\n"}

    def write_files(self, folder: Path, save: Save, alone: bool = True) -> list[Path]:
        """alone: no other study of the plan rests on it."""
        written = [path for figure in self.figures(folder) for path in save(figure, folder, self.figures_below)]
        texts: dict[str, str] = {}
        for table in self.tables(None):
            place = f"{self.files_below}/{table.name.removeprefix(f'{self.files_below}_')}"
            texts |= {
                f"{place}.csv": table.to_csv(),
                f"{place}.tex": table.to_latex(),
                f"{place}.md": table.to_markdown(),
            }
        texts |= self.files()
        return [*written, *(write_atomically(folder, name, text) for name, text in texts.items())]

    def paper(self, folder: Path) -> PaperPart | None:
        found = self.summary()
        sections = [*((part.title, part.sentences) for part in found.sections), (OPEN, found.untold)]
        abstract = " ".join([self.abstract(), *([found.headline.sentence] if found.headline else [])])
        checks = [check.sentence for check in found.checks]
        tables = [table for table in self.tables(None) if table.rows] if self.results.has_runs else []
        patterns = self.pictures or (f"{own_name(self.task)}_*",)
        pictures = read_pictures(folder, self.figures_below, *patterns)
        return PaperPart(self.task, abstract, checks, self.methods(), sections, tables, pictures)

    # ---- the page: matrix, cells, analyses

    def cell_keys(self) -> Iterator[CellKey]:
        """The cells of the grid, in the order in which a static page takes them in."""
        for cell in self.results.cells:
            yield cell.item, cell.variant, cell.respondent

    def grid(self) -> Grid:
        results = self.results
        variants = unique(cell.variant for cell in results.cells)
        facets = [Facet("variant", "Variant", variants, variants)] if len(variants) > 1 else []
        measures = [replace(results.measure(name), headline=name in results.headline) for name in results.measures]
        grid = Grid(
            self.task, results.items, results.respondents, [], measures, facets, spread="least and most of the runs",
            repeats="runs",
        )  # fmt: skip
        values: dict[int, dict[str, Sequence[float | None]]] = {}
        for one in self._aggregates:
            values.setdefault(one.cell, {})[one.measure] = (one.mean, one.low, one.high, one.n)
        for place, cell in enumerate(results.cells):
            where = (cell.variant,) if facets else ()
            statuses = results.statuses.get(place, {})
            grid.add(cell.item, cell.respondent, where, cell.repeats, statuses, values.get(place, {}))
        return grid

    def cell(self, key: CellKey) -> dict[str, object] | None:
        """All of one cell; None where the study has no such cell."""
        place = self.results.place_of.get(key)
        if place is None:
            return None
        cell, about = self.results.cells[place], self.results.abouts[place]
        runs = self.results.columns_at(place)
        counts = dict(Counter(runs.statuses))
        if len(runs) < cell.repeats:
            counts[NOT_RUN] = cell.repeats - len(runs)
        others = [other for other in self.cell_keys() if other[0] == key[0] and other != key]
        labels = [other[2] if other[1] == key[1] else f"{other[2]} · {other[1]}" for other in others]
        level = 100 * self.level
        note = f"CI: {level:g} % bootstrap interval of the mean. Runs: the {level:g} % range of single runs."
        note = f"{note} {range_note([counts.get(Status.OK, 0)], self.level)}".rstrip()
        return {
            "statuses": counts,
            "siblings": [{"key": list(k), "label": label} for k, label in zip(others, labels, strict=True)],
            "graph": self._graph_name(key),
            "blocks": [
                self._strips(runs),
                blocks.table("Measures", self._measure_rows(place, runs), note),
                *_failures(runs),
                blocks.table("What this cell is", _facts(about, cell.identity)),
            ],
        }

    def graph(self, item: str) -> dict[str, object] | None:
        """The graphs of an item; None where it has none."""
        return None

    def _graph_name(self, key: CellKey) -> str:
        """Under which name the graphs of its item show this cell; nothing where there are none."""
        return ""

    def analyses(self) -> list[AnalysisPart]:
        """Respondents against each other over items, one analysis a measure, and the completeness of every cell.

        d_u = mean of A over its runs on item u - the same of B;   sign-flip test and interval over items, Holm
        """
        results = self.results
        names = [name for name in COMPARED if name in results.measures] or results.headline[:2]
        rows = [
            {"item": cell.item, "variant": cell.variant, "respondent": cell.respondent, "planned": cell.repeats}
            | dict(results.statuses.get(place, {}))
            for place, cell in enumerate(results.cells)
        ]
        completeness = AnalysisPart("completeness", tables=(blocks.table("Runs by status", rows),))
        return [*(self._pairs(name) for name in names), completeness]

    def _pairs(self, measure: str) -> AnalysisPart:
        results, (who, item, _) = self.results, self.words
        name, respondents = f"{who}s by {measure}", len(set(results.names))
        if respondents < 2 or len(results.items) < 2:
            return AnalysisPart(name, (f"Two {who}s and two {item}s are needed to compare {who}s.",), told=False)
        pairs = respondents * (respondents - 1) // 2
        if pairs > PAIRS_TESTED:
            why = f"{pairs} pairs of {who}s are too many for one family of tests. Compare two: trueness compare A B"
            return AnalysisPart(name, (why,), told=False)
        means = [
            (results.cells[one.cell].item, results.names[one.cell], one.mean)
            for one in self._aggregates
            if one.measure == measure and one.mean is not None
        ]
        comparisons = compare_learners(means, results.measure(measure), results.level, item)
        tables = (blocks.table(f"Paired differences in {measure}", [one.row() for one in comparisons]),)
        return AnalysisPart(name, tuple(one.sentence() for one in comparisons), tables=tables)

    @cached_property
    def _aggregates(self) -> list[Aggregate]:
        return self.results.aggregates()

    def _strips(self, runs: RunColumns) -> blocks.Block:
        rows = []
        for one in map(self.results.measure, self.results.headline):
            values, top = runs.numbers(self.results.measures.index(one.name)), 1 if one.maximum == 1.0 else None
            rows.append({"name": one.name, "label": one.label, "values": values, "top": top})
        return {"kind": "strips", "title": "Every run", "rows": rows}

    def _measure_rows(self, place: int, runs: RunColumns) -> list[dict[str, object]]:
        if not len(runs):
            return []
        results = self.results
        if results.is_summarised:
            known = results.summaries[place].measures
            return [_measure_row(results.measure(name).label, one, one.missing) for name, one in known.items()]
        left = results.cells[place].repeats - len(runs)
        rows = []
        for k, (name, summary) in enumerate(zip(results.measures, self._summarise(runs.values), strict=True)):
            why = Counter(reason for reason in runs.reasons_of(k) if reason != Status.OK)
            if left:
                why[NOT_RUN] += left
            rows.append(_measure_row(results.measure(name).label, summary, why))
        return rows

    def _summarise(self, columns: Sequence[Array] | Array) -> list[RunSummary]:
        """One summary a column of runs. Resamples follow from the study's seed and the number of runs alone, so the
        intervals are those of the tables."""
        if not len(columns):
            return []
        table = np.full((max(map(len, columns)), len(columns)), np.nan)
        for k, column in enumerate(columns):
            table[: len(column), k] = column
        return summarise_columns(table, None, self.level, rng=stream(self.results.seed, "bootstrap of the means"))


def row_checks(abouts: Mapping[str, Mapping[str, Json]]) -> list[Check]:
    """A failed check for each data set whose rows depend on each other."""
    orders = {item: about["row_dependence"] for item, about in abouts.items() if about.get("row_dependence")}
    name = "rows" if len(abouts) == 1 else "rows of {}"
    return [Check(name.format(item), False, one["sentence"]) for item, one in orders.items() if not one["passed"]]


def _measure_row(label: str, summary: RunSummary, why: Mapping[str, int]) -> dict[str, object]:
    return {
        "measure": label,
        "n": summary.n,
        "mean": summary.mean,
        "CI": None if summary.ci is None else [summary.ci.low, summary.ci.high],
        "runs": None if summary.runs is None else [summary.runs.low, summary.runs.high],
        "least": summary.min,
        "most": summary.max,
        "missing": ", ".join(f"{status} {n}" for status, n in why.items()),
    }


def _failures(runs: RunColumns) -> list[blocks.Block]:
    failed = Counter(one for one in zip(runs.statuses, runs.messages, strict=True) if one[0] != Status.OK)
    rows = [{"status": s, "runs": n, "message": message} for (s, message), n in failed.most_common(20)]
    return [blocks.table("Runs without a result", rows)] if rows else []


def _facts(about: Mapping[str, Json], identity: Mapping[str, Json]) -> list[dict[str, object]]:
    shown = {
        "returns": about.get("returns"),
        "what varies between runs": about.get("vary"),
        "rows a fit sees": about.get("rows"),
        "truth": about.get("truth"),
    }
    facts = {name: str(value) for name, value in shown.items() if value is not None}
    facts |= {f"assumes {name}": verdict for name, verdict in about.get("assumptions", {}).items()}
    settings = identity.get("settings", {})
    facts |= {f"setting {name}": str(value) for name, value in settings.items() if value not in (None, [], "")}
    return [{"": name, "value": value} for name, value in facts.items()]


# ---- tables as data


def choose_measures(results: Results, measures: Sequence[str] | None) -> tuple[str, ...]:
    """The measures asked for, or the headline ones."""
    for name in measures or ():
        if name not in results.measures:
            raise SettingError(
                f"{name!r} is not a measure of this study. {did_you_mean(name, results.measures)} "
                "See 'trueness list measures'."
            )
    return tuple(measures) if measures else results.headline


def _flat_rows(results: Results, measures: Sequence[str]) -> list[dict[str, object]]:
    """One row a cell and measure."""
    return [_flat_row(cell, name, cell.measures[name]) for cell in results.summaries for name in measures]


def _as_dict(results: Results, measures: Sequence[str]) -> dict[str, object]:
    return {
        "study": results.study,
        "task": results.task,
        "level": results.level,
        "completeness": results.completeness(),
        "row_dependence": {
            cell.item: about["row_dependence"]
            for cell, about in zip(results.cells, results.abouts, strict=True)
            if "row_dependence" in about
        },
        "rows": _flat_rows(results, measures),
    }


def as_csv(results: Results, measures: Sequence[str]) -> str:
    text = io.StringIO()
    rows = _flat_rows(results, measures)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_row(rows[0] if rows else ()))
    writer.writerows(csv_row(row.values()) for row in rows)
    return text.getvalue()


def _flat_row(cell: CellSummary, measure: str, summary: RunSummary) -> dict[str, object]:
    return {
        "item": cell.item,
        "respondent": cell.respondent,
        **{key: cell.about.get(key) for key in ("returns", "truth", "vary")},  # None in a task of a user's own
        "measure": measure,
        **summary.to_row(),
    }


def own_name(study: str) -> str:
    """A study's name in names of files, which TeX takes too: letters and digits, a hash where it had others."""
    plain = label_of(study)[:LONGEST]
    return plain if plain and plain == study else f"{plain}-{sha256(study.encode()).hexdigest()[:6]}"


def _means_table(results: Results, measures: Sequence[str]) -> Table:
    """One row a cell: the mean of each measure with the CI of the mean."""
    columns = [Column("item", "Item", "text"), Column("variant", "Variant", "text")]
    columns += [Column("respondent", "Respondent", "text"), Column("n", "n", "count")]
    columns += [
        Column(
            name, theme.measure_label(name), "number", f"{name}_low", f"{name}_high", results.measure(name).direction
        )
        for name in measures
    ]
    rows = []
    for cell, summary in zip(results.cells, results.summaries, strict=True):
        row = {"item": cell.item, "variant": cell.variant, "respondent": cell.respondent}
        rows.append(row | {"n": summary.ok, "planned": cell.repeats} | wide_means(summary, measures))
    caption = f"Mean over the n runs that gave a result, with the {100 * results.level:g} % bootstrap CI of the mean."
    return Table(
        f"{own_name(results.task)}_summary",
        tuple(columns),
        rows,
        caption,
        rule_before="item",
        within=("item", "variant"),
        on_screen=(Column("planned", "Planned", "count"),),
    )


def wide_means(cell: CellSummary, measures: Sequence[str]) -> dict[str, float | None]:
    """Each measure's mean under its name, its ends beside it."""
    row: dict[str, float | None] = {}
    for name in measures:
        summary = cell.measures[name]
        row[name] = summary.mean
        if summary.degenerate and summary.n > 1:
            row[f"{name}_constant"] = True
        elif summary.ci is not None:
            row |= interval_cells(summary.ci, name)
    return row
