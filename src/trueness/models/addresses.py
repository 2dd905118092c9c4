"""Where a model is reached, and which key may go there.

    a key stands in        the environment, or .env
    an address comes from  the provider itself, the environment, .env, or the plan

A key of the provider goes to the provider's own address, to an address that stands where the key stands, and to the
hosts that the user has allowed: `--allow-host HOST`. A plan, or a .env file that lies in a folder, may be a stranger's:
it can name an address and a variable, but it cannot give permission. So another variable, which only a plan can pair
with a provider, needs the user's yes wherever it would go: `--allow-key NAME`, or `--allow-host HOST`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address

from trueness.errors import SettingError

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
