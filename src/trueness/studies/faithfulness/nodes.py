"""Node by node: what execution shows, what a judge says, and which of them counts.

    intervention   executed: impact of do(node), 1 high, 1/2 medium, 0 low;      judged: rating/4
    abduction      executed: 1 where the hidden known is among the solutions;    judged: value equals the true one,
                   else `holds` (the original's 1/0)

Execution goes first; the judge counts where a rule is in words. For abduction the target's value is the answer that the
reasoning gives; where the graph gives the same answer within the tolerance, its exact value. Whether a known can be
told at all (unique, several, none) is a label. A judge that says "several" and names no value is not wrong: no score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Literal

from trueness.errors import MissingExtra
from trueness.reading.verdicts import TOP, Verdict
from trueness.reasoning.execute import NodeEffect, Program
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, close
from trueness.reasoning.invert import Inversion, invert
from trueness.reasoning.units import NOT_TOGETHER, coherent, convert, mixes, target_unit
from trueness.status import Status
from trueness.studies.faithfulness.probes import Judgement, Kind

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
    moved = [_intervention(program, one, verdicts.get(("intervention", node), []), prefer) for node, one in effects]
    found = [
        _abduction(problem, name, inversions[name], verdicts.get(("abduction", name), []), prefer)
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


def _intervention(program: Program, effect: NodeEffect, verdicts: Sequence[Verdict], prefer: Source) -> NodeScore:
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


def _abduction(
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
