"""Microdata: rows of a survey, read one set of columns at a time (surveys.py opens them).

Only the columns that a question names are read: three columns of an ACS file of 3 million rows are 70 MB, all of them
7 GB.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from trueness.datasets.frames import MAX_CELLS
from trueness.errors import MAX_COMPARED, MAX_KNOWN, DataError, listed
from trueness.outside import MAX_TABLE, NOT_READ, one_line

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 16 * MAX_TABLE  # of a survey file, of which a few columns are read
MAX_COLUMNS = 50_000  # of a survey file


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
