"""llm_comparisons/ and evaluation/detailed_results.json: every claim beside what was measured, as JSON.

A claim that could not be read is there, with null for its numbers and its status. Against the CI of the mean
(`vs_mean_ci`, the original's) and against the range of runs (`vs_runs`):

    overlaps         the two have a point in common
    ci_contains      the measured interval holds the whole claim
    range_contains   the claim holds the whole measured interval
    iou, fraction    |both| / |either|,  |both| / |measured|
    calibration      (width of the claim - measured width) / measured width; null where the latter is 0
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from trueness.outside import Json
from trueness.showing.saving import plain, plain_columns, plain_records, safe_name
from trueness.statistics.runs import expected_content
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import ARMS, Forecasts, Truth
from trueness.texts import printable_json

_VERSUS = {
    "overlaps": "overlaps", "ci_contains": "inside", "range_contains": "covers", "iou": "iou",
    "fraction": "fraction", "calibration": "calibration", "class": "class", "log_width_ratio": "log_width_ratio",
}  # fmt: skip
_CLAIM = ("respondent", "measure", *ARMS, "repeat", "level", "low", "high", "median", "status", "flags")
_SCORES = (
    "covers_mean", "coverage_runs", "width", "interval_score", "interval_score_scaled", "bias", "wis", "crps", "pit",
)  # fmt: skip


def comparison_names(forecasts: Forecasts) -> dict[tuple[str, str], str]:
    """(data set, learner) -> {dataset}_{algorithm}_llm_comparison.json; two that would share a name are numbered."""
    names: dict[tuple[str, str], str] = {}
    for item in sorted(selection.items(forecasts)):
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


def detailed_text(forecasts: Forecasts, head: Mapping[str, Json]) -> str:
    """One line a respondent, cell, measure and formulation, its repeats averaged; `head` stands on top."""
    scores = selection.headline(forecasts)
    keys = ["respondent", "dataset", "learner", "measure", "formulation"]
    columns = [name for name in _SCORES if name in scores and name not in ("wis", "crps", "pit")]
    columns += [f"{score}_{truth}" for truth in ("mean_ci", "runs") for score in ("overlaps", "iou", "calibration")]
    grouped = scores.assign(answered=selection.is_answered(scores)).groupby(keys)
    cells = (
        grouped[columns]
        .mean()
        .join(
            grouped.agg(
                asked=("answered", "size"), answered=("answered", "sum"), low=("low", "median"), high=("high", "median")
            )
        )
    )
    means = {key: truth.mean for key, truth in forecasts.truths.items()}
    cells = cells.reset_index()
    cells["measured_mean"] = [
        means.get(key) for key in zip(cells["dataset"], cells["learner"], cells["measure"], strict=True)
    ]
    return _lines(head, "cells", plain_records(cells))


def _comparison(forecasts: Forecasts, item: tuple[str, str], part: pd.DataFrame) -> str:
    dataset, learner = item
    truths = {measure: forecasts.truths.get((dataset, learner, measure)) for measure in selection.measures(forecasts)}
    head = {
        "study": forecasts.study,
        "dataset": dataset,
        "algorithm": learner,
        "level": forecasts.level,
        "about": plain(dict(forecasts.datasets.get(dataset, {}))),
        "respondents": sorted(part["respondent"].unique()),
        "measured": {measure: _truth_record(truth) for measure, truth in truths.items()},
    }
    return _lines(head, "claims", _claims(part))


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


def _claims(part: pd.DataFrame) -> list[dict[str, Json]]:
    values = plain_columns(part)
    nothing = [None] * len(part)
    flat = [values.get(name, nothing) for name in (*_CLAIM, *_SCORES)]
    versus = {
        f"vs_{truth}": [values.get(f"{score}_{truth}", nothing) for score in _VERSUS.values()]
        for truth in ("mean_ci", "runs")
    }
    rows = [dict(zip((*_CLAIM, *_SCORES), row, strict=True)) for row in zip(*flat, strict=True)]
    for name, columns in versus.items():
        for row, scores in zip(rows, zip(*columns, strict=True), strict=True):
            row[name] = dict(zip(_VERSUS, scores, strict=True))
    return rows


def _lines(head: Mapping[str, Json], name: str, rows: list[dict[str, Json]]) -> str:
    """JSON with the head indented and one line a row: it can be read, compared and written fast."""
    top = printable_json(plain(head), indent=2, allow_nan=False).removesuffix("\n}")
    body = ",\n".join("    " + printable_json(row, allow_nan=False) for row in rows)
    return f'{top},\n  "{name}": [\n{body}\n  ]\n}}\n' if rows else f'{top},\n  "{name}": []\n}}\n'
