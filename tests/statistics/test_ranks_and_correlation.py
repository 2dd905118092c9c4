"""Friedman, Wilcoxon-Holm and rank correlations against scipy."""

import numpy as np
import pytest
from scipy import stats

from trueness.errors import DataError, SettingError
from trueness.statistics import rank, rank_correlation
from trueness.statistics.ranks import friedman

NAMES = ["a", "b", "c", "d"]


def rng(seed=0):
    return np.random.default_rng(seed)


def scores(n=12, seed=1, steps=(0.0, 0.3, 1.0, 2.0)):
    return rng(seed).normal(size=(n, 4)) + np.array(steps)


# ---- ranks


def test_friedman_is_scipys_and_f_is_iman_and_davenports():
    table = scores(steps=(0, 0.2, 0.4, 0.5))
    found = rank(table, NAMES, "higher")
    chi2 = stats.friedmanchisquare(*table.T).statistic
    f = 11 * chi2 / (12 * 3 - chi2)
    assert (found.chi2, found.f) == pytest.approx((chi2, f))
    assert found.p == pytest.approx(stats.f.sf(f, 3, 33))


def test_friedmans_p_is_exact_where_all_rows_rank_alike():
    """F is infinite then; of 3! arrangements in each of three rows six agree throughout: 6 / 216."""
    assert friedman(np.array([[1.0, 2, 3], [4, 5, 7], [0, 1, 9]]))[2] == pytest.approx(6 / 216)
    assert friedman(np.array([[1.0, 1, 3], [4, 4, 7]]))[2] == pytest.approx(1 / 3)


def test_groups_are_the_longest_runs_of_pairs_that_cannot_be_told_apart():
    found = rank(scores(), NAMES, "higher")
    apart = {frozenset(pair.names) for pair in found.pairs if pair.distinguishable}
    for group in found.groups:
        assert all(frozenset((x, y)) not in apart for x in group for y in group if x != y)
    within = {frozenset((x, y)) for group in found.groups for x in group for y in group if x != y}
    neighbours = {frozenset(pair) for pair in zip(found.names, found.names[1:], strict=False)}
    assert neighbours - apart <= within


def test_a_data_set_with_a_missing_score_is_left_out_and_counted():
    table = scores()
    table[2, 1] = np.nan
    found = rank(table, NAMES, "higher")
    assert (found.n, found.n_missing) == (11, 1)
    assert rank(table[2:3], NAMES, "higher").p is None
    assert rank(table[:, :2], ["a", "b"], "higher").p is None  # Friedman needs three


def test_scores_of_another_width_are_refused():
    with pytest.raises(DataError, match="'scores' must be"):
        rank(np.ones((5, 3)), NAMES, "higher")
    with pytest.raises(SettingError, match="'better' must be one of"):
        rank(scores(), NAMES, "up")


# ---- correlation


def test_value_and_p_are_scipys():
    x = rng(2).normal(size=30)
    y = x + rng(3).normal(size=30)
    peer = stats.spearmanr(x, y)
    found = rank_correlation(x, y)
    assert (found.value, found.p) == pytest.approx((peer.statistic, peer.pvalue))


def test_the_interval_is_bonett_and_wrights():
    x = rng(2).normal(size=30)
    y = x + rng(3).normal(size=30)
    found = rank_correlation(x, y)
    half = 1.959964 * np.sqrt((1 + found.value**2 / 2) / 27)
    assert found.interval.high == pytest.approx(np.tanh(np.arctanh(found.value) + half))


def test_few_pairs_have_the_p_of_all_orders():
    x, y = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([2.0, 1.0, 4.0, 3.0, 5.0])
    found = rank_correlation(x, y)
    # rho = .8: 16 of the 120 orders reach |rho| >= .8 (Kendall & Stuart, tables: one-sided .067)
    assert found.value == pytest.approx(0.8) and found.p == pytest.approx(16 / 120)


def test_repeats_in_a_cluster_add_no_evidence():
    r = rng(5)
    x, y = r.normal(size=12), r.normal(size=12)
    labels = np.repeat(np.arange(12), 10)
    once = rank_correlation(x, y)
    often = rank_correlation(np.repeat(x, 10), np.repeat(y, 10), labels)
    naive = rank_correlation(np.repeat(x, 10), np.repeat(y, 10))
    assert often.interval.width > 0.7 * once.interval.width and naive.interval.width < 0.5 * often.interval.width


def test_a_constant_column_has_no_correlation():
    assert rank_correlation([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]).value is None
    assert rank_correlation([1.0, 2.0], [1.0, 2.0]).value is None
    assert rank_correlation([1.0, 2.0, 3.0, np.nan], [1.0, 3.0, 2.0, 4.0]).n_missing == 1
    with pytest.raises(DataError, match="equally long"):
        rank_correlation([1.0], [1.0, 2.0])
