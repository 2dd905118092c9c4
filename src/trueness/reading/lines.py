"""Claims from the plainest replies at once: every label begins a line of its own that holds one range and nothing else.

    [bullet] label [:=] range

This is what most models write when they are asked for ranges, and it is read several times faster than other text. A
reply with anything else beside its labels goes the long way; what both ways read is the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueness.reading.claims import INTERVAL, Claim
from trueness.reading.labels import ENGLISH_NAMES, Label
from trueness.reading.ranges import FARTHEST

_NUMBER = r"\d{1,6}(?:\.\d{1,9})?"
_LINE = re.compile(
    rf"^[ >#+-]*(?:\d[.)] +|\([1-9a-d]\) +)?(?:{ENGLISH_NAMES})(?: +\(shd\))?"
    r"(?: *[:=] *| +)(?:about |around |roughly )? *"
    rf"(?:[\[(] *({_NUMBER}) *, *({_NUMBER}) *[\])]|({_NUMBER}) *(?:-|--|to|~) *({_NUMBER}))[ .,;]*$",
    re.MULTILINE,
)


def claims_in_lines(view: str, labels: Sequence[Label], nodes: int | None) -> list[Claim] | None:
    """One claim a label, or None where the reply is not of this form throughout."""
    if view.count("\n") + 1 < len(labels) or "%" in view or "|" in view or "median" in view or "percent" in view:
        return None
    claims: list[Claim] = []
    place, count = 0, len(labels)
    for match in _LINE.finditer(view):
        start, end = match.span()
        if place == count or not start <= labels[place].start < end:
            return None
        measure = labels[place].measure
        while place < count and labels[place].start < end:
            if labels[place].measure != measure:
                return None
            place += 1
        first = 1 if match.start(1) >= 0 else 3
        written = match.group(first, first + 1)
        low, high = float(written[0]), float(written[1])
        if low > high or not _can_be(measure, high, written, nodes):
            return None
        at, after = match.span(first)[0] - (first == 1), match.span(first + 1)[1]
        if first == 1:
            at, after = view.rindex("[" if "[" in match.group() else "(", start, at + 1), _closed(view, after)
        claims.append(Claim(measure, INTERVAL, low, high, at, after, "label", True))
    return claims if place == count else None


def _can_be(measure: str, high: float, written: Sequence[str], nodes: int | None) -> bool:
    if measure != "shd":
        return high <= 1
    return "." not in written[0] + written[1] and high <= (nodes * (nodes - 1) / 2 if nodes else FARTHEST)


def _closed(view: str, end: int) -> int:
    while view[end] == " ":
        end += 1
    return end + 1
