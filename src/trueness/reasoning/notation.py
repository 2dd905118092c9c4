"""What names and rules say of themselves: a unit or a symbol within a name, a constant stated beside a formula.

    Height (cm), Angle (degrees), Rate (%)          in cm, in degrees, in per cent
    Mass m (kg), Spring constant (k), v0 (m/s)      called m, k, v0
    E = m c^2, with c = 3e8 m/s                     c is 3e8 in this rule

One letter in brackets is a unit only of a name that is measured in it: Force (N), and not Displacement (s), Slope (m).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trueness.reasoning.literals import kinds_of, read_unit
from trueness.reasoning.syntax import symbol

_BRACKET = re.compile(r"^(?P<words>.*?[^\s(\[])\s*[(\[](?P<inside>[^()\[\]]{1,20})[)\]]$")
_LAST = re.compile(r"\S\s+(?P<symbol>[^\W\d](?:[\d₀-₉]{1,2}|_\w{1,4})?'*)$")
_SYMBOL = re.compile(r"[^\W\d](?:[\d₀-₉]{1,2}|_\w{1,4}|[A-Z])?'*")
_SHORT = re.compile(r"[^\W\d][\w₀-₉]{0,3}'*")
_OTHER_UNITS = re.compile(
    r"%|percent|°|deg(?:ree)?s?|°\s?[CF]|degrees? (?:celsius|fahrenheit)|rad(?:ian)?s?", re.IGNORECASE
)
_MEASURED: Mapping[str, re.Pattern[str]] = {  # what one letter in brackets is the unit of
    "m": re.compile(r"height|length|distance|width|radius|diameter|depth|altitude|thickness|perimeter|circumference"),
    "s": re.compile(r"time|duration|period"), "h": re.compile(r"time|duration"), "g": re.compile(r"mass|weight|solute"),
    "L": re.compile(r"volume|water|capacity"), "K": re.compile(r"temperature"),
    "N": re.compile(r"force|weight|tension"),
    "J": re.compile(r"energy|work|heat"), "W": re.compile(r"power"), "A": re.compile(r"current"),
    "V": re.compile(r"voltage|potential|emf"), "C": re.compile(r"charge|temperature"), "F": re.compile(r"capacitance"),
    "T": re.compile(r"field"), "H": re.compile(r"inductance"), "M": re.compile(r"molarity|concentration"),
    "Ω": re.compile(r"resistance|impedance"),
}  # fmt: skip
_NUMBER = r"[-−]?\d+(?:\.\d+)?(?:[eE][-+−]?\d+|\s*[×x*·]\s*10\s*(?:\^\s*[({]?\s*[-−]?\d+\s*[)}]?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?"
_STATED = re.compile(
    r"(?:\s*[,;(]\s*|\s+)(?P<words>(?:(?:and|with|where|using|taking|take|assuming|for|here|let|given)\s+)*)"
    rf"(?P<symbol>[^\W\d]\w{{0,3}}(?:_\w{{1,4}})?)\s*[=≈]\s*(?P<number>{_NUMBER})"
    r"(?P<unit>\s*[^\W\d_][^=+*,;]{0,24}?)?(?:\s+(?:is|as|for)\s+[\w\s'’-]+)?\s*\)?\s*[.;]?\s*$"
)
_TEN = re.compile(r"\s*[×x*·]\s*10\s*\^?")
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-", "(){} ")


class Stated(NamedTuple):
    """A rule without the constants that it states, and these."""

    text: str
    constants: Mapping[str, float]
    has_units: bool


def unit_in(name: str) -> str | None:
    """The unit that stands in brackets at the end of a name."""
    found = _BRACKET.match(name.strip())
    inside = found["inside"].strip() if found else ""
    if found is None or not inside:
        return None
    if len(inside) == 1 and inside not in "%°":
        measured = _MEASURED.get(inside)
        return inside if measured is not None and measured.search(found["words"].lower()) else None
    return inside if _OTHER_UNITS.fullmatch(inside) or read_unit(inside) is not None else None


def symbols_in(names: Iterable[str]) -> dict[str, str]:
    """Symbol -> name, of names that say how they are called: one name each, and no other node's own name."""
    names = tuple(dict.fromkeys(names))
    said = Counter[str]()
    found: dict[str, str] = {}
    for name in names:
        for short in _symbols(name):
            said[short] += 1
            found[short] = name
    taken = {symbol(name) for name in names} | {"pi"}
    return {short: name for short, name in found.items() if said[short] == 1 and short not in taken}


def by_custom(text: str, names: Iterable[str]) -> dict[str, str]:
    """v_i or v_0 and v_f, T_f: what begins and what ends, of names that say so; u and v where both are there."""
    found: dict[str, set[str]] = {}
    for name in names:
        words = [word for word in re.split(r"[\W_]+", name.casefold()) if word]
        for end, indices in (("initial", "i0"), ("final", "f")):
            letters = {word[0] for word in words if word != end} if end in words else set()
            shorts = {f"{letter}{bar}{index}" for letter in letters for bar in ("_", "") for index in indices}
            if letters and {"velocity", "speed"} & set(words):
                shorts.add("u" if end == "initial" else "v")
            for short in shorts:
                found.setdefault(short, set()).add(name)
    used = {
        short
        for short in re.findall(r"[^\W\d](?:_?[i0f])?(?![^\W\d_])", text)
        if len(found.get(short.lower(), ())) == 1
    }
    pair = {"u", "v"} <= used
    return {short: min(found[short.lower()]) for short in used if pair or short not in ("u", "v")}


def _symbols(name: str) -> set[str]:
    """None of f(x): that is a value of f."""
    if re.search(r"\w\(", name):
        return set()
    bracket = _BRACKET.match(name.strip())
    words, inside = (bracket["words"], bracket["inside"].strip()) if bracket else (name.strip(), "")
    last = _LAST.search(words)
    found = {last["symbol"]} if last else {words} if bracket and _SHORT.fullmatch(words) else set()
    if inside and _SYMBOL.fullmatch(inside) and unit_in(name) is None:
        found.add(inside)
    return {symbol(short) for short in found}


def stated(text: str, names: Sequence[str], units: Sequence[str | None]) -> Stated:
    """`T = 2π√(L/g), g = 9.8 m/s²`: constants that are no node, used in what stands before them, in units that go with
    those of the causes."""
    taken = {symbol(name) for name in names} | set(symbols_in(names))
    constants: dict[str, float] = {}
    has_units, rest = False, text
    while (found := _STATED.search(rest)) is not None:
        before, short = rest[: found.start()], symbol(found["symbol"])
        used = re.search(rf"(?:=|\bequals\b|\bgiven by\b).*{re.escape(found['symbol'])}", before, re.DOTALL)
        delimited = found["words"] or rest[found.start() :].lstrip()[:1] in ",;("
        unit = (found["unit"] or "").strip()
        if not used or not delimited or short in taken or short in constants or not _together(unit, units):
            break
        constants[short] = _value(found["number"])
        has_units, rest = has_units or bool(unit), before
    return Stated(rest, constants, has_units) if constants else Stated(text, {}, False)


def _value(number: str) -> float:
    return float(_TEN.sub("e", number).translate(_SUPERSCRIPT))


def _together(unit: str, units: Sequence[str | None]) -> bool:
    """Whether the parts of a unit are those of the causes where they are of one kind: m/s² beside m, not beside cm."""
    own, theirs = kinds_of(unit), [pair for other in units for pair in kinds_of(other or "").items()]
    return all(own.get(kind, name) == name for kind, name in theirs)
