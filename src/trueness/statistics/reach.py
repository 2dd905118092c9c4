"""What a design can show at all, before anything is run.

    smallest exact p over n paired units = sided / 2^n        all differences point one way
    Holm over k comparisons: k p for the smallest p;  Benjamini-Hochberg: p, if all k comparisons reach it together
    smallest detectable mean difference = (t_{1 - alpha/2} + t_{power}) sd / sqrt(n),   t with n - 1 degrees of freedom

Six data sets: Wilcoxon's p cannot fall below 2/64 = .031, and Holm over ten pairs makes that .31, whatever the data.
A unit is what was drawn independently (a data set), not a repeat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from scipy.special import ndtri, stdtrit

from trueness.errors import SettingError
from trueness.texts import counted

Test = Literal["wilcoxon", "sign-flip"]
Adjustment = Literal["none", "bonferroni", "holm", "benjamini-hochberg"]


def smallest_p(n_units: int, test: Test = "wilcoxon", sided: Literal[1, 2] = 2) -> float:
    """The smallest exact p: one of the 2^n sign patterns, and its mirror when two-sided.

    The same for Wilcoxon's signed rank and for the sign-flip test of the mean, without ties and zero differences;
    a zero difference is a unit less for Wilcoxon's test.
    """
    _one_of("test", test, get_args(Test))
    _one_of("sided", sided, (1, 2))
    _at_least("n_units", n_units, 0)
    return min(1.0, math.ldexp(float(sided), -n_units))


def smallest_adjusted_p(
    n_units: int,
    n_comparisons: int,
    method: Adjustment = "holm",
    test: Test = "wilcoxon",
    sided: Literal[1, 2] = 2,
) -> float:
    """The smallest p after adjustment for n_comparisons, at best."""
    _one_of("method", method, get_args(Adjustment))
    _at_least("n_comparisons", n_comparisons, 1)
    times = n_comparisons if method in ("holm", "bonferroni") else 1
    return min(1.0, times * smallest_p(n_units, test, sided))


def units_needed(
    alpha: float = 0.05,
    n_comparisons: int = 1,
    method: Adjustment = "holm",
    test: Test = "wilcoxon",
    sided: Literal[1, 2] = 2,
) -> int:
    """The least number of units whose smallest adjusted p is <= alpha. Necessary, far from sufficient."""
    _share("alpha", alpha)
    n = 1
    while smallest_adjusted_p(n, n_comparisons, method, test, sided) > alpha:
        n += 1
    return n


def standard_error_of_mean(sd: float, n: int) -> float:
    """sd / sqrt(n), for n independent units."""
    _at_least("sd", sd, 0)
    _at_least("n", n, 1)
    return sd / math.sqrt(n)


def detectable_difference(
    sd: float, n: int, alpha: float = 0.05, power: float = 0.8, approximation: Literal["t", "normal"] = "t"
) -> float:
    """The mean paired difference that a two-sided test at alpha finds with this power.

    sd: standard deviation of the paired differences between units. 't' uses central t quantiles with n - 1 degrees
    of freedom (a little too large for few units, where the exact form is the noncentral t); 'normal' uses z, which
    promises too much below about 30 units.
    """
    _one_of("approximation", approximation, ("t", "normal"))
    _at_least("n", n, 2)
    _share("alpha", alpha)
    _share("power", power)
    if approximation == "t":
        quantiles = stdtrit(n - 1, 1 - alpha / 2) + stdtrit(n - 1, power)
    else:
        quantiles = ndtri(1 - alpha / 2) + ndtri(power)
    return float(quantiles) * standard_error_of_mean(sd, n)


@dataclass(frozen=True)
class Reach:
    """What n_units and n_comparisons allow at alpha; prints itself as a sentence for a plan."""

    n_units: int
    n_comparisons: int
    alpha: float = 0.05
    method: Adjustment = "holm"

    @property
    def p(self) -> float:
        return smallest_p(self.n_units)

    @property
    def adjusted_p(self) -> float:
        return smallest_adjusted_p(self.n_units, self.n_comparisons, self.method)

    @property
    def possible(self) -> bool:
        """Some outcome could be significant after adjustment."""
        return self.adjusted_p <= self.alpha

    @property
    def units_needed(self) -> int:
        return units_needed(self.alpha, self.n_comparisons, self.method)

    def __str__(self) -> str:
        facts = (
            f"With {counted(self.n_units, 'unit')} the smallest exact two-sided p is {self.p:.2g}, "
            f"after {self.method} over {counted(self.n_comparisons, 'comparison')} {self.adjusted_p:.2g}"
        )
        if self.possible:
            return f"{facts}: a difference can reach {self.alpha:g}."
        return f"{facts}: no difference can reach {self.alpha:g}. At least {self.units_needed} units are needed."


def _one_of(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        raise SettingError(f"{name!r} must be one of {', '.join(map(str, allowed))}, got {value!r}.")


def _at_least(name: str, value: float, least: float) -> None:
    if not value >= least:
        raise SettingError(f"{name!r} must be at least {least:g}, got {value}.")


def _share(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise SettingError(f"{name!r} must be in (0, 1), got {value}.")
