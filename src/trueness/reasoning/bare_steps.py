"""Steps that say what is done but not with what, or that have numbers in the place of names.

    Take the square root                          of the one cause
    Multiply the results. Sum of all candies.     over all causes: sums and products, in which no order counts
    Find the earnings: 15 * 6 * 5 = 450           each number is the value of one cause and of no other

A word that may choose among the causes, a number that is nobody's or two causes', a result that the numbers do not
have: nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from trueness.reasoning.syntax import RuleError, parse, plain
from trueness.reasoning.trees import Binary, Call, Choice, Name, Negative, Number, Tree, agree, evaluate, parts, rename
from trueness.reasoning.word_names import is_symbol, names_symbol, tokens, without_unit
from trueness.reasoning.word_numbers import CONDITION, NUMBER_WORDS
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
_ONE = re.compile(rf"{_LEAD}(?:the )?(?P<op>{'|'.join(_OF_ONE)})(?: of (?P<what>.+?))?(?: of both sides)?\.?", re.I)
_IT = frozenset(("it", "this", "that", "the result", "both sides", "this value", "that value", "the previous result"))
_ADD = re.compile(
    rf"{_LEAD}(?:(?:the )?(?:sum|total) of (?P<b>.+?)"
    r"|(?:add|sum|combine)(?: up| together)* (?P<a>.+?)(?: up| together)*"
    r"|(?P<c>.+?) (?:are added|add up|sum up)(?: together)?)\.?",
    re.I,
)
_MULTIPLY = re.compile(
    rf"{_LEAD}(?:multiply(?: together)? (?P<a>.+?)(?: together)?|(?:the )?product of (?P<b>.+?)"
    r"|(?P<c>.+?) (?:are multiplied|multiply)(?: together)?)\.?",
    re.I,
)
_PRINCIPLE = re.compile(
    r"\s*(?:by|using) the (?:fundamental |multiplication )?(?:counting )?(?:principle|rule)\b", re.I
)
_ANY = re.compile(
    r"(?:(?:the|these|those|all|of|both) )*(?:(?:two|three|four|five|\d) )?"
    r"(?:together|them|results?|values?|numbers?|quantities|factors|counts|ones|two|three|four|five|all|both)"
)
_EVERYTHING = re.compile(
    r"(?:.*\b(?:is|are|equals) )?(?:everything|(?:add|sum)(?: up| together)* (?:everything|all (?:the )?(?:ingredients|"
    r"parts|components|items|amounts|contributions|terms|pieces)))(?: combined| together| added(?: up| together)?)?\.?",
    re.I,
)
_NOUNS = re.compile(r"(?:(?:the|their|all|both|all the|all of the|these) )+(?P<noun>[a-z]+s|[a-z]+ies)")
_ARITHMETIC = re.compile(r"(?:(?:sqrt|comb|C)?\(|√|\$?\d[\d,]*(?:\.\d+)?|[-+*/×·÷^!)]|,(?=\s*\d)|\s)+")
_OPERATES = re.compile(r"\d\s*[-+*/×·÷^!]|√|sqrt|C\(")
_RESULT = re.compile(r"\s*(?:=|≈)\s*\$?(?P<value>\d[\d,]*(?:\.\d+)?)(?:\s*[a-z]+)?\.?\s*")
_BY = re.compile(r"(?P<sign>multiply|divide)(?: (?:it|this|the result))? by (?P<number>\d[\d,]*(?:\.\d+)?)\.?", re.I)
_COUNTED = re.compile(r"\s*(?:ways|permutations|arrangements|combinations|possibilities|outcomes|times)\b[^=+*/^]*$")
_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)?")
_ROUNDED = 0.006  # a printed result
_SIZES = frozenset((2.0, 7.0, 12.0, 24.0, 52.0, 60.0, 100.0, 365.0, 1000.0, 3600.0))  # of a pair, a week, a dozen, ...


def step_of_causes(text: str, causes: Sequence[str], effect: str) -> Tree | None:
    """The one cause or all of them, where a step names none and can mean no other."""
    step = " ".join(text.split())
    if len(causes) == 1:
        match = _ONE.fullmatch(step)
        what = ((match["what"] or "it").strip() if match else "").casefold()
        is_it = what in _IT or what == causes[0].casefold()
        return _OF_ONE[match["op"].lower()](Name(causes[0])) if match and is_it else None
    if not 1 < len(causes) < len(NUMBER_WORDS) or CONDITION.search(step.lower()):
        return None
    if _EVERYTHING.fullmatch(step):
        return join("sum", [Name(cause) for cause in causes])
    step, named = _PRINCIPLE.subn("", step)
    if named and step.lower() == "multiply":
        return join("product", [Name(cause) for cause in causes])
    for operation, pattern in (("sum", _ADD), ("product", _MULTIPLY)):
        match = pattern.fullmatch(step)
        what = (match["a"] or match["b"] or match["c"]).lower() if match else ""
        is_any = operation == "product" and _is_any(what, len(causes))  # a price and a number have no sum
        if what and (is_any or _is_their_kind(what, causes, effect)):
            return join(operation, [Name(cause) for cause in causes])
    return None


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
        return any(names_symbol(word, bare[0]) for word in (match["noun"], *kind))
    of_causes = [bool(kind & tokens(cause)) for cause in causes]
    return all(of_causes) or ("all" in what.split() and not any(of_causes) and kind <= tokens(effect))


def names_for_numbers(text: str, causes: Sequence[str], values: Mapping[str, float]) -> Tree | None:
    """`Find the earnings: 15 * 6 * 5` as wage * hours * days, where each has one of these values."""
    if (by := _BY.fullmatch(text.strip())) and len(causes) == 2:  # convert hours: multiply by 60, which is the other
        factors = [cause for cause in causes if values.get(cause) == _number(by["number"])]
        others = [cause for cause in causes if cause not in factors]
        sign = "*" if by["sign"].lower() == "multiply" else "/"
        return Binary(sign, Name(others[0]), Name(factors[0])) if len(factors) == 1 else None
    if not causes or not set(causes) <= set(values):
        return None
    if "\\" in text:
        try:
            text = plain(text)
        except RuleError:
            return None
    sums = [match[0].strip(" ,") for match in _ARITHMETIC.finditer(text) if _OPERATES.search(match[0])]
    if len(sums) != 1 or sums[0][:1] in "+*/":
        return None
    front, _, behind = text.partition(sums[0])
    result = _RESULT.fullmatch(behind)
    if CONDITION.search(front.lower()) or (result is None and behind.strip(" .$\\") and not _COUNTED.match(behind)):
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
    if named is None or (result and not _is_near(evaluate(tree, {}), _number(result["value"]))):
        return None
    return named


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


def inner_parts(tree: Tree) -> list[Tree]:
    return [tree, *(one for part in parts(tree) for one in inner_parts(part))]


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


def _is_near(value: float, printed: float) -> bool:
    return abs(value - printed) <= _ROUNDED * max(abs(value), abs(printed))
