"""What a scorer is: a learner that gives every ordered pair a strength, scores(data, rng) -> EdgeScores.

    matrix[i, j] >= 0    the strength of i -> j, larger is more certain; the diagonal is 0; ranks matter, units do not
    data                 an Observed: values (n, d) with NaN for missing, regimes (n,) or None, lags > 0 for a series

How many of the edges to keep is another question (choosing K); AUPRC and AUROC need no answer to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed, check_lags, check_observed
from trueness.datasets.table import Table, TableLike
from trueness.errors import DataError
from trueness.graphs import Graph
from trueness.learners.base import Card, Checked, build_as, rows_used
from trueness.settings import Between, Hint

Array = NDArray[np.float64]
Lags = Annotated[int, Between(1, closed=True), Hint("Try 2.")] | None  # None takes what the data say


@dataclass(frozen=True, eq=False)
class EdgeScores:
    """A dense answer: every ordered pair with its strength."""

    matrix: Array  # (d, d)
    names: tuple[str, ...]
    symmetric: bool
    handles_missing: str
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        matrix = np.array(self.matrix, dtype=np.float64)
        if matrix.shape != (len(self.names),) * 2:
            raise DataError(f"scores must be a ({len(self.names)}, {len(self.names)}) matrix, got {matrix.shape}.")
        if not np.isfinite(matrix).all() or (matrix < 0).any() or matrix.diagonal().any():
            raise DataError("scores must be finite and 0 or more with a diagonal of 0, got others.")
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))


@runtime_checkable
class EdgeScorer(Protocol):
    """The contract. scoring/leaks.py checks that no truth is known."""

    card: ClassVar[Card]

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores: ...


class Scorer(Checked):
    """A learner by its scores."""

    card: ClassVar[Card]

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        raise NotImplementedError

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        """The scores as a weighted graph."""
        scores = self.scores(Table.of(data), rng)
        return Graph.from_matrix(scores.matrix, scores.names, direction="row to column", kind="weighted")


def build_scorer(name: str, settings: Mapping[str, object] | None = None, where: str = "") -> EdgeScorer:
    """The scorer of that name, or `my_file.py:MyScorer`, with its settings checked."""
    scorer: EdgeScorer = build_as("scorer", "scores", name, settings, where)
    return scorer


def scorer(name: str, **settings: object) -> EdgeScorer:
    """The scorer of that name, e.g. scorer("granger", lags=2)."""
    return build_scorer(name, settings)


def as_observed(data: TableLike, scorer: EdgeScorer, lags: int = 0) -> Observed:
    """The first line of every scorer: numbers with gaps that it can use; DataError where it cannot."""
    table = rows_used(Table.of(data), scorer)
    words = table.text_columns()
    if words:
        raise DataError(
            f"{table.source} must hold numbers for {scorer.card.title}, got text in column {words[0]!r}. "
            "Drop such columns, or use Table.as_numbers() and say so."
        )
    seen = table if isinstance(table, Observed) else Observed.from_table(table.as_numbers())
    check_observed(seen, lags)
    if seen.n < seen.d + 2:
        raise DataError(
            f"{seen.source} must have more rows than columns, got {seen.n} rows and {seen.d} columns. Add rows."
        )
    return seen


def series(data: TableLike, scorer: EdgeScorer, lags: int | None) -> tuple[Observed, int]:
    """As `as_observed`, for a scorer that needs time order; `lags` None takes those that the data name."""
    seen = as_observed(data, scorer)
    used = seen.lags if lags is None else lags
    if used < 1:
        raise DataError(
            f"{seen.source} must be a series for {scorer.card.title}, got rows without time order (lags = 0). "
            f"Set 'lags' of {scorer.card.title} where the rows are in time order, or choose another scorer."
        )
    check_lags(seen, used)
    return seen, used


def answer(scorer: EdgeScorer, seen: Observed, matrix: Array, **details: object) -> EdgeScores:
    """The scores with what the card says of them; the diagonal is cleared."""
    cleared = np.array(matrix, dtype=np.float64)
    np.fill_diagonal(cleared, 0.0)
    return EdgeScores(cleared, seen.names, scorer.card.symmetric, scorer.card.missing, details)
