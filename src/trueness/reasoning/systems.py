"""Values that several rules give together: equations solved by substitution, with an end to the work.

    x + y = 10,  x - y = 2                      ->  x = 6, y = 4
    f' = f L / L',  L' = L (1 + a),  no L       ->  f' = f / (1 + a): what cancels need not be known

Per step one unknown that a relation holds linearly, or once and with one inverse, is put into all others. Of what is
left, an equation in one unknown is solved by the real roots of a polynomial (a + b sqrt(u) = 0 by those of a^2 = b^2 u)
or by undoing it. A solution must fulfil every relation; two solutions that differ have no value and are told. What
nothing determines is free: what is the same at three values of it does not depend on it (asked of smooth rules
only; max and floor may only look so).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from trueness.reasoning.graph import close, in_quotes
from trueness.reasoning.isolation import NotIsolated, isolate, preimage
from trueness.reasoning.rational import Rational, rational
from trueness.reasoning.trees import (
    Binary,
    Call,
    Choice,
    Evaluator,
    Name,
    Negative,
    Number,
    Tree,
    compile_tree,
    count_names,
    evaluate,
    parts,
    replace_names,
    walk,
)

Relation: TypeAlias = tuple[Tree, Tree]  # left = right
MOST_UNKNOWNS = 12
MOST_PARTS = 800  # of all trees, after substitution
DEEPEST = 150
FULFILS = 1e-6  # relative difference of the sides of a relation
_SAME = 1e-9
_POINTS = (1.37, 0.0211, 317.0)  # of free unknowns; powers of these share no ratio
_TWO, _ROOT = Number(2.0), "the root"
_STEPS = frozenset(("min", "max", "floor", "ceil", "round", "abs"))


class Substitution(NamedTuple):
    """Unknowns in the order of substitution, each over knowns and what comes behind it; what is left to fulfil."""

    steps: tuple[tuple[str, Tree], ...]
    rest: tuple[Relation, ...]
    open: tuple[str, ...]  # unknowns without a step
    slots: Mapping[str, int]
    evaluators: tuple[
        tuple[int, Evaluator], ...
    ]  # the steps from the last to the first, as functions of a list of values
    sides: tuple[tuple[Evaluator, Evaluator], ...]  # of what is left


class Solution(NamedTuple):
    """Values of unknowns; `free` are those that nothing determines. Without values the message says why."""

    values: Mapping[str, float]
    free: tuple[str, ...] = ()
    message: str = ""


def substitute(relations: Sequence[Relation], unknowns: Sequence[str], slots: Mapping[str, int]) -> Substitution | None:
    """The plan; None where there is too much of it. slots: every name and its place."""
    if len(unknowns) > MOST_UNKNOWNS or len(relations) > 2 * MOST_UNKNOWNS:
        return None
    waiting, open_ones, steps = list(relations), list(unknowns), []
    while (step := _next_step(waiting, open_ones)) is not None:
        used, name, tree = step
        waiting = [
            (replace_names(left, {name: tree}), replace_names(right, {name: tree}))
            for k, (left, right) in enumerate(waiting)
            if k != used
        ]
        open_ones.remove(name)
        steps.append((name, tree))
        if _are_large([tree for _, tree in steps] + [side for relation in waiting for side in relation]):
            return None
    made = tuple((slots[name], compile_tree(tree, slots)) for name, tree in reversed(steps))
    sides = tuple((compile_tree(left, slots), compile_tree(right, slots)) for left, right in waiting)
    return Substitution(tuple(steps), tuple(waiting), tuple(open_ones), slots, made, sides)


def solve(plan: Substitution, values: Mapping[str, float], target: str) -> Solution:
    """The unknowns at these values of the knowns, as far as the relations determine them."""
    within = {name for relation in plan.rest for side in relation for name in count_names(side)} & set(plan.open)
    if len(within) > 1:
        return Solution({}, message=f"the rules do not give {in_quotes(sorted(within))} a value, also not together.")
    free = tuple(name for name in plan.open if name not in within)
    if free and any(not _is_smooth(side) for _, side in plan.steps):
        return Solution({}, message=f"{in_quotes(free)} has no value.")
    tried = [list(_solutions(plan, values, free, within, root)) for root in (_POINTS if free else _POINTS[:1])]
    if not all(tried):
        return Solution({}, message=_why_not(plan, values, within))
    if not any(value for solutions in tried for solution in solutions for value in solution.values()):
        return Solution({}, message="the rules go in a circle that only 0 fulfils.")
    targets = [solution.get(target, math.nan) for solutions in tried for solution in solutions]
    first = tried[0][0]
    if any(not close(one, targets[0], _SAME) for one in targets):
        several = sorted({f"{solution.get(target, math.nan):.6g}" for solution in tried[0]})
        message = f"the equations have several solutions: {', '.join(several)}." if len(several) > 1 else ""
        return Solution({}, message=message or f"{in_quotes(free)} has no value, and the target depends on it.")
    same = {
        name: value
        for name, value in first.items()
        if all(close(other.get(name, math.nan), value, _SAME) for solutions in tried for other in solutions)
    }
    return Solution(same, free, f"{in_quotes(free)} has no value; the target does not depend on it." if free else "")


def _why_not(plan: Substitution, values: Mapping[str, float], within: set[str]) -> str:
    """Why there is no solution, as far as that is known."""
    name = next(iter(within), "")
    point = dict(values) | {one: _POINTS[0] for one in plan.open}
    gaps: list[list[float]] = []  # of each relation, left minus right at every point of the unknown
    try:
        for left, right in plan.rest:
            at = [point | {name: of} for of in _POINTS]
            sides = [(evaluate(left, one), evaluate(right, one)) for one in at]
            gaps.append([0.0 if _agree(*pair) else pair[0] - pair[1] for pair in sides])
        for one, tree in reversed(plan.steps):
            if not within and (why := _of_no_slope(one, tree, point)):
                return why
            point[one] = evaluate(tree, point)
    except (ArithmeticError, ValueError, KeyError) as error:
        return f"the rules have no value here: {error}." if not within else _not_solved(name)
    if any(all(gap) and close(min(gap), max(gap), _SAME) for gap in gaps):
        return "the equations contradict each other."
    if gaps and not any(map(any, gaps)):
        return f"the equations say the same and leave {in_quotes([name] if name else plan.open)} without a value."
    numbers = {known: Rational.constant(value) for known, value in values.items()} | {name: Rational.variable()}
    fractions = [rational(Binary("-", *relation), numbers) for relation in plan.rest]
    known = [fraction.solutions(0.0) for fraction in fractions if fraction is not None]
    return "the equations have no real solution." if () in known else _not_solved(name)


def _of_no_slope(name: str, tree: Tree, values: Mapping[str, float]) -> str:
    """Of a + b x = 0 with b = 0 (_linear): x is open where a is 0, and else nothing fulfils it."""
    if not isinstance(tree, Binary) or not isinstance(tree.left, Negative) or not isinstance(tree.right, Binary):
        return ""
    if tree.right.right != tree.left.operand or abs(evaluate(tree.right, values)) > 1e-12:
        return ""
    if abs(evaluate(tree.left, values)) > 1e-12:
        return "the equations contradict each other."
    return f"the equations say the same and leave {in_quotes([name])} without a value."


def _not_solved(name: str) -> str:
    return f"the equations were not solved for {in_quotes([name])}: no way to a solution was found."


def _solutions(
    plan: Substitution, values: Mapping[str, float], free: Sequence[str], within: set[str], root: float
) -> Iterator[dict[str, float]]:
    """Every assignment of the unknowns that fulfils the relations, with the free ones at one point."""
    point = dict(values) | {name: root ** (k / len(free)) for k, name in enumerate(free, 1)}
    for start in _roots(plan.rest, next(iter(within)), point) if within else ({},):
        full = [math.nan] * len(plan.slots)
        for name, value in (point | start).items():
            full[plan.slots[name]] = value
        try:
            for slot, step in plan.evaluators:
                full[slot] = step(full)
            fulfilled = all(_agree(left(full), right(full)) for left, right in plan.sides)
        except (ArithmeticError, ValueError):
            continue
        unknown = {name: full[plan.slots[name]] for name, _ in plan.steps} | start
        if fulfilled and all(map(math.isfinite, unknown.values())):
            yield unknown


def _roots(rest: Sequence[Relation], name: str, values: Mapping[str, float]) -> Iterator[dict[str, float]]:
    left, right = next(relation for relation in rest if any(name in count_names(side) for side in relation))
    numbers = {known: Rational.constant(value) for known, value in values.items()}
    fraction = rational(Binary("-", left, right), numbers | {name: Rational.variable()})
    if fraction is not None:
        yield from ({name: root} for root in dict.fromkeys(fraction.solutions(0.0) or ()))
        return
    counts = [count_names(side).get(name, 0) for side in (left, right)]
    if sum(counts) == 1:
        holding, other = (left, right) if counts[0] else (right, left)
        try:
            inverse = preimage(holding, name, evaluate(other, values), lambda tree: evaluate(tree, values))
        except (NotIsolated, ArithmeticError, ValueError, KeyError):
            return
        if not inverse.ranges and not inverse.periodic:
            yield from ({name: point} for point in inverse.points)
        return
    yield from ({name: root} for root in _by_squaring(Binary("-", left, right), name, numbers))


def _by_squaring(tree: Tree, name: str, numbers: Mapping[str, Rational]) -> tuple[float, ...]:
    """a + b sqrt(u) = 0 with one root of the unknown: the roots of a^2 - b^2 u, of which those of the tree are some."""
    roots = {
        part for part in walk(tree) if isinstance(part, Call) and part.function == "sqrt" and name in count_names(part)
    }
    if len(roots) != 1 or _degree_of_root(tree, root := roots.pop()) != 1:
        return ()
    a = _with_root(tree, root, Number(0.0))
    b = Binary("-", _with_root(tree, root, Number(1.0)), a)
    squares = Binary("-", Binary("^", a, _TWO), Binary("*", Binary("^", b, _TWO), root.arguments[0]))
    fraction = rational(squares, {**numbers, name: Rational.variable()})
    return () if fraction is None else tuple(dict.fromkeys(fraction.solutions(0.0) or ()))


def _with_root(tree: Tree, root: Call, other: Tree) -> Tree:
    if tree == root:
        return other
    if isinstance(tree, Binary):
        return Binary(tree.operator, _with_root(tree.left, root, other), _with_root(tree.right, root, other))
    return Negative(_with_root(tree.operand, root, other)) if isinstance(tree, Negative) else tree


def _degree_of_root(tree: Tree, root: Call) -> int | None:
    """How often a root is a factor where the tree is linear in it."""
    return _degree(_with_root(tree, root, Name(_ROOT)), _ROOT)


def _agree(left: float, right: float) -> bool:
    return close(left, right, FULFILS) or abs(left - right) < 1e-12


def _next_step(relations: Sequence[Relation], unknowns: Sequence[str]) -> tuple[int, str, Tree] | None:
    """The next relation and unknown: `name = tree` first, then one alone in its relation, then any that is linear."""
    choices = []
    for k, (left, right) in enumerate(relations):
        inside = [name for name in unknowns if name in count_names(left) or name in count_names(right)]
        for name in inside:
            tree = right if left == Name(name) and name not in count_names(right) else None
            rank = 0 if tree is not None else 1 if len(inside) == 1 else 2
            if tree is None:
                tree = _linear(left, right, name) or _undone(left, right, name)
            if tree is not None:
                choices.append((rank, k, name, tree))
        if choices and choices[-1][0] == 0:
            break
    return min(choices)[1:] if choices else None


def _linear(left: Tree, right: Tree, name: str) -> Tree | None:
    """a + b x = 0 solved for x: -a / b, where both sides are linear in x as they are written."""
    if any(_degree(side, name) not in (0, 1) for side in (left, right)):
        return None
    difference = Binary("-", left, right)
    at_zero = replace_names(difference, {name: Number(0.0)})
    slope = Binary("-", replace_names(difference, {name: Number(1.0)}), at_zero)
    return Binary("/", Negative(at_zero), slope)


def _degree(tree: Tree, name: str) -> int | None:
    if name not in count_names(tree):
        return 0
    if isinstance(tree, Name):
        return 1
    if isinstance(tree, Negative):
        return _degree(tree.operand, name)
    if isinstance(tree, Call):
        inner = [_degree(part, name) for part in tree.arguments] if tree.function in ("sum", "mean") else [None]
        return None if None in inner else max(degree for degree in inner if degree is not None)
    if not isinstance(tree, Binary) or tree.operator not in "+-*/":
        return None
    left, right = _degree(tree.left, name), _degree(tree.right, name)
    if left is None or right is None or (tree.operator == "/" and right):
        return None
    return max(left, right) if tree.operator in "+-" else left + right


def _undone(left: Tree, right: Tree, name: str) -> Tree | None:
    """The name alone, where it stands once and under no power: of x^2 there are two."""
    for side in (left, right):
        if any(_is_power(part) and name in count_names(part) for part in walk(side)):
            return None
    return isolate(left, right, name)


def _is_power(tree: Tree) -> bool:
    return isinstance(tree, Binary) and tree.operator == "^"


def _is_smooth(tree: Tree) -> bool:
    return all(
        not isinstance(part, Choice)
        and not (isinstance(part, Call) and part.function in _STEPS)
        and not (isinstance(part, Binary) and part.operator not in "+-*/^")
        for part in walk(tree)
    )


def _are_large(trees: Sequence[Tree]) -> bool:
    """Too many parts, or nested too deep for those who walk them by calling themselves."""
    level, seen, depth = list(trees), 0, 0
    while level:
        seen, depth = seen + len(level), depth + 1
        if seen > MOST_PARTS or depth > DEEPEST:
            return True
        level = [part for each in level for part in parts(each)]
    return False
