"""Shares at the ends and in clusters; the intervals of independent trials are scipy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trueness.errors import DataError, SettingError
from trueness.statistics import clopper_pearson, jeffreys, proportion, rule_of_three, share, wilson

counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_clopper_pearson_is_scipys(count):
    peer = stats.binomtest(*count).proportion_ci(0.95, "exact")
    found = clopper_pearson(*count)
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high), abs=1e-10)


@given(counts)
def test_jeffreys_is_the_beta_posterior_opened_at_the_ends(count):
    k, n = count
    found = jeffreys(k, n)
    low, high = stats.beta.ppf([0.025, 0.975], k + 0.5, n - k + 0.5)
    assert found.low == pytest.approx(0.0 if k == 0 else low) and found.high == pytest.approx(1.0 if k == n else high)


def test_never_in_a_hundred_is_at_most_three_in_a_hundred():
    assert rule_of_three(100) == pytest.approx(0.0295, abs=1e-4)
    assert (1 - rule_of_three(100)) ** 100 == pytest.approx(0.05)
    assert "at most 0.03" in str(proportion(0, 100))


def test_all_pass_has_a_width_and_says_what_is_not_ruled_out():
    found = proportion(20, 20, method="clopper-pearson")
    assert found.interval.high == 1 and found.interval.low == pytest.approx(0.025 ** (1 / 20))
    assert "Always seen: at least 0.86" in str(found)


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
    assert found.interval == clopper_pearson(6, 6) and "rarer outcome is in 0 of 6 clusters" in str(found)


def test_a_share_has_values_between_0_and_1_or_none():
    with pytest.raises(DataError, match="must be in .0, 1."):
        share([0.5, 1.5])
    assert share([np.nan]).value is None
    assert share([1.0, 0.0], ["a", "a"]).interval is None
    with pytest.raises(SettingError, match="'method' must be one of"):
        proportion(1, 2, method="wald")
