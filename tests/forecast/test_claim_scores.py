"""The scores table: what each column is, what stays missing, and that respondents rank as they must."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.forecast.example import example
from tests.forecast.truths import claim, claims, truth, truths
from trueness.measures import interval_scores as of
from trueness.status import Status
from trueness.studies.forecast.scores import SCORES, long, pooled_skills, score_claims

RUNS = np.round(np.random.default_rng(1).beta(6, 3, 100), 3)
SHD = np.random.default_rng(2).poisson(9, 100)


def scored(*rows, of_runs=RUNS, measure="f1", **arguments):
    return score_claims(
        claims(*(row | {"measure": measure} for row in rows)), truths(truth(of_runs, measure)), **arguments
    )


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 28), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 28), st.integers(0, 28)).map(sorted), min_size=1, max_size=4),
)
@settings(max_examples=40)
def test_whatever_the_runs_scores_stay_in_their_range(runs, intervals):
    rows = [claim(*ends, repeat=k) for k, ends in enumerate(intervals)]
    found = scored(*rows, of_runs=runs, measure="shd")
    for suffix in ("mean_ci", "runs"):
        for name in ("overlaps", "covers", "inside", "iou", "fraction"):
            assert found[f"{name}_{suffix}"].dropna().between(0, 1 + 1e-12).all()
        assert (found[f"calibration_{suffix}"].dropna() >= -1).all()
    assert (found["interval_score"] >= found["width"]).all()
    assert np.isfinite(found["log_width_ratio_runs"]).all()


@pytest.fixture(scope="module")
def study():
    return example(seed=1, repeats=1)


def test_one_claim_has_the_values_of_the_formulas():
    known = truth(RUNS)
    row = scored(claim(0.55, 0.75)).iloc[0]
    assert row["covers_mean"] == (0.55 <= known.mean <= 0.75)
    assert row["coverage_runs"] == np.mean((RUNS >= 0.55) & (RUNS <= 0.75))
    for suffix, interval in (("mean_ci", known.mean_ci), ("runs", known.run_range)):
        ends = interval.low, interval.high
        assert row[f"iou_{suffix}"] == of.iou(0.55, 0.75, *ends)
        assert row[f"fraction_{suffix}"] == of.coverage_fraction(0.55, 0.75, *ends)
        assert row[f"calibration_{suffix}"] == pytest.approx(0.2 / interval.width - 1)
        assert row[f"log_width_ratio_{suffix}"] == of.log_width_ratio(0.55, 0.75, *ends, 1 / 8)
        assert row[f"overlaps_{suffix}"] == 1
    assert row["covers_mean_ci"] == 1 and row["inside_mean_ci"] == 0
    assert row["covers_runs"] == 0 and row["inside_runs"] == 1
    assert row["class_mean_ci"] == "underconfident" and row["class_runs"] == "overconfident"
    assert row["interval_score"] == pytest.approx(of.interval_score([0.55], [0.75], RUNS, 0.95).mean())
    assert row["bias"] == pytest.approx(0.65 - known.mean)
    assert scored(claim(0.5, 0.8, median=0.66)).iloc[0]["bias"] == pytest.approx(0.66 - known.mean)


def test_proper_scores_are_taken_against_what_the_claim_is_of():
    run, mean = scored(claim(0.6, 0.7), claim(0.6, 0.7, target="mean"))["interval_score"]
    assert run == pytest.approx(of.interval_score([0.6], [0.7], RUNS, 0.95).mean())
    assert mean == pytest.approx(of.interval_score([0.6], [0.7], [RUNS.mean()], 0.95).mean())


def test_shd_turns_the_sign_of_the_bias_and_has_a_scaled_score():
    row = scored(claim(2, 6), of_runs=SHD, measure="shd").iloc[0]
    assert row["bias"] == pytest.approx(SHD.mean() - 4)  # fewer wrong edges than measured: optimistic
    assert row["interval_score_scaled"] == pytest.approx(row["interval_score"] / 28)


def test_an_unread_claim_stays_a_row_without_scores():
    found = scored(claim(status="unreadable"), claim(status="refused", repeat=1), claim(0.5, 0.7, repeat=2))
    assert found["status"].tolist() == ["unreadable", "refused", "ok"]
    assert found.loc[:1, [name for name in SCORES if not name.startswith("class")]].isna().all(axis=None)
    assert found.loc[2, "covers_mean"] == 1


def test_a_truth_of_zero_width_is_degenerate_and_still_has_proper_scores():
    row = scored(claim(0.4, 0.6), of_runs=[0.5] * 20).iloc[0]
    assert np.isnan(row["calibration_runs"]) and row["class_runs"] == row["class_mean_ci"] == "degenerate"
    assert row["log_width_ratio_runs"] == pytest.approx(np.log(0.2 / 0.125))
    assert row["interval_score"] == pytest.approx(0.2) and row["covers_mean"] == 1
    table = long(scored(claim(0.4, 0.6), of_runs=[0.5] * 20)).set_index("measure")["status"]
    assert table["calibration_runs"] == "degenerate" and table["interval_score"] == "ok"


def test_skill_is_against_the_same_question_and_level():
    ours = claim(0.5, 0.8)
    theirs = claim(0.3, 0.9, respondent="baseline/x", formulation="reference")
    other_level = claim(0.6, 0.7, 0.5, respondent="baseline/x", formulation="reference")
    found = scored(ours, theirs, other_level, claim(0.5, 0.8, 0.9, repeat=1), references=["baseline/x"])
    a, b = found["interval_score"].iloc[:2]
    assert found["skill_x"].iloc[0] == pytest.approx(1 - a / b)
    assert found["skill_x"].iloc[1] == 0
    assert np.isnan(found["skill_x"].iloc[3])  # the reference has no interval at .9
    pooled = pooled_skills(found[found["level"] == 0.95], ["baseline/x"])
    assert pooled == {"baseline/x": {"a/model": pytest.approx(1 - a / b)}}


@pytest.mark.slow
def test_the_long_table_has_one_row_a_score(study):
    table = long(study.scores)
    assert list(table.columns) == ["item", "variant", "respondent", "repeat", "measure", "value", "status"]
    assert not table.duplicated(["item", "variant", "respondent", "repeat", "measure"]).any()
    assert ((table["status"] == Status.OK) == table["value"].notna()).all()
    first = table.iloc[0]
    assert first["item"] == "asia/pc/precision" and first["variant"] == "direct/named/full/told/run"
    assert {"coverage_runs", "coverage_runs_50", "coverage_runs_80"} <= set(table["measure"])


def test_respondents_rank_as_they_must(study):
    rows = study.scores[(study.scores["level"] == 0.95) & (study.scores["formulation"] != "steps")]
    mean = rows.groupby("respondent")[["coverage_runs", "interval_score_scaled", "bias_scaled", "width_scaled"]].mean()
    loss = mean["interval_score_scaled"]
    assert loss["mock/calibrated"] < loss["mock/vacuous"] < loss["mock/overconfident"]
    assert loss["mock/overconfident"] < loss["baseline/random"]
    assert mean["coverage_runs"]["mock/vacuous"] == 1  # coverage alone is won by saying nothing
    assert mean["coverage_runs"]["mock/calibrated"] == pytest.approx(0.95, abs=0.03)
    assert mean["bias_scaled"].idxmax() == "mock/optimistic"
    assert mean["coverage_runs"]["baseline/random"] < 0.5
