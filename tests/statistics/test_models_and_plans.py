"""Mixed models, prediction-powered means, and power: statsmodels, closed forms, simulation."""

import numpy as np
import pytest

from trueness.errors import DataError, SettingError
from trueness.statistics import (
    PairedDesign,
    mixed_difference,
    paired_difference,
    prediction_powered_mean,
    simulated_power,
    units_for_power,
)


def rng(seed=0):
    return np.random.default_rng(seed)


# ---- mixed models


def crossed(tasks=10, models=4, repeats=2, shift=0.5, seed=1):
    r = rng(seed)
    task, model, treated, _ = (axis.ravel() for axis in np.indices((tasks, models, 2, repeats)))
    y = (
        r.normal(size=tasks)[task]
        + 0.5 * r.normal(size=models)[model]
        + shift * treated
        + 0.4 * r.normal(size=len(task))
    )
    return y, np.where(treated, "markdown", "none"), task, model


def test_the_mixed_model_is_statsmodels_formula_fit():
    import pandas as pd
    import statsmodels.formula.api as smf

    y, condition, task, model = crossed()
    frame = pd.DataFrame({"y": y, "treated": (condition == "markdown") * 1.0, "task": task, "model": model, "one": 1})
    components = {"model": "0 + C(model)", "task": "0 + C(task)"}
    peer = smf.mixedlm("y ~ treated", frame, groups="one", vc_formula=components, re_formula="0").fit()
    found = mixed_difference(y, condition, {"task": task, "model": model}, "none")
    assert found.difference == pytest.approx(peer.fe_params["treated"], abs=1e-6)
    sds = dict(zip(peer.model.exog_vc.names, np.sqrt(peer.vcomp), strict=True))
    assert dict(found.random_sds) == pytest.approx(sds, rel=1e-3)
    assert found.converged and found.residual_sd == pytest.approx(np.sqrt(peer.scale), rel=1e-4)
    assert found.interval.contains(found.difference) and "4 levels of model" in str(found)


def test_a_balanced_model_finds_the_paired_difference():
    y, condition, task, model = crossed()
    found = mixed_difference(y, condition, {"task": task, "model": model}, "none")
    assert found.difference == pytest.approx(y[condition == "markdown"].mean() - y[condition == "none"].mean())


def test_a_model_that_cannot_be_fitted_is_missing_and_says_so():
    _, condition, task, model = crossed()
    found = mixed_difference(np.ones(len(task)), condition, {"task": task}, "none")
    assert found.difference is None and found.status == "degenerate" and "no result" in str(found)
    single = mixed_difference(rng().normal(size=len(task)), condition, {"task": np.zeros(len(task))}, "none")
    assert single.p is None and "one level" in str(single)


def test_a_mixed_model_needs_two_conditions_one_of_them_the_baseline():
    y, condition, task, _ = crossed()
    with pytest.raises(DataError, match="of which 'magic' is one"):
        mixed_difference(y, condition, {"task": task}, "magic")
    with pytest.raises(DataError, match="at least one random factor"):
        mixed_difference(y, condition, {}, "none")


# ---- prediction-powered means


def judged(n=60, more=2000, bias=0.3, seed=2):
    r = rng(seed)
    y = r.normal(size=n + more)
    f = y + bias + 0.4 * r.normal(size=n + more)
    return y[:n], f[:n], f[n:]


def test_lam_1_is_the_rectified_mean_of_the_paper():
    y, f, others = judged()
    found = prediction_powered_mean(y, f, others, lam=1.0)
    assert found.value == pytest.approx(others.mean() - (f - y).mean())
    variance = (f - y).var(ddof=1) / len(y) + others.var(ddof=1) / len(others)
    assert found.se == pytest.approx(np.sqrt(variance))


def test_lam_0_is_the_mean_of_the_labels():
    from trueness.statistics import mean

    y, f, others = judged()
    found, alone = prediction_powered_mean(y, f, others, lam=0.0), mean(y)
    assert (found.value, found.interval.low) == pytest.approx((alone.value, alone.interval.low))


def test_a_good_judge_helps_its_bias_does_not_hurt_and_a_bad_one_costs_nothing():
    from trueness.statistics import mean

    y, f, others = judged()
    good, alone = prediction_powered_mean(y, f, others), mean(y)
    assert good.interval.width < 0.7 * alone.interval.width
    shifted = prediction_powered_mean(y, f + 5, others + 5)
    assert shifted.value == pytest.approx(good.value)
    bad = prediction_powered_mean(y, rng(3).normal(size=60), rng(4).normal(size=2000))
    assert bad.interval.width < 1.05 * alone.interval.width


def test_two_labels_are_too_few_to_correct_with():
    found = prediction_powered_mean([1.0, 2.0], [1.0, 2.0], [1.0, 2.0, 3.0])
    assert found.interval is None and "nothing to correct with" in str(found)
    with pytest.raises(DataError, match="equally long"):
        prediction_powered_mean([1.0], [1.0, 2.0], [1.0])


# ---- power


def test_power_is_statsmodels_paired_t():
    from statsmodels.stats.power import TTestPower

    design = PairedDesign(20, 5, 0.2, 0.5)
    peer = TTestPower().power(0.25 / design.sd_difference, 20, 0.05)
    assert design.power(0.25) == pytest.approx(peer, abs=1e-9)
    assert design.power(design.smallest_detectable(0.8)) == pytest.approx(0.8)


def test_power_without_a_difference_is_alpha():
    assert PairedDesign(12, 3, 1.0, 1.0).power(0.0) == pytest.approx(0.05)


def test_repeats_lower_their_own_part_of_the_spread_only():
    assert PairedDesign(20, 10**6, 0.3, 1.0).sd_difference == pytest.approx(0.3, abs=1e-3)
    assert PairedDesign(20, 4, 0.0, 1.0).sd_difference == pytest.approx(np.sqrt(0.5))


def test_units_for_power_is_the_least_number_that_does():
    n = units_for_power(0.3, 0.2, 0.5, repeats=5)
    assert PairedDesign(n, 5, 0.2, 0.5).power(0.3) >= 0.8 > PairedDesign(n - 1, 5, 0.2, 0.5).power(0.3)


def test_simulated_power_is_the_formula_where_there_is_one():
    design = PairedDesign(12, 1, 0.0, 1.0)

    def draw(generator):
        return generator.normal(1.0, 1, 12), generator.normal(0, 1, 12)

    found = simulated_power(draw, lambda a, b: paired_difference(a, b, test="t"), 1000, rng=rng(5))
    assert found.interval.low - 0.02 < design.power(1.0) < found.interval.high + 0.02 and found.n == 1000


def test_a_design_prints_what_it_can_find():
    text = str(PairedDesign(20, 5, 0.2, 0.5))
    assert text.startswith("20 units x 5 repeats find a mean difference of ") and "80 % of studies" in text
    assert PairedDesign(20, 5, 0.2, 0.5).row()["detectable_80"] < PairedDesign(20, 5, 0.2, 0.5).row()["detectable_95"]


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
