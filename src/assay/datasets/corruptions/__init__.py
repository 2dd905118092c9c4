"""Corrupted data: named corruptions, each a sequence of small steps with a strength, a seed and a card.

corruption("mcar_40").of(dataset, 500, seed=1, rng=rng)      rows of a data set, corrupted
corruption("compound_full").apply(table, seed=1, truth=dag)  rows of a table; needs the truth for its mask, see there
Corruption("mine", (Step("noise", 0.2), Step("mcar", 0.1)))  one's own
corruptions()                                                rows for `assay list corruptions`
"""

from __future__ import annotations

from typing import Any

from assay.datasets.corruptions.corrupted import Corrupted, CorruptionCard
from assay.datasets.corruptions.corruption import Corruption
from assay.datasets.corruptions.presets import PRESETS
from assay.datasets.corruptions.steps import STAGES, STEPS, Step, StepCard
from assay.errors import UnknownName

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
    """The corruption of that name; the name of a single step with its strength will do too: `noise 0.2`."""
    if name in PRESETS:
        return PRESETS[name]
    step, _, strength = name.partition(" ")
    if step in STEPS and _is_number(strength):
        return Corruption(name, (Step(step, float(strength)),), STEPS[step].summary)
    raise UnknownName("corruption", name, PRESETS, hint="One step and its strength: 'noise 0.2'.")


def corruptions() -> list[dict[str, Any]]:
    """One row a named corruption."""
    return [made.card.row() for made in PRESETS.values()]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()
