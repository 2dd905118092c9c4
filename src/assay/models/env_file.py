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
from assay.outside import MAX_PLAN, is_there, text_of

_LINE = re.compile(  # a bare value ends where blanks are followed by '#' or nothing; each character is looked at once
    r"""^\s*+(?:export\s++)?([A-Za-z_]\w*+)\s*+=\s*+
    (?:"([^"]*+)"|'([^']*+)'|([^\s#](?:\S|\s++(?!\#|$))*+|))\s*+(?:(?<=\s)\#.*+)?$""",
    re.VERBOSE,
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
    return parse_env(text_of(path, MAX_PLAN, SettingError)) if is_there(path) else {}


def variable(name: str, folder: Path | None = None) -> str | None:
    """A variable of the environment, else of `.env` in the folder (the current one); empty counts as not set."""
    return os.environ.get(name) or read_env((folder or Path.cwd()) / ".env").get(name) or None
