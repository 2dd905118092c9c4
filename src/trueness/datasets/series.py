"""Time series: vector autoregressions with known summary graphs, and series that were recorded.

    linear       x_j(t) = a_j x_j(t-1) + sum_{i, l} w_ij x_i(t-l)        + e_j(t)       l in 1 ... lags
    nonlinear    x_j(t) = a_j x_j(t-1) + sum_{i, l} w_ij tanh(2 x_i(t-l)) + e_j(t)      (or sin, by turns)
    |a_j| <= .6,  |w_ij| uniform in [.3, .6] with random sign,  e_j of variance 1

coefficients[l, i, j] is the effect of x_i(t - l) on x_j(t). The summary graph has i -> j, i != j, when any lag of i
enters j. It is acyclic here (scores are against a DAG; a variable's own past is no edge), so the process is stable
for any |a_j| < 1: the companion matrix is block triangular and its eigenvalues are the a_j.
Columns are standardised unless told otherwise; node order is shuffled. Burn-in is dropped.
Stability and summary graphs: Luetkepohl (2005), ch. 2; Runge et al. (2019).

Recorded rows keep their order and their gaps (NaN). A draw of n rows is a window at a random place: resampling rows
would break the lags. All rows are one series, so seeds differ by the corruption alone. Where a column has long gaps
(NMHC of UCI Air Quality has no value after row 1230), `for_windows` leaves it out and says so.
UCI Air Quality: De Vito et al. (2008), doi:10.1016/j.snb.2007.09.060; CC BY 4.0; hourly, `;` between fields, decimal
comma, -200 for missing, a blank tail. Its 13 edges are guesses from the domain (`assumed`): an illustration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.columns import DROP
from trueness.datasets.dataset import About, Source, Truth, about_of_card, check_settings, read_card, simulated
from trueness.datasets.frames import read_rows
from trueness.datasets.observed import Observed, Regimes, check_observed
from trueness.datasets.synthetic import NOISES, AtLeast0, Noise
from trueness.datasets.table import Table
from trueness.datasets.tables import truth_of_file
from trueness.errors import DataError, SettingError, listed
from trueness.graphs import Graph
from trueness.settings import Between

Array = NDArray[np.float64]
BURN_IN = 200
_SHAPES = (lambda x: np.tanh(2 * x), np.sin)  # bounded: no coefficient can make the process explode


@dataclass(frozen=True)
class VAR(Source):
    """One process of the family; graph and coefficients are fixed by `graph_seed`, each draw has fresh noise."""

    nodes: Annotated[int, Between(2, 2000, closed=True)] = 10
    lags: Annotated[int, Between(1, 50, closed=True)] = 2
    edges_per_node: AtLeast0 = 1.2
    relation: Literal["linear", "nonlinear"] = "linear"
    noise: Noise = "gaussian"
    weights: tuple[float, float] = (0.3, 0.6)
    autoregression: Annotated[float, Between(0, 0.99, closed=True)] = 0.6  # the largest |a_j|
    contemporaneous: Annotated[float, Between(0, 1, closed=True)] = 0.0  # share of the edges within the same row
    standardised: bool = True
    rows: Annotated[int, Between(3, 10**8, closed=True)] = 1000
    graph_seed: Annotated[int, Between(0, closed=True)] = 0
    label: str = ""

    def __post_init__(self) -> None:
        check_settings(self, "var")
        self._check_rows(self.rows)

    @property
    def name(self) -> str:
        return self.label or f"var-{self.nodes}"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"X{j}" for j in range(self.nodes))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.random.default_rng([self.graph_seed, self.nodes, self.lags]).permutation(self.nodes)

    @cached_property
    def coefficients(self) -> Array:
        """(lags + 1, d, d); [0] is within the row, [l, i, j] is from i, l rows back, to j; own past on the diagonal."""
        rng = np.random.default_rng([self.graph_seed, self.nodes, self.lags, 1])
        first, second = np.triu_indices(self.nodes, 1)
        count = round(self.edges_per_node * self.nodes)
        picked = rng.choice(len(first), size=count, replace=False)
        at = rng.integers(1, self.lags + 1, count)
        at[: round(self.contemporaneous * count)] = 0
        size = rng.uniform(*self.weights, size=count) * rng.choice([-1.0, 1.0], size=count)
        coefficients = np.zeros((self.lags + 1, self.nodes, self.nodes))
        coefficients[at, self._order[first[picked]], self._order[second[picked]]] = size
        node = np.arange(self.nodes)
        coefficients[1, node, node] = rng.uniform(self.autoregression / 2, self.autoregression, self.nodes)
        coefficients.setflags(write=False)
        return coefficients

    @cached_property
    def truth(self) -> Graph:
        """The summary graph."""
        any_lag = (self.coefficients != 0).any(axis=0)
        return Graph.from_matrix(any_lag & ~np.eye(self.nodes, dtype=bool), self.columns, direction="row to column")

    @property
    def about(self) -> About:
        shape = f"{self.relation} autoregression of {self.nodes} variables, lags 1 to {self.lags}"
        return simulated(
            f"Simulated {shape}",
            f"A {shape}, {self.noise} noise; {self.truth.n_edges()} edges in its summary graph.",
            "rows are simulated from the graph; i -> j when any lag of i enters j",
            self.rows,
            self.columns,
            ("time series", self.relation, f"{self.noise} noise", "causally sufficient", "acyclic summary")
            + (("standardised",) if self.standardised else ()),
        )

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Observed:
        """n rows in time order."""
        values = self._run(self._noise(self._check_rows(n), np.random.default_rng(rng)), None, None)
        return self._as_observed(values, values, None)

    def draw_regimes(self, regimes: Regimes, n: int, rng: Generator) -> tuple[Observed, Observed]:
        """The process left alone, and the same noise under the regimes."""
        noise = self._noise(self._check_rows(n), rng)
        free = self._run(noise, None, None)
        moved = self._run(noise, regimes, free)
        return self._as_observed(free, free, None), self._as_observed(moved, free, regimes.labels)

    def _check_rows(self, n: int | None) -> int:
        n = self.rows if n is None else n
        if n < self.lags + 2:
            raise SettingError(f"'n' of {self.name} must be at least {self.lags + 2} (lags + 2), got {n}.")
        return n

    def _noise(self, n: int, rng: Generator) -> Array:
        return NOISES[self.noise](rng, (n + BURN_IN, self.nodes))

    def _run(self, noise: Array, regimes: Regimes | None, free: Array | None) -> Array:
        """All rows after the burn-in; node by node in causal order, each one a filtered sum of its drivers."""
        from scipy.signal import lfilter

        values = np.empty(noise.shape, order="F")
        for j in self._order:
            drive = noise[:, j].copy()
            for lag, i in np.argwhere(self.coefficients[:, :, j]):
                if i != j:
                    past = values[: len(values) - lag, i]
                    drive[lag:] += self.coefficients[lag, i, j] * self._shape(i, j, past)
            phi = self.coefficients[1, j, j]
            values[:, j] = lfilter([1.0], [1.0, -phi], drive)
            if regimes is not None and free is not None:
                self._hold(values[:, j], drive, phi, j, regimes, free)
        return values[BURN_IN:]

    def _shape(self, i: int, j: int, past: Array) -> Array:
        return past if self.relation == "linear" else np.asarray(_SHAPES[(i + j) % len(_SHAPES)](past))

    def _hold(self, column: Array, drive: Array, phi: float, j: int, regimes: Regimes, free: Array) -> None:
        """Set the held rows of node j, and let it go on from the last of them."""
        from scipy.signal import lfilter

        mean, sd = free[:, j].mean(), free[:, j].std()
        for rows, standard in regimes.of(j):
            start, stop = rows.start + BURN_IN, rows.stop + BURN_IN
            column[start:stop] = mean + sd * standard
            column[stop:], _ = lfilter([1.0], [1.0, -phi], drive[stop:], zi=[phi * column[stop - 1]])

    def _as_observed(self, values: Array, free: Array, labels: NDArray[np.intp] | None) -> Observed:
        if self.standardised:
            values = (values - free.mean(axis=0)) / free.std(axis=0)
        return Observed(self.columns, values, (None,) * self.nodes, self.name, labels, self.lags)


# ---- recorded

_MISSING = -200.0  # of UCI Air Quality
OBSERVED = 10  # values of a column that a window must have


@dataclass(frozen=True, eq=False)
class RecordedSeries(Source):
    """Rows that were measured one after the other."""

    name: str
    truth: Graph
    about: About
    table: Observed
    starts: NDArray[np.intp] | None = None  # of the windows that may be drawn; None: any

    @property
    def lags(self) -> int:
        return self.table.lags

    def draw(self, n: int | None = None, rng: Generator | None = None) -> Observed:
        """All rows, or a window of n rows at a random place."""
        if n is None or n == self.table.n:
            return self.table
        if not 1 <= n < self.table.n:
            raise SettingError(
                f"'n' of {self.name} must be in [1, {self.table.n}], got {n}: a series is not resampled."
            )
        places = (
            np.arange(self.table.n - n + 1) if self.starts is None else self.starts[self.starts <= self.table.n - n]
        )
        start = int(places[np.random.default_rng(rng).integers(0, len(places))])
        return self.table.rows(np.arange(start, start + n))

    def for_windows(self, n: int) -> tuple[RecordedSeries, list[str]]:
        """The series for windows of n rows, every column observed in each; and in words what was left out for it.

        A column that half of the windows have fewer than OBSERVED values of goes, with its edges; then windows do.
        """
        least = min(OBSERVED, n)
        there = np.vstack([np.zeros(self.table.d), ~self.table.gaps])
        before: NDArray[np.float64] = np.cumsum(there, axis=0, dtype=np.float64)
        seen = before[n:] - before[:-n] >= least  # (windows, d)
        kept = seen.mean(axis=0) >= 0.5
        while kept.sum() > 1 and not seen[:, kept].all(axis=1).any():
            kept[np.where(kept, seen.mean(axis=0), 2.0).argmin()] = False
        if kept.sum() < 2:
            raise DataError(
                f"{self.name} must have two columns with {least} values in {n} rows, got none. Use more rows."
            )
        starts = np.flatnonzero(seen[:, kept].all(axis=1))
        if kept.all() and len(starts) == len(seen):
            return self, []
        words = []
        table, truth = self.table, self.truth
        if not kept.all():
            table = table.columns(np.flatnonzero(kept).tolist())
            edges = [str(edge) for edge in truth.edges if {edge.source, edge.target} <= set(table.names)]
            lost = truth.n_edges() - len(edges)
            gone = [name for name, stays in zip(self.table.names, kept, strict=True) if not stays]
            truth = Graph.from_edges(edges, table.names, "dag")
            words.append(
                f"{self.name}: {listed(gone)} {'was' if len(gone) == 1 else 'were'} left out with {lost} "
                f"edge{'s' if lost != 1 else ''} of the truth: fewer than {least} values in most windows of {n} rows."
            )
        if len(starts) < len(seen):
            words.append(
                f"{self.name}: {len(starts):,} of {len(seen):,} windows of {n} rows have every column; drawn from."
            )
        return replace(self, table=table, truth=truth, starts=starts), words


def air_quality(path: Path | str, lags: int = 2) -> RecordedSeries:
    """UCI Air Quality from the file AirQualityUCI.csv, which the user brings."""
    path, card = Path(path), read_card("air-quality")
    names = card["variables"]
    try:
        kinds = dict.fromkeys(names, "continuous") | dict.fromkeys(("Date", "Time"), DROP)
        rows = read_rows(path, discrete=(), kinds=kinds)
        rows = rows.columns([rows.names.index(name) for name in names])
    except (DataError, SettingError, ValueError) as error:
        raise DataError(f"{path.name} must be AirQualityUCI.csv as UCI gives it (data set 360), got: {error}") from None
    table = _with_gaps(rows.rows(np.flatnonzero(~rows.gaps.all(axis=1))), _MISSING, "air-quality", lags)
    about = replace(
        about_of_card(card, "continuous", _properties(table)),
        rows=table.n,
        summary=f"{table.n:,} {card['summary'][0].lower()}{card['summary'][1:]}",
    )
    return RecordedSeries("air-quality", Graph.from_edges(card["edges"], table.names, "dag"), about, table)


def series_of_file(
    path: Path | str,
    graph: Path | str | None = None,
    *,
    lags: int = 1,
    missing: float | None = None,
    drop: Sequence[str] = (),
    truth: Truth = "assumed",
    name: str | None = None,
) -> RecordedSeries:
    """A user's CSV, TSV or parquet, one row a time step in order, with its summary graph beside it.

    missing: the number that stands for a missing value, if empty cells are not all; drop: columns such as a time stamp.
    """
    path = Path(path)
    rows = read_rows(path, discrete=(), kinds=dict.fromkeys(drop, DROP))
    words = rows.text_columns()
    if words:
        raise DataError(
            f"a series must hold numbers, got text in column {words[0]!r} of {path.name}. Add it to drop = [...]."
        )
    table = _with_gaps(rows, missing, path.name, lags)
    dag, about = truth_of_file(path, table, graph, truth, "rows in time order")
    about = replace(about, properties=_properties(table))
    return RecordedSeries(name or path.name.split(".")[0], dag, about, table)


def _properties(table: Observed) -> tuple[str, ...]:
    return "time series", f"{100 * table.gaps.mean():.0f} % missing"


def _with_gaps(rows: Table, missing: float | None, source: str, lags: int) -> Observed:
    if lags < 1:
        raise SettingError(f"'lags' of {source} must be at least 1, got {lags}. For rows without order use a table.")
    values = rows.values if missing is None else np.where(rows.values == missing, np.nan, rows.values)
    table = Observed(rows.names, values, (None,) * rows.d, source, None, lags)
    check_observed(table, lags)
    return table
