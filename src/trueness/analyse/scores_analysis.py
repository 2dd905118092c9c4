"""The whole analysis of one or more scores tables.

    read_tables(files) -> analyse(tables, settings) -> ScoresAnalysis: lines, contrasts, rules, models, flags, sentences

A line is a domain in the format in which these comparisons are reported, and the sound version beside it. Above 0 the
treatment is better; q_beyond: over models and tasks like these.

    over runs              Domain  None%  MD%  PC%  delta  mag.  p  U  n
    over cells or tasks    diff [CI]  p_paired  q  n_units  n_clusters  q_beyond

Every choice that could have been made otherwise is computed both ways: excluded runs, runs without a score, absent
rules, rounded rates. `DomainAnalysis.otherwise` holds those that change anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.breakdown import Breakdown, FamilyPair, by_family, by_model, by_rule, check_families
from trueness.analyse.conditions import ConditionSummary, summarise
from trueness.analyse.contrasts import Contrast, adjusted_together, contrast, is_too_few, with_interval_of
from trueness.analyse.domain import Domain, domains_of
from trueness.analyse.flags import Flag, red_flags
from trueness.analyse.gate import Case, GateVerdict, ends_of, gate_of, named
from trueness.analyse.roles import Pair, Roles, roles_of
from trueness.errors import DataError, SettingError, listed
from trueness.intervals import Interval
from trueness.statistics.result import Cell, interval_cells
from trueness.texts import counted

PROTOCOL = {
    "RQ1": "RQ1 presence: the baseline against all others pooled",
    "RQ2": "RQ2 format: one condition against another",
}
OVER = {"paired": "cells", "clustered": "clusters", "unpaired": "runs"}
PLAIN = {"RQ1": "The baseline against all others pooled", "RQ2": "One condition against another"}


@dataclass(frozen=True)
class Line:
    """One contrast of one domain, read in one way."""

    domain: str
    reading: str  # which runs, valued how; empty for the analysis itself
    means: dict[str, float | None]  # condition -> mean, in the unit shown
    n: dict[str, int]
    contrast: Contrast
    percent: bool
    adjusted: bool = False  # judged by p after the adjustment, as the analysis itself is

    def row(self) -> dict[str, Cell]:
        """Flat, for CSV and JSON."""
        one, result = self.contrast, self.contrast.result
        treatment, reference = one.pair.names
        return {
            "domain": self.domain,
            "reading": self.reading or "as analysed",
            "question": one.pair.question,
            "reference": reference,
            "treatment": treatment,
            **{f"{name}{'%' if self.percent else ''}": value for name, value in self.means.items()},
            **{f"n {name}": count for name, count in self.n.items()},
            "missing_reference": one.missing[0],
            "missing_treatment": one.missing[1],
            "ratio": one.ratio,
            "U": one.statistic,
            "p": one.p,
            "sided": one.sided,
            "delta": one.delta.value,
            **interval_cells(one.delta.interval, "delta"),
            "magnitude": one.delta.magnitude,
            "levene": one.spread.statistic,
            "p_levene": one.spread.p,
            "variance_ratio": one.spread.ratio,
            "diff": result.difference if result else None,
            **interval_cells(result.interval if result else None, "diff"),
            "diff_level": result.interval.level if result and result.interval else None,
            **interval_cells(result.alone if result else None, "alone"),
            "test": result.test if result else None,
            "p_paired": result.p if result else None,
            "n_units": result.n_units if result else 0,
            "n_clusters": self.n_clusters,
            "q": result.p_adjusted if result else None,
            "q_least": one.least,
            "adjustment": result.adjustment if result else None,
            "n_comparisons": result.n_comparisons if result else 0,
            "over": OVER.get(one.primary, ""),
            "scope": one.scope,
            "p_clustered": one.clustered.p if one.clustered else None,
            "p_beyond": one.beyond.p if one.beyond else None,
            "q_beyond": one.q_beyond,
            **interval_cells(one.beyond.interval if one.beyond else None, "beyond"),
            "notes": " ".join(one.notes),
        }

    @property
    def n_clusters(self) -> int:
        """What was drawn independently, whichever level the test is at."""
        counted = self.contrast.clustered or self.contrast.result
        return counted.n_clusters if counted else 0


def line_of(
    summaries: Sequence[ConditionSummary], one: Contrast, percent: bool, reading: str = "", adjusted: bool = False
) -> Line:
    means = {s.condition: s.mean for s in summaries}
    return Line(one.domain, reading, means, {s.condition: s.n for s in summaries}, one, percent, adjusted)


@dataclass(frozen=True, eq=False)
class DomainAnalysis:
    """One domain. `lines`: the reported pairs; `otherwise`: the same under other readings of the record."""

    domain: Domain
    n_excluded: int
    summaries: tuple[ConditionSummary, ...]
    contrasts: tuple[Contrast, ...]
    rules: tuple[Breakdown, ...]
    models: tuple[Breakdown, ...]
    families: tuple[FamilyPair, ...]
    flags: tuple[Flag, ...]
    otherwise: tuple[Line, ...]

    @property
    def name(self) -> str:
        return self.domain.name

    @property
    def lines(self) -> list[Line]:
        return [line_of(self.summaries, one, self.domain.percent) for one in self.contrasts]


@dataclass(frozen=True, eq=False)
class ScoresAnalysis:
    settings: AnalysisSettings
    roles: Roles
    domains: tuple[DomainAnalysis, ...]
    notes: tuple[str, ...]
    gate: GateVerdict | None = None

    @property
    def contrasts(self) -> list[Contrast]:
        return [one for part in self.domains for one in part.contrasts]

    def lines(self, question: str) -> list[Line]:
        return [line for part in self.domains for line in part.lines if line.contrast.pair.question == question]

    @property
    def questions(self) -> dict[str, str]:
        """Question -> its title: of the protocol where every table is of it, plain names elsewhere."""
        titles = PROTOCOL if self.of_protocol else PLAIN
        return {key: title for key, title in titles.items() if self.lines(key)}

    @property
    def of_protocol(self) -> bool:
        """Every table is of the published protocol, whose questions are RQ1 and RQ2."""
        return all(part.domain.schema.outcome.of_protocol for part in self.domains)

    @property
    def percent(self) -> bool:
        """All domains are shares: one unit for the tables."""
        return all(part.domain.percent for part in self.domains)

    @property
    def tests(self) -> str:
        """What the paired p are of, in words."""
        tests = dict.fromkeys(one.result.test for one in self.contrasts if one.result and one.result.p is not None)
        return " or ".join(tests) or "no test"

    @property
    def family(self) -> str:
        """What the adjustment is over, in words."""
        made = [one for one in self.contrasts if one.result is not None and one.result.p is not None]
        method = {"bh": "Benjamini-Hochberg", "holm": "Holm"}[self.settings.adjust]
        if len(made) < 2:
            return "one comparison, nothing to adjust for"
        inside = f" in {len(self.domains)} domains" if len(self.domains) > 1 else ""
        return f"{method} over all {len(made)} comparisons{inside}"


def analyse(tables: Mapping[str, pd.DataFrame], settings: AnalysisSettings = AnalysisSettings()) -> ScoresAnalysis:  # noqa: B008
    """tables: domain -> one row a run, as `read_tables` gives them."""
    whole = [domain for name, frame in tables.items() for domain in domains_of(name, frame, settings)]
    _check_exclusions(whole, settings)
    check_families(whole, settings)
    kept = [domain.part(~domain.runs["excluded"].to_numpy(dtype=bool)) for domain in whole]
    if any(domain.runs.empty for domain in kept):
        empty = next(domain.name for domain in kept if domain.runs.empty)
        raise DataError(f"nothing is left of {empty} after --exclude {' '.join(settings.exclude)}. Exclude less.")
    roles = roles_of(sorted({name for domain in kept for name in domain.conditions}), settings)
    places = [(k, pair) for k, domain in enumerate(kept) for pair in _pairs(domain, roles)]
    contrasts = _family([(kept[k], pair) for k, pair in places], settings)
    if roles.pairs and not any(one.tested for one in contrasts):
        raise DataError(f"nothing can be tested: {_first_reason(contrasts)}")
    parts = [
        _domain_analysis(
            domain,
            complete,
            [c for c, (place, _) in zip(contrasts, places, strict=True) if place == k],
            roles,
            settings,
        )
        for k, (domain, complete) in enumerate(zip(kept, whole, strict=True))
    ]
    notes = (*getattr(tables, "notes", ()), *roles.notes)
    return ScoresAnalysis(
        settings, roles, tuple(parts), notes, _verdict(parts, roles, settings, getattr(tables, "left_out", ()))
    )


def _pairs(domain: Domain, roles: Roles) -> list[Pair]:
    """The pairs of which the domain has both sides."""
    present = set(domain.conditions)
    pairs = [replace(p, treatment=tuple(name for name in p.treatment if name in present)) for p in roles.pairs]
    return [pair for pair in pairs if pair.treatment and present & set(pair.reference)]


def _family(cases: Sequence[tuple[Domain, Pair]], settings: AnalysisSettings) -> list[Contrast]:
    """Contrasts that are adjusted together."""
    contrasts = [contrast(domain, pair, settings, len(cases)) for domain, pair in cases]
    return adjusted_together(contrasts, [domain for domain, _ in cases], settings)


def _domain_analysis(
    domain: Domain, complete: Domain, contrasts: list[Contrast], roles: Roles, settings: AnalysisSettings
) -> DomainAnalysis:
    here = replace(roles, pairs=tuple(one.pair for one in contrasts))
    rules = by_rule(domain, here, settings)
    models = by_model(domain, here, settings)
    summaries = tuple(summarise(domain, here.conditions, settings))
    by_group = _by_group(contrasts, summaries, here, domain.percent)
    return DomainAnalysis(
        domain=domain,
        n_excluded=len(complete.runs) - len(domain.runs),
        summaries=summaries,
        contrasts=tuple(contrasts),
        rules=tuple(rules),
        models=tuple(models),
        families=tuple(by_family(domain, settings)),
        flags=tuple(red_flags(domain, complete, here, contrasts, rules, models)),
        otherwise=(*by_group, *_otherwise(domain, complete, contrasts, here, settings)),
    )


def _otherwise(
    domain: Domain, complete: Domain, contrasts: Sequence[Contrast], roles: Roles, settings: AnalysisSettings
) -> list[Line]:
    """Every other reading that changes a value, and the analysis without exclusions."""
    readings = [
        (name, domain.read_as(name))
        for name, values in domain.readings.items()
        if not np.allclose(values, domain.value, rtol=0, atol=1e-9, equal_nan=True)
    ]
    if len(complete.runs) > len(domain.runs):
        readings.append(("nothing excluded", complete))
    lines = []
    for name, other in readings:
        summaries = summarise(other, roles.conditions, settings)
        for one in _family([(other, pair) for pair in roles.headline], settings):
            ours = next(mine for mine in contrasts if mine.pair == one.pair)
            lines.append(line_of(summaries, with_interval_of(one, ours, other, settings), other.percent, name))
    return lines


def _by_group(
    contrasts: Sequence[Contrast], summaries: Sequence[ConditionSummary], roles: Roles, percent: bool
) -> list[Line]:
    """The headline pairs over the groups of tasks, where these are enough for a test."""
    lines = []
    for one in (c for c in contrasts if c.pair in roles.headline):
        for column, result in one.grouped:
            if not is_too_few(result):
                over = replace(one, clustered=result, primary="clustered", scope=f"{column}s like these", beyond=None)
                lines.append(line_of(summaries, over, percent, f"over {column}s (--cluster {column})", adjusted=True))
    return lines


def _verdict(
    parts: Sequence[DomainAnalysis], roles: Roles, settings: AnalysisSettings, beside: tuple[str, ...]
) -> GateVerdict | None:
    """Of the gate of the settings; refused where it does not say which side is asked about."""
    if settings.gate is None:
        return None
    gate = named(gate_of(settings.gate), [[name] for pair in roles.pairs for name in pair.names])
    if roles.of("RQ2") and roles.baseline and (settings.treatment or gate.name):
        other = next(name for name in roles.conditions if name not in (roles.baseline, settings.treatment, gate.name))
        raise SettingError(
            f"'gate' must ask about two conditions, got {listed(roles.conditions)}. Leave one out: "
            f"--exclude {settings.condition or 'condition'}={other}"
        )
    if roles.pairs and not (settings.treatment or roles.baseline or gate.name):
        both = " or ".join(f"--gate '{name} {gate.condition}'" for name in roles.conditions[:2])
        raise SettingError(f"'gate' must say whom it asks about, got {settings.gate!r}. Name one: {both}")
    pairs = roles.headline if settings.treatment or gate.name else roles.of("RQ1")
    verdict = gate.judge([_case(part, one, settings) for part in parts for one in part.contrasts if one.pair in pairs])
    return replace(verdict, beside=(*beside, *_other_measures(parts)))


def _other_measures(parts: Sequence[DomainAnalysis]) -> tuple[str, ...]:
    """Of tables with a metric a row, those that were not analysed."""
    others = dict.fromkeys(name for part in parts for name in part.domain.other_measures)
    return (f"{listed(others, most=6)} (--measure)",) if others else ()


def _case(part: DomainAnalysis, one: Contrast, settings: AnalysisSettings) -> Case:
    candidate, baseline = one.pair.names
    lost = zip(one.missing, (baseline, candidate), strict=True)
    missing = [f"{counted(n, 'run')} of {name} without a score" for n, name in lost if n]
    missing += [f"{counted(len(one.left_out), 'cell')} with one side only"] if one.left_out else []
    domain = part.domain
    return Case(
        f"{part.name}, {domain.outcome}" if domain.other_measures else part.name,
        candidate, baseline, one.result.difference if one.result else None, ends_of(one.result),
        points=domain.percent, most=domain.gains[1], missing=tuple(missing), lost=one.missing[::-1],
        if_failed=(_if_failed(domain, one, 1, settings), _if_failed(domain, one, 0, settings)),
    )  # fmt: skip


def _if_failed(domain: Domain, one: Contrast, side: int, settings: AnalysisSettings) -> Interval | None:
    """The interval had the runs of this side without a score failed; None where there are none, or no worst score."""
    failed = domain.readings.get("blank runs failed")
    if failed is None or not one.missing[side]:
        return None
    mask = domain.under((one.pair.reference, one.pair.treatment)[side])
    other = replace(domain, runs=domain.runs.assign(value=np.where(mask, failed, domain.value)))
    (made,) = _family([(other, one.pair)], settings)
    return ends_of(with_interval_of(made, one, other, settings).result)


def _check_exclusions(domains: Sequence[Domain], settings: AnalysisSettings) -> None:
    for column, value in settings.exclusions:
        there = [domain.unmatched.get((column, value)) for domain in domains]
        if None not in there:
            known = sorted({name for names in there for name in names or ()})
            raise DataError(
                f"nothing has {column} {value!r}, so nothing can be excluded.{nearest(value, known)} "
                f"There are: {listed(known, most=12)}."
            )


def _first_reason(contrasts: Sequence[Contrast]) -> str:
    reasons = [note for one in contrasts for note in one.notes]
    return reasons[0][0].lower() + reasons[0][1:] if reasons else "no domain has both conditions of a pair."
