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
from typing import NamedTuple

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
    HELD_OUT,
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
    with_own_formulas,
)
from trueness.studies.faithfulness.human_labels import parse_labels
from trueness.studies.faithfulness.judge_reliability import Reliability, reliability
from trueness.studies.faithfulness.judging import Judgement, verdict_of
from trueness.studies.faithfulness.known_groups import RIGHT, Separation, group_of, known_groups
from trueness.studies.faithfulness.probes import Probe, ask_about
from trueness.studies.faithfulness.scores import (
    COMPONENTS,
    DEFAULT,
    ORIGINAL_LOGIC,
    Component,
    Evaluation,
    Scoring,
    score_problem,
)

EXECUTED = "executed"  # the respondent of a study without judges


@dataclass(frozen=True)
class Written:
    """What a model under evaluation wrote when it solved a problem."""

    problem: str
    model: str
    repeat: int
    graph: OwnGraph


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
        return tuple(evaluation for evaluation in self.evaluations if group_of(evaluation.problem)[1] == RIGHT)

    @cached_property
    def reliability(self) -> Reliability | None:
        if not self.judgements:
            return None
        labels = parse_labels(self.labels, "labels") if self.labels else {}
        return reliability(self.judgements, self.evaluations, evaluated=self.evaluated, labels=labels, level=self.level)

    @cached_property
    def batch(self) -> Batch:
        ids = {evaluation.problem for evaluation in self.right}
        judgements = tuple(judgement for judgement in self.judgements if judgement.problem in ids)
        return Batch(self.right, judgements, self.reliability, self.level)

    @cached_property
    def separations(self) -> list[Separation]:
        """Known groups; nothing where the plan made no damaged copies."""
        return known_groups(self.evaluations, level=self.level) if len(self.right) < len(self.evaluations) else []

    @cached_property
    def methods(self) -> list[dict[str, object]]:
        """cf by method and file; nothing where there is one of each and no right or wrong answer."""
        rows = method_rows(
            {GIVEN: self.right} | {model: batch.evaluations for model, batch in self.own_batches.items()}, self.level
        )
        return rows if len(rows) > 1 or self.criteria else []

    @cached_property
    def criteria(self) -> list[Criterion]:
        """Each measure against right answers, over graphs as given and models' own."""
        return against_accuracy(self.answered, self.level)

    @cached_property
    def answered(self) -> tuple[Evaluation, ...]:
        """Graphs as given and models' own: what is held against right answers."""
        of_models = (evaluation for batch in self.own_batches.values() for evaluation in batch.evaluations)
        return (*self.right, *of_models)

    @cached_property
    def informed_cf(self) -> InformedScore | None:
        """cf over the parts that tell right from wrong answers; nothing where no answer is labelled."""
        return informed_score(self.criteria, self.right, self.level)

    @cached_property
    def by_judge(self) -> dict[str, tuple[Evaluation, ...]]:
        """Judge -> the right problems that it saw, with what it alone said."""
        by_judge = {}
        for judge in self.judges:
            by_problem: dict[str, list[Judgement]] = {}
            for judgement in self.judgements:
                if judgement.judge == judge and group_of(judgement.problem)[1] == RIGHT:
                    by_problem.setdefault(judgement.problem, []).append(judgement)
            by_judge[judge] = tuple(
                score_problem(self.problems[name], judgements, self.scoring) for name, judgements in by_problem.items()
            )
        return by_judge

    @property
    def respondent(self) -> str:
        return " + ".join(self.judges) or EXECUTED

    @cached_property
    def own_batches(self) -> dict[str, Batch]:
        """Model -> the graphs that it wrote itself (first repeat), scored by what can be executed."""
        first = [one for one in self.written if not one.repeat]
        return {
            model: Batch(tuple(self._score_written(one) for one in first if one.model == model))
            for model in dict.fromkeys(one.model for one in self.written)
        }

    def _score_written(self, one: Written) -> Evaluation:
        if one.graph.problem is None:
            problem = replace(self.problems[one.problem], correct=None)
            return missing_evaluation(problem, one.graph.status, one.graph.message, self.scoring)
        return score_problem(one.graph.problem, (), self.scoring)

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

    @cached_property
    def _asked_as(self) -> dict[str, str]:
        """Problem -> the first of those with its text: what several methods were asked is one item."""
        first: dict[str, str] = {}
        return {
            name: first.setdefault(problem.text if problem.method and problem.text else f"id {name}", name)
            for name, problem in self.problems.items()
        }

    def rows(self) -> Iterator[Row]:
        """The long table: every problem and copy, cf and its components, and what became of changed problems.

        Where a file says which method made a graph, that method is the respondent.
        """
        for evaluation in self.evaluations:
            problem, group = group_of(evaluation.problem)
            stated = self.problems.get(problem)  # none in a store whose plan has other problems
            method = (stated.method if stated else "") or self.respondent
            where = (self.study, "faithfulness", self._asked_as.get(problem, problem), group, method, 0)
            yield Row(*where, "cf", evaluation.cf, str(evaluation.status))
            for name in COMPONENTS:
                part = evaluation.components[name]
                yield Row(*where, name, part.value, str(part.status))
        for model, batch in self.own_batches.items():
            for evaluation in batch.evaluations:
                where = (self.study, "faithfulness", self._asked_as[evaluation.problem], "own_graph", model, 0)
                yield Row(*where, "cf", evaluation.cf, str(evaluation.status))
                for name in COMPONENTS:
                    yield Row(*where, name, evaluation.components[name].value, str(evaluation.components[name].status))
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
        sentences: list[str] = [HELD_OUT, finding(average)]
        if bounds is not None and average.n < len(self.right):
            sentences.append(
                f"{len(self.right) - average.n} of {len(self.right)} problems have no cf; whatever they are, the mean "
                f"lies in [{bounds[0]:.3f}, {bounds[1]:.3f}]."
            )
        sentences += [finding(self.batch.component(name)) for name in COMPONENTS]
        sentences += [self.by_default] if self.by_default else []
        sentences += self.sampling_sentences()
        sentences += [separation.finding() for separation in self.separations if separation.damage == "all"]
        sentences += [criterion.finding() for criterion in self.criteria]
        sentences += [self.informed_cf.finding()] if self.informed_cf is not None else []
        sentences += [] if self.reliability is None else self.reliability.sentences()
        sentences += [sentence for agreement in self.agreements for sentence in agreement.findings()]
        for model in self.own_batches:
            sentences.append(_written_sentence(model, [one for one in self.written if one.model == model]))
        return sentences + [finding(estimate) for estimate in self.following().values()]

    @property
    def by_default(self) -> str:
        """In how many problems logic_quality is the original's .5."""
        number = sum(one.components["logic_quality"].source == DEFAULT for one in self.answered)
        if not number:
            return ""
        return (
            f"logic_quality is the original's {ORIGINAL_LOGIC} in {number} of {len(self.answered)} graphs, where no "
            'readable judgement of a reasoning is there (logic = "original"). cf counts it, and its bounds do not.'
        )

    def sampling_sentences(self) -> list[str]:
        """Where judges saw a sample of nodes: how far a component of one problem may be off by that."""
        sentences: list[str] = []
        for name in COMPONENTS[:2]:
            drawn = [e.components[name].details["sampling"] for e in self.right if _has_sampling(e.components[name])]
            errors = [one["standard_error"] for one in drawn if one["standard_error"] is not None]
            if drawn:
                nodes = f"{sum(one['asked'] for one in drawn)} of {sum(one['of'] for one in drawn)} nodes"
                where = f"{len(drawn)} problem{'s' if len(drawn) > 1 else ''}"
                error = f"{sum(errors) / len(errors):.2f} on average" if errors else "not known, one node a problem"
                sentence = (
                    f"{name}: judges were asked about {nodes} in {where}; the standard error that this "
                    f"leaves in the value of one problem is {error}."
                )
                sentences.append(Finding(sentence, open=not errors))
        return sentences


