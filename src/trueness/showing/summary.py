"""What every reading says in sentences: whether its numbers stand, what was found, what its design cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trueness.showing.blocks import Block
from trueness.showing.headline import Headline


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
