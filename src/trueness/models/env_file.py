"""Keys and addresses from the environment, or from a `.env` file in the current folder; where each stood is told.

    KEY=value            # comments, blank lines and a leading `export` are allowed
    KEY="value # kept"   # quotes keep spaces and hashes

The environment always wins, nothing is written back to it, and no value ever reaches a message or a log.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from trueness.errors import SettingError
from trueness.outside import MAX_PLAN, is_there, text_of

ENVIRONMENT, ENV_FILE = "the environment", ".env"
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


class EnvVariable(NamedTuple):
    """The value of a variable, and where it stood."""

    name: str
    value: str
    place: str


def variable(name: str, folder: Path | None = None) -> EnvVariable | None:
    """A variable of the environment, else of `.env` in the folder (the current one); empty counts as not set.

    Blanks and line ends around it are none of it: a key with one is refused by HTTP, in a message that shows the key.
    """
    for place, values in ((ENVIRONMENT, os.environ), (ENV_FILE, read_env((folder or Path.cwd()) / ".env"))):
        value = values.get(name, "").strip()
        if value:
            return EnvVariable(name, value, place)
    return None


def all_variables(folder: Path | None = None) -> dict[str, str]:
    """Every variable of both places; a file that cannot be read holds none, and who needs one of it is told."""
    values: dict[str, str] = {}
    with suppress(SettingError):
        values = read_env((folder or Path.cwd()) / ".env")
    return values | dict(os.environ)
