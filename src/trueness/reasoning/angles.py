"""Angles: sin, cos and tan take radians, asin, acos and atan give them; degrees are converted, or there is no value.

sin(theta), theta = 30°        sin(radians(theta)); sin(theta pi / 180) and sin(radians(theta)) convert themselves
theta = atan(y / x), in °      degrees(atan(y / x))
beta = 90 - theta              in degrees, as theta is
sin(theta), theta = 30         nobody says of what: no value beyond a whole turn of radians; so of sin(45)
sin(theta + phi), 30° and 1    no value
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress

from trueness.reasoning.graph import Quantity
from trueness.reasoning.trees import (
    CONSTANTS,
    Binary,
    Call,
    Choice,
    Name,
    Negative,
    Number,
    Tree,
    count_names,
    evaluate,
    parts,
)

_DEGREES = frozenset(("°", "deg", "degs", "degree", "degrees"))
_FACTORS = (math.pi, math.degrees(1), math.radians(1))  # also as 3.14, 57.3 and 0.0175
_TAKE_RADIANS, _GIVE_RADIANS = ("sin", "cos", "tan"), ("asin", "acos", "atan")


class Angles:
    """Which nodes of a graph are in degrees."""

    def __init__(self, units: Mapping[str, str | None], knowns: Mapping[str, Quantity]):
        self._units, self._knowns = units, knowns
        self._degrees = {node for node, unit in units.items() if unit in _DEGREES}

    def follow(self, effect: str, trees: Sequence[Tree]) -> None:
        """An effect that is a sum of degrees, or some of them, is in degrees, where no unit is said."""
        if self._units.get(effect) is None and any(self._adds(tree) for tree in trees):
            self._degrees.add(effect)

    def of(self, effect: str, tree: Tree) -> Tree | None:
        """The tree of an effect, in its unit; None where that is not clear."""
        taken = self.in_radians(tree)
        if taken is None or self._measures(effect, tree):
            return None
        in_degrees = effect in self._degrees and not _converts(taken) and "pi" not in count_names(taken)
        return _given_in_degrees(taken) if in_degrees else taken

    def _measures(self, effect: str, tree: Tree) -> bool:
        """Whether degrees stand outside of sin, cos and tan in what is no sum of angles: r theta needs radians."""
        outside = _outside(tree) & self._degrees
        if not outside or _converts(tree):
            return False
        angle = effect in self._degrees or self._units.get(effect) is None
        return "pi" in _outside(tree) if angle else not {180.0, 360.0} & _numbers(tree) and "pi" not in _outside(tree)

    def in_radians(self, tree: Tree) -> Tree | None:
        """The tree with angles as its functions take them; None where that is not clear."""
        if isinstance(tree, Call) and tree.function in _TAKE_RADIANS and len(tree.arguments) == 1:
            return self._call_in_radians(tree, tree.arguments[0])
        below = [self.in_radians(part) for part in parts(tree)]
        whole = [part for part in below if part is not None]
        if len(whole) < len(below):
            return None
        match tree:
            case Negative():
                return Negative(whole[0])
            case Binary():
                return Binary(tree.operator, whole[0], whole[1])
            case Call():
                return Call(tree.function, tuple(whole))
            case Choice():
                return Choice(*whole)
            case _:
                return tree

    def _call_in_radians(self, call: Call, angle: Tree) -> Tree | None:
        names = set(count_names(angle))
        if "pi" in names or _converts(angle):
            return call
        with suppress(ArithmeticError, ValueError):
            if not names and abs(evaluate(angle, {})) > 2 * math.pi:  # sin(45): degrees, or 45 radians?
                return None
        if degrees := names & self._degrees:
            alone = degrees == names - set(CONSTANTS)
            return Call(call.function, (Call("radians", (angle,)),)) if alone else None
        known = [self._knowns[name] for name in names if name in self._knowns]
        bare = [one.value for one in known if one.value is not None and one.unit is None]
        alone = len(names - set(CONSTANTS)) == 1  # 2 theta; of omega t nobody says which is an angle
        return None if alone and any(abs(value) > 2 * math.pi for value in bare) else call

    def _adds(self, tree: Tree) -> bool:
        names = set(count_names(tree))
        return bool(names) and names <= self._degrees and _is_linear(tree)


def _given_in_degrees(tree: Tree) -> Tree:
    """With degrees(...) around what gives radians."""
    below = tuple(map(_given_in_degrees, parts(tree)))
    match tree:
        case Call():
            made = Call(tree.function, below)
            return Call("degrees", (made,)) if tree.function in _GIVE_RADIANS else made
        case Binary():
            return Binary(tree.operator, *below)
        case Negative():
            return Negative(*below)
        case Choice():
            return Choice(*below)
        case _:
            return tree


def _outside(tree: Tree) -> set[str]:
    """Names that stand in no sin, cos or tan."""
    if isinstance(tree, Name):
        return {tree.name}
    inside = isinstance(tree, Call) and tree.function in (*_TAKE_RADIANS, "radians")
    return set() if inside else {name for part in parts(tree) for name in _outside(part)}


def _numbers(tree: Tree) -> set[float]:
    below = {number for part in parts(tree) for number in _numbers(part)}
    return below | {tree.value} if isinstance(tree, Number) else below


def _is_linear(tree: Tree) -> bool:
    """Sums, and products with a number."""
    if isinstance(tree, Number | Name):
        return True
    if isinstance(tree, Negative):
        return _is_linear(tree.operand)
    if not isinstance(tree, Binary) or tree.operator not in "+-*/":
        return False
    by_number = (
        tree.operator in "+-"
        or isinstance(tree.right, Number)
        or (tree.operator == "*" and isinstance(tree.left, Number))
    )
    return by_number and _is_linear(tree.left) and _is_linear(tree.right)


def _converts(tree: Tree) -> bool:
    """Whether the rule itself turns degrees into radians."""
    if isinstance(tree, Number) and any(abs(tree.value / factor - 1) < 0.01 for factor in _FACTORS):
        return True
    if isinstance(tree, Call) and tree.function == "radians":
        return True
    return any(_converts(part) for part in parts(tree))
