"""The bootstrap of a whole study against scipy's: 24 cells x 4 measures x 100 runs, 10,000 resamples.

    python benchmarks/bootstrap.py [--json] [--repeats 5]

scipy.stats.bootstrap(method="percentile", vectorized=True) is called in the two ways a user would: once a sample
(96 calls), and once for all of them with `axis`. The ratio is against the faster one. One process, one thread, median
of repeats after a warm-up. The call with `axis` writes 0.77 GB of resamples and is two to four times slower in a
process whose memory is used up in pieces; it goes first, which is the best that it can do.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy reads it

import argparse
import json
import statistics
import time
from collections.abc import Callable

import numpy as np
from scipy import stats

from assay.statistics import bootstrap_means

CELLS, MEASURES, RUNS, RESAMPLES, TARGET = 24, 4, 100, 10_000, 30


def ours(values: np.ndarray) -> np.ndarray:
    found = bootstrap_means(values, resamples=RESAMPLES, rng=np.random.default_rng(1))
    return np.array([(i.low, i.high) for i in found if i is not None])


def scipy_each(values: np.ndarray) -> np.ndarray:
    return np.array([scipy_bootstrap(column, axis=0) for column in values.T])


def scipy_at_once(values: np.ndarray) -> np.ndarray:
    return np.column_stack(scipy_bootstrap(values, axis=0))


def scipy_bootstrap(values: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    result = stats.bootstrap(
        (values,),
        np.mean,
        axis=axis,
        vectorized=True,
        method="percentile",
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(2),
    )
    return result.confidence_interval.low, result.confidence_interval.high


def seconds(call: Callable[[np.ndarray], np.ndarray], values: np.ndarray) -> float:
    start = time.perf_counter()
    call(values)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()

    values = np.random.default_rng(0).beta(5, 3, size=(RUNS, CELLS * MEASURES))
    ends, median = {}, {}
    for name, call in {"at_once": scipy_at_once, "each": scipy_each, "ours": ours}.items():
        ends[name] = call(values)
        median[name] = statistics.median(seconds(call, values) for _ in range(options.repeats))
    peer = min(median["each"], median["at_once"])
    se = values.std(axis=0, ddof=1)[:, None] / np.sqrt(RUNS)
    result = {
        "benchmark": "bootstrap",
        "ours_s": median["ours"],
        "peer_s": peer,
        "ratio": peer / median["ours"],
        "target": TARGET,
        "pass": peer / median["ours"] >= TARGET,
        "peer_each_s": median["each"],
        "ratio_each": median["each"] / median["ours"],
        "peer_at_once_s": median["at_once"],
        "ratio_at_once": median["at_once"] / median["ours"],
        "greatest_difference_in_se": float(np.abs((ends["ours"] - ends["at_once"]) / se).max()),
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"{CELLS * MEASURES} samples of {RUNS} runs, {RESAMPLES:,} resamples, median of {options.repeats}")
    print(f"  {'assay bootstrap_means':<36}{median['ours']:8.3f} s")
    for name, title in (("each", "scipy, one call a sample"), ("at_once", "scipy, one call with axis")):
        print(f"  {title:<36}{median[name]:8.3f} s{median[name] / median['ours']:8.1f} x")
    verdict = "reached" if result["pass"] else "not reached"
    print(f"  target {TARGET} x against the faster: {verdict} ({result['ratio']:.1f} x)")
    print(f"  the ends differ by at most {result['greatest_difference_in_se']:.2f} standard errors (Monte Carlo)")


if __name__ == "__main__":
    main()
