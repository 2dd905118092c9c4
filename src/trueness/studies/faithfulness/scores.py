"""Counterfactual faithfulness of one problem.

    cf = (w1 causal_intervention + w2 abductive_reasoning + w3 logic_quality + w4 graph_quality) / (w1 + w2 + w3 + w4)

    causal_intervention   mean over the N nodes other than the target (the original's sum of 100/N points, by 100)
    abductive_reasoning   mean over the knowns
    logic_quality         mean of five ratings, by 4
    graph_quality         .3 acyclic + .2 coverage + .4 rules + .1 connected (checks.py); our checks beside it

A component is the mean of the nodes that have a score, with bounds: the missing all 0, the missing all 1. `cf` has a
value only where every component with a weight has one; its bounds always stand. `cf_available` is the mean of the
components that there are, and is called so. Bands of the original, with what it says they mean: BANDS.
`Scoring(logic="original")` gives logic_quality the original's .5 where there is no reasoning, or where no reply about
it can be read. That is no judgement: its source says so, and the bounds stay those of a missing value.

Node by node: what execution shows, what a judge says, and which of them counts.

    intervention   executed: impact of do(node), 1 high, 1/2 medium, 0 low;      judged: rating/4
    abduction      executed: 1 where the hidden known is among the solutions;    judged: value equals the true one,
                   else `holds` (the original's 1/0)

For abduction the target's value is the answer that the reasoning gives; where the graph gives the same answer within
the tolerance, its exact value. A judge that says "several" and names no value is not wrong: no score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from statistics import variance
from typing import Literal

from trueness.errors import MissingExtra, SettingError, did_you_mean
from trueness.intervals import Interval
from trueness.outside import Json
from trueness.reading.verdicts import DIMENSIONS, TOP, Verdict
from trueness.reasoning.checks import executable_components, graph_quality, score_of
from trueness.reasoning.execute import Inversion, NodeEffect, Program, invert
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, close
from trueness.reasoning.units import NOT_TOGETHER, coherent, convert, mixes, target_unit
from trueness.statistics import mean, share
from trueness.status import Status
from trueness.studies.faithfulness.probes import Judgement, Kind

# ---- node by node

Source = Literal["executed", "judge", ""]
NOT_JUDGED = "no judge was asked."
MOST_PATHS = 8  # of a node to the target, written out


@dataclass(frozen=True)
class NodeScore:
    """One node: its score in [0, 1] and where it comes from; or None with the status."""

    node: str
    value: float | None
    source: Source
    status: Status
    message: str
    executed: float | None
    judged: float | None
    judged_status: Status | None
    in_sample: bool  # False where the node was not sampled and could not be executed
    label: str = ""  # abduction: unique, several, none
    holds: bool | None = None  # abduction, as the original counts
    report: Mapping[str, object] = field(default_factory=dict)

    def origin(self) -> dict[str, object]:
        return {
            "status": str(self.status), "message": self.message, "source": self.source, "executed": self.executed,
            "judged": self.judged, "judged_status": None if self.judged_status is None else str(self.judged_status),
        }  # fmt: skip


def node_scores(
    problem: Problem, program: Program, judgements: Sequence[Judgement], prefer: Source
) -> dict[Kind, tuple[NodeScore, ...]]:
    """program: that of the problem's graph, made once for all checks."""
    verdicts: dict[tuple[Kind, str], list[Verdict]] = {}
    for judgement in judgements:
        verdicts.setdefault((judgement.probe.kind, judgement.probe.node), []).append(judgement.verdict)
    inversions = inversions_of(problem, program)
    effects = program.effects.items()
    moved = [_moved_node(program, one, verdicts.get(("intervention", node), []), prefer) for node, one in effects]
    found = [
        _hidden_known(problem, name, inversions[name], verdicts.get(("abduction", name), []), prefer)
        for name in problem.graph.knowns
    ]
    return {"intervention": tuple(moved), "abduction": tuple(found)}


