"""The checks on top of every report."""

from tests.forecast.example import example
from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.validation import completeness, validation


def checks(forecasts):
    return {check.name: check for check in validation(forecasts).checks}


def test_a_hundred_runs_a_cell_are_enough_and_ninety_nine_are_not():
    assert checks(study([claim()], [truth(spread(0.5))]))["runs"].passed
    few = checks(study([claim()], [truth(spread(0.5, n=99), planned=120)]))["runs"]
    assert few.passed is False and "pc on asia: 99 of 120 planned" in few.sentence


def test_a_claim_about_a_cell_that_was_never_run_fails_the_check():
    found = checks(study([claim(), claim(learner="fci")], [truth(spread(0.5))]))["runs"]
    assert found.passed is False and "0 of 0 planned" in found.sentence


def test_one_readable_repeat_answers_an_item():
    forecasts = study([claim(low=None, high=None), claim(repeat=1)], [truth(spread(0.5))])
    assert checks(forecasts)["complete"].passed


def test_an_unanswered_item_is_named_with_its_model():
    claims = [claim(respondent="a"), claim(respondent="b", low=None, high=None)]
    found = checks(study(claims, [truth(spread(0.5))]))["complete"]
    assert found.passed is False and "b 0 of 1" in found.sentence and "a 1" not in found.sentence


def test_a_truth_of_zero_width_is_named_and_fails():
    found = checks(study([claim()], [truth([0.5] * 100)]))["widths"]
    assert (
        found.passed is False
        and "1 of 1 truths have zero width (every run gave one value), asia/pc/f1" in found.sentence
    )


def test_the_whole_range_everywhere_fails_and_once_does_not():
    truths = [truth(spread(0.5)), truth([3.0] * 50 + [4.0] * 50, measure="shd")]
    everywhere = [claim(low=0, high=1), claim(measure="shd", low=0, high=28)]
    assert checks(study(everywhere, truths))["vacuous"].passed is False
    once = [claim(low=0, high=1), claim(measure="shd", low=0, high=10)]
    assert checks(study(once, truths))["vacuous"].passed


def test_the_completeness_matrix_counts_a_claim_at_three_levels_once():
    forecasts = example(datasets=("asia", "cancer"), repeats=1, formulations=("quantiles",))
    table = completeness(forecasts).set_index("respondent")
    statuses = [name for name in table if name not in ("asked", "answered")]
    assert table.loc["mock/calibrated", "asked"] == 2 * 4 * 4
    assert (table[statuses].sum(axis=1) == table["asked"]).all()
    assert (table["answered"] == table["ok"]).all()
