"""Hiding a known and recovering it: which values of X make the target what it is?

    solve  f(x) = t,   f: x -> target under do(X = x), the other knowns as they are

1. `exact`: X reaches the target on one path, occurs once in each rule, and each rule has one inverse.
2. `numeric`: by search (solving.find_roots); a stretch on which f(x) = t is a range.

Every solution is put back into the graph and must give the target. The label (unique, several, none) describes the
rule, not the reasoning: max, sums of unknowns and parity are right and cannot be inverted. `several` includes a range
(any value fits). A `numeric` label is what the grid shows: rules that swing within a step of it can hide solutions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from trueness.reasoning.execute import Program, Response, Way
from trueness.reasoning.graph import ReasoningGraph, close
from trueness.reasoning.solving import Ranges, find_roots, isolate
from trueness.reasoning.trees import Name, Tree, count_names, evaluate
from trueness.status import Status

Label = Literal["unique", "several", "none"]
Method = Literal["exact", "roots", "numeric"]  # roots: of studies stored before
_EVERYTHING: Ranges = ((-math.inf, math.inf),)
_FITS = 1e-6  # relative difference from the target up to which a solution is one, and of solutions that are one


@dataclass(frozen=True)
class Inversion:
    """What hiding one known shows. `label` is None where the graph cannot be executed; `message` says why."""

    hidden: str
    label: Label | None
    status: Status
    solutions: tuple[float, ...] = ()
    ranges: Ranges = ()  # every value of these fits
    method: Method | None = None
    recovered: bool | None = None  # the true value is among the solutions
    message: str = ""

    @property
    def identifiable(self) -> bool | None:
        return None if self.label is None else self.label == "unique"

    @property
    def unique_if_positive(self) -> bool | None:
        """Whether one solution is left where only sizes above 0 make sense: +-v of a kinetic energy."""
        if self.label is None:
            return None
        return not any(high > 0 for _, high in self.ranges) and sum(value > 0 for value in self.solutions) == 1


def invert(graph: ReasoningGraph | Program, hidden: str, target: float | None = None) -> Inversion:
    """Recover one known from the target's value (as executed, or as given) and the other knowns."""
    program = graph if isinstance(graph, Program) else Program(graph)
    known = program.graph.knowns.get(hidden)
    true = known.value if known is not None else None
    wanted = program.base.target if target is None else target
    if true is None or wanted is None:
        why = f"'{hidden}' is no known with a number." if true is None else program.base.message
        return Inversion(hidden, None, Status.DEGENERATE, message=why)
    responses = program.responses(hidden)
    if not responses:
        return Inversion(hidden, None, Status.DEGENERATE, message=program.base.message or "a rule is in words.")
    if program.graph.target not in program.moved_by(hidden):
        fits = close(program.base.target or 0.0, wanted, _FITS)
        message = f"the target does not depend on '{hidden}'."
        return _inversion(hidden, true, [], _EVERYTHING if fits else (), "exact", message)
    solved = [_solve_by(program, hidden, true, wanted, way, response) for way, response in responses]
    points = [point for way_points, _, _ in solved for point in way_points]
    ranges = reduce(_in_both, (way_ranges for _, way_ranges, _ in solved))
    kept: list[float] = []
    for point in points:  # only what gives the target by all ways; near ones are one
        fits = math.isfinite(point) and all(close(response(point), wanted, _FITS) for _, response in responses)
        if fits and not any(close(point, other, _FITS) or abs(point - other) < 1e-12 for other in kept):
            kept.append(point)
    method: Method = "exact" if all(method == "exact" for _, _, method in solved) else "numeric"
    return _inversion(hidden, true, sorted(kept), ranges, method)


def invert_all(graph: ReasoningGraph | Program) -> dict[str, Inversion]:
    """Each known hidden in turn."""
    program = graph if isinstance(graph, Program) else Program(graph)
    return {name: invert(program, name) for name in program.graph.knowns}


def _solve_by(
    program: Program, hidden: str, true: float, wanted: float, way: Way, response: Response
) -> tuple[Sequence[float], Ranges, Method]:
    inverse = _undone(program, hidden, way)
    if inverse is not None:
        try:
            return [evaluate(inverse, {**program.base.values, program.graph.target: wanted})], (), "exact"
        except (ArithmeticError, ValueError):
            pass  # it has no value there: search
    points, ranges = find_roots(lambda x: response(x) - wanted, _FITS * 1e-3 * (abs(wanted) or 1.0), true)
    return points, ranges, "numeric"


def _undone(program: Program, hidden: str, way: Way) -> Tree | None:
    """The hidden node as a formula of the target, where the way to it does not fork and each rule has an inverse."""
    on_path = {hidden, *program.moved_by(hidden)}
    node, value = program.graph.target, Name(program.graph.target)
    inverse: Tree | None = value
    while node != hidden and inverse is not None:
        tree = way[node][0].tree if node in way else None
        moving = [name for name in count_names(tree) if name in on_path] if tree is not None else []
        if tree is None or len(moving) != 1:
            return None
        inverse, node = isolate(inverse, tree, moving[0], one_way=True), moving[0]
    return inverse


def _in_both(one: Ranges, other: Ranges) -> Ranges:
    cut = ((max(low, from_), min(high, to)) for low, high in one for from_, to in other)
    return tuple((low, high) for low, high in cut if low < high)


def _inversion(
    hidden: str, true: float, points: Sequence[float], ranges: Ranges, method: Method, message: str = ""
) -> Inversion:
    inside = any(low <= true <= high for low, high in ranges)
    recovered = inside or any(close(point, true, 1e-4) or abs(point - true) < 1e-9 for point in points)
    label: Label = "several" if ranges or len(points) > 1 else "unique" if points else "none"
    return Inversion(hidden, label, Status.OK, tuple(points), ranges, method, recovered, message)
