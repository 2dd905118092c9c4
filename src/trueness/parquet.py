"""Parquet files of strangers: what a file would take in memory is known before anything of it is unpacked.

    parquet_columns(path, most)            the names of its columns
    flat_columns(path, names)              those of them with one value a row
    read_parquet(path, cells, columns)     a frame; text is text
    read_codes(path, cells, columns)       the same with text as categories, for millions of rows

The sums in a footer are not believed. The header of every page says what it unpacks to and how its values are
written; pyarrow goes by it, and so does this. What makes much of little (463 bytes took 7 GB), and its bound:

    a packed page                        the bytes that its header names, summed over the columns that are read
    a text of a dictionary, 10^7 rows    codes are read; they become text where the lengths of all rows fit
    a text that shares its beginning     (DELTA_BYTE_ARRAY) refused: its length is known only when it is made
    one number, 10^9 rows                rows x bytes of a value in a frame
    lists                                refused: one row may hold 10^9 values
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from trueness import registry
from trueness.errors import DataError, TruenessError, listed
from trueness.outside import MAX_TABLE, NOT_READ, SMALL_TABLE, one_line, size

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow import ChunkedArray, Table
    from pyarrow.parquet import ColumnChunkMetaData, ColumnSchema, ParquetFile

PageHeader: TypeAlias = dict[int, Any]  # of Thrift: field -> number or struct
# A file may unpack to SMALL, or to FACTOR times its bytes, at most MAX_TABLE. What is then made of a table of numbers
# takes up to eight times that; random columns of 0 and 1 are packed 64 times, rare ones some hundred times.
SMALL, FACTOR = SMALL_TABLE, 500
MAX_PAGES = 1_000_000
_TEXT = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
_OBJECTS = ("date", "time32", "time64", "decimal")  # a frame holds an object of Python for each
_DICTIONARY_PAGE, _DELTA_BYTE_ARRAY = 2, 7  # as parquet.thrift numbers types of pages and encodings
_SLACK = 100  # bytes that pyarrow may read behind a column of an old writer (PARQUET-816)


def parquet_columns(path: Path, most: int, error: type[TruenessError] = DataError) -> tuple[str, ...]:
    """The columns of a parquet file, at most `most`; `error` where it is none."""
    names = tuple(_open_parquet(path, error).schema_arrow.names)
    if len(names) > most:
        raise error(f"{path.name} must have at most {most:,} columns, got {len(names):,}. Keep those you need.")
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise error(f"column names of {path.name} must be unique, got {listed(twice)} twice. Rename them.")
    return names


def flat_columns(path: Path, names: Sequence[str], error: type[TruenessError] = DataError) -> tuple[str, ...]:
    """The columns that have one value a row: no list is a score or the name of a condition."""
    flat = {leaf.name for leaf in _leaves(_open_parquet(path, error)) if _is_flat(leaf)}
    return tuple(name for name in names if name in flat)


def read_parquet(
    path: Path, cells: int, columns: Sequence[str], error: type[TruenessError] = DataError
) -> pd.DataFrame:
    """The columns as a frame; a column that was written as categories stays one.

    What pandas wrote beside the columns is not believed: it names them anew, and takes an index away from them."""
    written = _open_parquet(path, error).schema_arrow
    return _frame(path, cells, columns, error, lambda column, name: column.cast(written.field(name).type))


def read_codes(path: Path, cells: int, columns: Sequence[str], error: type[TruenessError] = DataError) -> pd.DataFrame:
    """Three million words of text become three million small codes."""
    return _frame(path, cells, columns, error, lambda column, name: column)


def _frame(
    path: Path,
    cells: int,
    columns: Sequence[str],
    error: type[TruenessError],
    made_of: Callable[[ChunkedArray, str], ChunkedArray],
) -> pd.DataFrame:
    file = _open_parquet(path, error)
    room = min(MAX_TABLE, max(SMALL, FACTOR * path.stat().st_size))
    with _as_one_line(path, error):
        table = _table(path, file, cells, room, columns, error)
        for k, name in enumerate(columns):
            table = table.set_column(k, name, _as_text(made_of(table.column(k), name)))
        frame: pd.DataFrame = table.to_pandas(split_blocks=True, self_destruct=True, ignore_metadata=True)
    frame.attrs["notes"] = tuple(_ranges(file, path))
    return frame


def _ranges(file: ParquetFile, path: Path) -> Iterator[str]:
    """What is said of an index of pandas that counts, by a name or by other steps: it stands in no column."""
    metadata: Any = None
    with suppress(ValueError, RecursionError):
        metadata = json.loads((file.schema_arrow.metadata or {}).get(b"pandas", b"{}"))
    indices = metadata.get("index_columns") if isinstance(metadata, dict) else None
    for index in indices if isinstance(indices, list) else ():
        if isinstance(index, dict) and (index.get("name") is not None or index.get("step") != 1):
            start, step = index.get("start"), index.get("step")
            if isinstance(start, int) and isinstance(step, int):
                name = f"its index {str(index.get('name') or ''):.60}".strip()
                yield f"{path.name}: {name} counts {start}, {start + step}, ... and was not read"


def _table(
    path: Path, file: ParquetFile, cells: int, room: int, columns: Sequence[str], error: type[TruenessError]
) -> Table:
    """The columns, texts of dictionaries as codes; `error` before they are unpacked where that is too much."""
    groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
    rows, wanted = sum(max(0, group.num_rows) for group in groups), set(columns)
    if rows * len(wanted) > cells:
        got = f"{rows:,} rows of {len(wanted):,} columns"
        raise error(f"{path.name} must have at most {cells:,} cells, got {got}. Keep a part of its rows.")
    pages, codes, made = _PageHeaders(path, room, error), [], 0
    for k, leaf in enumerate(_leaves(file)):
        if wanted.isdisjoint(_paths(leaf)):  # pyarrow reads a.b where a is asked for
            continue
        if not _is_flat(leaf):
            got = f"got lists or records in {leaf.path!r}"
            raise error(f"columns of {path.name} must have one value a row, {got}. Leave it out.")
        kind = str(file.schema_arrow.field(leaf.name).type)
        if pages.have_dictionary(leaf, [(group.num_rows, group.column(k)) for group in groups]):
            if kind in _TEXT:
                codes.append(leaf.name)
            elif leaf.physical_type == "BYTE_ARRAY" and not kind.startswith("dictionary"):
                raise error(f"column {leaf.name!r} of {path.name} must hold numbers or text, got {kind}. Write it so.")
        made += rows * _width(leaf, kind)
    if made > room:
        raise _too_much(path, room, error)
    table = _open_parquet(path, error, codes).read(columns=list(columns)).select(list(columns))
    for name, column in zip(columns, table.columns, strict=True):
        with _as_one_line(path, error, f"column {name!r} of {path.name} must hold numbers or UTF-8 text"):
            column.validate(full=True)  # pyarrow reads text that is no UTF-8, and raises when it is used
    if made + sum(map(_text_bytes, table.columns)) > room:
        raise _too_much(path, room, error)
    return table


def _open_parquet(path: Path, error: type[TruenessError], codes: Sequence[str] = ()) -> ParquetFile:
    parquet = registry.need("pyarrow.parquet", f"reading {path.name}")
    if path.stat().st_size > MAX_TABLE:
        raise error(f"{path.name} must have at most {size(MAX_TABLE)}, got more. Keep the columns that are needed.")
    with _as_one_line(path, error):
        return parquet.ParquetFile(path, read_dictionary=list(codes), pre_buffer=False, arrow_extensions_enabled=False)


def _as_text(column: ChunkedArray) -> ChunkedArray:
    """Bytes of an older writer that meant text; bytes that are no UTF-8 (pictures, hashes) stay bytes."""
    import pyarrow

    kind = str(column.type)
    values = kind.partition("values=")[2].partition(",")[0] or kind
    if values.startswith(("binary", "large_binary", "fixed_size_binary")):
        text = pyarrow.string() if values == kind else pyarrow.dictionary(column.type.index_type, pyarrow.string())
        with suppress(pyarrow.ArrowException):
            return column.cast(text)
    return column


@contextmanager
def _as_one_line(path: Path, error: type[TruenessError], what: str = "") -> Iterator[None]:
    import pyarrow

    try:
        yield
    except (*NOT_READ, pyarrow.ArrowException) as wrong:
        what = what or f"{path.name} must be a parquet file"
        raise error(f"{what}, got: {one_line(wrong)}. Write it again.") from None


def _leaves(file: ParquetFile) -> list[ColumnSchema]:
    return [file.schema.column(k) for k in range(len(file.schema))]


def _is_flat(leaf: ColumnSchema) -> bool:
    return bool(leaf.max_repetition_level == 0 and leaf.path == leaf.name)


def _paths(leaf: ColumnSchema) -> list[str]:
    parts = leaf.path.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def _width(leaf: ColumnSchema, kind: str) -> int:
    """Bytes that a row takes in a frame, text of codes apart."""
    if kind.startswith(_OBJECTS):
        return 128
    return 8 + (48 + max(0, leaf.length) if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0)


def _text_bytes(column: ChunkedArray) -> int:
    """Bytes of the text that codes stand for."""
    import numpy as np
    import pyarrow.compute

    total = 0
    for chunk in column.chunks if str(column.type).startswith("dictionary") else ():
        words = chunk.dictionary
        if str(words.type) in _TEXT:
            lengths = pyarrow.compute.binary_length(words).fill_null(0).to_numpy(zero_copy_only=False)
            codes = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
            total += int(np.bincount(codes, minlength=len(lengths)) @ lengths.astype(np.int64))
    return total


class _PageHeaders:
    """The headers of the pages of a file; what they add up to must stay within `room`."""

    def __init__(self, path: Path, room: int, error: type[TruenessError]):
        self._path, self._room, self._error = path, room, error
        self._unpacked = self._count = 0

    def have_dictionary(self, leaf: ColumnSchema, chunks: Sequence[tuple[int, ColumnChunkMetaData]]) -> bool:
        """Whether a column has a dictionary; (rows, column chunk) of every row group."""
        has_dictionary = False
        with self._path.open("rb") as file:
            for rows, chunk in chunks:
                at, dictionary, seen = chunk.data_page_offset, chunk.dictionary_page_offset, 0
                if dictionary and 0 < dictionary < at:
                    at = dictionary
                end = at + chunk.total_compressed_size + _SLACK
                while seen < chunk.num_values and at < end:
                    file.seek(at)
                    page = _struct(file)
                    seen += self._count_values(leaf, page)
                    if seen > rows:
                        raise ValueError("more values than rows")
                    has_dictionary = has_dictionary or page.get(1) == _DICTIONARY_PAGE
                    at = file.tell() + page[3]
        return has_dictionary

    def _count_values(self, leaf: ColumnSchema, page: PageHeader) -> int:
        """The values of a page, by its header as parquet.thrift has it: 2 and 3 its bytes unpacked and packed."""
        plain, second, entries = page.get(5, {}), page.get(8, {}), page.get(7, {}).get(1, 0)
        values = int(plain.get(1, second.get(1, 0)))
        if min(page[2], page[3], entries, values) < 0:
            raise ValueError("a page of less than nothing")
        if leaf.physical_type == "BYTE_ARRAY" and _DELTA_BYTE_ARRAY in (plain.get(2), second.get(4)):
            got = "got DELTA_BYTE_ARRAY. Write it again"
            raise self._error(
                f"column {leaf.name!r} of {self._path.name} must be written plain or with a dictionary, {got}."
            )
        self._unpacked += page[2] + 16 * entries  # pyarrow makes a table of the entries
        self._count += 1
        if self._unpacked > self._room:
            raise _too_much(self._path, self._room, self._error)
        if self._count > MAX_PAGES:
            raise self._error(f"{self._path.name} must have at most {MAX_PAGES:,} pages, got more. Write it again.")
        return values


def _struct(file: IO[bytes], depth: int = 0) -> PageHeader:
    """A struct of Thrift's compact protocol: field -> number or struct; texts and fractions are passed over."""
    fields: PageHeader = {}
    field = 0
    while head := _byte(file):
        field = field + (head >> 4) if head >> 4 else _zigzag(file)
        kind = head & 15
        if kind in (4, 5, 6):
            fields[field] = _zigzag(file)
        elif kind == 12 and depth < 4:
            fields[field] = _struct(file, depth + 1)
        elif kind in (3, 7, 8):
            file.seek({3: 1, 7: 8}.get(kind) or _varint(file), 1)
        elif kind not in (1, 2):  # truth values have no bytes of their own; no header of a page has lists
            raise ValueError("a page without a header")
    return fields


def _zigzag(file: IO[bytes]) -> int:
    value = _varint(file)
    return (value >> 1) ^ -(value & 1)


def _varint(file: IO[bytes]) -> int:
    value = 0
    for shift in range(0, 70, 7):
        part = _byte(file)
        value |= (part & 127) << shift
        if part < 128:
            return value
    raise ValueError("a page without a header")


def _byte(file: IO[bytes]) -> int:
    byte = file.read(1)
    if not byte:
        raise ValueError("a page that ends before it begins")
    return byte[0]


def _too_much(path: Path, room: int, error: type[TruenessError]) -> TruenessError:
    return error(
        f"{path.name} of {path.stat().st_size:,} bytes must unpack to at most {size(room)}, got more. "
        "Keep the rows and columns that are needed."
    )
