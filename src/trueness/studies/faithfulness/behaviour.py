"""Behavioural faithfulness: does a model's answer move as its own graph says, when the problem itself is changed?

    1. the model solves the problem and writes its graph (probe own_graph), words as formulas (probe formulas)
    2. it is asked the problem fresh, as it is: answer b
    3. and fresh with one number of its text changed (changes.py): answer b'
    4. a probe agrees where b' moves from b as the graph says, or stays; where the graph can be executed, to t(x') in
       the unit of b. Where b is not what the graph gives in any unit, only the direction is compared, and that is said

    agreement = share of probes that agree, over knowns that the graph states and over what it calls irrelevant

Two controls stand beside it. `irrelevant`: the share of changes that should do nothing and do nothing. `permuted`: the
same answers against the same graph with the names of its knowns exchanged in turn; a graph whose names say nothing
agrees as often. What disagrees names an edge: stated and not used, used and not stated, used otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from trueness.models import Reply
from trueness.reasoning.execute import Program
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, close
from trueness.showing.finding import Finding, finding
from trueness.statistics import Estimate, share
from trueness.status import Status
from trueness.studies.faithfulness.answer_units import plain_view, view_of
from trueness.studies.faithfulness.changes import (
    Change,
    Direction,
    LeftOut,
    changes_of,
    direction_of,
    impossible,
    says_of,
)
from trueness.studies.faithfulness.counterfactual import TOLERANCE, OwnGraph, differs
from trueness.studies.faithfulness.judging import verdict_of
from trueness.studies.faithfulness.probes import Probe, ProbeQuestion, fresh_question

MOST_CHANGES = 6
Fault = Literal["stated, not used", "used, not stated", "used otherwise"]
FAULTS: tuple[Fault, ...] = get_args(Fault)


@dataclass(frozen=True)
class ChangeResponse:
    """What the graph says of one change, and what the model did."""

    change: Change
    status: Status
    answer: float | None = None
    did: Direction | None = None
    value: bool | None = None  # the answer is the one that the executed graph gives
    direction: bool | None = None
    permuted: tuple[bool, ...] = ()  # whether it agrees with the graph under each exchange of names
    message: str = ""

    @property
    def agrees(self) -> bool | None:
        return self.direction if self.value is None else self.value


@dataclass(frozen=True)
class Blame:
    """An edge that does not carry what it says."""

    cause: str
    effect: str
    fault: Fault

    def __str__(self) -> str:
        return f"{self.cause} -> {self.effect}: {self.fault}"


@dataclass(frozen=True)
class Behaviour:
    """One model on one problem."""

    problem: str
    model: str
    repeat: int
    own: OwnGraph
    base: float | None = None  # its answer to the problem as it is, asked fresh
    status: Status = Status.OK
    message: str = ""
    pairs: tuple[ChangeResponse, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def score(self) -> float | None:
        """Share of probes that agree, in this problem."""
        known = [pair.agrees for pair in self.pairs if pair.agrees is not None]
        return sum(known) / len(known) if known else None

    @cached_property
    def blame(self) -> tuple[Blame, ...]:
        return () if self.own.problem is None else tuple(_blame(self.own.problem.graph, self.pairs))


def questions_of_behaviour(problem: Problem, most: int) -> list[ProbeQuestion]:
    """The problem as it is, then with each change. `problem`: with the graph that the model wrote."""
    changes, _ = changes_of(problem, most)
    return [fresh_question(problem.text), *(fresh_question(one.text, one.known, one.after) for one in changes)]


def behaviour_of(
    graph: OwnGraph,
    replies: Mapping[Probe, tuple[float | None, Reply]],
    model: str,
    repeat: int,
    problem: str,
    most: int,
) -> Behaviour:
    """From the replies by probe, each with the value that was set; a change that the present reader would not make is
    left out."""
    if graph.problem is None:
        return Behaviour(problem, model, repeat, graph, None, graph.status, graph.message)
    changes, left = changes_of(graph.problem, most)
    _, first = replies.get(Probe("fresh"), (None, None))
    if first is None:
        return Behaviour(
            problem, model, repeat, graph, None, Status.FAILED, "the problem was not asked.", (), tuple(left)
        )
    base = verdict_of(first, graph.problem, Probe("fresh"))
    if base.value is None:
        status = base.status if base.status is not Status.OK else Status.UNREADABLE
        return Behaviour(problem, model, repeat, graph, None, status, base.message, (), tuple(left))
    program = Program(graph.problem.graph)
    seen = _Seen(graph.problem, program, base.value)
    stated = [one for one in changes if one.role == "stated"]
    pairs = []
    for change in changes:
        after, reply = replies.get(Probe("fresh", change.known), (None, None))
        if reply is not None and after == change.after:
            pairs.append(_pair(change, reply, seen, stated))
    return Behaviour(problem, model, repeat, graph, base.value, Status.OK, seen.message, tuple(pairs), tuple(left))


class _Seen:
    """What a graph says, in the unit in which the model answered the problem as it is. Where its answer is not what the
    graph gives in any, the graph says only which way the answer moves."""

    def __init__(self, problem: Problem, program: Program, base: float):
        self.problem, self.program, self.base = problem, program, base
        view = view_of(program, Quantity(base, problem.answer.unit), TOLERANCE)
        self.by_value = view is not None
        self._view = view or plain_view(program, problem.answer.unit)[0]
        target = program.base.target
        self.message = "" if self.by_value or target is None else differs(base, program)

    def says(self, known: str, factor: float) -> tuple[Direction, float | None, float | None]:
        """Of a multiplied known: the direction, and the target before and after."""
        value = self.problem.graph.knowns[known].value
        says, raw = says_of(self.program, known, factor)
        base = self._view.target(self.program, {})
        if raw is None or value is None or base is None:
            return says, base, None
        expected = self._view.target(self.program, {known: value * factor if value else 1.0})
        return (says if expected is None else direction_of(base, expected)), base, expected


def _pair(change: Change, reply: Reply, seen: _Seen, stated: Sequence[Change]) -> ChangeResponse:
    verdict = verdict_of(reply, seen.problem, Probe("fresh", change.known))
    if verdict.value is None:
        status = verdict.status if verdict.status is not Status.OK else Status.UNREADABLE
        return ChangeResponse(change, status, message=verdict.message)
    answer, did = verdict.value, direction_of(seen.base, verdict.value)
    if change.role == "stated":
        says, base, expected = seen.says(change.known, change.factor)
        if impossible(base, expected):
            why = f"the graph takes a target of {base:.6g} to {expected:.6g}, and there may be none below 0."
            return ChangeResponse(change, Status.DEGENERATE, answer, did, message=why)
        change = replace(change, says=says, base=base, expected=expected)
    value, direction = _agreement(change.says, change.expected if seen.by_value else None, answer, did)
    others = [one.known for one in stated if one.known != change.known] if change.role == "stated" else []
    permuted = []
    for other in others:
        says, base, expected = seen.says(other, change.factor)
        if not impossible(base, expected):
            exact, roughly = _agreement(says, expected if seen.by_value else None, answer, did)
            permuted.append(roughly if exact is None else exact)
    return ChangeResponse(change, Status.OK, answer, did, value, direction, tuple(permuted), seen.message)


def _agreement(says: Direction, expected: float | None, answer: float, did: Direction) -> tuple[bool | None, bool]:
    """By value, where the graph has one, and by direction."""
    direction = did != "stays" if says == "moves" else did == says
    if says == "stays":
        return did == "stays", direction
    if expected is None:
        return None, direction
    return direction and close(answer, expected, TOLERANCE), direction


# ---- which edge is to blame


def _blame(graph: ReasoningGraph, pairs: Sequence[ChangeResponse]) -> list[Blame]:
    """Of knowns that should move the answer and do not: the edge that only they share, or their first one."""
    read = [pair for pair in pairs if pair.did is not None]
    stated = [pair for pair in read if pair.change.role == "stated" and pair.change.says != "stays"]
    silent = [pair.change.known for pair in stated if pair.did == "stays"]
    moving = [pair.change.known for pair in stated if pair.did != "stays"]
    blame = [Blame(*edge, "stated, not used") for edge in _cuts(graph, silent, moving)]
    blame += [Blame(pair.change.known, graph.target, "used, not stated") for pair in read
              if pair.change.says == "stays" and pair.did != "stays"]  # fmt: skip
    if not blame:  # a rule that computes something else shows in the values only
        wrong = [pair.change.known for pair in stated if pair.agrees is False]
        right = [pair.change.known for pair in stated if pair.agrees]
        blame = [Blame(*edge, "used otherwise") for edge in _cuts(graph, wrong, right)]
    return blame


def _cuts(graph: ReasoningGraph, silent: Sequence[str], moving: Sequence[str]) -> list[tuple[str, str]]:
    paths = {known: graph.path_to_target(known) for known in (*silent, *moving)}
    edges: dict[tuple[str, str], None] = {}
    for known in silent:
        steps = list(zip(paths[known], paths[known][1:], strict=False))
        shared = [
            step for step in steps
            if not any(step in zip(paths[other], paths[other][1:], strict=False) for other in moving)
            and sum(step in zip(paths[other], paths[other][1:], strict=False) for other in silent) > 1
        ]  # fmt: skip
        if steps:
            edges[shared[-1] if shared else steps[0]] = None
    return list(edges)


# ---- over problems


@dataclass(frozen=True)
class Agreement:
    """One model over its problems: the share of probes that agree, and its controls, clustered by problem."""

    model: str
    agreement: Estimate
    direction: Estimate
    stated: Estimate
    irrelevant: Estimate
    permuted: Estimate
    problems: int
    n_asked: int  # problems that it was asked for a graph of
    n_missing: int
    blame: Mapping[str, int]
    by_direction: int = 0  # problems whose answer is not what the graph gives: values are not compared there

    def findings(self) -> list[str]:
        """The agreement, its two controls, and what is to blame."""
        sentences: list[str] = [
            finding(estimate) for estimate in (self.agreement, self.irrelevant, self.permuted) if estimate.n
        ]
        if not self.agreement.n:
            graphs = f"{self.n_asked} problem{'s' * (self.n_asked != 1)} asked"
            lost = f"{self.model} has no probe that can be compared: {graphs}, {self.problems} read."
            return [Finding(lost, open=True)]
        faults = ", ".join(f"{n} {fault}" for fault, n in self.blame.items())
        counted = f"counted over {self.problems} of {self.n_asked} problems; no test"
        if self.by_direction:
            other = "the answer to the unchanged problem is not what the graph gives"
            counts = f"{self.by_direction} of {self.problems} problems"
            sentences.append(Finding(f"{self.model}: in {counts} {other}; only the direction is compared there."))
        return [*sentences, *([f"{self.model}, edges to blame: {faults} ({counted})."] if faults else [])]


def agreement_of(behaviours: Sequence[Behaviour], model: str, level: float = 0.95) -> Agreement:
    mine = [one for one in behaviours if one.model == model]
    rows = [(one.problem, pair) for one in mine for pair in one.pairs if pair.agrees is not None]
    lost = sum(pair.agrees is None for one in mine for pair in one.pairs)

    def over(name: str, values: Sequence[tuple[str, float]]) -> Estimate:
        problems = [problem for problem, _ in values]
        estimate = share([value for _, value in values], problems, level, name=f"{model} {name}")
        return replace(estimate, n_missing=lost)

    stated = [(problem, float(bool(pair.agrees))) for problem, pair in rows if pair.change.role == "stated"]
    still = [(problem, float(bool(pair.agrees))) for problem, pair in rows if pair.change.role == "irrelevant"]
    exchanged = [(problem, float(np.mean(pair.permuted))) for problem, pair in rows if pair.permuted]
    counts = Counter(str(blame.fault) for one in mine for blame in one.blame)
    whose = "the given graph" if mine and all(one.own.from_problem for one in mine) else "its graph"
    return Agreement(
        model,
        over(
            f"moves as {whose.replace('its', 'its own')} says",
            [(problem, float(bool(pair.agrees))) for problem, pair in rows],
        ),
        over(f"moves in the direction of {whose}", [(p, float(bool(pair.direction))) for p, pair in rows]),
        over(f"moves as {whose} says, stated knowns", stated),
        over(f"stays where {whose} says so", still),
        over(f"agrees with {whose} under other names", exchanged),
        sum(any(pair.agrees is not None for pair in one.pairs) for one in mine),
        len(mine),
        lost,
        dict(counts),
        sum(bool(one.message) and any(pair.agrees is not None for pair in one.pairs) for one in mine),
    )
