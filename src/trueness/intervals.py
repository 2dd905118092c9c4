"""Interval and Distribution: what a forecast claims and what runs or microdata show.

An interval says what it is of: a single `run` or the `mean` over runs, and at which level. The interval of a mean
shrinks as 1/sqrt(runs), the range of runs does not; comparing one with the other has made honest forecasts look
underconfident by a factor that only counts the runs.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

from trueness.errors import SettingError, listed

Of = Literal["run", "mean"]

CONSTANT = "constant"
_ROUNDING, _MOST_MORE = 1e-9, 9
_PHRASE = {"run": "of runs", "mean": "CI of the mean"}


@dataclass(frozen=True)
class Interval:
    """All values from low to high, both ends included."""

    low: float
    high: float
    level: float
    of: Of

    def __post_init__(self) -> None:
        for name in ("low", "high", "level"):
            object.__setattr__(self, name, _number(name, getattr(self, name), "an interval"))
        if self.low > self.high:
            raise SettingError(f"'low' of an interval must be <= 'high', got [{self.low}, {self.high}]. Swap them.")
        if not 0 < self.level < 1:
            raise SettingError(f"'level' of an interval must be in (0, 1), got {self.level}. Try 0.95.")
        if self.of not in get_args(Of):
            raise SettingError(f"'of' of an interval must be 'run' or 'mean', got {self.of!r}. Say which.")

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def degenerate(self) -> bool:
        """One point only: a ratio of widths has no value."""
        return self.low == self.high

    def within(self, least: float | None, most: float | None) -> Interval:
        """The part that a bounded quantity can reach: a method such as t knows no bounds. None is no bound."""
        low, high = -math.inf if least is None else least, math.inf if most is None else most
        return Interval(min(max(self.low, low), high), max(min(self.high, high), low), self.level, self.of)

    def scaled(self, factor: float) -> Interval:
        """In another unit, or turned round by a factor below 0."""
        low, high = sorted((factor * self.low + 0.0, factor * self.high + 0.0))  # + 0: no -0
        return replace(self, low=low, high=high)

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"[{short(self.low)}, {short(self.high)}] ({100 * self.level:g} % {_PHRASE[self.of]})"


Ends = Interval | tuple[float | None, float | None] | None


class Write(Protocol):
    """A number as text; `more`: with so many digits more."""

    def __call__(self, value: float, more: int = 0, /) -> str: ...


@dataclass(frozen=True)
class Distribution:
    """probs[k] is the share of levels[k]; n is how many answers or rows it rests on, None when it is a claim.

    Levels keep their order, which is what ordinal measures use.
    """

    levels: tuple[Hashable, ...]
    probs: tuple[float, ...]
    n: float | None = None

    def __post_init__(self) -> None:
        levels = tuple(self.levels)
        probs = tuple(_number("probs", p, "a distribution") for p in self.probs)
        if not levels or len(levels) != len(probs):
            raise SettingError(
                "'levels' and 'probs' of a distribution must have one entry a level, "
                f"got {len(levels)} and {len(probs)}."
            )
        if len(set(levels)) != len(levels):
            raise SettingError(
                f"'levels' of a distribution must be unique, got {listed(_twice(levels))} more than once."
            )
        if min(probs) < 0:
            raise SettingError(f"'probs' of a distribution must be >= 0, got {min(probs)}.")
        total = math.fsum(probs)
        if abs(total - 1) > 1e-9:
            raise SettingError(f"'probs' of a distribution must sum to 1, got {total:.12g}. Divide by the sum.")
        if self.n is not None:
            object.__setattr__(self, "n", _number("n", self.n, "a distribution"))
            if self.n < 0:
                raise SettingError(f"'n' of a distribution must be >= 0, got {self.n}.")
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "probs", tuple(p / total for p in probs))

    def __len__(self) -> int:
        return len(self.levels)

    def prob(self, level: Hashable) -> float:
        """The share of one level."""
        if level not in self.levels:
            raise SettingError(f"{level!r} is not a level of this distribution: {listed(self.levels)}.")
        return self.probs[self.levels.index(level)]

    def __str__(self) -> str:
        shares = ", ".join(f"{level} {100 * p:.1f} %" for level, p in zip(self.levels, self.probs, strict=True))
        return shares if self.n is None else f"{shares} (n = {self.n:g})"


def short(value: float, digits: int = 3) -> str:
    """Three digits for a sentence, and no exponent for a count."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:z.{digits}g}"


def fixed(number: int) -> Write:
    """So many decimals; what rounds to 0 has no sign."""
    return lambda value, more=0: f"{value:z.{number + more}f}"


def value_text(value: float, ends: Ends, write: Write | None = None, constant: bool = False) -> str:
    """`0.64 [0.62, 0.66]`; `0.64 (constant)` where nothing varied; `0.64` where no interval is known.

    An interval without width says nothing, and one whose ends would be written alike takes more digits.
    """
    write = write or (lambda value, more=0: short(value, 3 + more))
    low, high = (ends.low, ends.high) if isinstance(ends, Interval) else (None, None) if ends is None else ends
    known = low is not None and high is not None and not math.isnan(low) and not math.isnan(high)
    if constant or not known or low is None or high is None:
        return f"{write(value)} ({CONSTANT})" if constant else write(value)
    if _is_point(low, high):
        return f"{write(value)} ({CONSTANT})"
    return f"{write(value, _more_digits(low, high, write))} {ends_text(low, high, write)}"


def ends_text(low: float, high: float, write: Write) -> str:
    """`[0.62, 0.66]`, or `(constant)`."""
    if _is_point(low, high):
        return f"({CONSTANT})"
    more = _more_digits(low, high, write)
    return f"[{write(low, more)}, {write(high, more)}]"


def _is_point(low: float, high: float) -> bool:
    return high - low <= _ROUNDING * max(1.0, abs(high))


def _more_digits(low: float, high: float, write: Write) -> int:
    """How many more than usual, so that two ends that differ are not written alike."""
    return next((more for more in range(_MOST_MORE) if write(low, more) != write(high, more)), _MOST_MORE)


def _number(name: str, value: object, of: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise SettingError(f"{name!r} of {of} must be a finite number, got {value!r}. Leave it out when it is missing.")
    return number


def _twice(levels: Sequence[Hashable]) -> list[Hashable]:
    return list(dict.fromkeys(level for level in levels if levels.count(level) > 1))