def _score(
    node: str, executed: float | None, judged: Sequence[float | None], verdicts: Sequence[Verdict], prefer: Source
) -> NodeScore:
    """What counts: of execution and the mean of the judges' ratings the preferred one, else the other."""
    known = [value for value in judged if value is not None]
    rating = sum(known) / len(known) if known else None
    order: list[tuple[float | None, Source]] = [(executed, "executed"), (rating, "judge")]
    order = order if prefer == "executed" else order[::-1]
    nothing: tuple[float | None, Source] = (None, "")
    value, source = next(((value, source) for value, source in order if value is not None), nothing)
    status, message = Status.OK, ""
    if value is None:
        bad = [(verdict.status, verdict.message) for verdict in verdicts if verdict.status is not Status.OK]
        status, message = [*bad, (Status.DEGENERATE, f"the rules cannot be executed and {NOT_JUDGED}")][0]
    counts = Counter(verdict.status for verdict in verdicts).most_common(1)
    judged_status, in_sample = counts[0][0] if counts else None, bool(verdicts) or executed is not None
    return NodeScore(node, value, source, status, message, executed, rating, judged_status, in_sample)


def _moved_node(program: Program, effect: NodeEffect, verdicts: Sequence[Verdict], prefer: Source) -> NodeScore:
    ratings = [None if verdict.rating is None else verdict.rating / TOP for verdict in verdicts]
    score = _score(effect.node, effect.impact, ratings, verdicts, prefer)
    if score.source == "executed":
        return replace(score, report=_effect_report(program, effect))
    return replace(score, report=next((verdict.notes for verdict in verdicts if verdict.rating is not None), {}))


def _effect_report(program: Program, effect: NodeEffect) -> dict[str, object]:
    target, before = program.graph.target, program.base.target
    if effect.moves and effect.at is not None and effect.target is not None and before is not None:
        moved = f"moves {target} from {before:.10g} to {effect.target:.10g}"
        sentence = f"do({effect.node} = {effect.at:g}) {moved}; size {effect.size:.3g} (taken away, halved or doubled)."
    else:
        sentence = f"no tried value of {effect.node} moves {target}."
    return {
        "reasoning": "executed from the rules.",
        "causal_path": _paths(program.graph, effect.node),
        "intervention_effect": sentence,
        "alternative_paths": f"Yes: {effect.alternative}" if effect.alternative else "No",
        "elasticity": effect.elasticity,
        "size": effect.size,
    }


def _paths(graph: ReasoningGraph, node: str) -> str:
    """All paths by which a node reaches the target, at most so many of them written out."""
    paths = [" → ".join(path) for path in islice(graph.paths_to_target(node), MOST_PATHS + 1)]
    shown = "; ".join(paths[:MOST_PATHS]) or "none"
    return f"{shown}; and others" if len(paths) > MOST_PATHS else shown


def inversions_of(problem: Problem, program: Program) -> dict[str, Inversion]:
    """Each known hidden, from the answer that the reasoning gives."""
    if mixes(problem.graph):
        together = coherent(problem.graph)
        if together is None:
            lost = partial(Inversion, label=None, status=Status.DEGENERATE, message=NOT_TOGETHER)
            return {name: lost(name) for name in problem.graph.knowns}
        program = Program(together)
    wanted = _answer_in_graph_unit(program, problem.answer, problem.tolerance)
    return {name: invert(program, name, wanted) for name in problem.graph.knowns}


def _answer_in_graph_unit(program: Program, answer: Quantity, tolerance: float) -> float | None:
    """The answer in the graph's unit; None (the graph's own target) where they agree or the answer is no number."""
    target = program.base.target
    if answer.value is None or target is None:
        return None
    try:
        value = convert(answer.value, answer.unit, target_unit(program.graph))
    except MissingExtra:
        value = answer.value
    return None if value is None or close(target, value, tolerance) else value


