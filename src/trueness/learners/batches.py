"""Fits of many resamples of one table: as a batch where the learner offers it, else one after another.

    graph_r = learner.fit(table.rows(draw_r), rng_r),   r = 1, 2, ...

A batch is a short cut to the same graphs and nothing else. A run that it leaves out, and all of them where it raises,
is fitted on its own: so one run's failure is its own, in the same words. Runs come one at a time, so that whoever waits
for them can hold each to its time limit.

PC, FCI, RFCI and GES have batches: preparing a run takes them as long as searching. Their searches stay one compiled
call a run: one call for all would save 11 of 134 us (PC on sachs), take 12 s more to compile, and could not be ended
for one run alone. LiNGAM, NOTEARS and DAGMA search ten times as long and more, and their weights would differ in
the last digit; BOSS breaks ties by the content of the rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import Batched, Draws, Learner

MOST_RUNS = 256  # in a batch
MOST_NUMBERS = 1 << 22  # drawn rows in a batch


class TimedFit(NamedTuple):
    """What a learner answered, or what it raised. Seconds of its fit; in a batch its own and its share of the rest."""

    answer: Graph | Exception
    seconds: float


def fit_resamples(
    learner: Learner, table: Table, draws: Iterable[Draws], generators: Iterable[Generator]
) -> Iterator[TimedFit]:
    """A run for each draw (m,) of rows; `draws` are read a batch at a time."""
    draws, generators = iter(draws), iter(generators)
    most = min(MOST_RUNS, max(MOST_NUMBERS // max(table.n, 1), 1))
    while batch := list(islice(draws, most)):
        yield from _fit_batch(learner, table, np.array(batch), list(islice(generators, len(batch))))


def _fit_batch(learner: Learner, table: Table, draws: Draws, generators: list[Generator]) -> Iterator[TimedFit]:
    began = time.perf_counter()
    answers = _answers(learner, table, draws)
    shared = (time.perf_counter() - began) / len(draws)
    for draw, rng in zip(draws, generators, strict=True):
        began = time.perf_counter()
        answer = _next(answers)
        alone = time.perf_counter() - began
        yield fit_alone(learner, table.rows(draw), rng) if answer is None else TimedFit(answer, shared + alone)


def _answers(learner: Learner, table: Table, draws: Draws) -> Iterator[Graph | None]:
    # a batch numbers the rows of the table, of which gaps and experiments may leave some out
    if not isinstance(learner, Batched) or len(draws) < 2 or table.has_gaps or table.experiments is not None:
        return iter(())
    try:
        return iter(learner.fit_many(table, draws))
    except Exception:  # each plain fit will tell
        return iter(())


def _next(answers: Iterator[Graph | None]) -> Graph | None:
    try:
        return next(answers, None)
    except Exception:  # the same; an iterator that has raised has nothing more to give
        return None


def fit_alone(learner: Learner, sample: Table, rng: Generator) -> TimedFit:
    """One plain fit."""
    began = time.perf_counter()
    try:
        answer: Graph | Exception = learner.fit(sample, rng)
    except Exception as error:  # a learner may raise anything; that is its result
        answer = error
    return TimedFit(answer, time.perf_counter() - began)
