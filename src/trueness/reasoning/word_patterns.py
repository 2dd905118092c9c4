"""Tables of patterns, of which few match one text: each is tried where the text has what the pattern cannot do without.

needed(r"\b(?:is |are )?split (two|three|\\d+) ways\b")      `split `
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from trueness.patterns import late

_T = TypeVar("_T")
Form: TypeAlias = str | Callable[[re.Match[str]], str]
Table: TypeAlias = tuple[tuple[str, re.Pattern[str], _T], ...]  # what a pattern needs, the pattern, what it is for


def needed(pattern: str) -> str:
    """The longest run of plain characters outside of groups; nothing of a pattern with alternatives."""
    bare = re.sub(r"\[\^?\]?[^]]*\]", "\0", re.sub(r"\\.", "\0", pattern))
    while bare != (bare := re.sub(r"\([^()]*\)", "\0", bare)):
        pass
    bare = re.sub(r".(?:[?*+]|\{[^}]*\})\??", "\0", bare)
    return "" if "|" in bare else max(re.split(r"[\0.^$]", bare), key=len)


def table(*rows: tuple[str, _T]) -> Table[_T]:
    return tuple((needed(pattern), late(pattern), what) for pattern, what in rows)


def reworded(sentence: str, forms: Table[Form]) -> str:
    """With each pattern in turn replaced by its form."""
    for needs, pattern, form in forms:
        if needs in sentence and pattern.search(sentence):
            sentence = pattern.sub(form, sentence)
    return sentence


def matches(text: str, patterns: Table[_T]) -> Iterator[tuple[_T, re.Match[str]]]:
    """What those patterns are for that are all of the text."""
    for needs, pattern, what in patterns:
        if needs in text and (match := pattern.fullmatch(text)) is not None:
            yield what, match
