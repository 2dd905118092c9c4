"""Robustness: rankings of edges under corruption, scored with and without a K; what the store says, and its files.

Below robustness/: evaluation_report.json (everything as one document), findings.txt, the tables as .csv and .tex, the
long numbers behind them as .csv, and the charts. docs/robustness.md says of each what it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import cast

import pandas as pd

from trueness.running.results import Row
from trueness.running.store import to_json
from trueness.showing import blocks
from trueness.showing.grid import Facet, Grid, shown_measure, unique
from trueness.showing.methods_paragraph import listed, settings_text
from trueness.showing.saving import Figure, csv_text, plain_records
from trueness.showing.saving import plain as plain_json
from trueness.showing.tables import Table
from trueness.statistics.reach import Reach
from trueness.status import Status
from trueness.studies.protocol import AnalysisPart, CellKey, Check, Section, Summary
from trueness.studies.reading import Reading
from trueness.studies.robustness import charts, summaries, tables
from trueness.studies.robustness.answers import RobustnessStudy, robustness_of
from trueness.studies.robustness.calibration import (
    calibration,
    curve_lists,
    disentanglement,
    expected_edges,
    frozen_means,
    invariance,
    sparse_frame,
)
from trueness.studies.robustness.sensitivity import original_range
from trueness.texts import counted

MOST_REASONS = 8


class RobustnessReading(Reading):
    title = "Robustness"
    question = "What do corrupted data do to a learner?"
    many_charts = True
    clusters = "data sets"
    figures_below = files_below = "robustness"
    pictures = ("sensitivity_curve_*", "k_lambda_*")

    @cached_property
    def answers(self) -> RobustnessStudy:
        return robustness_of(self.results)

    def rows(self) -> Iterable[Row]:
        return self.answers.rows()

    def to_dict(self) -> dict[str, object]:
        auprc = plain_records(summaries.means(self.answers.evaluation))
        return {"findings": self.answers.findings, "notes": list(self.answers.notes), "auprc": auprc}

    def as_json(self, measures: Sequence[str] | None) -> dict[str, object]:
        rows = plain_records(summaries.means(self.answers.evaluation, tables.measure_without_k(measures)))
        return {"study": self.results.study, "task": self.results.task, "rows": rows}

    def as_csv(self, measures: Sequence[str] | None) -> str:
        return self.tables(measures)[0].to_csv()

    def tables(self, measures: Sequence[str] | None) -> list[Table]:
        first = tables.ranking_table(self.answers, tables.measure_without_k(measures))
        return [first] if measures or not self.answers.fits_done else [first, *tables.tables_at_k(self.answers)]

    def troubles(self) -> list[str]:
        return self.answers.failures()[:MOST_REASONS]

    def notes(self) -> list[str]:
        evaluation = self.answers.evaluation
        saw = (
            f"[value, CI]: {evaluation.intervals()}.  oracle_k saw the truth that it is scored against; "
            f"k_from_other_graphs those of other graphs; both on {evaluation.validation}."
        )
        return [saw, *self.answers.notes]

    def first_findings(self) -> Sequence[str]:
        """What the oracle gains stands in findings.txt and optimism.csv."""
        found = {heading: lines for heading, lines in self.answers.findings.items() if "oracle" not in heading}
        return [sentence for lines in found.values() for sentence in lines]

    def figures(self, folder: Path) -> Iterator[Figure]:
        return charts.figures(self.answers.evaluation)

    def files(self) -> Mapping[str, str]:
        return {f"robustness/{name}": text for name, text in texts(self.answers).items()}

    def abstract(self) -> str:
        about = self.answers.evaluation
        systems, corruptions = counted(len(about.systems), "system"), counted(len(about.corruptions), "corruption")
        return f"We scored the edges of {systems} with {counted(len(about.scorers), 'scorer')} under {corruptions}."

    def methods(self) -> list[str]:
        study, evaluation = self.answers, self.answers.evaluation
        systems = [
            f"{name} ({counted(len(s.truth), 'node')}, {counted(s.truth.n_edges(), 'edge')})"
            for name, s in evaluation.systems.items()
        ]
        corruptions = [
            f"{name} ({', '.join(v.steps) or 'nothing is done'})" for name, v in evaluation.corruptions.items()
        ]
        scorers = [f"{name}{settings_text(card.get('settings'), ' (', ')')}" for name, card in study.scorers.items()]
        budget = ", ".join(f"{key} {value}" for key, value in study.budget.items())
        return [
            f"Systems: {listed(systems)}.",
            f"Corruptions: {listed(corruptions)}.",
            f"Scorers: {listed(scorers)}; {study.fits_done:,} of {study.planned:,} fits were done.",
            f"The number of edges K was chosen on {evaluation.validation} and frozen; budget of the choice: {budget}. "
            f"Others were matched to {evaluation.match}. Intervals: {evaluation.intervals()}.",
        ]

    # ---- what it says

    def summary(self) -> Summary:
        study = self.answers
        failed = sum(answer.status != Status.OK for answer in study.evaluation.answers)
        complete = f"{study.fits_done:,} of {study.planned:,} fits are done" + (
            f", {failed:,} of them without scores." if failed else "."
        )
        check = Check("complete", None if study.fits_done < study.planned else failed == 0, complete)
        if not study.fits_done:
            return Summary((check,))
        sections = tuple(Section(name, tuple(sentences)) for name, sentences in study.findings.items() if sentences)
        return Summary((check,), sections, tuple(self._open()), summaries.headline_of(study.evaluation))

    def _open(self) -> Iterator[str]:
        """What the study cannot tell: its own notes, how small a p so few graphs allow, and where nobody looked."""
        evaluation = self.answers.evaluation
        yield from self.answers.notes
        for group, pairs in summaries.differences(evaluation).items():
            yield f"{group.capitalize()}: {Reach(evaluation.n_graphs(group), max(len(pairs), 1))}"
        yield "Nothing is known of corruptions, or strengths of them, that were not planned."

    def analyses(self) -> list[AnalysisPart]:
        study = self.answers
        if not study.fits_done:
            return []
        found = [AnalysisPart(name, tuple(sentences)) for name, sentences in study.findings.items() if sentences]
        shown = [
            blocks.table(one.title, [plain_json(row) for row in one.rows], one.caption) for one in self.tables(None)
        ]
        why = study.failures()
        lost = [AnalysisPart("without a result", tuple(why))] if why else []
        return [*found, AnalysisPart("tables", tables=tuple(shown)), *lost]

    # ---- the page

    @cached_property
    def _rows(self) -> dict[CellKey, dict[str, list[Row]]]:
        by_cell: dict[CellKey, dict[str, list[Row]]] = {}
        for row in self.answers.rows():
            cell = by_cell.setdefault((row.item, row.variant, row.respondent), {})
            cell.setdefault(row.measure, []).append(row)
        return by_cell

    def grid(self) -> Grid:
        results, measures = self.results, unique(name for cell in self._rows.values() for name in cell)
        variants = unique(cell.variant for cell in results.cells)
        shown = [shown_measure(name, ("auprc",)) for name in measures]
        grid = Grid(
            "robustness", results.items, results.respondents, [], shown,
            [Facet("variant", "Corruption", variants, variants)], spread="least and most over seeds", repeats="seeds",
        )  # fmt: skip
        for place, key in enumerate(self.cell_keys()):
            values = {name: _spread(rows) for name, rows in self._rows.get(key, {}).items()}
            repeats, statuses = results.cells[place].repeats, results.statuses.get(place, {})
            grid.add(key[0], key[2], (key[1],), repeats, statuses, values)
        return grid

    def cell(self, key: CellKey) -> dict[str, object] | None:
        cell, by_measure = super().cell(key), self._rows.get(key, {})
        if cell is None:
            return None
        measured = [
            {"measure": name, **dict(zip(("mean", "least", "most", "n"), _spread(rows), strict=True))}
            for name, rows in by_measure.items()
        ]
        seen = "oracle_k is chosen with the truth of the graph itself: an oracle."
        shown = blocks.table("Measures", measured, seen)
        return cell | {"blocks": [shown, *cast("list[blocks.Block]", cell["blocks"])[2:]]}


def texts(study: RobustnessStudy) -> dict[str, str]:
    """File below robustness/ -> text, besides the tables."""
    by_file = {"evaluation_report.json": to_json(report(study))}
    parts = {heading: lines for heading, lines in study.findings.items() if lines}
    parts |= {"notes": notes} if (notes := [*study.notes, *study.failures()]) else {}
    by_file["findings.txt"] = "\n\n".join("\n- ".join((heading, *lines)) for heading, lines in parts.items()) + "\n"
    return by_file | {f"{name}.csv": csv_text(frame) for name, frame in frames(study).items() if len(frame)}


def frames(study: RobustnessStudy) -> dict[str, pd.DataFrame]:
    """The long numbers behind the tables, by file name."""
    evaluation = study.evaluation
    return {
        "scores": evaluation.ranking,
        "chosen": evaluation.at_chosen_k,
        "k_chosen": pd.DataFrame(evaluation.k_by_truths),
        "a_sparse": sparse_frame(evaluation),
        "optimism": tables.optimism_frame(evaluation),
        "differences": tables.differences_frame(evaluation),
        "plateaus": summaries.plateaus(evaluation),
        "invariance": invariance(evaluation),
        "disentanglement": disentanglement(evaluation),
        "expected_edges": expected_edges(evaluation, study.expected),
    }


def report(study: RobustnessStudy) -> dict[str, object]:
    """evaluation_report.json."""
    evaluation = study.evaluation
    return {
        "study": study.study,
        "seed": study.seed,
        "fits": {"planned": study.planned, "done": study.fits_done, "failures": study.failures()},
        "level": evaluation.level,
        "validation_corruption": evaluation.validation,
        "test_corruptions": list(evaluation.tests),
        "matched_to": evaluation.match,
        "budget": dict(study.budget),
        "notes": list(study.notes),
        "systems": {
            name: {
                "group": system.group,
                "truth": system.believed,
                "nodes": len(system.truth),
                "rows": system.rows,
                "edges": [str(edge) for edge in system.truth.edges],
                "original_k_range": list(original_range(system.truth.n_edges(), len(system.truth))),
            }
            for name, system in evaluation.systems.items()
        },
        "corruptions": {name: plain_json(vars(variant)) for name, variant in evaluation.corruptions.items()},
        "scorers": {name: dict(card) for name, card in study.scorers.items()},
        "calibration": {
            name: plain_json(vars(found)) for name in evaluation.systems if (found := calibration(evaluation, name))
        },
        "main": plain_records(frozen_means(evaluation)),
        "sensitivity_curves": plain_json(curve_lists(evaluation)),
        "auprc": plain_records(summaries.means(evaluation)),
        "auroc": plain_records(summaries.means(evaluation, "auroc")),
        "edges_kept": plain_records(summaries.chosen_means(evaluation)),
        "k_by_truths": evaluation.k_by_truths,
        "optimism_of_oracle_k": [
            {"group": group, "scorer": scorer, "on_validation": where} | gap.row() | {"sentence": gap.sentence()}
            for (where, group, scorer), gap in summaries.optimism(evaluation).items()
        ],
        "differences": {
            group: [pair.row() | {"sentence": pair.sentence()} for pair in pairs]
            for group, pairs in summaries.differences(evaluation).items()
        },
        "robustness_of_k": plain_records(summaries.plateaus(evaluation)),
        "invariance": plain_records(invariance(evaluation)),
        "disentanglement": plain_records(disentanglement(evaluation)),
        "expected_edges": plain_records(expected_edges(evaluation, study.expected)),
        "findings": study.findings,
    }


def _spread(rows: list[Row]) -> tuple[float | None, float | None, float | None, int]:
    there = [row.value for row in rows if row.value is not None]
    return (sum(there) / len(there), min(there), max(there), len(there)) if there else (None, None, None, 0)
