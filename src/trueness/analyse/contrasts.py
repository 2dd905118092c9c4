"""One comparison of two sides in one domain: as it is usually made, and beside it as the design asks.

    usual     Mann-Whitney U over runs, ratio of means, Cliff's delta = 2U/(nm) - 1, Levene, variance ratio (ddof 1)
    paired    mean difference of the cells that both sides have, sign-flip test and its interval, over cells
    clustered the same with all cells of a cluster flipped together
    beyond    two-way t over models and tasks: V = max(V_m + V_t - V_mt, V_m, V_t), min(M, T) - 1 degrees of freedom

Positive is always better for the treatment: delta and difference. U is of failures as the protocol prints it: of the
reference against the baseline's others (RQ1), of the treatment in a pair (RQ2).

Runs of one cell are no independent draws, so the usual p can be wrong either way (20 tasks x 5 repeats: power .49 for
.98, and type-I error .39 where tasks respond differently). Cells that share a task are not independent either when
the claim is about other tasks. The test is over tasks where one effect alone could reach the level after the
adjustment for all k comparisons (k 2/2^C <= alpha); with fewer it is over cells and speaks of these tasks only. The
choice hangs on counts, never on a p, and not on the side: a one-sided p is half of the two-sided one. Neither speaks of
other models; `beyond` does. `Contrast.scope` says for whom the verdict holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.domain import Domain
from trueness.analyse.roles import Pair, PairedCells, paired_cells, side_values
from trueness.analyse.shares import Array
from trueness.intervals import Interval
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import cliffs_delta
from trueness.statistics.estimates import mean
from trueness.statistics.multiplicity import adjust, verdict_levels, with_adjusted_p
from trueness.statistics.paired import at_level, mcnemar_p, paired_difference
from trueness.statistics.reach import units_needed
from trueness.statistics.result import Effect, Estimate
from trueness.statistics.unpaired import unpaired_difference
from trueness.statistics.variances import levene

Primary = Literal["paired", "clustered", "unpaired", "none"]
MCNEMAR = "McNemar"


@dataclass(frozen=True)
class Spread:
    """Whether one side varies more: Levene's test (Brown-Forsythe, about the medians) and var(ref) / var(treat)."""

    statistic: float | None = None
    p: float | None = None
    ratio: float | None = None


@dataclass(frozen=True)
class Contrast:
    """`pair` in `domain`. Means are of runs, in the unit of the values; p is of the usual test."""

    domain: str
    pair: Pair
    n: tuple[int, int]  # runs with a value: reference, treatment
    missing: tuple[int, int]
    means: tuple[float | None, float | None]
    ratio: float | None  # mean of the reference over mean of the treatment
    statistic: float | None  # U
    p: float | None
    sided: str
    delta: Effect
    spread: Spread
    paired: Comparison | None
    clustered: Comparison | None
    unpaired: Comparison | None  # the fall-back where nothing pairs
    beyond: Estimate | None  # over models and tasks like these
    primary: Primary
    scope: str = ""
    q_beyond: float | None = None  # p of `beyond`, adjusted as the others
    least: float | None = None  # the smallest adjusted p that one effect alone can reach, where it exceeds alpha
    grouped: tuple[tuple[str, Comparison], ...] = ()  # a column that groups the tasks -> the same over its values
    left_out: tuple[str, ...] = ()  # units without a partner
    notes: tuple[str, ...] = ()

    @property
    def result(self) -> Comparison | None:
        """The comparison whose interval, p and q stand in the tables."""
        return {"paired": self.paired, "clustered": self.clustered, "unpaired": self.unpaired}.get(self.primary)

    @property
    def tested(self) -> bool:
        return self.p is not None or (self.result is not None and self.result.p is not None)


def contrast(domain: Domain, pair: Pair, settings: AnalysisSettings, comparisons: int = 1) -> Contrast:
    """All of it for one pair of so many; what cannot be had is None, and `notes` says why."""
    reference, treatment = side_values(domain, pair.reference), side_values(domain, pair.treatment)
    means = tuple(float(v.mean()) if len(v) else None for v in (reference, treatment))
    statistic, p, notes = _mann_whitney(domain, pair, reference, treatment, settings)
    cells = paired_cells(domain, pair)
    paired, clustered = _paired_comparisons(domain, pair, cells, settings)
    unpaired = _over_runs(domain, pair, settings) if paired is None else None
    if paired is None:
        notes += (f"Not paired: {cells.why_not}; the comparison is of separate runs.",)
    elif cells.unpaired:
        notes += (f"{len(cells.unpaired)} of {cells.n + len(cells.unpaired)} cells have one side only.",)
    primary = _primary(paired, clustered, unpaired, settings, comparisons)
    return Contrast(
        domain=domain.name,
        pair=pair,
        n=(len(reference), len(treatment)),
        missing=(_n_missing(domain, pair.reference), _n_missing(domain, pair.treatment)),
        means=(means[0], means[1]),
        ratio=means[0] / means[1] if means[0] is not None and means[1] else None,
        statistic=statistic,
        p=p,
        sided="one-sided" if settings.one_sided else "two-sided",
        delta=cliffs_delta(domain.sign * reference, domain.sign * treatment, level=settings.level),
        spread=_spread(reference, treatment, settings),
        paired=paired,
        clustered=clustered,
        unpaired=unpaired,
        beyond=_beyond(domain, cells, settings),
        primary=primary,
        scope=_scope(domain, cells, primary),
        grouped=_over_groups(domain, pair, settings) if cells.n else (),
        left_out=cells.unpaired,
        notes=notes,
    )


