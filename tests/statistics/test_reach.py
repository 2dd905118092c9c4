"""What a design can show at all."""

import numpy as np
import pytest
from scipy import stats
from tests.each import each

from trueness.errors import SettingError
from trueness.statistics import (
    Reach,
    detectable_difference,
    smallest_adjusted_p,
    smallest_p,
    standard_error_of_mean,
    units_needed,
)


def test_six_data_sets_cannot_carry_ten_comparisons():
    # facts/forecast.md, 6: smallest exact Wilcoxon p .031, Holm over 10 pairs .31
    assert smallest_p(6) == 0.03125
    assert smallest_adjusted_p(6, 10) == 0.3125
    assert units_needed(0.05, 10) == 9
    assert units_needed(0.05) == 6


@pytest.mark.parametrize("n", [1, 2, 5, 6, 10, 15])
@pytest.mark.parametrize(("sided", "alternative"), [(1, "greater"), (2, "two-sided")])
def test_the_smallest_p_is_scipys_on_the_clearest_data(n, sided, alternative):
    clearest = np.arange(1.0, n + 1)
    p = stats.wilcoxon(clearest, alternative=alternative, method="exact").pvalue
    assert smallest_p(n, "wilcoxon", sided) == pytest.approx(p)
    if n > 1:
        flip = stats.permutation_test(
            (clearest,), np.mean, permutation_type="samples", alternative=alternative, n_resamples=np.inf
        )
        assert smallest_p(n, "sign-flip", sided) == pytest.approx(flip.pvalue)


def test_no_p_is_above_one():
    assert smallest_p(0) == smallest_p(1) == 1.0
    assert smallest_adjusted_p(3, 100) == 1.0


def test_screening_reaches_further_than_holm():
    assert smallest_adjusted_p(6, 10, "benjamini-hochberg") == smallest_p(6)
    assert smallest_adjusted_p(6, 10, "bonferroni") == smallest_adjusted_p(6, 10, "holm")


@each("alpha", [0.05, 0.01, 0.001])
@each("comparisons", [1, 10, 300])
def test_one_unit_less_would_not_do(alpha, comparisons):
    n = units_needed(alpha, comparisons)
    assert smallest_adjusted_p(n, comparisons) <= alpha < smallest_adjusted_p(n - 1, comparisons)


def test_the_normal_form_is_the_textbooks():
    # Cohen: n = 32 pairs find d = .5 with power .8 at .05 (z: 2.8016 / sqrt(32) = .495)
    assert detectable_difference(1.0, 32, approximation="normal") == pytest.approx(0.4953, abs=1e-4)
    assert standard_error_of_mean(2.0, 16) == 0.5


@pytest.mark.parametrize("n", [10, 20, 60])
def test_the_t_form_reaches_the_power_it_promises(n):
    effect = detectable_difference(1.0, n, power=0.8)
    critical = stats.t.ppf(0.975, n - 1)
    power = stats.nct.sf(critical, n - 1, effect * np.sqrt(n)) + stats.nct.cdf(-critical, n - 1, effect * np.sqrt(n))
    assert 0.795 < power < 0.83
    assert effect > detectable_difference(1.0, n, power=0.8, approximation="normal")


def test_a_plan_reads_what_it_can_show():
    assert str(Reach(6, 10)) == (
        "With 6 units the smallest exact two-sided p is 0.031, after holm over 10 comparisons 0.31: "
        "no difference can reach 0.05. At least 9 units are needed."
    )
    assert Reach(12, 10).possible and str(Reach(12, 10)).endswith("a difference can reach 0.05.")


@each(
    "call",
    [
        lambda: smallest_p(-1),
        lambda: smallest_p(6, "t-test"),
        lambda: smallest_p(6, sided=3),
        lambda: smallest_adjusted_p(6, 0),
        lambda: smallest_adjusted_p(6, 3, "sidak"),
        lambda: units_needed(0.0),
        lambda: standard_error_of_mean(1.0, 0),
        lambda: standard_error_of_mean(-1.0, 3),
        lambda: detectable_difference(1.0, 1),
        lambda: detectable_difference(1.0, 10, power=1.0),
        lambda: detectable_difference(1.0, 10, approximation="exact"),
    ],
)
def test_wrong_settings_are_refused(call):
    with pytest.raises(SettingError):
        call()
