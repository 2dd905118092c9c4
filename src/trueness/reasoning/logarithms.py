"""A logarithm without a base: of ten where the field says so, any where it cancels out, else there is no value.

pH = -log(h), L = 10 log(I / I0) in dB      log10
n = log(F / P) / log(1 + r)                 the same in every base
t = log(n) * 3                              of ten or e: nobody says which; math.log, ln and log10 say it
"""

from __future__ import annotations

from trueness.patterns import late
from trueness.reasoning.trees import Binary, Call, Choice, Name, Negative, Number, Tree, agree, parts

_OF_TEN = late(r"(?<![^\W_])p(?:H|OH|K[ab]?)(?![a-z])|decibel|\bdB\b")


def with_base(tree: Tree, context: str) -> Tree | None:
    """The tree with a base for each log; None where that is not clear. `context`: the rule and its names."""
    if not _is_open(tree):
        return tree
    of_ten, natural = _with(tree, "log10"), _with(tree, "ln")
    if _OF_TEN.search(context):
        return of_ten
    return natural if agree(of_ten, natural) else None


def _is_open(tree: Tree) -> bool:
    bare = isinstance(tree, Call) and tree.function == "log" and len(tree.arguments) == 1
    return bare or any(map(_is_open, parts(tree)))


def _with(tree: Tree, function: str) -> Tree:
    below = tuple(_with(part, function) for part in parts(tree))
    match tree:
        case Number() | Name():
            return tree
        case Negative():
            return Negative(*below)
        case Binary():
            return Binary(tree.operator, *below)
        case Choice():
            return Choice(*below)
        case Call():
            return Call(function if tree.function == "log" and len(below) == 1 else tree.function, below)
