"""Packed files of strangers: what they take in memory is counted, or tried, before it is taken.

Members of a zip of a stranger: the bytes that come out are counted, whatever its headers say.

    with open_archive(path, most, "a log of Inspect") as archive:
        archive.names                   the names of its members
        archive.text("header.json")     one of them; together at most `most` bytes

Python's zipfile gives no more of a deflated member than is asked for, but unpacks four kilobytes of zstandard at a
time, whole. Here those packed bytes go through a reader that stops where it is told to. Every other method is refused
(the header of LZMA may ask for 4 GB at once); a zip within a zip is a member.

Parquet files of strangers, read by pyarrow: what a file takes in memory is tried before it is taken.

    parquet_columns(path, most)            the names of its columns
    flat_columns(path, names)              those of them with one value a row
    read_parquet(path, cells, columns)     a frame; text is text, or, for millions of rows, categories (`codes`)

No sum in a footer is believed: 463 bytes took 7 GB. A file may unpack to SMALL, or to FACTOR times its bytes. A process
of its own, which may take no more memory than that, makes the frame first and looks what it holds; a text of a
dictionary counts in each row in which it stands. Lists are refused: a row may hold 10^9 values.
"""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from trueness import registry
from trueness.errors import DataError, MissingExtra, listed
from trueness.outside import MAX_TABLE, MEGABYTE, NOT_READ, SMALL_RECORDS, SMALL_TABLE, one_line, size, unpacked_limit

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow import ChunkedArray
    from pyarrow.parquet import ColumnSchema, ParquetFile

MAX_DIRECTORY = 16 * MEGABYTE  # of the names of the members; 200,000 samples have 15
_ZSTANDARD = 93
_WINDOW = 128 * MEGABYTE  # what a member may ask zstandard to remember


@contextmanager
def open_archive(path: Path, most: int, kind: str) -> Iterator[Archive]:
    """The members of a zip, at most `most` bytes of them; what is wrong with it is one line: it must be `kind`."""
    try:
        with _InSmallReads(io.FileIO(path)) as file, zipfile.ZipFile(file) as archive:
            yield Archive(path, archive, unpacked_limit(path, most, SMALL_RECORDS))
    except (*NOT_READ, zipfile.BadZipFile, RuntimeError) as error:  # RuntimeError: a password is asked for
        raise DataError(f"{path.name} must be {kind}, got: {one_line(error)}. Get it anew.") from None


@dataclass
class Archive:
    path: Path
    archive: zipfile.ZipFile
    most: int  # bytes that may come out
    taken: int = 0

    @property
    def names(self) -> list[str]:
        return self.archive.namelist()

    def text(self, name: str) -> str:
        """A member as UTF-8 text."""
        info = self.archive.getinfo(name)
        with self._unpacking(info) as stream:
            content = _read(stream, self.most - self.taken + 1, name)
        self.taken += len(content)
        if self.taken > self.most:
            got = f"must have at most {size(self.most)} of summaries unpacked, got more"
            raise DataError(f"{self.path.name} {got}. Analyse a part of it.")
        if zlib.crc32(content) != info.CRC:
            raise zipfile.BadZipFile(f"another check sum of {name} than its own")
        return str(content, "utf-8")

    def _unpacking(self, info: zipfile.ZipInfo) -> IO[bytes]:
        if info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return self.archive.open(info)
        if info.compress_type != _ZSTANDARD:
            must = f"{info.filename} of {self.path.name} must be packed with deflate or zstandard"
            raise DataError(f"{must}, got method {info.compress_type}. Pack it again.")
        packed = copy(info)  # as it lies in the file
        packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
        del packed.CRC  # of what is unpacked: compared above
        return _zstandard(self.archive.open(packed))


def _read(stream: IO[bytes], most: int, name: str) -> bytes:
    try:
        return stream.read(most)
    except Exception as error:  # every method has errors of its own
        raise zipfile.BadZipFile(f"{name}: {one_line(error)}") from None


def _zstandard(packed: IO[bytes]) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdFile(packed)
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("this .eval log (packed with zstandard)", "inspect-ai", "providers") from None
    reader: Any = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(packed, read_across_frames=True)
    return io.BufferedReader(reader)


class _InSmallReads(io.BufferedReader):
    """zipfile takes the directory in one read, of the length that the file names."""

    def read(self, count: int | None = -1, /) -> bytes:
        if count is not None and count > MAX_DIRECTORY:
            raise ValueError(f"a directory of more than {size(MAX_DIRECTORY)}")
        return super().read(count)


# a table of numbers takes up to eight times its bytes; rare ones among zeros are packed some hundred times
SMALL, FACTOR = SMALL_TABLE, 500
MOST_PARTS = 200_000  # lists of a footer: pyarrow makes room for as many as they claim to hold
_WORKING_ROOM = 256 * MEGABYTE
_TEXT = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
_TOO_MUCH = "too much"


def parquet_columns(path: Path, most: int) -> tuple[str, ...]:
    """The columns of a parquet file, at most `most`."""
    names = tuple(_open_parquet(path).schema_arrow.names)
    if len(names) > most:
        raise DataError(f"{path.name} must have at most {most:,} columns, got {len(names):,}. Keep those you need.")
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise DataError(f"column names of {path.name} must be unique, got {listed(twice)} twice. Rename them.")
    return names


