"""Intervals and distributions: the checks when made, and comparisons that mean something."""

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from trueness.errors import SettingError
from trueness.intervals import Distribution, Interval


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
