"""A faithfulness study as tables: what its store holds, read, executed, scored.

    replies in study.db -> judgements (read again by the present reader) -> evaluations, reliability, known groups
                        -> graphs that models wrote themselves, and what their answers did when the problem changed

Nothing is asked; a better reader or another weight needs no new call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from trueness.models import Reply
from trueness.reading.verdicts import Verdict
from trueness.reasoning.graph import Problem
from trueness.reasoning.problems import problem_from
from trueness.running.results import Results, Row
from trueness.running.store import Store, StoredReply
from trueness.running.study_folder import StudyFolder
from trueness.showing.finding import Finding, finding
from trueness.statistics import Estimate
from trueness.status import Status
from trueness.studies.faithfulness.accuracy import (
    GIVEN,
    Criterion,
    InformedScore,
    against_accuracy,
    informed_score,
    method_rows,
)
from trueness.studies.faithfulness.api import missing_evaluation
from trueness.studies.faithfulness.batch import Batch
from trueness.studies.faithfulness.behaviour import Agreement, Behaviour, agreement_of, behaviour_of
from trueness.studies.faithfulness.counterfactual import (
    Changed,
    OwnGraph,
    Whose,
    changed_of,
    following_share,
    given_graph,
    read_own_graph,
)
from trueness.studies.faithfulness.human_labels import parse_labels
from trueness.studies.faithfulness.judge_reliability import Reliability, reliability
from trueness.studies.faithfulness.judging import Judgement, verdict_of
from trueness.studies.faithfulness.known_groups import RIGHT, Separation, group_of, known_groups
from trueness.studies.faithfulness.probes import Probe, ask_about
from trueness.studies.faithfulness.scores import COMPONENTS, Component, Evaluation, Scoring, score_problem

EXECUTED = "executed"  # the respondent of a study without judges


@dataclass(frozen=True)
class Written:
    """What a model under evaluation wrote when it solved a problem."""

    problem: str
    model: str
    repeat: int
    own: OwnGraph


@dataclass(frozen=True, eq=False)
class FaithfulnessStudy:
    """The tables of a faithfulness study. Damaged copies are in `evaluations` and not in `batch`."""

    study: str
    seed: int
    level: float
    problems: Mapping[str, Problem]
    judges: tuple[str, ...]
    evaluated: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    written: tuple[Written, ...]
    changed: tuple[Changed, ...]
    scoring: Scoring
    labels: str
    behaviours: tuple[Behaviour, ...] = ()

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        by_problem: dict[str, list[Judgement]] = {name: [] for name in self.problems}
        for judgement in self.judgements:
            by_problem[judgement.problem].append(judgement)
        return tuple(score_problem(problem, by_problem[name], self.scoring) for name, problem in self.problems.items())

    @cached_property
    def right(self) -> tuple[Evaluation, ...]:
        return tuple(found for found in self.evaluations if group_of(found.problem)[1] == RIGHT)

    @cached_property
    def reliability(self) -> Reliability | None:
        if not self.judgements:
            return None
        labels = parse_labels(self.labels, "labels") if self.labels else {}
        return reliability(self.judgements, self.evaluations, evaluated=self.evaluated, labels=labels, level=self.level)

    @cached_property
    def batch(self) -> Batch:
        ids = {found.problem for found in self.right}
        said = tuple(judgement for judgement in self.judgements if judgement.problem in ids)
        return Batch(self.right, said, self.reliability, self.level)

    @cached_property
    def separations(self) -> list[Separation]:
        """Known groups; nothing where the plan made no damaged copies."""
        return known_groups(self.evaluations, level=self.level) if len(self.right) < len(self.evaluations) else []

    @cached_property
    def methods(self) -> list[dict[str, Any]]:
        """cf by method and file; nothing where there is one of each and no right or wrong answer."""
        rows = method_rows(
            {GIVEN: self.right} | {model: batch.evaluations for model, batch in self.own.items()}, self.level
        )
        return rows if len(rows) > 1 or self.criteria else []

    @cached_property
    def criteria(self) -> list[Criterion]:
        """Each measure against right answers, over graphs as given and models' own."""
        own = [evaluation for batch in self.own.values() for evaluation in batch.evaluations]
        return against_accuracy([*self.right, *own], self.level)

    @cached_property
    def informed(self) -> InformedScore | None:
        """cf over the parts that tell right from wrong answers; nothing where no answer is labelled."""
        return informed_score(self.right, self.level)

    @cached_property
    def judged(self) -> dict[str, tuple[Evaluation, ...]]:
        """Judge -> the right problems that it saw, with what it alone said."""
        found = {}
        for judge in self.judges:
            said: dict[str, list[Judgement]] = {}
            for judgement in self.judgements:
                if judgement.judge == judge and group_of(judgement.problem)[1] == RIGHT:
                    said.setdefault(judgement.problem, []).append(judgement)
            found[judge] = tuple(score_problem(self.problems[name], own, self.scoring) for name, own in said.items())
        return found

    @property
    def respondent(self) -> str:
        return " + ".join(self.judges) or EXECUTED

    @cached_property
    def own(self) -> dict[str, Batch]:
        """Model -> the graphs that it wrote itself (first repeat), scored by what can be executed."""
        return {
            model: Batch(tuple(self._own(one) for one in self.written if one.model == model and not one.repeat))
            for model in dict.fromkeys(one.model for one in self.written)
        }

    def _own(self, one: Written) -> Evaluation:
        if one.own.problem is None:
            problem = replace(self.problems[one.problem], correct=None)
            return missing_evaluation(problem, one.own.status, one.own.message, self.scoring)
        return score_problem(one.own.problem, (), self.scoring)

    def changed_by(self, model: str, graph: Whose) -> list[Changed]:
        return [one for one in self.changed if (one.model, one.graph) == (model, graph)]

    def following(self) -> dict[tuple[str, Whose], Estimate]:
        """(model, whose graph) -> share of changed problems on which its answer follows it, clustered by problem."""
        names: dict[Whose, str] = {"own": "follows its own graph", "given": "follows the graph of the problem"}
        pairs = dict.fromkeys((one.model, one.graph) for one in self.changed)
        return {
            (model, graph): following_share(self.changed_by(model, graph), self.level, f"{model} {names[graph]}")
            for model, graph in pairs
        }

    @cached_property
    def agreements(self) -> list[Agreement]:
        """Per model: how often its answer moved as its own graph says, with its controls."""
        models = dict.fromkeys(one.model for one in self.behaviours)
        return [agreement_of(self.behaviours, model, self.level) for model in models]

    def rows(self) -> Iterator[Row]:
        """The long table: every problem and copy, cf and its components, and what became of changed problems."""
        for found in self.evaluations:
            problem, group = group_of(found.problem)
            where = (self.study, "faithfulness", problem, group, self.respondent, 0)
            yield Row(*where, "cf", found.cf, str(found.status))
            for name in COMPONENTS:
                part = found.components[name]
                yield Row(*where, name, part.value, str(part.status))
        for model, batch in self.own.items():
            for found in batch.evaluations:
                where = (self.study, "faithfulness", found.problem, "own_graph", model, 0)
                yield Row(*where, "cf", found.cf, str(found.status))
                for name in COMPONENTS:
                    yield Row(*where, name, found.components[name].value, str(found.components[name].status))
        for changed in self.changed:
            variant = f"{'own_graph' if changed.graph == 'own' else 'counterfactual'}/{changed.known}"
            value = float(changed.outcome == "follows") if changed.outcome else None
            where = (self.study, "faithfulness", changed.problem, variant, changed.model, changed.repeat)
            yield Row(*where, "follows", value, str(changed.status))

        for behaviour in self.behaviours:
            where = (self.study, "faithfulness", behaviour.problem, "behaviour", behaviour.model, behaviour.repeat)
            yield Row(*where, "behaviour", behaviour.score, str(behaviour.status))

    def sentences(self) -> list[str]:
        """What the study says, in the order in which it should be read."""
        average, bounds = self.batch.average(), self.batch.bounds()
        said: list[str] = [finding(average)]
        if bounds is not None and average.n < len(self.right):
            said.append(
                f"{len(self.right) - average.n} of {len(self.right)} problems have no cf; whatever they are, the mean "
                f"lies in [{bounds[0]:.3f}, {bounds[1]:.3f}]."
            )
        said += [finding(self.batch.component(name)) for name in COMPONENTS]
        said += self.sampling_sentences()
        said += [found.finding() for found in self.separations if found.damage == "all"]
        said += [criterion.finding() for criterion in self.criteria]
        said += [self.informed.finding()] if self.informed is not None else []
        said += [] if self.reliability is None else self.reliability.sentences()
        said += [sentence for found in self.agreements for sentence in found.findings()]
        said += [_written_sentence(model, [one for one in self.written if one.model == model]) for model in self.own]
        return said + [finding(found) for found in self.following().values()]

    def sampling_sentences(self) -> list[str]:
        """Where judges saw a sample of nodes: how far a component of one problem may be off by that."""
        said: list[str] = []
        for name in COMPONENTS[:2]:
            drawn = [e.components[name].details["sampling"] for e in self.right if _sampled(e.components[name])]
            errors = [one["standard_error"] for one in drawn if one["standard_error"] is not None]
            if drawn:
                nodes = f"{sum(one['asked'] for one in drawn)} of {sum(one['of'] for one in drawn)} nodes"
                where = f"{len(drawn)} problem{'s' if len(drawn) > 1 else ''}"
                error = f"{sum(errors) / len(errors):.2f} on average" if errors else "not known, one node a problem"
                told = (
                    f"{name}: judges were asked about {nodes} in {where}; the standard error that this "
                    f"leaves in the value of one problem is {error}."
                )
                said.append(Finding(told, open=not errors))
        return said


