"""Formulas for rules in words, from whoever can write them: which rules need one, and the graph with them.

A formula stands beside its rule and does not replace it. `rules_of` executes it where it uses every cause and has all
that the words say (each number, share, multiple and operation); else the rule stays words, and a message says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from trueness.reasoning.graph import ReasoningGraph
from trueness.reasoning.rules import rules_of


def rules_without_formula(graph: ReasoningGraph) -> dict[str, str]:
    """Effect -> its rule, where that says something and nothing of it can be computed."""
    return {
        effect: rules[0].text
        for effect, rules in rules_of(graph).items()
        if len(rules) == 1
        and rules[0].kind in ("words", "broken")
        and not (rules[0].tree or rules[0].equation or rules[0].is_open)
        and not any(edge.formula for edge in graph.rules_of.get(effect, ()))
    }


def with_formulas(graph: ReasoningGraph, formulas: Mapping[str, str]) -> ReasoningGraph:
    """The graph with a formula beside each rule that can use one. formulas: effect -> formula."""
    new = {effect: formulas[effect] for effect in rules_without_formula(graph) if formulas.get(effect)}
    edges = tuple(replace(edge, formula=new.get(edge.effect, edge.formula)) for edge in graph.edges)
    return replace(graph, edges=edges)
