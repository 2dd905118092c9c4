"""Columns of a DataFrame as numbers or categories: one rule for the whole program, and what it decided.

    text, truth values, two whole numbers       discrete; so are digits with leading zeros, such as 01067
    whole numbers, 3 to 10 different            ordered; discrete where another column shows that it has no
                                                order (order.py); with more of them, as any other number, continuous
    ordered categoricals of pandas              ordered
    dates and times                             left out, by name; whole numbers such as 20220716 or seconds since 1970
                                                are some in a column called date, time, ...
    identifiers                                 left out, by name: texts of which over half (or over 256) differ; row
                                                names; whole numbers that all differ, in a column called id, rising
                                                from row to row, or with no two alike where chance would have some;
                                                whole numbers beyond 2^53, of which no float tells neighbours apart
    units that repeat, such as people           left out, by name: over 10 values, two rows each or more, in a column
                                                called id; or each as often, whose rows are alike (order.py)
    bytes that are no text                      left out, by name
    an empty text                               a gap, in every format
    numbers with some text among them           an error; `kinds` says whether such cells are gaps or levels

kinds={"age": "continuous"} overrules it, with `discrete`, `ordered`, `continuous` or `left out` (`drop`); a list of
levels, the lowest first, says the order of words. discrete=[...] is the short form for a table whose other numbers are
all continuous. Who asks for strict columns gets an error in place of "left out".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.order import LEVEL, SHARE, RepeatedUnits, is_quantity, likeness, unordered
from trueness.errors import DataError, SettingError, did_you_mean, listed

if TYPE_CHECKING:
    import pandas

Array = NDArray[np.float64]
Levels = tuple[str, ...] | None
ColumnKind = Literal["continuous", "discrete", "ordered", "left out"]
Kinds = Mapping[str, str | Sequence[str]]  # kinds, or DROP; a list: the levels of an ordered column, the lowest first
DROP = "drop"  # another word for "left out"
ORDER_OF_WORDS = "Of ordered words it is the list of them, the lowest first."
MAX_LEVELS = 256  # of a category: three of them have a table of 17 million cells, which is as much as anyone counts
MOST_LEVELS = 10  # a column of whole numbers with at most this many values has levels unless told otherwise
ROWS_AT_ONCE = 100_000  # of a long column of texts, before it is known to be numbers or a category
DATES = "dates or times"  # why such a column is left out
FEW_ROWS = 20  # up to which different texts, or numbers that count up, are no sign of an identifier
CHANCE = 0.01  # of no two alike among whole numbers of their range, below which they were given out and not measured
EVEN_ROWS = 200  # from which numbers that lie evenly over their range, none of them twice, are told from measured ones
_SAID = "as was said"
_ROWS_IN_CACHE = 4096
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ]\d{1,2}:\d{2}\S*)?|\d{1,2}:\d{2}(:\d{2}\S*)?"
)
NAMELESS = re.compile(r"Unnamed: \d+(\.\d+)?|__index_level_\d+__")  # as pandas calls columns without a name
_ROW_NAMES = re.compile(rf"{NAMELESS.pattern}|(?i:rownames?_?|row[ _.-]?(names?|id)|seqn)")
_UNIT = re.compile(r"(.*[ _.-])?(?i:id|uuid|guid)|.*[a-z](ID|Id)")  # the name of an identifier whose values may repeat
_IDENTIFIER = re.compile(rf"{_ROW_NAMES.pattern}|{_UNIT.pattern}|(.*[ _.-])?(?i:key|index|idx|nr|no|seqn)")
_WORD = re.compile(r"[a-z]+")
_IN_WORDS = re.compile(r"(?=.*\b(19[5-9]|20\d)\d\b).*[A-Za-z]{3}.*")  # Jul 16, 2022
_EPOCHS = {10**9: "s", 10**12: "ms", 10**15: "us", 10**18: "ns"}  # since 1970, about today
_TIMES = frozenset("date datum day hour minute month period round time timestamp trial ts visit wave week year".split())


class OrderedLevels(tuple[str, ...]):
    """Levels that rise with their codes: low, middle, high."""

    __slots__ = ()


class InferredColumn(NamedTuple):
    """What a column was taken as, and why."""

    name: str
    kind: ColumnKind
    levels: int
    missing: int
    why: str
    by_user: bool = False  # else guessed
    keep: str = ""  # the kind that keeps what was left out as an identifier


class TimeOrder(NamedTuple):
    """A column of dates or times, and the rows in its order."""

    column: str
    rows: NDArray[np.intp]


class Columns(NamedTuple):
    """The columns that are used, and what became of all of them."""

    names: tuple[str, ...]
    values: Array
    levels: tuple[Levels, ...]
    judged: tuple[InferredColumn, ...]
    times: TimeOrder | None
    units: tuple[RepeatedUnits, ...] = ()


class _LeftOut(Exception):
    """Why a column is neither a number nor a category."""


@dataclass
class _Column:
    """A column while it is judged; values are None where it is left out."""

    name: str
    series: pandas.Series
    by_user: bool
    values: Array | None = None
    levels: Levels = None
    why: str = ""
    guessed: bool = False  # as ordered, by its whole numbers

    @property
    def judged(self) -> InferredColumn:
        missing = int((self.series.isna() if self.values is None else np.isnan(self.values)).sum())
        kind: ColumnKind = "left out" if self.values is None else kind_of(self.levels)
        keep = "" if self.values is not None or self.by_user else _kind_that_keeps(self.series)
        return InferredColumn(self.name, kind, len(self.levels or ()), missing, self.why, self.by_user, keep)


def columns_of(
    frame: pandas.DataFrame, discrete: Iterable[str] | None, source: str, kinds: Kinds | None = None,
    strict: bool = True,
) -> Columns:  # fmt: skip
    """The names, the values (n, d) and the levels of its columns, in order, and what was decided of each."""
    names = tuple(str(name) for name in frame.columns)
    wanted = None if discrete is None else set(discrete)
    chosen = check_kinds(kinds or {}, names, source)
    for name in sorted((wanted or set()) - set(names)):
        raise DataError(f"{name!r} in 'discrete' is not a column of {source}. {did_you_mean(name, names)}".rstrip())
    columns, times = [], None
    for j, name in enumerate(names):
        series, kind = _without_blanks(frame.iloc[:, j]), chosen.get(name)
        if kind is None and wanted is not None and _is_number(series):
            kind = "discrete" if name in wanted else "continuous"
        column = _Column(name, series, name in (kinds or {}))
        try:
            column.values, column.levels, column.why = _decide(series, name, source, kind, strict)
            column.guessed = kind is None and isinstance(column.levels, OrderedLevels) and _is_number(series)
        except _LeftOut as left_out:
            column.why = str(left_out)
            if strict and kind != "left out":
                raise DataError(
                    f"column {name!r} of {source} must be a number or a category, got {column.why}. Drop it."
                ) from None
            times = times or (_time_order(series, name) if column.why.startswith(DATES) else None)
        columns.append(column)
    _take_order_away([column for column in columns if column.values is not None])
    units = () if strict else _units(frame, columns)
    for unit in units:
        column, count = columns[names.index(unit.column)], len(np.unique(unit.of))
        if column.values is not None and not column.by_user:
            column.values, column.levels = None, None
            column.why = f"{count:,} units with {len(frame) / count:.3g} rows each (an identifier?)"
    used = [column for column in columns if column.values is not None]
    values = np.empty((len(frame), len(used)))
    for start in range(0, len(frame), _ROWS_IN_CACHE):
        rows = slice(start, start + _ROWS_IN_CACHE)
        for j, column in enumerate(used):
            values[rows, j] = column.values[rows]  # type: ignore[index]
    values.setflags(write=False)
    judged = tuple(column.judged for column in columns)
    return Columns(tuple(c.name for c in used), values, tuple(c.levels for c in used), judged, times, units)


def _units(frame: pandas.DataFrame, columns: Sequence[_Column]) -> tuple[RepeatedUnits, ...]:
    """Columns called id, and the one with the most values of those with each value as often, whose rows are alike."""
    import pandas as pd

    named, even = [], []
    for j, column in enumerate(columns):
        series, name = frame.iloc[:, j], column.name
        if column.why.startswith(DATES) or series.dtype.kind not in "iuO" or series.isna().any():
            continue
        if series.dtype.kind == "O" and pd.api.types.infer_dtype(series) != "string":
            continue
        of = np.asarray(pd.factorize(series)[0], dtype=np.intp)
        sizes = np.bincount(of) if len(of) else of
        if not MOST_LEVELS < len(sizes) <= len(of) / 2:
            continue
        if _UNIT.fullmatch(name):
            named.append(RepeatedUnits(name, of))
        elif (sizes == sizes[0]).all() and not set(_WORD.findall(name.lower())) & _TIMES:
            even.append((len(sizes), j, RepeatedUnits(name, of)))
    for _, j, one in sorted(even, reverse=True)[:1]:
        others = [(c.values, _unordered(c.levels)) for c in columns if c.values is not None and c.name != one.column]
        alike = [values for values, k in others if likeness(values, k, one.of)[1] * len(others) < LEVEL]
        numbers = None if is_text(frame.iloc[:, j]) else _numbers(frame.iloc[:, j])
        if alike and (numbers is None or not any(is_quantity(values, numbers) for values in alike)):
            named.append(one)
    return tuple(named)


def _unordered(levels: Levels) -> int:
    return 0 if isinstance(levels, OrderedLevels) else len(levels or ())


def kind_of(levels: Levels) -> ColumnKind:
    return "continuous" if levels is None else "ordered" if isinstance(levels, OrderedLevels) else "discrete"


def _take_order_away(columns: Sequence[_Column]) -> None:
    """Of columns that look ordered those that are not become categories."""
    if not any(column.guessed for column in columns):
        return
    numbers = [column for column in columns if column.levels is None or column.guessed]
    counts = np.array([len(column.levels or ()) for column in numbers], dtype=np.int64)
    shown = unordered([column.values for column in numbers if column.values is not None], counts)
    why = {j: f", whose order does not go with {numbers[i].name}" for j, i in shown.items()}
    if len(why) >= max(2, SHARE * sum(column.guessed for column in columns)):
        for j in np.flatnonzero(counts):
            why.setdefault(int(j), f"; codes of {len(shown)} columns have no order")
    for j, reason in why.items():
        numbers[j].levels = tuple(numbers[j].levels or ())
        numbers[j].why = f"whole numbers, {counts[j]} different{reason}"


# ---- what users say


def check_kinds(kinds: Kinds, names: Sequence[str], source: str) -> dict[str, ColumnKind | OrderedLevels]:
    """`kinds` where it names columns and kinds; SettingError where it does not."""
    allowed = (*get_args(ColumnKind), DROP)
    checked: dict[str, ColumnKind | OrderedLevels] = {}
    for name, kind in kinds.items():
        if name not in names:
            raise SettingError(f"{name!r} in 'kinds' is not a column of {source}. {did_you_mean(name, names)}".rstrip())
        if isinstance(kind, list | tuple):
            if len(kind) < 2 or len(set(kind)) < len(kind) or not all(isinstance(level, str) for level in kind):
                raise SettingError(
                    f"the levels of {name!r} must be different words, the lowest first, got {kind!r:.40}."
                )
            checked[name] = OrderedLevels(kind)
        elif kind not in allowed:
            hint = did_you_mean(kind, allowed) if isinstance(kind, str) else ""
            raise SettingError(
                f"the kind of {name!r:.60} must be one of {listed(allowed)}, got {kind!r:.40}. {hint or ORDER_OF_WORDS}"
            )
        else:
            checked[name] = "left out" if kind == DROP else kind  # type: ignore[assignment]
    return checked


def kinds_of(kinds: str | None, drop: str | None) -> dict[str, str]:
    """Of the options --kinds "a=ordered,b=drop" and --drop "a,b"; a comma may also stand in the name of a column."""
    chosen: dict[str, str] = {}
    pairs = re.findall(r"([^=]*)=([^,=]*)(?:,|$)", kinds or "")
    if kinds and (",".join(map("=".join, pairs)) != kinds.rstrip(",") or not all(name.strip() for name, _ in pairs)):
        raise SettingError(f"'--kinds' must be such as age=ordered,sex=discrete,id=drop, got {kinds!r:.80}.")
    for name, kind in ((name.strip(), kind.strip()) for name, kind in pairs):
        if chosen.setdefault(name, kind) != kind:
            raise SettingError(f"'--kinds' must say one kind of {name!r:.60}, got {chosen[name]} and {kind:.40}.")
    for name in filter(None, map(str.strip, (drop or "").split(","))):
        if chosen.setdefault(name, DROP) not in (DROP, "left out"):
            raise SettingError(f"{name!r:.60} must be dropped or kept, got --drop and --kinds {name}={chosen[name]}.")
    return chosen


# ---- what a column is


Decision = tuple[Array, Levels, str]


class _Words:
    """The different texts of a column, without blanks around them; which stands in each row, -1 in a gap."""

    def __init__(self, series: pandas.Series):
        import pandas as pd

        codes, words = pd.factorize(series.astype("string"))
        merged, different = pd.factorize(pd.Series(words, dtype="string").str.strip())
        self.codes = np.append(merged, -1)[codes]
        self.counts = np.bincount(self.codes[self.codes >= 0], minlength=len(different))
        self.words = pd.Series(different, dtype="string")
        self.numbers = _numbers(pd.to_numeric(self.words, errors="coerce").astype("Float64"))
        self.rows = int(self.counts.sum())

    def of_rows(self, values: Array) -> Array:
        """A value of each word as one of each row."""
        return np.asarray(np.append(values, np.nan)[self.codes])

    @property
    def are_dates(self) -> bool:
        if not len(self.words) or all(_DATE.fullmatch(word) for word in self.words):
            return bool(len(self.words))
        in_words = _IN_WORDS.fullmatch(self.words.iloc[0])
        return bool(in_words and _times(self.words).dt.year.between(1950, 2100).all())


def are_codes(words: Iterable[str]) -> bool:
    """Digits alone, some of them with a leading zero: as numbers they would lose what they begin with."""
    words = [word for word in words if word]
    return any(word[0] == "0" < word[1:] for word in words) and all(re.fullmatch(r"\d+", word) for word in words)


def _decide(
    series: pandas.Series, name: str, source: str, kind: ColumnKind | OrderedLevels | None, strict: bool
) -> Decision:
    """What a column is; _LeftOut where it is neither a number nor a category, DataError where it must be mended."""
    import pandas as pd

    if kind == "left out":
        raise _LeftOut(_SAID)
    if _has_bytes(series):
        why = "bytes that are no text"
        if kind is not None:
            raise DataError(f"column {name!r} of {source} must be a number or a category, got {why}. Drop it.")
        raise _LeftOut(why)
    if isinstance(kind, OrderedLevels):
        return _codes(_Words(series), kind, name, source)
    if isinstance(series.dtype, pd.CategoricalDtype) and series.dtype.ordered and kind in (None, "ordered"):
        present = set(series.dropna().unique())
        levels = [str(level) for level in series.dtype.categories if level in present]
        if len(levels) > 2 or kind:
            return _codes(_Words(series), OrderedLevels(levels), name, source, "a category with an order")
    if pd.api.types.is_bool_dtype(series.dtype) and kind != "continuous":
        return _numbers(series.astype("float64")), ("False", "True"), "truth values"
    if _is_number(series):
        return _number(_numbers(series), name, kind, strict, pd.api.types.is_integer_dtype(series.dtype))
    if not kind:
        _check_text(series)
    words = _Words(series)
    if kind == "continuous":  # what is no number is a gap, as was said
        if len(words.words) and np.isnan(words.numbers).all():
            got = f"none ({listed(words.words[:3])})"
            raise DataError(f"column {name!r} of {source} must hold numbers to be continuous, got {got}.")
        return words.of_rows(words.numbers), None, _SAID
    coded = is_text(series) and are_codes(words.words)
    if is_text(series) and len(words.words) and np.isfinite(words.numbers).all():  # beyond 64 bits, say
        if not coded or kind == "ordered":
            return _number(words.of_rows(words.numbers), name, kind, strict, whole=True)
    if not kind:
        _check_category(series, words, name, source, strict, coded)
    levels = sorted(words.words)
    if kind == "ordered":
        raise DataError(
            f"column {name!r} of {source} must hold numbers to be ordered, got words ({listed(levels, 3)}). "
            f"Say their order in the plan, the lowest first: kinds = {{{name:.50} = {json.dumps(levels[:3])}}}."
        )
    why = _SAID if kind else "codes with leading zeros" if coded else "words"
    return _codes(words, tuple(levels), name, source, why)


def _codes(words: _Words, levels: tuple[str, ...], name: str, source: str, why: str = _SAID) -> Decision:
    place = {level: float(code) for code, level in enumerate(levels)}
    strange = sorted(set(words.words) - set(place))
    if strange:
        raise DataError(
            f"column {name!r} of {source} must hold the levels that 'kinds' says ({listed(levels, 3)}), got "
            f"{listed(strange, 3)}. Add them in their place."
        )
    return words.of_rows(np.array([place[word] for word in words.words])), levels, why


def _number(numbers: Array, name: str, kind: ColumnKind | None, strict: bool, whole: bool) -> Decision:
    """Of a column of numbers; whole: they were written as whole numbers."""
    there = numbers[np.isfinite(numbers)]
    are_whole = bool((there[:1000] == np.rint(there[:1000])).all()) and bool((there == np.rint(there)).all())
    if not kind:
        if whole and are_whole and len(there) and np.abs(there).max() >= 2**53:
            raise _LeftOut("whole numbers beyond 2^53, which are not told apart as numbers (an identifier?)")
        if NAMELESS.fullmatch(name) and not strict:
            raise _LeftOut("row names without a name of their own (an identifier?)")
        if are_whole and (how := _time_format(there, name)):
            raise _LeftOut(f"{DATES} ({there[0]:.0f}, {how})")
        if are_whole and len(there) == len(numbers) and not strict:
            _check_identifier(numbers, name)
    seen = np.unique(there) if are_whole or kind in ("discrete", "ordered") else there[:0]
    if kind is None and 0 < len(seen) <= MOST_LEVELS:
        kind = "ordered" if len(seen) > 2 else "discrete"
        why = f"whole numbers, {len(seen)} different"
    else:
        why = _SAID if kind else f"whole numbers, {len(seen):,} different" if are_whole else "numbers"
    if kind in (None, "continuous"):
        return numbers, None, why
    codes = np.searchsorted(seen, numbers).astype(float)
    codes[~np.isfinite(numbers)] = np.nan
    levels = tuple(f"{value:g}" for value in seen)
    return codes, OrderedLevels(levels) if kind == "ordered" else levels, why


def _has_bytes(series: pandas.Series) -> bool:
    import pandas as pd

    values = series.cat.categories if isinstance(series.dtype, pd.CategoricalDtype) else series
    if values.dtype != object or pd.api.types.infer_dtype(values, skipna=True) not in ("bytes", "mixed"):
        return False
    return any(isinstance(value, bytes) for value in values)


def _kind_that_keeps(series: pandas.Series) -> str:
    """The kind that keeps a column that was left out, where one can."""
    if _is_number(series):
        return "continuous"
    return "discrete" if not _has_bytes(series) and series.nunique() <= MAX_LEVELS else ""


def _check_text(series: pandas.Series) -> None:
    """Leave out what is no category as far as that shows before its texts are counted."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(series.dtype) or pd.api.types.is_timedelta64_dtype(series.dtype):
        raise _LeftOut(DATES)
    if len(series) > ROWS_AT_ONCE and is_text(series):  # millions of identifiers take minutes to be told apart
        if np.isnan(_Words(series.iloc[:ROWS_AT_ONCE]).numbers).sum() > MAX_LEVELS:
            raise _LeftOut(
                f"more than {MAX_LEVELS} different texts in the first {ROWS_AT_ONCE:,} rows (an identifier?)"
            )


