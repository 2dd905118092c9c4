"""The AUC of few values: a value without an interval; from four clusters a group on at most 5 % false alarms."""

import itertools

import numpy as np
import pytest

from trueness.statistics import auc

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


def test_rare_values_are_no_certainty():
    """Four that are all 1 beside a hundred of which ninety are 1."""
    found = auc([1.0] * 4, [1.0] * 90 + [0.0] * 10)
    assert found.interval.low <= 0.5 < found.value and "Widened" in found.notes[-1]


def test_few_have_a_value_and_the_reason_why_there_is_no_interval():
    found = auc([1, 1], [0])
    assert (found.value, found.interval) == (1.0, None)
    assert found.notes == ("2 and 1 clusters hold the two groups; an interval needs 4 each.",)
    found = auc([1.0] * 12, [0.0] * 12, (["x"] * 6 + ["y"] * 6, ["z"] * 12))  # 24 rows, 3 clusters
    assert found.interval is None and "2 and 1 clusters" in found.notes[-1]
    assert auc([], [1.0]).value is None
