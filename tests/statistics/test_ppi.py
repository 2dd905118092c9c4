"""Prediction-powered means against the paper's formulas."""

import numpy as np
import pytest

from trueness.errors import DataError
from trueness.statistics import mean, prediction_powered_mean


def rng(seed=0):
    return np.random.default_rng(seed)


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
    y, f, others = judged()
    found, alone = prediction_powered_mean(y, f, others, lam=0.0), mean(y)
    assert (found.value, found.interval.low) == pytest.approx((alone.value, alone.interval.low))


def test_a_good_judge_helps_its_bias_does_not_hurt_and_a_bad_one_costs_nothing():
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
