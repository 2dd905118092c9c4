"""What comes from outside: files of strangers, read within limits. Whatever is wrong with them is an error of one line.

    is_there(path)                  a regular file; False where the name is no name a system can have
    bytes_of(path, most)            the content, unpacked where it ends in .gz, at most `most` bytes of it
    text_of(path, most)             the same as UTF-8 text
    typed_text(name)                of a file that the user named, or of standard input for '-'
    json_records(path)              the objects of a file of JSON, or of JSON lines
    json_of(text), toml_of(text)    values nested at most MAX_DEPTH deep, numbers of at most 4,300 digits
    open_file(path, most)           a stream for readers that take one; it ends in an error behind `most` bytes
    check_file(path)                before a library opens a file by its path: a pipe or a device is never waited for
    encoding_of(path, most)         of a table: utf-8, utf-16 by its mark, else cp1252 or latin-1 where it may be that
    Unpacker().inflate(content, what)  what zlib packed, many of one file, which are counted together

A packed file may unpack to FACTOR times its bytes, or to a size that does no harm; beyond that people unpack it.
Members of zips, and parquet: packed.py.

Nothing here is evaluated, and nothing is unpickled. `error` is the kind of TruenessError that the caller gives.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import re
import stat
import sys
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from trueness.errors import DataError, TruenessError
from trueness.texts import printable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Json: TypeAlias = Any  # a value of JSON or TOML: what stands in it is checked where it is used
MEGABYTE = 1024 * 1024
# what is no value, in every table; not "None": it is a level in many networks
MISSING = ["", "#N/A", "#NA", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null", "-nan", "-NaN"]
MAX_PLAN = 1 * MEGABYTE  # a plan, a task file, settings: written by hand
MAX_RECORDS = 256 * MEGABYTE  # logs, sheets, problems, files of replies: parsed as a whole
MAX_TABLE = 2048 * MEGABYTE  # tables of rows, which are not kept as text
SMALL_TABLE, SMALL_RECORDS, FACTOR = 64 * MEGABYTE, 16 * MEGABYTE, 100  # what packed files may unpack to
MAX_VALUES = 20_000_000  # of a JSON text: an empty list has two characters there and 64 bytes in memory
MAX_FILE_NAME = 180  # bytes, without an ending; systems allow 255
MAX_DEPTH = 50  # of nested JSON and TOML; what people write has five
MAX_DOTS = 500  # in a line of TOML: tomllib takes time with the square of the parts of a key a.b.c
NOT_READ = (  # what pandas and pyarrow raise for files that are none of theirs
    ValueError, OSError, EOFError, zlib.error, LookupError, TypeError, AttributeError, ArithmeticError, MemoryError,
    NotImplementedError, RecursionError,
)  # fmt: skip
_KINDS = (
    (stat.S_ISLNK, "a link"), (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"),
    (stat.S_ISREG, "a file"),
)  # fmt: skip
_NOT_IN_CP1252 = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_FOREIGN_WORD = re.compile(rb"[\x80-\xff]{4,}")  # Latin words have a letter of ASCII among any four, or nearly so
_BACKSLASH = re.compile(r"\\")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def is_there(path: Path) -> bool:
    """Whether there is a regular file of that name; a name that is too long or holds a null names none.

    A pipe or a device is an error: it is there, and a reader would wait for it or never end.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        check_file(path)
    return stat.S_ISREG(mode)


def kind_of(mode: int) -> str:
    """What stands behind a name, by the mode that the system gives."""
    return next((name for is_one, name in _KINDS if is_one(mode)), "a device")


