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

GIES: the interventional equivalence class that adding, removing and turning edges greedily by a score ends in.

    hard    s(y | S) on the rows in which y is no target;   the price of a parameter is that of all rows
    soft    the same, and for each experiment with y among its targets s(y | S) on its rows, with parameters of its own

A hard intervention sets its targets whatever their causes and changes nothing else, so each node is scored where its
own causes were at work. A shifted or weakened target still follows its causes, in another way: leaving its rows out
would favour graphs that explain the causes by it, so `interventions = "soft"` has them scored apart (Eaton & Murphy
2007); the classes are the same (Yang, Katcoff & Uhler 2018). Insert, Delete, then Turn, over and over, on graphs of
interventional classes (I-CPDAG), which are smaller than those of observational rows: edges between a target and a node
that is none have a direction. Hauser & Buehlmann (2012), JMLR 13; `kernels/operators.py`,
`kernels/extended.py`. Without targets it is GES with a turning phase.

intercept   "one": a node has one intercept in all of its rows, as its mechanism has; shifts of its causes are signal.
            "by experiment": columns are centred within each experiment first (the package gies does so); what
            experiments differ in beside their targets, such as the day of the measurement, then does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs import Graph
from trueness.graphs.equivalence import cut_edges
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


# ---- GIES

FEWEST = 3  # rows without which a node has no score


@dataclass(frozen=True)
class GIES(ScoreSettings[ScoredClass]):
    """Greedy interventional equivalence search. Returns a CPDAG, that of the interventional class."""

    missing: Literal["complete", "impute", "refuse"] = field(default="complete", metadata={"later": True})
    experiments: Literal["targets"] = field(default="targets", metadata={"later": True})  # type: ignore[assignment]
    intercept: Literal["one", "by experiment"] = "one"
    interventions: Literal["hard", "soft"] = "hard"

    card: ClassVar[Card] = replace(
        GES.card,
        title="GIES",
        summary="GES for rows under interventions: each column is scored where it was no target, and edges are turned.",
        missing="complete rows or imputation",
        interventions="targets",
        assumes=("causal sufficiency", "faithfulness", "acyclicity", "known targets"),
        paper="Hauser & Buehlmann 2012",
    )

    def _details(self, table: Table, rng: Generator | None) -> ScoredClass:
        """The graph with its score and the operators that led to it."""
        scorer, cut = self._scorer_by_node(table)
        marks, trace = extended.search_by_targets(scorer, table.d, cut)
        return ScoredClass.of(marks, table, scorer, trace, "" if table.experiments is None else str(table.experiments))

    def _scorer_by_node(self, table: Table) -> tuple[kernel_scores.Scorer, NDArray[np.uint8]]:
        """The scores, each node's on its own rows, and which edges the interventions cut."""
        if table.experiments is None:
            return self.scorer(table), np.zeros((table.d, table.d), dtype=np.uint8)
        rows, occur = table.experiments.rows, np.unique(table.experiments.rows)
        held = table.experiments.is_target(table.names)
        free = _free_of(table, held, rows)
        patterns, block = np.unique(held[occur].T, axis=0, return_inverse=True)  # nodes with the same rows share them
        first = [int(np.flatnonzero(block == b)[0]) for b in range(len(patterns))]
        apart = [e for e in occur.tolist() if held[e].any()] if self.interventions == "soft" else []
        more = np.array([(j, len(first) + b) for b, e in enumerate(apart) for j in np.flatnonzero(held[e])])
        more = more.reshape(-1, 2).astype(np.int64)
        cut = cut_edges(held[occur]).astype(np.uint8)
        block = block.reshape(-1).astype(np.int64)
        if table.kind == "discrete":
            return self._count_scorer(
                table, rows, np.vstack([~held[:, first].T, *_only(apart, len(held))]), block, more
            ), cut
        if self.intercept == "by experiment":
            table = _centre_by_experiment(table, rows)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [self.scorer(table.rows(np.flatnonzero(free[:, j]))) for j in first]
            parts += [self.scorer(table.rows(np.flatnonzero(rows == e))) for e in apart]
        parts = [part._replace(moments=np.where(np.isfinite(part.moments), part.moments, 0.0)) for part in parts]
        return kernel_scores.by_node(parts, block, more, table.n), cut

    def _count_scorer(
        self,
        table: Table,
        rows: NDArray[np.intp],
        counted: NDArray[np.bool_],
        block: NDArray[np.int64],
        more: NDArray[np.int64],
    ) -> kernel_scores.Scorer:
        """From codes: rows are told apart by their experiment too; counted[b, e]: block b counts those of e."""
        codes = np.column_stack([table.values.astype(np.int32), rows.astype(np.int32)])
        distinct, levels = kernel_scores.compress(codes)
        occur = np.unique(rows)  # `compress` numbers what occurs, in order
        counts = np.where(counted[:, occur[distinct[-2]]], distinct[-1], 0).astype(np.int32)
        whole = kernel_scores.rows_scorer(np.delete(distinct, -2, axis=0), levels[:-1], *self._of_counts(table))
        return kernel_scores.counted_by_node(whole, counts, block, more)


def _only(experiments: list[int], count: int) -> NDArray[np.bool_]:
    """[b, e]: e is the b-th of the experiments."""
    return np.array([[e == one for e in range(count)] for one in experiments], dtype=bool).reshape(-1, count)


def _free_of(table: Table, held: NDArray[np.bool_], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """free[i, j]: column j is no target in row i; DataError for a column that hardly ever is, or is constant there."""
    free = ~held[rows]
    for j, name in enumerate(table.names):
        untouched = table.values[free[:, j], j]
        if len(untouched) < max(FEWEST, 2) or untouched.min() == untouched.max():
            got = f"{len(untouched)}" if len(untouched) < FEWEST else f"{len(untouched):,} that are all the same"
            raise DataError(
                f"column {name!r} of {table.source} must have rows in which it is no target and varies, got {got}. "
                "Add observational rows, or drop it."
            )
    return free


def _centre_by_experiment(table: Table, rows: NDArray[np.intp]) -> Table:
    if table.kind != "continuous":
        raise DataError(
            f"{table.source} must hold numbers for intercept = 'by experiment', got categories. Use intercept = 'one'."
        )
    counts = np.maximum(np.bincount(rows), 1)
    means = np.column_stack([np.bincount(rows, weights=column) for column in table.values.T]) / counts[:, None]
    return Table(table.names, table.values - means[rows], table.levels, table.source, experiments=table.experiments)


LEARNERS = {"ges": GES, "boss": BOSS, "gies": GIES}
