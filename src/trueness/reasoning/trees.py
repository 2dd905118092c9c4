"""Trees of formulas: built by `syntax`, evaluated here in floats, written as text again.

    Number(9.81)   Name("m")   Negative(t)   Binary("/", t, u)   Call("sqrt", (t,))

Arithmetic is that of floats, so that no formula can ask for
a number with a billion digits: what leaves the range raises OverflowError, as math does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from statistics import fmean
from typing import NamedTuple, TypeAlias


class Number(NamedTuple):
    value: float


class Name(NamedTuple):
    name: str


class Negative(NamedTuple):
    operand: Tree


class Binary(NamedTuple):
    operator: str
    left: Tree
    right: Tree


class Call(NamedTuple):
    function: str
    arguments: tuple[Tree, ...]


Tree: TypeAlias = Number | Name | Negative | Binary | Call
Evaluator: TypeAlias = Callable[[Sequence[float]], float]

_OF_ANGLES = frozenset("sin cos tan asin acos atan radians degrees".split())
CONSTANTS = {"pi": math.pi, "e": math.e}
NATURE = {  # in SI; what a rule names and no node has
    "g": 9.81, "G": 6.6743e-11, "c": 299_792_458.0, "epsilon0": 8.8541878128e-12, "epsilon_0": 8.8541878128e-12,
    "mu0": 1.25663706212e-6, "mu_0": 1.25663706212e-6, "k_B": 1.380649e-23, "N_A": 6.02214076e23,
    "hbar": 1.054571817e-34,
}  # fmt: skip


def _round(value: float, digits: float = 0.0) -> float:
    return round(value, int(max(-30.0, min(30.0, digits)))) + 0.0


def _power(base: float, exponent: float) -> float:
    return math.pow(base, exponent)  # ** would give complex numbers and exact integers of any size


def _whole(value: float, most: float = 170) -> int:
    if not value.is_integer() or not 0 <= value <= most:
        raise ValueError(f"of whole numbers from 0 to {most:,.0f}")
    return int(value)


_MOST_COUNTED = 1e12  # 252 cm has divisors; its factorial has no float
FUNCTIONS: Mapping[str, tuple[Callable[..., float], int, int]] = {  # name -> function, fewest and most arguments
    "sqrt": (math.sqrt, 1, 1),
    "exp": (math.exp, 1, 1),
    "log": (math.log, 1, 2),
    "ln": (math.log, 1, 1),
    **{name: (getattr(math, name), 1, 1) for name in "log10 log2 sin cos tan asin acos atan radians degrees".split()},
    "abs": (math.fabs, 1, 1),
    "floor": (lambda value: float(math.floor(value)), 1, 1),
    "ceil": (lambda value: float(math.ceil(value)), 1, 1),
    "round": (_round, 1, 2),
    "min": (lambda *values: min(values), 1, 50),  # min(x) of one number would look for what is in it
    "max": (lambda *values: max(values), 1, 50),
    "sum": (lambda *values: math.fsum(values), 1, 50),
    "mean": (lambda *values: fmean(values), 1, 50),
    "factorial": (lambda value: float(math.factorial(_whole(value))), 1, 1),
    "gcd": (lambda *values: float(math.gcd(*(_whole(value, _MOST_COUNTED) for value in values))), 2, 50),
    "lcm": (lambda *values: float(math.lcm(*(_whole(value, _MOST_COUNTED) for value in values))), 2, 50),
    "comb": (lambda n, k: float(math.comb(_whole(n), _whole(k))), 2, 2),
}
OPERATORS: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "%": math.fmod,
    "^": _power,
}


def parts(tree: Tree) -> tuple[Tree, ...]:
    """The trees directly below."""
    if isinstance(tree, Number | Name):
        return ()
    if isinstance(tree, Call):
        return tree.arguments
    if isinstance(tree, Binary):
        return (tree.left, tree.right)
    return tuple(tree)


def walk(tree: Tree) -> list[Tree]:
    """The tree and all that is in it."""
    nodes = [tree]
    for part in nodes:  # grows while it is walked
        nodes.extend(parts(part))
    return nodes


def count_names(tree: Tree) -> dict[str, int]:
    """How often each name occurs; from left to right."""
    counts: dict[str, int] = {}
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Name):
            counts[part.name] = counts.get(part.name, 0) + 1
        else:
            waiting.extend(reversed(parts(part)))
    return counts


_WHOLE_POINTS = ((23.0, 5.0, 7.0, 3.0, 11.0, 13.0), (18.0, 4.0, 9.0, 6.0, 8.0, 14.0))
_OF_WHOLE = frozenset(("factorial", "comb", "gcd", "lcm"))


def _same_at_points(tree: Tree, other: Tree) -> list[bool | None]:
    """Whether two trees give one number, at two points: of whole numbers where one takes only these. None: no value."""
    names = sorted({*count_names(tree), *count_names(other)} - set(CONSTANTS))
    if calls(tree, _OF_WHOLE) or calls(other, _OF_WHOLE):
        points = [{name: at[k % 6] for k, name in enumerate(names)} for at in _WHOLE_POINTS]
    else:
        points = [{name: root**k for k, name in enumerate(names, 1)} for root in (1.37, 2.11)]
    same: list[bool | None] = []
    for point in points:
        try:
            same.append(math.isclose(evaluate(tree, point), evaluate(other, point), rel_tol=1e-9))
        except (ArithmeticError, ValueError):
            same.append(None)
    return same


def agree(tree: Tree, other: Tree) -> bool:
    return _same_at_points(tree, other) == [True, True]


def contradict(tree: Tree, other: Tree) -> bool:
    """Whether two trees give two numbers somewhere; what has an angle in it says nothing before its unit is known."""
    return not (takes_angles(tree) or takes_angles(other)) and False in _same_at_points(tree, other)


def calls(tree: Tree, functions: Collection[str]) -> bool:
    return any(isinstance(part, Call) and part.function in functions for part in walk(tree))


def takes_angles(tree: Tree) -> bool:
    return calls(tree, _OF_ANGLES)


def rename(tree: Tree, names: Mapping[str, str]) -> Tree:
    return replace_names(tree, {old: Name(new) for old, new in names.items()})


def replace_names(tree: Tree, trees: Mapping[str, Tree]) -> Tree:
    """The tree with trees in the place of names."""
    if isinstance(tree, Name):
        return trees.get(tree.name, tree)
    return with_parts(tree, [replace_names(part, trees) for part in parts(tree)])


def with_parts(tree: Tree, below: Sequence[Tree]) -> Tree:
    """The same operation on other parts."""
    match tree:
        case Negative():
            return Negative(*below)
        case Binary():
            return Binary(tree.operator, *below)
        case Call():
            return Call(tree.function, tuple(below))
    return tree


def compile_tree(tree: Tree, slots: Mapping[str, int]) -> Evaluator:
    """The tree as a function of a list of values; `slots` says where each name stands in it. What holds no name is
    computed once, or where it has no value when it is asked for."""
    return _compiled(tree, slots)[0]


def _compiled(tree: Tree, slots: Mapping[str, int]) -> tuple[Evaluator, bool]:
    """The function, and whether it asks for a name."""
    if isinstance(tree, Name) and tree.name in slots:
        return itemgetter(slots[tree.name]), True
    if isinstance(tree, Number | Name):
        constant = tree.value if isinstance(tree, Number) else CONSTANTS[tree.name]
        return lambda values: constant, False
    below = [_compiled(part, slots) for part in parts(tree)]
    made, asks = _operation(tree, [evaluator for evaluator, _ in below]), any(asks for _, asks in below)
    if not asks:
        with suppress(ArithmeticError, ValueError):
            constant = made(())
            return lambda values: constant, False
    return made, asks


def _operation(tree: Tree, below: Sequence[Evaluator]) -> Evaluator:
    first = below[0]
    if isinstance(tree, Negative):
        return lambda values: -first(values)
    if isinstance(tree, Binary):
        return _binary(tree.operator, *below)
    function = FUNCTIONS[tree.function][0]  # type: ignore[union-attr]
    if len(below) == 1:
        return lambda values: function(first(values))
    return lambda values: function(*[argument(values) for argument in below])


def _binary(sign: str, left: Evaluator, right: Evaluator) -> Evaluator:
    """The four frequent operations without a second call."""
    if sign == "+":
        return lambda values: left(values) + right(values)
    if sign == "-":
        return lambda values: left(values) - right(values)
    if sign == "*":
        return lambda values: left(values) * right(values)
    if sign == "/":
        return lambda values: left(values) / right(values)
    function = OPERATORS[sign]
    return lambda values: function(left(values), right(values))


def evaluate(tree: Tree, values: Mapping[str, float]) -> float:
    """The value of a tree; ZeroDivisionError, ValueError or OverflowError where it has none."""
    names = list(values)
    return compile_tree(tree, {name: i for i, name in enumerate(names)})([values[name] for name in names])


BINDS = {"+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "^": 7}


def as_text(tree: Tree, least: int = 0) -> str:
    """The formula as text that `syntax.parse` reads back to the same tree."""
    if isinstance(tree, Number):
        shown = repr(tree.value).removesuffix(".0")
        return f"({shown})" if tree.value < 0 and least else shown
    if isinstance(tree, Name):
        return tree.name
    if isinstance(tree, Call):
        return f"{tree.function}({', '.join(as_text(part) for part in tree.arguments)})"
    if isinstance(tree, Negative):
        binds, text = 6, f"-{as_text(tree.operand, 6)}"
    else:
        binds = BINDS[tree.operator]
        left, right = (binds + 1, binds) if tree.operator == "^" else (binds, binds + 1)
        if tree.operator == "%":
            right = BINDS["^"]  # a % -b would be a per cent minus b
        first = as_text(tree.left, left)
        if tree.operator == "%" and not isinstance(tree.left, Name):
            first = f"({as_text(tree.left)})"  # 2 % b would leave open whether a share is meant
        text = f"{first} {tree.operator} {as_text(tree.right, right)}"
    return f"({text})" if binds < least else text
