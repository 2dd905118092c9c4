"""Arithmetic in words: `Subtract the eggs eaten from the eggs laid` is laid - eaten; anything uncertain is nothing.

    multiply X by Y, product of X and Y, X times Y       divide X by Y, ratio of X to Y      half of X, twice X
    add X and Y, sum of X, Y and Z, X plus Y             subtract X from Y, X minus Y        15 % of X, 3 more than X
    average of ..., largest of ..., square of X          twice as many ... as X              sum of all ...

A phrase stands for the cause whose words it shares (rare words count more); phrases and causes are matched one to one,
each cause once, and only where one match is best. A number that is the value of a cause left over stands for that
cause, and a factor in % is a hundredth. A sentence that says more than its arithmetic (if, unless, proportional), a
phrase with a number or an operation of its own, two readings that differ: not read, and left to the judge as words.
`Average Speed = Total Distance / Total Time` is read the same way: signs between phrases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import permutations, product
from typing import NamedTuple

from trueness.reasoning.syntax import RuleError, parse
from trueness.reasoning.trees import Binary, Call, Name, Number, Tree, evaluate, parts, renamed, written

MOST_CAUSES = 6
_MOST_READINGS = 200
_LONGEST = 300
_MOST_JOINTS = 10  # words at which a sentence can be cut: the number of readings grows with them
_JOINTS = re.compile(r"\b(?:plus|minus|times|by|with|to|from|and|added|divided|multiplied|subtracted)\b|[,&]")

_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SHARES = {
    "half": 1 / 2, "one half": 1 / 2, "a half": 1 / 2, "third": 1 / 3, "one third": 1 / 3, "a third": 1 / 3,
    "quarter": 1 / 4, "one quarter": 1 / 4, "a quarter": 1 / 4, "one fourth": 1 / 4, "one fifth": 1 / 5,
    "a fifth": 1 / 5, "one tenth": 1 / 10, "a tenth": 1 / 10, "two thirds": 2 / 3, "three quarters": 3 / 4,
    "three fourths": 3 / 4, "two fifths": 2 / 5,
}  # fmt: skip
_TIMES = {"twice": 2.0, "double": 2.0, "doubling": 2.0, "thrice": 3.0, "triple": 3.0, "tripling": 3.0, "halving": 0.5}
_STOP = frozenset(
    "the a an of in on at for to from by per and that this its his her their she he it they with during made is are "
    "was were given value amount".split()
)
_CONDITION = re.compile(r"\b(?:if|unless|when|whether|except|not|never|otherwise|until)\b")
_SAYS_MORE = re.compile(
    _CONDITION.pattern + r"|\b(?:proportional|approximately|about|roughly|depends?|affect\w*|influenc\w*|caus\w*|may|"
    r"might|should|assum\w*|formula|equation|law|theorem|function|sequence|each time)\b"
)
_OPERATIONS = frozenset(
    "half twice double triple percent minus plus sum difference product times divided multiplied less more fewer "
    "average mean ratio square squared root increased decreased reduced maximum minimum third quarter than added "
    "subtracted".split()
)
_PURPOSE = re.compile(
    r",?\s*(?:in order )?\bto (?:get|obtain|find|give|determine|calculate|compute|yield|reach|arrive at|know)\b[^\d%]*$"
    r"|,\s*(?:giving|yielding|which gives|resulting in)\b[^\d%]*$"
)
_LEAD = re.compile(r"^(?:then|next|first|finally|now|simply|just|we|you)\b[\s,]*")
_COMMAND = re.compile(r"^(?:calculate|compute|find|determine|obtain|get|take|evaluate)\s+")
_COPULA = re.compile(
    r"\b(?:is|are|equals?|will be|costs?|has|have|=|as)\s+(?:then |simply |just |equal to )?"
    r"(?:(?:calculated|computed|obtained|found|determined|derived|given|equal)\s+)?(?:(?:by|as|from|to)\s+)?(?:taking\s+)?"
)
_BY = re.compile(r"\bby\s+(?=(?:multiply|divid|add|sum|subtract|averag|tak|doubl|tripl|halv|squar)\w*ing\b)")
_NUMERAL = r"(?:\$?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|" + "|".join(_NUMBERS[1:]) + ")"
_MEASURES = (
    "(?:dollars?|cents?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|gb|mb|units?|people|persons?|items?)"
)
_ARTICLE = re.compile(r"^(?:the|a|an|both|exactly)\s+")
_ALL = re.compile(r"\b(?:all|individual|each|every|both|these|those|everything|" + "|".join(_NUMBERS[2:7]) + r")\b")
_SEPARATOR = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*")


class InWords(NamedTuple):
    """What a rule in words became."""

    tree: Tree
    formula: str
    phrases: Mapping[str, str]  # phrase -> cause


Shape = Tree  # a tree whose names are phrases
Make = Callable[[re.Match[str], int], Iterator[Shape]]
_EVERY = "every "  # before a phrase that stands for all causes together


def read_words(
    text: str, causes: Sequence[str], effect: str, values: Mapping[str, tuple[float, str | None]] | None = None
) -> InWords | None:
    """The formula of a rule in words, or None. values: known causes with value and unit."""
    if not 0 < len(causes) <= MOST_CAUSES or len(text) > _LONGEST or _SAYS_MORE.search(text.lower()):
        return None
    sentence = " ".join(text.replace("_", " ").lower().split()).rstrip(".;!")
    if ". " in sentence or ";" in sentence or "=" in sentence or len(_JOINTS.findall(sentence)) > _MOST_JOINTS:
        return None
    found: dict[tuple[float, ...], InWords] = {}
    for shape in _readings(sentence, effect):
        made = _bound(shape, causes, values or {})
        if made is not None:
            found.setdefault(_signature(made.tree, causes), made)
    return next(iter(found.values())) if len(found) == 1 else None


def read_phrases(
    text: str, causes: Sequence[str], effect: str, values: Mapping[str, tuple[float, str | None]] | None = None
) -> InWords | None:
    """A formula between phrases that are no names: `Speed = Total Distance / Total Time`."""
    left, equals, right = text.replace("_", " ").lower().rpartition("=")
    if not equals or "=" in left or len(text) > _LONGEST or not 0 < len(causes) <= MOST_CAUSES:
        return None
    if not _is_about(left, effect) or _SAYS_MORE.search(right):
        return None
    right = re.sub(r"%\s*of\s", "% * ", right)
    phrases: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        phrases.append(match[0].strip())
        return f" phrase{len(phrases)} "

    try:
        tree = parse(re.sub(r"[a-z][a-z0-9']*(?:\s+[a-z][a-z0-9']*)*", numbered, right)).right
    except RuleError:
        return None
    return _bound(renamed(tree, {f"phrase{k}": phrase for k, phrase in enumerate(phrases, 1)}), causes, values or {})


def _readings(sentence: str, effect: str) -> Iterator[Shape]:
    """Every way to read the sentence as arithmetic over phrases."""
    sentence = _LEAD.sub("", _PURPOSE.sub("", sentence))
    starts = {sentence, _COMMAND.sub("", sentence)}
    for match in _BY.finditer(sentence):
        if _is_about(sentence[: match.start()], effect):
            starts.add(sentence[match.end() :])
    for match in _COPULA.finditer(sentence):
        if _is_about(sentence[: match.start()], effect):
            starts.add(sentence[match.end() :])
    readings = (shape for start in sorted(starts) for shape in _expressions(start, 0) if not isinstance(shape, Name))
    for _, shape in zip(range(_MOST_READINGS), readings, strict=False):
        yield shape


def computes(words: str) -> bool:
    """Whether a piece of text is more than an introduction: it counts, compares or sets a condition."""
    return bool(_words(words) & _OPERATIONS or re.search(r"(?<!\w)\d|%", words) or _CONDITION.search(words.lower()))


def shares_word(words: str, name: str) -> bool:
    return bool(_tokens(words) & _tokens(name))


def _is_about(words: str, effect: str) -> bool:
    """Whether what stands before the arithmetic names the effect and nothing is computed in it."""
    before = {_stem(word) for word in re.findall(r"[a-z]+", _COMMAND.sub("", words))}
    return not re.search(r"\d|%", words) and (not before or bool(before & _tokens(effect)))


def _expressions(text: str, depth: int) -> Iterator[Shape]:
    """Readings of a piece of text; the piece itself as a phrase comes last."""
    text = _ARTICLE.sub("", text.strip(" ,"))
    if not text or depth > 4:
        return
    number = _number(text)
    if number is not None:
        yield Number(number)
        return
    for prefix, separator, operator, swapped in _PAIRS:
        start = re.match(prefix, text)
        for match in re.finditer(rf"\s+(?:{separator})\s+", text) if start else ():
            if start is not None and match.start() >= start.end():
                yield from _pair(text[start.end() : match.start()], text[match.end() :], operator, swapped, depth + 1)
    for pattern, make in _FORMS:
        found = pattern.fullmatch(text)
        if found:
            yield from make(found, depth + 1)
    yield Name(text)


def _pair(first: str, second: str, operator: str, swapped: bool, depth: int) -> Iterator[Shape]:
    """What is subtracted may be a list: subtract a and b from c."""
    lefts = [*_expressions(first, depth), *(_listed("sum", first, depth, alone=False) if swapped else ())]
    for left in lefts:
        for right in _expressions(second, depth):
            yield Binary(operator, right, left) if swapped else Binary(operator, left, right)


def _number(text: str) -> float | None:
    match = re.fullmatch(rf"({_NUMERAL})(?:\s*{_MEASURES})?", text)
    if not match:
        return None
    said = match[1].lstrip("$").replace(",", "")
    return float(_NUMBERS.index(said)) if said in _NUMBERS else float(said)


def _listed(operation: str, text: str, depth: int, alone: bool = True) -> Iterator[Shape]:
    """The operation over a list of two or more; over all causes where the text is one thing."""
    pieces = [piece for piece in _SEPARATOR.split(text) if piece.strip()]
    if len(pieces) > 1:
        for shapes in product(*(list(_expressions(piece, depth)) for piece in pieces)):
            yield _joined(operation, shapes)
    if alone:
        yield Call(operation, (Name(_EVERY + text),))


def _joined(operation: str, shapes: Sequence[Shape]) -> Shape:
    if operation in ("mean", "max", "min"):
        return Call(operation, tuple(shapes))
    return reduce(lambda left, right: Binary("+" if operation == "sum" else "*", left, right), shapes)


def _list(operation: str) -> Make:
    return lambda match, depth: _listed(operation, match[1], depth)


def _scaled(match: re.Match[str], depth: int) -> Iterator[Shape]:
    said = " ".join(match[1].replace("-", " ").split())
    factor = _SHARES.get(said, _TIMES.get(said, _number(said)))
    if factor is not None:
        yield from (Binary("*", Number(factor), inner) for inner in _expressions(match[2], depth))


def _percent(sign: str) -> Make:
    """15 % of X, 15 % more than X, X increased by 15 %."""

    def make(match: re.Match[str], depth: int) -> Iterator[Shape]:
        share = Binary("/", Number(float(match["share"].replace(",", ""))), Number(100.0))
        for inner in _expressions(match["whole"], depth):
            part: Tree = Binary("*", share, inner)
            yield part if sign == "of" else Binary(sign, inner, part)

    return make


def _of_one(make_tree: Callable[[Tree], Tree]) -> Make:
    return lambda match, depth: (make_tree(inner) for inner in _expressions(match[1], depth))


def _offset(sign: str) -> Make:
    """3 more than X."""

    def make(match: re.Match[str], depth: int) -> Iterator[Shape]:
        number = _number(match[1])
        if number is not None:
            yield from (Binary(sign, inner, Number(number)) for inner in _expressions(match[2], depth))

    return make


_PAIRS = (  # how it begins, what stands between, the operation, and whether the second comes first
    (r"multiply(?:ing)?\s+", "by|with|times", "*", False),
    (r"", "multiplied by|times", "*", False),
    (r"divid(?:e|ing)\s+", "by", "/", False),
    (r"", "divided by", "/", False),
    (r"ratio of\s+", "to", "/", False),
    (r"quotient of\s+", "and", "/", False),
    (r"add(?:ing)?\s+", "to", "+", False),
    (r"", "plus|added to", "+", False),
    (r"subtract(?:ing)?\s+", "from", "-", True),
    (r"", "subtracted from", "-", True),
    (r"", "minus", "-", False),
    (r"difference (?:between|of)\s+", "and", "-", False),
)
_FACTOR = rf"({'|'.join(sorted((*_SHARES, *_TIMES), key=len, reverse=True))})".replace(" ", "[ -]")
_PERCENTAGE = r"(?P<share>\d[\d,]*(?:\.\d+)?)\s*(?:%|percent)"
_THINGS = r"as\s+(?:many|much|far|long|fast|old|large|big|tall|heavy|expensive)\b(?:\s+\w+){0,3}?\s+as"
_FORMS: tuple[tuple[re.Pattern[str], Make], ...] = tuple(
    (re.compile(pattern), make)
    for pattern, make in (
        (r"(?:multiply(?:ing)?|product of)\s+(.+)", _list("product")),
        (r"(?:add(?:ing)?|sum(?:ming)?)(?: up| together)?\s+(?!of\b)(.+)", _list("sum")),
        (r"(?:sum|total|combined total) of\s+(.+)", _list("sum")),
        (r"(?:average|mean) of\s+(.+)", _list("mean")),
        (r"averaging\s+(.+)", _list("mean")),
        (r"(?:maximum|largest|greatest|highest)(?: value)? (?:of|among)\s+(.+)", _list("max")),
        (r"(?:minimum|smallest|least|lowest)(?: value)? (?:of|among)\s+(.+)", _list("min")),
        (rf"{_FACTOR}(?:\s+of)?\s+(?!as\b)(.+)", _scaled),
        (rf"{_FACTOR}\s+{_THINGS}\s+(.+)", _scaled),
        (rf"({_NUMERAL})\s+times\s+{_THINGS}\s+(.+)", _scaled),
        (rf"{_PERCENTAGE}\s+of\s+(?P<whole>.+)", _percent("of")),
        (rf"{_PERCENTAGE}\s+more than\s+(?P<whole>.+)", _percent("+")),
        (rf"{_PERCENTAGE}\s+(?:less|fewer) than\s+(?P<whole>.+)", _percent("-")),
        (rf"(?P<whole>.+?)\s+increased by\s+{_PERCENTAGE}", _percent("+")),
        (rf"(?P<whole>.+?)\s+(?:decreased|reduced|discounted) by\s+{_PERCENTAGE}", _percent("-")),
        (rf"(?:increase|increasing)\s+(?P<whole>.+?)\s+by\s+{_PERCENTAGE}", _percent("+")),
        (rf"(?:decrease|decreasing|reduce|reducing)\s+(?P<whole>.+?)\s+by\s+{_PERCENTAGE}", _percent("-")),
        (rf"({_NUMERAL})\s+more\s+(?:\w+\s+)?than\s+(.+)", _offset("+")),
        (rf"({_NUMERAL})\s+(?:less|fewer)\s+(?:\w+\s+)?than\s+(.+)", _offset("-")),
        (r"square root of\s+(.+)", _of_one(lambda inner: Call("sqrt", (inner,)))),
        (r"(?:square of|squaring)\s+(.+)", _of_one(lambda inner: Binary("^", inner, Number(2.0)))),
        (r"(.+)\s+squared", _of_one(lambda inner: Binary("^", inner, Number(2.0)))),
    )
)


# ---- phrases and causes


def _bound(shape: Shape, causes: Sequence[str], values: Mapping[str, tuple[float, str | None]]) -> InWords | None:
    """The shape over causes: each cause once. None where a phrase fits none, or two matches are as good."""
    every = [leaf for leaf in _leaves(shape) if leaf.startswith(_EVERY)]
    if every:
        return _of_all(shape, every, causes)
    phrases = list(dict.fromkeys(_leaves(shape)))
    if len(phrases) > len(causes):
        return None
    shape, left = _with_values(shape, phrases, causes, values)
    weights = Counter(token for cause in causes for token in _tokens(cause))
    matches: list[tuple[float, tuple[str, ...]]] = []
    for chosen in permutations(left, len(phrases)) if len(left) == len(phrases) else ():
        scores = [_likeness(phrase, cause, weights) for phrase, cause in zip(phrases, chosen, strict=True)]
        if all(score > 0 for score in scores):
            matches.append((sum(scores), chosen))
    best = [chosen for score, chosen in matches if score > max(matches)[0] - 0.05]
    trees = {_signature(tree, causes): tree for chosen in best if (tree := _named(shape, phrases, chosen)) is not None}
    if len(trees) != 1:
        return None
    tree = _with_percents(next(iter(trees.values())), {name for name, (_, unit) in values.items() if unit == "%"})
    return None if tree is None else InWords(tree, written(tree), dict(zip(phrases, best[0], strict=True)))


def _with_percents(tree: Tree, percents: set[str]) -> Tree | None:
    """A factor in % by 100, where the rule does not divide by 100 itself; None where it is added or subtracted."""
    if Number(100.0) in _numbers(tree) or not percents & set(_leaves(tree)):
        return tree
    if isinstance(tree, Name):
        return Binary("/", tree, Number(100.0))
    if isinstance(tree, Binary) and tree.operator == "*":
        left, right = (_with_percents(part, percents) for part in (tree.left, tree.right))
        return None if left is None or right is None else Binary("*", left, right)
    return None


def _named(shape: Shape, phrases: Sequence[str], causes: Sequence[str]) -> Tree | None:
    """Phrases replaced by causes; None where a phrase computes or counts what its cause's name does not."""
    for phrase, cause in zip(phrases, causes, strict=True):
        if (_words(phrase) & _OPERATIONS) - _words(cause) or set(re.findall(r"\d+", phrase)) - _words(cause):
            return None
    return renamed(shape, dict(zip(phrases, causes, strict=True)))


