"""The files of a forecast study, all of which can be written again from its tables.

    llm_comparisons/{dataset}_{algorithm}_llm_comparison.json   every claim beside what was measured
    evaluation/main_results.csv  detailed_results.json  coverage_by_{model,algorithm,dataset,metric,formulation}.csv
    statistics/statistical_tests.csv  interpretation.txt        validation on top, then hypotheses and findings
    plots/{intervals,runs}_{measure}, heatmap_*, calibration
                                                                 as .png .svg .pdf, their numbers as .csv
    plots/results_summary.csv  .tex  {algorithm}_summary_table.csv     what the learners did, all and each alone

The same tables give the same bytes. variance/ is written with the discovery runs (outputs.py), paper/ by the paper.

A claim that could not be read is in llm_comparisons/, with null for its numbers and its status. Against the CI of the
mean (`vs_mean_ci`, the original's) and against the range of runs (`vs_runs`):

    overlaps         the two have a point in common
    ci_contains      the measured interval holds the whole claim
    range_contains   the claim holds the whole measured interval
    iou, fraction    |both| / |either|,  |both| / |measured|
    calibration      (width of the claim - measured width) / measured width; null where the latter is 0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from trueness.outside import Json
from trueness.showing.saving import Figure, csv_text, plain, plain_records, plain_rows, safe_name
from trueness.statistics.runs import expected_content
from trueness.studies.forecast import tables
from trueness.studies.forecast.findings import Findings, interpretation
from trueness.studies.forecast.frames import ARMS, Forecasts, Truth
from trueness.texts import printable_json

_VERSUS = {
    "overlaps": "overlaps", "ci_contains": "inside", "range_contains": "covers", "iou": "iou",
    "fraction": "fraction", "calibration": "calibration", "class": "class", "log_width_ratio": "log_width_ratio",
}  # fmt: skip
_TRUTHS = ("mean_ci", "runs")
_CLAIM = ("respondent", "measure", *ARMS, "repeat", "level", "low", "high", "median", "status", "flags")
_SCORES = (
    "covers_mean", "coverage_runs", "width", "interval_score", "interval_score_scaled", "bias",
)  # fmt: skip


def texts(findings: Findings) -> dict[str, str]:
    """File -> text, of all that is neither drawn nor typeset."""
    forecasts = findings.forecasts
    files = {f"llm_comparisons/{name}": text for name, text in comparison_texts(forecasts).items()}
    files["evaluation/main_results.csv"] = csv_text(pd.DataFrame(findings.rows))
    files["evaluation/detailed_results.json"] = _detailed(findings)
    for factor in tables.FACTORS:
        files[f"evaluation/coverage_by_{factor}.csv"] = csv_text(tables.coverage_by(forecasts, factor))
    files["statistics/statistical_tests.csv"] = csv_text(findings.tests)
    files["statistics/interpretation.txt"] = interpretation(findings)
    measured = tables.measured_table(forecasts)
    files["plots/results_summary.csv"] = measured.to_csv()
    files["plots/results_summary.tex"] = measured.to_latex()
    for learner, part in measured.frame().groupby("learner", sort=False):
        files[f"plots/{safe_name(str(learner))}_summary_table.csv"] = csv_text(part)
    return files


def plots(forecasts: Forecasts) -> Iterator[Figure]:
    """All respondents; one figure at a time, so that a large study does not hold them all. No claims: no figures."""
    if forecasts.scores.empty:
        return
    from trueness.studies.forecast import charts

    for measure in forecasts.measures:
        yield charts.intervals(forecasts, measure)
    for measure in forecasts.measures:
        yield charts.runs(forecasts, measure)
    yield charts.heatmap(forecasts, "overlaps_mean_ci")
    yield charts.heatmap(forecasts, "overlaps_runs")
    yield charts.heatmap(forecasts, "covers_mean", ("respondent", "dataset"))
    yield charts.calibration(forecasts)


def _detailed(findings: Findings) -> str:
    """detailed_results.json: the checks, a row a respondent, what each analysis found, and one line a respondent, cell,
    measure and formulation, its repeats averaged."""
    forecasts, checks = findings.forecasts, findings.validation
    head = {
        "study": forecasts.study,
        "seed": forecasts.seed,
        "level": forecasts.level,
        "valid": checks.is_valid,
        "validation": checks.rows(),
        "completeness": plain_rows(checks.completeness),
        "arm": forecasts.main_arm,
        "respondents": findings.rows,
        "analyses": {
            a.name: {"told": a.possible, "sentences": list(a.sentences), "rows": plain_rows(a.table)}
            for a in findings.analyses()
            if a.name != "validation"
        },
    }
    columns = [*_SCORES, *(f"{score}_{truth}" for truth in _TRUTHS for score in ("overlaps", "iou", "calibration"))]
    grouped = forecasts.headline.groupby(["respondent", "dataset", "learner", "measure", "formulation"])
    counts = grouped.agg(
        asked=("answered", "size"), answered=("answered", "sum"), low=("low", "median"), high=("high", "median"),
        measured_mean=("truth_mean", "first"),
    )  # fmt: skip
    return _with_lines(head, "cells", plain_records(grouped[columns].mean().join(counts).reset_index()))


# ---- llm_comparisons/


def comparison_names(forecasts: Forecasts) -> dict[tuple[str, str], str]:
    """(data set, learner) -> {dataset}_{algorithm}_llm_comparison.json; two that would share a name are numbered."""
    names: dict[tuple[str, str], str] = {}
    for item in sorted(forecasts.items):
        name, k = safe_name(*item), 2
        while f"{name}_llm_comparison.json" in names.values():
            name, k = f"{safe_name(*item)}-{k}", k + 1
        names[item] = f"{name}_llm_comparison.json"
    return names


def comparison_texts(forecasts: Forecasts) -> dict[str, str]:
    """File name -> JSON text, one line a claim."""
    keys = ["dataset", "learner", "measure", *ARMS, "respondent", "repeat", "level"]
    flags = forecasts.claims.drop_duplicates(keys)[[*keys, "flags"]]
    scores = forecasts.scores.drop(columns="flags", errors="ignore").merge(flags, how="left", on=keys)
    scores = scores.sort_values(["respondent", *ARMS, "repeat", "measure", "level"], kind="stable")
    parts = {(str(d), str(a)): part for (d, a), part in scores.groupby(["dataset", "learner"])}
    names = comparison_names(forecasts)
    return {name: _comparison(forecasts, item, parts.get(item, scores.iloc[:0])) for item, name in names.items()}


def _comparison(forecasts: Forecasts, item: tuple[str, str], part: pd.DataFrame) -> str:
    dataset, learner = item
    truths = {measure: forecasts.truths.get((dataset, learner, measure)) for measure in forecasts.measures}
    head = {
        "study": forecasts.study,
        "dataset": dataset,
        "algorithm": learner,
        "level": forecasts.level,
        "about": plain(dict(forecasts.datasets.get(dataset, {}))),
        "respondents": sorted(part["respondent"].unique()),
        "measured": {measure: _truth_record(truth) for measure, truth in truths.items()},
    }
    return _with_lines(head, "claims", [_claim(row) for row in plain_records(part)])


def _truth_record(truth: Truth | None) -> dict[str, object] | None:
    if truth is None:
        return None
    ci, runs = truth.mean_ci, truth.run_range
    return {
        "n_runs": truth.planned, "n_ok": len(truth.runs), "mean": plain(truth.mean),
        "ci_lower": ci.low if ci else None, "ci_upper": ci.high if ci else None,
        "run_lower": runs.low if runs else None, "run_upper": runs.high if runs else None,
        "run_content": expected_content(len(truth.runs), runs.level) if runs else None,
        "status": "degenerate" if truth.degenerate else "ok" if len(truth.runs) else "failed",
        "resolution": truth.resolution, "upper": truth.upper,
    }  # fmt: skip


def _claim(row: dict[str, Json]) -> dict[str, Json]:
    versus = {f"vs_{truth}": {name: row[f"{score}_{truth}"] for name, score in _VERSUS.items()} for truth in _TRUTHS}
    return {name: row[name] for name in (*_CLAIM, *_SCORES)} | versus


def _with_lines(head: Mapping[str, Json], name: str, rows: list[dict[str, Json]]) -> str:
    """JSON with the head indented and one line a row: it can be read, compared and written fast."""
    top = printable_json(plain(head), indent=2, allow_nan=False).removesuffix("\n}")
    body = ",\n".join("    " + printable_json(row, allow_nan=False) for row in rows)
    return f'{top},\n  "{name}": [\n{body}\n  ]\n}}\n' if rows else f'{top},\n  "{name}": []\n}}\n'