def _check_category(series: pandas.Series, words: _Words, name: str, source: str, strict: bool, coded: bool) -> None:
    """Leave out texts that are no category; DataError where most of them are numbers and some not."""
    if NAMELESS.fullmatch(name) and not strict:
        raise _LeftOut("row names without a name of their own (an identifier?)")
    if is_text(series) and words.rows:
        if words.are_dates:
            raise _LeftOut(f"{DATES} ({words.words.iloc[0]:.30})")
        texts = np.isnan(words.numbers)
        if words.counts[texts].sum() < words.rows / 2 and not coded:
            row = int(np.flatnonzero(words.of_rows(texts.astype(float)) == 1)[0])
            raise DataError(
                f"column {name!r} of {source} must hold numbers, got {words.words.iloc[words.codes[row]]!r:.60} in row "
                f"{row + 1}. Mend it, leave the cell empty, or say --kinds {name:.50}=continuous: such cells are then "
                "missing."
            )
    different, rows = len(words.words), words.rows
    named = not strict and different == rows > 1 and _IDENTIFIER.fullmatch(name)
    most = different > MAX_LEVELS and (rows > ROWS_AT_ONCE or not strict)
    if named or most or (rows > FEW_ROWS and different > rows / 2):
        raise _LeftOut(f"{different:,} different texts in {rows:,} rows (an identifier?)")


