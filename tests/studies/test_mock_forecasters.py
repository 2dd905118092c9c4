"""Forecasters whose quality is known by construction are ranked as they must be."""

import json

import pytest

from tests.lanes import same_lanes
from trueness.running.study import Plan, Study
from trueness.studies.forecast.answers import read_forecasts

DISCOVERY = """
name = "mocks"
seed = 5
[discovery]
datasets = ["survey", "cancer", "synthetic-6", "synthetic-9"]
learners = ["correlation", "random"]
runs = 60
rows = 3000
"""
FORECAST = """
[forecast]
models = ["mock/perfect", "mock/vacuous", "mock/overconfident", "mock/copycat-of-the-prompt"]
formulations = ["direct", "interval"]
[models."mock/perfect"]
script = "perfect.jsonl"
"""


def run(text, base, folder):
    study = Study(Plan.parse(text, "mocks.toml", base, folder))
    with same_lanes(1) as (executor, slots):
        assert study.run(executor, slots).failed == 0


def script(folder):
    """The true 2.5 to 97.5 % range of runs of every cell, found by the title of the data set and of the learner."""
    import trueness
    from trueness.learners import build

    lines = []
    for file in sorted((folder / "variance").iterdir()):
        found = json.loads(file.read_text())
        dataset, learner = trueness.load(found["dataset"]), build(found["algorithm"])
        ranges = {
            name: {"low": entry["run_lower"], "high": entry["run_upper"]}
            for name, entry in found["measures"].items()
            if name in ("precision", "recall", "f1", "shd")
        }
        match = [f"Name: {dataset.about.title}\n", f"Name: {learner.card.title}\n"]
        lines.append(json.dumps({"match": match, "reply": json.dumps(ranges)}))
    return "\n".join(lines)


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    base = tmp_path_factory.mktemp("mocks")
    run(DISCOVERY, base, base / "truth")
    (base / "perfect.jsonl").write_text(script(base / "truth"))
    run(DISCOVERY + FORECAST, base, base / "study")
    return read_forecasts(base / "study").scores


def of(scores, respondent, column):
    found = scores[scores["respondent"] == respondent]
    return found[found["level"] == 0.95][column].dropna()


def test_the_perfect_one_covers_as_often_as_it_says(scores):
    assert of(scores, "mock/perfect", "covers_mean").mean() == 1.0
    assert of(scores, "mock/perfect", "coverage_runs").mean() >= 0.94
    assert of(scores, "mock/perfect", "iou_runs").mean() == pytest.approx(1.0)


def test_a_copy_of_the_prompt_is_no_answer(scores):
    copied = scores[scores["respondent"] == "mock/copycat-of-the-prompt"]
    assert len(copied) == 4 * 2 * 2 * 4
    assert set(copied["status"]) == {"unreadable"}
    assert copied["interval_score"].isna().all()


def test_a_proper_score_ranks_them_as_they_must_be_ranked(scores):
    loss = {
        name: of(scores, name, "interval_score_scaled").mean()
        for name in ("mock/perfect", "mock/vacuous", "mock/overconfident", "baseline/random")
    }
    assert loss["mock/perfect"] < loss["mock/vacuous"] < loss["mock/overconfident"]
    assert loss["mock/perfect"] < loss["baseline/random"]
