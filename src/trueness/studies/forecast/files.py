"""The files of a forecast study, all of which can be written again from its tables.

    llm_comparisons/{dataset}_{algorithm}_llm_comparison.json   every claim beside what was measured
    evaluation/main_results.csv  detailed_results.json  coverage_by_{model,algorithm,dataset,metric,formulation}.csv
    statistics/statistical_tests.csv  interpretation.txt        validation on top, then hypotheses and findings
    plots/{intervals,runs}_{measure}, heatmap_*, calibration, differences, ranks, consistency
                                                                 as .png .svg .pdf, their numbers as .csv
    plots/results_summary.csv  .tex  {algorithm}_summary_table.csv     what the learners did, all and each alone

The same tables give the same bytes. variance/ is written with the discovery runs (outputs.py), paper/ by paper.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

from trueness.files import write_atomically
from trueness.outside import Json
from trueness.showing.saving import Figure, Save, csv_text, plain_rows, safe_name, save_figure
from trueness.showing.tables import Table
from trueness.studies.forecast import charts, selection
from trueness.studies.forecast import llm_comparisons as comparisons
from trueness.studies.forecast import tables as forecast_tables
from trueness.studies.forecast.coverage import FACTORS, coverage_by
from trueness.studies.forecast.findings import Findings
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.interpretation import interpretation, tests_frame, validation_of
from trueness.studies.forecast.summary import rows

SHOWN_IN_PAPER = 6  # respondents that a page has room for


def write_forecast_tree(
    folder: Path, forecasts: Forecasts, findings: Callable[[], Findings | None], save: Save = save_figure
) -> list[Path]:
    """Write all of it below `folder`; what was written. Without findings: the tables, the charts and the checks.

    Charts come first: other processes draw them while the findings are made.
    """
    written = [path for figure in plots(forecasts) for path in save(figure, folder, "plots")]
    for name, text in texts(forecasts, findings()).items():
        written.append(write_atomically(folder, name, text))
    return written


def texts(forecasts: Forecasts, findings: Findings | None) -> dict[str, str]:
    """File -> text, of all that is neither drawn nor typeset."""
    files = {f"llm_comparisons/{name}": text for name, text in comparisons.comparison_texts(forecasts).items()}
    table = rows(forecasts)
    files["evaluation/main_results.csv"] = csv_text(pd.DataFrame(table))
    files["evaluation/detailed_results.json"] = detailed_json(forecasts, findings, table)
    for factor in FACTORS:
        files[f"evaluation/coverage_by_{factor}.csv"] = csv_text(coverage_by(forecasts, factor))
    files["statistics/statistical_tests.csv"] = csv_text(tests_frame(findings))
    files["statistics/interpretation.txt"] = interpretation(forecasts, findings)
    summary = forecast_tables.measured_table(forecasts)
    files["plots/results_summary.csv"] = summary.to_csv()
    files["plots/results_summary.tex"] = summary.to_latex()
    for learner, part in summary.frame().groupby("learner", sort=False):
        files[f"plots/{safe_name(str(learner))}_summary_table.csv"] = csv_text(part)
    return files


def detailed_json(forecasts: Forecasts, findings: Findings | None, table: list[dict[str, Json]]) -> str:
    """detailed_results.json: the checks, a row a respondent, what each analysis found, a line a cell."""
    checks = validation_of(forecasts, findings)
    analyses = [] if findings is None else [a for a in findings.analyses() if a.name != "validation"]
    head = {
        "study": forecasts.study,
        "seed": forecasts.seed,
        "level": forecasts.level,
        "valid": checks.is_valid,
        "validation": [{"check": c.name, "passed": c.passed, "sentence": c.sentence} for c in checks.checks],
        "completeness": plain_rows(checks.completeness),
        "arm": selection.main_arm(forecasts),
        "respondents": table,
        "analyses": {
            a.name: {"told": a.possible, "sentences": list(a.sentences), "rows": plain_rows(a.table)} for a in analyses
        },
    }
    return comparisons.detailed_text(forecasts, head)


def plots(forecasts: Forecasts) -> Iterator[Figure]:
    """All respondents; one figure at a time, so that a large study does not hold them all. No claims: no figures."""
    if forecasts.scores.empty:
        return
    measures = selection.measures(forecasts)
    for measure in measures:
        yield charts.intervals(forecasts, measure)
    for measure in measures:
        yield charts.runs(forecasts, measure)
    yield charts.heatmap(forecasts, "overlaps_mean_ci")
    yield charts.heatmap(forecasts, "overlaps_runs")
    yield charts.heatmap(forecasts, "covers_mean", rows="respondent", columns="dataset", panels=None)
    yield charts.calibration(forecasts)
    if _comparable(forecasts):
        yield charts.differences(forecasts)
    ranked = charts.ranks_of_respondents(forecasts)
    if len(ranked.frame):
        yield ranked
    consistency = charts.consistency(forecasts)
    if len(consistency.frame):
        yield consistency


def figures_of_paper(forecasts: Forecasts) -> Iterator[Figure | str]:
    """Those that fit a page: the names of figures that `plots` has; others anew, of the best respondents alone."""
    if forecasts.scores.empty:
        return
    measures, respondents = selection.measures(forecasts), len(selection.respondents(forecasts))
    main = next((name for name in ("f1", *measures) if name in measures), None)
    if main is not None:
        best = selection.best(forecasts, SHOWN_IN_PAPER)
        yield f"intervals_{main}" if respondents <= len(best) else charts.intervals(forecasts, main, best)
        yield f"runs_{main}"
    best = selection.best(forecasts, 2 * SHOWN_IN_PAPER)
    yield "calibration" if respondents <= len(best) else charts.calibration(forecasts, best)
    yield "heatmap_covers_mean_respondent_dataset"
    if _comparable(forecasts):
        yield "differences"


def _comparable(forecasts: Forecasts) -> bool:
    """There is a reference, and somebody else to compare with it."""
    return len(forecasts.references) > 0 and len(selection.respondents(forecasts)) > 1


def tables_of_paper(forecasts: Forecasts, findings: Findings | None) -> list[Table]:
    tables = [
        forecast_tables.main_results(forecasts),
        forecast_tables.by_formulation(forecasts),
        forecast_tables.measured_table(forecasts),
    ]
    if findings is not None:
        tables += [forecast_tables.hypotheses(findings), forecast_tables.tests(findings)]
    return tables
