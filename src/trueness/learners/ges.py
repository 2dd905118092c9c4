"""GES: the equivalence class of DAGs that adding and removing edges greedily by a score ends in.

    plain       the best Insert(x, y, T) over all pairs while it raises the score, then the best Delete(x, y, H)
    extended    a Delete whenever one raises the score, else the best Insert, from no edge and from the class of a good
                order, as BOSS finds it; at the higher end every node loses its edges and every edge is taken out once
                more, to see whether the search from there ends higher still (Nazaret & Blei 2024, and the order and
                the nodes; `kernels/extended.py`)

on CPDAGs, so that a step is never one of several DAGs of the same class. With a consistent score (BIC, BDeu) and
faithful data both end in the true class as n grows. Extended is the default: it finds the better graph, in 20 to 40
times the time (docs/benchmarks.md); plain gives the references' graph, and the answer where columns follow from each
other so that extended would not end. Chickering (2002), JMLR 3;
operators: `kernels/operators.py`.
Returns `graph[i, j] != 0` for i -> j and, both ways, for i -- j.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import Card, Draws, checked
from trueness.learners.gaps import TESTWISE
from trueness.learners.kernels import extended, operators
from trueness.learners.kernels import ges as kernel
from trueness.learners.kernels import scores as kernel_scores
from trueness.learners.scores import Scores, ScoreSettings, content_order, gaps_note

Operator = Literal["insert", "delete", "turn"]


class AppliedOperator(NamedTuple):
    """An operator that was applied: the edge between source and target, and by how much the score rose."""

    operator: Operator
    source: str
    target: str
    gain: float


def steps_of(trace: NDArray[np.float64], names: tuple[str, ...]) -> tuple[AppliedOperator, ...]:
    words: dict[int, Operator] = {operators.INSERT: "insert", operators.DELETE: "delete", operators.TURN: "turn"}
    return tuple(
        AppliedOperator(words[int(how)], names[int(x)], names[int(y)], gain) for how, x, y, gain in trace.tolist()
    )


@dataclass(frozen=True)
class GESResult:
    """The class found, its score, and the operators that led to it."""

    graph: Graph
    score: float
    steps: tuple[AppliedOperator, ...]
    note: str = ""  # what the score rests on where values are missing or rows are of experiments


@dataclass(frozen=True)
class GES(ScoreSettings[GESResult]):
    """Greedy equivalence search. Returns a CPDAG."""

    search: Literal["plain", "extended"] = "extended"

    card: ClassVar[Card] = Card(
        title="GES",
        summary="Adds, removes and turns edges of an equivalence class greedily by a score (BIC or BDeu).",
        returns="cpdag",
        data={"discrete", "continuous"},
        missing=TESTWISE,
        assumes=("causal sufficiency", "faithfulness", "acyclicity"),
        paper="Chickering 2002; Nazaret & Blei 2024",
        family="score-based",
    )

    def fit_many(self, data: Table, draws: Draws) -> Iterator[Graph | None]:
        table = checked(data, self)
        if table.n != data.n or self.search == "extended":  # draws are of rows not used, or have each their order
            return iter([None] * len(draws))
        scorers = self.scorers(table, draws)
        return (None if scorer is None else self._class(scorer, table.names)[0] for scorer in scorers)

    def _details(self, table: Table, rng: Generator | None) -> GESResult:
        """The graph with its score and the operators that led to it."""
        names = table.names
        if self.search == "extended":  # orders that score the same are told apart by rounding: let it be one rounding
            table = table.columns(content_order(table.values).tolist())
        scorer = self.scorer(table)
        graph, trace = self._class(scorer, table.names)
        score = Scores(table.names, scorer).total(graph)
        return GESResult(graph.reorder(names), score, steps_of(trace, table.names), gaps_note(table))

    def _class(self, scorer: kernel_scores.Scorer, names: tuple[str, ...]) -> tuple[Graph, NDArray[np.float64]]:
        try:
            marks, trace = (kernel if self.search == "plain" else extended).search(scorer, len(names))
        except kernel.InCirclesError:  # inserts, then deletes: this ends whatever is gained
            marks, trace = kernel.search(scorer, len(names))
        return Graph.from_matrix(marks, names, direction="row to column", kind="cpdag"), trace


LEARNERS = {"ges": GES}
