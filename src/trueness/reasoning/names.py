"""What the names of nodes say, and which node a symbol of a formula stands for.

    Height (cm), theta_deg, Rate (%)          in cm, in degrees, in per cent
    Mass m (kg), Spring constant (k)          called m, k
    F = m*a, V_s for Vs                       their own names, also in other case
    where k is the spring constant            what the rule says
    a = F/m of force and mass                 letters that begin one name each; one left over for one left over

One letter in brackets is a unit only of a name that is measured in it: Force (N), and not Displacement (s).
A symbol that may stand for two nodes stands for none.

A letter behind a number is a unit only where nothing else can be meant; a rule with such a number has no value:

    E = 5 V * I, d = d_0 + 5 m for a d_0 in m         a unit: apart from its number, between signs
    F = 2 m a, P = 2L + 2W, KE = 0.5m * v^2           a quantity: near its number, or beside other letters
    KE = 0.5 m * v^2, y = 3 s + 2 m                   open

The table of units is small and our own: pint is an extra, and text of strangers is not for its reader.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from trueness.patterns import late
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import CONSTANTS, FUNCTIONS, NATURE, Name, Tree
from trueness.reasoning.typeset import latin

# ---- units that stand in names and rules

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


_BRACKET = late(r"^(?P<words>.*?[^\s(\[])\s{0,3}[(\[](?P<inside>[^()\[\]]{1,20}(?:\([^()\[\]]{1,20}\))?)[)\]]$")
_LAST = late(r"\S\s+(?P<symbol>Δ?[^\W\d](?:[\d₀-₉]{1,2}|_\w{1,4})?'{0,2})$")
_SYMBOL = late(r"[^\W\d](?:[\d₀-₉]{1,2}|_\w{1,4}|[A-Z])?'*")
_SHORT = late(r"[^\W\d][\w₀-₉]{0,3}'*")
_OTHER_UNITS = late(r"°|deg(?:ree)?s?|°\s?[CF]|degrees? (?:celsius|fahrenheit)|rad(?:ian)?s?", re.I)
_SUFFIX = late(r"(?:_| in )(degrees|deg|percent|pct)$")  # theta_deg, markup_percent
_PERCENT = late(r"%.*|per ?cent(?:age)?", re.I)
STANDS_FOR = late(  # where k is spring constant; k is the spring constant, time is the return time
    r"(?:(?:^|\b(?:where|with|and)\s|,\s)(?=\w{1,4}\sis)|\b(?=\w{1,20}\s(?:is the|denotes|represents|stands for)\s))"
    r"([^\W\d]\w{0,19})\s(?:is|denotes|represents|stands for)\s(?:the\s)?([^,;.()=]{1,60})"
)
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
_CUSTOM = {"I": "current", "L": "inductance", "Q": "charge", "q": "charge", "R": "resistance", "n": "moles"}
_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta kappa lamda lambda mu nu rho sigma tau phi chi psi omega".split()
)
_ANY_EFFECT = frozenset("result answer ans value total sum output res ret final target".split())
_STOP = frozenset(
    "the a an of in on at for to from by per and that this its is are was were given value amount each".split()
)


@lru_cache(maxsize=8192)
def tokens(name: str) -> frozenset[str]:
    """The words that tell a name from others, without plural; of a node called a, that letter."""
    words = frozenset(re.findall(r"[^\W\d_]{4,}(?=\d{1,2}(?![^\W_]))|[^\W_]+", name.lower()))
    stems = (word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
             for word in words - _STOP or words)  # fmt: skip
    return frozenset(stems)


def shares_word(phrase: str, name: str) -> bool:
    return bool(tokens(phrase) & tokens(name))


# ---- what a name says of itself


@lru_cache(maxsize=8192)
def unit_in(name: str) -> str | None:
    """The unit that stands in brackets, or as a suffix, at the end of a name."""
    if (suffix := _SUFFIX.search(name.strip())) is not None:
        return "%" if suffix[1][0] == "p" else "degrees"
    bracket = _BRACKET.match(name.strip())
    inside = bracket["inside"].strip() if bracket else ""
    if bracket is None or not inside:
        return None
    if _PERCENT.fullmatch(inside):
        return "%"
    if len(inside) == 1 and inside != "°":
        return inside if inside in _MEASURED and _MEASURED[inside].search(bracket["words"].lower()) else None
    return inside if _OTHER_UNITS.fullmatch(inside) or read_unit(inside) is not None else None


def may_be_in(name: str, unit: str) -> bool:
    """Whether one letter behind a number may be the unit of what has this name: 0.5 L of a volume, and of no a."""
    words = name.lower() if len(name.partition("_")[0]) > 1 else ""
    return bool(words) and (unit not in _MEASURED or _MEASURED[unit].search(words) is not None)


def symbols_in(names: Iterable[str]) -> dict[str, str]:
    """Symbol -> name, of names that say how they are called: one name each, and no other node's own name."""
    names = tuple(dict.fromkeys(names))
    pairs = [(short, name) for name in names for short in sorted(_symbols(name))]
    counts = Counter(short for short, _ in pairs)
    taken = {symbol(name) for name in names} | {"pi"}
    return {short: name for short, name in pairs if counts[short] == 1 and short not in taken}


