"""read_level: which of the listed answers a reply gives; read_number, read_share: which number or probability.

    levels: name -> accepted spellings,  e.g. {"male": ("male", "man"), "female": ("female", "woman")}

A level counts where the whole reply, its last or its first line is a spelling, where it stands behind "answer:", or
where no other level is named at all. Lines that are nothing but different levels are the list of options, said back.
A longer spelling hides the shorter one inside it ("less than high school"). Two levels without a sign which is meant
are unreadable; a refusal is a status and never a level.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.numbers import Number, numbers_in
from trueness.reading.views import LIMIT, declines, view_of
from trueness.status import Status

Levels = Mapping[str, Sequence[str]]
MOST_MARKS = 20  # places behind "answer:" that are looked at, the last ones
TOO_LONG = f"only the first {LIMIT:,} characters were read"
_MARKED = late(r"\b(?:final )?answer(?: is)?\s*[:=]?\s*")
_AROUND = " \n\t.,;:!()[]<>#-"
_QUANTITY = late(r"(?<![\w.])(-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?))(?: ?(k|thousand|million|billion)\b)?")
_TIMES = {None: 1.0, "k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_THOUGHT = late(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)


class Named(NamedTuple):
    """A level where a text names it."""

    level: str
    start: int
    end: int


class LevelReading(NamedTuple):
    """What a reply says. `span` is where; `parser` how: whole, line, marked, bin, named (in a sentence)."""

    level: str | None
    status: Status
    span: tuple[int, int] | None = None
    parser: str = ""
    message: str = ""


class NumberReading(NamedTuple):
    """The one number of a reply: 45,000, $45k, 1.2 million."""

    value: float | None
    status: Status
    span: tuple[int, int] | None = None
    message: str = ""


class ShareReading(NamedTuple):
    """A probability in [0, 1]; of a range ("30-35 %") its middle."""

    value: float | None
    status: Status
    span: tuple[int, int] | None = None
    flags: tuple[str, ...] = ()
    message: str = ""


def read_level(text: str, levels: Levels, bins: Sequence[float] = (), top: float | None = None) -> LevelReading:
    """The one level of a reply. `bins` (lower ends, in the order of the levels) let a number stand for its level."""
    view = answer_view(text)
    if not view.strip():
        return LevelReading(None, Status.UNREADABLE, message="the reply is empty.")
    names = levels_in(view, levels)
    starts, ends = [name.start for name in names], [name.end for name in names]
    for parser, start, end in _places(view):
        if parser == "line" and _is_list(view, names):
            continue
        inside = {name.level: name for name in names[bisect_left(starts, start) : bisect_right(ends, end)]}
        if len(inside) == 1:
            (name,) = inside.values()
            rest = (view[start : name.start] + view[name.end : end]).strip(_AROUND)
            if not rest or parser == "named":
                return LevelReading(name.level, Status.OK, (name.start, name.end), parser, _if_cut(text))
    if not names and bins:
        return _by_bins(read_number(text), list(levels), bins, top)
    if names:
        named = ", ".join(dict.fromkeys(name.level for name in names))
        return LevelReading(None, Status.UNREADABLE, message=f"the reply names several levels: {named}.")
    status, message = _nothing(view, "no level of the question is named.")
    return LevelReading(None, status, message=message)


def read_number(text: str) -> NumberReading:
    """The one number of a reply; what stands behind "answer:" goes before what stands elsewhere."""
    view = answer_view(text)
    if not view.strip():
        return NumberReading(None, Status.UNREADABLE, message="the reply is empty.")
    marks = deque((match.end() for match in _MARKED.finditer(view)), maxlen=MOST_MARKS)
    for start, end in [*((mark, _line_end(view, mark)) for mark in reversed(marks)), (0, len(view))]:
        numbers = list(_QUANTITY.finditer(view, start, end))
        values = {float(number[1].replace(",", "")) * _TIMES[number[2]] for number in numbers}
        if len(values) == 1:
            return NumberReading(values.pop(), Status.OK, numbers[0].span(), _if_cut(text))
    status, message = _nothing(view, "not one number is given.")
    return NumberReading(None, status, message=message)


def read_share(text: str) -> ShareReading:
    """The one probability of a reply: 35 %, 30-35 %, 0.35; a whole number without a sign is a percentage."""
    view = answer_view(text)
    if not view.strip():
        return ShareReading(None, Status.UNREADABLE, message="the reply is empty.")
    numbers = [number for number in numbers_in(view) if not number.level]
    signed = [number for number in numbers if number.percent]
    if signed:
        first = numbers.index(signed[0])
        numbers = signed if first == 0 or not _one_range(view, numbers[first - 1], signed[0]) else numbers[first - 1 :]
    if not numbers:
        status, message = _nothing(view, "no probability is given.")
        return ShareReading(None, status, message=message)
    low, high = numbers[0], numbers[0]
    if len(numbers) > 1 and _one_range(view, numbers[0], numbers[1]):
        high, numbers = numbers[1], numbers[1:]
    if {number.value for number in numbers[1:]} - {high.value}:
        return ShareReading(None, Status.UNREADABLE, message="several different probabilities are given.")
    value = (low.value + high.value) / 2
    flags: tuple[str, ...] = ()
    if high.percent or (low.whole and high.whole):
        value, flags = value / 100, (() if high.percent else ("no_sign",))
    if not 0 <= value <= 1:
        return ShareReading(None, Status.UNREADABLE, message=f"{value:g} is not a probability.")
    return ShareReading(value, Status.OK, (low.start, high.end), flags, _if_cut(text))


def answer_view(text: str) -> str:
    """The reply as readers look at it, its reasoning blanked; as long as the reply (up to a limit)."""
    reply = _THOUGHT.sub(lambda match: " " * len(match.group()), text[:LIMIT])
    return view_of(reply)


def levels_in(view: str, levels: Levels) -> list[Named]:
    """Every place where a level is named, in order; of spellings upon each other the longest counts."""
    names = [
        Named(level, match.start(), match.end())
        for level, spellings in levels.items()
        for spelling in dict.fromkeys((level, *spellings))
        for match in _pattern(spelling).finditer(view)
    ]
    kept: list[Named] = []
    taken = bytearray(len(view))  # a reply may name a level a hundred thousand times: no pairs are compared
    for name in sorted(names, key=lambda name: (name.start - name.end, name.start)):
        if taken.find(1, name.start, name.end) < 0:
            taken[name.start : name.end] = b"\1" * (name.end - name.start)
            kept.append(name)
    return sorted(kept, key=lambda name: name.start)


def _pattern(spelling: str) -> re.Pattern[str]:
    words = [re.escape(word) for word in view_of(spelling).split()]
    if not words:
        return re.compile(r"(?!)")
    return re.compile(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)(?!\.\d)")


def _places(view: str) -> list[tuple[str, int, int]]:
    """Where an answer may stand, the surest first."""
    marks = deque((match.end() for match in _MARKED.finditer(view)), maxlen=MOST_MARKS)
    marked = [("marked", end, _line_end(view, end)) for end in reversed(marks)]
    first, last = len(view) - len(view.lstrip()), len(view.rstrip())
    ends = [("line", *_line_at(view, place)) for place in (last - 1, first)] if last else []
    return [("whole", 0, len(view)), *marked, *ends, ("named", 0, len(view))]


def _line_at(view: str, place: int) -> tuple[int, int]:
    return view.rfind("\n", 0, place) + 1, _line_end(view, place)


def _is_list(view: str, names: Sequence[Named]) -> bool:
    """Several lines of the reply are nothing but a level each, and not the same one."""
    ends = [0, *(name.end for name in names)]
    starts = [*(name.start for name in names[1:]), len(view)]
    alone: set[str] = set()
    for name, left, right in zip(names, ends, starts, strict=False):  # no text is looked at twice
        begins, stops = view.rfind("\n", left, name.start), view.find("\n", name.end, right)
        if (begins < 0 and left) or (stops < 0 and right < len(view)):
            continue  # another level stands in the same line
        around = view[max(begins, left) : name.start] + view[name.end : right if stops < 0 else stops]
        if not around.strip(_AROUND):
            alone.add(name.level)
    return len(alone) > 1


def _line_end(view: str, start: int) -> int:
    end = view.find("\n", start)
    return len(view) if end < 0 else end


def _by_bins(number: NumberReading, levels: Sequence[str], bins: Sequence[float], top: float | None) -> LevelReading:
    if number.value is None:
        nothing = "neither a level nor one number is given."
        refused = number.status == Status.REFUSED
        return LevelReading(None, number.status, message=number.message if refused else nothing)
    place = bisect_right(bins, number.value) - 1
    if place < 0 or (top is not None and number.value >= top):
        return LevelReading(None, Status.UNREADABLE, message=f"{number.value:g} is outside the levels.")
    return LevelReading(levels[place], Status.OK, number.span, "bin", number.message)


def _one_range(view: str, first: Number, second: Number) -> bool:
    """30-35 %, 30 to 35 %, between 30 and 35 %: two ends of one range."""
    return first.value <= second.value and view[first.end : second.start].strip() in ("-", "to", "and", "~")


def _if_cut(text: str) -> str:
    """What a message says of a reply that is longer than what is read."""
    return f"{TOO_LONG}." if len(text) > LIMIT else ""


def _nothing(view: str, message: str) -> tuple[Status, str]:
    if declines(view):
        return Status.REFUSED, "the reply declines to answer."
    return Status.UNREADABLE, message
