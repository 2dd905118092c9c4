"""Means of nested rows: the formulas, statsmodels, and what is said when nothing can be."""

import numpy as np
import pytest
from scipy import stats

from trueness.errors import DataError, SettingError
from trueness.statistics import mean


def rng(seed=0):
    return np.random.default_rng(seed)


def nested(clusters=8, rows=5, seed=1):
    r = rng(seed)
    labels = np.repeat([f"task {k}" for k in range(clusters)], rows)
    return r.normal(size=clusters).repeat(rows) + r.normal(size=clusters * rows), labels


def test_the_clustered_error_is_statsmodels():
    import statsmodels.api as sm

    x, labels = nested()
    codes = np.unique(labels, return_inverse=True)[1]
    fit = sm.OLS(x, np.ones(len(x))).fit(cov_type="cluster", cov_kwds={"groups": codes, "use_correction": True})
    # its correction is C/(C-1) (n-1)/(n-k) with k = 1: the same
    assert mean(x, labels).se == pytest.approx(float(fit.bse[0]))


def test_two_ways_are_statsmodels_two_ways():
    import statsmodels.api as sm
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    r = rng(3)
    model, task = (axis.ravel() for axis in np.indices((7, 9)))
    x = r.normal(size=7)[model] + r.normal(size=9)[task] + r.normal(size=63)
    fit = sm.OLS(x, np.ones(63)).fit()
    both, by_model, by_task = cov_cluster_2groups(fit, model, task, use_correction=True)
    assert mean(x, model, task).se == pytest.approx(float(np.sqrt(both[0, 0])), rel=1e-6)
    assert both[0, 0] > max(by_model[0, 0], by_task[0, 0])


def test_without_clusters_it_is_the_t_interval_of_scipy():
    x = rng(4).normal(size=12)
    low, high = stats.t.interval(0.95, 11, x.mean(), stats.sem(x))
    found = mean(x).interval
    assert (found.low, found.high) == pytest.approx((low, high))


def test_bell_mccaffrey_by_matrices():
    from trueness.statistics.clusters import reference

    sizes = np.array([1.0, 3.0, 8.0, 11.0, 2.0, 5.0])
    w = sizes / sizes.sum()
    m = np.diag(w) @ (np.eye(6) - np.ones((6, 1)) @ w[None, :])
    trace, square = np.trace(m @ m.T), np.trace(m @ m.T @ m @ m.T)
    found = reference(sizes)
    assert found.df == pytest.approx(trace**2 / square)
    assert found.factor == pytest.approx(np.sqrt((w**2).sum() / (6 / 5 * trace)))


def test_values_that_do_not_vary_are_a_constant_without_an_interval():
    found = mean(np.full(20, 0.1 + 0.2), np.repeat(range(5), 4))
    assert found.constant and found.interval is None and found.value == 0.1 + 0.2
    assert "Every value is the same: a constant" in found.sentence()
    alike = mean(np.tile([0.0, 1.0], 5), np.repeat(range(5), 2))  # clusters are what was drawn
    assert alike.constant and alike.interval is None and "cluster has the same mean" in alike.sentence()
    assert not mean([0.1, 0.2, 0.4]).constant


def test_the_interval_of_a_bounded_mean_lies_within_its_bounds():
    values = [0.0, 0.0, 0.9]
    wild = mean(values).interval
    assert wild.low < 0 and wild.high > 1
    found = mean(values, bounds=(0.0, 1.0)).interval
    assert (found.low, found.high) == (0, 1)
    assert mean(values, bounds=(0.0, None)).interval.high == wild.high


def test_missing_values_are_counted_and_never_zero():
    x, labels = nested()
    x[3] = np.nan
    found = mean(x, labels)
    assert (found.n, found.n_missing) == (39, 1) and found.value == pytest.approx(np.nanmean(x))
    assert "1 missing" in str(found)


def test_one_cluster_has_a_mean_and_no_interval():
    found = mean([1.0, 2.0, 4.0], ["a", "a", "a"])
    assert found.interval is None and found.value == pytest.approx(7 / 3)
    assert "one cluster" in str(found)
    assert mean([1.0]).interval is None
    assert mean([np.nan]).value is None and mean([]).n == 0


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"values": [1.0, np.inf]}, DataError, "must be finite"),
        ({"values": [[1.0, 2.0]]}, DataError, "one dimension"),
        ({"values": ["x", "y"]}, DataError, "must be numbers"),
        ({"clusters": ["a"]}, DataError, "one label a row"),
        ({"clusters": ["a", None]}, DataError, "for every row"),
        ({"level": 95}, SettingError, "'level' must be in"),
        ({"second": ["a", "b"]}, DataError, "needs 'clusters'"),
    ],
)
def test_wrong_input_is_refused_in_one_line(change, error, message):
    with pytest.raises(error, match=message):
        mean(**({"values": [1.0, 2.0]} | change))
