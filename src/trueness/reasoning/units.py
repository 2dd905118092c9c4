"""Units: does each rule give what its effect is said to be, and the answer in the unit that was asked for?

    unit(x * y) = unit(x) unit(y),   unit(x^n) = unit(x)^n,   x + y, max(x, y): one dimension,   exp(x): none

A rule is computed with the numbers as they are written. Where its unit differs from the declared one by a factor only
(36 km/h for 10 s declared in m), or has one kind in two units (km beside m), the numbers must be converted first:
`mixed`. A mismatch is a label and a message, never an error: numbers in a rule may carry units of their own
(W = 9.81 * m), and such a rule is not judged. 20 °C is a point of its scale in a known, a difference in a product
(J/(kg °C), m * c * T) and between two points; where a conversion would have to know which is meant, there is none.
pint knows the units (extra `reasoning`); without it nothing is checked, and only a conversion that is needed raises.
What pint cannot do (another zero, logarithms, numbers out of range) is None, in one place: `_by_pint`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from threading import Lock
from tokenize import TokenError
from typing import TYPE_CHECKING, Literal, TypeVar

from trueness.errors import MissingExtra
from trueness.patterns import late
from trueness.reasoning.conversion import HUNDRED, ZERO, is_difference
from trueness.reasoning.graph import Quantity, ReasoningGraph
from trueness.reasoning.rules import rules_of
from trueness.reasoning.trees import (
    Binary,
    Name,
    Negative,
    Number,
    Tree,
    count_names,
    parts,
    walk,
)

if TYPE_CHECKING:
    import pint
    from pint.facets.plain import PlainUnit

    Units = Mapping[str, PlainUnit | None]  # None: not known

Agreement = Literal["agrees", "mixed", "mismatch", "unchecked"]
Made = TypeVar("Made")

MIXES = "its rules mix units of one kind (km and m), and a unit on the way or of the answer is not known. Give all."
NOT_TOGETHER = "its units cannot be brought together: what is in °C may be a point or a difference. Give it in K."

_IN_PINT = {"$": "USD", "€": "EUR", "£": "GBP", "%": "percent", "°C": "degC", "°F": "degF", "Ω": "ohm", "°": "degree"}
_IN_PINT |= {"Δ°C": "delta_degC", "Δ°F": "delta_degF"}
_IN_PINT |= dict.fromkeys("item items unit units person people piece pieces each count".split(), "dimensionless")
_POINTS = {f"degree_{name}": f"delta_degree_{name}" for name in ("Celsius", "Fahrenheit", "Reaumur")}
_CURRENCIES = ("USD", "EUR", "GBP", "JPY", "CHF")
_making = Lock()
_PART = late(r"(Δ?°[CF]?|[^\W\d_][^\W\d]*|[$€£%Ω])(?:\s?\^?\s?([-+]?\d{1,2}(?:\.\d{1,3})?))?|\)\s?\^\s?([-+]?\d{1,2})")
_REST, _JOINED = late(r"1|(?:1\s?/)?[()*/u ]*"), late(r"(?<=[\w)])\s*(?=\()")
_SIGNS = str.maketrans({**{sup: f"{digit}" for digit, sup in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}, "⁻": "-", "·": "*", "×": "*"})


@dataclass(frozen=True)
class UnitCheck:
    """One rule: the unit it gives, the one that was declared, and whether they agree."""

    effect: str
    agreement: Agreement
    derived: str | None = None
    declared: str | None = None
    message: str = ""
    has_kind_twice: bool = False  # km m, or km/m


class _NotOneUnit(Exception):
    """Two dimensions where there must be one (mismatch), one in two units (mixed), or a unit that is not known."""

    def __init__(self, agreement: Agreement, message: str = ""):
        super().__init__(message)
        self.agreement = agreement


# ---- the rules of a graph


def check_units(graph: ReasoningGraph) -> tuple[UnitCheck, ...]:
    """Each executable rule, causes before effects; nothing where no unit is given or pint is not installed."""
    has_units = bool(graph.units) or any(known.unit for known in graph.knowns.values())
    if not has_units or graph.order is None or _registry() is None:
        return ()
    rules, checks = rules_of(graph), []
    trees = [rule.tree for ways in rules.values() for rule in ways if rule.tree is not None]
    units = _known_units(graph, trees)
    percents = {name for name, known in graph.knowns.items() if known.unit in ("%", "percent")}
    for node in graph.order:
        rule = next((rule for rule in rules.get(node, ()) if rule.tree is not None), None)
        if rule is not None and rule.tree is not None:
            declared = graph.unit_of(node)
            # t * 60, m * 9.81: the number may convert or carry a unit, and what comes out has one that nobody says
            if rule.units_inside or (not declared and _converts(rule.tree, percents)):
                check, unit = UnitCheck(node, "unchecked", None, declared), _unit(declared)
            else:
                check, unit = _check_rule(node, rule.tree, units, declared)
            checks.append(check)
            units.setdefault(node, unit)
    return tuple(checks)


def mixes(graph: ReasoningGraph) -> bool:
    """Whether its knowns must be brought to one unit of each kind before the number of its target means anything."""
    checks = check_units(graph)
    open_target = not graph.unit_of(graph.target) and all(
        one.derived is None for one in checks if one.effect == graph.target
    )
    return any(
        one.agreement == "mixed" or (one.has_kind_twice and (open_target or one.effect == graph.target))
        for one in checks
    )


def coherent(graph: ReasoningGraph) -> ReasoningGraph | None:
    """The same graph with every known in SI base units, for rules that mix km and m; MissingExtra without pint.

    None where a known cannot be converted: T2 - T1 is the same in °C and K, every other use of T is not.
    """
    _require_registry("converting units")
    trees = [rule.tree for ways in rules_of(graph).values() for rule in ways if rule.tree is not None]
    points = {name for name, known in graph.knowns.items() if str(_unit(known.unit)) in _POINTS}
    if any(_is_a_point(tree, points) for tree in trees):
        return None
    knowns = {}
    for name, known in graph.knowns.items():
        unit = _unit(known.unit)
        base = known if unit is None or known.value is None else _in_base_units(known.value, unit, known.text)
        if base is None:
            return None
        knowns[name] = base
    return replace(graph, knowns=knowns, units={})


def _in_base_units(value: float, unit: PlainUnit, text: str) -> Quantity | None:
    def convert() -> Quantity:
        base = _require_registry().Quantity(value, unit).to_base_units()
        return Quantity(float(base.magnitude), f"{base.units:~C}" or None, text)

    return _by_pint(convert)


def _is_a_point(tree: Tree, points: set[str]) -> bool:
    """Whether a name in °C stands anywhere but in a difference of two."""
    if isinstance(tree, Name):
        return tree.name in points
    inner = [_is_a_point(part, points) for part in parts(tree)]
    if isinstance(tree, Binary) and tree.operator == "-" and isinstance(tree.left, Name) and all(inner):
        return not isinstance(tree.right, Name)
    return any(inner)


def _known_units(graph: ReasoningGraph, trees: Sequence[Tree]) -> dict[str, PlainUnit | None]:
    """Units of the knowns; a known without one is unknown, not dimensionless. 40 % that a rule divides by 100 is 40."""
    divided = {part.left for tree in trees for part in walk(tree) if isinstance(part, Binary) and part.operator == "/"
               and part.right == HUNDRED}  # fmt: skip
    units = {name: _unit(known.unit) for name, known in graph.knowns.items()}
    counted = {name for name, known in graph.knowns.items() if known.unit in ("%", "percent") and Name(name) in divided}
    return units | {name: _pint_unit("dimensionless") for name in counted}


def _check_rule(node: str, tree: Tree, units: Units, declared: str | None) -> tuple[UnitCheck, PlainUnit | None]:
    wanted = _unit(declared)
    try:
        derived = _unit_of(tree, units)
    except _NotOneUnit as error:
        message = f"units in the rule of '{node}': {error}" if str(error) else ""
        return UnitCheck(node, error.agreement, None, declared, message), wanted
    shown = _unit_text(derived) or "1"
    message = f"the rule of '{node}' gives {shown}, but it is declared in {declared}"
    if wanted is None:
        agreement: Agreement = "unchecked" if declared else "agrees"
        return UnitCheck(node, agreement, shown, declared, has_kind_twice=_has_kind_twice(derived)), derived
    if derived.dimensionality != wanted.dimensionality:
        if _carries(tree):
            return UnitCheck(node, "unchecked", shown, declared), wanted
        return UnitCheck(node, "mismatch", shown, declared, f"{message}."), wanted
    factor = _factor(derived, wanted)
    if factor is None or abs(factor - 1) < 1e-9 or _carries(tree, any_number=True):
        return UnitCheck(node, "agrees", shown, declared), wanted
    return UnitCheck(node, "mixed", shown, declared, f"{message} (factor {factor:g})."), wanted


def _has_kind_twice(unit: PlainUnit) -> bool:
    """Whether one kind stands in it in two units: g km^3/cm^3, or sqrt(g m^3/N)/s, which is a length."""
    names = list(dict(unit._units))
    kinds = {str(_pint_unit(name).dimensionality) for name in names}
    return len(kinds) < len(names) or (len(names) > 2 and len(names) > len(dict(unit.dimensionality)))


def _unit_of(tree: Tree, units: Units) -> PlainUnit:
    """The unit of a tree."""
    if isinstance(tree, Number):
        return _pint_unit("dimensionless")
    if isinstance(tree, Name):
        unit = units.get(tree.name, _pint_unit("dimensionless"))  # pi, e
        if unit is None:
            raise _NotOneUnit("unchecked")
        return unit
    if isinstance(tree, Negative):
        return _unit_of(tree.operand, units)
    if isinstance(tree, Binary):
        return _of_binary(tree, units)
    if tree.function in ("min", "max", "sum", "mean"):
        return _same(tree.arguments, units)
    inner = _unit_of(tree.arguments[0], units)
    if tree.function == "sqrt":
        return _make_unit(lambda: _difference(inner) ** 0.5)
    if tree.function in ("abs", "floor", "ceil", "round"):
        return inner
    if not inner.dimensionless:
        raise _NotOneUnit("mismatch", f"{tree.function}() must have a number without unit, got {_unit_text(inner)}.")
    _require_pure(inner)
    return _pint_unit("dimensionless")


def _of_binary(tree: Binary, units: Units) -> PlainUnit:
    if tree.operator in ("+", "-", "%"):
        return _of_sum(tree, units)
    try:
        left = _unit_of(tree.left, units)
    except _NotOneUnit:  # N * 0.5^(t/T), in days and hours: mixed, whatever N is
        _unit_of(tree.right, units)
        raise
    right = _unit_of(tree.right, units)
    if tree.operator in "*/":
        one, other = _difference(left), _difference(right)
        return _make_unit(lambda: one * other if tree.operator == "*" else one / other)
    if left.dimensionless and right.dimensionless:
        _require_pure(right)
        return left
    exponent = tree.right.operand if isinstance(tree.right, Negative) else tree.right
    if not isinstance(exponent, Number):
        raise _NotOneUnit("unchecked")
    power = -exponent.value if isinstance(tree.right, Negative) else exponent.value
    return _make_unit(lambda: _difference(left) ** power)


def _of_sum(tree: Binary, units: Units) -> PlainUnit:
    """T + 273.15 is in K, T - 273.15 in °C, T2 - T1 a difference; all else is in the unit of its parts."""
    unit = _same((tree.left, tree.right), units)
    if tree.right == ZERO and str(unit) in (*_POINTS, "kelvin"):
        return _pint_unit("kelvin" if tree.operator == "+" else "degC")
    between = tree.operator == "-" and count_names(tree.left) and count_names(tree.right)
    return _difference(unit) if between and not is_difference(tree) else unit


def _require_pure(unit: PlainUnit) -> None:
    """s/(kΩ μF) is a number only when its units are one: exp(-t / (R C)) has another value in each."""
    if len(dict(unit._units)) > 1 and (factor := _factor(unit, _pint_unit("dimensionless"))) is not None:
        if abs(factor - 1) > 1e-9:
            raise _NotOneUnit("mixed", f"{_unit_text(unit)} must be a number without unit.")


def _same(trees: tuple[Tree, ...], units: Units) -> PlainUnit:
    """One dimension for all; a bare number takes that of the others, since it may carry their unit."""
    derived = [_unit_of(tree, units) for tree in trees if count_names(tree)]
    if not derived:
        return _pint_unit("dimensionless")
    for other in derived[1:]:
        both = f"{_unit_text(derived[0])} and {_unit_text(other)}"
        if other.dimensionality != derived[0].dimensionality:
            raise _NotOneUnit("mismatch", f"{both} cannot be added or compared.")
        factor = _factor(other, derived[0])
        if factor is None or abs(factor - 1) > 1e-9:
            raise _NotOneUnit("mixed", f"{both} must be one unit.")
    if len(derived) < len(trees) and derived[0].dimensionless:  # 1 - v^2/c^2, of 0.6 c and 3e8 m/s
        _require_pure(derived[0])
    return derived[0]


def _converts(tree: Tree, percents: set[str]) -> bool:
    """Whether a number may carry or convert a unit: 9.81, 60, 1000, and 100 but where it makes a share of a %."""
    whole = sum(part == HUNDRED for part in walk(tree))
    of_shares = sum(part in [Binary("/", Name(name), HUNDRED) for name in percents] for part in walk(tree))
    return _carries(tree) or whole > of_shares or Number(1000.0) in walk(tree)


def _carries(tree: Tree, any_number: bool = False) -> bool:
    """Whether a number of the rule may carry a unit: 9.81 may; 2, 0.5, 100 and the zero of °C do not."""
    numbers = [part.value for part in walk(tree) if isinstance(part, Number) and part != ZERO]
    if any_number:
        return any(value not in (0.5, 0.25, 2.0, 1.0) for value in numbers)
    pure = (0.5, 0.25, 100.0, 1000.0)  # factors of formulas and of percentages, not quantities
    return any(not (value.is_integer() and abs(value) <= 12) and value not in pure for value in numbers)


# ---- values


def target_unit(graph: ReasoningGraph) -> str | None:
    """The unit of the target: as declared, or as its rules give it; None where that is not known."""
    declared = graph.unit_of(graph.target)
    if declared:
        return declared
    return next((check.derived for check in check_units(graph) if check.effect == graph.target), None)


def convert(value: float, unit: str | None, wanted: str | None) -> float | None:
    """A value in another unit; None where it has none there. Equal or missing units need no pint."""
    if not unit or not wanted or unit.replace(" ", "") == wanted.replace(" ", ""):
        return value
    registry = _require_registry(f"converting {unit} to {wanted}")
    old, new = _unit(unit), _unit(wanted)
    if old is None or new is None or old.dimensionality != new.dimensionality:
        return None
    new = _difference(new) if str(old) in _POINTS.values() else new  # a difference is one on every scale
    number = _by_pint(lambda: float(registry.Quantity(value, old).to(new).magnitude))
    return number if number is not None and math.isfinite(number) else None


def of_other_dimension(unit: str | None, wanted: str | None) -> bool:
    """Whether both are known, and no number of the one is one of the other."""
    old, new = _unit(unit), _unit(wanted)
    return old is not None and new is not None and old.dimensionality != new.dimensionality


# ---- pint


def _factor(unit: PlainUnit, wanted: PlainUnit) -> float | None:
    """How many of the wanted unit one of this is; None for scales with another zero (degC)."""
    if str(unit) == str(wanted):
        return 1.0
    registry = _require_registry()
    ends = _by_pint(lambda: [float(registry.Quantity(value, unit).to(wanted).magnitude) for value in (0.0, 1.0)])
    return ends[1] if ends is not None and ends[0] == 0 else None


def _make_unit(compute: Callable[[], PlainUnit]) -> PlainUnit:
    """A unit made of units, which pint may not know how to make."""
    unit = _by_pint(compute)
    if unit is None:
        raise _NotOneUnit("unchecked")
    return unit


def _difference(unit: PlainUnit) -> PlainUnit:
    """Of a scale with another zero the unit of differences: all that can be multiplied."""
    return _pint_unit(_POINTS.get(str(unit), unit))


def _unit_text(unit: PlainUnit) -> str:
    return _by_pint(lambda: f"{unit:~C}") or ""


def _by_pint(compute: Callable[[], Made]) -> Made | None:
    """What pint computes; None where it cannot."""
    import numpy as np
    import pint

    try:
        with np.errstate(all="ignore"):  # 0 in dB is the logarithm of 0
            return compute()
    except (pint.errors.PintError, ArithmeticError, ValueError, TypeError, AttributeError, AssertionError, TokenError):
        return None


@lru_cache(maxsize=1024)
def _unit(text: str | None) -> PlainUnit | None:
    """A unit of pint from text like `kg m^2/s^2` or `J/(kg·K)`; None where it is not known.

    The text is taken apart here, and pint sees names with one power each: 9**9**9 would hang its own reader.
    """
    if not text or len(text) > 60 or _registry() is None:
        return None
    text = text.translate(_SIGNS).replace("**", "^")
    if not _REST.fullmatch(_PART.sub(lambda match: "u" if match[1] else ")", text)):
        return None

    def in_pint(name: str | None, power: str | None, of_bracket: str | None) -> str:
        if name is None:
            return f")**{of_bracket}"
        known = _IN_PINT.get(name, _IN_PINT.get(name.lower(), name))
        known = f"delta_{known}" if text.strip() != name and known in ("degC", "degF") else known  # J/(kg °C)
        return f"({known})**{power}" if power else f"({known})"

    written = _JOINED.sub("*", _PART.sub(lambda match: in_pint(*match.groups()), text))
    return _by_pint(lambda: _require_registry().parse_units(written, as_delta=False))


def _pint_unit(unit: str | PlainUnit) -> PlainUnit:
    return _require_registry().Unit(unit)


def _registry() -> pint.UnitRegistry[float] | None:
    """The one registry of the process: units of two registries cannot meet, so threads must not make two."""
    with _making:
        return _make_registry()


@cache
def _make_registry() -> pint.UnitRegistry[float] | None:
    """pint's registry with currencies, or None where pint is not installed."""
    try:
        import pint
    except ModuleNotFoundError:
        return None
    registry: pint.UnitRegistry[float] = pint.UnitRegistry()
    for currency in _CURRENCIES:
        registry.define(f"{currency} = [{currency.lower()}]")
    return registry


def _require_registry(what: str = "units") -> pint.UnitRegistry[float]:
    registry = _registry()
    if registry is None:
        raise MissingExtra(what, "pint", "reasoning")
    return registry