@lru_cache(maxsize=8192)
def _symbols(name: str) -> frozenset[str]:
    """None of f(x): that is a value of f."""
    if "(" in name and re.search(r"\w\(", name):
        return frozenset()
    bracket = _BRACKET.match(name.strip())
    words, inside = (bracket["words"], bracket["inside"].strip()) if bracket else (name.strip(), "")
    last = _LAST.search(words)
    if last is not None and "_" in last[0] and (read_unit(last["symbol"]) or last["symbol"] in _MEASURED):
        measured = _MEASURED.get(last["symbol"])
        last = None if measured is None or measured.search(words.lower()) else last
    shorts = {last["symbol"]} if last else {words} if bracket and _SHORT.fullmatch(words) else set()
    if inside and _SYMBOL.fullmatch(inside) and unit_in(name) is None:
        begins = any(word[:1].casefold() == inside[:1].casefold() for word in re.split(r"[\W_]+", words))
        shorts |= {inside} if begins or read_unit(inside) is None else set()
    return frozenset(symbol(short) for short in shorts)


# ---- what a rule says of a symbol


def explained_symbols(text: str, names: Sequence[str]) -> dict[str, str]:
    """Symbol -> name: what the rule says (`where k is the spring constant`)."""
    plain = {symbol(name).casefold(): name for name in names}
    pairs = (pair for piece in re.split(r"\band\b", text) for pair in STANDS_FOR.findall(piece))
    explained = {short: plain.get(symbol(words.strip()).casefold()) for short, words in pairs}
    meanings = {short: name for short, name in explained.items() if name is not None}
    return meanings if len(set(meanings.values())) == len(meanings) else {}


# ---- which node a symbol stands for


def aliases_of(
    left: Tree | None, symbols: Sequence[str], causes: Sequence[str], effect: str, explained: Mapping[str, str]
) -> dict[str, str]:
    """What each symbol stands for, as far as that is clear. The effect may stand on either side: F = m*a."""
    exact = _exact((*causes, effect), symbols)
    aliases = exact | {
        short: name for short, name in explained.items()
        if short in symbols and short not in exact and name not in exact.values()
    }  # fmt: skip
    assigns = left is None or isinstance(left, Name)
    unmatched = [
        name
        for name in symbols
        if name not in aliases
        and name not in CONSTANTS
        and (name not in NATURE or Name(name) == left or any(abbreviates(name, one) for one in (*causes, effect)))
    ]
    if effect not in aliases.values():
        free_names = [name for name in (*causes, effect) if name not in aliases.values()]
        together = _guess_names(unmatched, free_names, assigns, effect)
        if effect in together.values():
            return aliases | together
        if isinstance(left, Name) and left.name in unmatched and _may_call(left.name, effect):
            aliases[left.name] = effect
            unmatched.remove(left.name)
    guessed = _guess_names(unmatched, [cause for cause in causes if cause not in aliases.values()], assigns)
    return aliases | guessed


def _exact(names: Sequence[str], symbols: Sequence[str]) -> dict[str, str]:
    """Symbols that are a node's own name, or the only one that differs in case or underscores: V_s for Vs."""
    aliases = {symbol(name): name for name in names if symbol(name) in symbols}
    bare = {name: symbol(name).replace("_", "").casefold() for name in names}
    for short in symbols:
        near = [name for name in names if bare[name] == short.replace("_", "").casefold()]
        if short not in aliases and len(near) == 1 and near[0] not in aliases.values():
            aliases[short] = near[0]
    return aliases


