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

from trueness.patterns import late
from trueness.reasoning.literals import kinds_of, read_unit, size_of
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import NATURE
from trueness.reasoning.word_names import is_another

_BRACKET = late(r"^(?P<words>.*?[^\s(\[])\s*[(\[](?P<inside>[^()\[\]]{1,20}(?:\([^()\[\]]{1,20}\))?)[)\]]$")
_LABEL = late(r"[^\W_]{3,}_(?P<symbol>[A-Za-z])$")  # angle_A; not of tank_radius_m, current_A, v_A
_LAST = late(r"\S\s+(?P<symbol>Δ?[^\W\d](?:[\d₀-₉]{1,2}|_\w{1,4})?'*)$")
_SYMBOL = late(r"[^\W\d](?:[\d₀-₉]{1,2}|_\w{1,4}|[A-Z])?'*")
_SHORT = late(r"[^\W\d][\w₀-₉]{0,3}'*")
_OTHER_UNITS = late(r"°|deg(?:ree)?s?|°\s?[CF]|degrees? (?:celsius|fahrenheit)|rad(?:ian)?s?", re.I)
_SUFFIX = late(r"(?:_| in )(degrees|deg|percent|pct)$")  # theta_deg, markup_percent
_PERCENT = late(r"%.*|per ?cent(?:age)?", re.I)
_MEASURED: Mapping[str, re.Pattern[str]] = {  # what one letter in brackets is the unit of
    "m": late("height|length|distance|width|radius|diameter|depth|altitude|thick|perimeter|circumference|"
                    "displacement|extension|position|amplitude|elongation|side|range|shift|gap|separation|path"),
    "s": late("time|duration|period|delay|interval|life"), "h": late("time|duration|hours"),
    "g": late("mass|weight|solute|sample|yield"), "L": late("volume|water|capacity|solution"),
    "K": late(r"temp|^t(?:\d|_|$| )"), "C": late(r"temp|charge|^t(?:\d|_|$| )"),
    "N": late("force|weight|tension|thrust|friction|load|drag|lift"), "J": late("energy|work|heat"),
    "W": late("power"), "A": late("current"), "V": late("voltage|potential|emf"),
    "F": late("capacitance"), "T": late("field"), "H": late("inductance"),
    "M": late("molarity|concentration"), "Ω": late("resistance|impedance"),
}  # fmt: skip
BY_LETTER: Mapping[str, str] = {  # what a letter stands for
    "m": "mass", "M": "mass|molar mass", "v": "velocity|speed", "u": "initial velocity|initial speed",
    "a": "acceleration", "F": "force", "t": "time|duration", "d": "distance|diameter|displacement|depth",
    "s": "distance|displacement", "h": "height|altitude", "r": "radius|interest rate|rate", "l": "length",
    "L": "length|inductance", "w": "width|weight", "A": "area|amplitude|activity", "V": "volume|voltage|potential",
    "P": "power|pressure|principal", "p": "momentum|pressure|price", "E": "energy|electric field", "Q": "heat|charge",
    "q": "charge", "I": "current", "R": "resistance|radius", "k": "spring constant|stiffness|rate constant",
    "x": "displacement|extension|compression|position|elongation", "T": "temperature|period|tension",
    "f": "frequency|focal length", "lamda": "wavelength|decay constant", "rho": "density", "W": "work|weight",
    "mu": "coefficient of kinetic friction|coefficient of friction|friction coefficient", "N": "normal force",
    "n": "number of moles|moles|number of terms|refractive index", "g": "gravitational acceleration|gravity",
    "c": "specific heat capacity|specific heat|concentration|speed of light", "omega": "angular velocity|angular speed",
    "theta": "angle", "B": "magnetic field", "C": "capacitance|heat capacity", "eta": "efficiency|viscosity",
    "K": "kinetic energy", "U": "potential energy", "KE": "kinetic energy", "PE": "potential energy",
    "DeltaT": "temperature change|change in temperature", "tau": "torque", "alpha": "angular acceleration",
}  # fmt: skip
_CUSTOM = {"I": "current", "L": "inductance", "Q": "charge", "q": "charge", "R": "resistance", "n": "moles"}
_NOT_BY_LETTER = frozenset("per slant change difference ratio initial final lost left average total".split())
_NUMBER = r"[-−]?\d+(?:\.\d+)?(?:[eE][-+−]?\d+|\s?[×x*·]\s?10\s?(?:\^\s?[({]?[-−]?\d+[)}]?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?![\d.])"
_STATED = late(
    r"(?:\s?[,;(]\s?|\s)(?P<words>(?:(?:and|with|where|using|taking|take|assuming|for|here|let|given)\s)*)"
    rf"(?P<symbol>[^\W\d]\w{{0,3}}(?:_\w{{1,4}})?)\s?[=≈]\s?(?P<number>{_NUMBER})"
    r"(?P<unit>\s?[^\W\d_][^=+*,;]{0,24}?)?(?:\s(?:is|as) (?:the )?[^\W\d][\w'’ -]{0,40})?\s?\)?\s?[.;]?\s?$"
)
_INDEX = late(r"(?<!\w)([^\W\d_]_[^\W_])([^\W\d_]+)(?!\w)")
_UNIT_PARTS = late(r"[^\W\d_]+")
_MORE_UNITS = frozenset(("atm", "bar", "eV", "MeV", "rev", "ft", "lb", "lbs", "Wb", "unit", "units"))
_TEN = late(r"\s*[×x*·]\s*10\s*\^?")
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-", "(){} ")


