"""How much the result depends on K: the range of F1 around a chosen one.

    range = max f1 - min f1 within K +- 5;    < .1 stable, .1 to .2 moderate, > .2 sensitive          the original's

One curve has one range and no error. Over seeds the mean range has an interval, and a verdict is given only where the
whole interval allows it. With T true edges f1 moves in steps of about 1 / T: of few edges a range is mostly steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trueness.intervals import Interval
from trueness.statistics import Estimate, mean
from trueness.studies.robustness.sensitivity import SensitivityCurve

Verdict = Literal["stable", "moderate", "sensitive"]
STABLE, SENSITIVE = 0.1, 0.2
AROUND = 5


@dataclass(frozen=True)
class Plateau:
    """How much f1 moves within `around` of a chosen K."""

    k: int
    low: int
    high: int
    f1: float
    f1_low: float
    f1_high: float

    @property
    def range(self) -> float:
        return self.f1_high - self.f1_low

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.range)

    def __str__(self) -> str:
        span = f"F1 lies in [{self.f1_low:.3f}, {self.f1_high:.3f}] for K = {self.low} to {self.high}"
        return f"{span}: {self.verdict} (range {self.range:.3f}; F1 {self.f1:.3f} at K = {self.k})."


def verdict_of(f1_range: float) -> Verdict:
    if f1_range < STABLE:
        return "stable"
    return "moderate" if f1_range <= SENSITIVE else "sensitive"


def plateau(curve: SensitivityCurve, k: int, around: int = AROUND) -> Plateau:
    """The range of f1 within K +- around, as far as the curve goes."""
    at = curve.place(k)
    part = curve.between(k - around, k + around)
    return Plateau(k, int(part.k[0]), int(part.k[-1]), float(curve.f1[at]), float(part.f1.min()), float(part.f1.max()))


@dataclass(frozen=True)
class PlateauOverSeeds:
    """The mean range over seeds with its interval; `verdict` is None where the interval spans two of them. Of one
    curve it is the verdict of that curve: no other was drawn."""

    k: int
    range: Estimate
    each: tuple[Verdict, ...]
    f1: Mapping[int, float | None] = field(default_factory=dict)  # steps from K -> mean F1 there

    @property
    def interval(self) -> Interval | None:
        return self.range.interval

    @property
    def verdict(self) -> Verdict | None:
        if self.range.value is not None and (self.range.constant or self.range.n == 1):  # nothing else was drawn
            return verdict_of(self.range.value)
        if self.interval is None:
            return None
        low, high = verdict_of(self.interval.low), verdict_of(self.interval.high)
        return low if low == high else None

    def __str__(self) -> str:
        verdict = self.verdict or "cannot be told: the interval spans more than one verdict"
        counts = ", ".join(f"{self.each.count(word)} {word}" for word in dict.fromkeys(self.each))
        return f"{self.range} {verdict} (by seed: {counts})."


def plateau_over_seeds(curves: Sequence[SensitivityCurve], k: int, around: int = AROUND) -> PlateauOverSeeds:
    """Curves of the same learner and corruption, one a seed."""
    each = [plateau(curve, k, around) for curve in curves]
    return PlateauOverSeeds(k, range_over_seeds(each), tuple(one.verdict for one in each))


def range_over_seeds(each: Sequence[Plateau], graphs: Sequence[str] | None = None, level: float = 0.95) -> Estimate:
    """graphs: of each plateau, where there are several."""
    return mean([one.range for one in each], graphs, level=level, name="range of F1 around K", bounds=(0.0, 1.0))
