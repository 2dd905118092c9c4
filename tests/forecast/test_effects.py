"""Size, density and dimension: measured against predicted."""

import numpy as np
import pytest
from scipy import stats

from tests.forecast.handmade import claim, spread, study, truth
from trueness.studies.forecast.analysis import orders, permutation_p
from trueness.studies.forecast.contrasts import effects

NAMES = ("a", "b", "c", "d", "e", "f")


def falling(predicted, measured=None, names=NAMES):
    """nodes rise from 8; measured F1 falls with them unless said otherwise."""
    measured = measured or [0.8 - 0.1 * k for k in range(len(names))]
    truths = [truth(spread(m), dataset=name) for name, m in zip(names, measured, strict=True)]
    claims = [
        claim(dataset=name, low=p - 0.05, high=p + 0.05)
        for name, p in zip(names, predicted, strict=True)
        if p is not None
    ]
    about = {
        name: {"nodes": 8 + 2 * k, "edges": 8, "rows": 1000, "density": 0.9 - 0.1 * k} for k, name in enumerate(names)
    }
    return study(claims, truths, datasets=about)


def row(analysis, name, respondent="m"):
    table = analysis.table
    return table[(table["property"] == name) & (table["respondent"] == respondent)].iloc[0]


def test_a_respondent_that_follows_size_has_the_measured_rho():
    analysis = effects(falling([0.7, 0.6, 0.5, 0.4, 0.3, 0.2]))
    size = row(analysis, "size")
    assert size["rho"] == pytest.approx(-1) and size["rho_measured"] == pytest.approx(-1)
    assert size["difference"] == pytest.approx(0)
    assert size["p"] == pytest.approx(2 / 720)  # exact over 6! orders
    assert row(analysis, "density")["rho"] == pytest.approx(1)


def test_a_respondent_that_has_it_backwards_is_off_by_two():
    size = row(effects(falling([0.2, 0.3, 0.4, 0.5, 0.6, 0.7])), "size")
    assert size["difference"] == pytest.approx(2)


def test_a_data_set_without_an_answer_is_left_out_on_both_sides():
    # without f the measured rho is still -1; with it (F1 rising at the end) it would not be
    measured = [0.8, 0.7, 0.6, 0.5, 0.4, 0.9]
    size = row(effects(falling([0.7, 0.6, 0.5, 0.4, 0.3, None], measured)), "size")
    assert size["datasets"] == 5 and size["rho_measured"] == pytest.approx(-1)
    assert size["p"] == pytest.approx(2 / 120)


def test_four_data_sets_cannot_show_an_effect():
    analysis = effects(falling([0.7, 0.6, 0.5, 0.4], names=NAMES[:4]))
    assert "no effect can be shown" in str(analysis)


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
