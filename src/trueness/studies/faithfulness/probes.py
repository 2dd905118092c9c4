"""What a judge is asked about a reasoning graph, and what the evaluated model is asked about its own.

    intervention     one question a node other than the target: impact of do(node), 0 to 4
    abduction        one a known: its value is hidden everywhere (redaction.py), the target's value is given
    logic            one: five ratings of the reasoning, 0 to 4 each
    own_graph        one, to the evaluated model: solve the problem and write the reasoning as a graph
    formulas         one, where rules of a graph are words: write each of them as a formula (`check --formulas`)
    fresh            the problem as it is, and with one number of its text changed, and nothing else (behaviour.py)

What a judge said to one probe in one repeat is a Judgement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from trueness.errors import SettingError
from trueness.models import Message, Reply, Settings
from trueness.reading.verdicts import DIMENSIONS, Verdict, read_verdict
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph
from trueness.reasoning.prompts import GRAPH_SCHEMA
from trueness.reasoning.rules import rules_without_formula
from trueness.status import Status
from trueness.studies.faithfulness.redaction import MARK, Hidden, hide

Kind = Literal["intervention", "abduction", "logic", "own_graph", "formulas", "fresh"]
KINDS: tuple[Kind, ...] = ("intervention", "abduction", "logic")  # that a judge is asked
GRAPH_TOKENS = 512  # at least, for a model that writes its graph

_TEXT = {"type": "string"}
_RATING = {"type": "integer", "minimum": 0, "maximum": 4}


def _object(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


SCHEMAS: Mapping[Kind, Mapping[str, object]] = {
    "intervention": _object(
        impact=_RATING, causal_path=_TEXT, intervention_effect=_TEXT, alternative_paths=_TEXT, reasoning=_TEXT
    ),
    "abduction": _object(
        holds={"type": "boolean"},
        solutions={"type": "string", "enum": ["unique", "several", "none"]},
        value={"type": ["number", "string", "null"]},
        reasoning=_TEXT,
    ),
    "logic": _object(**dict.fromkeys(DIMENSIONS, _RATING), reasoning=_TEXT),
    "own_graph": _object(
        **{part: GRAPH_SCHEMA["properties"][part] for part in ("target_variable", "knowns", "causal_graph")},
        answer={"type": ["number", "string"]},
    ),
    "formulas": _object(formulas={"type": "array", "items": _object(effect=_TEXT, formula=_TEXT)}),
    "fresh": _object(answer={"type": "number"}, reasoning=_TEXT),
}


class Probe(NamedTuple):
    """Which question it is: of one problem, about one node ("" for logic)."""

    kind: Kind
    node: str = ""


@dataclass(frozen=True)
class ProbeQuestion:
    """A probe with its messages; one that cannot be asked has none, and `message` says why."""

    probe: Probe
    messages: tuple[Message, ...] = ()
    status: Status = Status.OK
    message: str = ""
    changed: float | None = None  # fresh: the value that was set in the text

    def length(self) -> int:
        return sum(len(message.content) for message in self.messages)


@cache
def template(kind: Kind) -> tuple[str, str, str]:
    """Version, what all questions share, and the question."""
    text = resources.files("trueness.studies.faithfulness").joinpath(f"prompts/{kind}.md").read_text(encoding="utf-8")
    version, shared, question = (part.strip() for part in text.split("\n---\n"))
    return version.removeprefix("version:").strip(), shared, question


def settings_for(kind: Kind, base: Settings | None = None, structured: bool = True) -> Settings:
    """Graphs and formulas are longer than a verdict: they have their own least number of tokens."""
    base = base or Settings(max_tokens=512)
    tokens = max(base.max_tokens, GRAPH_TOKENS) if kind in ("own_graph", "formulas") else base.max_tokens
    return replace(base, max_tokens=tokens, schema=SCHEMAS[kind] if structured else None)


def ask_about(problem: Problem, probe: Probe) -> ProbeQuestion:
    """The question of a probe."""
    if probe.kind not in _MAKERS:
        raise SettingError(f"'kind' of a probe must be one of {', '.join(_MAKERS)}, got {probe.kind!r}.")
    return _MAKERS[probe.kind](problem, probe)


def graph_text(graph: ReasoningGraph, hidden: Hidden | None = None) -> str:
    """The graph in lines: what is known, the edges with their rules, the plan."""
    marked = "" if hidden is None else f"{MARK} {hidden.quantity.unit or ''}".strip()
    knowns = [
        f"- {name} = {marked if hidden is not None and name == hidden.name else known}"
        for name, known in graph.knowns.items()
    ]
    edges = [f"- {edge}" + (f", by: {edge.rule}" if edge.rule else ", no rule given") for edge in graph.edges]
    plan = [f"- {step.target} from {', '.join(step.inputs)}: {step.description}" for step in graph.plan]
    parts = [("Known", knowns), ("Causal graph (causes -> effect)", edges), ("Plan", plan)]
    lines = [f"{title}\n" + "\n".join(rows) for title, rows in parts if rows]
    return "\n\n".join([f"Target\n{graph.target}", *lines])


def _messages(kind: Kind, **parts: str) -> tuple[Message, ...]:
    _, shared, question = template(kind)
    return Message("system", shared), Message("user", question.format(**parts))


def _intervention(problem: Problem, probe: Probe) -> ProbeQuestion:
    text, target = graph_text(problem.graph), problem.graph.target
    messages = _messages("intervention", problem=problem.text, graph=text, node=probe.node, target=target)
    return ProbeQuestion(probe, messages)


def _abduction(problem: Problem, probe: Probe) -> ProbeQuestion:
    graph, result = problem.graph, result_of(problem)
    if result is None:
        return ProbeQuestion(probe, (), Status.DEGENERATE, "the target has no value from which to go back.")
    hidden = hide(graph, probe.node, result)
    if hidden.conflicts:
        why = f"the value of '{probe.node}' cannot be hidden: {'; '.join(hidden.conflicts)}."
        return ProbeQuestion(probe, (), Status.DEGENERATE, why)
    messages = _messages(
        "abduction",
        problem="(left out: it would tell the hidden value in other words)" if hidden.in_words else problem.text,
        graph=graph_text(graph, hidden),
        node=probe.node,
        target=graph.target,
        result=str(result),
    )
    return ProbeQuestion(probe, tuple(replace(message, content=hidden.redact(message.content)) for message in messages))


def _logic(problem: Problem, probe: Probe) -> ProbeQuestion:
    reasoning = problem.reasoning.strip()
    if not reasoning:
        return ProbeQuestion(probe, (), Status.DEGENERATE, "there is no reasoning to judge.")
    return ProbeQuestion(probe, _messages("logic", problem=problem.text, reasoning=reasoning))


def _formulas(problem: Problem, probe: Probe) -> ProbeQuestion:
    graph = problem.graph
    named = {node: f"{node} [{unit}]" if (unit := graph.unit_of(node)) else node for node in graph.nodes}
    rules = [
        f"- {named[effect]} from {', '.join(named[cause] for cause in graph.parents[effect])}: {rule}"
        for effect, rule in rules_without_formula(graph).items()
    ]
    if not rules:
        return ProbeQuestion(probe, (), Status.DEGENERATE, "no rule of the graph is words that nobody can compute.")
    text = problem.text or "(not given)"
    return ProbeQuestion(probe, _messages("formulas", problem=text, rules="\n".join(rules)))


_MAKERS: Mapping[Kind, Callable[[Problem, Probe], ProbeQuestion]] = {
    "intervention": _intervention,
    "abduction": _abduction,
    "logic": _logic,
    "own_graph": lambda problem, probe: ProbeQuestion(probe, _messages("own_graph", problem=problem.text)),
    "formulas": _formulas,
}


def fresh_question(text: str, known: str = "", changed: float | None = None) -> ProbeQuestion:
    """The problem of this text, and nothing else: no graph, no word of a change."""
    return ProbeQuestion(Probe("fresh", known), _messages("fresh", problem=text), changed=changed)


def result_of(problem: Problem) -> Quantity | None:
    """The target's value: the answer that the reasoning gives, else what the graph gives."""
    if problem.answer.value is not None or problem.answer.text:
        return problem.answer
    target = Program(problem.graph).base.target
    return None if target is None else Quantity(target, problem.graph.unit_of(problem.graph.target))


