"""A sentence as the readers of words take it: in lower case, its numbers in digits, a constant for its letter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueness.patterns import late
from trueness.reasoning.word_numbers import NUMBER_WORDS

_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER_WORD = late(
    rf"\b(?:(?P<teen>{'|'.join(_TEENS)})|(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<ones>{'|'.join(NUMBER_WORDS[1:10])}))?)"
    r"\b(?! (?:hundred|thousand|million))"
)
_WORD_PERCENT = late(rf"\b({'|'.join(NUMBER_WORDS[1:])}) percent\b")
_MANY = {"a": 1} | {word: number for number, word in enumerate(NUMBER_WORDS[:10]) if number}
_HUNDREDS = late(rf"\b({'|'.join(_MANY)}) (hundred|thousand)\b(?! (?:and|{'|'.join(NUMBER_WORDS)}|thousand|million))")
_AND_A_HALF = late(rf"\b({'|'.join(NUMBER_WORDS[1:])})[- ]and[- ]a[- ]half\b")
_CONSTANT = late(
    r"(?P<main>.*?),? \(?(?:with|where|using|taking|and|for) (?P<name>[a-z]) (?:=|≈|is|equals) "
    r"(?P<value>\d+(?:\.\d+)?)(?: ?[a-z]+(?:/[a-z]+)*[²^0-9]*)?\)?"
)
_AVERAGE = late(r"\bavg\b\.?")
_OF_FEW = late(r"\b(?<=the |all )([2-9])(?= [a-z]+s\b)")
_NUMBERED = late(r"(?:^|\s*[.;,]?\s+)(?:step \d+\s*[):.]|\(?\d\))\s+")  # 1) ... 2) ..., step 1: ...


def normal_form(text: str) -> str:
    """In lower case, with numbers in digits where they stand for more than a few."""
    sentence = " ".join(text.replace("_", " ").replace("’", "'").lower().split()).rstrip(".;!")
    if ")" in sentence or "step " in sentence:
        sentence = _NUMBERED.sub(". ", _NUMBERED.sub("", sentence, count=1) if _NUMBERED.match(sentence) else sentence)
    sentence = _AVERAGE.sub("average", sentence)
    sentence = _OF_FEW.sub(lambda match: NUMBER_WORDS[int(match[1])], sentence)
    sentence = _NUMBER_WORD.sub(_in_digits, sentence)
    sentence = _WORD_PERCENT.sub(lambda match: f"{NUMBER_WORDS.index(match[1])} percent", sentence)
    sentence = _HUNDREDS.sub(lambda match: f"{_MANY[match[1]]}{'00' if match[2] == 'hundred' else '000'}", sentence)
    sentence = _AND_A_HALF.sub(lambda match: f"{NUMBER_WORDS.index(match[1])}.5", sentence)
    return sentence.replace("i.e.", "that is").replace("that is,", "that is")


def without_signs(sentence: str, names: Sequence[str]) -> str:
    """An x between words is times, and square meters are an area, where no name has them."""
    known = " ".join(names).lower().replace("_", " ")
    if " x " in sentence and not re.search(r"\bx\b", known):
        sentence = re.sub(r"(?<=[a-z)]) x (?=[a-z(])", " times ", sentence)
    if "square " in sentence and "square" not in known:
        sentence = re.sub(r"\bsquare (?:kilo|centi)?(?:met(?:er|re)s?|feet|foot|miles?)\b", "area", sentence)
    if "cubic " in sentence and "cubic" not in known:
        sentence = re.sub(r"\bcubic (?:centi)?(?:met(?:er|re)s?|feet|foot|yards?)\b", "volume", sentence)
    return sentence


def with_constant(sentence: str) -> str:
    """`half of g times t squared, with g = 9.8`: the number in place of its letter."""
    match = _CONSTANT.fullmatch(sentence)
    if match is None or len(re.findall(rf"\b{match['name']}\b", match["main"])) != 1:
        return sentence
    return re.sub(rf"\b{match['name']}\b", match["value"], match["main"])


def _in_digits(match: re.Match[str]) -> str:
    """`twenty-five` is 25."""
    if match["teen"]:
        return str(13 + _TEENS.index(match["teen"]))
    tens = 20 + 10 * _TENS.index(match["tens"])
    return str(tens + (NUMBER_WORDS.index(match["ones"]) if match["ones"] else 0))
