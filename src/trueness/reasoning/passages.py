"""Where in a rule its formula stands, and what stands beside it.

    Newton: a = F/m (second law)                    a = F/m
    E = m c^2, because mass is energy               E = m c^2; what computes on (`, capped at 5`) is not left out
    E = m c^2, with c = 3e8 m/s                     c is 3e8 in this rule
    tau_1 must equal tau_2, so v = tau_1 d / eta    v = tau_1 d / eta

What is left out must compute nothing: no number, no sign, no operation, no condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from trueness.patterns import late
from trueness.reasoning.accounted import computes
from trueness.reasoning.literals import kinds_of, size_of
from trueness.reasoning.names import STANDS_FOR, by_custom, shares_word, symbols_in, unit_in
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import FUNCTIONS, NATURE

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
        owner = owners.get(short) or by_custom(match["symbol"], names).get(match["symbol"])
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
