"""Units: does each rule give what its effect is said to be, and the answer in the unit that was asked for?

    unit(x * y) = unit(x) unit(y),   unit(x^n) = unit(x)^n,   x + y, max(x, y), x < y: one dimension,   exp(x): none

A rule is computed with the numbers as they are written. Where its unit differs from the declared one by a factor only
(36 km/h for 10 s declared in m), the numbers must be converted first: `mixed`. A mismatch is a label and a message,
never an error: numbers in a rule may carry units of their own (W = 9.81 * m), and such a rule is not judged.
20 °C is a point of its scale in a known, a difference in a product (J/(kg °C), m * c * T); where a conversion would
have to know which of them is meant, there is none and a sentence says so.
pint knows the units (extra `reasoning`); without it nothing is checked, and only a conversion that is needed raises.
What pint cannot do (another zero, logarithms, numbers out of range) is None, in one place: `_by_pint`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Literal, TypeVar

from trueness.errors import MissingExtra
from trueness.patterns import late
from trueness.reasoning.conversion import ZERO, is_difference
from trueness.reasoning.graph import Quantity, ReasoningGraph
from trueness.reasoning.rules import Rule, rules_of
from trueness.reasoning.trees import COMPARISONS, Binary, Call, Choice, Name, Negative, Number, Tree, parts, walk

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
_POINTS = {f"degree_{name}": f"delta_degree_{name}" for name in ("Celsius", "Fahrenheit", "Reaumur")}
_COUNTS = frozenset("item items unit units person people piece pieces each count".split())
_making = Lock()
_CURRENCIES = ("USD", "EUR", "GBP", "JPY", "CHF")
_PART = late(
    r"\s*(?:(?P<name>Δ?°[CF]?|[^\W\d_][^\W\d]*|[$€£%Ω])|(?P<power>[-+]?\d{1,2}(?:\.\d{1,3})?)|(?P<sign>\*\*|[*/^()·×]))"
)
_SUPERSCRIPT = str.maketrans({**{sup: f"^{digit}" for digit, sup in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}, "⁻": "^-"})
_PURE = frozenset((0.5, 0.25, 100.0, 1000.0))  # factors of formulas and of percentages, not quantities


@dataclass(frozen=True)
class UnitCheck:
    """One rule: the unit it gives, the one that was declared, and whether they agree."""

    effect: str
    agreement: Agreement
    derived: str | None = None
    declared: str | None = None
    message: str = ""


class _NotOneUnit(Exception):
    """Two dimensions where there must be one (mismatch), one in two units (mixed), or a unit that is not known."""

    def __init__(self, agreement: Agreement, message: str = ""):
        super().__init__(message)
        self.agreement = agreement


def check_units(graph: ReasoningGraph) -> tuple[UnitCheck, ...]:
    """Each executable rule, causes before effects; nothing where no unit is given or pint is not installed."""
    if not _has_units(graph) or graph.order is None or _registry() is None:
        return ()
    rules, checks = rules_of(graph), []
    units = _known_units(graph, rules)
    percents = {name for name, known in graph.knowns.items() if known.unit in ("%", "percent")}
    for node in graph.order:
        rule = next((rule for rule in rules.get(node, ()) if rule.tree is not None), None)
        if rule is not None and rule.tree is not None:
            declared = graph.unit_of(node)
            # t * 60, m * 9.81: the number may convert or carry a unit, and what comes out has one that nobody says
            silent = not declared and (rule.units_inside or _converts(rule.tree, percents))
            if rule.units_inside or silent:
                check, unit = UnitCheck(node, "unchecked", None, declared), _unit(declared)
            else:
                check, unit = _check_rule(node, rule.tree, units, declared)
            checks.append(check)
            units.setdefault(node, unit)
    return tuple(checks)


def coherent(graph: ReasoningGraph) -> ReasoningGraph | None:
    """The same graph with every known in SI base units, for rules that mix km and m; MissingExtra without pint.

    None where a known cannot be converted: T2 - T1 is the same in °C and K, every other use of T is not.
    """
    _require_registry("converting units")
    rules_by_effect = rules_of(graph)
    units = _known_units(graph, rules_by_effect)
    trees = [rule.tree for rules in rules_by_effect.values() for rule in rules if rule.tree is not None]
    if any(_is_a_point(tree, units) for tree in trees):
        return None
    knowns = {}
    for name, known in graph.knowns.items():
        unit = units[name]
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


def _is_a_point(tree: Tree, units: Units) -> bool:
    """Whether a name in °C stands anywhere but in a difference of two."""
    if isinstance(tree, Name):
        return str(units.get(tree.name)) in _POINTS
    inner = [_is_a_point(part, units) for part in parts(tree)]
    if isinstance(tree, Binary) and tree.operator == "-" and isinstance(tree.left, Name) and all(inner):
        return not isinstance(tree.right, Name)
    return any(inner)


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
    if str(old) in _POINTS.values():  # a difference is one on every scale
        new = _difference(new)
    number = _by_pint(lambda: float(registry.Quantity(value, old).to(new).magnitude))
    return number if number is not None and math.isfinite(number) else None


def of_other_dimension(unit: str | None, wanted: str | None) -> bool:
    """Whether both are known, and no number of the one is one of the other."""
    old, new = _unit(unit), _unit(wanted)
    return old is not None and new is not None and old.dimensionality != new.dimensionality


def in_one_unit(graph: ReasoningGraph, value: float) -> float | None:
    """The target's number for an answer without a unit: 2 km by 5 m/s are 400 s and no 0.4. None where kinds are mixed
    and the unit of the target is not known."""
    checks = check_units(graph)
    mixing = any(check.agreement == "mixed" or _mixes(_unit(check.derived)) for check in checks)
    unit = next((_unit(check.derived) for check in checks if check.effect == graph.target), None)
    if not mixing or graph.unit_of(graph.target):
        return value
    if unit is None or any(check.agreement == "mixed" for check in checks):
        return None

    def in_its_kind() -> float:
        reduced = _require_registry().Quantity(value, unit).to_reduced_units()
        return float((reduced.to_base_units() if _mixes(reduced.units) else reduced).magnitude)

    return _by_pint(in_its_kind)


def _mixes(unit: PlainUnit | None) -> bool:
    """Whether one kind stands in it in two units: g km^3/cm^3, or sqrt(g m^3/N)/s, which is a length."""
    if unit is None:
        return False
    names = list(dict(unit._units))
    kinds = [str(_pint_unit(name).dimensionality) for name in names]
    return len(set(kinds)) < len(kinds) or (len(names) > 2 and len(names) > len(dict(unit.dimensionality)))


def _has_units(graph: ReasoningGraph) -> bool:
    return bool(graph.units) or any(known.unit for known in graph.knowns.values())


def _known_units(graph: ReasoningGraph, rules: Mapping[str, tuple[Rule, ...]]) -> dict[str, PlainUnit | None]:
    """Units of the knowns; a known without one is unknown, not dimensionless. 40 % that a rule divides by 100 is 40."""
    trees = [rule.tree for ways in rules.values() for rule in ways if rule.tree is not None]
    by_hundred = {
        part.left.name
        for tree in trees
        for part in walk(tree)
        if isinstance(part, Binary)
        and (part.operator, part.right) == ("/", Number(100.0))
        and isinstance(part.left, Name)
    }
    units = {name: _unit(known.unit) if known.unit else None for name, known in graph.knowns.items()}
    counted = {name for name in by_hundred & set(units) if graph.knowns[name].unit in ("%", "percent")}
    return units | {name: _pint_unit("dimensionless") for name in counted}


def _check_rule(node: str, tree: Tree, units: Units, declared: str | None) -> tuple[UnitCheck, PlainUnit | None]:
    wanted = _unit(declared) if declared else None
    try:
        derived = _unit_of(tree, units)
    except _NotOneUnit as error:
        message = f"units in the rule of '{node}': {error}" if str(error) else ""
        return UnitCheck(node, error.agreement, None, declared, message), wanted
    shown = _unit_text(derived) or "1"
    if wanted is None:
        return UnitCheck(node, "agrees" if not declared else "unchecked", shown, declared), derived
    if derived.dimensionality != wanted.dimensionality:
        if _carries(tree):
            return UnitCheck(node, "unchecked", shown, declared), wanted
        message = f"the rule of '{node}' gives {shown}, but it is declared in {declared}."
        return UnitCheck(node, "mismatch", shown, declared, message), wanted
    factor = _factor(derived, wanted)
    if factor is None or abs(factor - 1) < 1e-9 or _carries(tree, any_number=True):
        return UnitCheck(node, "agrees", shown, declared), wanted
    message = f"the rule of '{node}' gives {shown}, but it is declared in {declared} (factor {factor:g})."
    return UnitCheck(node, "mixed", shown, declared, message), wanted


def _unit_of(tree: Tree, units: Units) -> PlainUnit:
    """The unit of a tree."""
    if isinstance(tree, Number):
        return _pint_unit("dimensionless")
    if isinstance(tree, Name):
        if tree.name not in units:
            return _pint_unit("dimensionless")  # pi, e
        unit = units[tree.name]
        if unit is None:
            raise _NotOneUnit("unchecked")
        return unit
    if isinstance(tree, Negative):
        return _unit_of(tree.operand, units)
    if isinstance(tree, Choice):
        return _same((tree.then, tree.otherwise), units)
    if isinstance(tree, Binary):
        return _of_binary(tree, units)
    return _of_call(tree, units)


def _of_binary(tree: Binary, units: Units) -> PlainUnit:
    if tree.operator in COMPARISONS:
        if tree.operator not in ("and", "or"):
            _same((tree.left, tree.right), units)
        return _pint_unit("dimensionless")
    if tree.operator in ("+", "-", "%"):
        return _of_sum(tree, units)
    try:
        left = _unit_of(tree.left, units)
    except _NotOneUnit:  # N * 0.5^(t/T), in days and hours: mixed, whatever N is
        _unit_of(tree.right, units)
        raise
    right = _unit_of(tree.right, units)
    if tree.operator == "*":
        return _make_unit(lambda: _difference(left) * _difference(right))
    if tree.operator == "/":
        return _make_unit(lambda: _difference(left) / _difference(right))
    if left.dimensionless and right.dimensionless:
        _pure(right)
        return left
    exponent = tree.right.operand if isinstance(tree.right, Negative) else tree.right
    if not isinstance(exponent, Number):
        raise _NotOneUnit("unchecked")
    power = -exponent.value if isinstance(tree.right, Negative) else exponent.value
    return _make_unit(lambda: _difference(left) ** power)


def _of_sum(tree: Binary, units: Units) -> PlainUnit:
    """T + 273.15 is in K, T - 273.15 in °C, T2 - T1 a difference; all else is in the unit of its parts."""
    unit = _same((tree.left, tree.right), units)
    if str(unit) in _POINTS:
        if tree.operator == "+" and tree.right == ZERO:
            return _pint_unit("kelvin")
        if tree.operator == "-" and not _bare(tree.left) and not _bare(tree.right) and not is_difference(tree):
            return _difference(unit)
    if tree.operator == "-" and tree.right == ZERO and str(unit) == "kelvin":
        return _pint_unit("degC")
    return unit


def _of_call(tree: Call, units: Units) -> PlainUnit:
    if tree.function in ("min", "max", "sum", "mean"):
        return _same(tree.arguments, units)
    inner = _unit_of(tree.arguments[0], units)
    if tree.function == "sqrt":
        return _make_unit(lambda: _difference(inner) ** 0.5)
    if tree.function in ("abs", "floor", "ceil", "round"):
        return inner
    if not inner.dimensionless:
        raise _NotOneUnit("mismatch", f"{tree.function}() must have a number without unit, got {_unit_text(inner)}.")
    _pure(inner)
    return _pint_unit("dimensionless")


def _pure(unit: PlainUnit) -> None:
    """s/(kΩ μF) is a number only when its units are one: exp(-t / (R C)) has another value in each."""
    if len(dict(unit._units)) > 1 and (factor := _factor(unit, _pint_unit("dimensionless"))) is not None:
        if abs(factor - 1) > 1e-9:
            raise _NotOneUnit("mixed", f"{_unit_text(unit)} must be a number without unit.")


def _same(trees: tuple[Tree, ...], units: Units) -> PlainUnit:
    """One dimension for all; a bare number takes that of the others, since it may carry their unit."""
    derived = [_unit_of(tree, units) for tree in trees if not _bare(tree)]
    if not derived:
        return _pint_unit("dimensionless")
    for other in derived[1:]:
        if other.dimensionality != derived[0].dimensionality:
            raise _NotOneUnit(
                "mismatch", f"{_unit_text(derived[0])} and {_unit_text(other)} cannot be added or compared."
            )
        factor = _factor(other, derived[0]) if str(other) != str(derived[0]) else 1.0
        if factor is None or abs(factor - 1) > 1e-9:  # None: another zero
            raise _NotOneUnit("mixed", f"{_unit_text(derived[0])} and {_unit_text(other)} must be one unit.")
    if len(derived) < len(trees) and derived[0].dimensionless:  # 1 - v^2/c^2, of 0.6 c and 3e8 m/s
        _pure(derived[0])
    return derived[0]


def _bare(tree: Tree) -> bool:
    return not any(isinstance(part, Name) for part in walk(tree))


def _converts(tree: Tree, percents: set[str]) -> bool:
    """Whether a number may carry or convert a unit: 9.81, 60, 1000, and 100 but where it makes a share of a %."""
    whole = sum(part == Number(100.0) for part in walk(tree))
    of_shares = sum(part in [Binary("/", Name(name), Number(100.0)) for name in percents] for part in walk(tree))
    return _carries(tree) or whole > of_shares or Number(1000.0) in walk(tree)


def _carries(tree: Tree, any_number: bool = False) -> bool:
    """Whether a number of the rule may carry a unit: 9.81 may; 2, 0.5, 100 and the zero of °C do not."""
    numbers = [part.value for part in walk(tree) if isinstance(part, Number) and part != ZERO]
    if any_number:
        return any(value not in (0.5, 0.25, 2.0, 1.0) for value in numbers)
    return any(not (value.is_integer() and abs(value) <= 12) and value not in _PURE for value in numbers)


def _factor(unit: PlainUnit, wanted: PlainUnit) -> float | None:
    """How many of the wanted unit one of this is; None for scales with another zero (degC)."""
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
    except (pint.errors.PintError, ArithmeticError, ValueError, TypeError, AttributeError, AssertionError):
        return None


@lru_cache(maxsize=1024)
def _unit(text: str | None) -> PlainUnit | None:
    """A unit of pint from text like `kg m^2/s^2` or `J/(kg·K)`; None where it is not known.

    The text is taken apart here, and pint sees names with one power each: 9**9**9 would hang its own reader.
    """
    if not text or len(text) > 60 or _registry() is None:
        return None
    text = text.translate(_SUPERSCRIPT).replace("^-^", "^-")
    tokens = [(match["name"], match["power"], match["sign"]) for match in _PART.finditer(text)]
    if _PART.sub("", text).strip():
        return None
    written, before = "", ""  # before: what the last token was
    for name, power, sign in tokens:
        if power and before in ("name", ")", "^"):
            written += f"**{power}"
        elif power and power != "1":  # 1/s
            return None
        elif name or sign == "(":
            written += "*" if before in ("name", ")", "power") else ""
            written += _name_in_pint(name, len(tokens)) if name else "("
        elif sign in ("^", "**") and before not in ("name", ")"):
            return None
        elif sign not in ("^", "**"):
            written += power or {"·": "*", "×": "*"}.get(sign, sign)
        before = "name" if name else "power" if power else "^" if sign == "**" else sign
        if written.count(")") > written.count("("):
            return None
    if written.count("(") > written.count(")") or before == "^":
        return None
    return _by_pint(lambda: _require_registry().parse_units(written, as_delta=False))


def _name_in_pint(name: str, n_parts: int) -> str:
    """Of several parts each is a difference: J/(kg °C)."""
    known = "dimensionless" if name.lower() in _COUNTS else _IN_PINT.get(name, name)
    return f"delta_{known}" if n_parts > 1 and known in ("degC", "degF") else known


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