def _has_sampling(part: Component) -> bool:
    return part.value is not None and "sampling" in part.details


def _written_sentence(model: str, written: list[Written]) -> str:
    def count(what: str) -> int:
        return sum(getattr(one.graph, what) is True for one in written)

    executed = sum(one.graph.status is Status.OK for one in written)
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
    problems = {record["id"]: problem_from(record, record["id"]) for record in about["problems"]}
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
            graph, moved = _own_graph(problem, unit)
            written.append(Written(problem.id, unit.model, unit.repeat, graph))
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
            for record in json.loads(run.answer)["replies"]:
                entry = _Entry(Probe(record["kind"], record["node"], record["manner"]), record.get("changed"))
                stored_reply = None if record["reply"] is None else stored.get(record["reply"])
                if stored_reply is not None or record["reply"] is None:
                    entries.append((entry, None if stored_reply is None else Reply.from_dict(stored_reply.reply)))
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
    graph, rest = _written_graph(problem, unit)
    questions = {question.probe: question for question in graph.questions()}
    moved = [
        changed_of(graph.problem, questions[entry.probe], unit.model, unit.repeat, reply, "own")
        for entry, reply in rest
        if reply is not None
        and graph.problem is not None
        and entry.probe in questions
        and questions[entry.probe].changed == entry.changed
    ]
    return graph, moved


def _written_graph(problem: Problem, unit: _Unit) -> tuple[OwnGraph, list[tuple[_Entry, Reply | None]]]:
    """The graph that a model wrote, with its formulas where it was asked for them; and what it was asked then."""
    (_, first), *rest = unit.entries
    if first is None:
        return OwnGraph(Status.FAILED, "the reply with the graph is not in the store."), rest
    graph = read_own_graph(first, problem)
    if rest and rest[0][0].probe.kind == "formulas":
        (_, second), *rest = rest
        graph = graph if second is None else with_own_formulas(graph, second, problem)
    return graph, rest


def _behaviour(problem: Problem, unit: _Unit, changes: int) -> Behaviour:
    is_own = unit.entries[0][0].probe.kind == "own_graph"
    graph, rest = _written_graph(problem, unit) if is_own else (given_graph(problem), unit.entries)
    replies = {entry.probe: (entry.changed, reply) for entry, reply in rest if reply is not None}
    return behaviour_of(graph, replies, unit.model, unit.repeat, problem.id, changes)
