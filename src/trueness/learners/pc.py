"""PC: a CPDAG from conditional independence tests.

For each adjacent pair x, y and each S of size k among the neighbours of x (k = 0, 1, ...):
remove x - y if x is independent of y given S; then orient colliders x -> y <- z with y not in S(x, z),
then apply Meek's rules until nothing changes.
Spirtes, Glymour & Scheines (2000), ch. 5.4; order-independent form: Colombo & Maathuis (2014).

search       "stable": a pair is removed by its first separating set;
             "exhaustive": all sets of a depth are tested and united (causal-learn's stable=True)
colliders    which sets decide: for x - y - z with x and z apart, sets that separate x and z vote, and y is a collider
             when most leave it out (docs/benchmarks.md has what each is worth). Who votes:
             "separating set"   the set (or union of sets) that removed x - z (the references' rule)
             "majority"         all sets that separate x and z (Colombo & Maathuis 2014, sec. 4.2); where none does, as
                                it was removed by neighbours that are none any more, that of max-p
             "max-p"            the set with the largest p-value (Ramsey 2016)
             "All sets" are the subsets of the neighbours of x and of those of z in the final skeleton: neither rule
             hangs on the order of the columns, both are less prone to one wrong test, and take 2^degree tests a pair.
             Around a hub, a node of more than 12 neighbours, "all" are those up to the size at which they are 4,096 at
             most: 3 of 25, 2 of 80
             evidence: share of the votes that say so times the largest p of a set that says so
conflicts    colliders that disagree on an edge: the "strongest" are drawn first, and where no DAG has just these, those
             with the least evidence against them are added: the graph is the CPDAG of a DAG, whatever the order of the
             columns; "first" found stays (causal-learn's default): the graph may be the CPDAG of no DAG, and says so
             in Graph.problems()
No arrow that closes a directed cycle is drawn: the edge stays undirected, the collider is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import Alpha, Card, Draws
from trueness.learners.gaps import TESTWISE, MissingInTests, TakesGaps
from trueness.learners.independence import CURVED_LIMITS, Depth, Freedom, Independence, Ridge, Test
from trueness.learners.kernels import orientation
from trueness.learners.kernels import skeleton as kernel
from trueness.learners.knowledge import Knowledge, Matrix, Told
from trueness.learners.resampling import resampled_tests

Search = Literal["stable", "exhaustive"]
Colliders = Literal["separating set", "majority", "max-p"]
Conflicts = Literal["strongest", "first"]
VOTERS = {"separating set": "MET", "majority": "ALL", "max-p": "BEST", None: "NONE"}  # the kernel's names
# the last one: tests made after the skeleton, by size. As a text: kernels are imported when they are used
Found: TypeAlias = "tuple[Graph, kernel.Skeleton, NDArray[np.int64]]"


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The graph and what led to it."""

    graph: Graph
    tests: tuple[int, ...]  # how many tests were made for the skeleton, by size of the set given
    later_tests: tuple[int, ...]  # the same for what comes after it, in FCI
    skeleton: kernel.Skeleton = field(repr=False)
    test: str  # that was made, as `auto` chose it
    missing: str = "testwise"  # how gaps were handled, as `auto` chose it

    @classmethod
    def of(cls, tests: Independence, graph: Graph, skeleton: kernel.Skeleton, later: NDArray[np.int64]) -> Self:
        counts, after = tuple(skeleton.tests.tolist()), tuple(later.tolist())
        return cls(graph, counts, after, skeleton, tests.test)

    @property
    def n_tests(self) -> int:
        return sum(self.tests) + sum(self.later_tests)

    def separating_set(self, x: str, y: str) -> tuple[str, ...] | None:
        """What made x and y independent, in the graph's order; None where nothing did."""
        i, j = self.graph.index(x), self.graph.index(y)
        if self.skeleton.where[i, j] < 0:
            return None
        return tuple(self.graph.nodes[v] for v in sorted(self.skeleton.members(i, j)))


