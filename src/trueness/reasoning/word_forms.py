"""How arithmetic is said: every way to read a piece of text as operations over phrases.

    X times Y, X over Y, multiply X by Y, product of X, Y and Z         bind closer than plus, minus, less
    half of X, twice X, 15 % of X, square of X, 3 more than X           bind closest
    X plus Y, all times Z                                               a comma closes what stands before it
    sum of X and Y times Z                                              two readings: whoever calls must drop both
    X minus 20 %, add 10 % to X                                         of X, where X is one phrase; else no reading
    X reduced by Y                                                      X - Y or X (1 - Y): by units, in word_causes.py

A shape is a tree whose names are phrases. A phrase that begins with EVERY stands for several causes at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from trueness.patterns import late
from trueness.reasoning import word_makers as by
from trueness.reasoning.trees import Binary, Call, Name, Number
from trueness.reasoning.word_numbers import (
    AMOUNT,
    AWAY,
    DOWN,
    LEFT,
    LESS,
    MORE,
    NUMBER_WORDS,
    NUMERAL,
    PART,
    SHARES,
    UP,
    number_of,
)
from trueness.reasoning.word_patterns import Table, matches, needed, table
from trueness.reasoning.word_shapes import EVERY, HUNDRED, LESS_BY, MORE_BY, Shape, combine, is_percent, join

BRACKET = "qbracketq"  # one word that stands for a bracket
MOST_STEPS = 1_000  # shapes made for one sentence: strangers' sentences end, whatever they hold
_MOST_SHAPES = 40  # of one piece of text
_DEEPEST = 6

_ALL = late(r"^(?:all|both|these|those|every)\b|\b(?:all|" + "|".join(NUMBER_WORDS[2:7]) + r")\b")
_COUNTED = late(rf"(?:the |all )*({'|'.join(NUMBER_WORDS[2:])}) [a-z]+s")
_RELATES = late(r"\b(?:as|out|per|in|for|from|with|on|at|ways?)\b")  # more than a name of several
_ARTICLE = late(
    r"^(?:the|a|an|both|exactly|its|their|his|her|then)\s+(?!half\b|third\b|quarter\b|fifth\b|tenth\b|(?:product|sum|total|average|mean)$)"
)
_SEPARATOR = late(r"\s*,(?!\d)\s*(?:and\s+)?|\s+and\s+|\s*&\s*")
_CLOSED = late(r",\s*(?:all\s+|and\s+|then\s+)?(times|multiplied by|divided by|plus|minus|less)\s+(?!than\b)")
# divided by one minus the ratio: nobody divides by one
_ADDITIVE = late(
    r"(?=\s)(?<!\bby one)(?<!\bby 1)(?<!\bover one)(?<!\bover 1)(?<!times one)(?<!times 1)"
    r"\s+(plus|minus|less(?!\s+than)|added to)(?=\s)"
)
_BY_ONE_AND_MORE = late(r"\b(?:by|over|times) (?:one|1) (?:plus|minus) .* (?:plus|minus) ")  # where does it end?
_MULTIPLICATIVE = late(
    r"(?=\s)(?<!evenly)(?<!equally)\s+(multiplied (?:by|with)|times(?!\s+as\b)|divided by|over|per unit(?: of)?)(?=\s)"
)
_PER_ONE = late(rf"({NUMERAL})(?: dollars| cents)? (?:per|for each|for every|an?) ([a-z ]+)")
_QUOTIENT = late(r"([a-z ]+?)\s+per\s+(?!cent\b)([a-z ]+)")
_POWER = late(r"\s+raised to(?=\s)")
_SIGN = {"times": "*", "plus": "+", "minus": "-", "less": "-", "added to": "+", "over": "/", "divided by": "/"}
_PREFIX = late(
    r"(?:twice|half|double|triple)(?: of)? (?:the )?(?=(?:sum|product|difference|average|mean) of\b)|"
    r"(?:multiply|divid|subtract|deduct|add|sum|averaging|combin|increas|decreas|reduc)\w*\b|"
    r"(?:product|difference|ratio|quotient|average|mean|total|square root|excess|maximum|minimum)\b"
    r"(?! \w+ (?:plus|minus|times|divided|multiplied|over|less)\b)"
)


class TooManyReadings(Exception):
    """A sentence that can be cut in more ways than are worth trying."""


class Reader:
    """The readings of one sentence; what was read once is kept, and their number has an end."""

    def __init__(self, per: bool = False, inside: str = "") -> None:
        self._per = per  # `mass per volume` is a quotient, and no name of a cause
        self._inside = inside  # what BRACKET stands for
        self._read: dict[tuple[str, int], list[Shape]] = {}
        self._steps = 0

    def shapes(self, text: str, depth: int = 0) -> list[Shape]:
        """Readings of a piece of text; the piece itself as a phrase comes last."""
        text = _ARTICLE.sub("", text.strip(" ,"))
        if not text or depth > _DEEPEST:
            return []
        if (text, depth) not in self._read:
            made: list[Shape] = []
            for shape in self._all_shapes(text, depth):
                self._steps += 1
                if self._steps > MOST_STEPS:
                    raise TooManyReadings
                if shape not in made:
                    made.append(shape)
                if len(made) > _MOST_SHAPES:
                    break
            self._read[text, depth] = made
        return self._read[text, depth]

    def _all_shapes(self, text: str, depth: int) -> Iterator[Shape]:
        if text == BRACKET:
            yield from self.shapes(self._inside, depth + 1)
            yield from self.over_list("sum", self._inside, depth + 1, alone=False)
            return
        number = number_of(text)
        if number is not None:
            yield Number(number)
            return
        percent = _CHANGE.fullmatch(text)
        if percent:
            yield Binary("/", Number(float(percent["share"].replace(",", ""))), HUNDRED)
            return
        closed = list(_CLOSED.finditer(text)) if "," in text else []
        if not closed and _OPEN_PRODUCT.match(text):
            return
        compared = [] if closed else [shape for make, m in matches(text, _COMPARED) for shape in make(self, m, depth)]
        if compared:
            yield from compared
            return
        changed = _THEN_CHANGED.fullmatch(text) if "," in text else None
        if changed:  # revenue minus cost, increased by 10 %
            for inner in self.shapes(changed["whole"], depth + 1):
                share = Binary("/", Number(float(changed["share"].replace(",", ""))), HUNDRED)
                yield Binary("+" if changed["more"] else "-", inner, Binary("*", share, inner))
            return
        if (products := _SUM_OF_PRODUCTS.fullmatch(text)) is not None:
            pieces = [piece for piece in _SEPARATOR.split(products["list"]) if piece.strip()]
            if len(pieces) > 1 and all(_MULTIPLICATIVE.search(piece) for piece in pieces):  # each of them is one
                factor = {"twice": 2.0, "half": 0.5}.get((products["factor"] or "").split(" ")[0])
                for shape in self.over_list("sum", products["list"], depth + 1, alone=False):
                    yield shape if factor is None else Binary("*", Number(factor), shape)
                return
        if (whole := _WHOLE_PART.fullmatch(text)) is not None:  # of all that follows
            yield from (Call("floor", (inner,)) for inner in self.shapes(whole[1], depth + 1))
            return
        added = list(_ADDITIVE.finditer(text))
        part = _AS_PART_OF.fullmatch(text) if added else None
        if part:  # price less cost, as a fraction of the price: all that stands before
            sides = (self.shapes(part["what"], depth + 1), self.shapes(part["whole"], depth + 1))
            yield from (Binary("/", *pair) for pair in product(*sides))
            return
        of_it = _AS_PERCENT_OF.fullmatch(text) if "percent" in text else None
        if of_it:  # price minus cost, expressed as a percentage of the cost
            for pair in product(self.shapes(of_it["what"], depth + 1), self.shapes(of_it["whole"], depth + 1)):
                yield Binary("*", HUNDRED, Binary("/", *pair))
            return
        if closed:
            yield from self._split_at(text, closed[-1], depth)
            onward = list(_ADDITIVE.finditer(text, closed[-1].end()))
            if onward and closed[-1][1] not in ("plus", "minus", "less"):  # ..., times Z minus W: two readings
                yield from self._split_at(text, onward[-1], depth)
            return
        if _BY_ONE_AND_MORE.search(text):
            return
        if (raised := _POWER.search(text)) is not None and (after := _MULTIPLICATIVE.search(text, raised.end())):
            yield from self._to_a_quotient(text, raised, after, depth)
            return
        begins = _PREFIX.match(text) is not None or text == "product over sum"
        if added:
            yield from self._split_at(text, added[-1], depth)
            if not begins:
                return
        multiplied = list(_MULTIPLICATIVE.finditer(text))
        for match in multiplied:
            yield from self._split_at(text, match, depth)
        if multiplied and not begins:
            return
        power = None if begins else _POWER.search(text)
        if power:
            sides = (self._factors(text[: power.start()], depth + 1), self.shapes(text[power.end() :], depth + 1))
            yield from (Binary("^", *pair) for pair in product(*sides))
            return
        for needs, prefix, separator, operator, swapped in _PAIRS:
            start = prefix.match(text) if needs in text else None
            for match in separator.finditer(text) if start else ():
                if start is not None and match.start() >= start.end():
                    yield from self._pair(
                        text[start.end() : match.start()], text[match.end() :], operator, swapped, depth
                    )
        forms = list(matches(text, _FORMS))
        for make, form in forms:
            yield from make(self, form, depth + 1)
        if depth and not forms:
            placed = re.sub(r" in the [a-z]+$", "", text) if text.startswith("all ") else text
            if _ALL.search(placed) and not _RELATES.search(placed):
                yield Call("sum", (Name(EVERY + placed),))
        quotient = _QUOTIENT.fullmatch(text) if self._per else None
        if quotient:
            yield Binary("/", Name(_ARTICLE.sub("", quotient[1])), Name(_ARTICLE.sub("", quotient[2])))
        yield Name(text)

    def _to_a_quotient(self, text: str, raised: re.Match[str], onward: re.Match[str], depth: int) -> Iterator[Shape]:
        """A times B raised to C over D: the exponent is C over D; of C times D nobody knows."""
        more = any(pattern.search(text, onward.end()) for pattern in (_MULTIPLICATIVE, _ADDITIVE))
        front = text[: raised.start()]
        if onward[1] != "over" or more or _ADDITIVE.search(front):
            return
        cuts = list(_MULTIPLICATIVE.finditer(front))
        base = front[cuts[-1].end() :] if cuts else front
        exponents = self.shapes(text[raised.end() :], depth + 1)
        powers = [Binary("^", *pair) for pair in product(self._factors(base, depth + 1), exponents)]
        if not cuts:
            yield from powers
        elif cuts[-1][1] in ("times", "multiplied by"):
            lefts = self.shapes(front[: cuts[-1].start()], depth + 1)
            yield from (Binary("*", *pair) for pair in product(lefts, powers))

    def _split_at(self, text: str, match: re.Match[str], depth: int) -> Iterator[Shape]:
        word = "times" if match[1].startswith("multiplied") else "over" if match[1].startswith("per") else match[1]
        behind = text[match.end() :]
        if _SIGN[word] in "+-" and (rate := _PER_ONE.fullmatch(behind.strip())):  # plus $0.25 per minute
            size = number_of(rate[1])
            rights: list[Shape] = [] if size is None else [Binary("*", Number(size), Name(rate[2]))]
            yield from (
                Binary(_SIGN[word], *pair) for pair in product(self.shapes(text[: match.start()], depth + 1), rights)
            )
            return
        rights = self._factors(behind, depth + 1) if _SIGN[word] == "*" else self.shapes(behind, depth + 1)
        if _SIGN[word] in "+-" and match[1] != "added to":  # minus rent and food
            rights = [*rights, *self.over_list("sum", behind, depth + 1, alone=False)]
        if match[1].startswith("multiplied"):
            rights = [*rights, *self.over_list("product", behind, depth + 1, alone=False)]
        front = text[: match.start()]
        lefts = self._factors(front, depth + 1) if _SIGN[word] == "*" else self.shapes(front, depth + 1)
        for left, right in product(lefts, rights):
            yield from combine(_SIGN[word], left, right)

    def _pair(self, first: str, second: str, operator: str, swapped: bool, depth: int) -> Iterator[Shape]:
        """What is subtracted may be a list: subtract a and b from c."""
        lefts = [
            *self.shapes(first, depth + 1),
            *(self.over_list("sum", first, depth + 1, alone=False) if swapped else ()),
        ]
        counted = _COUNTED.fullmatch(second) if operator == "/" else None  # among the five heirs
        rights = [Number(float(NUMBER_WORDS.index(counted[1])))] if counted else self._factors(second, depth + 1)
        rights = [*rights, *(self.over_list("product", second, depth + 1, alone=False) if operator == "*" else ())]
        for left in lefts:
            for right in rights:
                yield from combine(operator, right, left) if swapped else combine(operator, left, right)

    def _factors(self, text: str, depth: int) -> list[Shape]:
        """Times one half; added to something, a half would be a half of it."""
        share = SHARES.get(_ARTICLE.sub("", text.strip()).replace("-", " "))
        return self.shapes(text, depth) if share is None else [Number(share)]

    def over_list(self, operation: str, text: str, depth: int, alone: bool = True) -> Iterator[Shape]:
        """The operation over a list of two or more; over several causes where the text is one thing."""
        pieces = [piece for piece in _SEPARATOR.split(text) if piece.strip()]
        if 1 < len(pieces) <= 12:
            for shapes in product(*(self.shapes(piece, depth) for piece in pieces)):
                if operation == "product" or not any(map(is_percent, shapes)):
                    yield join(operation, shapes)
            first = re.fullmatch(r"(?:the )?([a-z]+)s ((?:of|for|on|from) )(?:the )?[a-z]+", pieces[0])
            if first and all(
                re.fullmatch(r"(?:the )?[a-z]+", piece) for piece in pieces[1:]
            ):  # the costs of a, b and c
                rest = [f"{first[1]} {first[2]}{piece}" for piece in pieces[1:]]
                yield join(operation, [Name(piece) for piece in (pieces[0], *rest)])
            head = re.fullmatch(r"(?:the )?[a-z']+ ([a-z]+s)", pieces[-1])
            if head and all(re.fullmatch(r"(?:the |his |her |their )?[a-z']+", piece) for piece in pieces[:-1]):
                full = [
                    *(f"{piece} {head[1]}" for piece in pieces[:-1]),
                    pieces[-1],
                ]  # the initial and final velocities
                yield join(operation, [Name(piece) for piece in full])
        if alone:
            yield Call(operation, (Name(EVERY + text),))


_PERCENTAGE = r"(?P<share>\d[\d,]*(?:\.\d+)?)\s*(?:%|percent\b|per cent\b)"
_CHANGE = late(rf"{_PERCENTAGE}(?: {LESS}| {MORE})?")
_SHARED = "(?:shared|split|divided|distributed|spread) (?:equally|evenly) (?:among|amongst|between|by|over|across)"
_PAIRS = tuple(  # how it begins, what stands between, the operation, and whether the second comes first
    (needed(prefix) or needed(separator), late(prefix), late(rf"\s+(?:{separator})\s+"), operator, swapped)
    for prefix, separator, operator, swapped in (
        (r"multiply(?:ing)?\s+", "by|with|times", "*", False),
        (r"product of\s+", "times", "*", False),
        (r"divid(?:e|ing)\s+", "by|(?:equally |evenly )?(?:among|between)", "/", False),
        (r"ratio of\s+", "to|and", "/", False),
        (r"quotient of\s+", "and", "/", False),
        (r"add(?:ing)?\s+", "to", "+", False),
        (r"(?:subtract(?:ing)?|deduct(?:ing)?|remov(?:e|ing)|tak(?:e|ing) away)\s+", "from", "-", True),
        (r"", "(?:is |are )?(?:subtracted|deducted|taken away) from", "-", True),
        (r"", f"(?:is |are )?{_SHARED}", "/", False),
        (
            r"(?:shar|split|distribut|divid)(?:e|ing|ting)?\s+",
            "(?:equally|evenly) (?:among|amongst|between|by)",
            "/",
            False,
        ),
        (r"difference (?:between|of|in (?:\w+ ){1,2}between)\s+", "and", "-", False),
        (r"excess of\s+", "over", "-", False),
        (rf"appl(?:y|ying)\s+(?!an? {_PERCENTAGE} (?:{LESS}|{MORE}))(?=.*(?:rate|percent|%))", "to", "*", False),
        (r"(?=.*(?:rate|percent|%).* applied to )", "applied to", "*", False),
    )
)
_FACTOR = rf"({'|'.join(sorted((*SHARES, *by.MULTIPLES), key=len, reverse=True))})".replace(" ", "[ -]")
_SHARE = "|".join(sorted(SHARES, key=len, reverse=True)).replace(" ", "[ -]")
SHARE = rf"(?:{_PERCENTAGE.replace('?P<share>', '')}|{_SHARE})"
_THINGS = r"as\s+(?:many|much|far|long|fast|old|large|big|tall|heavy|expensive)\b(?:\s+\w+){0,6}?\s+as"
_ONE = r"(?:(?!\b(?:plus|minus)\b).)+"
_SOMEWHERE = r"(?:\s+\w+)?(?:\s+(?:on|in|at) \w+)?"  # 5 less on Sunday than
_IS = "(?: is| are| has| have| was| were| did)?"
_OPEN_PRODUCT = late(  # 3 more than the price times the number: of the price, or of the product?
    rf"{NUMERAL}(?:\s+\w+)?\s+(?:{UP}|{DOWN})(?:\s+\w+)?\s+than\s+"
    rf"(?!(?:the )?(?:{NUMERAL}|twice|half|double|triple|product|quotient|sum)\b).*\b(?:times|multiplied by|"
    rf"divided by)\b"
)
_THEN_CHANGED = late(
    rf"(?P<whole>.+), (?:and |then |all |is )*(?:(?P<more>increased|raised)|reduced|decreased|discounted|"
    rf"lowered) by {_PERCENTAGE}"
)
_SUM_OF_PRODUCTS = late(r"(?:(?P<factor>twice|half(?: of)?) (?:the )?)?(?:sum|total) of\s+(?P<list>[^:;]+)")
_WHOLE_PART = late(r"(?:integer|whole(?: number)?) part of\s+([^,]+)")
_AS_PERCENT_OF = late(
    r"(?P<what>.+),? (?:expressed|given|stated|written|taken) as an? percent(?:age)? of (?P<whole>[a-z ]+)"
)
_AS_PART_OF = late(rf"(?P<what>.+),? (?:(?:expressed|given|stated|written|taken) )?as an? {PART} of (?P<whole>[a-z ]+)")
_COMPARED: Table[by.Make] = table(
    (rf"{_FACTOR}\s+{_THINGS}\s+({_ONE})", by.scale),  # twice as many as Jan minus 5: plus and minus bind last
    (rf"({NUMERAL})\s+times\s+{_THINGS}\s+({_ONE})", by.scale),
    (rf"{_PERCENTAGE}\s+(?:{UP})(?:\s+\w+)?\s+than\s+(?P<whole>.+)", by.percent("+")),
    (rf"{_PERCENTAGE}\s+(?:{DOWN})(?:\s+\w+)?\s+than\s+(?P<whole>.+)", by.percent("-")),
    (
        rf"({NUMERAL})(?:\s+(?!times\b)[\w/]+)?\s+(?:{UP})(?:\s+\w+)?(?:\s+(?:on|in|at) \w+)?\s+than\s+(.+)",
        by.offset("+"),
    ),
    (
        rf"({NUMERAL})(?:\s+(?!times\b)[\w/]+)?\s+(?:{DOWN})(?:\s+\w+)?(?:\s+(?:on|in|at) \w+)?\s+than\s+(.+)",
        by.offset("-"),
    ),
)
_FORMS: Table[by.Make] = table(
    (r"(?:multiply(?:ing)?|product of)\s+(.+)", by.of_all("product")),
    (
        r"(?:add(?:ing)?|sum(?:ming)?|combin(?:e|ing))(?: up| together)?\s+(?!of\b)(.+?)(?: together| up)?",
        by.of_all("sum"),
    ),
    (r"(?:sum|total|combined total) (?:of|for|over)\s+(.+)", by.of_all("sum")),
    (r"sum of (?:the )?squares of\s+(.+)", by.of_all("squares")),
    (r"sum of (their) squares", by.of_all("squares")),
    (r"sum of (?:the )?(?:reciprocals|inverses) of\s+(.+)", by.of_all("reciprocals")),
    (r"squared (?!root)(.+)", by.of_one(by.power(2.0))),
    (rf"(?:cost|price) of ({NUMERAL}) [a-z]+ at (.+?)(?: each| apiece)?", by.scale),
    (r"(?:sine|sin) of\s+(.+)", by.of_one(lambda inner: Call("sin", (inner,)))),
    (r"(?:cosine|cos) of\s+(.+)", by.of_one(lambda inner: Call("cos", (inner,)))),
    (r"(?:tangent|tan) of\s+(.+)", by.of_one(lambda inner: Call("tan", (inner,)))),
    (r"(?:natural log(?:arithm)?|ln) of\s+(.+)", by.of_one(lambda inner: Call("ln", (inner,)))),
    (r"(?:base[- ]10|common|decimal) log(?:arithm)? of\s+(.+)", by.of_one(lambda inner: Call("log10", (inner,)))),
    (rf"{_PERCENTAGE} off(?: of)?\s+(?P<whole>.+)", by.percent("-")),
    (rf"(?P<whole>.+?)\s+(?:goes|went|is|are) up(?: by)? {_PERCENTAGE}", by.percent("+")),
    (rf"(?P<whole>.+?)\s+(?:goes|went|is|are) down(?: by)? {_PERCENTAGE}", by.percent("-")),
    (r"(?:average|mean) of\s+(.+)", by.of_all("mean")),
    (r"(?:least|lowest|smallest) common multiple of\s+(.+)", by.of_all("lcm")),
    (r"(?:greatest|highest|largest) common (?:divisor|factor|measure) of\s+(.+)", by.of_all("gcd")),
    (r"(?:how much|amount by which)\s+(.+?) exceeds?\s+(.+)", by.of_two("-")),
    (r"geometric (?:average|mean) of\s+(.+)", by.of_all("geometric")),
    (r"factorial of\s+(.+)", by.of_one(lambda inner: Call("factorial", (inner,)))),
    (r"([a-z]+) factorial", by.of_one(lambda inner: Call("factorial", (inner,)))),
    (r"(.+) modulo (.+)", by.of_two("%")),
    (r"(?:the |their )?product over (?:the |their )?sum", by.parallel),
    (rf"(?:number of ways to )?(?:choose|select|pick) ({NUMERAL}) [a-z]+ (?:out of|from(?: among)?)\s+(.+)", by.choose),
    (
        rf"((?:[a-z]+ )*?(?:{AMOUNT})(?: [a-z]+)*?) (?:beyond|above|in excess of|exceeding) ({NUMERAL}(?: "
        rf"[a-z]+)?)",
        by.beyond,
    ),
    (rf"(.*\b(?:age|old)) in ({NUMERAL}) years?", by.offset("+", first=False)),
    (rf"(.*\b(?:age|old)) ({NUMERAL}) years? ago", by.offset("-", first=False)),
    (r"(doubl|tripl|halv)(?:e|ing) (.+?) once (?:for|at|in|after) (?:each|every) (?!time\b)(.+)", by.repeat),
    (
        r"(.*\b(?:price|cost|fee|rate|wage|pay|charge|per [a-z]+)) for (?:(?:each|every) (?!other\b|"
        r"additional\b)|(?:the |all (?:the )?)(?=[a-z ]*\b(?:hours|days|weeks|nights|months)\b))([a-z ]+)",
        by.of_two("*"),
    ),
    (r"averaging\s+(.+)", by.of_all("mean")),
    (r"average (?=the |all |both |these )(.+)", by.of_all("mean")),
    (r"(their) (?:average|mean)", by.of_all("mean")),
    (r"(their) (?:sum|total)", by.of_all("sum")),
    (r"(their) product", by.of_all("product")),
    (r"(.+?),? (?:added|summed|put|taken)(?: all)? (?:together|up)", by.of_all("sum")),
    (rf"how (?:much|many)(?: \w+)?? (?:{UP})(?: [a-z]+)?? (.+?){_IS} than (.+)", by.more),
    (
        rf"how (?:much|many)(?: \w+)?? (?:{DOWN})(?: [a-z]+)?? (.+?)(?: is| are| has| have| was| were)? than (.+)",
        by.fewer,
    ),
    (
        r"(?:total|combined)(?: number of)? ([a-z]+) (?:from|of|for|across|in|on|over) (?:both|all|the "
        r"(?:two|three|four))"
        r"(?: (?!in |of |for )[a-z]+){1,3}",
        by.both,
    ),
    (r"difference (?:between|of|in) ((?!.* and )(?:(?:the )?[a-z]+ (?:of|between) )?[a-z ]+s)", by.apart),
    (
        r"(?:maximum|largest|larger|bigger|biggest|greatest|greater|highest|higher)(?: value)? (?:of|among)"
        r"\s+(.+)",
        by.of_all("max"),
    ),
    (r"(?:minimum|smallest|smaller|least|lowest|lower)(?: value)? (?:of|among)\s+(.+)", by.of_all("min")),
    (rf"{_FACTOR}(?:\s+of)?\s+(?!as\b)(.+)", by.scale),
    (rf"{_PERCENTAGE}\s+of\s+(?P<whole>.+)", by.percent("of")),
    (rf"(?P<whole>.+?)\s+(?:increased|raised) by\s+{_PERCENTAGE}", by.percent("+")),
    (rf"(?P<whole>.+?)\s+(?:decreased|reduced|discounted) by\s+{_PERCENTAGE}", by.percent("-")),
    (rf"(?P<whole>.+?)\s+(?:after|with) an? {_PERCENTAGE} {LESS}", by.percent("-")),
    (rf"(?P<whole>.+?)\s+(?:after|with|plus) an? {_PERCENTAGE} {MORE}", by.percent("+")),
    (rf"appl(?:y|ying) an? {_PERCENTAGE} {LESS} (?:to|on)\s+(?P<whole>.+)", by.percent("-")),
    (rf"appl(?:y|ying) an? {_PERCENTAGE} {MORE} (?:to|on)\s+(?P<whole>.+)", by.percent("+")),
    (rf"(?P<whole>.+?)\s+after an? (?:discount|reduction|decrease) of\s+{_PERCENTAGE}", by.percent("-")),
    (rf"(?:increas(?:e|es|ing)|rais(?:e|es|ing))\s+(?P<whole>.+?)\s+by\s+{_PERCENTAGE}", by.percent("+")),
    (rf"(?:decreas(?:e|es|ing)|reduc(?:e|es|ing))\s+(?P<whole>.+?)\s+by\s+{_PERCENTAGE}", by.percent("-")),
    (rf"(?:increases|rises|grows)\s+by\s+{_PERCENTAGE}\s+(?:from|of)\s+(?P<whole>.+)", by.percent("+")),
    (rf"(?:decreases|falls|drops|shrinks)\s+by\s+{_PERCENTAGE}\s+(?:from|of)\s+(?P<whole>.+)", by.percent("-")),
    (rf"(?:decreas(?:e|ing)|reduc(?:e|ing))\s+(?P<whole>.+?)\s+by\s+(?P<share>{_SHARE})", by.percent("-")),
    (rf"increas(?:e|ing)\s+(?P<whole>.+?)\s+by\s+(?P<share>{_SHARE})", by.percent("+")),
    (r"(.+?)\s+(?:(?:is |are )?(?:increased|raised)|increases|rises|grows) by\s+(.+)", by.change_by(MORE_BY)),
    (
        r"(.+?)\s+(?:(?:is |are )?(?:decreased|reduced|lowered)|decreases|falls|drops|shrinks) by\s+(.+)",
        by.change_by(LESS_BY),
    ),
    (r"(?:increas(?:e|ing)|rais(?:e|ing))\s+(.+?)\s+by\s+(.+)", by.change_by(MORE_BY)),
    (r"(?:decreas(?:e|ing)|reduc(?:e|ing)|lower(?:ing)?)\s+(.+?)\s+by\s+(.+)", by.change_by(LESS_BY)),
    (rf"(?P<whole>.+?)\s+(?:is|are) (?:increased|raised) by\s+{_PERCENTAGE}", by.percent("+")),
    (rf"(?P<whole>.+?)\s+(?:is|are) (?:decreased|reduced|discounted) by\s+{_PERCENTAGE}", by.percent("-")),
    (rf"(?P<whole>.+?)\s+(?:increases|rises|grows) by\s+{_PERCENTAGE}", by.percent("+")),
    (rf"(?P<whole>.+?)\s+(?:decreases|falls|drops|shrinks) by\s+{_PERCENTAGE}", by.percent("-")),
    (
        rf"add(?:ing)?\s+(?:an?\s+)?{_PERCENTAGE}(?:\s+[a-z]+)?\s+(?:tax|tip|fee|markup|surcharge|gratuity|vat)"
        r"\s+to\s+(?P<whole>.+)",
        by.percent("+"),
    ),
    (rf"{LEFT}\s+(.+?)\s+after\s+{AWAY}\s+(.+)", by.take_away),
    (rf"{LEFT}\s+(.+?)\s+after\s+(?!{AWAY})(.+)", by.change_by(LESS_BY)),
    (rf"remaining\s+((?:{_PERCENTAGE}|{_SHARE})\s+of\s+.+)", by.of_one(lambda inner: inner)),
    (rf"(.+?)\s+as an? {PART} of\s+(.+)", by.share_of(1.0)),
    (r"(.+?)\s+as an? percent(?:age)? of\s+(.+)", by.share_of(100.0)),
    (rf"{PART} of\s+(.+?)\s+(?:out of|relative to)\s+(.+)", by.share_of(1.0)),
    (rf"(?!{PART}|percentage)(.+?)\s+out of\s+(.+)", by.share_of(1.0)),
    (r"percentage of\s+(.+?)\s+(?:out of|relative to)\s+(.+)", by.share_of(100.0)),
    (rf"{PART} of\s+(.+?)\s+that (?:is|are)\s+(.+)", by.share_of(1.0, swapped=True)),
    (r"percentage of\s+(.+?)\s+that (?:is|are)\s+(.+)", by.share_of(100.0, swapped=True)),
    (r"([a-z]+ (?:percentage|percent)) of\s+(.+)", by.of_two("*")),
    (r"(?:negative|opposite) of\s+(.+)", by.of_one(lambda inner: Binary("*", Number(-1.0), inner))),
    (r"square root of\s+(.+)", by.of_one(lambda inner: Call("sqrt", (inner,)))),
    (r"absolute value of\s+(.+)", by.of_one(lambda inner: Call("abs", (inner,)))),
    (r"(?:absolute|positive) (difference (?:between|of)\s+.+)", by.of_one(lambda inner: Call("abs", (inner,)))),
    (r"complement of\s+((?:the )?probability .+)", by.of_one(lambda inner: Binary("-", Number(1.0), inner))),
    (r"reciprocal of\s+(.+)", by.of_one(lambda inner: Binary("/", Number(1.0), inner))),
    (r"difference (?:of|between) (?:the )?squares of\s+(.+?) and (.+)", by.squares_apart),
    (r"(?:square of|squaring|square)\s+(?!root\b)(.+)", by.of_one(by.power(2.0))),
    (r"((?:(?!\bsquared\b).)+)\s+squared", by.of_one(by.power(2.0))),
    (r"(?:cube of|cubing|cube)\s+(?!root\b)(.+)", by.of_one(by.power(3.0))),
    (r"(.+)\s+cubed", by.of_one(by.power(3.0))),
)
