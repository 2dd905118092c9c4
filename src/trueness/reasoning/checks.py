"""What can be computed about a graph and its answer, before any judge is asked.

    executes       1 where the target follows from the knowns by the rules, 1/2 where only by a missing edge, else 0
    answer         1 where the executed target agrees with the answer (in its unit, within the tolerance), else 0
    intervention   share of the other nodes whose do() moves the target, however little (cf grades the size)
    abduction      share of the knowns that are recovered, alone or among several, from the target's value
    structure      mean of our graph checks

    executable score = mean of executes, answer, intervention and structure, over those that have a value

Abduction stays out of the score: whether a rule can be inverted says nothing about whether it is right. Where all rules
are words nothing is executed and the score is missing, not 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trueness.errors import MissingExtra
from trueness.reasoning.execute import Program, sensitivity
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, close
from trueness.reasoning.invert import invert_all
from trueness.reasoning.quality import graph_quality
from trueness.reasoning.units import (
    MIXES,
    NOT_TOGETHER,
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


def executable_components(graph: ReasoningGraph, answer: Quantity, tolerance: float = 0.01) -> dict[str, Component]:
    """All checks of a graph, each with its value or the reason why it has none."""
    program = Program(graph)
    components = scored_components(program, answer, tolerance)
    blank = components["executes"].value is None
    return components | {"abduction": components["executes"] if blank else _recovery(program)}


def scored_components(program: Program, answer: Quantity, tolerance: float = 0.01) -> dict[str, Component]:
    """The checks of which the executable score is made."""
    graph = program.graph
    kinds = {rule.kind for rules in program.rules.values() for rule in rules}
    structure = graph_quality(graph)
    components = {"structure": Component(structure.ours, message=" ".join(structure.messages[:3]), n=len(graph.edges))}
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


def executable_score(graph: ReasoningGraph, problem: Problem) -> float | None:
    """The mean of the scored checks, or None where nothing can be executed."""
    return score_of(executable_components(graph, problem.answer, problem.tolerance))


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


def _recovery(program: Program) -> Component:
    recovered = [inversion.recovered for inversion in invert_all(program).values() if inversion.recovered is not None]
    if not recovered:
        return Component(None, Status.DEGENERATE, program.base.message or "no known can be hidden.")
    return Component(sum(recovered) / len(recovered), Status.OK, "", len(recovered))
