"""ReasoningGraph: what a piece of reasoning says it depends on.

    {"target_variable": t, "knowns": {name: value}, "causal_graph": [{"cause": [..], "effect": e, "rule": "e = ..."}],
     "computation_plan": [{"id", "target", "inputs", "description"}]}

Nodes are the knowns, all causes and effects, and the target. An edge of the JSON with causes c1..ck and one effect is
k arcs c_i -> effect with one rule. The graph may be wrong in every way (a cycle, no target, a rule in words): what was
found wrong while reading stands in `findings`, and the checks of this package give a status instead of a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from trueness.status import Status


@dataclass(frozen=True)
class Quantity:
    """A value with its unit; `value` is None where what was given is no number, and `text` keeps it as it was."""

    value: float | None
    unit: str | None = None
    text: str = ""

    def __str__(self) -> str:
        shown = self.text if self.value is None else f"{self.value:.10g}"
        return f"{shown} {self.unit}" if self.unit else shown


@dataclass(frozen=True)
class RuleEdge:
    """The causes of one effect and the rule that makes it: a formula (`a = F/m`) or words, and of words the formula
    that their writer means by them."""

    causes: tuple[str, ...]
    effect: str
    rule: str = ""
    formula: str = ""

    def __str__(self) -> str:
        return f"{', '.join(self.causes)} -> {self.effect}"


@dataclass(frozen=True)
class PlanStep:
    """One step of the computation plan, as it was given."""

    id: str
    target: str
    inputs: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class Finding:
    """Something found wrong, in one line; `where` names the node or edge."""

    status: Status
    message: str
    where: str = ""


@dataclass(frozen=True)
class ReasoningGraph:
    """A target, what is known, edges with rules, a plan. Never changed; `replace` of dataclasses makes a copy."""

    target: str
    knowns: Mapping[str, Quantity]
    edges: tuple[RuleEdge, ...]
    plan: tuple[PlanStep, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)  # of nodes that are not known: the target, steps between
    findings: tuple[Finding, ...] = ()

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Knowns, then causes and effects in the order of the edges, then the target; each once."""
        names = [*self.knowns, *(name for edge in self.edges for name in (*edge.causes, edge.effect))]
        return tuple(dict.fromkeys([*names, *([self.target] if self.target else [])]))

    @property
    def non_target(self) -> tuple[str, ...]:
        """The nodes that are intervened on."""
        return tuple(node for node in self.nodes if node != self.target)

    @cached_property
    def parents(self) -> Mapping[str, tuple[str, ...]]:
        """Per node its causes over all its edges, each once."""
        causes_of: dict[str, dict[str, None]] = {node: {} for node in self.nodes}
        for edge in self.edges:
            causes_of[edge.effect].update(dict.fromkeys(edge.causes))
        return {node: tuple(causes) for node, causes in causes_of.items()}

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        effects_of: dict[str, list[str]] = {node: [] for node in self.nodes}
        for node, causes in self.parents.items():
            for cause in causes:
                effects_of[cause].append(node)
        return {node: tuple(effects) for node, effects in effects_of.items()}

    @cached_property
    def rules_of(self) -> Mapping[str, tuple[RuleEdge, ...]]:
        """Per effect the edges that make it."""
        edges_to: dict[str, list[RuleEdge]] = {}
        for edge in self.edges:
            edges_to.setdefault(edge.effect, []).append(edge)
        return {node: tuple(edges) for node, edges in edges_to.items()}

    @cached_property
    def order(self) -> tuple[str, ...] | None:
        """The nodes, causes before effects; None where there is a cycle."""
        return None if self.cycle else tuple(TopologicalSorter(self.parents).static_order())

    @cached_property
    def cycle(self) -> tuple[str, ...]:
        """One cycle, first node repeated at the end, or nothing."""
        try:
            TopologicalSorter({node: sorted(causes) for node, causes in sorted(self.parents.items())}).prepare()
        except CycleError as error:
            return tuple(error.args[1])
        return ()

    def ancestors(self, node: str) -> frozenset[str]:
        return reachable(node, self.parents)

    def descendants(self, node: str) -> frozenset[str]:
        return reachable(node, self.children)

    @cached_property
    def _steps_to_target(self) -> Mapping[str, int]:
        """Per node from which the target can be reached: the arcs of a shortest path."""
        steps, waiting = {self.target: 0}, [self.target]
        for reached in waiting:  # grows while it is walked
            for cause in self.parents.get(reached, ()):
                if cause not in steps:
                    steps[cause] = steps[reached] + 1
                    waiting.append(cause)
        return steps

    def paths_to_target(self, node: str) -> Iterator[tuple[str, ...]]:
        """The paths from a node to the target, both included, a shortest one first, in an order of their names alone.

        In a graph with a cycle only the shortest.
        """
        steps = self._steps_to_target
        waiting: list[tuple[str, ...]] = [(node,)] if node in steps else []
        while waiting:
            path = waiting.pop()
            left = steps[path[-1]]
            if not left:
                yield path
                continue
            onward = [child for child in self.children[path[-1]] if child in steps]
            onward = [child for child in onward if self.order is not None or steps[child] < left]
            waiting += [(*path, child) for child in sorted(onward, key=lambda one: (steps[one], one), reverse=True)]

    def path_to_target(self, node: str) -> tuple[str, ...]:
        """A shortest path from a node to the target, both included; nothing where there is none."""
        return next(self.paths_to_target(node), ())

    def unit_of(self, node: str) -> str | None:
        known = self.knowns.get(node)
        return known.unit if known is not None and known.unit else self.units.get(node)

    def to_dict(self) -> dict[str, object]:
        """The original's schema; units, where there are any, beside it."""
        units = {name: known.unit for name, known in self.knowns.items() if known.unit} | dict(self.units)
        written: dict[str, object] = {
            "target_variable": self.target,
            "knowns": {name: _plain(known) for name, known in self.knowns.items()},
            "causal_graph": [
                {"cause": list(edge.causes), "effect": edge.effect, "rule": edge.rule}
                | ({"formula": edge.formula} if edge.formula else {})
                for edge in self.edges
            ],
            "computation_plan": [
                {"id": step.id, "target": step.target, "inputs": list(step.inputs), "description": step.description}
                for step in self.plan
            ],
        }
        return written | ({"units": units} if units else {})


