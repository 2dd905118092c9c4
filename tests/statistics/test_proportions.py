"""Shares: Wilson's interval is scipy's, and clusters count as clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trueness.errors import DataError, SettingError
from trueness.statistics.proportions import rule_of_three, share, wilson


@given(st.integers(1, 1000), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_it_is_scipys(n, share, level):
    successes = round(share * n)
    peer = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    interval = wilson(successes, n, level)
    assert (interval.low, interval.high) == pytest.approx((peer.low, peer.high), abs=1e-12)
    assert interval.of == "mean" and interval.level == level


def test_nonsense_is_refused():
    for successes, n in ((3, 2), (-1, 5), (0, 0)):
        with pytest.raises(SettingError, match="'successes' must be between 0 and the number of trials"):
            wilson(successes, n)
    with pytest.raises(SettingError, match="'level' of a proportion must be in"):
        wilson(1, 2, 1.0)


def test_never_in_a_hundred_is_at_most_three_in_a_hundred():
    assert rule_of_three(100) == pytest.approx(0.0295, abs=1e-4)
    assert (1 - rule_of_three(100)) ** 100 == pytest.approx(0.05)


def test_independent_rows_are_wilsons():
    x = np.array([1.0] * 7 + [0.0] * 3)
    assert share(x).interval == wilson(7, 10)


def test_repeats_of_a_task_do_not_count_as_tasks():
    passes = np.repeat([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], 50)
    tasks = np.repeat(np.arange(8), 50)
    found = share(passes, tasks)
    assert found.interval.width > 3 * share(passes).interval.width
    assert found.interval.low < wilson(6, 8).low + 0.05


def test_all_pass_in_clusters_counts_clusters():
    found = share(np.ones(60), np.repeat(np.arange(6), 10))
    exact = stats.binomtest(6, 6).proportion_ci(0.95, "exact")
    assert (found.interval.low, found.interval.high) == pytest.approx((exact.low, exact.high))
    assert "rarer outcome is in 0 of 6 clusters" in str(found)


def test_a_share_has_values_between_0_and_1_or_none():
    with pytest.raises(DataError, match="must be in .0, 1."):
        share([0.5, 1.5])
    assert share([np.nan]).value is None
    assert share([1.0, 0.0], ["a", "a"]).interval is None
    with pytest.raises(SettingError, match="'method' must be one of"):
        share([1.0, 0.0], method="wald")
