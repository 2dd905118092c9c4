"""The words that may stand between a label and its value, and what they make of it.

Only words known here may stand there: a sentence that says anything else ("not", "unlike", "for FCI") is not read.

The sentences of a reply: what is said before and behind a value, looked at once however many values stand in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.labels import measure_named

PLAIN = frozenset(
    # English
    "a an the is are be of for at in on to will would should could may might can likely probably expected expect "
    "estimated estimate estimates estimation predicted predict prediction predictions forecast projected anticipated "
    "i id d ll s my we it its this that value values score scores range ranges ranging interval intervals around about "
    "approximately approx roughly circa ca between from within fall falls lie lies lying somewhere both each all again "
    "confidence ci cis credible level with typically generally somewhere say near nearly close have has having "
    "achieve achieves achieving reach reaches be being get gets give gives yield yields obtain obtains as so "
    "moderate moderately fairly quite relatively reasonably rather very pretty high low good decent modest strong weak "
    "poor excellent solid lower higher upper bound bounds "
    "here therefore thus then hence metric measure measures distance structural hamming shd final answer "
    "result results "
    "edges edge count total directed graph overall also similarly correspondingly respectively probable plausible "
    "realistic reasonable think believe guess suggest put place would remain stay stays sit sits hover hovers "
    "vary varies "
    "iqr interquartile which somewhat something like follows follow land lands small large tiny slightly "
    "trailing maybe perhaps possibly ends up "
    "only even just merely going cpdag dag pag ground truth true network dataset data set algorithm model "
    "span spans run runs spread mostly usually percent percentage rate proportion fraction probability "
    # German
    "liegt liegen etwa ungefähr zwischen von bei wird werden dürfte bereich der die das im rund ca wert erwartet "
    "auf voraussichtlich schätzung geschätzt konfidenzintervall intervall und ich schätze sollte sein ist vermutlich "
    # French
    "entre à de du le la les environ est sera serait devrait être intervalle estimé estimée estimation se situer situe "
    "comprise compris estime allant j "
    # Spanish, Portuguese, Italian
    "el los un una será sería estará estaría debería estar rango intervalo estimado estimada aproximadamente "
    "aproximado alrededor desde del probablemente estimo está tra circa intervallo stima stimato sarà cerca "
    "em torno deve ficar faixa compresa compreso da "
    # Chinese, Japanese, Korean, Russian
    "约 大约 约为 在 介于 范围 为 是 预计 估计 预计在 估计在 大约在 区间 范围是 范围为 预估 的 "
    "の は 約 範囲 推定 은 는 약 범위 "
    "mellan tussen около между от примерно составит ожидается в диапазоне".split()
)
DATASETS = frozenset("asia sachs alarm child insurance cancer earthquake survey hailfinder barley hepar".split())
LEARNERS = frozenset("pc fci rfci gfci lingam directlingam icalingam notears ges fges gies golem dagma mmhc".split())
_NOUNS = frozenset(  # of an answer without a colon: "Precision range 0.6 to 0.8"
    "score scores value values range interval ci approximately approx about around roughly ca circa etwa environ "
    "ungefähr lower upper bound min max low high estimate confidence".split()
)
_LOWER = frozenset("lower minimum min untere untergrenze inférieure inferior mínimo mínima 下限 下界".split())
_UPPER = frozenset("upper maximum max obere obergrenze supérieure superior máximo máxima 上限 上界".split())
_ENDS = frozenset(
    "about around approximately roughly low high bound end limit estimate value the ci of is range grenze borne límite "
    "lower upper".split()
)
_KEY = late(r"\b(?:low|high) {0,2}[:=] {0,2}$")
_ADJECTIVES = frozenset(("low", "high"))  # ends only behind a colon: "High precision: 0.7" gives none
_LOWEST, _HIGHEST = _LOWER | {"low", "lowest", "untergrenzen"}, _UPPER | {"high", "highest", "obergrenzen"}
_AROUND_ENDS = _LOWEST | _HIGHEST | _ENDS | frozenset("bounds ends limits estimates values ranges for my all".split())
MIDDLE = frozenset(
    "median mean midpoint center centre central mode point best central expected average mediana médiane mittelwert "
    "middle 中位数 均值".split()
)
_AROUND_MIDDLE = frozenset(
    "estimate guess value likely most the a is of point single my prediction with forecast".split()
)
_AT_LEAST = late(
    r"\b(?:at least|above|over|more than|greater than|higher than|exceeds?"
    r"|exceeding|in excess of|upwards of|mindestens|über|au moins|plus de|al menos|por lo menos|más de|pelo menos)\b"
    r"|至少|超过|以上"
)
_AT_MOST = late(
    r"\b(?:at most|below|under|less than|fewer than"
    r"|lower than|up to|höchstens|maximal|unter|bis zu|au plus|moins de|como máximo|a lo sumo|menos de|no máximo)\b"
    r"|至多|最多|低于"
)
_NOT_MORE = late(r"\b(?:not? (?:more|higher|greater) than|not? (?:exceed|exceeding|above|over))\b|不超过|不高于")
_NOT_LESS = late(r"\b(?:not? (?:less|lower|fewer) than|not? (?:below|under))\b|不低于|不少于")
_SHORT = late(r"\b(approx|est|ca|vs|incl|min|max|avg|ungef|aprox|env|resp)\.")
_TAKEN_UP = late(r"^\. (i (?:would |d )?(?:expect|estimate|predict|think)) it\b")  # precision. I expect it to be
_ITEM = late(r"(?:^|\n) {0,8}[a-d][.)] ")  # of a list: a. lower bound
_WORD = late(r"[^\W\d]+")
_SENTENCE = late(r"[.!?。](?:\s|$)")
MAX_LENGTH = 160
NEUTRAL = PLAIN | LEARNERS | DATASETS | MIDDLE  # words of a sentence that give a value no other subject
NEUTRAL |= frozenset(
    "and or while whereas precision recall p r f und et y e least most above below under over more less "
    "fewer than up down tot bis hasta exceed exceeds giving puts seems errors mistakes posterior positive "
    "predictive per cent".split()
)
NEUTRAL -= frozenset("good decent excellent poor strong weak".split())  # a good precision is 0.8-0.9


class Gap(NamedTuple):
    """What stands between a label, or the value before, and a value."""

    known: bool  # nothing but known words
    direct: bool = False  # a colon, an equals sign or a bracket, and no verb: the form of an answer
    role: str = ""  # lower, upper, median; low, high: an end only where the other is there, too
    side: str = ""  # least, most; unclear for "=>", which is an arrow to some and "at least" to others
    percent: bool = False  # "(%)", "in percent"
    newline: bool = False
    colon: bool = False
    words: bool = False
    learner: str = ""  # the value is said to be of this one
    plain: bool = False  # known, and nothing said of the value: no role, no side, no learner


UNKNOWN = Gap(False)


@lru_cache(maxsize=8192)
def gap_of(gap: str) -> Gap:
    """What a gap means."""
    core = gap.strip(" :=([-~\n")
    if core == "?":  # what about precision? 0.6-0.8
        return Gap(True, words=True, plain=True)
    core = _ITEM.sub("\n", _TAKEN_UP.sub(r"\1 ", core))
    newline = "\n" in gap
    colon = ":" in gap or "=" in gap
    if not core:
        known = gap.count("\n") <= 3
        return Gap(known, direct=True, newline=newline, colon=colon, plain=known)
    if gap.count("\n") > 3:
        return UNKNOWN
    core = _SHORT.sub(r"\1 ", core).replace("more likely", "likely")
    if _SENTENCE.search(core):
        return UNKNOWN
    words = _WORD.findall(core)
    phrase = " ".join(words)
    percent = "%" in core or "percent" in words
    role = _role_of(words, gap)
    side = "unclear" if "=>" in gap else _side_of(core, phrase)
    if side is None:
        return UNKNOWN
    rest = words
    if side:
        for pattern in (_NOT_MORE, _NOT_LESS, _AT_MOST, _AT_LEAST):
            phrase = pattern.sub(" ", phrase)
        rest = phrase.split()
    if role:
        rest = [word for word in rest if word not in _LOWER | _UPPER | MIDDLE | _ENDS | _AROUND_MIDDLE]
    named = LEARNERS.intersection(rest)
    if not PLAIN.issuperset(set(rest) - named) or len(named) > 1:
        return UNKNOWN
    direct = (colon and len(words) <= 6) or _NOUNS.issuperset(words)
    plain = not (role or side or named)
    return Gap(True, direct, role, side, percent, newline, colon, bool(words), next(iter(named), ""), plain)


def end_named(text: str) -> str:
    """lower or upper, where a text says nothing but which end of several ranges it gives."""
    words = set(_WORD.findall(text)) if len(text) < MAX_LENGTH else set()
    if not words <= _AROUND_ENDS or (words <= _ADJECTIVES and not text.endswith(":")):
        return ""
    lower, upper = not words.isdisjoint(_LOWEST), not words.isdisjoint(_HIGHEST)
    return "" if lower == upper else "lower" if lower else "upper"


def _role_of(words: list[str], gap: str) -> str:
    met = set(words)
    lower, upper = bool(met & _LOWER), bool(met & _UPPER)
    if lower != upper:
        return "lower" if lower else "upper"
    if ("low" in met) != ("high" in met) and (met <= _ENDS or _KEY.search(gap)):
        return "low" if "low" in met else "high"
    if met & MIDDLE and met <= MIDDLE | _AROUND_MIDDLE:
        return "median"
    return "median" if "most likely" in " ".join(words) else ""


def _side_of(core: str, phrase: str) -> str | None:
    """least, most, nothing; None where both are said."""
    denied = _NOT_LESS.sub("≥", _NOT_MORE.sub("≤", phrase))
    least = "≥" in denied or bool(_AT_LEAST.search(denied)) or "≥" in core or ">" in core
    most = "≤" in denied or bool(_AT_MOST.search(denied)) or "≤" in core or "<" in core
    if least and most:
        return None
    return "least" if least else "most" if most else ""


_LATIN = late("[a-z]+")
_LETTERS = bytes(code if chr(code).isalpha() else 32 for code in range(128)) + bytes(128)
_DIGIT = late(r"\d")
_LETTERS_ONLY = late(r"[^\W\d_]+")
REACH = 240  # characters of a sentence, or of a list below its heading, that are looked at
_SENTENCE_ENDS = r"[.!?;。\n](?:(?<=\n)|(?=\s|$)(?<!\bal.)(?<!e\.g.)(?<!i\.e.)(?<!\bvs.))"
_STOP, _STOP_OR_BUT = late(_SENTENCE_ENDS), late(rf"{_SENTENCE_ENDS}|,? but\b(?! not)")
_CLAUSE_ENDS = late(r"[.;:!?|](?= |$)")
_BULLETS = " -+#>.)(0123456789"
_LEAD = 80  # characters before a name that may give it another subject
_FULL_STOPS = (".", "!", "?", "。")
_POINTS_ON = frozenset("following follows below these".split())  # The published results are as follows.
_HEADING = 60  # and of a line that heads a list
_JOINING = frozenset("a an the of and precision recall f shd score is at in".split())  # of a clause that goes on


class Sentences:
    """The words and the stops of a view, found once."""

    def __init__(self, view: str):
        self.view = view
        self.foreign = not view.isascii()
        self.words = set(_LATIN.findall(view) if self.foreign else words_of(view))
        self._neutral: bool | None = None
        self._limits: tuple[list[int], list[int]] | None = None

    @property
    def neutral(self) -> bool:
        """Whether no word of the reply gives a value another subject."""
        if self._neutral is None:
            self._neutral = not self.foreign and are_neutral(self.words)
        return self._neutral

    def _bounds(self) -> tuple[list[int], list[int]]:
        """Where sentences stop, and where they begin."""
        if self._limits is None:
            spans = [stop.span() for stop in _stop(self.view).finditer(self.view)]
            self._limits = [start for start, _ in spans], [0, *[end for _, end in spans]]
        return self._limits

    def before(self, start: int) -> str:
        """The sentence up to a value; 'precision 0.9; recall 0.8' goes on behind its semicolon."""
        view, begins = self.view, self._bounds()[1]
        place = bisect_right(begins, start) - 1
        begun = begins[place]
        if place and view[begun - 1] == ";" and start - begun < REACH:
            if _JOINING.issuperset(words_of(view[begun:start])):
                begun = begins[place - 1]
        return view[max(begun, start - REACH) : start]

    def leads_to(self, name: int) -> bool:
        """Whether nothing stands before the name of a measure, up to the last stop, that gives it another subject."""
        if self.neutral:
            return True
        lead = self.view[max(0, name - _LEAD) : name].rpartition("\n")[2]
        return not lead.strip(_BULLETS) or are_neutral(words_of(_CLAUSE_ENDS.split(lead)[-1]))

    def behind(self, end: int) -> str:
        """The sentence from the end of a value on."""
        return self.view[end : min(self._stop(end), end + REACH)]

    def asks(self, end: int) -> bool:
        """'Is a precision of 0.9-1.0 plausible?' asks."""
        return self.view.startswith("?", self._stop(end))

    def _stop(self, end: int) -> int:
        stops = self._bounds()[0]
        place = bisect_right(stops, end - 1)
        return stops[place] if place < len(stops) else len(self.view)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Where each sentence begins and stops."""
        stops, begins = self._bounds()
        return zip(begins, [*stops, len(self.view)], strict=True)

    def holding(self, words: Iterable[str], start: int) -> list[tuple[int, int]]:
        """The sentences from a place on that hold one of the words, in order."""
        view = self.view
        firsts = [(at, word) for word in words if (at := view.find(word, start)) >= 0]
        if not firsts:
            return []
        stops, begins = self._bounds()
        ends = [*stops, len(view)]
        places = set()
        for at, word in firsts:
            while at >= 0:
                place = bisect_right(begins, at) - 1
                places.add(place)
                at = view.find(word, max(ends[place], at + 1))
        return [(begins[place], ends[place]) for place in sorted(places)]

    def __iter__(self) -> Iterator[str]:
        return (self.view[begun:stop] for begun, stop in self.spans())


