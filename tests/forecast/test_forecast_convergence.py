"""What would have been said with fewer runs."""

import pytest

from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.validation import convergence


def at(analysis, runs):
    return analysis.table.set_index("runs").loc[runs]


def test_all_runs_agree_with_themselves():
    analysis = convergence(study([claim(low=0.4, high=0.5)], [truth(spread(0.5, 0.4))]))
    assert at(analysis, 100)["agreement"] == 1 and at(analysis, 100)["coverage_sd"] == pytest.approx(0)


def test_a_claim_far_from_the_mean_is_settled_at_once():
    analysis = convergence(study([claim(low=0.0, high=0.1)], [truth(spread(0.8, 0.05))]))
    assert (analysis.table["agreement"] == 1).all()
    assert "agree from 10 runs on" in str(analysis)


def test_a_claim_that_ends_at_the_mean_keeps_changing_sides():
    analysis = convergence(study([claim(low=0.0, high=0.501)], [truth(spread(0.5, 0.4, 1000))]))
    assert at(analysis, 10)["agreement"] < 0.8 < at(analysis, 1000)["agreement"]


def test_a_truth_of_zero_width_always_agrees(recwarn):
    analysis = convergence(study([claim()], [truth([0.5] * 100)]))
    assert (analysis.table["agreement"] == 1).all()
    assert not recwarn.list
