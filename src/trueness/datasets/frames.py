"""Files of rows to a Table (columns.py: which columns are categories)."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueness.datasets.columns import Kinds
from trueness.datasets.experiments import TargetSetting
from trueness.datasets.table import Table
from trueness.errors import DataError, did_you_mean, listed
from trueness.graphs.links import MAX_NODES
from trueness.outside import (
    MAX_TABLE,
    MEGABYTE,
    MISSING,
    NOT_READ,
    is_there,
    json_records,
    one_line,
    open_file,
    size,
)
from trueness.parquet import parquet_columns, read_parquet

if TYPE_CHECKING:
    import pandas

MAX_CELLS = 200_000_000  # of a table: 1.6 GB of numbers
MAX_COLUMNS = MAX_NODES  # each column is a node of a graph
MAX_HEADER = 16 * MEGABYTE


def read_rows(
    path: Path | str,
    discrete: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    kinds: Kinds | None = None,
    strict: bool = True,
    targets: TargetSetting | None = None,
) -> Table:
    """CSV, TSV (also .gz), parquet or JSON lines; `drop` names columns to leave out, such as a time stamp."""
    path = Path(path)
    if not is_there(path):
        raise DataError(f"{path} is not there. Give the path of a CSV, TSV, parquet or JSONL file.")
    dropped = list(drop)
    if path.suffix == ".parquet":
        kept = _without_dropped(parquet_columns(path, MAX_COLUMNS), dropped, path)
        frame = read_parquet(path, MAX_CELLS, kept)
    elif path.suffix == ".jsonl":
        frame = _records(path)
        frame = frame[_without_dropped(frame.columns, dropped, path)]
    else:
        frame = _read_delimited(path)
        frame = frame[_without_dropped(frame.columns, dropped, path)]
    return Table.of(frame, discrete, path.name, kinds, strict, targets)


def _records(path: Path) -> pandas.DataFrame:
    """One flat JSON object a line; a key that a line does not have is a gap."""
    import pandas as pd

    records: list[dict[str, Any]] = json_records(path)
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names or len(names) > MAX_COLUMNS or len(names) * len(records) > MAX_CELLS:
        got = f"{len(records):,} rows of {len(names):,} keys"
        raise DataError(f"{path.name} must have 1 to {MAX_COLUMNS:,} keys and at most {MAX_CELLS:,} cells, got {got}.")
    for number, record in enumerate(records, 1):
        nested = next((name for name, value in record.items() if isinstance(value, list | dict)), None)
        if nested is not None:
            raise DataError(f"record {number} of {path.name} must be flat, got a list or an object in {nested!r:.60}.")
    return pd.DataFrame.from_records(records, columns=names)


def _without_dropped(columns: Iterable[str], dropped: list[str], path: Path) -> list[str]:
    names = list(columns)
    for name in dropped:
        if name not in names:
            raise DataError(f"{name!r} to drop is not a column of {path.name}. {did_you_mean(name, names)}".rstrip())
    return [name for name in names if name not in dropped]


def _read_delimited(path: Path) -> pandas.DataFrame:
    import pandas as pd

    separator, columns = check_header(path, MAX_COLUMNS)
    most = MAX_CELLS // columns
    try:
        with open_file(path, MAX_TABLE) as file:
            frame = pd.read_csv(
                file, sep=separator, keep_default_na=False, na_values=MISSING, skipinitialspace=True, nrows=most + 1,
                decimal=decimal_sign(path, separator),
            )  # fmt: skip
    except NOT_READ as error:
        raise DataError(f"{path.name} must be a CSV file with a header, got: {one_line(error)}.") from error
    if len(frame) > most:
        raise DataError(
            f"{path.name} must have at most {MAX_CELLS:,} cells, got more than {most:,} rows of {columns:,} columns. "
            "Keep a part of its rows."
        )
    return frame


def decimal_sign(path: Path, separator: str) -> str:
    """A comma where commas do not part the cells, some stand in numbers and no full stop does."""
    if separator == ",":
        return "."
    with open_file(path, MAX_TABLE) as file:
        cells = re.split(rb"[\r\n" + separator.encode() + rb"]", file.read(MEGABYTE))
    numbers = [cell.strip() for cell in cells]
    has_commas, has_stops = (
        any(re.fullmatch(rb"-?\d+" + sign + rb"\d+", c) for c in numbers) for sign in (b",", rb"\.")
    )
    return "," if has_commas and not has_stops else "."


def check_header(path: Path, most: int) -> tuple[str, int]:
    """The separator and the number of columns, at most `most`.

    pandas would rename repeated names in silence, so they are looked at here.
    """
    try:
        with open_file(path, MAX_TABLE) as file:
            line = file.readline(MAX_HEADER + 1)
        first = re.split("[\r\n]", line.decode("utf-8-sig"), maxsplit=1)[0]
    except (UnicodeDecodeError, OSError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path.name} must be text in UTF-8, got: {one_line(error)}. Save it as UTF-8.") from error
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


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