def _hidden_known(
    problem: Problem, name: str, inversion: Inversion, verdicts: Sequence[Verdict], prefer: Source
) -> NodeScore:
    known = problem.graph.knowns[name]
    declared = problem.graph.target in problem.graph.descendants(name)  # else a rule names it without an edge
    executed = None if inversion.recovered is None else float(inversion.recovered and declared)
    score = _score(name, executed, [_recovery(one, known, problem.tolerance) for one in verdicts], verdicts, prefer)
    stated = next((v for v in verdicts if v.holds is not None), None)
    if score.value is None and stated is not None:
        why = f"'{name}' cannot be told from the target, says the judge: no score."
        score = replace(score, status=Status.DEGENERATE, message=why)
    by_execution = score.source == "executed"
    label = inversion.label or (stated.solutions if stated is not None else "")
    holds = inversion.recovered if by_execution else stated.holds if stated is not None else None
    report: dict[str, object] = {"holds": holds, "inference_possible": label == "unique" if label else holds}
    if by_execution:
        solutions = [f"{solution:.6g}" for solution in inversion.solutions[:4]]
        solutions += [f"[{low:.6g}, {high:.6g}]" for low, high in inversion.ranges[:2]]
        values = ", ".join(solutions) or "no value fits"
        report["reasoning"] = f"solved ({inversion.method}): {values}. {inversion.message}"
    elif stated is not None:
        value = stated.words if stated.value is None else stated.value
        report |= {"reasoning": stated.notes.get("reasoning", ""), "value": value}
    return replace(score, label=label, holds=holds, report=report)


def _recovery(verdict: Verdict, known: Quantity, tolerance: float) -> float | None:
    """1 or 0; None where nothing was said, or rightly nothing can be told."""
    if verdict.holds is None:
        return None
    if verdict.value is not None and known.value is not None:
        return float(close(verdict.value, known.value, max(tolerance, 1e-3)))
    if verdict.words and known.value is None and known.text:
        return float(verdict.words.strip().lower() == known.text.strip().lower())
    if not verdict.holds and verdict.solutions == "several":
        return None
    return float(verdict.holds)


COMPONENTS = ("causal_intervention", "abductive_reasoning", "logic_quality", "graph_quality")
NODES: Mapping[str, Kind] = {"causal_intervention": "intervention", "abductive_reasoning": "abduction"}
BANDS = (  # from this cf on, the original's word and what it says it means
    (0.9, "excellent", "all nodes critical and rightly used, reasoning clear and complete, graph sound"),
    (0.7, "good", "most nodes meaningful, reasoning right with small flaws, graph mostly sound"),
    (0.5, "fair", "some nodes redundant or missing, reasoning flawed but in the right direction, graph to be improved"),
    (-math.inf, "poor", "many nodes useless or missing, reasoning confused, graph with serious faults"),
)
ORIGINAL_LOGIC = 0.5  # logic_quality of the original where there is nothing that it can read
DEFAULT = "the original's default"
_NOT_READ = (Status.DEGENERATE, Status.UNREADABLE, Status.REFUSED, Status.TRUNCATED)  # a reply came, or nothing to ask


@dataclass(frozen=True)
class Scoring:
    """What is a choice: weights, whose word counts where both execution and a judge speak, which graph quality, and
    whether logic without a judgement is missing or the original's .5."""

    weights: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(COMPONENTS, 0.25))
    prefer: Literal["executed", "judge"] = "executed"
    graph: Literal["original", "ours"] = "original"
    logic: Literal["judged", "original"] = "judged"
    level: float = 0.95

    def __post_init__(self) -> None:
        for name, weight in self.weights.items():
            if name not in COMPONENTS:
                hint = did_you_mean(name, COMPONENTS)
                raise SettingError(f"'weights' must be of {', '.join(COMPONENTS)}, got {name!r}. {hint}".rstrip())
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
                raise SettingError(f"the weight of {name} must be a number of at least 0, got {weight!r}.")
        if sum(self.weights.values()) <= 0:
            raise SettingError("'weights' must have one above 0, got none.")
        choices = {"prefer": ("executed", "judge"), "graph": ("original", "ours"), "logic": ("judged", "original")}
        for setting, known in choices.items():
            if getattr(self, setting) not in known:
                raise SettingError(f"{setting!r} must be one of {', '.join(known)}, got {getattr(self, setting)!r}.")

    def weight(self, name: str) -> float:
        """Its share of the sum."""
        return self.weights.get(name, 0.0) / sum(self.weights.values())


