"""How many runs are enough."""

import numpy as np
import pytest

from trueness.statistics.convergence import convergences
from trueness.statistics.runs import summarise_columns


def rng(seed=0):
    return np.random.default_rng(seed)


def convergence(values, **settings):
    (only,) = convergences(np.asarray(values, dtype=float)[:, None], **settings)
    return only


def test_the_checkpoints_grow_to_all_runs():
    x = rng(1).normal(size=250)
    assert [c.runs for c in convergence(x, rng=rng()).checkpoints] == [10, 20, 30, 50, 100, 200, 250]
    assert [c.runs for c in convergence(x[:100], rng=rng()).checkpoints] == [10, 20, 30, 50, 100]
    assert [c.runs for c in convergence(x[:7], rng=rng()).checkpoints] == [7]
    assert [c.runs for c in convergence(x, at=[40, 5], rng=rng()).checkpoints] == [5, 40]


def test_a_checkpoint_is_the_summary_of_the_first_runs():
    x = rng(2).normal(size=100)
    point = convergence(x, rng=rng()).checkpoints[2]
    alone = summarise_columns(x[:30], rng=rng())[0]
    assert (point.runs, point.n, point.mean) == (30, 30, pytest.approx(alone.mean))
    assert point.range == alone.runs
    assert (point.ci.low, point.ci.high) == pytest.approx((alone.ci.low, alone.ci.high))
    assert point.half_width == pytest.approx(alone.ci.width / 2)


def test_the_verdict_says_how_many_runs_are_needed():
    x = rng(4).normal(0.6, 0.1, size=100)
    found = convergence(x, half_width=0.01, rng=rng())
    assert found.verdict == str(found)
    assert f"a half width of 0.01 needs about {found.runs_needed(0.01)} runs" in found.verdict
    assert 300 < found.runs_needed(0.01) < 500  # (1.96 x 0.1 / 0.01)^2 = 384
    assert "the half width of 0.1 is reached" in convergence(x, half_width=0.1, rng=rng()).verdict
    assert "needs about 400 runs" in convergence(x, rng=rng()).verdict


def test_missing_runs_are_not_counted_as_runs():
    x = rng(5).normal(size=40)
    x[:9] = np.nan
    found = convergence(x, rng=rng())
    assert [(c.runs, c.n) for c in found.checkpoints] == [(10, 1), (20, 11), (30, 21), (40, 31)]
    assert found.checkpoints[0].half_width is None
    nothing = convergence([np.nan, np.nan], rng=rng())
    assert nothing.verdict == "0 of 2 runs have a value: nothing can be said about convergence."
    assert nothing.to_rows()[0]["ci_lower"] is None
