"""Numbers as models write them, each with the place it stands at.

    0.7   .7   0,7   70 %   7/10   7e-1   -3   1,200

A number is left out where it is no quantity: part of a name (x1, gpt-4, synthetic-12), a version (1.2.3), the index of
a list item, a count of something else (8 nodes, 10,000 samples). "95 % interval" is the level of an interval.
"""

from __future__ import annotations

from typing import NamedTuple

from trueness.patterns import late

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
