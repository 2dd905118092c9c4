"""The graph that a model writes when it solves a problem, executed; and in which unit its answers are held against it.

    1. solve      the model solves the problem and writes its reasoning as a graph (probe own_graph)
    2. execute    its graph gives the target t. Does it give the answer that stands beside it; the right one?

Where its graph cannot be read or executed the status says why. Answers and t are compared in one unit:

    as written    t, the numbers of the knowns as they stand
    in a unit     t in the unit of the answer or of the target, as `check_answer` converts it
    together      t with every known in SI base units, for rules that mix km and m
    each times f  where nobody says the unit of the answer: f one of 100, 1000, 60, 3600, 3.6, 1e6, or 1/f

Which one a model uses shows in its answer to the problem as it is: the first that gives this answer. Where none does,
the model computes something else than its graph, and what its graph says of a value is no measure for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from trueness.errors import MissingExtra
from trueness.models import Reply
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.checks import answers_agree, check_answer
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, close
from trueness.reasoning.units import coherent, mixes, target_unit
from trueness.status import Status

Whose = Literal["own", "given"]
TOLERANCE = 0.02  # relative; a model rounds
TOGETHER = "SI base units"
_FACTORS = tuple(each for factor in (100.0, 1000.0, 60.0, 3600.0, 3.6, 1e6) for each in (factor, 1 / factor))


@dataclass(frozen=True)
class OwnGraph:
    """What a model wrote when it solved a problem: the problem with its graph and its answer, or why there is none."""

    status: Status
    message: str = ""
    problem: Problem | None = None
    agrees: bool | None = None  # its graph, executed, gives the answer that it gave
    right: bool | None = None  # its graph, executed, gives the answer of the problem file
    from_problem: bool = False  # not written by the model: the graph of the problem file speaks for it


def given_graph(problem: Problem) -> OwnGraph:
    """The graph of the problem file, for a model that can write none."""
    return OwnGraph(Status.OK, problem=problem, from_problem=True)


def read_own_graph(reply: Reply, problem: Problem) -> OwnGraph:
    """The graph of a reply to `own_graph`, and whether it carries the answer that stands beside it."""
    if reply.status not in (Status.OK, Status.TRUNCATED):
        return OwnGraph(reply.status, reply.message)
    reading = read_reasoning(reply.text)
    if reading.graph is None or not reading.graph.target or not reading.graph.edges:
        status = reading.status if reading.status is not Status.OK else Status.UNREADABLE
        return OwnGraph(status, reading.message)
    answer = reading.answer or Quantity(None)
    correct = answers_agree(answer, problem.answer, max(problem.tolerance, TOLERANCE))
    solved = replace(problem, graph=reading.graph, answer=answer, reasoning=reply.text, correct=correct)
    program = Program(solved.graph)
    if program.base.target is None:
        return OwnGraph(Status.DEGENERATE, program.base.message, solved)
    agrees, message = _gives(program, answer, max(problem.tolerance, TOLERANCE))
    right, _ = _gives(program, problem.answer, problem.tolerance)
    return OwnGraph(Status.OK, message, solved, agrees, right)


def _gives(program: Program, answer: Quantity, tolerance: float) -> tuple[bool | None, str]:
    """Whether the executed graph gives an answer; not known where its unit needs a package that is not there."""
    try:
        check = check_answer(program, answer, tolerance)
    except MissingExtra as error:
        return None, str(error)
    return check.agrees, check.message


# ---- units


@dataclass(frozen=True)
class UnitView:
    """One way to bring the target of a graph to an answer. `unit`: "" as written, TOGETHER, or a unit."""

    unit: str = ""
    factor: float = 1.0

    def target(self, program: Program, changes: Mapping[str, float]) -> float | None:
        """Under do(changes); None where it has no value, or none in this unit."""
        if not self.unit:
            value = program.run(changes).target
        else:
            value = _brought(_changed(program.graph, changes) if changes else program.graph, self.unit)
        return None if value is None else self.factor * value


def view_of(program: Program, answer: Quantity, tolerance: float) -> UnitView | None:
    """The unit in which a graph gives this answer to its problem; None where it gives another one."""
    if answer.value is None:
        return None
    for view in _views(program, answer.unit):
        value = view.target(program, {})
        if value is not None and close(answer.value, value, tolerance):
            return view
    return None


def plain_view(program: Program, answer_unit: str | None) -> UnitView:
    """Where rules mix units of one kind the answer's, else the declared one, else SI; elsewhere as they are written."""
    if mixes(program.graph):
        for unit in (answer_unit, program.graph.unit_of(program.graph.target), TOGETHER):
            if unit and UnitView(unit).target(program, {}) is not None:
                return UnitView(unit)
    return UnitView()


def _views(program: Program, answer_unit: str | None) -> Iterator[UnitView]:
    units = [unit for unit in dict.fromkeys((answer_unit, target_unit(program.graph))) if unit]
    whole = [UnitView(), *map(UnitView, units), *([UnitView(TOGETHER)] if _has_units(program.graph) else [])]
    yield from whole
    for view in (whole[0], *whole[-1:]):
        yield from (replace(view, factor=factor) for factor in _FACTORS)


def _has_units(graph: ReasoningGraph) -> bool:
    return any(known.unit for known in graph.knowns.values())


def _brought(graph: ReasoningGraph, unit: str) -> float | None:
    try:
        if unit != TOGETHER:
            return check_answer(Program(graph), Quantity(1.0, unit)).executed
        together = coherent(graph)
        return None if together is None else Program(together).base.target
    except MissingExtra:
        return None


def _changed(graph: ReasoningGraph, changes: Mapping[str, float]) -> ReasoningGraph:
    knowns = {
        name: replace(known, value=changes[name]) if name in changes else known for name, known in graph.knowns.items()
    }
    return replace(graph, knowns=knowns)
