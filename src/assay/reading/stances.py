"""Whose claim it is: the reply's own forecast, or something it only mentions.

    "In the literature PC reaches a precision of 0.8-0.9."     "If n were larger, recall would be 0.8-0.9."
    "I would not say precision of 0.8-0.9."                    "Random baseline:\n Precision: 0.2-0.3"

A claim in running text is judged by its sentence; a label with its value by its line and by the heading above it. What
is only mentioned is left out, as if it had not been said. A report counts as the reply's own where the same sentence
says so ("based on the literature I expect ...").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.reading.claims import Claim
from assay.reading.labels import labels_in
from assay.reading.words import LEARNERS

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[a-z]+")  # quicker, for the first look
_HYPOTHETICAL = frozenset("sanity if suppose supposing unless hypothetically wenn falls".split())
_REPORTED = frozenset(
    "literature reported reports published authors papers studies claim claims claimed elsewhere historically "
    "benchmark benchmarks baseline baselines random guessing chance typical typically usually normally across "
    "others other previous previously "
    "literatur literatura".split()
)
_WISHED = frozenset(
    "target desired goal ideal ideally oracle aim require requires required need needs needed considered "
    "experts".split()
)
_PARTIAL = frozenset("skeleton adjacency undirected".split())  # before the edges have a direction
_SPREAD = frozenset("deviation variance wide width std sd".split())
_DEFINED = frozenset("means meaning denotes corresponds implies".split())
_DATASETS = frozenset("asia sachs alarm child insurance cancer earthquake survey hailfinder barley hepar".split())
_ENDS = frozenset("bound bounds maximum minimum max min limit ceiling confidence".split())  # of one number: not a point
_KIND = re.compile(  # a parenthesis behind the value that makes it another's, or another measure
    r" {0,2}\((?:in the )?(?:literature|published|reported|baseline|random|macro|micro|weighted|skeleton|adjacency"
    r"|undirected|normali[sz]ed)\b[^)\d]*\)"
)
_COSTS = frozenset("costs cost adds loses lowers raises reduces takes".split())
_SURE_OF = frozenset(  # what a single number in running text needs beside it to be a forecast
    "expect expected predict predicted forecast guess likely should will would about around approximately roughly near "
    "estimated anticipate say fails".split()
)
_FIRST_SIGHT = re.compile(
    r"\b(?:at first|first (?:sight|glance|look)|naively|one (?:might|could|would) (?:think|say))\b"
)
_DENIED = frozenset("not never t unlikely hardly neither nor cannot disagree nicht kein keine pas".split())
_REJECTED = re.compile(
    r"\W*(?:which|that|but|this|it|and|is|are|seems?)\b[^,.;]{0,30}"
    r"\b(?:optimistic|pessimistic|unrealistic|implausible|wrong|incorrect|unlikely|improbable|too (?:high|low))\b"
)
_OWN = frozenset(
    "i my we our expect expected estimate estimated estimates forecast predict predicted prediction predictions "
    "anticipate likely should will based therefore here conclusion final answer".split()
)
_NEVER_ABOVE = _HYPOTHETICAL | _WISHED
_NEVER_BESIDE = _NEVER_ABOVE | _SPREAD | _PARTIAL | _DEFINED
_ABOVE = _HYPOTHETICAL | _REPORTED | _WISHED  # words of a heading that make what stands below it no forecast
_BESIDE = _ABOVE | _COSTS | _DEFINED | _SPREAD | _DENIED | _PARTIAL  # and of a sentence
_BESIDE |= frozenset(
    "it ranges can lies varies goes runs first naively one et too "
    "optimistic pessimistic unrealistic implausible wrong".split()
)
_FIRST_PERSON = frozenset(("i", "my", "we", "our"))
_GOES_ON = re.compile(  # precision is 0.7-0.8; at alpha = 0.05 it is 0.6-0.7
    r"[^\n]{0,70}?\bit (?:[a-z]+ ){0,3}?(?:is|be|becomes|to)\b[^.\n]{0,15}\d"
)
_BOUNDARY = re.compile(r"(?<!\bal)(?<!e\.g)(?<!i\.e)(?<!\bvs)[.!?;。](?=\s|$)|\n")
_SCALES = frozenset("ranges can lies varies goes runs".split())
_ALL_PAIRS = frozenset(d * (d - 1) // 2 for d in range(5, 101)) | frozenset(d * (d - 1) for d in range(5, 101))
_REACH = 240  # characters of a sentence or of a list below its heading that are looked at
_NEAR = 7  # words before a value in which a denial belongs to it
_HEADING = 60


def own_claims(claims: list[Claim], view: str) -> list[Claim]:
    """The claims that are the reply's own."""
    if not claims:
        return claims
    words = _LATIN.findall(view)
    families = [names for names in (LEARNERS, _DATASETS) if not names.isdisjoint(words)]
    several = [names for names in families if len(names.intersection(words)) > 1]
    telling = _ABOVE if all(claim.strong for claim in claims) else _BESIDE
    if telling is _BESIDE:
        claims = _without_lone_points(claims, view)
    if telling is _ABOVE:
        claims = [claim for claim in claims if not _is_of_an_end(view, claim)]
    if not several and telling.isdisjoint(words) and "?" not in view:
        return claims
    subjects = [(names, _subject(view, names)) for names in several]
    return [claim for claim in claims if claim.parser == "json" or _is_own(claim, view, subjects)]


def _without_lone_points(claims: list[Claim], view: str) -> list[Claim]:
    """One number in running text ('with a precision of 0.05') counts only where its sentence forecasts something."""
    measures = {claim.measure for claim in claims if not claim.strong and "point" in claim.flags}
    if len(measures) != 1:
        return claims
    return [claim for claim in claims if claim.strong or "point" not in claim.flags or _is_forecast(view, claim)]


