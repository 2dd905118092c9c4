"""How alike a phrase and the name of a cause are: the words they share, rare words counting more.

    likeness = (sum of 1 / n over shared words + 0.35 x that over words of one meaning) / sum over all words of both

n is the number of causes that have the word. `cost` and `price`, `liters` and a name in (L) have one meaning. No name
of a cause is a phrase whose head is something else (commission on sales), most of whose words say something else, that
measures another kind (a price, for a number), has the opposite or another label (weekly, for monthly; car B, for car
C), or shares no more than what any name has (the number of shirts, for the number of pants).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache

from trueness.patterns import late

_STOP = frozenset(
    "the a an of in on at for to from by per and that this its his her their she he it they with during made is are "
    "was were given value amount s what been has have had each who which those ones there across through".split()
)
_IRREGULAR = {
    "spent": "spend", "sold": "sell", "paid": "pay", "eaten": "eat", "ate": "eat", "bought": "buy", "ran": "run",
    "children": "child", "kids": "child", "kid": "child", "people": "person", "feet": "foot", "men": "man",
    "women": "woman", "driven": "drive", "drove": "drive", "gave": "give", "lost": "lose", "won": "win",
    "made": "make", "momenta": "momentum", "taken": "take", "took": "take", "written": "write", "built": "build",
    "broke": "break", "broken": "break", "laid": "lay", "baked": "bake", "kept": "keep",
    "grew": "grow", "grown": "grow", "halves": "half", "leaves": "leaf", "loaves": "loaf", "began": "begin",
    "left": "remain", "leftover": "remain", "leftovers": "remain", "rest": "remain", "remainder": "remain",
    "probabilities": "probability", "prob": "probability", "num": "number", "avg": "average", "qty": "quantity",
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "savings": "save", "saved": "save",
    "saving": "save", "temp": "temperature", "vol": "volume", "dist": "distance",
}  # fmt: skip
_MEANINGS = tuple(
    frozenset(words.split())
    for words in (
        "cost price fee charge expense spend pay payment bill purchase",
        "wage salary pay earn income",
        "revenue income sale earn proceed taking",
        "start initial original begin opening starting",
        "final end closing ending",
        "total sum whole entire overall full all",
        "hour hourly",
        "day daily",
        "week weekly",
        "month monthly",
        "year yearly annual",
        "person individual attendee participant guest population inhabitant resident",
        "worker employee staff",
        "student pupil class",
        "number count quantity many size",
        "time hour minute second day week month year duration long period",
        "distance mile kilometer meter length far",
        "mass weight weigh gram kilogram pound heavy",
        "volume liter milliliter gallon",
        "area acre",
        "speed velocity pace",
        "resistance resistor",
        "celsius temperature",
        "newton force weight",
        "money dollar cash budget fund euro cent",
        "age old year",
        "height tall high",
        "length long",
        "width wide",
        "discount reduction rebate",
        "remain unused unsold",
        "save saving",
        "consume use eat",
        "travel drive cover trip journey",
        "return back home",
        "probability p chance",
        "percent percentage rate fraction share",
        "energy joule kwh",
        "power watt",
        "oxygen o2",
        "hydrogen h2",
        "water h2o",
        "nitrogen n2",
        "methane ch4",
        "ammonia nh3",
        "carbon co2",
    )
)
_UNITS = {
    "l": "liter", "ml": "milliliter", "g": "gram", "kg": "kilogram", "m": "meter", "km": "kilometer", "mi": "mile",
    "h": "hour", "hr": "hour", "hrs": "hour", "min": "minute", "s": "second", "sec": "second", "mol": "mole",
    "$": "dollar", "usd": "dollar", "eur": "euro", "lb": "pound", "lbs": "pound", "ft": "foot", "kwh": "kwh",
    "°c": "celsius", "°f": "fahrenheit", "n": "newton", "w": "watt", "j": "joule",
    "gal": "gallon", "mg": "milligram", "cm": "centimeter",
}  # fmt: skip
_LETTERS = {
    "current": "i", "voltage": "v", "charge": "q", "momentum": "p", "recessive": "q", "dominant": "p", "failure": "q",
    "success": "p", "principal": "p", "velocity": "v", "speed": "v", "mass": "m", "acceleration": "a", "time": "t",
    "resistance": "r", "radius": "r", "height": "h", "base": "b", "length": "l", "width": "w", "frequency": "f",
    "density": "ρ", "wavelength": "λ", "gravity": "g", "energy": "e", "force": "f", "power": "p", "pressure": "p",
}  # fmt: skip
_CONTRASTS = tuple(
    frozenset(words.split())
    for words in (
        "first second third fourth fifth last",
        "initial final",
        "start end",
        "opening closing",
        "before after",
        "morning afternoon evening night noon",
        "today yesterday tomorrow week month year",
        "january february march april may june july august september october november december",
        "monday tuesday wednesday thursday friday saturday sunday",
        "hourly daily weekly monthly quarterly yearly annual",
        "hour day week month year",
        "adult child senior",
        "man woman boy girl",
        "old new",
        "older younger",
        "larger smaller",
        "maximum minimum",
        "highest lowest",
        "fixed variable",
        "gross net",
        "length width height depth radius diameter",
        "input output",
        "import export",
        "profit loss",
        "north south east west",
        "upstream downstream",
        "success failure",
        "win lose",
        "passed failed",
        "true false",
        "positive negative",
        "male female",
        "regular overtime",
        "small medium large",
        "mother father sister brother",
        "mass volume time distance area speed",
        "red blue green yellow white black",
        "cat dog cow chicken pig horse sheep",
        "apple orange pear banana",
    )
)  # what one of them is called is not the other
_KINDS = tuple(
    frozenset(words.split())
    for words in (
        "number count quantity num",
        "price cost fee charge wage salary money dollar pay earn income revenue profit budget bill fare rent spend",
        "weight mass gram kilogram pound ounce",
        "length distance mile kilometer meter height width depth radius diameter side",
        "time hour minute second day week month year duration period",
        "area acre",
        "volume liter milliliter gallon",
        "speed velocity",
        "age",
        "score point grade",
        "temperature",
        "angle degree",
        "probability p",
    )
)  # what measures one thing is no name of what measures another
_WORD = late(r"[^\W\d_]{4,}(?=\d{1,2}(?![^\W_]))|[^\W_]+")
_LABEL = late(r"(?<=[a-z] )([a-z])(?= ?$| \()")
_TIMING = late(r"\b(?:each|per|every|an?) (hour|day|week|month|year|minute|second)\b")
_EXTREME = late(
    r"\b(?:difference|ratio|largest|smallest|highest|lowest|greatest|longest|shortest|biggest|best|worst)\b"
)
_PLACE = r"(?:of|in|on|for|per|from|at|to|with|by|about|between|during|after|before|under|without)"
_HEAD = late(rf"((?:(?!{_PLACE}\b)[\w'$-]+\s+)+?){_PLACE}\s")
_INDEXED = late(r"([A-MO-Za-mo-z])_([A-Za-z]{3,})")  # n_jars is a number of jars
_WEAK = 0.35
_BY_HEAD = 0.2


@lru_cache(maxsize=8192)
def words(name: str) -> frozenset[str]:
    """Its words; test1 is test 1."""
    return frozenset(_WORD.findall(name.lower()))


@lru_cache(maxsize=8192)
def tokens(name: str) -> frozenset[str]:
    """The words that tell it from others; of a node called a, that letter."""
    all_words = words(name)
    return frozenset(map(stem, all_words - _STOP)) - _STOPPED or frozenset(map(stem, all_words))


def in_order(name: str) -> tuple[str, ...]:
    """rows of chairs is not chairs in each row."""
    known = tokens(name)
    return tuple(root for word in re.findall(r"[^\W_]+", name.lower()) if (root := stem(word)) in known)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    word = word.removesuffix("ies") + "y" if word.endswith("ies") and len(word) > 4 else word
    word = word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= 3 and re.search("[aeiouy]", bare) and not word.endswith("eed"):
            word = bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "lsz" else bare
    return word.removesuffix("e") if len(word) > 3 and word != "time" else word  # Tim is a name


_KIN: dict[str, set[str]] = {}  # a word, and all that have a meaning in common with it
for _group in _MEANINGS:
    for _word in _group:
        _KIN.setdefault(stem(_word), set()).update(map(stem, _group))
_MODIFIERS = frozenset(map(stem, "initial final total first second new old original average change overall".split()))
_COUNTS_AND_MONEY = {0, 1}  # the boys are their number, the repairs what they cost
GENERAL = frozenset(
    map(
        stem,
        "number count quantity price cost total amount value time rate weight mass length distance area volume speed "
        "temperature age score size sum average mean original current given taken used spent done made each one "
        "unit item thing figure reading person people money level measured known overall full whole all needed "
        "required expected "
        "actual sample substance object body material compound hour minute second day week month year "
        "mile kilometer meter gram kilogram liter dollar hourly daily weekly monthly yearly annual before "
        "after".split(),
    )
)
_TIMES = frozenset(map(stem, "hours minutes seconds min sec hr dollars euros cents usd eur".split()))
_MEASURING = frozenset(
    map(
        stem,
        "size capacity price cost time duration distance length width height depth radius diameter weight mass volume "
        "area speed velocity rate commute pay wage budget salary fee".split(),
    )
)
_UNIT_WORDS = frozenset(
    map(
        stem,
        "dollars euros cents gallons liters milliliters grams kilograms pounds ounces meters kilometers miles feet "
        "inches hours minutes seconds usd eur lb kg km cm mm ml min sec hr kwh mph".split(),
    )
)
_MEASURED = tuple(frozenset(stem(word) for word in group) for group in _KINDS)
_STOPPED = frozenset(map(stem, _STOP))
_MEASURES = frozenset(
    map(
        stem,
        "length cost price value amount number weight mass area volume distance time age score count total sum rest "
        "one two three four five six seven eight nine ten eleven twelve".split(),
    )
)
_OPPOSED = tuple(frozenset(stem(word) for word in group) for group in _CONTRASTS)
_OPPOSABLE = frozenset[str]().union(*_OPPOSED)


def without_unit(name: str) -> str:
    """tank_size_gallons is the tank size, Mass (kg) the mass."""
    bare = re.sub(r"\s*\([^()]*\)\s*$", "", name.strip()) if ")" in name else name.strip()
    *front, last = re.split(r"[\s_]+", bare)
    if not front:
        return bare
    is_unit = (last in _UNITS or stem(last.lower()) in _UNIT_WORDS) and (len(last) > 1 or "_" in bare)
    timed = stem(last.lower()) in _TIMES or last in ("h", "s")  # labor hours are no labor
    is_unit = is_unit and (not timed or any(stem(word.lower()) in _MEASURING for word in front))
    return " ".join(front) if is_unit else bare


def is_symbol(name: str) -> bool:
    return re.fullmatch(r"[^\W\d_][\d_]?\d?", name) is not None


def is_acronym(name: str, short: str) -> bool:
    """BMI is the body mass index."""
    parts = [word for word in re.findall(r"[a-z]+", name.lower()) if word not in ("the", "of", "a", "an")]
    return len(parts) > 2 and "".join(word[0] for word in parts) == short.strip().lower()


def names_symbol(phrase: str, symbol: str) -> bool:
    """The mass is m, the current I: a letter that begins what the phrase is of, or that everybody writes for it."""
    phrase_words = re.findall(r"[a-z]+", phrase.lower())
    plain = re.sub(r"^(?:(?:the|a|an|its|number|amount|value|of)\s+)+", "", phrase.lower())
    before = _HEAD.match(plain)
    head = re.findall(r"[a-z]+", before[1] if before else plain)
    letter = symbol[0].lower()
    written = {_LETTERS[word] for word in phrase_words if word in _LETTERS}
    return letter in written if written else bool(head) and letter in (head[0][0], head[-1][0])


def likeness(phrase: str, cause: str, weights: Mapping[str, int]) -> float:
    """Shared words over all words of both, each by one over the number of causes that have it."""
    one, other = tokens(phrase), tokens(cause)
    if (indexed := _INDEXED.fullmatch(cause)) and stem(indexed[2].lower()) in one:  # the net force is F_net
        rest = re.sub(rf"\b{re.escape(indexed[2].lower())}\b", "", phrase.lower())
        return 1.0 if rest.strip() and names_symbol(rest, indexed[1]) else 0.0
    if is_symbol(cause) and not one & other:
        return _WEAK if names_symbol(phrase, cause) else 0.0
    total = sum(1 / max(1, weights.get(token, 1)) for token in one | other)
    if not total:
        return 0.0
    shared = sum(1 / weights[token] for token in one & other)
    known = other | units_of(cause)
    strange, both = any(_specific(one, known)), one & other
    if not both and (strange or any(_specific(other, one | units_of(phrase)))):
        return 0.0  # a shipping fee is no item price, though a fee is a price
    if strange and any(_specific(other, one)) and all(weights[token] > 1 for token in both):
        return 0.0  # pages read today are not the pages left: what they share, other causes have as well
    alike = (one | units_of(phrase)) - other
    weak = sum(_has((other - one) | units_of(cause), token) for token in alike)
    by_head = _BY_HEAD if shared and _head(phrase) & _head(cause) else 0.0
    return (shared + _WEAK * weak) / total + by_head


def share_meaning(phrase: str, name: str) -> bool:
    known = tokens(name)
    return any(_has(known, token) for token in tokens(phrase))


def _specific(mine: frozenset[str], known: frozenset[str]) -> Iterator[str]:
    """Words that tell something of its own and have no like among the others."""
    return (token for token in mine - GENERAL if not _has(known, token))


def may_measure(unit: str, name: str) -> bool:
    """Liters of what is in (L), books of the books; books are not taken from money."""
    return _has(tokens(name) | units_of(name), stem(unit))


def is_strange(phrase: str, cause: str, effect: str) -> bool:
    """Whether most of a phrase says something else: `inflation erodes the purchasing power of savings`, for savings."""
    one, other = tokens(phrase), tokens(cause) | units_of(cause)
    known = {token for token in one if _has(other, token)}
    few = 0 if re.match(r"(?:what|how)\b", phrase) else max(len(known), 1)
    stems = {stem(word) for word in words(phrase) if not word.endswith("ed")}  # the trucks passed
    return len((one & stems) - known - tokens(effect)) > few


def are_alike(names: Sequence[str]) -> bool:
    """Whether nobody would say that they are of different kinds: a length and a number of days are."""
    kinds = [_kinds(name) for name in names]
    return all(one & other or not one or not other for one in kinds for other in kinds)


def is_no_money(name: str) -> bool:
    """Whether a name says that it is a length, a time, a mass."""
    return bool(_kinds(name) - _COUNTS_AND_MONEY)


def may_count(name: str) -> bool:
    """Whether a name may be a number of things: n, and rings; not v, a price or a mass."""
    return name[:1] in "nNmkzZ" if is_symbol(name) else not _kinds(name) - {0}


def is_other(phrase: str, name: str) -> bool:
    """Whether each has words of its own and none in common: the return time, for the outward time."""
    one, other = (tokens(text) - GENERAL for text in (phrase, without_unit(name)))
    return bool(one and other) and not is_symbol(name) and not share_meaning(" ".join(one), " ".join(other))


def measure_one(name: str, other: str) -> bool:
    """Whether both are of one measured kind, and one that is not counted: two speeds."""
    return bool(_kinds(name) & _kinds(other) - _COUNTS_AND_MONEY)


def is_another(phrase: str, cause: str) -> bool:
    """`the weekly pay`, for the monthly pay."""
    one, other = tokens(phrase), tokens(cause)
    label = set(_LABEL.findall(phrase.lower().replace("_", " ")))
    other_label = set(_LABEL.findall(cause.lower().replace("_", " "))) if label else label
    if label and other_label and not label & other_label:  # car B, for car C
        return True
    if one.isdisjoint(_OPPOSABLE) or other.isdisjoint(_OPPOSABLE):
        return False
    return any(one & group and other & group and not one & other & group for group in _OPPOSED)


def is_of_another_kind(phrase: str, cause: str, effect: str) -> bool:
    return _measures_another(phrase, cause, effect) or _counts_another(phrase, cause) or _shares_little(phrase, cause)


def _measures_another(phrase: str, cause: str, effect: str) -> bool:
    """A price is no number, and the repairs are not the time they take."""
    timing = _TIMING.findall(phrase)
    one = tokens(phrase) - (tokens(" ".join(timing)) if timing else frozenset())
    measured, has = (
        {k for k, kind in enumerate(_MEASURED) if kind & name} for name in (one, tokens(cause) | units_of(cause))
    )
    if measured and has:
        return not measured & has
    measures = _kinds(cause) - _COUNTS_AND_MONEY
    return bool(measures) and not measured and not measures & _kinds(effect)


def _counts_another(phrase: str, cause: str) -> bool:
    """The number of items is not the largest item, the units are not the price per unit."""
    plain = cause.lower().replace("_", " ")
    counted = re.search(r"\bnumber of (?:[a-z]+ )?([a-z]+s)\b", phrase)
    if counted and not tokens(cause) & _MEASURED[0] and re.search(rf"\b{counted[1][:-1]}\b", plain):
        return True
    per = [re.search(r"\bper ([a-z]+)$", name.strip()) for name in (phrase, plain)]
    if per[0] and per[1] and not share_meaning(per[0][1], per[1][1]):  # jars per box, for jars per crate
        return True
    if set(_EXTREME.findall(plain)) - set(_EXTREME.findall(phrase)):
        return True
    rate = re.split(r"\b(?:per|each|every)\b", plain, maxsplit=1)
    bare = len(rate) == 2 and rate[0].strip() and not re.search(r"\b(?:per|each|every)\b", phrase)
    if bare and tokens(phrase) <= tokens(rate[1]) and not tokens(phrase) & tokens(rate[0]):
        return True
    counts = [re.search(r"\bnumber of ([a-z ]+)", name) for name in (phrase, plain)]
    return bool(counts[0] and counts[1] and not share_meaning(counts[0][1], counts[1][1]))


def _shares_little(phrase: str, cause: str) -> bool:
    """Tax and tip are not the tax; the initial volume is not the initial population, nor shirts pants."""
    one, other, units = tokens(phrase), tokens(cause), units_of(cause)
    several = re.compile(r"\band\b|&")
    if several.search(phrase) and not several.search(cause.lower()):
        return not all(_has(other | units, token) for token in one)
    for plain in (_MODIFIERS, GENERAL):
        mine, its = one - plain, other - plain
        if mine and its and not any(_has(its | units, token) for token in mine):
            return True
    return False


def _kinds(name: str) -> set[int]:
    """What a name measures itself: eggs per day are no time."""
    named = tokens(re.sub(r"\([^()]*\)", "", _TIMING.sub("", name.lower().replace("_", " "))))
    return {k for k, kind in enumerate(_MEASURED) if kind & named}


def _has(words: Set[str], token: str) -> bool:
    """Whether it is among the words, or one of its meaning."""
    return not _KIN.get(token, {token}).isdisjoint(words)


def units_of(name: str) -> frozenset[str]:
    """`Volume (L)` speaks of liters; (g/mol) of neither."""
    inside = re.findall(r"\(\s*([^()/\s]+)\s*\)", name.lower()) if "(" in name else ()
    return frozenset(stem(_UNITS.get(unit, unit)) for unit in inside)


def _head(name: str) -> frozenset[str]:
    """What it is, before what it is of."""
    plain = re.sub(r"\([^()]*\)", "", name.lower().replace("_", " "))
    plain = re.sub(r"^(?:(?:the|all|both|these|those|individual|number|amount|of)\s+)+", "", plain)
    before = _HEAD.match(plain)
    return tokens(before[1]) if before else tokens(plain)


def is_made_of(phrase: str, causes: Sequence[str]) -> bool:
    """`reciprocals of the resistances`, `commission on sales`: something made of the causes, and not they."""
    plain = re.sub(r"^(?:(?:all|both|the|these|those|individual)\s+)+", "", phrase.lower())
    before = _HEAD.match(plain)
    if before is None or re.match(r"(?:all|each|what|\w+ly)\s", before[1]):
        return False
    known = _MEASURES.union(*(tokens(cause) | units_of(cause) for cause in causes))
    return not any(_has(known, token) for token in _heads(before[1]))


def _heads(text: str) -> Iterator[str]:
    yield from (stem(word) for word in re.findall(r"[^\W_]+", text.lower()))
