"""Five things that make a difference mean something else than it seems to; each is checked and told, raised or not.

correlated rules     two rules with Pearson r > .95 over the runs: they measure one thing twice
ceiling              both sides above 95 % pass: the domain cannot tell them apart
extraction           more than 5 % of runs could not be read: the parser or the prompt is measured
direction            a model in which the difference points the other way (Simpson's paradox when the average over
                     models points against the pooled runs)
complexity           a rule that gets worse with the treatment while the whole gets better
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueness.analyse.contrasts import Contrast
from trueness.analyse.domain import Domain
from trueness.analyse.roles import Roles
from trueness.analyse.rules import Breakdown, ModelRow

CORRELATED, CEILING, EXTRACTION = 0.95, 95.0, 0.05
_SHOWN = 3  # cases named in the evidence; the rest is counted


@dataclass(frozen=True)
class Flag:
    """`evidence` says what was seen, also when nothing was found."""

    domain: str
    name: str
    raised: bool
    evidence: str


def red_flags(
    domain: Domain,
    complete: Domain,
    roles: Roles,
    contrasts: Sequence[Contrast],
    rules: Sequence[Breakdown],
    models: Sequence[ModelRow],
) -> list[Flag]:
    """All five, in this order; contrasts, rules and models are those of the domain."""
    return [
        _correlated(domain),
        _ceiling(domain, contrasts, roles),
        _extraction(domain, complete),
        _direction(domain, contrasts, models),
        _complexity(domain, roles, rules),
    ]


def _correlated(domain: Domain) -> Flag:
    names = list(domain.rules.columns)
    if len(names) < 2:
        return Flag(domain.name, "correlated rules", False, "fewer than two rules: nothing to check")
    rules = domain.rules[~domain.unscored]  # a run that failed at everything ties all rules together
    table = rules.to_numpy(dtype=np.float64)
    moving = [k for k in range(len(names)) if np.nanmax(table[:, k], initial=-1) > np.nanmin(table[:, k], initial=2)]
    still = f"; {len(names) - len(moving)} never change" if len(moving) < len(names) else ""
    pairs = []
    if len(moving) > 1:
        r = rules.iloc[:, moving].corr(min_periods=3).to_numpy()
        for i, j in zip(*np.where(np.triu(r, 1) > CORRELATED), strict=True):
            pairs.append((float(r[i, j]), names[moving[i]], names[moving[j]]))
    if not pairs:
        return Flag(
            domain.name, "correlated rules", False, f"no two of {len(moving)} rules have r > {CORRELATED}{still}"
        )
    told = [f"{a} and {b} r = {r:.3f}" for r, a, b in sorted(pairs, reverse=True)]
    return Flag(domain.name, "correlated rules", True, f"{_some(told)} (n = {len(table)} runs){still}")


def _ceiling(domain: Domain, contrasts: Sequence[Contrast], roles: Roles) -> Flag:
    if not domain.percent:
        return Flag(domain.name, "ceiling", False, "the score is no pass rate: no ceiling is known")
    seen = []
    for pair in roles.headline:
        found = next((c for c in contrasts if c.pair == pair), None)
        if found is None or found.means[0] is None or found.means[1] is None:
            continue
        shares = [100 * (1 - mean) for mean in found.means if mean is not None]
        told = f"{pair.names[1]} {shares[0]:.1f} %, {pair.names[0]} {shares[1]:.1f} % pass"
        seen.append((min(shares) > CEILING, told))
    raised = [told for above, told in seen if above]
    return Flag(domain.name, "ceiling", bool(raised), _some(raised or [told for _, told in seen] or ["no means"]))


def _extraction(domain: Domain, complete: Domain) -> Flag:
    """An excluded model may be the one that could not be read: that is told too."""
    read = domain.runs["extracted"].to_numpy(dtype=np.float64)
    if np.isnan(read).all():
        return Flag(domain.name, "extraction", False, "no column tells whether a run could be read")
    failed = (read < 1) & ~np.isnan(read)
    share = float(failed.sum()) / int((~np.isnan(read)).sum())
    told = f"{int(failed.sum())} of {len(read)} runs ({100 * share:.1f} %) could not be read"
    by = "model" if domain.schema.model else "condition"
    rates = {name: float(failed[rows].mean()) for name, rows in domain.runs.groupby(by).indices.items()}
    worst, rate = max(rates.items(), key=lambda pair: pair[1])
    above = rate > EXTRACTION
    if failed.any():
        told += f"; most in {worst}: {100 * rate:.1f} %"
    left_out = complete.runs["excluded"].to_numpy(dtype=bool)
    lost = int((complete.runs["extracted"].to_numpy(dtype=np.float64)[left_out] < 1).sum())
    if lost:
        told += f"; and {lost} of the {int(left_out.sum())} excluded runs"
    return Flag(domain.name, "extraction", share > EXTRACTION or above, told)


def _direction(domain: Domain, contrasts: Sequence[Contrast], models: Sequence[ModelRow]) -> Flag:
    name = "direction within models"
    if len(models) < 2:
        return Flag(domain.name, name, False, "fewer than two models: nothing to check")
    told = []
    for found in contrasts:
        if found.means[0] is None or found.means[1] is None:
            continue
        pooled = domain.sign * (found.means[0] - found.means[1]) * domain.scale
        gains = {row.model: row.gains[found.pair] for row in models}
        known = {model: gain for model, gain in gains.items() if gain is not None}
        against = [f"{model} {gain:+.1f}" for model, gain in known.items() if gain * pooled < 0]
        average = sum(known.values()) / len(known) if known else 0.0
        if average * pooled < 0:
            told.append(
                f"Simpson's paradox in {found.pair.question}: pooled {pooled:+.1f}, mean of models {average:+.1f}"
            )
        elif against:
            told.append(f"{_title(found)}: pooled {pooled:+.1f}, but {_some(against)}")
    if told:
        return Flag(domain.name, name, True, "; ".join(told))
    return Flag(domain.name, name, False, f"none of {len(models)} models points against the pooled runs")


def _complexity(domain: Domain, roles: Roles, rules: Sequence[Breakdown]) -> Flag:
    """Against the baseline where there is one."""
    name = "rules that get worse"
    if not rules:
        return Flag(domain.name, name, False, "no rules: nothing to check")
    for pair in roles.of("RQ1") or roles.headline:
        told = []
        worse = [(delta, rule) for rule in rules if (delta := rule.deltas[pair]) is not None and delta < 0]
        for delta, rule in sorted(worse, key=lambda case: case[0]):
            test = rule.paired.get(pair)
            q = f" (q = {test.p_adjusted:.2g})" if test is not None and test.p_adjusted is not None else ""
            told.append(f"{rule.rule} {delta:+.1f}{q}")
        if told:
            return Flag(domain.name, name, True, f"points of pass rate with {pair.names[0]}: {_some(told)}")
    return Flag(domain.name, name, False, f"none of {len(rules)} rules gets worse")


def _title(found: Contrast) -> str:
    return (
        found.pair.question if found.pair.question == "RQ1" else f"{found.pair.names[0]} against {found.pair.names[1]}"
    )


def _some(cases: Sequence[str]) -> str:
    more = f"; and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    return "; ".join(cases[:_SHOWN]) + more
