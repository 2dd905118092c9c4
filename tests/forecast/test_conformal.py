"""How much wider ranges must be."""

import numpy as np
import pytest

from tests.forecast.handmade import claim, over, spread, study, truth
from trueness.studies.forecast.conformal import conformal

NAMES = [f"d{k}" for k in range(20)]


def first(forecasts):
    return conformal(forecasts).table.iloc[0]


def uniform(names=NAMES, n=50):
    """Runs evenly on [0, 1]: 95 % of them lie within .475 of the middle."""
    return [truth((np.arange(n) + 0.5) / n, dataset=name) for name in names]


def test_the_factor_is_what_is_missing():
    row = first(study(over(NAMES, 0.4, 0.6), uniform()))
    # |y - .5| <= .475 for 95 % of the runs, half width .1
    assert row["factor"] == pytest.approx(4.75, abs=0.2)
    assert row["margin"] == pytest.approx(0.375, abs=0.02)
    assert row["coverage"] == pytest.approx(0.2, abs=0.02)


def test_the_widening_reaches_its_level_on_the_data_set_left_out():
    row = first(study(over(NAMES, 0.4, 0.6), uniform()))
    assert row["coverage_factor"] == pytest.approx(0.95, abs=0.02)
    assert row["coverage_margin"] == pytest.approx(0.95, abs=0.02)


def test_a_range_that_is_too_wide_is_narrowed():
    forecasts = study(over(NAMES, 0, 1), [truth(spread(0.5, 0.1), dataset=name) for name in NAMES])
    row = first(forecasts)
    assert row["factor"] < 1 and row["margin"] < 0
    assert "narrowed" in str(conformal(forecasts))


def test_data_sets_weigh_the_same_however_many_claims_they_hold():
    often = over(["a"] * 9, 0.45, 0.55)
    claims = [row | {"repeat": k} for k, row in enumerate(often)] + over(["b"], 0.0, 1.0)
    row = first(study(claims, [truth(spread(0.5, 0.1), dataset=name) for name in ("a", "b")]))
    assert row["coverage"] == pytest.approx((0.5 + 1) / 2, abs=0.02)


def test_a_data_set_that_is_unlike_the_others_is_not_covered_by_them():
    truths = [truth(spread(0.5, 0.1), dataset=name) for name in NAMES[:5]] + [truth(spread(0.95, 0.04), dataset="odd")]
    row = first(study(over([*NAMES[:5], "odd"], 0.4, 0.6), truths))
    assert row["coverage_factor"] < 0.9 and row["factor_most"] > row["factor_least"]


def test_a_point_is_widened_from_the_resolution():
    row = first(study(over(NAMES, 0.5, 0.5), uniform()))
    assert row["factor"] == pytest.approx(0.475 / (1 / 16), abs=0.3)  # resolution 1/8


def test_a_claim_about_the_mean_needs_only_the_mean():
    row = first(study(over(NAMES, 0.4, 0.6, target="mean"), uniform()))
    assert row["coverage"] == 1


def test_one_data_set_gives_a_factor_and_no_test_of_it():
    analysis = conformal(study(over(["a"], 0.4, 0.6), uniform(["a"])))
    assert np.isnan(analysis.table.loc[0, "coverage_factor"])
    assert "cannot be told" in str(analysis)


def test_few_data_sets_promise_little_and_it_is_said():
    analysis = conformal(study(over(NAMES[:6], 0.4, 0.6), uniform(NAMES[:6])))
    assert "6 data sets can promise 85.7 %" in str(analysis) and "needs 19" in str(analysis)
    assert "promise" not in str(conformal(study(over(NAMES, 0.4, 0.6), uniform())))


def test_a_truth_of_zero_width_is_a_truth():
    row = first(study(over(NAMES, 0.4, 0.6), [truth([0.5] * 100, dataset=name) for name in NAMES]))
    assert row["factor"] == 0 and row["coverage"] == 1


def test_all_unreadable_cannot_be_told():
    assert not conformal(study([claim(low=None, high=None)], [truth(spread(0.5))])).possible
