"""What makes a difference mean something else than it seems to; each is raised, clear, or could not be checked.

missing scores       one side has more runs without a score: Fisher's exact test, Holm over the pairs, p <= .05
averaged over        a further column has one value under each condition, or under some beyond chance (hypergeometric
                     over cells): the two cannot be told apart
correlated rules     two rules with Pearson r > .95 over the runs, and r above 0 beyond chance (t over cells, Holm)
ceiling              both sides above 95 % pass, which two sides that pass 90 % would show in at most .05 of tables
extraction           more than 5 % of runs could not be read, as the guide says, and whether that is beyond chance of
                     5 % (binomial, Holm); or more than 5 % of one model's, where it is beyond chance
direction            a model in which the difference points the other way beyond chance (paired over its tasks, Holm);
                     Simpson's paradox where pooled runs and paired cells are told apart in opposite directions
complexity           a rule that gets worse with the treatment beyond chance (paired, Benjamini-Hochberg over the rules)

Each but `extraction`, which is the guide's bound, is raised in at most 5 % of tables in which nothing is the matter
(benchmarks/analyse_null.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trueness.analyse.breakdown import Breakdown
from trueness.analyse.contrasts import Contrast
from trueness.analyse.domain import Domain
from trueness.analyse.measure_names import is_pass_share
from trueness.analyse.roles import Pair, Roles
from trueness.analyse.shares import Array
from trueness.errors import listed
from trueness.statistics.multiplicity import adjust

CORRELATED, CEILING, BELOW_CEILING, EXTRACTION, CHANCE = 0.95, 95.0, 0.90, 0.05, 0.05
_SHOWN = 3  # cases named in the evidence; the rest is counted
State = Literal["raised", "clear", "not checked"]


@dataclass(frozen=True)
class Flag:
    """`evidence` says what was seen, also when nothing was."""

    domain: str
    name: str
    state: State
    evidence: str

    @property
    def raised(self) -> bool:
        return self.state == "raised"


def red_flags(
    domain: Domain,
    complete: Domain,
    roles: Roles,
    contrasts: Sequence[Contrast],
    rules: Sequence[Breakdown],
    models: Sequence[Breakdown],
) -> list[Flag]:
    """All of them, in this order; contrasts, rules and models are those of the domain."""
    checks = {
        "missing scores": _missing(domain, contrasts),
        "averaged over": _factors_flag(domain),
        "correlated rules": _correlation_flag(domain),
        "ceiling": _ceiling(domain, contrasts, roles),
        "extraction": _extraction(domain, complete),
        "direction within models": _direction(domain, contrasts, models),
        "rules that get worse": _complexity(roles, rules),
    }
    return [Flag(domain.name, name, *check) for name, check in checks.items()]


def missing_words(domain: Domain) -> str:
    """How many runs have no score, where, and which models and tasks have none; empty where every run has one."""
    if not domain.blank.any():
        return ""
    runs = domain.runs.assign(blank=domain.blank).groupby("condition")["blank"].agg(["sum", "count"])
    where = [f"{int(n)} of {int(of)} in {name}" for name, (n, of) in runs[runs["sum"] > 0].iterrows()]
    words = f"{int(domain.blank.sum())} of {len(domain.blank)} runs have no score ({listed(where, most=6)})"
    roles = [role for role in ("model", "task") if domain.schema.roles[role]]
    without = {r: domain.runs.assign(blank=domain.blank).groupby(r, sort=False)["blank"].all() for r in roles}
    none = [f"{role} {listed(blank[blank].index, most=3)}" for role, blank in without.items() if blank.any()]
    return f"{words}, none at all of {' and '.join(none)}" if none else words


def _missing(domain: Domain, contrasts: Sequence[Contrast]) -> tuple[State, str]:
    words = missing_words(domain)
    if not words:
        return "clear", f"all {len(domain.runs)} runs have a score"
    from scipy.stats import fisher_exact

    tables = []
    for one in contrasts:
        masks = [domain.under(side) for side in (one.pair.reference, one.pair.treatment)]
        tables.append([[int(domain.blank[m].sum()), int((~domain.blank[m]).sum())] for m in masks])
    p = adjust([float(fisher_exact(table).pvalue) for table in tables], "holm") if tables else np.ones(1)
    least = float(p.min())
    if least <= CHANCE:
        return "raised", f"{words}: more on one side than chance gives (Fisher p = {least:.2g}, Holm)"
    return "clear", f"{words}: not more on one side than chance gives"


def _factors_flag(domain: Domain) -> tuple[State, str]:
    bound = [f.name for f in domain.factors if f.bound]
    free = [f"{f.name} ({f.levels} values)" for f in domain.factors if not (f.bound or f.alone)]
    also = f"; averaged over {listed(free, most=_SHOWN)}" if free else ""
    alone = [f.alone for f in domain.factors if f.alone]
    if bound or alone:
        words = [f"{listed(bound, most=_SHOWN)} changes with {domain.schema.condition}"] if bound else []
        return "raised", f"{_some([*words, *alone])}: which of them acts is open{also}"
    return "clear", f"no further column changes with {domain.schema.condition}{also}"


def _correlation_flag(domain: Domain) -> tuple[State, str]:
    names = list(domain.rules.columns)
    if len(names) < 2:
        return "not checked", "fewer than two rules"
    rules = domain.rules[~domain.unscored]  # a run that failed at everything ties all rules together
    table = rules.to_numpy(dtype=np.float64)
    moving = [k for k in range(len(names)) if np.nanmax(table[:, k], initial=-1) > np.nanmin(table[:, k], initial=2)]
    still = f"; {len(names) - len(moving)} never change" if len(moving) < len(names) else ""
    if len(moving) < 2:
        return "not checked", f"fewer than two rules change{still}"
    cells = len(np.unique(domain.units.codes[~domain.unscored])) if domain.unit else len(table)
    if cells < 4:
        return "not checked", f"{cells} cells are too few{still}"
    r = rules.iloc[:, moving].corr(min_periods=3).to_numpy()[np.triu_indices(len(moving), 1)]
    places = list(zip(*np.triu_indices(len(moving), 1), strict=True))
    chance = adjust(_correlation_p(r, cells), "holm")
    pairs = [
        (float(r[k]), names[moving[i]], names[moving[j]])
        for k, (i, j) in enumerate(places)
        if r[k] > CORRELATED and chance[k] <= CHANCE
    ]
    if not pairs:
        return "clear", f"no two of {len(moving)} rules have r > {CORRELATED} beyond chance{still}"
    shown = [f"{a} and {b} r = {r:.3f}" for r, a, b in sorted(pairs, reverse=True)]
    return "raised", f"{_some(shown)} (n = {len(table)} runs){still}"


def _correlation_p(r: Array, n: int) -> Array:
    from scipy.special import stdtr

    bounded = np.clip(r, -1 + 1e-12, 1 - 1e-12)
    return np.asarray(stdtr(n - 2, -bounded * np.sqrt((n - 2) / (1 - bounded**2))))


def _ceiling(domain: Domain, contrasts: Sequence[Contrast], roles: Roles) -> tuple[State, str]:
    if not (domain.percent and is_pass_share(domain.outcome)):
        return "not checked", "the score is no share of passes: no ceiling is known"
    from scipy.stats import binom

    seen: list[tuple[bool, str]] = []
    for one in (c for c in contrasts if c.pair in roles.headline):
        if one.means[0] is None or one.means[1] is None:
            continue
        passed = [1 - m if domain.lower_is_better else m for m in one.means if m is not None]
        chance = np.prod(
            [binom.sf(np.floor(s * n + 1e-9) - 1, n, BELOW_CEILING) for s, n in zip(passed, one.n, strict=True)]
        )
        words = f"{one.pair.names[1]} {100 * passed[0]:.1f} %, {one.pair.names[0]} {100 * passed[1]:.1f} % pass"
        seen.append((100 * min(passed) > CEILING and float(chance) <= CHANCE, words))
    if not seen:
        return "not checked", "no pair has two means"
    raised = [words for above, words in seen if above]
    return "raised" if raised else "clear", _some(raised or [words for _, words in seen])


def _extraction(domain: Domain, complete: Domain) -> tuple[State, str]:
    """An excluded model may be the one that could not be read: that is said too."""
    read = domain.runs["extracted"].to_numpy(dtype=np.float64)
    if np.isnan(read).all():
        return "not checked", "no column says whether a run could be read"
    from scipy.stats import binom

    failed = (read < 1) & ~np.isnan(read)
    share = failed.sum() / (~np.isnan(read)).sum()
    words = f"{int(failed.sum())} of {len(read)} runs ({100 * share:.1f} %) could not be read"
    by = "model" if domain.schema.model else "condition"
    groups = {"": (int(failed.sum()), int((~np.isnan(read)).sum()))}
    groups |= {str(g): (int(failed[rows].sum()), len(rows)) for g, rows in domain.runs.groupby(by).indices.items()}
    chance = adjust([float(binom.sf(k - 1, n, EXTRACTION)) for k, n in groups.values()], "holm")
    beyond = any(k > EXTRACTION * n and p <= CHANCE for (k, n), p in zip(groups.values(), chance, strict=True))
    above = share > EXTRACTION
    if above or beyond:
        words += (
            f", where {100 * EXTRACTION:g} % is the bound; {'more than' if beyond else 'no more than'} chance gives"
        )
    if failed.any():
        worst = max((g for g in groups if g), key=lambda g: groups[g][0] / groups[g][1])
        words += f"; most in {worst}: {100 * groups[worst][0] / groups[worst][1]:.1f} %"
    left_out = complete.runs["excluded"].to_numpy(dtype=bool)
    lost = int((complete.runs["extracted"].to_numpy(dtype=np.float64)[left_out] < 1).sum())
    if lost:
        words += f"; and {lost} of the {int(left_out.sum())} excluded runs"
    return "raised" if above or beyond else "clear", words


def _direction(domain: Domain, contrasts: Sequence[Contrast], models: Sequence[Breakdown]) -> tuple[State, str]:
    if len(models) < 2:
        return "not checked", "fewer than two models"
    if not any(one.paired for one in contrasts):
        return "not checked", "nothing pairs within a model"
    if not any(row.tests for row in models):
        return "not checked", f"{len(models)} models are too many to test one by one, or have fewer than two tasks"
    words = []
    for one in contrasts:
        if one.paired is None or one.paired.difference is None or one.means[0] is None or one.means[1] is None:
            continue
        whole = one.paired.difference
        pooled = domain.sign * (one.means[0] - one.means[1]) * domain.scale
        if whole * pooled < 0 and max(one.p or 0.0, one.paired.p or 0.0) <= CHANCE:
            words.append(f"Simpson's paradox, {_title(one.pair)}: pooled runs {pooled:+.1f}, paired cells {whole:+.1f}")
        tests = [(row.name, row.tests.get(one.pair)) for row in models]
        made = [(model, test) for model, test in tests if test is not None and test.p is not None]
        chance = adjust([test.p or 0.0 for _, test in made], "holm")
        against = [
            f"{model} {test.difference:+.1f} (p = {p:.2g}, Holm)"
            for (model, test), p in zip(made, chance, strict=True)
            if p <= CHANCE and (test.difference or 0.0) * whole < 0
        ]
        if against:
            words.append(f"{_title(one.pair)}: {whole:+.1f} on average, but {_some(against)}")
    if words:
        return "raised", "; ".join(words)
    return "clear", f"none of {len(models)} models points the other way beyond chance"


def _complexity(roles: Roles, rules: Sequence[Breakdown]) -> tuple[State, str]:
    """Against the baseline where there is one."""
    if not rules:
        return "not checked", "no rules"
    pairs = roles.of("RQ1") or roles.headline
    if not any(rule.tests.get(pair) for rule in rules for pair in pairs):
        return "not checked", "no rule can be paired"
    for pair in pairs:
        worse = [
            (delta, f"{rule.name} {delta:+.1f} (q = {test.p_adjusted:.2g})")
            for rule in rules
            if (delta := rule.gains[pair]) is not None and delta < 0
            if (test := rule.tests.get(pair)) is not None and test.p_adjusted is not None
            if test.p_adjusted <= CHANCE and (test.difference or 0.0) < 0
        ]
        if worse:
            return "raised", f"points of pass rate with {pair.names[0]}: {_some([words for _, words in sorted(worse)])}"
    return "clear", f"none of {len(rules)} rules gets worse beyond chance"


def _title(pair: Pair) -> str:
    return f"{pair.names[0]} against {pair.names[1]}"


def _some(cases: Sequence[str]) -> str:
    more = f"; and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    return "; ".join(cases[:_SHOWN]) + more