class Stated(NamedTuple):
    """A rule without the constants that it states, and these; `against`: what it states and cannot be taken so."""

    text: str
    constants: Mapping[str, float]
    has_units: bool
    against: str = ""


def unit_in(name: str) -> str | None:
    """The unit that stands in brackets at the end of a name."""
    if (suffix := _SUFFIX.search(name.strip())) is not None:
        return "%" if suffix[1][0] == "p" else "degrees"
    bracket = _BRACKET.match(name.strip())
    inside = bracket["inside"].strip() if bracket else ""
    if bracket is None or not inside:
        return None
    if _PERCENT.fullmatch(inside):
        return "%"
    if len(inside) == 1 and inside != "°":
        measured = _MEASURED.get(inside)
        return inside if measured is not None and measured.search(bracket["words"].lower()) else None
    return inside if _OTHER_UNITS.fullmatch(inside) or read_unit(inside) is not None else None


def symbols_in(names: Iterable[str]) -> dict[str, str]:
    """Symbol -> name, of names that say how they are called: one name each, and no other node's own name."""
    names = tuple(dict.fromkeys(names))
    counts = Counter[str]()
    owners: dict[str, str] = {}
    for name in names:
        for short in sorted(_symbols(name)):  # in an order that no run changes
            counts[short] += 1
            owners[short] = name
    taken = {symbol(name) for name in names} | {"pi"}
    return {short: name for short, name in owners.items() if counts[short] == 1 and short not in taken}


def by_custom(text: str, names: Sequence[str]) -> dict[str, str]:
    """v_i or v_0 and v_f, T_f: what begins and what ends, of names that say so; u and v where both are there;
    I is a current."""
    names_of: dict[str, set[str]] = {}
    words_of = {name: re.findall(r"[^\W_]+", name.casefold()) for name in names}
    for name, words in words_of.items():
        for end, indices in (("initial", "i0"), ("final", "f")):
            letters = {word[0] for word in words if word != end} if end in words else set()
            shorts = {f"{letter}{bar}{index}" for letter in letters for bar in ("_", "") for index in indices}
            if letters and {"velocity", "speed"} & set(words):
                shorts.add("u" if end == "initial" else "v")
            for short in shorts:
                names_of.setdefault(short, set()).add(name)
    written = dict.fromkeys(re.findall(r"[^\W\d](?:_?[i0f])?(?![^\W\d_])", text))
    used = [short for short in written if len(names_of.get(short.lower(), ())) == 1]
    meanings = {short: min(names_of[short.lower()]) for short in used if short != "v" or "u" in used}
    joined = {letter for word in re.findall(r"[^\W\d_]+", text) if len(word) <= 4 for letter in word}
    for short, word in _CUSTOM.items():
        if short in joined and len(of := [name for name in names if word in words_of[name]]) == 1:
            meanings[short] = of[0]
    if "u" not in meanings and "u" in joined and len(names_of.get("u", ())) == 1:
        meanings["u"] = min(names_of["u"])  # ut + at^2 / 2
    return meanings


def with_indices_apart(text: str, names: Sequence[str]) -> str:
    """v_0t is v_0 t, and v_it is v_i t where these are names and it is none: an index has one sign."""
    known = {symbol(name) for name in names}

    def apart(match: re.Match[str]) -> str:
        short, rest = match.groups()
        joined = match[0] in known or (not short[-1].isdigit() and not {short, *rest} <= known)
        return match[0] if joined else f"{short} {rest}"

    return _INDEX.sub(apart, text) if "_" in text else text


def by_letter(text: str, names: Sequence[str]) -> dict[str, str]:
    """V = π r² h, of a tank_radius and a tank_height: letters by custom, where one name has a word of theirs and no
    other begins with the letter."""
    formula = re.search(r"(?<==)[^=,;:]*$", text)
    runs = re.findall(r"[^\W\d_]+", formula[0] if formula else "")
    spelled = (word for word in runs if len(word) == 1 or (len(word) <= 3 and word.islower()))
    written = dict.fromkeys(letter for word in spelled for letter in word)
    words = {name: set(re.split(r"[\W_]+", name.casefold())) for name in names}
    meanings: dict[str, str] = {}
    for letter in written:
        meant = _meanings(symbol(letter))
        of = [name for name in names if words[name] & meant and not (words[name] & _NOT_BY_LETTER or _symbols(name))]
        begun = [name for name in names if name.casefold().startswith(letter.casefold())]
        if len(of) == 1 and not begun:
            meanings[letter] = of[0]
    return {short: name for short, name in meanings.items() if Counter(meanings.values())[name] == 1}


