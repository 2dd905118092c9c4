"""GIES: the interventional equivalence class that adding, removing and turning edges greedily by a score ends in.

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
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.errors import DataError
from trueness.graphs.equivalence import cut_edges
from trueness.learners.base import Card
from trueness.learners.ges import GES, ScoredClass
from trueness.learners.kernels import extended
from trueness.learners.kernels import scores as kernel
from trueness.learners.scores import ScoreSettings

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

    def _scorer_by_node(self, table: Table) -> tuple[kernel.Scorer, NDArray[np.uint8]]:
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
        return kernel.by_node(parts, block, more, table.n), cut

    def _count_scorer(
        self,
        table: Table,
        rows: NDArray[np.intp],
        counted: NDArray[np.bool_],
        block: NDArray[np.int64],
        more: NDArray[np.int64],
    ) -> kernel.Scorer:
        """From codes: rows are told apart by their experiment too; counted[b, e]: block b counts those of e."""
        codes = np.column_stack([table.values.astype(np.int32), rows.astype(np.int32)])
        distinct, levels = kernel.compress(codes)
        occur = np.unique(rows)  # `compress` numbers what occurs, in order
        counts = np.where(counted[:, occur[distinct[-2]]], distinct[-1], 0).astype(np.int32)
        whole = kernel.rows_scorer(np.delete(distinct, -2, axis=0), levels[:-1], *self._of_counts(table))
        return kernel.counted_by_node(whole, counts, block, more)


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


LEARNERS = {"gies": GIES}
