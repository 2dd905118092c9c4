"""Claims from the plainest replies at once: every label begins a line of its own that holds one range and nothing else.

    [bullet] label [:=] range

This is what most models write when they are asked for ranges, and it is read several times faster than other text. A
reply with anything else beside its labels goes the long way; what both ways read is the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueness.patterns import late
from trueness.reading.labels import Label
from trueness.reading.ranges import FARTHEST, INTERVAL, Claim

_NUMBER = r"\d{1,6}+(?:\.\d{1,9}+)?+"
_LEAD = late(r"[ >#+-]*(?:\d[.)] +|\([1-9a-d]\) +)?")
_RANGE = late(  # possessive throughout: what does not fit is not tried again with fewer blanks
    r"(?: ++\(shd\))?+(?: *+[:=] *+| ++)(?:about |around |roughly )?+ *+"
    rf"(([\[(] *+)?+({_NUMBER}) *+(?(2),|(?:--?|to|~)) *+({_NUMBER})(?(2) *+[\])]))[ .,;]*+$",
    re.MULTILINE,
)
_new = tuple.__new__  # half the time of a named tuple's own


def claims_in_lines(view: str, labels: Sequence[Label], nodes: int | None) -> list[Claim] | None:
    """One claim a label, or None where the reply is not of this form throughout."""
    if "%" in view or "|" in view or "median" in view or "percent" in view:
        return None
    claims: list[Claim] = []
    read, done = "", 0
    for measure, start, end in labels:
        if start < done:
            if measure != read:
                return None
            continue  # Structural Hamming Distance (SHD)
        match = _RANGE.match(view, end)
        if match is None or _LEAD.fullmatch(view, view.rfind("\n", 0, start) + 1, start) is None:
            return None
        read, done = measure, match.end()
        lower, upper = match.group(3, 4)
        low, high = float(lower), float(upper)
        if low > high or not _can_be(measure, high, lower + upper, nodes):
            return None
        claims.append(_new(Claim, (measure, INTERVAL, low, high, *match.span(1), "label", True, None, (), "")))
    return claims


def _can_be(measure: str, high: float, written: str, nodes: int | None) -> bool:
    if measure != "shd":
        return high <= 1
    return "." not in written and high <= (nodes * (nodes - 1) / 2 if nodes else FARTHEST)
