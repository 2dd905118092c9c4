"""Hiding a known: its value is taken out of a prompt in every spelling.

    10   10.0   1e1   10,000   1.2 x 10^3   7.4 thousand   1/4   ten   twenty-five   6.2 % (of .062)   15 min (of .25 h)

A number is hidden where its size equals that of the hidden value (relative 1e-6; 1e-3 for fractions and other units).
The 2 of `5 m/s^2` belongs to the unit and is no value; in a rule every exponent counts.
A known in words (`closed`) is hidden by its words; a story may still tell it in others, so the prompt leaves the story
out. Where the value also belongs to something that must stay (another known, the target, a constant of a rule), nothing
is hidden and `conflicts` says what stands in the way: the question is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trueness.errors import MissingExtra
from trueness.patterns import late
from trueness.reasoning.graph import Quantity, ReasoningGraph
from trueness.reasoning.rules import rules_of
from trueness.reasoning.units import convert

MARK = "[hidden]"
EXACT, ROUNDED = 1e-6, 1e-3

_UNITS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * place
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SHORT_SCALES = {"k": 1e3, "mio": 1e6, "bn": 1e9}
_ALONE = {
    "half": 0.5, "halves": 0.5, "halved": 0.5, "quarter": 0.25, "quarters": 0.25, "third": 1 / 3, "thirds": 1 / 3,
    "dozen": 12.0, "twice": 2.0, "double": 2.0, "doubles": 2.0, "doubled": 2.0, "doubling": 2.0, "thrice": 3.0,
    "triple": 3.0, "triples": 3.0, "tripled": 3.0,
}  # fmt: skip
_VULGAR = {"½": 0.5, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 0.25, "¾": 0.75, "⅕": 0.2, "⅛": 0.125}
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")

_WORD = "|".join(sorted({*_UNITS, *_TENS, *_SCALES}, key=len, reverse=True))
_WORDS = late(
    rf"(?<![^\W_])(?:a[\s-]+(?=hundred|thousand|million))?(?:{_WORD})(?:[\s-]+(?:and[\s-]+)?(?:{_WORD}|point))*(?![^\W_])",
    re.IGNORECASE,
)
_LONE = late(rf"(?<![^\W_])(?:{'|'.join(_ALONE)})(?![^\W_])", re.IGNORECASE)
_NUMERAL = r"(?<![\w.])(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+−]?\d{1,3})?"
_PLAIN = late(_NUMERAL)
_GROUPED = late(r"(?<![\w.,])\d{1,3}(?:[,'\u00a0\u202f\u2009 ]\d{3})+(?:\.\d+)?(?!\d)")
_COMMA = late(r"(?<![\w.,])\d+,\d+(?![\d,])")
_POWER = late(rf"({_NUMERAL})\s*[x×*·]\s*10\s*(?:\^|\*\*)?\s*\(?([-+−]?\d{{1,3}}|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}})\)?")
_TEN_POWER = late(r"(?<![\w.])10\s*(?:\^|\*\*)\s*\(?([-+−]?\d{1,3})\)?")
_SCALED = late(rf"({_NUMERAL})\s*({'|'.join((*_SCALES, *_SHORT_SCALES))})(?![^\W_])", re.IGNORECASE)
_FRACTION = late(r"(?<![\w./])(?:(\d+)[\s-]+)?(\d+)\s*[/⁄]\s*(\d+)(?![\w/])")
_VULGAR_FRACTION = late(rf"(?<!\d)(\d++)?\s?([{''.join(_VULGAR)}])")
_PERCENT = late(r"[\s-]*(?:%|percent\b|per cent\b|pct\b)", re.IGNORECASE)
_UNIT = late(r"\s?([A-Za-zµ°Ω$€£][\w°µ/^*·²³]*)")
_SYMBOL = r"(?:(?:[kcdmµnMG]?(?:m|g|s|N|J|W|Pa|A|V|K|C|L|l|Hz|Ω|T|mol|eV)|h|hr|min|sec|ft|in|lb|°C)(?![^\W_]))"
_EXPONENT = r"(?:\s?(?:\^|\*\*)\s?[{(]?[-−+]?\d{1,2}[)}]?)"
_UNIT_POWER = late(  # what stands behind a number, a slash or "in" and ends with a power
    rf"(?:\d|[/(\[]|\bin|\bper)\s?(?P<unit>(?:{_SYMBOL}{_EXPONENT}?\s?[/·*]?\s?){{0,5}}{_SYMBOL}{_EXPONENT})"
)


@dataclass(frozen=True)
class Spelled:
    """A number that stands in a text. `rounded` where its spelling may be less exact than the value."""

    start: int
    end: int
    value: float
    rounded: bool = False


def numbers_spelled(text: str) -> Iterator[Spelled]:
    """Every number of a text in every reading: of `6.2 %` both 6.2 and 0.062, of `2 hundred` both 2 and 200."""
    for number in _bare_numbers(text):
        yield number
        percent = _PERCENT.match(text, number.end)
        if percent is not None:
            yield Spelled(number.start, number.end, number.value / 100, number.rounded)


def _bare_numbers(text: str) -> Iterator[Spelled]:
    for match in _PLAIN.finditer(text):
        yield Spelled(*match.span(), _float(match[0]))
    for match in _GROUPED.finditer(text):
        yield Spelled(*match.span(), float(re.sub(r"[^\d.]", "", match[0])))
    for match in _COMMA.finditer(text):
        yield Spelled(*match.span(), float(match[0].replace(",", ".")))
    for match in _POWER.finditer(text):
        yield Spelled(*match.span(), _float(match[1]) * _float(f"1e{match[2]}"))
    for match in _TEN_POWER.finditer(text):
        yield Spelled(*match.span(), _float(f"1e{match[1]}"))
    for match in _SCALED.finditer(text):
        scale = (_SCALES | _SHORT_SCALES)[match[2].lower()]
        yield Spelled(*match.span(), _float(match[1]) * scale)
    for match in _FRACTION.finditer(text):
        if float(match[3]):
            yield Spelled(*match.span(), float(match[1] or 0) + float(match[2]) / float(match[3]), rounded=True)
    for match in _VULGAR_FRACTION.finditer(text):
        yield Spelled(*match.span(), float(match[1] or 0) + _VULGAR[match[2]], rounded=True)
    for match in _WORDS.finditer(text):
        yield Spelled(*match.span(), _value_of_words(match[0]))
    for match in _LONE.finditer(text):
        yield Spelled(*match.span(), _ALONE[match[0].lower()], rounded=True)


def _float(numeral: str) -> float:
    return float(numeral.translate(_SUPERSCRIPT))


def _value_of_words(text: str) -> float:
    """`two hundred and fifty`, `twenty-five thousand`, `two point five`."""
    whole, _, decimals = text.lower().partition("point")
    total = current = 0.0
    for word in re.findall(r"[a-z]+", whole):
        if word in _UNITS:
            current += _UNITS[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0.0
    digits = "".join(str(_UNITS[word]) for word in re.findall(r"[a-z]+", decimals) if word in _UNITS)
    return total + current + (float(f"0.{digits}") if digits else 0.0)


@dataclass(frozen=True)
class Hidden:
    """A known that is to be hidden, and what stands in the way of that."""

    name: str
    quantity: Quantity
    conflicts: tuple[str, ...] = ()

    @property
    def in_words(self) -> bool:
        return self.quantity.value is None and not self.values

    @property
    def values(self) -> tuple[float, ...]:
        """The number, or the numbers that a known in words holds ("about ten")."""
        if self.quantity.value is not None:
            return (self.quantity.value,)
        return tuple(dict.fromkeys(number.value for number in numbers_spelled(self.quantity.text)))

    def places(self, text: str, in_rule: bool = False) -> list[tuple[int, int]]:
        """Where the value stands in a text, in any spelling; places that touch are one."""
        units = () if in_rule else [match.span("unit") for match in _UNIT_POWER.finditer(text)]
        spans = [
            (f.start, f.end)
            for f in numbers_spelled(text)
            if self._is_value(f, text) and not any(low <= f.start < high for low, high in units)
        ]
        words = self.quantity.text.strip()
        if self.quantity.value is None and words:
            pattern = late(rf"(?<![^\W_]){re.escape(words)}(?![^\W_])", re.IGNORECASE)
            spans += [match.span() for match in pattern.finditer(text)]
        return _merge(spans)

    def redact(self, text: str) -> str:
        kept, last = [], 0
        for start, end in self.places(text):
            kept += [text[last:start], MARK]
            last = end
        return "".join(kept) + text[last:]

    def _is_value(self, number: Spelled, text: str) -> bool:
        tolerance = ROUNDED if number.rounded else EXACT
        if any(_same(number.value, value, tolerance) for value in self.values):
            return True
        unit = _UNIT.match(text, number.end)
        if not self.quantity.unit or self.quantity.value is None or unit is None:
            return False
        try:
            other = convert(number.value, unit[1].rstrip(".,;"), self.quantity.unit)
        except MissingExtra:
            return False
        return other is not None and _same(other, self.quantity.value, ROUNDED)


def hide(graph: ReasoningGraph, name: str, target: Quantity | None = None) -> Hidden:
    """The known to hide. `target`: the value that will be shown in its place."""
    hidden = Hidden(name, graph.knowns[name])
    return Hidden(name, graph.knowns[name], tuple(_conflicts(graph, hidden, target)))


def _conflicts(graph: ReasoningGraph, hidden: Hidden, target: Quantity | None) -> Iterator[str]:
    if not hidden.values and not hidden.quantity.text.strip():
        yield f"'{hidden.name}' has no value"
        return
    for other, known in graph.knowns.items():
        if other != hidden.name and hidden.places(str(known)):
            yield f"'{other}' has the same value"
    if target is not None and hidden.places(str(target)):
        yield "the target has the same value"
    if hidden.in_words:
        return
    rules = rules_of(graph)
    for effect, of_effect in rules.items():
        for rule in of_effect:
            # a rule that has the value in place of its name (a = 10/m) is redacted; a constant of the law must stay
            stands_for_it = hidden.name in graph.parents[effect] and hidden.name not in rule.uses
            if hidden.places(rule.text, in_rule=True) and not stands_for_it:
                yield f"a constant in the rule of '{effect}' has the same value"
                break


def _same(one: float, other: float, tolerance: float) -> bool:
    """Of sizes: a sign may be written apart."""
    return abs(abs(one) - abs(other)) <= tolerance * (abs(other) or 1.0)


def _merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
