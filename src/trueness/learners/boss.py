"""BOSS: the equivalence class of the DAG that the best order of the columns gives, by a score.

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
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import Card
from trueness.learners.ges import GES
from trueness.learners.kernels import boss as kernel
from trueness.learners.kernels import equivalence, ges
from trueness.learners.scores import Scores, ScoreSettings, content_order, gaps_note
from trueness.settings import Whole


@dataclass(frozen=True)
class BOSSResult:
    """The class found, its score, the order it came from, and the score that each start ended with."""

    graph: Graph
    score: float
    order: tuple[str, ...]
    starts: tuple[float, ...]
    note: str = ""  # what the score rests on where values are missing


@dataclass(frozen=True)
class BOSS(ScoreSettings[BOSSResult]):
    """Best order score search. Returns a CPDAG."""

    starts: Whole = 3  # orders to begin with; the best end counts
    deletes: bool = True  # end with the deletions of GES

    card: ClassVar[Card] = replace(
        GES.card,
        title="BOSS",
        summary="Searches over orders of the variables, moving one at a time to its best place by a score.",
        paper="Andrews et al. 2023",
    )

    def _details(self, table: Table, rng: Generator | None) -> BOSSResult:
        """The graph with its score and the order of the columns."""
        names = table.names
        table = table.columns(content_order(table.values).tolist())  # parents that score the same go by place
        scorer, first = self.scorer(table), np.arange(table.d)
        shuffle = np.random.default_rng(0)  # of an order that the data decide: no choice of the user's is hidden
        orders = [first, *(first[shuffle.permutation(table.d)] for _ in range(self.starts - 1))]
        scores, order, dag = kernel.search(scorer, orders)
        marks = equivalence.cpdag_of_dag(dag, order)
        if self.deletes:
            ges.shrink(scorer, marks)
        graph = Graph.from_matrix(marks, table.names, direction="row to column", kind="cpdag")
        score = Scores(table.names, scorer).total(graph)
        return BOSSResult(
            graph.reorder(names), score, tuple(table.names[i] for i in order), tuple(scores), gaps_note(table)
        )


LEARNERS = {"boss": BOSS}
