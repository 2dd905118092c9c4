"""trueness view: the page on 127.0.0.1, live while a study runs.

    /?token=SECRET               lets a browser in, to what follows, all below /PLACE
    /                            the studies; one alone is opened at once
    /STUDY/                      its page            /STUDY/data/PATH       what the page asks for (pages.py)
    /STUDY/notes   GET, POST     notes on replies    /STUDY/misread.jsonl   test cases for the reader
    /STUDY/files/plots/NAME      charts that `trueness report` drew

Who may ask: the address must be ours (Host: loopback and our port, against DNS rebinding), who asks must have been let
in, a POST must come from our own page (Origin, and a token that only the page knows). What may be read: the studies
that were named, by name, and charts in their own folders. What may be written: notes.
Every answer has the same headers, also to what is no HTTP. A body that nobody reads ends the connection: what stands
in it is never taken for another request.

Who may see it: whoever knows the secret of the address that `trueness view` prints.

    http://127.0.0.1:8765/?token=SECRET    sets a cookie and leads to  http://127.0.0.1:8765/PLACE/

Everything lies below PLACE and is given to who brings the cookie. The secret is made anew for each server, leaves the
address bar at once, and goes to no other page: the cookie is HttpOnly and SameSite=Strict. Cookies know no ports, so
another user's server on this machine could ask for it; it would have to know PLACE, for which alone it is sent.
A browser's command line can be read by every user (ps): it is given a file that only this user can read.

Notes on replies and "misread" marks: notes.jsonl in the study's folder, one JSON object a line, only ever added to.

    {"at": ..., "key": reply, "task": ..., "cell": [item, variant, respondent], "text": ..., "misread": true}

The note of a misread reply says what the reply really says; misread.jsonl has the marked replies with their notes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import socket
import sqlite3
import threading
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, quote, unquote, urlsplit

from trueness.errors import DataError, StoreError, TruenessError
from trueness.files import check_plain, names_in, open_in_place, read_bytes, read_text
from trueness.outside import Json, json_of
from trueness.page.figures import FORMATS
from trueness.page.library import Library, OpenStudy
from trueness.page.page import html_of, policy, shelf_of, to_json
from trueness.running.store import Store
from trueness.texts import printable_json

HOST = "127.0.0.1"
PORT = 8765
TRIES = 20  # ports after the one asked for
MOST_BYTES = 100_000  # of a note
LINGER = 1.0  # seconds for a body that nobody reads
_KINDS = {"pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "csv": "text/csv; charset=utf-8"}
_JSON, _HTML = "application/json; charset=utf-8", "text/html; charset=utf-8"


class ViewServer(ThreadingHTTPServer):
    """Serves a library until it is stopped; `address` is where."""

    daemon_threads = True
    allow_reuse_address = False  # a port that somebody listens on is taken, whatever the system thinks

    def __init__(self, library: Library, port: int):
        self.library = library
        self.entrance = Entrance()
        self.token = secrets.token_urlsafe(24)  # of notes
        super().__init__((HOST, port), Handler)

    @property
    def address(self) -> str:
        return self.address_of("")

    def address_of(self, path: str) -> str:
        """The address of a path, with the secret that lets a browser in."""
        return f"http://{HOST}:{self.server_port}/{path}?{self.entrance.query}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away is no error; what else happens is answered by the handler."""

    def serve_until_stopped(self, browse: bool) -> None:
        """Answer until Ctrl-C; `browse`: in a browser that is opened now."""
        threading.Thread(target=self.library.warm, daemon=True).start()
        with ExitStack() as stack, suppress(KeyboardInterrupt):
            stack.callback(self.library.close)
            stack.callback(self.server_close)
            if browse:
                webbrowser.open(stack.enter_context(way_in(self.address)))
            self.serve_forever()


def server_for(library: Library, port: int = PORT) -> ViewServer:
    """A server on the port, or on the next one that is free."""
    for tried in range(port, port + TRIES) if port else (0,):
        try:
            return ViewServer(library, tried)
        except OSError:
            continue
    raise StoreError(f"no port from {port} to {port + TRIES - 1} is free. Choose another: trueness view --port 9000")


