"""The ways in which answers fail."""

import numpy as np
import pytest

from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.validation import failures


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
