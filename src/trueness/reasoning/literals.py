"""Units that stand inside a rule: `t = 2 km / v`, `F = m * 9.8 m/s^2`, `convert 90 km/h to m/s`.

    factor(km/h -> m/s) = (1000 / 3600) / 1

A number with a unit is the number as it is written where the rule has one unit per kind (2 km beside 4 km/h); in SI
where every cause is in SI (2 km beside 5 m/s is 2000); anything else is not read. A name of the graph is no unit, and
one letter is one only where nothing else can be meant:

    E = 5 V * I, d = d_0 + 5 m for a d_0 in m         a unit: apart from its number, between signs
    F = 2 m a, P = 2L + 2W, KE = 0.5m * v^2           a quantity: near its number, or beside other letters
    KE = 0.5 m * v^2, y = 3 s + 2 m                   open: there a rule has no value

The table is small and our own: pint is an extra, and text of strangers is not for its reader.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from trueness.patterns import late

_SIZES: Mapping[str, Mapping[str, float]] = {  # kind -> unit -> how many of SI's it is
    "length": {"m": 1, "km": 1e3, "cm": 1e-2, "mm": 1e-3, "μm": 1e-6, "nm": 1e-9, "metre": 1, "meter": 1,
               "kilometre": 1e3, "kilometer": 1e3, "centimetre": 1e-2, "centimeter": 1e-2, "millimetre": 1e-3,
               "millimeter": 1e-3, "inch": 0.0254, "inche": 0.0254, "ft": 0.3048, "foot": 0.3048, "feet": 0.3048,
               "yard": 0.9144, "mile": 1609.344},
    "time": {"s": 1, "ms": 1e-3, "min": 60, "h": 3600, "hr": 3600, "sec": 1, "second": 1, "minute": 60, "hour": 3600,
             "day": 86400, "week": 604800, "millisecond": 1e-3, "microsecond": 1e-6},
    "months": {"month": 1, "year": 12},
    "mass": {"kg": 1, "g": 1e-3, "mg": 1e-6, "kilogram": 1, "gram": 1e-3, "milligram": 1e-6, "tonne": 1e3,
             "ounce": 0.028349523125, "pound": 0.45359237},
    "volume": {"L": 1e-3, "litre": 1e-3, "liter": 1e-3, "mL": 1e-6, "ml": 1e-6, "millilitre": 1e-6, "milliliter": 1e-6},
    "money": {"dollar": 1, "cent": 0.01},
    "current": {"A": 1, "mA": 1e-3, "ampere": 1, "amp": 1, "milliampere": 1e-3, "milliamp": 1e-3},
    "temperature": {"K": 1}, "amount": {"mol": 1},
    "energy": {"J": 1, "kJ": 1e3, "joule": 1, "kilojoule": 1e3}, "force": {"N": 1, "kN": 1e3, "newton": 1},
    "power": {"W": 1, "kW": 1e3, "watt": 1, "kilowatt": 1e3},
    "pressure": {"Pa": 1, "kPa": 1e3, "MPa": 1e6, "pascal": 1}, "charge": {"C": 1, "coulomb": 1},
    "voltage": {"V": 1, "kV": 1e3, "volt": 1, "kilovolt": 1e3},
    "frequency": {"Hz": 1, "kHz": 1e3}, "resistance": {"Ω": 1, "ohm": 1}, "field": {"T": 1},
    "percent": {"percentage": 0.01, "percent": 0.01, "decimal": 1, "fraction": 1},
}  # fmt: skip
_KINDS = {name: (kind, size) for kind, sizes in _SIZES.items() for name, size in sizes.items()}
_BASES = frozenset(("length", "time", "mass", "temperature", "amount", "current", "months", "money", "percent"))
_FACTOR = r"[A-Za-zμΩ]+(?:\s?\^?\s?[-−]?\d(?![\d.]))?"
_PART = late(r"([A-Za-zμΩ]+)(?:\s?\^?\s?([-−]?\d))?")
_NUMBER = r"(?P<number>(?:\d+(?:\.\d+)?\s?[x×*·]\s?)?10\s?\^\s?\(?[-−]?\d+\)?|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
_UNIT = rf"{_FACTOR}(?:\s{_FACTOR}){{1,3}}/{_FACTOR}|{_FACTOR}(?:[/·]{_FACTOR})*"  # N m^2/kg^2
_LITERAL = late(rf"(?<![\w.^]){_NUMBER}\s*(?P<unit>{_UNIT})")
_TEN = late(r"\s?[x×*·]\s?10\s?\^\s?\(?|^10\s?\^\s?\(?")
_COEFFICIENTS = frozenset((0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0))  # of formulas: 1/2 m v^2, 4 pi r^2
_RATES = frozenset(("m/s", "m/s^2", "m/s2"))  # nobody means m / s beside a mass m


class UnitSize(NamedTuple):
    """How often each kind stands in it, its size in SI, and the names of its parts."""

    kinds: tuple[tuple[str, int], ...]
    size: float
    names: frozenset[tuple[str, str]]  # kind, name


def read_unit(text: str) -> UnitSize | None:
    """`km/h`, `m/s^2`, `hours`; None where a part is not known."""
    kinds: Counter[str] = Counter()
    size, names = 1.0, set()
    for place, side in enumerate(re.sub(r"[()]", "", text.replace("²", "^2").replace("³", "^3")).split("/")):
        for part in re.split(r"[·*\s]+", side.strip()):
            match = _PART.fullmatch(part)
            name = match[1] if match else ""
            known = next((form for form in (name, name.removesuffix("s"), name.lower()) if form in _KINDS), None)
            if match is None or known is None:
                return None
            power = int((match[2] or "1").replace("−", "-")) * (-1 if place else 1)
            kind, of_si = _KINDS[known]
            kinds[kind] += power
            size *= of_si**power
            names.add((kind, known))
    return UnitSize(tuple(sorted((kind, power) for kind, power in kinds.items() if power)), size, frozenset(names))


def kinds_of(text: str) -> dict[str, str]:
    """Kind -> name of the parts of a unit that are known: L·atm/(mol·K) has a volume in L."""
    parts = (match[1] for match in _PART.finditer(text))
    return {_KINDS[name][0]: name for part in parts for name in (part, part.removesuffix("s")) if name in _KINDS}


def size_of(name: str) -> float:
    """How many of SI's a unit is."""
    return _KINDS[name][1]


