"""Summaries of runs: the mean and the range are different things, and neither is known exactly."""

import numpy as np
import pytest
from scipy import stats

from trueness.errors import DataError
from trueness.statistics.runs import expected_content, quantile_bounds, range_note, settling, summarise_columns


def rng(seed=0):
    return np.random.default_rng(seed)


def summarise_runs(values, statuses=None, **settings):
    reasons = None if statuses is None else np.array(statuses, dtype=object)[:, None]
    return summarise_columns(np.asarray(values, dtype=float), reasons, **settings)[0]


def test_the_numbers_are_numpys():
    x = rng(1).beta(5, 3, size=100)
    found = summarise_runs(x, rng=rng())
    assert found.n == 100 and found.n_missing == 0
    assert found.mean == pytest.approx(x.mean())
    assert found.std == pytest.approx(x.std(ddof=1))
    assert (found.median, found.min, found.max) == pytest.approx((np.median(x), x.min(), x.max()))
    assert (found.runs.low, found.runs.high) == pytest.approx(tuple(np.quantile(x, [0.025, 0.975])))
    assert (found.runs.of, found.ci.of) == ("run", "mean")
    assert found.ci.low <= found.mean <= found.ci.high and not found.degenerate


@pytest.mark.parametrize(("n", "level"), [(10, 0.95), (30, 0.95), (60, 0.95), (30, 0.8)])
def test_what_is_said_of_a_range_of_few_runs_is_what_it_holds(n, level):
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(rng(4).random((20_000, n)), tails, axis=1)
    held = float(np.mean(high - low))  # of uniform runs
    assert expected_content(n, level) == pytest.approx(held, abs=0.003)
    low, high = np.quantile(rng(5).normal(size=(20_000, n)), tails, axis=1)
    assert float(np.mean(stats.norm.cdf(high) - stats.norm.cdf(low))) == pytest.approx(held, abs=0.02)
    told = (
        f"A range of {n} runs holds about {100 * expected_content(n, level):.0f} % of new runs, not {100 * level:g} %."
    )
    found = summarise_runs(rng(6).random(n), level=level, rng=rng())
    assert range_note([n], level) == told
    assert found.to_row()["run_content"] == expected_content(n, level)


def test_a_range_of_a_hundred_runs_stands_without_a_note():
    assert range_note([100, 200]) == range_note([]) == range_note([0, 1]) == ""
    assert range_note([12, 30, 1]) == "Ranges of 12 to 30 runs hold about 80 to 89 % of new runs, not 95 %."
    assert range_note([30]) == "A range of 30 runs holds about 89 % of new runs, not 95 %."
    assert summarise_runs(np.full(30, 0.5), rng=rng()).to_row()["run_content"] is None


def test_the_runs_settle_in_steps_that_are_summaries_of_the_first_runs():
    x = np.append(np.full(9, np.nan), rng(2).normal(size=91))
    (rows,) = settling(x, rng=rng())
    assert [(row["runs"], row["n"]) for row in rows] == [(10, 1), (20, 11), (30, 21), (50, 41), (100, 91)]
    alone = summarise_columns(x[:30], rng=rng())[0]
    assert (rows[2]["mean"], rows[2]["run_lower"]) == pytest.approx((alone.mean, alone.runs.low))
    assert rows[2]["half_width"] == pytest.approx(alone.ci.width / 2) and rows[0]["half_width"] is None


# ---- confidence intervals of the quantiles


@pytest.mark.parametrize(("n", "bounded"), [(145, False), (146, True)])
def test_the_lower_bound_of_a_2_5_percent_quantile_needs_146_runs(n, bounded):
    low, high = quantile_bounds(np.arange(1, n + 1), 0.025)
    assert (low is not None) is bounded
    assert high is not None


@pytest.mark.parametrize(("n", "p"), [(30, 0.5), (100, 0.025), (200, 0.025), (200, 0.975), (400, 0.9)])
def test_quantile_bounds_cover_as_often_as_the_binomial_says_and_never_less_than_the_level(n, p):
    x = np.sort(rng(4).exponential(size=(4000, n)), axis=1)
    truth = stats.expon.ppf(p)
    low, high = quantile_bounds(np.arange(1, n + 1), p)  # the ranks themselves
    r, s = int(low or 0), int(high or n + 1)
    exact = stats.binom.cdf(s - 1, n, p) - stats.binom.cdf(r - 1, n, p)
    padded = np.column_stack([np.full(len(x), -np.inf), x, np.full(len(x), np.inf)])
    covered = ((padded[:, r] <= truth) & (truth <= padded[:, s])).mean()
    assert exact >= 0.95
    assert covered == pytest.approx(exact, abs=4 * np.sqrt(0.05 * 0.95 / len(x)))


# ---- missing and degenerate


def test_no_run_with_a_value_summarises_to_nothing():
    found = summarise_runs([np.nan, np.nan], ["failed", "timed_out"], rng=rng())
    assert found.n == 0 and found.n_missing == 2 and dict(found.missing) == {"failed": 1, "timed_out": 1}
    assert (found.mean, found.std, found.ci, found.median, found.min, found.max, found.runs) == (None,) * 7
    assert not found.degenerate


def test_equal_runs_keep_their_intervals_of_no_width_and_say_so():
    found = summarise_runs(np.full(100, 0.1 + 0.2), rng=rng())
    assert found.degenerate and found.ci.degenerate and found.runs.degenerate
    assert found.mean == found.runs.low == found.ci.high == 0.1 + 0.2 and found.std == 0


def test_missing_runs_are_counted_and_never_zero():
    x = np.array([0.5, np.nan, 0.7, np.nan, 0.6])
    found = summarise_runs(x, ["ok", "failed", "ok", "degenerate", "ok"], rng=rng())
    assert found.n == 3 and found.mean == pytest.approx(0.6)
    assert dict(found.missing) == {"failed": 1, "degenerate": 1}


@pytest.mark.parametrize(("value", "status"), [(np.nan, "ok"), (0.0, "failed")])
def test_a_value_and_its_status_must_agree(value, status):
    with pytest.raises(DataError, match=f"run 1 of column 0 with status {status}"):
        summarise_runs([1.0, value], ["ok", status], rng=rng())


# ---- tables and rows
