"""Columns of a DataFrame as numbers or categories: one rule for the whole program, and what it decided.

    text, truth values, two whole numbers       discrete; so are digits with leading zeros, such as 01067
    whole numbers, 3 to 10 different            ordered; discrete where another column shows that it has no
                                                order (order.py); with more of them, as any other number, continuous
    ordered categoricals of pandas              ordered
    dates and times                             left out, by name; whole numbers such as 20220716 or seconds since 1970
                                                are some in a column called date, time, ...
    identifiers                                 left out, by name: texts of which over half (or over 256) differ; row
                                                names; whole numbers that all differ, in a column called id, rising
                                                from row to row, or with no two alike where chance would have some
    units that repeat, such as people           left out, by name: over 10 values, two rows each or more, in a column
                                                called id; or each as often, whose rows are alike (repeated_units.py)
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
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from trueness.datasets.order import SHARE, unordered
from trueness.datasets.repeated_units import LEVEL, RepeatedUnits, is_quantity, likeness
from trueness.errors import DataError, SettingError, did_you_mean, listed

if TYPE_CHECKING:
    import pandas

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
_BYTES = "bytes that are no text"
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ]\d{1,2}:\d{2}\S*)?|\d{1,2}:\d{2}(:\d{2}\S*)?"
)
NAMELESS = re.compile(r"Unnamed: \d+(\.\d+)?|__index_level_\d+__")  # as pandas calls columns without a name
_ROW_NAMES = re.compile(rf"{NAMELESS.pattern}|(?i:rownames?_?|row[ _.-]?(names?|id)|seqn)")
_IDENTIFIER = re.compile(r"(.*[ _.-])?(?i:id|uuid|guid|key|index|idx|nr|no|seqn)|.*[a-z](ID|Id)")
_UNIT = re.compile(r"(.*[ _.-])?(?i:id|uuid|guid)|.*[a-z](ID|Id)")  # the name of an identifier whose values may repeat
_WORD = re.compile(r"[a-z]+")
_IN_WORDS = re.compile(r"(?=.*\b(19[5-9]|20\d)\d\b).*[A-Za-z]{3}.*")  # Jul 16, 2022
_CODE = re.compile(r"0\d+")  # 01067: a number would lose what it begins with
_EPOCHS = {10**9: "s", 10**12: "ms", 10**15: "us", 10**18: "ns"}  # since 1970, about today
_TIMES = frozenset("date datum day hour minute month period round time timestamp trial ts visit wave week year".split())
CHANCE = 0.01  # of no two alike among whole numbers of their range, below which they were given out and not measured
EVEN_ROWS = 200  # from which numbers that lie evenly over their range, none of them twice, are told from measured ones


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
    values: NDArray[np.float64]
    levels: tuple[Levels, ...]
    judged: tuple[InferredColumn, ...]
    times: TimeOrder | None
    units: tuple[RepeatedUnits, ...] = ()


def columns_of(
    frame: pandas.DataFrame,
    discrete: Iterable[str] | None,
    source: str,
    kinds: Kinds | None = None,
    strict: bool = True,
) -> Columns:
    """The names, the values (n, d) and the levels of its columns, in order, and what was decided of each."""
    names = tuple(str(name) for name in frame.columns)
    wanted = None if discrete is None else set(discrete)
    chosen = check_kinds(kinds or {}, names, source)
    for name in sorted((wanted or set()) - set(names)):
        raise DataError(f"{name!r} in 'discrete' is not a column of {source}. {did_you_mean(name, names)}".rstrip())
    if wanted is not None:
        chosen = {**{name: "discrete" if name in wanted else "continuous" for name in names}, **chosen}
    read: list[tuple[str, NDArray[np.float64], Levels]] = []
    judged: list[InferredColumn] = []
    guessed: list[str] = []
    times = None
    for j, name in enumerate(names):
        series = _without_blanks(frame.iloc[:, j])
        by_hand = name in (kinds or {}) or (wanted is not None and _is_number(series))
        numbers, levels, why = _column(series, name, source, chosen.get(name) if by_hand else None, strict)
        by_user = name in (kinds or {})
        if numbers is None:
            keep = "" if by_user else _keeps(series)
            judged.append(InferredColumn(name, "left out", 0, int(series.isna().sum()), why, by_user, keep))
            times = _time_order(series, name) if times is None and why.startswith(DATES) else times
            continue
        judged.append(
            InferredColumn(name, kind_of(levels), len(levels or ()), int(np.isnan(numbers).sum()), why, by_user)
        )
        read.append((name, numbers, levels))
        guessed += [name] if isinstance(levels, OrderedLevels) and not by_hand and _is_number(series) else []
    values = np.empty((len(frame), len(read)))
    for j, (_, numbers, _) in enumerate(read):
        values[:, j] = numbers
    why_not = _without_order(read, values, guessed)
    judged = [
        column._replace(kind="discrete", why=why_not[column.name]) if column.name in why_not else column
        for column in judged
    ]
    levels_of = {name: tuple(levels) if levels and name in why_not else levels for name, _, levels in read}
    units = () if strict else _units(frame, judged, dict(zip(levels_of, values.T, strict=True)), levels_of)
    gone = {one.column: len(np.unique(one.of)) for one in units}
    for j, column in enumerate(judged):
        if column.name in gone and column.kind != "left out" and not column.by_user:
            why = f"{gone[column.name]:,} units with {len(frame) / gone[column.name]:.3g} rows each (an identifier?)"
            judged[j] = column._replace(kind="left out", levels=0, why=why, keep=_keeps(frame.iloc[:, j]))
    left_out = {column.name for column in judged if column.kind == "left out"}
    kept = [j for j, (name, _, _) in enumerate(read) if name not in left_out]
    used = tuple(read[j][0] for j in kept)
    return Columns(used, values[:, kept], tuple(levels_of[name] for name in used), tuple(judged), times, units)


def _units(
    frame: pandas.DataFrame,
    judged: Sequence[InferredColumn],
    values: Mapping[str, NDArray[np.float64]],
    levels: Mapping[str, Levels],
) -> tuple[RepeatedUnits, ...]:
    """Columns called id, and the one with the most values of those with each value as often, whose rows are alike."""
    import pandas as pd

    named, even = [], []
    for j, (name, *_, why, _, _) in enumerate(judged):
        series = frame.iloc[:, j]
        if why.startswith(DATES) or series.isna().any() or series.dtype.kind not in "iuO":
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
        others = [(values[name], of) for name, of in levels.items() if name != one.column]
        alike = [x for x, of in others if likeness(x, _unordered(of), one.of)[1] * len(others) < LEVEL]
        numbers = None if is_text(frame.iloc[:, j]) else _numbers(frame.iloc[:, j])
        if alike and (numbers is None or not any(is_quantity(x, numbers) for x in alike)):
            named.append(one)
    return tuple(named)


def _unordered(levels: Levels) -> int:
    return 0 if isinstance(levels, OrderedLevels) else len(levels or ())


def kind_of(levels: Levels) -> ColumnKind:
    return "continuous" if levels is None else "ordered" if isinstance(levels, OrderedLevels) else "discrete"


def _without_order(
    read: Sequence[tuple[str, NDArray[np.float64], Levels]], values: NDArray[np.float64], guessed: Sequence[str]
) -> dict[str, str]:
    """Of columns that look ordered those that are not, each with the reason."""
    if not guessed:
        return {}
    numbers = [j for j, (name, _, levels) in enumerate(read) if levels is None or name in guessed]
    counts = np.array([len(read[j][2] or ()) for j in numbers], dtype=np.int64)
    names = [read[j][0] for j in numbers]
    shown = unordered(values[:, numbers], counts)
    why = {
        names[j]: f"whole numbers, {counts[j]} different, whose order does not go with {names[i]}"
        for j, i in shown.items()
    }
    if len(why) >= max(2, SHARE * len(guessed)):
        for name, count in zip(names, counts, strict=True):
            if count:
                why.setdefault(name, f"whole numbers, {count} different; codes of {len(why)} columns have no order")
    return why


def check_kinds(kinds: Kinds, names: Iterable[str], source: str) -> dict[str, ColumnKind | OrderedLevels]:
    """`kinds` where it names columns and kinds; SettingError where it does not."""
    known, allowed = list(names), (*get_args(ColumnKind), DROP)
    checked: dict[str, ColumnKind | OrderedLevels] = {}
    for name, kind in kinds.items():
        if name not in known:
            raise SettingError(f"{name!r} in 'kinds' is not a column of {source}. {did_you_mean(name, known)}".rstrip())
        if isinstance(kind, list | tuple):
            if len(kind) < 2 or len(set(kind)) < len(kind) or not all(isinstance(level, str) for level in kind):
                raise SettingError(
                    f"the levels of {name!r} must be different words, the lowest first, got {kind!r:.40}."
                )
        elif kind not in allowed:
            hint = did_you_mean(kind, allowed) if isinstance(kind, str) else ""
            raise SettingError(
                f"the kind of {name!r:.60} must be one of {listed(allowed)}, got {kind!r:.40}. {hint or ORDER_OF_WORDS}"
            )
        else:
            kind = "left out" if kind == DROP else kind
        checked[name] = kind if isinstance(kind, str) else OrderedLevels(kind)  # type: ignore[assignment]
    return checked


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
        raise SettingError(f"'--kinds' must be such as age=ordered,sex=discrete,id=drop, got {kinds!r:.80}.")
    for column in filter(None, map(str.strip, drop.split(",") if drop else ())):
        if chosen.setdefault(column, DROP) not in (DROP, "left out"):
            raise SettingError(
                f"{column!r:.60} must be dropped or kept, got --drop and --kinds {column}={chosen[column]}."
            )
    return chosen


Decision = tuple[NDArray[np.float64] | None, Levels, str]  # None: left out


def _column(
    series: pandas.Series, name: str, source: str, kind: ColumnKind | OrderedLevels | None, strict: bool
) -> Decision:
    import pandas as pd

    if kind == "left out":
        return None, None, "as was said"
    if _has_bytes(series):
        if kind or strict:
            raise DataError(f"column {name!r} of {source} must be a number or a category, got {_BYTES}. Drop it.")
        return None, None, _BYTES
    if kind == "continuous" and not _is_number(series):  # what is no number is a gap, as was said
        texts, series = series, pd.to_numeric(series.astype("string").str.strip(), errors="coerce").astype("float64")
        if texts.notna().any() and series.isna().all():
            got = f"none ({listed(texts.dropna().astype(str).unique()[:3])})"
            raise DataError(f"column {name!r} of {source} must hold numbers to be continuous, got {got}.")
    if isinstance(kind, OrderedLevels):
        return _codes(series, kind, name, source)
    if isinstance(series.dtype, pd.CategoricalDtype) and series.dtype.ordered and kind in (None, "ordered"):
        present = set(series.dropna().unique())
        words = [str(level) for level in series.dtype.categories if level in present]
        if len(words) > 2 or kind:
            return _codes(series, OrderedLevels(words), name, source, "a category with an order")
    coded = kind in (None, "discrete") and is_code(series)
    written, series = series, series if coded else _beyond_64_bits(series)
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
    levels = tuple(sorted(series.astype("string").str.strip().dropna().unique()))
    if kind == "ordered":
        raise DataError(
            f"column {name!r} of {source} must hold numbers to be ordered, got words ({listed(levels, 3)}). "
            f"Say their order in the plan, the lowest first: kinds = {{{name:.50} = {json.dumps(levels[:3])}}}."
        )
    return _codes(series, levels, name, source, by_hand or ("codes with leading zeros" if coded else "words"))


def _codes(
    series: pandas.Series, levels: tuple[str, ...], name: str, source: str, why: str = "as was said"
) -> Decision:
    words = series.astype("string").str.strip()
    strange = sorted(set(words.dropna().unique()) - set(levels))
    if strange:
        raise DataError(
            f"column {name!r} of {source} must hold the levels that 'kinds' says ({listed(levels, 3)}), got "
            f"{listed(strange, 3)}. Add them in their place."
        )
    return _numbers(words.map({word: code for code, word in enumerate(levels)}).astype("float64")), levels, why


def _numeric(series: pandas.Series, kind: ColumnKind | None, by_hand: str) -> Decision:
    numbers = _numbers(series)
    seen = np.unique(numbers[np.isfinite(numbers)])
    whole = bool((seen == np.round(seen)).all())
    if kind is None and 0 < len(seen) <= MOST_LEVELS and whole:
        kind = "ordered" if len(seen) > 2 else "discrete"
    if kind in (None, "continuous"):
        return numbers, None, by_hand or (f"whole numbers, {len(seen):,} different" if whole else "numbers")
    codes = np.searchsorted(seen, numbers).astype(float)
    codes[~np.isfinite(numbers)] = np.nan
    levels = tuple(f"{value:g}" for value in seen)
    why = by_hand or f"whole numbers, {len(seen)} different"
    return codes, OrderedLevels(levels) if kind == "ordered" else levels, why


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
        return DATES
    if NAMELESS.fullmatch(name) and not strict:
        return "row names without a name of their own (an identifier?)"
    if _is_number(series):
        if how := _time_format(series, name):
            return f"{DATES} ({series.dropna().iloc[0]:.0f}, {how})"
        return "" if strict else _numbered(series, name)
    if isinstance(series.dtype, pd.CategoricalDtype):
        return _too_different(series.nunique(), series.count(), name, strict)
    if len(series) > ROWS_AT_ONCE and (why := _too_many_texts(series)):
        return why
    present = series.dropna().astype("string").str.strip()
    if not len(present) or not is_text(series):
        return ""
    if all(_DATE.fullmatch(text) for text in present.unique()) or (
        _IN_WORDS.fullmatch(present.iloc[0]) and _times(series).dt.year.between(1950, 2100).equals(series.notna())
    ):
        return f"{DATES} ({present.iloc[0]:.30})"
    numeric = pd.to_numeric(present, errors="coerce").notna()
    if numeric.mean() > 0.5 and not is_code(series):
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


def _time_order(series: pandas.Series, name: str) -> TimeOrder | None:
    """None where most cells cannot be read as a time; those that cannot come last."""
    if is_text(series):
        series = _times(series)
    if series.notna().mean() <= 0.5:
        return None
    return TimeOrder(name, np.asarray(series.reset_index(drop=True).sort_values(kind="stable").index, dtype=np.intp))


def _times(series: pandas.Series) -> pandas.Series:
    """Texts as times; NaT where one is none."""
    import pandas as pd

    words = series.astype("string").str.strip()
    first = pd.to_numeric(words.str.extract(r"^(\d{1,2})[-/.]", expand=False))
    day_first = bool((first > 12).any() or words.str.contains(r"^\d{1,2}\.", regex=True).any())
    return pd.to_datetime(words, errors="coerce", format="mixed", dayfirst=day_first, utc=True)


def _time_format(series: pandas.Series, name: str) -> str:
    """How whole numbers in a column called date or time tell it, or ''; all must lie in 1950 to 2100."""
    import pandas as pd

    numbers = _numbers(series.dropna())
    words = set(_WORD.findall(name.lower())) & (_TIMES | {"created", "epoch", "updated", "unix"})
    if not words or not len(numbers) or not (numbers == np.round(numbers)).all() or numbers.min() < 1e7:
        return ""
    if numbers.max() < 21010000:
        days = pd.to_datetime(pd.Series(numbers).map("{:.0f}".format), format="%Y%m%d", errors="coerce")
        return "year, month, day" if days.dt.year.between(1950, 2100).all() else ""
    for size, unit in _EPOCHS.items():
        if size / 10 <= numbers.min() and numbers.max() < 4.1 * size:  # 1973 to 2100
            return f"{unit} since 1970"
    return ""


def _merged_numbers(written: pandas.Series, series: pandas.Series) -> str:
    """That whole numbers are one beyond 2^53, where no float of 64 bits tells neighbours apart; or ''."""
    import pandas as pd

    whole = pd.api.types.is_integer_dtype(written.dtype) or (is_text(written) and _is_number(series))
    if not whole or not len(series) or not (series.max() > 2**53 or series.min() < -(2**53)):
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


def is_code(series: pandas.Series) -> bool:
    """Whether a column of texts holds digits alone, some of them with a leading zero."""
    if not is_text(series):
        return False
    words = series.dropna().astype("string").str.strip()
    return bool(words.str.match(_CODE).any() and words.str.fullmatch(r"\d+").all())


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
