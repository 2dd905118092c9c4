"""Time series that were recorded: UCI Air Quality from the user's file, and a user's own CSV with a graph beside it.

Rows keep their order and their gaps (NaN). A draw of n rows is a window of n rows at a random place: resampling rows
would break the lags. All rows are one series, so seeds differ by the corruption alone. Where a column has long gaps
(NMHC of UCI Air Quality has no value after row 1230), `for_windows` leaves it out and says so.
UCI Air Quality: De Vito et al. (2008), doi:10.1016/j.snb.2007.09.060; CC BY 4.0; hourly, `;` between fields, decimal
comma, -200 for missing, a blank tail. Its 13 edges are guesses from the domain (`assumed`): an illustration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trueness.datasets.dataset import About, Source, Truth
from trueness.datasets.frames import read_rows
from trueness.datasets.observed import Observed, check_observed
from trueness.datasets.survey_files import data_errors
from trueness.datasets.tables import truth_of_file
from trueness.errors import DataError, SettingError, listed
from trueness.graphs import Direction, Graph
from trueness.outside import MEGABYTE, is_there, open_file

AIR_QUALITY = {  # as the file names them -> what they are
    "CO(GT)": "carbon monoxide, reference analyser, mg/m3",
    "PT08.S1(CO)": "tin oxide sensor, aimed at CO",
    "NMHC(GT)": "non-methane hydrocarbons, reference analyser, ug/m3",
    "C6H6(GT)": "benzene, reference analyser, ug/m3",
    "PT08.S2(NMHC)": "titania sensor, aimed at NMHC",
    "NOx(GT)": "nitrogen oxides, reference analyser, ppb",
    "PT08.S3(NOx)": "tungsten oxide sensor, aimed at NOx",
    "NO2(GT)": "nitrogen dioxide, reference analyser, ug/m3",
    "PT08.S4(NO2)": "tungsten oxide sensor, aimed at NO2",
    "PT08.S5(O3)": "indium oxide sensor, aimed at ozone",
    "T": "temperature, C",
    "RH": "relative humidity, %",
    "AH": "absolute humidity",
}
AIR_QUALITY_EDGES = (
    "CO(GT) -> PT08.S1(CO)", "NMHC(GT) -> PT08.S2(NMHC)", "C6H6(GT) -> PT08.S2(NMHC)", "NOx(GT) -> PT08.S3(NOx)",
    "NOx(GT) -> NO2(GT)", "PT08.S3(NOx) -> PT08.S5(O3)", "NO2(GT) -> PT08.S4(NO2)", "T -> NOx(GT)", "T -> RH",
    "T -> AH", "RH -> CO(GT)", "RH -> NMHC(GT)", "RH -> AH",
)  # fmt: skip
_MISSING = -200.0
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
        there = np.vstack([np.zeros(self.table.d), ~self.table.missing])
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
    import pandas as pd

    path = Path(path)
    if not is_there(path):
        raise DataError(f"{path} is not there. Fetch AirQualityUCI.csv from the UCI repository (data set 360).")
    with data_errors(path, "AirQualityUCI.csv as UCI gives it"), open_file(path, 16 * MEGABYTE) as file:  # it has 0.8
        frame = pd.read_csv(file, sep=";", decimal=",", encoding="utf-8")
    absent = [name for name in AIR_QUALITY if name not in frame.columns]
    if absent:
        raise DataError(
            f"{path.name} must be AirQualityUCI.csv with its 13 variables, got none of {listed(absent, 3)}. "
            "Is it `;` separated?"
        )
    with data_errors(path, "AirQualityUCI.csv with numbers in its 13 variables"):
        values = frame[list(AIR_QUALITY)].dropna(how="all").to_numpy(dtype=np.float64)
    table = _with_gaps(tuple(AIR_QUALITY), values, _MISSING, "air-quality", lags)
    about = About(
        title="UCI Air Quality",
        domain="air pollution",
        summary=f"{table.n:,} hourly rows of gas sensors and reference analysers in an Italian city, 2004 and 2005.",
        truth="assumed",
        truth_note="13 edges guessed from the domain; an illustration, not a measurement",
        rows=table.n,
        source="UCI Machine Learning Repository, data set 360",
        licence="CC BY 4.0",
        reference="De Vito et al. (2008), doi:10.1016/j.snb.2007.09.060",
        variables=AIR_QUALITY,
        data="continuous",
        properties=("time series", f"{100 * table.share_missing:.0f} % missing"),
    )
    truth = Graph.from_edges(AIR_QUALITY_EDGES, table.names, "dag")
    return RecordedSeries("air-quality", truth, about, table)


def series_of_file(
    path: Path | str,
    graph: Path | str | None = None,
    *,
    lags: int = 1,
    missing: float | None = None,
    drop: Sequence[str] = (),
    truth: Truth = "assumed",
    direction: Direction | None = None,
    name: str | None = None,
) -> RecordedSeries:
    """A user's CSV, TSV or parquet, one row a time step in order, with its summary graph beside it.

    missing: the number that stands for a missing value, if empty cells are not all; drop: columns such as a time stamp.
    """
    path = Path(path)
    rows = read_rows(path, discrete=(), drop=drop)
    words = rows.text_columns()
    if words:
        raise DataError(
            f"a series must hold numbers, got text in column {words[0]!r} of {path.name}. Add it to drop = [...]."
        )
    table = _with_gaps(rows.names, rows.values, missing, path.name, lags)
    dag, about = truth_of_file(path, table, graph, direction, truth, "rows in time order")
    about = replace(about, properties=("time series", f"{100 * table.share_missing:.0f} % missing"))
    return RecordedSeries(name or path.name.split(".")[0], dag, about, table)


def _with_gaps(
    names: tuple[str, ...], values: NDArray[np.float64], missing: float | None, source: str, lags: int
) -> Observed:
    if lags < 1:
        raise SettingError(f"'lags' of {source} must be at least 1, got {lags}. For rows without order use a table.")
    values = values.copy() if missing is None else np.where(values == missing, np.nan, values)
    table = Observed(names, values, (None,) * len(names), source, None, lags)
    check_observed(table, lags)
    return table