def _with_values(
    shape: Shape, phrases: Sequence[str], causes: Sequence[str], values: Mapping[str, tuple[float, str | None]]
) -> tuple[Shape, list[str]]:
    """Numbers of the text that are the values of causes left over stand for them: 40 % of 200 GB."""
    numbers = [number for number in _numbers(shape) if number.value != 100.0 or len(values) == 1]
    left = list(causes)
    if len(phrases) + len(numbers) < len(causes) or len(phrases) == len(causes):
        return shape, left
    for number in numbers:
        same = [cause for cause in left if cause in values and values[cause][0] == number.value]
        if len(same) == 1 and len(left) > len(phrases):
            shape = _replaced(shape, number, Name(same[0]))
            left.remove(same[0])
    return shape, left


def _of_all(shape: Shape, every: Sequence[str], causes: Sequence[str]) -> InWords | None:
    """`sum of all three cities`, `sum of the individual distances`: all causes, where the words say or share so."""
    if not isinstance(shape, Call) or len(every) != 1 or len(causes) < 2:
        return None
    phrase = every[0].removeprefix(_EVERY)
    counts = [_NUMBERS.index(word) for word in re.findall(r"[a-z]+", phrase) if word in _NUMBERS]
    shared = frozenset[str].intersection(*(_tokens(cause) for cause in causes))
    says = bool(_ALL.search(phrase)) or bool(shared & _tokens(phrase) and re.search(r"s\b", phrase))
    if not says or any(count != len(causes) for count in counts) or (_words(phrase) & _OPERATIONS):
        return None
    if re.search(r"\d|,|\band\b", phrase):
        return None
    tree = _joined(shape.function, [Name(cause) for cause in causes])
    return InWords(tree, written(tree), {phrase: ", ".join(causes)})


