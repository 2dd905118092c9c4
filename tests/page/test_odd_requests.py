"""What is no request, or half of one: one answer with our headers, and never a second one to what stands in a body."""

import socket

import pytest

from .test_server import ask, ask_for_key

HEADERS = ("Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff", "Cache-Control: no-store",
           "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin")  # fmt: skip


def sent(server, *parts: bytes) -> str:
    """All that comes back to these bytes until the server ends the connection."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        for part in parts:
            connection.sendall(part)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer.decode()


def request(server, line: str, *headers: str, body: str = "") -> bytes:
    host = f"Host: 127.0.0.1:{server.server_port}"
    return "\r\n".join([line, host, *headers, "", body]).encode()


SECOND = "GET /study/data/progress HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("line", "length"),
    [
        ("POST /study/notes HTTP/1.1", "Content-Length: {n}"),  # refused: no secret, no token
        ("POST /nothing HTTP/1.1", "Content-Length: {n}"),
        ("GET /study/ HTTP/1.1", "Content-Length: {n}"),  # a GET with a body
        ("HEAD / HTTP/1.1", "Content-Length: {n}"),
        ("POST /study/notes HTTP/1.1", "Content-Length: 10_0"),
        ("POST /study/notes HTTP/1.1", "Content-Length: -1"),
        ("POST /study/notes HTTP/1.1", "Content-Length: \u00b2"),
        ("POST /study/notes HTTP/1.1", "Content-Length: {n}, {n}"),
        ("POST /study/notes HTTP/1.1", "Content-Length: 99999999999999999999"),
        ("POST /study/notes HTTP/1.1", "Transfer-Encoding: chunked"),
        ("PUT /study/notes HTTP/1.1", "Content-Length: {n}"),
        ("DELETE /study/notes HTTP/1.1", "Transfer-Encoding: chunked"),
    ],
)
def test_the_body_of_a_refused_request_is_not_a_second_request(small, serve, line, length):
    server = serve(small)
    second = SECOND.format(port=server.server_port)
    found = sent(server, request(server, line, length.format(n=len(second)), body=second))
    assert found.count("HTTP/1.1 ") == 1 and "Connection: close" in found


def test_nor_is_it_for_who_was_let_in(copy, serve):
    server = serve(copy)
    place, cookie = server.entrance.place, f"Cookie: {server.entrance.cookie}"
    second = (
        SECOND.format(port=server.server_port)
        .replace("/study/", f"{place}copy/")
        .replace("\r\n\r\n", f"\r\n{cookie}\r\n\r\n")
    )
    for line, token in (
        (f"POST {place}copy/notes", "wrong"),
        (f"POST {place}nothing", server.token),
        (f"GET {place}copy/", ""),
    ):
        head = request(
            server, f"{line} HTTP/1.1", cookie, f"X-Trueness-Token: {token}", f"Content-Length: {len(second)}"
        )
        found = sent(server, head, second.encode())
        assert found.count("HTTP/1.1 ") == 1


def test_a_body_that_is_never_sent_is_not_waited_for(small, serve):
    server = serve(small)
    found = sent(server, request(server, "POST /study/notes HTTP/1.1", "Content-Length: 50"))
    assert found.startswith("HTTP/1.1 403 ")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("PUT /study/ HTTP/1.1", 501),
        ("FOO /study/ HTTP/1.1", 501),
        ("\x1b[2J / HTTP/1.1", 501),
        ("OPTIONS * HTTP/1.1", 501),
        ("TRACE /study/ HTTP/1.1", 501),
        ("GET / HTTP/9.9", 505),
        ("GET / HTTP/1.1 and more", 400),
        ("nonsense", 400),
        ("GET /" + "a" * 70_000 + " HTTP/1.1", 414),
        ("GET / HTTP/1.1\r\n" + "\r\n".join(f"X-{k}: 1" for k in range(200)), 431),
        ("GET / HTTP/1.1\r\nX: " + "a" * 70_000, 431),
        ("GET http://[ HTTP/1.1", 503),
        ("GET /", 403),  # HTTP/0.9
    ],
    ids=lambda value: str(value)[:24].encode("unicode_escape").decode(),
)
def test_what_is_not_answered_gets_our_headers(small, serve, given, status):
    server = serve(small)
    found = sent(server, request(server, given, "Connection: close"))
    head, _, body = found.partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ")
    assert all(header in head for header in HEADERS) and "frame-ancestors 'none'" in head
    assert "text/html" not in head and "\x1b" not in found and "Traceback" not in body


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 50_000,
        b'{"a":' * 10_000,
        b"[" * 60 + b"]" * 60,
        b"{",
        b"",
        b"\xff\xfe",
        b'"\\ud800"',
        b"1" * 5_000,
        b"NaN",
    ],
    ids=lambda body: repr(body[:12]),
)
def test_json_that_is_none_is_told_in_one_line(copy, serve, body):
    server = serve(copy)
    place = server.entrance.place
    head = ("POST {}copy/notes HTTP/1.1", f"Cookie: {server.entrance.cookie}", f"X-Trueness-Token: {server.token}")
    first = request(server, head[0].format(place), *head[1:], f"Content-Length: {len(body)}")
    after = request(server, f"GET {place}copy/data/progress HTTP/1.1", head[1], "Connection: close")
    found = sent(server, first, body, after)
    assert found.startswith("HTTP/1.1 400 ") and "Traceback" not in found
    assert found.count("HTTP/1.1 200 ") == 1  # the body was read: the connection goes on


def test_a_fault_of_the_program_is_answered_too(copy, serve, monkeypatch):
    from trueness.page.library import OpenStudy

    server = serve(copy)
    ask_for_key(server)
    monkeypatch.setattr(OpenStudy, "answer", lambda self, path: 1 / 0)
    status, _, text = ask(server, "/copy/data/overview")
    assert status == 500 and "ZeroDivisionError" in text and "Traceback" not in text
