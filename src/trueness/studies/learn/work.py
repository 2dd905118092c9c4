"""Units of learn, in a worker: draw a twin or resample, fit, score against the twin's graph; or test a user's graph.

Rows of one draw are the same for every learner; resamples go through the learner's batch where it has one.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets import Table, load
from trueness.datasets.twins import Twin
from trueness.graphs import ARROW, TAIL, Graph
from trueness.graphs.equivalence import consistent_extension, find_cycle
from trueness.learners import Learner, build, check_answer
from trueness.learners.batches import TimedFit, fit_alone, fit_resamples
from trueness.measures.graphs import Reference
from trueness.measures.score import NO_TRUTH
from trueness.outside import Json
from trueness.running.cells import stream
from trueness.running.outcomes import Outcome, failure_line, without_answer
from trueness.status import Status
from trueness.studies.learn.guess import permute_names, violations
from trueness.studies.learn.measures import GUESS, NAMES, NOT_MEASURED, VIOLATIONS

TRIES = 50
Fields = Mapping[str, Json]  # what a cell's units have in common, and what one has of its own


def prepare(common: Fields) -> None:
    """Load, make the twin and compile; what goes wrong here, `perform` will report."""
    with contextlib.suppress(Exception):
        table = table_of(json.dumps(common["data"]))
        if common["variant"] == GUESS:
            return
        few = table.columns(range(min(table.d, 5)))
        learner = learner_of(json.dumps(common["learner"]))
        list(fit_resamples(learner, few, [stream(0, "warm-up").integers(few.n, size=few.n)] * 2, [stream(0, "")] * 2))
        if common["twin"] is not None:
            twin_of(json.dumps(common["data"]), json.dumps(common["twin"]))


def perform(common: Fields, unit: Fields) -> Outcome:
    return next(perform_each(common, (unit,)))


def perform_each(common: Fields, units: Sequence[Fields]) -> Iterator[Outcome]:
    """The outcomes of units of one cell, in order, each made when it is asked for."""
    if common["variant"] == GUESS:
        yield from (_test(common, unit) for unit in units)
        return
    data, twin = json.dumps(common["data"]), common["twin"] and json.dumps(common["twin"])
    learner = learner_of(json.dumps(common["learner"]))
    try:
        fits = _resample_fits if common["variant"] == "resampled" else _fresh_fits
        for run in fits(common, units, learner):
            yield _outcome(run, learner, data, twin, common["variant"])
    except Exception as error:  # the table or the twin cannot be made
        yield from (without_answer(Status.FAILED, failure_line(error), 0.0) for _ in units)


def _fresh_fits(common: Fields, units: Sequence[Fields], learner: Learner) -> Iterator[TimedFit]:
    for unit in units:
        yield fit_alone(learner, _draw(common, unit["repeat"]), stream(common["seed"], unit["key"]))


def _resample_fits(common: Fields, units: Sequence[Fields], learner: Learner) -> Iterator[TimedFit]:
    table = table_of(json.dumps(common["data"])) if common["twin"] is None else _draw(common, 0)
    name = json.dumps(common["twin"])
    draws = (_resample(table, stream(common["seed"], f"resample {unit['repeat']} of {name}")) for unit in units)
    yield from fit_resamples(learner, table, draws, (stream(common["seed"], unit["key"]) for unit in units))


def _draw(common: Fields, repeat: int) -> Table:
    return _draw_rows(json.dumps(common["data"]), json.dumps(common["twin"]), repeat, common["seed"])


@lru_cache(maxsize=8)
def _draw_rows(data: str, twin: str, repeat: int, seed: int) -> Table:
    system, rng = twin_of(data, twin), stream(seed, f"draw {repeat} x 1 of {twin}")
    return _varying(lambda: system.draw(system.table.n, rng))


def _resample(table: Table, rng: Generator) -> NDArray[np.int64]:
    kept: list[NDArray[np.int64]] = []

    def again() -> Table:
        kept.append(rng.integers(table.n, size=table.n))
        return table.rows(kept[-1])

    _varying(again)
    return kept[-1]


def _varying(draw: Callable[[], Table]) -> Table:
    """Drawn again, at most TRIES times, while a column does not vary: the table's do, and no learner takes one."""
    for _ in range(TRIES):
        table = draw()
        if (np.nanmin(table.values, axis=0) < np.nanmax(table.values, axis=0)).all():
            break
    return table


