"""What the paper and the PDF say of a robustness study: methods, sentences, tables, and the figures drawn already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trueness.showing.drawn import read_pictures
from trueness.showing.methods_paragraph import listed, settings_text
from trueness.showing.paper import Part
from trueness.studies.robustness import tables as robustness_tables
from trueness.studies.robustness.answers import RobustnessStudy
from trueness.studies.robustness.calibration import main_table
from trueness.studies.robustness.summaries import headline_of
from trueness.texts import counted


def methods(study: RobustnessStudy) -> list[str]:
    evaluation = study.evaluation
    systems = [
        f"{name} ({counted(len(s.truth), 'node')}, {counted(s.truth.n_edges(), 'edge')})"
        for name, s in evaluation.systems.items()
    ]
    corruptions = [
        f"{name} ({', '.join(variant.steps) or 'nothing is done'})" for name, variant in evaluation.corruptions.items()
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


def part(folder: Path, study: RobustnessStudy) -> Part:
    evaluation = study.evaluation
    abstract = (
        f"We scored the edges of {counted(len(evaluation.systems), 'system')} with "
        f"{counted(len(study.scorers), 'scorer')} under {counted(len(evaluation.corruptions), 'corruption')}."
    )
    checks = [f"{study.fits_done:,} of {study.planned:,} fits were done.", *study.failures()]
    if not study.fits_done:
        return Part("robustness", abstract, checks, methods(study))
    headline = headline_of(evaluation)
    abstract += f" {headline.sentence}" if headline else ""
    made = (robustness_tables.ranking_table, robustness_tables.choice_table, robustness_tables.around_table)
    tables = [make(study) for make in (*made, robustness_tables.optimism_table)]
    tables = [table for table in (*tables, main_table(evaluation)) if table.rows]
    sections: list[tuple[str, Sequence[str]]] = [
        (heading.capitalize(), lines) for heading, lines in study.findings.items() if lines
    ]
    sections.append(("What this design cannot tell", robustness_tables.open_sentences(study)))
    pictures = read_pictures(folder, "robustness", "sensitivity_curve_*", "degradation", "k_lambda_*")
    return Part("robustness", abstract, checks, methods(study), sections, tables, pictures)
