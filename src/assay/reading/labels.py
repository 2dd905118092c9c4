"""Where a reply names a measure: in English, in the languages models answer in, spelled out or short."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_NAMES = {
    "precision": r"precisions?(?![a-z0-9])|precisión(?![a-z0-9])|precisão(?![a-z0-9])|precisao(?![a-z0-9])|precisione(?![a-z0-9])|précision(?![a-z0-9])|präzision(?![a-z0-9])|praezision(?![a-z0-9])"
    r"|精确率|精确度|查准率|精確率|適合率|정밀도|точность(?![a-z0-9])|precyzja(?![a-z0-9])|presisi(?![a-z0-9])",
    "recall": r"recall(?![a-z0-9])|rappel(?![a-z0-9])|exhaustividad(?![a-z0-9])|sensibilidad(?![a-z0-9])|sensibilité(?![a-z0-9])|sensitivity(?![a-z0-9])|sensitivität(?![a-z0-9])"
    r"|trefferquote(?![a-z0-9])|revocação(?![a-z0-9])|richiamo(?![a-z0-9])|召回率|查全率|再現率|재현율|полнота(?![a-z0-9])|czułość(?![a-z0-9])",
    "f1": r"f[- ]?1(?!\.?\d)(?:[- ]{0,2}(?:(?:scores?|measures?|values?|wert|maß|mass|metric)(?![a-z0-9])|分数|值|スコア|値))?"
    r"|f-?(?:score|measure|maß|mesure)(?![a-z0-9])|score f[- ]?1(?![a-z0-9])|medida f1?(?![a-z0-9])|puntuación f[- ]?1(?![a-z0-9])|puntaje f[- ]?1(?![a-z0-9])",
    "shd": r"shd(?![a-z0-9])|structural[- ]hamming(?:[- ]distance)?(?![a-z0-9])|hamming[- ]distan(?:ce|z)(?![a-z0-9])|strukturelle hamming-?distanz(?![a-z0-9])"
    r"|distance (?:structurelle )?de hamming(?: structurelle)?(?![a-z0-9])"
    r"|distancia (?:estructural )?de hamming(?: estructural)?(?![a-z0-9])"
    r"|distância (?:estrutural )?de hamming(?: estrutural)?(?![a-z0-9])|结构汉明距离|汉明距离|構造ハミング距離",
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


def without_explanations(view: str) -> str:
    """The view with 'harmonic mean of precision and recall' blanked: it names two measures and says nothing of them."""
    return _EXPLAINED.sub(lambda match: " " * len(match.group()), view) if "harmoni" in view else view


def labels_in(view: str, start: int = 0) -> list[Label]:
    """The measures a reply names, in order; a name that is part of another measure's is left out."""
    found = []
    for match in _LABEL.finditer(view, start):
        at, end = match.span()
        if at and _is_part_of_another(view, at):
            continue
        if view[end : end + 1] in ("@", "-") and (view[end] == "@" or view.startswith("-recall", end)):
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
