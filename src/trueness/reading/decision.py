"""Which claim counts: the one that is not contradicted, or the one that is marked as final.

claims of a measure -> the range (the 95 % one of several levels), its levels, its median; or why there is none
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.ranges import BEYOND, INTERVAL, MEDIAN, PROBLEM, Claim
from trueness.reading.words import Sentences

_FINAL = late(  # every alternative begins with a letter, so that the search skips to one of them
    r"final|wait,|mine\b|filled in\b|overall (?=precision|recall|f1|shd)|edit:|consensus"
    r"|answer\b|actually\b|correct(?:ion|ed)\b|revis(?:e|ed|ing|ion)\b|updated?\b"
    r"|on (?:second thought|reflection)\b|scratch that\b|let me (?:fix|adjust|correct)\b|reconsider"
    r"|summar(?:y|ize|ise|izing)\b|conclusion\b|adjust(?:ed|ing)?\b"
    r"|endgültig|korrektur\b|corrijo\b|corrección\b|definitiv|最终|修正|更正|总结|最終"
)
_RETURNS = late(
    r"(?:stick|sticking|keep|keeping|stay|staying|stand|go back|going back|return|revert|reverting)"
    r" (?:with|by|to|the|my)\b|(?:original|initial|first|earlier|previous)"
    r" (?:estimates?|answers?|ranges?|predictions?|intervals?|numbers?|guess)\b"
    r"|ignore (?:that|the)\b|leave (?:it|them|the)\b|never ?mind\b"
)
_SHAPE, _AS = r"(?:structure|layout|schema|json)\b", r"(?:as|in the form)\b"
_EXAMPLE = late(
    r"examples?\b|looks? like\b"
    r"|format(?<!the format)(?<!this format)(?<!requested format)(?<!required format)(?<!specified format)\b"
    r"|the format (?:is|asked)|template\b|placeholders?\b|beispiel\b|ejemplo\b|exemple\b"
    rf"|in the (?:following )?form\b|this {_SHAPE}|following {_SHAPE}|required {_SHAPE}|requested {_SHAPE}"
    rf"|expected {_SHAPE}|be (?:given|written|returned|stated) {_AS}|answer {_AS}"
    r"|e\.g\.[^\n]*$|for instance[^\n]*$|such as[^\n]*$|例如[^\n]*$"
)
_NUMBERS = r"(?: above)? (?:would be|were) for\b"
_CHANGED = r" (?:that|it|this|them|those)\b"
_WRONG = r" (?:was|were|is|are) (?:for|wrong|not(?! (?:only|just|for the skeleton)))\b"
_WITHDRAWN = late(
    r"on second thought\b|scratch that\b|reconsider|no longer holds?\b|take (?:that|it|this|those) back\b"
    r"|no (?:\w+ )?(?:estimate|forecast|prediction|answer) is possible\b"
    rf"|that{_WRONG}|those{_WRONG}|this{_WRONG}|these{_WRONG}"
    rf"|lower{_CHANGED}|raise{_CHANGED}|widen{_CHANGED}|narrow{_CHANGED}|adjust{_CHANGED}|revise{_CHANGED}"
    rf"|change{_CHANGED}|numbers{_NUMBERS}|values{_NUMBERS}|estimates{_NUMBERS}|ranges{_NUMBERS}|figures{_NUMBERS}"
    r"|asked (?:about|for)[^\n]{1,60}\b(?:but|while|whereas)\b[^\n]{1,60}\b(?:for|of|about)\b"
)
_SHORTEST = 8  # characters of a withdrawal: lower it
_HANGING = frozenset((",", "-", ";", "±", "to", "and", "~", "bis", "à", "[", "(", ":", "="))  # more was to come
_SHORT_TAIL = 12  # characters behind a value that may be such a one
_ODD = frozenset(("swapped", "point"))
_PARAGRAPH = late(r"(?<!:)\n {0,8}\n")


class Context:
    """What the reply says around its claims; looked up only where claims differ."""

    def __init__(self, sentences: Sentences):
        self.view = view = sentences.view
        self._finals: list[int] | None = None
        self.examples = (
            not _OF_EXAMPLES.isdisjoint(sentences.words)
            or "e.g" in view
            or " json:" in view
            or " as\n" in view
            or (sentences.foreign and "例如" in view)
        )

    @property
    def finals(self) -> list[int]:
        """Where an answer is announced as the final one, or as a correction."""
        if self._finals is None:
            self._finals = [match.end() for match in _FINAL.finditer(self.view)]
        return self._finals

    def returns(self) -> int:
        """Where the reply last goes back to what it said before; -1 where it does not."""
        return max([match.start() for match in _RETURNS.finditer(self.view)], default=-1)


class Decision(NamedTuple):
    """The range of a measure, or the problem."""

    claim: Claim | None
    problem: str = ""
    flags: tuple[str, ...] = ()
    levels: Mapping[float, Claim] = {}
    median: Claim | None = None


_OF_EXAMPLES = frozenset(  # words of replies that may show what an answer looks like
    "example examples exampled format formats formatted formatting template templates instance such look looks looking "
    "placeholder placeholders form structure schema layout beispiel beispiele beispielsweise ejemplo ejemplos exemple "
    "exemples exemplo".split()
)


_FEWEST_OF_TWO = 5  # claims of a form and an answer
_SAYS_NOTHING = frozenset(((0.0, 1.0), (0.0, 0.0)))
_new = tuple.__new__  # half the time of a named tuple's own
_NO_LEVELS: Mapping[float, Claim] = {}
NOT_GIVEN = Decision(None, "not_given")


def decide(claims: Sequence[Claim], context: Context) -> Decision:
    """What the claims of one measure come to."""
    if len(claims) == 1 and not context.examples:  # nearly all of them
        _, kind, _, _, _, _, _, _, level, marks, _ = claim = claims[0]
        if kind == INTERVAL and level is None and "alone" not in marks:
            return _new(Decision, (claim, "", (), _NO_LEVELS, None))
    intervals = [claim for claim in claims if claim.kind != MEDIAN]
    medians = [] if len(intervals) == len(claims) else [claim for claim in claims if claim.kind == MEDIAN]
    if not intervals:
        intervals, medians = [median._replace(kind=INTERVAL, flags=("point",)) for median in medians], []
    intervals = _without_examples(_join_ends(intervals), context)
    if not intervals:
        return Decision(None, "example")
    chosen, corrected = _standing(_serious(intervals), context)
    if isinstance(chosen, str):
        return _new(Decision, (None, chosen, (), _NO_LEVELS, None))
    level = 0.95 if 0.95 in chosen else None if None in chosen else max(level for level in chosen if level is not None)
    claim = chosen[level]
    levels = {level: claim for level, claim in chosen.items() if level is not None}
    if levels and not medians:  # beside intervals with levels a bare point is the middle of them
        medians = [c._replace(kind=MEDIAN, flags=()) for c in intervals if c.level is None and c.flags == ("point",)]
    median = _median(medians) if medians else None
    flags: tuple[str, ...] = ("corrected",) if corrected else ()
    if levels:
        flags += _nesting(levels, median)
    if level is not None and level != 0.95:
        flags += (f"level_{level:g}",)
    return Decision(claim, "", flags, levels, median)


def _join_ends(claims: list[Claim]) -> list[Claim]:
    """precision_lower: 0.6 and precision_upper: 0.8, given apart, are one range."""
    if not any([claim.flags for claim in claims]):
        return claims
    lower = [claim for claim in claims if "lower" in claim.flags]
    upper = [claim for claim in claims if "upper" in claim.flags]
    if len(lower) != 1 or len(upper) != 1:
        return [c._replace(kind=PROBLEM, problem="one_end") if "alone" in c.flags else c for c in claims]
    low, high = lower[0], upper[0]
    rest = [claim for claim in claims if claim is not low and claim is not high]
    if low.kind == PROBLEM and low.problem != "no_upper_end" or high.kind == PROBLEM:
        return rest + [low._replace(kind=PROBLEM, problem=low.problem or high.problem)]
    ends = sorted((low.low, high.high))
    flags: tuple[str, ...] = ("swapped",) if low.low > high.high else ()
    flags += (BEYOND,) if BEYOND in low.flags + high.flags else ()
    start, end = min(low.start, high.start), max(low.end, high.end)
    whole = low._replace(
        kind=INTERVAL, low=ends[0], high=ends[1], start=start, end=end, flags=flags, problem="", strong=low.strong
    )
    return [*rest, whole]


def is_withdrawn(view: str, last: int) -> bool:
    """'On second thought I would lower that': the last value is followed by its withdrawal, and by no other value."""
    return last + _SHORTEST <= len(view) and _WITHDRAWN.search(view, last, last + 300) is not None


def without_template(claims: list[Claim]) -> list[Claim]:
    """Without the form of an answer, said back with [0, 1] or [0, 0] for every share before the answer is given."""
    if len(claims) < _FEWEST_OF_TWO:
        return claims
    ordered = sorted(claims, key=attrgetter("start"))
    form: dict[str, Claim] = {}
    for claim in ordered:
        if claim.measure in form:
            break
        form[claim.measure] = claim
    rest = ordered[len(form) :]
    shares = [(claim.low, claim.high) for claim in form.values() if claim.measure != "shd"]
    if len(shares) > 1 and set(shares) <= _SAYS_NOTHING and form.keys() <= {claim.measure for claim in rest}:
        return rest
    return claims


def _without_examples(claims: list[Claim], context: Context) -> list[Claim]:
    """Claims that show the form of an answer do not count, unless the answer was announced since."""
    if not context.examples:
        return claims
    kept = []
    for claim in claims:
        start = max(0, claim.start - 160)
        before = context.view[start : claim.start]
        shown = max([match.end() for match in _EXAMPLE.finditer(before)], default=-1)
        at = bisect_right(context.finals, claim.start)
        announced = context.finals[at - 1] - start if at else -1
        if shown < 0 or announced > shown or _paragraph_ends(before) > shown:
            kept.append(claim)
    return kept


def _paragraph_ends(text: str) -> int:
    """Where the last paragraph begins; the list below 'for example:' belongs to the paragraph above it."""
    return max((match.start() for match in _PARAGRAPH.finditer(text)), default=-1)


def _serious(claims: list[Claim]) -> list[Claim]:
    """Answers before remarks; a remark that comes after the answer and says otherwise counts too."""
    strong = [claim for claim in claims if claim.strong]
    if not strong or len(strong) == len(claims):
        return claims
    last = max(claim.start for claim in strong)
    later = [claim for claim in claims if not claim.strong and claim.start > last and claim.kind != PROBLEM]
    return strong + later


def _standing(claims: list[Claim], context: Context) -> tuple[dict[float | None, Claim] | str, bool]:
    """One claim a level, if they agree or a later one is marked as final."""
    chosen = _claim_per_level(claims)
    if not isinstance(chosen, str):
        return chosen, False
    first, last = min([claim.end for claim in claims]), max([claim.start for claim in claims])
    mark = max([mark for mark in context.finals if first < mark <= last], default=-1)
    if mark < 0:
        return chosen, False
    after_mark = _claim_per_level([claim for claim in claims if claim.start >= mark])
    if isinstance(after_mark, str):
        return after_mark, False
    if context.returns() >= first or _was_final_before(claims, mark, context.view):
        return "candidates", False
    return after_mark, True


def _was_final_before(claims: Sequence[Claim], mark: int, view: str) -> bool:
    """Two answers that both call themselves final are none."""
    return any(claim.start < mark and "final" in view[max(0, claim.start - 60) : claim.start] for claim in claims)


def _claim_per_level(claims: Sequence[Claim]) -> dict[float | None, Claim] | str:
    """The claim of each level, or the problem that keeps them from being one answer."""
    for claim in claims:
        if claim.kind == PROBLEM:
            return claim.problem if len(claims) == 1 or claim.problem != "out_of_range" else "candidates"
    chosen: dict[float | None, Claim] = {}
    for claim in claims:
        other = chosen.get(claim.level)
        if other is None:
            chosen[claim.level] = claim
        elif (claim.low, claim.high) != (other.low, other.high):
            kept = _wider_than_a_point(other, claim)
            if kept is None:
                return "candidates"
            chosen[claim.level] = kept
    unsaid = chosen.get(None)
    if unsaid is not None and len(chosen) > 1:
        with_level = [claim for level, claim in chosen.items() if level is not None]
        if "point" in unsaid.flags or any((claim.low, claim.high) == (unsaid.low, unsaid.high) for claim in with_level):
            del chosen[None]
        else:
            return "candidates"
    return chosen


def _wider_than_a_point(one: Claim, other: Claim) -> Claim | None:
    """Of a point and a range around it the range says more."""
    for point, spread in ((one, other), (other, one)):
        if "point" in point.flags and "point" not in spread.flags and spread.low <= point.low <= spread.high:
            return spread
    return None


def is_cut(claim: Claim, view: str, standing: Sequence[Claim]) -> bool:
    """Whether the reply stops inside this value: 'SHD: 12-1', 'Recall: [0.5,', 'F1: 0.'

    A point or swapped ends at the very end of a reply whose other values are proper ranges are taken for cut, too.
    """
    _, _, _, _, start, end, parser, _, _, flags, _ = claim
    if parser == "json":
        return False
    if parser == "table":
        row = view.rpartition("\n")[2].strip()
        return row.startswith("|") and not row.endswith("|") and end > len(view) - len(row)
    tail = view[end:].strip()
    if tail:
        hangs = len(view) - end < _SHORT_TAIL and tail in _HANGING
        return hangs or (tail == "." and "point" in flags and end - start == 1 and claim.high <= 1)
    if _is_open(view[max(0, start - 4) : end]):
        return True
    odd = _ODD.intersection(flags)
    others = [other for other in standing if other is not claim] if odd else []
    return bool(others) and all(odd.isdisjoint(other.flags) for other in others)


def _is_open(value: str) -> bool:
    """Recall: [0.5"""
    opened = max(value.rfind("["), value.rfind("("))
    return opened >= 0 and "]" not in value[opened:] and ")" not in value[opened:]


def _median(medians: Sequence[Claim]) -> Claim | None:
    """The median, if the reply gives one only."""
    values = {median.low for median in medians if median.kind == MEDIAN}
    return medians[-1] if len(values) == 1 else None


def _nesting(levels: Mapping[float, Claim], median: Claim | None) -> tuple[str, ...]:
    """A 95 % interval must hold the 80 % one, and that the 50 % one and the median."""
    flags = []
    ordered = [levels[level] for level in sorted(levels)]
    if any(
        inner.low < outer.low or inner.high > outer.high for inner, outer in zip(ordered, ordered[1:], strict=False)
    ):
        flags.append("not_nested")
    if median is not None and ordered and not ordered[0].low <= median.low <= ordered[0].high:
        flags.append("median_outside")
    return tuple(flags)
