"""What every statistic returns: a frozen result that prints itself as a row and as a sentence.

A p-value never stands alone: the classes below carry the estimate, its interval, n, the test and the adjustment
together, so that none of them can be lost on the way to a table.

    Estimate      one number and how well it is known: a mean, a share, a correlation, an agreement
    Effect        an estimate without a unit, with the word for its size: Cliff's delta, superiority, variance ratio

A comparison of two samples is in comparison.py. Where a number cannot be had it is None and `notes` says why.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from trueness.errors import SettingError
from trueness.intervals import Interval, short, value_text
from trueness.texts import html_text, printable

Alternative = Literal["two-sided", "greater", "less"]
Bounds = tuple[float | None, float | None]  # least and most that a quantity can be; None where there is no bound
UNBOUNDED: Bounds = (None, None)
Cell = str | float | int | bool | None
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {character: "\\" + character for character in "&%$#_{}"}


class Result(ABC):
    """A frozen result. `row` is flat and plain JSON; `sentence` can stand in a report as it is."""

    @abstractmethod
    def row(self) -> dict[str, Cell]: ...

    @abstractmethod
    def sentence(self) -> str: ...

    def __str__(self) -> str:
        return self.sentence()

    def _repr_html_(self) -> str:
        """In a notebook: the sentence, and below it the row as a table."""
        cells = [(key, value) for key, value in self.row().items() if value not in (None, "")]
        head = "".join(f"<th>{html_text(key)}</th>" for key, _ in cells)
        body = "".join(f"<td>{html_text(_cell_text(value))}</td>" for _, value in cells)
        return f"<p>{html_text(self.sentence())}</p><table><tr>{head}</tr><tr>{body}</tr></table>"


@dataclass(frozen=True)
class Estimate(Result):
    """A number, its interval, and what both rest on. `n` counts rows, `n_clusters` what was drawn independently."""

    name: str
    value: float | None
    interval: Interval | None
    n: int
    n_clusters: int
    method: str
    level: float = 0.95
    se: float | None = None
    n_missing: int = 0
    p: float | None = None  # of the hypothesis that `null` is the value
    test: str = ""
    null: float | None = None
    notes: tuple[str, ...] = ()
    constant: bool = False  # all that was drawn has one value: nothing varies, so no interval is known

    def cells(
        self, name: str = "value", ends: str | None = None, missing: float | None = None
    ) -> dict[str, float | None]:
        """Columns of a table: the value as `name`, its ends as `name_low` and `name_high` (or as `ends` says), and
        whether it is a constant. missing: what stands where there is no number."""
        ends = name if ends is None else ends
        constant = {f"{ends}_constant" if ends else "constant": True} if self.constant else {}
        value = missing if self.value is None else self.value
        return {name: value, **interval_cells(self.interval, ends, missing), **constant}

    def row(self) -> dict[str, Cell]:
        return {
            "name": self.name,
            "value": self.value,
            **interval_cells(self.interval),
            "level": self.level,
            "se": self.se,
            "n": self.n,
            "n_clusters": self.n_clusters,
            "n_missing": self.n_missing,
            "method": self.method,
            "test": self.test or None,
            "p": self.p,
            "notes": " ".join(self.notes),
        }

    def sentence(self) -> str:
        counted = counted_units(self.n, self.n_clusters)
        if self.value is None:
            return with_notes(f"{self.name} has no value ({counted})", self.notes)
        parts = [f"{100 * self.level:g} % CI, {self.method}" if self.interval else "no interval", counted]
        parts += [f"{self.test} {p_text(self.p)}"] if self.p is not None else []
        parts += [f"{self.n_missing} missing"] if self.n_missing else []
        return with_notes(f"{self.name} {value_text(self.value, self.interval)} ({'; '.join(parts)})", self.notes)


@dataclass(frozen=True)
class Effect:
    """An effect size with its interval; `magnitude` is the word that its author's thresholds give."""

    name: str
    value: float | None
    interval: Interval | None
    magnitude: str | None
    n: tuple[int, ...]
    level: float = 0.95
    method: str = ""
    n_clusters: int | None = None
    notes: tuple[str, ...] = ()


# ---- words and numbers that all results share


def counted_units(n: int, n_clusters: int | None, units: str = "units", clusters: str = "clusters") -> str:
    inside = "" if n_clusters is None or n_clusters == n else f" in {n_clusters} {_plural(n_clusters, clusters)}"
    return f"{n} {_plural(n, units)}{inside}"


def with_notes(sentence: str, notes: Sequence[str]) -> str:
    return " ".join([f"{sentence}.", *notes])


def p_text(p: float | None, error: float | None = None) -> str:
    if p is None:
        return "p missing"
    if p < 1e-4:
        return "p < 0.0001"
    return f"p = {p:.2g}" + (f" +- {error:.1g} (Monte Carlo)" if error else "")


def interval_cells(interval: Interval | None, name: str = "", missing: float | None = None) -> dict[str, float | None]:
    """`low` and `high` of an interval as columns of a table, behind `name_`; `missing` where there is none."""
    stem = f"{name}_" if name else ""
    low, high = (interval.low, interval.high) if interval else (missing, missing)
    return {f"{stem}low": low, f"{stem}high": high}


def latex_text(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in printable(text))


def checked_level(level: float) -> float:
    if not 0 < level < 1:
        raise SettingError(f"'level' must be in (0, 1), got {level}. Try 0.95.")
    return level


def checked_choice(name: str, value: str, kind: object) -> None:
    """kind: the Literal that lists what is allowed."""
    allowed = get_args(kind)
    if value not in allowed:
        raise SettingError(f"{name!r} must be one of {', '.join(allowed)}, got {value!r}.")


def _cell_text(value: Cell) -> str:
    return short(value) if isinstance(value, float) else str(value)


def _plural(n: int, noun: str) -> str:
    return noun.removesuffix("s") if n == 1 else noun
