"""Claims from JSON.

{"precision": [0.6, 0.8]}   {"precision": {"lower": 0.6, "upper": 0.8}}   {"precision_low": 0.6, "precision_high": 0.8}
{"precision": {"median": 0.7, "50": [0.65, 0.75], "95": [0.5, 0.9]}}      [{"metric": "precision", "range": "0.6-0.8"}]
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.labels import labels_in
from trueness.reading.ranges import (
    PAIR,
    POINT,
    Claim,
    Expression,
    Number,
    Scale,
    expression_at,
    numbers_in,
    pair_of_ends,
    trouble,
)
from trueness.reading.structured import ARRAY, NUMBER, OBJECT, STRING, WORD, Node
from trueness.reading.tables import QUANTILES
from trueness.reading.views import view_of
from trueness.reading.words import words_of

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
_new = tuple.__new__  # half the time of a named tuple's own
_KNOWN = _PLAIN | _LOWER | _UPPER | _MIDDLE


class _Place(NamedTuple):
    """What the keys above a value say."""

    measure: str = ""
    level: float | None = None
    role: str = ""  # lower, upper, median
    percent: bool = False


def claims_in_object(root: Node, view: str, scale: Scale) -> list[Claim]:
    """All claims of one object; ends given apart are put together."""
    ends: dict[tuple[str, float | None, str], Expression] = {}
    claims: list[Claim] = []
    _walk(root, _Place(), view, scale, claims, ends)
    for (measure, level, role), low in ends.items():
        high = ends.get((measure, level, "upper"))
        if role == "lower" and high is not None:
            claims.append(scale.claim(measure, pair_of_ends(low, high), "json", True, level))
        elif role == "lower" or (measure, level, "lower") not in ends:
            claims.append(trouble(measure, low.start, low.end, "json", "one_end"))
    return claims


def _walk(
    node: Node,
    place: _Place,
    view: str,
    scale: Scale,
    claims: list[Claim],
    ends: dict[tuple[str, float | None, str], Expression],
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