@dataclass(frozen=True)
class Problem:
    """A worked problem: its text, the graph, the reasoning in words and the answer that it gives.

    `tolerance` is relative: a value agrees with the answer where |value - answer| <= tolerance * |answer|
    (for an answer of 0: <= tolerance). `method` made the graph, `source` is the file it stood in; `correct` says
    whether the answer is the right one, None where nobody says so.
    """

    id: str
    domain: str
    text: str
    graph: ReasoningGraph
    answer: Quantity
    reasoning: str = ""
    tolerance: float = 0.01
    method: str = ""
    source: str = ""
    correct: bool | None = None

    def to_dict(self) -> dict[str, object]:
        """One line of a problems file; the keys are those of the original's batch."""
        return {
            "id": self.id,
            "domain": self.domain,
            "problem_text": self.text,
            "dag": self.graph.to_dict(),
            "answer": {"value": self.answer.value, "unit": self.answer.unit}
            | ({"text": self.answer.text} if self.answer.text else {}),
            "reasoning_trajectory": self.reasoning,
            "tolerance": self.tolerance,
        } | {key: value for key in ("method", "source", "correct") if (value := getattr(self, key)) not in ("", None)}


def reachable(node: str, following: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """All nodes behind this one; itself only where it lies on a cycle."""
    behind: set[str] = set()
    waiting = list(following.get(node, ()))
    while waiting:
        reached = waiting.pop()
        if reached not in behind:
            behind.add(reached)
            waiting.extend(following.get(reached, ()))
    return frozenset(behind)


def close(value: float, expected: float, tolerance: float) -> bool:
    """|value - expected| <= tolerance * |expected|; for an expected 0 the tolerance is absolute."""
    return abs(value - expected) <= tolerance * (abs(expected) or 1.0)


def in_quotes(names: Iterable[str]) -> str:
    """Names for a message, in quotes."""
    return ", ".join(f"'{name}'" for name in names)


def _plain(known: Quantity) -> float | int | str:
    if known.value is None:
        return known.text
    return int(known.value) if known.value.is_integer() and abs(known.value) < 1e15 else known.value
