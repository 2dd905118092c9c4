"""Which studies a page is to show: folders named by the user, or a folder of studies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trueness.errors import StoreError
from trueness.outside import is_there
from trueness.running.study_folder import RESULTS, newest_folder, studies_below


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
