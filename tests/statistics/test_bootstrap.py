"""The bootstrap of means: the same numbers as scipy's, for all columns at once."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats
from tests.each import each

from trueness.intervals import Interval
from trueness.statistics.runs import bootstrap_means


def rng(seed=0):
    return np.random.default_rng(seed)


def ends(intervals):
    return np.array([(i.low, i.high) for i in intervals])


def test_the_intervals_are_scipys_within_monte_carlo_error():
    values = np.column_stack([rng(1).normal(size=60), rng(2).exponential(size=60), rng(3).integers(0, 3, 60)])
    ours = ends(bootstrap_means(values, resamples=20_000, rng=rng()))
    for column, (low, high) in zip(values.T, ours, strict=True):
        peer = stats.bootstrap((column,), np.mean, method="percentile", n_resamples=20_000, random_state=9)
        # sd of a 2.5 % quantile of R normal numbers is .0189 se at R = 20,000; two of them differ by .027 se
        tolerance = 5 * 0.027 * column.std(ddof=1) / np.sqrt(60)
        assert (low, high) == pytest.approx(tuple(peer.confidence_interval), abs=tolerance)


def test_two_values_give_the_distribution_that_can_be_written_down():
    # the mean of a resample of {0, 1} is 0, 1/2, 1 with probability 1/4, 1/2, 1/4
    assert bootstrap_means([0.0, 1.0], level=0.95, rng=rng()) == [Interval(0, 1, 0.95, "mean")]
    assert bootstrap_means([0.0, 1.0], level=0.40, rng=rng()) == [Interval(0.5, 0.5, 0.40, "mean")]


@each("level", [0.1, 0.5, 0.8, 0.999])
@each("resamples", [1, 2, 7, 999, 3000])
def test_the_tails_are_numpys_quantiles_of_the_same_resamples(level, resamples):
    values = rng(4).standard_t(2, size=(25, 3))
    found = ends(bootstrap_means(values, level, resamples, rng=rng()))
    # a level close to 1 shows the smallest and the greatest of the same resampled means
    widest = ends(bootstrap_means(values, 1 - 1e-12, resamples, rng=rng()))
    assert (found[:, 0] >= widest[:, 0] - 1e-9).all() and (found[:, 1] <= widest[:, 1] + 1e-9).all()
    # the documented stream: a seed from rng, then one generator for each n
    counts_rng = np.random.default_rng([int(rng().integers(2**63)), 25])
    drawn = counts_rng.integers(25, size=(resamples, 25), dtype=np.uint16)
    tail = (1 - level) / 2
    assert found == pytest.approx(np.quantile(values[drawn].mean(axis=1), [tail, 1 - tail], axis=0).T)


def test_another_column_in_the_table_changes_nothing():
    values = rng(7).normal(size=(40, 6))
    alone = ends(bootstrap_means(values[:, 2], rng=rng()))
    assert ends(bootstrap_means(values, rng=rng()))[2] == pytest.approx(alone[0], rel=1e-12)


def test_a_column_with_missing_runs_is_the_column_of_the_others():
    values = rng(8).normal(size=(40, 3))
    values[[3, 17, 30], 1] = np.nan
    values[5, 2] = np.nan
    found = ends(bootstrap_means(values, rng=rng()))
    for k in range(3):
        column = values[:, k][~np.isnan(values[:, k])]
        assert found[k] == pytest.approx(ends(bootstrap_means(column, rng=rng()))[0], rel=1e-12)


def test_fewer_than_two_values_have_no_interval():
    nan = np.nan
    found = bootstrap_means([[1.0, nan, nan, 1.0], [2.0, 5.0, nan, nan], [4.0, nan, nan, 2.0]], rng=rng())
    assert [i is None for i in found] == [False, True, True, False]
    assert bootstrap_means(np.empty((0, 2)), rng=rng()) == [None, None]
    assert bootstrap_means(np.empty((5, 0)), rng=rng()) == []


# written out, the counts of the first would take 400 MB and the means of the second 240 MB
@pytest.mark.parametrize(("n", "m", "resamples"), [(5000, 2, 10_000), (10, 3000, 10_000)])
def test_memory_stays_bounded(n, m, resamples):
    values = rng(9).normal(size=(n, m))
    tracemalloc.start()
    bootstrap_means(values, resamples=resamples, rng=rng())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
