"""A dozen plain instructions over names of the graph; whatever else a rule says stays words.

    add a, b and c       a plus b     the sum of a and b      multiply a by b   a times b   the product of a and b
    subtract a from b    b minus a                            divide a by b     a over b    the ratio of a to b
    the average of a, b and c         the largest of a and b  the square (root) of a        a squared
    twice a, half of a, 3 times a     20 % of a               increase a by 20 %, a reduced by 20 %

One operation, each cause once and by its whole name; an operand may be a number. In front may stand what it gives:
`The cost is ...`, `To find the cost, ...`. Two operations in one sentence are words: nobody says which binds first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce

from trueness.patterns import late
from trueness.reasoning.accounted import NUMBER_WORDS, number_of
from trueness.reasoning.trees import Binary, Call, Name, Number, Tree, count_names

_LONGEST = 200
_ONE = r"(@\d+)"
_LIST = r"(@\d+(?:(?:, and|,| and) @\d+)+)"
_UNIT_BEHIND = late(r"\s?\([^()]{1,20}\)$")
_NUMERAL = late(
    rf"(?<![\w@.,$])((?:\d{{1,3}}(?:,\d{{3}}){{1,3}}|\d{{1,9}})(?:\.\d{{1,9}})?|{'|'.join(NUMBER_WORDS[1:])})\b"
    r"(?![.,]\d)(?! ?%| ?per ?cent)"
)
_PERCENT = late(r"(?<![\w@.])(\d{1,4}(?:\.\d{1,4})?) ?(?:%|per ?cent\b)")
_FRONT = (
    r"(?:(?:to (?:get|find|obtain|calculate|compute|determine) !, ?)|(?:(?:calculate|compute|find|obtain|get) !"
    r"(?: by| as|:) ?)|(?:! ?(?:is|are|equals|=|is equal to|is given by|is found by|is calculated as) ?(?:by )?))?"
)


def _fold(sign: str) -> Callable[[Sequence[Tree]], Tree]:
    return lambda parts: reduce(lambda left, right: Binary(sign, left, right), parts)


def _swapped(parts: Sequence[Tree]) -> Tree:
    return Binary("-", parts[1], parts[0])


def _scaled(by: float) -> Callable[[Sequence[Tree]], Tree]:
    return lambda parts: Binary("*", Number(by), parts[0])


def _raised(to: float) -> Callable[[Sequence[Tree]], Tree]:
    return lambda parts: Binary("^", parts[0], Number(to))


def _called(function: str) -> Callable[[Sequence[Tree]], Tree]:
    return lambda parts: Call(function, tuple(parts))


def _changed(sign: str) -> Callable[[Sequence[Tree]], Tree]:
    return lambda parts: Binary("*", parts[0], Binary(sign, Number(1.0), parts[1]))


_FORMS: tuple[tuple[re.Pattern[str], Callable[[Sequence[Tree]], Tree]], ...] = tuple(
    (late(f"{_FRONT}(?:{form})(?: together)?"), make)
    for form, make in (
        (rf"(?:add|adding|sum|sum up) (?:up )?{_LIST}|(?:sum|total) of {_LIST}|add {_ONE} to {_ONE}", _fold("+")),
        (rf"{_ONE} plus {_ONE}(?: plus {_ONE})?(?: plus {_ONE})?|{_ONE} added to {_ONE}", _fold("+")),
        (rf"(?:subtract|subtracting|deduct|deducting) {_ONE} from {_ONE}|{_ONE} subtracted from {_ONE}", _swapped),
        (rf"{_ONE} minus {_ONE}(?: minus {_ONE})?", _fold("-")),
        (rf"(?:multiply|multiplying) (?:{_LIST}|{_ONE} by {_ONE})|product of {_LIST}", _fold("*")),
        (rf"{_ONE} (?:times|multiplied by) {_ONE}(?: (?:times|multiplied by) {_ONE})?", _fold("*")),
        (rf"divid(?:e|ing) {_ONE} by {_ONE}|{_ONE} (?:divided by|over) {_ONE}|ratio of {_ONE} to {_ONE}", _fold("/")),
        (rf"(?:take )?(?:average|mean) of {_LIST}", _called("mean")),
        (rf"(?:take )?(?:largest|larger|greatest|greater|maximum|highest) of {_LIST}", _called("max")),
        (rf"(?:take )?(?:smallest|smaller|least|lesser|minimum|lowest) of {_LIST}", _called("min")),
        (rf"(?:take )?square root of {_ONE}", _called("sqrt")),
        (rf"square of {_ONE}|square {_ONE}|{_ONE} squared", _raised(2.0)),
        (rf"cube of {_ONE}|cube {_ONE}|{_ONE} cubed", _raised(3.0)),
        (rf"(?:twice|double|doubling) {_ONE}", _scaled(2.0)),
        (rf"(?:half|half of|halve|halving) {_ONE}", _scaled(0.5)),
        (rf"(?:triple|tripling) {_ONE}", _scaled(3.0)),
        (rf"(?:take |find |calculate )?#{_ONE} of {_ONE}", _fold("*")),
        (rf"(?:increase|increasing) {_ONE} by #{_ONE}|{_ONE} (?:increased|raised) by #{_ONE}", _changed("+")),
        (rf"(?:decrease|reduce|reducing) {_ONE} by #{_ONE}|{_ONE} (?:decreased|reduced) by #{_ONE}", _changed("-")),
    )
)  # fmt: skip


def read_plain(text: str, causes: Sequence[str], effect: str) -> Tree | None:
    """The tree of a plain instruction over all of its causes; None where it is anything else."""
    sentence = " ".join(text.replace("_", " ").split()).rstrip(" .")
    if len(sentence) > _LONGEST or not causes:
        return None
    operands: list[Tree] = []

    def operand(tree: Tree) -> str:
        operands.append(tree)
        return f"@{len(operands) - 1}"

    for name in sorted(causes, key=len, reverse=True):
        sentence = _named(name).sub(lambda _, name=name: operand(Name(name)), sentence)  # type: ignore[misc]
    sentence = _named(effect).sub("!", sentence).lower()
    sentence = _PERCENT.sub(lambda match: f"#{operand(Number(float(match[1]) / 100))}", sentence)
    sentence = _NUMERAL.sub(lambda match: operand(Number(number_of(match[1]))), sentence)
    sentence = re.sub(r"\b(?:the|an|a) ", "", sentence)
    for form, make in _FORMS:
        if (match := form.fullmatch(sentence)) is not None:
            chosen = [operands[int(one)] for group in match.groups() if group for one in re.findall(r"@(\d+)", group)]
            tree = make(chosen)
            return tree if count_names(tree) == dict.fromkeys(causes, 1) else None
    return None


def _named(name: str) -> re.Pattern[str]:
    """A whole name, in any case and with or without the unit in its brackets; of one or two letters as it is."""
    spoken = " ".join(name.replace("_", " ").split())
    bare = _UNIT_BEHIND.sub("", spoken)
    forms = "|".join(re.escape(form) for form in dict.fromkeys((spoken, bare)) if form)
    return re.compile(rf"(?<![\w@])(?:{forms or '(?!)'})(?!\w)", re.IGNORECASE if len(bare) > 2 else 0)
