"""Unpaired comparisons, Cliff's delta and superiority against scipy, the double loop and full enumeration."""

import math
import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from trueness.statistics import cliffs_delta, mean, unpaired_difference
from trueness.statistics.effect_sizes import magnitude

ALTERNATIVES = ["two-sided", "greater", "less"]
small = st.lists(st.integers(0, 4), min_size=1, max_size=6)


def mann_whitney(a, b, **options):
    return unpaired_difference(a, b, test="mann-whitney", **options)


def rng(seed=0):
    return np.random.default_rng(seed)


# ---- Welch


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_welch_is_scipys(alternative):
    a, b = rng(1).normal(0.5, 1, 15), rng(2).normal(0, 2, 9)
    peer = stats.ttest_ind(a, b, equal_var=False, alternative=alternative)
    found = unpaired_difference(a, b, alternative=alternative)
    assert (found.statistic, found.p) == pytest.approx((peer.statistic, peer.pvalue))
    ends = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))


def test_clusters_in_both_samples_are_the_t_of_their_differences():
    r = rng(3)
    task = np.repeat(np.arange(8), 3)
    a, b = r.normal(size=24) + task, r.normal(size=24) + task
    unpaired = unpaired_difference(a, b, (task, task))
    differences = mean(a - b, task)
    assert unpaired.interval.low == pytest.approx(differences.interval.low) and unpaired.n_clusters == 8


def test_clusters_in_one_sample_each_are_welch_on_their_means():
    r = rng(4)
    a, b = r.normal(size=(6, 4)), r.normal(size=(5, 4))
    labels = [f"a{k}" for k in range(6) for _ in range(4)], [f"b{k}" for k in range(5) for _ in range(4)]
    found = unpaired_difference(a.ravel(), b.ravel(), labels)
    peer = stats.ttest_ind(a.mean(axis=1), b.mean(axis=1), equal_var=False)
    assert found.p == pytest.approx(peer.pvalue) and found.n_clusters == 11


# ---- Mann-Whitney


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_mann_whitney_is_scipys_exact_test_without_ties(alternative):
    a, b = rng(5).normal(0.8, 1, 9), rng(6).normal(size=7)
    peer = stats.mannwhitneyu(a, b, alternative=alternative, method="exact")
    found = mann_whitney(a, b, alternative=alternative)
    assert (found.statistic, found.p) == pytest.approx((peer.statistic, peer.pvalue)) and found.exact


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_mann_whitney_of_many_values_is_scipys_normal_form(alternative):
    a, b = rng(5).integers(0, 5, 60), rng(6).integers(0, 6, 40)
    peer = stats.mannwhitneyu(a, b, alternative=alternative)
    found = mann_whitney(a, b, alternative=alternative)
    assert (found.statistic, found.p) == pytest.approx((peer.statistic, peer.pvalue)) and not found.exact
    assert "tied values share their ranks" in str(found)


@given(small, small, st.sampled_from(ALTERNATIVES))
@settings(max_examples=60)
def test_mann_whitney_with_ties_is_full_enumeration(a, b, alternative):
    both = stats.rankdata(a + b)
    if len(set(a + b)) == 1:
        assert mann_whitney(a, b, alternative=alternative).p == 1
        return
    sums = np.array([both[list(chosen)].sum() for chosen in combinations(range(len(both)), len(a))])
    seen = both[: len(a)].sum()
    greater, less = np.mean(sums >= seen - 1e-9), np.mean(sums <= seen + 1e-9)
    expected = {"greater": greater, "less": less, "two-sided": min(1, 2 * min(greater, less))}[alternative]
    assert mann_whitney(a, b, alternative=alternative).p == pytest.approx(expected)


# ---- permutation


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_permutation_p_is_full_enumeration(alternative):
    a, b = rng(7).normal(0.7, 1, 5), rng(8).normal(size=4)
    peer = stats.permutation_test((a, b), lambda x, y: x.mean() - y.mean(), alternative=alternative, n_resamples=np.inf)
    found = unpaired_difference(a, b, test="permutation", alternative=alternative)
    if alternative == "two-sided":  # scipy doubles the smaller tail; ours counts |difference|
        pooled = np.concatenate([a, b])
        seen = abs(a.mean() - b.mean())
        splits = [set(c) for c in combinations(range(9), 5)]
        gaps = [abs(pooled[list(c)].mean() - pooled[[i for i in range(9) if i not in c]].mean()) for c in splits]
        assert found.p == pytest.approx(np.mean(np.array(gaps) >= seen - 1e-12))
    else:
        assert found.p == pytest.approx(peer.pvalue)
    assert found.exact and found.smallest_p == 1 / math.comb(9, 5)


# ---- Cliff's delta


@given(small, small)
def test_delta_is_the_double_loop_and_2u_over_nm_minus_1(a, b):
    loop = np.mean([np.sign(x - y) for x in a for y in b])
    found = cliffs_delta(a, b)
    assert found.value == pytest.approx(loop)
    u = stats.mannwhitneyu(a, b).statistic
    assert found.value == pytest.approx(2 * u / (len(a) * len(b)) - 1)
    if found.interval:
        assert -1 <= found.interval.low <= found.value <= found.interval.high <= 1


@pytest.mark.parametrize(
    ("delta", "word"),
    [(0.1469, "negligible"), (0.147, "small"), (-0.33, "medium"), (0.4739, "medium"), (-0.474, "large")],
)
def test_magnitudes_have_romanos_thresholds(delta, word):
    assert magnitude(delta) == word


def test_complete_separation_has_an_interval_with_a_width():
    found = cliffs_delta([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0])
    assert found.value == -1 and found.interval.low == -1 and -1 < found.interval.high < 0


def test_a_million_values_cost_little_memory():
    a, b = rng(15).normal(0.1, 1, 10**6), rng(16).normal(size=10**6)
    tracemalloc.start()
    found = cliffs_delta(a, b)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.value == pytest.approx(2 * stats.norm.cdf(0.1 / np.sqrt(2)) - 1, abs=0.003)
    assert peak < 200e6


# ---- traps
