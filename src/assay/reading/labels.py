"""Where a reply names a measure: in English, in the languages models answer in, spelled out or short."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_NAMES = {
    "precision": r"precisions?\b|precisión\b|precisão\b|precisao\b|precisione\b|précision\b|präzision\b|praezision\b"
    r"|精确率|精确度|查准率|精確率|適合率|정밀도|точность\b|precyzja\b|presisi\b",
    "recall": r"recall\b|rappel\b|exhaustividad\b|sensibilidad\b|sensibilité\b|sensitivity\b|sensitivität\b"
    r"|trefferquote\b|revocação\b|richiamo\b|召回率|查全率|再現率|재현율|полнота\b|czułość\b",
    "f1": r"f[- ]?1(?![\d.,]*\d)(?:[- ]{0,2}(?:scores?|measures?|values?|wert|maß|mass|metric)\b|分数|值|スコア|値)?"
    r"|f-?(?:score|measure|maß|mesure)\b|score f[- ]?1\b|medida f1?\b|puntuación f[- ]?1\b|puntaje f[- ]?1\b",
    "shd": r"shd\b|structural[- ]hamming(?:[- ]distance)?\b|hamming[- ]distan(?:ce|z)\b|strukturelle hamming-?distanz\b"
    r"|distance (?:structurelle )?de hamming(?: structurelle)?\b"
    r"|distancia (?:estructural )?de hamming(?: estructural)?\b"
    r"|distância (?:estrutural )?de hamming(?: estrutural)?\b|结构汉明距离|汉明距离|構造ハミング距離",
}
_LABEL = re.compile("|".join(_NAMES.values()))  # flat, so that the search skips to a first letter of a name
_ONE = {measure: re.compile(names) for measure, names in _NAMES.items()}
_EXPLAINED = re.compile(
    r"(?:harmonic|harmonische|harmonique)\w? (?:mean|average|mittel|moyenne)[^.\n:\d]{0,30}"
    r"(?:precision and (?:the )?recall|recall and (?:the )?precision)"
)
_OTHER = (  # words before the name that make it another measure
    "skeleton ", "adjacency ", "arrowhead ", "orientation ", "average ", "normalized ", "normalised ",
    "relative ", "weighted ", "macro-", "micro-", "macro ", "micro ", "skeleton-", "undirected ", "balanced ",
)  # fmt: skip


class Label(NamedTuple):
    """The name of a measure, where it stands."""

    measure: str
    start: int
    end: int


def labels_in(view: str, start: int = 0) -> list[Label]:
    """The measures a reply names, in order; a name that is part of another measure's is left out."""
    explained = _EXPLAINED.search(view) if "harmoni" in view else None
    found = []
    for match in _LABEL.finditer(view, start):
        at, end = match.span()
        if at and _is_part_of_another(view, at):
            continue
        if view[end : end + 1] in ("@", "-") and (view[end] == "@" or view.startswith("-recall", end)):
            continue
        if explained and explained.start() <= at < explained.end():
            continue
        found.append(Label(measure_named(match.group()), at, end))
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
