"""Where a reply names a measure: in English, in the languages models answer in, spelled out or short."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from trueness.patterns import late

_NO_MORE = r"(?![a-z0-9])"
_F1_TAIL = rf"(?:[- ]{{0,2}}(?:(?:scores?|measures?|values?|wert|maß|mass|metric){_NO_MORE}"
_F1_TAIL += r"|мера|점수|分数|值|スコア|値))?"
_NAMES = {  # measure -> names by their first letter, so that a search skips to one of those letters
    "precision": {
        "p": rf"(?:pv|r(?:ecisi(?:ons?|ón|one|on|e)|ecisão|ecisao|écision|äzision|aezision|ecyzja|esisi)){_NO_MORE}",
        "т": "очност[ьи]", "k": rf"esinlik{_NO_MORE}",
        "精": "(?:确率|确度|確率)", "查": "准率", "適": "合率", "정": "밀도",
    },
    "recall": {
        "r": rf"(?:ecall|appel|evocação|ichiamo){_NO_MORE}",
        "s": rf"ensi(?:bilidad|bilité|tivity|tivität){_NO_MORE}",
        "e": rf"xhaustividad{_NO_MORE}", "t": rf"(?:refferquote|pr|rue positive rate){_NO_MORE}",
        "召": "回率", "查": "全率", "再": "現率", "재": "현율", "п": "олнот[аыу]",
        "d": rf"uyarlılık{_NO_MORE}", "c": rf"zułość{_NO_MORE}",
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


_ANY, _ENGLISH = late(f"({_pattern('')})"), late(f"({_pattern('prsfh')})")  # few letters: a quick search
_ENDS_IN_NAME = late(rf"(?:{_pattern('')})$")


def _pattern_for(view: str) -> re.Pattern[str]:
    """The names that may stand in a view: English ones in most, and any where it has other letters, or one of these."""
    if not view.isascii() or "trefferquote" in view or "tpr" in view or "true positive rate" in view:
        return _ANY
    return _ANY if "exhaustividad" in view or "medida f" in view or "de hamming" in view else _ENGLISH


_ONE = {measure: late("|".join(letter + rest for letter, rest in names.items())) for measure, names in _NAMES.items()}
_EXPLAINED = late(
    r"(?:harmonic|harmonische|harmonique)\w? (?:mean|average|mittel|moyenne)[^.\n:\d]{0,30}"
    r"(?:precision and (?:the )?recall|recall and (?:the )?precision)"
    r"|\((?:the )?(?:lower|higher|smaller|larger|fewer|closer to [01])(?: is| means| =|,)? {0,2}(?:the )?better\)"
    r"|[=~] {0,2}[2tpfnr/()+*·×. ]{2,40}(?=[=~] {0,2}\d*\.?\d+ {0,2}(?:-|~|to\b|[,.;\n]|$)|:)"
)
_CONDITIONS = late(  # Precision (alpha = 0.05, n = 10,000):
    r"(?<=[\w ])\((?:0 {0,2}(?:-|to) {0,2}1(?:\.0)?|[^()\n]*[a-z][^()\n]*)\)(?= {0,4}[:=])"
)
_SAYS_CONDITION = late(r"\) {0,4}[:=]")  # a cheap look for them
_NOT_BUT = late(r"\bnot {0,2}[\d.]{1,6}%? {0,2}(?:-|to) {0,2}[\d.]{1,6}%?,? but ")  # is not 0.6-0.8 but
_DIGITS = dict(
    zip("ten twenty thirty forty fifty sixty seventy eighty ninety".split(), range(10, 100, 10), strict=True)
)
_TENS = late(rf"\b(?:{'|'.join(_DIGITS)})\b")
_CONDITION_WORDS = frozenset(  # words of such a parenthesis that leave the measure what it is
    "p r n d alpha α true edges edge pairs possible samples nodes variables ppv tpr sensitivity recall precision "
    "positive predictive value rate f shd score measure fraction share proportion of the all over runs directed found "
    "correct count counts structural hamming distance between to and is in number lower upper better level "
    "significance out at with for f1 mean average averaged".split()
)
_WORD = late(r"[^\W\d_]+")
_SHORTER = frozenset(("f1", "shd"))  # names beside which P and R are names
_SHORT = late(r"(?<![^\s|,;(>-])([pr])(?= {0,3}[:=|])")
_ANSWERS = late(r"(?:range|interval|estimate|forecast|prediction)(?= {0,3}:)")
_LED = late(r"[ >#+-]*((?:my |final |estimated |predicted |expected |likely |forecast )*)")
_LONGEST_LEAD = 120  # characters of a line before what is asked
_OTHER = (  # words before the name that make it another measure
    "skeleton ", "adjacency ", "arrowhead ", "orientation ", "average ", "normalized ", "normalised ",
    "relative ", "weighted ", "macro-", "micro-", "macro ", "micro ", "skeleton-", "undirected ", "balanced ",
    "delta ", "baseline ", "random ", "target ", "typical ", "reported ", "published ", "desired ", "precision-",
    "averaged ", "numerical ", "machine ",
    "numeric ", "training ", "validation ", "collider ", "ancestor ", "node ", "classification ",
)  # fmt: skip
_MEASURES = frozenset(_NAMES)
_GOING_ON = frozenset("@-")  # Recall@5, precision-recall curve
_PRONOUN_ENDS = frozenset(("i ", "e "))  # I recall, we recall
_TAILS = frozenset(word[-5:] for word in _OTHER)  # a cheap look for them
_WHOLE = ("directed ", "oriented ", "arrow ", "dag ", "cpdag ", "edge ")
_new = tuple.__new__
_start = attrgetter("start")


class Label(NamedTuple):
    """The name of a measure, where it stands."""

    measure: str
    start: int
    end: int


def without_explanations(view: str) -> str:
    """The view with 'harmonic mean of precision and recall' blanked: it names two measures and says nothing of them."""
    if "harmoni" in view or "better)" in view or "p+" in view or "p +" in view:
        view = _EXPLAINED.sub(lambda match: " " * len(match.group()), view)
    if ")" in view and _SAYS_CONDITION.search(view):
        view = _without_conditions(view)
    if "percent" in view and "ty" in view:
        view = _TENS.sub(lambda word: str(_DIGITS[word.group()]).rjust(len(word.group())), view)
    if " but " in view:
        view = _NOT_BUT.sub(lambda match: " " * len(match.group()), view)
    return view


def _without_conditions(view: str) -> str:
    """Without the parentheses behind names that only say under which conditions, or on which scale.

    A name that stands with several of them, one of which says something else ('Precision (edges): ... Precision
    (non-edges): ...'), is blanked with them: none is the measure as such.
    """
    places_of: dict[str, list[re.Match[str]]] = {}
    other = set()
    for match in _CONDITIONS.finditer(view):
        name = _ENDS_IN_NAME.search(view[max(0, match.start() - 30) : match.start()].rstrip())
        if name is not None:
            measure = measure_named(name.group())
            places_of.setdefault(measure, []).append(match)
            if not _CONDITION_WORDS.issuperset(_WORD.findall(match.group())):
                other.add(measure)
    for measure, places in places_of.items():
        for match in places if measure not in other or len(places) > 1 else ():
            start = match.start() if measure not in other else view.rfind("\n", 0, match.start()) + 1
            view = view[:start] + " " * (match.end() - start) + view[match.end() :]
    return view


def labels_in(view: str) -> list[Label]:
    """The measures a reply names, in order; a name that is part of another measure's is left out."""
    labels = []
    partial = "skeleton" in view  # where both are told apart, neither is the measure as such
    end = 0
    parts = iter(_pattern_for(view).split(view))  # text, name, text, ...: half the time of as many matches
    for between, name in zip(parts, parts, strict=False):
        at = end + len(between)
        end = at + len(name)
        before = view[at - 1] if at else "\n"
        if before == " ":
            if view[at - 5 : at] in _TAILS and view.endswith(_OTHER, 0, at):
                continue
        elif before != "\n" and _is_part_of_another(view, at, before):
            continue
        if name == "recall" and (view[at - 2 : at] in _PRONOUN_ENDS or view.startswith(" that ", end)):
            if _is_verb(view, at, end):
                continue
        if partial and view.endswith(_WHOLE, 0, at):
            continue
        if view[end : end + 1] in _GOING_ON and (view[end] == "@" or _is_compound(view, end)):
            continue
        labels.append(_new(Label, (name if name in _MEASURES else measure_named(name), at, end)))
    if "\n" in view and (
        "range" in view or "estimate" in view or "interval" in view or "prediction" in view or "forecast" in view
    ):
        labels = _with_sections(view, labels)
    if labels and labels[0].measure in _SHORTER and _SHORTER.issuperset([label.measure for label in labels]):
        labels = _with_short_names(view, labels)
    return labels


def _is_verb(view: str, at: int, end: int) -> bool:
    """As I recall; recall that."""
    before = view[max(0, at - 3) : at]
    return (
        before in (" i ", "\ni ", "i ")
        or before == "we "
        and view[at - 4 : at - 3] == " "
        or view.startswith(" that ", end)
    )


def _is_compound(view: str, end: int) -> bool:
    """Precision-recall curve, SHD-CPDAG: not the measure itself; a precision-value or -range is."""
    return view[end + 1 : end + 2].isalpha() and not view.startswith(("-value", "-score", "-range", "-wert"), end)


def _with_short_names(view: str, labels: list[Label]) -> list[Label]:
    """P: ... R: ... beside F1: only where both are there, once each."""
    short = [Label("precision" if m.group() == "p" else "recall", *m.span()) for m in _SHORT.finditer(view)]
    if len(short) != 2 or short[0].measure == short[1].measure:
        return labels
    return sorted(labels + short, key=lambda label: label.start)


def _with_sections(view: str, labels: list[Label]) -> list[Label]:
    """A measure as a heading, reasons below it, then 'Estimated range: ...': that line answers for the heading."""
    lines = _answer_lines(view)
    heads = [label for label in labels if _is_heading(view, label)] if lines else []
    if not heads:
        return labels
    ends = [head.start for head in heads[1:]] + [len(view)]
    starts = [start for start, _ in lines]
    kept: list[Label] = []
    place = 0
    for head, stop in zip(heads, ends, strict=True):
        first, last = bisect_left(starts, head.end), bisect_left(starts, stop)
        if last - first == 1:  # the line answers for the heading; other names up to it belong to the reasons
            at, end = lines[first]
            before = bisect_left(labels, head.start, place, key=_start)
            kept += labels[place:before]
            kept.append(Label(head.measure, at, end))
            place = bisect_left(labels, end, before, key=_start)
    return kept + labels[place:]


def _answer_lines(view: str) -> list[tuple[int, int]]:
    """Where lines begin with 'my estimated range:': this is the answer to the heading above."""
    spans = []
    for match in _ANSWERS.finditer(view):
        at = match.start()
        line = view.rfind("\n", max(0, at - _LONGEST_LEAD), at) + 1
        if (line or at < _LONGEST_LEAD) and (led := _LED.fullmatch(view, line, at)) is not None:
            spans.append((led.start(1), match.end()))
    return spans


def _is_heading(view: str, label: Label) -> bool:
    """Nothing else stands on its line."""
    line = view.rfind("\n", 0, label.start) + 1
    stop = view.find("\n", label.end)
    rest = view[line : label.start] + view[label.end : stop if stop >= 0 else len(view)]
    return not rest.strip(" #+->:.()0123456789") or rest.strip(" #+->:.0123456789") == "(shd)"


def _is_part_of_another(view: str, at: int, before: str) -> bool:
    if before.isascii():
        return before.isalnum() or (before == "-" and view.endswith(_OTHER, 0, at))
    return view[at].isascii() and before.isalpha() and before < "\u0250"  # CJK text has no blanks between words


@lru_cache(maxsize=512)
def measure_named(name: str) -> str:
    """Which measure a lower-case name stands for, or nothing."""
    for measure, pattern in _ONE.items():
        if pattern.match(name):
            return measure
    return ""
