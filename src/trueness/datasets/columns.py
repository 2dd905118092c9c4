"""Columns of a DataFrame as numbers or categories: one rule for the whole program, and what it decided.

    text, truth values                          discrete
    whole numbers, at most 10 different         discrete; with more of them, as any other number, continuous
    dates and times                             left out, by name
    identifiers                                 left out, by name: texts of which over half (or over 256) differ; row
                                                names; whole numbers that all differ, in a column called id, rising
                                                from row to row, or with no two alike where chance would have some
    bytes that are no text                      left out, by name
    an empty text                               a gap, in every format
    numbers with some text among them           an error; `kinds` says whether such cells are gaps or levels

kinds={"age": "continuous"} overrules it, with `discrete`, `continuous` or `left out` (`drop`); discrete=[...] is the
short form for a table whose other numbers are all continuous. Who asks for strict columns gets an error in place of
"left out".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from trueness.errors import DataError, SettingError, did_you_mean, listed

if TYPE_CHECKING:
    import pandas

Levels = tuple[str, ...] | None
ColumnKind = Literal["continuous", "discrete", "left out"]
DROP = "drop"  # another word for "left out"
MAX_LEVELS = 256  # of a category: three of them have a table of 17 million cells, which is as much as anyone counts
MOST_LEVELS = 10  # a column of whole numbers with at most this many values is taken as discrete unless told otherwise
ROWS_AT_ONCE = 100_000  # of a long column of texts, before it is known to be numbers or a category
FEW_ROWS = 20  # up to which different texts, or numbers that count up, are no sign of an identifier
_BYTES = "bytes that are no text"
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ]\d{1,2}:\d{2}\S*)?|\d{1,2}:\d{2}(:\d{2}\S*)?"
)
NAMELESS = re.compile(r"Unnamed: \d+(\.\d+)?|__index_level_\d+__")  # as pandas calls columns without a name
_ROW_NAMES = re.compile(rf"{NAMELESS.pattern}|(?i:rownames?_?|row[ _.-]?(names?|id)|seqn)")
_IDENTIFIER = re.compile(r"(.*[ _.-])?(?i:id|uuid|guid|key|index|idx|nr|no|seqn)|.*[a-z](ID|Id)")
CHANCE = 0.01  # of no two alike among whole numbers of their range, below which they were given out and not measured
EVEN_ROWS = 200  # from which numbers that lie evenly over their range, none of them twice, are told from measured ones


class InferredColumn(NamedTuple):
    """What a column was taken as, and why."""

    name: str
    kind: ColumnKind
    levels: int
    missing: int
    why: str
    by_user: bool = False  # else guessed
    keep: str = ""  # the kind that keeps what was left out as an identifier


class Columns(NamedTuple):
    """The columns that are used, and what became of all of them."""

    names: tuple[str, ...]
    values: NDArray[np.float64]
    levels: tuple[Levels, ...]
    judged: tuple[InferredColumn, ...]


def columns_of(
    frame: pandas.DataFrame,
    discrete: Iterable[str] | None,
    source: str,
    kinds: Mapping[str, str] | None = None,
    strict: bool = True,
) -> Columns:
    """The names, the values (n, d) and the levels of its columns, in order, and what was decided of each."""
    names = tuple(str(name) for name in frame.columns)
    wanted = None if discrete is None else set(discrete)
    chosen = check_kinds(kinds or {}, names, source)
    for name in sorted((wanted or set()) - set(names)):
        raise DataError(f"{name!r} in 'discrete' is not a column of {source}. {did_you_mean(name, names)}".rstrip())
    if wanted is not None:
        chosen = {name: "discrete" if name in wanted else "continuous" for name in names} | chosen
    read, judged = [], []
    for j, name in enumerate(names):
        series = _without_blanks(frame.iloc[:, j])
        by_hand = name in (kinds or {}) or (wanted is not None and _is_number(series))
        numbers, levels, why = _column(series, name, source, chosen.get(name) if by_hand else None, strict)
        by_user = name in (kinds or {})
        if numbers is None:
            keep = "" if by_user else _keeps(series)
            judged.append(InferredColumn(name, "left out", 0, int(series.isna().sum()), why, by_user, keep))
            continue
        kind: ColumnKind = "continuous" if levels is None else "discrete"
        judged.append(InferredColumn(name, kind, len(levels or ()), int(np.isnan(numbers).sum()), why, by_user))
        read.append((name, numbers, levels))
    values = np.empty((len(frame), len(read)))
    for j, (_, numbers, _) in enumerate(read):
        values[:, j] = numbers
    return Columns(tuple(name for name, _, _ in read), values, tuple(levels for _, _, levels in read), tuple(judged))


def check_kinds(kinds: Mapping[str, str], names: Iterable[str], source: str) -> dict[str, ColumnKind]:
    """`kinds` where it names columns and kinds; SettingError where it does not."""
    known, allowed = list(names), (*get_args(ColumnKind), DROP)
    for name, kind in kinds.items():
        if name not in known:
            raise SettingError(f"{name!r} in 'kinds' is not a column of {source}. {did_you_mean(name, known)}".rstrip())
        if kind not in allowed:
            hint = did_you_mean(kind, allowed) if isinstance(kind, str) else ""
            got = f"got {kind!r:.40}. {hint}".rstrip()
            raise SettingError(f"the kind of {name!r:.60} must be one of {listed(allowed)}, {got}")
    return {name: cast("ColumnKind", "left out" if kind == DROP else kind) for name, kind in kinds.items()}


def kinds_of(kinds: str | None, drop: str | None) -> dict[str, str]:
    """Of the options --kinds "a=ordered,b=drop" and --drop "a,b"; a comma may also stand in the name of a column."""
    chosen: dict[str, str] = {}
    before: list[str] = []
    for part in kinds.split(",") if kinds else ():
        name, equals, kind = part.rpartition("=")
        before.append(name if equals else part)
        if equals:
            column = ",".join(before).strip()
            if chosen.setdefault(column, kind.strip()) != kind.strip():
                raise SettingError(
                    f"'--kinds' must say one kind of {column!r:.60}, got {chosen[column]} and {kind:.40}."
                )
            before = []
    if before or "" in chosen:
        raise SettingError(f"'--kinds' must be such as age=continuous,sex=discrete,id=drop, got {kinds!r:.80}.")
    for column in filter(None, map(str.strip, drop.split(",") if drop else ())):
        if chosen.setdefault(column, DROP) not in (DROP, "left out"):
            raise SettingError(
                f"{column!r:.60} must be dropped or kept, got --drop and --kinds {column}={chosen[column]}."
            )
    return chosen


Decision = tuple[NDArray[np.float64] | None, Levels, str]  # None: left out


def _column(series: pandas.Series, name: str, source: str, kind: ColumnKind | None, strict: bool) -> Decision:
    import pandas as pd

    if kind == "left out":
        return None, None, "as was said"
    if _has_bytes(series):
        if kind or strict:
            raise DataError(f"column {name!r} of {source} must be a number or a category, got {_BYTES}. Drop it.")
        return None, None, _BYTES
    if kind == "continuous" and not _is_number(series):  # what is no number is a gap, as was said
        series = pd.to_numeric(series.astype("string").str.strip(), errors="coerce").astype("float64")
    written, series = series, _beyond_64_bits(series)
    why = "" if kind else _merged_numbers(written, series) or _no_column(series, name, source, strict)
    if why and strict:
        raise DataError(f"column {name!r} of {source} must be a number or a category, got {why}. Drop it.")
    if why:
        return None, None, why
    by_hand = "as was said" if kind else ""
    if pd.api.types.is_bool_dtype(series.dtype):
        return _numbers(series.astype("float64")), ("False", "True"), "truth values"
    if _is_number(series):
        return _numeric(series, kind, by_hand)
    words = series.astype("string").str.strip()
    levels = tuple(sorted(words.dropna().unique()))
    codes = words.map({word: code for code, word in enumerate(levels)}).astype("float64")
    return _numbers(codes), levels, by_hand or "words"


def _numeric(series: pandas.Series, kind: ColumnKind | None, by_hand: str) -> Decision:
    numbers = _numbers(series)
    seen = np.unique(numbers[np.isfinite(numbers)])
    whole = bool((seen == np.round(seen)).all())
    if kind is None:
        kind = "discrete" if 0 < len(seen) <= MOST_LEVELS and whole else "continuous"
    if kind == "continuous":
        return numbers, None, by_hand or (f"whole numbers, {len(seen):,} different" if whole else "numbers")
    codes = np.searchsorted(seen, numbers).astype(float)
    codes[~np.isfinite(numbers)] = np.nan
    return codes, tuple(f"{value:g}" for value in seen), by_hand or f"whole numbers, at most {MOST_LEVELS} different"


def _has_bytes(series: pandas.Series) -> bool:
    import pandas as pd

    values = series.cat.categories if isinstance(series.dtype, pd.CategoricalDtype) else series
    if values.dtype != object or pd.api.types.infer_dtype(values, skipna=True) not in ("bytes", "mixed"):
        return False
    return any(isinstance(value, bytes) for value in values)


def _keeps(series: pandas.Series) -> str:
    """The kind that keeps a column that was left out, where one can."""
    if _is_number(series):
        return "continuous"
    return "discrete" if not _has_bytes(series) and series.nunique() <= MAX_LEVELS else ""


def _no_column(series: pandas.Series, name: str, source: str, strict: bool) -> str:
    """Why a column is neither a number nor a category, or ''; DataError where most of it are numbers and some not."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(series.dtype) or pd.api.types.is_timedelta64_dtype(series.dtype):
        return "dates or times"
    if NAMELESS.fullmatch(name) and not strict:
        return "row names without a name of their own (an identifier?)"
    if _is_number(series):
        return "" if strict else _numbered(series, name)
    if isinstance(series.dtype, pd.CategoricalDtype):
        return _too_different(series.nunique(), series.count(), name, strict)
    if len(series) > ROWS_AT_ONCE and (why := _too_many_texts(series)):
        return why
    present = series.dropna().astype("string").str.strip()
    if not len(present) or not is_text(series):
        return ""
    if all(_DATE.fullmatch(text) for text in present.unique()):
        return f"dates or times ({present.iloc[0]:.30})"
    numeric = pd.to_numeric(present, errors="coerce").notna()
    if numeric.mean() > 0.5:
        row = int(np.flatnonzero(~numeric.to_numpy())[0])
        where = int(np.flatnonzero(series.notna().to_numpy())[row]) + 1
        raise DataError(
            f"column {name!r} of {source} must hold numbers, got {present.iloc[row]!r:.60} in row {where}. "
            f"Mend it, leave the cell empty, or say --kinds {name:.50}=continuous: such cells are then missing."
        )
    return _too_different(present.nunique(), len(present), name, strict)


