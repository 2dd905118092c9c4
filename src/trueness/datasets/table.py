"""Table: n rows of d named columns, each continuous, discrete or ordered. What a learner sees; it holds no truth.

values is (n, d), float64. A discrete column holds codes 0..k-1 and its k levels, an ordered one the same with
OrderedLevels, which rise with the codes; a continuous one has levels None. Methods for numbers read an ordered column
as its numbers (`read_ordered`), since that finds more than either categories or latent correlations do
(benchmarks/ordered.py).
experiments say which columns were intervened on in each row (experiments.py); None where nothing is known of that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, TypeGuard, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueness.datasets.columns import MAX_LEVELS, InferredColumn, Kinds, Levels, OrderedLevels, TimeOrder, columns_of
from trueness.datasets.experiments import Experiments, split_experiments
from trueness.datasets.order import RepeatedUnits
from trueness.errors import DataError, listed

if TYPE_CHECKING:
    import pandas

TableLike: TypeAlias = Union["Table", "pandas.DataFrame", ArrayLike]
HEAD = 64  # rows that tell of most columns that they vary
LARGEST, SMALLEST = 1e50, 1e-50  # values, and the spread of a column: learners multiply squares of both


@dataclass(frozen=True, eq=False)
class Table:
    names: tuple[str, ...]
    values: NDArray[np.float64]
    levels: tuple[Levels, ...]
    source: str = "the data"
    judged: tuple[InferredColumn, ...] = field(default=(), kw_only=True, repr=False)  # of what was read: columns.py
    notes: tuple[str, ...] = field(default=(), kw_only=True, repr=False)  # of how a file was read
    experiments: Experiments | None = field(default=None, kw_only=True, repr=False)
    times: TimeOrder | None = field(default=None, kw_only=True, repr=False)  # of a column that was left out
    units: tuple[RepeatedUnits, ...] = field(default=(), kw_only=True, repr=False)  # that have several rows each

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.values, dtype=np.float64)
        if values is self.values and values.flags.writeable:
            values = values.copy()  # a caller who keeps the array must not be able to change the table
        object.__setattr__(self, "values", values)
        values.setflags(write=False)
        twice = sorted(name for name, count in Counter(self.names).items() if count > 1)
        if twice:
            raise DataError(f"column names of {self.source} must be unique, got {listed(twice)} twice. Rename them.")
        if values.ndim != 2 or values.shape[1] != len(self.names) or len(self.levels) != len(self.names):
            raise DataError(f"{self.source} must have a name and a kind for each column, got shape {values.shape}.")
        if self.experiments is not None and len(self.experiments.rows) != len(values):
            got = f"{len(self.experiments.rows)} for {len(values)} rows"
            raise DataError(f"{self.source} must have an experiment for each row, got {got}.")

    def __repr__(self) -> str:
        return f"Table({self.source}: {self.n} x {self.d}, {self.kind}: {listed(self.names)})"

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def d(self) -> int:
        return len(self.names)

    @property
    def has_gaps(self) -> bool:
        """Whether a value is missing; one quick pass, of a table that was checked (no value is infinite)."""
        flat = self.values.ravel()
        return bool(np.isnan(flat @ flat))

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """gaps[i, j]: the value of column j in row i is missing."""
        return np.isnan(self.values)

    @property
    def discrete(self) -> NDArray[np.bool_]:
        """discrete[j]: column j holds codes of levels."""
        return np.array([levels is not None for levels in self.levels], dtype=bool)

    @property
    def ordered(self) -> NDArray[np.bool_]:
        """ordered[j]: its codes are of levels that have an order."""
        return np.array([isinstance(levels, OrderedLevels) for levels in self.levels], dtype=bool)

    @property
    def kind(self) -> str:
        """`discrete`, `continuous` or `mixed`; ordered columns count as numbers."""
        mask = self.discrete & ~self.ordered
        return "discrete" if mask.all() else "mixed" if mask.any() else "continuous"

    @property
    def n_levels(self) -> NDArray[np.int64]:
        """Number of levels of each column (0 for continuous ones)."""
        return np.array([len(levels or ()) for levels in self.levels], dtype=np.int64)

    def rows(self, index: NDArray[np.intp]) -> Self:
        """Those rows, without what is known of all of them: how they were read, their order and their units."""
        experiments = self.experiments and self.experiments.take(index)
        return replace(
            self, values=self.values[index], judged=(), notes=(), experiments=experiments, times=None, units=()
        )

    def columns(self, order: Sequence[int]) -> Self:
        names, levels = tuple(self.names[j] for j in order), tuple(self.levels[j] for j in order)
        return replace(self, names=names, values=self.values[:, list(order)], levels=levels, judged=(), notes=())

    @property
    def layout(self) -> list[object]:
        """Names, levels, and which are ordered where any is: what a fingerprint of the table has beside its values."""
        ordered = np.flatnonzero(self.ordered).tolist()
        return [self.names, self.levels, *([ordered] if ordered else [])]

    def text_columns(self) -> tuple[str, ...]:
        """Discrete columns whose levels are words: their codes are numbers by name only."""
        return tuple(
            name
            for name, levels in zip(self.names, self.levels, strict=True)
            if levels and not isinstance(levels, OrderedLevels) and _numbers(levels) is None
        )

    def read_ordered(self, kind: Literal["continuous", "discrete"] = "continuous") -> Table:
        """Ordered columns as their numbers (levels that are words: 0, 1, 2, ...), or as categories."""
        ordered = self.ordered
        if not ordered.any():
            return self
        plain = [tuple(levels) if levels and ordered[j] else levels for j, levels in enumerate(self.levels)]
        if kind == "discrete":
            return replace(self, levels=tuple(plain))
        numbers = self._with_numbers(ordered)
        return replace(self, values=numbers, levels=tuple(None if ordered[j] else of for j, of in enumerate(plain)))

    def _with_numbers(self, columns: NDArray[np.bool_]) -> NDArray[np.float64]:
        values = self.values.copy()
        for j in np.flatnonzero(columns):
            numbers = _numbers(self.levels[j] or ())
            if numbers is not None:
                there = ~np.isnan(values[:, j])
                values[there, j] = numbers[values[there, j].astype(np.intp)]
        return values

    def as_numbers(self) -> Table:
        """All columns continuous: numeric levels become their numbers, words become their codes.

        Codes of words carry no meaning; a study that uses them says so (`codes = true`) and is labelled.
        """
        values = self._with_numbers(self.discrete)
        return Table(self.names, values, (None,) * self.d, self.source, experiments=self.experiments)

    @classmethod
    def of(
        cls,
        data: TableLike,
        discrete: Iterable[str] | None = None,
        source: str = "the data",
        kinds: Kinds | None = None,
        strict: bool = True,
        targets: str | None = None,
    ) -> Table:
        """A Table as it is, or one made from a pandas DataFrame or an (n, d) array of numbers.

        strict: dates and identifiers are an error; otherwise they are left out, and `judged` says so.
        targets: the column that tells of interventions (experiments.py).
        """
        if targets is not None and (isinstance(data, cls) or not _is_frame(data)):
            raise DataError(f"'targets' need a DataFrame with a column that tells of them, got {type(data).__name__}.")
        if isinstance(data, cls):
            return data
        if _is_frame(data):
            data, experiments = (data, None) if targets is None else split_experiments(data, targets, source)
            read = columns_of(data, discrete, source, kinds, strict)
            return cls(
                read.names, read.values, read.levels, source,
                judged=read.judged, experiments=experiments, times=read.times, units=read.units,
            )  # fmt: skip
        array = np.asarray(data)
        if array.ndim != 2 or array.dtype.kind not in "fiub":
            raise DataError(
                f"data must be a Table, a DataFrame or an (n, d) array of numbers, got {type(data).__name__}."
            )
        return cls(tuple(f"X{j}" for j in range(array.shape[1])), array, (None,) * array.shape[1], source)


def check_usable(table: Table, gaps: bool = False, remedy: str = "Drop it, or use more rows.") -> None:
    """Raise for what no learner can use: fewer than two columns, fewer rows than columns, missing values (unless
    `gaps` are handled), constant columns (`remedy`: what to do), numbers or categories that nobody can compute with."""
    check_columns(table)
    if table.n < 2 or table.n < table.d:
        raise DataError(
            f"{table.source} must have at least as many rows as columns, got {table.n} rows and {table.d} columns. "
            "Add rows or drop columns."
        )
    values, flat = table.values, table.values.ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        square = flat @ flat  # one quick pass; which column it is matters only where it fails
        near = (np.abs(values[:HEAD] - values[0]) < SMALLEST).all(axis=0)
    if not square <= LARGEST**2 or near.any():
        suspects = np.flatnonzero(near) if square <= LARGEST**2 else np.arange(table.d)
        for j in suspects:
            check_values(table, int(j), gaps, remedy)


def check_values(table: Table, j: int, gaps: bool, remedy: str) -> None:
    """Raise for missing values of a column (unless `gaps` are handled), for an empty or constant one, and for one whose
    squares, and products of squares, would be 0 or infinite: its graphs would be too."""
    what, values = f"column {table.names[j]!r} of {table.source}", table.values[:, j]
    missing = np.flatnonzero(np.isnan(values) if gaps else ~np.isfinite(values))
    if len(missing) and not gaps:
        raise DataError(
            f"{what} must have no missing values, got {len(missing)} (first in row {missing[0] + 1}). Drop or impute "
            "those rows, or choose a learner that takes gaps ('trueness list learners')."
        )
    if len(missing) == len(values):
        raise DataError(f"{what} must have values, got none. Drop it.")
    low, high, levels = float(np.nanmin(values)), float(np.nanmax(values)), table.levels[j]
    if low == high:
        value = levels[int(low)] if levels else f"{low:g}"
        raise DataError(f"{what} must vary, got a constant (all {value}). {remedy}")
    great = max(abs(low), abs(high)) > LARGEST
    if great or high / 2 - low / 2 < SMALLEST / 2:  # halves: the difference of two great ones would be infinite
        got = f"values up to {max(abs(low), abs(high)):.3g}" if great else f"{low:.3g} to {high:.3g}"
        raise DataError(
            f"{what} must have values of at most {LARGEST:g} that differ by at least {SMALLEST:g}, got {got}. "
            "Give it in another unit."
        )


def check_columns(table: Table) -> None:
    """Raise for columns too few to have a graph, and for a category whose levels nobody could count."""
    if table.d < 2:
        raise DataError(f"{table.source} must have at least two columns, got {table.d}. There is no graph to find.")
    for name, levels in zip(table.names, table.levels, strict=True):
        if levels is not None and len(levels) > MAX_LEVELS:
            raise DataError(
                f"column {name!r} of {table.source} must have at most {MAX_LEVELS:,} levels as a category, got "
                f"{len(levels):,}. Group its levels, drop it, or take it as numbers."
            )


def _is_frame(data: object) -> TypeGuard[pandas.DataFrame]:
    return hasattr(data, "columns")


def _numbers(levels: Sequence[str]) -> NDArray[np.float64] | None:
    try:
        return np.array([float(level) for level in levels])
    except ValueError:
        return None
