"""What can be computed about a graph and its answer, before any judge is asked; and how good the graph is.

    executes       1 where the target follows from the knowns by the rules, 1/2 where only by a missing edge, else 0
    answer         1 where the executed target agrees with the answer (in its unit, within the tolerance), else 0
    intervention   share of the other nodes whose do() moves the target, however little (cf grades the size)
    structure      mean of our graph checks

    executable score = mean of executes, answer, intervention and structure, over those that have a value

Where all rules are words nothing is executed and the score is missing, not 0.

    original = .3 [acyclic] + .2 coverage + .4 (share of edges with a rule) + .1 [weakly connected]

coverage is the share of the knowns and the target that occur in an edge. Ours, each in [0, 1] or missing:
`acyclic`, `reaches_target` (share of the other nodes with a path to the target), `knowns_used` (share that are causes),
`own_cause` (1 where no effect is its own cause), `knowns_given` (share of the knowns that are not effects, the target
not among them), `rules_executable` (share of the rules that are not words), `causes_used` (share of the causes that
stand in their formula), `edges_complete` (share of the formulas all of whose names have an edge to the effect),
`dimensions` (share of the rules whose units can be judged and agree).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trueness.errors import MissingExtra
from trueness.reasoning.execute import Program, sensitivity
from trueness.reasoning.graph import Quantity, ReasoningGraph, close, in_quotes, reachable
from trueness.reasoning.rules import rules_of
from trueness.reasoning.units import (
    MIXES,
    NOT_TOGETHER,
    check_units,
    coherent,
    convert,
    mixes,
    of_other_dimension,
    target_unit,
)
from trueness.status import Status

SCORED = ("executes", "answer", "intervention", "structure")


@dataclass(frozen=True)
class Component:
    """One check: a value in [0, 1], or None with the status and the reason."""

    value: float | None
    status: Status = Status.OK
    message: str = ""
    n: int = 0  # nodes or rules that it was made of


@dataclass(frozen=True)
class AnswerCheck:
    """The executed target beside the answer, both in the answer's unit."""

    executed: float | None
    answer: Quantity
    agrees: bool | None
    status: Status
    message: str = ""


def check_answer(graph: ReasoningGraph | Program, answer: Quantity, tolerance: float = 0.01) -> AnswerCheck:
    """Does the graph, executed, give the answer?"""
    program = graph if isinstance(graph, Program) else Program(graph)
    if program.base.target is None:
        return AnswerCheck(None, answer, None, Status.DEGENERATE, program.base.message)
    if answer.value is None:
        return AnswerCheck(
            program.base.target, answer, None, Status.UNREADABLE, f"the answer '{answer.text}' is no number."
        )
    value, status, message = _in_unit(program, answer.unit)
    if value is None:
        return AnswerCheck(None, answer, False if status is Status.OK else None, status, message)
    agrees = close(value, answer.value, tolerance)
    if not agrees and answer.unit == "%":  # 0.062 and 6.2 % are one value; a rule may also count in per cent itself
        agrees, value = close(100 * value, answer.value, tolerance), 100 * value
    message = "" if agrees else f"the graph gives {value:.6g}, the answer is {answer}."
    return AnswerCheck(value, answer, agrees, Status.OK, message)


def answers_agree(answer: Quantity, expected: Quantity, tolerance: float = 0.01) -> bool | None:
    """Two answers, in the unit of the second where both have one; None where they cannot be compared."""
    if answer.value is None or expected.value is None:
        words = [" ".join(one.text.split()).casefold() for one in (answer, expected)]
        return words[0] == words[1] if answer.value is expected.value and all(words) else None
    try:
        value = convert(answer.value, answer.unit, expected.unit)
    except MissingExtra:
        return None
    return False if value is None else close(value, expected.value, tolerance)


def _in_unit(program: Program, unit: str | None) -> tuple[float | None, Status, str]:
    """The target in a unit, by SI base units where a rule mixes units; ok without a value: no number can be right."""
    graph, value = program.graph, program.base.target
    if value is None:
        return value, Status.OK, ""
    if mixes(graph):
        if not unit:
            return None, Status.DEGENERATE, MIXES
        together = coherent(graph)
        if together is None:
            return None, Status.DEGENERATE, NOT_TOGETHER
        graph, base = together, Program(together).base
        if base.target is None:
            return None, Status.DEGENERATE, base.message
        value = base.target
    unit_of_target = target_unit(graph)
    result = convert(value, unit_of_target, unit)
    if result is not None:
        return result, Status.OK, ""
    message = f"the target is in {unit_of_target}, the answer in {unit}."
    if of_other_dimension(unit_of_target, unit):
        return None, Status.OK, message
    return None, Status.DEGENERATE, f"{message[:-1]}: the one cannot be converted to the other."


def executable_components(
    graph: ReasoningGraph | Program, answer: Quantity, tolerance: float = 0.01
) -> dict[str, Component]:
    """All checks of a graph, each with its value or the reason why it has none."""
    program = graph if isinstance(graph, Program) else Program(graph)
    kinds = {rule.kind for rules in program.rules.values() for rule in rules}
    structure = graph_quality(program.graph)
    components = {
        "structure": Component(structure.ours, message=" ".join(structure.messages[:3]), n=len(program.graph.edges))
    }
    if not kinds & {"formula", "broken"}:
        why = "no rule is a formula; nothing can be executed."
        return components | dict.fromkeys(
            ("executes", "answer", "intervention"), Component(None, Status.DEGENERATE, why)
        )
    executes = program.base.target is not None
    lacking = any(rule.beyond for node in program.ancestry for rule in program.rules.get(node, ()))
    done = float(executes) / (2 if lacking else 1)
    components["executes"] = Component(done, message="" if done == 1 else program.base.message, n=1)
    checked = check_answer(program, answer, tolerance)
    agrees = None if checked.agrees is None else float(checked.agrees)
    components["answer"] = Component(agrees, checked.status, checked.message, n=int(agrees is not None))
    components["intervention"] = _moving(program)
    return components


