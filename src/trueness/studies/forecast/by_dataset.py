"""A number a study, from one number a data set: the mean over data sets, its interval, and the exact test.

    v_d = mean of the values on data set d,   estimate = (1/D) sum_d v_d,   interval = estimate -+ t_{D-1} s / sqrt(D)
    p   = share of the 2^D sign patterns of v_d - null whose mean is at least as far out

Each data set has the same weight, however many claims it holds: it is what was drawn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from trueness.statistics import estimates, sign_flip
from trueness.statistics.clusters import Totals
from trueness.statistics.result import UNBOUNDED, Alternative, Bounds, Estimate
from trueness.statistics.sign_flip import RESAMPLES


def over_datasets(
    values: ArrayLike,
    datasets: ArrayLike,
    name: str,
    null: float | None = None,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    within: Bounds = UNBOUNDED,
) -> Estimate:
    """values: (n,), NaN where missing; datasets: (n,). With `null` the sign-flip p of that mean stands beside.

    within: what the mean can be at all; an interval of t is cut to it.
    """
    column = np.asarray(values, dtype=np.float64)
    codes, labels = pd.factorize(np.asarray(datasets))
    there = ~np.isnan(column)
    sizes = np.bincount(codes[there], minlength=len(labels)).astype(np.float64)
    sums = np.bincount(codes[there], weights=column[there], minlength=len(labels))
    means = sums[sizes > 0] / sizes[sizes > 0]
    estimate = replace(
        estimates.mean(means, level=level, name=name, bounds=within),
        n=int(there.sum()), n_missing=int((~there).sum()), method="t",
    )  # fmt: skip
    if null is None or len(means) == 0:
        return estimate
    flips = sign_flip.flips(
        Totals(tuple(range(len(means))), means, np.ones(len(means))), RESAMPLES, np.random.default_rng(0)
    )
    test = ("exact " if flips.exact else "") + f"{flips.test} over data sets, {_SIDED[alternative]}"
    return replace(estimate, p=flips.p(null, alternative), test=test, null=null)


_SIDED = {"two-sided": "two-sided", "greater": "one-sided", "less": "one-sided"}
