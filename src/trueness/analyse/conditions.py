"""Each condition of a domain by itself: n, mean, and how well it is known.

ci        over what was drawn independently (tasks, all models of a task together): t with C - 1 degrees of freedom,
          within the bounds of the measure. Of passes Wilson's at the effective number of runs: t falls short of its
          level where the share is high (50 tasks of 2 runs that pass .95: it covers .84 to .90, Wilson's .98)
ci_runs   bootstrap over runs, 10,000 resamples: what is usually reported; too short when runs nest
pass^k    of repeated passes, the share of units in which k runs drawn of n all pass: mean of C(c, k) / C(n, k)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.domain import Domain, Labels, Mask
from trueness.analyse.shares import Array
from trueness.intervals import Interval
from trueness.statistics.estimates import mean
from trueness.statistics.proportions import share
from trueness.statistics.result import Cell, Estimate, interval_cells
from trueness.statistics.runs import bootstrap_means

RESAMPLED = 5_000  # runs of a condition up to which they are resampled
BCA_SEED = 42  # as the protocol draws


@dataclass(frozen=True)
class ConditionSummary:
    """Values in the unit they are shown in (per cent for shares)."""

    domain: str
    condition: str
    n: int
    n_missing: int
    n_cells: int
    n_clusters: int
    mean: float | None
    sd: float | None  # ddof 1
    ci: Interval | None
    ci_runs: Interval | None
    k: int = 0  # of pass^k
    pass_all: Estimate | None = None

    def row(self) -> dict[str, Cell]:
        every = self.pass_all
        return {
            "domain": self.domain,
            "condition": self.condition,
            "n": self.n,
            "n_missing": self.n_missing,
            "n_cells": self.n_cells,
            "n_clusters": self.n_clusters,
            "mean": self.mean,
            "sd": self.sd,
            **interval_cells(self.ci),
            **interval_cells(self.ci_runs, "runs"),
            "k": self.k or None,
            "pass_all_k": every.value if every else None,
            **interval_cells(every.interval if every else None, "pass_all_k"),
        }


def summarise(domain: Domain, conditions: tuple[str, ...], settings: AnalysisSettings) -> list[ConditionSummary]:
    """One a condition; a condition that the domain does not have is there with n = 0."""
    rows = [domain.under([name]) for name in conditions]
    plain = _plain_intervals([domain.value[mask] for mask in rows], domain, settings)
    summaries = []
    for name, mask, interval in zip(conditions, rows, plain, strict=True):
        values = domain.value[mask]
        there = values[~np.isnan(values)]
        clusters = domain.runs["cluster"].to_numpy(dtype=object)[mask] if domain.unit else None
        known = mean_of(values, clusters, domain, settings.level)
        cells = len(np.unique(domain.units.codes[mask & ~np.isnan(domain.value)])) if domain.unit else len(there)
        k, pass_all = _pass_all(domain, mask, settings)
        summaries.append(
            ConditionSummary(
                domain.name,
                name,
                known.n,
                known.n_missing,
                cells,
                known.n_clusters,
                None if known.value is None else known.value * domain.scale,
                float(there.std(ddof=1)) * domain.scale if len(there) > 1 else None,
                known.interval and known.interval.scaled(domain.scale),
                interval and interval.scaled(domain.scale),
                k,
                pass_all,
            )
        )
    return summaries


def mean_of(values: Array, clusters: Labels | None, domain: Domain, level: float) -> Estimate:
    """The mean with its interval, in the unit of the values; that of passes, and of a constant share, Wilson's."""
    least, most = (None if end is None else end / domain.scale for end in domain.bounds)
    if domain.percent and np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        return share(values, clusters, level, method="wilson")
    known = mean(values, clusters, None, level, bounds=(least, most))
    return share(values, clusters, level) if domain.percent and known.constant else known


def _pass_all(domain: Domain, mask: Mask, settings: AnalysisSettings) -> tuple[int, Estimate | None]:
    """k: the fewest repeats of a unit; only of passes, and only where every unit was run more than once, in one way."""
    rows = mask & ~np.isnan(domain.value)
    values = domain.value[rows]
    alike = all(factor.bound for factor in domain.factors)
    if not (alike and domain.percent and domain.unit and len(values) and np.isin(values, (0.0, 1.0)).all()):
        return 0, None
    passed = 1 - values if domain.lower_is_better else values
    names, codes = np.unique(domain.units.codes[rows], return_inverse=True)
    n, c = np.bincount(codes), np.bincount(codes, weights=passed).round().astype(int)
    k = int(n.min())
    if k < 2:
        return int(n.max() >= 2), None  # 1: some unit has a single run that was scored, so that there is no pass^k
    all_pass = np.array([math.comb(int(a), k) / math.comb(int(b), k) for a, b in zip(c, n, strict=True)])
    return k, mean_of(all_pass, domain.units.clusters[names], domain, settings.level)


def _plain_intervals(samples: Sequence[Array], domain: Domain, settings: AnalysisSettings) -> list[Interval | None]:
    """Over runs as if each were independent; beyond some thousand runs t, which the bootstrap then equals."""
    if max(len(sample) for sample in samples) > RESAMPLED:
        return [mean_of(sample, None, domain, settings.level).interval for sample in samples]
    if settings.interval == "bca":
        return [_bca(sample[~np.isnan(sample)], settings) for sample in samples]
    table = np.full((max(len(sample) for sample in samples), len(samples)), np.nan)
    for k, sample in enumerate(samples):
        table[: len(sample), k] = sample
    return bootstrap_means(table, settings.level, settings.resamples, rng=np.random.default_rng(settings.seed))


def _bca(sample: Array, settings: AnalysisSettings) -> Interval | None:
    """None where all runs are the same: scipy has NaN there."""
    if len(sample) < 2 or np.ptp(sample) == 0:
        return None
    from scipy.stats import bootstrap

    rng = np.random.default_rng(BCA_SEED)
    ends = bootstrap(
        (sample,), np.mean, n_resamples=settings.resamples, confidence_level=settings.level, random_state=rng
    ).confidence_interval
    return Interval(ends.low, ends.high, settings.level, "mean")