def _sampled(part: Component) -> bool:
    return part.value is not None and "sampling" in part.details


def _written_sentence(model: str, written: list[Written]) -> str:
    def count(what: str) -> int:
        return sum(getattr(one.own, what) is True for one in written)

    executed = sum(one.own.status is Status.OK for one in written)
    return (
        f"{model} was asked for {len(written)} graphs of its own: {executed} can be executed, {count('agrees')} give "
        f"the answer that it gave, {count('right')} the right one."
    )


def read_faithfulness(folder: Path | str) -> FaithfulnessStudy:
    """The tables of the faithfulness study in a folder."""
    with StudyFolder.reading(folder) as study:
        return faithfulness_of(study.task("faithfulness"), study.store)


def faithfulness_of(results: Results, store: Store) -> FaithfulnessStudy:
    about = results.about
    problems = {given["id"]: problem_from(given, given["id"]) for given in about["problems"]}
    stored = store.replies()
    judgements: list[Judgement] = []
    written: list[Written] = []
    changed: list[Changed] = []
    behaviours: list[Behaviour] = []
    for unit in _units(results, stored):
        problem = problems[unit.problem]
        if unit.variant == "judge":
            judgements += [_judgement(problem, unit, entry, reply) for entry, reply in unit.entries]
        elif unit.variant == "own_graph":
            own, moved = _own_graph(problem, unit)
            written.append(Written(problem.id, unit.model, unit.repeat, own))
            changed += moved
        elif unit.variant == "behaviour":
            behaviours.append(_behaviour(problem, unit, about.get("changes", 0)))
        else:
            changed += [
                changed_of(problem, ask_about(problem, entry.probe), unit.model, unit.repeat, reply)
                for entry, reply in unit.entries
                if reply is not None
            ]
    return FaithfulnessStudy(
        results.study, results.seed, results.level, problems, tuple(about["judges"]), tuple(about["evaluated"]),
        tuple(judgements), tuple(written), tuple(changed), Scoring(**about["scoring"]), about["labels"],
        tuple(behaviours),
    )  # fmt: skip


