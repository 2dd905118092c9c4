"""A rule without what stands around its arithmetic, where that says nothing of its own.

    They drive towards each other, so the gap closes at the sum of the two speeds     sum of the two speeds
    By Vieta the sum of the roots equals the negative of b over a                     the negative of b over a
    Density equals mass over volume, of rho                                           mass over volume

Whoever reads what is left must find every cause in it. What is left out may not compute, set a condition or say a
number that the rest lacks: 60 % are girls, so the boys are the other 40 %. A subject must be the effect by a word, by
custom (rho is a density) or by its first letters (std_dev): the perimeter is no area.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from trueness.patterns import late
from trueness.reasoning.literals import conversion, read_unit
from trueness.reasoning.syntax import symbol
from trueness.reasoning.trees import Call, Name, Tree, evaluate
from trueness.reasoning.word_forms import SHARE
from trueness.reasoning.word_names import (
    GENERAL,
    are_alike,
    is_another,
    is_symbol,
    names_symbol,
    share_meaning,
    stem,
    tokens,
    without_unit,
)
from trueness.reasoning.word_numbers import CONDITION, NUMBER_WORDS, NUMERAL, OPERATION_WORDS, number_of, share_of
from trueness.reasoning.word_plain import numbers
from trueness.reasoning.word_shapes import join
from trueness.reasoning.word_subject import is_about

_MOST = 24  # texts that are tried of one rule
_DO = r"(?:add|multiply|divide|subtract|deduct|take|square|sum|compute|calculate|work out|find)"
_OF = (
    r"(?:the )?(?:sum|product|difference|ratio|quotient|average|mean|square root|(?:least|lowest) common multiple|"
    r"(?:greatest|highest) common (?:divisor|factor)|larger|smaller|maximum|minimum)\b"
)
_AROUND = tuple(
    late(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"(?P<out>.+?)[,;.]?\s+(?:so|hence|therefore|thus|consequently)\b,?\s*(?:it'?s |it is |that is )?(?P<core>.+)",
        r"(?P<out>[^:=]+):\s+(?P<core>.+)",
        r"(?P<out>[^,$=]+),\s+(?P<core>\$[^$]+\$)",
        r"(?P<out>(?:by|using|for|to|in|with|from)\s[^,=]+),\s+(?P<core>.+)",
        rf"(?P<out>(?:by|for|using|from)\s[^,=]+?)\s+(?P<core>(?:just |simply )?{_DO}\s.+|{_OF}.+)",
        r"(?P<out>[^.;=]*[a-z]{2})[.;]\s+(?P<core>.+)",
        r"(?P<core>.+?),?\s+(?P<out>(?:valid |true )?(?:since|because|as there (?:are|is))\s.+)",
        r"(?P<core>.+?),\s+(?P<out>as\s.+)",
        r"(?P<core>.+?),?\s+(?P<out>to (?:go|get|convert|change|find|obtain|reach|turn|give|express)\b.+)",
        r"(?P<core>[^$]*\$[^$]+\$),?\s+(?P<out>(?:gives|is|yields|for)\s[^$]+)",
    )
)
_COPULA = (
    r"(?:is|are|was|were|equals?|will be|must be|comes to|amounts to|consists of|is given by|is equal to)"
    rf"(?:\s+(?:just|simply|exactly|then))?\s|(?:again )?(?:at|after|in)\s(?={_OF})"
)
_SUBJECT = late(rf"(?P<subject>[^=,;:]+?)\s+(?:{_COPULA}|=\s)\s*(?P<core>.+)", re.IGNORECASE | re.DOTALL)
_HAS = late(  # a polygon with n sides has n(n-3)/2 diagonals
    r"(?P<out>[^=,;:]+?)\s+(?:has|have|there are|can be [a-z]+ in)\s+(?P<core>\S*[\d+*/^!²(]\S*(?:\s+[-+*/^]\s+\S+)*)"
    r"\s+(?P<noun>[a-z]+)", re.IGNORECASE,
)  # fmt: skip
_GOES_ON = late(r"[,;](?!\s*(?:as|since|because)\b)(?!\s*where [^\W\d_] = )")
_REMAINS = late(rf"(?:only |the )?({SHARE}) (?P<what>remains?|(?:is|are) [a-z]+)(?: over)?", re.IGNORECASE)
_EACH_GETS = late(
    r"(?:each|every) (?P<who>[a-z]+) (?:gets|receives|pays|earns) (?P<core>.*\b(?:divided by|over|shared)\b.*)",
    re.IGNORECASE,
)
_GIVES = late(r"(?:gives|is|yields)\s+(.+)", re.IGNORECASE | re.DOTALL)
_STATES = late(r"(.+?)\s+(?:is|are|equals)\s", re.IGNORECASE)
_SPELT = sorted({word for word in OPERATION_WORDS if len(word) > 6} | {"arithmetic", "subtract", "multiply"})
_MORE = late(
    rf"{CONDITION.pattern}|\b(?:proportional|approximately|about|roughly|depends?|may|might|some|or|at least|at most|"
    r"up to|nearly|almost|ago|only|excluding|instead|without|before|after|besides|else|ignor\w+|neglect\w+|appl\w+|"
    r"per|each(?! other)|every|let|call|denote|suppose|large|small|bulk|again|also|another|doubl\w+|"
    r"tripl\w+|halv\w+|discount\w*|tax\w*|fee|increas\w*|decreas\w*|reduc\w*)\b"
)
_SUMS_TO = late(rf"\b(?:add|sum)s?(?: up)? to (?:{NUMERAL})")
_WHOLE = late(r"\bonly (?:complete|full|whole) [a-z]+ (?:count|are counted|matter|fit|are sold)\b")
_FLOOR = late(r"(?:integer|whole) part|rounded down|floor", re.IGNORECASE)
_COUNT = late(rf"\b(?:the|these|all|both|has|have) ({'|'.join(NUMBER_WORDS[2:])}) [a-z]+")
_OUTCOMES = frozenset("average mean sum total difference ratio percentage product complement percent all".split())
_NOTHING = frozenset("it this that result answer value quantity amount".split())
_CUSTOM = {
    "density": "rho ρ d", "wavelength": "lambda λ", "angle": "theta θ alpha α beta β phi φ", "frequency": "f nu ν",
    "energy": "e u k w", "work": "w", "heat": "q", "displacement": "s x d", "distance": "d s x",
    "deviation": "sigma σ sd s", "mean": "mu μ", "slope": "m k", "efficiency": "eta η", "torque": "tau τ",
    "probability": "p", "period": "t", "temperature": "t", "time": "t", "volume": "v", "voltage": "v u",
    "area": "a s", "power": "p", "pressure": "p", "force": "f n", "momentum": "p", "impulse": "j p", "current": "i",
    "resistance": "r", "charge": "q", "velocity": "v u", "speed": "v u c", "acceleration": "a g", "mass": "m",
    "radius": "r", "diameter": "d", "height": "h", "circumference": "c u", "perimeter": "p u", "capacitance": "c",
    "resistivity": "rho ρ", "conductivity": "sigma σ", "interest": "i", "weight": "w g", "gap": "d",
}  # fmt: skip
_ALL = late(
    r"(?:(?:take|find|compute|calculate|just|simply) )*(?:the |their )?(?P<op>sum|total|product|arithmetic mean|mean|"
    r"average|(?:least|lowest|smallest) common multiple|(?:greatest|highest|largest) common (?:divisor|factor))"
    r"(?: of (?P<what>[a-z ]+))?"
)
_OTHER = late(rf"(?:the )?(?:other|remaining) ({SHARE})", re.IGNORECASE)
_PLAIN = frozenset("both 2 3 4 until next all together".split())
_OPERATIONS = frozenset(map(stem, OPERATION_WORDS))
_ELLIPSIS = late(r"(?:the )?(?:third|other|last|remaining|missing|unknown)(?: one)?")
_ADD = late(
    r"^(?:just |simply )?(?:add|sum)(?: up)? ((?:their|the|both|all) [a-z ]+?)(?: up| together)?$"
    r"|^(?=((?:the )?[a-z ]*?[a-z]+s(?: in series)?) (?:simply |just )?(?:add|sum)(?: up)?$).*"
)
_CALLS = {"s": "sum", "t": "sum", "p": "product", "a": "mean", "m": "mean", "l": "lcm", "g": "gcd", "h": "gcd"}
_SOME = late(
    r"\b(?:first|last|other|others|best|worst|next|remaining|left|outer|inner|square\w*|reciprocal\w*|weighted|by|"
    r"digits?|divisors?|roots?|factors?|logs?|cubes?|and)\b"
)


def cores(text: str, causes: Sequence[str], effect: str, values: Sequence[float]) -> Iterator[tuple[str, list[str]]]:
    """Shorter texts, the longest first, and what was left out of each."""
    waiting: list[tuple[str, list[str]]] = [(text.strip().rstrip("."), [])]
    seen = {waiting[0][0]}
    for core, out in waiting:
        for shorter, left in _shorter(core, causes, effect, values):
            if shorter not in seen and len(seen) < _MOST:
                seen.add(shorter)
                waiting.append((shorter, [*out, left]))
                yield waiting[-1]


def _shorter(text: str, causes: Sequence[str], effect: str, values: Sequence[float]) -> Iterator[tuple[str, str]]:
    for place, pattern in enumerate(_AROUND):
        match = pattern.fullmatch(text)
        gives = _GIVES.match(match["out"]) if match else None
        title = _STATES.match(match["out"]) if match and place == 1 else None
        if title and not is_subject(title[1], causes, effect):  # momentum p is a product: p = mv, of a force
            continue
        if gives and not is_subject(gives[1], causes, effect):  # $s = v t$ gives the displacement, of the pages
            continue
        if match and _says_nothing(match["out"], match["core"], (*causes, effect), values, titled=place in (1, 2)):
            yield match["core"].strip().rstrip("."), match["out"]
    if (spelt := _spelt(text)) != text:
        yield spelt, ""
    share = _REMAINS.fullmatch(text) if len(causes) == 1 else None
    if share and share_meaning(share["what"], effect):
        yield f"{share[1]} of {causes[0]}", ""
    gets = _EACH_GETS.fullmatch(text)
    if gets and (re.search(r"each|per|share", effect.lower()) or share_meaning(gets["who"], effect)):
        yield gets["core"], ""
    counted = _HAS.fullmatch(text)
    if counted and share_meaning(counted["noun"], effect) and is_subject(counted["noun"], causes, effect):
        if _says_nothing(counted["out"], text, (*causes, effect), values, titled=False):
            yield counted["core"], counted["out"]
    match = _SUBJECT.fullmatch(text)
    if match and is_subject(match["subject"], causes, effect) and not ("=" in text and _GOES_ON.search(match["core"])):
        core = match["core"].strip()
        other = _OTHER.fullmatch(core) if len(causes) == 1 else None
        yield f"{other[1]} of {causes[0]}" if other else core, ""
        if re.search(r"\btimes\b", core):
            yield _signs_as_words(core), ""
        if ", where " in core:
            yield f"{symbol(effect)} = {core}", ""


def with_own_names(text: str, names: Sequence[str], values: Mapping[str, float]) -> str:
    """P(none) of P_none, pi as a rule takes it (using pi = 3.14), and without a bound that holds (since |r| < 1)."""
    for name in names:
        inside = re.fullmatch(r"(P|Pr)_(\w+)", name) if name[:1] == "P" else None
        if inside is not None:
            spoken = inside[2].replace("_", r"[\s_]+")
            text = re.sub(rf"\b{inside[1]}\(\s*{spoken}\s*\)", name, text, flags=re.IGNORECASE)
    pi = _PI.fullmatch(text) if "3.1" in text else None
    if pi is not None and len(re.findall(r"\bpi\b|π", pi["core"], re.IGNORECASE)) == 1:
        text = re.sub(r"\\?\bpi\b|π", f" {pi['value']} ", pi["core"], flags=re.IGNORECASE)
    bound = _BOUND.fullmatch(text) if re.search("[<>≤≥]", text) else None
    if bound is not None and bound["name"] in values:
        value = abs(values[bound["name"]]) if bound["abs"] else values[bound["name"]]
        limit = float(bound["limit"])
        text = bound["core"] if (value < limit if bound["sign"][0] in "<≤" else value > limit) else text
    return text


_PI = late(
    r"(?P<core>[^=]*(?:=[^=]*?)?),?\s*\(?(?:using|with|taking|where|for)\s+\$?\\?(?:pi|π)\s*(?:=|≈|is|as|to be)\s*"
    r"(?P<value>3\.1\d*)\$?\)?\.?", re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_BOUND = late(
    r"(?P<core>.+?),?\s*\(?(?:which is |which holds |valid |true |converges )?(?:since|as|because|for|"
    r"provided(?: that)?|when|where)\s+(?P<abs>\|?)(?P<name>[^\W\d]\w*)\|?\s*(?P<sign><=?|>=?|≤|≥)\s*"
    r"(?P<limit>\d+(?:\.\d+)?)\)?\.?",
    re.DOTALL,
)
_CHANGES = late(r"\bfrom (?P<one>[a-zA-Z/]+) (?:in)?to (?P<other>[a-zA-Z/]+)")


def converts_so(out: Sequence[str], tree: Tree, causes: Sequence[str]) -> bool:
    """Whether `to go from km/h to m/s` is what a formula of one cause does, where both units are known."""
    for change in (one for part in out if (one := _CHANGES.search(part))):
        factor = conversion(change["one"], change["other"])
        if factor is None and (read_unit(change["one"]) is None or read_unit(change["other"]) is None):
            continue
        if factor is None or len(causes) != 1 or abs(evaluate(tree, {causes[0]: 1.0}) - factor) > 2e-3 * abs(factor):
            return False
    return True


def _spelt(text: str) -> str:
    """Arrithmetic mean, multipy by: a long word of arithmetic with one letter too many, too few or another."""

    def correct(match: re.Match[str]) -> str:
        word = match[0].lower()
        alike = [one for one in _SPELT if one[0] == word[0] and abs(len(one) - len(word)) < 2]
        near = [one for one in alike if _is_one_off(word, one)] if word not in alike else []
        return near[0] if len(near) == 1 else match[0]

    return re.sub(r"\b[A-Za-z]{6,}\b", correct, text)


def _is_one_off(word: str, other: str) -> bool:
    """Whether a letter in the middle tells them apart; added and adding differ at their ends, and are two words."""
    same = next((k for k, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), len(word))
    tails = {word[same:] == other[same + 1 :], word[same + 1 :] == other[same:], word[same + 1 :] == other[same + 1 :]}
    return 0 < same < min(len(word), len(other)) - 2 and True in tails


def _signs_as_words(core: str) -> str:
    """start + four times the length, in words alone."""
    for sign, word in ((" + ", " plus "), (" - ", " minus "), (" / ", " divided by "), (" * ", " times ")):
        core = core.replace(sign, word)
    return core


def _says_nothing(out: str, core: str, names: Sequence[str], values: Sequence[float], titled: bool) -> bool:
    """Whether words can be left out: they compute nothing, set no condition, and have no number of their own."""
    words, known = out.lower().replace("_", " "), " ".join(names).lower().replace("_", " ")
    for part in re.findall(SHARE, words):  # three quarters are used, so a quarter remains
        if (share := share_of(part)) and any(share_of(one) == 1 - share for one in re.findall(SHARE, core.lower())):
            words = words.replace(part, " ")
    by_name, bare = set(re.findall(r"[a-z]+", known)), _SUMS_TO.sub(" ", words)
    if (
        any(more[0] not in by_name for more in _MORE.finditer(_WHOLE.sub(" ", bare) if _FLOOR.search(core) else bare))
        or "=" in words
    ):
        return False
    has = numbers(core.lower()) | {*values, 1.0} | {100.0 - one for one in numbers(core.lower()) if "%" in core}
    has |= {float(number_of(one) or 0) for one in _COUNT.findall(words)} & {float(len(names)), len(names) - 1.0}
    if not numbers(words) <= has:
        return False
    computed = set(re.findall(r"[a-z]+", bare)) & OPERATION_WORDS - by_name
    return not computed - (_OUTCOMES if titled else frozenset({"all"}))


def is_subject(phrase: str, causes: Sequence[str], effect: str) -> bool:
    """Whether what a sentence speaks of may be the effect: by a word, by custom, or by first letters."""
    phrase = re.sub(r"\s*\(in [a-z ]+\)", "", phrase.lower().strip())
    subject, named = tokens(phrase), tokens(without_unit(effect))
    plain = set(re.findall(r"[a-z]+", phrase))
    if _ELLIPSIS.fullmatch(phrase):
        return not is_another(phrase, effect)
    if re.search(r"[\d%]", phrase) or CONDITION.search(phrase) or (plain & OPERATION_WORDS and not subject <= named):
        return False
    if not subject or subject <= _NOTHING:
        return True
    if is_another(phrase, effect) or any(subject <= tokens(cause) and not subject <= named for cause in causes):
        return False
    short = without_unit(effect).replace("_", " ").lower().split()
    customary = {letter for word in plain for letter in _CUSTOM.get(word, "").split()}
    if len(short[0]) <= 2 or short[0] in " ".join(_CUSTOM.values()).split():  # rho, E_k, v_avg
        first = "".join(word[0] for word in re.findall(r"[a-z]+", phrase) if word not in ("the", "of", "a", "an"))
        return short[0] in customary or (len(short[0]) > 1 and first.endswith(short[0]))
    if all(2 < len(one) < 6 and any(_shortens(one, word) for word in plain) for one in short):
        return True
    others = subject - named - GENERAL - _PLAIN - frozenset[str].union(*map(tokens, causes))
    return is_about(phrase, effect) and not (others and named - subject - GENERAL - _PLAIN)


def _shortens(short: str, word: str) -> bool:
    """std, of standard: its letters in their order, from the first on."""
    letters = iter(word)
    return short[0] == word[0] and len(word) > len(short) and all(letter in letters for letter in short)


def of_all(core: str, causes: Sequence[str], effect: str, text: str = "") -> Tree | None:
    """`the product`, `the sum of what the three children collected`: over all causes, where they are of one kind."""
    phrase = core.lower().strip().rstrip(".")
    match = _ALL.fullmatch(_ADD.sub(lambda it: f"sum of {it[1] or it[2]}", phrase))
    what = (match["what"] or "") if match else ""
    if match is None or not 1 < len(causes) < len(NUMBER_WORDS) or CONDITION.search(what):
        return None
    several = len(causes) > 2 and are_alike(causes) and bool(tokens(what) & tokens(effect) - _OPERATIONS)
    if not _are_of_one_kind(causes) and not several:
        return None
    counts = [NUMBER_WORDS.index(word) for word in re.findall(r"[a-z]+", what) if word in NUMBER_WORDS]
    counts += [2] if "both" in what.split() else []
    known = frozenset[str].union(*map(tokens, causes))
    if _SOME.search(what) or {word for word in set(what.split()) & OPERATION_WORDS if stem(word) not in known} - {
        "all"
    }:
        return None
    if what and counts != [len(causes)] and not _are_these(what, causes, text):
        return None
    if any(0 < sum(share_meaning(token, cause) for cause in causes) < len(causes) for token in tokens(what)):
        if not are_alike([what, *causes]) or len(tokens(what)) > 2:  # the two lengths, of a length and a width
            return None
    operation = _CALLS[match["op"].removeprefix("arithmetic ")[0]]
    operation = "lcm" if "multiple" in match["op"] else "gcd" if "common" in match["op"] else operation
    if operation == "mean" and not share_meaning("mean average", effect):
        return None
    tree = join(operation, [Name(cause) for cause in causes])
    return tree if not isinstance(tree, Call) or len(tree.arguments) == len(causes) else None


def _are_these(what: str, causes: Sequence[str], text: str) -> bool:
    """Their lengths, of the legs that a rule speaks of and whose names say leg; resistors, of R1 and R2."""
    shared = frozenset[str].intersection(*map(tokens, causes)) - GENERAL
    if what.startswith("their "):
        return bool(shared & tokens(text))
    bare = [without_unit(cause) for cause in causes]
    return all(is_symbol(one) and names_symbol(what, one) for one in bare) and not re.search(
        r"\b(?:parallel|the)\b", text
    )


def _are_of_one_kind(causes: Sequence[str]) -> bool:
    """Shells of Anna and shells of Ben, P(A) and P(B), R_1 and R_2: not a price and a discount."""
    shared = frozenset[str].intersection(*map(tokens, causes))
    bare = [re.split(r"[_(\d]", without_unit(cause), maxsplit=1)[0].strip() for cause in causes]
    return are_alike(causes) and (bool(shared) or (len(set(bare)) == 1 and bool(bare[0])) or _are_lengths(causes))


def _are_lengths(causes: Sequence[str]) -> bool:
    """A length and a width, both lengths by their names."""
    return all(re.search(r"\b(?:length|width|height|depth)\b", cause.lower().replace("_", " ")) for cause in causes)
