"""Damaged copies of a right problem: the known group that every measure must tell from the right one.

    edge_reversed     one arc cause -> effect becomes effect -> cause; the rule goes with it, and stays
    parent_dropped    one cause is taken from an edge; its rule stays as it was
    irrelevant_node   a quantity that nothing depends on is added to the knowns and to one edge
    rule_swapped      a formula with another operation (its executed target differs), or two rules in words exchanged
    answer_wrong      another value, or the other direction; the graph stays right

Each copy differs from the problem it was made of; where a damage is not possible (nothing to exchange) there is none.
The same seed makes the same copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from numpy.random import Generator

from trueness.errors import UnknownName
from trueness.reasoning.execute import execute
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, RuleEdge, close
from trueness.reasoning.rules import read_rule
from trueness.reasoning.trees import Binary, Call, Negative, Tree, as_text, parts, with_parts

DamageKind = Literal["edge_reversed", "parent_dropped", "irrelevant_node", "rule_swapped", "answer_wrong"]

_IRRELEVANT = ("shoe_size", "street_number", "page_number", "shelf_number", "locker_number", "seat_row", "badge_number")
_OTHER = {
    "+": "-", "-": "+", "*": "/", "/": "*", "min": "max", "max": "min", "sin": "cos", "cos": "sin", "floor": "ceil",
    "ceil": "floor", "ln": "exp", "exp": "ln", "sum": "mean", "mean": "sum", "log10": "ln",
}  # fmt: skip
_FACTORS = (0.5, 2.0, 10.0, 0.1, 1.5, 1.25)
_OPPOSITE = {"increase": "decrease", "decrease": "increase", "yes": "no", "no": "yes", "true": "false", "false": "true"}


@dataclass(frozen=True)
class Damaged:
    """A damaged copy, what was done to it and where."""

    kind: DamageKind
    problem: Problem
    note: str


def damage(problem: Problem, kind: DamageKind, rng: Generator) -> Damaged | None:
    """One damaged copy, or None where this problem cannot be damaged in this way."""
    if kind not in DAMAGES:
        raise UnknownName("damage", kind, DAMAGES)
    return DAMAGES[kind](problem, rng)


def damaged_copies(problem: Problem, rng: Generator) -> tuple[Damaged, ...]:
    """One copy of each kind that is possible."""
    made = (damage(problem, kind, rng) for kind in DAMAGES)
    return tuple(copy for copy in made if copy is not None)


def _reverse(problem: Problem, rng: Generator) -> Damaged | None:
    graph = problem.graph
    arcs = [(place, cause) for place, edge in enumerate(graph.edges) for cause in edge.causes if cause != edge.effect]
    if not arcs:
        return None
    place, cause = arcs[rng.integers(len(arcs))]
    edge = graph.edges[place]
    left = tuple(other for other in edge.causes if other != cause)
    kept = (replace(edge, causes=left),) if left else ()
    edges = (*graph.edges[:place], *kept, replace(edge, causes=(edge.effect,), effect=cause), *graph.edges[place + 1 :])
    return _copy("edge_reversed", problem, edges, f"{cause} -> {edge.effect} was reversed")


def _drop(problem: Problem, rng: Generator) -> Damaged | None:
    graph = problem.graph
    several = [
        (place, cause) for place, edge in enumerate(graph.edges) if len(edge.causes) > 1 for cause in edge.causes
    ]
    if several:
        place, cause = several[rng.integers(len(several))]
        edge = graph.edges[place]
        smaller = replace(edge, causes=tuple(other for other in edge.causes if other != cause))
        edges = (*graph.edges[:place], smaller, *graph.edges[place + 1 :])
        return _copy("parent_dropped", problem, edges, f"{cause} was taken from the causes of {edge.effect}")
    if len(graph.edges) < 2:
        return None
    place = int(rng.integers(len(graph.edges)))
    edge = graph.edges[place]
    return _copy("parent_dropped", problem, (*graph.edges[:place], *graph.edges[place + 1 :]), f"{edge} was taken out")


def _add(problem: Problem, rng: Generator) -> Damaged | None:
    graph = problem.graph
    if not graph.edges:
        return None
    free = [name for name in _IRRELEVANT if name not in graph.nodes]
    name = free[rng.integers(len(free))] if free else f"irrelevant_{len(graph.nodes)}"
    place = int(rng.integers(len(graph.edges)))
    edge = graph.edges[place]
    edges = (*graph.edges[:place], replace(edge, causes=(*edge.causes, name)), *graph.edges[place + 1 :])
    knowns = {**graph.knowns, name: Quantity(float(rng.integers(11, 99)))}
    changed = replace(problem, graph=replace(graph, knowns=knowns, edges=edges, findings=()))
    return Damaged("irrelevant_node", changed, f"{name} was added to the causes of {edge.effect}")


def _swap(problem: Problem, rng: Generator) -> Damaged | None:
    graph = problem.graph
    right = execute(graph).target
    if right is None:
        return _exchange(problem, rng)
    choices = list(_other_rules(graph))
    for index in rng.permutation(len(choices)):
        place, text = choices[index]
        edge = graph.edges[place]
        edges = (*graph.edges[:place], replace(edge, rule=text), *graph.edges[place + 1 :])
        wrong = execute(replace(graph, edges=edges)).target
        if wrong is not None and not close(wrong, right, 5 * max(problem.tolerance, 1e-3)):
            return _copy("rule_swapped", problem, edges, f"the rule of {edge.effect} became {text}")
    return None


def _exchange(problem: Problem, rng: Generator) -> Damaged | None:
    """The rules of two edges, where they differ."""
    edges = list(problem.graph.edges)
    pairs = [(i, j) for i in range(len(edges)) for j in range(i) if edges[i].rule != edges[j].rule]
    if not pairs:
        return None
    i, j = pairs[rng.integers(len(pairs))]
    edges[i], edges[j] = replace(edges[i], rule=edges[j].rule), replace(edges[j], rule=edges[i].rule)
    note = f"the rules of {edges[i].effect} and {edges[j].effect} were exchanged"
    return _copy("rule_swapped", problem, tuple(edges), note)


def _other_rules(graph: ReasoningGraph) -> Iterator[tuple[int, str]]:
    """Every formula with one operation changed, as text with the effect on the left."""
    for place, edge in enumerate(graph.edges):
        tree = read_rule(edge.rule, graph.parents[edge.effect], edge.effect, graph.nodes).tree
        if tree is not None:
            for other in _mutations(tree):
                yield place, f"{edge.effect} = {as_text(other)}"


def _mutations(tree: Tree) -> Iterator[Tree]:
    if isinstance(tree, Binary):
        if tree.operator in _OTHER:
            yield Binary(_OTHER[tree.operator], tree.left, tree.right)
        if tree.operator in ("-", "/", "^"):
            yield Binary(tree.operator, tree.right, tree.left)
    elif isinstance(tree, Negative):
        yield tree.operand
    elif isinstance(tree, Call) and tree.function in _OTHER:
        yield Call(_OTHER[tree.function], tree.arguments)
    below = parts(tree)
    for place, part in enumerate(below):
        yield from (with_parts(tree, (*below[:place], other, *below[place + 1 :])) for other in _mutations(part))


def _answer(problem: Problem, rng: Generator) -> Damaged | None:
    answer = problem.answer
    if answer.value is None:
        other = _OPPOSITE.get(answer.text.strip().lower())
        wrong = None if other is None else Quantity(None, answer.unit, other)
    elif answer.value == 0:
        wrong = Quantity(1.0, answer.unit)
    else:
        wrong = Quantity(answer.value * _FACTORS[rng.integers(len(_FACTORS))], answer.unit)
    if wrong is None:
        return None
    return Damaged("answer_wrong", replace(problem, answer=wrong), f"the answer {answer} became {wrong}")


def _copy(kind: DamageKind, problem: Problem, edges: Sequence[RuleEdge], note: str) -> Damaged:
    graph = replace(problem.graph, edges=tuple(edges), findings=())
    return Damaged(kind, replace(problem, graph=graph), note)


DAMAGES: Mapping[DamageKind, Callable[[Problem, Generator], Damaged | None]] = {
    "edge_reversed": _reverse,
    "parent_dropped": _drop,
    "irrelevant_node": _add,
    "rule_swapped": _swap,
    "answer_wrong": _answer,
}
