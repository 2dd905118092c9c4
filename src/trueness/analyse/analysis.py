"""The whole analysis of one or more scores tables.

    read_tables(files) -> analyse(tables, settings) -> Analysis: lines, contrasts, rules, models, flags, sentences

Every choice that could have been made otherwise is computed both ways: excluded runs, unscored runs, absent rules,
rounded rates. `DomainAnalysis.otherwise` holds those that change anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from trueness.analyse.conditions import ConditionSummary, summarise
from trueness.analyse.contrasts import Contrast, adjusted_together, contrast
from trueness.analyse.domain import Domain, domain_of
from trueness.analyse.flags import Flag, red_flags
from trueness.analyse.lines import Line, line_of
from trueness.analyse.roles import Roles, roles_of
from trueness.analyse.rules import Breakdown, ModelRow, by_model, by_rule
from trueness.analyse.settings import Settings, nearest
from trueness.errors import DataError, listed


@dataclass(frozen=True, eq=False)
class DomainAnalysis:
    """One domain. `lines`: the reported pairs; `otherwise`: the same under other readings of the record."""

    domain: Domain
    n_excluded: int
    summaries: tuple[ConditionSummary, ...]
    contrasts: tuple[Contrast, ...]
    rules: tuple[Breakdown, ...]
    models: tuple[ModelRow, ...]
    flags: tuple[Flag, ...]
    otherwise: tuple[Line, ...]

    @property
    def name(self) -> str:
        return self.domain.name

    @property
    def lines(self) -> list[Line]:
        return [line_of(self.summaries, found, self.domain.percent) for found in self.contrasts]


@dataclass(frozen=True, eq=False)
class Analysis:
    settings: Settings
    roles: Roles
    domains: tuple[DomainAnalysis, ...]
    notes: tuple[str, ...]

    @property
    def contrasts(self) -> list[Contrast]:
        return [found for part in self.domains for found in part.contrasts]

    def lines(self, question: str) -> list[Line]:
        return [line for part in self.domains for line in part.lines if line.contrast.pair.question == question]

    @property
    def percent(self) -> bool:
        """All domains are failure rates: one unit for the tables."""
        return all(part.domain.percent for part in self.domains)


def analyse(tables: Mapping[str, pd.DataFrame], settings: Settings = Settings()) -> Analysis:  # noqa: B008
    """tables: domain -> one row a run, as `read_tables` gives them."""
    whole = [domain_of(name, frame, settings) for name, frame in tables.items()]
    _check_exclusions(whole, settings)
    kept = [domain.part(~domain.runs["excluded"].to_numpy(dtype=bool)) for domain in whole]
    if any(domain.runs.empty for domain in kept):
        empty = next(domain.name for domain in kept if domain.runs.empty)
        raise DataError(f"nothing is left of {empty} after --exclude {' '.join(settings.exclude)}. Exclude less.")
    roles = roles_of(sorted({name for domain in kept for name in domain.conditions}), settings)
    contrasts = [_contrasts(domain, roles, settings) for domain in kept]
    flat = adjusted_together([found for part in contrasts for found in part], settings.adjust)
    if not any(found.tested for found in flat):
        raise DataError(f"nothing can be tested: {_first_reason(flat)}")
    parts, start = [], 0
    for domain, complete, some in zip(kept, whole, contrasts, strict=True):
        found = flat[start : start + len(some)]
        start += len(some)
        parts.append(_domain_analysis(domain, complete, found, roles, settings))
    return Analysis(settings, roles, tuple(parts), roles.notes)


def _contrasts(domain: Domain, roles: Roles, settings: Settings) -> list[Contrast]:
    """The pairs of which the domain has both sides."""
    present = set(domain.conditions)
    found = []
    for pair in roles.pairs:
        pair = replace(pair, treatment=tuple(name for name in pair.treatment if name in present))
        if pair.treatment and present & set(pair.reference):
            found.append(contrast(domain, pair, settings))
    return found


def _domain_analysis(
    domain: Domain, complete: Domain, contrasts: list[Contrast], roles: Roles, settings: Settings
) -> DomainAnalysis:
    here = replace(roles, pairs=tuple(found.pair for found in contrasts))
    rules = by_rule(domain, here, settings)
    models = by_model(domain, here)
    return DomainAnalysis(
        domain=domain,
        n_excluded=len(complete.runs) - len(domain.runs),
        summaries=tuple(summarise(domain, here.conditions, settings)),
        contrasts=tuple(contrasts),
        rules=tuple(rules),
        models=tuple(models),
        flags=tuple(red_flags(domain, complete, here, contrasts, rules, models)),
        otherwise=tuple(_otherwise(domain, complete, here, settings)),
    )


def _otherwise(domain: Domain, complete: Domain, roles: Roles, settings: Settings) -> list[Line]:
    """Every other reading that changes a value, and the analysis without exclusions."""
    value = domain.runs["value"].to_numpy(dtype=np.float64)
    readings = [
        (name, domain.read_as(name))
        for name, values in domain.readings.items()
        if not np.allclose(values, value, rtol=0, atol=1e-9, equal_nan=True)
    ]
    if len(complete.runs) > len(domain.runs):
        readings.append(("nothing excluded", complete))
    lines = []
    for name, other in readings:
        summaries = summarise(other, roles.conditions, settings)
        found = adjusted_together([contrast(other, pair, settings) for pair in roles.headline], settings.adjust)
        lines += [line_of(summaries, one, other.percent, name) for one in found]
    return lines


def _check_exclusions(domains: Sequence[Domain], settings: Settings) -> None:
    if settings.exclude and not any(domain.runs["excluded"].any() for domain in domains):
        column, value = settings.excluded[0]
        role = column if column in ("model", "task", "condition") else "model"
        known = sorted({str(name) for domain in domains for name in domain.runs[role].unique()})
        raise DataError(
            f"nothing has {column} {value!r}, so nothing can be excluded.{nearest(value, known)} "
            f"There are: {listed(known, most=12)}."
        )


def _first_reason(contrasts: Sequence[Contrast]) -> str:
    reasons = [note for found in contrasts for note in found.notes]
    return reasons[0][0].lower() + reasons[0][1:] if reasons else "no domain has both conditions of a pair."
