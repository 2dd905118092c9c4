"""Rule by rule, model by model, family by family: what drives a difference, and where it turns round.

rule      pass % under the treatment - pass % under the reference, over runs; flagged where |delta| > 10 points; beside
          it the paired difference over cells with its p, q (Benjamini-Hochberg over all rules of a domain), and the
          interval that belongs to q
model     gain of the treatment, and the paired difference over the model's own cells
family    exploratory, two-sided whatever was declared: Mann-Whitney U and Cliff's delta over runs; beside them the mean
          difference over condition x task cells, clusters of tasks flipped together; q: BH over the pairs

A family is declared ("claude=haiku+opus") or read from a name: its maker, else its first word (glm-5 and glm-4.7: glm).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.domain import Domain
from trueness.analyse.roles import Pair, Roles, paired_cells
from trueness.analyse.shares import Array
from trueness.errors import SettingError, listed
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import cliffs_delta
from trueness.statistics.multiplicity import adjusted
from trueness.statistics.paired import paired_difference
from trueness.statistics.result import Cell, Effect, interval_cells

FLAGGED = 10.0  # points
MOST_TESTED = 200  # models x pairs up to which each is tested
MAKERS = {
    "claude": ("haiku", "sonnet", "opus", "claude"),
    "gpt": ("gpt", "o1", "o3", "o4", "chatgpt", "davinci"),
    "gemini": ("gemini", "gemma", "palm"),
    "llama": ("llama",),
}
MOST_FAMILIES = 6


@dataclass(frozen=True)
class Breakdown:
    """One rule, or one model, under all conditions, in the unit of the tables; a rule in per cent of the runs in which
    it was not absent."""

    domain: str
    name: str
    means: dict[str, float | None]  # condition -> mean
    n: dict[str, int]
    absent: dict[str, int]
    gains: dict[Pair, float | None]  # above 0 the treatment is better
    tests: dict[Pair, Comparison]  # paired over cells

    def is_flagged(self, pair: Pair) -> bool:
        gain = self.gains.get(pair)
        return gain is not None and abs(gain) > FLAGGED

    def rule_row(self, pair: Pair) -> dict[str, Cell]:
        test = self.tests.get(pair)
        return {
            **self._head("rule", pair),
            **{f"{name} %": share for name, share in self.means.items()},
            **{f"n {name}": count for name, count in self.n.items()},
            **{f"absent {name}": count for name, count in self.absent.items()},
            "delta": self.gains.get(pair),
            "flagged": self.is_flagged(pair),
            "diff": test.difference if test else None,
            **interval_cells(test.interval if test else None),
            "p_paired": test.p if test else None,
            "n_units": test.n_units if test else 0,
            "n_clusters": test.n_clusters if test else 0,
            "q": test.p_adjusted if test else None,
        }

    def model_row(self, pair: Pair) -> dict[str, Cell]:
        test = self.tests.get(pair)
        return {
            **self._head("model", pair),
            **{f"mean {name}": value for name, value in self.means.items()},
            **{f"n {name}": count for name, count in self.n.items()},
            "gain": self.gains.get(pair),
            "diff": test.difference if test else None,
            **interval_cells(test.interval if test else None, "diff"),
            "p_paired": test.p if test else None,
            "n_units": test.n_units if test else 0,
        }

    def _head(self, what: str, pair: Pair) -> dict[str, Cell]:
        sides = {"question": pair.question, "treatment": pair.names[0], "reference": pair.names[1]}
        return {"domain": self.domain, what: self.name, **sides}


def by_rule(domain: Domain, roles: Roles, settings: AnalysisSettings) -> list[Breakdown]:
    """Each rule, tests adjusted together within a pair: this is a screening."""
    columns = {str(rule): domain.rules[rule].to_numpy(dtype=np.float64) for rule in domain.rules}
    rules = [_split(domain, rule, shares, (100, -1), roles, roles.pairs, settings) for rule, shares in columns.items()]
    for pair in roles.pairs:
        tested = [k for k, rule in enumerate(rules) if pair in rule.tests]
        tests = [rules[k].tests[pair] for k in tested]
        judged = adjusted(tests, "bh", resamples=settings.resamples, seed=settings.seed)
        for k, test in zip(tested, judged, strict=True):
            rules[k] = replace(rules[k], tests=rules[k].tests | {pair: test})
    return rules


def by_model(domain: Domain, roles: Roles, settings: AnalysisSettings) -> list[Breakdown]:
    """Each model; none where the table names no models."""
    if domain.schema.model is None:
        return []
    models = sorted(domain.runs["model"].unique())
    tested = roles.pairs if len(models) * len(roles.pairs) <= MOST_TESTED else ()
    values = {str(m): np.where(domain.runs["model"] == m, domain.value, np.nan) for m in models}
    unit = (domain.scale, domain.sign)
    return [_split(domain, model, own, unit, roles, tested, settings) for model, own in values.items()]


def _split(
    domain: Domain,
    name: str,
    values: Array,
    unit: tuple[float, float],
    roles: Roles,
    tested: Sequence[Pair],
    settings: AnalysisSettings,
) -> Breakdown:
    """values: (n,) of the runs, missing elsewhere; unit: what they are multiplied by, and 1 where lower is better."""
    scale, sign = unit
    there = ~np.isnan(values)

    def average(conditions: Sequence[str]) -> float | None:
        rows = domain.under(conditions) & there
        return scale * float(values[rows].mean()) if rows.any() else None

    def gain(pair: Pair) -> float | None:
        reference, treatment = average(pair.reference), average(pair.treatment)
        return None if reference is None or treatment is None else sign * (reference - treatment) + 0.0

    inside = {condition: domain.under([condition]) for condition in roles.conditions}
    tests = {pair: _paired_test(domain, -sign * scale * values, pair, settings) for pair in tested}
    return Breakdown(
        domain.name,
        name,
        {condition: average([condition]) for condition in inside},
        {condition: int((rows & there).sum()) for condition, rows in inside.items()},
        {condition: int((rows & ~there).sum()) for condition, rows in inside.items()},
        {pair: gain(pair) for pair in roles.pairs},
        {pair: test for pair, test in tests.items() if test is not None},
    )


def _paired_test(domain: Domain, values: Array, pair: Pair, settings: AnalysisSettings) -> Comparison | None:
    """Over cells, two-sided; values: (n,) of which more is better."""
    cells = paired_cells(domain, pair, values)
    if cells.n < 2:
        return None
    rng = np.random.default_rng(settings.seed)
    sides, resamples = (cells.treatment, cells.reference), settings.resamples
    test = paired_difference(*sides, None, settings.level, names=pair.names, resamples=resamples, rng=rng)
    return replace(test, n_clusters=len(set(cells.clusters)))


@dataclass(frozen=True)
class FamilyPair:
    """One family against another; a difference above 0: the first is better."""

    domain: str
    names: tuple[str, str]
    models: tuple[tuple[str, ...], tuple[str, ...]]
    means: tuple[float, float]  # over runs, in the unit shown
    n: tuple[int, int]
    statistic: float
    p: float
    delta: Effect
    paired: Comparison

    def row(self) -> dict[str, Cell]:
        return {
            "domain": self.domain,
            "family": self.names[0],
            "other": self.names[1],
            "models": ", ".join(self.models[0]),
            "other_models": ", ".join(self.models[1]),
            "mean": self.means[0],
            "other_mean": self.means[1],
            "n": self.n[0],
            "other_n": self.n[1],
            "U": self.statistic,
            "p": self.p,
            "sided": "two-sided",
            "delta": self.delta.value,
            "magnitude": self.delta.magnitude,
            "diff": self.paired.difference,
            **interval_cells(self.paired.interval, "diff"),
            "p_paired": self.paired.p,
            "q": self.paired.p_adjusted,
            "n_units": self.paired.n_units,
            "n_clusters": self.paired.n_clusters,
        }


def declared_families(settings: AnalysisSettings) -> dict[str, str]:
    """Model -> family, as declared."""
    families: dict[str, str] = {}
    for entry in settings.families:
        name, equals, members = (part.strip() for part in entry.partition("="))
        if not (name and equals and members):
            raise SettingError(f"'families' must be NAME=MODEL+MODEL, got {entry!r}. Try claude=haiku+opus.")
        for model in (member.strip() for member in members.split("+")):
            if families.setdefault(model, name) != name:
                raise SettingError(f"'families' must put a model into one family, got {model!r} in two. Take one out.")
    return families


def check_families(domains: Sequence[Domain], settings: AnalysisSettings) -> None:
    """A name that no table has would be ignored in silence."""
    known = {str(name) for domain in domains if domain.schema.model for name in domain.runs["model"].unique()}
    for model, family in declared_families(settings).items():
        if not known:
            raise SettingError("'families' must group models that are not compared, got no such column. Leave it out.")
        if model not in known:
            raise SettingError(
                f"'families' must name models of the tables, got {model!r} in {family}.{nearest(model, known)} "
                f"There are: {listed(sorted(known), most=12)}."
            )


def family_of(model: str, declared: Mapping[str, str]) -> str:
    if model in declared:
        return declared[model]
    words = re.split(r"[^a-z0-9]+", model.rsplit("/", 1)[-1].lower())
    maker = next((name for name, members in MAKERS.items() if any(w.startswith(members) for w in words)), None)
    return maker or re.match(r"[a-z]*", words[0])[0] or words[0]  # type: ignore[index]


def by_family(domain: Domain, settings: AnalysisSettings) -> list[FamilyPair]:
    """All pairs of families; none where fewer than two, where none has two models, or where there are too many."""
    if domain.schema.model is None:
        return []
    declared, members = declared_families(settings), dict[str, list[str]]()
    for model in sorted(domain.runs["model"].unique()):
        members.setdefault(family_of(str(model), declared), []).append(str(model))
    if settings.families and not 2 <= len(members) <= MOST_FAMILIES:
        raise SettingError(f"'families' must leave 2 to {MOST_FAMILIES} families, got {listed(members)}. Group others.")
    if not 2 <= len(members) <= MOST_FAMILIES or (max(map(len, members.values())) < 2 and not settings.families):
        return []
    runs = domain.runs.assign(family=domain.runs["model"].map({m: f for f, ms in members.items() for m in ms}))
    runs = runs[runs["value"].notna()]
    cells = runs.groupby(["family", "task", "condition"])["value"].mean().unstack("family")
    pairs = [_pair(domain, runs, cells, members, pair, settings) for pair in combinations(members, 2)]
    made = [pair for pair in pairs if pair is not None]
    family = adjusted([pair.paired for pair in made], "bh")
    return [FamilyPair(**vars(pair) | {"paired": test}) for pair, test in zip(made, family, strict=True)]


def _pair(
    domain: Domain,
    runs: pd.DataFrame,
    cells: pd.DataFrame,
    members: dict[str, list[str]],
    pair: tuple[str, str],
    settings: AnalysisSettings,
) -> FamilyPair | None:
    from scipy import stats

    one, other = (runs.loc[runs["family"] == name, "value"].to_numpy(dtype=np.float64) for name in pair)
    if min(len(one), len(other)) < 2 or np.ptp(np.concatenate([one, other])) == 0:
        return None
    test = stats.mannwhitneyu(-domain.sign * one, -domain.sign * other)
    both = cells[list(pair)].dropna()
    first, second = (-domain.sign * domain.scale * both[name].to_numpy(dtype=np.float64) for name in pair)
    tasks = both.index.get_level_values("task").to_numpy(dtype=object)
    paired = paired_difference(first, second, tasks, settings.level, names=pair)
    paired = paired.described(units="cells", clusters="tasks", measure=domain.outcome)
    return FamilyPair(
        domain.name,
        pair,
        (tuple(members[pair[0]]), tuple(members[pair[1]])),
        (float(one.mean()) * domain.scale, float(other.mean()) * domain.scale),
        (len(one), len(other)),
        float(test.statistic),
        float(test.pvalue),
        cliffs_delta(-domain.sign * one, -domain.sign * other, level=settings.level),
        paired,
    )
