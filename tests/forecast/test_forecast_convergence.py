"""What would have been said with fewer runs."""

from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.validation import convergence


def at(analysis, runs):
    return analysis.table.set_index("runs").loc[runs]


def test_all_runs_agree_with_themselves():
    analysis = convergence(study([claim(low=0.4, high=0.5)], [truth(spread(0.5, 0.4))]))
    assert at(analysis, 100)["agreement"] == 1


def test_a_claim_far_from_the_mean_is_settled_at_once():
    analysis = convergence(study([claim(low=0.0, high=0.1)], [truth(spread(0.8, 0.05))]))
    assert (analysis.table["agreement"] == 1).all()
    assert "agree from 10 runs on" in str(analysis)


def test_a_verdict_of_the_first_runs_that_all_runs_overturn_does_not_agree():
    runs = [0.2] * 10 + [0.8] * 90
    analysis = convergence(study([claim(low=0.0, high=0.3)], [truth(runs)]))
    assert at(analysis, 10)["agreement"] == 0 and at(analysis, 100)["agreement"] == 1
    assert "agree from 20 runs on" in str(analysis)


def test_a_truth_of_zero_width_always_agrees(recwarn):
    analysis = convergence(study([claim()], [truth([0.5] * 100)]))
    assert (analysis.table["agreement"] == 1).all()
    assert not recwarn.list
