"""Truths from plain runs: the bootstrap interval of the mean and the range of the runs, one bootstrap for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from trueness.statistics.runs import summarise_columns
from trueness.studies.forecast.forecast_frames import Truth, Truths

_RESAMPLES = 10_000


def with_intervals(truths: Truths, level: float = 0.95, *, rng: Generator) -> dict[tuple[str, str, str], Truth]:
    """The same truths with `mean_ci` and `run_range` taken from their runs."""
    longest = max((len(truth.runs) for truth in truths.values()), default=0)
    if not longest:
        return dict(truths)
    table = np.full((longest, len(truths)), np.nan)
    for column, truth in enumerate(truths.values()):
        table[: len(truth.runs), column] = truth.runs
    summaries = summarise_columns(table, level=level, resamples=_RESAMPLES, rng=rng)
    return {
        key: replace(truth, mean_ci=summary.ci, run_range=summary.runs)
        for (key, truth), summary in zip(truths.items(), summaries, strict=True)
    }


def halves(truths: Truths, level: float = 0.95, *, rng: Generator) -> Mapping[str, dict[tuple[str, str, str], Truth]]:
    """{"even": ..., "odd": ...}: every other run. Runs are independent, so their order splits them at random."""
    return {
        name: with_intervals(
            {key: replace(truth, runs=truth.runs[start::2]) for key, truth in truths.items()}, level, rng=rng
        )
        for start, name in enumerate(("even", "odd"))
    }
