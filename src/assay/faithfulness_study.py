"""A faithfulness study as tables: what its store holds, read, executed, scored.

    replies in study.db -> judgements (read again by the present reader) -> evaluations, reliability, known groups

Nothing is asked; a better reader or another weight needs no new call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from assay.errors import StoreError
from assay.faithfulness.batch import Batch
from assay.faithfulness.judging import Judgement, of_problem, verdict_of
from assay.faithfulness.known_groups import RIGHT, Separation, group_of, known_groups
from assay.faithfulness.probes import Probe, ask_about, follows
from assay.faithfulness.reliability import Reliability, parse_labels, reliability
from assay.faithfulness.score import COMPONENTS, Evaluation, Scoring, score_problem
from assay.models import Reply
from assay.reading.verdicts import Verdict
from assay.reasoning.graph import Problem
from assay.reasoning.problems import problem_from
from assay.results import Results, Row
from assay.statistics import Estimate, share
from assay.status import Status
from assay.store import Store, StoredReply

EXECUTED = "executed"  # the respondent of a study without judges


@dataclass(frozen=True)
class Changed:
    """A model under evaluation on a changed problem: does its answer move as its graph says?"""

    problem: str
    known: str
    model: str
    repeat: int
    status: Status
    outcome: Literal["follows", "stays", "otherwise", ""] = ""
    answer: float | None = None
    expected: float | None = None


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
    changed: tuple[Changed, ...]
    scoring: Scoring
    labels: str

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

    @property
    def respondent(self) -> str:
        return " + ".join(self.judges) or EXECUTED

    def following(self) -> dict[str, Estimate]:
        """Model -> share of changed problems on which its answer follows its graph, clustered by problem."""
        found = {}
        for model in dict.fromkeys(changed.model for changed in self.changed):
            own = [changed for changed in self.changed if changed.model == model and changed.outcome]
            values = [float(changed.outcome == "follows") for changed in own]
            name = f"{model} follows its graph"
            found[model] = share(values, [changed.problem for changed in own], self.level, name=name)
        return found

    def rows(self) -> Iterator[Row]:
        """The long table: every problem and copy, cf and its components, and what became of changed problems."""
        for found in self.evaluations:
            problem, group = group_of(found.problem)
            where = (self.study, "faithfulness", problem, group, self.respondent, 0)
            yield Row(*where, "cf", found.cf, str(found.status))
            for name in COMPONENTS:
                part = found.components[name]
                yield Row(*where, name, part.value, str(part.status))
        for changed in self.changed:
            variant = f"counterfactual/{changed.known}"
            value = float(changed.outcome == "follows") if changed.outcome else None
            where = (self.study, "faithfulness", changed.problem, variant, changed.model, changed.repeat)
            yield Row(*where, "follows", value, str(changed.status))

    def sentences(self) -> list[str]:
        """What the study says, in the order in which it should be read."""
        average, bounds = self.batch.average(), self.batch.bounds()
        said = [str(average)]
        if bounds is not None and average.n < len(self.right):
            said.append(
                f"{len(self.right) - average.n} of {len(self.right)} problems have no cf; whatever they are, the mean "
                f"lies in [{bounds[0]:.3f}, {bounds[1]:.3f}]."
            )
        said += [str(self.batch.component(name)) for name in COMPONENTS]
        said += [found.sentence() for found in self.separations if found.damage == "all"]
        said += [] if self.reliability is None else self.reliability.sentences()
        return said + [str(found) for found in self.following().values()]


def read_faithfulness(folder: Path | str) -> FaithfulnessStudy:
    """The tables of the faithfulness study in a folder."""
    with Store.reading(Path(folder)) as store:
        found = {results.task: results for results in Results.all_of(store)}
        if "faithfulness" not in found:
            raise StoreError(f"{folder} must hold a faithfulness study, got {', '.join(found)}.")
        return faithfulness_of(found["faithfulness"], store)


def faithfulness_of(results: Results, store: Store) -> FaithfulnessStudy:
    about = results.about
    problems = {given["id"]: problem_from(given, given["id"]) for given in about["problems"]}
    judgements: list[Judgement] = []
    changed: list[Changed] = []
    for problem, probe, model, repeat, reply in _replies(results, store, problems):
        if probe.kind == "counterfactual":
            changed.append(_changed(problem, probe, model, repeat, reply))
        else:
            judgements.append(Judgement(problem.id, probe, model, repeat, verdict_of(reply, problem, probe)))
    judgements += _not_asked(judgements, problems)
    return FaithfulnessStudy(
        results.study, results.seed, results.level, problems, tuple(about["judges"]), tuple(about["evaluated"]),
        tuple(judgements), tuple(changed), Scoring(**about["scoring"]), about["labels"],
    )  # fmt: skip


def _replies(
    results: Results, store: Store, problems: Mapping[str, Problem]
) -> Iterator[tuple[Problem, Probe, str, int, Reply]]:
    stored: Mapping[str, StoredReply] = store.replies()
    for cell in results.cells:
        for repeat, key in enumerate(cell.keys):
            run = results.runs.get(key)
            if run is None or run.answer is None:
                continue
            for entry in json.loads(run.answer)["replies"]:
                found = stored.get(entry["reply"])
                if found is not None:
                    probe = Probe(entry["kind"], entry["node"], entry["manner"])
                    yield problems[cell.item], probe, cell.respondent, repeat, Reply.from_dict(found.reply)


def _not_asked(judgements: list[Judgement], problems: Mapping[str, Problem]) -> list[Judgement]:
    """Questions that could not be asked (a value that cannot be hidden), for judges that saw the problem."""
    found = []
    for judge, name in dict.fromkeys((judgement.judge, judgement.problem) for judgement in judgements):
        asked = {judgement.probe for judgement in of_problem(judgements, name)}
        for known in problems[name].graph.knowns:
            probe = Probe("abduction", known)
            if probe not in asked:
                question = ask_about(problems[name], probe)
                if not question.messages:
                    found.append(Judgement(name, probe, judge, 0, Verdict(question.status, question.message)))
    return found


def _changed(problem: Problem, probe: Probe, model: str, repeat: int, reply: Reply) -> Changed:
    verdict, question = verdict_of(reply, problem, probe), ask_about(problem, probe)
    keys: dict[str, Any] = {"problem": problem.id, "known": probe.node, "model": model, "repeat": repeat}
    if verdict.value is None:
        return Changed(**keys, status=verdict.status, expected=question.expected)
    outcome = follows(question, verdict.value, max(problem.tolerance, 0.02))
    return Changed(**keys, status=Status.OK, outcome=outcome, answer=verdict.value, expected=question.expected)
