"""Units of discovery, in a worker: draw rows, fit, score the graph against the truth.

    outcome = {status, message, seconds (of the fit alone), answer (the graph as JSON), scores}

Bootstrap runs that come in one chunk are fitted as a batch where the learner has one (learners/batches.py): to the same
graphs, and `seconds` is then a run's own time and its share of what the batch did for all of its runs.
Scores and JSON of a graph are kept: runs of a cell often end in the same one, and scoring takes longer than many a fit.
"""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypedDict

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets import Dataset, Table, has_truth, load, nodes_of, targets_of
from trueness.graphs import Graph, Kind
from trueness.learners import Batched, Card, Learner, build, check_answer
from trueness.learners.batches import TimedFit, fit_alone, fit_resamples
from trueness.measures.graphs import MEASURES, Reference
from trueness.measures.score import NO_TRUTH
from trueness.outside import Json
from trueness.running.cells import stream
from trueness.running.outcomes import Outcome, failure_line, without_answer
from trueness.status import Status


class DatasetSpec(TypedDict):
    name: str
    settings: dict[str, Json]
    folder: str


class LearnerSpec(TypedDict):
    name: str
    settings: dict[str, Json]


class Common(TypedDict):
    """What all units of a cell share."""

    dataset: DatasetSpec
    learner: LearnerSpec
    vary: str
    rows: int | None
    codes: bool
    seed: int
    data_identity: str


class Unit(TypedDict):
    key: str
    repeat: int


WARM_UP = 5  # columns of a fit that is made to compile


def prepare(common: Common) -> None:
    """Load and compile what the units of a cell share. What goes wrong here, `perform` will report."""
    spec, batch = json.dumps(common["dataset"]), common["vary"] == "bootstrap"
    with contextlib.suppress(Exception):
        _warmed_up(spec, json.dumps(common["learner"]), common["codes"], batch)


@lru_cache(maxsize=64)
def _warmed_up(spec: str, learner_spec: str, codes: bool, batch: bool) -> None:
    """Once a process, and on so few columns that it takes no time worth limiting: our kernels compile on first use."""
    dataset, learner = _dataset(spec), _learner(learner_spec)
    if has_truth(dataset):
        reference_of(spec, learner.card.interventions == "targets").perfect(learner.card.returns)
    if learner.card.needs:
        importlib.import_module(learner.card.needs)
    elif type(learner).__module__.startswith("trueness.learners."):
        rng = stream(0, "warm-up")
        table = as_taken(dataset.draw(min(dataset.about.rows, 1000), rng), learner.card, codes)
        named = [j for j, name in enumerate(table.names) if name in learner_spec]  # in what it was told beforehand
        few = table.columns(sorted({*named, *range(min(table.d, WARM_UP))}))
        learner.fit(few, rng)
        if batch and isinstance(learner, Batched):
            list(learner.fit_many(few, rng.integers(few.n, size=(2, few.n))))


def perform(common: Common, unit: Unit) -> Outcome:
    """Draw, fit, score one unit. Whatever the learner does, the outcome is a status, never an exception."""
    return next(perform_each(common, (unit,)))


def perform_each(common: Common, units: Sequence[Unit]) -> Iterator[Outcome]:
    """The outcomes of units of one cell, in order, each made when it is asked for."""
    spec = json.dumps(common["dataset"])
    dataset, learner = _dataset(spec), _learner(json.dumps(common["learner"]))
    runs = _fit_resampled if common["vary"] == "bootstrap" else _one_by_one
    for run in runs(dataset, learner, common, units):
        yield _outcome(run, learner.card, spec)


def _one_by_one(dataset: Dataset, learner: Learner, common: Common, units: Sequence[Unit]) -> Iterator[TimedFit]:
    for unit in units:
        try:
            table = as_taken(draw(dataset, common, unit["repeat"]), learner.card, common["codes"])
        except Exception as error:  # a data set may be a user's own code
            yield TimedFit(error, 0.0)
            continue
        yield fit_alone(learner, table, stream(common["seed"], unit["key"]))


