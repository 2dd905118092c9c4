"""The statistics that must stay quick on large tables: Cliff's delta of 10^6 values.

Cliff's delta: two samples of 10^6, its value and its interval, in under 1 s and 1 GB. The double loop would need 10^12
comparisons; scipy's Mann-Whitney U, which gives the value by ranks but no interval, stands beside it.
"""

import resource
import sys
import tracemalloc

import harness  # first: it sets the number of threads
import numpy as np
from scipy import stats

from trueness.statistics import cliffs_delta

VALUES = 10**6
GIGABYTE = 1e9


def main():
    options = harness.options(__doc__)
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.1, 1, VALUES), rng.normal(0, 1, VALUES)
    delta = harness.median_seconds(lambda: cliffs_delta(a, b), options.repeats)
    ranks = harness.median_seconds(lambda: stats.mannwhitneyu(a, b), 1)
    tracemalloc.start()
    found = cliffs_delta(a, b)
    peak = tracemalloc.get_traced_memory()[1] + a.nbytes + b.nbytes
    tracemalloc.stop()
    apart = abs(found.value - (2 * stats.mannwhitneyu(a, b).statistic / VALUES**2 - 1))

    lines = [
        harness.Line("Cliff's delta, 10^6 against 10^6", delta, 1.0, limit=True),
        harness.Line("the same", delta, None, "scipy's U, no interval", ranks),
    ]
    notes = (
        f"memory of Cliff's delta with its samples {peak / 1e6:.0f} MB (limit 1000 MB); whole process "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB",
        f"delta differs from 2U/nm - 1 of scipy by {apart:.1e}",
    )
    if peak > GIGABYTE:
        sys.exit(f"Cliff's delta used {peak / 1e6:.0f} MB; the limit is 1000 MB.")
    harness.finish("large samples", lines, notes, options.json)


if __name__ == "__main__":
    main()
