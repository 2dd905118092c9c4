"""K +- 5: the original's verdicts, and none where the interval over seeds spans two."""

import numpy as np
import pytest

from trueness.graphs import Graph
from trueness.studies.robustness.plateau import plateau, plateau_over_seeds, verdict_of
from trueness.studies.robustness.sensitivity import sensitivity_curve

LETTERS = "abcdefghijkl"


@pytest.mark.parametrize(
    ("f1_range", "verdict"),
    [(0.0, "stable"), (0.099, "stable"), (0.1, "moderate"), (0.2, "moderate"), (0.21, "sensitive")],
)
def test_verdicts_are_the_originals(f1_range, verdict):
    assert verdict_of(f1_range) == verdict


def chain(d=12):
    return Graph.from_edges([f"{a} -> {b}" for a, b in zip(LETTERS, LETTERS[1:d], strict=False)], LETTERS[:d], "dag")


def test_the_range_around_k_is_the_spread_of_f1_within_five():
    truth = chain()
    curve = sensitivity_curve(truth.directed * 2.0 + np.random.default_rng(0).random((12, 12)), truth)
    found = plateau(curve, 11)
    assert (found.low, found.high, found.f1) == (6, 16, 1.0)
    assert found.range == pytest.approx(1 - 12 / 17)  # K = 6: 2 x 6 / (6 + 11)
    assert found.verdict == "sensitive" and "sensitive" in str(found)


def test_the_range_ends_where_the_curve_ends():
    truth = Graph.from_edges(["a -> b"], tuple("abc"), "dag")
    assert (plateau(sensitivity_curve(np.ones((3, 3)), truth), 2).low, 6) == (1, 6)


def test_the_range_over_seeds_has_an_interval_and_no_verdict_where_it_spans_two():
    truth = chain()
    curves = [
        sensitivity_curve(truth.directed + (0.5 + seed / 10) * np.random.default_rng(seed).random((12, 12)), truth)
        for seed in range(10)
    ]
    found = plateau_over_seeds(curves, 11)
    low, high = found.interval.low, found.interval.high
    assert low < found.range.value < high and found.range.n == 10 and len(found.each) == 10
    assert found.verdict == (verdict_of(low) if verdict_of(low) == verdict_of(high) else None)
    one = plateau_over_seeds(curves[:1], 11)
    assert one.interval is None and one.verdict == one.each[0]  # no spread: it is that curve's
