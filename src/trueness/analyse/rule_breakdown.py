"""Rule by rule, and model by model: what drives a difference, and where it turns round.

delta = pass % under the treatment - pass % under the reference, over runs; flagged where |delta| > 10 points
beside it the paired difference over cells with its p, q (Benjamini-Hochberg over all rules of a domain), and the
interval that belongs to q
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from trueness.analyse.analysis_settings import AnalysisSettings
from trueness.analyse.domain import Domain
from trueness.analyse.paired_cells import paired_cells
from trueness.analyse.roles import Pair, Roles
from trueness.analyse.shares import Array
from trueness.statistics.comparison import Comparison
from trueness.statistics.multiplicity import adjusted
from trueness.statistics.paired import paired_difference
from trueness.statistics.result import Cell, interval_cells

FLAGGED = 10.0  # points
MOST_TESTED = 200  # models x pairs up to which each is tested


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

    def is_flagged(self, pair: Pair) -> bool:
        delta = self.deltas.get(pair)
        return delta is not None and abs(delta) > FLAGGED

    def row(self, pair: Pair) -> dict[str, Cell]:
        test = self.paired.get(pair)
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
            "flagged": self.is_flagged(pair),
            "diff": test.difference if test else None,
            **interval_cells(test.interval if test else None),
            "p_paired": test.p if test else None,
            "n_units": test.n_units if test else 0,
            "n_clusters": test.n_clusters if test else 0,
            "q": test.p_adjusted if test else None,
        }


@dataclass(frozen=True)
class ModelRow:
    """One model under all conditions, in the unit of the tables."""

    domain: str
    model: str
    means: dict[str, float | None]
    n: dict[str, int]
    gains: dict[Pair, float | None]  # above 0 the treatment is better
    tests: dict[Pair, Comparison]  # paired over the model's own tasks

    def row(self, pair: Pair) -> dict[str, Cell]:
        test = self.tests.get(pair)
        return {
            "domain": self.domain,
            "model": self.model,
            "question": pair.question,
            "treatment": pair.names[0],
            "reference": pair.names[1],
            **{f"mean {name}": value for name, value in self.means.items()},
            **{f"n {name}": count for name, count in self.n.items()},
            "gain": self.gains.get(pair),
            "diff": test.difference if test else None,
            **interval_cells(test.interval if test else None, "diff"),
            "p_paired": test.p if test else None,
            "n_units": test.n_units if test else 0,
        }


def by_rule(domain: Domain, roles: Roles, settings: AnalysisSettings) -> list[Breakdown]:
    """Each rule, tests adjusted together within a pair: this is a screening."""
    breakdowns = [_rule(domain, str(rule), roles) for rule in domain.rules]
    for pair in roles.pairs:
        columns = [domain.rules[breakdown.rule].to_numpy(dtype=np.float64) for breakdown in breakdowns]
        tests = [(k, _test(domain, 100 * values, pair, settings)) for k, values in enumerate(columns)]
        made = [(k, test) for k, test in tests if test is not None]
        judged = adjusted([test for _, test in made], "bh", resamples=settings.resamples, seed=settings.seed)
        for (k, _), test in zip(made, judged, strict=True):
            breakdowns[k] = replace(breakdowns[k], paired={**breakdowns[k].paired, pair: test})
    return breakdowns


def by_model(domain: Domain, roles: Roles, settings: AnalysisSettings) -> list[ModelRow]:
    """Each model; none where the table names no models."""
    if domain.schema.model is None:
        return []
    models = sorted(domain.runs["model"].unique())
    tested = roles.pairs if len(models) * len(roles.pairs) <= MOST_TESTED else ()
    return [_model(domain, str(model), roles, tested, settings) for model in models]


def _rule(domain: Domain, rule: str, roles: Roles) -> Breakdown:
    shares = domain.rules[rule].to_numpy(dtype=np.float64)
    inside = {name: domain.under([name]) for name in roles.conditions}
    there = ~np.isnan(shares)

    def pass_rate(conditions: Sequence[str]) -> float | None:
        rows = np.logical_or.reduce([inside[name] for name in conditions]) & there
        return 100 * float(shares[rows].mean()) if rows.any() else None

    return Breakdown(
        domain.name,
        rule,
        domain.kinds[rule],
        {name: pass_rate([name]) for name in roles.conditions},
        {name: int((rows & there).sum()) for name, rows in inside.items()},
        {name: int((rows & ~there).sum()) for name, rows in inside.items()},
        {pair: _minus(pass_rate(pair.treatment), pass_rate(pair.reference)) for pair in roles.pairs},
        {},
    )


def _test(domain: Domain, values: Array, pair: Pair, settings: AnalysisSettings) -> Comparison | None:
    """Over cells, two-sided; values: (n,) of which more is better."""
    cells = paired_cells(domain, pair, values)
    if cells.n < 2:
        return None
    test = paired_difference(
        cells.treatment,
        cells.reference,
        None,
        settings.level,
        names=pair.names,
        resamples=settings.resamples,
        rng=np.random.default_rng(settings.seed),
    )
    return replace(test, n_clusters=len(set(cells.clusters)))


def _model(domain: Domain, model: str, roles: Roles, tested: Sequence[Pair], settings: AnalysisSettings) -> ModelRow:
    rows = (domain.runs["model"] == model).to_numpy() & ~np.isnan(domain.value)

    def average(conditions: Sequence[str]) -> float | None:
        values = domain.value[rows & domain.under(conditions)]
        return float(values.mean()) * domain.scale if len(values) else None

    def gain(pair: Pair) -> float | None:
        difference = _minus(average(pair.reference), average(pair.treatment))
        return None if difference is None else domain.sign * difference

    scores = np.where(rows, -domain.sign * domain.scale * domain.value, np.nan)
    return ModelRow(
        domain.name,
        model,
        {name: average([name]) for name in roles.conditions},
        {name: int((rows & domain.under([name])).sum()) for name in roles.conditions},
        {pair: gain(pair) for pair in roles.pairs},
        {pair: test for pair in tested if (test := _test(domain, scores, pair, settings)) is not None},
    )


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b