def _guess_names(unmatched: Sequence[str], free: Sequence[str], assigns: bool, effect: str = "") -> dict[str, str]:
    """Symbols that begin exactly one cause each, then one symbol and one cause left over; else nothing. In an equation
    such as 2 x + 3 y = 12 what is left over need not be a cause."""
    begun = {short: [cause for cause in free if abbreviates(short, cause)] for short in unmatched}
    clear = {short: causes[0] for short, causes in begun.items() if len(causes) == 1}
    if len(set(clear.values())) < len(clear):
        return {}
    rest = [short for short in unmatched if short not in clear]
    left = [cause for cause in free if cause not in clear.values()]
    if not rest:
        return clear
    one_of_each = assigns and len(rest) == len(left) == 1 and not begun[rest[0]] and rest[0] not in NATURE
    if not one_of_each or len(symbol(left[0])) < 3:
        return clear if not rest else {}
    if rest[0] in _CUSTOM and _CUSTOM[rest[0]] not in tokens(left[0]):  # R, for a radius beside V and I
        return {}
    if left[0] != effect and _is_word(rest[0]) and not shares_word(rest[0], left[0]):  # width, for a perimeter
        return {}
    return clear | {rest[0]: left[0]} if _may_be_one(rest[0]) else {}


def _may_call(left: str, effect: str) -> bool:
    """Whether a formula may give the effect under this name: a symbol, or a word that the effect has, or any does."""
    words = re.findall(r"[^\W\d_]{3,}", left)
    names_it = not words or shares_word(left, effect) or left.casefold() in _ANY_EFFECT
    names_it = names_it or (left != left.lower() and not left.istitle())  # KE; Pressure is a word
    short = any(_is_within(left.casefold(), word) for word in symbol(effect).casefold().split("_"))  # avg, amt
    begun = "".join(word[:1] for word in symbol(effect).casefold().split("_"))
    if re.fullmatch(r"[A-Z]{2}", left) and (at := begun.find(left[0].casefold())) >= 0 and not short:
        return _is_within(left.casefold(), begun[at:])  # PV is no gas pressure but P V; PE is the potential energy
    return names_it or short or len(symbol(effect)) <= 2  # time required = ... for t


def _is_within(short: str, word: str) -> bool:
    """Whether its letters stand in a word in their order, from the first on."""
    letters = iter(word)
    return short[:1] == word[:1] and all(letter in letters for letter in short)


def _is_word(short: str) -> bool:
    return len(short) >= 4 and short.casefold() not in _GREEK and not short.casefold().startswith("delta")


def _may_be_one(short: str) -> bool:
    """A letter with its index, or a word; `qE` and `rhogh` are products of which a part is missing."""
    bare = short.rstrip("0123456789'").partition("_")[0]
    return len(bare) <= 1 or bare.casefold() in _GREEK or (len(bare) >= 4 and not bare.startswith(tuple(_GREEK)))


def letters_of(text: str, causes: Sequence[str], effect: str, explained: Sequence[str]) -> frozenset[str]:
    """What a word may be split into: letters that begin one cause, or the effect and no cause, or are told; and words
    that stay whole, as they abbreviate a name."""
    words = set(re.findall(r"[^\W\d]\w*'*", latin(text))) - set(FUNCTIONS)
    clear = {short for short in (*explained, *NATURE) if len(short) == 1}
    for letter in {letter for word in words for letter in word if letter.isalpha()} - clear:
        begun = [name for name in causes if abbreviates(letter, name)] or [effect] * abbreviates(letter, effect)
        clear |= {letter} if len(begun) == 1 else set()
    return frozenset(clear | {word for word in words if any(abbreviates(word, name) for name in (*causes, effect))})


def abbreviates(short: str, name: str) -> bool:
    """v, vol, v_0 and TD for volume, volume, v..., total distance: a letter, a beginning or the first letters.

    Two letters are no beginning: `ma` is not mass but m a.
    """
    letters, word = short.split("_")[0].rstrip("0123456789'").casefold(), symbol(name).casefold()
    if letters[:1] != word[:1]:
        return False
    if (index := re.findall(r"\d+", short)) and re.findall(r"\d+", word) not in ([], index):  # m2 is not m1
        return False
    if "_" in short and word[1:2] == "_" and not word.startswith(short.casefold()):  # v_f is not v_i, nor v_i t
        return False
    if letters and len(letters) != 2 and word.startswith(letters):
        return True
    return bool(letters) and letters == "".join(part[0] for part in word.split("_") if part)
