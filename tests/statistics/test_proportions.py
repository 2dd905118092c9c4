"""Wilson's interval: known values, its defining equation, coverage, and what it refuses."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtri

from trueness.errors import SettingError
from trueness.statistics.proportions import wilson


@given(st.integers(1, 1000), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_it_is_scipys(n, share, level):
    successes = round(share * n)
    peer = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    interval = wilson(successes, n, level)
    assert (interval.low, interval.high) == pytest.approx((peer.low, peer.high), abs=1e-12)
    assert interval.of == "mean" and interval.level == level


def test_never_and_always_have_an_exact_end_and_a_width():
    never, always = wilson(0, 10), wilson(10, 10)
    assert never.low == 0.0 and never.high == pytest.approx(ndtri(0.975) ** 2 / (10 + ndtri(0.975) ** 2))
    assert always.high == 1.0 and always.low < 1


@given(st.integers(1, 3000), st.floats(0, 1), st.floats(0.01, 0.999))
def test_it_holds_the_share_and_stays_within_0_and_1(n, share, level):
    successes = round(share * n)
    interval = wilson(successes, n, level)
    assert 0 <= interval.low <= successes / n <= interval.high <= 1


@given(st.integers(1, 500), st.floats(0, 1))
def test_its_ends_are_where_the_score_test_just_rejects(n, share):
    successes = round(share * n)
    interval, z, p = wilson(successes, n, 0.9), ndtri(0.95), successes / n
    for end in (interval.low, interval.high):
        if 0 < end < 1:
            assert abs(p - end) == pytest.approx(z * math.sqrt(end * (1 - end) / n), rel=1e-6, abs=1e-9)


@given(st.integers(1, 300), st.floats(0, 1))
def test_failures_mirror_successes(n, share):
    successes = round(share * n)
    one, other = wilson(successes, n), wilson(n - successes, n)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-12)


@pytest.mark.parametrize("p", [0.02, 0.1, 0.5, 0.9])
def test_it_covers_close_to_its_level(p):
    n = 100
    covered = sum(stats.binom.pmf(k, n, p) for k in range(n + 1) if wilson(k, n).contains(p))
    assert 0.92 < covered < 0.985


def test_nonsense_is_refused():
    for successes, n in ((3, 2), (-1, 5), (0, 0)):
        with pytest.raises(SettingError, match="'successes' must be between 0 and the number of trials"):
            wilson(successes, n)
    with pytest.raises(SettingError, match="'level' of a proportion must be in"):
        wilson(1, 2, 1.0)
