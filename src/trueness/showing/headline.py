"""The one thing that a study says first: a sentence, and a small table with intervals beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trueness.intervals import Interval, value_text


@dataclass(frozen=True)
class Standing:
    """A respondent with its mean and the mean's interval; no ends where it has none, and where nothing varied."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    constant: bool = False

    @classmethod
    def of(cls, name: str, value: float, ends: Interval | None, constant: bool) -> Standing:
        if ends is None or ends.degenerate:
            return cls(name, value, constant=constant or ends is not None)
        return cls(name, value, ends.low, ends.high)

    @property
    def short(self) -> str:
        return f"{self.name} {figure(self.value)}"

    @property
    def text(self) -> str:
        return value_text(self.value, (self.low, self.high), figure, self.constant)


@dataclass(frozen=True)
class Headline:
    """`of` says what the numbers of the rows are, which way is better, and what their interval is of."""

    sentence: str
    of: str = ""
    rows: tuple[Standing, ...] = ()


def ranking(rows: Sequence[Standing], apart: Callable[[str, str], bool | None], what: str, more: str = "") -> str:
    """Who leads, who cannot be told from the leader, who is behind; rows are ranked, the best first.

    apart(leader, other): told apart, not told apart, or None where it was not tested. more: a clause of its own.
    """
    leader, others = rows[0], rows[1:]
    verdicts = {row.name: apart(leader.name, row.name) for row in others}
    near = [row.short for row in others if verdicts[row.name] is False]
    behind = [row.short for row in others if verdicts[row.name]]
    untested = [row.short for row in others if verdicts[row.name] is None]
    parts = []
    if near and not behind:
        parts.append(f"{joined([leader.short, *near])} cannot be told apart")
    elif behind:
        parts.append(f"{leader.short} is better than {joined(behind)}")
        parts += [f"{joined(near)} cannot be told from it"] if near else []
    else:
        parts.append(f"{leader.short} is the best" if others else leader.short)
    parts += [f"{joined(untested)} not tested against it"] if untested else []
    parts += [more] if more else []
    return f"{'; '.join(parts)} ({what})."


def joined(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def figure(value: float, more: int = 0) -> str:
    """.80, 12: as short as a headline wants it; `more`: with so many digits more."""
    if abs(value) >= 10:
        return f"{value:.{more}f}"
    text = f"{value:.{2 + more}f}"
    if float(text) == 0:
        return "0"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
