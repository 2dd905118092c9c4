"""What a survey knows of a question: conditional distributions, their weights, and how many rows they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trueness.intervals import Distribution
from trueness.studies.population.questions import Question

Array = NDArray[np.float64]
Design = Literal["cells", "clusters", "replicates", "model"]


@dataclass(frozen=True, eq=False)
class Truth:
    """Row c of every array is conditions[c]; column l is levels[l]."""

    question: Question  # with the levels that the data gave it
    conditions: tuple[str, ...]
    probs: Array  # (C, L), rows sum to 1
    weights: Array  # (C,), sum to 1: the share of each condition in the population
    rows: Array  # (C,) unweighted number of rows
    kish: Array  # (C,)
    n_eff: Array  # (C,) rows of a simple random sample that would know as much
    draws: Array  # (B, C, L)
    design: Design
    thin: Mapping[str, int] = field(default_factory=dict)  # condition left out -> its rows
    n_data: int = 0
    n_outside: int = 0
    n_missing: int = 0
    n_unlisted: int = 0

    @property
    def levels(self) -> tuple[str, ...]:
        return self.question.levels

    @property
    def ordinal(self) -> bool:
        return self.question.outcome.ordinal

    @cached_property
    def marginal(self) -> Array:
        """(L,): P(V1) over the conditions that are kept."""
        return np.asarray(self.weights @ self.probs)

    @property
    def design_effect(self) -> Array:
        """(C,): how many times more rows than a simple random sample this survey needs."""
        return np.asarray(self.rows / self.n_eff)

    def distribution(self, condition: str) -> Distribution:
        c = self.conditions.index(condition)
        return Distribution(self.levels, tuple(self.probs[c].tolist()), float(self.n_eff[c]))

    def distributions(self) -> dict[str, Distribution]:
        return {condition: self.distribution(condition) for condition in self.conditions}
