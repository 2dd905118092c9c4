"""Undoing a formula: the values of one name that make a tree equal to a given value.

Where the name occurs once, the tree is unwound from the outside in, each operation by its inverse:

    f(u) = y   ->   u in f^-1(y):   u + c = y -> u = y - c,   u^2 = y -> u = +-sqrt(y),   max(u, c) = y -> ...

An inverse may be one point, several (even powers, abs, sin), none, or a whole range (max, floor, 0 * u): a `Preimage`.
`isolate` does the same with trees instead of values, for operations that have one inverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from trueness.reasoning.trees import COMPARISONS, Binary, Call, Choice, Name, Negative, Number, Tree, count_names, parts

Valuer = Callable[[Tree], float]  # the value of a tree that does not hold the name
MOST = 16  # points that are followed
ROUNDING = 1e-9  # relative; values that were computed forth and back agree up to this


@dataclass(frozen=True)
class Preimage:
    """Values that an inverse allows: single points, and `ranges` (low, high) of which every value fits."""

    points: tuple[float, ...] = ()
    ranges: tuple[tuple[float, float], ...] = ()
    periodic: bool = False  # further points lie at every period


class NotIsolated(Exception):
    """No inverse is known for this tree."""


def preimage(tree: Tree, name: str, wanted: float, value_of: Valuer) -> Preimage:
    """All values of `name` for which the tree, in which it occurs once, is `wanted`."""
    return preimage_of_all(tree, name, Preimage((wanted,)), value_of)


def preimage_of_all(tree: Tree, name: str, wanted: Preimage, value_of: Valuer) -> Preimage:
    """The same for several points and ranges at once."""
    while not isinstance(tree, Name):
        inner = _holding(tree, name)
        steps = [_inverse(tree, inner, point, value_of) for point in wanted.points]
        points = tuple(dict.fromkeys(point for step in steps for point in step.points))[:MOST]
        spread = [_spread(tree, inner, span, value_of) for span in wanted.ranges]
        ranges = [span for step in steps for span in step.ranges] + [span for part in spread for span in part]
        periodic = wanted.periodic or any(step.periodic for step in steps)
        wanted = Preimage(points, tuple(ranges), periodic)
        tree = inner
    return wanted


def _spread(tree: Tree, inner: Tree, span: tuple[float, float], value_of: Valuer) -> list[tuple[float, float]]:
    """A range through one inverse: its ends, branch by branch. No inverse here turns between them but 1/u at 0."""
    low, high = (_inverse(tree, inner, end, value_of) for end in span)
    turns = isinstance(tree, Binary) and (tree.operator == "^" or (tree.operator == "/" and inner is tree.right))
    if (
        (turns and span[0] < 0 < span[1])
        or low.ranges
        or high.ranges
        or low.periodic
        or len(low.points) != len(high.points)
    ):
        raise NotIsolated
    return [(min(ends), max(ends)) for ends in zip(low.points, high.points, strict=True)]


def _holding(tree: Tree, name: str) -> Tree:
    """The part directly below in which the name occurs."""
    if isinstance(tree, Choice):
        raise NotIsolated
    return next(part for part in parts(tree) if name in count_names(part))


def _inverse(tree: Tree, inner: Tree, wanted: float, value_of: Valuer) -> Preimage:
    if isinstance(tree, Negative):
        return Preimage((-wanted,))
    if isinstance(tree, Binary):
        on_left = inner is tree.left
        other = value_of(tree.right if on_left else tree.left)
        return _binary(tree.operator, on_left, other, wanted)
    if isinstance(tree, Call):
        others = [value_of(part) for part in tree.arguments if part is not inner]
        if len(tree.arguments) == 1:
            return _function(tree.function, wanted)
        return _of_many(tree.function, others, wanted, tree.arguments[0] is inner)
    raise NotIsolated


def _binary(operator: str, on_left: bool, other: float, wanted: float) -> Preimage:
    if operator == "+":
        return Preimage((wanted - other,))
    if operator == "-":
        return Preimage((wanted + other if on_left else other - wanted,))
    if operator == "*":
        if other == 0:
            return EVERYTHING if wanted == 0 else Preimage()
        return Preimage((wanted / other,))
    if operator == "/":
        if on_left:
            return Preimage((wanted * other,)) if other else Preimage()
        if other == 0:
            return EVERYTHING if wanted == 0 else Preimage()
        return Preimage((other / wanted,)) if wanted else Preimage()
    if operator == "^":
        return _root(other, wanted) if on_left else _exponent(other, wanted)
    raise NotIsolated


def _root(exponent: float, wanted: float) -> Preimage:
    """u^p = y."""
    if exponent == 0:
        return EVERYTHING if wanted == 1 else Preimage()
    if not exponent.is_integer():
        return (
            Preimage((wanted ** (1 / exponent),)) if wanted > 0 else Preimage((0.0,) if wanted == 0 < exponent else ())
        )
    if wanted == 0:
        return Preimage((0.0,) if exponent > 0 else ())
    size = math.pow(abs(wanted), 1 / exponent)
    if exponent % 2:
        return Preimage((math.copysign(size, wanted),))
    return Preimage((size, -size)) if wanted > 0 else Preimage()


def _exponent(base: float, wanted: float) -> Preimage:
    """c^u = y."""
    if base <= 0 or wanted <= 0:
        raise NotIsolated
    if base == 1:
        return EVERYTHING if wanted == 1 else Preimage()
    return Preimage((math.log(wanted) / math.log(base),))


def _function(function: str, wanted: float) -> Preimage:
    if function in ("sum", "mean", "min", "max"):
        return Preimage((wanted,))
    if function == "sqrt":
        return Preimage((wanted * wanted,) if wanted >= 0 else ())
    if function == "exp":
        return Preimage((math.log(wanted),) if wanted > 0 else ())
    if function in ("log", "ln", "log10", "log2"):
        base = {"log10": 10.0, "log2": 2.0}.get(function, math.e)
        return Preimage((math.pow(base, wanted),))
    if function == "abs":
        return Preimage((wanted, -wanted) if wanted > 0 else (0.0,) if wanted == 0 else ())
    if function in ("radians", "degrees"):
        return Preimage((math.degrees(wanted) if function == "radians" else math.radians(wanted),))
    if function in ("sin", "cos"):
        if abs(wanted) > 1 + ROUNDING:
            return Preimage()
        wanted = max(-1.0, min(1.0, wanted))
        first = math.asin(wanted) if function == "sin" else math.acos(wanted)
        return Preimage((first, math.pi - first if function == "sin" else -first), periodic=True)
    if function == "tan":
        return Preimage((math.atan(wanted),), periodic=True)
    if function in ("asin", "acos", "atan"):
        return Preimage((getattr(math, function[1:])(wanted),))
    if function in ("floor", "ceil", "round"):
        if not math.isclose(wanted, round(wanted), rel_tol=ROUNDING, abs_tol=ROUNDING):
            return Preimage()
        wanted = float(round(wanted))
        low, high = {"floor": (0.0, 1.0), "ceil": (-1.0, 0.0), "round": (-0.5, 0.5)}[function]
        return Preimage((wanted,), ((wanted + low, wanted + high),))
    raise NotIsolated


def _of_many(function: str, others: list[float], wanted: float, is_first: bool) -> Preimage:
    if function == "sum":
        return Preimage((wanted - math.fsum(others),))
    if function == "mean":
        return Preimage((wanted * (len(others) + 1) - math.fsum(others),))
    if function in ("max", "min"):
        bound = max(others) if function == "max" else min(others)
        if math.isclose(wanted, bound, rel_tol=ROUNDING):
            return Preimage((bound,), ((-math.inf, bound) if function == "max" else (bound, math.inf),))
        return Preimage((wanted,) if (wanted > bound) == (function == "max") else ())
    if function == "log" and is_first and others[0] > 0:
        return Preimage((math.pow(others[0], wanted),))
    raise NotIsolated


EVERYTHING = Preimage((), ((-math.inf, math.inf),))


def isolate(left: Tree, right: Tree, name: str) -> Tree | None:
    """`left = right` solved for a name that occurs once, where every step has one inverse; else None."""
    counts = [count_names(side).get(name, 0) for side in (left, right)]
    if sum(counts) != 1:
        return None
    tree: Tree = left if counts[0] else right
    value: Tree = right if counts[0] else left
    while not isinstance(tree, Name):
        if isinstance(tree, Negative):
            tree, value = tree.operand, Negative(value)
            continue
        if isinstance(tree, Call):
            if tree.function not in _ONE_INVERSE or len(tree.arguments) > 1:
                return None
            value = _ONE_INVERSE[tree.function](value)
            tree = tree.arguments[0]
            continue
        if not isinstance(tree, Binary) or tree.operator in COMPARISONS or tree.operator == "%":
            return None
        on_left = name in count_names(tree.left)
        inner, other = (tree.left, tree.right) if on_left else (tree.right, tree.left)
        step = _isolated_step(tree.operator, on_left, other, value)
        if step is None:
            return None
        tree, value = inner, step
    return value


_ONE_INVERSE: dict[str, Callable[[Tree], Tree]] = {
    "sqrt": lambda value: Binary("^", value, Number(2.0)),
    "exp": lambda value: Call("ln", (value,)),
    "ln": lambda value: Call("exp", (value,)),
    "log10": lambda value: Binary("^", Number(10.0), value),
    "log2": lambda value: Binary("^", Number(2.0), value),
}


def _isolated_step(operator: str, on_left: bool, other: Tree, value: Tree) -> Tree | None:
    if operator == "+":
        return Binary("-", value, other)
    if operator == "-":
        return Binary("+", value, other) if on_left else Binary("-", other, value)
    if operator == "*":
        return Binary("/", value, other)
    if operator == "/":
        return Binary("*", value, other) if on_left else Binary("/", other, value)
    if operator == "^" and on_left and other == Number(2.0):
        return Call("sqrt", (value,))  # the positive root: quantities of worked problems are sizes
    if operator == "^" and on_left and isinstance(other, Number) and other.value:
        return Binary("^", value, Binary("/", Number(1.0), other))
    if operator == "^" and other == Number(10.0):
        return Call("log10", (value,))
    if operator == "^" and not on_left:
        return Binary("/", Call("ln", (value,)), Call("ln", (other,)))
    return None
