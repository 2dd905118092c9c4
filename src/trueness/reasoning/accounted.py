"""The last look: each number, share, multiple and operation that the words say stands in the formula.

A third of the students who are not in band      total - band has no third: refused
force / area, where the area is the square ...   force / side has no square: refused

One look at the end, however the formula was found: a piece of text that it leaves out was no ornament.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from trueness.patterns import late
from trueness.reasoning.literals import read_unit
from trueness.reasoning.names import tokens, unit_in
from trueness.reasoning.trees import Binary, Call, Negative, Number, Tree, count_names, parts

NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_PARTS = dict(zip("third quarter fourth fifth sixth seventh eighth ninth tenth twelfth".split(),
                  (3, 4, 4, 5, 6, 7, 8, 9, 10, 12), strict=True))  # fmt: skip
SHARES = {"half": 1 / 2, "one half": 1 / 2, "a half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4}
SHARES |= {f"{one} {part}": 1 / of for part, of in _PARTS.items() for one in ("a", "an", "one")}
SHARES |= {f"{word} {part}s": n / of for part, of in _PARTS.items() for n, word in enumerate(NUMBER_WORDS) if n > 1}
_OPERATES = frozenset(
    "half twice double triple percent minus plus sum difference product times divided multiplied less more fewer "
    "average mean ratio square squared root increased decreased reduced maximum minimum third quarter than added "
    "subtracted multiply multiplying divide dividing subtract subtracting add adding deduct deducting increase "
    "increases decrease decreases reduce reciprocal cube cubed excess quotient halve then result largest larger "
    "greatest greater highest higher smallest smaller least lowest lower fraction proportion percentage portion "
    "negative raised lowered inverse absolute remainder complement capped limited doubled tripled halved tax discount "
    "tip fee rounded again also except otherwise not only if unless when whether until never".split()
)
_SPOKEN_SIGNS = tuple(  # what is said, and the signs or functions one of which must then be there
    (late(rf"\b(?:{words})\b"), frozenset(signs.split()))
    for words, signs in (
        (r"(?<!is )(?<!are )squared|squaring|squares? of|square (?:the|its|it|this|that)", "^ same"),
        (r"cubed|cubing|cube of|cube (?:the|its|it)", "^"),
        (r"square root|cube root|root of", "sqrt root"),
        (r"reciprocals?|inverse of|(?:one|1) over", "/ ^"),
        (r"out of", "/ - % scaled comb"),
        (r"as a percent\w*", "/ * %"),
        (r"minus|subtract\w*|deduct\w*|remov(?:e|ing)|difference|take(?:n)? away|less than|fewer than", "- abs"),
        (r"plus|add|added(?! to)|adding|sum|summed|summing", "+ sum mean"),
        (r"times|multipl(?:y|ied|ying)|product", "* ^ sqrt comb"),
        (r"divid(?:e|ed|ing)|quotient|ratio of", "/ % scaled mean ^"),
        (r"average of|mean of|averag(?:ed|ing)", "/ mean scaled"),
        (r"(?:increas|decreas|reduc|lower|rais)\w+ by|more than", "+ - scaled max"),
    )
)
_MULTIPLES = (
    (late(r"\b(?:twice|doubl\w+)\b"), 2.0), (late(r"\b(?:thrice|tripl\w+)\b"), 3.0),
    (late(r"\bquadrupl\w+\b"), 4.0), (late(r"\bhalv\w+\b"), 0.5),
)  # fmt: skip
_SHARE = late(  # the third angle is no share, and a half-life none
    "\\b(?:(?:" + "|".join(one.replace(" ", "[ -]") for one in sorted(SHARES, key=len, reverse=True) if " " in one)
    + r"|half)(?![ -]li)|(?:third|quarter)(?= of))\b"
)  # fmt: skip
_WORD = "|".join(NUMBER_WORDS[2:])
_NUMBER = late(rf"(?<![\w.^/_\\-])\$?(?:\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?|{_WORD})(?![\w^])")
_NO_NUMBER = late(  # 1) ..., step 2, every 3 hours, a ratio of 3:5, product over sum
    rf"(?:^|\s)\(?\d\)|\bstep \d+|\bevery (?:\d+|{_WORD}) [a-z]+|\d\s?:\s?\d|\b(?:the|these|their|all|both) times\b|"
    r"\bproduct (?:over|divided by) (?:the |their )?sum\b|\b\d+\s?/\s?\d+|\b\d+\s?(?:pi|π)(?!\w)"
)
_CONDITION = late(
    r"\b(?:unless|otherwise|appropriately|suitably|properly|(?:where|as|when|if) (?:needed|necessary|required)|"
    r"most|(?:in|at) (?:the )?(?:worst|best))\b"
)
_IN_UNIT = late(r"\bin (?:the )?(degrees?|radians?|percent|[a-z]{2,12}(?:/[a-z]{1,8})?)\b")
_OPERATED = late(r"\b(?:times|plus|minus|by)\s$")


def names_unit(beside: str, effect: str) -> bool:
    """Whether what stands beside a formula says in what a quantity is (with time in minutes): nothing converts it."""
    units = [
        match[1] for match in _IN_UNIT.finditer(beside.lower())
        if match[1] in ("degree", "degrees", "radian", "radians", "percent") or read_unit(match[1]) is not None
    ]  # fmt: skip
    return any(unit not in (unit_in(effect), *tokens(effect)) for unit in units)


def computes(words: str) -> bool:
    """Whether a piece of text is more than an introduction: it counts, compares or sets a condition."""
    used = set(re.findall(r"[^\W_]+", words.lower().replace("half-life", "")))
    return bool(used & _OPERATES or re.search(r"(?<!\w)\d|%", words))


def share_of(text: str) -> float | None:
    """40 % is 0.4, and so are two fifths."""
    share = text.replace(",", "").replace("-", " ").strip()
    percent = re.match(r"(\d+(?:\.\d+)?)\s?(?:%|per ?cent)", share)
    return float(percent[1]) / 100 if percent else SHARES.get(share)


def number_of(word: str) -> float:
    """`12`, `$1,200`, `twelve`."""
    digits = word.lstrip("$").replace(",", "")
    return float(NUMBER_WORDS.index(digits) if digits in NUMBER_WORDS else digits)


def surplus(text: str, tree: Tree, names: Sequence[str], values: Iterable[float]) -> str:
    """The first thing that a text says and neither its tree, nor a name, nor a value has; empty where there is none.
    names: of the causes, and of the effect at the end."""
    sentence = text.lower().replace("_", " ")
    names = names if "=" in text else names[:-1]  # the average is a + b: an effect is what it is called
    known = " ".join(names).lower().replace("_", " ")
    for name in sorted({one for one in names if len(one) > 1}, key=len, reverse=True):
        spoken = re.escape(name.lower().replace("_", " "))
        sentence = re.sub(rf"(?<!\w){spoken}(?!\w)", lambda match: "_" * len(match[0]), sentence)
    has = set(_operations(tree))
    sentence = _NO_NUMBER.sub(" ", sentence)
    for pattern, signs in _SPOKEN_SIGNS:
        if not signs & has and (said := pattern.search(sentence)) is not None and not pattern.search(known):
            return said[0]
    if (condition := _CONDITION.search(sentence)) and not _CONDITION.search(known):
        return condition[0]
    numbers = _stated_by(tree) | {*map(abs, values)} | {float(one) for one in re.findall(r"\d+(?:\.\d+)?", known)}
    counted = {float(number) for number in range(2, len(names) + 1)}  # the two sides
    for match, number in _numbers_in(sentence, digits="=" not in text):
        near = any(abs(number - one) <= 1e-6 * abs(number) for one in numbers)
        counts = number in counted and match[0] in NUMBER_WORDS and not _OPERATED.search(sentence, 0, match.start())
        if not near and not counts and not re.search(rf"\b{re.escape(match[0])}\b", known):
            return match[0]
    return ""


def _stated_by(tree: Tree) -> set[float]:
    """The numbers of a formula in all forms in which words say them: 1.15 is 15 % more."""
    numbers = {abs(number) for number in _numbers(tree)}
    numbers |= {one / other for one in numbers for other in numbers if other}
    numbers |= {1 / number for number in numbers if number}
    numbers |= {abs(1 - number) for number in numbers if number < 2}
    return numbers | {100 * number for number in numbers} | {1.0, 100.0}


def _numbers_in(sentence: str, digits: bool) -> Iterator[tuple[re.Match[str], float]]:
    for pattern, number in _MULTIPLES:
        yield from ((match, number) for match in pattern.finditer(sentence))
    yield from ((match, SHARES[match[0].replace("-", " ")]) for match in _SHARE.finditer(sentence))
    for match in _NUMBER.finditer(_SHARE.sub(lambda share: " " * len(share[0]), sentence)):
        if digits or match[0].isalpha() or _OPERATED.search(sentence, 0, match.start()):
            size = number_of(match[0].rstrip(","))
            if size:
                yield match, size


def _operations(tree: Tree) -> Iterator[str]:
    if isinstance(tree, Binary):
        yield tree.operator
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
