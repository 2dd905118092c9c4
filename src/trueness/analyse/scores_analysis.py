"""The whole analysis of one or more scores tables.

    read_tables(files) -> analyse(tables, settings) -> ScoresAnalysis: contrasts, rules, models, families, flags

A contrast is a domain in the format in which these comparisons are reported, and the sound version beside it. Above 0
the treatment is better; q_beyond: over models and tasks like these.

    over runs              Domain  None%  MD%  PC%  delta  mag.  p  U  n  ratio
    over cells or tasks    diff [CI]  p_paired  q  n_units  n_clusters  q_beyond

Every choice that could have been made otherwise is computed both ways: excluded runs, runs without a score, absent
rules, groups of tasks. `DomainAnalysis.otherwise` holds those that change anything: the whole analysis,
with its adjustment, of the record read so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.breakdown import DomainAnalysis, by_family, by_model, by_rule, families_of, summarise
from trueness.analyse.contrasts import Contrast, Pair, Roles, adjusted_together, contrast, is_too_few, roles_of
from trueness.analyse.domain import Domain, domain_of
from trueness.analyse.gate import Case, GateVerdict, ends_of, gate_of
from trueness.errors import DataError, SettingError, listed
from trueness.texts import counted


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
    whole = [domain_of(name, frame, settings) for name, frame in tables.items()]
    _check_exclusions(whole, settings)
    families = families_of(whole, settings)
    kept = [domain.part(~domain.runs["excluded"].to_numpy(dtype=bool)) for domain in whole]
    if empty := [domain.name for domain in kept if domain.runs.empty]:
        raise DataError(f"nothing is left of {empty[0]} after --exclude {' '.join(settings.exclude)}. Exclude less.")
    roles = roles_of(sorted({name for domain in kept for name in domain.conditions}), settings)
    cases = [(domain, pair) for domain in kept for pair in _pairs(domain, roles)]
    plain = [contrast(*case, roles.conditions, settings, len(cases)) for case in cases]
    tests = [test for one in plain for test in (one.usual, one.result)]
    if roles.pairs and all(test is None or test.p is None for test in tests):
        reason = next((note for one in plain for note in one.notes), "No domain has both conditions of a pair.")
        raise DataError(f"nothing can be tested: {reason[0].lower()}{reason[1:]}")
    contrasts = adjusted_together(plain, settings)
    otherwise = _otherwise(plain, kept, whole, roles, settings)
    parts = []
    for domain, complete in zip(kept, whole, strict=True):
        own = [one for one in contrasts if one.domain is domain]
        here = replace(roles, pairs=tuple(one.pair for one in own))
        parts.append(
            DomainAnalysis(
                domain,
                len(complete.runs) - len(domain.runs),
                summarise(domain, roles.conditions, settings),
                own,
                [one for one in otherwise if one.domain.name == domain.name],
                by_rule(domain, here, settings),
                by_model(domain, here, settings),
                by_family(domain, families, settings),
            )
        )
    notes = (*getattr(tables, "notes", ()), *roles.notes)
    return ScoresAnalysis(settings, roles, tuple(parts), notes, _gate(parts, roles, settings))


def _pairs(domain: Domain, roles: Roles) -> list[Pair]:
    """The pairs of which the domain has both sides."""
    present = set(domain.conditions)
    pairs = [replace(p, treatment=tuple(name for name in p.treatment if name in present)) for p in roles.pairs]
    return [pair for pair in pairs if pair.treatment and present & set(pair.reference)]


def _otherwise(
    plain: Sequence[Contrast], kept: Sequence[Domain], whole: Sequence[Domain], roles: Roles, settings: AnalysisSettings
) -> list[Contrast]:
    """The same contrasts under each other reading, of the domains that it changes; adjusted with all others."""
    ways = {id(domain): domain.otherwise(complete) for domain, complete in zip(kept, whole, strict=True)}
    made = []
    for name in dict.fromkeys(name for readings in ways.values() for name in readings):
        read = [ways[id(one.domain)].get(name) for one in plain]
        other = [
            one if domain is None else contrast(domain, one.pair, roles.conditions, settings, len(plain))
            for one, domain in zip(plain, read, strict=True)
        ]
        for one, mine in zip(adjusted_together(other, settings), plain, strict=True):
            if one.domain is not mine.domain and (one.sides != mine.sides or one.domain.over_clusters):
                made.append(replace(one, name=name))
    return [one for one in made if not (one.domain.over_clusters and (one.result is None or is_too_few(one.result)))]


def _gate(parts: Sequence[DomainAnalysis], roles: Roles, settings: AnalysisSettings) -> GateVerdict | None:
    """Of the gate of the settings: the treatment against the others, or what is no baseline against it."""
    if settings.gate is None:
        return None
    if roles.of("RQ2") and roles.baseline and settings.treatment:
        other = next(name for name in roles.conditions if name not in (roles.baseline, settings.treatment))
        raise SettingError(
            f"'gate' must ask about two conditions, got {listed(roles.conditions)}. Leave one out: "
            f"--exclude {settings.condition or 'condition'}={other}"
        )
    if roles.pairs and not (settings.treatment or roles.baseline):
        raise SettingError(
            f"'gate' must say whom it asks about, got {settings.gate!r}. Name it: --treatment {roles.conditions[0]}"
        )
    pairs = roles.headline if settings.treatment else roles.of("RQ1")
    return gate_of(settings.gate).judge([_case(one) for part in parts for one in part.contrasts if one.pair in pairs])


def _case(one: Contrast) -> Case:
    lost, left_out = one.sides[1].missing, len(one.left_out)
    sides = zip(one.pair.names[::-1], one.sides, strict=True)
    missing = [f"{counted(side.missing, 'run')} of {name} without a score" for name, side in sides if side.missing]
    missing += [f"{counted(left_out, 'cell')} with one side only"] if left_out else []
    return Case(
        one.domain.name,
        *one.pair.names,
        one.result.difference if one.result else None,
        ends_of(one.result),
        points=one.domain.percent,
        most=one.domain.gains[1],
        missing=tuple(missing),
        lost=lost,
    )


def _check_exclusions(domains: Sequence[Domain], settings: AnalysisSettings) -> None:
    for column, value in settings.exclusions:
        there = [domain.unmatched.get((column, value)) for domain in domains]
        if None not in there:
            known = sorted({name for names in there for name in names or ()})
            raise DataError(
                f"nothing has {column} {value!r}, so nothing can be excluded.{nearest(value, known)} "
                f"There are: {listed(known, most=12)}."
            )