def _meanings(letter: str) -> set[str]:
    """Of formulas: V = I R is of no radius."""
    return {"resistance"} if letter == "R" else set(BY_LETTER.get(letter, "").split("|")) - {""}


def may_be_in(name: str, unit: str) -> bool:
    """Whether one letter behind a number may be the unit of what has this name: 0.5 L of a volume, and of no a."""
    words = name.lower() if len(name.partition("_")[0]) > 1 else BY_LETTER.get(name[:1], "")
    return not words or unit not in _MEASURED or _MEASURED[unit].search(words) is not None


def means_another(letter: str, name: str) -> bool:
    """Whether a letter stands for something else by custom: r for a diameter, h for a slant height."""
    meant = sorted(_meanings(letter))
    words = set(re.split(r"[\W_]+", name.casefold()))
    slanted = bool(words & set(meant)) and "slant" in words
    other = (letter == "R" and "radius" in words) or any(is_another(word, name) for word in meant)
    return slanted or (bool(meant) and not words & set(meant) and other)


def _symbols(name: str) -> set[str]:
    """None of f(x): that is a value of f."""
    if "(" in name and re.search(r"\w\(", name):
        return set()
    bracket = _BRACKET.match(name.strip())
    words, inside = (bracket["words"], bracket["inside"].strip()) if bracket else (name.strip(), "")
    last = _LAST.search(words) or _LABEL.search(words)
    if last is not None and "_" in last[0] and (read_unit(last["symbol"]) or last["symbol"] in _MEASURED):
        measured = _MEASURED.get(last["symbol"])
        last = None if measured is None or measured.search(words.lower()) else last
    shorts = {last["symbol"]} if last else {words} if bracket and _SHORT.fullmatch(words) else set()
    if inside and _SYMBOL.fullmatch(inside) and unit_in(name) is None:
        begins = any(word[:1].casefold() == inside[:1].casefold() for word in re.split(r"[\W_]+", words))
        shorts |= {inside} if begins or read_unit(inside) is None else set()
    return {symbol(short) for short in shorts}


def take_constants(
    text: str, names: Sequence[str], values: Mapping[str, float], units: Sequence[str | None], effect: str
) -> Stated:
    """`T = 2π√(L/g), g = 9.8 m/s²`: constants that are no node, used in what stands before them, in units that go with
    those of the causes and of the effect. A node's own value may be repeated, and not changed."""
    owners = {symbol(name): name for name in names} | symbols_in(names)
    constants: dict[str, float] = {}
    cut = has_units = False
    rest = re.sub(r"\s+", " ", text.replace("\\times", "×").replace("\\cdot", "·").replace("$", ""))
    while (match := _STATED.search(rest)) is not None:
        before, short = rest[: match.start()], symbol(match["symbol"])
        used = re.search(rf"(?:=|\bequals\b|\bgiven by\b).*{re.escape(match['symbol'])}", before, re.DOTALL)
        if not used or not (match["words"] or rest[match.start() :].lstrip()[:1] in ",;("):
            break
        number, unit = _value(match["number"]), (match["unit"] or "").strip()
        owner = owners.get(short) or by_custom(match["symbol"], names).get(match["symbol"])
        same = owner is not None and values.get(owner) == number
        free = owner is None and unit not in owners  # k = 3 m beside a node m
        if short in constants or not (same or (free and _goes(short, unit, units, effect))):
            return Stated(text, {}, False, f"{match['symbol']} = {match['number']}{match['unit'] or ''}")
        if owner is None:
            constants[short] = number
        cut, has_units, rest = True, has_units or bool(unit), before
    return Stated(rest, constants, has_units) if cut else Stated(text, {}, False)


def _value(number: str) -> float:
    return float(_TEN.sub("e", number).translate(_SUPERSCRIPT))


def _goes(short: str, unit: str, units: Sequence[str | None], effect: str) -> bool:
    """Whether a constant can be taken as it is written: the parts of its unit are units, and of one kind with those of
    the causes only where they are the same (m/s² beside m, not beside cm); what the effect is in follows from both."""
    parts = _UNIT_PARTS.findall(unit)
    if any(not kinds_of(part) and part not in _MORE_UNITS for part in parts) or unit in ("C", "F", "K", "percent"):
        return False
    kinds, theirs = kinds_of(unit), [pair for other in units for pair in kinds_of(other or "").items()]
    if any(kinds.get(kind, name) != name for kind, name in theirs):
        return False
    known = {name for _, name in theirs} | set(kinds.values())
    scaled = [name for name in kinds_of(unit_in(effect) or "").values() if size_of(name) != 1 and name not in known]
    nature = short in NATURE or short in ("R", "k", "h", "sigma")
    return not scaled and (bool(unit) or not nature or all(size_of(name) == 1 for _, name in theirs))
