"""Charts: the frame has the numbers of the scores, the picture has the frame, nothing missing becomes a number."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trueness.showing import theme
from trueness.studies import charts

from .conftest import HOSTILE


def at_level(forecasts):
    return forecasts.scores[np.isclose(forecasts.scores["level"], forecasts.level)]


def test_intervals_draw_the_truth(forecasts):
    frame = charts.intervals_frame(forecasts, "f1")
    for kind, attribute in (("runs", "run_range"), ("mean", "mean_ci")):
        rows = frame[frame["kind"] == kind].set_index(["dataset", "learner"])
        for (dataset, learner, measure), truth in forecasts.truths.items():
            if measure == "f1":
                row, interval = rows.loc[(dataset, learner)], getattr(truth, attribute)
                assert (row["low"], row["high"], row["n"]) == (interval.low, interval.high, len(truth.runs))


def test_intervals_draw_the_medians_of_the_claims_and_count_them(forecasts):
    frame = charts.intervals_frame(forecasts, "recall")
    claims = frame[frame["kind"].isin(("claim", "missing"))]
    scores = at_level(forecasts)
    scores = scores[scores["measure"] == "recall"]
    keys = ["dataset", "learner", "respondent", "formulation"]
    lows = scores.groupby(keys)["low"].median()
    drawn = claims.set_index(keys)["low"]
    pd.testing.assert_series_equal(drawn.sort_index(), lows.sort_index(), check_dtype=False)
    assert claims["asked"].sum() == len(scores) and claims["n"].sum() == scores["low"].notna().sum()


def test_an_unread_claim_is_a_missing_mark_without_numbers(forecasts):
    unread = forecasts.scores.copy()
    mine = unread["respondent"] == HOSTILE
    unread.loc[mine, "status"] = "refused"
    unread.loc[mine, [c for c in unread if unread[c].dtype == float and c != "level"]] = np.nan
    blank = replace(forecasts, scores=unread)
    frame = charts.intervals_frame(blank, "f1")
    rows = frame[frame["respondent"] == HOSTILE]
    assert (rows["kind"] == "missing").all() and rows["low"].isna().all() and (rows["status"] == "refused").all()
    cells = charts.heatmap_frame(blank)
    mine = cells[cells["panel"] == HOSTILE]
    assert mine["value"].isna().all() and (mine["n"] == 0).all() and (mine["status"] == "not read").all()
    for figure in (charts.intervals(blank, "f1"), charts.heatmap(blank), charts.calibration(blank)):
        assert "NaN" not in str(figure.chart.to_dict(validate=False).get("datasets"))


def test_a_heatmap_cell_is_the_mean_of_its_scores(forecasts):
    frame = charts.heatmap_frame(forecasts, "overlaps_mean_ci")
    cell = frame[(frame["panel"] == "mock/overconfident") & (frame["row"] == "child") & (frame["column"] == "pc")]
    scores = at_level(forecasts)
    mine = scores[
        (scores["respondent"] == "mock/overconfident") & (scores["dataset"] == "child") & (scores["learner"] == "pc")
    ]["overlaps_mean_ci"]
    assert cell["value"].item() == pytest.approx(mine.mean()) and cell["n"].item() == mine.notna().sum()


def test_a_cell_nobody_asked_about_says_so(forecasts):
    scores = forecasts.scores
    without = scores[~((scores["respondent"] == HOSTILE) & (scores["dataset"] == "asia"))]
    frame = charts.heatmap_frame(replace(forecasts, scores=without))
    cell = frame[(frame["panel"] == HOSTILE) & (frame["row"] == "asia")]
    assert set(cell["status"]) == {"not asked"} and cell["value"].isna().all()


def test_calibration_has_each_level_with_interval_and_n(forecasts):
    frame = charts.calibration_frame(forecasts)
    frame = frame[frame["respondent"] == "mock/calibrated"]
    quantiles = frame[frame["formulation"] == "quantiles"]
    assert list(quantiles["level"]) == [0.5, 0.8, 0.95]
    assert ((frame["low"] <= frame["coverage"]) & (frame["coverage"] <= frame["high"])).all()
    scores = forecasts.scores
    mine = scores[(scores["respondent"] == "mock/calibrated") & (scores["formulation"] == "quantiles")]
    half = mine[np.isclose(mine["level"], 0.5)]["coverage_runs"]
    assert quantiles["coverage"].iloc[0] == pytest.approx(half.mean()) and quantiles["n"].iloc[0] == half.count()


def test_short_names_stay_apart():
    assert theme.labels(["a/x", "b/x", "c/y"]) == {"a/x": "a/x", "b/x": "b/x", "c/y": "y"}
    long = theme.labels(["p/" + "a" * 40 + "1" + "b" * 20, "p/" + "a" * 40 + "2" + "b" * 20])
    assert len(set(long.values())) == 2


def test_a_picture_needs_no_network_and_no_font_of_the_machine(forecasts, tmp_path):
    pdf = charts.calibration(forecasts).save(tmp_path, ("pdf",))[0].read_bytes()
    assert b"LiberationSans" in pdf and b"LiberationSans-Bold" not in pdf
