"""Which studies a page is to show: folders named by the user, or a folder of studies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trueness.errors import StoreError

RESULTS = Path("results")


def study_folders(names: Sequence[str]) -> list[Path]:
    """The study folders behind what was named; nothing named: all under results/, the newest first."""
    if not names:
        newest = _below(RESULTS)
        if not newest:
            raise StoreError("there is no study under results/. Name a folder, or make one: trueness run")
        return newest
    folders: list[Path] = []
    for name in names:
        folders += _named(Path(name))
    return list(dict.fromkeys(folder.resolve() for folder in folders))


def _named(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise StoreError(f"{folder} must be a study folder, or a folder of studies, got none. Make one: trueness run")
    if (folder / "study.db").is_file():
        return [folder]
    below = _below(folder)
    if not below:
        raise StoreError(f"{folder} must be a study folder with a study.db, or hold some, got neither.")
    return below


def _below(folder: Path) -> list[Path]:
    stores = sorted(folder.glob("*/study.db"), key=lambda path: path.lstat().st_mtime, reverse=True)
    return [path.parent.resolve() for path in stores]
