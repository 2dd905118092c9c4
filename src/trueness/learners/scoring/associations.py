"""Scores from correlations alone: correlation, partial correlation, and NOTEARS' first step.

    correlation            |R_ij|                                                             symmetric
    partial-correlation    |O_ij| / sqrt(O_ii O_jj),  O = R^-1                                symmetric
    notears-lite           one pass on R:  W_ij = -O_ij / O_jj, the least-squares weights of all others on j
                           (O = (R + ridge I)^-1), then one step down h(W) = tr exp(W o W) - d, whose gradient is
                           (exp(W o W))' o 2W:  W <- W o (1 - (exp(W o W))' / (2 max)),  so that what closes strong ways
                           back shrinks most.  A baseline: no search, no guarantee of a DAG.

R is the pairwise correlation matrix shrunk to the identity where it must be (scoring/covariance.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np
from numpy.random import Generator
from scipy.linalg import expm

from trueness.datasets.table import Table
from trueness.errors import SettingError, listed
from trueness.learners.scoring.base import EdgeScores, ScorerCard, answer, check_between, observed
from trueness.learners.scoring.covariance import Transform, pairwise_correlations

PAIRWISE = "pairwise correlations, shrunk to the identity until positive definite"


def check_transform(transform: str, owner: str) -> None:
    if transform not in get_args(Transform):
        raise SettingError(f"'transform' of {owner} must be one of {listed(get_args(Transform))}, got {transform!r}.")


@dataclass(frozen=True)
class Correlation:
    """|r| of each pair. `transform`: "normal scores" ranks each column first, which outliers cannot sway."""

    transform: Transform = "none"

    card: ClassVar[ScorerCard] = ScorerCard(
        title="Correlation",
        summary="The size of each pair's correlation; says nothing of direction.",
        missing=PAIRWISE,
        assumes=("no indirect dependence",),
        paper="baseline",
        symmetric=True,
    )

    def __post_init__(self) -> None:
        check_transform(self.transform, "correlation")

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen = observed(data, self)
        found = pairwise_correlations(seen, self.transform)
        return answer(self, seen, np.abs(found.matrix), shrinkage=found.shrinkage, counts=found.counts)


@dataclass(frozen=True)
class PartialCorrelation:
    """|r| of each pair given all other columns."""

    transform: Transform = "none"

    card: ClassVar[ScorerCard] = ScorerCard(
        title="Partial correlation",
        summary="The size of each pair's correlation given all other columns; says nothing of direction.",
        missing=PAIRWISE,
        assumes=("linear relations", "no common effects"),
        paper="baseline",
        symmetric=True,
    )

    def __post_init__(self) -> None:
        check_transform(self.transform, "partial-correlation")

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen = observed(data, self)
        found = pairwise_correlations(seen, self.transform)
        precision = np.linalg.inv(found.matrix)
        size = np.sqrt(precision.diagonal())
        partial = np.abs(precision) / np.outer(size, size)
        return answer(self, seen, (partial + partial.T) / 2, shrinkage=found.shrinkage, counts=found.counts)


@dataclass(frozen=True)
class NotearsLite:
    """Regression of each column on all others, and one step against cycles."""

    ridge: float = 0.01
    transform: Transform = "none"

    card: ClassVar[ScorerCard] = ScorerCard(
        title="NOTEARS-lite",
        summary="One pass on the covariance: least-squares weights, and one gradient step of NOTEARS' constraint.",
        missing=PAIRWISE,
        assumes=("linear relations", "causal sufficiency", "acyclicity"),
        paper="baseline after Zheng, Aragam, Ravikumar & Xing 2018",
    )

    def __post_init__(self) -> None:
        check_transform(self.transform, "notears-lite")
        check_between(self.ridge, 0.0, 1.0, "ridge", "notears-lite", 0.01)

    def scores(self, data: Table, rng: Generator | None = None) -> EdgeScores:
        seen = observed(data, self)
        found = pairwise_correlations(seen, self.transform)
        precision = np.linalg.inv(found.matrix + self.ridge * np.eye(seen.d))
        weights = -precision / precision.diagonal()
        np.fill_diagonal(weights, 0.0)
        ways_back = expm(np.clip(weights**2, 0.0, 4.0)).T
        np.fill_diagonal(ways_back, 0.0)
        stepped = np.abs(weights) * (1 - 0.5 * ways_back / max(ways_back.max(), 1.0))
        return answer(self, seen, stepped, shrinkage=found.shrinkage, weights=weights)
