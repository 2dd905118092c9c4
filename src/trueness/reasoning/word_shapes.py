"""Trees whose names are phrases, and how they are put together. A phrase that begins with EVERY is several causes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TypeAlias

from trueness.reasoning.trees import Binary, Call, Name, Number, Tree

Shape: TypeAlias = Tree
EVERY = "every "
MORE_BY, LESS_BY = "increased by", "reduced by"  # calls that word_causes.py resolves by units
HUNDRED = Number(100.0)


def is_percent(shape: Shape) -> bool:
    """Whether it is a percentage as it is written: 20 / 100."""
    return isinstance(shape, Binary) and isinstance(shape.left, Number) and shape == Binary("/", shape.left, HUNDRED)


def combine(operator: str, left: Shape, right: Shape) -> Iterator[Shape]:
    """left and right by an operation. A percentage is added to one phrase as a share of it, and to nothing else."""
    if operator in "+-" and is_percent(left):
        whole = Number(1.0) if left == Binary("/", HUNDRED, HUNDRED) else left  # 100 % minus a share
        left, right = (right, left) if operator == "+" else (whole, right)
    if operator not in "+-" or not (is_percent(right) or is_percent(left)):
        yield Binary(operator, left, right)
    elif isinstance(left, Name):
        yield Binary(operator, left, Binary("*", right, left))


def join(operation: str, shapes: Sequence[Shape]) -> Shape:
    """One operation over several: a + b + c, mean(a, b, c)."""
    if operation == "difference":
        return Call("abs", (Binary("-", *shapes),))
    if operation in ("mean", "max", "min", "gcd", "lcm"):
        return Call(operation, tuple(shapes))
    if operation == "reciprocals":
        shapes = [Binary("/", Number(1.0), shape) for shape in shapes]
    if operation == "geometric":
        return Binary("^", join("product", shapes), Binary("/", Number(1.0), Number(float(len(shapes)))))
    if operation == "squares":
        shapes = [Binary("^", shape, Number(2.0)) for shape in shapes]
    return reduce(lambda left, right: Binary("*" if operation == "product" else "+", left, right), shapes)
