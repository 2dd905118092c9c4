"""Solving: a formula for one of its names, an equation in one unknown.

isolate     F = m a            ->  a = F / m             where every step has one inverse; of a square the root > 0
find_roots  f(x) = 0           ->  sign changes on the grid 0, +-10^(k/6), closed by Brent's method; dips of |f|
                                   between them are looked into; a stretch on which f is 0 is a range
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeAlias

from trueness.reasoning.trees import Binary, Call, Name, Negative, Number, Tree, count_names

Ranges: TypeAlias = tuple[tuple[float, float], ...]
GRID = sorted({0.0, *(sign * 10 ** (k / 6) for k in range(-54, 55) for sign in (1, -1))})
_MOST = 16  # solutions that are kept
_DIPS = 6  # places where the target comes near without crossing that are looked into
_STRETCHES = 4  # solutions around which a range is looked for
_FAR = 1e10  # a stretch as long as this has no end

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
        elif isinstance(tree, Binary) and tree.operator != "%":
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
    from scipy.optimize import minimize_scalar

    sign = math.copysign(1.0, excess(low))
    lowest = minimize_scalar(lambda x: sign * excess(x), bounds=(low, high), method="bounded", options={"xatol": 1e-15})
    bottom, depth = float(lowest.x), float(lowest.fun)
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
