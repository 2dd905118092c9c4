"""From our trees to sympy, part by part: no text is ever handed to sympy but the names of nodes.

For those who want to go on symbolically (simplify, differentiate, print as LaTeX) and as a second evaluator in tests.
Execution itself is in floats: a power tower is a number out of range there, and a frozen program in exact arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueness.errors import DataError, MissingExtra
from trueness.outside import one_line
from trueness.reasoning.trees import CONSTANTS, Binary, Call, Choice, Name, Negative, Number, Tree

if TYPE_CHECKING:
    import sympy


def to_sympy(tree: Tree) -> sympy.Basic:
    """The sympy expression; names become real symbols. What sympy cannot write is one line."""
    try:
        import sympy  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("a rule as a symbolic expression", "sympy", "reasoning") from None
    try:
        return _expression(tree)
    except (ArithmeticError, ValueError, TypeError, AttributeError, RecursionError, NotImplementedError) as error:
        raise DataError(f"the rule must be one that sympy can write, got: {one_line(error)}. Mend it there.") from None


def _expression(tree: Tree) -> sympy.Basic:
    import sympy

    if isinstance(tree, Number):
        whole = tree.value.is_integer() and abs(tree.value) < 1e15
        return sympy.Integer(int(tree.value)) if whole else sympy.Float(tree.value)
    if isinstance(tree, Name):
        if tree.name in CONSTANTS:
            return sympy.pi if tree.name == "pi" else sympy.E
        return sympy.Symbol(tree.name, real=True)
    if isinstance(tree, Negative):
        return -_expression(tree.operand)
    if isinstance(tree, Choice):
        return sympy.Piecewise(
            (_expression(tree.then), _truth(tree.condition)), (_expression(tree.otherwise), sympy.true), evaluate=False
        )
    if isinstance(tree, Binary):
        return _binary(tree)
    return _call(tree)


def _binary(tree: Binary) -> sympy.Basic:
    import sympy

    if tree.operator in ("and", "or") or tree.operator in _RELATIONS:
        return sympy.Piecewise((1, _truth(tree)), (0, sympy.true), evaluate=False)
    left, right = _expression(tree.left), _expression(tree.right)
    if tree.operator == "^":  # never computed here: 9^9^9 stays as it is written
        return sympy.Pow(left, right, evaluate=not (left.is_number and right.is_number))
    made = {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right}
    made |= {"/": lambda: left / right, "%": lambda: sympy.Mod(left, right)}
    return made[tree.operator]()


_RELATIONS = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq", "!=": "Ne"}


def _truth(tree: Tree) -> sympy.Basic:
    import sympy

    if isinstance(tree, Binary) and tree.operator in _RELATIONS:
        return getattr(sympy, _RELATIONS[tree.operator])(_expression(tree.left), _expression(tree.right))
    if isinstance(tree, Binary) and tree.operator in ("and", "or"):
        joined = sympy.And if tree.operator == "and" else sympy.Or
        return joined(_truth(tree.left), _truth(tree.right))
    return sympy.Ne(_expression(tree), 0)


def _call(tree: Call) -> sympy.Basic:
    import sympy

    values = [_expression(part) for part in tree.arguments]
    function = tree.function
    if function == "mean":
        return sum(values) / len(values)
    if function == "sum":
        return sympy.Add(*values)
    if function in ("log10", "log2"):
        return sympy.log(values[0], int(function[3:]))
    if function == "round":
        return sympy.Function("round")(*values)
    if function == "radians":
        return values[0] * sympy.pi / 180
    if function == "degrees":
        return values[0] * 180 / sympy.pi
    names = {"ln": "log", "abs": "Abs", "ceil": "ceiling", "min": "Min", "max": "Max", "comb": "binomial"}
    return getattr(sympy, names.get(function, function))(*values)
