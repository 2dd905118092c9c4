"""One conversion before executing: degrees, temperatures, per cent and logarithms as the formula takes them.

    sin(theta), theta = 30°              sin(radians(theta)); theta = atan(y / x) in °: degrees(atan(y / x))
    sin(theta), theta = 30               nobody says of what: no value beyond a whole turn of radians; so of sin(45)
    1 - T_cold / T_hot in °C             (T + 273.15) in both; a sum of points and 1.8 T + 32 are right in °C
    n * 8.314 * T / V                    T + 273.15: the gas constant, Boltzmann's and Stefan's are per kelvin
    m * c * T in °C                      as it is where c is per °C; else open: a point, or a difference
    price * rate of 20 %                 rate / 100; price + rate, 72 / rate: open
    pH = -log(h), L in dB                log10; n = log(F / P) / log(1 + r) is the same in every base; else open

What is open has no value and a message. What a node is in follows from its known, its declared unit or its own rule.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from trueness.patterns import late
from trueness.reasoning.graph import ReasoningGraph
from trueness.reasoning.trees import (
    CONSTANTS,
    Binary,
    Call,
    Name,
    Negative,
    Number,
    Tree,
    agree,
    count_names,
    evaluate,
    parts,
    replace_names,
    walk,
    with_parts,
)  # fmt: skip

Converter = Callable[[str, Tree], tuple[Tree | None, str]]
ZERO, ONE, HUNDRED = Number(273.15), Number(1.0), Number(100.0)


def converted(graph: ReasoningGraph, trees: Mapping[str, Sequence[Tree]]) -> Converter:
    """(effect, tree) -> the tree with angles and temperatures in one unit, or why there is none."""
    angles, temperatures = _Angles(graph, trees), _Temperatures(graph, trees)

    def convert(effect: str, tree: Tree) -> tuple[Tree | None, str]:
        with_angles = angles.of(effect, tree)
        if with_angles is None:
            return None, f"rule of '{effect}' takes an angle that may be in degrees or in radians. Give it a unit."
        try:
            return temperatures.of(effect, with_angles), ""
        except _Ambiguous as error:
            return None, f"rule of '{effect}': {error}"

    return convert


def names_of(tree: Tree) -> list[str]:
    return [part.name for part in walk(tree) if isinstance(part, Name)]


def _numbers(tree: Tree) -> Iterator[float]:
    return (part.value for part in walk(tree) if isinstance(part, Number))


# ---- angles

_DEGREES = frozenset(("°", "deg", "degs", "degree", "degrees"))
_FACTORS = (math.pi, math.degrees(1), math.radians(1))  # also as 3.14, 57.3 and 0.0175
_TAKE_RADIANS, _GIVE_RADIANS = ("sin", "cos", "tan"), ("asin", "acos", "atan")


class _Angles:
    """Which nodes of a graph are in degrees."""

    def __init__(self, graph: ReasoningGraph, trees: Mapping[str, Sequence[Tree]]):
        self.units = {node: graph.unit_of(node) for node in graph.nodes}
        self.knowns = graph.knowns
        self.degrees = {node for node, unit in self.units.items() if unit in _DEGREES}
        for _ in range(2):  # a sum of degrees is in degrees, wherever its rule stands in the list
            for effect, of_effect in trees.items():
                sums = (tree for tree in of_effect if names_of(tree) and {*names_of(tree)} <= self.degrees)
                if self.units.get(effect) is None and any(map(_is_linear, sums)):
                    self.degrees.add(effect)

    def of(self, effect: str, tree: Tree) -> Tree | None:
        """The tree of an effect, in its unit; None where that is not clear."""
        taken = self.in_radians(tree)
        if taken is None or self._measures(effect, tree):
            return None
        in_degrees = effect in self.degrees and not _turns(tree) and "pi" not in count_names(tree)
        return _given_in_degrees(taken) if in_degrees else taken

    def _measures(self, effect: str, tree: Tree) -> bool:
        """Whether degrees stand outside of sin, cos and tan in what is no sum of angles: r theta needs radians."""
        outside = _outside(tree)
        if not outside & self.degrees or _turns(tree):
            return False
        angle = effect in self.degrees or self.units.get(effect) is None
        return "pi" in outside if angle else not {180.0, 360.0} & {*_numbers(tree)} and "pi" not in outside

    def in_radians(self, tree: Tree) -> Tree | None:
        """The tree with angles as its functions take them; None where that is not clear."""
        if isinstance(tree, Call) and tree.function in _TAKE_RADIANS and len(tree.arguments) == 1:
            return self._call_in_radians(tree, tree.arguments[0])
        below = [self.in_radians(part) for part in parts(tree)]
        whole = [part for part in below if part is not None]
        return with_parts(tree, whole) if len(whole) == len(below) else None

    def _call_in_radians(self, call: Call, angle: Tree) -> Tree | None:
        names = set(count_names(angle))
        if "pi" in names or _turns(angle):
            return call
        with suppress(ArithmeticError, ValueError):
            if not names and abs(evaluate(angle, {})) > 2 * math.pi:  # sin(45): degrees, or 45 radians?
                return None
        if degrees := names & self.degrees:
            alone = degrees == names - set(CONSTANTS)
            return Call(call.function, (Call("radians", (angle,)),)) if alone else None
        known = [self.knowns[name] for name in names if name in self.knowns]
        bare = [one.value for one in known if one.value is not None and one.unit is None]
        alone = len(names - set(CONSTANTS)) == 1  # 2 theta; of omega t nobody says which is an angle
        return None if alone and any(abs(value) > 2 * math.pi for value in bare) else call


def _given_in_degrees(tree: Tree) -> Tree:
    """With degrees(...) around what gives radians."""
    made = with_parts(tree, [_given_in_degrees(part) for part in parts(tree)])
    return Call("degrees", (made,)) if isinstance(tree, Call) and tree.function in _GIVE_RADIANS else made


def _outside(tree: Tree) -> set[str]:
    """Names that stand in no sin, cos or tan."""
    if isinstance(tree, Name):
        return {tree.name}
    inside = isinstance(tree, Call) and tree.function in (*_TAKE_RADIANS, "radians")
    return set() if inside else {name for part in parts(tree) for name in _outside(part)}


def _is_linear(tree: Tree) -> bool:
    """Sums, and products with a number."""
    if isinstance(tree, Binary) and tree.operator in "*/":
        if not isinstance(tree.right, Number) and not (tree.operator == "*" and isinstance(tree.left, Number)):
            return False
    linear = isinstance(tree, Number | Name | Negative) or (isinstance(tree, Binary) and tree.operator in "+-*/")
    return linear and all(map(_is_linear, parts(tree)))


def _turns(tree: Tree) -> bool:
    """Whether the rule itself turns degrees into radians."""
    factors = any(abs(number / factor - 1) < 0.01 for number in _numbers(tree) for factor in _FACTORS)
    return factors or any(isinstance(part, Call) and part.function == "radians" for part in walk(tree))


# ---- temperatures

_KELVIN, _CELSIUS, _FAHRENHEIT = "K", "°C", "°F"
_SCALES = {
    _KELVIN: late(r"(?:deg\s*)?K|°K|kelvins?", re.IGNORECASE),
    _CELSIUS: late(r"°\s?C|℃|deg\s?C|(?:deg(?:rees?)?\s)?celsius|degree_celsius", re.IGNORECASE),
    _FAHRENHEIT: late(r"°\s?F|℉|deg\s?F|(?:deg(?:rees?)?\s)?fahrenheit|degree_fahrenheit", re.IGNORECASE),
}
_BARE = {"C": _CELSIUS, "F": _FAHRENHEIT}  # coulomb and farad, but not of what is called a temperature
_PER_KELVIN = late(r"(?<![A-Za-z°])K(?![A-Za-z])|kelvin", re.IGNORECASE)
_PER_CELSIUS = late(r"°\s?C|℃|deg_?C|celsius")
_DIFFERENCE = late(r"delta|Δ|\bd_?T|chang|ris[ei]|rais|drop|diff|increas|decreas|interval|gradient|fall", re.I)
_POINT = late(r"temp|^(?:T|θ|theta)(?:[chfi]|cold|hot|in|out)?(?:[_\d₀-₉]|$)")
_CONSTANT = late(r"^(?:R|k|k_?B|sigma|σ)$|\bgas|boltzmann|stefan", re.IGNORECASE)
_ABSOLUTE = ((8.2, 8.4), (0.0820, 0.0822), (62.3, 62.4), (1.37e-23, 1.39e-23), (5.6e-8, 5.7e-8), (1.98, 1.99))


class _Ambiguous(Exception):
    """A point or a difference of temperature: nobody says which."""


def is_difference(tree: Tree) -> bool:
    return any(_DIFFERENCE.search(name) for name in names_of(tree))


def _scale(name: str, unit: str | None) -> str | None:
    """The scale that a unit names, if it is one of temperature."""
    text = (unit or "").strip()
    if text in _BARE:
        return _BARE[text] if _POINT.search(name) else None
    return next((scale for scale, pattern in _SCALES.items() if pattern.fullmatch(text)), None)


class _Temperatures:
    """The scales of nodes; those whose unit has K, or °C, among others (J/(mol K)); constants that are per kelvin,
    whatever their unit says (R, of 8.314)."""

    def __init__(self, graph: ReasoningGraph, trees: Mapping[str, Sequence[Tree]]):
        units = {node: graph.unit_of(node) for node in graph.nodes}
        self.declared = {node: scale for node, unit in units.items() if (scale := _scale(node, unit)) is not None}
        self.scales = dict(self.declared)
        others = {node: unit for node, unit in units.items() if unit and node not in self.declared}
        self.per_kelvin = {node for node, unit in others.items() if _PER_KELVIN.search(unit)}
        self.per_celsius = {node for node, unit in others.items() if _PER_CELSIUS.search(unit)}
        values = {node: known.value or 0.0 for node, known in graph.knowns.items() if _CONSTANT.search(node)}
        self.constants = {node for node, value in values.items() if node in self.per_kelvin or _is_gas_constant(value)}
        for _ in range(2 if set(self.declared.values()) - {_KELVIN} else 0):  # a node between has the scale of its rule
            for effect, of_effect in trees.items():
                for tree in of_effect:
                    with suppress(_Ambiguous):
                        if (scale := self._gives(effect, tree, self.in_kelvin(tree))) is not None:
                            self.scales.setdefault(effect, scale)

    def of(self, effect: str, tree: Tree) -> Tree:
        """The tree with points in kelvin where it needs them, its result in the scale that is declared."""
        declared = self.declared.get(effect)
        if not set(self.declared.values()) - {_KELVIN}:
            return tree
        made = self.in_kelvin(tree)
        gives = self._gives(effect, tree, made)
        if _has_zero(tree) or declared in (None, gives):
            return made
        if (made != tree and gives is not None) or (gives is None and declared == _CELSIUS and _is_absolute(tree)):
            raise _Ambiguous(f"it gives {_KELVIN} and is declared in {declared}. Give it in K.")
        if gives is None or {gives, declared} == {_KELVIN, _CELSIUS}:
            return made if gives is None else Binary("+" if declared == _KELVIN else "-", made, ZERO)
        raise _Ambiguous(f"it gives {gives} and is declared in {declared}. Give it in K.")

    def in_kelvin(self, tree: Tree) -> Tree:
        """The rule with points in kelvin where it needs them; _Ambiguous in one line where it does not say."""
        names = set(names_of(tree))
        others = sorted(name for name in names if self.scales.get(name, _KELVIN) != _KELVIN)
        if not others or _has_zero(tree):
            return tree
        scales = {self.scales[name] for name in names if name in self.scales}
        points = [name for name in others if not _DIFFERENCE.search(name)]
        ratio = any(_is_ratio(part, points) for part in walk(tree))
        needs_kelvin = bool(_is_absolute(tree) or self.constants & names or ratio or len(scales) > 1)
        if not needs_kelvin and not (_FAHRENHEIT in scales and self.per_kelvin & names):
            if not points or self.per_celsius & names or _has_one_scale(tree, points):
                return tree
        name = (points or others)[0]
        if not needs_kelvin or not all(_POINT.search(one) and self.scales[one] == _CELSIUS for one in points or others):
            scale = self.scales[name]
            raise _Ambiguous(f"'{name}' is in {scale}, and may be a point or a difference. Give it in K.")
        return replace_names(tree, {name: Binary("+", Name(name), ZERO) for name in points})

    def _gives(self, effect: str, tree: Tree, made: Tree) -> str | None:
        """The scale of what raises by one where all points do; kelvin of a point that kelvin give; else none."""
        if made != tree:
            return _KELVIN if _POINT.search(effect) and not _DIFFERENCE.search(effect) else None
        points = [name for name in names_of(tree) if name in self.scales and not _DIFFERENCE.search(name)]
        raised = replace_names(tree, {name: Binary("+", Name(name), ONE) for name in points})
        scales = {self.scales[name] for name in points}
        return scales.pop() if len(scales) == 1 and agree(raised, Binary("+", tree, ONE)) else None


def _has_one_scale(tree: Tree, points: list[str]) -> bool:
    """Whether a rule is right in °C: it makes a point or a difference of points, or has numbers alone beside them and a
    zero of its own (1.8 T + 32)."""
    raised = replace_names(tree, {name: Binary("+", Name(name), ONE) for name in points})
    if agree(raised, tree) or agree(raised, Binary("+", tree, ONE)):
        return True
    if set(names_of(tree)) <= set(points):
        return not agree(replace_names(tree, dict.fromkeys(points, Number(0.0))), Number(0.0))
    scaled = (part for part in walk(tree) if isinstance(part, Binary) and part.operator in "*/")
    sides = (pair for part in scaled for pair in (parts(part), parts(part)[::-1]))
    return not any(set(names_of(one)) & set(points) and names_of(other) for one, other in sides)


def _is_ratio(part: Tree, points: list[str]) -> bool:
    """A quotient by a point, a power of one, or a function of one: these have no meaning in °C."""
    if isinstance(part, Binary) and part.operator in "/^":
        return _factor(part.right if part.operator == "/" else part.left, points)
    function = isinstance(part, Call) and part.function in ("sqrt", "exp", "ln", "log")
    return function and _factor(parts(part)[0], points)


def _factor(tree: Tree, points: list[str]) -> bool:
    """Whether a point is the tree, or one of its factors: not within a sum or a difference."""
    if isinstance(tree, Name):
        return tree.name in points
    return isinstance(tree, Binary) and tree.operator in "*/^" and any(_factor(part, points) for part in parts(tree))


def _is_absolute(tree: Tree) -> bool:
    return any(map(_is_gas_constant, _numbers(tree)))


def _is_gas_constant(number: float) -> bool:
    return any(low < abs(number) < high for low, high in _ABSOLUTE)


def _has_zero(tree: Tree) -> bool:
    """Whether the rule converts itself: T + 273."""
    return any(273 <= abs(number) <= 273.16 or 459 <= abs(number) <= 460 for number in _numbers(tree))


# ---- per cent


def with_shares(tree: Tree, percents: frozenset[str], gives_percent: bool) -> Tree | None:
    """The tree over numbers as they are given, a percentage as a share; None where it is not clear what one means.

    price * (1 - d / 100) and (100 - d) / 100 * p convert themselves; for an effect in % the shares are made hundreds.
    """
    names = frozenset(count_names(tree)) - set(CONSTANTS)
    used, has_hundred = percents & names, HUNDRED in walk(tree)
    if not used:
        ratio = agree(tree, replace_names(tree, _shares(names)))
        return None if gives_percent and ratio and not has_hundred else tree  # profit / revenue: 0.25 or 25
    if used == names and agree(tree, Binary("*", HUNDRED, replace_names(tree, _shares(names)))):
        return tree  # 20 % + 30 % are 50 %
    in_ones = _by_one(replace_names(tree, _shares(used)))
    if has_hundred and agree(tree, Binary("*", HUNDRED, in_ones) if gives_percent else in_ones):
        return tree
    if gives_percent:
        return None if has_hundred else Binary("*", HUNDRED, replace_names(tree, _shares(used)))
    return _as_shares(tree, used) if _multiplies(tree, used) else None


def _shares(names: frozenset[str]) -> dict[str, Tree]:
    return {name: Binary("/", Name(name), HUNDRED) for name in names}


def _as_shares(tree: Tree, names: frozenset[str]) -> Tree:
    """Each as a share, but where the rule divides it by 100 itself."""
    if isinstance(tree, Binary) and tree.operator == "/" and tree.right == HUNDRED and isinstance(tree.left, Name):
        return tree
    if isinstance(tree, Binary) and tree.left == HUNDRED and tree.operator in "+-" and _is_share(tree.right, names):
        return tree  # 100 - discount
    if _is_share(tree, names):
        return Binary("/", tree, HUNDRED)
    return with_parts(tree, [_as_shares(part, names) for part in parts(tree)])


def _multiplies(tree: Tree, names: frozenset[str]) -> bool:
    """Whether each is a factor, or added to 1 or to others: never to an amount, nor below a number."""
    if isinstance(tree, Binary) and tree.operator in "+-":
        bare = [side for side in parts(tree) if _is_share(side, names)]
        if bare and any(side not in (*bare, ONE, HUNDRED) for side in parts(tree)):
            return False
    if isinstance(tree, Binary) and tree.operator == "/" and isinstance(tree.left, Number):
        if _is_share(tree.right, names):
            return False  # 72 / rate
    return all(_multiplies(part, names) for part in parts(tree))


def _is_share(tree: Tree, names: frozenset[str]) -> bool:
    return isinstance(tree, Name) and tree.name in names


def _by_one(tree: Tree) -> Tree:
    """Of p / 100 with 1 in the place of the rule's own hundreds: those that _shares made are kept."""
    if isinstance(tree, Binary) and tree.operator == "/" and tree.right == HUNDRED and isinstance(tree.left, Name):
        return tree
    return ONE if tree == HUNDRED else with_parts(tree, [_by_one(part) for part in parts(tree)])


# ---- logarithms

_OF_TEN = late(r"(?<![^\W_])p(?:H|OH|K[ab]?)(?![a-z])|decibel|\bdB\b")


def with_base(tree: Tree, context: str) -> Tree | None:
    """The tree with a base for each log; None where that is not clear. `context`: the rule and its names."""
    of_ten, natural = _with_log(tree, "log10"), _with_log(tree, "ln")
    if of_ten == natural or _OF_TEN.search(context):
        return of_ten
    return natural if agree(of_ten, natural) else None


def _with_log(tree: Tree, function: str) -> Tree:
    below = [_with_log(part, function) for part in parts(tree)]
    open_base = isinstance(tree, Call) and tree.function == "log" and len(below) == 1
    return Call(function, tuple(below)) if open_base else with_parts(tree, below)
