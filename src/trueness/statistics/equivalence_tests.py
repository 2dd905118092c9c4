"""Equivalence: showing that a difference is too small to matter, which a large p never shows.

    H0: |mean difference| >= margin,   rejected when both one-sided tests are:
    t_low = (d + margin)/SE,  t_high = (d - margin)/SE,    p = max(P(T >= t_low), P(T <= t_high))

which is the same as the 1 - 2 alpha interval lying within (-margin, margin). Clusters and degrees of freedom as in
estimates.py and influence.py. Two one-sided tests: Schuirmann (1987); Lakens (2017).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from trueness.errors import SettingError
from trueness.intervals import Interval, short, value_text
from trueness.statistics.clusters import Array, Labels, as_sample
from trueness.statistics.comparison import Comparison
from trueness.statistics.paired import paired_difference
from trueness.statistics.result import (
    Alternative,
    Cell,
    Result,
    interval_cells,
    latex_p,
    latex_value,
    p_text,
    with_notes,
)
from trueness.statistics.unpaired import unpaired_difference


@dataclass(frozen=True)
class Equivalence(Result):
    """`interval` is at level 1 - 2 alpha, so that it lies within the margin exactly when p <= alpha."""

    names: tuple[str, str]
    difference: float | None
    interval: Interval | None
    margin: float
    p: float | None
    alpha: float
    n_units: int
    n_clusters: int
    design: str
    notes: tuple[str, ...] = ()

    @property
    def equivalent(self) -> bool | None:
        return None if self.p is None else self.p <= self.alpha

    def row(self) -> dict[str, Cell]:
        return {
            "a": self.names[0],
            "b": self.names[1],
            "difference": self.difference,
            **interval_cells(self.interval),
            "level": 1 - 2 * self.alpha,
            "margin": self.margin,
            "test": "TOST",
            "p": self.p,
            "alpha": self.alpha,
            "equivalent": self.equivalent,
            "design": self.design,
            "n_units": self.n_units,
            "n_clusters": self.n_clusters,
            "notes": " ".join(self.notes),
        }

    def sentence(self) -> str:
        one, other = self.names
        if self.difference is None or self.p is None:
            return with_notes(f"Whether {one} and {other} are equivalent cannot be tested", self.notes)
        verdict = "are equivalent" if self.equivalent else "were not shown to be equivalent"
        inside = f" in {self.n_clusters} clusters" if self.n_clusters != self.n_units else ""
        return with_notes(
            f"{one} and {other} {verdict} within {short(self.margin)}: {one} - {other} = "
            f"{value_text(self.difference, self.interval)} ({100 * (1 - 2 * self.alpha):g} % CI; {self.design}, "
            f"{self.n_units} units{inside}; TOST {p_text(self.p)})",
            self.notes,
        )

    def to_latex(self) -> str:
        value = latex_value(self.difference, self.interval)
        return f"{value} (TOST within ${short(self.margin)}$: {latex_p(self.p)}; $n = {self.n_units}$)"


def paired_equivalence(
    a: ArrayLike,
    b: ArrayLike,
    margin: float,
    clusters: Labels | None = None,
    alpha: float = 0.05,
    names: tuple[str, str] = ("a", "b"),
) -> Equivalence:
    """a[i] and b[i] belong to one unit; margin: the smallest difference that would matter, chosen beforehand."""
    _check(margin, alpha)
    level = 1 - 2 * alpha
    shifted = [paired_difference(_plus(a, way), b, clusters, level, "t", side, names) for way, side in _sides(margin)]
    return _both(paired_difference(a, b, clusters, level, "t", names=names), shifted, margin, alpha)


def unpaired_equivalence(
    a: ArrayLike,
    b: ArrayLike,
    margin: float,
    clusters: tuple[Labels | None, Labels | None] | None = None,
    alpha: float = 0.05,
    names: tuple[str, str] = ("a", "b"),
) -> Equivalence:
    """Welch's form, for two samples of different units."""
    _check(margin, alpha)
    level = 1 - 2 * alpha
    sides = _sides(margin)
    shifted = [unpaired_difference(_plus(a, way), b, clusters, level, "welch", side, names) for way, side in sides]
    return _both(unpaired_difference(a, b, clusters, level, names=names), shifted, margin, alpha)


def _sides(margin: float) -> list[tuple[float, Alternative]]:
    return [(margin, "greater"), (-margin, "less")]


def _plus(values: ArrayLike, shift: float) -> Array:
    return as_sample(values, "a") + shift


def _both(plain: Comparison, shifted: list[Comparison], margin: float, alpha: float) -> Equivalence:
    sided = [comparison.p for comparison in shifted]
    p = None if sided[0] is None or sided[1] is None else max(sided[0], sided[1])
    notes = tuple(note for note in plain.notes if p is None)
    return Equivalence(
        plain.names, plain.difference, plain.interval, margin, p, alpha, plain.n_units, plain.n_clusters,
        plain.design, notes,
    )  # fmt: skip


def _check(margin: float, alpha: float) -> None:
    if not 0 < margin < math.inf:
        raise SettingError(
            f"'margin' must be a number above 0, got {margin}. Name the smallest difference that would matter."
        )
    if not 0 < alpha < 0.5:
        raise SettingError(f"'alpha' of an equivalence test must be in (0, 0.5), got {alpha}. Try 0.05.")
