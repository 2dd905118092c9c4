"""What a reply says of a population: a level, a number, a distribution, each with where it was read.

    levels: name -> accepted spellings,  e.g. {"male": ("male", "man"), "female": ("female", "woman")}

A level counts where the whole reply, its last or its first line is a spelling, where it stands behind "answer:", or
where no other level is named at all. Lines that are nothing but different levels are the list of options, said back.
A longer spelling hides the shorter one inside it ("less than high school"). Two levels without a sign which is meant
are unreadable; a refusal is a status and never a level.

A distribution is the share of every level:

    {"male": 49, "female": 51}    {"shares": [{"level": "male", "percent": "49 %"}, ...]}
    | male | 49 % |               - Male: 49 %          49 % men and 51 % women

Shares are percentages or fractions, all of them alike. Their sum is checked: what rounding explains is divided out; a
sum that is further off is flagged, and one that is off by more than a fifth is no distribution. A level that the reply
leaves out has share 0 only where the others sum to 1.

read_quantiles: the percentiles of a number that a reply gives, each with the place it was read from.

    {"p10": 12000, "p50": "$31,000", "p90": 90000}          p10: 12,000
                                                            p50 = 31k

A key is the number in it ("p10", "10 %", "10th percentile"). All that were asked for must be there, and must not fall.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.ranges import Number, numbers_in
from trueness.reading.structured import NUMBER, OBJECT, STRING, Node, recover_json
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


class Answered(NamedTuple):
    """What a reply says: a level, or a number (45,000, $45k, 1.2 million).

    `span` is where; `parser` of a level how: whole, line, marked, bin, named (in a sentence).
    """

    value: str | float | None
    status: Status
    span: tuple[int, int] | None = None
    message: str = ""
    parser: str = ""


def read_level(text: str, levels: Levels, bins: Sequence[float] = (), top: float | None = None) -> Answered:
    """The one level of a reply. `bins` (lower ends, in the order of the levels) let a number stand for its level."""
    view = answer_view(text)
    if not view.strip():
        return Answered(None, Status.UNREADABLE, message="the reply is empty.")
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
                return Answered(name.level, Status.OK, (name.start, name.end), _if_cut(text), parser)
    if not names and bins:
        return _by_bins(read_number(text), list(levels), bins, top)
    if names:
        named = ", ".join(dict.fromkeys(name.level for name in names))
        return Answered(None, Status.UNREADABLE, message=f"the reply names several levels: {named}.")
    status, message = _nothing(view, "no level of the question is named.")
    return Answered(None, status, message=message)


def read_number(text: str) -> Answered:
    """The one number of a reply; what stands behind "answer:" goes before what stands elsewhere."""
    view = answer_view(text)
    if not view.strip():
        return Answered(None, Status.UNREADABLE, message="the reply is empty.")
    marks = deque((match.end() for match in _MARKED.finditer(view)), maxlen=MOST_MARKS)
    for start, end in [*((mark, _line_end(view, mark)) for mark in reversed(marks)), (0, len(view))]:
        numbers = list(_QUANTITY.finditer(view, start, end))
        values = {float(number[1].replace(",", "")) * _TIMES[number[2]] for number in numbers}
        if len(values) == 1:
            return Answered(values.pop(), Status.OK, numbers[0].span(), _if_cut(text))
    status, message = _nothing(view, "not one number is given.")
    return Answered(None, status, message=message)


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


def _by_bins(number: Answered, levels: Sequence[str], bins: Sequence[float], top: float | None) -> Answered:
    if not isinstance(number.value, float):
        nothing = "neither a level nor one number is given."
        refused = number.status == Status.REFUSED
        return Answered(None, number.status, message=number.message if refused else nothing)
    place = bisect_right(bins, number.value) - 1
    if place < 0 or (top is not None and number.value >= top):
        return Answered(None, Status.UNREADABLE, message=f"{number.value:g} is outside the levels.")
    return Answered(levels[place], Status.OK, number.span, number.message, "bin")


def _if_cut(text: str) -> str:
    """What a message says of a reply that is longer than what is read."""
    return f"{TOO_LONG}." if len(text) > LIMIT else ""


def _nothing(view: str, message: str) -> tuple[Status, str]:
    if declines(view):
        return Status.REFUSED, "the reply declines to answer."
    return Status.UNREADABLE, message


# ---- distributions

FARTHEST = 0.2  # from a sum of 1: beyond it the numbers are no distribution
OFF_SUM, LEFT_OUT = "off_sum", "level_left_out"


@dataclass(frozen=True)
class DistributionReading:
    """`shares` are fractions as the reply gave them and sum to `total`; `probs` are divided by it.

    Numbers that are no distribution (unreadable) stand in `shares` with their spans, and have no `probs`.
    """

    status: Status
    shares: Mapping[str, float] = field(default_factory=dict)
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    parser: str = ""
    flags: tuple[str, ...] = ()
    message: str = ""

    @property
    def total(self) -> float:
        return sum(self.shares.values())

    @property
    def probs(self) -> dict[str, float]:
        if self.status != Status.OK:
            return {}
        return {level: share / self.total for level, share in self.shares.items()}


def read_distribution(text: str, levels: Levels) -> DistributionReading:
    """The distribution over `levels` (name -> accepted spellings) that a reply gives."""
    if len(text) > LIMIT:
        read = read_distribution(text[:LIMIT], levels)
        return replace(read, flags=(*read.flags, "text_too_long"), message=f"{TOO_LONG}. {read.message}".rstrip())
    view = answer_view(text)
    if not view.strip():
        return DistributionReading(Status.UNREADABLE, message="the reply is empty.")
    for parser, candidates in (("json", _in_json(text, levels)), ("lines", _in_lines(view, levels))):
        claims = [claim for claim in candidates if claim]
        most = max(map(len, claims), default=0)
        claims = [claim for claim in claims if len(claim) == most]  # a part of the answer may be repeated before it
        if len({tuple(sorted((level, share.value) for level, share in claim.items())) for claim in claims}) > 1:
            return DistributionReading(Status.UNREADABLE, message="the reply gives different distributions.")
        if claims:
            return _reading_by_sum(claims[-1], levels, parser)
    if declines(view):
        return DistributionReading(Status.REFUSED, message="the reply declines to answer.")
    return DistributionReading(Status.UNREADABLE, message="no share of any level is given.")


def rounding(levels: int) -> float:
    """How far rounding to whole percentages may take the sum from 1: half a point a level, 1 to 2 points in all."""
    return min(max(0.01, 0.005 * levels), 0.02) + 1e-9


def _reading_by_sum(claim: Mapping[str, Number], levels: Levels, parser: str) -> DistributionReading:
    """The sum decides: fractions or percentages, complete or not, a distribution or not."""
    values = [share.value for share in claim.values()]
    scale = 100.0 if any(share.percent for share in claim.values()) or sum(values) > 1.5 else 1.0
    spans = {level: (claim[level].start, claim[level].end) for level in levels if level in claim}
    shares = {level: claim[level].value / scale if level in claim else 0.0 for level in levels}
    total = sum(shares.values())
    problem, flags = "", []
    if min(values) < 0 or max(values) > scale:
        problem = f"a share of {min(values) if min(values) < 0 else max(values):g} is not possible."
    elif total <= 0 or abs(total - 1) > FARTHEST + 1e-9:
        problem = f"the shares sum to {100 * total:.3g} %, not to 100 %."
    elif len(claim) < len(levels):
        left = [level for level in levels if level not in claim]
        flags.append(LEFT_OUT)
        if abs(total - 1) > rounding(len(levels)):
            problem = f"no share is given for {', '.join(left)}, and the others sum to {100 * total:.3g} %."
    if problem:
        stated = {level: shares[level] for level in spans}
        return DistributionReading(Status.UNREADABLE, stated, spans, parser, tuple(flags), problem)
    message = ""
    if abs(total - 1) > rounding(len(levels)):
        flags.append(OFF_SUM)
        message = f"the shares sum to {100 * total:.3g} %; they were divided by the sum."
    return DistributionReading(Status.OK, shares, spans, parser, tuple(flags), message)


# ---- JSON


def _in_json(text: str, levels: Levels) -> Iterator[dict[str, Number]]:
    for node in recover_json(text):
        yield from _claims(node, levels)


def _claims(node: Node, levels: Levels) -> Iterator[dict[str, Number]]:
    """An object whose keys are levels, or a list of objects that name a level and a number, at any depth."""
    if node.kind == OBJECT:
        claim = {}
        for key, item in node.pairs:
            level, share = _level_of(key, levels), _share(item)
            if level is not None and share is not None:
                claim[level] = share
        yield claim
    else:
        rows = [row for item in node.items if item.kind == OBJECT and (row := _row(item, levels)) is not None]
        yield dict(rows)
    for item in node.items:
        yield from _claims(item, levels)


def _row(node: Node, levels: Levels) -> tuple[str, Number] | None:
    """{"level": "male", "percent": 49}"""
    names = [level for item in node.items if item.kind == STRING and (level := _level_of(item.text, levels))]
    shares = [share for item in node.items if item.kind == NUMBER and (share := _share(item))]
    shares = shares or [s for item in node.items if item.kind == STRING and (s := _share(item)) and s.percent]
    return (names[0], shares[0]) if len(names) == 1 and len(shares) == 1 else None


def _level_of(key: str, levels: Levels) -> str | None:
    """The level that a key is, or names as the only one."""
    view = view_of(key)
    for level, spellings in levels.items():
        if view.split() in [view_of(spelling).split() for spelling in (level, *spellings)]:
            return level
    named = {name.level for name in levels_in(view, levels)}
    return named.pop() if len(named) == 1 else None


def _share(node: Node) -> Number | None:
    if node.kind == NUMBER:
        return Number(float(node.text), node.start, node.end)
    if node.kind == STRING:
        numbers = numbers_in(view_of(node.text))
        if len(numbers) == 1:
            return numbers[0]._replace(start=node.start, end=node.end)
    return None


# ---- lines and tables


def _in_lines(view: str, levels: Levels) -> Iterator[dict[str, Number]]:
    """One claim of all lines together: in each, as many levels as numbers, one behind the other."""
    named = levels_in(view, levels)
    signs = list(view)
    for name in named:  # the digits of "18-29" are no share
        signs[name.start : name.end] = "x" * (name.end - name.start)
    masked = "".join(signs)
    starts = [name.start for name in named]
    claim: dict[str, Number] = {}
    others: list[tuple[str, Number]] = []
    start = 0
    for line in masked.split("\n"):
        end = start + len(line)
        names = named[bisect_left(starts, start) : bisect_left(starts, end)]
        numbers = [number for number in numbers_in(masked, start, end) if not number.level]
        for name, number in _pair_up(names, numbers):
            if claim.setdefault(name.level, number).value != number.value:
                others.append((name.level, number))
        start = end + 1
    yield claim
    yield from (claim | {level: share} for level, share in others)  # given twice, and not the same


def _pair_up(names: list[Named], numbers: list[Number]) -> list[tuple[Named, Number]]:
    if any(number.percent for number in numbers):
        numbers = [number for number in numbers if number.percent]
    if len(names) != len(numbers):
        return []
    pairs = list(zip(names, numbers, strict=True))
    before = [name.start < number.start for name, number in pairs]
    return pairs if all(before) or not any(before) else []


# ---- percentiles


_PERCENTILE = late(r"\d{1,2}")
_QUANTILE_LINE = late(r"\bp ?(\d{1,2})\b[^\w\n-]{1,8}([^\n;]{1,60})")
Placed = tuple[float, tuple[int, int]]  # a number, and where it stands


@dataclass(frozen=True)
class QuantilesReading:
    """`values`: percentile -> number, as many as the reply gives; a distribution only where `status` is ok."""

    status: Status
    values: Mapping[int, float] = field(default_factory=dict)
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    message: str = ""


def read_quantiles(text: str, percentiles: Sequence[int]) -> QuantilesReading:
    text = text[:LIMIT]
    view = answer_view(text)
    claims = [claim for node in recover_json(text) for claim in _quantiles_in(node, percentiles)]
    claims = [claim for claim in claims if claim] or [_quantile_lines(view, percentiles)]
    most = max(map(len, claims))
    claim = next(claim for claim in reversed(claims) if len(claim) == most)
    values, spans = {p: claim[p][0] for p in claim}, {p: claim[p][1] for p in claim}
    if not claim:
        status = Status.REFUSED if declines(view) else Status.UNREADABLE
        return QuantilesReading(status, message="no percentile is given.")
    missing = [f"p{p}" for p in percentiles if p not in claim]
    problem = f"no number is given for {', '.join(missing)}." if missing else ""
    ordered = [values[p] for p in percentiles if p in values]
    if any(low > high for low, high in zip(ordered, ordered[1:], strict=False)):
        problem = "the percentiles fall."
    return QuantilesReading(Status.UNREADABLE if problem else Status.OK, values, spans, problem)


def _quantiles_in(node: Node, percentiles: Sequence[int]) -> Iterator[dict[int, Placed]]:
    if node.kind == OBJECT:
        claim: dict[int, Placed] = {}
        for key, item in node.pairs:
            named = _PERCENTILE.findall(key)
            value = float(item.text) if item.kind == NUMBER else read_number(item.text).value
            known = len(named) == 1 and int(named[0]) in percentiles and item.kind in (NUMBER, STRING)
            if known and isinstance(value, float):
                claim[int(named[0])] = value, (item.start, item.end)
        yield claim
    for item in node.items:
        yield from _quantiles_in(item, percentiles)


def _quantile_lines(view: str, percentiles: Sequence[int]) -> dict[int, Placed]:
    claim: dict[int, Placed] = {}
    for match in _QUANTILE_LINE.finditer(view):
        value = read_number(match[2]).value
        if int(match[1]) in percentiles and isinstance(value, float):
            claim[int(match[1])] = value, match.span(2)
    return claim
