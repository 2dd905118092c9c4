"""Where a model is reached, and which key may go there.

    a key stands in        the environment, or .env
    an address comes from  the provider itself, the environment, .env, or the plan

A key of the provider goes to the provider's own address, to an address that stands where the key stands, and to the
hosts that the user has allowed: `--allow-host HOST`. A plan, or a .env file that lies in a folder, may be a stranger's:
it can name an address and a variable, but it cannot give permission. So another variable, which only a plan can pair
with a provider, needs the user's yes wherever it would go: `--allow-key NAME`, or `--allow-host HOST`.

Keys and addresses from the environment, or from a `.env` file in the current folder; where each stood is told.

    KEY=value            # comments, blank lines and a leading `export` are allowed
    KEY="value # kept"   # quotes keep spaces and hashes

The environment always wins, nothing is written back to it, and no value ever reaches a message or a log.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from trueness.errors import SettingError
from trueness.outside import MAX_PLAN, is_there, text_of

ENVIRONMENT, ENV_FILE = "the environment", ".env"
_ASSIGNMENT = (
    re.compile(  # a bare value ends where blanks are followed by '#' or nothing; each character is looked at once
        r"""^\s*+(?:export\s++)?([A-Za-z_]\w*+)\s*+=\s*+
    (?:"([^"]*+)"|'([^']*+)'|([^\s#](?:\S|\s++(?!\#|$))*+|))\s*+(?:(?<=\s)\#.*+)?$""",
        re.VERBOSE,
    )
)


def parse_env(text: str) -> dict[str, str]:
    """The assignments of a `.env` file; a line that is none is left out (its text may be a secret)."""
    values = {}
    for line in text.splitlines():
        match = None if line.lstrip().startswith("#") else _ASSIGNMENT.match(line)
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


# ---- addresses


OWN, PLAN = "the provider", "the plan"
_URL = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[^\s/\\@:?#\[\]]+)(?::(\d{1,5}))?(/[^\s\\?#]*)?", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_.-]+|\[[0-9a-f:.]+\]")
_KEY = re.compile(r"[A-Z0-9_]*_API_KEY")  # variables that hold keys of models
_PORTS = {"https": 443, "http": 80}

_hosts: set[str] = set()  # what the user of this process has allowed; there is nobody else who could
_keys: set[str] = set()


@dataclass(frozen=True)
class Address:
    """`url` as it is used, `host` as it is shown and allowed: llm.lab.example, http://10.0.0.5:8000."""

    url: str
    host: str
    place: str

    @property
    def is_loopback(self) -> bool:
        name = re.sub(r"^http://|:\d+$", "", self.host).strip("[]")
        try:
            return name == "localhost" or ip_address(name).is_loopback
        except ValueError:
            return False


def address(text: str, place: str, what: str) -> Address:
    """An address of which we and the SDK, which is handed `url`, cannot have different readings."""
    match = _URL.fullmatch(text.strip())
    name = _ascii(match[2]) if match else ""
    if match is None or not _HOST.fullmatch(name) or int(match[3] or 1) not in range(1, 65536):
        got = "one with '@'" if "@" in text else f"{text!r:.80}"  # what stands before an @ may be a password
        raise SettingError(f"{what} must be http(s)://HOST:PORT/PATH without user, '?' or '#', got {got}.")
    scheme, port = match[1].lower(), int(match[3] or _PORTS[match[1].lower()])
    shown = name if port == _PORTS[scheme] else f"{name}:{port}"
    return Address(f"{scheme}://{shown}{match[4] or ''}", shown if scheme == "https" else f"http://{shown}", place)


def allow(hosts: Iterable[str] = (), keys: Iterable[str] = ()) -> None:
    """The user's yes, for the rest of this process: keys may go to these hosts (https where no scheme stands before
    it), and a plan may name these variables as keys, of any model."""
    for host in hosts:
        text = host if "://" in host else f"https://{host}"
        _hosts.add(address(text, PLAN, f"--allow-host {host!r:.80}").host)
    _keys.update(keys)


def may_go(place: str, to: Address) -> bool:
    """Whether a key that stands in `place` may be sent to an address."""
    return to.place in (OWN, place) or to.host in _hosts


def may_be_paired(variable: str, keys: Iterable[str], to: Address) -> bool:
    """Whether a variable may be the key of a provider that has `keys`, asked at that address."""
    return variable in keys or variable in _keys or to.host in _hosts


def may_be_a_key(variable: str) -> bool:
    """Whether a plan may name a variable as the key of a model."""
    return _KEY.fullmatch(variable) is not None or variable in _keys


def _ascii(host: str) -> str:
    """As DNS has it: letters that only look like others show."""
    try:
        return host.lower().encode("idna" if not host.isascii() else "ascii").decode()
    except UnicodeError:
        return ""
