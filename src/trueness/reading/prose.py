"""Claims from text: a label and the value that belongs to it, in a line, a list or a sentence.

    label gap value (gap value)*      up to the next label

The first gap may hold known words only. What follows the first value on its line may refine it (a median, ends, levels,
a point inside the range) or explain it; a second range that does neither makes the whole unreadable.

Values that tell something else: what a measure is, a footnote, what another quantity depends on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from trueness.patterns import late
from trueness.reading.labels import Label, labels_in
from trueness.reading.ranges import (
    LEVELS,
    PAIR,
    POINT,
    PROBLEM,
    Claim,
    Expression,
    Number,
    Scale,
    expression_at,
    one_sided,
    pair_of_ends,
    trouble,
)
from trueness.reading.words import LEARNERS, MAX_LENGTH, Gap, Sentences, end_named, gap_of, heading_of

_GROUP = frozenset("and|/|,|&|or|und|et|y|e|和|, and|与|;|+|,and|as well as|及|i|и".split("|"))
_JOINED = _GROUP | {""}
_BACK = frozenset("|for|in|for the|of|für|pour|para|as|的|on|as the|en|be the|is what i expect for".split("|"))
_ANOTHER = frozenset(
    "or maybe actually wait no rather alternatively correction perhaps oder ou instead versus vs hmm scratch otherwise "
    "worst best if while whereas but for".split()
)
_ASIDE = late(r"^[\s\])]*(?:\(|- |;|\.|because|since|as |given|due|which|where|weil|car |porque|//|#|<!--|based)")
_INSTEAD_OF = late(r"[\s,(]*(?:instead of|rather than|as opposed to|compared (?:to|with)|unlike)\b")
_ANOTHER_NAME = late(r" {0,2}[,;] {0,2}[a-z][a-z /-]{1,30} {0,2}[:=] {0,2}[\[(]?$")  # ", FDR: "
_TIGHT = frozenset(("", ":", "=", ": [", ":[", ": (", ":(", "[", "(", "= [", "=[", "~", "-", "- [", "- (", "|"))
_WORD = late(r"[a-z]+")
_END_OF = {"lower": "lower", "low": "lower", "upper": "upper", "high": "upper"}
_SPREAD = late(r" {0,2}[(,;\[] {0,2}(?:sd|std|se|s\.d|σ|stdev|standard deviation|with (?:an? )?(?:sd|std))\b")
_OPENS = frozenset("from between zwischen entre".split())
_AND_ALSO = late(r",? {0,2}(?:and|but|und|et|y)?,? {0,2}(?:[<>≤≥]|below|above|under|over|at (?:most|least)|less|more)")
_start = itemgetter(1)  # of a number, in half the time of its name
_new = tuple.__new__  # half the time of a named tuple's own
_MOST_FIELDS = 24
_MOST_JOINED = 24  # characters between two labels that share a value


class _Field(NamedTuple):
    gap: Gap
    level: float | None
    expression: Expression


def claims_in_prose(
    sentences: Sentences, labels: Sequence[Label], numbers: Sequence[Number], scale: Scale
) -> list[Claim]:
    """All claims that labels make, in the order of the text."""
    claims: list[Claim] = []
    if not labels or not numbers:
        return claims
    view = sentences.view
    walk = _Walk(sentences, labels, numbers, scale)
    group: list[Label] = []
    last = len(labels) - 1
    for index, label in enumerate(labels):
        _, name, end = label
        stop = labels[index + 1].start if index < last else len(view)
        before = walk.before(label)
        walk.last_label = name
        if before is not None:
            claims += before
            group = []
            continue
        if not group and (stop - end > _MOST_JOINED or index == last):
            claims += walk.single(label, stop)
            continue
        group.append(label)
        if index < last and view[end:stop].strip(" ()\n") in _JOINED:
            if labels[index + 1].measure == label.measure:
                group.pop()  # Structural Hamming Distance (SHD)
            elif "\n" in view[end:stop]:
                group.clear()
            continue
        claims += walk.group(group, stop) if len(group) > 1 else walk.single(label, stop)
        group = []
    return claims


class _Walk:
    """Goes over the labels from left to right and remembers the level that a heading set."""

    def __init__(self, sentences: Sentences, labels: Sequence[Label], numbers: Sequence[Number], scale: Scale):
        self.sentences, self.view = sentences, sentences.view
        self.numbers, self.scale = numbers, scale
        self.starts = list(map(_start, numbers))
        self.medians = "median" in self.view
        self.level: float | None = None
        self.last_label = -1
        self.backward_end = -1  # where the last label that followed its value ends
        first = bisect_left(self.starts, labels[0].start)
        for number in numbers[:first] if first else ():
            if number.level:
                self.level = number.value / 100

    def single(self, label: Label, stop: int) -> list[Claim]:
        index = bisect_left(self.starts, label.end)
        if index == len(self.starts) or self.starts[index] >= stop:
            return []
        fields = self._fields(label.end, index, stop)
        if not fields:
            return []
        first = fields[0]
        gap, _, expression = first
        strong = gap.direct and (
            self._begins_line(label.start) or ((gap.colon or bool(gap.role)) and self.sentences.leads_to(label.start))
        )
        if not strong and is_dependent(self.view, label.start):
            return []
        if expression.kind == POINT:
            if self._is_half(label, first):
                return [trouble(label.measure, expression.start, expression.end, "label", "one_end", strong)]
            if not gap.role and not gap.side and (role := self._end_of_line(label)):
                one_end = one_sided(expression, role == "lower")
                return [self.scale.claim(label.measure, one_end, "ends", True, None, gap.percent, (role, "alone"))]
        elif expression.first.value == 0:
            between = self.view[label.end : expression.start]
            if is_definition(label.measure, expression, gap, "lower" in between and "upper" in between):
                return []
        if expression.kind == POINT and self._are_points_with_spread(fields):
            end = fields[-1].expression.end
            return [trouble(label.measure, expression.start, end, "label", "spread", strong)]
        if gap.learner and len(LEARNERS & self.sentences.words) > 1:
            return []  # of which of them is not ours to say
        if self.medians and "median" in self.view[max(0, label.start - 80) : label.start].rpartition("\n")[2]:
            fields = [field._replace(gap=field.gap._replace(role="median")) for field in fields]
        return self._claims(label.measure, fields, strong)

    def group(self, group: Sequence[Label], stop: int) -> list[Claim]:
        """Precision and recall: one range for both, or as many ranges as labels."""
        if is_dependent(self.view, group[0].start):
            return []
        index = bisect_left(self.starts, group[-1].end)
        fields = self._fields(group[-1].end, index, stop, several=True)
        plain = [field for field in fields if not field.gap.role and not field.gap.side]
        if not plain or is_definition("", plain[0].expression, plain[0].gap, False):
            return []
        strong = plain[0].gap.direct and plain[0].gap.colon
        if len(plain) == 1:
            plain *= len(group)
        if len(plain) != len(group) or len(fields) != len(set(fields)):
            return [
                trouble(label.measure, label.start, fields[-1].expression.end, "group", "candidates", strong)
                for label in group
            ]
        return [
            self.scale.claim(label.measure, field.expression, "group", strong, field.level)
            for label, field in zip(group, plain, strict=True)
        ]

    def before(self, label: Label) -> list[Claim] | None:
        """60-80 % precision: the value stands before the label. None where it does not."""
        view, (_, name, end) = self.view, label
        if name and view[name - 1] == "\n":
            return None  # most labels: a value on another line is not theirs
        index = bisect_left(self.starts, name) - 1
        if index < 0:
            return None
        number = self.numbers[index]
        if name - number.end > 30 or number.level:
            return None
        gap = view[number.end : name]
        if "\n" in gap:
            return None
        words = gap.strip(" ])")
        if "≤" in words or "<" in words:
            return self._inequality(label, index)
        if words not in _BACK or view[end : end + 3].lstrip(" ")[:1] in (":", "=", "[", "~"):
            return None
        expression = expression_at(view, self.numbers, index, name)
        if view[max(0, number.start - 4) : number.start].rstrip(" ~")[-1:] == "=":
            return None  # alpha = 0.01 precision
        if index and expression.taken == 1:
            longer = expression_at(view, self.numbers, index - 1, name)
            expression = longer if longer.taken == 2 else expression
        if expression.kind == POINT and expression.first.whole and not expression.first.percent:
            return None
        line = max(view.rfind("\n", 0, expression.start) + 1, self.backward_end)
        if line != self.backward_end and line <= self.last_label < expression.start:
            return None  # it is the value of the label before
        self.backward_end = end
        return [self.scale.claim(label.measure, expression, "label behind", False, self.level)]

    def _inequality(self, label: Label, index: int) -> list[Claim] | None:
        """0.6 <= precision <= 0.8."""
        low = self.numbers[index]
        if index + 1 >= len(self.numbers):
            return None
        high = self.numbers[index + 1]
        if high.start - label.end > 30 or not set(self.view[label.end : high.start]) <= set(" ≤<="):
            return None
        expression = Expression(PAIR, low, high, low.start, high.end, True, 2)
        return [self.scale.claim(label.measure, expression, "inequality", True, self.level)]

    def _fields(self, position: int, index: int, stop: int, several: bool = False) -> list[_Field]:
        """The values behind a label, each with what stands before it; `several` labels may have several ranges."""
        view, numbers = self.view, self.numbers
        fields: list[_Field] = []
        level, named = self.level, False
        while index < len(numbers) and numbers[index].start < stop and len(fields) < _MOST_FIELDS:
            number = numbers[index]
            if number.start - position > MAX_LENGTH:
                break
            text = view[position : number.start]
            if number.level or (number.percent and (self._is_level(index, stop) or self._is_level_of(fields, index))):
                if fields and "\n" in text and not self._value_follows(index, stop):
                    self.level = number.value / 100  # the heading of what comes next
                    break
                level, named = number.value / 100, True
                position, index = number.end, index + 1
                if fields and not self._value_follows(index - 1, stop):
                    fields[0] = fields[0]._replace(level=fields[0].level if len(fields) > 1 else level)
                continue
            gap = gap_of(text)
            expression = expression_at(view, numbers, index, stop)
            if (
                not gap.known
                or (fields and (gap.learner or (not several and self._is_second_range(fields, gap, expression, named))))
                or (gap.side and expression.kind != POINT and gap.side != "unclear")
                or (gap.side and fields and fields[-1].expression.kind != POINT)
            ):
                if fields and self._contradicts(fields, text, expression):
                    fields.append(_Field(Gap(False), None, expression))
                break
            if gap.side == "unclear" and expression.kind == POINT:
                break
            if gap.newline and (
                (fields and not gap.role and not named)
                or (not fields and expression.kind == POINT and not gap.colon and not gap.role)
            ):
                break
            if expression.kind == POINT and is_reference(expression):
                break
            fields.append(_new(_Field, (gap, level, expression)))
            position, index = expression.end, index + expression.taken
            if named:
                level, named = None, False
        return fields

    def _is_second_range(self, fields: Sequence[_Field], gap: Gap, expression: Expression, named: bool) -> bool:
        """A range behind a range, with no level or role of its own."""
        return expression.kind != POINT and fields[-1].expression.kind != POINT and not named and not gap.role

    def _is_level(self, index: int, stop: int) -> bool:
        """50 % [0.6, 0.7]: a share of intervals, since the range behind it is no percentage."""
        number = self.numbers[index]
        if not number.percent or number.value not in LEVELS or index + 1 >= len(self.numbers):
            return False
        following = self.numbers[index + 1]
        if following.start >= stop:
            return False
        between = self.view[number.end : following.start].strip()
        if between not in _TIGHT or between == "-" or between == "~":
            return False
        expression = expression_at(self.view, self.numbers, index + 1, stop)
        if expression.kind == POINT or (expression.second or expression.first).percent:
            return between[:1] in (":", "=") and expression.kind != POINT
        return True

    def _is_level_of(self, fields: Sequence[_Field], index: int) -> bool:
        """[0.6, 0.7] (95 %): of the range before, which is no percentage."""
        number = self.numbers[index]
        if not fields or number.value not in LEVELS or fields[-1].expression.second is None:
            return False
        before = fields[-1].expression
        return not (before.second or before.first).percent and self.view[before.end : number.start].strip() == "("

    def _value_follows(self, index: int, stop: int) -> bool:
        return (
            index + 1 < len(self.numbers)
            and self.numbers[index + 1].start < stop
            and "\n" not in self.view[self.numbers[index].end : self.numbers[index + 1].start].strip(" :\n")
        )

    def _contradicts(self, fields: Sequence[_Field], gap: str, expression: Expression) -> bool:
        """Another candidate on the same line, and not an aside that explains the first."""
        if "\n" in gap or _INSTEAD_OF.match(gap) or _ANOTHER_NAME.match(gap):
            return False
        point = fields[0].expression
        if point.second is not None and expression.second is not None:
            if (point.first.value, point.second.value) == (expression.first.value, expression.second.value):
                return False
        same_kind = expression.kind != POINT or fields[0].expression.kind == POINT
        if not _ANOTHER.isdisjoint(_WORD.findall(gap)) or gap.strip() in _GROUP:
            return same_kind
        return expression.kind != POINT and not _ASIDE.match(gap)

    def _claims(self, measure: str, fields: Sequence[_Field], strong: bool) -> list[Claim]:
        parser = "label" if strong else "prose"
        claim = self.scale.claim
        if len(fields) == 1 and not fields[0].gap.role and not fields[0].gap.side:  # nearly all of them
            field = fields[0]
            return [claim(measure, field.expression, parser, strong, field.level, field.gap.percent)]
        if any(not field.gap.known for field in fields):
            return [
                trouble(measure, fields[0].expression.start, fields[-1].expression.end, parser, "candidates", strong)
            ]
        claims: list[Claim] = []
        ends: dict[tuple[str, float | None], Expression] = {}
        middles = [f for f in fields if f.gap.role == "median" and f.expression.kind == POINT]
        plain: list[_Field] = []
        doubled = False
        percent = fields[0].gap.percent
        for field in fields:
            if field.gap.role in _END_OF and field.expression.kind == POINT:
                key = (_END_OF[field.gap.role], field.level)
                doubled = doubled or (key in ends and ends[key].first.value != field.expression.first.value)
                ends[key] = field.expression
            elif field not in middles:
                plain.append(field)
        alone = ("alone",) if any(field.gap.role in ("low", "high") for field in fields) else ()
        for role, level in ends:
            low, high = ends.get(("lower", level)), ends.get(("upper", level))
            if low and high:
                if role == "lower":
                    claims.append(claim(measure, pair_of_ends(low, high), "ends", strong, level, percent))
            else:
                end = one_sided(ends[role, level], role == "lower")
                claims.append(claim(measure, end, "ends", strong, level, percent, (role, *alone)))
        if doubled or len(ends) == 1 and any(field.expression.kind == POINT for field in plain):
            return [trouble(measure, fields[0].expression.start, fields[-1].expression.end, parser, "one_end", strong)]
        if ends:
            plain = [field for field in plain if field.expression.kind != POINT]
        claims += self._plain_claims(measure, plain, parser, strong, percent, bool(claims))
        spread = [c for c in claims if c.kind != PROBLEM and c.low < c.high]
        for field in middles if spread or len(fields) > 1 else []:
            claims.append(claim(measure, field.expression, parser, strong, None, percent, (), True))
        if not claims and len(middles) == 1:
            claims.append(claim(measure, middles[0].expression, parser, strong, None, percent))
        return claims

    def _plain_claims(
        self, measure: str, plain: Sequence[_Field], parser: str, strong: bool, percent: bool, others: bool
    ) -> list[Claim]:
        claim = self.scale.claim
        made = []
        for field in plain:
            expression = field.expression
            if field.gap.side in ("least", "most"):
                expression = one_sided(expression, field.gap.side == "least")
            made.append(claim(measure, expression, parser, strong, field.level, percent))
        ranges = [c for c in made if "point" not in c.flags]
        points = [c for c in made if "point" in c.flags]
        if not ranges:
            if len({c.low for c in points}) > 1:
                return [trouble(measure, points[0].start, points[-1].end, parser, "candidates", strong)]
            return [] if others else points[:1]
        if points and "bare_pair" in ranges[0].flags:  # 0.72, 0.75, 0.71
            return [trouble(measure, ranges[0].start, points[-1].end, parser, "candidates", strong)]
        distinct = {(c.level, c.low, c.high) for c in ranges}
        if len({c.level for c in ranges}) < len(distinct):
            return [trouble(measure, ranges[0].start, ranges[-1].end, parser, "candidates", strong)]
        if points and made[0] is points[0] and points[0].kind != PROBLEM:
            if any(c.kind != PROBLEM and not c.low <= points[0].low <= c.high for c in ranges):
                return [trouble(measure, made[0].start, ranges[-1].end, parser, "candidates", strong)]
            if plain[0].level is None:
                ranges.append(claim(measure, plain[0].expression, parser, strong, None, percent, (), True))
        return ranges

    def _is_half(self, label: Label, field: _Field) -> bool:
        """From 0.6 (small n) to 0.8; > 0.6 and < 0.8: the first end of a range whose other end was not joined to it."""
        gap, _, expression = field
        if gap.words and not _OPENS.isdisjoint(_WORD.findall(self.view[label.end : expression.start])):
            return True
        return gap.side in ("least", "most") and _AND_ALSO.match(self.view, expression.end) is not None

    def _are_points_with_spread(self, fields: Sequence[_Field]) -> bool:
        """0.7 (sd 0.05)."""
        points = [field.expression.end for field in fields if field.expression.kind == POINT]
        return len(points) == len(fields) and any([_SPREAD.match(self.view, end) for end in points])

    def _end_of_line(self, label: Label) -> str:
        """Lower bounds: precision 0.6, recall 0.5: which end the line, or the heading of the list, says it gives."""
        lead = self.view[max(0, label.start - 2 * MAX_LENGTH) : label.start].rpartition("\n")[2]
        first = labels_in(lead)
        lead = lead[: first[0].start] if first else lead
        if not lead.strip(" -+#>.)(0123456789:,;[|"):
            lead = heading_of(self.view, label.start)
        return end_named(lead.strip())

    def _begins_line(self, at: int) -> bool:
        line = self.view.rfind("\n", 0, at) + 1
        return not self.view[line:at].strip(" -+#>.)(0123456789:,;[|")


_DEPENDENT = frozenset(  # words before a label that make it part of what is said of something else
    "mean average balance balances balanced balancing trade-off trade-offs tradeoff tradeoffs combine combines "
    "combined combining combination product function given because due depend depends depending based compute computes "
    "computed derive derives derived relationship than improve improves improved improving improvement definition "
    "probability chance odds likelihood whether drop loss gain change difference ratio".split()
)
_LINKS = frozenset("of between from by that in on to the both".split())


def is_definition(measure: str, expression: Expression, gap: Gap, form: bool) -> bool:
    """'Precision is between 0 and 1' tells what precision is; [0, 1] after a colon is a forecast that says nothing.

    So does 'SHD: [lower, upper] between 0 and 28' (`form`).
    """
    second = expression.second
    if second is None or expression.first.value != 0 or (expression.bracketed and (gap.direct or not gap.words)):
        return False
    if measure == "shd":
        return form
    return (gap.words or not measure) and second.value == (100 if second.percent else 1)


def is_reference(expression: Expression) -> bool:
    """Precision [1]: a footnote."""
    return expression.bracketed and expression.first.whole and not expression.first.percent


def is_dependent(view: str, start: int) -> bool:
    """F1 balances precision and recall; the probability that precision ...; a drop in recall."""
    words = view[max(0, start - 40) : start].rstrip(" :(").split()
    at = len(words) - 1
    while at >= 0 and words[at] in _LINKS and at > len(words) - 4:
        at -= 1
    return at >= 0 and words[at] in _DEPENDENT
