"""A faithfulness study: what its store holds, read, executed, scored.

    replies in study.db -> judgements (read again by the present reader) -> evaluations, reliability, known groups
                        -> graphs that models wrote themselves, and what their answers did when the problem changed

Nothing is asked; a better reader or another weight needs no new call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from trueness.models import Reply
from trueness.reasoning.graph import Problem
from trueness.reasoning.problems import problem_from
from trueness.running.results import Results, Row
from trueness.running.store import Store
from trueness.running.study_folder import StudyFolder
from trueness.status import Status
from trueness.studies.faithfulness.batch import GIVEN, Batch, Criterion, against_accuracy, method_rows
from trueness.studies.faithfulness.behaviour import (
    Agreement,
    Behaviour,
    OwnGraph,
    agreement_of,
    behaviour_of,
    read_own_graph,
)
from trueness.studies.faithfulness.judge_reliability import Reliability, reliability
from trueness.studies.faithfulness.known_groups import RIGHT, Separation, group_of, known_groups
from trueness.studies.faithfulness.probes import Judgement, Probe, verdict_of
from trueness.studies.faithfulness.scores import (
    COMPONENTS,
    Evaluation,
    Scoring,
    missing_evaluation,
    score_problem,
)

EXECUTED = "executed"  # the respondent of a study without judges


@dataclass(frozen=True, eq=False)
class FaithfulnessStudy:
    """The answers of a faithfulness study. Damaged copies are in `evaluations` and not in `batch`."""

    study: str
    seed: int
    level: float
    problems: Mapping[str, Problem]
    judges: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    scoring: Scoring
    behaviours: tuple[Behaviour, ...] = ()

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        return self._score(self.problems, self.judgements)

    @cached_property
    def right(self) -> tuple[Evaluation, ...]:
        return tuple(evaluation for evaluation in self.evaluations if group_of(evaluation.problem)[1] == RIGHT)

    def _score(self, names: Iterable[str], judgements: Iterable[Judgement]) -> tuple[Evaluation, ...]:
        by_problem: dict[str, list[Judgement]] = {name: [] for name in names}
        for judgement in judgements:
            by_problem[judgement.problem].append(judgement)
        return tuple(score_problem(self.problems[name], said, self.scoring) for name, said in by_problem.items())

    @cached_property
    def reliability(self) -> Reliability | None:
        if not self.judgements:
            return None
        return reliability(self.judgements, self.evaluations, level=self.level)

    @cached_property
    def batch(self) -> Batch:
        judgements = tuple(one for one in self.judgements if group_of(one.problem)[1] == RIGHT)
        return Batch(self.right, judgements, self.reliability, self.level)

    @cached_property
    def own_batches(self) -> dict[str, Batch]:
        """Model -> the graphs that it wrote itself (first repeat), scored by what can be executed."""
        models = dict.fromkeys(one.model for one in self.behaviours)
        first = [(one.model, self._score_written(one)) for one in self.behaviours if not one.repeat]
        return {model: Batch(tuple(scored for who, scored in first if who == model)) for model in models}

    def _score_written(self, one: Behaviour) -> Evaluation:
        if one.own.problem is None:
            problem = replace(self.problems[one.problem], correct=None)
            return missing_evaluation(problem, one.own.status, one.own.message, self.scoring)
        return score_problem(one.own.problem, (), self.scoring)

    @cached_property
    def separations(self) -> list[Separation]:
        """Known groups; nothing where the plan made no damaged copies."""
        return known_groups(self.evaluations, level=self.level) if len(self.right) < len(self.evaluations) else []

    @cached_property
    def answered(self) -> tuple[Evaluation, ...]:
        """Graphs as given and models' own: what is held against right answers."""
        return (*self.right, *(one for batch in self.own_batches.values() for one in batch.evaluations))

    @cached_property
    def criteria(self) -> list[Criterion]:
        """Each measure against right answers."""
        return against_accuracy(self.answered, self.level)

    @cached_property
    def methods(self) -> list[dict[str, object]]:
        """cf by method and file; nothing where there is one of each and no right or wrong answer."""
        own = {model: batch.evaluations for model, batch in self.own_batches.items()}
        rows = method_rows({GIVEN: self.right} | own, self.level)
        return rows if len(rows) > 1 or self.criteria else []

    @property
    def respondent(self) -> str:
        return " + ".join(self.judges) or EXECUTED

    @cached_property
    def agreements(self) -> list[Agreement]:
        """Per model: how often its answer moved as its own graph says."""
        models = dict.fromkeys(one.model for one in self.behaviours)
        return [agreement_of(self.behaviours, model, self.level) for model in models]

    def rows(self) -> Iterator[Row]:
        """The long table: every problem and copy, cf and its components, and what became of changed problems.

        Where a file says which method made a graph, that method is the respondent.
        """
        first: dict[str, str] = {}  # text -> problem: what several methods were asked is one item
        item = {
            name: first.setdefault(problem.text if problem.method and problem.text else f"id {name}", name)
            for name, problem in self.problems.items()
        }
        scored: list[tuple[str, str, str, Evaluation]] = []
        for evaluation in self.evaluations:
            problem, group = group_of(evaluation.problem)
            stated = self.problems.get(problem)  # none in a store whose plan has other problems
            method = (stated.method if stated else "") or self.respondent
            scored.append((item.get(problem, problem), group, method, evaluation))
        for model, batch in self.own_batches.items():
            scored += [(item[one.problem], "own_graph", model, one) for one in batch.evaluations]
        where = (self.study, "faithfulness")
        for name, group, method, evaluation in scored:
            for measure in ("cf", *COMPONENTS):
                status = evaluation.status if measure == "cf" else evaluation.components[measure].status
                yield Row(*where, name, group, method, 0, measure, evaluation.value(measure), str(status))
        for one in self.behaviours:
            name, model, ended = one.problem, one.model, str(one.status)
            yield Row(*where, name, "behaviour", model, one.repeat, "behaviour", one.score, ended)


