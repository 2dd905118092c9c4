"""The sentences of a reply: what is said before and behind a value, looked at once however many values stand in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from assay.reading.labels import measure_named
from assay.reading.words import NEUTRAL

WORD = re.compile(r"[^\W\d_]+")
REACH = 240  # characters of a sentence, or of a list below its heading, that are looked at
_STOP = re.compile(r"(?<!\bal)(?<!e\.g)(?<!i\.e)(?<!\bvs)[.!?;。](?=\s|$)|\n|,? but\b(?! not)")
_HEADING = 60
_JOINING = frozenset("a an the of and precision recall f shd score is at in".split())  # of a clause that goes on


class Sentences:
    """The stops of a view, found once."""

    def __init__(self, view: str):
        self.view = view

    @cached_property
    def _found(self) -> tuple[list[int], list[int]]:
        """Where sentences stop, and where they begin."""
        found = list(_STOP.finditer(self.view))
        return [stop.start() for stop in found], [0, *(stop.end() for stop in found)]

    def before(self, start: int) -> str:
        """The sentence up to a value; 'precision 0.9; recall 0.8' goes on behind its semicolon."""
        view, begins = self.view, self._found[1]
        place = bisect_right(begins, start) - 1
        begun = begins[place]
        if place and view[begun - 1] == ";" and start - begun < REACH:
            if _JOINING.issuperset(WORD.findall(view, begun, start)):
                begun = begins[place - 1]
        return view[max(begun, start - REACH) : start]

    def behind(self, end: int) -> str:
        """The sentence from the end of a value on."""
        return self.view[end : min(self._stop(end), end + REACH)]

    def asks(self, end: int) -> bool:
        """'Is a precision of 0.9-1.0 plausible?' asks."""
        return self.view.startswith("?", self._stop(end))

    def _stop(self, end: int) -> int:
        stops = self._found[0]
        place = bisect_right(stops, end - 1)
        return stops[place] if place < len(stops) else len(self.view)

    def __iter__(self) -> Iterator[str]:
        stops, begins = self._found
        return (self.view[begun:stop] for begun, stop in zip(begins, [*stops, len(self.view)], strict=True))


def are_neutral(words: Sequence[str]) -> bool:
    """Whether no word gives a value another subject than the reply's own forecast."""
    return all(word in NEUTRAL or measure_named(word) for word in words)


def heading_of(view: str, start: int) -> str:
    """The line that heads the list or table in which a value stands, or nothing."""
    line = view.rfind("\n", max(0, start - 2 * REACH), start) + 1
    for text in reversed(view[max(0, line - 2 * REACH) : line].split("\n")):
        plain = text.strip()
        if plain.endswith(":") or plain.startswith("#"):
            return _STOP.split(plain)[-1]
        if not plain or "|" in plain:
            continue
        if len(plain) <= _HEADING and not any(sign.isdigit() for sign in plain):
            return plain
        if len(plain) > 2 * _HEADING:
            return ""
    return ""
