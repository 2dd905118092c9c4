"""Paired comparisons: equal to full enumeration, to scipy and to each other where they must be."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.each import each

from trueness.statistics import paired_difference
from trueness.statistics.multiplicity import adjusted, differences_in_pairs
from trueness.statistics.paired import at_level, signed_rank_p

TESTS = ["sign-flip", "t"]
ALTERNATIVES = ["two-sided", "greater", "less"]


def rng(seed=0):
    return np.random.default_rng(seed)


def pair(n=10, shift=0.4, seed=1):
    r = rng(seed)
    return r.normal(shift, 1, n), r.normal(size=n)


def enumerated(d, alternative):
    """The sign-flip p by writing out every pattern."""
    totals = np.array([np.dot(signs, d) for signs in product((-1, 1), repeat=len(d))])
    slack = 1e-9
    if alternative == "two-sided":
        return np.mean(np.abs(totals) >= abs(d.sum()) - slack)
    return np.mean(totals >= d.sum() - slack if alternative == "greater" else totals <= d.sum() + slack)


# ---- sign flips


@each("alternative", ALTERNATIVES)
@each("seed", range(5))
def test_the_sign_flip_p_is_full_enumeration(alternative, seed):
    a, b = pair(8, seed=seed)
    found = paired_difference(a, b, alternative=alternative)
    assert found.p == pytest.approx(enumerated(a - b, alternative)) and found.exact


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=9).filter(any), st.sampled_from(ALTERNATIVES))
@settings(max_examples=80)
def test_the_sign_flip_p_is_full_enumeration_with_ties_and_zeros(d, alternative):
    d = np.array(d) / 10  # tenths: sums in another order differ in the last digit
    assert paired_difference(d, np.zeros(len(d)), alternative=alternative).p == pytest.approx(
        enumerated(d, alternative)
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_holds_what_the_test_does_not_reject(seed):
    r = rng(seed)
    sizes = r.integers(1, 5, size=8)
    labels = np.repeat(np.arange(8), sizes)
    d = r.normal(size=len(labels)) + r.normal(size=8)[labels]
    zero = np.zeros(len(d))
    interval = paired_difference(d, zero, labels).interval
    step = 1e-6
    for inside in (interval.low + step, interval.high - step):
        assert paired_difference(d - inside, zero, labels).p > 0.05
    for outside in (interval.low - step, interval.high + step):
        assert paired_difference(d - outside, zero, labels).p <= 0.05


def test_many_clusters_are_drawn_and_the_p_says_how_well_it_is_known():
    a, b = pair(60, shift=0.3)
    found = paired_difference(a, b)
    exact = stats.permutation_test(
        (a - b,), np.mean, permutation_type="samples", n_resamples=40_000, random_state=3
    ).pvalue
    assert not found.exact and 0 < found.p_error < 0.01
    assert found.p == pytest.approx(exact, abs=6 * found.p_error)
    assert "+-" in str(found) and found.p == paired_difference(a, b).p  # a fixed seed: the same p each time


# ---- t, Wilcoxon


@each("alternative", ALTERNATIVES)
def test_t_is_scipys_paired_test(alternative):
    a, b = pair()
    peer = stats.ttest_rel(a, b, alternative=alternative)
    found = paired_difference(a, b, test="t", alternative=alternative)
    assert (found.statistic, found.p) == pytest.approx((peer.statistic, peer.pvalue))
    two_sided = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((two_sided.low, two_sided.high))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_is_scipys_exact_test_without_ties(alternative):
    a, b = pair(12)
    peer = stats.wilcoxon(a, b, alternative=alternative, method="exact")
    assert signed_rank_p(a - b, alternative)[1] == pytest.approx(peer.pvalue)


@given(st.lists(st.integers(-3, 3).filter(bool), min_size=2, max_size=9), st.sampled_from(ALTERNATIVES))
@settings(max_examples=60)
def test_wilcoxon_with_ties_is_the_enumeration_over_the_midranks(d, alternative):
    ranks = stats.rankdata(np.abs(d))
    sums = np.array(
        [sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in product((0, 1), repeat=len(d))]
    )
    seen = ranks[np.array(d) > 0].sum()
    greater, less = np.mean(sums >= seen - 1e-9), np.mean(sums <= seen + 1e-9)
    expected = {"greater": greater, "less": less, "two-sided": min(1, 2 * min(greater, less))}[alternative]
    assert signed_rank_p(np.array(d, float), alternative)[1] == pytest.approx(expected)


# ---- what holds for all


@each("test", TESTS)
def test_swapping_the_samples_changes_the_sign_only(test):
    a, b = pair(9)
    one, other = paired_difference(a, b, test=test), paired_difference(b, a, test=test)
    assert one.p == pytest.approx(other.p) and one.difference == pytest.approx(-other.difference)
    assert one.interval.low == pytest.approx(-other.interval.high)


@each("test", TESTS)
def test_a_pair_with_a_missing_end_is_left_out(test):
    a, b = pair(9)
    gap = a.copy()
    gap[4] = np.nan
    found = paired_difference(gap, b, test=test)
    assert found.p == pytest.approx(paired_difference(np.delete(a, 4), np.delete(b, 4), test=test).p)
    assert (found.n_units, found.n_missing) == (8, 1)


@each("test", TESTS)
def test_a_million_units_are_compared_in_groups(test):
    r = rng(9)
    a, b = r.normal(0.01, 1, 10**6), r.normal(size=10**6)
    found = paired_difference(a, b, test=test, resamples=2000)
    assert found.n_units == 10**6 and found.p < 0.01 and found.difference == pytest.approx(0.01, abs=0.006)
    assert found.interval is None or found.interval.width == pytest.approx(2 * 1.96 * np.sqrt(2) / 1000, rel=0.1)


def test_all_pairs_are_one_family_with_the_better_first_and_units_of_neither_uncounted():
    columns = {"low": [0.1, 0.2, 0.1, 0.3, 0.2, 0.1, np.nan], "high": [0.8, 0.9, 0.9, 0.7, 0.8, 1.0, np.nan]}
    columns["middle"] = [0.5, 0.4, np.nan, 0.5, 0.6, 0.5, 0.4]
    made = differences_in_pairs(columns, better="higher", bounds=(0.0, 1.0))
    assert [pair.names for pair in made] == [("high", "low"), ("middle", "low"), ("high", "middle")]
    assert {pair.n_comparisons for pair in made} == {3} and made[0].p_adjusted == pytest.approx(3 * 2 / 2**6)
    assert [pair.n_missing for pair in made] == [0, 2, 2]
    assert differences_in_pairs(columns, better="lower")[0].names == ("low", "high")
    assert differences_in_pairs({"alone": [1.0, 2.0]}) == []


@each("test", TESTS)
def test_an_interval_at_another_level_is_that_of_the_same_comparison_made_there(test):
    rng = np.random.default_rng(4)
    a, b, clusters = rng.random(30), rng.random(30) * 0.9, np.repeat(np.arange(10), 3)
    made = paired_difference(a, b, clusters, test=test).within(0, 1)
    there, moved = paired_difference(a, b, clusters, 0.99, test).within(0, 1), at_level(made, 0.99)
    assert (moved.interval.low, moved.interval.high) == pytest.approx((there.interval.low, there.interval.high))
    assert moved.alone == made.interval and moved.p == made.p
    assert moved.interval.level == 0.99 and at_level(made, 0.95).interval == made.interval
    assert at_level(moved, 0.95).interval == made.interval  # and back again


def test_too_few_units_for_a_level_have_no_interval_there_and_say_so():
    moved = at_level(paired_difference([0.1, 0.2, 0.3, 0.3, 0.5, 0.4], [0.0] * 6), 0.99)
    assert moved.interval is None and moved.alone is not None
    assert "6 independent units are too few to bound the difference at 99 %." in moved.notes


def test_the_interval_of_the_verdict_excludes_nought_exactly_where_the_verdict_does():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        family = [paired_difference(rng.normal(gain, 1, 9), np.zeros(9)) for gain in (0.0, 0.5, 1.0, 2.0)]
        for method in ("holm", "bh"):
            for one in adjusted(family, method):
                ends = one.interval
                assert ends is None or (ends.low > 0 or ends.high < 0) == one.distinguishable