def is_too_few(result: Comparison) -> bool:
    """So few groups that no difference, however large, could be shown over them."""
    return result.p is None or (result.smallest_p is not None and result.smallest_p > 1 - result.level + 1e-12)


def adjusted_together(
    contrasts: Sequence[Contrast], domains: Sequence[Domain], settings: AnalysisSettings
) -> list[Contrast]:
    """The same contrasts: q over all of them, the interval that belongs to q, and the least q that can be reached."""

    def judged(results: dict[int, Comparison]) -> dict[int, Comparison]:
        """By its place: each with its q, and the interval that belongs to it."""
        p = [np.nan if result.p is None else result.p for result in results.values()]
        levels = [_two_sided(float(level), settings) for level in verdict_levels(p, settings.adjust, settings.level)]
        made = with_adjusted_p(list(results.values()), settings.adjust)
        return {
            k: result if np.isnan(level) else _at_level(result, domains[k], contrasts[k].pair, level, settings)
            for k, result, level in zip(results, made, levels, strict=True)
        }

    done = _adjusted_beyond(contrasts, domains, settings)
    tested = {k: one.result for k, one in enumerate(contrasts) if one.result is not None and one.result.p is not None}
    for k, result in judged(tested).items():
        least = min(1.0, len(tested) * (result.smallest_p or 0.0))
        least_shown = least if least > settings.alpha + 1e-12 else None
        done[k] = replace(done[k], least=least_shown, **{contrasts[k].primary: result})  # type: ignore[arg-type]
    for column in dict.fromkeys(name for one in done for name, _ in one.grouped):
        over = {k: own for k, one in enumerate(done) if (own := dict(one.grouped).get(column))}
        for k, result in judged(over).items():
            done[k] = replace(done[k], grouped=tuple((c, result if c == column else r) for c, r in done[k].grouped))
    return done


def _adjusted_beyond(
    contrasts: Sequence[Contrast], domains: Sequence[Domain], settings: AnalysisSettings
) -> list[Contrast]:
    p = [one.beyond.p if one.beyond and one.beyond.p is not None else np.nan for one in contrasts]
    done = list(contrasts)
    levels = verdict_levels(p, settings.adjust, settings.level)
    for k, (one, q) in enumerate(zip(contrasts, adjust(p, settings.adjust), strict=True)):
        if one.beyond is None or one.beyond.value is None or one.beyond.se is None or np.isnan(q):
            continue
        level = _two_sided(float(levels[k]), settings)
        half = float(stdtrit(one.beyond.n_clusters - 1, (1 + level) / 2)) * one.beyond.se
        ends = Interval(one.beyond.value - half, one.beyond.value + half, level, "mean").within(*domains[k].gains)
        done[k] = replace(one, beyond=replace(one.beyond, interval=ends), q_beyond=float(q))
    return done


def _two_sided(level: float, settings: AnalysisSettings) -> float:
    """One-sided, the end that the test looks at is the one-sided bound: that of an interval with twice the tails."""
    return 1 - (1 - level) * (2 if settings.one_sided else 1)


def with_interval_of(one: Contrast, other: Contrast, domain: Domain, settings: AnalysisSettings) -> Contrast:
    """`one` with its interval at the level that the other's has, so that the two can be read side by side."""
    if one.result is None or other.result is None or other.result.interval is None:
        return one
    level = other.result.interval.level
    return replace(one, **{one.primary: _at_level(one.result, domain, one.pair, level, settings)})  # type: ignore[arg-type]


def _at_level(result: Comparison, domain: Domain, pair: Pair, level: float, settings: AnalysisSettings) -> Comparison:
    if result.design == "unpaired":
        other = _over_runs(domain, pair, settings, level)
        return replace(result, interval=other.interval if other else None, alone=result.alone or result.interval)
    rng = np.random.default_rng(settings.seed)
    return at_level(result, level, resamples=settings.resamples, rng=rng)


def _n_missing(domain: Domain, side: tuple[str, ...]) -> int:
    return int(np.isnan(domain.value[domain.under(side)]).sum())


