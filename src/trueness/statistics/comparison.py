"""Two samples against each other: the difference, its interval, the test, n, and the adjustment, in one object.

difference = a - b;  'greater' means a > b
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Literal

from trueness.intervals import Interval, short, value_text
from trueness.statistics.clusters import Totals
from trueness.statistics.result import (
    UNBOUNDED,
    Alternative,
    Bounds,
    Cell,
    Effect,
    Result,
    counted_units,
    interval_cells,
    latex_text,
    p_text,
    with_notes,
)

ADJUSTED = {"holm": "Holm", "bh": "BH", "bonferroni": "Bonferroni"}


@dataclass(frozen=True)
class Comparison(Result):
    """a against b. `n_units` counts what was compared, `n_clusters` what was drawn independently."""

    names: tuple[str, str]
    difference: float | None
    interval: Interval | None
    test: str
    p: float | None
    n_units: int
    n_clusters: int
    alternative: Alternative = "two-sided"
    design: Literal["paired", "unpaired"] = "paired"
    level: float = 0.95
    estimand: str = "mean difference"
    interval_method: str = ""
    means: tuple[float | None, float | None] = (None, None)
    n_each: tuple[int, int] = (0, 0)
    statistic: float | None = None
    exact: bool = False
    p_error: float | None = None  # standard error of a Monte Carlo p
    smallest_p: float | None = None  # that this test can reach on so many units
    p_adjusted: float | None = None
    adjustment: str | None = None
    n_comparisons: int = 1
    effect: Effect | None = None
    n_missing: int = 0
    measure: str = ""
    units: str = "units"
    clusters: str = "clusters"
    better: Literal["higher", "lower"] | None = None
    notes: tuple[str, ...] = ()
    bounds: Bounds = UNBOUNDED  # least and most that the difference can be
    alone: Interval | None = None  # at `level`, without the other comparisons, where `interval` is of the verdict
    constant: bool = False  # the difference is the same wherever it was drawn: no interval is known
    totals: Totals | None = field(default=None, repr=False, compare=False)  # for an interval at another level

    @property
    def p_final(self) -> float | None:
        """The adjusted p where there is one."""
        return self.p if self.adjustment is None else self.p_adjusted

    @property
    def distinguishable(self) -> bool:
        """p, adjusted where it was, is at most 1 - level. False does not mean equal."""
        return self.p_final is not None and self.p_final <= 1 - self.level + 1e-12

    @property
    def magnitude(self) -> str | None:
        """The word for the size of the effect; none where the two are not told apart: it could be any size."""
        return self.effect.magnitude if self.effect and self.distinguishable else None

    @property
    def span(self) -> Interval | None:
        """For charts and tables: the verdict's, or alone where so few units bound nothing at its level."""
        return self.interval or self.alone

    def described(
        self,
        *,
        measure: str | None = None,
        units: str | None = None,
        clusters: str | None = None,
        better: Literal["higher", "lower"] | None = None,
        names: tuple[str, str] | None = None,
    ) -> Comparison:
        """The same in the words of its subject: units='items', clusters='data sets', better='lower'."""
        words = {"measure": measure, "units": units, "clusters": clusters, "better": better, "names": names}
        return dataclasses.replace(self, **{key: word for key, word in words.items() if word is not None})  # type: ignore[arg-type]

    def within(self, least: float | None, most: float | None) -> Comparison:
        """Of values in [least, most]: the interval of their difference cut to most - least on either side."""
        if least is None or most is None:
            return self
        bounds = least - most, most - least
        ends = None if self.interval is None else self.interval.within(*bounds)
        return dataclasses.replace(self, interval=ends, bounds=bounds)

    def row(self) -> dict[str, Cell]:
        return {
            "a": self.names[0],
            "b": self.names[1],
            "measure": self.measure or None,
            "mean_a": self.means[0],
            "mean_b": self.means[1],
            "difference": self.difference,
            **interval_cells(self.interval),
            "level": self.interval.level if self.interval else self.level,
            **(interval_cells(self.alone, "alone") if self.alone else {}),
            "estimand": self.estimand,
            "interval_method": self.interval_method or None,
            "test": self.test,
            "alternative": self.alternative,
            "statistic": self.statistic,
            "p": self.p,
            "p_error": self.p_error,
            "p_adjusted": self.p_adjusted,
            "adjustment": self.adjustment,
            "n_comparisons": self.n_comparisons,
            "design": self.design,
            "n_a": self.n_each[0],
            "n_b": self.n_each[1],
            "n_units": self.n_units,
            "n_clusters": self.n_clusters,
            "n_missing": self.n_missing,
            "effect": self.effect.name if self.effect else None,
            "effect_value": self.effect.value if self.effect else None,
            **interval_cells(self.effect.interval if self.effect else None, "effect"),
            "magnitude": self.magnitude,
            "notes": " ".join(self.notes),
        }

    def sentence(self) -> str:
        one, other = self.names
        if self.difference is None:
            return with_notes(f"{one} and {other} cannot be compared ({self._sample_text()})", self.notes)
        claim = self._claim() if self.distinguishable else self._no_claim() if self.p is not None else self._no_test()
        return with_notes(f"{claim} ({'; '.join(self._grounds())})", (*self._limits(), *self.notes))

    def to_latex(self) -> str:
        grounds = [f"{latex_text(self.test)} {_latex_p(self.p)}"] if self.p is not None else ["no test"]
        if self.interval is not None and self.interval.level != self.level:
            grounds.append(rf"{100 * self.interval.level:.4g}\,\% CI of the verdict")
        if self.adjustment and self.p_adjusted is not None:
            grounds[0] += f", {ADJUSTED[self.adjustment]}-adjusted {_latex_p(self.p_adjusted)}"
        inside = f" in {self.n_clusters} {latex_text(self.clusters)}" if self.n_clusters != self.n_units else ""
        grounds += [f"$n = {self.n_units}$ {latex_text(self.units)}{inside}"]
        value = "--" if self.difference is None else f"${value_text(self.difference, self.interval)}$"
        return f"{value} ({'; '.join(grounds)})"

    def _claim(self) -> str:
        difference = self.difference or 0.0
        up = difference >= 0
        words = {"higher": ("better", "worse"), "lower": ("worse", "better"), None: ("higher", "lower")}[self.better]
        word = words[0] if up else words[1]
        return f"{self.names[0]} is {word} than {self.names[1]} by {self._size(1 if up else -1)}"

    def _no_claim(self) -> str:
        one, other = self.names
        lost = self.adjustment is not None and self.p is not None and self.p <= 1 - self.level
        after = f" once {self.n_comparisons} comparisons are adjusted for" if lost else ""
        return f"{one} and {other} cannot be told apart{after}: {one} - {other} = {self._size(1)}"

    def _no_test(self) -> str:
        """Without a test nothing is better: the difference stands alone."""
        return f"{self.names[0]} - {self.names[1]} = {self._size(1)}"

    def _size(self, sign: int) -> str:
        ends: tuple[float | None, float | None] = (None, None)
        if self.interval is not None:
            low, high = sorted((sign * self.interval.low, sign * self.interval.high))
            ends = low, high
        return value_text(sign * (self.difference or 0.0), ends, constant=self.constant)

    def _grounds(self) -> list[str]:
        subject = f"{self.measure}; " if self.measure else ""
        interval = f"{100 * self.interval.level:.4g} % CI" if self.interval else "no interval"
        if self.alone is not None and self.alone != self.interval:
            ends = f"[{short(self.alone.low)}, {short(self.alone.high)}]"
            interval += f" of the verdict, alone {100 * self.alone.level:.4g} % CI {ends}"
        what = "" if self.estimand == "mean difference" else f"{self.estimand}; "
        parts = [f"{subject}{what}{interval}", self._sample_text()]
        if self.effect is not None and self.effect.value is not None and self._effect_adds:
            size = f", {self.magnitude}" if self.magnitude else ""
            over = f"{self.effect.name} over {self.units}" if self.design == "paired" else self.effect.name
            parts.append(f"{over} {value_text(self.effect.value, self.effect.interval)}{size}")
        if self.p is not None:
            sided = "" if self.alternative == "two-sided" else "one-sided "
            exact = "exact " if self.exact else ""
            test = f"{sided}{exact}{self.test} {p_text(self.p, self.p_error)}"
            if self.adjustment and self.p_adjusted is not None:
                test += f", {ADJUSTED[self.adjustment]}-adjusted {self.p_adjusted:.2g}"
            parts.append(test)
        else:
            parts.append("no test")
        parts += [f"{self.n_missing} missing"] if self.n_missing else []
        return parts

    @property
    def _effect_adds(self) -> bool:
        """Pairs tell enough by their difference and its interval."""
        return self.design == "unpaired" or self.interval is None

    def _sample_text(self) -> str:
        if self.design == "paired":
            return f"paired over {counted_units(self.n_units, self.n_clusters, self.units, self.clusters)}"
        inside = f" in {self.n_clusters} {self.clusters}" if self.n_clusters != self.n_units else ""
        return f"{self.n_each[0]} against {self.n_each[1]} {self.units}{inside}, unpaired"

    def _limits(self) -> tuple[str, ...]:
        if self.p is None or self.smallest_p is None or self.p > self.smallest_p * (1 + 1e-9) or self.p_error:
            return ()
        counted = counted_units(self.n_clusters, None, self.clusters if self.n_clusters != self.n_units else self.units)
        return (f"With {counted} no smaller p can be reached.",)


def _latex_p(p: float | None) -> str:
    return "--" if p is None else f"${p_text(p)}$"
