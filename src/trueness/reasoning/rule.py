"""A rule as it was read, and the rules of a graph with their angles and temperatures in one unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from trueness.reasoning.angles import Angles
from trueness.reasoning.graph import ReasoningGraph
from trueness.reasoning.syntax import Equation
from trueness.reasoning.temperatures import (
    KELVIN,
    Ambiguous,
    Nodes,
    as_declared,
    gives_kelvin,
    in_kelvin,
    is_constant,
    is_per_celsius,
    is_per_kelvin,
    scale_given,
    scale_of,
)
from trueness.reasoning.trees import Binary, Tree

RuleKind = Literal["formula", "words", "broken", "empty"]

Values = tuple[tuple[str, float, str | None], ...]  # causes with a value, and their unit


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
    units_inside: bool = False  # its numbers had units: what it gives has a unit that its names do not tell
    equation: Equation | None = None  # over nodes, where it says something of the effect and gives it no value

    by_plan: bool = False  # the text is the plan's, of an effect whose own rule cannot be read
    by_formula: bool = False  # the tree is that of the formula beside the text
    is_open: bool = False  # it says two things, or one that may mean two: no other way to read it is tried

    @property
    def executable(self) -> bool:
        return self.tree is not None


def with_angles(graph: ReasoningGraph, by_effect: dict[str, tuple[Rule, ...]]) -> dict[str, tuple[Rule, ...]]:
    """Degrees as sin takes them and as atan gives them; a rule that leaves open which it means cannot be executed."""
    angles = Angles({node: graph.unit_of(node) for node in graph.nodes}, graph.knowns)
    for _ in range(2):  # a step between is in degrees as its rule is, wherever that stands in the list
        for effect, rules in by_effect.items():
            angles.follow(effect, [rule.tree for rule in rules if rule.tree is not None])

    def convert(effect: str, rule: Rule) -> Rule:
        equation, tree = rule.equation, rule.tree
        if equation is not None and equation.left is not None:
            left, right = angles.in_radians(equation.left), angles.in_radians(equation.right)
            rule = replace(rule, equation=None if left is None or right is None else Equation(left, right))
        if tree is None or (turned := angles.of(effect, tree)) == tree:
            return rule
        message = f"rule of '{effect}' takes an angle that may be in degrees or in radians. Give it a unit."
        return replace(rule, tree=turned, message=rule.message if turned is not None else message)

    return {effect: tuple(convert(effect, rule) for rule in rules) for effect, rules in by_effect.items()}


def with_temperatures(graph: ReasoningGraph, by_effect: dict[str, tuple[Rule, ...]]) -> dict[str, tuple[Rule, ...]]:
    """Points in °C beside kelvin in kelvin; a rule that does not say whether it is one cannot be executed."""
    units = {node: graph.unit_of(node) for node in graph.nodes}
    declared = {node: scale for node, unit in units.items() if (scale := scale_of(node, unit)) is not None}
    if not set(declared.values()) - {KELVIN}:
        return by_effect
    scales = dict(declared)
    nodes = Nodes(
        scales,
        frozenset(node for node, unit in units.items() if is_per_kelvin(unit)),
        frozenset(node for node, unit in units.items() if is_per_celsius(unit)),
        frozenset(node for node, known in graph.knowns.items() if is_constant(node, known.value, units.get(node))),
    )
    for _ in range(2):  # a node between has the scale of its rule, wherever that stands in the list
        for effect, rules in by_effect.items():
            gives = [
                scale for rule in rules if rule.tree is not None and (scale := _scale_of(rule.tree, nodes, effect))
            ]
            if gives:
                scales.setdefault(effect, gives[0])

    def convert(effect: str, rule: Rule) -> Rule:
        try:
            if rule.equation is not None and rule.equation.left is not None:
                both = Binary("-", rule.equation.left, rule.equation.right)
                if in_kelvin(both, nodes) != both:
                    raise Ambiguous("its equation needs temperatures in K. Give them in K.")
            if rule.tree is None:
                return rule
            tree = in_kelvin(rule.tree, nodes, effect)
            return replace(rule, tree=as_declared(tree, scales, declared.get(effect), effect))
        except Ambiguous as error:
            return replace(rule, tree=None, equation=None, message=f"rule of '{effect}': {error}")

    return {effect: tuple(convert(effect, rule) for rule in rules) for effect, rules in by_effect.items()}


def _scale_of(tree: Tree, nodes: Nodes, effect: str) -> str | None:
    """The scale of what a rule gives, once its points are in kelvin where it needs them."""
    try:
        if gives_kelvin(in_kelvin(tree, nodes, effect), nodes.scales, effect):
            return KELVIN
    except Ambiguous:
        return None
    return scale_given(tree, nodes.scales)
