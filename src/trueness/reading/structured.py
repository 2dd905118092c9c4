"""JSON as models write it: with comments, trailing commas, single quotes, text around it, or cut off.

    recover_json(text) -> the objects that stand in the text, each value with its span and whether it was complete

The work is linear in the text: after a mistake reading goes on behind it and never starts over.

Claims from JSON:

{"precision": [0.6, 0.8]}   {"precision": {"lower": 0.6, "upper": 0.8}}   {"precision_low": 0.6, "precision_high": 0.8}
{"precision": {"median": 0.7, "50": [0.65, 0.75], "95": [0.5, 0.9]}}      [{"metric": "precision", "range": "0.6-0.8"}]
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.labels import labels_in
from trueness.reading.ranges import (
    PAIR,
    POINT,
    Claim,
    Ends,
    Expression,
    Number,
    Scale,
    claims_of_ends,
    expression_at,
    numbers_in,
    trouble,
)
from trueness.reading.tables import QUANTILES
from trueness.reading.views import view_of
from trueness.reading.words import words_of

OBJECT, ARRAY, STRING, NUMBER, WORD = "object", "array", "string", "number", "word"
_MAX_DEPTH = 24
_new = tuple.__new__  # half the time of a named tuple's own
_BEGINS = late(r"[{\[]\s*(?:[\"'\u201c{/#]|[^\W\d]\w*\s*:)")
_TOKEN = late(  # numbers possessive: shorter ones are never followed by what must follow, and need no try
    r"""[\s,]*(?:
      (?P<comment>//[^\n]*|\#[^\n]*|/\*)
    | (?P<string>"[^"\\\n]*"|'[^'\\\n]*'|\u201c[^\u201c\u201d\n]*\u201d)
    | (?P<escaped>")
    | (?P<number>[-+]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+(?=\s*+(?:[,}\])]|//|/\*|\#|$)))
    | (?P<open>[{\[(])
    | (?P<close>[}\])])
    | (?P<colon>:)
    | (?P<word>[^\s,:{}\[\]()"'][^\n,:{}\[\]()"']*)
    | (?P<other>\S)
    )""",
    re.VERBOSE,
)
_KEY = late(r'[\s,]*"([^"\\\n]*)"[\s,]*:')  # what most keys are, and most values of an answer
_ESCAPED = late(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class Node(NamedTuple):
    """A value of a JSON text with its span. An object holds (key, node) pairs, an array holds nodes."""

    kind: str
    start: int
    end: int
    text: str = ""
    items: tuple[Node, ...] = ()
    keys: tuple[str, ...] = ()
    complete: bool = True

    @property
    def pairs(self) -> Iterator[tuple[str, Node]]:
        return zip(self.keys, self.items, strict=True)


def unescaped(text: str) -> str:
    """What a string of JSON stands for; the string itself where its escapes are wrong."""
    try:
        return str(json.loads(f'"{text}"')) if "\\" in text else text
    except ValueError:
        return text


def recover_json(text: str, start: int = 0) -> list[Node]:
    """The objects (and arrays of objects) of a text, in order."""
    nodes: list[Node] = []
    while True:
        match = _BEGINS.search(text, start)
        if match is None:
            return nodes
        node = _Reader(text, match.start()).value(0)
        start = max(node.end, match.end())
        if node.keys or any(item.kind == OBJECT for item in node.items):
            nodes.append(node)


class _Reader:
    """One pass over the tokens from a place on."""

    def __init__(self, text: str, at: int):
        self.text, self.at = text, at

    def next(self) -> tuple[str, int, int]:
        """Kind and span of the next token; ("", end, end) at the end."""
        while True:
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                self.at = len(self.text)
                return "", self.at, self.at
            kind = match.lastgroup or ""
            start, end = match.span(kind)
            if kind == "comment":
                if self.text.startswith("/*", start):
                    closed = self.text.find("*/", end)
                    end = len(self.text) if closed < 0 else closed + 2
                self.at = end
                continue
            if kind == "escaped":
                whole = _ESCAPED.match(self.text, start)
                kind, end = ("string", whole.end()) if whole else ("cut", len(self.text))
            self.at = end
            return kind, start, end

    def value(self, depth: int) -> Node:
        kind, start, end = self.next()
        written = self.text[start:end]
        if kind == "open" and depth < _MAX_DEPTH:
            return self._object(start, depth) if written == "{" else self._array(start, depth)
        if kind == "string":
            return _new(Node, (STRING, start, end, written[1:-1], (), (), True))
        if kind == "number":
            return _new(Node, (NUMBER, start, end, written, (), (), end < len(self.text)))
        if kind == "close":
            self.at = start  # a value is missing: {"precision": }
        return Node(WORD, start, end, written, complete=kind == "word" and end < len(self.text))

    def _object(self, start: int, depth: int) -> Node:
        keys: list[str] = []
        items: list[Node] = []
        while True:
            if (plain := _KEY.match(self.text, self.at)) is not None:
                self.at = plain.end()
                keys.append(plain[1])
                items.append(self.value(depth + 1))
                continue
            kind, at, end = self.next()
            if kind == "close":
                return _new(Node, (OBJECT, start, end, "", tuple(items), tuple(keys), True))
            if kind not in ("string", "word"):
                return Node(OBJECT, start, self.at, "", tuple(items), tuple(keys), complete=False)
            key = self.text[at:end]
            if self.next()[0] != "colon":
                return Node(OBJECT, start, self.at, "", tuple(items), tuple(keys), complete=False)
            keys.append(key[1:-1] if kind == "string" else key.strip())
            items.append(self.value(depth + 1))

    def _array(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        while True:
            before = self.at
            kind, _, end = self.next()
            if kind == "close":
                return Node(ARRAY, start, end, "", tuple(items))
            if not kind or kind in ("colon", "other", "cut"):
                return Node(ARRAY, start, self.at, "", tuple(items), complete=False)
            self.at = before
            items.append(self.value(depth + 1))


# ---- claims

_LOWER = frozenset("lower low min minimum lo lowerbound from start inf".split())
_UPPER = frozenset("upper high max maximum hi upperbound to end sup".split())
_MIDDLE = frozenset("median mean mid midpoint middle point expected mode central best likely center centre".split())
_SCHEMA = frozenset("number integer array object string".split())
_PLAIN = frozenset(  # words of a key that leave the measure what it is
    "range ranges interval intervals ci pi estimate estimates estimated predicted prediction predictions expected "
    "expect forecast forecasts score bound bounds value values ends limits metric measure confidence credible "
    "percent pct my final answer result results count edges level the of".split()
)
_SPREAD = frozenset("std sd stdev variance deviation se sigma width halfwidth half margin error tolerance".split())
_SILENT = frozenset(
    "weight weights threshold thresholds target targets goal baseline baselines "
    "random literature reported published comparison initial draft previous chance "
    "std sd stdev variance width confidence reasoning reason reasons explanation rationale notes note comment "
    "comments unit units description definition maximum_possible truth min_possible example examples scale".split()
)
_NAMING = ("name", "metric", "measure", "metrics", "label")
_WORDS = late(r"[^\W\d]+")
_DIGITS = late(r"\d+(?:\.\d+)?")
_SHARES = (0.5, 0.8, 0.9, 0.95, 0.99)
_LEVELS = {round(100 * share, 6): share for share in _SHARES} | {share: share for share in _SHARES}
_QUANTILE = frozenset("q p quantile percentile pct".split())
_ONLY_QUANTILES = frozenset((2.5, 97.5, 0.025, 0.975, 5.0, 0.05, 25.0, 75.0, 10.0))
_TWO_NUMBERS = [NUMBER, NUMBER]
_KNOWN = _PLAIN | _LOWER | _UPPER | _MIDDLE


class _Place(NamedTuple):
    """What the keys above a value say."""

    measure: str = ""
    level: float | None = None
    role: str = ""  # lower, upper, median
    percent: bool = False


def claims_in_object(root: Node, view: str, scale: Scale) -> list[Claim]:
    """All claims of one object; ends given apart are put together."""
    ends: Ends = {}
    claims: list[Claim] = []
    _walk(root, _Place(), view, scale, claims, ends)
    return claims + claims_of_ends(ends, scale, "json")


def _walk(
    node: Node,
    place: _Place,
    view: str,
    scale: Scale,
    claims: list[Claim],
    ends: Ends,
) -> None:
    if node.kind == OBJECT:
        if "type" in node.keys and _is_schema(node):
            return
        named = _measure_in_value(node)
        if place.measure and _is_mean_with_spread(node):
            claims.append(trouble(place.measure, node.start, node.end, "json", "spread"))
            return
        for key, item in node.pairs:
            if named and item.kind == STRING and key.lower() in _NAMING:
                continue
            above = place._replace(measure=named) if named else place
            inner = _place_below(above, key)
            if inner is not None:
                _walk(item, inner, view, scale, claims, ends)
            elif above.measure and item.kind == NUMBER and not _key(key[:99]).silent:
                claims.append(trouble(above.measure, item.start, item.end, "json", "not_a_range"))
        return
    if node.kind == ARRAY and OBJECT in [item.kind for item in node.items]:
        for item in node.items:
            _walk(item, place, view, scale, claims, ends)
        return
    if not place.measure or (node.kind == WORD and not any(sign.isdigit() for sign in node.text)):
        return
    expression = _expression(node, view)
    if expression is None:
        if node.complete and (node.items or any(sign.isdigit() for sign in node.text)):
            claims.append(trouble(place.measure, node.start, node.end, "json", "not_a_range"))
        return
    if place.role in ("lower", "upper") and expression.kind == POINT:
        ends.setdefault((place.measure, place.level, place.role), expression)
        return
    median = place.role == "median" and expression.kind == POINT
    claims.append(scale.claim(place.measure, expression, "json", True, place.level, place.percent, (), median))


def _is_schema(node: Node) -> bool:
    """{"type": "number", "minimum": 0, "maximum": 1} tells what an answer looks like."""
    return any(key == "type" and item.kind == STRING and item.text in _SCHEMA for key, item in node.pairs)


def _is_mean_with_spread(node: Node) -> bool:
    """{"mean": 0.7, "std": 0.05} and no ends: how many deviations make the range is not said."""
    words = [words_of(key.lower()) for key in node.keys]
    if all([_SPREAD.isdisjoint(met) for met in words]):
        return False
    ends = _LOWER | _UPPER
    return all(item.kind != ARRAY and ends.isdisjoint(met) for met, item in zip(words, node.items, strict=True))


def _measure_in_value(node: Node) -> str:
    """{"metric": "precision", "range": [...]}: the measure is a value."""
    for key, item in node.pairs:
        if item.kind == STRING and key.lower() in _NAMING:
            labels = labels_in(view_of(item.text))
            return labels[0].measure if len(labels) == 1 or len({label.measure for label in labels}) == 1 else ""
    return ""


class _Key(NamedTuple):
    """What a key says by itself."""

    silent: bool
    measure: str = ""
    level: float | None = None
    role: str = ""
    percent: bool = False
    known: bool = True  # it holds no word that may make something else of the value: "worst_case", "for_ges"


@lru_cache(maxsize=4096)
def _key(key: str) -> _Key:
    plain = view_of(key)
    labels = labels_in(plain)
    if len({label.measure for label in labels}) > 1:
        return _Key(True)
    if labels:
        plain = plain[: labels[0].start] + " " + plain[labels[-1].end :]
    words = set(_WORDS.findall(plain))
    digits = _DIGITS.search(plain)
    level = _LEVELS.get(float(digits.group())) if digits else None
    if digits and (words & _QUANTILE or float(digits.group()) in _ONLY_QUANTILES):
        level, role = QUANTILES.get(float(digits.group()), (None, ""))
        return _Key(not role, labels[0].measure if labels else "", level, role)
    if words & _SILENT or (digits and level is None) or (labels and not words <= _KNOWN):
        return _Key(True)
    role = "lower" if words & _LOWER else "upper" if words & _UPPER else "median" if words & _MIDDLE else ""
    percent = ("%" in plain and not digits) or "percent" in words
    return _Key(False, labels[0].measure if labels else "", level, role, percent, words <= _KNOWN)


def _place_below(place: _Place, key: str) -> _Place | None:
    """The place below a key; nothing where the key says that no claim stands there."""
    named = _key(key) if len(key) < 100 else _Key(True)
    if place.measure and not named.known:
        return None
    if named.silent or (place.measure and named.measure and place.measure != named.measure):
        return None
    level = place.level if named.level is None else named.level
    return _new(
        _Place, (named.measure or place.measure, level, named.role or place.role, named.percent or place.percent)
    )


def _expression(node: Node, view: str) -> Expression | None:
    if node.kind == NUMBER:
        if not node.complete:
            return None
        return _new(Expression, (POINT, _number(node), None, node.start, node.end, True, 1))
    if node.kind == ARRAY:
        return _pair(node, view)
    numbers = numbers_in(view, node.start, node.end) if node.complete else []
    numbers = [number for number in numbers if not number.level]
    if not numbers:
        return None
    expression = expression_at(view, numbers, 0, node.end)
    return expression if expression.taken == len(numbers) else None


def _pair(node: Node, view: str) -> Expression | None:
    """Two numbers, or two strings with a number each."""
    if node.complete and [item.kind for item in node.items] == _TWO_NUMBERS:
        low, high = node.items
        return _new(Expression, (PAIR, _number(low), _number(high), node.start, node.end, True, 2))
    ends = [_expression(item, view) for item in node.items] if node.complete else []
    if len(ends) == 1 and node.items[0].kind == STRING:
        return ends[0]
    if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0].kind != POINT or ends[1].kind != POINT:
        return None
    return Expression(PAIR, ends[0].first, ends[1].first, node.start, node.end, True, 2)


def _number(node: Node) -> Number:
    _, start, end, text, _, _, _ = node
    return _new(Number, (float(text), start, end, False, False, False, text.lstrip("+-").isdigit(), "", False))