def words_of(text: str) -> list[str]:
    """The words of a text, as they are written, in order; those of plain ASCII in a third of the time of a search."""
    if text.isascii():
        return text.encode().translate(_LETTERS).decode().split()
    return _LETTERS_ONLY.findall(text)


def _stop(text: str) -> re.Pattern[str]:
    """What stops a sentence of the text: a search for few signs is a quick one."""
    return _STOP_OR_BUT if " but" in text else _STOP


def are_neutral(words: Iterable[str]) -> bool:
    """Whether no word gives a value another subject than the reply's own forecast."""
    return all(map(measure_named, [word for word in words if word not in NEUTRAL]))


def heading_of(view: str, start: int) -> str:
    """The line that heads the list or table in which a value stands, or nothing."""
    line = view.rfind("\n", max(0, start - 2 * REACH), start)
    if line < 0:
        return ""
    for text in reversed(view[max(0, line - 2 * REACH) : line].split("\n")):
        plain = text.strip()
        if plain.endswith(":") or plain.startswith("#"):
            return _stop(plain).split(plain)[-1]
        if not plain or "|" in plain:
            continue
        if len(plain) <= _HEADING and _DIGIT.search(plain) is None:
            return "" if _is_sentence(plain) else plain
        if len(plain) > 2 * _HEADING:
            return ""
    return ""


def _is_sentence(line: str) -> bool:
    """'LiNGAM requires non-Gaussian noise.' speaks for itself and heads nothing; 'Literature values.' is a heading."""
    if not line.endswith(_FULL_STOPS):
        return False
    words = words_of(line)
    return len(words) > 2 and _POINTS_ON.isdisjoint(words)
