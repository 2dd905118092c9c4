"""One comparison of two sides in one domain: as it is usually made, and beside it as the design asks.

    usual     Mann-Whitney U over runs, ratio of means, Cliff's delta = 2U/(nm) - 1, Levene, variance ratio (ddof 1)
    paired    mean difference of the cells that both sides have, sign-flip test and its interval, over cells
    clustered the same with all cells of a cluster flipped together

Positive is always better for the treatment: delta, difference, and U counted from its side.

Runs of one cell are no independent draws, so the usual p can be wrong either way (20 tasks x 5 repeats: power .49 for
.98, and type-I error .39 where tasks respond differently). Cells that share a task are not independent either when
the claim is about other tasks; with fewer than six tasks no test at that level can reach .05, and the test over cells,
which speaks of these tasks only, is the one to read. `Contrast.primary` is chosen by that count, never by the p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trueness.analyse.cells import PairedCells, paired_cells, side_values
from trueness.analyse.domain import Domain
from trueness.analyse.roles import Pair
from trueness.analyse.settings import Adjust, Settings
from trueness.analyse.shares import Array
from trueness.intervals import Interval
from trueness.statistics.adjustment import adjusted
from trueness.statistics.comparison import Comparison
from trueness.statistics.effects import cliffs_delta
from trueness.statistics.paired import paired_difference
from trueness.statistics.reach import units_needed
from trueness.statistics.result import Effect
from trueness.statistics.unpaired import unpaired_difference
from trueness.statistics.variances import levene


@dataclass(frozen=True)
class Spread:
    """Whether one side varies more: Levene's test (Brown-Forsythe, about the medians) and var(ref) / var(treat)."""

    statistic: float | None
    p: float | None
    ratio: float | None
    interval: Interval | None = None  # of the ratio, over runs
    note: str = ""


@dataclass(frozen=True)
class Contrast:
    """`pair` in `domain`. Means are of runs, in the unit of the values; p is of the usual test."""

    domain: str
    pair: Pair
    n: tuple[int, int]  # runs with a value: reference, treatment
    missing: tuple[int, int]
    means: tuple[float | None, float | None]
    ratio: float | None  # mean of the reference over mean of the treatment
    statistic: float | None  # U, counted from the treatment
    p: float | None
    sided: str
    delta: Effect
    spread: Spread
    paired: Comparison | None
    clustered: Comparison | None
    primary: str  # "paired", "clustered", "unpaired" or "none"
    unpaired: Comparison | None = None  # the fall-back where nothing pairs
    left_out: tuple[str, ...] = ()  # units without a partner
    notes: tuple[str, ...] = ()

    @property
    def result(self) -> Comparison | None:
        """The comparison whose interval, p and q stand in the tables."""
        return {"paired": self.paired, "clustered": self.clustered, "unpaired": self.unpaired}.get(self.primary)

    @property
    def tested(self) -> bool:
        return self.p is not None or (self.result is not None and self.result.p is not None)


def contrast(domain: Domain, pair: Pair, settings: Settings) -> Contrast:
    """All of it for one pair; what cannot be had is None, and `notes` says why."""
    reference, treatment = side_values(domain, pair.reference), side_values(domain, pair.treatment)
    n = len(reference), len(treatment)
    absent = tuple(_n_missing(domain, side) for side in (pair.reference, pair.treatment))
    means = tuple(float(v.mean()) if len(v) else None for v in (reference, treatment))
    statistic, p, notes = _mann_whitney(domain, pair, reference, treatment, settings)
    better = cliffs_delta(domain.sign * reference, domain.sign * treatment, level=settings.level)
    cells = paired_cells(domain, pair)
    paired, clustered = _paired(domain, pair, cells, settings)
    fallback = _unpaired(domain, pair, settings) if paired is None else None
    if paired is None:
        notes += (f"Not paired: {cells.why_not}; the comparison is of separate runs.",)
    if cells.unpaired and paired is not None:
        notes += (f"{len(cells.unpaired)} of {cells.n + len(cells.unpaired)} cells have one side only.",)
    return Contrast(
        domain=domain.name,
        pair=pair,
        n=n,
        missing=(absent[0], absent[1]),
        means=(means[0], means[1]),
        ratio=means[0] / means[1] if means[0] is not None and means[1] else None,
        statistic=statistic,
        p=p,
        sided="one-sided" if settings.one_sided else "two-sided",
        delta=better,
        spread=_spread(reference, treatment, settings),
        paired=paired,
        clustered=clustered,
        unpaired=fallback,
        primary=_primary(paired, clustered, fallback, settings),
        left_out=cells.unpaired,
        notes=notes,
    )


