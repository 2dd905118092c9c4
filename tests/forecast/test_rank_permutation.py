"""The exact test of a rank correlation."""

import numpy as np
import pytest
from scipy import stats

from trueness.studies.forecast.analysis import orders, permutation_p

RNG = np.random.default_rng(0)


def test_five_units_in_order_have_one_order_and_its_mirror():
    x = np.arange(5.0)
    places = orders(5, RNG)
    assert permutation_p(x, x**3, places) == pytest.approx(2 / 120)
    assert permutation_p(x, x**3, places, "greater") == pytest.approx(1 / 120)
    assert permutation_p(x, -x, places, "greater") == 1


def test_it_is_scipys_permutation_of_pairings():
    x, y = np.array([3.0, 1, 4, 5, 9]), np.array([2.0, 1, 7, 3, 8])  # without ties both tails are alike
    expected = stats.permutation_test(
        (x,), lambda x: stats.spearmanr(x, y).statistic, permutation_type="pairings", n_resamples=np.inf
    ).pvalue
    assert permutation_p(x, y, orders(5, RNG)) == pytest.approx(expected)


def test_what_does_not_vary_has_no_p():
    assert np.isnan(permutation_p(np.ones(5), np.arange(5.0), orders(5, RNG)))
    assert np.isnan(permutation_p(np.arange(2.0), np.array([1.0, np.nan]), orders(2, RNG)))
