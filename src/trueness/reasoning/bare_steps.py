"""Steps that say what is done but not with what, or that have numbers in the place of names.

    Take the square root                          of the one cause
    Multiply the results. Sum of all candies.     over all causes: sums and products, in which no order counts
    Find the earnings: 15 * 6 * 5 = 450           each number is the value of one cause and of no other

A word that may choose among the causes or changes what is computed (half of, rounded up), causes of several kinds, a
number that is nobody's or two causes', a result that the numbers do not have: nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from trueness.patterns import late
from trueness.reasoning.syntax import RuleError, parse, plain
from trueness.reasoning.trees import (
    Binary,
    Call,
    Choice,
    Name,
    Negative,
    Number,
    Tree,
    agree,
    as_text,
    evaluate,
    parts,
    rename,
)
from trueness.reasoning.word_names import are_alike, is_symbol, names_symbol, tokens, without_unit
from trueness.reasoning.word_numbers import CONDITION, NUMBER_WORDS, OPERATION_WORDS
from trueness.reasoning.word_shapes import join

_OF_ONE: Mapping[str, Callable[[Tree], Tree]] = {
    "square root": lambda one: Call("sqrt", (one,)),
    "cube root": lambda one: Binary("^", one, Binary("/", Number(1.0), Number(3.0))),
    "absolute value": lambda one: Call("abs", (one,)),
    "reciprocal": lambda one: Binary("/", Number(1.0), one),
    "factorial": lambda one: Call("factorial", (one,)),
    "fourth root": lambda one: Binary("^", one, Number(0.25)),
    "inverse sine": lambda one: Call("asin", (one,)),
    "inverse cosine": lambda one: Call("acos", (one,)),
    "inverse tangent": lambda one: Call("atan", (one,)),
    "arcsin": lambda one: Call("asin", (one,)),
    "arccos": lambda one: Call("acos", (one,)),
    "arctan": lambda one: Call("atan", (one,)),
}
_LEAD = r"(?:(?:finally|then|take|find|compute|calculate|evaluate),? )*"
_ONE = late(rf"{_LEAD}(?:the )?(?P<op>{'|'.join(_OF_ONE)})(?: of (?P<what>.+?))?(?: of both sides)?\.?", re.I)
_IT = frozenset(("it", "this", "that", "the result", "both sides", "this value", "that value", "the previous result"))
_ADD = late(
    rf"{_LEAD}(?:(?:the )?(?:sum|total) of (?P<b>.+?)"
    r"|(?:add|sum|combine)(?: up| together)* (?P<a>.+?)(?: up| together)*"
    r"|(?P<c>.+?) (?:are added|add up|sum up)(?: together)?)\.?",
    re.I,
)
_MULTIPLY = late(
    rf"{_LEAD}(?:multiply(?: together)? (?P<a>.+?)(?: together)?|(?:the )?product of (?P<b>.+?)"
    r"|(?P<c>.+?) (?:are multiplied|multiply)(?: together)?)\.?",
    re.I,
)
_PRINCIPLE = late(
    r"\s*(?:by|using) the (?:fundamental )?(?:multiplication|counting|product) (?:principle|rule)\b", re.I
)
_ANY = late(
    r"(?:(?:the|these|those|all|of|both) )*(?:(?:two|three|four|five|\d) )?"
    r"(?:together|them|results?|values?|numbers?|quantities|factors|counts|ones|two|three|four|five|all|both)"
)
_EVERYTHING = late(
    r"(?:.*\b(?:is|are|equals) )?(?:everything|(?:add|sum)(?: up| together)* (?:everything|all (?:the )?(?:ingredients|"
    r"parts|items|amounts|contributions|terms|pieces)))(?: combined| together| added(?: up| together)?)?\.?",
    re.I,
)
_NOUNS = late(r"(?:(?:the|their|all|both|all the|all of the|these) )+(?P<noun>[a-z]+s|[a-z]+ies)")
_ARITHMETIC = late(r"(?:(?:sqrt|comb|C)?\(|√|\$?\d[\d,]*(?:\.\d+)?|[-+*/×·÷^!)]|,(?=\s*\d)|\s)+")
_OPERATES = late(r"\d\s*[-+*/×·÷^!]|√|sqrt|C\(")
_RESULT = late(
    r"\s*(?:=|≈)\s*\$?(?P<value>\d[\d,]*(?:\.\d+)?)(?:\s*(?!percent|dozen|hundred|thousand|[mb]illion)[a-z]+)?\.?\s*"
)
_BY = late(r"(?P<sign>multiply|divide)(?: (?:it|this|the result))? by (?P<number>\d[\d,]*(?:\.\d+)?)\.?", re.I)
_COUNTED = late(
    r"\s*(?:ways|permutations|arrangements|combinations|possibilities|outcomes|times)\b"
    r"(?:(?! (?:each|every|doubled|halved|circular|circle|mirrored|without|identical)\b)[ a-z])*\.?$"
)
_BEGINS = late(  # what may stand before numbers without a result: `Earnings:`, `Compute`; not `half of`
    r"(?:.*(?::|=|\b(?:is|are|equals|as|gives|compute|calculate|evaluate|find)))?[\s$(]*",
    re.I | re.S,
)
_CHANGES = late(
    r"\b(?:half|twice|doubled?|tripled?|(?:third|quarter) of|squared|square of|negative|reciprocal|inverse|complement|"
    r"remainder|modulo|round\w*|floor|ceil\w*|integer|whole|at (?:least|most)|(?:more|less|fewer) than|one minus|"
    r"all but|between|score|pages?|odds|wrong\w*|instead)\b",
    re.I,
)
_NOT_IT = late(r"[²³^*/+√!<>≠)][^:=]*=\s*$|^\s*[-−][^=]*=\s*$")  # y² = 9 + 16, -y = 9 + 16
_NO_SUM = late(r"\b(?:parallel|reduced|relative|resultant|magnitude|net)(?:\b|_)", re.I)
_TIGHT = late(r"\d+-\d+")  # pages 10-4, a score of 4-10
_SUBTRACTED = frozenset(  # what nobody adds to what it is taken from
    "left remaining net lost loss spent expense expenses eaten sold used withdrawal withdrawn discount reduction "
    "refund returned removed penalty cost costs debt leaking outflow given away rate ratio percent percentage fraction "
    "difference price number quantity per each times factor".split()
)
_NUMERAL = late(r"\d[\d,]*(?:\.\d+)?")
_ROUNDED = 0.006  # a printed result
_CALLED: Mapping[tuple[str, ...], frozenset[str]] = {
    ("/", "mean", "0."): frozenset(
        ("average", "mean", "ratio", "quotient", "half", "divide", "divided", "shared", "sharing", "split", "equally")
    ),
    ("-",): frozenset(("difference", "remaining", "left", "subtract", "subtracted", "minus", "remains")),
    ("*", "^", "factorial"): frozenset(("product", "multiply", "multiplied", "times")),
    ("+", "sum"): frozenset(("add", "added", "plus")),
    ("+", "-", "sum"): frozenset(("sum",)),
    ("^", "sqrt"): frozenset(("squared", "root")),
    ("abs",): frozenset(("absolute",)),
}
_COMPUTED = frozenset("squar square root cube inverse product difference reciprocal log digit percentage half".split())
_SIZES = frozenset((2.0, 7.0, 12.0, 24.0, 52.0, 60.0, 100.0, 365.0, 1000.0, 3600.0))  # of a pair, a week, a dozen, ...


def step_of_causes(text: str, causes: Sequence[str], effect: str) -> Tree | None:
    """The one cause or all of them, where a step names none and can mean no other."""
    step = " ".join(text.split())
    if len(causes) == 1:
        match = _ONE.fullmatch(step)
        what = ((match["what"] or "it").strip() if match else "").casefold()
        is_it = what in _IT or what == causes[0].casefold()
        is_it = is_it and not _CHANGES.search(effect) and not re.search(r"\b(?:plus|minus)\b|[-+*/]", causes[0])
        return _OF_ONE[match["op"].lower()](Name(causes[0])) if match and is_it else None
    if not 1 < len(causes) < len(NUMBER_WORDS) or CONDITION.search(step.lower()) or _CHANGES.search(effect):
        return None
    if _EVERYTHING.fullmatch(step) and _go_together(causes):
        return join("sum", [Name(cause) for cause in causes])
    step, named = _PRINCIPLE.subn("", step)
    if named and step.lower() == "multiply":
        return join("product", [Name(cause) for cause in causes])
    for operation, pattern in (("sum", _ADD), ("product", _MULTIPLY)):
        match = pattern.fullmatch(step)
        what = (match["a"] or match["b"] or match["c"]).lower() if match else ""
        is_any = operation == "product" and _is_any(what, len(causes))  # a price and a number have no sum
        is_any = is_any and not any(re.search(r"%|percent", cause, re.I) for cause in causes)  # 30 % of 40 is no 1200
        is_kind = bool(what) and _is_their_kind(what, causes, effect)
        if is_any or (is_kind and (operation == "product" or (_go_together(causes) and not _NO_SUM.search(effect)))):
            return join(operation, [Name(cause) for cause in causes])
    return None


def is_what_it_is_called(effect: str, tree: Tree) -> bool:
    """Whether an average divides, a difference subtracts, a product multiplies: a step that does not is of another."""
    named = set(re.split(r"[\W_]+", effect.lower()))
    text = as_text(tree)
    return all(any(sign in text for sign in signs) for signs, words in _CALLED.items() if named & words)


def _is_any(what: str, n: int) -> bool:
    """The results, both values, the three numbers: whatever goes in, if it is as many."""
    if _ANY.fullmatch(what) is None:
        return False
    counts = {NUMBER_WORDS.index(word) for word in what.split() if word in NUMBER_WORDS}
    counts |= {2} if "both" in what.split() else set()
    counts |= {int(word) for word in what.split() if word.isdigit()}
    return counts <= {n}


def _is_their_kind(what: str, causes: Sequence[str], effect: str) -> bool:
    """The speeds, of v1 and v2; all candies, of children where the effect counts candies."""
    match = _NOUNS.fullmatch(what)
    if match is None or ("both" in what.split() and len(causes) != 2):
        return False
    kind = tokens(match["noun"])
    bare = [without_unit(cause) for cause in causes]
    letters = {re.split(r"[_\d]", name, maxsplit=1)[0] for name in bare}
    if all(map(is_symbol, bare)) and len(letters) == 1:
        computed = (kind | {match["noun"], match["noun"][:-1]}) & _COMPUTED  # the squares are not s1 and s2
        return not computed and any(names_symbol(word, bare[0]) for word in (match["noun"], *kind))
    of_causes = [bool(kind & tokens(cause)) for cause in causes]
    if all(of_causes):
        return True
    called = all(re.fullmatch(r"[A-Z][a-z]+", cause) for cause in causes) and effect == effect.lower()  # Max and Lee
    return "all" in what.split() and not any(of_causes) and called and kind <= tokens(effect)


def _go_together(causes: Sequence[str]) -> bool:
    """Whether causes can be parts of one sum: not bought and eaten, a cost and its rate, a price and a number."""
    taken = [_SUBTRACTED & set(re.split(r"[\W_]+", cause.lower())) for cause in causes]
    return are_alike(causes) and all(one == taken[0] for one in taken)


def names_for_numbers(text: str, causes: Sequence[str], values: Mapping[str, float]) -> Tree | None:
    """`Find the earnings: 15 * 6 * 5` as wage * hours * days, where each has one of these values."""
    if (by := _BY.fullmatch(text.strip())) and len(causes) == 2:  # convert hours: multiply by 60, which is the other
        factors = [cause for cause in causes if values.get(cause) == _number(by["number"])]
        others = [cause for cause in causes if cause not in factors]
        sign = "*" if by["sign"].lower() == "multiply" else "/"
        if len(factors) != 1 or not _is_said(factors[0], values[factors[0]]):
            return None
        return Binary(sign, Name(others[0]), Name(factors[0]))
    if not causes or not set(causes) <= set(values):
        return None
    if "\\" in text:
        try:
            text = plain(text)
        except RuleError:
            return None
    if _OPERATES.search(text) is None:
        return None
    sums = [match[0].strip(" ,") for match in _ARITHMETIC.finditer(text) if _OPERATES.search(match[0])]
    if len(sums) != 1 or sums[0][:1] in "+*/":
        return None
    front, _, behind = text.partition(sums[0])
    result = _RESULT.fullmatch(behind)
    if CONDITION.search(front.lower()) or (result is None and behind.strip(" .$\\") and not _COUNTED.match(behind)):
        return None
    if (
        _CHANGES.search(front)
        or re.search(r"\bof\s*$", front)
        or (result is None and not _is_plain(front, sums[0], behind))
    ):
        return None
    numbers = {_number(one) for one in _NUMERAL.findall(sums[0])}
    words = re.sub(r"\b[A-Za-z]\w*\d\w*\b", "", front) + (behind if result is None else "")
    if any(_number(one) not in numbers for one in _NUMERAL.findall(words)):
        return None
    try:
        tree = parse(re.sub(r"\bC\(", "comb(", sums[0]).replace("$", "").replace("√", "sqrt")).right
    except RuleError:
        return None
    named = _with_owners(tree, causes, values)
    if named is None or (result and not _comes_to(tree, _number(result["value"]))):
        return None
    if not is_what_it_is_called(front, tree) or _NOT_IT.search(front):
        return None
    return named


def _is_plain(front: str, numbers: str, behind: str) -> bool:
    """Whether numbers without a result are computed: not `pages 10-4`, nor `5 * 3 ways for the two colours`."""
    counted = set(re.findall(r"[a-z]+", behind.lower())) - {"times"}
    more = counted & (OPERATION_WORDS | set(NUMBER_WORDS))
    return _BEGINS.fullmatch(front) is not None and _TIGHT.fullmatch(numbers) is None and not more


def _is_said(name: str, value: float) -> bool:
    """Whether a factor is this cause by its number: 2 and 60 stand in many formulas, and are its only by its name."""
    named = re.search(r"\b(?:per|in|months|days|weeks|hours|years)\b", name.replace("_", " ").lower())
    return named is not None or (value not in _SIZES and value > 4)


def _with_owners(tree: Tree, causes: Sequence[str], values: Mapping[str, float]) -> Tree | None:
    """The tree with the causes for their values; None where a cause is not in it, or it matters whose a number is."""
    owners: dict[float, list[str]] = {}
    for cause in causes:
        owners.setdefault(values[cause], []).append(cause)
    leaves = Counter(part.value for part in _leaves(tree))
    if any(leaves[value] != len(names) for value, names in owners.items()):
        return None
    others = [leaf.value for leaf in _leaves(tree) if leaf.value not in owners]
    if len(others) > 1 or not set(others) <= _SIZES:  # 4/52 * 3/51: the 3 is one less than the 4
        return None
    named = _with_names(tree, {value: iter(names) for value, names in owners.items()})
    twins = [names[k : k + 2] for names in owners.values() for k in range(len(names) - 1)]
    return named if all(agree(named, rename(named, {a: b, b: a})) for a, b in twins) else None


def _leaves(tree: Tree) -> list[Number]:
    return [tree] if isinstance(tree, Number) else [leaf for part in parts(tree) for leaf in _leaves(part)]


def _with_names(tree: Tree, names: Mapping[float, Iterator[str]]) -> Tree:
    if isinstance(tree, Number):
        owners = names.get(tree.value)
        return tree if owners is None else Name(next(owners))
    if isinstance(tree, Binary):
        return Binary(tree.operator, _with_names(tree.left, names), _with_names(tree.right, names))
    if isinstance(tree, Call):
        return Call(tree.function, tuple(_with_names(part, names) for part in tree.arguments))
    if isinstance(tree, Negative):
        return Negative(_with_names(tree.operand, names))
    assert not isinstance(tree, Choice)  # arithmetic has none
    return tree


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _comes_to(tree: Tree, printed: float) -> bool:
    """Whether numbers have this result; 5 / 0 and 200! have none."""
    try:
        value = evaluate(tree, {})
    except (ArithmeticError, ValueError):
        return False
    return abs(value - printed) <= _ROUNDED * max(abs(value), abs(printed))
