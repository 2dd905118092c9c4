"""Angles: sin, cos and tan take radians, so what is given in degrees is converted, or the rule has no value.

sin(theta), theta = 30°        sin(radians(theta)); sin(theta pi / 180) and sin(radians(theta)) convert by themselves
sin(theta), theta = 30         nobody says of what: no value beyond a whole turn of radians
sin(theta + phi), 30° and 1    no value
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from trueness.reasoning.trees import CONSTANTS, Binary, Call, Choice, Name, Negative, Number, Tree, count_names, parts

_DEGREES = frozenset(("°", "deg", "degs", "degree", "degrees"))
_FACTORS = (math.pi, math.degrees(1), math.radians(1))  # also as 3.14, 57.3 and 0.0175
_TAKE_RADIANS = ("sin", "cos", "tan")


def in_radians(tree: Tree, values: Mapping[str, tuple[float, str | None]]) -> Tree | None:
    """The tree with angles as its functions take them; None where that is not clear. values: of the knowns."""
    if isinstance(tree, Call) and tree.function in _TAKE_RADIANS and len(tree.arguments) == 1:
        return _taken(tree, tree.arguments[0], values)
    below = [in_radians(part, values) for part in parts(tree)]
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


def _taken(call: Call, angle: Tree, values: Mapping[str, tuple[float, str | None]]) -> Tree | None:
    names = set(count_names(angle))
    if "pi" in names or _converts(angle):
        return call
    degrees = {name for name in names if values.get(name, (0.0, None))[1] in _DEGREES}
    if degrees:
        alone = degrees == names - set(CONSTANTS)
        return Call(call.function, (Call("radians", (angle,)),)) if alone else None
    bare = values.get(angle.name) if isinstance(angle, Name) else None
    return None if bare is not None and bare[1] is None and abs(bare[0]) > 2 * math.pi else call


def _converts(tree: Tree) -> bool:
    """Whether the rule itself turns degrees into radians."""
    if isinstance(tree, Number) and any(abs(tree.value / factor - 1) < 0.01 for factor in _FACTORS):
        return True
    if isinstance(tree, Call) and tree.function == "radians":
        return True
    return any(_converts(part) for part in parts(tree))
