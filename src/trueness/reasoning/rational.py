"""Rational functions of one unknown: p(x) / q(x) with numeric coefficients, lowest power first.

Enough for rules in which the unknown occurs several times, directly or on several paths: t = p(x)/q(x) is solved
by the real roots of p(x) - t q(x). Degrees stay at most 12; above, roots of floats mean little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from trueness.reasoning.trees import COMPARISONS, Binary, Call, Name, Negative, Tree, count_names, evaluate

MAX_DEGREE = 12

Coefficients = NDArray[np.floating] | tuple[float, ...]


@dataclass(frozen=True)
class Rational:
    """Coefficients of numerator and denominator, lowest power first."""

    over: tuple[float, ...]
    under: tuple[float, ...] = (1.0,)

    @classmethod
    def constant(cls, value: float) -> Rational:
        return cls((value,))

    @classmethod
    def variable(cls) -> Rational:
        return cls((0.0, 1.0))

    @property
    def value(self) -> float | None:
        """Of a constant."""
        return self.over[0] / self.under[0] if len(self.over) == len(self.under) == 1 and self.under[0] else None

    def solutions(self, wanted: float) -> tuple[float, ...] | None:
        """Real x with p(x) = wanted q(x), polished by Newton's method; None where every x is one."""
        difference = polynomial.polytrim(
            polynomial.polysub(self.over, polynomial.polymul((wanted,), self.under)), tol=1e-14 * _size(self.over)
        )
        if len(difference) == 1:
            return None if abs(difference[0]) <= 1e-12 * (abs(wanted) or 1.0) else ()
        roots = polynomial.polyroots(difference)
        real = [root.real for root in roots if abs(root.imag) <= 1e-6 * max(1.0, abs(root))]
        return tuple(_polish(difference, float(root)) for root in real)


def rational(tree: Tree, names: Mapping[str, Rational]) -> Rational | None:
    """The tree with rational functions for its names; None where it is no rational function."""
    constants = {name: fraction.value for name, fraction in names.items()}
    if all(constants.get(name) is not None or name not in names for name in count_names(tree)):
        values = {name: value for name, value in constants.items() if value is not None}
        try:
            return Rational.constant(evaluate(tree, values))
        except (ArithmeticError, ValueError):
            return None
    if isinstance(tree, Name):
        return names[tree.name]
    if isinstance(tree, Negative):
        inner = rational(tree.operand, names)
        return None if inner is None else Rational(tuple(-c for c in inner.over), inner.under)
    if isinstance(tree, Call):
        return _sum(tree, names)
    if not isinstance(tree, Binary) or tree.operator in COMPARISONS or tree.operator == "%":
        return None
    left, right = rational(tree.left, names), rational(tree.right, names)
    if left is None or right is None:
        return None
    return _power(left, right) if tree.operator == "^" else _combine(tree.operator, left, right)


def _sum(tree: Call, names: Mapping[str, Rational]) -> Rational | None:
    if tree.function not in ("sum", "mean"):
        return None
    total: Rational | None = Rational.constant(0.0)
    for part in tree.arguments:
        inner = rational(part, names)
        total = None if inner is None or total is None else _combine("+", total, inner)
    if total is None or tree.function == "sum":
        return total
    return _combine("/", total, Rational.constant(float(len(tree.arguments))))


def _combine(operator: str, left: Rational, right: Rational) -> Rational | None:
    if operator in ("+", "-"):
        joined = polynomial.polyadd if operator == "+" else polynomial.polysub
        if left.under == right.under:
            return _of_low_degree(joined(left.over, right.over), left.under)
        over = joined(polynomial.polymul(left.over, right.under), polynomial.polymul(right.over, left.under))
        return _of_low_degree(over, polynomial.polymul(left.under, right.under))
    if operator == "*":
        return _of_low_degree(polynomial.polymul(left.over, right.over), polynomial.polymul(left.under, right.under))
    return _of_low_degree(polynomial.polymul(left.over, right.under), polynomial.polymul(left.under, right.over))


def _power(base: Rational, exponent: Rational) -> Rational | None:
    n = exponent.value
    if n is None or not n.is_integer() or abs(n) > MAX_DEGREE:
        return None
    over, under = (base.over, base.under) if n >= 0 else (base.under, base.over)
    degree = int(abs(n))
    if degree * max(len(over) - 1, len(under) - 1) > MAX_DEGREE:
        return None
    return _of_low_degree(polynomial.polypow(over, degree), polynomial.polypow(under, degree))


def _of_low_degree(over: Coefficients, under: Coefficients) -> Rational | None:
    if max(len(over), len(under)) > MAX_DEGREE + 1 or not np.any(under):
        return None
    if not (np.isfinite(over).all() and np.isfinite(under).all()):
        return None
    return Rational(tuple(float(c) for c in over), tuple(float(c) for c in under))


def _size(coefficients: tuple[float, ...]) -> float:
    return max((abs(c) for c in coefficients), default=1.0) or 1.0


def _polish(coefficients: NDArray[np.floating], root: float) -> float:
    """Newton's steps as long as they come nearer: at a double root p and its slope are rounding, and a step is any."""
    slope = polynomial.polyder(coefficients)
    height = float(polynomial.polyval(root, coefficients))
    for _ in range(8):
        steep = float(polynomial.polyval(root, slope))
        nearer = root - height / steep if steep else root
        lower = float(polynomial.polyval(nearer, coefficients))
        if not abs(lower) < abs(height):
            break
        root, height = nearer, lower
    return root
