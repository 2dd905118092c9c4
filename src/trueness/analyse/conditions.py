"""Each condition of a domain by itself: n, mean, and how well it is known.

ci        cluster bootstrap over cells, expanded for few of them; Wilson over cells where every run failed or passed,
          which no bootstrap can resample into anything else
ci_runs   percentile bootstrap over runs, 10,000 resamples: what is usually reported; too short when runs nest
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueness.analyse.domain import Domain
from trueness.analyse.settings import Settings
from trueness.analyse.shares import Array
from trueness.intervals import Interval
from trueness.statistics.bootstrap import bootstrap_means
from trueness.statistics.estimates import mean
from trueness.statistics.proportions import share
from trueness.statistics.result import interval_cells

RESAMPLED = 5_000  # runs of a condition up to which they are resampled


@dataclass(frozen=True)
class ConditionSummary:
    """Values in the unit they are shown in (per cent for failure rates)."""

    domain: str
    condition: str
    n: int
    n_missing: int
    n_cells: int
    mean: float | None
    sd: float | None  # ddof 1
    ci: Interval | None
    ci_runs: Interval | None

    def row(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "condition": self.condition,
            "n": self.n,
            "n_missing": self.n_missing,
            "n_cells": self.n_cells,
            "mean": self.mean,
            "sd": self.sd,
            **interval_cells(self.ci),
            **{f"runs_{end}": value for end, value in interval_cells(self.ci_runs).items()},
        }


def summarise(domain: Domain, conditions: tuple[str, ...], settings: Settings) -> list[ConditionSummary]:
    """One a condition; a condition that the domain does not have is there with n = 0."""
    rng = np.random.default_rng(settings.seed)
    rows = [domain.under([name]) for name in conditions]
    plain = _plain_intervals([domain.value[mask] for mask in rows], settings)
    units = domain.units[0]
    found = []
    for name, mask, interval in zip(conditions, rows, plain, strict=True):
        values = domain.value[mask]
        cells = units[mask] if domain.unit else None
        there = values[~np.isnan(values)]
        if domain.percent and len(there) and there.min() == there.max() and there[0] in (0.0, 1.0):
            known = share(values, cells, settings.level)
        else:
            known = mean(values, cells, None, settings.level, "bootstrap", resamples=settings.resamples, rng=rng)
        found.append(
            ConditionSummary(
                domain.name,
                name,
                known.n,
                known.n_missing,
                known.n_clusters,
                None if known.value is None else known.value * domain.scale,
                float(there.std(ddof=1)) * domain.scale if len(there) > 1 else None,
                _scaled(known.interval, domain.scale),
                _scaled(interval, domain.scale),
            )
        )
    return found


def _plain_intervals(samples: Sequence[Array], settings: Settings) -> list[Interval | None]:
    """Over runs as if each were independent; beyond some thousand runs t, which the bootstrap then equals."""
    if max(len(sample) for sample in samples) > RESAMPLED:
        return [mean(sample, level=settings.level).interval for sample in samples]
    table = np.full((max(len(sample) for sample in samples), len(samples)), np.nan)
    for k, sample in enumerate(samples):
        table[: len(sample), k] = sample
    return bootstrap_means(table, settings.level, settings.resamples, rng=np.random.default_rng(settings.seed))


def _scaled(interval: Interval | None, scale: float) -> Interval | None:
    return None if interval is None else Interval(interval.low * scale, interval.high * scale, interval.level, "mean")