def _mann_whitney(
    domain: Domain, pair: Pair, reference: Array, treatment: Array, settings: AnalysisSettings
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """U as the protocol counts it, and p as scipy gives it: the form in which results are published."""
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

    sides = domain.sign * reference, domain.sign * treatment
    test = stats.mannwhitneyu(*sides, alternative=settings.alternative)
    u = float(test.statistic)
    return u if pair.question == "RQ1" else len(reference) * len(treatment) - u, float(test.pvalue), ()


def _paired_comparisons(
    domain: Domain, pair: Pair, cells: PairedCells, settings: AnalysisSettings
) -> tuple[Comparison | None, Comparison | None]:
    """Over cells, and over clusters where those are fewer."""
    if cells.n == 0:
        return None, None
    over_cells = _difference(domain, pair, cells, None, settings)
    several = len(set(cells.clusters)) < cells.n
    return over_cells, _difference(domain, pair, cells, cells.clusters, settings) if several else over_cells


def _difference(
    domain: Domain, pair: Pair, cells: PairedCells, clusters: tuple[str, ...] | None, settings: AnalysisSettings
) -> Comparison:
    a, b = _orient(domain, cells)
    result = (
        paired_difference(
            a * domain.scale,
            b * domain.scale,
            clusters,
            settings.level,
            alternative=settings.alternative,
            names=pair.names,
            resamples=settings.resamples,
            rng=np.random.default_rng(settings.seed),
        )
        .within(*domain.bounds)
        .described(units="cells", clusters=f"{domain.cluster}s", measure=domain.outcome)
    )
    p = mcnemar_p(a - b, settings.alternative) if clusters is None and np.isin([a, b], (0.0, 1.0)).all() else None
    return result if p is None else replace(result, test=MCNEMAR, p=p, exact=True, p_error=None)


def _orient(domain: Domain, cells: PairedCells) -> tuple[Array, Array]:
    """reference - treatment of failures, treatment - reference of scores: above 0 the treatment is better."""
    return (cells.reference, cells.treatment) if domain.lower_is_better else (cells.treatment, cells.reference)


def _over_groups(domain: Domain, pair: Pair, settings: AnalysisSettings) -> tuple[tuple[str, Comparison], ...]:
    """All cells of a group of tasks flipped together, for each column that groups them."""
    made = []
    for column in domain.groupings:
        other = domain.clustered_by(column)
        cells = paired_cells(other, pair)
        if 1 < len(set(cells.clusters)) < cells.n:
            made.append((column, _difference(other, pair, cells, cells.clusters, settings)))
    return tuple(made)


def _over_runs(domain: Domain, pair: Pair, settings: AnalysisSettings, level: float | None = None) -> Comparison | None:
    sides = [side_values(domain, side) * domain.scale for side in (pair.reference, pair.treatment)]
    if min(len(side) for side in sides) < 2:
        return None
    a, b = sides if domain.lower_is_better else sides[::-1]
    result = unpaired_difference(
        a, b, None, level or settings.level, alternative=settings.alternative, names=pair.names
    )
    return result.within(*domain.bounds).described(units="runs", measure=domain.outcome)


def _beyond(domain: Domain, cells: PairedCells, settings: AnalysisSettings) -> Estimate | None:
    """Over models and tasks like these; None where one of the two was not sampled twice."""
    if min(len(set(cells.models)), len(set(cells.clusters))) < 2 or domain.cluster == "model":
        return None
    a, b = _orient(domain, cells)
    two_way = mean((a - b) * domain.scale, cells.models, cells.clusters, settings.level, bounds=domain.gains)
    if two_way.p is None or not settings.one_sided:
        return two_way
    better = (two_way.value or 0.0) > 0
    return replace(two_way, p=two_way.p / 2 if better else 1 - two_way.p / 2)


def _primary(
    paired: Comparison | None,
    clustered: Comparison | None,
    unpaired: Comparison | None,
    settings: AnalysisSettings,
    comparisons: int,
) -> Primary:
    if paired is None:
        return "unpaired" if unpaired is not None else "none"
    enough = units_needed(settings.alpha, max(comparisons, 1))
    return "clustered" if clustered is not None and clustered.n_clusters >= enough else "paired"


def _scope(domain: Domain, cells: PairedCells, primary: Primary) -> str:
    """For whom the verdict of the primary test holds."""
    models, clusters = len(set(cells.models)), len(set(cells.clusters))
    these = f"these {models} models" if models > 1 else "this model" if models else ""
    if primary == "unpaired":
        return "runs like these"
    if domain.cluster == "model":
        return f"models like these {clusters}"
    if domain.cluster == "cell" or not clusters:
        return " and ".join(part for part in (these, "cells like these") if part)
    if primary == "clustered" or clusters == cells.n:
        return " and ".join(part for part in (these, f"{domain.cluster}s like these {clusters}") if part)
    return " and ".join(part for part in (these, f"these {clusters} {domain.cluster}s") if part)


def _spread(reference: Array, treatment: Array, settings: AnalysisSettings) -> Spread:
    if min(len(reference), len(treatment)) < 2:
        return Spread()
    with np.errstate(divide="ignore", invalid="ignore"):
        test = levene(reference, treatment, level=settings.level)
    ratio = test.effect.value if test.effect else None
    if test.p is None or test.statistic is None or not np.isfinite(test.statistic):
        return Spread(ratio=ratio)  # every run is equally far from its median
    return Spread(test.statistic, test.p, ratio)
