"""Which conditions are compared; and one comparison of two sides in one domain: as it is usually made, and beside it as
the design asks.

    RQ1 presence    the baseline against all others, pooled
    RQ2 format      the treatment against each other condition that is not the baseline; without a treatment each pair

    usual     Mann-Whitney U over runs, ratio of means, Cliff's delta = 2U/(nm) - 1, Levene, variance ratio (ddof 1)
    paired    mean difference of the cells that both sides have, sign-flip test and its interval, over cells
    clustered the same with all cells of a cluster flipped together
    beyond    two-way t over models and tasks: V = max(V_m + V_t - V_mt, V_m, V_t), min(M, T) - 1 degrees of freedom

Positive is always better for the treatment: delta and difference. U is of failures as the protocol prints it: of the
reference against the baseline's others (RQ1), of the treatment in a pair (RQ2).

What is paired are cells, the runs of a unit averaged. Runs of one cell are no independent draws, so the usual p can
be wrong either way (20 tasks x 5 repeats: power .49 for .98, and type-I error .39 where tasks respond differently).
Cells that share a task are not independent either when the claim is about other tasks. The test is over tasks where one
effect alone could reach the level after the adjustment for all k comparisons (k 2/2^C <= alpha); with fewer it is over
cells and speaks of these tasks only. The choice hangs on counts, never on a p, and not on the side: a one-sided p is
half of the two-sided one. Neither speaks of other models; `beyond` does. `Contrast.scope` says for whom it holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.domain import Domain, Mask
from trueness.analyse.run_scores import Array
from trueness.errors import DataError, SettingError, listed
from trueness.intervals import Interval
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import cliffs_delta
from trueness.statistics.estimates import mean
from trueness.statistics.multiplicity import adjust, adjusted, verdict_levels, with_adjusted_p
from trueness.statistics.paired import at_level, mcnemar_p, paired_difference
from trueness.statistics.reach import Reach
from trueness.statistics.result import Cell, Estimate, interval_cells
from trueness.statistics.unpaired import unpaired_difference
from trueness.statistics.variances import levene
from trueness.texts import shown_alike

Primary = Literal["paired", "clustered", "unpaired", "none"]
OVER = {"paired": "cells", "clustered": "clusters", "unpaired": "runs"}
FLAGGED = 10.0  # points of a rule
USUAL_BASELINES = ("none", "baseline", "control", "no_skill", "no-skill", "no skill", "vanilla", "default", "off")
MOST_PAIRS = 15  # more than six conditions in all pairs: the user must say what is wanted
MOST_AGAINST = 200  # one treatment against each other


# ---- who is compared with whom


@dataclass(frozen=True)
class Pair:
    """The reference side against the treatment side; a side may pool several conditions."""

    question: str  # RQ1 or RQ2
    reference: tuple[str, ...]
    treatment: tuple[str, ...]

    @property
    def names(self) -> tuple[str, str]:
        """(treatment, reference), as a comparison names them."""
        sides = self.treatment, self.reference
        treatment, reference = (" + ".join(s) if len(s) <= 2 else f"all {len(s)} others" for s in sides)
        return treatment, reference


@dataclass(frozen=True)
class Roles:
    """`conditions` in the order of the tables: the baseline, the others, the treatment."""

    conditions: tuple[str, ...]
    baseline: str | None
    treatment: str | None
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()

    def of(self, question: str) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if pair.question == question)

    @property
    def headline(self) -> tuple[Pair, ...]:
        """The pairs of the line of a domain: RQ2 where there is one."""
        return self.of("RQ2") or self.of("RQ1")


def roles_of(conditions: Sequence[str], settings: AnalysisSettings) -> Roles:
    """conditions: every one that occurs in what is analysed."""
    if alike := shown_alike(conditions):
        raise DataError(
            f"conditions must look different where they are shown, got {alike[0]!r} and {alike[1]!r}. Rename one, or "
            "leave it out with --exclude."
        )
    for what, name in (("baseline", settings.baseline), ("treatment", settings.treatment)):
        if name is not None and name not in conditions:
            raise DataError(
                f"{what} {name!r} is not a condition here.{nearest(name, conditions)} "
                f"There are: {listed(conditions, most=12)}."
            )
    if settings.baseline is not None and settings.baseline == settings.treatment:
        raise SettingError(f"'treatment' must differ from 'baseline', got {settings.baseline!r} for both.")
    notes = []
    baseline = settings.baseline
    if baseline is None:
        baseline = next((c for name in USUAL_BASELINES for c in conditions if c.lower() == name), None)
        baseline = None if baseline == settings.treatment else baseline
        if len(conditions) < 2:
            notes.append("one condition: its mean, and no comparison (--condition compares the values of a column)")
        elif baseline:
            notes.append(f"baseline {baseline} (by its name)")
        elif settings.treatment is None and len(conditions) > 2:
            notes.append("no baseline: every pair (--baseline)")
    others = [c for c in sorted(conditions) if c not in (baseline, settings.treatment)]
    treatment = [settings.treatment] if settings.treatment else []
    ordered = ([baseline] if baseline else []) + others + treatment
    rq1 = [Pair("RQ1", (baseline,), tuple(others + treatment))] if baseline and others + treatment else []
    count, most = (len(others), MOST_AGAINST) if treatment else (math.comb(len(others), 2), MOST_PAIRS)
    if count > most:
        name = "leave some out with --exclude" if treatment else "say which one is meant with --treatment"
        raise SettingError(f"{len(others)} conditions make {count:,} pairs: {name} (there are {listed(others)}).")
    pairs = [(other, treatment[0]) for other in others] if treatment else combinations(others, 2)
    rq2 = [Pair("RQ2", (a,), (b,)) for a, b in pairs]
    if settings.one_sided and ((rq2 and not treatment) or not (baseline or treatment)):
        raise SettingError(
            "'one-sided' must have its direction declared: name the condition that is hoped to be better with "
            f"--treatment (one of {listed(others)})."
        )
    return Roles(tuple(ordered), baseline, settings.treatment, (*rq1, *rq2), tuple(notes))


# ---- the comparison


class Side(NamedTuple):
    """The runs under some conditions; the mean in the unit shown."""

    mean: float | None
    n: int  # with a value
    missing: int


@dataclass(frozen=True)
class Usual:
    """Over runs, as such comparisons are published: the names are those of the columns."""

    ratio: float | None
    U: float | None
    p: float | None
    sided: str
    delta: float | None
    delta_low: float | None
    delta_high: float | None
    magnitude: str | None
    levene: float | None  # Brown-Forsythe, about the medians
    p_levene: float | None
    variance_ratio: float | None  # var(reference) / var(treatment)


@dataclass(frozen=True, eq=False)
class Contrast:
    """`pair` in `domain`: of all runs, or of one rule or model, whose cells alone are compared."""

    domain: Domain
    pair: Pair
    by_condition: Mapping[str, Side]
    sides: tuple[Side, Side]  # reference, treatment
    name: str = "as analysed"  # or another reading of the record; of a rule or a model its name
    usual: Usual | None = None  # none of a rule or a model
    paired: Comparison | None = None
    clustered: Comparison | None = None
    unpaired: Comparison | None = None  # the fall-back where nothing pairs
    beyond: Estimate | None = None  # over models and tasks like these
    primary: Primary = "paired"
    scope: str = ""
    q_beyond: float | None = None  # p of `beyond`, adjusted as the others
    least: float | None = None  # the smallest adjusted p that one effect alone can reach, where it exceeds alpha
    left_out: tuple[str, ...] = ()  # units without a partner
    notes: tuple[str, ...] = ()

    @property
    def result(self) -> Comparison | None:
        """The comparison whose interval, p and q stand in the tables."""
        return {"paired": self.paired, "clustered": self.clustered, "unpaired": self.unpaired}.get(self.primary)

    @property
    def gain(self) -> float | None:
        """The difference of the means over runs; above 0 the treatment is better."""
        reference, treatment = (side.mean for side in self.sides)
        return None if reference is None or treatment is None else self.domain.sign * (reference - treatment) + 0.0

    @property
    def flagged(self) -> bool:
        return self.gain is not None and abs(self.gain) > FLAGGED

    @property
    def verdict(self) -> int:
        """1 where the treatment is better, -1 where it is worse, 0 where the two are not told apart."""
        if self.result is None or not self.result.distinguishable:
            return 0
        return int(np.sign(self.result.difference or 0.0))

    @property
    def n_clusters(self) -> int:
        """What was drawn independently, whichever level the test is at."""
        counted = self.clustered or self.result
        return counted.n_clusters if counted else 0

    def with_result(self, result: Comparison) -> Contrast:
        return replace(self, **{self.primary: result})  # type: ignore[arg-type]

    def row(self, kind: str = "reading") -> dict[str, Cell]:
        """Flat, for CSV and JSON. kind: what `name` is the name of."""
        result, unit = self.result, "%" if self.domain.percent else ""
        treatment, reference = self.pair.names
        row: dict[str, Cell] = {
            "domain": self.domain.name,
            kind: self.name,
            "question": self.pair.question,
            "reference": reference,
            "treatment": treatment,
            **{f"{name}{unit}": side.mean for name, side in self.by_condition.items()},
            **{f"n {name}": side.n for name, side in self.by_condition.items()},
            "missing_reference": self.sides[0].missing,
            "missing_treatment": self.sides[1].missing,
            "gain": self.gain,
            "flagged": self.flagged,
            "diff": result.difference if result else None,
            **interval_cells(result.interval if result else None, "diff"),
            "diff_level": result.interval.level if result and result.interval else None,
            "test": result.test if result else None,
            "p_paired": result.p if result else None,
            "n_units": result.n_units if result else 0,
            "n_clusters": self.n_clusters,
            "q": result.p_adjusted if result else None,
            "n_comparisons": result.n_comparisons if result else 0,
            "notes": " ".join(self.notes),
        }
        if self.usual is None:
            return row
        return row | {
            **vars(self.usual),
            "over": OVER.get(self.primary, ""),
            "scope": self.scope,
            "q_least": self.least,
            "p_clustered": self.clustered.p if self.clustered else None,
            "p_beyond": self.beyond.p if self.beyond else None,
            "q_beyond": self.q_beyond,
            **interval_cells(self.beyond.interval if self.beyond else None, "beyond"),
        }


@dataclass(frozen=True, eq=False)
class PairedCells:
    """treatment[i] and reference[i] are the means of one unit, which lies in clusters[i] and is of models[i]."""

    treatment: Array
    reference: Array
    clusters: tuple[str, ...] = ()
    models: tuple[str, ...] = ()  # empty where the table names none, or where they are what is compared
    unpaired: tuple[str, ...] = ()  # units that one side does not have
    why_not: str = ""  # why there are no pairs at all

    @property
    def n(self) -> int:
        return len(self.treatment)


def side_values(domain: Domain, side: Sequence[str]) -> Array:
    """Values of the runs of a side, without the missing ones."""
    values = domain.value[domain.under(side)]
    return np.asarray(values[~np.isnan(values)])


def paired_cells(domain: Domain, pair: Pair, values: Array | None = None) -> PairedCells:
    """values: (n,) to be averaged in place of the runs' own (a rule's passes)."""
    if not domain.unit:
        return PairedCells(np.zeros(0), np.zeros(0), why_not="no column names a model or a task to pair by")
    units = domain.units
    taken = domain.value if values is None else values
    treatment, reference = (
        _means(taken, domain.under(side), units.codes, len(units.names)) for side in (pair.treatment, pair.reference)
    )
    whole = ~(np.isnan(treatment) | np.isnan(reference))
    alone = np.isnan(treatment) != np.isnan(reference)
    # a unit may span models: two logs
    within = domain.schema.model and set(units.models) <= set(domain.runs["model"].unique())
    return PairedCells(
        treatment[whole],
        reference[whole],
        tuple(units.clusters[whole]),
        tuple(units.models[whole]) if within else (),
        tuple(str(name) for name in units.names[alone]),
        "" if whole.any() else f"no {domain.unit} cell has runs under both",
    )


def _means(values: Array, rows: Mask, units: NDArray[np.intp], count: int) -> Array:
    """The mean of each unit over these rows; NaN where it has none."""
    rows = rows & ~np.isnan(values)
    sizes = np.bincount(units[rows], minlength=count)
    sums = np.bincount(units[rows], weights=values[rows], minlength=count)
    return np.asarray(np.divide(sums, sizes, out=np.full(count, np.nan), where=sizes > 0))


def side_of(domain: Domain, conditions: Sequence[str], values: Array, inside: Mask | None = None) -> Side:
    """values: (n,) of all runs; inside: the runs that are meant, all where it is None."""
    under = domain.under(conditions) if inside is None else domain.under(conditions) & inside
    there = under & ~np.isnan(values)
    n = int(there.sum())
    return Side(domain.scale * float(values[there].mean()) if n else None, n, int(under.sum()) - n)


def of_part(
    domain: Domain, pair: Pair, conditions: Sequence[str], settings: AnalysisSettings, name: str, values: Array,
    inside: Mask | None = None,
) -> Contrast:  # fmt: skip
    """A rule or a model, its cells compared two-sided; values, inside: as of `side_of`."""
    means = {condition: side_of(domain, [condition], values, inside) for condition in conditions}
    sides = side_of(domain, pair.reference, values, inside), side_of(domain, pair.treatment, values, inside)
    better = -domain.sign * domain.scale * values
    cells = paired_cells(domain, pair, better if inside is None else np.where(inside, better, np.nan))
    if cells.n < 2:
        return Contrast(domain, pair, means, sides, name)
    rng, resamples = np.random.default_rng(settings.seed), settings.resamples
    test = paired_difference(
        cells.treatment, cells.reference, None, settings.level, names=pair.names, resamples=resamples, rng=rng
    )
    return Contrast(domain, pair, means, sides, name, paired=replace(test, n_clusters=len(set(cells.clusters))))


def screened(contrasts: Sequence[Contrast], settings: AnalysisSettings) -> list[Contrast]:
    """Adjusted together by Benjamini-Hochberg, whatever was declared: a screening."""
    results = {k: one.result for k, one in enumerate(contrasts) if one.result is not None}
    judged = adjusted(list(results.values()), "bh", resamples=settings.resamples, seed=settings.seed)
    made = dict(zip(results, judged, strict=True))
    return [one.with_result(made[k]) if k in made else one for k, one in enumerate(contrasts)]


def contrast(
    domain: Domain, pair: Pair, conditions: Sequence[str], settings: AnalysisSettings, comparisons: int = 1
) -> Contrast:
    """All of it for one pair of so many; what cannot be had is None, and `notes` says why."""
    reference, treatment = side_values(domain, pair.reference), side_values(domain, pair.treatment)
    u, p, notes = _mann_whitney(domain, pair, reference, treatment, settings)
    cells = paired_cells(domain, pair)
    paired = clustered = unpaired = None
    if cells.n:  # over cells, and over clusters where those are fewer
        paired = clustered = _difference(domain, pair, cells, None, settings)
        if len(set(cells.clusters)) < cells.n:
            clustered = _difference(domain, pair, cells, cells.clusters, settings)
        if cells.unpaired:
            notes += (f"{len(cells.unpaired)} of {cells.n + len(cells.unpaired)} cells have one side only.",)
    else:
        unpaired = _over_runs(domain, pair, settings, settings.level)
        notes += (f"Not paired: {cells.why_not}; the comparison is of separate runs.",)
    primary: Primary = "paired" if paired else "unpaired" if unpaired else "none"
    enough = Reach(0, max(comparisons, 1), settings.alpha).units_needed
    if clustered is not None and (domain.over_clusters or clustered.n_clusters >= enough):
        primary = "clustered"
    return Contrast(
        domain,
        pair,
        {name: side_of(domain, [name], domain.value) for name in conditions},
        (side_of(domain, pair.reference, domain.value), side_of(domain, pair.treatment, domain.value)),
        usual=_usual(domain, reference, treatment, u, p, settings),
        paired=paired,
        clustered=clustered,
        unpaired=unpaired,
        beyond=_beyond(domain, cells, settings),
        primary=primary,
        scope=_scope(domain, cells, primary),
        left_out=cells.unpaired,
        notes=notes,
    )


def adjusted_together(contrasts: Sequence[Contrast], settings: AnalysisSettings) -> list[Contrast]:
    """The same contrasts: q over all of them, the interval that belongs to q, and the least q that can be reached."""
    done = list(contrasts)
    results = {k: one.result for k, one in enumerate(done) if one.result is not None and one.result.p is not None}
    levels = _levels([result.p for result in results.values()], settings)
    for k, result, level in zip(results, with_adjusted_p(list(results.values()), settings.adjust), levels, strict=True):
        least = min(1.0, len(results) * (result.smallest_p or 0.0))
        one = at_level_of_verdict(done[k].with_result(result), level, settings)
        done[k] = replace(one, least=least if least > settings.alpha + 1e-12 else None)
    wide = {k: one.beyond for k, one in enumerate(done) if one.beyond is not None and one.beyond.p is not None}
    p = [one.p for one in wide.values()]
    for k, level, q in zip(wide, _levels(p, settings), adjust(np.array(p, dtype=float), settings.adjust), strict=True):
        value, se = wide[k].value, wide[k].se
        if value is not None and se is not None:
            half = float(stdtrit(wide[k].n_clusters - 1, (1 + level) / 2)) * se
            ends = Interval(value - half, value + half, level, "mean").within(*done[k].domain.gains)
            done[k] = replace(done[k], beyond=replace(wide[k], interval=ends), q_beyond=float(q))
    return done


def _levels(p: Sequence[float | None], settings: AnalysisSettings) -> list[float]:
    """Of the intervals of the verdicts. One-sided, the end that the test looks at is the one-sided bound: that of an
    interval with twice the tails."""
    levels = verdict_levels(np.array(p, dtype=float), settings.adjust, settings.level)
    return [1 - (1 - float(level)) * (2 if settings.one_sided else 1) for level in levels]


def at_level_of_verdict(one: Contrast, level: float, settings: AnalysisSettings) -> Contrast:
    """The same contrast with the interval of its result at another level."""
    result = one.result
    if result is None:
        return one
    if result.design == "paired":
        rng = np.random.default_rng(settings.seed)
        return one.with_result(at_level(result, level, resamples=settings.resamples, rng=rng))
    other = _over_runs(one.domain, one.pair, settings, level)
    interval = other.interval if other else None
    return one.with_result(replace(result, interval=interval, alone=result.alone or result.interval))


def is_too_few(result: Comparison) -> bool:
    """So few units that no difference, however large, could be shown over them."""
    return result.p is None or (result.smallest_p is not None and result.smallest_p > 1 - result.level + 1e-12)


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
    return len(reference) * len(treatment) - u if pair.question == "RQ2" else u, float(test.pvalue), ()


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
    return result if p is None else replace(result, test="McNemar", p=p, exact=True, p_error=None)


def _orient(domain: Domain, cells: PairedCells) -> tuple[Array, Array]:
    """reference - treatment of failures, treatment - reference of scores: above 0 the treatment is better."""
    return (cells.reference, cells.treatment) if domain.lower_is_better else (cells.treatment, cells.reference)


def _over_runs(domain: Domain, pair: Pair, settings: AnalysisSettings, level: float) -> Comparison | None:
    sides = [side_values(domain, side) * domain.scale for side in (pair.reference, pair.treatment)]
    if min(len(side) for side in sides) < 2:
        return None
    a, b = sides if domain.lower_is_better else sides[::-1]
    result = unpaired_difference(a, b, None, level, alternative=settings.alternative, names=pair.names)
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


def _scope(domain: Domain, cells: PairedCells, primary: Primary) -> str:
    """For whom the verdict of the primary test holds."""
    models, clusters = len(set(cells.models)), len(set(cells.clusters))
    if primary == "unpaired":
        return "runs like these"
    if domain.cluster == "model":
        return f"models like these {clusters}"
    these = f"these {models} models" if models > 1 else "this model" if models else ""
    if domain.cluster == "cell" or not clusters:
        others = "cells like these"
    elif primary == "clustered" or clusters == cells.n:
        others = f"{domain.cluster}s like these {clusters}"
    else:
        others = f"these {clusters} {domain.cluster}s"
    return f"{these} and {others}" if these else others


def _usual(
    domain: Domain, reference: Array, treatment: Array, u: float | None, p: float | None, settings: AnalysisSettings
) -> Usual:
    delta = cliffs_delta(domain.sign * reference, domain.sign * treatment, level=settings.level)
    ratio = float(reference.mean() / treatment.mean()) if len(reference) and np.any(treatment) else None
    spread: tuple[float | None, float | None, float | None] = (None, None, None)
    if min(len(reference), len(treatment)) > 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            test = levene(reference, treatment, level=settings.level)
        known = test.p is not None and test.statistic is not None and np.isfinite(test.statistic)
        levels = (test.statistic, test.p) if known else (None, None)  # every run is equally far from its median
        spread = *levels, test.effect.value if test.effect else None
    sided = "one-sided" if settings.one_sided else "two-sided"
    low, high = (delta.interval.low, delta.interval.high) if delta.interval else (None, None)
    return Usual(ratio, u, p, sided, delta.value, low, high, delta.magnitude, *spread)
