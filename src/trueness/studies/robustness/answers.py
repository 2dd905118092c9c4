"""A robustness study as tables: what its store holds, scored anew.

    scores and K in study.db, truths of the plan -> RobustnessScores (robustness/scores.py) -> tables, charts, sentences

Nothing is fitted; another measure or another way to choose K from curves needs no new fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from trueness.graphs import Graph
from trueness.measures.ranking import RANKING_MEASURES
from trueness.outside import FACTOR, Json, Unpacker
from trueness.running.cells import Cell
from trueness.running.results import Results, Row
from trueness.running.store import Run
from trueness.running.study_folder import StudyFolder
from trueness.status import Status
from trueness.studies.robustness.calibration import findings
from trueness.studies.robustness.measures import AT_K
from trueness.studies.robustness.scores import RobustnessScores, ScorerAnswer, System, Variant
from trueness.studies.robustness.work import StoredScores, unpack_matrix


@dataclass(frozen=True, eq=False)
class RobustnessStudy:
    """The answers of a study with what its plan said. `notes` must stand beside the tables."""

    study: str
    seed: int
    evaluation: RobustnessScores
    scorers: Mapping[str, Mapping[str, Json]]  # name -> title, how it handles gaps, settings
    notes: tuple[str, ...]
    budget: Mapping[str, Json]
    expected: Mapping[str, Sequence[str]]
    planned: int

    @cached_property
    def findings(self) -> dict[str, list[str]]:
        return findings(self.evaluation, self.expected)

    @property
    def fits_done(self) -> int:
        return len(self.evaluation.answers)

    def failures(self) -> list[str]:
        """Why fits failed, and why a K is missing: each reason once, with how often."""
        reasons: Counter[str] = Counter()
        for answer in self.evaluation.answers:
            if answer.status != Status.OK:
                reasons[f"{answer.scorer}, {answer.corruption}: {answer.status}: {answer.message}"] += 1
            for method, why in answer.trouble.items():
                reasons[f"{answer.scorer}, {answer.corruption}: no K by {method}: {why}"] += 1
        equal = [f"{name}: its scores are all equal: they rank nothing." for name in self.evaluation.unranked]
        return [*equal, *(f"{text} (x {count})" for text, count in reasons.most_common())]

    def rows(self) -> Iterator[Row]:
        """The long table: every fit, its measures without a K, and those at each K.

        Members of a sweep are no respondents of their own; their fits are in robustness/scores.csv.
        """
        for answer, ranked in zip(self.evaluation.answers, self.evaluation.ranking.to_dict("records"), strict=True):
            if answer.scorer in self.evaluation.sweeps:
                continue
            where = (self.study, "robustness", answer.dataset, answer.corruption, answer.scorer, answer.seed)
            for name in RANKING_MEASURES:
                yield Row(*where, name, *_value_and_status(ranked[name], answer.status))
            if answer.matrix is None:
                continue
            curve = self.evaluation.curves[answer.dataset, answer.corruption, answer.scorer, answer.seed]
            for method, choice in self.evaluation.choices(answer).items():
                at = curve.at(choice.k)
                for name in AT_K:
                    yield Row(*where, f"{name}@{method.replace(' ', '_')}", *_value_and_status(at[name], answer.status))


def _value_and_status(value: float, status: Status) -> tuple[float | None, str]:
    if status == Status.OK and np.isnan(value):
        return None, str(Status.DEGENERATE)
    return (None if np.isnan(value) else float(value)), str(status)


def read_robustness(folder: Path | str) -> RobustnessStudy:
    """The tables of the robustness study in a folder."""
    with StudyFolder.reading(folder) as study:
        return robustness_of(study.task("robustness"))


def robustness_of(results: Results) -> RobustnessStudy:
    about = results.about
    systems = {
        name: System(Graph.from_json(entry["truth"]), entry["believed"], entry["lags"] > 0, entry["rows"])
        for name, entry in about["datasets"].items()
    }
    orders = {
        name: [entry["columns"].index(node) for node in systems[name].truth.nodes]
        for name, entry in about["datasets"].items()
    }
    corruptions = {
        name: Variant(entry["uses_graph"], tuple(entry["labels"]), tuple(entry["steps"]))
        for name, entry in about["corruptions"].items()
        if entry.get("factor", 1) == 1  # an earlier plan also ran shares of a strength: they are in no mean
    }
    sweeps = {name: tuple(entry["sweep"]) for name, entry in about["scorers"].items() if entry["sweep"]}
    unpacker = Unpacker(FACTOR)
    answers = [
        _answer(run, cell, orders[cell.item], unpacker)
        for cell in results.cells
        if cell.variant in corruptions
        for run in results.of_cell(cell)
    ]
    evaluation = RobustnessScores(
        systems, corruptions, tuple(about["scorers"]), tuple(answers), about["validation"], about["match"],
        sweeps, results.level, about.get("metric", "f1"), about.get("k_range", "all"),
    )  # fmt: skip
    return RobustnessStudy(
        results.study, results.seed, evaluation, about["scorers"], tuple(about["notes"]),
        about["budget"] | {"methods": about["methods"], "k_seeds": about["k_seeds"]}, about["expected"],
        sum(cell.repeats for cell in results.cells),
    )  # fmt: skip


def _answer(run: Run, cell: Cell, order: list[int], unpacker: Unpacker) -> ScorerAnswer:
    """A stored unit, its scores in the truth's node order."""
    who, status = (cell.item, cell.variant, cell.respondent, run.repeat), Status(run.status)
    if run.answer is None:
        return ScorerAnswer(*who, status, message=run.message, seconds=run.seconds)
    stored = StoredScores.read(run.answer)
    matrix = unpack_matrix(stored.scores, unpacker)[np.ix_(order, order)]
    return ScorerAnswer(
        *who, status, matrix, stored.k, run.message, stored.trouble, stored.disentanglement, run.seconds
    )
