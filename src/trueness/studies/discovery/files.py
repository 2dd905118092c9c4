"""The charts of a discovery study, all of which can be drawn again from its store.

    plots/measured          range of runs and CI of the mean, one row a data set and learner, one panel a measure
    plots/runtime           seconds a fit
    plots/ranks_learners    mean ranks of the learners by F1, where there are two learners and two data sets
    plots/dag_{dataset}     the true graph, and what each learner found in most runs
    plots/results_summary   the table of it, .csv .tex .md (a forecast study writes its own, with coverage)
    statistics/edges.csv    of data sets without a known graph: how often each learner found each edge
    statistics/interpretation.txt  statistical_tests.csv      what was found, in sentences and tests (again, alone)

each chart as .png .svg .pdf, its numbers as .csv. Below forecasts: runtime and ranks_learners alone.
variance/ and scores.csv are outputs.py's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pandas as pd

from trueness.datasets import load_stored
from trueness.errors import TruenessError
from trueness.files import write_atomically
from trueness.graphs import Graph
from trueness.running.cells import Cell
from trueness.running.provenance import plan_folder_of
from trueness.running.results import Results
from trueness.showing.methods_paragraph import section
from trueness.showing.saving import Figure, Save, csv_text, safe_name, save_figure
from trueness.studies.discovery import charts
from trueness.studies.discovery.edges import FoundEdge, found_edges
from trueness.studies.discovery.findings import completeness_sentences
from trueness.studies.discovery.tables import measured_table
from trueness.studies.run_findings import findings_of

MOST_NODES = 60  # a larger graph cannot be read on a page; the page of the study draws it
MOST_DAGS = 12
MOST_CELLS = 2_000  # of which a chart can show anything


def write_discovery_tree(folder: Path, results: Results, alone: bool = True, save: Save = save_figure) -> list[Path]:
    """Write all of it below `folder`; what was written.

    alone: no forecasts rest on it, whose charts show what was measured beside what was claimed.
    """
    drawn = plots(results, plan_folder_of(folder)) if alone else about_learners(results)
    written = [path for figure in drawn for path in save(figure, folder, "plots")]
    if alone:
        table = measured_table(results, results.headline)
        for suffix, text in (("csv", table.to_csv()), ("tex", table.to_latex()), ("md", table.to_markdown())):
            written.append(write_atomically(folder, f"plots/results_summary.{suffix}", text))
        edges = pd.DataFrame(found_edges(results), columns=FoundEdge._fields)
        if len(edges):
            written.append(write_atomically(folder, "statistics/edges.csv", csv_text(edges)))
        for name, text in _statistics(results).items():
            written.append(write_atomically(folder, f"statistics/{name}", text))
    return written


def _statistics(results: Results) -> dict[str, str]:
    findings = findings_of(results)
    checks = completeness_sentences(results)
    if len(results.cells) > MOST_CELLS:
        checks.append(f"No chart has room for {len(results.cells):,} cells: plots/results_summary.csv has them all.")
    sections = {"Validation": checks} | dict(findings.sections)
    parts = [f"Study {results.study}: what was found", *(section(title, lines) for title, lines in sections.items())]
    parts.append(section("What this design cannot tell", findings.untold))
    tests = pd.DataFrame([pair.row() for pair in findings.pairs])
    return {"interpretation.txt": "\n\n".join(parts) + "\n", "statistical_tests.csv": csv_text(tests)}


def plots(results: Results, base: Path = Path()) -> Iterator[Figure]:
    """No runs, or more cells than can be seen: no figures. base: where the plan's own relative paths start."""
    if not results.has_runs or len(results.cells) > MOST_CELLS:
        return
    yield charts.measured(results)
    yield from about_learners(results)
    for dataset, truth in islice(truths(results, base), MOST_DAGS):
        if len(truth) <= MOST_NODES:
            figure = charts.dag(results, dataset, truth)  # a data set may be a path
            yield Figure(safe_name("dag", dataset), figure.frame, figure.chart, figure.caption)


def about_learners(results: Results) -> Iterator[Figure]:
    """How fast they are, and how they rank."""
    if not results.has_runs or len(results.cells) > MOST_CELLS:
        return
    yield charts.runtime(results)
    if "f1" in results.measures and _can_be_ranked(results):
        yield charts.ranks_of_learners(results)


def truths(results: Results, base: Path) -> Iterator[tuple[str, Graph]]:
    """Data sets with their true graphs, loaded as the plan named them; one whose file is gone since is left out."""
    first: dict[str, Cell] = {}
    for cell in results.cells:
        first.setdefault(cell.item, cell)
    for item, cell in first.items():
        data = cell.identity.get("data")
        if not isinstance(data, dict) or "dataset" not in data:
            continue
        try:
            truth = load_stored(data["dataset"], data.get("settings"), base).truth
        except (TruenessError, OSError):
            continue
        yield item, truth


def _can_be_ranked(results: Results) -> bool:
    """Two learners with F1 on the same two data sets, at the least."""
    scored: dict[str, set[str]] = {}
    for cell in results.summaries:
        if cell.measures["f1"].mean is not None:
            scored.setdefault(cell.respondent, set()).add(cell.item)
    half = len({cell.item for cell in results.summaries}) / 2
    ranked = [items for items in scored.values() if len(items) > half]
    return len(ranked) > 1 and len(set.intersection(*ranked)) > 1
