"""Files of the large surveys as users download them: "acs:psam_p06.csv", "nhanes:DEMO_J.XPT+BPQ_J.XPT".

    CSV, tab-delimited    read column by column             ACS PUMS, SCF, NSDUH, MEPS
    .XPT, .ssp            SAS transport, version 5          NHANES, BRFSS, MEPS
    .dta                  Stata, with its value labels      GSS, SCF, NSDUH, MEPS
    .ASC, .dat            fixed width, with NAME.layout.csv beside it (name,start,length; start from 1)    BRFSS, MEPS

NHANES spreads a person over files: "A.XPT+B.XPT" joins them on SEQN, the rows being those of the first.
A design tells which columns hold weights, strata and clusters. It is for `trueness new population` to propose and for
people to read: no loader applies a weight that a task does not name.
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
from typing import TYPE_CHECKING, Any

from trueness.datasets.frames import MAX_CELLS
from trueness.errors import MAX_COMPARED, MAX_KNOWN, DataError, listed
from trueness.outside import MAX_PLAN, MAX_TABLE, NOT_READ, is_there, one_line, open_file

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 16 * MAX_TABLE  # of a survey file, of which a few columns are read
MAX_COLUMNS = 50_000  # of a survey file
ROWS_AT_ONCE = 100_000
MAX_LINE = 20_000  # characters of the columns that are asked for; BRFSS has lines of 2,200

_kept = lru_cache(maxsize=8)  # tasks of one file mostly ask for the same columns


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


def check_cells(name: str, rows: int, columns: int) -> None:
    """A survey may be larger than what is read of it at a time."""
    if rows * columns > MAX_CELLS:
        raise DataError(
            f"the columns of {name} that a task names must have at most {MAX_CELLS:,} cells, got {rows:,} rows of "
            f"{columns:,} columns. Keep a part of the rows."
        )


@contextmanager
def data_errors(path: Path, kind: str) -> Iterator[None]:
    """What a library raises for a file that is none of its kind, as one line."""
    try:
        yield
    except (*NOT_READ, struct.error, AssertionError, StopIteration) as error:
        raise DataError(f"{path.name} must be {kind}, got: {one_line(error)}. Get it anew.") from error


@dataclass(frozen=True)
class Survey:
    """Where a survey's design stands in its files."""

    title: str
    url: str
    weight: str
    strata: str = ""
    clusters: str = ""
    replicates: str = ""  # prefix of the replicate weights
    key: str = ""  # joins the files of a person
    note: str = ""


SURVEYS = {
    "acs": Survey(
        "American Community Survey, PUMS", "https://www.census.gov/programs-surveys/acs/microdata.html", "PWGTP",
        replicates="PWGTP", key="SERIALNO", note="80 replicate weights, replicate_scale = 0.05 (4/80)",
    ),
    "nhanes": Survey(
        "National Health and Nutrition Examination Survey", "https://wwwn.cdc.gov/nchs/nhanes", "WTMEC2YR", "SDMVSTRA",
        "SDMVPSU", key="SEQN", note="WTINT2YR for questions of the interview, WTMEC2YR for what was examined",
    ),
    "brfss": Survey(
        "Behavioral Risk Factor Surveillance System", "https://www.cdc.gov/brfss", "_LLCPWT", "_STSTR", "_PSU",
        note="answers 7 and 9 (77, 99) are don't know and refused: leave them out with only = true",
    ),
    "meps": Survey(
        "Medical Expenditure Panel Survey", "https://meps.ahrq.gov", "PERWTxxF (xx: the year)", "VARSTR", "VARPSU",
        key="DUPERSID", note="negative codes are missing (-1 inapplicable, -7 refused, -8 don't know)",
    ),
    "nsduh": Survey(
        "National Survey on Drug Use and Health", "https://www.samhsa.gov/data/data-we-collect/nsduh", "ANALWT_C",
        "VESTR", "VEREP", note="ANALWT2_C in files since 2021",
    ),
    "scf": Survey(
        "Survey of Consumer Finances", "https://www.federalreserve.gov/econres/scfindex.htm", "WGT", clusters="YY1",
        note="five implicates a household: clusters = \"YY1\" keeps them together, else n is five times too large",
    ),
    "gss": Survey(
        "General Social Survey", "https://gss.norc.org", "WTSSNRPS", "VSTRAT", "VPSU",
        note="WTSSALL in releases before 2021",
    ),
}  # fmt: skip


def open_survey_file(survey: str, path: Path) -> Microdata:
    """A downloaded file of a survey, or several joined with +; columns keep their names and codes."""
    parts = [path.parent / part for part in path.name.split("+")]
    opened = [_open(part) for part in parts]
    if len(opened) == 1:
        return opened[0]
    key = SURVEYS[survey].key
    if not key:
        raise DataError(f"files of {survey} must be given one at a time, got {listed(p.name for p in parts)}.")
    for part in opened:
        part.check_column(key, f"the key that joins files of {survey}")
    return _join(opened, key)


def _open(path: Path) -> Microdata:
    if not is_there(path):
        raise DataError(f"survey file {path} must be there, got none. Download and unpack it first.")
    suffix = path.suffix.lower().strip()
    if suffix in (".xpt", ".ssp"):
        return _xport(path)
    if suffix == ".dta":
        return _stata(path)
    if suffix in (".asc", ".dat"):
        return _fixed_width(path)
    if suffix in (".csv", ".tab", ".tsv", ".txt", ".gz"):
        return _text(path)
    raise DataError(f"survey file {path.name} must be .csv, .tab, .XPT, .ssp, .dta, .ASC or .dat, got {suffix!r}.")


