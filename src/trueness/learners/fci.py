"""FCI and RFCI: a PAG from conditional independence tests, with latent common causes allowed.

The skeleton as in PC; colliders; then each edge x - y is tested again given subsets of Possible-D-SEP(x) and of
Possible-D-SEP(y), for latent causes can make sets beyond the neighbours necessary; then all marks are taken back to
circles, colliders are oriented anew, and rules R1 to R10 are applied until nothing changes.
Spirtes, Glymour & Scheines (2000), ch. 6.7; rules and their completeness: Zhang (2008).

RFCI leaves out Possible-D-SEP and tests the edges of colliders and of discriminating paths instead (learners/rfci.py;
Colombo, Maathuis, Kalisch & Richardson 2012): its marks are as sound, it may keep an edge more.

colliders    which set decides: the "majority" of all sets of neighbours, and where none of them separates that which
             was met; or always the "separating set" that was met (the references' rule; learners/colliders.py)
selection    also apply R5 to R7, which are about selection bias. Without selection they fire only where tests err.
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
from trueness.learners.colliders import Evidence, voters
from trueness.learners.gaps import TESTWISE, MissingInTests, without_gaps
from trueness.learners.independence import CURVED_LIMITS, Depth, Freedom, Independence, Ridge, Test
from trueness.learners.kernels import pag, separating
from trueness.learners.kernels import skeleton as skeletons
from trueness.learners.knowledge import Knowledge, Matrix, Told
from trueness.learners.pc import Search, search_skeleton, separating_set
from trueness.learners.resampling import resampled_tests
from trueness.learners.rfci import Orientation
from trueness.learners.stability import over_imputations
from trueness.settings import Whole

PAGColliders = Literal["separating set", "majority"]


@dataclass(frozen=True, eq=False)
class FCIResult:
    """The graph and what led to it. p_values[i, j] is the largest p of the pair's tests; nan where none was made."""

    graph: Graph
    tests: tuple[int, ...]  # how many tests were made for the skeleton, by size of the set given
    later_tests: tuple[int, ...]  # the same for what comes after it
    p_values: NDArray[np.float64]
    skeleton: skeletons.Skeleton = field(repr=False)
    test: str  # that was made, as `auto` chose it
    rows: NDArray[np.int64]  # (d, d) of the test that separated a pair; of the pair alone where none did
    missing: str = "testwise"  # how gaps were handled, as `auto` chose it

    @property
    def n_tests(self) -> int:
        return sum(self.tests) + sum(self.later_tests)

    def separating_set(self, x: str, y: str) -> tuple[str, ...] | None:
        """What made x and y independent; None where nothing did."""
        return separating_set(self.graph, self.skeleton, x, y)