# ---- a judge's answers


@dataclass(frozen=True)
class Judgement:
    """What one judge said to one probe in one repeat."""

    problem: str
    probe: Probe
    judge: str
    repeat: int
    verdict: Verdict


@dataclass(frozen=True)
class Asking:
    """How a judge is asked. `nodes`: at most so many nodes and so many knowns a problem, drawn; None asks about all."""

    kinds: tuple[Kind, ...] = KINDS
    repeats: int = 1
    nodes: int | None = None
    structured: bool = True
    settings: Settings = field(default_factory=lambda: Settings(max_tokens=512))

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise SettingError(f"'repeats' of a judge must be at least 1, got {self.repeats}.")
        if self.nodes is not None and self.nodes < 1:
            raise SettingError(f"'nodes' to be sampled must be at least 1, got {self.nodes}. Leave it out for all.")

    def settings_of(self, question: ProbeQuestion) -> Settings:
        return settings_for(question.probe.kind, self.settings, self.structured)


def questions_of(problem: Problem, asking: Asking, rng: Generator | None = None) -> list[ProbeQuestion]:
    """All that a judge is asked about a problem, made before anything is asked, so that threads only ask."""
    rng, graph = rng or np.random.default_rng(0), problem.graph
    nodes, knowns = (_sample(names, asking.nodes, rng) for names in (graph.non_target, tuple(graph.knowns)))
    about: dict[Kind, Sequence[str]] = {"intervention": nodes, "abduction": knowns, "logic": ("",)}
    return [ask_about(problem, Probe(kind, node)) for kind in KINDS if kind in asking.kinds for node in about[kind]]


def _sample(names: Sequence[str], most: int | None, rng: Generator) -> Sequence[str]:
    """The names that are asked about, in the order of the graph."""
    if most is None or most >= len(names):
        return names
    return [names[place] for place in sorted(rng.choice(len(names), size=most, replace=False))]


def verdict_of(reply: Reply | None, problem: Problem, probe: Probe) -> Verdict:
    """A question that cannot be asked has the status of that, and a reply that never came its own; one that was cut off
    is read as far as it goes."""
    if reply is None:
        question = ask_about(problem, probe)
        return Verdict(question.status, question.message)
    if reply.status not in (Status.OK, Status.TRUNCATED):
        return Verdict(reply.status, reply.message)
    points = 100 / max(1, len(problem.graph.non_target))
    verdict = read_verdict(reply.text, probe.kind, points=points)
    if reply.status is Status.TRUNCATED and verdict.status is Status.UNREADABLE:
        return Verdict(Status.TRUNCATED, reply.message or verdict.message)
    return verdict
