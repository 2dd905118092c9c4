"""Causes in per cent within a formula: a factor of 20 % is 0.2; what is in per cent itself stays a number of per cent.

price * rate, price * (1 + rate)                     rate / 100
price * (1 - discount / 100), (100 - d) / 100 * p    as they are: tree(p, 100) = tree(p / 100, 1)
for an effect in %: (a + b) / 2, (1 + r)^12 - 1      100 tree(p / 100)
price + rate, 72 / rate                              no value
"""

from __future__ import annotations

from trueness.reasoning.notation import unit_in
from trueness.reasoning.trees import (
    CONSTANTS,
    Binary,
    Call,
    Choice,
    Name,
    Number,
    Tree,
    agree,
    count_names,
    parts,
    replace_names,
    walk,
)

HUNDRED, ONE = Number(100.0), Number(1.0)


def says_percent(name: str) -> bool:
    """Whether a name says that it is in per cent."""
    return "%" in name or "percent" in name.lower() or unit_in(name) == "%"


def in_shares(tree: Tree, percents: frozenset[str], gives_percent: bool) -> Tree | None:
    """The tree over numbers as they are given; None where it is not clear what a percentage in it means."""
    names = frozenset(count_names(tree)) - set(CONSTANTS)
    used = percents & names
    has_hundred = HUNDRED in walk(tree)
    if not used:
        ratio = agree(tree, replace_names(tree, _shares(names)))
        return None if gives_percent and ratio and not has_hundred else tree  # profit / revenue: 0.25 or 25
    if any(isinstance(part, Choice) for part in walk(tree)):
        return None  # rate > 5: of 20, or 0.2
    if used == names and agree(tree, Binary("*", HUNDRED, replace_names(tree, _shares(names)))):
        return tree  # 20 % + 30 % are 50 %
    in_ones = _by_one(replace_names(tree, _shares(used)))
    if has_hundred and agree(tree, Binary("*", HUNDRED, in_ones) if gives_percent else in_ones):
        return tree
    if gives_percent:
        return None if has_hundred else Binary("*", HUNDRED, replace_names(tree, _shares(used)))
    if not _multiplies(tree, used):
        return None
    return _with_shares(tree, used)


def _shares(names: frozenset[str]) -> dict[str, Tree]:
    return {name: Binary("/", Name(name), HUNDRED) for name in names}


def _with_shares(tree: Tree, names: frozenset[str]) -> Tree:
    """Each as a share, but where the rule divides it by 100 itself."""
    if isinstance(tree, Binary) and tree.operator == "/" and tree.right == HUNDRED and isinstance(tree.left, Name):
        return tree
    if isinstance(tree, Binary) and tree.left == HUNDRED and tree.operator in "+-" and _is_share(tree.right, names):
        return tree  # 100 - discount
    if isinstance(tree, Name):
        return Binary("/", tree, HUNDRED) if tree.name in names else tree
    if isinstance(tree, Binary):
        return Binary(tree.operator, _with_shares(tree.left, names), _with_shares(tree.right, names))
    if isinstance(tree, Call):
        return Call(tree.function, tuple(_with_shares(part, names) for part in tree.arguments))
    return replace_names(tree, _shares(names))


def _multiplies(tree: Tree, names: frozenset[str]) -> bool:
    """Whether each is a factor, or added to 1 or to others: never to an amount, nor below a number."""
    if isinstance(tree, Binary) and tree.operator in ("+", "-", "<", ">", "<=", ">=", "==", "!="):
        sides = (tree.left, tree.right)
        bare = [side for side in sides if _is_share(side, names)]
        others = [side for side in sides if side not in bare and side not in (ONE, HUNDRED)]
        if bare and others:
            return False
    if isinstance(tree, Binary) and tree.operator == "/" and isinstance(tree.left, Number):
        if _is_share(tree.right, names):
            return False  # 72 / rate
    return all(_multiplies(part, names) for part in parts(tree))


def _is_share(tree: Tree, names: frozenset[str]) -> bool:
    return isinstance(tree, Name) and tree.name in names


def _by_one(tree: Tree) -> Tree:
    """Of p / 100 with 1 in the place of the rule's own hundreds: those that _shares made are kept."""
    if isinstance(tree, Binary):
        if tree.operator == "/" and tree.right == HUNDRED and isinstance(tree.left, Name):
            return tree
        return Binary(tree.operator, _by_one(tree.left), _by_one(tree.right))
    if isinstance(tree, Call):
        return Call(tree.function, tuple(map(_by_one, tree.arguments)))
    return ONE if tree == HUNDRED else tree
