"""Solving: a formula for one of its names, an equation in one unknown, several equations together.

    isolate     F = m a            ->  a = F / m             where every step has one inverse; of a square the root > 0
    find_roots  f(x) = 0           ->  sign changes on the grid 0, +-10^(k/6), closed by Brent's method; dips of |f|
                                       between them are looked into; a stretch on which f is 0 is a range
    together    x + y = 10, x - y = 2  ->  x = 6, y = 4

Together: what follows from one relation at a time, then linear algebra, then one unknown that is tried by find_roots
and gives the others. A solution fulfils every relation; two that differ have no value, and are told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trueness.reasoning.graph import close, in_quotes
from trueness.reasoning.trees import (
    COMPARISONS,
    CONSTANTS,
    Binary,
    Call,
    Evaluator,
    Name,
    Negative,
    Number,
    Tree,
    compile_tree,
    count_names,
    parts,
)  # fmt: skip

Relation: TypeAlias = tuple[Tree, Tree]  # left = right
Ranges: TypeAlias = tuple[tuple[float, float], ...]
GRID = sorted({0.0, *(sign * 10 ** (k / 6) for k in range(-54, 55) for sign in (1, -1))})
FULFILS = 1e-6  # relative difference of the sides of a relation
_MOST_UNKNOWNS = 12
_SAME = 1e-9
_MOST = 16  # solutions that are kept
_DIPS = 6  # places where the target comes near without crossing that are looked into
_STRETCHES = 4  # solutions around which a range is looked for
_FAR = 1e10  # a stretch as long as this has no end
_ANYWHERE = (1.37, -0.0211, 317.0, 1e15)
_GOLDEN = (math.sqrt(5) - 1) / 2

# ---- one formula


def isolate(left: Tree, right: Tree, name: str, one_way: bool = False) -> Tree | None:
    """`left = right` solved for a name that occurs once, where every step has one inverse; else None.

    one_way: not of a square, whose other root is left out."""
    counts = [count_names(side).get(name, 0) for side in (left, right)]
    if sum(counts) != 1:
        return None
    tree, value = (left, right) if counts[0] else (right, left)
    while not isinstance(tree, Name):
        if isinstance(tree, Negative):
            tree, value = tree.operand, Negative(value)
        elif isinstance(tree, Call):
            if tree.function not in _INVERSE or len(tree.arguments) > 1:
                return None
            value = _INVERSE[tree.function](value)
            tree = tree.arguments[0]
        elif isinstance(tree, Binary) and tree.operator not in COMPARISONS and tree.operator != "%":
            on_left = name in count_names(tree.left)
            inner, other = (tree.left, tree.right) if on_left else (tree.right, tree.left)
            step = _step(tree.operator, on_left, other, value, one_way)
            if step is None:
                return None
            tree, value = inner, step
        else:
            return None
    return value


_INVERSE: Mapping[str, Callable[[Tree], Tree]] = {
    "sqrt": lambda value: Binary("^", value, Number(2.0)),
    "exp": lambda value: Call("ln", (value,)),
    "ln": lambda value: Call("exp", (value,)),
    "log10": lambda value: Binary("^", Number(10.0), value),
    "log2": lambda value: Binary("^", Number(2.0), value),
}


def _step(operator: str, on_left: bool, other: Tree, value: Tree, one_way: bool) -> Tree | None:
    if operator == "+":
        return Binary("-", value, other)
    if operator == "-":
        return Binary("+", value, other) if on_left else Binary("-", other, value)
    if operator == "*":
        return Binary("/", value, other)
    if operator == "/":
        return Binary("*", value, other) if on_left else Binary("/", other, value)
    if not on_left:
        return (
            Call("log10", (value,))
            if other == Number(10.0)
            else Binary("/", Call("ln", (value,)), Call("ln", (other,)))
        )
    if not isinstance(other, Number) or not other.value or (one_way and other.value % 2 != 1):
        return None
    if other == Number(2.0):
        return Call("sqrt", (value,))  # the positive root: quantities of worked problems are sizes
    return None if one_way else Binary("^", value, Binary("/", Number(1.0), other))


# ---- one unknown


def find_roots(excess: Callable[[float], float], scale: float, near: float = 0.0) -> tuple[tuple[float, ...], Ranges]:
    """Where a function is 0 within the scale: points, the nearest to 0 first, and ranges; near: a size to look at."""
    points, runs = _scan(excess, scale, near)
    ranges = [(_stretch(excess, low, scale)[0], _stretch(excess, high, scale)[1]) for low, high in runs[:_STRETCHES]]
    ranges += [span for x in points[:_STRETCHES] if (span := _stretch(excess, x, scale))[1] > span[0]]
    joined: list[tuple[float, float]] = []
    for low, high in sorted(ranges):  # those that overlap are one
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    points = [x for x in points if not any(low <= x <= high for low, high in joined)]
    return tuple(points[:_MOST]), tuple(joined)


def _scan(excess: Callable[[float], float], scale: float, near: float) -> tuple[list[float], list[tuple[float, float]]]:
    """Solutions on and between the points of the grid, and runs of points that all fit."""
    beyond = abs(near) > GRID[-1] or 0 < abs(near) < 1e-9
    sizes = (abs(near) * 10 ** (k / 6) for k in range(-24, 25)) if beyond else ()
    grid = sorted({*GRID, *(sign * size for size in sizes for sign in (1, -1))}) if beyond else GRID
    values = [excess(x) for x in grid]
    points: list[float] = []
    runs: list[tuple[float, float]] = []
    dips: list[int] = []
    for i, (x, value) in enumerate(zip(grid, values, strict=True)):
        before = values[i - 1] if i else math.nan
        if abs(value) <= scale and abs(before) <= scale:
            runs[-1:] = [(runs[-1][0], x)] if runs and runs[-1][1] == grid[i - 1] else [*runs[-1:], (grid[i - 1], x)]
        elif abs(value) <= scale:
            points.append(x)
        elif abs(before) > scale and value * before < 0:
            points += _crossing(excess, grid[i - 1], x)
        elif 0 < i < len(grid) - 1 and abs(before) > abs(value) < abs(values[i + 1]) and value * values[i + 1] > 0:
            dips.append(i)
    for i in sorted(dips, key=lambda i: abs(grid[i]))[:_DIPS]:
        points += _dip(excess, grid[i - 1], grid[i + 1], scale)
    return sorted(points, key=abs), runs


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
    ends = []
    for sign in (-1.0, 1.0):
        inside, outside = 0.0, 1e-6 * max(abs(x), 1e-6)
        while outside < _FAR and abs(excess(x + sign * outside)) <= scale:
            inside, outside = outside, 4 * outside
        if outside >= _FAR:
            inside = math.inf
        for _ in range(40 if 0 < inside < math.inf else 0):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if abs(excess(x + sign * middle)) <= scale else (inside, middle)
        ends.append(x + sign * inside)
    return ends[0], ends[1]


# ---- several equations


def _is_linear(tree: Tree, names: Set[str]) -> bool:
    """Whether the names stand in sums and in products with what holds none of them."""
    if isinstance(tree, Name) or not names & count_names(tree).keys():
        return True
    if isinstance(tree, Binary) and tree.operator in "*/":
        free = [not names & count_names(side).keys() for side in (tree.left, tree.right)]
        return (free[1] or (tree.operator == "*" and free[0])) and all(_is_linear(part, names) for part in parts(tree))
    sums = isinstance(tree, Negative) or (isinstance(tree, Binary) and tree.operator in "+-")
    sums = sums or (isinstance(tree, Call) and tree.function in ("sum", "mean"))
    return sums and all(_is_linear(part, names) for part in parts(tree))


class Solution(NamedTuple):
    """Values of the unknowns that have one. Where the target has none the message says why."""

    values: Mapping[str, float]
    message: str = ""


def together(
    relations: Sequence[Relation], unknowns: Sequence[str], known: Mapping[str, float], target: str
) -> Solution:
    """The unknowns at these values of the knowns, as far as the relations determine them."""
    written = {name for relation in relations for side in relation for name in count_names(side)}
    unknowns = sorted({*unknowns, *written} - {*known, *CONSTANTS})
    if len(unknowns) > _MOST_UNKNOWNS or len(relations) > 2 * _MOST_UNKNOWNS:
        return Solution({}, "there are too many equations to solve together.")
    system = _System(relations, [*known, *unknowns])
    values, left = system.follow(dict(known), range(len(relations)))
    open_ones = [name for name in unknowns if name not in values]
    try:
        if any(system.gaps(values, [k for k in left if system.names[k] <= values.keys()])):
            return Solution({}, "the equations contradict each other.")
    except (ArithmeticError, ValueError):
        return Solution({}, "the equations have no value here.")
    if target in values or not left:
        return Solution(values) if target in values else Solution({}, f"{in_quotes(open_ones)} has no value.")
    linear = system.linear(values, left, open_ones, target)
    return linear if linear is not None else system.by_trial(values, left, open_ones, target)


class _System:
    """Relations with their sides as functions of a list of values."""

    def __init__(self, relations: Sequence[Relation], names: Sequence[str]):
        self.slots = {name: k for k, name in enumerate(names)}
        self.names = [{*count_names(left), *count_names(right)} & self.slots.keys() for left, right in relations]
        self.sides = [tuple(compile_tree(side, self.slots) for side in relation) for relation in relations]
        self.relations = relations
        self._isolated: dict[tuple[int, str], Evaluator | None] = {}

    def follow(self, values: dict[str, float], left: Sequence[int]) -> tuple[dict[str, float], list[int]]:
        """What follows from one relation at a time; the relations that are left, checks among them."""
        waiting, moved = list(left), True
        while moved:
            moved = False
            for k in list(waiting):
                unknown = [name for name in self.names[k] if name not in values]
                step = self._step(k, unknown[0]) if len(unknown) == 1 else None
                if step is not None:
                    with suppress(ArithmeticError, ValueError):
                        values[unknown[0]] = step(self._filled(values))
                        waiting.remove(k)
                        moved = True
        return values, waiting

    def _step(self, k: int, name: str) -> Evaluator | None:
        """One unknown of a relation, where it stands alone or every step to it has one inverse."""
        if (k, name) not in self._isolated:
            left, right = self.relations[k]
            alone = right if left == Name(name) and name not in count_names(right) else None
            tree = alone or isolate(left, right, name, one_way=True)
            self._isolated[k, name] = None if tree is None else compile_tree(tree, self.slots)
        return self._isolated[k, name]

    def _filled(self, values: Mapping[str, float]) -> list[float]:
        filled = [math.nan] * len(self.slots)
        for name, value in values.items():
            filled[self.slots[name]] = value
        return filled

    def gaps(self, values: Mapping[str, float], which: Sequence[int]) -> list[float]:
        """Left minus right; 0 where they agree."""
        at = self._filled(values)
        pairs = [(self.sides[k][0](at), self.sides[k][1](at)) for k in which]
        return [0.0 if close(x, y, FULFILS) or abs(x - y) < 1e-12 else x - y for x, y in pairs]

    def linear(
        self, values: Mapping[str, float], left: Sequence[int], unknowns: Sequence[str], target: str
    ) -> Solution | None:
        """By least squares, where the gaps are linear in the unknowns; else None."""
        if not all(_is_linear(side, {*unknowns}) for k in left for side in self.relations[k]):
            return None
        start = np.zeros(len(unknowns))

        def gaps_at(point: NDArray[np.floating]) -> NDArray[np.floating]:
            at = self._filled({**values, **dict(zip(unknowns, map(float, point), strict=True))})
            return np.array([self.sides[k][0](at) - self.sides[k][1](at) for k in left])

        try:
            base = gaps_at(start)
            slopes = np.array([gaps_at(step) - base for step in np.eye(len(unknowns))]).T
            solution, _, rank, _ = np.linalg.lstsq(slopes, -base, rcond=1e-12)
            free = np.linalg.svd(slopes)[2][rank:]
        except (ArithmeticError, ValueError, np.linalg.LinAlgError):
            return None
        size = np.abs(slopes) @ np.abs(solution) + np.abs(base)
        if not np.all(np.abs(slopes @ solution + base) <= FULFILS * size + 1e-12):
            return Solution({}, "the equations contradict each other.")
        if len(free) and (target not in unknowns or np.abs(free[:, list(unknowns).index(target)]).max() > _SAME):
            return Solution({}, f"the equations say the same and leave {in_quotes(unknowns)} without a value.")
        if not np.any(solution):
            return Solution({}, "the rules go in a circle that only 0 fulfils.")
        fixed = {name: float(x) for k, (name, x) in enumerate(zip(unknowns, solution, strict=True))
                 if not len(free) or np.abs(free[:, k]).max() <= _SAME}  # fmt: skip
        return Solution({**values, **fixed})

    def by_trial(
        self, values: Mapping[str, float], left: Sequence[int], unknowns: Sequence[str], target: str
    ) -> Solution:
        """By one unknown that gives all others: the roots of the gap of a relation that is left."""
        for tried in unknowns:
            if (cancelled := self._without(values, left, tried, target)) is not None:
                return cancelled
            solutions = list(self._solutions(values, left, tried, unknowns))
            if not solutions:
                continue
            targets = sorted(solution[target] for solution in solutions)
            if not close(targets[0], targets[-1], FULFILS):
                shown = ", ".join(dict.fromkeys(f"{value:.6g}" for value in targets))
                return Solution({}, f"the equations have several solutions: {shown}.")
            return Solution(solutions[0])
        return Solution({}, f"the equations were not solved for {in_quotes(unknowns)}: no solution was found.")

    def _without(self, values: Mapping[str, float], left: Sequence[int], free: str, target: str) -> Solution | None:
        """The target, where nothing gives one unknown and whatever it is the target is the same: f L / (L (1 + a))."""
        tried = [self.follow({**values, free: x}, left) for x in _ANYWHERE]
        if any(rest or target not in full for full, rest in tried):
            return None
        alike = {
            name: value for name, value in tried[0][0].items()
            if all(close(full.get(name, math.nan), value, _SAME) for full, _ in tried)
        }  # fmt: skip
        return Solution(alike) if target in alike else None

    def _solutions(
        self, values: Mapping[str, float], left: Sequence[int], tried: str, unknowns: Sequence[str]
    ) -> Iterator[dict[str, float]]:
        def at(x: float) -> tuple[dict[str, float], list[int]]:
            return self.follow({**values, tried: x}, left)

        def gap(x: float) -> float:
            with suppress(ArithmeticError, ValueError, OverflowError):
                full, rest = at(x)
                if rest and not set(unknowns) - full.keys():
                    filled = self._filled(full)
                    sides = self.sides[rest[0]]
                    return sides[0](filled) - sides[1](filled)
            return math.nan

        points, ranges = find_roots(gap, 1e-12)
        for x in () if ranges else points:
            with suppress(ArithmeticError, ValueError):
                full, _ = at(x)
                if not any(self.gaps(full, range(len(self.sides)))) and all(map(math.isfinite, full.values())):
                    yield full
