"""A reasoning graph out of JSON, a mapping, or a model's answer with JSON somewhere in it.

    read_reasoning('Here is the DAG: {"target_variable": "a", ...}')  ->  GraphReading(graph, status, messages, span)

Of several objects the one with most parts of a graph is taken, of equals the last: models correct themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from trueness.reading.structured import ARRAY, NUMBER, OBJECT, STRING, Node, recover_json, unescaped
from trueness.reading.views import declines, view_of
from trueness.reasoning.graph import Quantity, ReasoningGraph
from trueness.reasoning.schema import graph_from, looks_like_graph, quantity_of, status_of
from trueness.status import Status

MAX_CHARACTERS = 1_000_000
_WORDS = {"true": True, "false": False, "null": None, "none": None}


@dataclass(frozen=True)
class GraphReading:
    """The graph, as far as it could be kept. `span` is where it stands in the text."""

    graph: ReasoningGraph | None
    status: Status
    messages: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    answer: Quantity | None = None  # what stands as "answer" beside the graph

    @property
    def message(self) -> str:
        return " ".join(self.messages)


def read_reasoning(reply: str | Mapping[str, object]) -> GraphReading:
    """The reasoning graph of a text or of a mapping; never raises for what is in it."""
    if isinstance(reply, Mapping):
        return _reading(reply, None, complete=True)
    if not isinstance(reply, str):
        return GraphReading(
            None, Status.UNREADABLE, (f"a reasoning graph must be JSON or text, got {type(reply).__name__}.",)
        )
    if len(reply) > MAX_CHARACTERS:
        message = f"a text with a reasoning graph must have at most {MAX_CHARACTERS:,} characters, got {len(reply):,}."
        return GraphReading(None, Status.UNREADABLE, (message,))
    best: tuple[int, object, Node] | None = None
    for node in recover_json(reply):
        value = _value(reply, node)
        parts = looks_like_graph(value)
        if parts and (best is None or parts >= best[0]):
            best = (parts, value, node)
    if best is None:
        return _nothing(reply)
    _, value, node = best
    return _reading(value, (node.start, node.end), complete=_complete(node))


def read_formulas(reply: str) -> dict[str, str]:
    """Effect -> formula, of the last object of a text that has `formulas`: a list of {"effect", "formula"}, or a
    mapping. What is no text is left out."""
    formulas: dict[str, str] = {}
    for node in recover_json(reply[:MAX_CHARACTERS]):
        value = _value(reply, node)
        stated = value.get("formulas") if isinstance(value, Mapping) else None
        if isinstance(stated, list):
            items = [item for item in stated if isinstance(item, Mapping)]
            stated = {item["effect"]: item.get("formula") for item in items if isinstance(item.get("effect"), str)}
        if isinstance(stated, Mapping):
            formulas = {
                str(name).strip(): formula.strip()
                for name, formula in stated.items()
                if isinstance(formula, str) and formula.strip().lower() not in ("", "none", "null")
            }
    return formulas


def _reading(value: object, span: tuple[int, int] | None, complete: bool) -> GraphReading:
    graph, findings = graph_from(value)
    messages = tuple(finding.message for finding in findings)
    status = status_of(graph)
    if not complete:
        messages = ("the JSON is cut off; what stands before the cut was read.", *messages)
        status = Status.TRUNCATED if status is not Status.OK or graph is None else status
    return GraphReading(graph, status, messages, span, _answer(value))


def _answer(value: object) -> Quantity | None:
    """The answer that a model gives with its graph; null and "unknown" are none."""
    stated = value.get("answer", value.get("final_answer")) if isinstance(value, Mapping) else None
    if stated is None or isinstance(stated, list) or (isinstance(stated, Mapping) and "value" not in stated):
        return None
    answer = quantity_of(stated)
    return None if answer.value is None and answer.text.strip().lower() in ("", "unknown", "none", "null") else answer


def _nothing(text: str) -> GraphReading:
    if not text.strip():
        return GraphReading(None, Status.UNREADABLE, ("the answer is empty.",))
    if declines(view_of(text[:5_000])):
        return GraphReading(None, Status.REFUSED, ("the answer declines to give a graph.",))
    return GraphReading(None, Status.UNREADABLE, ("the answer holds no JSON with a causal graph.",))


def _complete(node: Node) -> bool:
    """Whether every bracket was closed."""
    return (node.complete or node.kind not in (OBJECT, ARRAY)) and all(_complete(item) for item in node.items)


def _value(text: str, node: Node) -> object:
    """The node as Python values; by the standard's own reader where the JSON is right."""
    written = text[node.start : node.end]
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return _plain(node)


def _plain(node: Node) -> object:
    if node.kind == OBJECT:
        return {key: _plain(item) for key, item in node.pairs}
    if node.kind == ARRAY:
        return [_plain(item) for item in node.items]
    if node.kind == NUMBER:
        return float(node.text)
    if node.kind == STRING:
        return unescaped(node.text)
    word = node.text.strip()
    return _WORDS.get(word.lower(), word)
