"""Files of rows to a Table (columns.py: which columns are categories).

Numbers as people write them: 1,5   1.234,56   1,234.56   1'234.5   1 234,5.

A cell tells of its marks where it can be read in one way alone:

    1.234,56  1,234.56      the last mark is the decimal one, the other stands between thousands
    1,234,567               a mark that comes twice stands between thousands
    1,5  0,123  1234,567    not three digits behind it, or no thousands before it: a decimal mark
    1,234                   either; other cells of the column, then other columns of the file, then the user decide

One sign that all numbers of a column share, as in 45 % or $1,234.50, is no part of them.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from trueness.datasets.columns import DROP, NAMELESS, Kinds, is_code, is_text
from trueness.datasets.experiments import TargetSetting
from trueness.datasets.table import Table
from trueness.errors import DataError, did_you_mean, listed
from trueness.graphs.links import MAX_NODES
from trueness.outside import (
    MAX_TABLE,
    MEGABYTE,
    MISSING,
    NOT_READ,
    encoding_of,
    is_there,
    json_records,
    one_line,
    open_file,
    size,
)
from trueness.packed import flat_columns, parquet_columns, read_parquet

if TYPE_CHECKING:
    import pandas

MAX_CELLS = 200_000_000  # of a table: 1.6 GB of numbers
MAX_COLUMNS = MAX_NODES  # each column is a node of a graph
MAX_HEADER = 16 * MEGABYTE
Decimal = Literal["comma", "point"]
MARKS: dict[Decimal, str] = {"comma": ",", "point": "."}
LOOKED_AT = 10_000  # different texts of a column that tell how its numbers are written; all of them must be so
_GROUPS = ".,'’ \u00a0\u202f"
_WRITTEN = re.compile(rf"[+-]?(\d*)((?:([{_GROUPS}])\d{{3}}(?:\3\d{{3}})*)?)(?:([.,])(\d*))?([eE][+-]?\d+)?")
EITHER = ";\t"  # separators of files whose decimal mark is as often a comma
_SEPARATOR_LINE = re.compile(r'"?sep=(.?)"?')  # the first line of files that are meant for a spreadsheet


def read_rows(
    path: Path | str,
    discrete: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    kinds: Kinds | None = None,
    strict: bool = True,
    targets: TargetSetting | None = None,
    decimal: Decimal | None = None,
) -> Table:
    """CSV, TSV, text (also .gz), parquet or JSON lines; `drop` names columns to leave out, such as a time stamp.

    decimal: what a number such as 1,234 means where the file does not tell."""
    path = Path(path)
    if not is_there(path):
        raise DataError(f"{path} is not there. Give the path of a CSV, TSV, text, parquet or JSONL file.")
    dropped = list(drop)
    unread = {name for name, kind in (kinds or {}).items() if kind in (DROP, "left out")}  # unless it can be shown
    if path.suffix.lower() == ".parquet":
        names = parquet_columns(path, MAX_COLUMNS)
        unread &= set(names) - set(flat_columns(path, names))
        kept = [name for name in _without_dropped(names, dropped, path) if name not in unread]
        frame = read_parquet(path, MAX_CELLS, kept)
        kinds = {name: kind for name, kind in (kinds or {}).items() if name not in unread}
    elif path.suffix.lower() == ".jsonl":
        frame = _records(path, unread | set(dropped))
        frame = frame[_without_dropped(frame.columns, dropped, path)]
    else:
        frame = _read_delimited(path, decimal)
        frame = frame[_without_dropped(frame.columns, dropped, path)]
    return replace(Table.of(frame, discrete, path.name, kinds, strict, targets), notes=frame.attrs.get("notes", ()))


def _records(path: Path, unread: set[str]) -> pandas.DataFrame:
    """One flat JSON object a line, but for what is not read; a key that a line does not have is a gap."""
    import pandas as pd

    records: list[dict[str, Any]] = json_records(path)
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names or len(names) > MAX_COLUMNS or len(names) * len(records) > MAX_CELLS:
        got = f"{len(records):,} rows of {len(names):,} keys"
        raise DataError(f"{path.name} must have 1 to {MAX_COLUMNS:,} keys and at most {MAX_CELLS:,} cells, got {got}.")
    for number, record in enumerate(records, 1):
        lists = (name for name, value in record.items() if isinstance(value, list | dict))
        nested = next((name for name in lists if name not in unread), None)
        if nested is not None:
            raise DataError(f"record {number} of {path.name} must be flat, got a list or an object in {nested!r:.60}.")
    return pd.DataFrame.from_records(records, columns=names)


def _without_dropped(columns: Iterable[str], dropped: list[str], path: Path) -> list[str]:
    names = list(columns)
    for name in dropped:
        if name not in names:
            raise DataError(f"{name!r} to drop is not a column of {path.name}. {did_you_mean(name, names)}".rstrip())
    return [name for name in names if name not in dropped]


def _read_delimited(path: Path, decimal: Decimal | None = None) -> pandas.DataFrame:
    layout = layout_of(path, MAX_COLUMNS, decimal)
    most = MAX_CELLS // layout.columns
    try:
        frame, layout = read_text(path, layout, MAX_TABLE, nrows=most + 1)
    except NOT_READ as error:
        raise DataError(f"{path.name} must be a CSV file with a header, got: {one_line(error)}.") from error
    if len(frame) > most:
        raise DataError(
            f"{path.name} must have at most {MAX_CELLS:,} cells, got more than {most:,} rows of {layout.columns:,} "
            "columns. Keep a part of its rows."
        )
    return with_numbers(_with_names(frame, layout, path), layout, path)


class Layout(NamedTuple):
    """How the text of a table is written. decimal: of numbers that could be read either way, where it was said."""

    separator: str
    columns: int
    above: int  # lines above the names
    encoding: str
    names_rows: bool  # the rows have a cell more than there are names
    decimal: Decimal | None
    has_codes: bool = False  # a cell like 01067 among the first


def layout_of(path: Path, most: int, decimal: Decimal | None = None) -> Layout:
    """The layout of a file with at most `most` columns.

    pandas would rename repeated names in silence, so they are looked at here.
    """
    try:
        encoding, lines = "utf-8", _first_lines(path, "utf-8-sig")
    except UnicodeDecodeError:
        encoding = encoding_of(path)
        lines = _first_lines(path, encoding)
    above, separator = 0, ""
    if line := _SEPARATOR_LINE.fullmatch(lines[0].strip()):
        above, separator = 1, line[1] or "\t"
    first = lines[above] if len(lines) > above else ""
    if len(first) > MAX_HEADER:
        raise DataError(f"the header of {path.name} must have at most {size(MAX_HEADER)}, got more. Is it a table?")
    if not first.strip():
        raise DataError(f"{path.name} must have a header with column names, got an empty file.")
    separator = separator or _separator(lines[above:])
    _check_title(lines[above : above + 20], separator, above, path)
    if first.count(separator) >= most:
        raise DataError(
            f"{path.name} must have at most {most:,} columns, got {first.count(separator) + 1:,}. Keep those you need."
        )
    try:
        header = [name.strip() for name in next(csv.reader([first], delimiter=separator, skipinitialspace=True))]
    except csv.Error as error:
        raise DataError(f"{path.name} must have a header with column names, got: {one_line(error)}.") from error
    twice = sorted(name for name, count in Counter(filter(None, header)).items() if count > 1)
    if twice:
        raise DataError(f"column names of {path.name} must be unique, got {listed(twice)} twice. Rename them.")
    if all(map(_is_number, header)) and not _is_count(header):
        raise DataError(f"{path.name} must have a header with column names, got numbers: {listed(header, 3)}.")
    row = next(_rows(lines[above + 1 : above + 9], separator), [])
    edge = f"[{re.escape(separator)}\n]"
    has_codes = re.search(rf'{edge}"?0\d+"?\s*{edge}', "\n" + "".join(lines[above + 1 :]) + "\n") is not None
    return Layout(separator, len(header), above, encoding, len(row) > len(header), decimal, has_codes)


def _check_title(lines: Sequence[str], separator: str, above: int, path: Path) -> None:
    """Raise where the first line has one cell, and all lines from a later one of words alone are equally wide."""
    if separator != " " and sum(bool(cell.strip()) for cell in next(_rows(lines, separator), [])) > 1:
        return
    for sign in ",;\t":
        rows = list(_rows(lines, sign))
        at = max(range(len(rows)), key=lambda k: len([cell for cell in rows[k] if cell.strip()]), default=0)
        widths = {len(row) for row in rows[at:]}
        if at and len(rows) - at > 2 and max(widths) > (2 if at == 1 else 1) and len(widths) == 1 and all(rows[at]):
            if not any(map(_is_number, rows[at])):
                got = f"a title, and what seems to be the header in line {above + at + 1}"
                raise DataError(f"{path.name} must have its header in line 1, got {got}. Delete what is above it.")


def read_text(path: Path, layout: Layout, most: int, **options: Any) -> tuple[pandas.DataFrame, Layout]:
    """What pandas reads of a file, and the layout with the encoding that it was read by; as pandas names columns."""
    import pandas as pd

    while True:
        try:
            with open_file(path, most) as file:
                frame = pd.read_csv(
                    file, sep=r"\s+" if layout.separator == " " else layout.separator, encoding=layout.encoding,
                    skiprows=layout.above, keep_default_na=False, na_values=MISSING, skipinitialspace=True,
                    **options,
                )  # fmt: skip
            return frame, layout
        except UnicodeDecodeError:
            if layout.encoding != "utf-8":
                raise
            layout = layout._replace(encoding=encoding_of(path, most))


def _first_lines(path: Path, encoding: str) -> list[str]:
    """The first lines, of a megabyte at most, the first of them whole."""
    try:
        with open_file(path, MAX_TABLE) as file, io.TextIOWrapper(file, encoding) as text:
            return [text.readline(MAX_HEADER + 1), *text.readlines(MEGABYTE)]
    except UnicodeDecodeError:
        raise
    except NOT_READ as error:
        raise DataError(f"{path.name} must be text in UTF-8, got: {one_line(error)}. Save it as UTF-8.") from error


def _rows(lines: Sequence[str], separator: str) -> Iterator[list[str]]:
    """The cells of complete lines, as far as they can be told apart."""
    with suppress(csv.Error):
        yield from csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _separator(lines: Sequence[str]) -> str:
    """The sign that parts the header and the rows below it into as many cells, most of them; a blank if no other."""

    def cells(separator: str) -> tuple[bool, int]:
        widths = [len(row) for row in _rows(lines[:21], separator) if row] or [0]
        return len(set(widths[1:])) < 2 and widths[-1] - widths[0] in (0, 1), widths[0]

    ranked = {sign: cells(sign) for sign in ",;\t|" if sign in lines[0]}
    return max(ranked, key=ranked.__getitem__) if ranked else " " if " " in lines[0].strip() else ","


def _is_count(names: Sequence[str]) -> bool:
    """0, 1, 2, as pandas names columns without names, or 1, 2, 3."""
    return [*names] in ([str(k + start) for k in range(len(names))] for start in (0, 1))


def _with_names(frame: pandas.DataFrame, layout: Layout, path: Path) -> pandas.DataFrame:
    """Row names without a name of their own are a column, as R and pandas write them; an empty last column is none."""
    import pandas as pd

    names = [str(name).strip() for name in frame.columns]
    if frame.index.nlevels > 1:
        raise DataError(f"{path.name} must have as many names as cells in a row, got fewer. Name each column.")
    if layout.names_rows:
        frame = frame.reset_index()
        last = frame.iloc[:, -1].isna().all()  # a separator at the end of each row, not of the header
        names = [*names, f"Unnamed: {len(names)}"] if last else [_fresh("rownames", names), *names]
    frame.columns = pd.Index(names)
    nameless = [name for name in names if NAMELESS.fullmatch(name)]
    empty = [name for name in nameless if frame[name].isna().all()]
    wrong = next((name for name in nameless if name not in empty and name != names[0]), None)
    if wrong is not None:
        got = f"column {names.index(wrong) + 1} of {path.name} must have a name"
        raise DataError(f"{got}, got none. Name it, or drop an index.")
    if all(map(_is_number, names)) and all((frame[name] == float(name)).any() for name in names):
        got = f"got {listed(names, 3)}, which may also be a row"
        raise DataError(f"{path.name} must have a header with column names, {got}. Write names above it.")
    return frame.drop(columns=empty)


def _fresh(name: str, names: Sequence[str]) -> str:
    return name if name not in names else _fresh(f"{name}_", names)


def with_numbers(
    frame: pandas.DataFrame, layout: Layout, path: Path, most: int = MAX_TABLE, **options: Any
) -> pandas.DataFrame:
    """Texts that are numbers with a comma, marks of thousands or both, column by column; what was guessed is noted.

    options: those by which pandas read it."""
    written = {str(name): how for name in frame if is_text(frame[name]) and (how := written_as(frame[name]))}
    fractions = [str(name) for name in frame if frame[name].dtype.kind == "f"]  # whole ones with gaps, too
    plain = all(how.is_plain for how in written.values()) and layout.decimal != "comma"
    has_commas = layout.separator in EITHER or not plain
    open_ones = [name for name in fractions if has_commas and _may_be_thousands(frame[name])]
    whole = [str(name) for name in frame if layout.has_codes and frame[name].dtype.kind in "if"]
    if open_ones or whole:  # what was read as 1.234 may be 1234, and 1067 may be 01067
        texts = _with_names(read_text(path, layout, most, **options | {"dtype": str})[0], layout, path)
        odd = {name: how for name in open_ones if (how := written_as(texts[name])) and not how.is_plain}
        codes = [name for name in whole if is_code(texts[name])]
        frame, written = frame.assign(**{name: texts[name] for name in (*odd, *codes)}), written | odd
        fractions = [name for name in fractions if name not in codes]
    sure = {how.mark for how in written.values()} - {""}
    if any((frame[name].dropna() % 1).any() for name in fractions if name not in written):
        sure.add(".")
    read: dict[str, list[str]] = {}
    for name, how in written.items():
        if how.is_plain:
            continue
        if how.either:
            how = how.decided(_decimal_mark(name, how, sure, layout, path))
        frame[name] = numbers_of(frame[name], how)
        for mark, what in (
            (how.decimal == ",", "a decimal comma"),
            (how.group, f"{how.group!r} between thousands"),
            (how.sign, f"{how.sign!r} beside them"),
        ):
            if mark:
                read.setdefault(what, []).append(name)
    notes = [f"numbers with {what} were read in {listed(names)}" for what, names in read.items()]
    if layout.encoding != "utf-8":
        notes.insert(0, f"{path.name} is not UTF-8 and was read as {layout.encoding}")
    if sums := _sums(frame):
        notes.append(f"the last row seems to hold the sums of those above ({listed(sums)}): delete it if so")
    frame.attrs["notes"] = tuple(notes)
    return frame


def _sums(frame: pandas.DataFrame) -> list[str]:
    """Columns whose last number is the sum of all others, and greater than each of them."""
    sums = []
    for name in frame:
        if frame[name].dtype.kind in "if" and len(frame) > 3:
            above, last = frame[name].iloc[:-1], float(frame[name].iloc[-1])
            if last > above.max() > 0 and abs(last - float(above.sum())) <= 1e-9 * last:
                sums.append(str(name))
    return sums


def _may_be_thousands(numbers: pandas.Series) -> bool:
    """Whether all of them can have been written as 1.234."""
    size = numbers.dropna().abs()
    return bool(len(size) and ((size < 1000) & (size == size.round(3)) & ((size >= 1) | (size == 0))).all())


def _decimal_mark(name: str, how: NumberFormat, sure: set[str], layout: Layout, path: Path) -> str:
    """The decimal mark of a column that can be read either way: what was said, else what other columns have."""
    if layout.decimal:
        return MARKS[layout.decimal]
    if len(sure) == 1:
        return next(iter(sure))
    if how.either == "." and not sure and layout.separator not in EITHER:
        return "."
    whole, fraction = how.example.replace(how.either, ""), how.example.replace(",", ".")
    comma, point = (whole, fraction) if how.either == "." else (fraction, whole)
    raise DataError(
        f"column {name!r} of {path.name} must be read in one way, got {how.example!r}: {comma} with a decimal comma, "
        f"{point} with a decimal point. Say --decimal comma or --decimal point."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---- numbers as people write them


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written; `either` is the mark of which that cannot be told, in `example`."""

    decimal: str = ""
    group: str = ""
    either: str = ""
    example: str = ""
    sign: str = ""  # of money or per cent

    @property
    def is_plain(self) -> bool:
        """Whether Python would read them, too."""
        return self.decimal != "," and not self.group and not self.either and not self.sign

    @property
    def mark(self) -> str:
        """The decimal mark of its file, as far as this column tells: what stands between thousands is the other one."""
        return self.decimal or {",": ".", ".": ","}.get(self.group, "")

    def decided(self, decimal: str) -> NumberFormat:
        """The same where what could be read either way is a decimal mark, or else stands between thousands."""
        if not self.either:
            return self
        role = "decimal" if decimal == self.either else "group"
        return replace(self, either="", example="", **{role: self.either})