def _fit_resampled(dataset: Dataset, learner: Learner, common: Common, units: Sequence[Unit]) -> Iterator[TimedFit]:
    """As above on table.rows(...), through the learner's batch where it has one; seconds are shares of the batch."""
    try:
        table = as_taken(_fixed_table(dataset, common), learner.card, common["codes"])
    except Exception as error:  # the same
        yield from (TimedFit(error, 0.0) for _ in units)
        return
    draws = (_drawn_rows(table, common, unit["repeat"]) for unit in units)
    yield from fit_resamples(learner, table, draws, (stream(common["seed"], unit["key"]) for unit in units))


def _outcome(run: TimedFit, card: Card, spec: str) -> Outcome:
    answer, seconds = run
    if isinstance(answer, Exception):
        return without_answer(Status.FAILED, failure_line(answer), seconds)
    problem = check_answer(answer, card, nodes_of(_dataset(spec)))
    if problem:
        return without_answer(Status.UNREADABLE, problem, seconds)
    plain = _Plain(answer.nodes, answer.marks.tobytes(), answer.kind, answer)
    scores = _graph_scores(spec, card.interventions == "targets", plain)
    graph_json = _graph_json(plain) if answer.weights is None else _compact(answer)
    return {"status": str(Status.OK), "message": "", "seconds": seconds, "answer": graph_json, "scores": scores}


def draw(dataset: Dataset, common: Common, repeat: int) -> Table:
    """The table of that repeat: the same for every learner."""
    vary = common["vary"]
    if vary == "redraw":
        return dataset.draw(common["rows"], _draw_stream(common, repeat))
    fixed = _fixed_table(dataset, common)
    if vary == "bootstrap":
        return fixed.rows(_drawn_rows(fixed, common, repeat))
    if vary == "permute":
        return fixed.columns(_draw_stream(common, repeat).permutation(fixed.d).tolist())
    return fixed


def _fixed_table(dataset: Dataset, common: Common) -> Table:
    """The one sample that all repeats share where rows are not drawn afresh."""
    if dataset.table is not None:
        return dataset.table
    return dataset.draw(common["rows"], stream(common["seed"], f"{common['data_identity']} fixed"))


def _drawn_rows(fixed: Table, common: Common, repeat: int) -> NDArray[np.int64]:
    return _draw_stream(common, repeat).integers(0, fixed.n, size=common["rows"] or fixed.n)


def _draw_stream(common: Common, repeat: int) -> Generator:
    return stream(common["seed"], f"{common['data_identity']} repeat {repeat}")


def as_taken(table: Table, card: Card, codes: bool) -> Table:
    """With `codes`, a learner that cannot take the table as it is gets numbers throughout; the report says so."""
    return table.as_numbers() if codes and not card.takes(table) else table


def _compact(answer: Graph) -> str:
    return json.dumps(json.loads(answer.to_json()), separators=(",", ":"))


@dataclass(frozen=True)
class _Plain:
    """A graph known by its marks: what its scores depend on."""

    nodes: tuple[str, ...]
    marks: bytes
    kind: Kind
    graph: Graph = field(compare=False)


@lru_cache(maxsize=4096)
def _graph_scores(spec: str, uses_targets: bool, plain: _Plain) -> dict[str, tuple[float | None, str]]:
    if not has_truth(_dataset(spec)):
        return {name: (None, NO_TRUTH) for name in MEASURES}
    scores = reference_of(spec, uses_targets).score(plain.graph)
    return {name: (score.value, str(score.status)) for name, score in scores.items()}


@lru_cache(maxsize=4096)
def _graph_json(plain: _Plain) -> str:
    return _compact(plain.graph)


@lru_cache(maxsize=32)
def _dataset(spec: str) -> Dataset:
    parts: DatasetSpec = json.loads(spec)
    return load(parts["name"], parts["settings"], parts["folder"])


@lru_cache(maxsize=64)
def _learner(spec: str) -> Learner:
    parts: LearnerSpec = json.loads(spec)
    return build(parts["name"], parts["settings"])


@lru_cache(maxsize=32)
def reference_of(spec: str, uses_targets: bool = False) -> Reference:
    """Of a learner that uses targets the class is the interventional one."""
    dataset = _dataset(spec)
    return Reference(dataset.truth, targets=targets_of(dataset) if uses_targets else ())
