"""Levene, variance ratio, Pitman-Morgan and TOST against scipy, statsmodels and closed forms."""

import math

import numpy as np
import pytest
from scipy import stats

from trueness.errors import DataError, SettingError
from trueness.statistics import levene, paired_equivalence, pitman_morgan, unpaired_equivalence, variance_ratio


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
    assert "spread follows their mean" in str(levene(a, b)) and "spread follows" in str(variance_ratio(a, b))
    assert "spread follows" not in str(levene(10 * a, 10 * b))


def test_the_ratio_has_ddof_1_and_turns_over_when_swapped():
    a, b = rng(5).normal(0, 2, 12), rng(6).normal(0, 1, 15)
    one, other = variance_ratio(a, b), variance_ratio(b, a)
    assert one.value == pytest.approx(a.var(ddof=1) / b.var(ddof=1))
    assert one.interval.low == pytest.approx(1 / other.interval.high)


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


def test_pitman_morgan_is_the_correlation_of_sum_and_difference():
    r = rng(9)
    a = r.normal(size=25)
    b = 0.7 * a + 0.4 * r.normal(size=25)
    found = pitman_morgan(a, b)
    assert found.p == pytest.approx(stats.pearsonr(a + b, a - b).pvalue)
    # the interval ends are the ratios at which the test of a and sqrt(ratio) b just rejects
    for end in (found.effect.interval.low, found.effect.interval.high):
        assert pitman_morgan(a / np.sqrt(end), b).p == pytest.approx(0.05, abs=1e-6)


def test_constant_and_single_values_have_no_ratio():
    assert variance_ratio([1.0, 2.0], [3.0, 3.0]).value is None
    assert variance_ratio([1.0], [3.0, 4.0]).value is None
    assert variance_ratio([1.0, 2.0], [3.0, 5.0]).interval is None
    assert levene([1.0] * 4, [2.0] * 4).p is None
    assert pitman_morgan([1.0, 2.0], [1.0, 3.0]).p is None
    assert pitman_morgan([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]).p is None
    with pytest.raises(DataError, match="equally long"):
        pitman_morgan([1.0], [1.0, 2.0])


def test_tost_is_statsmodels_paired_and_unpaired():
    from statsmodels.stats.weightstats import ttost_ind, ttost_paired

    a, b = rng(10).normal(0.05, 0.3, 30), rng(11).normal(0, 0.3, 30)
    assert paired_equivalence(a, b, 0.2).p == pytest.approx(ttost_paired(a, b, -0.2, 0.2)[0])
    assert unpaired_equivalence(a, b, 0.2).p == pytest.approx(ttost_ind(a, b, -0.2, 0.2, usevar="unequal")[0])


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.25, 0.4])
def test_equivalent_means_that_the_90_percent_interval_lies_within_the_margin(shift):
    a, b = rng(12).normal(shift, 0.3, 25), rng(13).normal(0, 0.3, 25)
    found = paired_equivalence(a, b, 0.2)
    assert found.equivalent == (found.interval.low > -0.2 and found.interval.high < 0.2)
    assert "within 0.2" in str(found) and "90 % CI" in str(found)


def test_one_unit_is_not_equivalent_to_anything():
    found = paired_equivalence([1.0], [1.0], 0.1)
    assert found.p is None and found.equivalent is None and "cannot be tested" in str(found)
    for margin in (0.0, -1.0, math.nan, math.inf):  # within infinity all are equivalent
        with pytest.raises(SettingError, match="'margin' must be a number above 0, got .* Name the smallest differ"):
            paired_equivalence([1.0, 2.0], [1.0, 2.0], margin)
    with pytest.raises(SettingError, match="'alpha'"):
        unpaired_equivalence([1.0, 2.0], [1.0, 2.0], 0.1, alpha=0.7)
