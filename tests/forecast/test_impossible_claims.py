"""What cannot be, claimed: it is read, scored as it was made, counted, and never left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.forecast.handmade import claim, study, truth
from trueness.measures.interval_scores import interval_score
from trueness.reading.expected import read_forecast
from trueness.status import Status
from trueness.studies.forecast.validation import failures, validation

PAIRS = 28  # of 8 nodes
SHD = truth(np.arange(100) % 5 + 3, measure="shd")


def scores(low, high, runs=SHD.runs):
    rows = study([claim(measure="shd", low=low, high=high)], [truth(runs, measure="shd")]).scores
    return rows.iloc[0]


@pytest.mark.slow
@given(
    st.lists(st.integers(0, PAIRS), min_size=1, max_size=9),
    st.tuples(st.integers(0, PAIRS), st.integers(0, PAIRS)).map(sorted),
    st.tuples(st.integers(PAIRS + 1, 99), st.integers(0, 9)),
)
@settings(max_examples=60)
def test_no_claim_that_can_be_scores_worse_than_one_that_cannot(runs, possible, impossible):
    low, width = impossible
    can, cannot = scores(*possible, runs), scores(low, low + width, runs)
    assert cannot["interval_score"] >= can["interval_score"] - 1e-9
    assert not cannot["covers_mean"] and cannot["coverage_runs"] == 0


def test_a_claim_that_is_partly_possible_is_scored_as_it_was_made():
    row = scores(4, 60)
    assert row["interval_score"] == pytest.approx(interval_score([4], [60], SHD.runs, 0.95).mean())
    assert row["width"] == 56 and row["interval_score"] > scores(0, PAIRS)["interval_score"]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("SHD: 35-60", (35, 60)),
        ("SHD: at least 40", (40, 40)),
        ("SHD: 50 ± 5", (45, 55)),
        ('{"shd": {"low": 20, "high": 90}}', (20, 90)),
        ("SHD: 50", (50, 50)),
        ("SHD: 60-40", (40, 60)),
        ("SHD: 3 to 1e400", (3, 280)),
        ("SHD: [1e30, 1e308]", (280, 280)),
        ("SHD: 5-" + "9" * 400, (5, 280)),
        ("SHD: 1e400 ± 1e400", (0, 280)),
        ('{"shd": [29, 1e999]}', (29, 280)),
        ('{"shd": {"low": 2, "high": 1e400, "median": 1e400}}', (2, 280)),
    ],
)
def test_an_shd_above_all_pairs_is_read_flagged_and_scored(text, ends):
    reading = read_forecast(text, nodes=8)
    value = reading.values["shd"]
    assert (value.low, value.high) == ends and reading.statuses["shd"] is Status.OK
    assert "shd:beyond" in reading.flags
    assert np.isfinite(scores(value.low, value.high)["interval_score"])


@pytest.mark.slow
@each("nodes", [8, None])
@each("end", ["1e400", "-1e400", "1e308", "9" * 400, '"1e400"', "1e400 %"])
@each(
    "form",
    [
        "SHD: 3 to {}",
        "SHD: [{}, 9]",
        "SHD: {} ± {}",
        '{{"shd": {{"median": {}, "95": [3, 9]}}}}',
        "Precision: [0.2, {}]",
        "| | low | high |\n|---|---|---|\n| SHD | 3 | {} |",
    ],
)
def test_no_reply_gives_an_endless_number(form, end, nodes):
    reading = read_forecast(form.format(end, end), nodes=nodes)
    given = [value for value in (*reading.values.values(), *reading.medians.values()) if value]
    assert all(np.isfinite(value.low) and np.isfinite(value.high) for value in given)
    assert all(np.isfinite(scores(value.low, value.high)["interval_score"]) for value in given)


def test_impossible_claims_are_counted_first():
    claims = [
        claim(measure="shd", low=40, high=60),
        claim(measure="shd", low=4, high=60, repeat=1),
        claim(measure="shd", low=3, high=7, repeat=2),
    ]
    forecasts = study(claims, [SHD])
    table = failures(forecasts).table.set_index("mode")["count"]
    assert table["impossible"] == 1 and table["beyond the scale"] == 2
    check = {check.name: check for check in validation(forecasts).checks}["possible"]
    assert check.passed is False and "2 of 3 claims" in check.sentence and "1 of them" in check.sentence
    assert {check.name: check for check in validation(study(claims[2:], [SHD])).checks}["possible"].passed
