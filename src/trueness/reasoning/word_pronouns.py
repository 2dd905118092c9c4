"""What a sentence of several like things leaves out, filled in from the names of its causes.

180 minus the other two                      the other two angles, where that is what all causes are
the eggs minus the ones eaten, those sold    the eggs eaten, the eggs sold
the eggs that broke                          the eggs broke, of broken_eggs
the taller and the shorter tree              the taller tree and the shorter tree
multiply that average by 5                   the average, of one cause that is called so
kilograms times 1000                         the mass, of mass_kg
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueness.patterns import late
from trueness.reasoning.literals import conversion
from trueness.reasoning.word_names import stem, tokens, words
from trueness.reasoning.word_numbers import CONDITION, NUMBER_WORDS, OPERATION_WORDS

_ONES = late(
    r"\b(?:(?:all )?those|(?:all )?the ones)(?: that| which| who)?(?: (?:are|were|was|is|have been|had been))? "
    r"(?=([a-z]+))"
)
_THAT = late(
    r"\b(?P<noun>[a-z]+) (?:that|which|who) (?:(?:are|were|was|is|have been|had been|has been|have|had|got) )?"
    r"(?P<verb>[a-z]+)\b(?= |$|,)"
)
_TWO = late(r"\bthe (?P<one>[a-z]+) and (?P<the>the )(?P<other>[a-z]+) (?P<noun>[a-z]+)(?=$|,)")
_HEIGHTS = late(r"\bdifference (between|of) (?:the )?[a-z]+s of (?=the [a-z]+ [a-z]+ and the [a-z]+ [a-z]+$)")
_THIS = late(r"\b(?:that|this) (?P<noun>[a-z]+)(?= (?:by|from|to|times|plus|minus|divided|multiplied)\b|$)")
_UNITS = {
    "kilograms": "kg", "grams": "g", "milligrams": "mg", "pounds": "lb", "ounces": "oz", "kilometers": "km",
    "kilometres": "km", "meters": "m", "metres": "m", "centimeters": "cm", "centimetres": "cm", "miles": "mi",
    "feet": "ft", "inches": "in", "liters": "l", "litres": "l", "milliliters": "ml", "millilitres": "ml",
    "hours": "h", "minutes": "min", "seconds": "s", "dollars": "usd", "euros": "eur",
}  # fmt: skip
_KNOWN_ONE = late(r"\bthe (?:known|given) one(?=$|,)")
_UNIT = late(
    rf"(?:^|(?<=multiply )|(?<=divide )|(?<=is ))(?:the )?({'|'.join(_UNITS)})"
    r"(?= (?:times|divided by|by|over|plus|minus) )"
)
_WHAT = late(r"\bwhat ((?:(?! (?:minus|plus|and|from|times|divided|multiplied|is|are|over|to|remains)\b)[^,.;])+)")


def filled_in(sentence: str, causes: Sequence[str], effect: str) -> str:
    """The sentence with the nouns that it leaves out."""
    shared = [word for word in _in_all(causes) if len(word) > 2 and word not in ("the", "degrees")]
    if len(causes) == 1:
        sentence = _KNOWN_ONE.sub(lambda _: f"the {causes[0].lower().replace('_', ' ')}", sentence)
        sentence = _UNIT.sub(lambda match: _of_unit(match, causes[0], effect), sentence)
    if len(shared) == 1 and len(causes) < len(NUMBER_WORDS):
        counted = NUMBER_WORDS[len(causes)]
        sentence = re.sub(rf"\bthe other {counted}(?=$|,| together)", f"the other {counted} {shared[0]}s", sentence)
    sentence = _TWO.sub(lambda match: _both(match, causes), sentence)
    sentence = _HEIGHTS.sub(r"difference \1 ", sentence) if tokens(effect) & {"height", "difference"} else sentence
    if shared and len(causes) > 1:
        sentence = _WHAT.sub(lambda match: _what(match, causes), sentence)
        sentence = _ONES.sub(
            lambda match: f"the {shared[0]} " if _owners(match[1], causes) == 1 else match[0], sentence
        )
        sentence = _THAT.sub(lambda match: _bare(match, shared, causes), sentence)
    return _THIS.sub(lambda match: _the(match, causes), sentence)


def _in_all(causes: Sequence[str]) -> list[str]:
    """Words that every cause has; eggs, of broken_eggs and eggs_laid."""
    common = frozenset[str].intersection(*(frozenset(map(stem, words(cause))) for cause in causes))
    first = re.findall(r"[^\W_]+", causes[0].lower())
    return sorted({word for word in first if stem(word) in common})


def _owners(word: str, causes: Sequence[str]) -> int:
    return sum(stem(word) in tokens(cause) for cause in causes)


def _bare(match: re.Match[str], shared: Sequence[str], causes: Sequence[str]) -> str:
    same = stem(match["noun"]) in map(stem, shared) and _owners(match["verb"], causes) == 1
    return f"{match['noun']} {match['verb']}" if same and match["verb"] not in OPERATION_WORDS else match[0]


def _both(match: re.Match[str], causes: Sequence[str]) -> str:
    """Each adjective tells one cause from the others, and the noun is of both."""
    each = [_owners(match[side], causes) for side in ("one", "other")]
    noun = match["noun"]
    if each != [1, 1] or _owners(noun, causes) < 2:
        return match[0]
    return f"the {match['one']} {noun} and the {match['other']} {noun}"


def _the(match: re.Match[str], causes: Sequence[str]) -> str:
    return f"the {match['noun']}" if _owners(match["noun"], causes) == 1 else match[0]


def _of_unit(match: re.Match[str], cause: str, effect: str) -> str:
    """The name of the one cause, where that is in this unit and the effect is not."""
    if not is_in(match[1], cause) or is_in(match[1], effect):
        return match[0]
    return " ".join(re.split(r"[\s_(]+", cause.lower().rstrip(")"))[:-1]).strip()


def is_in(unit: str, name: str) -> bool:
    """Kilograms of mass_kg."""
    *front, last = re.split(r"[\s_(]+", name.lower().rstrip(")"))
    return bool(front) and front[-1] not in (*_UNITS.values(), "per") and last in (_UNITS.get(unit), unit)


def is_in_another(phrase: str, name: str) -> bool:
    """Seconds, for time_minutes."""
    word = phrase.removeprefix("the ")
    if word not in _UNITS:
        return False
    factor = conversion(word, re.split(r"[\s_(]+", name.lower().rstrip(")"))[-1])
    return factor is not None and abs(factor - 1) > 1e-9


def _what(match: re.Match[str], causes: Sequence[str]) -> str:
    """What he spent: the one cause that has a word of it and no other has."""
    if CONDITION.search(match[0]) or re.search(r"\b(?:left|remain\w*|\d+)\b", match[0]):
        return match[0]
    owners = [cause for cause in causes if any(_owners(word, (cause,)) for word in _telling(match[1], causes))]
    return f"the {owners[0].lower().replace('_', ' ')}" if len(owners) == 1 else match[0]


def _telling(phrase: str, causes: Sequence[str]) -> list[str]:
    return [word for word in re.findall(r"[a-z]+", phrase) if _owners(word, causes) == 1]


_CONVERT = late(
    r"(?:convert (?:the )?(?P<one>[a-z]+) (?:in)?to|(?:the )?(?P<passive>[a-z]+) (?:is|are) converted (?:in)?to) "
    r"(?P<to>[a-z]+)(?: \((?P<why>[^()]*)\))?,? (?:and |then )+(?P<more>add(?:ing)? .+|(?P<added>.+?) (?:is|are) added)"
)


def with_conversion(sentence: str) -> str:
    """`Convert hours to minutes and add the extra minutes`: the hours times 60, where what is added is in minutes."""
    match = _CONVERT.fullmatch(sentence)
    one = (match["one"] or match["passive"]) if match else ""
    factor = conversion(one, match["to"]) if match else None
    if match is None or factor is None or stem(match["to"]) not in tokens(match["more"]):
        return sentence
    stated = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", match["why"] or "")}
    if not all(abs(number - factor) < 1e-9 * factor or number == 1 for number in stated):
        return sentence
    if match["why"] and re.search(r"\bdivid|\badd|\bsubtract", match["why"]):
        return sentence
    added = match["added"] or re.sub(r"^add(?:ing)? ", "", match["more"])
    return f"multiply {one} by {round(factor, 9):g} and add {added}"