def adjusted_together(contrasts: Sequence[Contrast], method: Adjust) -> list[Contrast]:
    """The same contrasts, with q over all of them at each level: cells, clusters, and what stands in for them."""
    found = list(contrasts)
    for level in ("paired", "clustered", "unpaired"):
        places = [k for k, c in enumerate(found) if getattr(c, level) is not None]
        family = adjusted([getattr(found[k], level) for k in places], method)
        for k, comparison in zip(places, family, strict=True):
            found[k] = replace(found[k], **{level: comparison})  # type: ignore[arg-type]
    return found


def _n_missing(domain: Domain, side: tuple[str, ...]) -> int:
    return int(np.isnan(domain.value[domain.under(side)]).sum())


def _mann_whitney(
    domain: Domain, pair: Pair, reference: Array, treatment: Array, settings: Settings
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """U of the treatment's better side, and p as scipy gives it: the form in which results are published."""
    few = [
        f"{' + '.join(side)} has {len(values)} run{'s' if len(values) != 1 else ''} with a value"
        for side, values in ((pair.reference, reference), (pair.treatment, treatment))
        if len(values) < 2
    ]
    if few:
        return None, None, (f"No test: {' and '.join(few)}; two are needed.",)
    if np.ptp(np.concatenate([reference, treatment])) == 0:
        return None, None, (f"No test: all runs gave {reference[0]:g}.",)
    from scipy import stats

    alternative = "greater" if settings.one_sided else "two-sided"
    found = stats.mannwhitneyu(domain.sign * reference, domain.sign * treatment, alternative=alternative)
    return float(found.statistic), float(found.pvalue), ()


def _paired(
    domain: Domain, pair: Pair, cells: PairedCells, settings: Settings
) -> tuple[Comparison | None, Comparison | None]:
    """Over cells, and over clusters where those are fewer."""
    if cells.n == 0:
        return None, None
    over_cells = _difference(domain, pair, cells, None, settings)
    several = len(set(cells.clusters)) < cells.n
    return over_cells, _difference(domain, pair, cells, cells.clusters, settings) if several else over_cells


def _difference(
    domain: Domain, pair: Pair, cells: PairedCells, clusters: tuple[str, ...] | None, settings: Settings
) -> Comparison:
    # reference - treatment of failures, treatment - reference of scores: above 0 the treatment is better
    a, b = (cells.reference, cells.treatment) if domain.lower_is_better else (cells.treatment, cells.reference)
    found = paired_difference(
        a * domain.scale,
        b * domain.scale,
        clusters,
        settings.level,
        alternative="greater" if settings.one_sided else "two-sided",
        names=pair.names,
        resamples=settings.resamples,
        rng=np.random.default_rng(settings.seed),
    )
    names = {"units": "cells", "clusters": f"{domain.cluster}s", "measure": domain.outcome}
    return found.described(**names)  # type: ignore[arg-type]


def _unpaired(domain: Domain, pair: Pair, settings: Settings) -> Comparison | None:
    sides = [side_values(domain, side) * domain.scale for side in (pair.reference, pair.treatment)]
    if min(len(side) for side in sides) < 2:
        return None
    a, b = sides if domain.lower_is_better else sides[::-1]
    alternative: Any = "greater" if settings.one_sided else "two-sided"
    found = unpaired_difference(a, b, None, settings.level, alternative=alternative, names=pair.names)
    return found.described(units="runs", measure=domain.outcome)


def _primary(
    paired: Comparison | None, clustered: Comparison | None, unpaired: Comparison | None, settings: Settings
) -> str:
    if paired is None:
        return "unpaired" if unpaired is not None else "none"
    enough = units_needed(settings.alpha, sided=1 if settings.one_sided else 2)
    if clustered is not None and clustered.n_clusters >= enough:
        return "clustered"
    return "paired"


def _spread(reference: Array, treatment: Array, settings: Settings) -> Spread:
    if min(len(reference), len(treatment)) < 2:
        return Spread(None, None, None, None, "needs two runs a side")
    with np.errstate(divide="ignore", invalid="ignore"):
        found = levene(reference, treatment, level=settings.level)
    ratio = found.effect.value if found.effect else None
    interval = found.effect.interval if found.effect else None
    if found.p is None or found.statistic is None or not np.isfinite(found.statistic):
        return Spread(None, None, ratio, interval, "every run is equally far from its median: no test")
    return Spread(found.statistic, found.p, ratio, interval)
