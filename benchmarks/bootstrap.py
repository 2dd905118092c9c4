"""The bootstrap of a whole study against scipy's: 24 cells x 4 measures x 100 runs, 10,000 resamples.

scipy.stats.bootstrap(method="percentile") is called as it is documented, once a sample (96 calls), which is also
what a study needs whose cells have different numbers of good runs; and, for comparison, once for all with `axis`,
which shares its resamples as we do. What is left there is the product of counts and values: a third of our time.
"""

import harness  # first: it sets the number of threads
import numpy as np
from scipy import stats

from trueness.statistics.runs import bootstrap_means

SAMPLES, RUNS, RESAMPLES = 24 * 4, 100, 10_000


def ours(values):
    found = bootstrap_means(values, resamples=RESAMPLES, rng=np.random.default_rng(1))
    return np.array([(interval.low, interval.high) for interval in found])


def scipys(values):
    # `random_state` is `rng` in newer versions, which take both
    how = {"method": "percentile", "vectorized": True, "n_resamples": RESAMPLES, "random_state": 2, "axis": 0}
    interval = stats.bootstrap((values,), np.mean, **how).confidence_interval
    return np.column_stack([interval.low, interval.high])


def main():
    options = harness.options(__doc__)
    values = np.random.default_rng(0).beta(5, 3, size=(RUNS, SAMPLES))
    # the call with `axis` writes 0.77 GB; it goes first, in fresh memory, which is the best that it can do
    at_once = harness.median_seconds(lambda: scipys(values), options.repeats)
    each = harness.median_seconds(lambda: [scipys(column) for column in values.T], max(1, options.repeats // 2))
    mine = harness.median_seconds(lambda: ours(values), options.repeats)
    error = values.std(axis=0, ddof=1)[:, None] / np.sqrt(RUNS)
    apart = np.abs((ours(values) - scipys(values)) / error).max()
    lines = [
        harness.Line("96 samples x 10,000 resamples", mine, 30, "scipy, one call a sample", each),
        harness.Line("the same", mine, None, "scipy, one call with axis", at_once),
    ]
    harness.finish("bootstrap", lines, (f"the ends differ by at most {apart:.2f} standard errors",), options.json)


if __name__ == "__main__":
    main()
