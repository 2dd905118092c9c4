"""Keys from the environment, or from a `.env` file in the current folder.

    KEY=value            # comments, blank lines and a leading `export` are allowed
    KEY="value # kept"   # quotes keep spaces and hashes

The environment always wins, nothing is written back to it, and no value ever reaches a message or a log.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from assay.errors import SettingError

_LINE = re.compile(
    r"""^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s#].*?|))\s*(?:(?<=\s)\#.*)?$"""
)


def parse_env(text: str) -> dict[str, str]:
    """The assignments of a `.env` file; a line that is none is left out (its text may be a secret)."""
    values = {}
    for line in text.splitlines():
        match = None if line.lstrip().startswith("#") else _LINE.match(line)
        if match:
            name, double, single, bare = match.groups()
            values[name] = next(value for value in (double, single, bare) if value is not None)
    return values


def read_env(path: Path) -> dict[str, str]:
    """The assignments of a file; nothing where there is no such file."""
    if not path.is_file():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise SettingError(f"The file {path.name} must be readable UTF-8 text of KEY=value lines.") from None
    return parse_env(text)


def variable(name: str, folder: Path | None = None) -> str | None:
    """A variable of the environment, else of `.env` in the folder (the current one); empty counts as not set."""
    return os.environ.get(name) or read_env((folder or Path.cwd()) / ".env").get(name) or None
