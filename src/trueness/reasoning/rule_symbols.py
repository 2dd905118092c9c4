"""The symbols of an equation bound to the effect and its causes: a rule that can be executed, or why it is none.

F = m a, for the acceleration             a = F / m, solved for the effect
N = log10(t), rounded up                  the rounding belongs to the formula
pay * rate, of a rate of 20 %             the factor is 0.2
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from trueness.patterns import late
from trueness.reasoning.aliases import aliases_of, explained_symbols
from trueness.reasoning.candidates import LET, ROUNDED, STANDS_FOR
from trueness.reasoning.graph import in_quotes
from trueness.reasoning.isolation import isolate
from trueness.reasoning.literals import standing_of
from trueness.reasoning.percents import in_shares, says_percent
from trueness.reasoning.rule import Rule, Values
from trueness.reasoning.syntax import Equation, symbol
from trueness.reasoning.trees import (
    CONSTANTS,
    NATURE,
    Call,
    Name,
    Number,
    Tree,
    count_names,
    joins_amounts,
    rename,
    replace_names,
)
from trueness.reasoning.word_names import is_other, share_meaning

_SI = frozenset("m s kg N J W Pa K C A V T Hz ohm Ω F H Wb mol rad deg degree degrees".split())
_FALLS = late(r"(?:/\s*\(|sqrt\s*\(|√\s*\(?|/|\\frac\{[^{}]*\}\{|\\sqrt\{)\s*\d\s*g\b")  # v^2 / (2 g), sqrt(2 g * h)


def percents_as_shares(rule: Rule, effect: str, values: Values) -> Rule:
    """pay * rate for a rate of 20 %: the factor is 0.2; 300 + 20 % may be 300.2 or 360, and has no value."""
    percents = frozenset(name for name, _, unit in values if unit == "%")
    gives_percent = says_percent(effect)
    if rule.tree is None or not (gives_percent or percents & rule.uses):
        return rule
    tree = in_shares(rule.tree, percents, gives_percent)
    message = (
        f"rule of '{effect}' leaves open what {in_quotes(sorted(percents & rule.uses) or [effect])}, in %, means in it."
    )
    return replace(
        rule,
        tree=tree,
        message=rule.message if tree is not None else f"{message} Write shares as factors.",
        is_open=tree is None,
    )


def with_rounding(equation: Equation, text: str) -> Equation:
    """`N = log10(t), rounded up`: the rounding stands behind the formula and belongs to it."""
    rounding = ROUNDED.search(text)
    if rounding is None:
        return equation
    function = {"up": "ceil", "down": "floor"}.get(rounding[1], "round")
    return Equation(equation.left, Call(function, (equation.right,)))


def bind_symbols(
    text: str,
    equation: Equation,
    causes: Sequence[str],
    effect: str,
    nodes: Sequence[str],
    values: Values,
    constants: Mapping[str, Tree],
) -> Rule:
    """The symbols of an equation matched to the effect and its causes. `constants`: what the rule itself gives."""
    left, right = equation
    if joins_amounts(right):
        message = f"rule of '{effect}' joins quantities by 'and' or 'or'. Write +, or a comparison of each."
        return Rule(text, "broken", message=message)
    explained = explained_symbols(text, (*causes, effect))
    right = replace_names(right, constants)
    symbols = (count_names(left) if left is not None else {}) | count_names(right)
    called, units = [symbol(name) for name in (*causes, effect)], [unit for _, _, unit in values]
    others = {symbol(node) for node in nodes if node not in causes and node != effect}
    aliases = aliases_of(left, [name for name in symbols if name not in others], causes, effect, explained)
    unmatched = [name for name in symbols if name not in aliases]
    beyond = {
        symbol(node): node
        for node in nodes
        if symbol(node) in unmatched
        and symbol(node) in others
        # `5 m * t` may be five metres: without an edge from m nothing says that it is the node
        and standing_of(symbol(node), text, called, units) == "quantity"
    }
    strange = [name for name in unmatched if name not in beyond and name not in CONSTANTS]
    nature = {name: Number(NATURE[name]) for name in strange if _is_constant(name, text, called, units)}
    strange = [name for name in strange if name not in nature]
    let = [(short, words) for short, words in LET.findall(text) if short in aliases]
    strange += [short for short, words in let if not share_meaning(words, aliases[short])]
    strange += [short for short, words in STANDS_FOR.findall(text) if is_other(words, aliases.get(short, ""))]
    if strange:
        verb = "is" if len(strange) == 1 else "are"
        message = (
            f"rule of '{effect}' uses {in_quotes(strange)}, which {verb} not among its causes ({in_quotes(causes)})."
        )
        return Rule(text, "broken", message=message)
    right = replace_names(rename(right, aliases | beyond), nature)
    left = None if left is None else replace_names(rename(left, aliases | beyond), nature)
    tree = right if left is None or left == Name(effect) else isolate(left, right, effect)
    if tree is None or effect in count_names(tree):
        message = f"rule of '{effect}' cannot be solved for it. Write '{effect} = ...'."
        volts = standing_of(symbol(effect), text, called, units) != "quantity"  # V = 12 V - I R
        return Rule(text, "broken", message=message, equation=None if left is None or volts else Equation(left, right))
    names = count_names(tree)
    missing = tuple(node for node in beyond.values() if node in names)
    shown = {short: name for short, name in aliases.items() if short != symbol(name)}
    shown |= {name: f"{number.value:g} in SI" for name, number in nature.items()}
    message = f"the rule of '{effect}' uses {in_quotes(missing)}, which has no edge to it." if missing else ""
    uses = frozenset(names) & {*causes, *missing}
    return Rule(text, "formula", tree, uses, shown, message, beyond=missing)


def _is_constant(name: str, text: str, called: Sequence[str], units: Sequence[str | None]) -> bool:
    """Whether a name is a constant of nature: its value is that of SI, so no unit of another system may be there."""
    if name not in NATURE or (name == "c" and not re.search(r"c\s*(?:\^|\*\*|²)|light", text)):
        return False
    # 500 g may be grams; 2 g h and v^2 / (2 g) are not
    if name == "g" and standing_of(name, _FALLS.sub("", text), called, units) != "quantity":
        return False
    return all(set(re.findall(r"[^\W\d_]+", unit or "")) <= _SI for unit in units)
