"""BOSS-FCI: the adjacencies of BOSS's graph, then FCI's second look and its marks. Latent common causes are allowed.

    1  G, the class that BOSS finds. With latent causes it has all edges of the truth, and some too many
    2  each edge of G that is part of a triangle is tested given subsets of neighbours, as in PC; a triangle is what a
       latent cause leaves behind
    3  separating sets: of a pair that was apart in G, the parents of the later one in a DAG of G; of others, what
       separated them. Colliders, Possible-D-SEP and rules R1 to R10 as in FCI

A score looks at all columns at once, where single tests err: the frame of GFCI (Ogarrio, Spirtes & Ramsey 2016) with
BOSS (Andrews et al. 2023) in place of GES; there step 3 has no Possible-D-SEP.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.graphs.equivalence import topological_order
from trueness.learners.base import Alpha, Card
from trueness.learners.boss import BOSS
from trueness.learners.fci import FCI, mark_ends
from trueness.learners.gaps import Missing
from trueness.learners.independence import Depth, Independence, Test
from trueness.learners.kernels import equivalence
from trueness.learners.pc import SearchResult, search_skeleton
from trueness.learners.scores import Score
from trueness.learners.stability import Imputing
from trueness.settings import Positive, Whole


@dataclass(frozen=True)
class BOSSFCI(Imputing[SearchResult]):
    """BOSS, then FCI's orientation. Returns a PAG. `depth`: the greatest set given, -1 for no limit."""

    alpha: Alpha = 0.05
    test: Test = "auto"
    depth: Depth = -1
    score: Score = "auto"
    penalty: Positive = 1.0
    selection: bool = True
    missing: Missing = field(default="testwise", metadata={"later": True})
    imputations: Whole = field(default=1, kw_only=True, metadata={"later": True})  # tables that `impute` makes

    card: ClassVar[Card] = replace(
        FCI.card,
        title="BOSS-FCI",
        summary="The adjacencies of BOSS's score, tested where hidden common causes may have left a triangle, and "
        "FCI's marks.",
        paper="Ogarrio, Spirtes & Ramsey 2016; Andrews et al. 2023",
        family="score-based",
        curved=False,
        limits=(),
    )

    def _details(self, table: Table, rng: Generator | None) -> SearchResult:
        start = BOSS(score=self.score, penalty=self.penalty).fit(table)
        tests = Independence(table, self.test, self.alpha)
        most = tests.most if self.depth < 0 else min(self.depth, tests.most)
        adjacent = start.adjacent
        shared = adjacent.astype(np.float32) @ adjacent.astype(np.float32)  # neighbours that a pair has in common
        first, _ = search_skeleton(tests, adjacent & (shared == 0), ~adjacent, "stable", most, True)
        first, nothing = first.updated(_sets_of(start)), np.zeros_like(adjacent)
        return SearchResult.of(
            tests, *mark_ends(tests, first, nothing, nothing, most, self.selection, "separating set")
        )


def _sets_of(graph: Graph) -> dict[tuple[int, int], NDArray[np.intp]]:
    """What separates each pair that is apart in a CPDAG: the parents of the later one, in a DAG of the class."""
    _, dag = equivalence.dag_of((graph.directed | graph.undirected).astype(np.uint8))
    order = topological_order(dag.astype(bool)) or []
    return {
        (x, y): np.flatnonzero(dag[:, y])
        for later, y in enumerate(order)
        for x in order[:later]
        if not graph.adjacent[x, y]
    }


LEARNERS = {"boss-fci": BOSSFCI}
