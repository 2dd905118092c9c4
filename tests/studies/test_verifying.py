"""trueness run --verify: what is stored is what comes out again."""

import sqlite3

import pytest

from tests.lanes import same_lanes
from trueness.errors import SettingError, StoreError
from trueness.running.study import Plan, Study
from trueness.running.verify import verify

PLAN = """
name = "small"
seed = 3
[discovery]
datasets = ["survey", "synthetic-6"]
learners = ["random", "correlation"]
runs = 6
rows = 400
[forecast]
models = ["mock/overconfident"]
formulations = ["direct"]
repeats = 2
"""


@pytest.fixture
def study(tmp_path):
    made = Study(Plan.parse(PLAN, "small.toml", folder=tmp_path))
    with same_lanes(1) as (executor, slots):
        made.run(executor, slots)
    return made


def verified(study, **how):
    with same_lanes(1) as (executor, _):
        return verify(study, executor, **how)


def changed(study, statement):
    with sqlite3.connect(study.plan.folder / "study.db") as database:
        assert database.execute(statement).rowcount > 0


def test_an_honest_study_comes_out_the_same_in_fits_and_in_readings(study):
    found = verified(study, share=1.0)
    assert found.compared == found.stored == sum(stage.planned for stage in study.stages)
    assert found.differences == ()
    assert "none differs" in found.sentence()


def test_a_changed_score_is_found_and_named(study):
    changed(study, "UPDATE scores SET value = value + 1e-12 WHERE measure = 'shd' AND value IS NOT NULL")
    found = verified(study, share=1.0)
    assert {difference.what for difference in found.differences if difference.task == "discovery"} == {"shd"}
    assert "differ." in found.sentence()


def test_a_changed_reply_is_found_by_reading_it_again(study):
    changed(study, "UPDATE replies SET reply = replace(reply, '0.', '1.')")
    assert {difference.task for difference in verified(study, share=1.0).differences} == {"forecast"}


def test_a_run_that_timed_out_is_not_compared(study):
    changed(study, "UPDATE runs SET status = 'timed_out' WHERE task = 'discovery' AND respondent = 'random'")
    found = verified(study, share=1.0)
    assert (found.not_comparable, found.differences) == (12, ())


def test_nothing_stored_and_a_wrong_share_are_one_line(study, tmp_path):
    with pytest.raises(SettingError, match="must be a share"):
        verified(study, share=2.0)
    changed(study, "DELETE FROM runs")
    with pytest.raises(StoreError, match="no unit of this plan"):
        verified(study)
