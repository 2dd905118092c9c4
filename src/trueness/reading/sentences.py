"""The sentences of a reply: what is said before and behind a value, looked at once however many values stand in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from trueness.patterns import late
from trueness.reading.labels import measure_named
from trueness.reading.words import NEUTRAL

_LATIN = late("[a-z]+")
_LETTERS = bytes(code if chr(code).isalpha() else 32 for code in range(128)) + bytes(128)
_DIGIT = late(r"\d")
_WORD = late(r"[^\W\d_]+")
REACH = 240  # characters of a sentence, or of a list below its heading, that are looked at
_ENDS = r"[.!?;。\n](?:(?<=\n)|(?=\s|$)(?<!\bal.)(?<!e\.g.)(?<!i\.e.)(?<!\bvs.))"
_STOP, _STOP_OR_BUT = late(_ENDS), late(rf"{_ENDS}|,? but\b(?! not)")
_CLAUSE_ENDS = late(r"[.;:!?|](?= |$)")
_BULLETS = " -+#>.)(0123456789"
_LEAD = 80  # characters before a name that may give it another subject
_FULL_STOPS = (".", "!", "?", "。")
_POINTS_ON = frozenset("following follows below these".split())  # The published results are as follows.
_HEADING = 60  # and of a line that heads a list
_JOINING = frozenset("a an the of and precision recall f shd score is at in".split())  # of a clause that goes on


class Sentences:
    """The words and the stops of a view, found once."""

    def __init__(self, view: str):
        self.view = view
        self.foreign = not view.isascii()
        self.words = set(_LATIN.findall(view) if self.foreign else words_of(view))
        self._neutral: bool | None = None
        self._limits: tuple[list[int], list[int]] | None = None

    @property
    def neutral(self) -> bool:
        """Whether no word of the reply gives a value another subject."""
        if self._neutral is None:
            self._neutral = not self.foreign and are_neutral(self.words)
        return self._neutral

    def _bounds(self) -> tuple[list[int], list[int]]:
        """Where sentences stop, and where they begin."""
        if self._limits is None:
            spans = [stop.span() for stop in _stop(self.view).finditer(self.view)]
            self._limits = [start for start, _ in spans], [0, *[end for _, end in spans]]
        return self._limits

    def before(self, start: int) -> str:
        """The sentence up to a value; 'precision 0.9; recall 0.8' goes on behind its semicolon."""
        view, begins = self.view, self._bounds()[1]
        place = bisect_right(begins, start) - 1
        begun = begins[place]
        if place and view[begun - 1] == ";" and start - begun < REACH:
            if _JOINING.issuperset(words_of(view[begun:start])):
                begun = begins[place - 1]
        return view[max(begun, start - REACH) : start]

    def leads_to(self, name: int) -> bool:
        """Whether nothing stands before the name of a measure, up to the last stop, that gives it another subject."""
        if self.neutral:
            return True
        lead = self.view[max(0, name - _LEAD) : name].rpartition("\n")[2]
        return not lead.strip(_BULLETS) or are_neutral(words_of(_CLAUSE_ENDS.split(lead)[-1]))

    def behind(self, end: int) -> str:
        """The sentence from the end of a value on."""
        return self.view[end : min(self._stop(end), end + REACH)]

    def asks(self, end: int) -> bool:
        """'Is a precision of 0.9-1.0 plausible?' asks."""
        return self.view.startswith("?", self._stop(end))

    def _stop(self, end: int) -> int:
        stops = self._bounds()[0]
        place = bisect_right(stops, end - 1)
        return stops[place] if place < len(stops) else len(self.view)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Where each sentence begins and stops."""
        stops, begins = self._bounds()
        return zip(begins, [*stops, len(self.view)], strict=True)

    def holding(self, words: Iterable[str], start: int) -> list[tuple[int, int]]:
        """The sentences from a place on that hold one of the words, in order."""
        view = self.view
        firsts = [(at, word) for word in words if (at := view.find(word, start)) >= 0]
        if not firsts:
            return []
        stops, begins = self._bounds()
        ends = [*stops, len(view)]
        places = set()
        for at, word in firsts:
            while at >= 0:
                place = bisect_right(begins, at) - 1
                places.add(place)
                at = view.find(word, max(ends[place], at + 1))
        return [(begins[place], ends[place]) for place in sorted(places)]

    def __iter__(self) -> Iterator[str]:
        return (self.view[begun:stop] for begun, stop in self.spans())


def words_of(text: str) -> list[str]:
    """The words of a text, as they are written, in order; those of plain ASCII in a third of the time of a search."""
    if text.isascii():
        return text.encode().translate(_LETTERS).decode().split()
    return _WORD.findall(text)


def _stop(text: str) -> re.Pattern[str]:
    """What stops a sentence of the text: a search for few signs is a quick one."""
    return _STOP_OR_BUT if " but" in text else _STOP


def are_neutral(words: Iterable[str]) -> bool:
    """Whether no word gives a value another subject than the reply's own forecast."""
    return all(map(measure_named, [word for word in words if word not in NEUTRAL]))


def heading_of(view: str, start: int) -> str:
    """The line that heads the list or table in which a value stands, or nothing."""
    line = view.rfind("\n", max(0, start - 2 * REACH), start)
    if line < 0:
        return ""
    for text in reversed(view[max(0, line - 2 * REACH) : line].split("\n")):
        plain = text.strip()
        if plain.endswith(":") or plain.startswith("#"):
            return _stop(plain).split(plain)[-1]
        if not plain or "|" in plain:
            continue
        if len(plain) <= _HEADING and _DIGIT.search(plain) is None:
            return "" if _is_sentence(plain) else plain
        if len(plain) > 2 * _HEADING:
            return ""
    return ""


def _is_sentence(line: str) -> bool:
    """'LiNGAM requires non-Gaussian noise.' speaks for itself and heads nothing; 'Literature values.' is a heading."""
    if not line.endswith(_FULL_STOPS):
        return False
    words = words_of(line)
    return len(words) > 2 and _POINTS_ON.isdisjoint(words)