def score_of(components: Mapping[str, Component]) -> float | None:
    """Of components that were made already; missing where the graph was not executable at all."""
    if components["executes"].value is None:
        return None
    values = [value for name in SCORED if (value := components[name].value) is not None]
    return sum(values) / len(values)


def _moving(program: Program) -> Component:
    effects = sensitivity(program)
    known = [effect.moves and not effect.undeclared for effect in effects.values() if effect.moves is not None]
    if not known:
        return Component(None, Status.DEGENERATE, program.base.message or "no node can be intervened on.")
    still = [node for node, effect in effects.items() if effect.moves is False]
    message = f"do() on {', '.join(still)} does not move the target." if still else ""
    return Component(sum(known) / len(known), Status.OK, message, len(known))


# ---- the graph itself

ORIGINAL_WEIGHTS: Mapping[str, float] = {"acyclic": 0.3, "coverage": 0.2, "rules": 0.4, "connected": 0.1}


@dataclass(frozen=True)
class GraphQuality:
    """`original` and its four parts; `ours`, the mean of the checks that have a value."""

    original: float
    parts: Mapping[str, float]
    checks: Mapping[str, float | None]
    messages: tuple[str, ...] = ()

    @property
    def ours(self) -> float | None:
        known = [value for value in self.checks.values() if value is not None]
        return sum(known) / len(known) if known else None


def graph_quality(graph: ReasoningGraph) -> GraphQuality:
    """Both scores with what they are made of."""
    parts = original_parts(graph)
    messages: list[str] = []
    checks = _structure(graph, messages) | _rules(graph, messages)
    score = sum(ORIGINAL_WEIGHTS[name] * value for name, value in parts.items())
    return GraphQuality(score, parts, checks, tuple(messages))


def original_parts(graph: ReasoningGraph) -> dict[str, float]:
    """The four parts of the original's formula; 0 where there is no edge."""
    in_edges = {name for edge in graph.edges for name in (*edge.causes, edge.effect)}
    wanted = [*graph.knowns, *([graph.target] if graph.target and graph.target not in graph.knowns else [])]
    beside = {node: (*graph.parents[node], *graph.children[node]) for node in graph.nodes}
    return {
        "acyclic": float(bool(graph.edges) and graph.order is not None),
        "coverage": _share([name in in_edges for name in wanted]) or 0.0,
        "rules": _share([bool(edge.rule) for edge in graph.edges]) or 0.0,
        "connected": float(any(reachable(edge.effect, beside) | {edge.effect} >= in_edges for edge in graph.edges[:1])),
    }


def _structure(graph: ReasoningGraph, messages: list[str]) -> dict[str, float | None]:
    if not graph.edges:
        messages.append("the graph has no edges.")
        return {"acyclic": None, "reaches_target": None, "knowns_used": None, "own_cause": None, "knowns_given": None}
    ends = graph.ancestors(graph.target) if graph.target else frozenset()
    lost = [node for node in graph.non_target if node not in ends]
    unused = [name for name in graph.knowns if not graph.children[name]]
    self_caused = sorted({edge.effect for edge in graph.edges if edge.effect in edge.causes})
    made = [name for name in graph.knowns if graph.parents[name] or name == graph.target]
    if graph.cycle:
        messages.append(f"cycle: {' -> '.join(graph.cycle)}.")
    for what, names in (("do not reach the target", lost), ("are known and not used", unused)):
        if names:
            messages.append(f"{in_quotes(names)} {what}.")
    if self_caused:
        messages.append(f"{in_quotes(self_caused)} must not be its own cause.")
    if made:
        messages.append(f"{in_quotes(made)} are known and also effects.")
    return {
        "acyclic": float(graph.order is not None),
        "reaches_target": _share([node in ends for node in graph.non_target]),
        "knowns_used": _share([name not in unused for name in graph.knowns]),
        "own_cause": float(not self_caused),
        "knowns_given": _share([name not in made for name in graph.knowns]),
    }


def _rules(graph: ReasoningGraph, messages: list[str]) -> dict[str, float | None]:
    rules = rules_of(graph)
    tried = [rule for ways in rules.values() for rule in ways if rule.kind != "words"]
    formulas = [rule for rule in tried if rule.executable]
    messages += [rule.message for rule in tried if rule.message]
    used: list[bool] = []
    for effect, ways in rules.items():
        if all(rule.executable for rule in ways):
            uses = frozenset[str]().union(*(rule.uses for rule in ways))
            idle = [cause for cause in graph.parents[effect] if cause not in uses]
            used += [cause in uses for cause in graph.parents[effect]]
            if idle:
                messages.append(f"the rule of '{effect}' does not use {in_quotes(idle)}.")
    units = [check for check in check_units(graph) if check.agreement != "unchecked"]
    messages += [check.message for check in units if check.message]
    attempted = any(rule.kind in ("formula", "broken") for rule in tried)
    return {
        "rules_executable": len(formulas) / len(tried) if attempted else None,
        "causes_used": _share(used),
        "edges_complete": _share([not rule.beyond for rule in formulas]),
        "dimensions": _share([check.agreement != "mismatch" for check in units]),
    }


def _share(kept: list[bool]) -> float | None:
    return sum(kept) / len(kept) if kept else None
