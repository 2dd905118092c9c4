"""What the paper and the PDF say of a discovery study: methods, sentences, tables, and the figures drawn already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trueness.running.results import Results
from trueness.showing import theme
from trueness.showing.drawn import read_pictures
from trueness.showing.methods_paragraph import listed, percent, settings_text, spread
from trueness.showing.paper import Part
from trueness.statistics.runs import range_note
from trueness.studies.discovery.findings import completeness_sentences
from trueness.studies.discovery.tables import measured_table
from trueness.studies.run_findings import findings_of
from trueness.texts import counted

_IN_WORDS = {"redraw": "a fresh sample", "bootstrap": "rows drawn with replacement from one sample"}
_IN_WORDS |= {"permute": "the columns of one sample in another order", "seed": "the learner's own random numbers"}


def methods(results: Results) -> list[str]:
    """Learners with every setting that is not the same in all of its cells left to provenance.json."""
    data = {
        cell.item: f"{cell.item} ({about['rows']} rows, truth {about['truth']}; each run "
        f"{_IN_WORDS.get(about['vary'], about['vary'])})"
        for cell, about in zip(results.cells, results.abouts, strict=True)
    }
    learners = {
        cell.respondent: f"{cell.respondent} ({about['returns']}{settings_text(cell.identity.get('settings'))})"
        for cell, about in zip(results.cells, results.abouts, strict=True)
    }
    runs = sorted({cell.repeats for cell in results.cells})
    return [
        f"Data: {listed(data.values())}.",
        f"Learners and what they return: {listed(learners.values())}.",
        f"Each learner was fitted {spread(runs)} time{'s' if runs != [1] else ''} to each data set; run k of a data "
        "set is the same table for every learner. A run that failed or timed out is missing, with its status.",
        f"Measures: {listed(theme.measure_label(name) for name in results.headline)}, against the truth of the "
        f"learner's own class; intervals: {percent(results.level)} bootstrap intervals of the mean, and the "
        f"{percent(results.level)} range of single runs. {range_note(runs, results.level)}".rstrip(),
    ]


def part(folder: Path, results: Results) -> Part:
    counts = results.completeness()
    planned, done = (sum(row[key] for row in counts) for key in ("planned", "ok"))
    learners = {cell.respondent for cell in results.cells}
    datasets = {cell.item for cell in results.cells}
    abstract = (
        f"We fitted {counted(len(learners), 'learner')} to {counted(len(datasets), 'data set')} whose graph is known "
        f"or believed: {done:,} of {planned:,} runs gave a graph."
    )
    tables = [measured_table(results, results.headline)] if results.has_runs else []
    checks = completeness_sentences(results)
    sections: list[tuple[str, Sequence[str]]] = []
    if results.has_runs:
        findings = findings_of(results)
        abstract += f" {findings.headline.sentence}" if findings.headline else ""
        sections = [*findings.sections, ("What this design cannot tell", findings.untold)]
    pictures = read_pictures(folder, "plots", "measured", "ranks_learners", "runtime", "dag_*")
    return Part("discovery", abstract, checks, methods(results), sections, tables, pictures)