def check_file(path: Path, error: type[TruenessError] = DataError) -> None:
    """Nothing where the name is of a file or of nothing; a pipe that nobody writes to is waited for without end."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return  # who opens it says why
    if not stat.S_ISREG(mode):
        raise error(f"{path.name or path} must be a file, got {kind_of(mode)}. Save what it gives as a file.")


def bytes_of(path: Path, most: int, error: type[TruenessError] = DataError) -> bytes:
    """All of a file; `error` where it cannot be read, or where it (or what it unpacks to) is larger than `most`."""
    try:
        with open_file(path, most, error) as file:
            return file.read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as wrong:
        raise error(f"{path.name} must be gzip as its ending says, got: {one_line(wrong)}. Pack it again.") from None
    except (OSError, ValueError) as wrong:  # ValueError: a null in the name
        why = getattr(wrong, "strerror", None) or one_line(wrong)
        raise error(f"{path} cannot be read: {why}. Check its name and permissions.") from None


def text_of(path: Path, most: int = MAX_RECORDS, error: type[TruenessError] = DataError) -> str:
    return decoded(bytes_of(path, most, error), path.name, error)


def typed_text(name: str) -> str:
    """Text of what the user named on the command line, and no plan: a file, or standard input for '-'."""
    if name != "-":
        return text_of(Path(name))
    content = sys.stdin.buffer.read(MAX_RECORDS + 1)
    if len(content) > MAX_RECORDS:
        raise DataError(f"standard input must have at most {size(MAX_RECORDS)}, got more. Give it in parts.")
    return decoded(content, "standard input", DataError)


def decoded(content: bytes, what: str, error: type[TruenessError]) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        got = f"byte {wrong.start:,} that is not ({wrong.reason})"
        raise error(f"{what} must be UTF-8 text, got {got}. Save it again as UTF-8.") from None


def open_file(path: Path, most: int = MAX_TABLE, error: type[TruenessError] = DataError) -> IO[bytes]:
    """A binary stream, unpacked where the name ends in .gz, that raises `error` once more than `most` bytes came."""
    check_file(path, error)
    if path.suffix.lower() == ".gz":
        most = unpacked_limit(path, most, SMALL_TABLE)
        message = f"{path.name} must have at most {size(most)} unpacked, got more. Unpack it, or keep what is needed."
        return io.BufferedReader(_Bounded(gzip.open(path, "rb"), most, error(message)), MEGABYTE)
    file = path.open("rb")
    if path.stat().st_size > most:
        file.close()
        raise error(f"{path.name} must have at most {size(most)}, got more. Keep the part that is needed.")
    return file


def encoding_of(path: Path, most: int = MAX_TABLE, error: type[TruenessError] = DataError) -> str:
    """How the text of a table is written. cp1252 has signs where Latin-1 has none (0x80 to 0x9f); else they are one."""
    seen, foreign, words = set[int](), 0, 0
    decoder, is_utf8 = codecs.getincrementaldecoder("utf-8")(), True
    with open_file(path, most, error) as file:
        for k, part in enumerate(iter(lambda: file.read(MEGABYTE), b"")):
            if k == 0 and part.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return "utf-16"
            try:
                decoder.decode(part) if is_utf8 else None
            except UnicodeDecodeError:
                is_utf8 = False
            seen.update(part)
            words += sum(map(len, _FOREIGN_WORD.findall(part)))
            foreign += len(part) - len(part.translate(None, bytes(range(128, 256))))
    if is_utf8:
        return "utf-8"
    if 0 in seen or seen.intersection(_NOT_IN_CP1252) or words > foreign / 2:  # another alphabet, or no text at all
        got = "a spreadsheet, a picture or an archive" if 0 in seen else "bytes that are neither"
        raise error(f"{path.name} must be text in UTF-8, cp1252 or Latin-1, got {got}. Save it as CSV in UTF-8.")
    return "cp1252" if any(0x80 <= byte <= 0x9F for byte in seen) else "latin-1"


def inside(folder: Path, name: str, what: str, error: type[TruenessError] = DataError) -> Path:
    """A file below the folder of the plan that names it: what is sent to a model may be no other file of its reader."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise error(f"{what} must be a file in the plan's folder, got {name!r}, which lies elsewhere. Copy it there.")
    if not is_there(path):
        raise error(f"{what} must be a file, got {name!r}, which is not there.")
    return path


def unpacked_limit(path: Path, most: int, small: int) -> int:
    """Bytes that a packed file may unpack to: FACTOR times its own, `small` where that is more, at most `most`."""
    return min(most, max(small, FACTOR * path.stat().st_size))


@dataclass
class Unpacker:
    """What zlib packed, for the parts of one store: together they give MAX_RECORDS, or `times` their own bytes."""

    times: int
    packed: int = 0
    unpacked: int = 0

    def inflate(self, content: bytes, what: str, error: type[TruenessError] = DataError) -> bytes:
        """`error` where it is none, or where a few bytes unpack to very many."""
        most, unpacker = max(SMALL_RECORDS, FACTOR * len(content)), zlib.decompressobj()
        try:
            unpacked = unpacker.decompress(content, most)
        except zlib.error as wrong:
            raise error(f"{what} must be packed by zlib, got: {one_line(wrong)}. Was it changed?") from None
        if not unpacker.eof:
            raise error(f"{what} must unpack to at most {size(most)}, got more or a part. Was it changed?")
        self.packed, self.unpacked = self.packed + len(content), self.unpacked + len(unpacked)
        most = max(MAX_RECORDS, self.times * self.packed)
        if self.unpacked > most:
            raise error(f"{what} and those before must unpack to at most {size(most)}, got more. Was it changed?")
        return unpacked


