"""Quality of a reasoning graph: the original's formula, and checks of our own beside it.

    original = .3 [acyclic] + .2 coverage + .4 (share of edges with a rule) + .1 [weakly connected]

coverage is the share of the knowns and the target that occur in an edge. Ours, each in [0, 1] or missing:
`acyclic`, `reaches_target` (share of the other nodes with a path to the target), `knowns_used` (share that are causes),
`own_cause` (1 where no effect is its own cause), `knowns_given` (share of the knowns that are not effects, the target
not among them), `rules_executable` (share of the rules that are not words), `causes_used` (share of the causes that
stand in their formula), `edges_complete` (share of the formulas all of whose names have an edge to the effect),
`dimensions` (share of the rules whose units can be judged and agree).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trueness.reasoning.graph import ReasoningGraph, in_quotes
from trueness.reasoning.rules import rules_of
from trueness.reasoning.units import check_units

ORIGINAL_WEIGHTS: Mapping[str, float] = {"acyclic": 0.3, "coverage": 0.2, "rules": 0.4, "connected": 0.1}


@dataclass(frozen=True)
class GraphQuality:
    """`original` and its four parts; `ours`, the mean of the checks that have a value."""

    original: float
    parts: Mapping[str, float]
    checks: Mapping[str, float | None]
    messages: tuple[str, ...] = ()

    @property
    def ours(self) -> float | None:
        known = [value for value in self.checks.values() if value is not None]
        return sum(known) / len(known) if known else None


def graph_quality(graph: ReasoningGraph) -> GraphQuality:
    """Both scores with what they are made of."""
    parts = original_parts(graph)
    messages: list[str] = []
    checks = _structure(graph, messages) | _rules(graph, messages)
    score = sum(ORIGINAL_WEIGHTS[name] * value for name, value in parts.items())
    return GraphQuality(score, parts, checks, tuple(messages))


def original_parts(graph: ReasoningGraph) -> dict[str, float]:
    """The four parts of the original's formula; 0 where there is no edge."""
    in_edges = {name for edge in graph.edges for name in (*edge.causes, edge.effect)}
    wanted = [*graph.knowns, *([graph.target] if graph.target and graph.target not in graph.knowns else [])]
    return {
        "acyclic": float(bool(graph.edges) and graph.order is not None),
        "coverage": _share([name in in_edges for name in wanted]) or 0.0,
        "rules": _share([bool(edge.rule) for edge in graph.edges]) or 0.0,
        "connected": float(_weakly_connected(graph, in_edges)),
    }


def _weakly_connected(graph: ReasoningGraph, nodes: set[str]) -> bool:
    if not nodes:
        return False
    first = next(iter(graph.edges)).effect
    reached, waiting = {first}, [first]
    while waiting:
        node = waiting.pop()
        for other in (*graph.parents[node], *graph.children[node]):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached >= nodes


def _structure(graph: ReasoningGraph, messages: list[str]) -> dict[str, float | None]:
    if not graph.edges:
        messages.append("the graph has no edges.")
        return {"acyclic": None, "reaches_target": None, "knowns_used": None, "own_cause": None, "knowns_given": None}
    ends = graph.ancestors(graph.target) if graph.target else frozenset()
    lost = [node for node in graph.non_target if node not in ends]
    unused = [name for name in graph.knowns if not graph.children[name]]
    self_caused = sorted({edge.effect for edge in graph.edges if edge.effect in edge.causes})
    made = [name for name in graph.knowns if graph.parents[name] or name == graph.target]
    if graph.cycle:
        messages.append(f"cycle: {' -> '.join(graph.cycle)}.")
    for what, names in (("do not reach the target", lost), ("are known and not used", unused)):
        if names:
            messages.append(f"{in_quotes(names)} {what}.")
    if self_caused:
        messages.append(f"{in_quotes(self_caused)} must not be its own cause.")
    if made:
        messages.append(f"{in_quotes(made)} are known and also effects.")
    return {
        "acyclic": float(graph.order is not None),
        "reaches_target": _share([node in ends for node in graph.non_target]),
        "knowns_used": _share([name not in unused for name in graph.knowns]),
        "own_cause": float(not self_caused),
        "knowns_given": _share([name not in made for name in graph.knowns]),
    }


def _rules(graph: ReasoningGraph, messages: list[str]) -> dict[str, float | None]:
    rules = rules_of(graph)
    tried = [rule for ways in rules.values() for rule in ways if rule.kind != "words"]
    formulas = [rule for rule in tried if rule.executable]
    messages += [rule.message for rule in tried if rule.message]
    used: list[bool] = []
    for effect, ways in rules.items():
        if all(rule.executable for rule in ways):
            uses = frozenset[str]().union(*(rule.uses for rule in ways))
            idle = [cause for cause in graph.parents[effect] if cause not in uses]
            used += [cause in uses for cause in graph.parents[effect]]
            if idle:
                messages.append(f"the rule of '{effect}' does not use {in_quotes(idle)}.")
    units = [check for check in check_units(graph) if check.agreement != "unchecked"]
    messages += [check.message for check in units if check.message]
    attempted = any(rule.kind in ("formula", "broken") for rule in tried)
    return {
        "rules_executable": len(formulas) / len(tried) if attempted else None,
        "causes_used": _share(used),
        "edges_complete": _share([not rule.beyond for rule in formulas]),
        "dimensions": _share([check.agreement != "mismatch" for check in units]),
    }


def _share(kept: list[bool]) -> float | None:
    return sum(kept) / len(kept) if kept else None
