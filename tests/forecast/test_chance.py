"""The random baseline's closed forms against a million draws."""

import numpy as np
import pytest

from tests.each import each
from tests.forecast.truths import claim, claims, truth, truths
from trueness.intervals import Interval
from trueness.measures import interval_scores as of
from trueness.studies.forecast import scores
from trueness.studies.forecast.frames import RANDOM

DRAWS = 1_000_000


@pytest.fixture(scope="module")
def drawn():
    low, high = np.sort(np.random.default_rng(7).random((2, DRAWS)), axis=0)
    return low, high


def mean_of(values):
    """(mean, four standard errors)."""
    values = np.asarray(values, dtype=float)
    return values.mean(), 4 * values.std() / DRAWS**0.5 + 1e-12


@each("t", [0.0, 0.07, 0.5, 0.83, 1.0])
def test_coverage_of_a_truth(drawn, t):
    share, error = mean_of(of.covers(*drawn, t))
    assert scores.expected_coverage(t) == pytest.approx(share, abs=error)


@each("level", [0.5, 0.95])
@each("y", [0.0, 0.3, 0.9, 1.4])
def test_interval_score(drawn, y, level):
    score, error = mean_of(of.interval_score(*drawn, [y], level)[:, 0])
    assert scores.expected_interval_score(y, level) == pytest.approx(score, abs=error)


@pytest.mark.parametrize("interval", [(0.2, 0.9), (0.61, 0.64), (0.0, 1.0)])
def test_overlaps_and_widths_against_an_interval(drawn, interval):
    a, b = interval
    found = scores.expected_versus(Interval(a, b, 0.95, "run"), 1.0, 1 / 8)
    draws = {
        "overlaps": of.intersects(*drawn, a, b),
        "covers": of.contains(*drawn, a, b),
        "inside": of.contains(a, b, *drawn),
        "fraction": of.coverage_fraction(*drawn, a, b),
        "calibration": of.calibration_score(*drawn, a, b),
        "log_width_ratio": of.log_width_ratio(*drawn, a, b, 1 / 8),
    }
    for name, values in draws.items():
        value, error = mean_of(values)
        assert found[name] == pytest.approx(value, abs=error), name
    assert found["iou"] == pytest.approx(of.iou(*drawn, a, b).mean(), abs=1e-3)


def test_an_shd_is_scored_on_its_own_scale(drawn):
    measured = truth([3, 5, 5, 8, 11], "shd", upper=28.0)
    low, high = (28 * ends for ends in drawn)
    row = scores.score_claims(claims(claim(9, 19, measure="shd", respondent=RANDOM)), truths(measured)).iloc[0]
    score, error = mean_of(of.interval_score(low, high, measured.runs, 0.95).mean(axis=1))
    assert row["interval_score"] == pytest.approx(score, abs=error)
    assert row["width"] == pytest.approx(28 / 3)
    assert row["coverage_runs"] == pytest.approx(of.coverage_of_runs(low, high, measured.runs).mean(), abs=2e-3)
    assert row["bias"] == pytest.approx(6.4 - 14)  # too many wrong edges expected: pessimistic
