"""Executing a reasoning graph: values from the knowns on, and what do(X = x') makes of the target.

    v(X) = x            for a known X
    v(E) = rule_E(v(C1), ..., v(Ck))      in topological order
    do(X = x'):         the rule (or known) of X is replaced by x', everything below is computed again

A known that also has a rule keeps its given value; the rule is checked against it. Several rules of one effect must
agree (relative 1e-6): where they do not it has no value, and the finding says what each gives. Under do() of a graph
that has a value the rules that hang on the changed node are followed, the first of them in the order of their texts;
the others are then alternatives, and a disagreement is told. No value and no grade depends on the order in which edges
or knowns were written. Nothing here raises for a bad graph: a node without a value has a finding that says why, and the
status of the execution is that of the target.
Pearl (2009), Causality, ch. 7.1: action as surgery on the equations.

Hiding a known and recovering it: which values of X make the target what it is? Solve f(x) = t, f: x -> target under
do(X = x). `exact`: X reaches the target on one path, occurs once in each rule, and each rule has one inverse; else
`numeric`: by search (solving.find_roots), where a stretch on which f(x) = t is a range. Every solution is put back and
must give the target. The label (unique, several, none) describes the rule, not the reasoning: max, sums of unknowns
and parity are right and cannot be inverted. A `numeric` label is what the grid shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from graphlib import CycleError, TopologicalSorter
from itertools import product
from typing import Literal, TypeAlias

from trueness.errors import SettingError, did_you_mean
from trueness.reasoning.graph import Finding, Quantity, ReasoningGraph, close, in_quotes, reachable
from trueness.reasoning.rules import Rule, rules_of
from trueness.reasoning.solving import Ranges, find_roots, isolate
from trueness.reasoning.trees import Evaluator, Name, Tree, compile_tree, count_names, evaluate
from trueness.status import Status

Response: TypeAlias = Callable[[float], float]  # x' -> target under do(X = x')
Way: TypeAlias = Mapping[str, tuple[Rule, Evaluator]]  # effect -> the rule by which it is computed again, in order
AGREE = 1e-6  # relative difference up to which two rules of one effect agree
MOVES = 1e-9  # relative difference from which the target has moved
PERIPHERAL = 0.01  # below this size of its effect a node changes no answer, which is given to 1 %
CRITICAL = 0.1  # from this size on the answer is another one
MOST_STEPS = 4096  # of all ways together: choices among rules multiply
PROBES = (  # x' = factor * x + shift, tried in this order
    (1.1, 0.0), (2.0, 0.0), (0.5, 0.0), (1.0, 1.0), (1.0, -1.0), (10.0, 0.0), (0.1, 0.0), (-1.0, 0.0), (0.0, 0.0),
    (100.0, 0.0), (0.0, 1.0), (1.0, 100.0), (1.0, -100.0), (1e4, 1e4),
)  # fmt: skip


@dataclass(frozen=True)
class Execution:
    """The values that could be computed; `status` is ok where the target has one."""

    target: float | None
    values: Mapping[str, float]
    status: Status
    findings: tuple[Finding, ...] = ()

    @property
    def message(self) -> str:
        """Why there is no target, or what disagrees; one line."""
        return " ".join(finding.message for finding in self.findings[:3])


@dataclass(frozen=True)
class NodeEffect:
    """What do(node) does to the target over the fixed probes.

    `moves` is None where the target has no value for any probe. `elasticity` is the relative change of the target for
    a relative change of 10 % of the node, divided by it; None where one of them is 0.
    size = max |t' - t| / max(|t'|, |t|) over the node taken away (x' = 0), halved and doubled: 0 nothing, 1 all of it;
    where an effect has several rules that hang on the node, the largest over all of them.
    """

    node: str
    moves: bool | None
    status: Status
    elasticity: float | None = None
    at: float | None = None  # the first x' that moved the target
    target: float | None = None  # and what the target became
    size: float | None = None
    alternative: str = ""  # another rule by which the target follows without the node
    undeclared: bool = False  # it moves the target by a rule, and no path of the graph says so

    @property
    def impact(self) -> float | None:
        """The original's grades. 1, high: critical. 1/2, medium: it contributes or has an alternative. 0, low.

        What moves the target by no path of the graph has none: the graph does not say that it matters.
        """
        if self.size is None:
            return None
        if self.size < PERIPHERAL or self.undeclared:
            return 0.0
        return 0.5 if self.size < CRITICAL or self.alternative else 1.0


class Program:
    """A graph made ready: rules compiled once, executed many times."""

    def __init__(self, graph: ReasoningGraph):
        self.graph = graph
        self.rules: Mapping[str, tuple[Rule, ...]] = {
            effect: tuple(sorted(rules, key=lambda rule: rule.text)) for effect, rules in rules_of(graph).items()
        }
        self.slots = {node: slot for slot, node in enumerate(graph.nodes)}
        self.order = _order(graph, self.rules)
        self.findings = _structural(graph, self.rules)
        self._steps: dict[str, list[tuple[Rule, Evaluator]]] = {
            node: [(rule, compile_tree(rule.tree, self.slots)) for rule in rules if rule.tree is not None]
            for node, rules in self.rules.items()
        }

    @cached_property
    def base(self) -> Execution:
        return self.run({})

    @cached_property
    def effects(self) -> Mapping[str, NodeEffect]:
        """Per node other than the target: does the target move at all for any of the fixed probes?"""
        return {node: _effect(self, node) for node in self.graph.non_target}

    def run(self, changes: Mapping[str, float]) -> Execution:
        """All values under do(changes), with what went wrong."""
        self._check(changes)
        graph, findings = self.graph, list(self.findings)
        values = [math.nan] * len(self.slots)
        have: set[str] = set()
        below = frozenset(changes).union(*(self.moved_by(node) for node in changes))
        for node in self.order or ():
            value, findings_of_node = self._value(node, values, have, changes, below)
            findings += findings_of_node
            if value is not None:
                values[self.slots[node]] = value
                have.add(node)
        for node in graph.knowns if not changes else ():  # last: in a cycle what a known's rule needs comes after it
            if self.is_held(node):
                findings += self._contradictions(node, values, have)
        target = values[self.slots[graph.target]] if graph.target in have else None
        got = {node: values[self.slots[node]] for node in graph.nodes if node in have}
        return Execution(target, got, Status.OK if target is not None else Status.DEGENERATE, tuple(findings))

    def _contradictions(self, node: str, values: list[float], have: set[str]) -> list[Finding]:
        """A known whose rule gives another value."""
        known, (computed, _) = values[self.slots[node]], self._rule_values(node, values, have)
        if not computed or close(computed[0], known, AGREE):
            return []
        message = f"'{node}' is given as {known:g}, but its rule gives {computed[0]:g}."
        return [Finding(Status.DEGENERATE, message, node)]

    def _check(self, changes: Mapping[str, float]) -> None:
        for node, value in changes.items():
            if node not in self.slots:
                nearest = did_you_mean(node, self.slots)
                raise SettingError(f"do() must be on a node of the graph, got {node!r}. {nearest}".rstrip())
            if not math.isfinite(value):
                raise SettingError(f"do({node}) must set a finite number, got {value}.")

    def _value(
        self, node: str, values: list[float], have: set[str], changes: Mapping[str, float], below: frozenset[str]
    ) -> tuple[float | None, list[Finding]]:
        if node in changes:
            return float(changes[node]), []
        known = self.graph.knowns.get(node)
        if known is not None and known.value is not None:
            return known.value, []
        computed, findings = self._rule_values(node, values, have, below)
        if any(not close(value, computed[0], AGREE) for value in computed[1:]):
            shown = ", ".join(f"{value:g}" for value in sorted(computed))
            findings.append(Finding(Status.DEGENERATE, f"the rules of '{node}' disagree: {shown}.", node))
            computed = computed if changes and self.base.target is not None else []
        if not computed and not findings:
            findings.append(_without_value(node, known))
        return (computed[0] if computed else None), findings

    def _rule_values(
        self, node: str, values: list[float], have: set[str], below: frozenset[str] = frozenset()
    ) -> tuple[list[float], list[Finding]]:
        """What each rule of a node gives, those that hang on `below` first; words beside a formula are no finding."""
        made = [
            *(_not_executable(node, rule) for rule in self.rules.get(node, ()) if rule.tree is None),
            *(
                _apply(node, rule, step, values, have)
                for rule, step in sorted(self._steps.get(node, ()), key=lambda pair: not pair[0].uses & below)
            ),
        ]
        computed = [value for value in made if isinstance(value, float)]
        findings = [value for value in made if isinstance(value, Finding)]
        if computed:
            findings = [finding for finding in findings if finding.status is Status.UNREADABLE]
        return computed, findings

    # ---- the fast way: only the target, only what lies between

    def is_held(self, node: str) -> bool:
        """Known with a number: its value is given and not computed."""
        known = self.graph.knowns.get(node)
        return known is not None and known.value is not None

    def moved_by(self, node: str) -> dict[str, None]:
        """The nodes that are computed again under do(node), in order."""
        moved = reachable(node, self._children) - {node}
        return dict.fromkeys(sorted(moved, key=(self._place or self.slots).__getitem__))

    @cached_property
    def _children(self) -> Mapping[str, list[str]]:
        """Per node those that are computed and may hang on it: by an edge, or by a rule that names it."""
        below: dict[str, list[str]] = {node: [] for node in self.graph.nodes}
        for effect, causes in self._above.items():
            for cause in () if self.is_held(effect) else causes:
                below[cause].append(effect)
        return below

    @cached_property
    def _above(self) -> Mapping[str, set[str]]:
        """Per node those on which its value may hang."""
        used = {effect: {cause for rule in rules for cause in rule.uses} for effect, rules in self.rules.items()}
        return {node: {*causes, *used.get(node, ())} for node, causes in self.graph.parents.items()}

    @cached_property
    def _place(self) -> Mapping[str, int]:
        """Where each node stands in the order; nothing where there is a cycle."""
        return {node: place for place, node in enumerate(self.order or ())}

    @cached_property
    def ancestry(self) -> frozenset[str]:
        """The target and all that it may hang on."""
        return reachable(self.graph.target, self._above) | {self.graph.target}

    def ways(self, node: str) -> list[Way] | None:
        """How the target follows again under do(node): effect by effect, by each of its rules that hang on the node.

        None where a step cannot be executed, or there are more ways than are gone through.
        """
        below = {node, *self.moved_by(node)}
        valued = below | self.base.values.keys()
        choices: dict[str, list[tuple[Rule, Evaluator]]] = {}
        for effect in self.moved_by(node):
            if effect in self.ancestry:
                rules = [pair for pair in self._steps.get(effect, ()) if pair[0].uses <= valued]
                choices[effect] = [pair for pair in rules if pair[0].uses & below] or rules[:1]
        if math.prod(map(len, choices.values())) * len(choices) > MOST_STEPS or not all(choices.values()):
            return None
        return [dict(zip(choices, way, strict=True)) for way in product(*choices.values())]

    def alternative_to(self, node: str) -> str:
        """The rules that stand in for those that a node takes with it, where the target still follows; "" elsewhere."""
        valued: set[str] = set()
        taken_over: list[str] = []
        for other in self.order or ():
            rules = [rule for rule in self.rules.get(other, ()) if rule.tree is not None]
            first = next((rule for rule in rules if rule.uses <= valued), None)
            if other != node and (self.is_held(other) or first is not None):
                valued.add(other)
                lost = any(rule.uses <= self.base.values.keys() and not rule.uses <= valued for rule in rules)
                if first is not None and lost and other in self.ancestry and not self.is_held(other):
                    taken_over.append(f"{other} by {first.text}")
        return "; ".join(sorted(taken_over)) if self.graph.target in valued else ""

    def responses(self, node: str) -> list[tuple[Way, Response]]:
        """The target as a function of one node, all others as they are, by each way; none where it cannot be executed.

        A function gives nan where the target has no value.
        """
        if self.graph.target not in self.slots or node not in self.slots:
            return []
        ways = None if self.order is None else self.ways(node)
        if ways is None:
            return []
        base = [self.base.values.get(name, math.nan) for name in self.graph.nodes]
        target_slot = self.slots[self.graph.target]

        def target_at(steps: Sequence[tuple[int, Evaluator]], changed: float) -> float:
            values = base.copy()
            values[self.slots[node]] = changed
            try:
                for slot, step in steps:
                    values[slot] = step(values)
            except (ArithmeticError, ValueError):
                return math.nan
            return values[target_slot]

        return [
            (way, partial(target_at, [(self.slots[effect], step) for effect, (_, step) in way.items()])) for way in ways
        ]


def execute(graph: ReasoningGraph) -> Execution:
    """All values from the knowns on."""
    return Program(graph).base


def intervene(graph: ReasoningGraph, changes: Mapping[str, float]) -> Execution:
    """All values under do(X = x') for every X of `changes`."""
    return Program(graph).run(changes)


def sensitivity(graph: ReasoningGraph | Program) -> dict[str, NodeEffect]:
    """Per node other than the target: does the target move at all for any of the fixed probes?"""
    return dict((graph if isinstance(graph, Program) else Program(graph)).effects)


def _effect(program: Program, node: str) -> NodeEffect:
    base = program.base
    if base.target is None:
        return NodeEffect(node, None, Status.DEGENERATE)
    if program.graph.target not in program.moved_by(node):
        return NodeEffect(node, False, Status.OK, size=0.0)
    x, responses = base.values.get(node), program.responses(node)
    if x is None or not responses:
        return NodeEffect(node, None, Status.DEGENERATE)
    effects = [effect for _, response in responses if (effect := _effect_by(program, node, x, response)) is not None]
    if not effects:
        return NodeEffect(node, None, Status.DEGENERATE)
    undeclared = program.graph.target not in program.graph.descendants(node)
    largest = max(effects, key=lambda effect: (bool(effect.moves), effect.size or 0.0))
    alternative = program.alternative_to(node)
    return replace(largest, alternative=alternative, undeclared=undeclared and bool(largest.moves))


def _effect_by(program: Program, node: str, x: float, response: Response) -> NodeEffect | None:
    """What do(node) does by one way; None where the target has no value for any probe."""
    before = program.base.target or 0.0
    tried = [(changed, response(changed)) for factor, shift in PROBES if (changed := factor * x + shift) != x]
    known = [(changed, target) for changed, target in tried if math.isfinite(target)]
    if not known:
        return None
    near = (0.0, 0.5 * x, 2 * x) if x else (1.0, -1.0)
    sizes = [_size(target, before) for changed, target in known if changed in near]
    size = max(sizes or [_size(target, before) for _, target in known])
    at_tenth = dict(known).get(PROBES[0][0] * x)
    elasticity = None if at_tenth is None or not before else (at_tenth / before - 1) / (PROBES[0][0] - 1)
    at, target = next(((x, t) for x, t in known if not close(t, before, MOVES)), (None, None))
    return NodeEffect(node, at is not None, Status.OK, elasticity, at, target, size)


def _size(target: float, before: float) -> float:
    largest = max(abs(target), abs(before))
    return abs(target - before) / largest if largest else 0.0


def _apply(node: str, rule: Rule, step: Evaluator, values: list[float], have: set[str]) -> float | Finding:
    """The value of one rule, or why it has none."""
    lacking = [cause for cause in sorted(rule.uses) if cause not in have]
    if lacking:
        return Finding(Status.DEGENERATE, f"'{node}' needs {in_quotes(lacking)}, without value.", node)
    try:
        value = float(step(values))
    except (ArithmeticError, ValueError) as error:
        return Finding(Status.DEGENERATE, f"the rule of '{node}' has no value here: {error}.", node)
    if not math.isfinite(value):
        return Finding(Status.DEGENERATE, f"the rule of '{node}' gives {value}.", node)
    return value


def _not_executable(node: str, rule: Rule) -> Finding:
    message = rule.message or f"the rule of '{node}' is in words and cannot be executed."
    return Finding(Status.UNREADABLE if rule.kind == "broken" else Status.DEGENERATE, message, node)


def _without_value(node: str, known: Quantity | None) -> Finding:
    if known is None:
        return Finding(Status.DEGENERATE, f"'{node}' has no value: it is neither known nor has a rule.", node)
    message = f"'{node}' is given as {known.text!r}, which is no number." if known.text else f"'{node}' has no value."
    return Finding(Status.UNREADABLE, message, node)


def _order(graph: ReasoningGraph, rules: Mapping[str, tuple[Rule, ...]]) -> tuple[str, ...] | None:
    """Causes before effects by what rules use and knowns leave open, so that an identity written both ways (P = F v for
    a known P) is one relation; None where the rules go in a circle."""
    held = {node for node, known in graph.knowns.items() if known.value is not None}
    above = {
        node: sorted({cause for rule in rules.get(node, ()) if node not in held for cause in rule.uses})
        for node in sorted(graph.nodes)
    }
    try:
        return tuple(TopologicalSorter(above).static_order())
    except CycleError:
        return None


def _structural(graph: ReasoningGraph, rules: Mapping[str, tuple[Rule, ...]]) -> list[Finding]:
    """No target, a cycle, an edge that a rule uses and the graph lacks."""
    findings = []
    if not graph.target:
        findings.append(Finding(Status.UNREADABLE, "the graph must name its target, got none."))
    if graph.cycle:
        message = f"the graph has a cycle: {' -> '.join(graph.cycle)}."
        findings.append(Finding(Status.DEGENERATE, message, graph.cycle[0]))
    ways = ((effect, rule) for effect, of_effect in rules.items() for rule in of_effect if rule.beyond)
    return [*findings, *(Finding(Status.DEGENERATE, rule.message, effect) for effect, rule in ways)]


# ---- hiding a known

Label = Literal["unique", "several", "none"]
Method = Literal["exact", "roots", "numeric"]  # roots: of studies stored before
_EVERYTHING: Ranges = ((-math.inf, math.inf),)
_FITS = 1e-6  # relative difference from the target up to which a solution is one, and of solutions that are one


@dataclass(frozen=True)
class Inversion:
    """What hiding one known shows. `label` is None where the graph cannot be executed; `message` says why."""

    hidden: str
    label: Label | None
    status: Status
    solutions: tuple[float, ...] = ()
    ranges: Ranges = ()  # every value of these fits
    method: Method | None = None
    recovered: bool | None = None  # the true value is among the solutions
    message: str = ""


def invert(graph: ReasoningGraph | Program, hidden: str, target: float | None = None) -> Inversion:
    """Recover one known from the target's value (as executed, or as given) and the other knowns."""
    program = graph if isinstance(graph, Program) else Program(graph)
    known = program.graph.knowns.get(hidden)
    true = known.value if known is not None else None
    wanted = program.base.target if target is None else target
    if true is None or wanted is None:
        why = f"'{hidden}' is no known with a number." if true is None else program.base.message
        return Inversion(hidden, None, Status.DEGENERATE, message=why)
    responses = program.responses(hidden)
    if not responses:
        return Inversion(hidden, None, Status.DEGENERATE, message=program.base.message or "a rule is in words.")
    if program.graph.target not in program.moved_by(hidden):
        fits = close(program.base.target or 0.0, wanted, _FITS)
        message = f"the target does not depend on '{hidden}'."
        return _inversion(hidden, true, [], _EVERYTHING if fits else (), "exact", message)
    solved = [_solve_by(program, hidden, true, wanted, way, response) for way, response in responses]
    points = [point for way_points, _, _ in solved for point in way_points]
    ranges = reduce(_in_both, (way_ranges for _, way_ranges, _ in solved))
    kept: list[float] = []
    for point in points:  # only what gives the target by all ways; near ones are one
        fits = math.isfinite(point) and all(close(response(point), wanted, _FITS) for _, response in responses)
        if fits and not any(close(point, other, _FITS) or abs(point - other) < 1e-12 for other in kept):
            kept.append(point)
    method: Method = "exact" if all(method == "exact" for _, _, method in solved) else "numeric"
    return _inversion(hidden, true, sorted(kept), ranges, method)


def invert_all(graph: ReasoningGraph | Program) -> dict[str, Inversion]:
    """Each known hidden in turn."""
    program = graph if isinstance(graph, Program) else Program(graph)
    return {name: invert(program, name) for name in program.graph.knowns}


def _solve_by(
    program: Program, hidden: str, true: float, wanted: float, way: Way, response: Response
) -> tuple[Sequence[float], Ranges, Method]:
    inverse = _undone(program, hidden, way)
    if inverse is not None:
        try:
            return [evaluate(inverse, {**program.base.values, program.graph.target: wanted})], (), "exact"
        except (ArithmeticError, ValueError):
            pass  # it has no value there: search
    points, ranges = find_roots(lambda x: response(x) - wanted, _FITS * 1e-3 * (abs(wanted) or 1.0), true)
    return points, ranges, "numeric"


def _undone(program: Program, hidden: str, way: Way) -> Tree | None:
    """The hidden node as a formula of the target, where the way to it does not fork and each rule has an inverse."""
    on_path = {hidden, *program.moved_by(hidden)}
    node, value = program.graph.target, Name(program.graph.target)
    inverse: Tree | None = value
    while node != hidden and inverse is not None:
        tree = way[node][0].tree if node in way else None
        moving = [name for name in count_names(tree) if name in on_path] if tree is not None else []
        if tree is None or len(moving) != 1:
            return None
        inverse, node = isolate(inverse, tree, moving[0], one_way=True), moving[0]
    return inverse


def _in_both(one: Ranges, other: Ranges) -> Ranges:
    cut = ((max(low, from_), min(high, to)) for low, high in one for from_, to in other)
    return tuple((low, high) for low, high in cut if low < high)


def _inversion(
    hidden: str, true: float, points: Sequence[float], ranges: Ranges, method: Method, message: str = ""
) -> Inversion:
    inside = any(low <= true <= high for low, high in ranges)
    recovered = inside or any(close(point, true, 1e-4) or abs(point - true) < 1e-9 for point in points)
    label: Label = "several" if ranges or len(points) > 1 else "unique" if points else "none"
    return Inversion(hidden, label, Status.OK, tuple(points), ranges, method, recovered, message)