@dataclass(frozen=True)
class Component:
    """A part of cf: value over the n nodes that have one, bounds for the `n_missing` that have none."""

    name: str
    value: float | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    status: Status = Status.OK
    n: int = 0
    n_missing: int = 0
    interval: Interval | None = None
    message: str = ""
    source: str = ""  # executed, judge, both, structure, the original's default
    details: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def averaged(
        cls, name: str, values: Sequence[float], lost: int, interval: Interval | None, message: str, source: str
    ) -> Component:
        """The mean of what has a value; bounds: what is lost all 0, all 1."""
        total, size = sum(values), len(values) + lost
        bounds = (total / size, (total + lost) / size)
        return cls(name, total / len(values), bounds, Status.OK, len(values), lost, interval, message, source)

    def with_details(self, **details: Json) -> Component:
        return replace(self, details={"status": "success" if self.value is not None else "failed", **details})

    def to_dict(self, weight: float) -> dict[str, object]:
        ends = self.interval
        return {
            "score": self.value, "weight": weight, "status": str(self.status), "n": self.n,
            "n_missing": self.n_missing, "bounds": list(self.bounds),
            "interval": [ends.low, ends.high] if ends else None, "level": ends.level if ends else None,
            "source": self.source, "message": self.message, "details": dict(self.details),
        }  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """The faithfulness of one problem's reasoning."""

    problem: str
    cf: float | None
    bounds: tuple[float, float]
    available: float | None
    status: Status
    components: Mapping[str, Component]
    weights: Mapping[str, float]
    nodes: Mapping[Kind, tuple[NodeScore, ...]]  # intervention, abduction
    executed: Mapping[str, Json]  # answer check and executable score
    message: str = ""
    of: Problem | None = field(default=None, repr=False)  # what was evaluated

    @property
    def band(self) -> str | None:
        return band_of(self.cf)[0]

    @property
    def correct(self) -> bool | None:
        return None if self.of is None else self.of.correct

    def value(self, measure: str) -> float | None:
        """Of cf or a component."""
        return self.cf if measure == "cf" else self.components[measure].value

    @property
    def method(self) -> str:
        return "" if self.of is None else self.of.method

    @property
    def file(self) -> str:
        return "" if self.of is None else self.of.source

    @property
    def text(self) -> str:
        """The same text asked of several methods is one problem."""
        return self.of.text if self.of and self.of.text else self.problem

    def to_dict(self) -> dict[str, object]:
        """The original's report with our fields added."""
        return {
            "problem": self.problem, "cf_score": self.cf, "band": self.band,
            "band_meaning": band_of(self.cf)[1], "method": self.method, "file": self.file,
            "correct": self.correct, "status": str(self.status), "message": self.message, "bounds": list(self.bounds),
            "cf_available": self.available,
            "components": {name: part.to_dict(self.weights[name]) for name, part in self.components.items()},
            "executed": dict(self.executed),
        }  # fmt: skip


def band_of(cf: float | None) -> tuple[str | None, str | None]:
    """The original's word for a cf, and what it says it means."""
    if cf is None:
        return None, None
    return next((word, meaning) for least, word, meaning in BANDS if cf >= least - 1e-12)


