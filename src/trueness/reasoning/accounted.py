"""Everything said must be used: what a rule says and its formula does not have.

    for each number, share, multiple and operation of the text:  it stands in the tree, or in a name, or is a value

A third of the students who are not in band      total - band has no third: refused
force / area, where the area is the square ...   force / side has no square: refused
moles over the volume in liters                  of a volume in mL, and no 1000: refused

One look at the end, however the rule was read: a piece of text that a reading left out was no ornament. And a last
clause that computes must change what is read: without it there is another formula, or it was left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from trueness.patterns import late
from trueness.reasoning.clauses import unit_of
from trueness.reasoning.literals import conversion, read_unit
from trueness.reasoning.trees import Binary, Call, Negative, Number, Tree, count_names, parts
from trueness.reasoning.word_names import tokens
from trueness.reasoning.word_numbers import NUMBER_WORDS, OPERATION_WORDS, SHARES, number_of

_WORDS_OF = (  # what is said, the signs or functions one of which must then be there, and what undoes them
    (r"(?<!is )(?<!are )squared|squaring|squares? of|square (?:the|its|it|this|that)", "^ same", "sqrt"),
    (r"cubed|cubing|cube of|cube (?:the|its|it)", "^", ""),
    (r"square root|cube root|root of", "sqrt root", "^"),
    (r"reciprocals?|inverse of|(?:one|1) over", "/ ^", "/"),
    (r"reciprocal of (?:(?:the|their|this|that) )?(?:sum|total)", "over-sum", "/"),
    (r"out of", "/ - % scaled comb", ""),
    (r"as a percent\w*", "/ * %", ""),
    (
        r"minus|subtract\w*|deduct\w*|remov(?:e|ing)|difference|take away|taken away|less than|fewer than",
        "- abs",
        "+ sum",
    ),
    (r"plus|add|added(?! to)|adding|sum|summed|summing", "+ sum mean", "-"),
    (r"(?:and|with) [a-z_ ]+ combined", "+ sum mean", ""),
    (r"times|multipl(?:y|ied|ying)|product", "* ^ sqrt comb", "/"),
    (r"divid(?:e|ed|ing)|quotient|ratio of", "/ % scaled mean ^", "*"),
    (r"average of|mean of|averag(?:ed|ing)", "/ mean scaled", "*"),
    (r"(?:increas|decreas|reduc|lower|rais)\w+ by|more than", "+ - scaled max", "+ - /"),
)
_SPOKEN_SIGNS = tuple(
    (late(rf"\b(?:{words})\b"), frozenset(signs.split()), frozenset(undone.split()))
    for words, signs, undone in _WORDS_OF
)
_MULTIPLES = (
    (late(r"\b(?:twice|doubl\w+)\b"), 2.0), (late(r"\b(?:thrice|tripl\w+)\b"), 3.0),
    (late(r"\bquadrupl\w+\b"), 4.0), (late(r"\bhalv\w+\b"), 0.5),
)  # fmt: skip
_OF_TWO_WORDS = "|".join(one.replace(" ", "[ -]") for one in sorted(SHARES, key=len, reverse=True) if " " in one)
_SHARE = late(  # the third angle is no share, and a half-life none
    rf"\b(?:(?:{_OF_TWO_WORDS}|half)(?![ -]li)|(?:third|quarter)(?= of))\b"
)
_WORD = "|".join(NUMBER_WORDS[2:])
_NUMBER = late(rf"(?<![\w.^/_\\-])\$?(?:\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?|{_WORD})(?![\w^])")
_NO_NUMBER = late(  # 1) ..., step 2, every 3 hours, two and a half, a ratio of 3:5, product over sum
    rf"(?:^|\s)\(?\d\)|\bstep \d+|\bevery (?:\d+|{_WORD}) [a-z]+|\b(?:{_WORD})[- ]and[- ]a[- ]half\b|\d\s?:\s?\d|"
    rf"\bis (?:\d+|{_WORD}) to (?:\d+|{_WORD})\b|"
    rf"\b(?:the|these|their|all|both) (?:(?:{_WORD}) )?times\b|"
    rf"\bproduct (?:of [a-z ]+ )?(?:over|divided by) (?:the |their )?sum\b|\d+\s*/\s*\d+|\b\d+\s*(?:pi|π)(?!\w)"
)
_COUNTED = late(rf"(?<!by )(?<!times )(?<!plus )(?<!minus )(?<!over )(?<!add )\b(?:[2-9]|{_WORD})\b(?! times)")
_FUNCTION = late(r"\b(ceil|floor|round|max|min)\s*\(")
_CONDITION = late(
    r"\b(?:unless|otherwise|appropriately|suitably|properly|in (?:the|a|an|some) [a-z]+ (?:way|manner)|"
    r"each of [a-z ]+ (?:grow|increase|rise|gain|fall|decrease|lose)s?|"
    r"(?:where|as|when|if) (?:needed|necessary|required)|"
    r"for (?:[a-z]+ )?[a-z]+ only|most|(?:in|at) (?:the )?(?:worst|best)|"
    r"every (?:second|third|fourth|other) [a-z_]+ (?:is|are) (?:removed|left|taken|empty|missing)|"
    r"^for (?:large|small|big|bulk|long|short|heavy|new|old|early|late|group|most|regular) [a-z]+s)\b"
)
_STEP = late(  # ..., then burn the broken seats: whatever that does, it is no further item of a list
    r"\bthen (?:(?:we|you|just|simply) )?(?!(?:take|compute|find|convert|apply|scale|use|get|by|at|with|to|from|for|of|"
    r"is|are|has|have|account|determine|work|evaluate|calculate|express|turn|split|share|spread)\b)"
    r"([a-z]+) (?:aside |out |off |away )?(?:the|all|any|those|these|its|their|her|his)\b"
)
_STEPS = OPERATION_WORDS | {"remove", "combine", "round"}
_SUMS_TO = late(r"\b(?:add|sum)s?(?: up)? to (\d)")
_OF_ALL = late(r" [a-z_]+ (?:(?:of|in) [a-z_ ]+ )?(?:add|sum|make)\b|(?= [a-z_]+ (?:of|in) [a-z_ ]+ \d)")
_SOME_OF = late(r" of the [a-z_ ]+ (?:are|is|were|leave|left|have|get|do)\b")  # two of the workers are ill
_ORDINALS = "first second third fourth fifth sixth".split()
_ORDINAL = late(rf"\b({'|'.join(_ORDINALS)}) ([a-z]+)\b")
_PER = late(r"(?<!\d)(?<!\d [a-z])\s+per ([a-z]{4,})\.?\s*$")
_OPERATED = late(r"\b(?:times|plus|minus|by)\s+$")
_IN = late(r"\b(?:in|into|to) ([a-z]+(?:/[a-z]+)?)\b")


def surplus(text: str, tree: Tree, names: Sequence[str], values: Iterable[float]) -> str:
    """The first thing that a text says and neither its tree, nor a name, nor a value has; empty where there is none.
    names: of the causes, and of the effect at the end."""
    sentence, known = text.lower().replace("_", " "), " ".join(names).lower().replace("_", " ")
    for name in sorted({name.lower().replace("_", " ") for name in names}, key=len, reverse=True):
        if len(name) > 1 and name in sentence:
            sentence = _blanked(sentence, name)
    if names and len(names[-1]) <= 3 and "=" in sentence:  # the geometric sum S = ...: what S is
        sentence = re.sub(
            rf"\b(?:sum|product|average|mean|difference|ratio)(?= {re.escape(names[-1].lower())}\s*=)", " ", sentence
        )
    has = set(_operations(tree))
    sentence = _SUMS_TO.sub(r" \1", sentence) if "-" in has else sentence  # angles that add up to 90
    sentence = _NO_NUMBER.sub(" ", sentence)
    for pattern, signs, undone in _SPOKEN_SIGNS:
        for match in pattern.finditer(sentence):
            solved = undone & has and _speaks_of(sentence, match.start(), names[-1])
            if not signs & has and not solved and not pattern.search(known):
                return match[0]
    for match in _FUNCTION.finditer(sentence):
        if match[1] not in has:
            return match[0]
    if (condition := _CONDITION.search(sentence)) and not _CONDITION.search(known):
        return condition[0]
    for match in _STEP.finditer(sentence):
        if match[1] not in _STEPS:
            return match[0]
    for match in _ORDINAL.finditer(sentence):  # the first day, where there are day 2 and day 3
        numbered = set(re.findall(rf"\b{match[2]} ?(\d+)\b", known))
        if numbered and str(_ORDINALS.index(match[1]) + 1) not in numbered:
            return match[0]
    numbers = {abs(number) for number in _numbers(tree)}
    numbers |= {one / other for one in numbers for other in numbers if other}
    numbers |= {1 / number for number in numbers if number}
    numbers |= {abs(1 - number) for number in numbers if number < 2}  # 15 % more is 1.15 times
    numbers |= {100 * number for number in numbers} | {1.0, 100.0}
    numbers |= {*map(abs, values)} | {float(one) for one in re.findall(r"\d+(?:\.\d+)?", known)}
    per = _PER.search(sentence)  # ... times 12 per person, where nothing else speaks of persons
    if (
        per
        and read_unit(per[1]) is None
        and not tokens(per[1]) & tokens(f"{known} {sentence[: per.start()]}")
        and "/" not in has
    ):
        return per[0].strip()
    counted = {float(number) for number in range(2, len(names))}
    for match, number in _numbers_in(sentence, digits="=" not in text):
        near = any(abs(number - one) <= 1e-6 * abs(number) for one in numbers)
        near = near or (number == len(names) and _OF_ALL.match(sentence, match.end()) is not None)
        counts = (
            number in counted
            and _COUNTED.fullmatch(sentence, *match.span())
            and not _SOME_OF.match(sentence, match.end())
        )
        if not near and not counts:
            if not re.search(rf"\b{re.escape(match[0])}\b", known):
                return match[0]
    return ""


def _blanked(sentence: str, name: str) -> str:
    """With underscores for the letters of a name, where it stands for itself."""
    blank, at = re.sub(r"\w", "_", name), sentence.find(name)
    while at >= 0:
        end = at + len(name)
        alone = not (_WORDLIKE.match(sentence[at - 1 : at]) or _WORDLIKE.match(sentence, end))
        sentence = sentence[:at] + blank + sentence[end:] if alone else sentence
        at = sentence.find(name, end if alone else at + 1)
    return sentence


_WORDLIKE = late(r"\w")


def last_clause(text: str, names: Sequence[str]) -> tuple[str, str] | None:
    """A text without its last clause, and the clause, where that computes or narrows: whoever reads both alike has left
    it out. None where there is no such clause."""
    match = _CLAUSE.match(text)
    words = set(re.findall(r"[a-z]+", match["clause"].lower())) if match else set()
    known = set(re.findall(r"[a-z]+", " ".join(names).lower().replace("_", " ")))
    narrows = match is not None and _NARROWS.search(match["clause"])
    return (match["head"], match["clause"]) if match and ((words & OPERATION_WORDS) - known or narrows) else None


_CLAUSE = late(
    r"^(?P<head>.*[^\s,;])[,;]\s+(?P<clause>(?:where|with|each|of which|but|excluding|except|averaged|net of|less|"
    r"minus|plus|doubled|tripled|halved|squared|only|reduced|increased|without)\b[^,;=]*)$",
    re.IGNORECASE,
)
_NARROWS = late(r"\b(?:one over|1 over|excluding|except|averaged|net of|only|without|fifth|doubled|halved)\b", re.I)


def _speaks_of(sentence: str, place: int, effect: str) -> bool:
    """`Force equals mass times acceleration`, for the acceleration: the operation is on the effect, and is undone."""
    start = max((boundary.end() for boundary in re.finditer(r"[,;.]\s|\bso\b", sentence[:place])), default=0)
    piece = re.split(r"[,;.]\s|\bso\b", sentence[start:])[0]
    sides = re.split(r"\b(?:equals?|is equal to|must equal|is)\b", piece)
    side = sides[0] if start + len(sides[0]) > place else piece[len(sides[0]) :]
    return len(sides) == 2 and bool(tokens(effect) & tokens(side) or "_" in side)


def in_unused_unit(text: str, tree: Tree, units: Mapping[str, str | None], effect: str) -> str:
    """A unit in which a text takes a cause that has another, where the tree has no factor of it. units: of causes."""
    numbers = {abs(number) for number in _numbers(tree)}
    numbers |= {1 / number for number in numbers if number}
    for match in _IN.finditer(text.lower()):
        if match[1] in tokens(effect) or (effect_in := unit_of(effect, None)) and conversion(effect_in, match[1]) == 1:
            continue
        for cause, unit in units.items():
            mine = unit_of(cause, unit)
            factor = conversion(mine, match[1]) if mine else None
            if factor and abs(factor - 1) > 1e-9 and not any(abs(factor - one) <= 1e-6 * factor for one in numbers):
                return match[0]
    return ""


def _numbers_in(sentence: str, digits: bool) -> Iterator[tuple[re.Match[str], float]]:
    for pattern, number in _MULTIPLES:
        yield from ((match, number) for match in pattern.finditer(sentence))
    yield from ((match, SHARES[match[0].replace("-", " ")]) for match in _SHARE.finditer(sentence))
    for match in _NUMBER.finditer(_SHARE.sub(lambda share: " " * len(share[0]), sentence)):
        size = number_of(match[0].rstrip(","))
        if size and (digits or match[0].isalpha() or _OPERATED.search(sentence, 0, match.start())):
            yield match, size


def _operations(tree: Tree) -> Iterator[str]:
    if isinstance(tree, Binary):
        yield tree.operator
        if tree.operator == "/" and {"+", "-"} & set(_operations(tree.right)):
            yield "over-sum"
        if tree.operator == "*" and tree.left == tree.right:
            yield "same"
        if tree.operator == "^" and not (isinstance(tree.right, Number) and tree.right.value.is_integer()):
            yield "root"
        if tree.operator == "*" and not all(map(count_names, (tree.left, tree.right))):
            yield "scaled"
    elif isinstance(tree, Call):
        yield tree.function
    elif isinstance(tree, Negative) or (isinstance(tree, Number) and tree.value < 0):
        yield "-"
    for part in parts(tree):
        yield from _operations(part)


def _numbers(tree: Tree) -> Iterator[float]:
    if isinstance(tree, Number):
        yield tree.value
    if isinstance(tree, Binary) and isinstance(tree.left, Number) and isinstance(tree.right, Number):
        if tree.operator == "/" and tree.right.value:
            yield tree.left.value / tree.right.value
    for part in parts(tree):
        yield from _numbers(part)
