"""Adapters to causal-learn: PC, FCI, GES, BOSS, GRaSP. Its matrix is read in one place, `Graph.from_causallearn`.

causal-learn writes i -> j as graph[j, i] == 1 and graph[i, j] == -1; read any other way its graphs are transposed.
It is imported in `fit`, so that cards can be listed where it is not installed.
"""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.table import Table
from trueness.graphs import Graph, Kind
from trueness.learners.base import Card, check_alpha, checked

Test = Literal["auto", "chisq", "gsq", "fisherz"]
Score = Literal["auto", "bic", "bdeu"]
_CONSTRAINT = ("faithfulness", "acyclicity", "no selection bias")
_SCORE = ("causal sufficiency", "faithfulness", "acyclicity")
_SPIRTES = "Spirtes, Glymour & Scheines 2000"


def _test(name: Test, table: Table) -> str:
    if name == "auto":
        return "chisq" if table.kind == "discrete" else "fisherz"
    return name


def _score(name: Score, table: Table) -> str:
    if name == "auto":
        name = "bdeu" if table.kind == "discrete" else "bic"
    return {"bic": "local_score_BIC_from_cov", "bdeu": "local_score_BDeu"}[name]


def _values(table: Table, method: str) -> NDArray[Any]:
    return table.values.astype(np.int64) if method in ("chisq", "gsq") else np.array(table.values)


def _graph(found: Any, table: Table, kind: Kind) -> Graph:
    return Graph.from_causallearn(found, kind=kind, nodes=table.names)


@contextlib.contextmanager
def _own_randomness(rng: Generator) -> Iterator[None]:
    """causal-learn draws from the global `random` and prints: lend it a seed, keep its words."""
    before = random.getstate()
    random.seed(int(rng.integers(2**63)))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        random.setstate(before)


@dataclass(frozen=True)
class PC:
    """causal-learn's PC; `stable=True` there tests every set at a depth and unions the separating sets."""

    alpha: float = 0.05
    test: Test = "auto"
    stable: bool = True

    card: ClassVar[Card] = Card(
        title="PC (causal-learn)",
        summary="Removes edges by conditional independence tests, orients colliders, then Meek's rules.",
        returns="cpdag",
        data={"discrete", "continuous"},
        mixed=False,
        assumes=("causal sufficiency", *_CONSTRAINT),
        paper=_SPIRTES,
        family="constraint-based",
        package="causal-learn",
        needs="causallearn",
    )

    def __post_init__(self) -> None:
        check_alpha(self.alpha, "causal-learn/pc")

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        test = _test(self.test, table)
        from causallearn.search.ConstraintBased.PC import pc

        found = pc(_values(table, test), self.alpha, test, self.stable, show_progress=False)
        return _graph(found.G, table, "cpdag")


@dataclass(frozen=True)
class FCI:
    """causal-learn's FCI."""

    alpha: float = 0.05
    test: Test = "auto"

    card: ClassVar[Card] = Card(
        title="FCI (causal-learn)",
        summary="PC's search made safe against hidden common causes; its circles say what cannot be told.",
        returns="pag",
        data={"discrete", "continuous"},
        mixed=False,
        assumes=_CONSTRAINT,
        paper=_SPIRTES,
        family="constraint-based",
        package="causal-learn",
        needs="causallearn",
    )

    def __post_init__(self) -> None:
        check_alpha(self.alpha, "causal-learn/fci")

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        test = _test(self.test, table)
        from causallearn.search.ConstraintBased.FCI import fci

        with contextlib.redirect_stdout(io.StringIO()):
            found, _ = fci(_values(table, test), test, self.alpha, show_progress=False)
        return _graph(found, table, "pag")


@dataclass(frozen=True)
class GES:
    """causal-learn's greedy equivalence search."""

    score: Score = "auto"

    card: ClassVar[Card] = Card(
        title="GES (causal-learn)",
        summary="Adds, then removes edges of an equivalence class greedily by a score (BIC or BDeu).",
        returns="cpdag",
        data={"discrete", "continuous"},
        mixed=False,
        assumes=_SCORE,
        paper="Chickering 2002",
        family="score-based",
        package="causal-learn",
        needs="causallearn",
    )

    def fit(self, data: Table, rng: Generator | None = None) -> Graph:
        table = checked(data, self)
        from causallearn.search.ScoreBased.GES import ges

        with contextlib.redirect_stdout(io.StringIO()):
            found = ges(np.array(table.values), _score(self.score, table))
        return _graph(found["G"], table, "cpdag")


@dataclass(frozen=True)
class BOSS:
    """causal-learn's best-order score search."""

    score: Score = "auto"

    card: ClassVar[Card] = Card(
        title="BOSS (causal-learn)",
        summary="Searches over orders of the variables, moving one at a time to its best place by a score.",
        returns="cpdag",
        data={"discrete", "continuous"},
        mixed=False,
        assumes=_SCORE,
        paper="Andrews et al. 2023",
        family="score-based",
        package="causal-learn",
        needs="causallearn",
        deterministic=False,
    )

    def fit(self, data: Table, rng: Generator) -> Graph:
        table = checked(data, self)
        from causallearn.search.PermutationBased.BOSS import boss

        with _own_randomness(rng):
            found = boss(np.array(table.values), _score(self.score, table), verbose=False)
        return _graph(found, table, "cpdag")


@dataclass(frozen=True)
class GRaSP:
    """causal-learn's greedy relaxations of the sparsest permutation."""

    score: Score = "auto"
    depth: int = 3

    card: ClassVar[Card] = Card(
        title="GRaSP (causal-learn)",
        summary="Searches over orders of the variables for the sparsest graph, by covered-edge tucks.",
        returns="cpdag",
        data={"discrete", "continuous"},
        mixed=False,
        assumes=_SCORE,
        paper="Lam, Andrews & Ramsey 2022",
        family="score-based",
        package="causal-learn",
        needs="causallearn",
        deterministic=False,
    )

    def fit(self, data: Table, rng: Generator) -> Graph:
        table = checked(data, self)
        from causallearn.search.PermutationBased.GRaSP import grasp

        with _own_randomness(rng):
            found = grasp(np.array(table.values), _score(self.score, table), self.depth, verbose=False)
        return _graph(found, table, "cpdag")
