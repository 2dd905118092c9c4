"""Coverage by one factor at a time, with what it rests on.

One row a respondent and value of the factor, and for each value one row of all models together. Two intervals stand
beside each share: Wilson's, as if all claims were independent, and the one that counts data sets (learners, where the
factor is the data set itself), which is the one to quote.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from trueness.statistics import share
from trueness.statistics.result import interval_cells
from trueness.studies.forecast import selection
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.summary import SHARES

FACTORS: Mapping[str, str | None] = {  # the file's name -> the column
    "model": None,
    "algorithm": "learner",
    "dataset": "dataset",
    "metric": "measure",
    "formulation": "formulation",
}
ALL_MODELS = "all models"
_KEYS = ("respondent", "dataset", "learner", "measure", "formulation", "status", "low")


def coverage_by(forecasts: Forecasts, factor: str) -> pd.DataFrame:
    """factor: a key of FACTORS."""
    column = FACTORS[factor]
    scores = selection.headline(forecasts)[[*_KEYS, *SHARES.values()]]
    scores = scores.assign(answered=selection.is_answered(scores))
    models = scores[~scores["respondent"].isin(forecasts.references)]
    parts = {str(name): part for name, part in scores.groupby("respondent")} | {ALL_MODELS: models}
    rows = []
    for name in (*selection.respondents(forecasts), ALL_MODELS):
        rows += _rows(forecasts, parts.get(name, scores.iloc[:0]), name, column)
    shown = ["respondent", *([column] if column else []), *_cells(forecasts, scores.iloc[:0], "dataset")]
    return pd.DataFrame(rows, columns=shown)


def _rows(forecasts: Forecasts, part: pd.DataFrame, name: str, column: str | None) -> list[dict[str, object]]:
    if column is None:
        return [{"respondent": name} | _cells(forecasts, part, "dataset")]
    order = {
        "dataset": selection.datasets(forecasts), "learner": selection.learners(forecasts),
        "measure": selection.measures(forecasts), "formulation": selection.formulations(part),
    }[column]  # fmt: skip
    within = "learner" if column == "dataset" else "dataset"
    parts = {str(value): group for value, group in part.groupby(column)}
    return [
        {"respondent": name, column: value} | _cells(forecasts, parts.get(value, part.iloc[:0]), within)
        for value in order
    ]


def _cells(forecasts: Forecasts, part: pd.DataFrame, within: str) -> dict[str, object]:
    answered, clusters = part["answered"].to_numpy(dtype=bool), part[within].to_numpy(dtype=object)
    row: dict[str, object] = {"asked": len(part), "n": int(answered.sum()), "clusters": len(set(clusters[answered]))}
    row["clustered_by"] = within
    for name, score in SHARES.items():
        values = part[score].to_numpy(dtype=np.float64)
        row |= share(values, clusters, forecasts.level).cells(name)
        plain = share(values, level=forecasts.level).interval
        row |= interval_cells(plain, f"{name}_wilson")
    return row
