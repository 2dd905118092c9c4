"""Interval measures: formulas against brute force, propriety by simulation, and what must hold for all intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trueness.errors import SettingError
from trueness.measures import interval_scores as of
from trueness.statistics.runs import bootstrap_means

number = st.floats(-50, 50).map(lambda x: round(x, 3))
ends = st.tuples(number, number).map(sorted)
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95])


# overlap and width


@given(ends, ends)
def test_iou_is_symmetric_and_between_0_and_1(a, b):
    value = of.iou(*a, *b)
    assert 0 <= value <= 1
    assert value == of.iou(*b, *a)


def test_the_overlaps_of_the_original_protocol():
    low, high = [0.6, 0.65, 0.5, 0.9], [0.7, 0.68, 0.8, 1.0]
    truth = (0.62, 0.75)
    assert of.intersects(low, high, *truth).tolist() == [True, True, True, False]
    assert of.contains(*truth, low, high).tolist() == [False, True, False, False]  # the CI contains the range
    assert of.contains(low, high, *truth).tolist() == [False, False, True, False]  # the range contains the CI
    assert of.iou(low, high, *truth) == pytest.approx([0.08 / 0.15, 0.03 / 0.13, 0.13 / 0.30, 0])
    assert of.coverage_fraction(low, high, *truth) == pytest.approx([0.08 / 0.13, 0.03 / 0.13, 1, 0])


def test_a_truth_without_width_has_no_ratio():
    with np.errstate(all="raise"):
        assert np.isnan(of.calibration_score(0.2, 0.6, 0.5, 0.5))
        assert np.isnan(of.coverage_fraction(0.2, 0.6, 0.5, 0.5))
        assert of.iou(0.5, 0.5, 0.5, 0.5) == 1
        assert of.iou(0.2, 0.6, 0.5, 0.5) == 0
    assert of.calibration_class([np.nan]).tolist() == ["degenerate"]


def test_classes_of_the_calibration_score():
    score = of.calibration_score([0, 0, 0, 0], [0.05, 0.08, 0.125, 0.2], 0.0, 0.1)
    assert score == pytest.approx([-0.5, -0.2, 0.25, 1.0])
    assert of.calibration_class([-0.5, -0.2, 0.25, 1.0]).tolist() == [
        "overconfident", "calibrated", "calibrated", "underconfident",
    ]  # fmt: skip


def test_widths_below_the_resolution_count_as_the_resolution():
    assert of.log_width_ratio(3, 3, 5, 5, 1.0) == 0
    assert of.log_width_ratio(2, 6, 5, 5, 1.0) == pytest.approx(np.log(4))
    with pytest.raises(SettingError, match="'floor' of a width ratio must be > 0"):
        of.log_width_ratio(0, 1, 0, 1, 0)


@pytest.mark.parametrize(("n", "published"), [(30, 3.9), (100, 8.5), (400, 18.5), (1600, 38.3)])
def test_an_honest_forecast_of_runs_looks_underconfident_against_the_ci_of_a_mean(n, published):
    # the forecaster says where the runs fall, exactly; the score only counts the runs
    runs = np.random.default_rng(n).beta(10, 5, size=(n, 150))
    low, high = np.quantile(runs, [0.025, 0.975], axis=0)
    mean_ci = np.array(
        [(i.low, i.high) for i in bootstrap_means(runs, resamples=2_000, rng=np.random.default_rng(0))]
    ).T
    assert of.calibration_score(low, high, *mean_ci).mean() == pytest.approx(published, rel=0.04)
    assert (of.calibration_score(low, high, low, high) == 0).all()


# proper scores


@given(ends, number, levels)
def test_interval_score_is_width_plus_penalty(interval, y, level):
    low, high = interval
    penalty = (low - y if y < low else y - high if y > high else 0) * 2 / (1 - level)
    assert of.interval_score([low], [high], [y], level)[0, 0] == pytest.approx(high - low + penalty)


RUNS = stats.beta(6, 3)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_the_true_quantiles_minimise_the_expected_scores(level):
    y = RUNS.ppf((np.arange(4000) + 0.5) / 4000)
    tail = (1 - level) / 2
    low, high = RUNS.ppf([tail, 1 - tail])
    moves = np.array([-0.2, -0.1, -0.03, 0, 0.03, 0.1, 0.2])
    lows, highs = (low + moves[:, None] + 0 * moves).ravel(), (high + 0 * moves[:, None] + moves).ravel()
    sound = lows <= highs
    score = of.interval_score(lows[sound], highs[sound], y, level).mean(axis=1)
    best = score.argmin()
    assert (lows[sound][best], highs[sound][best]) == (low, high)


def test_bias_is_positive_for_optimism_whichever_way_a_measure_points():
    assert of.bias([0.9], 0.7, "higher") == pytest.approx([0.2])
    assert of.bias([3.0], 7.0, "lower") == pytest.approx([4.0])  # fewer edges wrong than measured


def test_a_level_of_95_is_refused():
    with pytest.raises(SettingError, match=r"'level' of an interval score must be in \(0, 1\), got 95"):
        of.interval_score([0], [1], [0.5], 95)
