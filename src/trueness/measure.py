"""Measure: what a number means, declared once, by the study that computes it (studies/NAME/measures.py).

    direction("tv")                  lower
    direction("f1@oracle_k")         as f1: behind @ is how K was chosen
    direction("coverage_runs_50")    as coverage_runs: behind the last _ is the level of a claim
    direction("calibration_slope")   None: 1 is best, neither more nor less

No direction is guessed from words in a name: `tv` has none and is a distance. Whoever compares, ranks, or writes
"better" asks here. A measure that nobody declared has no direction, and two values of it are higher and lower.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from trueness import registry

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Measure:
    """`minimum` and `maximum`: what it can be; None where that depends on the question."""

    name: str
    title: str = ""
    better: Literal["higher", "lower", "neither"] = "higher"
    reference: str = ""  # what an answer is held against, where that is not the truth itself
    description: str = ""
    minimum: float | None = 0.0
    maximum: float | None = 1.0
    headline: bool = False

    @property
    def label(self) -> str:
        return self.title or self.name.replace("_", " ")

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        return self.minimum, self.maximum

    @property
    def direction(self) -> Better | None:
        return None if self.better == "neither" else self.better


def measure_of(name: str) -> Measure | None:
    """What a study declares of a measure of that name; None where none does."""
    known, plain = _measures_by_name(), name.partition("@")[0]
    measure = known.get(plain) or known.get(_LEVEL.sub("", plain))
    if measure is None and plain.startswith(SKILL):  # of a claim against a reference of any name
        return Measure(name, minimum=None)
    return measure and (measure if measure.name == name else replace(measure, name=name, title=""))


def direction(name: str) -> Better | None:
    """Which way is better; None where neither is, and for a measure that is none of ours."""
    measure = measure_of(name)
    return None if measure is None else measure.direction


SKILL = "skill_"
_LEVEL = re.compile(r"_\d+(\.\d+)?$")


@cache
def _measures_by_name() -> dict[str, Measure]:
    return {one.name: one for study in registry.built_in("task") for one in registry.measures(study)}
