"""Scores of graphs on data: the settings that GES, GIES and BOSS share, and the scores by name.

    >>> scores = Scores.of(table, ScoreSettings(score="bic"))
    >>> scores.local("cancer", ["smoke"]), scores.total(graph)

Formulas stand in `kernels/scores.py`. `auto` is BIC on continuous columns and BDeu on discrete ones; on mixed ones BIC
is that of the degenerate Gaussian (`kernels/mixed.py`). With gaps its correlations are pairwise, shrunk until positive
definite, and n is the harmonic mean of the pairs' rows (scoring/covariance.py); `gaps_note` says both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.table import Table, check_usable
from trueness.errors import DataError, GraphError
from trueness.graphs import Graph
from trueness.learners.base import AtLeast0
from trueness.learners.gaps import Details, DummyCoded, Missing, TakesGaps
from trueness.learners.kernels import equivalence
from trueness.learners.kernels import scores as kernel
from trueness.settings import Positive, Whole

if TYPE_CHECKING:
    from trueness.learners.scoring.covariance import Correlations

Score = Literal["auto", "bic", "bdeu"]


@dataclass(frozen=True)
class ScoreSettings(TakesGaps[Details]):
    """What a score-based learner can be told of its score."""

    score: Score = "auto"
    penalty: Positive = 1.0  # of BIC, times log(n)/2 a free parameter; causal-learn's lambda_value is half of it
    equivalent_sample_size: Positive = 1.0  # of BDeu
    structure_prior: AtLeast0 = 1.0  # of BDeu: parents that a node is expected to have; 0 for no prior on graphs
    max_parents: Whole | None = None  # the most parents that a score is computed with
    missing: Missing = field(default="testwise", metadata={"later": True})  # testwise: correlations by pairs

    def scorer(self, table: Table) -> kernel.Scorer:
        """The local scores of a table, for the kernels."""
        if table.kind != "discrete":
            self._refuse_bdeu(table)
        if table.kind == "mixed" or table.has_gaps:
            return mixed_scorer(table, self.penalty, self._most(table))
        if table.kind == "continuous":
            return kernel.gaussian_scorer(table.values, self.penalty, self._most(table))
        rows, levels = kernel.compress(table.values.astype(np.int32))
        return kernel.rows_scorer(rows, levels, *self._of_counts(table))

    def _most(self, table: Table) -> int:
        return table.d if self.max_parents is None else self.max_parents

    def _of_counts(self, table: Table) -> tuple[int, float, float, float, int]:
        kind = kernel.DISCRETE_BIC if self.score == "bic" else kernel.BDEU
        return kind, self.penalty, self.equivalent_sample_size, self.structure_prior, self._most(table)

    def _refuse_bdeu(self, table: Table) -> None:
        if self.score == "bdeu":
            name = table.names[int((~table.discrete).argmax())]
            raise DataError(
                f"{table.source} must hold discrete columns for BDeu, got a continuous column {name!r}. "
                "Use score = 'bic', or cut such columns into levels."
            )


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one table; higher is better."""

    names: tuple[str, ...]
    scorer: kernel.Scorer

    @classmethod
    def of(cls, table: Table, settings: ScoreSettings[Any] | None = None) -> Scores:
        check_usable(table, gaps=True)
        chosen: ScoreSettings[Any] = settings or ScoreSettings()
        return cls(
            table.names, chosen.scorer(table.read_ordered("discrete" if chosen.score == "bdeu" else "continuous"))
        )

    def local(self, node: str, parents: Sequence[str] = ()) -> float:
        """The share of one node, given its parents."""
        y, members = self._index(node), np.array([self._index(parent) for parent in parents], dtype=np.int64)
        if len({y, *members.tolist()}) != 1 + len(members):
            raise GraphError(f"the parents of {node!r} must be other nodes, each once, got {', '.join(parents)}.")
        return float(kernel.local_score(self.scorer, y, members, len(members)))

    def total(self, graph: Graph) -> float:
        """The score of a DAG, or of any DAG in the class of a CPDAG: it is the same for all of them."""
        graph = graph.reorder(self.names)
        exists, dag = equivalence.dag_of((graph.directed | graph.undirected).astype(np.uint8))
        if not exists or graph.kind not in ("dag", "cpdag"):
            raise GraphError(f"only a dag or the class of one can be scored, got {graph!r}.")
        parents = [np.flatnonzero(dag[:, y]) for y in range(len(dag))]
        return float(sum(kernel.local_score(self.scorer, y, of_y, len(of_y)) for y, of_y in enumerate(parents)))

    def _index(self, node: str) -> int:
        if node not in self.names:
            raise GraphError(f"{node!r} is not a column of the scored table.")
        return self.names.index(node)


def content_order(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """An order of columns (n, d) that follows from what they hold, not from where they stand.

    Members of a Markov class have equal scores, so a search over DAGs or orders meets ties. Broken by position they
    make the answer depend on the order of the columns (Kitson & Constantinou 2024). Here column j goes by

        frac(10^6 mean(z_j (sum_k z_k)^2)),    z standardised

    which no permutation of rows or columns and no unit alters (a sign, or other codes of levels, do), and which
    any change of data alters
    wholly: an arbitrary choice is made anew in every resample, so that `stability` shows it as one.
    """
    if np.isnan(values).any():
        values = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    centred = values - values.mean(axis=0)
    scale = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(values))
    key = 1e6 / len(values) * ((centred @ (1 / scale)) ** 2 @ centred) / scale
    return np.argsort(key - np.floor(key), kind="stable")


# ---- categories and numbers, gaps


def mixed_scorer(table: Table, penalty: float, max_parents: int) -> kernel.Scorer:
    """The local scores of a table with at least one number."""
    embedded = DummyCoded(table)
    p, d, n = embedded.values.shape[1], table.d, table.n
    varying = np.flatnonzero(np.nanstd(embedded.values, axis=0) > 0)
    moments = np.zeros((p + 1, p))
    moments[p, varying] = 2 * np.log(np.nanstd(embedded.values[:, varying], axis=0))
    if table.has_gaps:
        pairwise = _pairwise(table, embedded, varying)
        moments[np.ix_(varying, varying)], n = pairwise.matrix, pairwise.effective_n
    else:
        z = embedded.standardise()[varying]
        moments[np.ix_(varying, varying)] = z @ z.T / n
    wide = np.sort(np.diff(embedded.first))[::-1]
    limit = min(max_parents, d - 1, max(int(np.searchsorted(np.cumsum(wide), n - 2, side="right")) - 1, 0))
    return kernel.mixed_scorer(moments, embedded.first, n, penalty, limit)


def gaps_note(table: Table) -> str:
    """What a score of a table with gaps rests on; '' without gaps."""
    if not table.has_gaps:
        return ""
    embedded = DummyCoded(table)
    pairwise = _pairwise(table, embedded, np.flatnonzero(np.nanstd(embedded.values, axis=0) > 0))
    repair = f", shrunk to the identity by {pairwise.shrinkage:.3g} to be positive definite" * (pairwise.shrinkage > 0)
    return f"pairwise correlations of {pairwise.effective_n:,} rows on the whole (of {table.n:,}){repair}"


def _pairwise(table: Table, embedded: DummyCoded, varying: NDArray[np.intp]) -> Correlations:
    if table.kind == "discrete":
        raise DataError(
            f"{table.source} must have no gaps for a score of categories alone, got some. Set missing = 'complete' or "
            "'impute', or use a learner that tests (pc, fci)."
        )
    from trueness.learners.scoring.covariance import pairwise_correlations  # with scipy.stats, which few need

    return pairwise_correlations(embedded.as_observed(table, varying))
