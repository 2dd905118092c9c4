"""Whether an answer is right, by what was expected: where that is certain, else no label.

    right     the same number in one unit, or the same text once its typesetting is taken off
    wrong     another number in a unit that can be compared, another choice, another single word
    no label  all else: a text and a number, two expressions, a unit that one lacks and that may explain the difference

Typesetting: \\( \\), $ $, \\text{}, \\left \\right, \\, and other spaces, braces around a number, brackets around a
choice, a full stop at the end. 5 dollars are $5, 50 % are 0.5. A wrong label is worse than none: measures are held
against it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from trueness.errors import MissingExtra
from trueness.outside import json_of, text_of
from trueness.patterns import late
from trueness.reasoning.graph import Problem, Quantity, close
from trueness.reasoning.problems import correct_of
from trueness.reasoning.schema import quantity_of
from trueness.reasoning.units import convert, of_other_dimension

_EXPECTED = ("expected", "expected_answer")
_WRAPPERS = late(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|operatorname|boxed)\s*\{([^{}]*)\}")
_NOTHING = late(r"\\left(?![a-z])|\\right(?![a-z])|\\[()\[\],;:! ]|\\q?quad|(?<!\\)\$(?!\s*\d)|\s+|~")
_CHOICE = late(r"^\(?([a-e]|[ivx]{1,4}|\d)\)?$")
_LETTER = late(r"^\(?([a-e])\)?$")
_UNITS = {"dollar": "USD", "dollars": "USD", "us dollars": "USD", "euro": "EUR", "euros": "EUR", "percent": "%",
          "per cent": "%", "pounds sterling": "GBP"}  # fmt: skip
_CONVERTING = (60.0, 3600.0, 24.0, 3.6, 12.0, 7.0)


def label_of(record: Mapping[str, object], answer: Quantity, tolerance: float = 0.01) -> bool | None:
    """As `correct` says, else by `expected`."""
    stated = correct_of({"correct": record.get("correct")}, answer)
    expected = expected_of(record)
    if stated is not None or expected is None:
        return stated
    return certainly(record.get("answer"), expected, tolerance, answer)


def expected_of(record: Mapping[str, object]) -> object:
    return next((record[name] for name in _EXPECTED if record.get(name) not in (None, "")), None)


def with_labels(problems: Sequence[Problem], path: Path) -> tuple[Problem, ...]:
    """Those of a problems file, one a line that holds anything."""
    records = [json_of(line, path.name) for line in text_of(path).split("\n") if line.strip()]
    pairs = zip(problems, records, strict=True)
    return tuple(replace(one, correct=label_of(record, one.answer, one.tolerance)) for one, record in pairs)


def certainly(answer: object, expected: object, tolerance: float = 0.01, read: Quantity | None = None) -> bool | None:
    """Whether they are the same; None where nobody can be sure. read: the answer, where it was read already."""
    texts = [plain_answer(value) for value in (answer, expected)]
    if all(texts) and texts[0] == texts[1]:
        return True
    one = read if read is not None and read.value is not None else _quantity(answer)
    other = _quantity(expected)
    if one.value is not None and other.value is not None:
        return _same_number(one, other, tolerance)
    if one.value is not None or other.value is not None or not all(texts):
        return None
    return False if _are_choices(texts) or (_are_words(answer, expected) and _are_other(texts)) else None


def plain_answer(value: object) -> str:
    """A text without what only sets it: no wrappers, no spaces, no brackets around a letter, no case."""
    if isinstance(value, Mapping):
        inner, unit = value.get("value", value.get("text")), value.get("unit")
        return plain_answer(f"{inner} {unit}" if unit else inner)
    if value is None or isinstance(value, bool | Quantity):
        return str(value).lower() if isinstance(value, bool) else plain_answer(value.text) if value else ""
    text = str(value).strip()[:2000].replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac").replace("−", "-")
    for _ in range(3):  # \text{ \mathrm{x} }
        text = _WRAPPERS.sub(r"\1", text)
    text = _NOTHING.sub("", text).replace("\\%", "%").casefold().rstrip(".")
    while text[:1] == "{" and text[-1:] == "}" and text.find("}") == len(text) - 1:
        text = text[1:-1]
    choice = _LETTER.match(text)
    return choice[1] if choice else text


def _quantity(value: object) -> Quantity:
    if isinstance(value, str):
        bare = quantity_of(value)
        return bare if bare.value is not None else quantity_of(_WRAPPERS.sub(r" \1", value).replace("\\%", "%"))
    return value if isinstance(value, Quantity) else Quantity(None) if value is None else quantity_of(value)


def _same_number(one: Quantity, other: Quantity, tolerance: float) -> bool | None:
    values = [one.value or 0.0, other.value or 0.0]
    units = [_UNITS.get((each.unit or "").strip().casefold(), each.unit) or "" for each in (one, other)]
    same = close(values[0], values[1], tolerance)
    if units.count("%") == 1:  # the sign is a hundredth where it is meant at all
        if set(units) != {"%", ""}:
            return None
        shares = [value / 100 if unit == "%" else value for value, unit in zip(values, units, strict=True)]
        return same or close(shares[0], shares[1], tolerance)
    if not all(units):
        return same or (_unless_converted(values[0], values[1]) if any(units) else False)
    if units[0].casefold() == units[1].casefold():
        return same
    try:
        value = convert(values[0], units[0], units[1])
        if value is not None:
            return close(value, values[1], tolerance)
        return False if of_other_dimension(units[0], units[1]) else None
    except MissingExtra:
        return None


def _unless_converted(one: float, other: float) -> bool | None:
    """1 km beside 1000: the unit that is missing may be another one."""
    if not one or not other or (one < 0) != (other < 0):
        return False
    ratio = max(one / other, other / one)
    ten = math.log10(ratio)
    tens = abs(ten - round(ten)) < 0.005 and abs(ten) > 0.5
    return None if tens or any(abs(ratio / factor - 1) < 0.01 for factor in _CONVERTING) else False


def _are_choices(texts: Sequence[str]) -> bool:
    return all(_CHOICE.match(text) for text in texts)


def _are_words(*values: object) -> bool:
    return all(len(_WRAPPERS.sub(r"\1", str(value)).split()) == 1 for value in values)


def _are_other(texts: Sequence[str]) -> bool:
    """increase and decrease, Evelyn and Briana; not increase and increases."""
    alike = texts[0][:4] == texts[1][:4] or any(text in other for text, other in (texts, texts[::-1]))
    return all(text.isalpha() and text.isascii() and len(text) > 2 for text in texts) and not alike