def _leaves(shape: Shape) -> list[str]:
    if isinstance(shape, Name):
        return [shape.name]
    return [leaf for part in parts(shape) for leaf in _leaves(part)]


def _numbers(shape: Shape) -> list[Number]:
    if isinstance(shape, Number):
        return [shape]
    return [number for part in parts(shape) for number in _numbers(part)]


def _replaced(shape: Shape, number: Number, name: Name) -> Shape:
    if shape == number:
        return name
    if isinstance(shape, Binary):
        return Binary(shape.operator, _replaced(shape.left, number, name), _replaced(shape.right, number, name))
    if isinstance(shape, Call):
        return Call(shape.function, tuple(_replaced(part, number, name) for part in shape.arguments))
    return shape


def _signature(tree: Tree, causes: Sequence[str]) -> tuple[float, ...]:
    """The same for a + b and b + a: values at two points that no other formula of such a size shares."""
    points = ({cause: root**k for k, cause in enumerate(causes, 1)} for root in (1.37, 2.11))
    try:
        return tuple(float(f"{evaluate(tree, point):.9g}") for point in points)
    except (ArithmeticError, ValueError):
        return ()


def _likeness(phrase: str, cause: str, weights: Mapping[str, int]) -> float:
    """Shared words over all words of both, each by one over the number of causes that have it."""
    one, other = _tokens(phrase), _tokens(cause)
    total = sum(1 / max(1, weights.get(token, 1)) for token in one | other)
    return sum(1 / weights[token] for token in one & other) / total if total else 0.0


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", name.lower()))


def _tokens(name: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _words(name) if word not in _STOP)


def _stem(word: str) -> str:
    word = word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 3 else word
