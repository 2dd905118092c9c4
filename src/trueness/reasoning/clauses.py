"""What a rule says beside its arithmetic: it must not say something else.

Half of the beads, so used = beads / 3                a half is not a third: refused
Add the shipping, i.e. the order minus the shipping   two readings of one thing: refused
The share after evaporation: w = salt / solution      where the solution is named `before evaporation`: refused
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from trueness.patterns import late
from trueness.reasoning.literals import conversion, read_unit
from trueness.reasoning.notation import unit_in
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import FUNCTIONS
from trueness.reasoning.word_names import GENERAL, stem, tokens, without_unit
from trueness.reasoning.word_numbers import NUMERAL, computes, number_of

_CONCLUDES = late(
    r"[,;.:]?\s*\b(?:(?:so|hence|thus|therefore|that is|in other words|which means|meaning)\b(?! that)|i\.\s?e\.)"
    r"[,:]?\s*",
    re.IGNORECASE,
)
_MULTIPLES = (
    (late(r"\b(?:half|halv\w+)\b(?![ -]li)|½"), 2.0), (late(r"\b(?:twice|doubl\w+)\b"), 2.0),
    (late(r"\b(?:thrice|tripl\w+|(?:one|a)[- ]third)\b|⅓"), 3.0),
    (late(r"\b(?:quadrupl\w+|quarter|(?:one|a)[- ]fourth)\b|¼"), 4.0),
    (late(r"\b(?:one|a)[- ]fifth\b"), 5.0),
    (late(r"\b(?:one|a)[- ]tenth\b"), 10.0),
)  # fmt: skip
_BY_NUMBER = late(
    rf"(?<!\\)\b(?:(?:divided|multiplied|divide|multiply) by|times|plus|minus) ({NUMERAL})\b(?!%|"
    rf" ?percent)"
)
_BECAUSE = late(r"\s*(?:since|because|as|given that|knowing that)\b")
_PERCENT = late(r"(?<![\w.])(\d+(?:\.\d+)?)\s*(?:%|percent\b|per cent\b)")
_NUMBER = late(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\w)")
_DIGITS = late(r"(?<=[\d.])\d*|\d+(?:\.\d+)?")
_SUPERSCRIPTS = str.maketrans("²³⁴", "234")
_OPERATIONS = (  # a word for an operation, its sign, and the sign of the opposite
    (late(r"\b(?:subtract\w*|deduct\w*|take away|minus)\b"), r"[-−–]", r"\+"),
    (late(r"\b(?:add(?:ed|ing|s)?|plus)\b"), r"\+", r"[-−–]"),
    (late(r"\b(?:multipl\w+|product)\b"), r"[*×·⋅(\w]\s*[\w(]|[²³^]", r"[/÷]"),
    (late(r"\b(?:take|find|compute|calculate|get) the (?:average|mean)\b"), r"[/÷½]|mean|frac|\d\.\d", r"[-+*×]"),
    (late(r"\b(?:divid\w+|quotient)\b"), r"[/÷]|frac|\d\.\d|½|\^\s*[({]?[-−]|⁻", r"[*×·⋅]"),
)
_OPPOSITES = tuple(
    frozenset(pair.split())
    for pair in (
        "before after",
        "with without",
        "including excluding",
        "gross net",
        "inner outer",
    )
)


def restatements(text: str) -> list[str]:
    """The parts of a rule that say one thing each: what stands on the two sides of so, hence, i.e."""
    parts = _CONCLUDES.split(text)
    return [part for part in parts if part.strip()] if len(parts) > 1 else []


def numerals(text: str) -> set[float]:
    """The numbers of a formula, its exponents and multiples in words included."""
    numbers = {float(one.replace(",", "")) for one in _NUMBER.findall(text.translate(_SUPERSCRIPTS))}
    numbers |= {float(one) for one in _DIGITS.findall(text) if one}
    return numbers | set(_multiples(text.lower()))


def gainsays(beside: str, formula: str, names: Sequence[str], values: Iterable[float] = ()) -> bool:
    """Whether what stands beside a formula says another multiple, another percentage, the opposite operation, another
    state (after, for a cause that is called before), or gives a reason with a number that it lacks."""
    beside = beside.lower()
    known = numerals(formula) | numerals(" ".join(names))
    if _BECAUSE.match(beside) and not numerals(beside) <= known | {*values, 1.0}:
        return True
    known |= {round(1 / number, 9) for number in known if number}
    if any(multiple not in known for multiple in _multiples(beside)):
        return True
    if any(number_of(one) not in known | {*values, 1.0} for one in _BY_NUMBER.findall(beside)):
        return True
    shares = (float(one) for one in _PERCENT.findall(beside))
    if any(not known & {share, share / 100, 1 + share / 100, round(1 - share / 100, 9)} for share in shares):
        return True
    for operation, sign, opposite in _OPERATIONS:
        if operation.search(beside) and re.search(opposite, formula) and not re.search(sign, formula):
            return True
    words, named = (set(re.findall(r"[a-z]+", one.lower().replace("_", " "))) for one in (beside, " ".join(names)))
    return any((pair & words) and (pair & named) and not pair & words & named for pair in _OPPOSITES)


def _multiples(text: str) -> Iterator[float]:
    return (multiple for pattern, multiple in _MULTIPLES if pattern.search(text))


_STEP = late(r",\s*(?:and\s+|all\s+|then\s+)*(times|multiplied by|divided by|plus|minus|less)\s+", re.IGNORECASE)
_SIGN = {"times": "*", "multiplied by": "*", "divided by": "/", "plus": "+", "minus": "-", "less": "-"}
_REASON = late(r",?\s+(?:because|since|as|to (?:get|obtain|find|account|convert|allow))\b[^=\d%]*$")
_PLACE = late(r"\s+(?:on|in|at|of|from|for|over|by) (?:the|each|all|every) \w+$")
_LET = late(
    r"^(?:let|with|where)\s+(?P<short>[^\W\d_])\s+(?:be|denote|represent|stand for|is|denotes|represents|=)\s+"
    r"(?P<words>[^=,;.\d]+)[,;.]\s*(?:then|so|and|we have|we get|\s)*\s*(?P<rest>[^=]+=[^=]+)$",
    re.IGNORECASE,
)
_DEFINED = r"(?P<short>[^\W\d][^\W_]*(?:[ _][^\W\d_]+){0,2}?)\s*=\s*(?P<formula>[^=;,:]*?)"
_WITH_UNIT = late(r"\s*[\d.,]+\s*[^\W\d_°]")  # 9.8 m/s², 3 x 10^8 m/s: a constant, taken by notation.py
_RESULT = r"(?P<left>[^\W\d][^=;,:]*?)\s*=\s*(?P<right>[^=;,:]*?)"
_FIRST = late(rf"^{_DEFINED}[;,]\s*(?:and\s+|then\s+|so\s+)*{_RESULT}\.?$")
_THEN = late(rf"^{_RESULT}[;,]\s*(?:and\s+)?(?:where|with)\s+{_DEFINED}\.?$")
_STATED_NUMBER = late(
    r"^(?P<rule>[^=]*=[^=;]*?)(?:;\s*|,\s*(?:where|with|and)\s+)(?:where |with |and )?(?:the )?"
    r"(?P<words>[^\W\d_]{2,}(?: [^\W\d_]{2,}){0,3}?) (?:is|are|costs?) "
    r"(?P<number>\$?\d+(?:\.\d+)?)(?: dollars| each)?\.?$",
    re.IGNORECASE,
)
_IN_BRACKETS = late(
    r"(?P<before>[=+*/×·÷−-]\s*)(?P<words>[^\W\d_](?:[^\W\d_]|['’]){2,}(?:\s+[^\W\d_](?:[^\W\d_]|['’])*)*)\s*"
    r"\((?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:\s+[a-z]+(?:/[a-z]+)?)?\)",
    re.IGNORECASE,
)


def plainly(text: str, causes: Sequence[str], effect: str, values: Mapping[str, float]) -> str:
    """A formula with steps behind it as one formula, what it calls x or a quantity by a number in its place:

    Area = length × width, then divided by 2          Area = (length × width) / (2)
    Let x be the number of adults; children = 3x - 4  children = 3(number of adults) - 4
    cost = bag price / ounces; the bag price is 9.60  cost = (9.60) / ounces
    """
    if "=" not in text:
        return text
    text = of_sets(text, effect)
    if (let := _LET.match(text)) is not None and (cause := cause_called(let["words"], causes)) is not None:
        pattern = rf"(?<![^\W\d]){let['short']}(?![^\W])"
        if len(re.findall(pattern, text)) > 1 and not re.search(pattern, " ".join(causes)):
            text = re.sub(pattern, lambda _: f"({cause})", let["rest"])
    text = _in_its_place(text, (*causes, effect))
    if (stated := _STATED_NUMBER.match(text)) is not None:
        text = _with_number(stated["rule"], stated["words"], stated["number"].lstrip("$"), causes, values) or text
    for match in _IN_BRACKETS.finditer(text):
        inside = _with_number(text.replace(match[0], match["before"] + match["words"]), match["words"], match["number"],
                              causes, values)  # fmt: skip
        text = inside or text
    return _in_one(text, causes)


_WHERE_WORDS = late(
    r"^(?P<formula>[^=,]*=[^=,()^²³]*), (?:where|with|and) (?:the )?(?P<short>[^\W\d_]+(?: [^\W\d_]+)?) "
    r"(?:is|equals|being) (?P<words>[^=,]+)$",
    re.IGNORECASE,
)
_AS_WORDS = (("=", "is"), ("/", "divided by"), ("÷", "divided by"), ("*", "times"), ("×", "times"), ("+", "plus"),
             ("−", "minus"), (" - ", " minus "))  # fmt: skip


def in_words(text: str) -> str:
    """`pressure = force / area, where the area is length times width`, in words alone; empty elsewhere."""
    match = _WHERE_WORDS.match(text)
    if match is None or not computes(match["words"]) or match["formula"].lower().count(match["short"].lower()) != 1:
        return ""
    wording = match["formula"]
    for sign, word in _AS_WORDS:
        wording = wording.replace(sign, f" {word} ")
    return f"{wording}, where the {match['short']} is {match['words']}"


_SET = late(r"^(?:By [^,=]*,\s*)?(?:\||[nNP]\s?\()\s*[A-Z]\s*(?P<sign>[∪∩])\s*[A-Z]\s*[|)]\s*=\s*(?P<right>[^=]+)$")
_SET_NAMES = {"∪": late(r"\beither|union|at least one|\bor\b"), "∩": late(r"\bboth\b|intersection|\band\b")}


def of_sets(text: str, effect: str) -> str:
    """`|A∪B| = chess + drama - both`, for those in either: what stands behind it."""
    match = _SET.match(text)
    named = effect.lower().replace("_", " ")
    return f"{effect} = {match['right']}" if match and _SET_NAMES[match["sign"]].search(named) else text


_BRACKETED = late(r"\s\(\d+(?:\.\d+)?\)")


def states_otherwise(text: str, values: Mapping[str, float]) -> str:
    """The cause beside which a rule states another number than its value: tickets × price (5), of a price of 6."""
    for cause, value in values.items() if _BRACKETED.search(text) else ():
        for spelling in {cause, cause.replace("_", " ")}:
            if len(spelling) > 2 and spelling.lower() in text.lower():
                match = re.search(rf"(?<!\w){re.escape(spelling)}\s+\((\d+(?:\.\d+)?)\)", text, re.IGNORECASE)
                if match is not None and float(match[1]) != value:
                    return cause
    return ""


def _in_its_place(text: str, names: Sequence[str]) -> str:
    """`tax = 0.2 × income; net = income − tax`, in either order: what is no node, by what it is."""
    match = _THEN.match(text) or _FIRST.match(text)
    if match is None:
        return text
    short, formula, left, right = match.group("short", "formula", "left", "right")
    pattern = re.compile(rf"(?<!\w){re.escape(short)}(?!\w)", re.IGNORECASE if len(short) > 2 else 0)
    known = any(tokens(short) <= tokens(name) or symbol(name) == symbol(short) for name in names)
    known = known or (" " not in short and any(tokens(short) & tokens(name) for name in names))
    computed = re.search(r"[-+*/^×·÷−]", formula) is not None and not _WITH_UNIT.match(formula)
    if known or not computed or len(pattern.findall(right)) != 1 or pattern.search(left) or pattern.search(formula):
        return text
    return f"{left.strip()} = {pattern.sub(lambda _: f'({formula.strip()})', right).strip()}"


def _with_number(rule: str, words: str, number: str, causes: Sequence[str], values: Mapping[str, float]) -> str | None:
    """The rule with a number for the words that it states it of; with the cause where that has this value."""
    left, _, right = rule.partition("=")
    if computes(words) or words.lower() in FUNCTIONS:
        return None
    cause = cause_called(words, causes)
    if len(re.findall(rf"\b{re.escape(words)}\b", right)) != 1 or (cause and values.get(cause) != float(number)):
        return None
    if cause is None and any(tokens(words) & tokens(name) - GENERAL for name in causes):
        return None  # the price of one, where a price is a cause
    return f"{left}={re.sub(re.escape(words), lambda _: cause or f'({number})', right, count=1)}"


def _in_one(text: str, causes: Sequence[str]) -> str:
    """A formula and the steps that follow it, behind commas."""
    left, _, right = text.partition("=")
    made, *steps = _STEP.split(right)
    if not steps or "=" in right or not re.search(r"\w", made):
        return text
    for sign, by in zip(steps[::2], steps[1::2], strict=True):
        by = _REASON.sub("", by).strip(" .")
        number = None if re.search(r"\b(?:for|if|when|on|after|unless)\b", by) else number_of(by.lower())
        cause = cause_called(by, causes) or cause_called(_PLACE.sub("", by), causes)
        if number is None and cause is None and (computes(by) or re.search(r"\d", by)):
            return text
        made = f"({made.strip()}) {_SIGN[sign.lower()]} ({cause or (by if number is None else f'{number:.12g}')})"
    return f"{left}= {made}"


def cause_called(words: str, causes: Sequence[str]) -> str | None:
    """The one cause whose words these are, but for what any name has: the number of, a unit."""
    meaning = tokens(words) - _COUNTED
    same = [cause for cause in causes if meaning and tokens(without_unit(cause)) - _COUNTED == meaning]
    return same[0] if len(same) == 1 else None


_COUNTED = frozenset(map(stem, ("number", "count", "amount")))


_IN_UNIT = late(
    r",?\s*(?:\(\s*)?\b(?:with|after|where|taking)\s+(?:the\s+)?(?P<what>[^\W\d_][^\W\d]*(?: [^\W\d_]+){0,2}?)\s+"
    r"(?:is\s+|are\s+|being\s+|first\s+)*(?:(?:converted|changed|expressed|given|measured|taken)\s+)?"
    r"(?:from\s+(?P<old>[^\W\d_]+)\s+)?(?:(?:in)?to|in)\s+(?P<new>[^\W\d_]+(?:/[^\W\d_]+)?)"
    r"(?:\s*\((?:[^\W\d_]+\s*|divided? by\s*|multipl\w+ by\s*)?(?P<sign>[/÷*×])?\s*(?P<by>\d+(?:\.\d+)?)\)"
    r")?\s*\)?\s*\.?$",
    re.IGNORECASE,
)


class InUnit(NamedTuple):
    """A rule without the clause that takes one of its causes in another unit, that cause, and its factor."""

    text: str
    cause: str
    factor: float


def in_another_unit(text: str, units: Mapping[str, str | None]) -> InUnit | None:
    """`distance / time, with the time in hours`, of a time in minutes: time / 60. units: of the causes; None where the
    clause is none, or does not say which cause it is or what its unit is."""
    match = _IN_UNIT.search(text)
    if match is None:
        return _within_a_phrase(text, units)
    meaning = tokens(match["what"])
    same = [cause for cause in units if meaning and meaning <= tokens(cause)]
    unit = unit_of(same[0], units[same[0]]) if len(same) == 1 else None
    factor = conversion(unit, match["new"]) if unit else None
    if factor is None or (match["old"] and conversion(match["old"], unit or "") != 1):
        return None
    if match["by"] and not any(math.isclose(float(match["by"]), one, rel_tol=1e-9) for one in (factor, 1 / factor)):
        return None
    return InUnit(re.sub(r"^\s*use\s+(?=[^,]*=)", "", text[: match.start()], flags=re.IGNORECASE), same[0], factor)


def _within_a_phrase(text: str, units: Mapping[str, str | None]) -> InUnit | None:
    """`moles divided by the volume in liters`, of a volume in mL; not where the rule says the factor itself."""
    for match in _PHRASE_IN.finditer(text, max((copula.end() for copula in _IS.finditer(text)), default=0)):
        pieces = match["what"].split()
        named = [cause_called(" ".join(pieces[first:]), tuple(units)) for first in range(len(pieces))]
        cause = next(filter(None, named), None)
        unit = unit_of(cause, units[cause]) if cause else None
        factor = conversion(unit, match["new"]) if unit else None
        if cause is None or not factor or math.isclose(factor, 1) or _CONVERTS.search(text):
            continue
        if not any(math.isclose(one, size, rel_tol=0.05) for one in numerals(text) for size in (factor, 1 / factor)):
            return InUnit(text[: match.end("what")] + text[match.end() :], cause, factor)
    return None


_IS = late(r"=|\b(?:is|are|equals)\b", re.IGNORECASE)
_PHRASE_IN = late(r"(?P<what>[^\W\d_]+(?: [^\W\d_]+){0,3}?) \(?in (?P<new>[^\W\d_]+)\b\)?", re.IGNORECASE)
_CONVERTS = late(r"\b(?:convert|chang|express)\w*\b|\([^()]*\d", re.IGNORECASE)


def unit_of(cause: str, unit: str | None) -> str | None:
    """As it is given, in brackets, or behind the last bar: time_minutes."""
    last = cause.rsplit("_", 1)[-1] if "_" in cause else ""
    return unit or unit_in(cause) or (last if len(last) > 1 and read_unit(last) is not None else None)


_UNITS = late("percent|per cent|%|degrees", re.IGNORECASE)
_NOTE = late(
    r"(?:[,;]|\s\(|\s(?=with|where))\s*(?:(?:with|where|and)\s+)?(?:the\s+)?(?P<what>[^\W\d][\w ]*?)\s+"
    r"(?:is\s+|are\s+|being\s+)?(?:(?:given|expressed|stated|written|measured|quoted|taken)\s+)?(?:in|as(?: an?)?)\s+"
    r"(?P<unit>percent(?:age)?|per cent|%|degrees)\)?\s*\.?$",
    re.IGNORECASE,
)


_ASIDE = late(  # principal times rate (in percent) times time
    r"(?P<what>[^\W\d]\w*)\s*\(\s*(?:in|as(?: an?)?)\s+(?P<unit>percent(?:age)?|per cent|%|degrees)\s*\)", re.IGNORECASE
)
_IS_SHARE = late(
    r"rate|ratio|percent|share|fraction|discount|markup|tax|tip|interest|commission|yield|growth|margin|efficiency|%",
    re.I,
)


def unit_note(text: str, units: Mapping[str, str | None]) -> tuple[str, str, str] | None:
    """A rule without a note on the unit of a cause, that cause, and the unit: `..., with the rate in percent`.
    None where there is no note, or the cause has another unit."""
    if not _UNITS.search(text):
        return None
    in_brackets = _ASIDE.search(text)
    match = in_brackets or _NOTE.search(text)
    if match is None:
        return None
    meaning = tokens(match["what"])
    same = [cause for cause in units if meaning and meaning <= tokens(cause) or symbol(match["what"]) == symbol(cause)]
    unit = "degrees" if match["unit"].lower() == "degrees" else "%"
    if unit == "%" and not all(len(cause) == 1 or _IS_SHARE.search(cause) for cause in same):
        return None
    if len(same) != 1 or (known_unit := unit_of(same[0], units[same[0]])) not in (None, unit, "°"):
        return None
    aside = text[: match.end("what")] + text[match.end() :]
    return aside if in_brackets else text[: match.start()], same[0], known_unit or unit
