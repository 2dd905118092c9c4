"""A judge's verdict out of its reply: JSON as asked for, with text around it, or in the original's older form.

    intervention     {"impact": 3}, {"impact_level": "high"}, {"score": 48} of so many points   ->  rating in 0..4
    abduction        {"holds": true, "solutions": "unique", "value": 10}                        ->  holds, label, value
    logic            {"coherence": 4, ...}, five ratings, also within another object            ->  ratings in 0..4
    counterfactual   {"answer": 7.5}, "answer": "7.5 m/s"; fresh: the same                      ->  value

A rating outside its scale is not pulled into it: it is unreadable. Prose is unreadable too, a refusal is refused; of
several objects the last that says something counts. No reply ever becomes the middle of a scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from trueness.reading.structured import NUMBER, OBJECT, STRING, WORD, Node, recover_json, unescaped
from trueness.reading.views import LIMIT, declines, view_of
from trueness.reasoning.schema import quantity_of
from trueness.status import Status

DIMENSIONS = ("coherence", "completeness", "verification", "no_errors", "consistency")
TOP = 4  # of every rating
LEVELS: Mapping[str, float] = {
    "critical": 4.0, "high": 4.0, "essential": 4.0, "strong": 3.0, "medium": 2.0, "meaningful": 2.0, "moderate": 2.0,
    "peripheral": 1.0, "weak": 1.0, "minor": 1.0, "low": 0.0, "none": 0.0, "no impact": 0.0,
}  # fmt: skip
_IMPACT = ("impact", "rating", "impact_score")
_ALSO = {  # what the same rating is called elsewhere
    "no_errors": ("no errors", "errors", "error_free", "correctness", "no_error"),
    "verification": ("verifiability", "verified"),
}
_NOTES = ("causal_path", "intervention_effect", "alternative_paths", "reasoning", "impact_level")


@dataclass(frozen=True)
class Verdict:
    """What one reply says. Only the parts of its kind are filled; `spans` says where each stands in the reply."""

    status: Status
    message: str = ""
    rating: float | None = None  # intervention, 0..4
    ratings: Mapping[str, float] = field(default_factory=dict)  # logic, 0..4 each
    holds: bool | None = None  # abduction
    solutions: str = ""  # unique, several, none; "" where it was not said
    value: float | None = None  # abduction, counterfactual
    words: str = ""  # a value that is no number
    notes: Mapping[str, str] = field(default_factory=dict)
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        parts = {
            "status": str(self.status), "message": self.message, "rating": self.rating, "ratings": dict(self.ratings),
            "holds": self.holds, "solutions": self.solutions, "value": self.value, "words": self.words,
            "notes": dict(self.notes), "spans": {name: list(span) for name, span in self.spans.items()},
        }  # fmt: skip
        return {name: value for name, value in parts.items() if value not in (None, "", {})}


Reader = Callable[[Mapping[str, Node]], Verdict | None]


def read_verdict(text: str, kind: str, *, points: float | None = None) -> Verdict:
    """The verdict of a reply. `points`: the most that the original's "score" can be (100/N)."""
    readers: dict[str, Reader] = {
        "intervention": lambda entries: _intervention(entries, points),
        "abduction": _abduction,
        "logic": _logic,
        "counterfactual": _answer,
        "fresh": _answer,
    }
    verdict: Verdict | None = None
    nodes = recover_json(text[:LIMIT])
    for entries in _objects(nodes):
        read = readers[kind](entries)
        if read is not None and (read.status is Status.OK or verdict is None or verdict.status is not Status.OK):
            verdict = read
    if verdict is not None and len(text) > LIMIT:
        message = f"only the first {LIMIT:,} characters were read. {verdict.message}"
        verdict = replace(verdict, message=message.rstrip())
    if verdict is not None:
        return verdict
    if not text.strip():
        return Verdict(Status.UNREADABLE, "the reply is empty.")
    if not nodes and declines(view_of(text[:5_000])):
        return Verdict(Status.REFUSED, "the judge declines.")
    if nodes and any(not node.complete for node in nodes):
        return Verdict(Status.TRUNCATED, "the JSON is cut off before a verdict.")
    return Verdict(Status.UNREADABLE, f"the reply holds no JSON with a verdict on {kind}.")


def _objects(nodes: list[Node]) -> Iterator[dict[str, Node]]:
    """Every object of the reply, the outer before the inner."""
    for node in nodes:
        if node.kind == OBJECT:
            yield {key.strip().lower(): item for key, item in node.pairs}
        yield from _objects(list(node.items))


