"""Asking a judge about a problem, and what it said: one Judgement a probe and repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from trueness.errors import SettingError
from trueness.models import Message, Reply, Settings
from trueness.reading.verdicts import Verdict, read_verdict
from trueness.reasoning.graph import Problem
from trueness.status import Status
from trueness.studies.faithfulness.probes import (
    KINDS,
    Kind,
    Manner,
    Probe,
    ProbeQuestion,
    ask_about,
    judge_probes,
    settings_for,
)

Send = Callable[[Sequence[Message], Settings, str], Reply]  # messages, settings, salt -> reply


@dataclass(frozen=True)
class Judgement:
    """What one judge said to one probe in one repeat."""

    problem: str
    probe: Probe
    judge: str
    repeat: int
    verdict: Verdict


@dataclass(frozen=True)
class Asking:
    """How a judge is asked. `nodes`: at most so many nodes and so many knowns a problem, drawn; None asks about all."""

    kinds: tuple[Kind, ...] = KINDS
    repeats: int = 1
    manners: tuple[Manner, ...] = ("plain",)
    nodes: int | None = None
    structured: bool = True
    settings: Settings = field(default_factory=lambda: Settings(max_tokens=512))

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise SettingError(f"'repeats' of a judge must be at least 1, got {self.repeats}.")
        if self.nodes is not None and self.nodes < 1:
            raise SettingError(f"'nodes' to be sampled must be at least 1, got {self.nodes}. Leave it out for all.")


def sample_names(names: Sequence[str], most: int | None, rng: Generator) -> tuple[str, ...]:
    """Those that are asked about, in the order of the graph."""
    if most is None or most >= len(names):
        return tuple(names)
    kept = sorted(rng.choice(len(names), size=most, replace=False))
    return tuple(names[place] for place in kept)


def probes_of(problem: Problem, asking: Asking, rng: Generator | None = None) -> list[Probe]:
    """All probes of a problem. `reversed` repeats what shows the graph, `padded` what shows the reasoning."""
    rng = rng or np.random.default_rng(0)
    nodes, knowns = (
        sample_names(names, asking.nodes, rng) for names in (problem.graph.non_target, tuple(problem.graph.knowns))
    )
    probes: list[Probe] = []
    for manner in asking.manners:
        shows = {"plain": None, "reversed": ("intervention", "abduction"), "padded": ("logic",)}[manner]
        probes += [p for p in judge_probes(problem, manner, nodes, knowns) if shows is None or p.kind in shows]
    return [probe for probe in probes if probe.kind in asking.kinds]


def questions_of(problem: Problem, asking: Asking, rng: Generator | None = None) -> list[ProbeQuestion]:
    """Made before anything is asked, so that threads only ask."""
    return [ask_about(problem, probe) for probe in probes_of(problem, asking, rng)]


def ask_judge(
    problem: Problem, question: ProbeQuestion, judge: str, repeat: int, send: Send, asking: Asking
) -> Judgement:
    """One question asked once; one that cannot be asked has a judgement with its status."""
    if not question.messages:
        verdict = Verdict(question.status, question.message)
    else:
        settings = settings_for(question.probe.kind, asking.settings, asking.structured)
        verdict = verdict_of(send(question.messages, settings, f"repeat {repeat}"), problem, question.probe)
    return Judgement(problem.id, question.probe, judge, repeat, verdict)


def verdict_of(reply: Reply, problem: Problem, probe: Probe) -> Verdict:
    """A reply that never came keeps its status; one that was cut off is read as far as it goes."""
    if reply.status not in (Status.OK, Status.TRUNCATED):
        return Verdict(reply.status, reply.message)
    points = 100 / max(1, len(problem.graph.non_target))
    verdict = read_verdict(reply.text, probe.kind, points=points)
    if reply.status is Status.TRUNCATED and verdict.status is Status.UNREADABLE:
        return Verdict(Status.TRUNCATED, reply.message or verdict.message)
    return verdict


def of_problem(judgements: Iterable[Judgement], problem: str) -> list[Judgement]:
    return [judgement for judgement in judgements if judgement.problem == problem]