@dataclass(frozen=True)
class FCI(Checked):
    """Fast causal inference. Returns a PAG. `depth`: the greatest set given, -1 for no limit."""

    alpha: Alpha = 0.05
    search: Search = "stable"
    test: Test = "auto"
    colliders: PAGColliders = "majority"
    depth: Depth = -1
    selection: bool = True
    df: Freedom = "observed"
    ridge: Ridge = 0.0
    required: tuple[Told, ...] = ()
    forbidden: tuple[Told, ...] = ()
    tiers: tuple[Sequence[str], ...] = ()
    missing: MissingInTests = field(default="testwise", metadata={"later": True})
    imputations: Whole = field(default=1, kw_only=True, metadata={"later": True})  # tables that `impute` makes

    card: ClassVar[Card] = Card(
        title="FCI",
        summary="PC's search made safe against hidden common causes; its circles say what cannot be told.",
        returns="pag",
        data={"discrete", "continuous"},
        missing=TESTWISE,
        assumes=("faithfulness", "acyclicity", "no selection bias"),
        paper="Spirtes, Meek & Richardson 1995; Zhang 2008",
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
        return self._learn(self._tests(table, rng), want_p=False).graph

    def fit_many(self, data: Table, draws: Draws) -> Iterator[Graph | None]:
        tests = resampled_tests(self, data, draws)
        return (None if run is None else self._learn(run, want_p=False).graph for run in tests)

    @over_imputations
    def fit_details(self, data: Table, rng: Generator | None = None) -> FCIResult:
        """With the p-value of each pair, the number of tests and the separating sets."""
        table = without_gaps(checked(data, self), self.missing)
        return replace(self.run(self._tests(table, rng)), missing=self.missing)

    def run(self, tests: Independence) -> FCIResult:
        """The search on tests of your own making: an Oracle, or an Independence with other settings."""
        return self._learn(tests, want_p=True)

    def _tests(self, table: Table, rng: Generator | None) -> Independence:
        seed = int(rng.integers(2**32)) if self.test == "rcot" and rng is not None else 0
        return Independence(table, self.test, self.alpha, self.df, self.ridge, seed, self.missing == "corrected")

    def _knowledge(self) -> Knowledge:
        return Knowledge.of(self.required, self.forbidden, self.tiers, self.card.title.lower())

    def _learn(self, tests: Independence, want_p: bool) -> FCIResult:
        required, forbidden = self._knowledge().matrices(tests.names)
        most = tests.most if self.depth < 0 else min(self.depth, tests.most)
        first, _ = search_skeleton(tests, required, forbidden, self.search, most, want_p)
        marked = mark_ends(tests, first, required, forbidden, most, self.selection, self.colliders)
        return result_of(tests, *marked)


def mark_ends(
    tests: Independence,
    first: skeletons.Skeleton,
    required: Matrix,
    forbidden: Matrix,
    most: int,
    selection: bool,
    colliders: PAGColliders,
) -> tuple[Graph, skeletons.Skeleton, NDArray[np.int64]]:
    """From a skeleton with its separating sets to the PAG: Possible-D-SEP, colliders and rules; with the tests made."""
    rule = voters(colliders)
    marks = pag.colliders(first.adjacent, pag.left_out(*first[:3]), forbidden, required)
    before = (marks, first.adjacent, first.where, first.pool, first.p_values)
    made = separating.search(*tests.kernel, required, forbidden, False, most, False, rule, *before)
    later, evidence = skeletons.Skeleton(*made[:5]), Evidence(*made[5:])
    skeleton = first._replace(pool=later.pool)
    marks = pag.colliders(skeleton.adjacent, evidence.triples[evidence.collides], forbidden, required)
    pag.close(marks, skeleton.where, skeleton.pool, True, selection)
    return Graph(tests.names, marks, None, "pag"), skeleton, later.tests


def result_of(tests: Independence, graph: Graph, skeleton: skeletons.Skeleton, later: NDArray[np.int64]) -> FCIResult:
    p_values = np.where(skeleton.p_values < 0, np.nan, skeleton.p_values)
    counts, after = tuple(skeleton.tests.tolist()), tuple(later.tolist())
    return FCIResult(graph, counts, after, p_values, skeleton, tests.test, tests.rows_of_pairs(skeleton))


@dataclass(frozen=True)
class RFCI(FCI):
    """Really fast causal inference. Returns a PAG. Settings as in FCI, but that sets do not vote."""

    colliders: Literal["separating set"] = field(default="separating set", metadata={"later": True})

    card: ClassVar[Card] = Card(
        title="RFCI",
        summary="FCI that checks the edges of colliders and discriminating paths instead of searching Possible-D-SEP.",
        returns="pag",
        data={"discrete", "continuous"},
        missing=TESTWISE,
        assumes=("faithfulness", "acyclicity", "no selection bias"),
        paper="Colombo, Maathuis, Kalisch & Richardson 2012",
        family="constraint-based",
        curved=True,
        limits=CURVED_LIMITS,
    )

    def _learn(self, tests: Independence, want_p: bool) -> FCIResult:
        required, forbidden = self._knowledge().matrices(tests.names)
        most = tests.most if self.depth < 0 else min(self.depth, tests.most)
        skeleton, _ = search_skeleton(tests, required, forbidden, self.search, most, want_p)
        orientation = Orientation(tests, skeleton, required, forbidden)
        orientation.run(self.selection)
        final = skeleton.updated(orientation.removed)._replace(adjacent=orientation.marks != 0)
        return result_of(tests, Graph(tests.names, orientation.marks, None, "pag"), final, orientation.made)


LEARNERS = {"fci": FCI, "rfci": RFCI}