@dataclass(frozen=True)
class SearchByTests(TakesGaps[SearchResult]):
    """What PC, FCI and RFCI can be told. `depth`: the greatest set given, -1 for no limit."""

    alpha: Alpha = 0.05
    search: Search = "stable"
    test: Test = "auto"
    colliders: Colliders = "majority"
    depth: Depth = -1
    df: Freedom = "observed"
    ridge: Ridge = 0.0
    required: tuple[Told, ...] = ()
    forbidden: tuple[Told, ...] = ()
    tiers: tuple[Sequence[str], ...] = ()
    missing: MissingInTests = field(default="testwise", metadata={"later": True})

    def __post_init__(self) -> None:
        super().__post_init__()
        self._knowledge()
        if self.test == "rcot":  # the generator chooses its waves
            object.__setattr__(self, "card", replace(self.card, deterministic=False))

    def fit_many(self, data: Table, draws: Draws) -> Iterator[Graph | None]:
        tests = resampled_tests(self, data, draws)
        return (None if run is None else self._search(run)[0] for run in tests)

    def run(self, tests: Independence) -> SearchResult:
        """The search on tests of your own making: an Oracle, or an Independence with other settings."""
        return SearchResult.of(tests, *self._search(tests))

    def _graph(self, table: Table, rng: Generator | None) -> Graph:
        return self._search(self._tests(table, rng))[0]

    def _details(self, table: Table, rng: Generator | None) -> SearchResult:
        return replace(self.run(self._tests(table, rng)), missing=self.missing)

    def _tests(self, table: Table, rng: Generator | None) -> Independence:
        seed = int(rng.integers(2**32)) if self.test == "rcot" and rng is not None else 0
        return Independence(table, self.test, self.alpha, self.df, self.ridge, seed, self.missing == "corrected")

    def _knowledge(self) -> Knowledge:
        return Knowledge.of(self.required, self.forbidden, self.tiers, self.card.title.lower())

    def _search(self, tests: Independence) -> Found:
        required, forbidden = self._knowledge().matrices(tests.names)
        most = tests.most if self.depth < 0 else min(self.depth, tests.most)
        return self._learn(tests, required, forbidden, most)

    def _learn(self, tests: Independence, required: Matrix, forbidden: Matrix, most: int) -> Found:
        raise NotImplementedError


@dataclass(frozen=True)
class PC(SearchByTests):
    """Peter-Clark algorithm. Returns a CPDAG. `depth`: the greatest set given, -1 for no limit."""

    conflicts: Conflicts = field(default="strongest", metadata={"after": "colliders"})

    card: ClassVar[Card] = Card(
        title="PC",
        summary="Removes edges by conditional independence tests, orients colliders, then Meek's rules.",
        returns="cpdag",
        data={"discrete", "continuous"},
        missing=TESTWISE,
        assumes=("causal sufficiency", "faithfulness", "acyclicity", "no selection bias"),
        paper="Spirtes & Glymour 1991",
        family="constraint-based",
        curved=True,
        limits=CURVED_LIMITS,
    )

    def _learn(self, tests: Independence, required: Matrix, forbidden: Matrix, most: int) -> Found:
        skeleton, evidence = search_skeleton(tests, required, forbidden, self.search, most, self.colliders)
        nodes = np.argsort(tests.names)
        if self.conflicts == "strongest":
            order = evidence.strongest_first(nodes)
        else:
            order = evidence.in_turn(required | (forbidden.T & ~forbidden))
        rule, is_told = getattr(orientation, self.conflicts.upper()), bool(self._knowledge())
        triples = evidence.triples, evidence.collides, evidence.opposes
        marks = orientation.orient(skeleton.adjacent, *triples, order, nodes, forbidden, required, rule, is_told)
        return Graph(tests.names, marks, None, "cpdag"), skeleton, np.zeros(0, dtype=np.int64)


def search_skeleton(
    tests: Independence,
    required: Matrix,
    forbidden: Matrix,
    search: Search,
    most: int,
    colliders: Colliders | None = None,
) -> tuple[kernel.Skeleton, kernel.Evidence]:
    """The skeleton and its separating sets of at most so many nodes, and what the rule's votes say of its triples."""
    rule, exhaustive = getattr(kernel, VOTERS[colliders]), search == "exhaustive"
    made: tuple[kernel.Skeleton, kernel.Evidence] = kernel.search(
        tests.kernel, required, forbidden, exhaustive, most, rule, kernel.NOTHING, kernel.NO_SKELETON
    )
    return made


LEARNERS = {"pc": PC}
