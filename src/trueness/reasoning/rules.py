"""The rule of an effect: a formula over its causes, words, or something that is neither.

    formula   `a = F/m`, `F/m`, `Newton: a = F/m (second law)`    a tree over the causes; can be executed
              `divide F by m`                                     arithmetic in words, told in `read_as` (in_words.py)
    words     `friction slows the car`                            no error; left to the judge
    broken    `a = F /`, `a = f.__class__`                        a message says why; cannot be executed
    empty

A node that a formula names and the edge lacks is used, and told as a missing edge in `beyond`. A formula may call the
effect and its causes by their names, in other case, or by short names: the left side stands for the effect, and a
symbol left over stands for the one cause left over or the one that begins with its letter. What was taken for what is
told in `aliases`. `F = m*a` for the effect a is solved for a where a occurs once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from trueness.reasoning.graph import ReasoningGraph, named
from trueness.reasoning.in_words import computes, read_phrases, read_words, shares_word
from trueness.reasoning.isolation import isolated
from trueness.reasoning.syntax import MAX_LENGTH, Equation, RuleError, parse, symbol
from trueness.reasoning.temperatures import (
    KELVIN,
    Ambiguous,
    as_declared,
    in_kelvin,
    is_per_kelvin,
    scale_given,
    scale_of,
)
from trueness.reasoning.trees import CONSTANTS, Call, Name, Tree, count_names, renamed

RuleKind = Literal["formula", "words", "broken", "empty"]

_FORMULA_SIGNS = re.compile(r"[=*/^+√×÷·²³\\]|\w\(|\*\*|__|lambda")
_TWO_WORDS = re.compile(r"[^\W\d]{2,}[ ,]+[^\W\d]{2,}")
_BEHIND = re.compile(
    r"\s*(?:\bwhere\b|\bwith\b|\bsince\b|\bbecause\b|[;\n]|,\s+[^\W\d]+\s+[^\W\d]+|\(\s*[^\W\d]+['’]?\w*\s+[^\W\d]).*$"
)
_FRONT = re.compile(r"^[^:=]*:\s*")
_EQUATION = re.compile(r"[^\W\d][\w']*\s*=(?!=).*$")
_ROUNDED = re.compile(r",\s*(?:and\s+)?round(?:ed|ing)?\s+(up|down|to the nearest (?:integer|whole number))\b")


@dataclass(frozen=True)
class Rule:
    """How one effect follows from its causes. `tree` is over the names of nodes, and only where `kind` is formula."""

    text: str
    kind: RuleKind
    tree: Tree | None = None
    uses: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    read_as: str = ""  # the formula that words became
    beyond: tuple[str, ...] = ()  # nodes that it uses and that have no edge to the effect
    equation: Equation | None = None  # over nodes, where it says something of the effect and gives it no value

    @property
    def executable(self) -> bool:
        return self.tree is not None


def rules_of(graph: ReasoningGraph) -> dict[str, tuple[Rule, ...]]:
    """Per effect its rules, each text once: an edge for each cause with the same rule is one rule."""
    found: dict[str, tuple[Rule, ...]] = {}
    for effect, edges in graph.rules_of.items():
        texts = dict.fromkeys(edge.rule.strip() for edge in edges)
        if len(texts) > 1:
            texts.pop("", None)
        causes = graph.parents[effect]
        values = tuple(
            (name, known.value, known.unit)
            for name in causes
            if (known := graph.knowns.get(name)) is not None and known.value is not None
        )
        found[effect] = tuple(read_rule(text, causes, effect, graph.nodes, values) for text in texts)
    for name, known in graph.knowns.items():  # sqrt(2) * L1: a known that is given by other nodes
        given = read_rule(known.text, (), name, graph.nodes) if known.value is None and known.text else None
        if given is not None and given.executable and given.uses:
            found[name] = (*found.get(name, ()), replace(given, message="", beyond=()))
    return _with_temperatures(graph, found)


def _with_temperatures(graph: ReasoningGraph, found: dict[str, tuple[Rule, ...]]) -> dict[str, tuple[Rule, ...]]:
    """Points in °C beside kelvin in kelvin; a rule that does not say whether it is one cannot be executed."""
    units = {node: graph.unit_of(node) for node in graph.nodes}
    declared = {node: scale for node, unit in units.items() if (scale := scale_of(node, unit)) is not None}
    if not set(declared.values()) - {KELVIN}:
        return found
    scales, per_kelvin = dict(declared), frozenset(node for node, unit in units.items() if is_per_kelvin(unit))
    for _ in range(2):  # a node between has the scale of its rule, wherever that stands in the list
        for effect, rules in found.items():
            gives = [scale for rule in rules if rule.tree is not None and (scale := scale_given(rule.tree, scales))]
            if gives:
                scales.setdefault(effect, gives[0])

    def converted(effect: str, rule: Rule) -> Rule:
        if rule.tree is None:
            return rule
        try:
            tree = in_kelvin(rule.tree, scales, per_kelvin)
            return replace(rule, tree=as_declared(tree, scales, declared.get(effect)))
        except Ambiguous as error:
            return replace(rule, tree=None, message=f"rule of '{effect}': {error}")

    return {effect: tuple(converted(effect, rule) for rule in rules) for effect, rules in found.items()}


Values = tuple[tuple[str, float, str | None], ...]  # causes with a value, and their unit


def read_rule(
    text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...] = (), values: Values = ()
) -> Rule:
    """The rule of one effect. `nodes` are all names of the graph: a symbol that is another node is no alias."""
    if not text:
        return Rule(text, "empty", message=f"the edge to '{effect}' has no rule.")
    if len(text) > MAX_LENGTH:  # before the cache, which would keep the text
        told = f"rule of '{effect}': a rule must have at most {MAX_LENGTH} characters, got {len(text):,}. Shorten it."
        return Rule(text[:MAX_LENGTH], "broken", message=told)
    return _read(text, causes, effect, nodes, values)


@lru_cache(maxsize=8192)
def _read(text: str, causes: tuple[str, ...], effect: str, nodes: tuple[str, ...], values: Values) -> Rule:
    if not _FORMULA_SIGNS.search(text) and _TWO_WORDS.search(text):
        return _in_words(text, causes, effect, values) or Rule(text, "words")
    rules: list[Rule] = []
    first = ""
    for candidate in _candidates(text, causes, effect):
        try:
            equation = parse(candidate, (*causes, effect, *nodes))
        except RuleError as error:
            first = first or str(error)
            continue
        rules.append(_bound(text, _rounded(equation, text), causes, effect, nodes))
        if rules[-1].executable:
            return rules[-1]
    found = _in_words(text, causes, effect, values)
    if found is not None or rules:
        return found or rules[0]
    if "=" not in text and len(_TWO_WORDS.findall(text)) > 1:
        return Rule(text, "words")
    return Rule(text, "broken", message=f"rule of '{effect}': {first}")


def _in_words(text: str, causes: tuple[str, ...], effect: str, values: Values) -> Rule | None:
    known = {name: (value, unit) for name, value, unit in values}
    found = read_words(text, causes, effect, known) or read_phrases(text, causes, effect, known)
    if found is None:
        return None
    uses = frozenset(count_names(found.tree)) & frozenset(causes)
    return Rule(text, "formula", found.tree, uses, found.phrases, read_as=f"{effect} = {found.formula}")


def _rounded(equation: Equation, text: str) -> Equation:
    """`N = log10(t), rounded up`: the rounding stands behind the formula and belongs to it."""
    said = _ROUNDED.search(text)
    if said is None:
        return equation
    function = {"up": "ceil", "down": "floor"}.get(said[1], "round")
    return Equation(equation.left, Call(function, (equation.right,)))


def _candidates(text: str, causes: Sequence[str], effect: str) -> Iterator[str]:
    """The text as it is, then without what people write in front of and behind a formula, then what stands at its =."""
    tried = {text, ""}
    yield text
    shorter = _BEHIND.sub("", text)
    sentence = _EQUATION.search(text)
    plain_front = sentence is not None and not computes(text[: sentence.start()])
    inside = _BEHIND.sub("", sentence[0]).strip().rstrip(".") if sentence is not None and plain_front else ""
    inside = inside[:-1] if inside.count(")") > inside.count("(") else inside
    left, _, right = text.partition("=")
    words = set(re.findall(r"[^\W\d]\w*", left))
    stands = shares_word(left, effect) and not words & {"solve", "Solve", *map(symbol, causes)}
    for candidate in (
        shorter, _FRONT.sub("", text), _FRONT.sub("", shorter), inside, right if stands else ""
    ):  # fmt: skip
        if candidate not in tried:
            tried.add(candidate)
            yield candidate


def _bound(text: str, equation: Equation, causes: Sequence[str], effect: str, nodes: Sequence[str]) -> Rule:
    """The symbols of an equation matched to the effect and its causes."""
    left, right = equation
    found = (count_names(left) if left is not None else {}) | count_names(right)
    others = {symbol(node) for node in nodes if node not in causes and node != effect}
    aliases = _aliases(left, [name for name in found if name not in others], causes, effect)
    unmatched = [name for name in found if name not in aliases]
    beyond = {
        symbol(node): node
        for node in nodes
        if symbol(node) in unmatched
        and symbol(node) in others
        # `5 m` may be five metres: without an edge from m nothing says that it is the node
        and not re.search(rf"\d\s*{re.escape(symbol(node))}\b", text)
    }
    strange = [name for name in unmatched if name not in beyond and name not in CONSTANTS]
    if strange:
        verb = "is" if len(strange) == 1 else "are"
        message = f"rule of '{effect}' uses {named(strange)}, which {verb} not among its causes ({named(causes)})."
        return Rule(text, "broken", message=message)
    right = renamed(right, aliases | beyond)
    left = None if left is None else renamed(left, aliases | beyond)
    tree = right if left is None or left == Name(effect) else isolated(left, right, effect)
    if tree is None or effect in count_names(tree):
        message = f"rule of '{effect}' cannot be solved for it. Write '{effect} = ...'."
        return Rule(text, "broken", message=message, equation=None if left is None else Equation(left, right))
    names = count_names(tree)
    missing = tuple(node for node in beyond.values() if node in names)
    told = {short: name for short, name in aliases.items() if short != symbol(name)}
    message = f"the rule of '{effect}' uses {named(missing)}, which has no edge to it." if missing else ""
    uses = frozenset(names) & {*causes, *missing}
    return Rule(text, "formula", tree, uses, told, message, beyond=missing)


def _aliases(left: Tree | None, found: Sequence[str], causes: Sequence[str], effect: str) -> dict[str, str]:
    """What each symbol stands for, as far as that is clear. The effect may stand on either side: F = m*a."""
    aliases = _exact((*causes, effect), found)
    unmatched = [name for name in found if name not in aliases and name not in CONSTANTS]
    if effect not in aliases.values():
        together = _guessed(unmatched, [name for name in (*causes, effect) if name not in aliases.values()])
        if effect in together.values():
            return aliases | together
        if isinstance(left, Name) and left.name in unmatched:
            aliases[left.name] = effect
            unmatched.remove(left.name)
    return aliases | _guessed(unmatched, [cause for cause in causes if cause not in aliases.values()])


def _exact(names: Sequence[str], found: Sequence[str]) -> dict[str, str]:
    """Symbols that are a node's own name, or the only one that differs in case."""
    aliases = {symbol(name): name for name in names if symbol(name) in found}
    for written in found:
        near = [name for name in names if symbol(name).casefold() == written.casefold()]
        if written not in aliases and len(near) == 1 and near[0] not in aliases.values():
            aliases[written] = near[0]
    return aliases


def _guessed(unmatched: Sequence[str], free: Sequence[str]) -> dict[str, str]:
    """One symbol and one cause left over, or symbols that begin exactly one cause each; else nothing."""
    if len(unmatched) == len(free) == 1:
        return {unmatched[0]: free[0]}
    found: dict[str, str] = {}
    for short in unmatched:
        begun = [cause for cause in free if cause[:1].casefold() == short[:1].casefold()]
        if len(begun) != 1 or begun[0] in found.values():
            return {}
        found[short] = begun[0]
    return found
