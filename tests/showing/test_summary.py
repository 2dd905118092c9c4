"""The closing table: answered of asked, coverage, score, skill, bias, width and class, for each respondent."""

from dataclasses import replace

import numpy as np
import pytest

from trueness.studies.forecast import tables


@pytest.fixture(scope="module")
def rows(forecasts):
    return {row["respondent"]: row for row in tables.rows(forecasts)}


def test_a_row_has_the_means_of_the_scores(forecasts, rows):
    scores = forecasts.scores
    mine = scores[(scores["respondent"] == "mock/overconfident") & np.isclose(scores["level"], 0.95)]
    row = rows["mock/overconfident"]
    assert row["asked"] == len(mine) and row["answered"] == mine["low"].notna().sum()
    assert row["calibrated_coverage"] == pytest.approx(mine["covers_mean"].mean())
    assert row["interval_score"] == pytest.approx(mine["interval_score_scaled"].mean())
    assert row["interval_score_low"] <= row["interval_score"] <= row["interval_score_high"]


def test_a_respondent_that_never_answered_has_a_row_and_no_numbers(forecasts):
    scores = forecasts.scores.copy()
    mine = scores["respondent"] == "mock/calibrated"
    scores.loc[mine, "status"] = "refused"
    scores.loc[mine, [c for c in scores if scores[c].dtype == float and c != "level"]] = np.nan
    scores.loc[mine, ["class_mean_ci", "class_runs"]] = None
    row = next(r for r in tables.rows(replace(forecasts, scores=scores)) if r["respondent"] == "mock/calibrated")
    assert row["answered"] == 0 and row["asked"] > 0 and row["missing"] == f"refused {row['asked']}"
    assert row["calibrated_coverage"] is None and row["interval_score"] is None and row["skill_random"] is None
    assert row["confidence"] == "cannot be told"
