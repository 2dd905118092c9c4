"""Does a scorer know the true graph? Its answer must not change when the truth does.

    same rows, same seed:   scores with the truth as it is  ==  scores with the truth's nodes shuffled, bit by bit

While the scorer runs, every way to the truth answers with the shuffled graph: a `truth` on the data that it is given,
the data set itself (through a global, a closure or the registry), and the Graph that others hold; who asks the first
two is told. A copy of the matrix that was hidden away beforehand is beyond any check of this kind; reading the
scorer's file is not. It patches the data set's class for the time of a call: run it in checks and tests, not while
other threads score.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator, default_rng

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs import Graph
from trueness.learners.scoring.edge_scores import EdgeScorer


class HasTruth(Protocol):
    """What the check needs of a data set."""

    @property
    def truth(self) -> Graph: ...

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Table: ...


@dataclass(frozen=True)
class LeakReport:
    """What was found; nothing is good."""

    scorer: str
    findings: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        return f"{self.scorer}: {'; '.join(self.findings) if self.findings else 'does not know the truth'}."


def check_no_leak(scorer: EdgeScorer, dataset: HasTruth, n: int = 300, seed: int = 0) -> LeakReport:
    """Score n rows of the data set twice, the truth shuffled in between, and tell all that points to a leak."""
    data, truth = dataset.draw(n, default_rng(seed)), dataset.truth
    reads: list[str] = []
    answers = []
    for shown in (truth, shuffle(truth, default_rng(seed))):
        with _truth_replaced(dataset, data, truth, shown, reads):
            answers.append(scorer.scores(data, default_rng(seed)).matrix)
    findings = [f"reads {way}" for way in dict.fromkeys(reads)]
    if not np.array_equal(answers[0], answers[1]):
        findings.append("answers otherwise when the truth is shuffled")
    return LeakReport(type(scorer).__name__, tuple(findings))


def shuffle(truth: Graph, rng: Generator) -> Graph:
    """The graph with its nodes' places exchanged, so that its edges differ."""
    for _ in range(100):
        order = rng.permutation(len(truth))
        moved = truth.marks[np.ix_(order, order)]
        if not np.array_equal(moved, truth.marks):
            return Graph(truth.nodes, moved, None, truth.kind)
    raise DataError("the truth of a leak check must change when its nodes are shuffled, got an empty or a full graph.")


@contextmanager
def _truth_replaced(dataset: HasTruth, data: Table, truth: Graph, shown: Graph, reads: list[str]) -> Iterator[None]:
    """Everyone who asks the data set or the data, or looks into the graph, gets the shown one for the time being."""

    from unittest.mock import patch  # with asyncio, which nobody else needs

    def told(way: str) -> property:
        return property(lambda _: reads.append(way) or shown)  # type: ignore[func-returns-value]

    other = dict(shown.__dict__)
    with (
        patch.object(type(dataset), "truth", told("dataset.truth"), create=True),
        patch.object(type(data), "truth", told("data.truth"), create=True),
        patch.dict(truth.__dict__, other, clear=True),
    ):
        yield
