"""What a judge is asked about a reasoning graph, and what the evaluated model is asked about its own.

    intervention     one question a node other than the target: impact of do(node), 0 to 4
    abduction        one a known: its value is hidden everywhere (redaction.py), the target's value is given
    logic            one: five ratings of the reasoning, 0 to 4 each
    own_graph        one, to the evaluated model: solve the problem and write the reasoning as a graph
    formulas         one, where rules of a graph are words: write each of them as a formula
    counterfactual   one a known, to the evaluated model: the problem with do(known = x'); the executed graph (its own,
                     or that of the problem file) has the answer that the reasoning implies (counterfactual.py)
    fresh            the problem as it is, and with one number of its text changed, and nothing else (behaviour.py)

Each can be asked in another manner, to see what should not matter: `reversed` lists knowns and edges from the last to
the first, `padded` adds sentences without content to the reasoning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

from trueness.errors import SettingError
from trueness.models import Message, Settings
from trueness.reading.verdicts import DIMENSIONS
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph
from trueness.reasoning.prompts import GRAPH_SCHEMA
from trueness.reasoning.rules import rules_without_formula
from trueness.status import Status
from trueness.studies.faithfulness.answer_units import plain_view
from trueness.studies.faithfulness.redaction import MARK, Hidden, hide

Kind = Literal["intervention", "abduction", "logic", "own_graph", "formulas", "counterfactual", "fresh"]
Manner = Literal["plain", "reversed", "padded"]
KINDS: tuple[Kind, ...] = ("intervention", "abduction", "logic")  # that a judge is asked
CHANGE = 1.5  # the counterfactual factor of a known: no value that a reader would guess from the problem

GRAPH_TOKENS = 512  # at least, for a model that writes its graph

_PADDING = (
    "It is worth pausing here to consider the matter from every side. As has been said, the steps above were taken "
    "with care, and each of them was taken in its turn. Having said this, we can now bring the argument to its close."
)
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
    "counterfactual": _object(answer={"type": "number"}, reasoning=_TEXT),
    "fresh": _object(answer={"type": "number"}, reasoning=_TEXT),
}


class Probe(NamedTuple):
    """Which question it is: of one problem, about one node ("" for logic), in one manner."""

    kind: Kind
    node: str = ""
    manner: Manner = "plain"


@dataclass(frozen=True)
class ProbeQuestion:
    """A probe with its messages; one that cannot be asked has none, and `message` says why."""

    probe: Probe
    messages: tuple[Message, ...] = ()
    status: Status = Status.OK
    message: str = ""
    changed: float | None = None  # counterfactual: x' of do(node = x')
    expected: float | None = None  # and what the graph makes of the target
    before: float | None = None  # what the target was


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
    makers = {
        "intervention": _intervention,
        "abduction": _abduction,
        "logic": _logic,
        "own_graph": _solve,
        "formulas": _formulas,
        "counterfactual": _change,
    }
    if probe.kind not in makers:
        raise SettingError(f"'kind' of a probe must be one of {', '.join(makers)}, got {probe.kind!r}.")
    return makers[probe.kind](problem, probe)


def judge_probes(
    problem: Problem,
    manner: Manner = "plain",
    nodes: tuple[str, ...] | None = None,
    knowns: tuple[str, ...] | None = None,
) -> list[Probe]:
    """All that a judge is asked about a problem; `nodes` and `knowns`: those that were sampled."""
    graph = problem.graph
    return [
        *(Probe("intervention", node, manner) for node in (graph.non_target if nodes is None else nodes)),
        *(Probe("abduction", name, manner) for name in (graph.knowns if knowns is None else knowns)),
        Probe("logic", "", manner),
    ]


def graph_text(graph: ReasoningGraph, manner: Manner = "plain", hidden: Hidden | None = None) -> str:
    """The graph in lines: what is known, the edges with their rules, the plan."""
    marked = "" if hidden is None else f"{MARK} {hidden.quantity.unit or ''}".strip()
    knowns = [
        f"- {name} = {marked if hidden is not None and name == hidden.name else known}"
        for name, known in graph.knowns.items()
    ]
    edges = [f"- {edge}" + (f", by: {edge.rule}" if edge.rule else ", no rule given") for edge in graph.edges]
    if manner == "reversed":
        knowns, edges = knowns[::-1], edges[::-1]
    plan = [f"- {step.target} from {', '.join(step.inputs)}: {step.description}" for step in graph.plan]
    parts = [("Known", knowns), ("Causal graph (causes -> effect)", edges), ("Plan", plan)]
    lines = [f"{title}\n" + "\n".join(rows) for title, rows in parts if rows]
    return "\n\n".join([f"Target\n{graph.target}", *lines])


def _messages(kind: Kind, **parts: str) -> tuple[Message, ...]:
    _, shared, question = template(kind)
    return Message("system", shared), Message("user", question.format(**parts))


def _intervention(problem: Problem, probe: Probe) -> ProbeQuestion:
    text, target = graph_text(problem.graph, probe.manner), problem.graph.target
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
        graph=graph_text(graph, probe.manner, hidden),
        node=probe.node,
        target=graph.target,
        result=str(result),
    )
    return ProbeQuestion(probe, tuple(replace(message, content=hidden.redact(message.content)) for message in messages))


def _logic(problem: Problem, probe: Probe) -> ProbeQuestion:
    reasoning = problem.reasoning.strip()
    if not reasoning:
        return ProbeQuestion(probe, (), Status.DEGENERATE, "there is no reasoning to judge.")
    if probe.manner == "padded":
        reasoning = f"{reasoning} {_PADDING}"
    return ProbeQuestion(probe, _messages("logic", problem=problem.text, reasoning=reasoning))


def _solve(problem: Problem, probe: Probe) -> ProbeQuestion:
    return ProbeQuestion(probe, _messages("own_graph", problem=problem.text))


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


def _change(problem: Problem, probe: Probe) -> ProbeQuestion:
    graph = problem.graph
    known, program = graph.knowns.get(probe.node), Program(graph)
    before = program.base.target
    if known is None or known.value is None or before is None:
        why = program.base.message or f"'{probe.node}' is no known with a number."
        return ProbeQuestion(probe, (), Status.DEGENERATE, why)
    changed = known.value * CHANGE if known.value else 1.0
    view, unit = plain_view(program, problem.answer.unit)
    before, expected = view.target(program, {}), view.target(program, {probe.node: changed})
    if expected is None:
        return ProbeQuestion(
            probe, (), Status.DEGENERATE, f"the graph has no target under do({probe.node} = {changed:g})."
        )
    value = Quantity(changed, known.unit)
    messages = _messages(
        "counterfactual",
        problem=problem.text,
        change=f"{probe.node} is not {known} but {value}.",
        target=graph.target,
        unit=f" (in {unit})" if unit else "",
    )
    return ProbeQuestion(probe, messages, changed=changed, expected=expected, before=before)


def fresh_question(text: str, known: str = "", changed: float | None = None) -> ProbeQuestion:
    """The problem of this text, and nothing else: no graph, no word of a change."""
    return ProbeQuestion(Probe("fresh", known), _messages("fresh", problem=text), changed=changed)


def result_of(problem: Problem) -> Quantity | None:
    """The target's value: the answer that the reasoning gives, else what the graph gives."""
    if problem.answer.value is not None or problem.answer.text:
        return problem.answer
    target = Program(problem.graph).base.target
    return None if target is None else Quantity(target, problem.graph.unit_of(problem.graph.target))
