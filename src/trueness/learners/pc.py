"""PC: a CPDAG from conditional independence tests.

For each adjacent pair x, y and each S of size k among the neighbours of x (k = 0, 1, ...):
remove x - y if x is independent of y given S; then orient colliders x -> y <- z with y not in S(x, z),
then apply Meek's rules until nothing changes.
Spirtes, Glymour & Scheines (2000), ch. 5.4; order-independent form: Colombo & Maathuis (2014).

search       "stable": a pair is removed by its first separating set;
             "exhaustive": all sets of a depth are tested and united (causal-learn's stable=True)
colliders    which set decides: "majority" of all, "separating set" that was met (the references' rule), or "max-p"
             (learners/colliders.py; docs/benchmarks.md has what each is worth)
conflicts    colliders that disagree on an edge: the "strongest" are drawn first, and where no DAG has just these, those
             with the least evidence against them are added: the graph is the CPDAG of a DAG, whatever the order of the
             columns; "first" found stays (causal-learn's default), "last" wins, "bidirected" keeps both heads. By
             these three the graph may be the CPDAG of no DAG, and says so in Graph.problems()
No arrow that closes a directed cycle is drawn: the edge stays undirected, the collider is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph
from trueness.learners.base import Alpha, Card, Checked, Draws, checked
from trueness.learners.colliders import Colliders, Evidence, voters
from trueness.learners.gaps import TESTWISE, MissingInTests, without_gaps
from trueness.learners.independence import CURVED_LIMITS, Depth, Freedom, Independence, Ridge, Test
from trueness.learners.kernels import orientation, separating
from trueness.learners.kernels import skeleton as skeletons
from trueness.learners.knowledge import Knowledge, Matrix, Told
from trueness.learners.resampling import resampled_tests
from trueness.learners.stability import over_imputations
from trueness.settings import Whole

Search = Literal["stable", "exhaustive"]
Conflicts = Literal["strongest", "first", "last", "bidirected"]


@dataclass(frozen=True, eq=False)
class PCResult:
    """The graph and what led to it. p_values[i, j] is the largest p of the pair's tests; nan where none was made."""

    graph: Graph
    tests: tuple[int, ...]  # how many tests were made for the skeleton, by size of the set given
    p_values: NDArray[np.float64]
    skeleton: skeletons.Skeleton = field(repr=False)
    test: str  # that was made, as `auto` chose it
    rows: NDArray[np.int64]  # (d, d) of the test that separated a pair; of the pair alone where none did
    missing: str = "testwise"  # how gaps were handled, as `auto` chose it

    @property
    def n_tests(self) -> int:
        return sum(self.tests)

    def separating_set(self, x: str, y: str) -> tuple[str, ...] | None:
        """What made x and y independent; None where nothing did."""
        return separating_set(self.graph, self.skeleton, x, y)


@dataclass(frozen=True)
class PC(Checked):
    """Peter-Clark algorithm. Returns a CPDAG. `depth`: the greatest set given, -1 for no limit."""

    alpha: Alpha = 0.05
    search: Search = "stable"
    test: Test = "auto"
    colliders: Colliders = "majority"
    conflicts: Conflicts = "strongest"
    depth: Depth = -1
    df: Freedom = "observed"
    ridge: Ridge = 0.0
    required: tuple[Told, ...] = ()
    forbidden: tuple[Told, ...] = ()
    tiers: tuple[Sequence[str], ...] = ()
    missing: MissingInTests = field(default="testwise", metadata={"later": True})
    imputations: Whole = field(default=1, kw_only=True, metadata={"later": True})  # tables that `impute` makes

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

    def __post_init__(self) -> None:
        super().__post_init__()
        self._knowledge()
        if self.test == "rcot":  # the generator chooses its waves
            object.__setattr__(self, "card", replace(self.card, deterministic=False))

    @over_imputations
    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
        table = without_gaps(checked(data, self), self.missing)
        return self._learn(self._tests(table, rng), want_p=False)[0]

    def fit_many(self, data: Table, draws: Draws) -> Iterator[Graph | None]:
        tests = resampled_tests(self, data, draws)
        return (None if run is None else self._learn(run, want_p=False)[0] for run in tests)

    @over_imputations
    def fit_details(self, data: Table, rng: Generator | None = None) -> PCResult:
        """With the p-value of each pair, the number of tests and the separating sets."""
        table = without_gaps(checked(data, self), self.missing)
        return replace(self.run(self._tests(table, rng)), missing=self.missing)

    def run(self, tests: Independence) -> PCResult:
        """The search on tests of your own making: an Oracle, or an Independence with other settings."""
        graph, skeleton = self._learn(tests, want_p=True)
        p_values = np.where(skeleton.p_values < 0, np.nan, skeleton.p_values)
        counts = tuple(int(count) for count in skeleton.tests)
        return PCResult(graph, counts, p_values, skeleton, tests.test, tests.rows_of_pairs(skeleton))

    def _tests(self, table: Table, rng: Generator | None) -> Independence:
        seed = int(rng.integers(2**32)) if self.test == "rcot" and rng is not None else 0
        return Independence(table, self.test, self.alpha, self.df, self.ridge, seed, self.missing == "corrected")

    def _learn(self, tests: Independence, want_p: bool) -> tuple[Graph, skeletons.Skeleton]:
        knowledge = self._knowledge()
        required, forbidden = knowledge.matrices(tests.names)
        most = tests.most if self.depth < 0 else min(self.depth, tests.most)
        skeleton, evidence = search_skeleton(tests, required, forbidden, self.search, most, want_p, self.colliders)
        nodes = np.argsort(tests.names)
        if self.conflicts == "strongest":
            order = evidence.strongest_first(nodes)
        else:
            order = evidence.in_turn(required | (forbidden.T & ~forbidden))
        marks = orientation.orient(
            skeleton.adjacent,
            evidence.triples,
            evidence.collides,
            evidence.opposes,
            order,
            nodes,
            forbidden,
            required,
            getattr(orientation, self.conflicts.upper()),
            bool(knowledge),
        )
        return Graph(tests.names, marks, None, "cpdag"), skeleton

    def _knowledge(self) -> Knowledge:
        return Knowledge.of(self.required, self.forbidden, self.tiers, "pc")


def search_skeleton(
    tests: Independence,
    required: Matrix,
    forbidden: Matrix,
    search: Search,
    most: int,
    want_p: bool,
    colliders: Colliders | None = None,
) -> tuple[skeletons.Skeleton, Evidence]:
    """The skeleton and its separating sets of at most so many nodes, and what the rule's votes say of its triples."""
    rule = voters(colliders)
    made = separating.search(
        *tests.kernel, required, forbidden, search == "exhaustive", most, want_p, rule, *separating.NOTHING
    )
    return skeletons.Skeleton(*made[:5]), Evidence(*made[5:])


def separating_set(graph: Graph, skeleton: skeletons.Skeleton, x: str, y: str) -> tuple[str, ...] | None:
    """The names of the set that separated x and y, in the graph's order; None where there is none."""
    i, j = graph.index(x), graph.index(y)
    return tuple(graph.nodes[v] for v in sorted(skeleton.members(i, j))) if skeleton.where[i, j] >= 0 else None


LEARNERS = {"pc": PC}