def _time_order(series: pandas.Series, name: str) -> TimeOrder | None:
    """None where most cells cannot be read as a time; those that cannot come last."""
    if is_text(series):
        words = _Words(series)
        series = _times(words.words).reindex(words.codes)  # -1 is none of the words: a gap
    if series.notna().mean() <= 0.5:
        return None
    return TimeOrder(name, np.asarray(series.reset_index(drop=True).sort_values(kind="stable").index, dtype=np.intp))


def _times(words: pandas.Series) -> pandas.Series:
    """Texts as times; NaT where one is none."""
    import pandas as pd

    first = pd.to_numeric(words.str.extract(r"^(\d{1,2})[-/.]", expand=False))
    day_first = bool((first > 12).any() or words.str.contains(r"^\d{1,2}\.", regex=True).any())
    return pd.to_datetime(words, errors="coerce", format="mixed", dayfirst=day_first, utc=True)


def _time_format(numbers: Array, name: str) -> str:
    """How whole numbers in a column called date or time tell it, or ''; all must lie in 1950 to 2100."""
    import pandas as pd

    words = set(_WORD.findall(name.lower())) & (_TIMES | {"created", "epoch", "updated", "unix"})
    if not words or not len(numbers) or numbers.min() < 1e7:
        return ""
    if numbers.max() < 21010000:
        days = pd.to_datetime(pd.Series(numbers).map("{:.0f}".format), format="%Y%m%d", errors="coerce")
        return "year, month, day" if days.dt.year.between(1950, 2100).all() else ""
    for size, unit in _EPOCHS.items():
        if size / 10 <= numbers.min() and numbers.max() < 4.1 * size:  # 1973 to 2100
            return f"{unit} since 1970"
    return ""


