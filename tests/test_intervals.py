"""Intervals and distributions: the checks when made, and comparisons that mean something."""

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueness.errors import SettingError, TruenessError
from trueness.intervals import Distribution, IncomparableIntervals, Interval

ends = st.floats(-1e6, 1e6).flatmap(lambda low: st.tuples(st.just(low), st.floats(low, 1e6)))
intervals = ends.map(lambda e: Interval(*e, 0.95, "run"))


def run(low, high, level=0.95):
    return Interval(low, high, level, "run")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 0.4, 0.95, "run"), "'low' of an interval must be <= 'high'"),
        ((math.nan, 0.4, 0.95, "run"), "'low' of an interval must be a finite number"),
        ((0.1, math.inf, 0.95, "run"), "'high' of an interval must be a finite number"),
        ((0.1, None, 0.95, "run"), "'high' of an interval must be a finite number"),
        ((0.1, "a lot", 0.95, "run"), "'high' of an interval must be a finite number"),
        ((0.1, 0.4, 95, "run"), "'level' of an interval must be in"),
        ((0.1, 0.4, 1.0, "run"), "'level' of an interval must be in"),
        ((0.1, 0.4, 0.95, "median"), "'of' of an interval must be 'run' or 'mean'"),
    ],
)
def test_an_impossible_interval_is_refused_in_one_line(arguments, message):
    with pytest.raises(SettingError, match=message) as caught:
        Interval(*arguments)
    assert "\n" not in str(caught.value)


def test_an_interval_is_frozen_hashable_and_survives_a_process_border():
    interval = run(np.float64(0.1), 1)
    assert (type(interval.low), type(interval.high)) == (float, float)
    assert pickle.loads(pickle.dumps(interval)) == interval
    assert hash(interval) == hash(run(0.1, 1.0))
    with pytest.raises(FrozenInstanceError):
        interval.low = 0


@pytest.mark.parametrize("compare", ["overlaps", "covers", "intersection", "iou"])
def test_a_range_of_runs_never_meets_the_interval_of_a_mean(compare):
    with pytest.raises(IncomparableIntervals, match="must be of the same thing") as caught:
        getattr(run(0, 1), compare)(Interval(0, 1, 0.95, "mean"))
    assert isinstance(caught.value, TruenessError)


def test_both_ends_belong_to_the_interval():
    interval = run(0.2, 0.4)
    assert interval.contains(0.2) and interval.contains(0.4)
    assert not interval.contains(0.41) and not interval.contains(math.nan)
    assert interval.overlaps(run(0.4, 0.6)) and not interval.overlaps(run(0.41, 0.6))
    assert run(0.1, 0.5).covers(interval) and interval.covers(interval) and not interval.covers(run(0.3, 0.5))


def test_iou_by_hand():
    assert run(0, 2).iou(run(1, 3)) == pytest.approx(1 / 3)
    assert run(0, 1).iou(run(2, 3)) == 0
    assert run(0, 1).iou(run(1, 2)) == 0
    assert run(0, 4).iou(run(1, 2)) == pytest.approx(1 / 4)


def test_iou_of_points_is_one_or_zero_and_never_divides_by_zero():
    assert run(0.5, 0.5).iou(run(0.5, 0.5)) == 1.0
    assert run(0.5, 0.5).iou(run(0.6, 0.6)) == 0.0
    assert run(0.5, 0.5).iou(run(0, 1)) == 0.0
    assert run(0.5, 0.5).degenerate and not run(0, 1).degenerate


def test_an_intersection_claims_no_more_than_the_lower_level():
    assert run(0, 2, 0.95).intersection(run(1, 3, 0.5)) == run(1, 2, 0.5)
    assert run(0, 1).intersection(run(1, 2)) == run(1, 1)
    assert run(0, 1).intersection(run(2, 3)) is None


@given(intervals, intervals)
def test_comparisons_are_symmetric_and_agree_with_each_other(a, b):
    assert a.iou(b) == b.iou(a)
    assert 0 <= a.iou(b) <= 1
    assert a.overlaps(b) == b.overlaps(a) == (a.intersection(b) is not None)
    assert a.iou(a) == 1.0
    if a.covers(b):
        assert a.overlaps(b) and a.width >= b.width
        assert a.intersection(b) == b
    if not a.overlaps(b):
        assert a.iou(b) == 0


def test_an_interval_says_what_it_is_of():
    assert str(run(0.04, 0.21)) == "[0.04, 0.21] (95 % of runs)"
    assert str(Interval(0.0412, 12345.6, 0.975, "mean")) == "[0.0412, 12346] (97.5 % CI of the mean)"


# ---- Distribution


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((("a", "b"), (0.5,)), "one entry a level"),
        (((), ()), "one entry a level"),
        ((("a", "a"), (0.5, 0.5)), "must be unique, got a more than once"),
        ((("a", "b"), (1.5, -0.5)), "must be >= 0"),
        ((("a", "b"), (0.5, 0.4)), "must sum to 1, got 0.9"),
        ((("a", "b"), (0.5, math.nan)), "must be a finite number"),
        ((("a",), (1,), -3), "'n' of a distribution must be >= 0"),
    ],
)
def test_an_impossible_distribution_is_refused(arguments, message):
    with pytest.raises(SettingError, match=message):
        Distribution(*arguments)


def test_rounding_is_forgiven_and_removed():
    thirds = Distribution(["a", "b", "c"], [1 / 3, 1 / 3, 1 / 3 + 5e-10])
    assert math.fsum(thirds.probs) == pytest.approx(1, abs=1e-15)
    assert thirds.levels == ("a", "b", "c") and len(thirds) == 3 and thirds.n is None


def test_a_distribution_is_asked_by_level():
    votes = Distribution(("yes", "no"), (0.25, 0.75), n=40)
    assert votes.prob("yes") == 0.25
    assert str(votes) == "yes 25.0 %, no 75.0 % (n = 40)"
    with pytest.raises(SettingError, match="'maybe' is not a level"):
        votes.prob("maybe")
