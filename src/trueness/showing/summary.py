"""What every reading says in sentences: whether its numbers stand, what was found, what its design cannot tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from trueness.intervals import Interval, value_text
from trueness.showing.blocks import Block


class Finding(str):
    """A sentence that knows whether it tells something. `open`: what it asks stays open with this design."""

    open: bool

    def __new__(cls, text: object, open: bool = False) -> Self:
        made = super().__new__(cls, text)
        made.open = open
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[str, bool]]:
        return type(self), (str(self), self.open)


def is_open(sentence: str) -> bool:
    return isinstance(sentence, Finding) and sentence.open


def finding(result: object, before: str = "") -> Finding:
    """Of an estimate or a comparison; it is open where it has no interval."""
    return Finding(f"{before}{result}", open=getattr(result, "interval", None) is None)


def told_and_open(sentences: Iterable[str]) -> tuple[list[str], list[str]]:
    """What was found, and what stays open."""
    all_of_them = list(sentences)
    return [one for one in all_of_them if not is_open(one)], [one for one in all_of_them if is_open(one)]


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


@dataclass(frozen=True)
class Check:
    """One line of the top of the page; `passed` is None where there is nothing to check yet."""

    name: str
    passed: bool | None
    sentence: str


@dataclass(frozen=True)
class Section:
    """Findings of one kind: a title and sentences, each with its estimate, interval, n and test."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """What a reading says first."""

    checks: tuple[Check, ...] = ()
    sections: tuple[Section, ...] = ()
    untold: tuple[str, ...] = ()
    headline: Headline | None = None
    forest: Sequence[Block] = ()  # differences with their intervals, which the page draws


@dataclass(frozen=True)
class AnalysisPart:
    """One analysis: sentences and the tables they rest on. Not told: why it cannot be made."""

    name: str
    sentences: tuple[str, ...] = ()
    told: bool = True
    tables: tuple[Block, ...] = field(default_factory=tuple)