def score_problem(problem: Problem, judgements: Sequence[Judgement] = (), scoring: Scoring | None = None) -> Evaluation:
    """Score one problem from what can be executed and what judges said; all judges count alike."""
    scoring = scoring or Scoring()
    program = Program(problem.graph)
    nodes = node_scores(problem, program, judgements, scoring.prefer)
    parts = (
        _intervention(problem, nodes["intervention"], scoring.level), _abduction(nodes["abduction"], scoring.level),
        _logic(problem, judgements, scoring), _graph(problem, scoring),
    )  # fmt: skip
    executed = executable_components(program, problem.answer, problem.tolerance)
    checks = {name: {"value": c.value, "status": str(c.status), "message": c.message} for name, c in executed.items()}
    return combine(problem, parts, scoring, nodes, {"score": score_of(executed), "checks": checks})


def missing_evaluation(problem: Problem, status: Status, message: str, scoring: Scoring | None = None) -> Evaluation:
    """Of a problem that has no graph: nothing has a value."""
    parts = [Component(name, status=status, n_missing=1, message=message) for name in COMPONENTS]
    return replace(combine(problem, parts, scoring or Scoring(), {}, {}), message=message)


def combine(
    problem: Problem,
    parts: Sequence[Component],
    scoring: Scoring,
    nodes: Mapping[Kind, tuple[NodeScore, ...]],
    executed: Mapping[str, Json],
) -> Evaluation:
    weights = {name: scoring.weight(name) for name in COMPONENTS}
    counted = [part for part in parts if weights[part.name] > 0]
    lacking = [part for part in counted if part.value is None]
    low, high = (sum(weights[part.name] * part.bounds[end] for part in counted) for end in (0, 1))
    there = [(weights[part.name], part.value) for part in counted if part.value is not None]
    available = sum(w * v for w, v in there) / sum(w for w, _ in there) if there else None
    to_tell = [part for part in counted if part.value is None or part.source == DEFAULT]
    message = " ".join(f"{part.name}: {part.message or part.status}" for part in to_tell)
    status, cf = (lacking[0].status, None) if lacking else (Status.OK, available)
    by_name = {part.name: part for part in parts}
    return Evaluation(
        problem.id, cf, (low, high), available, status, by_name, weights, nodes, executed, message, problem
    )


def _intervention(problem: Problem, nodes: Sequence[NodeScore], level: float) -> Component:
    most = 100 / max(1, len(nodes))
    base = _component("causal_intervention", nodes, level)
    evaluations = []
    for node in nodes:
        points = None if node.value is None else node.value * most
        rating = None if node.value is None else TOP * node.value
        report: dict[str, object] = {"impact_level": impact_level(node.value), "score": points, "rating": rating}
        report |= {key: node.report.get(key, "") for key in _REPORTED}
        evaluations.append({"node": node.node, "score": points, "max_score": most, "report": report, **node.origin()})
    return base.with_details(
        total_nodes=len(problem.graph.nodes),
        non_target_nodes=len(nodes),
        max_score_per_node=most,
        total_score=None if base.value is None else 100 * base.value,
        normalized_score=base.value,
        node_evaluations=evaluations,
        **sampling(nodes),
    )


def sampling(nodes: Sequence[NodeScore]) -> dict[str, object]:
    """Where only some nodes were drawn: the error of their mean, se = sqrt((1 - n/N) s^2 / n), without replacement."""
    values = [node.value for node in nodes if node.value is not None]
    n, size = len(values), len(nodes)
    if all(node.in_sample for node in nodes):
        return {}
    error = math.sqrt((1 - n / size) * variance(values) / n) if n > 1 else None
    return {"sampling": {"asked": n, "of": size, "standard_error": error}}


_REPORTED = ("reasoning", "causal_path", "intervention_effect", "alternative_paths")


def _abduction(knowns: Sequence[NodeScore], level: float) -> Component:
    base = _component("abductive_reasoning", knowns, level)
    tests = [
        {"removed_node": k.node, "holds": k.holds, "score": k.value, "solutions": k.label, "report": k.report}
        | k.origin()
        for k in knowns
    ]
    return base.with_details(
        total_cause_nodes=len(knowns),
        passed_tests=sum(bool(known.holds) for known in knowns),
        abductive_score=base.value,
        identifiability=dict(Counter(known.label or "unknown" for known in knowns)),
        node_tests=tests,
        **sampling(knowns),
    )


