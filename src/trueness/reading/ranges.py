"""Numbers as models write them, each with the place it stands at.

    0.7   .7   0,7   70 %   7/10   7e-1   -3   1,200

A number is left out where it is no quantity: part of a name (x1, gpt-4, synthetic-12), a version (1.2.3), the index of
a list item, a count of something else (8 nodes, 10,000 samples). "95 % interval" is the level of an interval.

Range expressions: two numbers and what stands between them.

    [0.6, 0.8]   0.6-0.8   0.6 to 0.8   between 0.6 and 0.8   60-80 %   [60, 80] %   0.8 down to 0.6   0.7 +- 0.1   0.7

An expression is brought to the scale of its measure last, because only the measure says whether 60 can be a share. An
end beyond what the measure can be (an SHD of 40 on 8 nodes, [0.8, 1.4]) is a claim like another, flagged `beyond`,
where the scale is plain; a precision of 72, or of -0.1 behind what may be a dash, says no scale and is a problem. An
SHD farther than ten times what it can be is cut there: 1e400 is a claim as bad as they come, and still a number.

A claim: one thing a reply says about one measure, before it is decided which claim counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.words import PLAIN

PERCENT = r"%|p(?:er ?cent|ct|rozent|our ?cent|or ?ci?ento)\b"
_NUMBER = late(r"(\d\d*+(?:\.\d++|,\d++(?!\.?\d))?+)")  # a split by a group keeps what parts the text
_TAIL = late(rf"(e[-+]?\d+)?( ?(?:{PERCENT}))?(?=([ -]{{0,2}}[^\W\d]+)?)")  # exponent, percent, the word behind
_COUNTED = frozenset(
    "node nodes variable variables sample samples row rows observation observations run runs iteration iterations "
    "vertices vertex features feature columns records points datapoints times seconds minutes hours bits trials "
    "replicates bootstrap bootstraps fold folds knoten variablen stichproben beobachtungen läufe nœuds noeuds "
    "échantillons nodos muestras variáveis instances cases subjects cells proteins parents levels states categories "
    "measures metrics steps algorithms methods datasets years draws repetitions simulations experiments".split()
)
_OF_INTERVALS = frozenset(
    "ci cis pi confidence credible prediction predictive interval intervals level central intervalle "
    "konfidenzintervall vorhersageintervall konfidenz intervalo confianza confiance confident certain sure "
    "range coverage probability likely intervall ic ki uncertainty".split()
)
_SURE = ("confidence: ", "confidence:", "confidence = ", "confidence of ", "certainty: ", "konfidenz: ", "confident: ")
_JOINING = (" to ", " and ", " bis ", "  ")
_NO_TAIL = frozenset(("", *".,;:)]|~/\n"))
_STOPS = frozenset((".", ")"))
_OPENING = frozenset(" \n([")
_ALONE, _STOPPED, _JOINED = 1, 2, 3  # what the two characters behind a number say: nothing more, a stop, perhaps a word
_BEHIND = dict.fromkeys((" t", " a", " b", "  "), _JOINED)
_BEHIND |= dict.fromkeys((".", ")", *(first + second for first in ".)" for second in " \n,;.)]")), _STOPPED)
_BEHIND |= dict.fromkeys(("", *"],;\n", *(first + second for first in "],;" for second in "\n ,;.)|]-")), _ALONE)
_BEHIND |= dict.fromkeys((*(sign + digit for sign in "-~" for digit in "0123456789"), "\n\n"), _ALONE)
_BEHIND |= dict.fromkeys((*(" " + sign for sign in "-~|±[("), *("\n" + sign for sign in "-prfs1234 |#")), _ALONE)
_CJK = "\u2e80"  # from here on writing has no blanks between words
LEVELS = frozenset((50.0, 60.0, 70.0, 75.0, 80.0, 90.0, 95.0, 98.0, 99.0))


_new = tuple.__new__  # half the time of the class's own; numbers are made by the hundred thousand


class Number(NamedTuple):
    """A number, where it stands in the text, and how it was written."""

    value: float
    start: int
    end: int
    percent: bool = False
    comma: bool = False  # written with a comma: 0,7 or, between brackets, the pair [5,12]
    fraction: bool = False  # 7/10
    whole: bool = False  # no decimals were written
    unit: str = ""  # the word behind it
    level: bool = False  # it says how sure, not how much: "95 % interval"


def numbers_in(view: str, start: int = 0, end: int | None = None) -> list[Number]:
    """All numbers of the view that are quantities, in order."""
    numbers: list[Number] = []
    after = start
    parts = iter(_NUMBER.split(view[start:end]))  # text, number, text, ...: half the time of as many matches
    for between, written in zip(parts, parts, strict=False):
        at = after + len(between)
        after = at + len(written)
        before = view[at - 1] if at else " "
        opened = before in _OPENING
        if not opened and "a" <= before <= "z":
            continue  # part of a name: f1
        behind = _BEHIND.get(view[after : after + 2])
        if behind and (opened or (before in "-~" and view[at - 2 : at - 1].isdigit())) and "," not in written:
            whole = "." not in written
            if (
                behind == _ALONE
                or (behind == _STOPPED and not whole)
                or (behind == _JOINED and opened and view.startswith(_JOINING, after))
            ):  # the plain case: nearly all numbers
                numbers.append(_new(Number, (float(written), at, after, False, False, False, whole, "", False)))
                continue
        number = _careful(view, at, after, before, written)
        if number is not None:
            numbers.append(number)
    if "/" in view:
        return _with_fractions(view, numbers)
    return numbers


def _careful(view: str, at: int, after: int, before: str, written: str) -> Number | None:
    if before == "#" or (before.isalpha() and before < _CJK):
        return None
    percent, word, name = False, "", ""
    if view[after : after + 1] not in _NO_TAIL and (tail := _TAIL.match(view, after)) is not None:
        exponent, sign, word = tail.groups("")
        written, percent, name, after = written + exponent, sign != "", word.strip(" -"), tail.end()
    negative = False
    earlier = view[at - 2] if at > 1 else " "
    if before == "." and earlier != ".":  # .7; behind an ellipsis a number is whole
        if earlier.isalnum() or not written.isdigit():
            return None  # the tail of a version or of a name
        written, at = "." + written, at - 1
        before, earlier = earlier, view[at - 2] if at > 1 else " "
    if before == "-":
        if earlier.isalpha() and not _ends_with_connector(view, at - 1):
            return None
        negative = earlier in "([:=,;|" or (earlier in " \n" and not _follows_number(view, at - 1))
        at -= negative
    if percent:
        if view.endswith(_SURE, 0, at):
            return None  # it says how sure the model is of the range before it
    elif name in _COUNTED or (word and word[0] not in " -" and name[:2] not in ("to", "or") and word.isascii()):
        return None  # 8 nodes; 10k, 3rd, 5x
    if word[:1] == "-" and name[:2] != "to":
        return None
    following = view[after : after + 2]
    if following[:1] in _STOPS:
        if following[0] == "." and (following[1:].isdigit() or (written == "0" and following[1:].isalpha())):
            return None  # a version, or 0.x
        if not percent and following[1:] in (" ", "", "\n") and _begins_line(view, at):
            return None  # the index of a list item
        if following == ". " and written.isdigit() and len(written) < 5 and _is_counted(view, at, after, int(written)):
            return None
    comma, whole = "," in written, written.isdigit()
    value = float(written.replace(",", ".") if comma else written)
    level = name in _OF_INTERVALS and (percent or word[:1] == "-") and value in LEVELS
    return _new(Number, (-value if negative else value, at, after, percent, comma, False, whole, name, level))


def _is_counted(view: str, at: int, after: int, index: int) -> bool:
    """1. GES, 2. PC, 3. LiNGAM: the indices of a list within a line."""
    line = view[max(0, at - 240) : at].rpartition("\n")[2], view[after : after + 240].partition("\n")[0]
    return f" {index - 1}. " in line[0] if index > 1 else " 2. " in line[1]


def _ends_with_connector(view: str, end: int) -> bool:
    return view[max(0, end - 3) : end].endswith((" to", " to ", "bis"))


def _follows_number(view: str, dash: int) -> bool:
    earlier = view[max(0, dash - 8) : dash].rstrip()
    return earlier[-1:].isdigit() or earlier.endswith("%")


def _begins_line(view: str, at: int) -> bool:
    before = view[max(0, at - 12) : at].rpartition("\n")
    return (bool(before[1]) or at <= 12) and not before[2].strip(" #-+>(")


def _with_fractions(view: str, numbers: list[Number]) -> list[Number]:
    """7/10 becomes one number; 0.6/0.8 stays two, and 5-9 / 28 three."""
    joined: list[Number] = []
    for number in numbers:
        if joined and number.whole and number.value > 0 and not number.comma:
            top = joined[-1]
            ends_range = (
                len(joined) > 1 and joined[-2].whole and view[joined[-2].end : top.start].strip(" ") in ("-", "to")
            )
            parted = view[top.end : number.start].strip(" ") == "/" and not ends_range
            if parted and top.whole and not top.percent and not top.fraction:
                joined[-1] = top._replace(
                    value=top.value / number.value, end=number.end, percent=number.percent, fraction=True, whole=False
                )
                continue
        joined.append(number)
    return joined


RANGE, POINT, PLUS_MINUS, PAIR, AT_LEAST, AT_MOST = "range", "point", "plus-minus", "pair", "at least", "at most"
FALLING, HALF = "falling", "half"  # 0.8 down to 0.6; an open bracket with one number in it
BROKEN = "broken"
NORMALISED, OUT_OF_RANGE, BEYOND = "normalised", "out_of_range", "beyond"

_BETWEEN_NUMBERS = {
    "-": RANGE, "--": RANGE, "---": RANGE, "to": RANGE, "~": RANGE, "..": RANGE, "...": RANGE, "…": RANGE,
    "- to": RANGE,
    "bis": RANGE, "bis zu": RANGE, "à": RANGE, "a": RANGE, "hasta": RANGE, "至": RANGE, "到": RANGE, "up to": RANGE,
    "through": RANGE, "->": RANGE, "から": RANGE, "até": RANGE, "al": RANGE, "do": RANGE, "до": RANGE, "till": RANGE,
    "to about": RANGE, "to around": RANGE, "to roughly": RANGE, "to approximately": RANGE, "to ~": RANGE, "-~": RANGE,
    "- ~": RANGE, "〜": RANGE, "upto": RANGE, "~ ": RANGE, "to maybe": RANGE, "to perhaps": RANGE, "-to-": RANGE,
    "±": PLUS_MINUS, "+/-": PLUS_MINUS, "+-": PLUS_MINUS, "-/+": PLUS_MINUS, "plus or minus": PLUS_MINUS,
    "plus/minus": PLUS_MINUS, "+ / -": PLUS_MINUS, "plus-minus": PLUS_MINUS, "± ~": PLUS_MINUS,
    ",": PAIR, ";": PAIR, ", ": PAIR, "and": "and", "und": "and", "et": "and", "y": "and", "e": "and", "和": "and",
    "与": "and", "and about": "and", "and around": "and", "i": "and", "и": "and", "och": "and", "en": "and",
    "& ": "and", "&": "and", "tot": RANGE, "pana la": RANGE,
    "până la": RANGE, ", ..., ": RANGE, ", ...,": RANGE, ", …,": RANGE,
    "down to": FALLING, "down to about": FALLING, "down to around": FALLING, "down to roughly": FALLING,
    "down to ~": FALLING, "and down to": FALLING, "bis hinunter zu": FALLING, "bis hinab zu": FALLING,
    "to a low of": FALLING, "to a high of": RANGE,
    "hinunter bis": FALLING, "jusqu à": RANGE, "descendant jusqu à": FALLING, "bajando hasta": FALLING,
    "(±": PLUS_MINUS, "(+/-": PLUS_MINUS, "(+-": PLUS_MINUS, "(± ": PLUS_MINUS,
}  # fmt: skip
_BETWEEN = tuple("between zwischen entre tra fra между pomiędzy 介于 在 within tussen mellan".split())
_QUICK = {"-": RANGE, " - ": RANGE, " to ": RANGE, ", ": PAIR, "~": RANGE}  # the same without a look at the words
_NAMED_ENDS = late(
    r"\(?(?:low|lower|min|minimum|high|upper|max|maximum|best|worst|optimistic|pessimistic)(?: bound| end| case)?\)?"
)
_SIGN_BEHIND = late(rf" {{0,2}}(?:\((?:{PERCENT})\)|{PERCENT})")  # [60, 88] %
_BEFORE_SIGN = frozenset("% (")
_AFTER_ONE = late(  # one number: 0.6 or more, 0.6 or less; a range whose other end is none, a product, a sum
    r" {0,2}(?:(?P<more>\+(?! ?[\d/(-])|(?:or|oder|ou|o) (?:higher|more|above|better|greater|mehr|plus|más)\b)"
    r"|(?P<less>(?:or|oder|ou|o) (?:lower|less|below|fewer|weniger|moins|menos)\b)"
    r"|(?:[-~±/]|to\b|\.\.)\s{0,4}[.\d]| \.\d|[*×+] {0,2}[(\d])"
)
_SIDES = {"more": AT_LEAST, "less": AT_MOST, None: BROKEN}
_ENDS_VALUE = frozenset(("", "\n", ",", ";", "]", ")"))
_MOST_SHARE = 2.0  # below it [0.8, 1.4] is of shares; 0.8-80 may be of percentages
_SQUEEZED = late(r"\s*(?:≤|<=?)[a-z\s]{1,30}(?:≤|<=?)\s*")  # 0.6 <= P <= 0.8
_UNNAMED = late(r" {0,2}[^\W\d_]{1,12}(?: [^\W\d_]{1,12})? {0,2}")  # one or two words between two numbers
_GOES_ON, _GOES_ON_WITH = frozenset("-~"), late(r"[-~][.\d]")
_PARTING = frozenset("and or with at in for but vs of is und et y e oder ou o i и per out from by as on if".split())
_OPEN, _CLOSE = "[(", "])"
MAX_GAP = 40
_TWO_ENDS = frozenset((RANGE, PAIR))
_UNBOUND = {BROKEN: "candidates", HALF: "one_end"}
FARTHEST = 1e9  # of an SHD where nobody says how many nodes there are
_FAR = 10  # times what an SHD can be


class Expression(NamedTuple):
    """One or two numbers that say a range, a point or a bound; not yet on the scale of a measure."""

    kind: str
    first: Number
    second: Number | None
    start: int
    end: int
    bracketed: bool
    taken: int  # how many numbers it used


Bounds = tuple[float, float, tuple[str, ...], str]  # low and high on the scale of the measure, flags, the problem


def expression_at(view: str, numbers: Sequence[Number], index: int, stop: int) -> Expression:
    """The expression that begins with this number and ends before `stop`."""
    first = numbers[index]
    _, start, end, percent, _, _, _, _, _ = first
    at = start - 1
    while at >= 0 and view[at] == " ":
        at -= 1
    opened = at >= 0 and view[at] in _OPEN
    if opened:
        start = at
    second = numbers[index + 1] if index + 1 < len(numbers) else None
    if second is not None:
        _, begins, last, also_percent, _, _, _, _, level = second
        if begins < stop and begins - end <= MAX_GAP and not level:
            kind = _QUICK.get(view[end:begins]) or _connection(view, first, second, opened)
            closed = _closing(view, last) if opened else 0
            if kind and (kind != PAIR or closed or (not opened and percent == also_percent)):
                if view[last : last + 1] in _GOES_ON and _GOES_ON_WITH.match(view, last):
                    kind = BROKEN  # 0.6-0.7-0.8
                if closed and view[closed : closed + 1] in _BEFORE_SIGN:
                    second, closed = _with_percent_sign(view, second, closed)
                return _new(Expression, (kind, first, second, start, closed or last, closed > 0, 2))
    if first.comma:
        if opened and (closed := _closing(view, first.end)):
            return _pair_without_blank(view, first, start, closed, True)
        if view[first.start - 1 : first.start] == ",":  # shd,4,9
            return _pair_without_blank(view, first, first.start, first.end, False)
    closed = _closing(view, first.end) if opened else 0
    if view[first.end : first.end + 1] in _ENDS_VALUE:
        if opened and not closed and view[first.end : first.end + 1] == "\n" and first.end + 1 < len(view):
            return _new(Expression, (HALF, first, None, first.start, first.end, False, 1))
        return _new(
            Expression, (POINT, first, None, start if closed else first.start, closed or first.end, bool(closed), 1)
        )
    if second is not None and second.start < stop and _may_join(view[first.end : second.start]):
        return _new(Expression, (BROKEN, first, None, first.start, first.end, False, 1))
    if (match := _AFTER_ONE.match(view, first.end)) is not None:
        last = match.end() if match.lastgroup else first.end
        return _new(Expression, (_SIDES[match.lastgroup], first, None, first.start, last, False, 1))
    return _new(
        Expression, (POINT, first, None, start if closed else first.start, closed or first.end, bool(closed), 1)
    )


def _connection(view: str, first: Number, second: Number, opened: bool) -> str:
    gap = view[first.end : second.start]
    words = gap.strip()
    kind = _BETWEEN_NUMBERS.get(words, "")
    if not kind and _SQUEEZED.fullmatch(gap):
        return RANGE
    if not kind and ("(" in words or "l" in words or "m" in words or "h" in words):
        kind = _BETWEEN_NUMBERS.get(_NAMED_ENDS.sub("", words).strip(), "")
    if "\n" in gap and not opened and words != "to":
        return ""
    if kind == "and":
        before = view[max(0, first.start - 30) : first.start]
        return RANGE if any(word in before for word in _BETWEEN) else ""
    return kind


def _may_join(gap: str) -> bool:
    """0.5 tot 0.7: one word that is not known may make a range of two numbers."""
    if _UNNAMED.fullmatch(gap) is None:
        return False
    words = gap.split()
    return _PARTING.isdisjoint(words) and not PLAIN.issuperset(words)


def _closing(view: str, end: int) -> int:
    """Where the bracket that closes here ends, or 0."""
    while end < len(view) and view[end] in " \n":
        end += 1
    return end + 1 if end < len(view) and view[end] in _CLOSE else 0


def _with_percent_sign(view: str, number: Number, end: int) -> tuple[Number, int]:
    """The last number between brackets, with the per cent sign that stands behind them, and where that ends."""
    sign = _SIGN_BEHIND.match(view, end)
    return (number._replace(percent=True), sign.end()) if sign else (number, end)


def _pair_without_blank(view: str, number: Number, start: int, end: int, bracketed: bool) -> Expression:
    """[5,12]: between brackets a comma parts two numbers."""
    comma = view.index(",", number.start)
    if bracketed:
        number, end = _with_percent_sign(view, number, end)
    low = Number(float(view[number.start : comma]), number.start, comma, number.percent, whole=True)
    high = Number(float(view[comma + 1 : number.end].rstrip(" %")), comma + 1, number.end, number.percent, whole=True)
    return Expression(PAIR, low, high, start, end, bracketed, 1)


def bounds_of(expression: Expression, measure: str, nodes: int | None, in_percent: bool, commas: bool) -> Bounds:
    """Low and high on the scale of the measure, with what had to be mended, or why the expression cannot be one.

    `in_percent`: the label said "(%)". `commas`: the reply writes 0,7 and not 0.7.
    """
    kind, first, second, _, _, _, _ = expression
    if kind in _UNBOUND:
        return 0, 0, (), _UNBOUND[kind]
    last = first if second is None else second
    low, _, _, percent, _, _, whole, unit, _ = first
    high, _, _, also_percent, _, _, also_whole, other_unit, _ = last
    percent = in_percent or percent or also_percent
    most = 1.0 if measure != "shd" else (nodes * (nodes - 1) / 2 if nodes else FARTHEST)
    if not percent and not unit and not other_unit and (measure != "shd" or (whole and also_whole)):
        if 0 <= low <= high <= most and kind in _TWO_ENDS:  # nearly all of them
            return low, high, (), ""
    elif measure == "shd":
        if 0 < high <= 1 and not (whole and also_whole) and kind != PLUS_MINUS:
            return 0, 0, (), NORMALISED
        if percent or first.fraction or last.fraction:
            return 0, 0, (), "unit"
        lower, upper = _value_with_groups(first, commas), _value_with_groups(last, commas)
        if lower is None or upper is None or (first.comma and second is None):
            return 0, 0, (), "thousands"
        low, high = lower, upper
    else:
        if unit.startswith("edge") or other_unit.startswith("edge"):
            return 0, 0, (), "unit"
        if percent:
            bare = () if in_percent else (first, last)
            if any([not n.percent and not n.whole and n.value <= 1 for n in bare]):
                return 0, 0, (), "mixed"
            low, high = low / 100, high / 100
    bounds = _bounds_by_kind(kind, low, high, most)
    return _possible(bounds, expression, measure, percent, most) if bounds[3] else bounds


def _possible(bounds: Bounds, expression: Expression, measure: str, percent: bool, most: float) -> Bounds:
    """The same; ends beyond what the measure can be are a claim where it is plain that they are meant so."""
    low, high, flags, problem = bounds
    if problem != OUT_OF_RANGE or ("swapped" in flags and measure != "shd"):
        return bounds
    if expression.kind == PAIR and not expression.bracketed:
        return bounds  # 0,70.6
    if low < 0:
        plain = expression.bracketed and (measure == "shd" or percent or high < _MOST_SHARE)  # else it may be a dash
    else:
        plain = measure == "shd" or percent or low < 1 < high < _MOST_SHARE
    if not plain:
        return bounds
    far = _FAR * most
    return min(max(low, -far), far), min(max(high, -far), far), (*flags, BEYOND), ""


def _value_with_groups(number: Number, commas: bool) -> float | None:
    """1,200 beside 0.7 is a thousand two hundred, 1.200 beside 0,7 too; alone either may be meant."""
    if number.whole or number.fraction or number.value < 1 or number.value >= 1000:
        return number.value
    decimals = number.end - number.start - len(str(int(number.value))) - 1
    three = round(number.value * 1000) if decimals == 3 else None
    if three is None or not number.comma and not commas:
        return number.value
    return float(three) if number.comma != commas else None


def _bounds_by_kind(kind: str, low: float, high: float, most: float) -> Bounds:
    flags: tuple[str, ...] = ()
    if kind == POINT:
        flags = ("point",)
    elif kind == PLUS_MINUS:
        middle, spread = (min(max(value, -1e300), 1e300) for value in (low, high))  # endless less endless is no number
        low, high, flags = middle - abs(spread), middle + abs(spread), ("plus_minus",)
        if 0 <= middle <= most and (low < 0 or high > most):
            low, high, flags = max(low, 0.0), min(high, most), ("plus_minus", "clipped")
        low, high = round(low, 12), round(high, 12)
    elif kind == AT_LEAST:
        high, flags = max(low, most), ("one_sided",)
        if most == FARTHEST:
            return low, high, flags, "no_upper_end"
    elif kind == AT_MOST:
        low, flags = 0.0, ("one_sided",)
    elif kind == FALLING:
        low, high = min(low, high), max(low, high)
    elif low > high:
        low, high, flags = high, low, ("swapped",)
    if low < 0 or high > most:
        return low, high, flags, OUT_OF_RANGE
    return low, high, flags, ""


# ---- what a reply says about one measure


INTERVAL, MEDIAN, PROBLEM = "interval", "median", "problem"


class Claim(NamedTuple):
    """low to high for a measure, read from [start, end) of the reply by a parser."""

    measure: str
    kind: str  # interval (a point is one, flagged), median, or problem: something stands there that is no range
    low: float
    high: float
    start: int
    end: int
    parser: str
    strong: bool  # label and value stand together as in an answer, not in running text
    level: float | None = None
    flags: tuple[str, ...] = ()
    problem: str = ""


class Scale(NamedTuple):
    """What turns written numbers into values."""

    nodes: int | None
    commas: bool  # the reply writes 0,7
    percent: bool = False  # the reply says that its values are percentages

    def claim(
        self,
        measure: str,
        expression: Expression,
        parser: str,
        strong: bool,
        level: float | None = None,
        in_percent: bool = False,
        flags: tuple[str, ...] = (),
        median: bool = False,
    ) -> Claim:
        way, _, _, start, end, bracketed, _ = expression
        in_percent = in_percent or (self.percent and measure != "shd")
        low, high, marks, problem = bounds_of(expression, measure, self.nodes, in_percent, self.commas)
        if low < 0 and parser == "table":
            problem = OUT_OF_RANGE  # what parts cells may be a dash
        if way == PAIR and not bracketed:
            flags = (*flags, "bare_pair")
        kind = PROBLEM if problem else MEDIAN if median else INTERVAL
        if flags:
            marks = (*marks, *flags)
        if median and marks:
            marks = tuple(mark for mark in marks if mark != "point")
        return _new(Claim, (measure, kind, low, high, start, end, parser, strong, level, marks, problem))


def trouble(measure: str, start: int, end: int, parser: str, problem: str, strong: bool = True) -> Claim:
    """Something was said here, and it cannot be taken for a range."""
    return Claim(measure, PROBLEM, 0.0, 0.0, start, end, parser, strong, None, (), problem)


def pair_of_ends(low: Expression, high: Expression) -> Expression:
    """A lower and an upper end that were given apart."""
    start, end = min(low.start, high.start), max(low.end, high.end)
    return _new(Expression, (PAIR, low.first, high.first, start, end, True, 2))


def one_sided(expression: Expression, at_least: bool) -> Expression:
    return expression._replace(kind=AT_LEAST if at_least else AT_MOST)


Ends = dict[tuple[str, float | None, str], Expression]  # measure, level, lower or upper


def claims_of_ends(ends: Ends, scale: Scale, parser: str) -> list[Claim]:
    """Ends that were given apart, put together; one without the other is no range."""
    claims = []
    for (measure, level, role), low in ends.items():
        high = ends.get((measure, level, "upper"))
        if role == "lower" and high is not None:
            claims.append(scale.claim(measure, pair_of_ends(low, high), parser, True, level))
        elif role == "lower" or (measure, level, "lower") not in ends:
            claims.append(trouble(measure, low.start, low.end, parser, "one_end"))
    return claims
