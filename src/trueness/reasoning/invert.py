"""Hiding a known and recovering it: which values of X make the target what it is?

    solve  f(x) = t,   f: x -> target under do(X = x), the other knowns as they are

1. Where X reaches the target on one path and occurs once in each rule, the rules are undone one by one (`exact`).
2. Else, where f is a rational function of x, from the real roots of its numerator (`roots`).
3. Else by search (`numeric`): sign changes of f(x) - t on a fixed grid, 0 and +-10^(k/6) for k = -54..54, closed by
   Brent's method; dips of |f(x) - t| between them are looked into; a stretch on which f(x) = t is a range.

Every solution is put back into the graph and must give the target. The label (unique, several, none) describes the
rule, not the reasoning: max, sums of unknowns and parity are right and cannot be inverted. `several` includes a range
(any value fits). A `numeric` label is what the grid shows: rules that swing within a step of it can hide solutions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias, get_args

from trueness.reasoning.execute import Program, Response, Way
from trueness.reasoning.graph import ReasoningGraph, close
from trueness.reasoning.isolation import NotIsolated, Preimage, isolate, preimage_of_all
from trueness.reasoning.rational import Rational, rational
from trueness.reasoning.trees import Name, Tree, as_text, count_names, evaluate
from trueness.status import Status

Label = Literal["unique", "several", "none"]
Method = Literal["exact", "roots", "numeric"]
Ranges: TypeAlias = tuple[tuple[float, float], ...]
_METHODS: tuple[Method, ...] = get_args(Method)

GRID = sorted({0.0, *(sign * 10 ** (k / 6) for k in range(-54, 55) for sign in (1, -1))})
_SAME = 1e-6  # relative; solutions nearer than this are one
_FITS = 1e-6  # relative difference from the target up to which a solution is one
_MOST = 16  # solutions that are kept
_GOLDEN = (math.sqrt(5) - 1) / 2
_DIPS = 6  # places where the target comes near without crossing that are looked into
_STRETCHES = 4  # solutions around which a range is looked for


@dataclass(frozen=True)
class Inversion:
    """What hiding one known shows. `label` is None where the graph cannot be executed; `message` says why."""

    hidden: str
    label: Label | None
    status: Status
    solutions: tuple[float, ...] = ()
    ranges: tuple[tuple[float, float], ...] = ()  # every value of these fits
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
    if known is None or true is None or wanted is None:
        why = f"'{hidden}' is no known with a number." if true is None else program.base.message
        return Inversion(hidden, None, Status.DEGENERATE, message=why)
    responses = program.responses(hidden)
    if not responses:
        return Inversion(hidden, None, Status.DEGENERATE, message=program.base.message or "a rule is in words.")
    if program.graph.target not in program.moved_by(hidden):
        fits = close(program.base.target or 0.0, wanted, _FITS)
        everything = Preimage((), ((-math.inf, math.inf),)) if fits else Preimage()
        return _inversion(hidden, true, everything, "exact", f"the target does not depend on '{hidden}'.")
    return _solve(program, hidden, true, wanted, responses)


def invert_all(graph: ReasoningGraph | Program) -> dict[str, Inversion]:
    """Each known hidden in turn."""
    program = graph if isinstance(graph, Program) else Program(graph)
    return {name: invert(program, name) for name in program.graph.knowns}


def closed_form(graph: ReasoningGraph | Program, hidden: str) -> str | None:
    """The formula that recovers a known, `F = acceleration * m`; None where there is no single one.

    Of a square the positive root is written.
    """
    program = graph if isinstance(graph, Program) else Program(graph)
    moves = program.graph.target in program.moved_by(hidden) and not program.together
    ways = (program.ways(hidden) or []) if moves else []
    chain = _chain(program, hidden, ways[0]) if len(ways) == 1 else None
    value: Tree | None = None if chain is None else Name(program.graph.target)
    for name, tree in chain or ():
        value = None if value is None else isolate(value, tree, name)
    return None if value is None else f"{hidden} = {as_text(value)}"


def _solve(
    program: Program, hidden: str, true: float, wanted: float, responses: Sequence[tuple[Way, Response]]
) -> Inversion:
    """Solved by each way; only what gives the target by all of them is a solution."""
    solved = [_solve_by(program, hidden, wanted, way, response) for way, response in responses]
    points = [point for preimage, _ in solved for point in preimage.points]
    ranges = reduce(_in_both, (preimage.ranges for preimage, _ in solved))
    everything = Preimage(tuple(points), ranges, all(preimage.periodic for preimage, _ in solved))
    weakest = max((method for _, method in solved), key=_METHODS.index)
    return _check(hidden, true, wanted, everything, [response for _, response in responses], weakest)


def _in_both(
    one: tuple[tuple[float, float], ...], other: tuple[tuple[float, float], ...]
) -> tuple[tuple[float, float], ...]:
    cut = ((max(low, from_), min(high, to)) for low, high in one for from_, to in other)
    return tuple((low, high) for low, high in cut if low < high)


def _solve_by(program: Program, hidden: str, wanted: float, way: Way, response: Response) -> tuple[Preimage, Method]:
    chain = _chain(program, hidden, way) if way else None
    if chain is not None:
        try:
            return _undone(program, chain, wanted), "exact"
        except (NotIsolated, ArithmeticError, ValueError):
            pass  # no inverse is known: search
    fraction = _fraction(program, hidden, way) if way else None
    roots = None if fraction is None else fraction.solutions(wanted)
    return (_search(response, wanted), "numeric") if roots is None else (Preimage(roots), "roots")


def _chain(program: Program, hidden: str, way: Way) -> list[tuple[str, Tree]] | None:
    """(name, rule in which it occurs once) from the target back to the hidden node; None where paths fork."""
    graph = program.graph
    on_path = {hidden, *program.moved_by(hidden)}
    chain: list[tuple[str, Tree]] = []
    node = graph.target
    while node != hidden:
        tree = way[node][0].tree if node in way else None
        if tree is None:
            return None
        moving = [(name, times) for name, times in count_names(tree).items() if name in on_path]
        if len(moving) != 1 or moving[0][1] != 1:
            return None
        chain.append((moving[0][0], tree))
        node = moving[0][0]
    return chain


def _undone(program: Program, chain: Sequence[tuple[str, Tree]], wanted: float) -> Preimage:
    values = program.base.values

    def value_of(tree: Tree) -> float:
        return evaluate(tree, values)

    preimage = Preimage((wanted,))
    for name, tree in chain:
        preimage = preimage_of_all(tree, name, preimage, value_of)
    return preimage


def _fraction(program: Program, hidden: str, way: Way) -> Rational | None:
    """The target as a rational function of the hidden node; None where a rule is not rational."""
    made: dict[str, Rational] = {name: Rational.constant(value) for name, value in program.base.values.items()}
    made[hidden] = Rational.variable()
    for node, (rule, _) in way.items():
        fraction = None if rule.tree is None else rational(rule.tree, made)
        if fraction is None:
            return None
        made[node] = fraction
    return made.get(program.graph.target)


def _search(response: Response, wanted: float) -> Preimage:
    def excess(x: float) -> float:
        return response(x) - wanted

    scale = _FITS * 1e-3 * (abs(wanted) or 1.0)
    points, runs = _scan(excess, scale)
    ranges = [(_stretch(excess, low, scale)[0], _stretch(excess, high, scale)[1]) for low, high in runs[:_STRETCHES]]
    for x in points[:_STRETCHES]:
        low, high = _stretch(excess, x, scale)
        if high > low:
            ranges.append((low, high))
    ranges = _merge_ranges(ranges)
    points = [x for x in points if not any(low <= x <= high for low, high in ranges)]
    return Preimage(tuple(points[:_MOST]), tuple(ranges))


def _scan(excess: Callable[[float], float], scale: float) -> tuple[list[float], list[tuple[float, float]]]:
    """Solutions on and between the points of the grid, the nearest to 0 first; and runs of points that all fit."""
    values = [excess(x) for x in GRID]
    points: list[float] = []
    runs: list[tuple[float, float]] = []
    dips: list[int] = []
    for i, (x, value) in enumerate(zip(GRID, values, strict=True)):
        before = values[i - 1] if i else math.nan
        if abs(value) <= scale and abs(before) <= scale:
            runs.append((GRID[i - 1], x))
        elif abs(value) <= scale:
            points.append(x)
        elif abs(before) > scale and value * before < 0:
            points += _crossing(excess, GRID[i - 1], x)
        elif 0 < i < len(GRID) - 1 and abs(before) > abs(value) < abs(values[i + 1]) and value * values[i + 1] > 0:
            dips.append(i)
    for i in sorted(dips, key=lambda i: abs(GRID[i]))[:_DIPS]:
        points += _dip(excess, GRID[i - 1], GRID[i + 1], scale)
    return sorted(points, key=abs), _merge_ranges(runs)


def _crossing(excess: Callable[[float], float], low: float, high: float) -> list[float]:
    from scipy.optimize import brentq

    with suppress(ValueError, RuntimeError):  # a gap in the domain between the two points
        return [float(brentq(excess, low, high, xtol=1e-300, rtol=1e-12, maxiter=100))]
    return []


def _dip(excess: Callable[[float], float], low: float, high: float, scale: float) -> list[float]:
    """Where the target comes near between grid points without crossing on them: no, one or two solutions."""
    sign = math.copysign(1.0, excess(low))
    left, right = low, high
    for _ in range(45):  # golden section; 45 steps leave 4e-10 of the width
        first, second = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
        left, right = (left, second) if sign * excess(first) < sign * excess(second) else (first, right)
    bottom = (left + right) / 2
    depth = sign * excess(bottom)
    if abs(depth) <= scale:
        return [bottom]
    return [*_crossing(excess, low, bottom), *_crossing(excess, bottom, high)] if depth < 0 else []


def _stretch(excess: Callable[[float], float], x: float, scale: float) -> tuple[float, float]:
    """The range around x on which the target stays as it is: rules with steps (floor, max). Often x alone."""

    def fits(at: float) -> bool:
        return abs(excess(at)) <= scale

    ends = []
    for sign in (-1.0, 1.0):
        inside, outside = 0.0, 1e-6 * max(abs(x), 1e-6)
        while outside < 1e10 and fits(x + sign * outside):
            inside, outside = outside, 4 * outside
        for _ in range(24 if inside else 0):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if fits(x + sign * middle) else (inside, middle)
        ends.append(x + sign * inside)
    return ends[0], ends[1]


def _merge_ranges(ranges: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Ranges that overlap are one."""
    joined: list[tuple[float, float]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def _fits(response: Response, point: float, wanted: float) -> bool:
    return close(response(point), wanted, _FITS)


def _check(
    hidden: str, true: float, wanted: float, roots: Preimage, responses: Sequence[Response], method: Method
) -> Inversion:
    """Only what gives the target when put back; near ones are one."""
    kept: list[float] = []
    for point in roots.points:
        if not math.isfinite(point) or not all(_fits(response, point, wanted) for response in responses):
            continue
        if not any(close(point, other, _SAME) or abs(point - other) < 1e-12 for other in kept):
            kept.append(point)
    message = "further solutions lie at every period." if roots.periodic and kept else ""
    return _inversion(hidden, true, Preimage(tuple(sorted(kept)), roots.ranges, roots.periodic), method, message)


def _inversion(hidden: str, true: float, preimage: Preimage, method: Method, message: str = "") -> Inversion:
    inside = any(low <= true <= high for low, high in preimage.ranges)
    recovered = inside or any(close(point, true, 1e-4) or abs(point - true) < 1e-9 for point in preimage.points)
    label: Label
    if preimage.ranges or len(preimage.points) > 1 or (preimage.periodic and preimage.points):
        label = "several"
    else:
        label = "unique" if preimage.points else "none"
    return Inversion(hidden, label, Status.OK, preimage.points, preimage.ranges, method, recovered, message)
