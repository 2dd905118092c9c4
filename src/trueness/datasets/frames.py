"""Files of rows to a Table (columns.py: which columns are categories).

Numbers as people write them: 1,5   1.234,56   1,234.56   1'234.5   1 234,5. A column is read with a decimal point or a
decimal comma, whatever reads more of its cells; the other mark, an apostrophe or a blank may stand between thousands:

    1.234,56  1,234,567  1,5  0,123  1234,567      one reading alone
    1,234                                          both: other columns of the file, then the user decide

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
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from trueness.datasets.columns import DROP, NAMELESS, Kinds, are_codes, is_text
from trueness.datasets.table import Table
from trueness.errors import DataError, listed
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
EITHER = ";\t"  # separators of files whose decimal mark is as often a comma
_SEPARATOR_LINE = re.compile(r'"?sep=(.?)"?')  # the first line of files that are meant for a spreadsheet


def read_rows(
    path: Path | str,
    discrete: Iterable[str] | None = None,
    kinds: Kinds | None = None,
    strict: bool = True,
    targets: str | None = None,
    decimal: Decimal | None = None,
) -> Table:
    """CSV, TSV, text (also .gz), parquet or JSON lines.

    decimal: what a number such as 1,234 means where the file does not tell."""
    path = Path(path)
    if not is_there(path):
        raise DataError(f"{path} is not there. Give the path of a CSV, TSV, text, parquet or JSONL file.")
    unread = {name for name, kind in (kinds or {}).items() if kind in (DROP, "left out")}  # unless it can be shown
    if path.suffix.lower() == ".parquet":
        names = parquet_columns(path, MAX_COLUMNS)
        unread &= set(names) - set(flat_columns(path, names))
        frame = read_parquet(path, MAX_CELLS, [name for name in names if name not in unread])
        kinds = {name: kind for name, kind in (kinds or {}).items() if name not in unread}
    else:
        frame = _records(path, unread) if path.suffix.lower() == ".jsonl" else _read_delimited(path, decimal)
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


def _read_delimited(path: Path, decimal: Decimal | None) -> pandas.DataFrame:
    """The rows of a text; `notes` in its attrs say how they were read."""
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
    frame, notes = with_numbers(_with_names(frame, layout, path), layout, path)
    if layout.encoding != "utf-8":
        notes.insert(0, f"{path.name} is not UTF-8 and was read as {layout.encoding}")
    if sums := _sums(frame):
        notes.append(f"the last row seems to hold the sums of those above ({listed(sums)}): delete it if so")
    frame.attrs["notes"] = tuple(notes)
    return frame


def _sums(frame: pandas.DataFrame) -> list[str]:
    """Columns whose last number is the sum of all others, and greater than each of them."""
    sums = []
    for name in frame.select_dtypes(["int", "float"]) if len(frame) > 3 else ():
        above, last = frame[name].iloc[:-1], float(frame[name].iloc[-1])
        if last > above.max() > 0 and abs(last - float(above.sum())) <= 1e-9 * last:
            sums.append(str(name))
    return sums


# ---- the layout of a text


class Layout(NamedTuple):
    """How the text of a table is written. decimal: of numbers that could be read either way, where it was said."""

    separator: str
    columns: int
    above: int  # lines above the names
    encoding: str
    names_rows: bool  # the rows have a cell more than there are names
    decimal: Decimal | None
    codes: tuple[str, ...] = ()  # columns in which 01067 would lose its zero


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
    if first.count(separator) >= most:
        raise DataError(
            f"{path.name} must have at most {most:,} columns, got {first.count(separator) + 1:,}. Keep those you need."
        )
    try:
        header = next(csv.reader([first], delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise DataError(f"{path.name} must have a header with column names, got: {one_line(error)}.") from error
    names = [name.strip() for name in header]
    twice = sorted(name for name, count in Counter(filter(None, names)).items() if count > 1)
    if twice:
        raise DataError(f"column names of {path.name} must be unique, got {listed(twice)} twice. Rename them.")
    if all(map(_is_number, names)):
        got = f"got numbers: {listed(names, 3)}. Write names above it"
        raise DataError(f"{path.name} must have a header with column names, {got}.")
    row = next(_rows(lines[above + 1 : above + 9], separator), [])
    names_rows, edge, codes = len(row) > len(header), f"[{re.escape(separator)}\n]", []
    if re.search(rf'{edge}"?0\d+"?\s*{edge}', "\n" + "".join(lines[above + 1 :]) + "\n"):
        rows = list(_rows(lines[above + 1 :], separator))
        for k, name in enumerate(header, names_rows):
            codes += [name] if are_codes(row[k].strip() for row in rows if len(row) > k) else []
    return Layout(separator, len(header), above, encoding, names_rows, decimal, tuple(codes))


def read_text(path: Path, layout: Layout, most: int, **options: Any) -> tuple[pandas.DataFrame, Layout]:
    """What pandas reads of a file, and the layout with the encoding that it was read by; as pandas names columns."""
    import pandas as pd

    while True:
        try:
            with open_file(path, most) as file:
                frame: Any = pd.read_csv(
                    file, sep=r"\s+" if layout.separator == " " else layout.separator, encoding=layout.encoding,
                    skiprows=layout.above, keep_default_na=False, na_values=MISSING, skipinitialspace=True,
                    **{"dtype": dict.fromkeys(layout.codes, str)} | options,
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


def _with_names(frame: pandas.DataFrame, layout: Layout, path: Path) -> pandas.DataFrame:
    """Row names without a name of their own are a column, as R and pandas write them; an empty last column is none."""
    names = [str(name).strip() for name in frame.columns]
    if frame.index.nlevels > 1:
        raise DataError(f"{path.name} must have as many names as cells in a row, got fewer. Name each column.")
    if layout.names_rows:
        frame = frame.reset_index()
        last = frame.iloc[:, -1].isna().all()  # a separator at the end of each row, not of the header
        fresh = next(name for k in range(len(names) + 1) if (name := "rownames" + "_" * k) not in names)
        names = [*names, f"Unnamed: {len(names)}"] if last else [fresh, *names]
    frame.columns = names  # type: ignore[assignment]
    nameless = [name for name in names if NAMELESS.fullmatch(name)]
    empty = [name for name in nameless if frame[name].isna().all()]
    wrong = next((name for name in nameless if name not in empty and name != names[0]), None)
    if wrong is not None:
        got = f"column {names.index(wrong) + 1} of {path.name} must have a name"
        raise DataError(f"{got}, got none. Name it, or drop an index.")
    return frame.drop(columns=empty) if empty else frame


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---- numbers as people write them


class Style(NamedTuple):
    """How the numbers of a column can be read: decimal mark (or '') -> what stands between thousands (or '')."""

    readings: dict[str, str]
    sign: str  # of money or per cent
    example: str = ""  # a cell whose readings differ, where there are two

    @property
    def is_plain(self) -> bool:
        """Whether Python would read them, too."""
        return self.readings in ({".": ""}, {"": ""}) and not self.sign


def style_of(series: pandas.Series) -> Style | None:
    """How a column of texts writes numbers; None where most are none, or where they contradict one another."""
    words = series.dropna().drop_duplicates().iloc[:LOOKED_AT].astype("string").str.strip()
    if words.str.contains(r"\d", regex=True).sum() <= len(words) / 2:
        return None
    sign = _sign_of(words)
    words = words.str.replace(sign, "", regex=False).str.strip() if sign else words
    read = {decimal: _readable(words, decimal) for decimal in ".,"}
    numbers = read["."][0] | read[","][0]
    readings = {d: "".join(groups) for d, (fit, groups) in read.items() if fit.equals(numbers) and len(groups) < 2}
    if numbers.sum() <= len(words) / 2 or not readings:
        return None
    marked = words[numbers & words.str.contains("[.,]", regex=True)]
    if marked.empty:
        return Style({"": readings.get(".", "")}, sign)
    if len(readings) == 1:
        return Style(readings, sign)
    if words.str.fullmatch(r"[+-]?\d{4,}").any():  # thousands without a mark: it is a decimal one
        return Style({decimal: group for decimal, group in readings.items() if not group}, sign)
    return Style(readings, sign, str(marked.iloc[0]))


def _readable(words: pandas.Series, decimal: str) -> tuple[pandas.Series, set[str]]:
    """Which words are numbers with that decimal mark, and what stands between their thousands."""
    other, mark, power = {".": ",", ",": "."}[decimal], re.escape(decimal), r"(?:[eE][+-]?\d+)?"
    plain = words.str.fullmatch(rf"[+-]?(?:\d+{mark}?\d*|{mark}\d+){power}").fillna(False).astype(bool)
    thousands = rf"^[+-]?(?!0)\d{{1,3}}([{other}'\u2019 \u00a0\u202f])\d{{3}}(?:\1\d{{3}})*(?:{mark}\d*)?{power}$"
    groups = words.where(~plain).str.extract(thousands, expand=False)
    return plain | groups.notna(), set(groups.dropna())


def _sign_of(words: pandas.Series) -> str:
    """The one sign of money or per cent that all numbers have, or ''."""
    signs = {c for word in words for c in word if c in "%‰" or unicodedata.category(c) == "Sc"}
    sign = signs.pop() if len(signs) == 1 else ""
    digits = words[words.str.contains(r"\d", regex=True)]
    return sign if sign and (digits.str.count(re.escape(sign)) == 1).all() else ""


def with_numbers(
    frame: pandas.DataFrame, layout: Layout, path: Path, most: int = MAX_TABLE, **options: Any
) -> tuple[pandas.DataFrame, list[str]]:
    """Texts that are numbers with a comma, marks of thousands or both, column by column; what was guessed is noted.

    options: those by which pandas read it."""
    styles = {str(name): style for name in frame if is_text(frame[name]) and (style := style_of(frame[name]))}
    fractions = [str(name) for name in frame.select_dtypes("float")]  # whole ones with gaps, too
    if layout.separator in EITHER or layout.decimal == "comma" or not all(s.is_plain for s in styles.values()):
        if open_ones := [name for name in fractions if _may_be_thousands(frame[name])]:  # 1.234 may be 1234
            texts = _with_names(read_text(path, layout, most, **options | {"dtype": str})[0], layout, path)
            odd = {name: style for name in open_ones if (style := style_of(texts[name])) and not style.is_plain}
            frame, styles = frame.assign(**{name: texts[name] for name in odd}), styles | odd
    sure = {mark for style in styles.values() if not style.example for mark in style.readings} - {""}
    if any((frame[name].dropna() % 1).any() for name in fractions if name not in styles):
        sure.add(".")
    read: dict[str, list[str]] = {}
    for name, style in styles.items():
        if style.is_plain:
            continue
        mark = _decimal_mark(name, style, sure, layout, path) if style.example else next(iter(style.readings))
        group = style.readings[mark]
        frame[name] = _numbers_of(frame[name], mark, group, style.sign)
        shown = {"a decimal comma": mark == "," and not (style.example and group)}
        shown |= {f"{group!r} between thousands": bool(group), f"{style.sign!r} beside them": bool(style.sign)}
        for what in (what for what, there in shown.items() if there):
            read.setdefault(what, []).append(name)
    return frame, [f"numbers with {what} were read in {listed(names)}" for what, names in read.items()]


def _may_be_thousands(numbers: pandas.Series) -> bool:
    """Whether all of them can have been written as 1.234."""
    size = numbers.dropna().abs()
    return bool(len(size) and ((size < 1000) & (size == size.round(3)) & ((size >= 1) | (size == 0))).all())


def _decimal_mark(name: str, style: Style, sure: set[str], layout: Layout, path: Path) -> str:
    """The decimal mark of a column that can be read either way: what was said, else what other columns have."""
    if layout.decimal:
        return MARKS[layout.decimal]
    if len(sure) == 1:
        return next(iter(sure))
    if "." in style.example and not sure and layout.separator not in EITHER:
        return "."
    comma, point = style.example.replace(".", "").replace(",", "."), style.example.replace(",", "")
    raise DataError(
        f"column {name!r} of {path.name} must be read in one way, got {style.example!r}: {comma} with a decimal comma, "
        f"{point} with a decimal point. Say --decimal comma or --decimal point."
    )


def _numbers_of(series: pandas.Series, decimal: str, group: str, sign: str) -> pandas.Series:
    """The column as numbers; as texts with a decimal point where some of its cells are no numbers."""
    import pandas as pd

    cells = series.astype("string").str.strip()
    words = cells.str.replace(sign, "", regex=False).str.strip() if sign else cells
    fit, groups = _readable(words, decimal or ".")
    words = words.str.replace(group, "", regex=False) if group else words
    words = words.str.replace(",", ".", regex=False) if decimal == "," else words
    if groups - {group} or not fit[words.notna()].all():
        return cells.where(~fit, words)
    numbers: pandas.Series = pd.to_numeric(words, errors="coerce")
    return numbers.astype(np.float64) if numbers.isna().any() or decimal else numbers.astype(np.int64)
