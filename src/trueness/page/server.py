"""trueness view: the page on 127.0.0.1, live while a study runs.

    /?token=SECRET               lets a browser in, to what follows, all below /PLACE (entrance.py)
    /                            the studies; one alone is opened at once
    /STUDY/                      its page            /STUDY/data/PATH       what the page asks for (pages.py)
    /STUDY/notes   GET, POST     notes on replies    /STUDY/misread.jsonl   test cases for the reader
    /STUDY/files/plots/NAME      charts that `trueness report` drew

Who may ask: the address must be ours (Host: loopback and our port, against DNS rebinding), who asks must have been let
in, a POST must come from our own page (Origin, and a token that only the page knows). What may be read: the studies
that were named, by name, and charts in their own folders. What may be written: notes.
Every answer has the same headers, also to what is no HTTP. A body that nobody reads ends the connection: what stands
in it is never taken for another request.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import sqlite3
import threading
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit

from trueness.errors import DataError, StoreError, TruenessError
from trueness.files import names_in, read_bytes
from trueness.outside import Json, json_of
from trueness.page import entrance
from trueness.page.figures import FORMATS
from trueness.page.library import Library, OpenStudy
from trueness.page.notes import FILE, add_note, misread_cases, read_notes
from trueness.page.page import html_of, policy, shelf_of, to_json
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
        self.entrance = entrance.Entrance()
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
                webbrowser.open(stack.enter_context(entrance.way_in(self.address)))
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
        headers = {"Set-Cookie": self.server.entrance.set_cookie(), "Content-Security-Policy": entrance.POLICY}
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
