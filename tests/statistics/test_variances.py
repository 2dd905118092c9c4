"""Levene and the variance ratio against scipy and the jackknife written out."""

import numpy as np
import pytest
from scipy import stats

from trueness.statistics import levene, variance_ratio


def rng(seed=0):
    return np.random.default_rng(seed)


def test_levene_is_scipys_with_the_median():
    a, b = rng(1).normal(0, 2, 20), rng(2).normal(0, 1, 30)
    peer = stats.levene(a, b, center="median")
    found = levene(a, b)
    assert (found.statistic, found.p) == pytest.approx((peer.statistic, peer.pvalue))
    assert found.effect.value == pytest.approx(a.var(ddof=1) / b.var(ddof=1))
    assert "variance ratio" in str(found)


def test_bounded_scores_are_told_that_spread_follows_the_mean():
    a, b = rng(3).random(20), rng(4).random(20)
    assert "spread follows their mean" in str(levene(a, b)) and "spread follows" in " ".join(variance_ratio(a, b).notes)
    assert "spread follows" not in str(levene(10 * a, 10 * b))


def test_the_jackknife_leaves_out_one_value_at_a_time():
    a, b = rng(7).normal(size=8), rng(8).normal(size=9)
    found = variance_ratio(a, b)
    errors = []
    for x in (a, b):
        left = np.log([np.delete(x, k).var(ddof=1) for k in range(len(x))])
        errors.append((len(x) - 1) / len(x) * ((left - left.mean()) ** 2).sum())
    df = sum(errors) ** 2 / (errors[0] ** 2 / 7 + errors[1] ** 2 / 8)
    half = stats.t.ppf(0.975, df) * np.sqrt(sum(errors))
    assert np.log(found.interval.high) == pytest.approx(np.log(found.value) + half)


def test_constant_and_single_values_have_no_ratio():
    assert variance_ratio([1.0, 2.0], [3.0, 3.0]).value is None
    assert variance_ratio([1.0], [3.0, 4.0]).value is None
    assert variance_ratio([1.0, 2.0], [3.0, 5.0]).interval is None
    assert levene([1.0] * 4, [2.0] * 4).p is None
