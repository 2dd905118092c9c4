"""What a design can show at all."""

import numpy as np
import pytest
from scipy import stats
from tests.each import each

from trueness.errors import SettingError
from trueness.statistics import PairedDesign, Reach, units_for_power
from trueness.statistics.reach import smallest_p


def test_six_data_sets_cannot_carry_ten_comparisons():
    # facts/forecast.md, 6: smallest exact Wilcoxon p .031, Holm over 10 pairs .31
    assert smallest_p(6) == 0.03125
    assert Reach(6, 10).adjusted_p == 0.3125
    assert Reach(6, 10).units_needed == 9
    assert Reach(6, 1).units_needed == 6


@pytest.mark.parametrize("n", [1, 2, 5, 6, 10, 15])
@pytest.mark.parametrize(("sided", "alternative"), [(1, "greater"), (2, "two-sided")])
def test_the_smallest_p_is_scipys_on_the_clearest_data(n, sided, alternative):
    clearest = np.arange(1.0, n + 1)
    p = stats.wilcoxon(clearest, alternative=alternative, method="exact").pvalue
    assert smallest_p(n, sided) == pytest.approx(p)
    if n > 1:
        flip = stats.permutation_test(
            (clearest,), np.mean, permutation_type="samples", alternative=alternative, n_resamples=np.inf
        )
        assert smallest_p(n, sided) == pytest.approx(flip.pvalue)


@each("alpha", [0.05, 0.01, 0.001])
@each("comparisons", [1, 10, 300])
def test_one_unit_less_would_not_do(alpha, comparisons):
    n = Reach(1, comparisons, alpha).units_needed
    assert Reach(n, comparisons, alpha).possible and not Reach(n - 1, comparisons, alpha).possible


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
        lambda: Reach(6, 0),
        lambda: Reach(6, 1, 0.0),
    ],
)
def test_wrong_settings_are_refused(call):
    with pytest.raises(SettingError):
        call()


# ---- power


def test_power_is_statsmodels_paired_t():
    from statsmodels.stats.power import TTestPower

    design = PairedDesign(20, 5, 0.2, 0.5)
    peer = TTestPower().power(0.25 / design.sd_difference, 20, 0.05)
    assert design.power(0.25) == pytest.approx(peer, abs=1e-9)
    assert design.power(design.smallest_detectable(0.8)) == pytest.approx(0.8)


def test_units_for_power_is_the_least_number_that_does():
    n = units_for_power(0.3, 0.2, 0.5, repeats=5)
    assert PairedDesign(n, 5, 0.2, 0.5).power(0.3) >= 0.8 > PairedDesign(n - 1, 5, 0.2, 0.5).power(0.3)


def test_a_design_prints_what_it_can_find():
    text = str(PairedDesign(20, 5, 0.2, 0.5))
    assert text.startswith("20 units x 5 repeats find a mean difference of ") and "80 % of studies" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PairedDesign(1, 1, 1.0, 1.0), "at least 2 units"),
        (lambda: PairedDesign(5, 1, 0.0, 0.0), "not both 0"),
        (lambda: PairedDesign(5, 1, 1.0, 1.0, alpha=2), "'alpha'"),
        (lambda: PairedDesign(5, 1, 1.0, 1.0).smallest_detectable(1.0), "'power'"),
        (lambda: units_for_power(0.0, 1.0, 1.0), "must not be 0"),
        (lambda: units_for_power(1e-6, 1.0, 1.0), "more than 100000 units"),
    ],
)
def test_a_design_that_cannot_be_is_refused(call, message):
    with pytest.raises(SettingError, match=message):
        call()
