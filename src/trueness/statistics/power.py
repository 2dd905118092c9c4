"""What a paired design will find, before it is run.

    sd of a unit's difference = sqrt(sd_units^2 + 2 sd_repeats^2 / repeats)
    power = P(|T| >= t_{1 - alpha/2, n - 1}),   T noncentral t with n - 1 degrees of freedom and shift sqrt(n)/sd

sd_units: spread of the true differences between units (task-by-condition variation), which no number of repeats
lowers; sd_repeats: spread of repeats of one unit in one condition. The smallest p that a design can reach at all is in
reach.py. Where the plan is not a t test, `simulated_power` runs the real test on drawn data.
Cohen (1988); Miller (2024) for the split into units and repeats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import nctdtr, stdtrit

from trueness.errors import SettingError
from trueness.intervals import short
from trueness.statistics.clusters import Array
from trueness.statistics.comparison import Comparison
from trueness.statistics.proportions import proportion
from trueness.statistics.result import Cell, Estimate, Result

MOST_UNITS = 100_000


@dataclass(frozen=True)
class PairedDesign(Result):
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

    def row(self) -> dict[str, Cell]:
        return {
            "n_units": self.n_units,
            "repeats": self.repeats,
            "sd_units": self.sd_units,
            "sd_repeats": self.sd_repeats,
            "sd_difference": self.sd_difference,
            "alpha": self.alpha,
            "detectable_80": self.smallest_detectable(0.8),
            "detectable_95": self.smallest_detectable(0.95),
        }

    def sentence(self) -> str:
        return (
            f"{self.n_units} units x {self.repeats} repeats find a mean difference of "
            f"{short(self.smallest_detectable(0.8))} in 80 % of studies and of "
            f"{short(self.smallest_detectable(0.95))} in 95 % (paired t test, two-sided, alpha {self.alpha:g}, "
            f"sd {short(self.sd_units)} between units and {short(self.sd_repeats)} between repeats)."
        )

    def to_latex(self) -> str:
        return f"${short(self.smallest_detectable(0.8))}$ at 80\\,\\% power (${self.n_units} \\times {self.repeats}$)"


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


def simulated_power(
    draw: Callable[[np.random.Generator], tuple[Array, Array]],
    test: Callable[[Array, Array], Comparison],
    studies: int = 1000,
    alpha: float = 0.05,
    *,
    rng: np.random.Generator,
) -> Estimate:
    """The share of drawn studies in which `test` finds p <= alpha; on data without a difference: its type-I error."""
    detected = 0
    for _ in range(studies):
        p = test(*draw(rng)).p_final
        detected += p is not None and p <= alpha
    return proportion(detected, studies, name="power")


def _t_power(shift: float, df: float, alpha: float) -> float:
    t = float(stdtrit(df, 1 - alpha / 2))
    upper, lower = 1 - float(nctdtr(df, shift, t)), float(nctdtr(df, shift, -t))
    return upper + (lower if math.isfinite(lower) else 0.0)
