"""Temperatures of scales with another zero: a rule that needs kelvin has them in kelvin, or cannot be executed.

    350 K - 20 °C           350 - (20 + 273.15)       where both names say a temperature; else perhaps 20 less
    1 - T_cold / T_hot      (T + 273.15) in both      a ratio, a power or an exponential of a point has no other meaning
    n * 8.314 * T / V       T + 273.15                the gas constant, Boltzmann's and Stefan's are per kelvin
    m * c * rise            as it is                  a name that says a difference; one in °F has no rule beside K
    T1 * P2 / P1            T1 + 273.15, gives K      pressures and volumes beside a point, for another point
    m * c * T               as it is                  where c is per °C; else no rule: a point, or a difference
    331 + 0.6 * T           as it is                  numbers alone: the formula has a zero of its own

What a node is in follows from its known, its declared unit or its own rule. No pint is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trueness.patterns import late
from trueness.reasoning.trees import Binary, Call, Name, Number, Tree, agree, parts, replace_names, walk

KELVIN, CELSIUS, FAHRENHEIT = "K", "°C", "°F"
ZERO, ONE = Number(273.15), Number(1.0)
_SCALES = {
    KELVIN: late(r"(?:deg\s*)?K|°K|kelvins?", re.IGNORECASE),
    CELSIUS: late(r"°\s?C|℃|deg\s?C|(?:deg(?:rees?)?\s)?celsius|degree_celsius", re.IGNORECASE),
    FAHRENHEIT: late(r"°\s?F|℉|deg\s?F|(?:deg(?:rees?)?\s)?fahrenheit|degree_fahrenheit", re.IGNORECASE),
}
_BARE = {"C": CELSIUS, "F": FAHRENHEIT}  # coulomb and farad, but not of what is called a temperature
_PER_KELVIN = late(r"(?<![A-Za-z°])K(?![A-Za-z])|kelvin", re.IGNORECASE)
_DIFFERENCE = late(r"delta|Δ|\bd_?T|chang|ris[ei]|rais|drop|diff|increas|decreas|interval|gradient|fall", re.I)
_POINT = late(r"temp|^(?:T|θ|theta)(?:[chfi]|cold|hot|in|out)?(?:[_\d₀-₉]|$)")
_GAS = late(r"^[pPvV](?:[_\d₀-₉]|$)|press|vol", re.IGNORECASE)
_CONSTANT = late(r"^(?:R|k|k_?B|sigma|σ)$|\bgas|boltzmann|stefan", re.IGNORECASE)
_ABSOLUTE = ((8.2, 8.4), (0.0820, 0.0822), (62.3, 62.4), (1.37e-23, 1.39e-23), (5.6e-8, 5.7e-8), (1.98, 1.99))


class Ambiguous(Exception):
    """A point or a difference of temperature: nobody says which."""


def scale_of(name: str, unit: str | None) -> str | None:
    """The scale that a unit names, if it is one of temperature."""
    text = (unit or "").strip()
    if text in _BARE:
        return _BARE[text] if _POINT.search(name) else None
    return next((scale for scale, pattern in _SCALES.items() if pattern.fullmatch(text)), None)


class Nodes(NamedTuple):
    """Nodes that are temperatures, and their scale; those whose unit has K, or °C, among others (J/(mol K)); constants
    that are per kelvin, whatever their unit says (R, of 8.314)."""

    scales: Mapping[str, str]
    per_kelvin: frozenset[str] = frozenset()
    per_celsius: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()


def in_kelvin(tree: Tree, nodes: Nodes, effect: str = "") -> Tree:
    """The rule with points in kelvin where it needs them; Ambiguous in one line where it does not say."""
    scales = nodes.scales
    others = sorted(name for name in names_of(tree) if scales.get(name, KELVIN) != KELVIN)
    if not others or _has_zero(tree):
        return tree
    meets = {scales[name] for name in names_of(tree) if name in scales}
    beside = sorted((nodes.per_kelvin - nodes.constants) & set(names_of(tree)))
    points = [name for name in others if not _DIFFERENCE.search(name)]
    absolute = _is_absolute(tree) or bool(nodes.constants & set(names_of(tree)))
    absolute = absolute or (_is_gas_law(tree, points) and _POINT.search(effect) is not None)
    ratio = any(_is_ratio(part, points) for part in walk(tree))
    if len(meets) == 1 and not beside and not absolute and not ratio:
        if points and not (nodes.per_celsius & set(names_of(tree)) or _has_one_scale(tree, points)):
            raise Ambiguous(f"'{points[0]}' is in {scales[points[0]]}, what is multiplied must be in K. Give it in K.")
        return tree
    unsure = [name for name in points if not _POINT.search(name)]
    fahrenheit = [name for name in others if name not in points and scales[name] == FAHRENHEIT]
    open_product = beside and not (absolute or ratio) and points and not _only_differences(tree, points)
    if unsure or fahrenheit or open_product:
        name = (unsure or fahrenheit or points)[0]
        raise Ambiguous(f"'{name}' is in {scales[name]}, what it meets is in K: a point or a difference. Give it in K.")
    if beside and not (absolute or ratio) and len(meets) == 1:
        return tree
    return replace_names(tree, {name: _kelvin(name, scales[name]) for name in points})


def _has_one_scale(tree: Tree, points: list[str]) -> bool:
    """Whether a rule is right in °C: it makes a point or a difference of points, or has numbers alone beside them and a
    zero of its own (1.8 T + 32)."""
    raised = replace_names(tree, {name: Binary("+", Name(name), ONE) for name in points})
    if agree(raised, tree) or agree(raised, Binary("+", tree, ONE)):
        return True
    if set(names_of(tree)) <= set(points):
        at_zero = replace_names(tree, dict.fromkeys(points, Number(0.0)))
        return not agree(at_zero, Number(0.0))
    return not any(_is_scaled(part, points) for part in walk(tree))


def _is_scaled(part: Tree, points: list[str]) -> bool:
    """A product or a quotient of what holds a point, and a node."""
    return (
        isinstance(part, Binary)
        and part.operator in "*/"
        and any(set(names_of(one)) & set(points) and names_of(other) for one, other in (parts(part), parts(part)[::-1]))
    )


def _is_gas_law(tree: Tree, points: list[str]) -> bool:
    """T1 * P2 / P1: one point, and pressures and volumes."""
    others = [name for name in names_of(tree) if name not in points]
    return len(points) == 1 and bool(others) and _factor(tree, points) and all(map(_GAS.search, others))


def gives_kelvin(tree: Tree, scales: Mapping[str, str], effect: str) -> bool:
    """Whether a rule in kelvin gives a temperature in kelvin: twice as much of all points for twice the points."""
    points = [name for name in names_of(tree) if scales.get(name) in (CELSIUS, FAHRENHEIT)]
    if not points or ZERO not in walk(tree) or not _POINT.search(effect) or _DIFFERENCE.search(effect):
        return False
    if isinstance(tree, Binary) and tree.operator not in "*/":
        return False
    lowered = {name: Binary("-", Binary("*", Number(2.0), Binary("+", Name(name), ZERO)), ZERO) for name in points}
    return agree(replace_names(tree, lowered), Binary("*", Number(2.0), tree))


def is_constant(name: str, value: float | None, unit: str | None) -> bool:
    """R or k_B by name, with its unit or its number."""
    fits = value is not None and any(low < abs(value) < high for low, high in _ABSOLUTE)
    return _CONSTANT.search(name) is not None and (fits or is_per_kelvin(unit))


def as_declared(tree: Tree, scales: Mapping[str, str], declared: str | None, effect: str = "") -> Tree:
    """A point computed in °C for an effect that is declared in K, and the other way round, is converted."""
    gives = KELVIN if gives_kelvin(tree, scales, effect) else scale_given(tree, scales)
    if declared == CELSIUS and gives is None and not _has_zero(tree) and _is_absolute(tree):
        raise Ambiguous("it gives kelvin by the gas constant and is declared in °C. Give it in K.")
    if declared is None or gives is None or gives == declared or (_has_zero(tree) and gives != KELVIN):
        return tree
    if {gives, declared} != {KELVIN, CELSIUS}:
        raise Ambiguous(f"it gives {gives} and is declared in {declared}. Give it in K.")
    return Binary("+" if declared == KELVIN else "-", tree, ZERO)


def scale_given(tree: Tree, scales: Mapping[str, str]) -> str | None:
    """The scale of what a rule gives: a name, a mean or a sum of points; a difference of points has none."""
    if isinstance(tree, Name):
        return scales.get(tree.name)
    if isinstance(tree, Binary) and tree.operator == "+" and tree.right == ZERO:
        return KELVIN
    if (isinstance(tree, Binary) and tree.operator in "+-") or (
        isinstance(tree, Call) and tree.function in ("mean", "min", "max", "abs", "round")
    ):
        inner = [scale_given(part, scales) for part in parts(tree)]
        kinds = {scale for scale in inner if scale}
        both_points = isinstance(tree, Binary) and tree.operator == "-" and None not in inner
        return next(iter(kinds)) if len(kinds) == 1 and not both_points else None
    return None


def is_difference(tree: Tree) -> bool:
    return any(_DIFFERENCE.search(name) for name in names_of(tree))


def is_per_celsius(unit: str | None) -> bool:
    return bool(unit) and scale_of("T", unit) is None and re.search(r"°\s?C|℃|deg_?C|celsius", unit or "") is not None


def is_per_kelvin(unit: str | None) -> bool:
    return bool(unit) and scale_of("", unit) is None and bool(_PER_KELVIN.search(unit or ""))


def names_of(tree: Tree) -> list[str]:
    return [part.name for part in walk(tree) if isinstance(part, Name)]


def _kelvin(name: str, scale: str) -> Tree:
    if scale == CELSIUS:
        return Binary("+", Name(name), ZERO)
    return Binary("/", Binary("+", Name(name), Number(459.67)), Number(1.8))


def _is_ratio(part: Tree, points: list[str]) -> bool:
    """A quotient by a point, a power of one, or a function of one: these have no meaning in °C."""
    if isinstance(part, Binary) and part.operator == "/":
        return _factor(part.right, points)
    if isinstance(part, Binary) and part.operator == "^":
        return _factor(part.left, points)
    return (
        isinstance(part, Call) and part.function in ("sqrt", "exp", "ln", "log") and _factor(part.arguments[0], points)
    )


def _factor(tree: Tree, points: list[str]) -> bool:
    """Whether a point is the tree, or one of its factors: not within a sum or a difference."""
    if isinstance(tree, Name):
        return tree.name in points
    return (
        isinstance(tree, Binary) and tree.operator in ("*", "/", "^") and any(_factor(p, points) for p in parts(tree))
    )


def _only_differences(tree: Tree, points: list[str]) -> bool:
    """Whether each point stands in a difference of two: T2 - T1 is the same in °C and in K."""
    if isinstance(tree, Name):
        return tree.name not in points
    if isinstance(tree, Binary) and tree.operator == "-" and all(isinstance(part, Name) for part in parts(tree)):
        return all(name in points for name in names_of(tree)) or not set(names_of(tree)) & set(points)
    return all(_only_differences(part, points) for part in parts(tree))


def _is_absolute(tree: Tree) -> bool:
    return any(low < abs(number) < high for number in _numbers(tree) for low, high in _ABSOLUTE)


def _has_zero(tree: Tree) -> bool:
    """Whether the rule converts itself: T + 273."""
    return any(273 <= abs(number) <= 273.16 or 459 <= abs(number) <= 460 for number in _numbers(tree))


def _numbers(tree: Tree) -> Iterator[float]:
    return (part.value for part in walk(tree) if isinstance(part, Number))