Standing = Literal["unit", "open", "quantity"]


def standing_of(letter: str, text: str, names: Sequence[str], units: Sequence[str | None]) -> Standing:
    """What a letter behind a number is where it stands so; the least certain of its places counts.

    names: of causes and effect, as they stand in a rule; units: of the causes."""
    ways = {
        _standing(match, names, units) for match in _LITERAL.finditer(text) if letter in _PART.findall(match["unit"])[0]
    }
    return "quantity" if not ways or "quantity" in ways else "open" if "open" in ways else "unit"


def _standing(match: re.Match[str], names: Sequence[str], units: Sequence[str | None]) -> Standing:
    """What stands behind one number."""
    text, parts = match.string, [part[0] for part in _PART.findall(match["unit"])]
    if len(parts) > 1 or len(parts[0]) > 1:
        other = set(parts) & set(names) and match["unit"].replace(" ", "") not in _RATES
        return "quantity" if other and max(map(len, parts)) == 1 else "unit"
    before, behind = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    near = match.end("number") == match.start("unit")
    coefficients = set(names) & {unit for _, unit in _LITERAL.findall(text)} - {match["unit"]}  # P = 2 L + 2 W, of L
    if near or coefficients or re.match(r"[\w(√\\^]", behind):
        return "quantity"
    if before[-1:] in "=+-−" and behind[:1] in ("", "+", "-", "−", ")", ",", ";"):  # a sum: of what is in this unit
        return "unit" if match["unit"] in units else "open"
    counted = _value(match["number"])
    certain = counted not in _COEFFICIENTS and (counted > 12 or any(units))
    return "unit" if certain else "open"


def _value(number: str) -> float:
    return float(_TEN.sub("e" if number[:2] != "10" or "e" in number else "1e", number).strip(" )").replace("−", "-"))