class Handler(BaseHTTPRequestHandler):
    server: ViewServer
    protocol_version = default_request_version = "HTTP/1.1"  # the second is how a malformed request is answered
    timeout = 60
    _body_was_read = False

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_HEAD(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, answer: Callable[[str], None]) -> None:
        """Errors are one line of JSON; what the caller went away from is dropped."""
        self._body_was_read = False
        try:
            address = urlsplit(self.path)
            tokens = parse_qs(address.query).get("token")
            if not self._is_ours():
                self._error(HTTPStatus.FORBIDDEN, "this address is not the one that is served.")
            elif tokens and self.command != "POST" and self.server.entrance.knows(tokens[0]):
                self._let_in(address.path)
            elif not self.server.entrance.admits(address.path, self.headers.get_all("Cookie", ())):
                self._error(
                    HTTPStatus.FORBIDDEN, "open the whole address that 'trueness view' printed, with its token."
                )
            else:
                answer(address.path.removeprefix(self.server.entrance.place))
        except (BrokenPipeError, ConnectionError):
            self.close_connection = True
        except TruenessError as error:
            self._error(HTTPStatus.BAD_REQUEST, str(error))
        except (sqlite3.Error, OSError, ValueError) as error:
            self._error(HTTPStatus.SERVICE_UNAVAILABLE, f"the study cannot be read now: {' '.join(str(error).split())}")
        except Exception as error:  # whatever a study holds: who asks gets an answer
            self._error(HTTPStatus.INTERNAL_SERVER_ERROR, f"this cannot be shown ({type(error).__name__}).")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server refuses by itself: unknown methods, lines and heads that are too long, no HTTP at all."""
        self.close_connection = True
        self._error(HTTPStatus(code), f"this is no request that is answered here ({HTTPStatus(code).phrase}).")

    def _is_ours(self) -> bool:
        """Host names loopback and our port: a name of somebody else's that resolves to this machine is not ours."""
        host = self.headers.get("Host", "")
        return host in {f"{name}:{self.server.server_port}" for name in (HOST, "localhost", "[::1]")}

    def _get(self, path: str) -> None:
        parts = path.split("/")
        if parts in ([""], ["index.html"]):
            self._shelf()
            return
        study = self.server.library.studies.get(unquote(parts[0]))
        if study is None:
            self._error(HTTPStatus.NOT_FOUND, "no such study is served.")
            return
        match parts[1:]:
            case [] | [""]:
                self._page(study, slash=len(parts) > 1)
            case ["data", *rest]:
                self._json_text(study.answer("/".join(rest)))
            case ["notes"]:
                self._json_text(to_json(read_notes(study.folder)))
            case ["misread.jsonl"]:
                lines = [printable_json(case) for case in misread_cases(study.folder, study.store)]
                self._send("".join(f"{line}\n" for line in lines).encode("utf-8"), "application/x-ndjson")
            case ["files", place, name]:
                self._file(study, unquote(place), unquote(name))
            case _:
                self._error(HTTPStatus.NOT_FOUND, "there is nothing at this address.")

    def _post(self, path: str) -> None:
        origin, token = self.headers.get("Origin"), self.headers.get("X-Trueness-Token", "")
        if origin is not None and origin != f"http://{self.headers.get('Host')}":
            self._error(HTTPStatus.FORBIDDEN, "a note must come from this page.")
            return
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()):
            self._error(HTTPStatus.FORBIDDEN, "a note must come from this page. Reload it.")
            return
        parts = path.split("/")
        study = self.server.library.studies.get(unquote(parts[0]))
        length = self.headers.get("Content-Length", "")
        if study is None or parts[1:] != ["notes"]:
            self._error(HTTPStatus.NOT_FOUND, "there is nothing to write at this address.")
        elif not length.isdecimal() or not length.isascii() or len(length) > 9 or int(length) > MOST_BYTES:
            self._error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a note must have at most {MOST_BYTES:,} bytes.")
        else:
            note = add_note(study.folder, self._read_note(int(length)), study.store)
            self._json_text(to_json({"note": note, "file": str(study.folder / FILE)}))

    def _read_note(self, length: int) -> Json:
        """The JSON of the body."""
        content = self.rfile.read(length)
        self._body_was_read = len(content) == length
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise DataError("a note must be JSON in UTF-8, got other bytes. Reload the page.") from None
        return json_of(text, "a note")

    # ---- what is sent

    def _let_in(self, path: str) -> None:
        headers = {"Set-Cookie": self.server.entrance.set_cookie(), "Content-Security-Policy": ENTRANCE_POLICY}
        self._send(self.server.entrance.page(path).encode("utf-8", "replace"), _HTML, headers)

    def _shelf(self) -> None:
        studies = self.server.library.entries()
        if len(studies) == 1 and not studies[0]["problem"]:
            self._redirect(studies[0]["name"])
        else:
            self._send(shelf_of(studies).encode("utf-8"), _HTML)

    def _page(self, study: OpenStudy, slash: bool) -> None:
        if not slash:  # relative addresses of the page need it
            self._redirect(study.name)
            return
        problem = study.problem()
        if problem:
            studies = [{"name": study.name, "folder": str(study.folder), "problem": problem}]
            self._send(shelf_of(studies).encode("utf-8"), _HTML)
            return
        document = {
            "served": True,
            "study": study.name,
            "head": study.head(),
            "sample": "",
            "studies": self.server.library.entries(),
            "token": self.server.token,
            "data": {},
        }
        self._send(html_of(document).encode("utf-8"), _HTML)

    def _file(self, study: OpenStudy, place: str, name: str) -> None:
        """A chart of the study: a plain name with a known ending, of a file that lies in the study's own folder."""
        ending = name.rpartition(".")[2]
        if place not in study.chart_places() or ending not in FORMATS or name not in names_in(study.folder, place):
            self._error(HTTPStatus.NOT_FOUND, "there is no such chart.")
            return
        content = read_bytes(study.folder, f"{place}/{name}")
        self._send(content, _KINDS[ending], {"Content-Disposition": "attachment"})

    def _json_text(self, text: str | None) -> None:
        if text is None:
            self._error(HTTPStatus.NOT_FOUND, "the study has no such thing.")
        else:
            self._send(text.encode("utf-8"), _JSON)

    def _error(self, status: HTTPStatus, line: str) -> None:
        self._send(to_json({"error": line}).encode("utf-8"), _JSON, status=status)

    def _redirect(self, study: str) -> None:
        where = f"{self.server.entrance.place}{quote(study, safe='')}/"
        self._send(b"", _HTML, {"Location": where}, HTTPStatus.FOUND)

    def _send(
        self, content: bytes, kind: str, headers: dict[str, str] | None = None, status: HTTPStatus = HTTPStatus.OK
    ) -> None:
        unread = self._has_unread_body()
        self.send_response(status)
        always = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            "Content-Security-Policy": policy(served=True),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
        } | (headers or {})
        always["Content-Security-Policy"] += "; frame-ancestors 'none'"
        if unread or self.close_connection:
            always["Connection"] = "close"  # also tells http.server to end it
        for name, value in always.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        if unread:
            self._linger()

    def _has_unread_body(self) -> bool:
        head = getattr(self, "headers", None)
        sent = head is not None and (head.get("Content-Length", "0") != "0" or "Transfer-Encoding" in head)
        return sent and not self._body_was_read

    def _linger(self) -> None:
        """Take some of what still comes and drop it: a connection that is closed on it would lose the answer too."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(LINGER)
            self.rfile.read(MOST_BYTES)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal shows where the page is, not who asked for what."""


