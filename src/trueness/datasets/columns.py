"""Columns of a DataFrame as numbers or categories, and what is wrong with those that are neither.

A column is discrete when it holds text or truth values, or whole numbers with at most 10 different values;
`discrete=[...]` overrules that. A column that is mostly numbers with some text in it is an error, not a category.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trueness.errors import DataError, did_you_mean

if TYPE_CHECKING:
    import pandas

Levels = tuple[str, ...] | None
MAX_LEVELS = 256  # of a category: three of them have a table of 17 million cells, which is as much as anyone counts
MOST_LEVELS = 10  # a column of whole numbers with at most this many values is taken as discrete unless told otherwise
ROWS_AT_ONCE = 100_000  # of a long column of texts, before it is known to be numbers or a category


def columns_of(
    frame: pandas.DataFrame, discrete: Iterable[str] | None, source: str
) -> tuple[tuple[str, ...], NDArray[np.float64], tuple[Levels, ...]]:
    """The names, the values (n, d) and the levels of its columns."""
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
    return names, values, tuple(levels)


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