def _check_identifier(numbers: Array, name: str) -> None:
    """Leave out whole numbers that all differ where they are an identifier."""
    n, ordered = len(numbers), np.unique(numbers)
    if n < 3 or len(ordered) < n:
        return
    span = ordered[-1] - ordered[0] + 1
    if _ROW_NAMES.fullmatch(name):
        raise _LeftOut("row names (an identifier)")
    if n <= FEW_ROWS:
        return
    if (np.diff(numbers) == 1).all():
        raise _LeftOut(f"numbers of rows, {numbers[0]:g} to {numbers[-1]:g} (an identifier?)")
    if _IDENTIFIER.fullmatch(name):
        raise _LeftOut("different whole numbers throughout (an identifier by its name)")
    if (np.diff(numbers) > 0).all():
        raise _LeftOut("whole numbers that rise from row to row (an identifier or a time?)")
    if np.log1p(-np.arange(n) / span).sum() < np.log(CHANCE):  # as with birthdays; an uneven spread has more alike
        raise _LeftOut(f"{n:,} whole numbers of {span:,.0f}, no two alike (an identifier?)")
    even = np.abs((ordered - ordered[0] + 0.5) / span - (np.arange(n) + 0.5) / n).max()
    if n >= EVEN_ROWS and even < 1.36 / np.sqrt(n):  # Kolmogorov's test of an even spread, at .05
        raise _LeftOut(f"{n:,} whole numbers spread evenly, no two alike (an identifier?)")


def _numbers(series: pandas.Series) -> Array:
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "fiub":
        return np.asarray(series, dtype=np.float64)  # without a copy, where they are such already
    return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def _without_blanks(series: pandas.Series) -> pandas.Series:
    """An empty cell of a CSV file is a gap, so an empty text of parquet, JSON or a DataFrame is one too."""
    return series.mask((series == "").fillna(False)) if is_text(series) else series


def _is_number(series: pandas.Series) -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype)


def is_text(series: pandas.Series) -> bool:
    import pandas as pd

    return series.dtype == object or pd.api.types.is_string_dtype(series.dtype)
