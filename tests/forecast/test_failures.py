"""The ways in which answers fail."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.validation import failures

MEASURES = ("precision", "recall", "f1", "shd")


def whole(precision, recall, f1, shd, **more):
    ranges = zip(MEASURES, (precision, recall, f1, shd), strict=True)
    return [claim(measure=name, low=low, high=high, **more) for name, (low, high) in ranges]


def measured(dataset="asia", learner="pc"):
    half = {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    truths = [truth(spread(c), dataset, learner, name) for name, c in half.items()]
    return [*truths, truth(np.arange(100) % 5 + 3, dataset, learner, "shd")]


def counts(claims, truths=None, **more):
    table = failures(study(claims, truths or measured(), **more)).table
    return {row["mode"]: row["count"] for row in table.to_dict("records") if row["respondent"] == "m"}


def test_statuses_are_counted_by_claim():
    found = counts(
        [claim(low=None, high=None), claim(repeat=1), claim(repeat=2, low=None, high=None, status="refused")]
    )
    assert found["unreadable"] == 1 and found["refused"] == 1 and found["timed_out"] == 0


def test_a_whole_claim_above_the_mean_is_optimistic_for_f1_and_pessimistic_for_shd():
    found = counts([claim(low=0.8, high=0.9), claim(measure="shd", low=8, high=9)])
    assert found["over-optimistic"] == 1 and found["over-pessimistic"] == 1


def test_a_narrow_claim_is_overconfident_unless_it_covers_its_level():
    assert counts([claim(low=0.49, high=0.51)])["overconfident"] == 1
    assert counts([claim(low=0.3, high=0.7)])["overconfident"] == 0


@pytest.mark.parametrize(("low", "high", "times"), [(0, 1, 1), (0.02, 0.98, 1), (0.1, 1, 0)])
def test_the_whole_range_is_vacuous(low, high, times):
    assert counts([claim(low=low, high=high)])["vacuous"] == times


def test_one_range_for_three_cells_is_the_same_everywhere_and_for_two_it_is_not():
    learners = ("pc", "fci", "lingam")
    truths = [t for name in learners for t in measured(learner=name)]
    assert counts([claim(learner=name) for name in learners], truths)["same everywhere"] == 3
    assert counts([claim(learner=name) for name in learners[:2]], truths)["same everywhere"] == 0
    differs = [claim(learner=name, high=0.8 + 0.01 * k) for k, name in enumerate(learners)]
    assert counts(differs, truths)["same everywhere"] == 0


def test_f1_above_what_precision_and_recall_allow_is_incoherent():
    # H(.5, .5) = .5
    assert counts(whole((0.4, 0.5), (0.4, 0.5), (0.6, 0.7), (3, 7)))["incoherent F1"] == 1
    assert counts(whole((0.4, 0.5), (0.4, 0.5), (0.45, 0.7), (3, 7)))["incoherent F1"] == 0


def test_f1_below_is_incoherent_of_a_run_and_possible_of_a_mean():
    low = ((0.6, 0.7), (0.6, 0.7), (0.2, 0.3), (3, 7))
    assert counts(whole(*low))["incoherent F1"] == 1
    assert counts(whole(*low, target="mean"))["incoherent F1"] == 0


def test_a_high_f1_with_a_high_shd_is_inverted():
    # 8 edges, F1 >= .8: at most 2 * 8 * .2 / .8 = 4 pairs can differ
    assert counts(whole((0.8, 1), (0.8, 1), (0.8, 1), (20, 25)))["inverted SHD"] == 1
    assert counts(whole((0.8, 1), (0.8, 1), (0.8, 1), (4, 10)))["inverted SHD"] == 0


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 20))
def test_the_bound_on_shd_holds_for_every_graph(tp, fp, fn):
    edges = tp + fn
    f1 = 2 * tp / (2 * tp + fp + fn)
    if f1 > 0:
        assert fp + fn <= 2 * edges * (1 - f1) / f1 + 1e-9
