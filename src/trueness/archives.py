"""Members of a zip of a stranger: the bytes that come out are counted, whatever its headers say.

    with open_archive(path, most, "a log of Inspect") as archive:
        archive.names                   the names of its members
        archive.text("header.json")     one of them; together at most `most` bytes

Python's zipfile gives no more of a deflated member than is asked for, but unpacks four kilobytes of bzip2 or zstandard
at a time, whole: 905 bytes took 2.2 GB. Here those packed bytes go through readers that stop where they are told to.
LZMA is refused (its header may ask for 4 GB at once), and so is every other method; a zip within a zip is a member.
"""

from __future__ import annotations

import bz2
import io
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from trueness.errors import DataError, MissingExtra
from trueness.outside import MEGABYTE, NOT_READ, SMALL_RECORDS, one_line, size, unpacked_limit

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
        if info.compress_type == zipfile.ZIP_BZIP2:
            return bz2.BZ2File(self._open_packed(info))
        if info.compress_type == _ZSTANDARD:
            return _zstandard(self._open_packed(info))
        raise DataError(
            f"{info.filename} of {self.path.name} must be packed with deflate, zstandard or bzip2, got method "
            f"{info.compress_type}. Pack it again."
        )

    def _open_packed(self, info: zipfile.ZipInfo) -> IO[bytes]:
        """The bytes of a member as they lie in the file."""
        stored = copy(info)
        stored.compress_type, stored.file_size = zipfile.ZIP_STORED, info.compress_size
        del stored.CRC  # of what is unpacked: compared above
        return self.archive.open(stored)


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