class _Bounded(io.RawIOBase):
    """A few kilobytes may unpack to terabytes: what comes out is counted."""

    def __init__(self, file: gzip.GzipFile, most: int, too_large: TruenessError):
        self._file, self._left, self._too_large = file, most, too_large

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = int(self._file.readinto(buffer))
        self._left -= count
        if self._left < 0:
            raise self._too_large
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def json_of(text: str, what: str, error: type[TruenessError] = DataError) -> Json:
    """The value of a JSON text; `what` names it in the message."""
    check_values(text, what, error)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as wrong:  # ValueError: also a whole number of more than 4,300 digits
        raise error(f"{what} must be valid JSON, got: {one_line(wrong)}. Mend it there.") from None
    if _SURROGATE.search(text):
        _check_characters(value, what, error)
    check_depth(value, what, error)
    return value


def json_records(path: Path) -> Json:
    """The value of a .json file, an object or a list of them; of any other file the list of its lines' objects."""
    text = text_of(path)
    if not text.strip():
        raise DataError(f"{path.name} must hold records, got an empty file.")
    if path.suffix == ".json":
        content = json_of(text, path.name)
    else:
        check_values(text, path.name)
        lines = enumerate(io.StringIO(text), 1)  # one at a time: most of a million lines of {} would be their list
        content = [json_of(line, f"line {number} of {path.name}") for number, line in lines if line.strip()]
    records = content if isinstance(content, list) else [content]
    wrong = next((type(record).__name__ for record in records if not isinstance(record, dict)), None)
    if wrong is not None:
        raise DataError(f"{path.name} must hold records (JSON objects), got {wrong}.")
    return content


def toml_of(text: str, what: str, error: type[TruenessError] = DataError) -> dict[str, Json]:
    """The tables of a TOML text."""
    if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
        raise error(f"{what} must have at most {MAX_DOTS:,} dots in a line, got more. Break it into several lines.")
    try:
        value = tomllib.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise error(f"{what} must be valid TOML, got: {one_line(wrong)}. Mend it there.") from None
    check_depth(value, what, error)
    for number in _integers(value):
        if not -(2**63) <= number < 2**63:  # as TOML says; Python's own have no end, and raise where a float is made
            raise error(f"{what} must have whole numbers of at most 64 bits, got {str(number)[:20]}... Mend it.")
    return value


def check_values(text: str, what: str, error: type[TruenessError] = DataError) -> None:
    """How many values a JSON text holds at most, by its commas and brackets (those within texts count too)."""
    if sum(map(text.count, ",{[")) > MAX_VALUES:
        raise error(f"{what} must have at most {MAX_VALUES:,} values, got more. Keep the part that is needed.")


def check_depth(value: object, what: str, error: type[TruenessError] = DataError) -> None:
    """Tables in tables in tables: whatever walks them later must not run out of stack."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for part in level for inner in _parts(part)]
        if not level:
            return
    raise error(f"{what} must be nested at most {MAX_DEPTH} deep, got more. Write it flatter.")


def _parts(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()


def _integers(value: object) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    for part in _parts(value):
        yield from _integers(part)


def _check_characters(value: object, what: str, error: type[TruenessError]) -> None:
    """Half a character (\\ud800) can be neither printed nor stored."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as wrong:
        odd = f"\\u{ord(wrong.object[wrong.start]):04x}"
        raise error(f"{what} must hold text that UTF-8 can carry, got {odd} alone. Remove it.") from None
    except (ValueError, RecursionError):
        return  # too deep: told by check_depth


def file_name(name: str, unsafe: re.Pattern[str] = _BACKSLASH) -> str:
    """A name for a file in its folder: nothing that acts, at most MAX_FILE_NAME bytes. A long one, and one that was
    changed, has a hash: two names have two files."""
    plain = unsafe.sub("-", printable(name))
    raw = plain.encode("utf-8", "replace")
    if plain == name and len(raw) <= MAX_FILE_NAME:
        return plain
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{raw[: MAX_FILE_NAME - 13].decode('utf-8', 'ignore')}-{digest}"


def size(count: int) -> str:
    """Bytes for a message: 64 MB, 2 GB."""
    return f"{count // (1024 * MEGABYTE):,} GB" if count >= 1024 * MEGABYTE else f"{count // MEGABYTE:,} MB"


def one_line(error: Exception, most: int = 160) -> str:
    """What an error of another library says, for a message of ours."""
    text = " ".join(str(error).split()) or type(error).__name__
    return (text if len(text) <= most else text[: most - 3] + "...").rstrip(".")