# ---- who may come in

COOKIE = "trueness"
_GO_ON = "location.replace(document.body.dataset.to + location.hash)"  # a redirect would come without the cookie
_HASH = base64.b64encode(hashlib.sha256(_GO_ON.encode()).digest()).decode()
ENTRANCE_POLICY = f"default-src 'none'; script-src 'sha256-{_HASH}'; img-src data:; base-uri 'none'; form-action 'none'"


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


# ---- notes

FILE = "notes.jsonl"
LONGEST = 20_000  # characters of one note
_WRITING = threading.Lock()


def read_notes(folder: Path) -> list[dict[str, Json]]:
    """All notes of a study; a line that is none is left out, not repaired."""
    lines = read_text(folder, FILE).splitlines() if check_plain(folder, FILE) else []
    return [note for note in map(_note, lines) if note is not None]


def add_note(folder: Path, sent: object, store: Store) -> dict[str, Json]:
    """Check a note and add it; only one about a reply of this study is taken."""
    if not isinstance(sent, Mapping):
        raise DataError("a note must be a JSON object with the key of a reply, got something else.")
    key, text = sent.get("key"), sent.get("text", "")
    if not isinstance(key, str) or store.reply(key) is None:
        raise DataError("a note must be about a reply of this study, got a key that is not there. Reload the page.")
    if not isinstance(text, str) or len(text) > LONGEST:
        raise DataError(f"the text of a note must have at most {LONGEST:,} characters. Shorten it.")
    misread = sent.get("misread") is True
    if not text.strip() and not misread:
        raise DataError("a note must have a text or a misread mark, got neither.")
    note: dict[str, Json] = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "key": key, "text": text.strip()}
    note |= {"task": str(sent.get("task", ""))[:100], "cell": [str(part)[:300] for part in _as_list(sent.get("cell"))]}
    note["misread"] = misread
    _append(folder, printable_json(note))
    return note


def misread_cases(folder: Path, store: Store) -> Iterator[dict[str, Json]]:
    """One line a misread reply: the last mark counts."""
    last = {note["key"]: note for note in read_notes(folder) if note.get("misread")}
    for key, note in last.items():
        if (stored := store.reply(key)) is not None:
            yield {"id": f"misread-{key[:12]}", "text": str(stored.reply.get("text") or ""), "note": note["text"]}


def _as_list(value: object) -> list[Json]:
    return value if isinstance(value, list) else []


def _note(line: str) -> dict[str, Json] | None:
    try:
        note = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return note if isinstance(note, dict) and isinstance(note.get("key"), str) else None


def _append(folder: Path, line: str) -> None:
    """One write of one line at the end: two pages may add at once, and a crash leaves whole lines."""
    with _WRITING:
        handle = open_in_place(folder, FILE, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, (line + "\n").encode("utf-8"))
        finally:
            os.close(handle)
