"""A population study as tables: what its store holds, read, scored, with the baselines beside.

    replies in study.db -> answers (read again by the present reader) -> scores against the stored truths

Nothing is asked and no microdata are read; a better reader or another score needs no new call. Baselines answer the
question itself, and are not asked:

    baseline/uniform    1/L for every level: the score's 0
    baseline/marginal   P(V1) whatever the condition: base rates without dependence, skill 0 against the marginal
    baseline/perfect    K draws from the truth: what a respondent that knew everything would get, the ceiling
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from trueness.intervals import Distribution
from trueness.models import Reply
from trueness.outside import Json
from trueness.running.cells import stream
from trueness.running.results import Results, Row
from trueness.running.store import Run, Store, StoredReply
from trueness.running.study_folder import StudyFolder
from trueness.status import Status
from trueness.studies.population.elicitation import Answer, Exchange, Form, Manner
from trueness.studies.population.modes import read_answer
from trueness.studies.population.scores import Scales, TaskScore, score_answers
from trueness.studies.population.truth import PopulationTruth, truths_from_dicts

REFERENCES = ("baseline/uniform", "baseline/marginal", "baseline/perfect")


class AnswerKey(NamedTuple):
    """Who answered which task, how. A baseline has no mode."""

    respondent: str
    mode: str
    task: str
    repeat: int


@dataclass(frozen=True, eq=False)
class Populations:
    """The tables of a population study. `answers` holds every condition that was asked, answered or not."""

    study: str
    seed: int
    level: float
    truths: Mapping[str, PopulationTruth]
    answers: Mapping[AnswerKey, Mapping[str, Answer]]
    references: tuple[str, ...]
    models: tuple[str, ...]
    manner: Manner
    planned: int  # conditions to be asked: one a model, task, mode, condition and repeat

    @cached_property
    def score_by_key(self) -> dict[AnswerKey, TaskScore]:
        scales = Scales(self.seed, self.manner.draws)
        return {key: self._score(key, answers, scales) for key, answers in self.answers.items()}

    @property
    def scores(self) -> list[TaskScore]:
        """One a task, respondent and mode: repeats after the first are in `score_by_key` and in the long table."""
        return [score for key, score in self.score_by_key.items() if key.repeat == 0]

    def rows(self) -> Iterator[Row]:
        """The long table: every task, respondent, mode, repeat and measure. An item is source/task, cluster first."""
        for key, score in self.score_by_key.items():
            for measure, measured in score.measures.items():
                variant = key.mode or "reference"
                where = (f"{score.source}/{key.task}", variant, key.respondent, key.repeat, measure)
                yield Row(self.study, "population", *where, measured.value, str(measured.status))

    def completeness(self) -> tuple[bool, str]:
        """Whether every condition that was to be asked has a distribution, and what became of the others."""
        statuses = Counter(
            str(answer.status)
            for key, answers in self.answers.items()
            if key.respondent in self.models
            for answer in answers.values()
        )
        missing = [f"{n:,} {status}" for status, n in statuses.items() if status != Status.OK]
        waiting = self.planned - statuses.total()
        missing += [f"{waiting:,} not asked yet"] if waiting else []
        reasons = f" ({', '.join(missing)})" if missing else ""
        answered = f"{statuses[Status.OK]:,} of {self.planned:,}"
        return not missing, f"{answered} conditions to be asked have an answer{reasons}."

    def replies_by_status(self, respondent: str, mode: str) -> Counter[Status]:
        """What became of every reply of a model in a mode."""
        counts: Counter[Status] = Counter()
        for answer in self.answers_of(respondent, mode):
            counts.update(answer.counts)
        return counts

    def answers_of(self, respondent: str, mode: str) -> Iterator[Answer]:
        """Of all tasks, conditions and repeats."""
        for key, answers in self.answers.items():
            if (key.respondent, key.mode) == (respondent, mode):
                yield from answers.values()

    def _score(self, key: AnswerKey, answers: Mapping[str, Answer], scales: Scales) -> TaskScore:
        rng = stream(self.seed, f"score {' '.join(map(str, key))}")
        names = {"respondent": key.respondent, "mode": key.mode}
        return score_answers(self.truths[key.task], answers, rng=rng, scales=scales, **names)


def read_populations(folder: Path | str) -> Populations:
    """The tables of the population study in a folder."""
    with StudyFolder.reading(folder) as study:
        return populations_of(study.task("population"), study.store)


def populations_of(results: Results, store: Store) -> Populations:
    about = results.about
    truths = truths_from_dicts(about["truths"])
    manner = Manner(**about["manner"])
    answers: dict[AnswerKey, dict[str, Answer]] = {}
    stored = store.replies()
    for cell, where in zip(results.cells, results.abouts, strict=True):
        form = Form.of(truths[where["task"]].question, where["condition"])
        for run in results.of_cell(cell):
            key = AnswerKey(cell.respondent, cell.variant, where["task"], run.repeat)
            answers.setdefault(key, {})[where["condition"]] = _answer(run, form, stored, cell.variant)
    for name in about["references"]:
        for task, truth in truths.items():
            rng = stream(results.seed, f"{name} {task}")
            answers[AnswerKey(name, "", task, 0)] = baseline_answers(name, truth, manner.draws, rng)
    return Populations(
        results.study, results.seed, results.level, truths, answers, tuple(about["references"]),
        tuple(about["models"]), manner, sum(cell.repeats for cell in results.cells),
    )  # fmt: skip


def _answer(run: Run, form: Form, stored: Mapping[str, StoredReply], mode: str) -> Answer:
    """What the replies of a unit say now."""
    record: dict[str, Json] = json.loads(run.answer) if run.answer else {"used": mode, "replies": []}
    if record["used"] != mode:
        asked = f"an earlier version asked it by {record['used']!r}: plan that mode."
        return Answer(None, Status.UNREADABLE, message=asked)
    exchanges = [
        Exchange(
            entry["role"],
            entry["key"],
            Reply.from_dict(stored[entry["key"]].reply),
            tuple(entry.get("order", ())),
            entry["about"],
        )
        for entry in record["replies"]
        if entry["key"] in stored
    ]
    return read_answer(mode, form, exchanges) if exchanges else Answer(None, Status.FAILED, message=run.message)


def baseline_answers(name: str, truth: PopulationTruth, draws: int, rng: np.random.Generator) -> dict[str, Answer]:
    """Condition -> what the baseline answers."""
    n, rows = None, np.full_like(truth.probs, 1 / len(truth.levels))
    if name == "baseline/perfect":
        n, rows = draws, rng.multinomial(draws, truth.probs) / draws
    elif name == "baseline/marginal":
        rows = np.tile(truth.marginal, (len(truth.probs), 1))
    if n is None:
        rows = rows / rows.sum(axis=1, keepdims=True)
    return {
        condition: Answer(Distribution(truth.levels, tuple(row.tolist()), n))
        for condition, row in zip(truth.conditions, rows, strict=True)
    }