def written_as(series: pandas.Series) -> NumberFormat | None:
    """How a column of texts writes numbers; None where it holds none, or where its cells contradict one another."""
    words = series.dropna().drop_duplicates().iloc[:LOOKED_AT].astype("string").str.strip()
    sign = _sign_of(words)
    words = words.str.replace(sign, "", regex=False).str.strip() if sign else words
    read = [_marks(word) for word in words]
    numbers = [marks for marks in read if marks is not None]
    if not numbers or len(numbers) <= len(read) / 2:
        return None
    decimals, groups = ({getattr(marks, name) for marks in numbers} - {""} for name in ("decimal", "group"))
    open_ones = {marks.either: marks.example for marks in reversed(numbers) if marks.either}
    if any(re.fullmatch(r"[+-]?\d{4,}", word) for word in words):  # thousands without a mark: it is a decimal one
        decimals |= open_ones.keys()
    if len(decimals) > 1 or len(groups) > 1 or decimals & groups or len(open_ones.keys() - decimals - groups) > 1:
        return None
    if decimals or groups:
        rest = open_ones.keys() - decimals - groups  # the one mark that is left is the other of the two
        if rest and decimals and groups:
            return None
        return NumberFormat("".join(decimals or rest), "".join(groups or (rest if decimals else ())), sign=sign)
    return NumberFormat(either=next(iter(open_ones), ""), example=next(iter(open_ones.values()), ""), sign=sign)


