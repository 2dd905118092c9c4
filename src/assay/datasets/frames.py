"""DataFrames and files of rows to a Table: which columns are categories, and what is wrong with the rest.

A column is discrete when it holds text or truth values, or whole numbers with at most 10 different values;
`discrete=[...]` overrules that. A column that is mostly numbers with some text in it is an error, not a category.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.datasets.table import MAX_LEVELS, MOST_LEVELS, Levels, Table
from assay.errors import DataError, did_you_mean, listed
from assay.graphs.links import MAX_NODES
from assay.outside import (
    MAX_TABLE,
    MEGABYTE,
    NOT_READ,
    is_there,
    one_line,
    opened,
    size,
)
from assay.parquet import parquet_columns, read_parquet

if TYPE_CHECKING:
    import pandas

MAX_CELLS = 200_000_000  # of a table: 1.6 GB of numbers
MAX_COLUMNS = MAX_NODES  # each column is a node of a graph
MAX_HEADER = 16 * MEGABYTE
ROWS_AT_ONCE = 100_000  # of a long column of texts, before it is known to be numbers or a category
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL"]  # not "None": it is a level in many networks


def read_rows(path: Path | str, discrete: Iterable[str] | None = None, drop: Iterable[str] = ()) -> Table:
    """CSV, TSV (also .gz) or parquet, with a header; `drop` names columns to leave out, such as a time stamp."""
    path = Path(path)
    if not is_there(path):
        raise DataError(f"{path} is not there. Give the path of a CSV, TSV or parquet file.")
    dropped = list(drop)
    if path.suffix == ".parquet":
        kept = _kept(parquet_columns(path, MAX_COLUMNS), dropped, path)
        frame = read_parquet(path, MAX_CELLS, kept)
    else:
        frame = _delimited(path)
        frame = frame[_kept(frame.columns, dropped, path)]
    return table_of_frame(frame, discrete, path.name)


def _kept(columns: Iterable[str], dropped: list[str], path: Path) -> list[str]:
    names = list(columns)
    for name in dropped:
        if name not in names:
            raise DataError(f"{name!r} to drop is not a column of {path.name}. {did_you_mean(name, names)}".rstrip())
    return [name for name in names if name not in dropped]


def _delimited(path: Path) -> pandas.DataFrame:
    import pandas as pd

    separator, columns = check_header(path, MAX_COLUMNS)
    most = MAX_CELLS // columns
    try:
        with opened(path, MAX_TABLE) as file:
            frame = pd.read_csv(
                file, sep=separator, keep_default_na=False, na_values=MISSING, skipinitialspace=True, nrows=most + 1
            )
    except NOT_READ as error:
        raise DataError(f"{path.name} must be a CSV file with a header, got: {one_line(error)}.") from error
    if len(frame) > most:
        raise DataError(
            f"{path.name} must have at most {MAX_CELLS:,} cells, got more than {most:,} rows of {columns:,} columns. "
            "Keep a part of its rows."
        )
    return frame


def check_header(path: Path, most: int) -> tuple[str, int]:
    """The separator and the number of columns, at most `most`.

    pandas would rename repeated names in silence, so they are looked at here.
    """
    try:
        with opened(path, MAX_TABLE) as file:
            line = file.readline(MAX_HEADER + 1)
        first = re.split("[\r\n]", line.decode("utf-8-sig"), maxsplit=1)[0]
    except (UnicodeDecodeError, OSError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path.name} must be a text file in UTF-8, got: {one_line(error)}.") from error
    if len(first) > MAX_HEADER:
        raise DataError(f"the header of {path.name} must have at most {size(MAX_HEADER)}, got more. Is it a table?")
    if not first.strip():
        raise DataError(f"{path.name} must have a header with column names, got an empty file.")
    separator = max(",;\t", key=first.count)
    if first.count(separator) >= most:
        raise DataError(
            f"{path.name} must have at most {most:,} columns, got {first.count(separator) + 1:,}. Keep those you need."
        )
    try:
        header = [name.strip() for name in next(csv.reader([first], delimiter=separator))]
    except csv.Error as error:
        raise DataError(f"{path.name} must have a header with column names, got: {one_line(error)}.") from error
    if "" in header:
        raise DataError(
            f"column {header.index('') + 1} of {path.name} must have a name, got none. Name it, or drop an index."
        )
    twice = sorted(name for name, count in Counter(header).items() if count > 1)
    if twice:
        raise DataError(f"column names of {path.name} must be unique, got {listed(twice)} twice. Rename them.")
    if all(_is_number(name) for name in header):
        raise DataError(f"{path.name} must have a header with column names, got numbers: {listed(header, 3)}.")
    return separator, len(header)


def table_of_frame(frame: pandas.DataFrame, discrete: Iterable[str] | None = None, source: str = "the data") -> Table:
    names = tuple(str(name) for name in frame.columns)
    wanted = None if discrete is None else set(discrete)
    for name in sorted((wanted or set()) - set(names)):
        raise DataError(f"{name!r} in 'discrete' is not a column of {source}. {did_you_mean(name, names)}".rstrip())
    values = np.empty((len(frame), len(names)))
    levels: list[Levels] = []
    for j, name in enumerate(names):
        values[:, j], column_levels = _column(
            frame.iloc[:, j], name, source, None if wanted is None else name in wanted
        )
        levels.append(column_levels)
    return Table(names, values, tuple(levels), source)


def _column(series: Any, name: str, source: str, discrete: bool | None) -> tuple[Any, Levels]:
    import pandas as pd

    if len(series) > ROWS_AT_ONCE:
        _check_long(series, name, source)
    series = _beyond_64_bits(series)
    if pd.api.types.is_bool_dtype(series.dtype):
        return series.astype(float).to_numpy(), ("False", "True")
    if pd.api.types.is_numeric_dtype(series.dtype):
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        seen = np.unique(numbers[np.isfinite(numbers)])
        if discrete is None:
            discrete = 0 < len(seen) <= MOST_LEVELS and bool((seen == np.round(seen)).all())
        if not discrete:
            return numbers, None
        codes = np.searchsorted(seen, numbers).astype(float)
        codes[~np.isfinite(numbers)] = np.nan
        return codes, tuple(f"{value:g}" for value in seen)
    _check_text(series, name, source)
    words = series.astype("string").str.strip()
    kinds = tuple(sorted(words.dropna().unique()))
    codes = words.map({word: code for code, word in enumerate(kinds)}).astype("float64").to_numpy(dtype=np.float64)
    return codes, kinds


def _check_long(series: Any, name: str, source: str) -> None:
    """Texts that are neither numbers nor levels of a category are told of as soon as there are too many."""
    import pandas as pd

    words: set[str] = set()  # that are no numbers
    kinds: set[str] = set()
    rows = numbers = start = 0
    while _is_text(series) and start < len(series) and len(words) <= MAX_LEVELS:
        part = series.iloc[start : start + ROWS_AT_ONCE].dropna().astype("string")
        numeric = pd.to_numeric(part, errors="coerce").notna()
        words.update(part[~numeric].unique())
        kinds.update(part.unique() if len(kinds) <= MAX_LEVELS else ())
        rows, numbers, start = rows + len(part), numbers + int(numeric.sum()), start + ROWS_AT_ONCE
    if len(words) > MAX_LEVELS or (numbers <= rows / 2 and len(kinds) > MAX_LEVELS):
        raise DataError(
            f"column {name!r} of {source} must be a number or a category, got more than {MAX_LEVELS} different texts "
            f"in the first {min(start, len(series)):,} rows (an identifier?). Drop it."
        )


def _is_text(series: Any) -> bool:
    import pandas as pd

    return series.dtype == object or pd.api.types.is_string_dtype(series.dtype)


def _beyond_64_bits(series: Any) -> Any:
    """Whole numbers that no integer of 64 bits holds come as objects or text; as floats where all are numbers."""
    import pandas as pd

    if not _is_text(series):
        return series
    numbers = pd.to_numeric(series.astype("string"), errors="coerce")
    return numbers.astype(float) if series.notna().any() and numbers.notna().equals(series.notna()) else series


def _check_text(series: Any, name: str, source: str) -> None:
    """Text is a category, unless most of the column are numbers or all of it is different."""
    import pandas as pd

    present = series.dropna().astype("string")
    numeric = pd.to_numeric(present, errors="coerce").notna()
    if len(present) and numeric.mean() > 0.5:
        row = int(np.flatnonzero(~numeric.to_numpy())[0])
        where = int(np.flatnonzero(series.notna().to_numpy())[row]) + 1
        raise DataError(
            f"column {name!r} of {source} must hold numbers, got {present.iloc[row]!r} in row {where}. "
            "Mend it, or leave the cell empty and handle missing values."
        )
    if len(present) > 20 and present.nunique() > len(present) / 2:
        raise DataError(
            f"column {name!r} of {source} must be a number or a category, got {present.nunique():,} different texts in "
            f"{len(present):,} rows (an identifier?). Drop it."
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
