"""What the paper and the PDF say of each kind of study: methods, sentences, tables, and the figures drawn already."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from html import unescape
from pathlib import Path

from assay.files import names_in, read_bytes, read_text
from assay.running.results import Results
from assay.showing import methods
from assay.showing.drawing import NotDrawn, Pictures, pictures
from assay.showing.paper import Part, Picture
from assay.showing.rendering import Source
from assay.showing.saving import source_of
from assay.status import Status
from assay.studies.discovery.findings import completeness_sentences, findings_of
from assay.studies.discovery.tables import measured_table
from assay.studies.faithfulness import tables as faithfulness_tables
from assay.studies.faithfulness.answers import FaithfulnessStudy
from assay.studies.forecast import selection
from assay.studies.forecast.files import figures_of_paper, tables_of_paper
from assay.studies.forecast.findings import Findings
from assay.studies.forecast.frames import Forecasts
from assay.studies.forecast.interpretation import untold, validation_of
from assay.studies.population import findings as population_findings
from assay.studies.population import tables as population_tables
from assay.studies.population.answers import Populations
from assay.studies.robustness import tables as robustness_tables
from assay.studies.robustness.answers import RobustnessStudy

Draw = Callable[[Source, Sequence[str]], Pictures]  # drawing.pictures, or that of a Press

MOST_FIGURES = 12  # of one part; the others are a click away
_CAPTION = re.compile(r"<desc>([^<]*)</desc>")
_SAFE = re.compile(r"[A-Za-z0-9_.-]+")


def discovery_part(folder: Path, results: Results) -> Part:
    counts = results.completeness()
    planned, done = (sum(row[key] for row in counts) for key in ("planned", "ok"))
    learners = {cell.respondent for cell in results.cells}
    datasets = {cell.item for cell in results.cells}
    abstract = (
        f"We fitted {len(learners)} learners to {len(datasets)} data sets whose graph is known or believed: "
        f"{done:,} of {planned:,} runs gave a graph."
    )
    tables = [measured_table(results, results.headline)] if results.runs else []
    checks = completeness_sentences(results)
    said: list[tuple[str, Sequence[str]]] = []
    if results.runs:
        found = findings_of(results)
        said = [*found.sections, ("What this design cannot tell", found.untold)]
    pictures = drawn(folder, "plots", "measured", "ranks_learners", "runtime", "dag_*")
    return Part("discovery", abstract, checks, methods.of_discovery(results), said, tables, pictures)


def forecast_part(folder: Path, forecasts: Forecasts, findings: Findings | None, draw: Draw = pictures) -> Part:
    """Its figures are drawn anew where all respondents would not fit a page."""
    models = [name for name in selection.respondents(forecasts) if name not in forecasts.references]
    scores = selection.headline(forecasts)
    asked = scores[~scores["respondent"].isin(forecasts.references)]
    read = int(selection.answered(asked).sum())
    abstract = (
        f"We compare {read} readable of {len(asked)} claimed ranges by {len(models)} models with what "
        f"{len(selection.learners(forecasts))} learners did on {len(selection.datasets(forecasts))} data sets."
    )
    checks = validation_of(forecasts, findings).sentences
    said: list[tuple[str, Sequence[str]]] = []
    if findings is not None:
        said.append(("Hypotheses", findings.hypotheses.sentences))
        said.append(("What this design cannot tell", untold(findings)))
    shown: list[Picture] = []
    for figure in figures_of_paper(forecasts):
        if isinstance(figure, str):
            shown += drawn(folder, "plots", figure)
        else:
            with suppress(NotDrawn):
                found = draw(source_of(figure.chart), ("svg", "pdf"))
                shown.append(Picture(figure.name, figure.caption, found["svg"].decode(), found["pdf"]))
    tables = tables_of_paper(forecasts, findings)
    return Part("forecast", abstract, checks, methods.of_forecast(forecasts), said, tables, shown)


def population_part(folder: Path, populations: Populations) -> Part:
    abstract = (
        f"We asked {len(populations.models)} models {len(populations.truths)} questions about populations and compared "
        "their answers with weighted microdata."
    )
    tables = [population_tables.main_table(populations), population_tables.task_table(populations)]
    asked = [score for score in populations.scores if score.respondent not in populations.references]
    answered = sum(score.status == Status.OK for score in asked)
    checks = [f"{answered} of {len(asked)} tasks and modes have answers."]
    said = [
        *population_findings.sections(populations),
        ("What this design cannot tell", population_findings.untold(populations)),
    ]
    pictures = drawn(folder, "plots", "population_*")
    return Part("population", abstract, checks, methods.of_population(populations), said, tables, pictures)


def faithfulness_part(folder: Path, study: FaithfulnessStudy) -> Part:
    abstract = f"We measure how faithfully {len(study.right)} causal graphs explain the answers they were written for."
    tables = [table for table in faithfulness_tables.all_tables(study) if table.rows]
    read = sum(judgement.verdict.status == "ok" for judgement in study.judgements)
    asked = f"{read:,} of {len(study.judgements):,} judgements were read" if study.judgements else "no judge was asked"
    checks = [f"{len(study.evaluations)} graphs were scored; {asked}."]
    told, untold_ones = faithfulness_tables.told_and_open(study)
    said = [("What was found", told), ("What this design cannot tell", untold_ones)]
    pictures = drawn(folder, "plots", "probes")
    return Part("faithfulness", abstract, checks, methods.of_faithfulness(study), said, tables, pictures)


def robustness_part(folder: Path, study: RobustnessStudy) -> Part:
    evaluation = study.evaluation
    abstract = (
        f"We scored the edges of {len(evaluation.systems)} systems with {len(study.scorers)} scorers under "
        f"{len(evaluation.corruptions)} corruptions."
    )
    checks = [f"{study.done:,} of {study.planned:,} fits were done.", *study.failures()]
    if not study.done:
        return Part("robustness", abstract, checks, methods.of_robustness(study))
    makers = (robustness_tables.ranking_table, robustness_tables.choice_table, robustness_tables.optimism_table)
    tables = [table for make in makers if (table := make(study)).rows]
    said: list[tuple[str, Sequence[str]]] = [
        (heading.capitalize(), lines) for heading, lines in study.findings.items() if lines
    ]
    said.append(("What this design cannot tell", robustness_tables.open_sentences(study)))
    pictures = drawn(folder, "robustness", "sensitivity_curve_*", "degradation", "k_lambda_*")
    return Part("robustness", abstract, checks, methods.of_robustness(study), said, tables, pictures)


def drawn(folder: Path, inner: str, *patterns: str) -> list[Picture]:
    """The figures of folder/inner with the captions that their SVGs carry; TeX takes plain file names only."""
    there = names_in(folder, inner)
    drawings = [name.removesuffix(".svg") for pattern in patterns for name in fnmatch.filter(there, f"{pattern}.svg")]
    found = []
    for name in [name for name in drawings if f"{name}.pdf" in there and _SAFE.fullmatch(name)][:MOST_FIGURES]:
        svg, pdf = read_text(folder, f"{inner}/{name}.svg"), read_bytes(folder, f"{inner}/{name}.pdf")
        caption = _CAPTION.search(svg)
        found.append(Picture(name, unescape(caption[1]) if caption else name, svg, pdf))
    return found
