"""Where a reply names a measure: in English, in the languages models answer in, spelled out or short."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_NO_MORE = r"(?![a-z0-9])"
_F1_TAIL = rf"(?:[- ]{{0,2}}(?:(?:scores?|measures?|values?|wert|maß|mass|metric){_NO_MORE}|分数|值|スコア|値))?"
_NAMES = {  # measure -> names by their first letter, so that a search skips to one of those letters
    "precision": {
        "p": rf"(?:r(?:ecisi(?:ons?|ón|one|on)|ecisão|ecisao|écision|äzision|aezision|ecyzja|esisi)){_NO_MORE}",
        "т": "очность", "精": "(?:确率|确度|確率)", "查": "准率", "適": "合率", "정": "밀도",
    },
    "recall": {
        "r": rf"(?:ecall|appel|evocação|ichiamo){_NO_MORE}",
        "s": rf"ensi(?:bilidad|bilité|tivity|tivität){_NO_MORE}",
        "e": rf"xhaustividad{_NO_MORE}", "t": rf"refferquote{_NO_MORE}",
        "召": "回率", "查": "全率", "再": "現率", "재": "현율", "п": "олнота", "c": rf"zułość{_NO_MORE}",
    },
    "f1": {
        "f": rf"(?:[- ]?1(?!\.?\d){_F1_TAIL}|[- ]?(?:score|measure|maß|mesure){_NO_MORE})",
        "s": rf"core f[- ]?1{_NO_MORE}", "m": rf"edida f1?{_NO_MORE}",
        "p": rf"unt(?:uación|aje) f[- ]?1{_NO_MORE}",
    },
    "shd": {
        "s": rf"(?:hd|tructural[- ]hamming(?:[- ]distance)?|trukturelle hamming-?distanz){_NO_MORE}",
        "h": rf"amming[- ]distan(?:ce|z){_NO_MORE}",
        "d": r"ist(?:ance|ancia|ância) (?:(?:structurelle|estructural|estrutural) )?de hamming"
        rf"(?: structurelle| estructural| estrutural)?{_NO_MORE}",
        "结": "构汉明距离", "汉": "明距离", "構": "造ハミング距離",
    },
}  # fmt: skip


def _pattern(first_letters: str) -> str:
    """All names that begin with one of the letters; with any, where none are given."""
    letters: dict[str, list[str]] = {}
    for names in _NAMES.values():
        for letter, rest in names.items():
            if letter in first_letters or not first_letters:
                letters.setdefault(letter, []).append(rest)
    return "|".join(f"{letter}(?:{'|'.join(rests)})" for letter, rests in letters.items())


ENGLISH_NAMES = _pattern("prsfh")  # a search for few letters is a quick one
_ANY, _ENGLISH = re.compile(_pattern("")), re.compile(ENGLISH_NAMES)
_FOREIGN = ("trefferquote", "exhaustividad", "medida f", "de hamming")  # the other names that are written in ASCII


def _pattern_for(view: str) -> re.Pattern[str]:
    if not view.isascii():
        return _ANY
    for name in _FOREIGN:
        if name in view:
            return _ANY
    return _ENGLISH


_ONE = {
    measure: re.compile("|".join(letter + rest for letter, rest in names.items())) for measure, names in _NAMES.items()
}
_EXPLAINED = re.compile(
    r"(?:harmonic|harmonische|harmonique)\w? (?:mean|average|mittel|moyenne)[^.\n:\d]{0,30}"
    r"(?:precision and (?:the )?recall|recall and (?:the )?precision)"
)
_OTHER = (  # words before the name that make it another measure
    "skeleton ", "adjacency ", "arrowhead ", "orientation ", "average ", "normalized ", "normalised ",
    "relative ", "weighted ", "macro-", "micro-", "macro ", "micro ", "skeleton-", "undirected ", "balanced ",
)  # fmt: skip


_new = tuple.__new__


class Label(NamedTuple):
    """The name of a measure, where it stands."""

    measure: str
    start: int
    end: int


def without_explanations(view: str) -> str:
    """The view with 'harmonic mean of precision and recall' blanked: it names two measures and says nothing of them."""
    return _EXPLAINED.sub(lambda match: " " * len(match.group()), view) if "harmoni" in view else view


def labels_in(view: str, start: int = 0) -> list[Label]:
    """The measures a reply names, in order; a name that is part of another measure's is left out."""
    found = []
    for match in _pattern_for(view).finditer(view, start):
        at, end = match.span()
        if at and view[at - 1] != "\n" and _is_part_of_another(view, at):
            continue
        if view[end : end + 1] in ("@", "-") and (view[end] == "@" or view.startswith("-recall", end)):
            continue
        found.append(_new(Label, (measure_named(match.group()), at, end)))
    return found


def _is_part_of_another(view: str, at: int) -> bool:
    before = view[at - 1]
    if before.isascii():
        return before.isalnum() or (before in " -" and view[max(0, at - 12) : at].endswith(_OTHER))
    return view[at].isascii() and before.isalpha() and before < "\u0250"  # CJK text has no blanks between words


@lru_cache(maxsize=512)
def measure_named(name: str) -> str:
    """Which measure a lower-case name stands for, or nothing."""
    for measure, pattern in _ONE.items():
        if pattern.match(name):
            return measure
    return ""
