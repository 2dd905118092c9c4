"""Rule by rule, and model by model: what drives a difference, and where it turns round.

delta = pass % under the treatment - pass % under the reference, over runs; flagged where |delta| > 10 points
beside it the paired difference over cells with its p, and q (Benjamini-Hochberg over all rules of a domain)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trueness.analyse.cells import paired_cells
from trueness.analyse.domain import Domain
from trueness.analyse.roles import Pair, Roles
from trueness.analyse.settings import Settings
from trueness.statistics.adjustment import adjusted
from trueness.statistics.comparison import Comparison
from trueness.statistics.paired import paired_difference
from trueness.statistics.result import interval_cells

FLAGGED = 10.0  # points


@dataclass(frozen=True)
class Breakdown:
    """One rule under all conditions; shares in per cent of the runs in which the rule was not absent."""

    domain: str
    rule: str
    kind: str
    passed: dict[str, float | None]  # condition -> %
    n: dict[str, int]
    absent: dict[str, int]
    deltas: dict[Pair, float | None]  # points; above 0 the treatment passes more often
    paired: dict[Pair, Comparison]

    def flagged(self, pair: Pair) -> bool:
        delta = self.deltas.get(pair)
        return delta is not None and abs(delta) > FLAGGED

    def row(self, pair: Pair) -> dict[str, Any]:
        found = self.paired.get(pair)
        return {
            "domain": self.domain,
            "rule": self.rule,
            "question": pair.question,
            "treatment": pair.names[0],
            "reference": pair.names[1],
            **{f"{name} %": share for name, share in self.passed.items()},
            **{f"n {name}": count for name, count in self.n.items()},
            **{f"absent {name}": count for name, count in self.absent.items()},
            "delta": self.deltas.get(pair),
            "flagged": self.flagged(pair),
            "diff": found.difference if found else None,
            **interval_cells(found.interval if found else None),
            "p_paired": found.p if found else None,
            "n_units": found.n_units if found else 0,
            "n_clusters": found.n_clusters if found else 0,
            "q": found.p_adjusted if found else None,
        }


@dataclass(frozen=True)
class ModelRow:
    """One model under all conditions, in the unit of the tables."""

    domain: str
    model: str
    means: dict[str, float | None]
    n: dict[str, int]
    gains: dict[Pair, float | None]  # above 0 the treatment is better

    def row(self, pair: Pair) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "model": self.model,
            "question": pair.question,
            "treatment": pair.names[0],
            "reference": pair.names[1],
            **{f"mean {name}": value for name, value in self.means.items()},
            **{f"n {name}": count for name, count in self.n.items()},
            "gain": self.gains.get(pair),
        }


def by_rule(domain: Domain, roles: Roles, settings: Settings) -> list[Breakdown]:
    """Each rule, tests adjusted together within a pair: this is a screening."""
    found = [_rule(domain, str(rule), roles) for rule in domain.rules]
    for pair in roles.pairs:
        tests = [(k, _test(domain, breakdown.rule, pair, settings)) for k, breakdown in enumerate(found)]
        made = [(k, test) for k, test in tests if test is not None]
        for (k, _), test in zip(made, adjusted([test for _, test in made], "bh"), strict=True):
            found[k] = replace(found[k], paired={**found[k].paired, pair: test})
    return found


def by_model(domain: Domain, roles: Roles) -> list[ModelRow]:
    """Each model; none where the table names no models."""
    if domain.schema.model is None:
        return []
    return [_model(domain, str(model), roles) for model in sorted(domain.runs["model"].unique())]


def _rule(domain: Domain, rule: str, roles: Roles) -> Breakdown:
    shares = domain.rules[rule].to_numpy(dtype=np.float64)
    inside = {name: domain.under([name]) for name in roles.conditions}
    there = ~np.isnan(shares)

    def passed(conditions: Sequence[str]) -> float | None:
        rows = np.logical_or.reduce([inside[name] for name in conditions]) & there
        return 100 * float(shares[rows].mean()) if rows.any() else None

    return Breakdown(
        domain.name,
        rule,
        domain.kinds[rule],
        {name: passed([name]) for name in roles.conditions},
        {name: int((rows & there).sum()) for name, rows in inside.items()},
        {name: int((rows & ~there).sum()) for name, rows in inside.items()},
        {pair: _minus(passed(pair.treatment), passed(pair.reference)) for pair in roles.pairs},
        {},
    )


def _test(domain: Domain, rule: str, pair: Pair, settings: Settings) -> Comparison | None:
    cells = paired_cells(domain, pair, domain.rules[rule].to_numpy(dtype=np.float64))
    if cells.n < 2:
        return None
    found = paired_difference(
        100 * cells.treatment,
        100 * cells.reference,
        None,
        settings.level,
        names=pair.names,
        resamples=settings.resamples,
        rng=np.random.default_rng(settings.seed),
    )
    return replace(found, n_clusters=len(set(cells.clusters)))


def _model(domain: Domain, model: str, roles: Roles) -> ModelRow:
    rows = (domain.runs["model"] == model).to_numpy() & ~np.isnan(domain.value)

    def average(conditions: Sequence[str]) -> float | None:
        values = domain.value[rows & domain.under(conditions)]
        return float(values.mean()) * domain.scale if len(values) else None

    def gain(pair: Pair) -> float | None:
        difference = _minus(average(pair.reference), average(pair.treatment))
        return None if difference is None else domain.sign * difference

    return ModelRow(
        domain.name,
        model,
        {name: average([name]) for name in roles.conditions},
        {name: int((rows & domain.under([name])).sum()) for name in roles.conditions},
        {pair: gain(pair) for pair in roles.pairs},
    )


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b
