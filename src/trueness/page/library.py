"""The studies that a server shows: folders that the user named, each opened once, read again when it changed.

A study that cannot be read (damaged, of another version, not begun) is there with the one line that says why.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from trueness.errors import StoreError, TruenessError
from trueness.outside import Json, is_there
from trueness.page.page import to_json
from trueness.page.pages import FilesPage, Page, StudyPage, path_of
from trueness.running.store import Store
from trueness.running.study_db import NAME, as_written
from trueness.running.study_folder import RESULTS, StudyFolder, newest_folder, studies_below
from trueness.studies.reporting import result_files
from trueness.texts import printable

AGAIN = 5.0  # seconds: a study that is being written is summed anew at most so often


class OpenStudy:
    """A study with its store held open. Answers are kept as text until the store changes."""

    def __init__(self, name: str, folder: Path):
        self.name = name
        self.folder = folder
        self._stack = ExitStack()
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._page: Page | None = None
        self._file: tuple[int, int] | None = None
        self._version = ""
        self._read = 0.0
        self._kept: dict[str, str | None] = {}

    def answer(self, path: str) -> str | None:
        """The JSON of a path; None where the study has no such thing."""
        with as_written(self.folder):
            return self._answer(path)

    def _answer(self, path: str) -> str | None:
        if path == "progress":  # counts as they are now; the version is that of all other answers
            return to_json(self._page_now().progress() | {"version": self._version})
        if path == "figures":  # read from files, never kept
            return to_json(self._page_now().figures())
        before = self._kept.get(path)
        if not self._lock.acquire(blocking=before is None):
            return before  # somebody is at work on another answer; this one is there
        try:
            page = self._current()
            if path not in self._kept:
                answer = page.get(path)
                self._kept[path] = None if answer is None else to_json(answer)
            return self._kept[path]
        finally:
            self._lock.release()

    def chart_places(self) -> tuple[str, ...]:
        with as_written(self.folder):
            return self._page_now().chart_places

    def head(self) -> dict[str, Json]:
        with as_written(self.folder):
            return self._page_now().head()

    @property
    def store(self) -> Store:
        with self._lock, as_written(self.folder):
            self._current()
            assert self._store is not None
            return self._store

    def problem(self) -> str:
        """Why the study cannot be shown; nothing where it can."""
        try:
            self.head()
        except (TruenessError, sqlite3.Error) as error:
            return " ".join(str(error).split())
        return ""

    def close(self) -> None:
        with self._lock:
            self._stack.close()
            self._stack, self._store, self._page, self._kept = ExitStack(), None, None, {}

    def _page_now(self) -> Page:
        """The current page, or the one there is where somebody is at work on a large answer: looking does not wait."""
        before = self._page
        if not self._lock.acquire(blocking=before is None):
            assert before is not None
            return before
        try:
            return self._current()
        finally:
            self._lock.release()

    def _current(self) -> Page:
        """The page of what is committed now; while a study runs, at most AGAIN seconds old."""
        self._reopen_if_replaced()
        if self._store is None:
            self._store = self._stack.enter_context(Store.reading(self.folder))
        version = f"{self._store.version()} {self._store.meta('plan')}"
        due = time.monotonic() - self._read > AGAIN
        if self._page is None or (version != self._version and due):
            self._page, self._version, self._read = StudyPage(StudyFolder(self._store)), version, time.monotonic()
            self._kept.clear()
        return self._page

    def _reopen_if_replaced(self) -> None:
        """Another file under the same name (the study was moved away and begun anew) is another store."""
        try:
            stat = (self.folder / "study.db").stat()
            file = (stat.st_dev, stat.st_ino)
        except OSError:
            file = None
        if file != self._file:
            self.close()
            self._file = file


class OpenFiles(OpenStudy):
    """Result files of others in place of a study; read again when one of them is another."""

    @property
    def store(self) -> Store:
        raise StoreError(f"{self.folder} holds result files of others, which take no notes. Keep yours beside them.")

    def _current(self) -> Page:
        files = [path.stat() for path in sorted(self.folder.glob("*.json"))]
        version = f"{len(files)} {sum(of.st_size for of in files)} {max((of.st_mtime_ns for of in files), default=0)}"
        if self._page is None or version != self._version:
            reading = result_files(self.folder)
            if reading is None:
                raise StoreError(f"{self.folder} must hold result files named MODEL_TASK.json, got none.")
            self._page, self._version = FilesPage(self.folder, reading), version
            self._kept.clear()
        return self._page


class Library:
    """All studies of a server, by the name that stands in their addresses."""

    def __init__(self, folders: Sequence[Path]):
        self.studies: dict[str, OpenStudy] = {}
        for folder in folders:
            first, k = printable(folder.name) or "study", 2
            name = first
            while name in self.studies:
                name, k = f"{first}-{k}", k + 1
            is_study = os.path.lexists(folder / NAME) or not any(folder.glob("*.json"))
            self.studies[name] = (OpenStudy if is_study else OpenFiles)(name, folder)

    def entries(self) -> list[dict[str, str]]:
        return [
            {"name": study.name, "folder": str(study.folder), "problem": study.problem()}
            for study in self.studies.values()
        ]

    def warm(self) -> None:
        """Sum up what the first views need, before somebody asks: a large study takes a second or two."""
        for study in self.studies.values():
            with suppress(TruenessError, sqlite3.Error):
                for path in ("overview", *(path_of("grid", task["task"]) for task in study.head()["tasks"])):
                    study.answer(path)

    def close(self) -> None:
        for study in self.studies.values():
            study.close()


def study_folders(names: Sequence[str]) -> list[Path]:
    """The study folders behind what was named; nothing named: all under results/, the newest first."""
    if not names:
        newest_folder()  # or the line that there is none
    folders = [folder for name in names for folder in _study_folders(Path(name))] or studies_below(RESULTS)
    return list(dict.fromkeys(folder.resolve() for folder in folders))


def _study_folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise StoreError(f"{folder} must be a study folder, or a folder of studies, got none. Make one: trueness run")
    folders = [folder] if is_there(folder / "study.db") else studies_below(folder)
    if not folders and any(folder.glob("*.json")):
        return [folder]  # result files of others
    if not folders:
        raise StoreError(
            f"{folder} must be a study folder with a study.db, hold some, or hold result files; got neither."
        )
    return folders
