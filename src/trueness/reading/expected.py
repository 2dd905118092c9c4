"""read_forecast: the ranges a reply gives for precision, recall, F1 and SHD, each with the place it was read from.

    reply -> claims (json, tables, text) -> one range a measure, or the reason why there is none

Of several different claims for a measure only one that is marked as the final one counts; otherwise the measure is
unreadable. Nothing is filled in and nothing is guessed: a value's numbers stand in the reply at its span.

Files of replies: one reply as text, or JSON lines with a `text` field whose other fields are handed through.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

from trueness.errors import DataError, SettingError, TruenessError, UnknownName
from trueness.outside import typed_text
from trueness.patterns import late
from trueness.reading.decision import NOT_GIVEN, Context, Decision, decide, is_cut, is_withdrawn, without_template
from trueness.reading.labels import Label, labels_in, without_explanations
from trueness.reading.prose import claims_in_prose
from trueness.reading.ranges import Claim, Number, Scale, numbers_in
from trueness.reading.stances import own_claims
from trueness.reading.structured import Node, claims_in_object, recover_json
from trueness.reading.tables import Table, claims_in_table, may_hold_tables, tables_in
from trueness.reading.views import LIMIT, declines, ends_open, view_of
from trueness.reading.withdrawals import standing_claims
from trueness.reading.words import Sentences
from trueness.status import Status

MEASURES = ("precision", "recall", "f1", "shd")
CONFIDENCE = {  # of the parser that read a value: how an answer was written, not whether it is true
    "json": 0.99, "table": 0.97, "label": 0.95, "ends": 0.95, "inequality": 0.95, "group": 0.85, "prose": 0.8,
    "label behind": 0.8,
}  # fmt: skip
_DOUBTS = {"swapped": 0.9, "point": 0.9, "one_sided": 0.8, "bare_pair": 0.8, "clipped": 0.9, "corrected": 0.9}
_OK, _TRUNCATED, _UNREADABLE = Status.OK, Status.TRUNCATED, Status.UNREADABLE  # a class's own names take longer
_TAIL = 60  # characters at the end of a reply in which it may cut through a value
_start, _end = attrgetter("start"), itemgetter(5)  # of a token; of a claim, in half the time of its name
_new = tuple.__new__  # half the time of a named tuple's own
Token = TypeVar("Token", Label, Number)
_THOUGHT = late(r"</(?:think|thinking|reasoning|scratchpad|reflection)>", re.IGNORECASE)
_IN_PERCENT = late(r"\b(?:all|values|ranges|numbers|figures)\b[^.\n\d]{0,30} in percent")
_FENCE = " \njson"  # letters of no name
_THINKS = late(r"<(?:think|thinking|reasoning|scratchpad|reflection)>", re.IGNORECASE)


class Value(NamedTuple):
    """A range, the span of the reply it was read from, by which parser and how surely."""

    low: float
    high: float
    span: tuple[int, int]
    parser: str
    confidence: float
    flags: tuple[str, ...] = ()


class Reading(NamedTuple):
    """What a reply says. `values` is the one range of each measure: the 95 % one where several levels were given."""

    values: Mapping[str, Value | None]
    statuses: Mapping[str, Status]
    status: Status  # ok where every measure has a value
    levels: Mapping[str, Mapping[float, Value]] = {}
    medians: Mapping[str, Value] = {}
    flags: tuple[str, ...] = ()
    message: str = ""

    def to_dict(self) -> dict[str, object]:
        """The line of `trueness read`."""
        line: dict[str, object] = {
            measure: None if value is None else [value.low, value.high] for measure, value in self.values.items()
        }
        line["status"] = str(self.status)
        line["statuses"] = {measure: str(status) for measure, status in self.statuses.items()}
        line["spans"] = {m: None if value is None else list(value.span) for m, value in self.values.items()}
        line["parsers"] = {m: None if value is None else value.parser for m, value in self.values.items()}
        line["confidence"] = {m: None if value is None else value.confidence for m, value in self.values.items()}
        if self.levels:
            line["levels"] = {
                measure: {f"{level:g}": [value.low, value.high] for level, value in levels.items()}
                for measure, levels in self.levels.items()
            }
        if self.medians:
            line["medians"] = {measure: value.low for measure, value in self.medians.items()}
        line["flags"] = list(self.flags)
        line["message"] = self.message
        return line


def read_forecast(text: str, *, nodes: int | None = None, measures: Sequence[str] = MEASURES) -> Reading:
    """The ranges of a reply. `nodes` (of the true graph) bounds SHD by d(d-1)/2."""
    _check(text, nodes, measures)
    if not text or text.isspace():
        return _nothing(measures, Status.UNREADABLE, ("empty",), "the reply is empty.")
    reply = text if len(text) <= LIMIT else text[:LIMIT]
    began = _answer_begins(reply)
    if began < 0:
        return _nothing(measures, Status.TRUNCATED, ("truncated",), "the reply ends inside its reasoning block.")
    if began:
        reply = " " * began + reply[began:]
    view = without_explanations(view_of(reply))
    sentences = Sentences(view)
    claims, cut = _claims(reply, sentences, nodes)
    claims, lost = standing_claims(own_claims(claims, sentences), sentences)
    last = max(map(_end, claims), default=0)
    if claims and is_withdrawn(view, last):
        return _nothing(measures, Status.UNREADABLE, ("withdrawn",), "the reply takes its answer back.")
    if not claims and lost:
        why = next(iter(lost.values()))
        return _nothing(measures, Status.UNREADABLE, (why,), f"the reply says that its answer is {_REASONS[why]}.")
    if not claims and declines(view):
        return _nothing(measures, Status.REFUSED, ("refused",), "the reply declines to answer.")
    by_measure: dict[str, list[Claim]] = {}
    for claim in without_template(claims):
        by_measure.setdefault(claim.measure, []).append(claim)
    context = Context(sentences)
    decisions = {m: decide(by_measure[m], context) if m in by_measure else NOT_GIVEN for m in measures}
    if lost:
        decisions = {m: _after_loss(decision, lost[m]) if m in lost else decision for m, decision in decisions.items()}
    if last > len(view) - _TAIL:
        decisions = _without_cut(decisions, view)
    cut = cut or (NOT_GIVEN in decisions.values() and ends_open(reply))
    return _reading(decisions, cut, len(text) > LIMIT)


def _after_loss(decision: Decision, why: str) -> Decision:
    """The decision of a measure of which the reply took a claim back."""
    if decision.claim is not None:
        return decision._replace(flags=tuple(dict.fromkeys(("corrected", *decision.flags))))
    return Decision(None, why) if decision.problem == "not_given" else decision


def _without_cut(decisions: dict[str, Decision], view: str) -> dict[str, Decision]:
    """The value that the end of the reply cuts through is no value."""
    standing = [decision.claim for decision in decisions.values() if decision.claim is not None]
    last = max(standing, key=_end, default=None)
    if last is not None and last.end > len(view) - _TAIL and is_cut(last, view, standing):
        return decisions | {last.measure: Decision(None, "truncated")}
    return decisions


def _check(text: str, nodes: int | None, measures: Sequence[str]) -> None:
    if not isinstance(text, str):
        raise SettingError(f"'text' of read_forecast must be text, got {type(text).__name__}. Decode it first.")
    if nodes is not None and (isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 2):
        raise SettingError(f"'nodes' of read_forecast must be an integer of at least 2, got {nodes!r}. Leave it out.")
    for measure in measures if measures is not MEASURES else ():
        if measure not in MEASURES:
            raise UnknownName("measure", measure, MEASURES)


def _answer_begins(reply: str) -> int:
    """Behind the reasoning block; -1 where that block never ends."""
    if "<" not in reply:
        return 0
    ends = [match.end() for match in _THOUGHT.finditer(reply)]
    last = ends[-1] if ends else 0
    return -1 if _THINKS.search(reply, last) else last


def _claims(reply: str, sentences: Sentences, nodes: int | None) -> tuple[list[Claim], bool]:
    """All claims of a reply, and whether its JSON was cut off."""
    view = sentences.view
    claims: list[Claim] = []
    cut = False
    start = 0
    inside_json: list[tuple[int, int]] = []
    if "{" in reply:
        scale = Scale(nodes, False)
        for root in recover_json(reply):
            inside = claims_in_object(root, view, scale)
            if not inside and _is_data(root, reply):
                inside_json.append((root.start, root.end))
            if inside or (not root.complete and root.keys):
                claims += inside
                cut = cut or not root.complete
                start = root.end
                inside_json.append((root.start, root.end))
    answered = {claim.measure for claim in claims}
    if len(inside_json) == 1 and not (view[: inside_json[0][0]] + view[inside_json[0][1] :]).strip(_FENCE):
        return claims, cut  # nothing but JSON
    labels = labels_in(view)
    if inside_json:
        labels = _outside(labels, inside_json)
    if labels:
        numbers = _outside(numbers_in(view), inside_json)
        commas = "0," in view and any([number.comma and number.value < 1 for number in numbers])
        percent = "in percent" in view and _IN_PERCENT.search(view) is not None
        prose = _claims_in_text(sentences, labels, numbers, _new(Scale, (nodes, commas, percent)))
        if answered:
            prose = [claim for claim in prose if claim.strong or claim.start >= start or claim.measure not in answered]
        claims += prose
    return claims, cut


def _is_data(root: Node, reply: str) -> bool:
    """JSON without an answer (weights, a schema): its names are no labels of text. JSON within a string may be one."""
    quoted = reply[root.start + 1 : root.start + 40].lstrip()[:1] in ('"', "'")
    return root.complete and quoted and '\\"' not in reply[root.start : root.end]


def _claims_in_text(sentences: Sentences, labels: list[Label], numbers: list[Number], scale: Scale) -> list[Claim]:
    if not numbers:
        return []
    view = sentences.view
    if not may_hold_tables(view):
        return claims_in_prose(sentences, labels, numbers, scale)
    claims: list[Claim] = []
    read = []
    for table in tables_in(view):
        rows = _within(labels, table), _within(numbers, table)
        in_table = claims_in_table(view, table, *rows, scale) if rows[0] and rows[1] else []
        if in_table:
            claims += in_table
            read.append((table.start, table.end))
    return claims + claims_in_prose(sentences, _outside(labels, read), _outside(numbers, read), scale)


def _within(tokens: list[Token], table: Table) -> list[Token]:
    first = bisect_left(tokens, table.start, key=_start)
    return tokens[first : bisect_left(tokens, table.end, first, key=_start)]


def _outside(tokens: list[Token], spans: list[tuple[int, int]]) -> list[Token]:
    """The tokens that begin in none of the spans, which are in order."""
    if not spans:
        return tokens
    ends = [end for _, end in spans]
    kept = []
    for token in tokens:
        at = bisect_right(ends, token.start)
        if at == len(spans) or token.start < spans[at][0]:
            kept.append(token)
    return kept


def _reading(decisions: Mapping[str, Decision], cut: bool, clipped: bool) -> Reading:
    values: dict[str, Value | None] = {}
    statuses: dict[str, Status] = {}
    levels: dict[str, dict[float, Value]] = {}
    medians: dict[str, Value] = {}
    flags: list[str] = []
    reasons: list[str] = []
    worst = _OK
    for measure, (claim, problem, marks, by_level, median) in decisions.items():
        if claim is None:
            truncated = problem == "truncated" or (cut and problem == "not_given")
            values[measure], statuses[measure] = None, _TRUNCATED if truncated else _UNREADABLE
            worst = statuses[measure] if worst is not _TRUNCATED else worst
            flags.append(f"{measure}:{problem}")
            reasons.append(f"{measure}: {_REASONS.get(problem, problem)}")
            continue
        values[measure], statuses[measure] = _value(claim), _OK
        if claim.flags or marks:
            flags += [f"{measure}:{flag}" for flag in (*claim.flags, *marks)]
        if by_level:
            levels[measure] = {level: _value(claim) for level, claim in sorted(by_level.items())}
        if median is not None:
            medians[measure] = _value(median)
    if clipped:
        flags.append("text_too_long")
        reasons.insert(0, f"only the first {LIMIT:,} characters were read")
    message = "; ".join(reasons) + "." if reasons else ""
    return _new(Reading, (values, statuses, worst, levels, medians, tuple(flags), message))


_REASONS = {
    "not_given": "not given",
    "candidates": "several values and none marked as final",
    "out_of_range": "outside what the measure can be",
    "unit": "in a unit the measure does not have",
    "mixed": "one end a percentage, the other not",
    "thousands": "the comma may part decimals, thousands or two numbers",
    "no_upper_end": "a lower bound only, and no number of nodes to bound it from above",
    "truncated": "cut off",
    "one_end": "one end of a range without the other",
    "not_a_range": "not one number or two",
    "normalised": "an SHD below 1: a share of all pairs, not a count of edges",
    "spread": "a mean and its spread, not a range",
    "withdrawn": "taken back",
    "scope": "of something else than what was asked",
    "example": "an example of the format, not an answer",
    "subject": "said in a sentence that may be about something else",
}


def _value(claim: Claim) -> Value:
    _, _, low, high, start, end, parser, _, _, flags, _ = claim
    confidence = CONFIDENCE[parser]
    if flags:
        for flag in flags:
            confidence *= _DOUBTS.get(flag, 1.0)
        confidence = round(confidence, 3)
    return _new(Value, (low, high, (start, end), parser, confidence, flags))


def _nothing(measures: Sequence[str], status: Status, flags: tuple[str, ...], message: str) -> Reading:
    return Reading(dict.fromkeys(measures), dict.fromkeys(measures, status), status, {}, {}, flags, message)


# ---- files of replies


_JSON_LINES = (".jsonl", ".ndjson")


def readings_of(file: str, nodes: int | None = None) -> Iterator[dict[str, object]]:
    """What is read from each reply of a file ('-' is standard input); a line that is no reply has an `error`."""
    text = typed_text(file)
    if Path(file).suffix in _JSON_LINES or (file == "-" and _are_json_lines(text)):
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if not lines:
            raise DataError(f"{file} must hold a reply a line, got an empty file. Write one JSON object a line.")
        for number, line in lines:
            yield _reading_of_line(file, number, line, nodes)
    else:
        yield read_forecast(text, nodes=nodes).to_dict()


def _are_json_lines(text: str) -> bool:
    """Whether the first line is an object with a text; a reply may itself be JSON."""
    try:
        first = json.loads(text.strip().partition("\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "text" in first


def _reading_of_line(file: str, number: int, line: str, nodes: int | None) -> dict[str, object]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return _failure(file, number, "must be JSON", line)
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        return _failure(file, number, "must be an object with a 'text' that is text", line)
    others = {name: value for name, value in entry.items() if name != "text"}
    try:
        reading = read_forecast(entry["text"], nodes=entry.get("nodes", nodes))
    except TruenessError as error:
        return {"line": number, "error": f"line {number} of {file}: {error}"} | others
    return others | reading.to_dict()


def _failure(file: str, number: int, must: str, line: str) -> dict[str, object]:
    got = line if len(line) <= 40 else line[:40] + "..."
    return {"line": number, "error": f"line {number} of {file} {must}, got {got!r}. The other lines are read."}
