"""Missing values, by the setting `missing` of a learner.

    testwise     a test uses the rows that have all of its columns: as many as there are, and each test others. Right
                 where gaps come by chance (MCAR)
    corrected    test-wise, and corrected for gaps that hang on other columns (kernels/mixed.py): of learners that
                 test, on numbers
    complete     rows with a gap are left out: the same rows for all, fewer of them
    impute       each gap gets one draw from the Gaussian under which what is there is most likely, given what its row
                 has (of a category the level that comes nearest). Right also where gaps hang on what is there (MAR)
    refuse       a gap is an error
    auto         test-wise where gaps hang on no other column beyond chance (gap_causes); else corrected, for a learner
                 that takes it and gaps that hang most on a column without any; else impute

Whether gaps of v hang on w: rank correlation of w with "v is missing" over the rows that have w, a category level by
level; r sqrt(m - 1) against the normal, Holm over all tests, p < GAP_LEVEL for the table as a whole.

`join_imputations` (stability.py) makes several such tables and joins their graphs.

A matrix of pairwise correlations may have negative eigenvalues: it is then shrunk to the identity, by as little as
needed (scoring/covariance.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.observed import Observed
from trueness.datasets.table import Table, TableLike, check_usable
from trueness.graphs import Graph
from trueness.learners.base import Card, Checked, Learner, checked

Details = TypeVar("Details", bound="HasGraph")  # what led to a graph
Missing = Literal["testwise", "complete", "impute", "refuse", "auto"]
MissingInTests = Literal["testwise", "corrected", "complete", "impute", "refuse", "auto"]
GAP_LEVEL = 0.01
FEWEST_GAPS = 5.0  # that a level would lose by chance, and keep; with fewer it is not tested
TESTWISE = "test-wise deletion, complete rows or imputation"  # on the card of a learner that has the setting


class GapCause(NamedTuple):
    """Gaps of `column` hang on `on`: where that is greater, or is that level, more (r > 0) or fewer are missing."""

    column: str
    on: str
    r: float
    p: float  # Holm-adjusted


def gap_causes(table: Table) -> tuple[GapCause, ...]:
    """Beyond chance, the strongest of each column first."""
    from scipy import stats

    from trueness.statistics.multiplicity import adjust

    gaps = table.gaps
    gappy = np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0))
    if not len(gappy):
        return ()
    embedded = DummyCoded(table)
    r, p = np.zeros((2, table.d, len(gappy)))
    p[:] = np.nan
    for w in range(table.d):
        there = ~gaps[:, w]
        lost, m = gaps[there][:, gappy], int(there.sum())
        columns = embedded.values[there, embedded.first[w] : embedded.first[w + 1]]
        if m <= 2 * FEWEST_GAPS:
            continue
        ranks = np.column_stack([stats.rankdata(column) for column in columns.T])
        x, y = ranks - ranks.mean(axis=0), lost - lost.mean(axis=0)
        scale = np.sqrt(np.outer((x * x).sum(axis=0), (y * y).sum(axis=0)))
        each = np.where(scale > 0, x.T @ y / np.where(scale > 0, scale, 1.0), 0.0)
        rarer = np.full(len(each), m / 2)
        if table.levels[w] is not None:
            rarer = np.minimum(columns.sum(axis=0), m - columns.sum(axis=0))
        enough = np.outer(rarer, np.minimum(lost.sum(axis=0), m - lost.sum(axis=0))) / m >= FEWEST_GAPS / 2
        each = np.where(enough, each, 0.0)
        strongest, every = np.abs(each).argmax(axis=0), np.arange(len(gappy))
        r[w] = each[strongest, every]
        p[w] = np.minimum(2 * stats.norm.sf(np.abs(r[w]) * np.sqrt(m - 1)) * len(each), 1.0)
    p[gappy, np.arange(len(gappy))] = np.nan  # of itself nothing is there where it is missing
    adjusted = adjust(p.ravel()).reshape(p.shape)
    causes = [
        GapCause(table.names[v], table.names[w], float(r[w, k]), float(adjusted[w, k]))
        for k, v in enumerate(gappy)
        for w in range(table.d)
        if adjusted[w, k] < GAP_LEVEL
    ]
    return tuple(sorted(causes, key=lambda cause: (table.names.index(cause.column), -abs(cause.r))))


def tell_gap_causes(causes: tuple[GapCause, ...]) -> str:
    """Which gaps hang on what, in words."""
    first = {cause.column: cause for cause in reversed(causes)}
    named = [f"{one.column} on {one.on} (r {one.r:+.2f}, p = {one.p:.2g})" for one in reversed(first.values())]
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f"gaps hang on other columns: {', '.join(named[:3])}{more} (rank correlation, Holm over all pairs)"


class HasGraph(Protocol):
    @property
    def graph(self) -> Graph: ...


class TakesGaps(Checked, Generic[Details]):
    """A learner whose `missing` may be "auto"; gaps are drawn from a seed of their own: same data, same graph."""

    card: ClassVar[Card]
    missing: MissingInTests

    def fit(self, data: TableLike, rng: Generator | None = None) -> Graph:
        chosen, table = self._prepared(data)
        return chosen._graph(table, rng)

    def fit_details(self, data: TableLike, rng: Generator | None = None) -> Details:
        """The graph with what led to it."""
        chosen, table = self._prepared(data)
        return chosen._details(table, rng)

    def _graph(self, table: Table, rng: Generator | None) -> Graph:
        return self._details(table, rng).graph

    def _details(self, table: Table, rng: Generator | None) -> Details:
        raise NotImplementedError

    def _prepared(self, data: TableLike) -> tuple[Self, Table]:
        """The learner as `missing` says, and its table."""
        settings: Any = self  # a dataclass with this field, as every learner of this kind is
        chosen = replace(settings, missing=missing_of(self, Table.of(data))) if self.missing == "auto" else settings
        return chosen, without_gaps(checked(data, chosen), chosen.missing)


def missing_of(learner: Learner, table: Table) -> str:
    """What `missing = "auto"` is for this learner and table; "testwise" where the learner has no such setting."""
    hints = get_type_hints(type(learner))
    if "missing" not in hints or "auto" not in get_args(hints["missing"]) or not table.has_gaps:
        return "testwise"
    causes, test = gap_causes(table), getattr(learner, "test", "")
    if not causes and (test or table.kind != "discrete"):
        return "testwise"
    takes = "corrected" in get_args(hints["missing"]) and table.kind == "continuous" and test in ("auto", "fisher-z")
    whole = {name: not table.gaps[:, j].any() for j, name in enumerate(table.names)}
    strongest = {cause.column: cause.on for cause in reversed(causes)}
    return "corrected" if takes and all(whole[name] for name in strongest.values()) else "impute"


class DummyCoded:
    """Columns as numbers alone: a category of k levels is k - 1 columns of 0 and 1, its most frequent level all 0.

    values (n, p), NaN in gaps; first (d + 1,): where the columns of each variable begin; base[j]: that level.
    """

    def __init__(self, table: Table):
        parts, self.base = [], []
        for j, levels in enumerate(table.levels):
            column = table.values[:, j]
            if levels is None:
                parts.append(column[:, None])
                self.base.append(-1)
                continue
            whole = column[~np.isnan(column)].astype(np.int64)
            base = int(np.bincount(whole, minlength=len(levels)).argmax())
            others = np.array([code for code in range(len(levels)) if code != base], dtype=np.float64)
            dummies = (column[:, None] == others).astype(np.float64)
            dummies[np.isnan(column)] = np.nan
            parts.append(dummies)
            self.base.append(base)
        self.values: NDArray[np.float64] = np.hstack(parts)
        self.first = np.concatenate([[0], np.cumsum([part.shape[1] for part in parts])]).astype(np.int64)

    def as_observed(self, table: Table, columns: NDArray[np.intp]) -> Observed:
        """Some of the columns, named after their variables."""
        widths = zip(table.names, np.diff(self.first).tolist(), strict=True)
        names = [name if wide == 1 else f"{name} ({k + 1})" for name, wide in widths for k in range(wide)]
        chosen = tuple(names[column] for column in columns)
        return Observed(chosen, self.values[:, columns], (None,) * len(columns), table.source)

    def standardise(self) -> NDArray[np.float64]:
        """(p, n), each row of mean 0 and variance 1; 0 where a column is constant."""
        centred = self.values - np.nanmean(self.values, axis=0)
        scale = np.sqrt(np.nanmean(centred**2, axis=0))
        return np.ascontiguousarray((centred / np.where(scale > 0, scale, 1.0)).T)


def without_gaps(table: Table, missing: MissingInTests) -> Table:
    """The table that the learner fits: complete unless gaps are left to its tests."""
    if missing in ("testwise", "corrected", "refuse") or not table.has_gaps:
        return table
    filled = (
        impute(table, np.random.default_rng(0))
        if missing == "impute"
        else table.rows(np.flatnonzero(~table.gaps.any(axis=1)))
    )
    check_usable(filled)
    return filled


def impute(table: Table, rng: Generator, resample: bool = False) -> Table:
    """Each gap drawn given what its row has. resample: from the Gaussian of a resample of the rows."""
    from trueness.learners.scoring.covariance import fill_by_likelihood  # scorers are not imported until one is used

    table = table.read_ordered()
    embedded = DummyCoded(table)
    varying = np.flatnonzero(np.nanstd(embedded.values, axis=0) > 0)
    numbers = np.nan_to_num(embedded.values)
    numbers[:, varying] = fill_by_likelihood(embedded.as_observed(table, varying), rng, resample)
    values, gaps = table.values.copy(), table.gaps
    for j, levels in enumerate(table.levels):
        drawn = numbers[gaps[:, j], embedded.first[j] : embedded.first[j + 1]]
        if levels is None:
            values[gaps[:, j], j] = drawn[:, 0]
        else:
            shares = np.insert(drawn, embedded.base[j], 1 - drawn.sum(axis=1), axis=1)
            values[gaps[:, j], j] = shares.argmax(axis=1)
    return Table(table.names, values, table.levels, table.source, experiments=table.experiments)
