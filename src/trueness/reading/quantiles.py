"""read_quantiles: the percentiles of a number that a reply gives, each with the place it was read from.

    {"p10": 12000, "p50": "$31,000", "p90": 90000}          p10: 12,000
                                                            p50 = 31k

A key is the number in it ("p10", "10 %", "10th percentile"). All that were asked for must be there, and must not fall.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trueness.patterns import late
from trueness.reading.level import answer_view, read_number
from trueness.reading.refusals import declines
from trueness.reading.structured import NUMBER, OBJECT, STRING, Node, recover_json
from trueness.reading.views import LIMIT
from trueness.status import Status

_PERCENTILE = late(r"\d{1,2}")
_LINE = late(r"\bp ?(\d{1,2})\b[^\w\n-]{1,8}([^\n;]{1,60})")
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
    claims = [claim for node in recover_json(text) for claim in _objects(node, percentiles)]
    claims = [claim for claim in claims if claim] or [_lines(view, percentiles)]
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


def _objects(node: Node, percentiles: Sequence[int]) -> Iterator[dict[int, Placed]]:
    if node.kind == OBJECT:
        claim: dict[int, Placed] = {}
        for key, item in node.pairs:
            named = _PERCENTILE.findall(key)
            value = float(item.text) if item.kind == NUMBER else read_number(item.text).value
            if len(named) == 1 and int(named[0]) in percentiles and item.kind in (NUMBER, STRING) and value is not None:
                claim[int(named[0])] = value, (item.start, item.end)
        yield claim
    for item in node.items:
        yield from _objects(item, percentiles)


def _lines(view: str, percentiles: Sequence[int]) -> dict[int, Placed]:
    claim: dict[int, Placed] = {}
    for match in _LINE.finditer(view):
        value = read_number(match[2]).value
        if int(match[1]) in percentiles and value is not None:
            claim[int(match[1])] = value, match.span(2)
    return claim
