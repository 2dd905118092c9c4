"""What the paper and the PDF say of a population study: methods, sentences, tables, and the figures drawn already."""

from __future__ import annotations

from pathlib import Path

from trueness.showing.drawn import read_pictures
from trueness.showing.methods_paragraph import listed
from trueness.showing.paper import Part
from trueness.studies.population import findings as population_findings
from trueness.studies.population import tables as population_tables
from trueness.studies.population.answers import Populations
from trueness.studies.population.numeric_outcomes import numbers_tables
from trueness.texts import counted


def methods(populations: Populations) -> list[str]:
    questions = [
        f"{name} ({truth.question.source}; {counted(len(truth.levels), 'level')}, "
        f"{counted(len(truth.conditions), 'condition')})"
        for name, truth in populations.truths.items()
    ]
    modes = dict.fromkeys(key.mode for key in populations.answers if key.respondent in populations.models)
    manner = "; ".join(f"{key} {value}" for key, value in vars(populations.manner).items())
    return [
        f"Questions: {listed(questions)}.",
        f"We asked {counted(len(populations.models), 'model')} ({listed(populations.models)}), by {listed(modes)}; "
        f"settings: {manner}. References: {listed(populations.references) or 'none'}.",
        "A model that could not be asked in the planned way was asked in another, which is said beside the tables. An "
        "answer that could not be read is missing.",
    ]


def part(folder: Path, populations: Populations) -> Part:
    abstract = (
        f"We asked {counted(len(populations.models), 'model')} {counted(len(populations.truths), 'question')} about "
        "populations and compared their answers with weighted microdata."
    )
    headline = population_findings.headline_of(populations)
    abstract += f" {headline.sentence}" if headline else ""
    tables = [population_tables.main_table(populations), population_tables.task_table(populations)]
    tables += numbers_tables(populations)
    checks = [populations.completeness()[1]]
    sections = [
        *population_findings.sections(populations),
        ("What this design cannot tell", population_findings.untold(populations)),
    ]
    pictures = read_pictures(folder, "plots", "population_*")
    return Part("population", abstract, checks, methods(populations), sections, tables, pictures)
