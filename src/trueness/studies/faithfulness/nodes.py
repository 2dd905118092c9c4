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
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Literal

from trueness.errors import MissingExtra
from trueness.reading.verdicts import TOP, Verdict
from trueness.reasoning.execute import NodeEffect, Program
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, close
from trueness.reasoning.invert import Inversion, invert
from trueness.reasoning.units import NOT_TOGETHER, check_units, coherent, convert, target_unit
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
    message: str = ""
    executed: float | None = None
    judged: float | None = None
    judged_status: Status | None = None
    label: str = ""  # abduction: unique, several, none
    holds: bool | None = None  # abduction, as the original counts
    in_sample: bool = True  # False where the node was not sampled and could not be executed
    report: dict[str, object] = field(default_factory=dict)

    def origin(self) -> dict[str, object]:
        return {
            "status": str(self.status), "message": self.message, "source": self.source, "executed": self.executed,
            "judged": self.judged, "judged_status": None if self.judged_status is None else str(self.judged_status),
        }  # fmt: skip


def intervention_scores(
    problem: Problem, program: Program, judgements: Sequence[Judgement], prefer: Source
) -> list[NodeScore]:
    """program: that of the problem's graph, made once for all checks."""
    return [
        _intervention(problem, program, effect, _verdicts(judgements, "intervention", node), prefer)
        for node, effect in program.effects.items()
    ]


def abduction_scores(
    problem: Problem, program: Program, judgements: Sequence[Judgement], prefer: Source
) -> list[NodeScore]:
    inversions = inversions_of(problem, program)
    return [
        _abduction(problem, name, inversions[name], _verdicts(judgements, "abduction", name), prefer)
        for name in problem.graph.knowns
    ]


def _verdicts(judgements: Sequence[Judgement], kind: Kind, node: str) -> list[Verdict]:
    return [j.verdict for j in judgements if j.probe.kind == kind and j.probe.node == node]


def _intervention(
    problem: Problem, program: Program, effect: NodeEffect, verdicts: Sequence[Verdict], prefer: Source
) -> NodeScore:
    judged = _mean([v.rating / TOP for v in verdicts if v.rating is not None])
    rated = next((v for v in verdicts if v.rating is not None), None)
    executed = effect.impact
    value, source = _choose(executed, judged, prefer)
    status, message = _why(value, verdicts)
    report: dict[str, object] = dict(rated.notes) if rated else {}
    if source == "executed":
        report = _effect_report(problem, program, effect)
    return NodeScore(
        effect.node, value, source, status, message, executed, judged, _judged_status(verdicts),
        in_sample=bool(verdicts) or executed is not None, report=report,
    )  # fmt: skip


def _effect_report(problem: Problem, program: Program, effect: NodeEffect) -> dict[str, object]:
    before = program.base.target
    if effect.moves and effect.at is not None and effect.target is not None and before is not None:
        moved = f"moves {problem.graph.target} from {before:.10g} to {effect.target:.10g}"
        sentence = f"do({effect.node} = {effect.at:g}) {moved}; size {effect.size:.3g} (taken away, halved or doubled)."
    else:
        sentence = f"no tried value of {effect.node} moves {problem.graph.target}."
    return {
        "reasoning": "executed from the rules.",
        "causal_path": _paths(problem.graph, effect.node),
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
    if any(check.agreement == "mixed" for check in check_units(problem.graph)):
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
    scores = [_recovery(verdict, known, problem.tolerance) for verdict in verdicts]
    judged = _mean([score for score in scores if score is not None])
    stated = next((v for v in verdicts if v.holds is not None), None)
    declared = problem.graph.target in problem.graph.descendants(name)  # else a rule names it without an edge
    executed = None if inversion.recovered is None else float(inversion.recovered and declared)
    value, source = _choose(executed, judged, prefer)
    status, message = _why(value, verdicts)
    if value is None and stated is not None:
        status, message = Status.DEGENERATE, f"'{name}' cannot be told from the target, says the judge: no score."
    label = inversion.label or (stated.solutions if stated is not None else "")
    holds = inversion.recovered if source == "executed" else stated.holds if stated is not None else None
    report: dict[str, object] = {"holds": holds, "inference_possible": label == "unique" if label else holds}
    if source == "executed":
        solutions = [f"{solution:.6g}" for solution in inversion.solutions[:4]]
        solutions += [f"[{low:.6g}, {high:.6g}]" for low, high in inversion.ranges[:2]]
        values = ", ".join(solutions) or "no value fits"
        report["reasoning"] = f"solved ({inversion.method}): {values}. {inversion.message}"
    elif stated is not None:
        report |= {
            "reasoning": stated.notes.get("reasoning", ""),
            "value": stated.words if stated.value is None else stated.value,
        }
    return NodeScore(
        name, value, source, status, message, executed, judged, _judged_status(verdicts), label, holds,
        bool(verdicts) or executed is not None, report,
    )  # fmt: skip


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


def _choose(executed: float | None, judged: float | None, prefer: Source) -> tuple[float | None, Source]:
    order: list[tuple[float | None, Source]] = [(executed, "executed"), (judged, "judge")]
    for value, source in order if prefer == "executed" else order[::-1]:
        if value is not None:
            return value, source
    return None, ""


def _why(value: float | None, verdicts: Sequence[Verdict]) -> tuple[Status, str]:
    if value is not None:
        return Status.OK, ""
    bad = [verdict for verdict in verdicts if verdict.status is not Status.OK]
    if not bad:
        return Status.DEGENERATE, f"the rules cannot be executed and {NOT_JUDGED}"
    return bad[0].status, bad[0].message


def _judged_status(verdicts: Sequence[Verdict]) -> Status | None:
    """The most frequent one."""
    counts = Counter(verdict.status for verdict in verdicts)
    return counts.most_common(1)[0][0] if counts else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
