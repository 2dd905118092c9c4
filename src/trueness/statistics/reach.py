"""What a design can show at all, before anything is run.

    smallest exact p over n paired units = sided / 2^n        all differences point one way
    Holm over k comparisons: k p for the smallest p
    power = P(|T| >= t_{1 - alpha/2, n - 1}),   T noncentral t with n - 1 degrees of freedom and shift sqrt(n)/sd
    sd of a unit's difference = sqrt(sd_units^2 + 2 sd_repeats^2 / repeats)

Six data sets: Wilcoxon's p cannot fall below 2/64 = .031, and Holm over ten pairs makes that .31, whatever the data.
A unit is what was drawn independently (a data set), not a repeat: sd_units, the spread of the true differences between
units, is lowered by no number of repeats. Cohen (1988); Miller (2024) for the split into units and repeats.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal

from scipy.special import nctdtr, stdtrit

from trueness.errors import SettingError
from trueness.intervals import short
from trueness.texts import counted

MOST_UNITS = 100_000


def smallest_p(n_units: int, sided: Literal[1, 2] = 2) -> float:
    """The smallest exact p: one of the 2^n sign patterns, and its mirror when two-sided.

    The same for Wilcoxon's signed rank and for the sign-flip test of the mean, without ties and zero differences;
    a zero difference is a unit less for Wilcoxon's test.
    """
    if n_units < 0:
        raise SettingError(f"'n_units' must be at least 0, got {n_units}.")
    return min(1.0, math.ldexp(float(sided), -n_units))


@dataclass(frozen=True)
class Reach:
    """What n_units and n_comparisons allow at alpha, after Holm; prints itself as a sentence for a plan."""

    n_units: int
    n_comparisons: int
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.n_comparisons < 1 or not 0 < self.alpha < 1:
            raise SettingError(
                f"'n_comparisons' must be at least 1 and 'alpha' in (0, 1), got {self.n_comparisons} and {self.alpha}."
            )

    @property
    def p(self) -> float:
        return smallest_p(self.n_units)

    @property
    def adjusted_p(self) -> float:
        """The smallest p after adjustment, at best."""
        return min(1.0, self.n_comparisons * self.p)

    @property
    def possible(self) -> bool:
        """Some outcome could be significant after adjustment."""
        return self.adjusted_p <= self.alpha

    @property
    def units_needed(self) -> int:
        """The least number of units whose smallest adjusted p is <= alpha. Necessary, far from sufficient."""
        return next(n for n in itertools.count(1) if replace(self, n_units=n).possible)

    def __str__(self) -> str:
        facts = (
            f"With {counted(self.n_units, 'unit')} the smallest exact two-sided p is {self.p:.2g}, "
            f"after holm over {counted(self.n_comparisons, 'comparison')} {self.adjusted_p:.2g}"
        )
        if self.possible:
            return f"{facts}: a difference can reach {self.alpha:g}."
        return f"{facts}: no difference can reach {self.alpha:g}. At least {self.units_needed} units are needed."


@dataclass(frozen=True)
class PairedDesign:
    """n_units units, each measured `repeats` times under both conditions."""

    n_units: int
    repeats: int
    sd_units: float
    sd_repeats: float
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.n_units < 2 or self.repeats < 1:
            raise SettingError(
                f"a paired design must have at least 2 units and 1 repeat, got {self.n_units} and {self.repeats}."
            )
        if min(self.sd_units, self.sd_repeats) < 0 or self.sd_units + self.sd_repeats == 0:
            raise SettingError("'sd_units' and 'sd_repeats' must be >= 0 and not both 0. Estimate them from a pilot.")
        if not 0 < self.alpha < 1:
            raise SettingError(f"'alpha' must be in (0, 1), got {self.alpha}. Try 0.05.")

    @property
    def sd_difference(self) -> float:
        return math.sqrt(self.sd_units**2 + 2 * self.sd_repeats**2 / self.repeats)

    def power(self, shift: float) -> float:
        """The share of such studies that find a mean difference of `shift`, two-sided."""
        return _t_power(abs(shift) * math.sqrt(self.n_units) / self.sd_difference, self.n_units - 1, self.alpha)

    def smallest_detectable(self, power: float = 0.8) -> float:
        """The mean difference that is found with this power."""
        if not self.alpha < power < 1:
            raise SettingError(f"'power' must be in (alpha, 1), got {power}. Try 0.8.")
        low, high = 0.0, self.sd_difference
        while self.power(high) < power:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.power(middle) < power else (low, middle)
        return high

    def __str__(self) -> str:
        return (
            f"{self.n_units} units x {self.repeats} repeats find a mean difference of "
            f"{short(self.smallest_detectable(0.8))} in 80 % of studies and of "
            f"{short(self.smallest_detectable(0.95))} in 95 % (paired t test, two-sided, alpha {self.alpha:g}, "
            f"sd {short(self.sd_units)} between units and {short(self.sd_repeats)} between repeats)."
        )


def units_for_power(
    shift: float, sd_units: float, sd_repeats: float, repeats: int = 1, power: float = 0.8, alpha: float = 0.05
) -> int:
    """The least number of units that find `shift` with this power."""
    if shift == 0:
        raise SettingError("'shift' must not be 0: no number of units finds no difference.")
    low, high = 1, 2
    while PairedDesign(high, repeats, sd_units, sd_repeats, alpha).power(shift) < power:
        low, high = high, high * 2
        if high > MOST_UNITS:
            raise SettingError(f"'shift' {shift} needs more than {MOST_UNITS} units at these spreads.")
    while high - low > 1:
        middle = (low + high) // 2
        enough = PairedDesign(middle, repeats, sd_units, sd_repeats, alpha).power(shift) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def _t_power(shift: float, df: float, alpha: float) -> float:
    t = float(stdtrit(df, 1 - alpha / 2))
    upper, lower = 1 - float(nctdtr(df, shift, t)), float(nctdtr(df, shift, -t))
    return upper + (lower if math.isfinite(lower) else 0.0)