def _too_different(different: int, rows: int, name: str, strict: bool) -> str:
    """Why texts are no category, or ''."""
    named = not strict and different == rows > 1 and (_ROW_NAMES.fullmatch(name) or _IDENTIFIER.fullmatch(name))
    if named or (rows > FEW_ROWS and different > rows / 2) or (not strict and different > MAX_LEVELS):
        return f"{different:,} different texts in {rows:,} rows (an identifier?)"
    return ""


def _merged_numbers(written: pandas.Series, series: pandas.Series) -> str:
    """That whole numbers are one beyond 2^53, where no float of 64 bits tells neighbours apart; or ''."""
    import pandas as pd

    whole = pd.api.types.is_integer_dtype(written.dtype) or (is_text(written) and _is_number(series))
    if not whole or not len(series) or not series.max() - 2**53 > 0 and not series.min() + 2**53 < 0:
        return ""
    words = written.dropna().astype("string").str.strip()
    kinds, left = words.nunique(), len(np.unique(_numbers(series.dropna())))
    if kinds == left or not words.str.fullmatch(r"[+-]?\d+").all():
        return ""
    return f"{kinds:,} different whole numbers beyond 2^53, {left:,} as numbers (take the least of them from all)"


def _numbers(series: pandas.Series) -> NDArray[np.float64]:
    return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def _numbered(series: pandas.Series, name: str) -> str:
    """Why whole numbers that all differ are an identifier, or ''."""
    numbers = _numbers(series)
    n = len(numbers)
    if n < 3 or not np.isfinite(numbers).all() or (numbers != np.round(numbers)).any():
        return ""
    ordered = np.unique(numbers)
    if len(ordered) < n:
        return ""
    if _ROW_NAMES.fullmatch(name):
        return "row names (an identifier)"
    if n <= FEW_ROWS:
        return ""
    if (np.diff(numbers) == 1).all():
        return f"numbers of rows, {numbers[0]:g} to {numbers[-1]:g} (an identifier?)"
    if _IDENTIFIER.fullmatch(name):
        return "different whole numbers throughout (an identifier by its name)"
    if (np.diff(numbers) > 0).all():
        return "whole numbers that rise from row to row (an identifier or a time?)"
    span = ordered[-1] - ordered[0] + 1
    if np.log1p(-np.arange(n) / span).sum() < np.log(CHANCE):  # as with birthdays; an uneven spread has more alike
        return f"{n:,} whole numbers of {span:,.0f}, no two alike (an identifier?)"
    even = np.abs((ordered - ordered[0] + 0.5) / span - (np.arange(n) + 0.5) / n).max()
    if n >= EVEN_ROWS and even < 1.36 / np.sqrt(n):  # Kolmogorov's test of an even spread, at .05
        return f"{n:,} whole numbers spread evenly, no two alike (an identifier?)"
    return ""


