"""Which cause a phrase stands for: the one whose words it shares (word_names.py).

Phrases and causes are matched one to one, each cause once, and only where one match is best; two phrases of the same
words are one. A number that is the value
of a cause left over stands for that cause. `all four sides` stands for the causes that share its word, where their
number is the one it says. A factor in % is a hundredth; a percentage that is added to an amount has no reading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

from trueness.patterns import late
from trueness.reasoning.percents import in_shares, says_percent
from trueness.reasoning.trees import (
    Binary,
    Call,
    Name,
    Number,
    Tree,
    as_text,
    compile_tree,
    parts,
    points,
    rename,
    replace_names,
)
from trueness.reasoning.word_names import (
    GENERAL,
    are_alike,
    in_order,
    is_another,
    is_made_of,
    is_of_another_kind,
    is_strange,
    is_symbol,
    likeness,
    measure_one,
    names_symbol,
    share_meaning,
    stem,
    tokens,
    without_unit,
    words,
)
from trueness.reasoning.word_numbers import NUMBER_WORDS, OPERATION_WORDS
from trueness.reasoning.word_pronouns import is_in_another
from trueness.reasoning.word_shapes import EVERY, HUNDRED, LESS_BY, MORE_BY, Shape, is_percent, join

Values: TypeAlias = Mapping[str, tuple[float, str | None]]  # known causes with value and unit

_VERB = late(
    r"\bsplit it\b|\b(?<!what )(?:divide|multiply|subtract|is|are|was|were|equals?|gives?|must|will|goes|becomes|"
    r"convert\w*|according|determines?|"
    r"includes?)\b"
)  # a sentence, and no name
_CUT = late(
    r"[,;:()+*=×·⋅÷^]|\s[-−–]\s|"
    rf"\bthen\b|\bby (?:the )?(?:number|amount|price|cost|rate|{'|'.join(NUMBER_WORDS[1:])}|\d)\b"
)
_EACH = late(r"\b(?:per|one|single|each|every|rate|price|unit|wage|cost)\b")
_COUNT = late(r"\b(?:number|count|quantity|how many|hours|days|weeks|months|years)\b")
_REMAINING = late(r"\b(?:remain\w*|rest|left|leftover)\b")
_SHARE_NAME = late(r"rate|ratio|factor|percent|share|fraction|times|multipl|%", re.IGNORECASE)
_SINGLES_OUT = late(
    r"\b(?:that|which|who|only|one of|some|any|other|most|above|below|beyond|exceeding|excess|"
    r"excluding|additional|extra|besides|until|by the|slant|outer|inner|before|after|without|including|overtime)\b"
)


_AT_ANOTHER_TIME = late(r"\b(?:ago|from now|in \w+ years|years later)\b")
_AMOUNTS = frozenset("amount value payment cost fee deposit withdrawal earned paid spent".split())
_NUMBERED = late(rf"(?<!the )\b({'|'.join(NUMBER_WORDS[2:])})\b")  # two widths, day two; not of the two trains
_SAY_ALL = frozenset("all individual each every both these those everything their".split())


_ANY_STEMS = frozenset(
    map(
        stem,
        (
            *_SAY_ALL,
            *"factors values quantities numbers terms inputs variables them together two three "
            "expenses bills payments parts pieces dimensions sides".split(),
        ),
    )
)


class InWords(NamedTuple):
    """What a rule in words became."""

    tree: Tree
    formula: str
    phrases: Mapping[str, str]  # phrase -> cause


def bind(shape: Shape, causes: Sequence[str], values: Values, effect: str = "") -> InWords | None:
    """The shape over causes: each cause once. None where a phrase fits none, or two matches are as good."""
    shape = _of_all(shape, causes)
    every = [leaf for leaf in leaves(shape) if leaf.startswith(EVERY)]
    if every:
        return _of_several(shape, every, causes, values, effect)
    shape = _each_once(shape)
    phrases = list(dict.fromkeys(leaves(shape)))
    if len(phrases) > len(causes) or any(
        _VERB.search(phrase) or _CUT.search(phrase) for phrase in phrases if phrase not in causes
    ):
        return None
    shape, left = _with_values(shape, phrases, causes, values)
    if len(left) != len(phrases):
        return None
    weights = Counter(token for cause in causes for token in tokens(cause))
    alike = {
        (phrase, cause): likeness(phrase, cause, weights) if _may_be(phrase, cause, values, effect) else 0.0
        for phrase in phrases
        for cause in left
    }
    matches: list[tuple[float, tuple[str, ...]]] = []
    for chosen in permutations(left):
        scores = [alike[pair] for pair in zip(phrases, chosen, strict=True)]
        if all(scores):
            matches.append((sum(scores), chosen))
    best = [chosen for score, chosen in matches if score > max(matches)[0] - 0.05]
    made = (
        _by_units(tree, values) for chosen in best if (tree := _tree_of(shape, phrases, chosen, effect)) is not None
    )
    trees = {signature(tree, causes): tree for tree in made if tree is not None and not _undoes(tree)}
    if len(trees) != 1:
        return None
    tree = in_shares(next(iter(trees.values())), frozenset(_percentages(causes, values)), says_percent(effect))
    return None if tree is None else InWords(tree, as_text(tree), dict(zip(phrases, best[0], strict=True)))


def _of_all(shape: Shape, causes: Sequence[str]) -> Shape:
    """`red balls divided by the total number of balls`, where no cause is a total: all of them."""
    if not isinstance(shape, Binary) or shape.operator != "/" or not isinstance(shape.right, Name) or len(causes) < 2:
        return shape
    total = re.fullmatch(r"(?:the )?total(?: number of)? ([a-z]+s)(?: in the [a-z]+)?", shape.right.name)
    if total is None or not isinstance(shape.left, Name) or any("total" in words(cause) for cause in causes):
        return shape
    return Binary("/", shape.left, Call("sum", (Name(f"{EVERY}all {total[1]}"),)))


def _percentages(causes: Sequence[str], values: Values) -> set[str]:
    """Causes in %: by their unit, or by a name that says so above 1."""
    by_unit = {name for name, (_, unit) in values.items() if unit == "%"}
    return by_unit | {name for name in causes if name in values and "percent" in name.lower() and values[name][0] > 1}


def _by_units(tree: Tree, values: Values) -> Tree | None:
    """`X reduced by Y` where it is clear how: a number or an amount is taken away, and so is a Y in the unit of X; of
    a Y in % the share. None elsewhere: speed reduced by friction."""
    if not isinstance(tree, Call) or tree.function not in (MORE_BY, LESS_BY):
        return None if _changes(tree) else tree
    (before, change), sign = tree.arguments, "+" if tree.function == MORE_BY else "-"
    whole = _by_units(before, values)  # the deposit increased by the interest and reduced by the withdrawal
    if whole is None or _changes(change):
        return None
    units = [values.get(name, (0.0, None))[1] for name in leaves(change)]
    if isinstance(change, Name) and (units == ["%"] or (says_percent(change.name) and not says_percent(str(whole)))):
        return Binary("*", whole, Binary(sign, Number(1.0), change))
    same = isinstance(whole, Name) and {values.get(whole.name, (0.0, None))[1]} == set(units) != {None}
    same = same or (isinstance(whole, Name) and isinstance(change, Name) and measure_one(whole.name, change.name))
    if isinstance(whole, Name) and _is_so_often(change):
        return Binary(sign, whole, change)
    amounts = all(words(name) & _AMOUNTS and not _SHARE_NAME.search(name) for name in leaves(change))
    added = isinstance(change, Name | Number) or (isinstance(change, Binary) and change.operator == "+")
    return Binary(sign, whole, change) if added and (same or amounts) else None


def _is_so_often(tree: Tree) -> bool:
    """The weight lost per month times the months: an amount."""
    if not isinstance(tree, Binary) or tree.operator != "*":
        return False
    names = [side.name.lower().replace("_", " ") for side in (tree.left, tree.right) if isinstance(side, Name)]
    each = [name for name in names if re.search(r"\b(?:per|each|every|hourly|daily|weekly|monthly|yearly)\b", name)]
    return len(names) == 2 and len(each) == 1 and not any(map(_SHARE_NAME.search, names)) and of_two_kinds(names)


def _undoes(tree: Tree) -> bool:
    """Nobody divides a quantity by itself, takes it from itself, or takes the root of its square."""
    same = isinstance(tree, Binary) and tree.operator in "-/" and tree.left == tree.right
    same = (
        same
        or (_is_root(tree) and any(map(_is_square, parts(tree))))
        or (_is_square(tree) and _is_root(parts(tree)[0]))
    )
    return same or any(map(_undoes, parts(tree)))


def _is_root(tree: Tree) -> bool:
    return isinstance(tree, Call) and tree.function == "sqrt"


def _is_square(tree: Tree) -> bool:
    return isinstance(tree, Binary) and tree.operator == "^" and tree.right == Number(2.0)


def _changes(tree: Tree) -> bool:
    """Whether a change stands inside: `increased by 3 times the dose` is no product of two."""
    return isinstance(tree, Call) and tree.function in (MORE_BY, LESS_BY) or any(map(_changes, parts(tree)))


def _tree_of(shape: Shape, phrases: Sequence[str], causes: Sequence[str], effect: str) -> Tree | None:
    """Phrases replaced by causes; None where `the losses` that are taken away would be a rate of loss."""
    chosen = dict(zip(phrases, causes, strict=True))
    tree = rename(shape, chosen)
    rates = {name for phrase, name in chosen.items() if _SHARE_NAME.search(name) and not _SHARE_NAME.search(phrase)}
    all_rates = "rate" in words(effect) and all("rate" in words(name) for name in causes)  # the net rate of two rates
    return None if _adds_one_of(tree, rates) and not all_rates else tree


def _adds_one_of(tree: Tree, names: set[str]) -> bool:
    if isinstance(tree, Binary) and tree.operator in "+-" and Number(1.0) not in (tree.left, tree.right):
        if any(isinstance(side, Name) and side.name in names for side in (tree.left, tree.right)):
            return True
    return any(_adds_one_of(part, names) for part in parts(tree))


def _each_once(shape: Shape) -> Shape:
    """`the true values` and `the true value` are one phrase."""
    first: dict[tuple[str, ...], str] = {}
    return rename(shape, {leaf: first.setdefault(in_order(leaf), leaf) for leaf in leaves(shape)})


def _may_be(phrase: str, cause: str, values: Values, effect: str) -> bool:
    """Not where a phrase computes or counts what its cause's name does not, or speaks of what remains and its cause is
    given, as a whole."""
    if cause in values and _REMAINING.search(phrase) and not _REMAINING.search(cause.lower().replace("_", " ")):
        return False
    singled_out = set(_SINGLES_OUT.findall(phrase))
    if singled_out and singled_out - set(_SINGLES_OUT.findall(cause.lower().replace("_", " "))):
        return False
    if _AT_ANOTHER_TIME.search(cause.lower().replace("_", " ")) and not _AT_ANOTHER_TIME.search(phrase):
        return False
    if is_symbol(cause) and not tokens(phrase) & tokens(cause):
        return names_symbol(phrase, cause) and not (words(phrase) & OPERATION_WORDS or re.search(r"\d", phrase))
    if is_in_another(phrase, cause) or is_made_of(phrase, (cause,)) or is_strange(phrase, cause, effect):
        return False
    if tokens(phrase) == tokens(without_unit(cause)) and not tokens(phrase) <= GENERAL:
        return not is_another(phrase, cause)  # the tank size, for tank_size_gallons
    if is_another(phrase, cause) or is_of_another_kind(phrase, cause, effect):
        return False
    computed = words(phrase) & OPERATION_WORDS | set(re.findall(r"(?<![a-z\d])\d+", phrase))
    computed |= {str(NUMBER_WORDS.index(word)) for word in _NUMBERED.findall(phrase)}
    if tokens(cause) <= tokens(phrase) and re.search(r"s\b", cause.lower()):
        computed -= {"all"}  # all withdrawals, for the withdrawals
    computed -= {"all"} if "total" in words(cause) else frozenset()
    known = words(cause)
    computed -= {"percentage", "percent"} if says_percent(cause) else frozenset()
    return not computed - known - {str(NUMBER_WORDS.index(word)) for word in known & set(NUMBER_WORDS)}


def _with_values(
    shape: Shape, phrases: Sequence[str], causes: Sequence[str], values: Values
) -> tuple[Shape, list[str]]:
    """Numbers of the text that are the values of causes left over stand for them: 40 % of 200 GB."""
    counted = [number for number in numbers(shape) if number != HUNDRED or len(values) == 1]
    left = list(causes)
    if len(phrases) + len(counted) < len(causes) or len(phrases) == len(causes):
        return shape, left
    for number in counted:
        same = [cause for cause in left if cause in values and values[cause][0] == number.value]
        if len(same) == 1 and len(left) > len(phrases):
            shape = _replace(shape, number, Name(same[0]))
            left.remove(same[0])
    return shape, left


def _of_several(
    shape: Shape, every: Sequence[str], causes: Sequence[str], values: Values, effect: str
) -> InWords | None:
    """`sum of all three cities`, `all expenses from the income`: the causes that the words name together."""
    phrase = every[0].removeprefix(EVERY)
    spoken = words(phrase)
    if (
        len(every) != 1
        or spoken & (OPERATION_WORDS - {"all"})
        or re.search(r"\d|,|\band\b", phrase)
        or is_made_of(phrase, causes)
        or re.search(r"\b(?:by|weighted|without|except)\b", phrase)
        or _SINGLES_OUT.search(phrase)
        or not are_alike((phrase, *causes[:1]))
    ):
        return None
    counts = {NUMBER_WORDS.index(word) for word in spoken if word in NUMBER_WORDS}
    says_all = bool(
        spoken & {"all", "individual", "each", "every", "both", "these", "those", "everything", "their"} or counts
    )
    groups = [tuple(cause for cause in causes if token in tokens(cause)) for token in tokens(phrase)]
    groups += [tuple(cause for cause in causes if share_meaning(token, cause) or _is_called(token, cause))
               for token in tokens(phrase) - GENERAL]  # fmt: skip
    if leaves(shape) == list(every) and says_all:
        symbols = [cause for cause in map(without_unit, causes) if re.fullmatch(r"[^\W\d_](?:_?\w{1,2})?", cause)]
        named = [
            word for word in tokens(phrase) - _ANY_STEMS if not word.isdigit()
        ]  # the individual rates, for t_A and t_B
        specific = [word for word in named if word not in GENERAL]
        known = symbols or not specific or any(share_meaning(word, cause) for word in specific for cause in causes)
        if known and all(names_symbol(word, short) for word in named for short in symbols):
            groups.append(tuple(causes))
    says_factors = phrase in ("their", "both their") or bool(spoken & {"factors", "values", "quantities", "numbers"})
    plural = bool(re.search(r"s\b", phrase))
    pair = _operation(shape, every[0]) == "difference"
    wanted = {2} if "both" in spoken or pair else counts
    fits = {group for group in groups if len(group) > 1 and (says_all or plural) and wanted <= {len(group)}}
    fits = {group for group in fits if not _names_some(phrase, group) and (says_factors or are_alike(group))}
    if _operation(shape, every[0]) != "product":
        fits = {group for group in fits if not of_two_kinds(group)}
    made = {}
    for group in fits:
        if (share := _share_of_all(shape, group, causes, values, effect)) is not None:
            made[signature(share.tree, causes)] = share
            continue
        others = [cause for cause in causes if cause not in group]
        bound = bind(_collapse(shape, every[0]), [*others, _GROUP], values, effect)
        if bound is not None:
            together = join(_operation(shape, every[0]), [Name(cause) for cause in group])
            tree = replace_names(bound.tree, {_GROUP: together})
            phrases = {text: cause for text, cause in bound.phrases.items() if cause != _GROUP}
            made[signature(tree, causes)] = InWords(tree, as_text(tree), phrases | {phrase: ", ".join(group)})
    return next(iter(made.values())) if len(made) == 1 else None


def _share_of_all(
    shape: Shape, group: Sequence[str], causes: Sequence[str], values: Values, effect: str
) -> InWords | None:
    """The red balls out of all the balls: one of the group over all of it, where these are all causes."""
    if not isinstance(shape, Binary) or shape.operator != "/" or not isinstance(shape.left, Name):
        return None
    if set(group) != set(causes) or not isinstance(shape.right, Call) or shape.right.function != "sum":
        return None
    weights = Counter(token for cause in causes for token in tokens(cause))
    part = shape.left.name
    alike = {cause: likeness(part, cause, weights) for cause in causes if _may_be(part, cause, values, effect)}
    owners = [cause for cause in alike if tokens(part) & tokens(cause) - {t for t, n in weights.items() if n > 1}]
    if len(owners) != 1:
        return None
    tree = Binary("/", Name(owners[0]), join("sum", [Name(cause) for cause in group]))
    return InWords(tree, as_text(tree), {part: owners[0]})


def _is_called(word: str, cause: str) -> bool:
    """The resistors, for R1 (Ω)."""
    bare = without_unit(cause)
    return is_symbol(bare) and names_symbol(word, bare)


def _names_some(phrase: str, group: Sequence[str]) -> bool:
    """`the loose pencils` are not all pencils."""
    named = [token for token in tokens(phrase) if not token.isdigit()]
    return any(
        0 < sum(share_meaning(token, cause) or _is_called(token, cause) for cause in group) < len(group)
        for token in named
    )


def of_two_kinds(group: Sequence[str]) -> bool:
    """A price and a number of things, eggs per box and boxes: nobody adds them, whatever `all` says."""
    names = [name.lower().replace("_", " ") for name in group]
    each, counts = [name for name in names if _EACH.search(name)], [name for name in names if _COUNT.search(name)]
    units = {token for name in each for token in tokens(re.split(r"\b(?:per|each|every)\b", name)[-1])}
    return bool(each and counts) or any(tokens(name) & units for name in names if name not in each)


_GROUP = "these together"


def _operation(shape: Shape, every: str) -> str:
    """The operation over a group."""
    if isinstance(shape, Call) and shape.arguments == (Name(every),):
        return shape.function
    return next((_operation(part, every) for part in parts(shape) if every in leaves(part)), "sum")


def _collapse(shape: Shape, every: str) -> Shape:
    """The shape with one name where the group stands."""
    if isinstance(shape, Call) and shape.arguments == (Name(every),):
        return Name(_GROUP)
    if isinstance(shape, Binary):
        return Binary(shape.operator, _collapse(shape.left, every), _collapse(shape.right, every))
    if isinstance(shape, Call):
        return Call(shape.function, tuple(_collapse(part, every) for part in shape.arguments))
    return shape


def leaves(shape: Shape) -> list[str]:
    if isinstance(shape, Name):
        return [shape.name]
    return [leaf for part in parts(shape) for leaf in leaves(part)]


def numbers(shape: Shape, literal: bool = True) -> list[Number]:
    """The numbers of a tree, with or without those of percentages as they are written."""
    if isinstance(shape, Number):
        return [shape]
    if not literal and is_percent(shape):
        return []
    return [number for part in parts(shape) for number in numbers(part, literal)]


def _replace(shape: Shape, number: Number, name: Name) -> Shape:
    if shape == number:
        return name
    if isinstance(shape, Binary):
        return Binary(shape.operator, _replace(shape.left, number, name), _replace(shape.right, number, name))
    if isinstance(shape, Call):
        return Call(shape.function, tuple(_replace(part, number, name) for part in shape.arguments))
    return shape


def signature(tree: Tree, causes: Sequence[str]) -> tuple[float, ...]:
    """The same for a + b and b + a: values at two points that no other formula of such a size shares."""
    try:
        at = compile_tree(tree, {name: k for k, name in enumerate(dict.fromkeys(causes))})
        return tuple(float(f"{at([*point.values()]):.9g}") for point in points(causes, tree))
    except (ArithmeticError, ValueError):
        return ()