def _intervention(entries: Mapping[str, Node], points: float | None) -> Verdict | None:
    notes, spans = _notes(entries)
    for key in _IMPACT:
        if key in entries:
            level = _level(entries[key])
            return _rating(level, TOP, f"'{key}'", entries[key], notes, spans)
    if "score" in entries and points:
        return _rating(_number(entries["score"]), points, "'score'", entries["score"], notes, spans)
    if "impact_level" in entries:
        return _rating(_level(entries["impact_level"]), TOP, "'impact_level'", entries["impact_level"], notes, spans)
    return None


def _rating(
    value: float | None, top: float, name: str, node: Node, notes: dict[str, str], spans: dict[str, tuple[int, int]]
) -> Verdict:
    if value is None or not 0 <= value <= top:
        return Verdict(Status.UNREADABLE, f"{name} must be in 0 .. {top:g}, got {node.text[:40]!r}.", notes=notes)
    return Verdict(Status.OK, rating=TOP * value / top, notes=notes, spans=spans | {"rating": (node.start, node.end)})


def _abduction(entries: Mapping[str, Node]) -> Verdict | None:
    holds = _truth(entries["holds"]) if "holds" in entries else None
    if holds is None and "inference_possible" in entries:
        holds = _truth(entries["inference_possible"])
    stated = entries["solutions"].text.strip().lower() if "solutions" in entries else ""
    solutions = stated if stated in ("unique", "several", "none") else ""
    node = entries.get("value")
    value, words = (None, "") if node is None else _quantity(node)
    if holds is None and value is None and not words and not solutions:
        return None
    notes, spans = _notes(entries)
    if holds is None:
        return Verdict(Status.UNREADABLE, "'holds' must be true or false.", notes=notes)
    spans |= {key: (entries[key].start, entries[key].end) for key in ("holds", "solutions", "value") if key in entries}
    return Verdict(Status.OK, holds=holds, solutions=solutions, value=value, words=words, notes=notes, spans=spans)


def _logic(entries: Mapping[str, Node]) -> Verdict | None:
    notes, spans = _notes(entries)
    ratings: dict[str, float] = {}
    wrong: list[str] = []
    for dimension in DIMENSIONS:
        node = next((entries[key] for key in (dimension, *_ALSO.get(dimension, ())) if key in entries), None)
        if node is None:
            continue
        value = _number(node)
        if value is None or not 0 <= value <= TOP:
            wrong.append(dimension)
            continue
        ratings[dimension] = value
        spans[dimension] = (node.start, node.end)
    if not ratings and not wrong:
        return None
    lacking = [dimension for dimension in DIMENSIONS if dimension not in ratings]
    if lacking:
        message = f"ratings in 0 .. {TOP} must be given for all five, got none for {', '.join(lacking)}."
        return Verdict(Status.UNREADABLE, message, ratings=ratings, notes=notes, spans=spans)
    return Verdict(Status.OK, ratings=ratings, notes=notes, spans=spans)


def _answer(entries: Mapping[str, Node]) -> Verdict | None:
    node = next((entries[key] for key in ("answer", "value", "result") if key in entries), None)
    if node is None:
        return None
    notes, spans = _notes(entries)
    value, words = _quantity(node)
    if value is None:
        return Verdict(Status.UNREADABLE, f"'answer' must be a number, got {words[:40]!r}.", notes=notes)
    return Verdict(Status.OK, value=value, notes=notes, spans=spans | {"value": (node.start, node.end)})


# ---- single values


def _number(node: Node) -> float | None:
    if node.kind not in (NUMBER, STRING, WORD):
        return None
    text = node.text.strip().removesuffix(f"/{TOP}").strip()
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _level(node: Node) -> float | None:
    value = _number(node)
    return LEVELS.get(node.text.strip().lower()) if value is None else value


def _truth(node: Node) -> bool | None:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(
        node.text.strip().strip("\"'").lower()
    )


def _quantity(node: Node) -> tuple[float | None, str]:
    """A number, or the words in its place; null says nothing."""
    if node.kind == NUMBER:
        return _number(node), ""
    text = node.text.strip()
    if node.kind not in (STRING, WORD) or text.lower() in ("null", "none", "unknown", ""):
        return None, ""
    value = quantity_of(text).value
    return (value, "") if value is not None else (None, text)


def _notes(entries: Mapping[str, Node]) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    nodes = {key: entries[key] for key in _NOTES if key in entries and entries[key].kind in (STRING, WORD)}
    return {key: unescaped(node.text) for key, node in nodes.items()}, {
        key: (n.start, n.end) for key, n in nodes.items()
    }
