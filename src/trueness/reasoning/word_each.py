"""So many for every one, step by step, and conversions: a number times how often.

3 eggs for every cake, every 5 bottles earn 40 cents         n / m times the count, for an effect that is the things
drops by 2 degrees every hour, grows by 3 % a year           of a beginning and a number of hours or years
convert hours to minutes                                     by the units that are said or that the cause has
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import reduce

from trueness.patterns import late
from trueness.reasoning.literals import conversion
from trueness.reasoning.trees import Binary, Name, Number
from trueness.reasoning.word_causes import Values
from trueness.reasoning.word_names import stem, tokens, units_of
from trueness.reasoning.word_numbers import NUMERAL, computes, number_of
from trueness.reasoning.word_plain import numbers
from trueness.reasoning.word_pronouns import is_in
from trueness.reasoning.word_shapes import Shape

_EVERY_STEP = late(
    r"(?:the )?(?P<what>[a-z ]+?) (?:(?P<up>increases|rises|grows|gains|appreciates|goes up)|"
    r"decreases|drops|falls|shrinks|loses|declines|depreciates|goes down)"
    rf"(?: by| at)? (?P<size>{NUMERAL})(?:(?P<percent>\s?%| percent)(?: (?:in|of its) value)?|(?: (?!%)[a-z]+)?) "
    rf"(?:every|each|per|an?) (?P<of>[a-z]+)"
    rf"(?:,? compounded (?P<how>annually|yearly|monthly|weekly|daily))?(?:,? (?:for|over) (?:the (?:given )?"
    rf"(?:number of )?)?(?P<n>{NUMERAL} )?(?P<again>[a-z]+))?"
)
_HOW_OFTEN = {"annually": "year", "yearly": "year", "monthly": "month", "weekly": "week", "daily": "day"}
_EACH = tuple(
    late(pattern)
    for pattern in (
        rf"(?:there (?:is|are) |(?:he|she|it|they|we|you) [a-z]+ |"
        rf"(?:the )?[a-z]+ (?:uses|gives|yields|produces|requires|needs|makes) )?"
        rf"(?P<n>{NUMERAL})(?P<what> [a-z ]+?) (?:for (?:every|each)|per) (?P<m>{NUMERAL} )?"
        r"(?P<of>[a-z ]+)",
        rf"(?:he|she|it|they|we|you|each [a-z]+|the [a-z]+) [a-z]+ (?P<n>{NUMERAL})(?P<what> [a-z]+) "
        rf"(?:every|each) (?P<of>(?!other\b)[a-z]+)",
        rf"it takes (?:[a-z]+ )?(?P<n>{NUMERAL})(?P<what> (?:second|minute|hour|day)s?) to [a-z]+ "
        r"(?:each|every|one|an?) (?P<of>[a-z]+)",
        rf"for (?:every|each) (?P<m>{NUMERAL} )?(?P<of>[a-z ]+?),? there (?:is|are) (?P<n>{NUMERAL})(?P<what> [a-z ]+)",
        rf"for (?:every|each) (?P<m>{NUMERAL} )?(?P<of>[a-z][a-z0-9 ]*?),? (?P<n>{NUMERAL})(?P<what> [a-z][a-z0-9 ]*?) "
        r"(?:is|are) (?:formed|produced|made|needed|used|required|added|given|consumed|released|planted|awarded)",
        rf"(?:each|every) (?P<of>(?!additional|extra|next|other|second|third)[a-z]+(?: [a-z]+)?"
        rf"(?: of [a-z]+)?) (?!of|at|for|to|in|is|are)[a-z]+s (?P<n>{NUMERAL})(?P<what> [a-z ]+)",
        rf"[a-z]+(?: [a-z]+)?? (?P<n>{NUMERAL})(?P<what> [a-z]+) "
        r"(?:to|for|in|on|at|with) (?:each|every) (?P<of>[a-z]+)",
    )
)
_PAID = tuple(
    late(pattern)
    for pattern in (
        rf"(?:each|every) (?P<m>{NUMERAL} )?(?P<of>[a-z ]+?) "
        rf"(?:costs?|earns?|brings?(?: in)?|pays?|gives?|fetch(?:es)?|saves?|raises?|adds?) (?P<n>{NUMERAL})"
        rf"(?P<coin> dollars?| cents?| euros?)?",
        rf"(?P<n>{NUMERAL})(?P<coin> dollars?| cents?| euros?)? (?:for|per) (?:each |every )?"
        rf"(?P<m>{NUMERAL} )?(?P<of>[a-z ]+)",
    )
)
_MONEY = late(
    r"cost|refund|earn|pay|paid|price|revenue|income|fee\b|charge|money|profit|donation|bill|wage|sales|spen[dt]|saving|"
    r"dollar|\$|euro|fare|fine|amount due|expense"
)
_PLAIN = frozenset(map(stem, "total number count needed required used all overall amount altogether".split()))
_TWICE = late(
    rf"(?:[a-z]+ [a-z]+ )?(?P<n>{NUMERAL}) (?P<what>[a-z]+) (?:an?|per|each|every) (?P<per>[a-z]+) for "
    rf"(?P<m>{NUMERAL}) (?P<again>[a-z]+)"
)
_SO_OFTEN = late(
    r"(?P<front>.*\b(?:every|each|per) (?P<of>[a-z]+)) (?:for|over|during) "
    r"(?:the |all (?:the |of the )?)?(?:given |whole )?(?:number of )?(?P<again>[a-z]+)"
)
DENIED = late(r"\b(?:non|not|un\w+|without|left|remaining|rest|other)\b")
_SINGLE = late(r"\b(?:per|each|every|single|rate|average|ratio|one|(?:an?|the) hour)\b")
CONVERT = late(
    r"convert(?:ing)?\s+(?P<what>.+?)\s+(?:in)?to\s+(?:an?\s+)?(?P<to>[a-z]+(?:/[a-z]+\d?)?)"
    rf"(?:\s*[,(]?\s*(?:by\s+)?(?P<how>multiply|divid)(?:ing|e)?(?: it)?\s+by\s+(?P<by>{NUMERAL})\)?)?"
)


def for_each(sentence: str, causes: Sequence[str], effect: str) -> Iterator[Shape]:
    """`3 eggs for every cake`, `one teacher for every 15 students`: n / m times the count, for an effect that is the
    things. `12 dollars per hour for the hours worked` says its count behind."""
    named = effect.lower().replace("_", " ")
    again = re.search(r" (?:per|each|every|an?) (day|week|month|year|hour|minute)$", sentence)
    if again and again[1] in named:  # 35 crates per day, for crates per day
        sentence, named = sentence[: again.start()], re.sub(rf"\b(?:per|each|every) {again[1]}\b", "", named)
    so_often = _SO_OFTEN.fullmatch(sentence)  # 12 pages every night for the given number of nights
    if so_often and stem(so_often["of"]) == stem(so_often["again"]):
        sentence = so_often["front"]
    if _SINGLE.search(named) or (len(causes) == 1 and _SINGLE.search(causes[0].lower())):
        return
    for pattern in _EACH:
        match = pattern.fullmatch(sentence)
        if match is None:
            continue
        lacking = tokens(effect) - _PLAIN - tokens(sentence)  # 3 apples for each friend are not the apples left
        if len(lacking) > 1 or DENIED.search(named) or not _is_of(match["what"], effect):
            continue
        size, of = number_of(match["n"]), number_of((match.groupdict().get("m") or "1").strip())
        if size is not None and of and not computes(match["of"]) and not computes(match["what"]):
            factor: Shape = Number(size) if of == 1 else Binary("/", Number(size), Number(of))
            yield Binary("*", factor, Name(match["of"]))
    yield from _payments(sentence, named)
    yield from _several(sentence, causes, named)
    twice = _TWICE.fullmatch(sentence)  # 8 hours a day for 5 days
    if twice and not all(tokens(cause) & tokens(sentence) for cause in causes):
        twice = None
    if twice and stem(twice["per"]) == stem(twice["again"]) and tokens(twice["what"]) & tokens(effect):
        sizes = [number_of(twice[part]) for part in ("n", "m")]
        if None not in sizes:
            yield Binary("*", Number(sizes[0] or 0.0), Number(sizes[1] or 0.0))
    rate = _RATE.fullmatch(sentence)
    if rate and stem(rate[2]) in tokens(rate[3]) and (size := number_of(rate[1])) is not None:
        yield Binary("*", Number(size), Name(rate[3]))


def _several(sentence: str, causes: Sequence[str], named: str) -> Iterator[Shape]:
    """`3 for every win and 1 for every draw`; `the cost of 3 notebooks and 5 pens`, of their prices: one cause each."""
    if len(causes) < 2:
        return
    pieces = [piece for piece in _AND.split(sentence.removeprefix("the ").removeprefix("sum of ")) if piece]
    if len(pieces) != len(causes):
        return
    rates = [_FOR_EVERY.fullmatch(piece) for piece in pieces]
    bought = [_SO_MANY.fullmatch(re.sub(r"^(?:the )?(?:total )?(?:cost|price)s? of ", "", piece)) for piece in pieces]
    made: list[Shape] = []
    if all(map(_COSTS.fullmatch, pieces)) and _MONEY.search(named):
        rates = [_COSTS.fullmatch(piece) for piece in pieces]
        made = [Binary("*", Number(number_of(match["n"]) or 0.0), Name(f"{match['of']}s")) for match in rates if match]
    elif all(rates):
        whats = [match["what"] for match in rates if match and match["what"]]
        if any(not _is_of(what, named) for what in whats):
            return
        made = [Binary("*", Number(number_of(match["n"]) or 0.0), Name(match["of"])) for match in rates if match]
    elif (
        all(bought)
        and _MONEY.search(named)
        and re.match(r"(?:the )?(?:sum of )?(?:the )?(?:total )?(?:cost|price)s? of ", sentence)
    ):
        each = [f"price of {match['of']}" for match in bought if match]
        if all(re.search(r"\b(?:price|cost|per|each)\b", cause.lower().replace("_", " ")) for cause in causes):
            counts = [number_of(match["n"]) or 0.0 for match in bought if match]
            made = [Binary("*", Number(n), Name(name)) for n, name in zip(counts, each, strict=True)]
    if made and not DENIED.search(named) and not _SINGLE.search(named):
        yield reduce(lambda left, right: Binary("+", left, right), made)


_AND = late(r",? and |, | plus |; ")
_RATE = late(
    rf"({NUMERAL})(?: dollars| cents| euros)? (?:per|an?) ([a-z]+) (?:for|times) (?:each |every |the )?([a-z ]+)"
)
_FOR_EVERY = late(
    rf"(?P<n>{NUMERAL})(?P<what> [a-z]+)? (?:for (?:each |every )|per )(?P<of>(?!other\b)[a-z]+(?: [a-z]+)?)"
)
_COSTS = late(
    r"(?:each|every) (?P<of>(?!other\b)[a-z]+(?: [a-z]+)?) "
    r"(?:costs|is sold for|sells for|brings(?: in)?|is) (?P<n>\$\d[\d.]*)"
)
_SO_MANY = late(rf"(?P<n>{NUMERAL}) (?P<of>(?!times\b|more\b|less\b|percent\b)[a-z]+s)")


def _is_of(what: str, effect: str) -> bool:
    """Pages of the pages read, newtons of a weight in (N)."""
    if re.search(r"\b(?:dollars?|cents?|euros?)\b", what):  # how many cents a dollar has, _paid knows
        return False
    return bool(tokens(what) & (tokens(effect) | units_of(effect)))


def _payments(sentence: str, named: str) -> Iterator[Shape]:
    """`Every 5 bottles earn 40 cents`: for an effect that is money; in dollars where it says so."""
    for pattern in _PAID:
        match = pattern.fullmatch(sentence)
        coin = (match["coin"] or "").strip() if match else ""
        cents, in_cents = coin.startswith("cent"), re.search(r"\bcents?\b", named) is not None
        clear = bool(re.search(r"dollar|\$|usd", named)) if cents and not in_cents else cents == in_cents
        in_money = coin or (match and match["n"].startswith("$")) or (match and "cost" in sentence)
        if match is None or not in_money or not clear or not _MONEY.search(named) or DENIED.search(named):
            continue
        size, of = number_of(match["n"]), number_of((match["m"] or "1").strip())
        if size is not None and of and not computes(match["of"]):
            factor = Number(size / 100 if cents and not in_cents else size)
            yield Binary("*", factor if of == 1 else Binary("/", factor, Number(of)), Name(match["of"]))


def step_by_step(sentence: str, causes: Sequence[str]) -> Iterator[Shape]:
    """`The temperature drops by 2 degrees every hour`, of a beginning and a number of hours; `grows by 3 % each year
    for two years`: (1 + 3 %)^2 times."""
    match = _EVERY_STEP.fullmatch(sentence)
    size = number_of(match["size"]) if match else None
    if match is None or size is None:
        return
    if match["how"] and match["of"] != _HOW_OFTEN[match["how"]]:  # 5 % per year, compounded monthly
        return
    if match["again"] and stem(match["again"]) != stem(match["of"]):
        return
    if (match["n"] and len(causes) != 1) or (match["percent"] and not match["again"]):  # 5 % a year: of the first?
        return
    often: Shape | None = Name(match["of"]) if len(causes) == 2 else None
    if match["n"] and (number := number_of(match["n"].strip())) is not None:
        often = Number(number)
    if often is None:
        return
    sign, what = "+" if match["up"] else "-", Name(match["what"])
    if match["percent"]:
        yield Binary("*", what, Binary("^", Binary(sign, Number(1.0), Number(size / 100)), often))
    else:
        yield Binary(sign, what, Binary("*", Number(size), often))


def converted_by(match: re.Match[str], cause: str, values: Values) -> Iterator[Shape]:
    """`Convert hours to minutes`, `convert 90 km/h to m/s`: from the unit that is said or that the cause has. A factor
    as it is said must be that of the units, where these are known, and a number that of the cause."""
    value, unit = values.get(cause, (None, None))
    words = re.findall(r"(?<![\w/])[a-z]+(?:/[a-z]+\d?)?", match["what"])
    factors = {factor for word in words if (factor := conversion(word, match["to"])) is not None}
    factors = factors or {factor for factor in (conversion(unit or "", match["to"]),) if factor is not None}
    factor = factors.pop() if len(factors) == 1 else None
    if match["by"]:
        by = number_of(match["by"]) or 1.0
        spoken = by if match["how"] == "multiply" else 1 / by
        if factor is not None and abs(spoken / factor - 1) > 1e-3:  # 0.4536 kg of a pound
            return
        factor = spoken
    stated = numbers(match["what"])
    meant = stated == {value} if stated else bool(tokens(match["what"]) & tokens(cause)) or is_in(match["what"], cause)
    if factor is not None and meant:
        sign, size = ("*", factor) if factor >= 1 else ("/", 1 / factor)
        yield Binary(sign, Name(cause), Number(float(f"{size:.12g}")))
