"""The AUC of few values: a value without an interval; from four clusters a group on at most 5 % false alarms."""

import itertools

import numpy as np
import pytest

from trueness.statistics import auc, cliffs_delta

DRAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "three values": lambda rng, n: rng.integers(3, size=n) / 2,
    "nearly all 1": lambda rng, n: (rng.random(n) < 0.8) * 1.0,
}


def false_alarms(rng, draw, n, m, times):
    ends = [auc(draw(rng, n), draw(rng, m)).interval for _ in range(times)]
    return sum(one is not None and not one.low <= 0.5 <= one.high for one in ends) / times


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_of_noise_few_intervals_exclude_one_half(draw):
    rng = np.random.default_rng(3)
    for n, m in itertools.product(range(1, 9, 1), (1, 2, 3, 4, 8, 40)):
        assert false_alarms(rng, draw, n, m, 60) <= 0.05 + 3 * (0.05 * 0.95 / 60) ** 0.5


@pytest.mark.parametrize("rows", [1, 4])
def test_rows_of_few_clusters_are_few(rows):
    rng, alarms = np.random.default_rng(4), []
    for clusters in (2, 3, 4, 5, 6, 8):
        labels = np.arange(clusters).repeat(rows)
        for _ in range(40):
            scores = rng.normal(size=clusters).repeat(rows) + 0.1 * rng.normal(size=clusters * rows)
            right = labels < clusters // 2
            found = auc(scores[right], scores[~right], (list(labels[right]), list(labels[~right]))).interval
            alarms.append(found is not None and not found.low <= 0.5 <= found.high)
    assert np.mean(alarms) <= 0.05


def test_rare_values_are_no_certainty():
    """Four that are all 1 beside a hundred of which ninety are 1."""
    found = auc([1.0] * 4, [1.0] * 90 + [0.0] * 10)
    assert found.interval.low <= 0.5 < found.value and "Widened" in found.notes[-1]


def test_it_is_half_of_the_delta_moved_up():
    rng = np.random.default_rng(5)
    a, b = rng.normal(1, 1, 20), rng.normal(0, 1, 30)
    found, delta = auc(a, b), cliffs_delta(a, b)
    assert found.value == (delta.value + 1) / 2
    assert found.interval.low == (delta.interval.low + 1) / 2


def test_few_have_a_value_and_the_reason_why_there_is_no_interval():
    found = auc([1, 1], [0])
    assert (found.value, found.interval) == (1.0, None)
    assert found.notes == ("2 and 1 clusters hold the two groups; an interval needs 4 each.",)
    found = auc([1.0] * 12, [0.0] * 12, (["x"] * 6 + ["y"] * 6, ["z"] * 12))  # 24 rows, 3 clusters
    assert found.interval is None and "2 and 1 clusters" in found.notes[-1]
    assert auc([], [1.0]).value is None
