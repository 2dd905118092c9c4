"""Where in a rule its formula stands, and what stands beside it.

    Newton: a = F/m (second law)                    a = F/m
    E = m c^2, because mass is energy               E = m c^2; what computes on (`, capped at 5`) is not left out
    E = m c^2, with c = 3e8 m/s                     c is 3e8 in this rule
    tau_1 must equal tau_2, so v = tau_1 d / eta    v = tau_1 d / eta

What is left out must compute nothing: no number, no sign, no operation, no condition.

One last look, however the formula was found: each number, share, multiple and operation that words say stands in it.

    A third of the students who are not in band      total - band has no third: refused
    force / area, where the area is the square ...   force / side has no square: refused
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from trueness.patterns import late
from trueness.reasoning.names import (
    STANDS_FOR,
    kinds_of,
    read_unit,
    shares_word,
    size_of,
    symbols_in,
    tokens,
    unit_in,
)
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import FUNCTIONS, NATURE, Binary, Call, Negative, Number, Tree, count_names, parts

# ---- what words say

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
_SAID_NUMBER = late(rf"(?<![\w.^/_\\-])\$?(?:\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?|{_WORD})(?![\w^])")
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
    for match in _SAID_NUMBER.finditer(_SHARE.sub(lambda share: " " * len(share[0]), sentence)):
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


_BEHIND = late(
    r"(?:\b(?:where|with|since|because|by|from|using|via|according to|due to)\s|[;\n]|,\s+[^\W\d]+['’]?\w*\s+[^\W\d]|"
    r"(?<!\w)\((?!\s{0,9}(?:sin|cos|tan|ln|log|exp|sqrt)\b)\s{0,9}[^\W\d]+['’]?\w*\s+[^\W\d]).*$",
    re.DOTALL,
)
_DEFINES = late(r"\b(?:with|where|taking|take|let|assuming|when|if|for)\s(?:[^\W\d]\w*\s)?$")  # ..., with g = 9.8
LET = late(r"\blet\s([^\W\d_])\s(?:be|denote|represent|stand for|=)\s(?:the\s)?([^,;.()=\d]{1,60})", re.IGNORECASE)
_FRONT = late(r"^[^:=]*(?<!\d):|^[^:=]*:\s")
_FRONT_CLAUSE = late(r"^[^\W\d][^=,]*,\s*(?=[^,=]+=)")  # By the theorem, c^2 = a^2 + b^2
_PROGRAM = late(r"^\s*(?:return\b|=)\s*")
_EQUATION = late(r"[^\W\d][\w']{0,40}\s{0,3}=(?!=).*$")
_IS = late(r"^(?P<left>[^\W\d][^=:]*?)\s(?:equals|is equal to|is given by|is)\s(?P<right>[^=:,]+)$")
_RANGE = late(r"^\d+(?:\.\d+)?\s?[-−–]\s?\d")
_CLAUSES = late(
    r"(?:,(?!\d)|[;:])\s*(?:(?:and|where|with|then|so|hence|thus|therefore|giving)\s)?|"
    r"\s(?:and|where|with|then|so|hence|thus|therefore|giving)\s(?=[^,;:]*=)"
)
ROUNDED = late(
    r"[,(]\s?(?:and\s)?round(?:ed|ing)?(?: it)?\s(up|down|to the nearest (?:integer|whole number|whole [a-z]+))"
    r"(?: to (?:an?|the(?: next| nearest)?) (?:whole [a-z]+|whole|integer))?(?! to )"
)
_ON = late(
    r"[<>≤≥=%+*^×÷·]|\s[-−/]\s|(?<!\w)\d|\b(?:cap(?:ped|s)?|limit(?:ed)?|at (?:least|most)|up to|plus|minus|"
    r"add(?:ed|ing|s)?|round\w*|nearest|multipl\w+|divid\w+|subtract\w*|increas\w+|decreas\w+|reduc\w+|tripled?|squared|or|"
    r"after|before|excluding|except|without|instead)\b"
)
_NUMBER = r"[-−]?\d+(?:\.\d+)?(?:[eE][-+−]?\d+|\s?[×x*·]\s?10\s?(?:\^\s?[({]?[-−]?\d+[)}]?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?![\d.])"
_STATED = late(
    r"(?:\s?[,;(]\s?|\s)(?P<words>(?:(?:and|with|where|using|taking|take|assuming|for|here|let|given)\s){0,4})"
    rf"(?P<symbol>[^\W\d]\w{{0,3}}(?:_\w{{1,4}})?)\s?[=≈]\s?(?P<number>{_NUMBER})"
    r"(?P<unit>\s?[^\W\d_][^=+*,;]{0,24}?)?(?:\s(?:is|as) (?:the )?[^\W\d][\w'’ -]{0,40})?\s?\)?\s?[.;]?\s?$"
)
_INDEX = late(r"(?<!\w)([^\W\d_]_[^\W_])([^\W\d_]+)(?!\w)")
_MORE_UNITS = frozenset(("atm", "bar", "eV", "MeV", "rev", "ft", "lb", "lbs", "Wb", "unit", "units"))
_TEN = late(r"\s?[×x*·]\s?10\s?\^?")
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-", "(){} ")


def passages(text: str, causes: Sequence[str], effect: str) -> Iterator[str]:
    """The text as it is, then without what people write in front of and behind a formula, then what stands at its =."""
    tried = {""}
    for passage in _passages(text, causes, effect):
        passage = passage.strip()
        passage = passage[:-1] if passage.count(")") > passage.count("(") else passage
        if passage not in tried:
            tried.add(passage)
            yield passage


def _passages(text: str, causes: Sequence[str], effect: str) -> Iterator[str]:
    yield text
    text = _PROGRAM.sub("", text).replace(":=", "=")
    yield text
    shorter = _without_what_follows(text)
    yield shorter
    for whole in (text, shorter):
        named = _FRONT.match(whole)
        if named is not None and not _adds(named[0]):
            yield whole[named.end() :]
            yield _without_what_follows(whole[named.end() :])
    clause = _FRONT_CLAUSE.match(shorter)
    if clause is not None and not computes(clause[0]):
        yield shorter[clause.end() :]
    if (sentence := _EQUATION.search(text)) is not None:
        front, inside = text[: sentence.start()], _without_what_follows(sentence[0])
        called, _, by = inside.partition("=")
        more = front.strip() and re.search(
            rf"(?<!\w){re.escape(called.strip())}(?!\w)", by
        )  # probability of red = red /
        ends = re.search(r"(?:^|\s)[^\W_]\s*$|[½¼¾)²³]|[-+*/×·÷^−]\s*$", front)  # m v² = E is not v² = E
        if not (more or ends or computes(front) or _adds(front) or _DEFINES.search(front)):
            yield inside
    left, equals, right = text.partition("=")
    if equals and _names_the_effect(left, causes, effect):
        yield right
        yield _without_what_follows(right)
    if (spoken := _IS.match(text.rstrip(" ."))) is not None and _names_the_effect(spoken["left"], causes, effect):
        yield spoken["right"]


def equations(text: str) -> list[tuple[str, str]]:
    """`x = 2 a, then y = x + b`, `y = x + c, where c = 2 x`: the sides of each, where the text is several of them."""
    clauses = [clause.partition("=") for clause in _CLAUSES.split(text.rstrip(" .")) if clause and "=" in clause]
    pairs = [(left.strip(" $"), right.strip()) for left, _, right in clauses]
    clear = all("=" not in right and left and not _RANGE.search(right) for left, right in pairs)
    return pairs if len(pairs) > 1 and clear else []


def _without_what_follows(text: str) -> str:
    """The formula alone; the whole text where what follows computes on: capped at 5, then doubled, where c = 2 x."""
    match = _BEHIND.search(text)
    return text if match is None or _adds(text[match.start() :]) else text[: match.start()]


def _adds(beside: str) -> bool:
    """Whether what stands beside a formula computes on."""
    rest = ROUNDED.sub("", STANDS_FOR.sub("", beside), count=1)
    return bool(_ON.search(rest)) or computes(rest)


def _names_the_effect(left: str, causes: Sequence[str], effect: str) -> bool:
    """Whether the words in front of = are what the effect is called: `total cost`, and no cause is among them."""
    words = set(re.findall(r"[^\W\d]\w*", left))
    others = {"solve", "Solve", *map(symbol, causes), *FUNCTIONS} - set(symbol(effect).split("_"))
    bare = re.sub(r"\b(?:per|in)\s+\S+|\([^()]*\)", "", left.replace(effect, ""))
    stands = shares_word(left, effect) and not words & others and not _DEFINES.search(left)
    return stands and not re.search(r"[+*/^×·÷\\½²³]|(?<!\w)[-−]|\d", bare) and not computes(bare)


# ---- what a rule states beside its formula


class Stated(NamedTuple):
    """A rule without the constants that it states, and these; `against`: what it states and cannot be taken so."""

    text: str
    constants: Mapping[str, float]
    has_units: bool
    against: str = ""


def take_constants(
    text: str, names: Sequence[str], values: Mapping[str, float], units: Sequence[str | None], effect: str
) -> Stated:
    """`T = 2π√(L/g), g = 9.8 m/s²`: constants that are no node, used in what stands before them, in units that go with
    those of the causes and of the effect. A node's own value may be repeated, and not changed."""
    owners = {symbol(name): name for name in names} | symbols_in(names)
    constants: dict[str, float] = {}
    cut = has_units = False
    rest = re.sub(r"\s+", " ", text.replace("\\times", "×").replace("\\cdot", "·").replace("$", ""))
    while (match := _STATED.search(rest)) is not None:
        before, short = rest[: match.start()], symbol(match["symbol"])
        used = re.search(rf"(?:=|\bequals\b|\bgiven by\b).*{re.escape(match['symbol'])}", before, re.DOTALL)
        if not used or not (match["words"] or rest[match.start() :].lstrip()[:1] in ",;("):
            break
        number, unit = float(_TEN.sub("e", match["number"]).translate(_SUPERSCRIPT)), (match["unit"] or "").strip()
        owner = owners.get(short)
        same = owner is not None and values.get(owner) == number
        free = owner is None and unit not in owners  # k = 3 m beside a node m
        if short in constants or not (same or (free and _goes(short, unit, units, effect))):
            return Stated(text, {}, False, f"{match['symbol']} = {match['number']}{match['unit'] or ''}")
        if owner is None:
            constants[short] = number
        cut, has_units, rest = True, has_units or bool(unit), before
    return Stated(rest, constants, has_units) if cut else Stated(text, {}, False)