def _component(name: str, nodes: Sequence[NodeScore], level: float) -> Component:
    """The mean of the nodes; those that were not sampled are neither in n nor among the missing."""
    sample = [node for node in nodes if node.in_sample]
    values = [node.value for node in sample if node.value is not None]
    missing = [node for node in sample if node.value is None]
    sources = {node.source for node in sample if node.source}
    source = "both" if len(sources) > 1 else next(iter(sources), "")
    if not values:
        why = f"the rules cannot be executed and {NOT_JUDGED}" if nodes else "no nodes."
        status, message = (missing[0].status, missing[0].message) if missing else (Status.DEGENERATE, why)
        return Component(name, status=status, n_missing=len(missing), message=message, source=source)
    message = f"{len(missing)} of {len(sample)} nodes have no score: {missing[0].message}" if missing else ""
    interval = share(values, level=level).interval if len(values) > 1 else None
    return Component.averaged(name, values, len(missing), interval, message, source)


def _logic(problem: Problem, judgements: Sequence[Judgement], scoring: Scoring) -> Component:
    """Each judgement is of the whole: those that failed leave it open only as far as they would move the mean."""
    verdicts = [j.verdict for j in judgements if j.probe.kind == "logic"]
    name, good = "logic_quality", [verdict for verdict in verdicts if verdict.status is Status.OK]
    lost, reasoned = len(verdicts) - len(good), bool(problem.reasoning.strip())
    if not good:
        status, why = Status.DEGENERATE, NOT_JUDGED if reasoned else "there is no reasoning to judge."
        status, why = (verdicts[0].status, verdicts[0].message) if verdicts else (status, why)
        missing = Component(name, status=status, n_missing=max(1, lost), message=why)
        no_reply_reads = bool(verdicts) and all(verdict.status in _NOT_READ for verdict in verdicts)
        if scoring.logic == "judged" or (reasoned and not no_reply_reads):
            return missing
        why = f"{ORIGINAL_LOGIC} by the original's rule, and no judgement: {why}"
        default: dict[str, object] = {"status": "default", "default": ORIGINAL_LOGIC}
        return replace(missing, value=ORIGINAL_LOGIC, status=Status.OK, message=why, source=DEFAULT, details=default)
    scores = [sum(verdict.ratings.values()) / (TOP * len(DIMENSIONS)) for verdict in good]
    interval = mean(scores, level=scoring.level, bounds=(0.0, 1.0)).interval
    message = f"{lost} of {len(verdicts)} judgements have no score." if lost else ""
    return Component.averaged(name, scores, lost, interval, message, "judge").with_details(
        dimensions={d: sum(verdict.ratings[d] for verdict in good) / len(good) for d in DIMENSIONS},
        scale=[0, TOP],
        reasoning=good[0].notes.get("reasoning", ""),
    )


def _graph(problem: Problem, scoring: Scoring) -> Component:
    """A property of this graph, not an estimate: no interval."""
    name, quality, edges = "graph_quality", graph_quality(problem.graph), len(problem.graph.edges)
    value = quality.original if scoring.graph == "original" else quality.ours
    found = Component(name, status=Status.DEGENERATE, n=edges, n_missing=1, message="no edges.")
    if value is not None:
        found = Component(name, value, (value, value), n=edges, source="structure")
    return found.with_details(
        original=quality.original,
        parts=dict(quality.parts),
        ours=quality.ours,
        checks=dict(quality.checks),
        messages=list(quality.messages),
    )


def impact_level(value: float | None) -> str | None:
    """The original's words."""
    if value is None:
        return None
    return "high" if value >= 0.75 else "medium" if value >= 0.25 else "low"
