"""Interval measures: formulas against brute force, propriety by simulation, and what must hold for all intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from tests.each import each

from trueness.errors import SettingError
from trueness.intervals import Interval
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
    assert value == pytest.approx(Interval(*a, 0.95, "run").iou(Interval(*b, 0.95, "run")))


@given(ends)
def test_an_interval_is_itself(a):
    assert of.iou(*a, *a) == 1
    assert of.intersects(*a, *a) and of.contains(*a, *a)


@given(ends, ends)
def test_the_three_overlaps_imply_each_other_as_they_must(a, b):
    if of.contains(*a, *b) or of.contains(*b, *a):
        assert of.intersects(*a, *b)
    if of.iou(*a, *b) > 0:
        assert of.intersects(*a, *b)
    if a[0] < a[1] and of.contains(*b, *a):
        assert of.coverage_fraction(*b, *a) == pytest.approx(1)


def test_the_overlaps_of_the_original_protocol():
    low, high = [0.6, 0.65, 0.5, 0.9], [0.7, 0.68, 0.8, 1.0]
    truth = (0.62, 0.75)
    assert of.intersects(low, high, *truth).tolist() == [True, True, True, False]
    assert of.contains(*truth, low, high).tolist() == [False, True, False, False]  # the CI contains the range
    assert of.contains(low, high, *truth).tolist() == [False, False, True, False]  # the range contains the CI
    assert of.iou(low, high, *truth) == pytest.approx([0.08 / 0.15, 0.03 / 0.13, 0.13 / 0.30, 0])
    assert of.coverage_fraction(low, high, *truth) == pytest.approx([0.08 / 0.13, 0.03 / 0.13, 1, 0])


def test_touching_counts_as_meeting_and_as_covering():
    assert of.intersects(0.2, 0.5, 0.5, 0.9)
    assert of.covers(0.2, 0.5, 0.5)


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


@given(ends, ends, st.floats(0.01, 2))
def test_log_width_ratio_turns_its_sign_when_the_intervals_change_places(a, b, floor):
    assert of.log_width_ratio(*a, *b, floor) == pytest.approx(-of.log_width_ratio(*b, *a, floor))


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


@given(ends, number, levels)
def test_interval_score_is_the_pinball_loss_of_both_ends(interval, y, level):
    low, high = interval
    tail = (1 - level) / 2
    both = of.pinball([low], [y], tail) + of.pinball([high], [y], 1 - tail)
    assert of.interval_score([low], [high], [y], level) == pytest.approx(both / tail, abs=1e-9)


@given(ends, number, levels)
def test_wis_of_one_level_is_a_scaled_interval_score(interval, y, level):
    low, high = interval
    alone = of.weighted_interval_score([[low]], [[high]], [level], [y])
    assert alone == pytest.approx((1 - level) / 2 * of.interval_score([low], [high], [y], level))


@given(st.lists(number, min_size=7, max_size=7).map(sorted), number)
def test_wis_is_twice_the_mean_pinball_loss(q, y):
    # Bracher et al. 2021, section 2.2
    wis = of.weighted_interval_score([[q[2], q[1], q[0]]], [[q[4], q[5], q[6]]], [0.5, 0.8, 0.95], [y], [q[3]])
    taus = of.quantile_levels([0.5, 0.8, 0.95], median=True)
    losses = [of.pinball([value], [y], tau) for value, tau in zip(q, taus, strict=True)]
    assert wis == pytest.approx(2 * np.mean(losses), abs=1e-9)


def test_quantile_levels_rise_through_the_median():
    assert of.quantile_levels([0.95, 0.5]) == pytest.approx([0.025, 0.25, 0.75, 0.975])
    assert of.quantile_levels([0.8], median=True) == pytest.approx([0.1, 0.5, 0.9])


def claimed_cdf(x, q, tau):
    """The distribution that crps_of_quantiles takes the quantiles for."""
    return 0.0 if x < q[0] else 1.0 if x >= q[-1] else np.interp(x, q, tau)


@each("y", [-1.0, 0.0, 0.35, 0.5, 0.81, 2.0])
def test_crps_of_quantiles_is_the_integral_of_its_definition(y):
    q, tau = [0.1, 0.3, 0.45, 0.6, 0.9], [0.025, 0.25, 0.5, 0.75, 0.975]
    points = sorted({*q, y})
    squared = quad(lambda x: (claimed_cdf(x, q, tau) - (x >= y)) ** 2, -2, 3, points=points, limit=200)[0]
    assert of.crps_of_quantiles([q], tau, [y])[0, 0] == pytest.approx(squared, abs=1e-7)


def test_crps_of_many_true_quantiles_is_that_of_the_distribution():
    tau = np.linspace(0.0005, 0.9995, 1000)
    y = np.array([-1.5, 0.0, 0.7])
    closed = (
        y * (2 * stats.norm.cdf(y) - 1) + 2 * stats.norm.pdf(y) - 1 / np.sqrt(np.pi)
    )  # Gneiting & Raftery 2007, eq. 21
    assert of.crps_of_quantiles([stats.norm.ppf(tau)], tau, y)[0] == pytest.approx(closed, abs=1e-3)


@given(st.lists(number, min_size=1, max_size=12), st.lists(number, min_size=1, max_size=5))
def test_crps_of_runs_is_the_double_sum(sample, outcomes):
    brute = [
        np.mean([abs(x - y) for x in sample]) - np.mean([abs(a - b) for a in sample for b in sample]) / 2
        for y in outcomes
    ]
    assert of.crps_of_runs(sample, outcomes) == pytest.approx(brute, abs=1e-9)


@given(st.lists(number, min_size=1, max_size=6).map(sorted), number)
def test_crps_of_runs_is_the_energy_distance_of_scipy(sample, y):
    # CRPS of an empirical F for an outcome y is the squared L2 distance of their distribution functions
    assert of.crps_of_runs(sample, [y])[0] == pytest.approx(
        stats.energy_distance(sample, [y]) ** 2 / 2, abs=1e-7
    )  # scipy: E^2 = 2 x that integral


def test_a_point_that_is_right_loses_nothing():
    assert of.crps_of_quantiles([[3.0, 3.0]], [0.025, 0.975], [3.0])[0, 0] == 0
    assert of.interval_score([3.0], [3.0], [3.0], 0.95)[0, 0] == 0


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
    for tau in (tail, 0.5, 1 - tail):
        losses = of.pinball(RUNS.ppf(tau) + moves, y, tau).mean(axis=1)
        assert moves[losses.argmin()] == 0


def test_wis_and_crps_prefer_the_truth_to_narrower_wider_and_moved_claims():
    y = RUNS.ppf((np.arange(4000) + 0.5) / 4000)
    tau = of.quantile_levels([0.5, 0.8, 0.95], median=True)
    true = RUNS.ppf(tau)
    claims = np.array([true, 0.7 + 0.3 * (true - 0.7), 0.7 + 2 * (true - 0.7), true + 0.1, true - 0.1])
    lows, highs = claims[:, [2, 1, 0]], claims[:, [4, 5, 6]]
    assert of.weighted_interval_score(lows, highs, [0.5, 0.8, 0.95], y, claims[:, 3]).mean(axis=1).argmin() == 0
    assert of.crps_of_quantiles(claims, tau, y).mean(axis=1).argmin() == 0


def test_everything_covers_and_scores_badly():
    y = RUNS.rvs(2000, random_state=1)
    low, high = RUNS.ppf([0.025, 0.975])
    assert of.coverage_of_runs([0, low], [1, high], y) == pytest.approx([1, 0.95], abs=0.02)
    everything, honest = of.interval_score([0, low], [1, high], y, 0.95).mean(axis=1)
    assert everything > 1.4 * honest


def test_bias_is_positive_for_optimism_whichever_way_a_measure_points():
    assert of.bias([0.9], 0.7, "higher") == pytest.approx([0.2])
    assert of.bias([3.0], 7.0, "lower") == pytest.approx([4.0])  # fewer edges wrong than measured


def test_skill_has_no_value_against_a_perfect_reference():
    assert of.skill([0.5, 0.0, 2.0], [1.0, 1.0, 1.0]) == pytest.approx([0.5, 1, -1])
    assert np.isnan(of.skill(0.5, 0.0))


def test_a_level_of_95_is_refused():
    with pytest.raises(SettingError, match=r"'level' of an interval score must be in \(0, 1\), got 95"):
        of.interval_score([0], [1], [0.5], 95)


# randomised PIT


def test_randomised_pit_of_a_right_distribution_is_uniform():
    rng = np.random.default_rng(3)
    y = rng.poisson(4, size=5000)
    pit = of.randomised_pit(stats.poisson.cdf(y - 1, 4), stats.poisson.cdf(y, 4), rng.random(5000))
    assert stats.kstest(pit, "uniform").pvalue > 0.01


def test_pit_of_claimed_quantiles_is_nearly_uniform_when_they_are_right():
    rng = np.random.default_rng(4)
    tau = of.quantile_levels([0.5, 0.8, 0.95], median=True)
    y = rng.poisson(60, size=4000)
    q = np.tile(stats.norm.ppf(tau, 60, 60**0.5), (4000, 1))
    shares = np.histogram(of.pit_of_quantiles(q, tau, y, rng.random(4000)), bins=[0, 0.025, 0.25, 0.5, 0.75, 0.975, 1])[
        0
    ]
    assert shares / 4000 == pytest.approx([0.025, 0.225, 0.25, 0.25, 0.225, 0.025], abs=0.025)


def test_pit_beyond_the_outermost_quantile_lies_in_that_tail():
    tau = [0.025, 0.975]
    low, high = of.pit_of_quantiles([[10, 20], [10, 20]], tau, [2, 31], [0.5, 0.5])
    assert low == pytest.approx(0.0125) and high == pytest.approx(0.9875)


def test_pit_of_optimistic_claims_of_a_count_is_high():
    pit = of.pit_of_quantiles([[2, 4]] * 3, [0.025, 0.975], [5, 6, 9], [0.1, 0.5, 0.9])
    assert (pit > 0.97).all()