def flat_columns(path: Path, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that have one value a row: no list is a score or the name of a condition."""
    flat = {leaf.name for leaf in _leaves(_open_parquet(path)) if _is_flat(leaf)}
    return tuple(name for name in names if name in flat)


def read_parquet(path: Path, cells: int, columns: Sequence[str], codes: bool = False) -> pd.DataFrame:
    """The columns as a frame; a column that was written as categories stays one. With `codes` text of
    dictionaries stays codes: three million words become three million small numbers.

    What pandas wrote beside the columns is not believed: it names them anew, and takes an index away from them."""
    file, wanted = _open_parquet(path), list(dict.fromkeys(columns))
    with _as_one_line(path):
        dictionaries = _checked_columns(path, file, cells, wanted)
        room = min(MAX_TABLE, max(SMALL, FACTOR * path.stat().st_size))
        packed = path.stat().st_size < SMALL_TABLE and sys.platform == "linux"
        wrong = _tried(lambda: _too_much(_made(path, dictionaries, wanted, codes), room), room) if packed else ""
        if wrong == _TOO_MUCH:
            raise DataError(
                f"{path.name} of {path.stat().st_size:,} bytes must unpack to at most {size(room)}, got more. "
                "Keep the rows and columns that are needed."
            )
        frame = _made(path, dictionaries, wanted, codes)
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


def _checked_columns(path: Path, file: ParquetFile, cells: int, wanted: Sequence[str]) -> list[str]:
    """Those of them that hold texts of dictionaries, which are read as codes; DataError where they cannot be read."""
    groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
    rows = sum(max(0, group.num_rows) for group in groups)
    if rows * len(wanted) > cells or sum(group.total_byte_size for group in groups) > MAX_TABLE:
        got = f"{rows:,} rows of {len(wanted):,} columns"
        raise DataError(f"{path.name} must have at most {cells:,} cells, got {got}. Keep a part of its rows.")
    codes = []
    for k, leaf in enumerate(_leaves(file)):
        if not _is_flat(leaf) and any(leaf.path == name or leaf.path.startswith(f"{name}.") for name in wanted):
            got = f"got lists or records in {leaf.path!r}"
            raise DataError(f"columns of {path.name} must have one value a row, {got}. Leave it out.")
        if leaf.name in wanted and str(file.schema_arrow.field(leaf.name).type) in _TEXT:
            codes += [leaf.name] if any("DICTIONARY" in str(group.column(k).encodings) for group in groups) else []
    return codes


def _made(path: Path, dictionaries: Sequence[str], wanted: list[str], codes: bool) -> pd.DataFrame:
    written = _open_parquet(path).schema_arrow
    table = _open_parquet(path, dictionaries).read(columns=wanted, use_threads=False).select(wanted)
    for k, name in enumerate(wanted):
        with _as_one_line(path, f"column {name!r} of {path.name} must hold numbers or UTF-8 text"):
            table.column(k).validate(full=True)  # pyarrow reads text that is no UTF-8, and raises when it is used
        column = table.column(k) if codes else table.column(k).cast(written.field(name).type)
        table = table.set_column(k, name, _as_text(column))
    frame: pd.DataFrame = table.to_pandas(
        split_blocks=True, self_destruct=True, ignore_metadata=True, use_threads=False
    )
    return frame


def _too_much(frame: pd.DataFrame, room: int) -> str:
    """_TOO_MUCH where the frame holds more than `room`, with the text that its codes stand for."""
    taken = int(frame.memory_usage(deep=True).sum())
    for name in frame.select_dtypes("category"):
        lengths = frame[name].cat.categories.astype(str).str.len().to_numpy()
        codes = frame[name].cat.codes.to_numpy()
        taken += int(lengths[codes[codes >= 0]].sum())
    return _TOO_MUCH if taken > room else ""


def _tried(work: Callable[[], str], room: int) -> str:
    """What `work` says in a process that may take so much memory; _TOO_MUCH where it ends before it has spoken."""
    import resource  # not on Windows

    import pyarrow

    answer, say = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # C++ tells of its end
            pyarrow.set_memory_pool(pyarrow.system_memory_pool())  # others take gigabytes of addresses beforehand
            most = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            most += 2 * room + _WORKING_ROOM  # the columns and the frame that is made of them
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            try:
                said = work()
            except (MemoryError, OverflowError):
                said = _TOO_MUCH
            except (*NOT_READ, pyarrow.ArrowException, DataError) as wrong:  # of the file: the second reading tells it
                said = _TOO_MUCH if "alloc" in str(wrong) else ""
            os.write(say, b"." + said.encode())
        finally:
            os._exit(0)
    os.close(say)
    with os.fdopen(answer, "rb") as file:
        said = file.read().decode()
    os.waitpid(child, 0)
    return said[1:] if said else _TOO_MUCH


def _open_parquet(path: Path, codes: Sequence[str] = ()) -> ParquetFile:
    parquet = registry.need("pyarrow.parquet", f"reading {path.name}")
    if path.stat().st_size > MAX_TABLE:
        raise DataError(f"{path.name} must have at most {size(MAX_TABLE)}, got more. Keep the columns that are needed.")
    with _as_one_line(path):
        return parquet.ParquetFile(
            path, read_dictionary=list(codes), pre_buffer=False, arrow_extensions_enabled=False,
            thrift_container_size_limit=MOST_PARTS,
        )  # fmt: skip


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
def _as_one_line(path: Path, what: str = "") -> Iterator[None]:
    import pyarrow

    try:
        yield
    except (*NOT_READ, pyarrow.ArrowException) as wrong:
        raise DataError(
            f"{what or f'{path.name} must be a parquet file'}, got: {one_line(wrong)}. Write it again."
        ) from None


def _leaves(file: ParquetFile) -> list[ColumnSchema]:
    return [file.schema.column(k) for k in range(len(file.schema))]


def _is_flat(leaf: ColumnSchema) -> bool:
    return bool(leaf.max_repetition_level == 0 and leaf.path == leaf.name)