def _goes(short: str, unit: str, units: Sequence[str | None], effect: str) -> bool:
    """Whether a constant can be taken as it is written: the parts of its unit are units, and of one kind with those of
    the causes only where they are the same (m/s² beside m, not beside cm); what the effect is in follows from both."""
    parts = re.findall(r"[^\W\d_]+", unit)
    if any(not kinds_of(part) and part not in _MORE_UNITS for part in parts) or unit in ("C", "F", "K", "percent"):
        return False
    kinds, theirs = kinds_of(unit), [pair for other in units for pair in kinds_of(other or "").items()]
    if any(kinds.get(kind, name) != name for kind, name in theirs):
        return False
    known = {name for _, name in theirs} | set(kinds.values())
    scaled = [name for name in kinds_of(unit_in(effect) or "").values() if size_of(name) != 1 and name not in known]
    nature = short in NATURE or short in ("R", "k", "h", "sigma")
    return not scaled and (bool(unit) or not nature or all(size_of(name) == 1 for _, name in theirs))


def with_indices_apart(text: str, names: Sequence[str]) -> str:
    """v_0t is v_0 t, and v_it is v_i t where these are names and it is none: an index has one sign."""
    known = {symbol(name) for name in names}

    def apart(match: re.Match[str]) -> str:
        short, rest = match.groups()
        joined = match[0] in known or (not short[-1].isdigit() and not {short, *rest} <= known)
        return match[0] if joined else f"{short} {rest}"

    return _INDEX.sub(apart, text) if "_" in text else text