def _outcome(run: TimedFit, learner: Learner, data: str, twin: str | None, variant: str) -> Outcome:
    """Its answer: the graph of a resample, or the true graph of the twin that was drawn from."""
    answer, seconds = run
    if isinstance(answer, Exception):
        return without_answer(Status.FAILED, failure_line(answer), seconds)
    problem = check_answer(answer, learner.card, table_of(data).names)
    if problem:
        return without_answer(Status.UNREADABLE, problem, seconds)
    scores: dict[str, tuple[float | None, str]] = {name: (None, NO_TRUTH) for name in NAMES}
    if twin is not None:
        by_measure = _reference(data, twin).score(answer, NAMES)
        scores = {name: (score.value, str(score.status)) for name, score in by_measure.items()}
    scores[VIOLATIONS.name] = (None, NOT_MEASURED)
    shown = answer if variant == "resampled" or twin is None else twin_of(data, twin).truth
    marks = json.dumps(shown.reorder(table_of(data).names).marks.astype(int).tolist(), separators=(",", ":"))
    return {"status": str(Status.OK), "message": "", "seconds": seconds, "answer": marks, "scores": scores}


def _test(common: Fields, unit: Fields) -> Outcome:
    """Of the guess (repeat 0), or of it with its names permuted."""
    table, guess = table_of(json.dumps(common["data"])), Graph.from_json(json.dumps(common["guess"]))
    original = guess
    if unit["repeat"]:
        rng = stream(common["seed"], f"names {unit['repeat']}")
        guess = permute_names(guess, unit["repeat"], common["every"], rng)
    try:
        rejected = violations(table, guess)
    except Exception as error:
        return without_answer(Status.FAILED, failure_line(error), 0.0)
    same = bool((guess.reorder(original.nodes).to_cpdag().marks == original.to_cpdag().marks).all())
    answer = json.dumps(rejected.to_dict() if not unit["repeat"] else {"same_class": same})
    scores: dict[str, tuple[float | None, str]] = {name: (None, NOT_MEASURED) for name in NAMES}
    scores[VIOLATIONS.name] = (rejected.share, "ok" if rejected.share is not None else NOT_MEASURED)
    return {"status": str(Status.OK), "message": "", "seconds": None, "answer": answer, "scores": scores}


# ---- what units share, made once a process


@lru_cache(maxsize=4)
def table_of(spec: str) -> Table:
    """The rows that are learned from: a table's own (or the first `rows` of a shuffle), or so many simulated ones."""
    source = json.loads(spec)
    dataset = load(source["name"], source["settings"], source["folder"])
    rng = stream(source["seed"], "the rows that are learned from")
    if dataset.table is None:
        return dataset.draw(source["rows"] or dataset.about.rows, rng)
    rows = source["rows"]
    return dataset.table if rows is None else dataset.table.rows(rng.permutation(dataset.table.n)[:rows])


@lru_cache(maxsize=64)
def learner_of(spec: str) -> Learner:
    learner = json.loads(spec)
    return build(learner["name"], learner["settings"])


@lru_cache(maxsize=64)
def twin_of(data: str, twin: str) -> Twin:
    """Resample 0 is the table itself."""
    table, origin = table_of(data), json.loads(twin)
    rng = stream(json.loads(data)["seed"], f"twin {twin}")
    rows = table.rows(_resample(table, rng)) if origin["resample"] else table
    graph = learner_of(json.dumps(origin["source"])).fit(rows, rng).reorder(table.names)
    return Twin(table, dag_of(graph))


@lru_cache(maxsize=64)
def _reference(data: str, twin: str) -> Reference:
    return Reference(twin_of(data, twin).truth)


def dag_of(graph: Graph) -> Graph:
    """A DAG of the class; where a search ended in no class, its edges as they are, the rest in the columns' order."""
    if graph.kind == "dag":
        return Graph(graph.nodes, graph.marks, None, "dag")
    undirected = (graph.marks == TAIL) & (graph.marks.T == TAIL)
    directed = (graph.marks == ARROW) & (graph.marks.T == TAIL)
    made = consistent_extension(directed, undirected)
    if made is None:
        made = directed & False
        pairs = [
            *zip(*directed.nonzero(), strict=True),
            *((i, j) for i, j in zip(*undirected.nonzero(), strict=True) if i < j),
        ]
        for i, j in pairs:
            made[i, j] = True
            if find_cycle(made):
                made[i, j], made[j, i] = False, True
    return Graph.from_matrix(made, graph.nodes, direction="row to column")
