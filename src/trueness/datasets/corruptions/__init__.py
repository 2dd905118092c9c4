"""Corrupted data: named corruptions, each a sequence of small steps with a strength, a seed and a card.

corruption("mcar_40").of(dataset, 500, seed=1, rng=rng)      rows of a data set, corrupted
corruption("compound_full").apply(table, seed=1, truth=dag)  rows of a table; needs the truth for its mask, see there
Corruption("mine", (Step("noise", 0.2), Step("mcar", 0.1)))  one's own
corruption("noise 0.2 + mcar 0.1"), corruption("mcar_40 x 0.5")     the same in a word, and half of a named one
corruptions()                                                rows for `trueness list corruptions`
"""

from __future__ import annotations

from dataclasses import replace

from trueness.datasets.corruptions.corrupted import Corrupted, CorruptionCard
from trueness.datasets.corruptions.corruption import Corruption
from trueness.datasets.corruptions.presets import PRESETS
from trueness.datasets.corruptions.steps import STAGES, STEPS, Step, StepCard
from trueness.errors import UnknownName

__all__ = [
    "PRESETS",
    "STAGES",
    "STEPS",
    "Corrupted",
    "Corruption",
    "CorruptionCard",
    "Step",
    "StepCard",
    "corruption",
    "corruptions",
]


def corruption(name: str) -> Corruption:
    """The corruption of that name. Steps with their strengths will do too, and parts of a named one:
    `noise 0.2`, `noise 0.2 + mcar 0.1`, `mcar_40 x 0.5`."""
    if name in PRESETS:
        return PRESETS[name]
    whole, _, factor = name.rpartition(" x ")
    if whole and _is_number(factor):
        return replace(corruption(whole).scaled(float(factor)), name=name)
    parts = [part.rpartition(" ") for part in name.split(" + ")]
    if all(step in STEPS and _is_number(strength) for step, _, strength in parts):
        steps = tuple(Step(step, float(strength)) for step, _, strength in parts)
        return Corruption(name, steps, "; ".join(STEPS[step.name].summary for step in steps))
    raise UnknownName("corruption", name, PRESETS, hint="Steps and their strengths: 'noise 0.2 + mcar 0.1'.")


def corruptions() -> list[dict[str, object]]:
    """One row a named corruption."""
    return [made.card.row() for made in PRESETS.values()]


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdigit()
