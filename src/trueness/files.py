"""The files of a study folder: no link in it is followed, and a file is written whole or not at all.

    write_atomically(folder, "plots/x.csv", text)     beside its place first, then a rename: readers see old or new
    write_bytes_atomically, writing_atomically        the same for bytes, and for a file that is written bit by bit
    read_text(folder, name), read_bytes(folder, name) a plain file of at most `most` bytes
    Together(folder).text(name), .content(name)       files that are kept in memory at once: their sum has an end, too
    append_text(folder, name, text)                   lines that are kept as they come
    open_in_place(folder, name)                       for what is changed where it lies: a lock, notes
    check_plain(folder, name)                         before a library opens a file by its path
    names_in(folder, inner)                           the plain files of a folder in it

`folder` is what the user typed, and may be a link. What lies below it may come from a stranger: every folder on the
way is opened from the one before it without following links, so that nothing is read or written anywhere else. A link,
a pipe or a folder in the place of a file is told in one line; where a file is to be written, a link or a pipe is
replaced. A second name of a file (a hard link) looks like the first: such a file is read, and never changed in place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import IO

from trueness.errors import StoreError
from trueness.outside import MEGABYTE, decoded, kind_of, size
from trueness.texts import printable_lines

MOST = 16 * MEGABYTE  # of what trueness wrote and reads back whole: provenance, notes, a chart
MAX_TOGETHER = 24 * MEGABYTE  # of the charts of a page or a paper: a hundred of 100 kB with their data have 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY


def write_atomically(folder: Path, name: str, text: str) -> Path:
    """Write a text file below the folder, in which nothing acts (texts.printable); its path."""
    with writing_atomically(folder, name) as file:
        file.write(printable_lines(text))
    return folder / name


def write_bytes_atomically(folder: Path, name: str, content: bytes) -> Path:
    with _replacing(folder, name) as handle, os.fdopen(handle, "wb") as file:
        file.write(content)
    return folder / name


@contextmanager
def writing_atomically(folder: Path, name: str) -> Iterator[IO[str]]:
    """A text file that takes its place when the block ends; not if it ends in an error."""
    with _replacing(folder, name) as handle, os.fdopen(handle, "w", encoding="utf-8") as file:
        yield file


def remove(folder: Path, name: str) -> None:
    """Take a file away, or what lies in its place; nothing where there is none."""
    with suppress(FileNotFoundError), _place_of(folder, name) as (place, last):
        os.unlink(last, dir_fd=place)


def read_text(folder: Path, name: str, most: int = MOST) -> str:
    return decoded(read_bytes(folder, name, most), str(folder / name), StoreError)


def read_bytes(folder: Path, name: str, most: int = MOST) -> bytes:
    path = folder / name
    with _as_store_error(path), _place_of(folder, name) as (place, last):
        handle = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
        with os.fdopen(handle, "rb") as file:
            state = os.fstat(handle)
            _check_kind(path, state)
            content = file.read(most + 1)
    if len(content) > most:
        raise StoreError(f"{path} must have at most {size(most)}, got {size(state.st_size)}. Restore a copy.")
    return content


@dataclass
class Together:
    """Files that are in memory at once: one of 250 MB that holds nothing takes no room on a disk, but here it would."""

    folder: Path
    left: int = MAX_TOGETHER

    def text(self, name: str) -> str:
        return decoded(self.content(name), str(self.folder / name), StoreError)

    def content(self, name: str) -> bytes:
        content = read_bytes(self.folder, name, MOST)
        self.left -= len(content)
        if self.left < 0:
            raise StoreError(
                f"{self.folder / name} and the charts before it must have at most {size(MAX_TOGETHER)} together, got "
                "more. Move those away that are no charts of this study."
            )
        return content


def append_text(folder: Path, name: str, text: str) -> None:
    """Add to a file at once, for what must stay however the program ends; it is made where there is none."""
    with os.fdopen(open_in_place(folder, name, os.O_WRONLY | os.O_APPEND), "w", encoding="utf-8") as file:
        file.write(text)


def check_plain(folder: Path, name: str, alone: bool = False) -> bool:
    """Whether the file is there; StoreError where something else is in its place.

    alone: for who will change it in place. A file with a second name may be anybody's.
    """
    try:
        with _place_of(folder, name) as (place, last):
            state = os.stat(last, dir_fd=place, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(_wrong(folder / name, error)) from error
    _check_kind(folder / name, state, alone)
    return True


def names_in(folder: Path, inner: str) -> list[str]:
    """The plain files of a folder below the study's, by name; none where there is no such folder."""
    try:
        with _open_folder(folder, _parts(inner) if inner else ()) as place, os.scandir(place) as entries:
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    except (OSError, StoreError):
        return []


def open_in_place(folder: Path, name: str, flags: int = os.O_RDWR) -> int:
    """A descriptor of a file that is changed where it lies; it is made where there is none."""
    path = folder / name
    with _as_store_error(path), _place_of(folder, name) as (place, last):
        handle = os.open(last, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666, dir_fd=place)
        try:
            _check_kind(path, os.fstat(handle), alone=True)
        except StoreError:
            os.close(handle)
            raise
    return handle


@contextmanager
def _replacing(folder: Path, name: str) -> Iterator[int]:
    """A descriptor, which the block closes, of a file that takes its place when the block ends without an error."""
    with _as_store_error(folder / name):
        folder.mkdir(parents=True, exist_ok=True)
        with _place_of(folder, name, make=True) as (place, last):
            temporary = f".{last}.{token_hex(4)}.tmp"
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=place)
            try:
                yield handle
                os.replace(temporary, last, src_dir_fd=place, dst_dir_fd=place)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=place)
                raise


@contextmanager
def _place_of(folder: Path, name: str, make: bool = False) -> Iterator[tuple[int, str]]:
    """A descriptor of the folder that the file lies in, and the file's own name in it."""
    *inner, last = _parts(name)
    with _open_folder(folder, inner, make) as place:
        yield place, last


@contextmanager
def _open_folder(folder: Path, inner: Sequence[str], make: bool = False) -> Iterator[int]:
    place, path = os.open(folder, _FOLDER), folder
    try:
        for part in inner:
            path /= part
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=place)
            state = os.stat(part, dir_fd=place, follow_symlinks=False)
            if not stat.S_ISDIR(state.st_mode):
                raise StoreError(
                    f"{path} must be a folder, got {kind_of(state.st_mode)}. It was not followed: move it away."
                )
            below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = below
        yield place
    finally:
        os.close(place)


def _parts(name: str) -> tuple[str, ...]:
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or parts[0] == "/" or "\0" in name:
        raise StoreError(f"a file of a study must have a name below its folder, got {name!r:.100}.")
    return parts


def _check_kind(path: Path, state: os.stat_result, alone: bool = False) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise StoreError(f"{path} must be a plain file, got {kind_of(state.st_mode)}. It was not opened: move it away.")
    if alone and state.st_nlink > 1:
        raise StoreError(
            f"{path} must have one name, got {state.st_nlink} (hard links): what is written there would change in all "
            "places. Copy the study folder, and use the copy."
        )


@contextmanager
def _as_store_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(_wrong(path, error)) from error


def _wrong(path: Path, error: OSError) -> str:
    """One line for what the system refused, by what lies there."""
    with suppress(OSError):
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode):
            return f"{path} must be a plain file, got {kind_of(state.st_mode)}. It was not opened: move it away."
    return f"{path} cannot be used ({error.strerror or error}). Check the folder, its permissions and its disk."