def read_faithfulness(folder: Path | str) -> FaithfulnessStudy:
    """The answers of the faithfulness study in a folder."""
    with StudyFolder.reading(folder) as study:
        return faithfulness_of(study.task("faithfulness"), study.store)


def faithfulness_of(results: Results, store: Store) -> FaithfulnessStudy:
    about = results.about
    problems = {record["id"]: problem_from(record, record["id"]) for record in about["problems"]}
    judgements: list[Judgement] = []
    behaviours: list[Behaviour] = []
    stored = store.replies()
    for cell, run in ((one, run) for one in results.cells for run in results.of_cell(one)):
        problem, who = problems[cell.item], (cell.respondent, run.repeat)
        records = [] if run.answer is None else json.loads(run.answer)["replies"]
        asked = [
            (Probe(one["kind"], one["node"]), one.get("changed"), key and Reply.from_dict(stored[key].reply))
            for one in records
            if (key := one["reply"]) is None or key in stored  # None: it could not be asked
            if one.get("manner", "plain") == "plain"  # an older version asked the same in other manners
        ]
        if cell.variant == "judge":
            verdicts = ((probe, verdict_of(reply, problem, probe)) for probe, _, reply in asked)
            judgements += [Judgement(problem.id, probe, *who, verdict) for probe, verdict in verdicts]
        elif cell.variant == "behaviour" and records:
            replies = {probe: (changed, reply) for probe, changed, reply in asked if reply is not None}
            _, first = replies.pop(Probe("own_graph"), (None, None))
            lost = OwnGraph(Status.FAILED, "the reply with the graph is not in the store.")
            graph = lost if first is None else read_own_graph(first, problem)
            behaviours.append(behaviour_of(graph, replies, *who, problem.id, about.get("changes", 0)))
    return FaithfulnessStudy(
        results.study, results.seed, results.level, problems, tuple(about["judges"]), tuple(judgements),
        Scoring(**about["scoring"]), tuple(behaviours),
    )  # fmt: skip