def _xport(path: Path) -> Microdata:
    import pandas as pd

    kind = "a SAS transport file (version 5)"
    with data_errors(path, kind), pd.read_sas(path, format="xport", iterator=True, encoding="latin-1") as reader:
        columns: tuple[str, ...] = tuple(str(column) for column in reader.columns)  # type: ignore[attr-defined]

    def fetch(wanted: tuple[str, ...]) -> pd.DataFrame:
        options: Any = {"format": "xport", "chunksize": ROWS_AT_ONCE, "encoding": "latin-1"}
        with data_errors(path, kind), pd.read_sas(path, **options) as reader:
            frame: pd.DataFrame = pd.concat([chunk[list(wanted)] for chunk in reader], ignore_index=True)
        numbers = frame.select_dtypes("number")
        # pandas reads the zero of IBM's format as 5.4e-79
        frame[numbers.columns] = numbers.mask(numbers.abs() < 1e-70, 0.0)
        return frame

    return Microdata(path.name, columns, _kept(fetch))


def _stata(path: Path) -> Microdata:
    import pandas as pd

    with data_errors(path, "a Stata file"), pd.io.stata.StataReader(path) as reader:
        columns = tuple(reader.variable_labels())
        kinds = reader._typlist  # type: ignore[attr-defined]
        endless = {name for name, kind in zip(columns, kinds, strict=True) if kind == "Q"}  # strL

    def fetch(wanted: tuple[str, ...]) -> pd.DataFrame:
        for name in wanted:
            if name in endless:  # the file holds a text once, a frame for every row
                raise DataError(
                    f"column {name!r} of {path.name} must be text of a fixed length, got strL. "
                    f"In Stata: recast str244 {name}, force"
                )
        with data_errors(path, "a Stata file"):
            try:
                return pd.read_stata(path, columns=list(wanted))
            except ValueError:  # two codes share a label, which pandas does not make a category of
                return pd.read_stata(path, columns=list(wanted), convert_categoricals=False)

    return Microdata(path.name, columns, _kept(fetch))


def _text(path: Path) -> Microdata:
    import pandas as pd

    def read(**options: Any) -> pd.DataFrame:
        with data_errors(path, "a table with a header"), open_file(path, MAX_BYTES) as file:
            frame: pd.DataFrame = pd.read_csv(
                file, sep="\t" if tabbed else ",", low_memory=False, encoding="latin-1", **options
            )
        check_cells(path.name, *frame.shape)
        return frame

    tabbed = path.name.lower().endswith((".tab", ".tsv", ".tab.gz", ".tsv.gz", ".txt"))
    columns = tuple(str(column) for column in read(nrows=0).columns)
    if len(columns) > MAX_COLUMNS:
        raise DataError(f"{path.name} must have at most {MAX_COLUMNS:,} columns, got {len(columns):,}. Keep a part.")

    def fetch(wanted: tuple[str, ...]) -> pd.DataFrame:
        return read(usecols=list(wanted), nrows=MAX_CELLS // len(wanted) + 1)[list(wanted)]

    return Microdata(path.name, columns, _kept(fetch))


def _fixed_width(path: Path) -> Microdata:
    import pandas as pd

    layout = path.with_name(path.stem + ".layout.csv")
    if not is_there(layout):
        raise DataError(
            f"fixed-width file {path.name} must have its columns in {layout.name} (name,start,length; start from 1), "
            "got none. The survey's codebook lists them."
        )
    with data_errors(layout, "a table of columns"), open_file(layout, MAX_PLAN) as file:
        table = pd.read_csv(file)
    if not {"name", "start", "length"} <= set(table.columns):
        raise DataError(f"{layout.name} must have the columns name, start and length, got {listed(table.columns)}.")
    with data_errors(layout, "a table of columns with whole numbers for start and length"):
        spans = {
            str(name): (int(start) - 1, int(start) - 1 + int(length))
            for name, start, length in table[["name", "start", "length"]].itertuples(index=False)
        }

    def fetch(wanted: tuple[str, ...]) -> pd.DataFrame:
        order = sorted(wanted, key=lambda name: spans[name])
        wide = sum(max(0, end - start) for start, end in (spans[name] for name in order))
        if wide > MAX_LINE:  # columns may overlap: a line could be in each of them
            got = f"at most {MAX_LINE:,} characters a row, got {wide:,}. Ask for fewer"
            raise DataError(f"the columns that are asked of {path.name} must have {got}.")
        with data_errors(path, "a fixed-width file"), open_file(path, MAX_BYTES) as file:
            frame: pd.DataFrame = pd.read_fwf(
                file, colspecs=[spans[name] for name in order], names=order, encoding="latin-1",
                nrows=MAX_CELLS // len(order) + 1,
            )  # fmt: skip
        check_cells(path.name, *frame.shape)
        return frame[list(wanted)]

    return Microdata(path.name, tuple(spans), _kept(fetch))


def _join(parts: Sequence[Microdata], key: str) -> Microdata:
    owner: dict[str, Microdata] = {}
    for part in parts:
        for column in part.columns:
            owner.setdefault(column, part)

    def fetch(wanted: tuple[str, ...]) -> pd.DataFrame:
        frame = parts[0].read([key])
        for part in parts:
            columns = [column for column in wanted if owner[column] is part and column != key]
            if not columns:
                continue
            other = part.read([key, *columns])
            if other[key].duplicated().any():
                raise DataError(
                    f"{part.name} must have one row for each {key} to be joined, got several. Merge it first."
                )
            frame = frame.merge(other, on=key, how="left")
        return frame[list(wanted)]

    return Microdata("+".join(part.name for part in parts), tuple(owner), fetch)
