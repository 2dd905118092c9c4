"""Angles: sin, cos and tan take radians, asin, acos and atan give them; degrees are converted, or there is no value.

sin(theta), theta = 30°        sin(radians(theta)); sin(theta pi / 180) and sin(radians(theta)) convert themselves
theta = atan(y / x), in °      degrees(atan(y / x))
beta = 90 - theta              in degrees, as theta is
sin(theta), theta = 30         nobody says of what: no value beyond a whole turn of radians
sin(theta + phi), 30° and 1    no value
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from trueness.reasoning.graph import Quantity
from trueness.reasoning.trees import CONSTANTS, Binary, Call, Choice, Name, Negative, Number, Tree, count_names, parts

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
        gives = isinstance(taken, Call) and taken.function in _GIVE_RADIANS and effect in self._degrees
        return Call("degrees", (taken,)) if gives and taken is not None else taken

    def in_radians(self, tree: Tree) -> Tree | None:
        """The tree with angles as its functions take them; None where that is not clear."""
        if isinstance(tree, Call) and tree.function in _TAKE_RADIANS and len(tree.arguments) == 1:
            return self._taken(tree, tree.arguments[0])
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

    def _taken(self, call: Call, angle: Tree) -> Tree | None:
        names = set(count_names(angle))
        if "pi" in names or _converts(angle):
            return call
        if degrees := names & self._degrees:
            alone = degrees == names - set(CONSTANTS)
            return Call(call.function, (Call("radians", (angle,)),)) if alone else None
        bare = self._knowns.get(angle.name) if isinstance(angle, Name) else None
        if bare is None or bare.value is None or bare.unit is not None:
            return call
        return None if abs(bare.value) > 2 * math.pi else call

    def _adds(self, tree: Tree) -> bool:
        names = set(count_names(tree))
        return bool(names) and names <= self._degrees and _is_linear(tree)


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