class _Entry(NamedTuple):
    """One question of a unit, as the task wrote it down."""

    probe: Probe
    changed: float | None


class _Unit(NamedTuple):
    problem: str
    variant: str
    model: str
    repeat: int
    entries: list[tuple[_Entry, Reply | None]]  # no reply: the question could not be asked


def _units(results: Results, stored: Mapping[str, StoredReply]) -> Iterator[_Unit]:
    for cell in results.cells:
        for run in results.of_cell(cell):
            if run.answer is None:
                continue
            entries: list[tuple[_Entry, Reply | None]] = []
            for given in json.loads(run.answer)["replies"]:
                entry = _Entry(Probe(given["kind"], given["node"], given["manner"]), given.get("changed"))
                found = None if given["reply"] is None else stored.get(given["reply"])
                if found is not None or given["reply"] is None:
                    entries.append((entry, None if found is None else Reply.from_dict(found.reply)))
            yield _Unit(cell.item, cell.variant, cell.respondent, run.repeat, entries)


def _judgement(problem: Problem, unit: _Unit, entry: _Entry, reply: Reply | None) -> Judgement:
    if reply is None:
        question = ask_about(problem, entry.probe)
        verdict = Verdict(question.status, question.message)
    else:
        verdict = verdict_of(reply, problem, entry.probe)
    return Judgement(problem.id, entry.probe, unit.model, unit.repeat, verdict)


def _own_graph(problem: Problem, unit: _Unit) -> tuple[OwnGraph, list[Changed]]:
    """The graph as the present reader reads it; a change that was asked of another reading of it is no longer one."""
    (_, first), *rest = unit.entries
    if first is None:
        return OwnGraph(Status.FAILED, "the reply with the graph is not in the store."), []
    own = read_own_graph(first, problem)
    asked = {question.probe: question for question in own.questions()}
    moved = [
        changed_of(own.problem, asked[entry.probe], unit.model, unit.repeat, reply, "own")
        for entry, reply in rest
        if reply is not None
        and own.problem is not None
        and entry.probe in asked
        and asked[entry.probe].changed == entry.changed
    ]
    return own, moved


def _behaviour(problem: Problem, unit: _Unit, changes: int) -> Behaviour:
    (asked, first), *rest = unit.entries
    if asked.probe.kind != "own_graph":
        own, rest = given_graph(problem), unit.entries
    elif first is None:
        own = OwnGraph(Status.FAILED, "the reply with the graph is not in the store.")
    else:
        own = read_own_graph(first, problem)
    replies = {entry.probe: (entry.changed, reply) for entry, reply in rest if reply is not None}
    return behaviour_of(own, replies, unit.model, unit.repeat, problem.id, changes)