def _is_forecast(view: str, point: Claim) -> bool:
    if view[max(0, point.start - 4) : point.start].endswith((" is ", " be ", "~", "~ ")):
        return True
    return not _SURE_OF.isdisjoint(_WORD.findall("".join(_sentence(view, point.start, point.end))))


def _is_of_an_end(view: str, claim: Claim) -> bool:
    """Upper bound on precision: 0.9; confidence in precision: 0.7; precision: 0.75 (literature)."""
    if view.startswith((" (", "("), claim.end) and _KIND.match(view, claim.end):
        return True
    if "point" not in claim.flags or claim.parser != "label":
        return False
    line = view[max(0, claim.start - _REACH) : claim.start].rpartition("\n")[2]
    return not _ENDS.isdisjoint(_WORD.findall(line))


def _is_own(claim: Claim, view: str, subjects: Sequence[tuple[frozenset[str], str]]) -> bool:
    if claim.strong and _is_of_an_end(view, claim):
        return False
    if claim.strong:
        said = _WORD.findall(_sentence(view, claim.start, claim.end)[0])
        if claim.parser == "label" and _is_denied(said[-3:]):
            return False
        return not _is_mentioned(_WORD.findall(_heading(view, claim.start)), _NEVER_ABOVE)
    before, after = _sentence(view, claim.start, claim.end)
    words = _WORD.findall(before)
    if claim.parser == "label behind" and not _COSTS.isdisjoint(words):
        return False
    if _is_asked(view, claim.end):
        return False
    if not all(_is_about(names, subject, words, after) for names, subject in subjects):
        return False
    more = _GOES_ON.match(view, claim.end)
    if more is not None and not labels_in(more.group()):
        return False
    if _is_denied(_before_the_name(before, words, claim)[-_NEAR:]):
        return False
    if "et al" in before and _FIRST_PERSON.isdisjoint(words):
        return False
    if _FIRST_SIGHT.search(before) or _FIRST_SIGHT.search(after):
        return False
    if claim.measure == "shd" and _is_scale(claim, words):
        return False
    words += _WORD.findall(after)
    return not _REJECTED.match(after) and not _is_mentioned(words, _NEVER_BESIDE)


def _is_mentioned(words: Sequence[str], never_own: frozenset[str]) -> bool:
    return not never_own.isdisjoint(words) or (not _REPORTED.isdisjoint(words) and _OWN.isdisjoint(words))


def _is_scale(claim: Claim, before: Sequence[str]) -> bool:
    """SHD ranges from 0 to 28: all pairs of 8 nodes, what the measure can be."""
    if claim.low != 0 or claim.high not in _ALL_PAIRS:
        return False
    return not _SCALES.isdisjoint(before) and _OWN.isdisjoint(before)


def _is_asked(view: str, end: int) -> bool:
    """'Is a precision of 0.9-1.0 plausible?' asks."""
    stop = _BOUNDARY.search(view, end, end + _REACH)
    return stop is not None and stop.group() == "?"


def _is_denied(words: Sequence[str]) -> bool:
    """Not this; in 'not that, but this' the denial ends at the 'but'."""
    for word in reversed(words):
        if word in _DENIED:
            return True
        if word == "but":
            return False
    return False


def _before_the_name(before: str, words: list[str], claim: Claim) -> list[str]:
    """'Precision will not exceed 0.8' is a bound: there a denial counts only before the name."""
    if "one_sided" not in claim.flags:
        return words
    labels = labels_in(before)
    return _WORD.findall(before[: labels[-1].start]) if labels else []


def _is_about(names: frozenset[str], subject: str, before: Sequence[str], after: str) -> bool:
    """Whether a sentence that names an algorithm (or a data set) names the one that is forecast."""
    named = [word for word in before if word in names] or [word for word in _WORD.findall(after) if word in names]
    return not named or named[-1] == subject


def _subject(view: str, names: frozenset[str]) -> str:
    """The one algorithm or data set that a sentence in the first person names, if there is one."""
    found: set[str] = set()
    start = 0
    for match in _BOUNDARY.finditer(view):
        words = set(_WORD.findall(view[start : match.start()]))
        if words & _FIRST_PERSON and words.isdisjoint(_HYPOTHETICAL):
            found |= words & names
        start = match.end()
    words = set(_WORD.findall(view[start:]))
    if words & _FIRST_PERSON:
        found |= words & names
    return found.pop() if len(found) == 1 else ""


def _sentence(view: str, start: int, end: int) -> tuple[str, str]:
    """What the sentence says before and behind a value."""
    before = view[max(0, start - _REACH) : start]
    begun = max((match.end() for match in _BOUNDARY.finditer(before)), default=0)
    stop = _BOUNDARY.search(view, end, end + _REACH)
    return before[begun:], view[end : stop.start() if stop else end + _REACH]


def _heading(view: str, start: int) -> str:
    """The line of a value up to it, and the line that heads the list or table it stands in."""
    line = view.rfind("\n", 0, start) + 1
    own = view[max(line, start - _REACH) : start]
    above = view[max(0, line - 2 * _REACH) : line].split("\n")
    for text in reversed(above):
        plain = text.strip()
        if plain.endswith(":") or plain.startswith("#"):
            return f"{_BOUNDARY.split(plain)[-1]} {own}"
        if plain and not any(sign.isdigit() for sign in plain) and "|" not in plain and len(plain) <= _HEADING:
            return f"{plain} {own}"
        if plain and "|" not in plain and len(plain) > 2 * _HEADING:
            return own
    return own
