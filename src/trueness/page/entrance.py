"""Who may see a served page: whoever knows the secret of the address that `trueness view` prints.

    http://127.0.0.1:8765/?token=SECRET    sets a cookie and leads to  http://127.0.0.1:8765/PLACE/

Everything lies below PLACE and is given to who brings the cookie. The secret is made anew for each server, leaves the
address bar at once, and goes to no other page: the cookie is HttpOnly and SameSite=Strict. Cookies know no ports, so
another user's server on this machine could ask for it; it would have to know PLACE, for which alone it is sent.
A browser's command line can be read by every user (ps): it is given a file that only this user can read.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

COOKIE = "trueness"
_GO_ON = "location.replace(document.body.dataset.to + location.hash)"  # a redirect would come without the cookie
_HASH = base64.b64encode(hashlib.sha256(_GO_ON.encode()).digest()).decode()
POLICY = f"default-src 'none'; script-src 'sha256-{_HASH}'; img-src data:; base-uri 'none'; form-action 'none'"


class Entrance:
    """The secret of one server."""

    def __init__(self) -> None:
        self.place = f"/{secrets.token_urlsafe(9)}/"
        self._secret = secrets.token_urlsafe(24)

    @property
    def query(self) -> str:
        return f"token={self._secret}"

    @property
    def cookie(self) -> str:
        return f"{COOKIE}={self._secret}"

    def set_cookie(self) -> str:
        return f"{self.cookie}; Path={self.place}; HttpOnly; SameSite=Strict"

    def knows(self, secret: str) -> bool:
        """Whether it is the secret; how long that takes says nothing of it."""
        return hmac.compare_digest(secret.encode("utf-8", "replace"), self._secret.encode())

    def admits(self, path: str, cookies: Iterable[str]) -> bool:
        """Whether a path with these Cookie headers may be answered."""
        pairs = (pair.strip().partition("=") for header in cookies for pair in header.split(";"))
        return path.startswith(self.place) and any(name == COOKIE and self.knows(secret) for name, _, secret in pairs)

    def page(self, path: str) -> str:
        """What the printed address shows: it goes on to the path below PLACE, with the rest of the address (#...)."""
        to = escape(self.place + path.lstrip("/"))
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">'
            f'<title>trueness</title></head><body data-to="{to}"><noscript><a href="{to}">Go on</a></noscript>'
            f"<script>{_GO_ON}</script></body></html>\n"
        )


@contextmanager
def way_in(address: str) -> Iterator[str]:
    """The address of a file, readable by this user alone, that leads a browser to the address."""
    with TemporaryDirectory(prefix="trueness-") as folder:  # 0700
        path = Path(folder) / "open.html"
        to = escape(address)
        path.write_text(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={to}">'
            f'<title>trueness</title><a href="{to}">Go on</a>\n',
            encoding="utf-8",
        )
        yield path.as_uri()