def _sign_of(words: pandas.Series) -> str:
    """The one sign of money or per cent that all numbers have, or ''."""
    signs = [[c for c in word if c in "%‰" or unicodedata.category(c) == "Sc"] for word in words]
    different = {of[0] for of in signs if of}
    sign = different.pop() if len(different) == 1 else ""
    with_sign = {len(of) for word, of in zip(words, signs, strict=True) if _marks(word.replace(sign, "").strip())}
    return sign if with_sign == {1} else ""


def numbers_of(series: pandas.Series, written: NumberFormat) -> pandas.Series:
    """The column as numbers; as texts with a decimal point where some of its cells are no numbers."""
    import pandas as pd

    words = cells = series.astype("string").str.strip()
    if written.sign:
        words = words.str.replace(written.sign, "", regex=False).str.strip()
    group, decimal = re.escape(written.group or "'"), re.escape(written.decimal or ".")
    whole = rf"(?:\d+|\d{{1,3}}(?:{group}\d{{3}})+)" if written.group else r"\d*"
    fit = words.str.fullmatch(rf"[+-]?{whole}(?:{decimal}\d*)?(?:[eE][+-]?\d+)?").fillna(False).astype(bool)
    plain = words.str.replace(written.group, "", regex=False) if written.group else words
    plain = plain.str.replace(",", ".", regex=False) if written.decimal == "," else plain
    if not fit[words.notna()].all():
        return cells.where(~fit, plain)
    numbers: pandas.Series = pd.to_numeric(plain, errors="coerce")
    return numbers.astype(np.float64) if numbers.isna().any() or written.decimal else numbers.astype(np.int64)


def _marks(word: str) -> NumberFormat | None:
    match = _WRITTEN.fullmatch(word)
    if match is None or not any(map(str.isdigit, word)):
        return None
    start, grouped, group, decimal = match[1], match[2], match[3] or "", match[4] or ""
    thousands = 1 <= len(start) <= 3 and not start.startswith("0")
    if not grouped:
        return NumberFormat(decimal=decimal)
    if not thousands:  # 0,123  1234,567
        return NumberFormat(decimal=group) if group in ".," and len(grouped) == 4 and not decimal else None
    if decimal:
        return NumberFormat(decimal, group) if decimal != group else None
    if len(grouped) > 4 or group not in ".,":
        return NumberFormat(group=group)
    return NumberFormat(either=group, example=word)
