"""Families of models against each other: an exploratory comparison, two-sided whatever was declared.

    usual     Mann-Whitney U and Cliff's delta over runs
    paired    mean difference over condition x task cells, clusters of tasks flipped together; q: BH over the pairs

A family is declared ("claude=haiku+opus") or read from a name: its maker, else its first word (glm-5 and glm-4.7: glm).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.analyse.domain import Domain
from trueness.errors import SettingError, listed
from trueness.statistics.comparison import Comparison
from trueness.statistics.effect_sizes import cliffs_delta
from trueness.statistics.multiplicity import adjusted
from trueness.statistics.paired import paired_difference
from trueness.statistics.result import Cell, Effect, interval_cells

MAKERS = {
    "claude": ("haiku", "sonnet", "opus", "claude"),
    "gpt": ("gpt", "o1", "o3", "o4", "chatgpt", "davinci"),
    "gemini": ("gemini", "gemma", "palm"),
    "llama": ("llama",),
}
MOST_FAMILIES = 6


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


def family_of(model: str, settings: AnalysisSettings) -> str:
    if model in (declared := declared_families(settings)):
        return declared[model]
    words = re.split(r"[^a-z0-9]+", model.rsplit("/", 1)[-1].lower())
    maker = next((name for name, members in MAKERS.items() if any(w.startswith(members) for w in words)), None)
    return maker or re.match(r"[a-z]*", words[0])[0] or words[0]  # type: ignore[index]


def by_family(domain: Domain, settings: AnalysisSettings) -> list[FamilyPair]:
    """All pairs of families; none where fewer than two, where none has two models, or where there are too many."""
    if domain.schema.model is None:
        return []
    members: dict[str, list[str]] = {}
    for model in sorted(domain.runs["model"].unique()):
        members.setdefault(family_of(str(model), settings), []).append(str(model))
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
