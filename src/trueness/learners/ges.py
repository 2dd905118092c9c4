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

BOSS: the equivalence class of the DAG that the best order of the columns gives, by a score.

    order       moved one column at a time to its best place, until no move raises the score
    DAG         each column with the parents that grow and shrink choose among the columns before it
    class       its CPDAG; then edges are removed greedily as in the second half of GES (`deletes`)

The deletions make the answer right for faithful data as n grows and never lower the score. The first order follows
from the content of the columns (`scores.content_order`), further ones are shuffles of it: the same data give the same
graph, in whatever order the columns come.
Andrews et al. (2023), NeurIPS; `kernels/boss.py`. `graph[i, j] != 0` for i -> j and, both ways, for i -- j.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import Card
from trueness.learners.gaps import TESTWISE
from trueness.learners.kernels import boss, equivalence, extended
from trueness.learners.kernels import ges as kernel
from trueness.learners.kernels import scores as kernel_scores
from trueness.learners.scores import Scores, ScoreSettings, content_order, gaps_note
from trueness.settings import Whole

OPERATOR = Literal["insert", "delete", "turn"]  # in the order of the kernel's numbers
NOTHING: NDArray[np.float64] = np.empty((0, 4))


class AppliedOperator(NamedTuple):
    """An operator that was applied: the edge between source and target, and by how much the score rose."""

    operator: OPERATOR
    source: str
    target: str
    gain: float


@dataclass(frozen=True)
class ScoredClass:
    """The class found and its score."""

    graph: Graph
    scores: Scores
    note: str = ""  # what the score rests on where values are missing or rows are of experiments
    steps: tuple[AppliedOperator, ...] = ()  # of GES and GIES: the operators that led to it
    order: tuple[str, ...] = ()  # of BOSS: the order it came from
    starts: tuple[float, ...] = ()  # of BOSS: the score that each start ended with

    @property
    def score(self) -> float:
        return self.scores.total(self.graph)

    @classmethod
    def of(
        cls, marks: NDArray[np.uint8], table: Table, scorer: kernel_scores.Scorer, trace: NDArray[np.float64], note: str
    ) -> Self:
        """From the marks of a CPDAG and the kernel's trace: (operator, x, y, gain) a row."""
        graph, words = (
            Graph.from_matrix(marks, table.names, direction="row to column", kind="cpdag"),
            get_args(OPERATOR),
        )
        steps = (
            AppliedOperator(words[int(how)], table.names[int(x)], table.names[int(y)], gain)
            for how, x, y, gain in trace.tolist()
        )
        return cls(graph, Scores(table.names, scorer), note, tuple(steps))


@dataclass(frozen=True)
class GES(ScoreSettings[ScoredClass]):
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

    def _details(self, table: Table, rng: Generator | None) -> ScoredClass:
        """The graph with its score and the operators that led to it."""
        names = table.names
        if self.search == "extended":  # orders that score the same are told apart by rounding: let it be one rounding
            table = table.columns(content_order(table.values).tolist())
        scorer = self.scorer(table)
        try:
            marks, trace = (kernel if self.search == "plain" else extended).search(scorer, table.d)
        except kernel.InCirclesError:  # inserts, then deletes: this ends whatever is gained
            marks, trace = kernel.search(scorer, table.d)
        found = ScoredClass.of(marks, table, scorer, trace, gaps_note(table))
        return replace(found, graph=found.graph.reorder(names))


@dataclass(frozen=True)
class BOSS(ScoreSettings[ScoredClass]):
    """Best order score search. Returns a CPDAG."""

    starts: Whole = 3  # orders to begin with; the best end counts
    deletes: bool = True  # end with the deletions of GES

    card: ClassVar[Card] = replace(
        GES.card,
        title="BOSS",
        summary="Searches over orders of the variables, moving one at a time to its best place by a score.",
        paper="Andrews et al. 2023",
    )

    def _details(self, table: Table, rng: Generator | None) -> ScoredClass:
        """The graph with its score and the order of the columns."""
        names = table.names
        table = table.columns(content_order(table.values).tolist())  # parents that score the same go by place
        scorer, first = self.scorer(table), np.arange(table.d)
        shuffle = np.random.default_rng(0)  # of an order that the data decide: no choice of the user's is hidden
        orders = [first, *(first[shuffle.permutation(table.d)] for _ in range(self.starts - 1))]
        scores, order, dag = boss.search(scorer, orders)
        equivalence.complete(dag, equivalence.NO_CUT)
        if self.deletes:
            kernel.shrink(scorer, dag)
        found = ScoredClass.of(dag, table, scorer, NOTHING, gaps_note(table))
        best = tuple(table.names[i] for i in order)
        return replace(found, graph=found.graph.reorder(names), order=best, starts=tuple(scores))


LEARNERS = {"ges": GES, "boss": BOSS}
