"""Which condition is the baseline, which the treatment, and which pairs are compared.

    RQ1 presence    the baseline against all others, pooled
    RQ2 format      the treatment against each other condition that is not the baseline; without a treatment each pair

A direction is declared or there is none: one-sided tests need the treatment (and the baseline) by name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from trueness.analyse.analysis_settings import AnalysisSettings, nearest
from trueness.errors import DataError, SettingError, listed
from trueness.texts import shown_alike

USUAL_BASELINES = ("none", "baseline", "control", "no_skill", "no-skill", "no skill", "vanilla", "default", "off")
MOST_PAIRS = 15  # more than six conditions in all pairs: the user must say what is wanted
MOST_AGAINST = 200  # one treatment against each other


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