def _too_many_texts(series: pandas.Series) -> str:
    """Texts that are neither numbers nor levels of a category are told of as soon as there are too many."""
    import pandas as pd

    words: set[str] = set()  # that are no numbers
    kinds: set[str] = set()
    rows = numbers = start = 0
    while is_text(series) and start < len(series) and len(words) <= MAX_LEVELS:
        part = series.iloc[start : start + ROWS_AT_ONCE].dropna().astype("string")
        numeric = pd.to_numeric(part, errors="coerce").notna()
        words.update(part[~numeric].unique())
        kinds.update(part.unique() if len(kinds) <= MAX_LEVELS else ())
        rows, numbers, start = rows + len(part), numbers + int(numeric.sum()), start + ROWS_AT_ONCE
    if len(words) <= MAX_LEVELS and not (numbers <= rows / 2 and len(kinds) > MAX_LEVELS):
        return ""
    return f"more than {MAX_LEVELS} different texts in the first {min(start, len(series)):,} rows (an identifier?)"


def _without_blanks(series: pandas.Series) -> pandas.Series:
    """An empty cell of a CSV file is a gap, so an empty text of parquet, JSON or a DataFrame is one too."""
    return series.mask((series == "").fillna(False)) if is_text(series) else series


def _is_number(series: pandas.Series) -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype)


def is_text(series: pandas.Series) -> bool:
    import pandas as pd

    return series.dtype == object or pd.api.types.is_string_dtype(series.dtype)


def _beyond_64_bits(series: pandas.Series) -> pandas.Series:
    """Whole numbers that no integer of 64 bits holds come as objects or text; as floats where all are numbers."""
    import pandas as pd

    if not is_text(series):
        return series
    if len(series) > ROWS_AT_ONCE and _too_many_texts(series):
        return series
    numbers = pd.to_numeric(series.astype("string"), errors="coerce")
    return numbers.astype(float) if series.notna().any() and numbers.notna().equals(series.notna()) else series
