"""Another user of the machine: without the secret of the printed address nothing is answered, with it all is."""

import http.client
import re
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.shapes import shaped
from trueness.page.server import way_in

from .test_server import ask

PATHS = ["/", "/index.html", "/study/", "/study", "/study/data/progress", "/study/data/overview", "/study/notes",
         "/study/misread.jsonl", "/study/files/plots/intervals_f1.csv", "/nothing", "/favicon.ico"]  # fmt: skip


def plainly(server, path, method="GET", headers=None):
    """As another user asks: no cookie."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return found


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_without_the_secret_everything_is_refused(small, serve, method):
    server = serve(small)
    for path in PATHS:
        status, headers, text = plainly(server, path, method)
        assert (status, path) == (403, path) and "Set-Cookie" not in headers
        assert "nosniff" in headers["X-Content-Type-Options"] and "study" not in text


def test_without_the_secret_the_place_is_of_no_use(small, serve):
    server = serve(small)
    place = server.entrance.place
    for path in PATHS:
        assert plainly(server, place[:-1] + path)[0] == 403
        assert plainly(server, place[:-1] + path, headers={"Cookie": "trueness=guess; x=1"})[0] == 403


def test_the_cookie_is_of_no_use_where_browsers_would_not_send_it(small, serve):
    server = serve(small)
    assert plainly(server, "/study/data/progress", headers={"Cookie": server.entrance.cookie})[0] == 403


@pytest.mark.parametrize("given", ["", "wrong", "%00", "\\xff", "a" * 5000])
def test_a_wrong_secret_is_refused(small, serve, given):
    server = serve(small)
    status, headers, _ = plainly(server, f"/?token={given}")
    assert status == 403 and "Set-Cookie" not in headers


def test_the_printed_address_lets_in_and_the_secret_leaves_the_address(small, serve):
    server = serve(small)
    asked = urlsplit(server.address_of("study/"))
    secret = asked.query.removeprefix("token=")
    status, headers, text = plainly(server, f"{asked.path}?{asked.query}")
    cookie = headers["Set-Cookie"]
    assert status == 200 and secret not in text
    assert {"HttpOnly", "SameSite=Strict", f"Path={server.entrance.place}"} <= set(cookie.split("; "))
    to = re.search('data-to="([^"]*)"', text)[1]
    status, headers, text = plainly(server, to, headers={"Cookie": f"other=1; {cookie.partition(';')[0]}"})
    assert status == 200 and "<title>small" in text and secret not in text
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"


def test_two_servers_have_two_secrets(small, serve):
    one, two = serve(small), serve(small)
    assert ask(one, "/study/")[0] == 200
    assert ask(two, "/study/", headers={"Cookie": one.entrance.cookie})[0] == 403


def test_a_secret_sent_to_another_host_name_opens_nothing(small, serve):
    server = serve(small)
    path = f"/?{server.entrance.query}"
    assert plainly(server, path, headers={"Host": "evil.example"})[0] == 403


def test_the_browser_gets_a_file_that_only_this_user_can_read(small, serve):
    address = serve(small).address
    with way_in(address) as given:
        assert "token" not in given  # a command line is everybody's to read
        path = Path(unquote(urlsplit(given).path))
        assert address in path.read_text()
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not path.parent.exists()


def test_the_command_gives_the_whole_address(small):
    command = [sys.executable, "-m", "trueness", "view", str(small), "--no-browser", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline()]
        while lines[-1] != "}\n":
            lines.append(process.stdout.readline())
        address = shaped("view", "".join(lines))["address"]
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert "HttpOnly" in answer.headers["Set-Cookie"]
        process.terminate()


# ---- in a browser


@pytest.mark.parametrize("how", ["address", "file"])
def test_a_browser_that_was_let_in_stays_in(small, serve, page, how):
    """Typed, or from the file that `trueness view` opens (another site): page, data, reload and a new tab work."""
    server = serve(small)
    with way_in(server.address) as file:
        page.page.goto(server.address if how == "address" else file)
        page.page.wait_for_selector(".checks li", state="attached")
    shown = page.page.url
    assert "token" not in shown and shown.endswith("/study/")
    page.page.reload()
    page.page.wait_for_selector(".checks li", state="attached")
    tab = page.page.context.new_page()
    tab.goto(shown)
    tab.wait_for_selector(".checks li", state="attached")
    assert page.errors == [] and page.page.evaluate("document.cookie") == ""
    page.page.go_back()  # not to the address with the secret
    assert "token" not in page.page.url


def test_a_page_on_another_port_of_this_machine_gets_no_cookie(small, serve, page):
    """Cookies know no ports: whoever serves there would have to know the place."""
    server, other = serve(small), serve(small)
    page.page.goto(server.address)
    page.page.wait_for_selector(".checks li", state="attached")
    heard = []
    page.page.on("request", lambda request: heard.append(request))
    page.page.goto(f"http://127.0.0.1:{other.server_port}/")
    there = [request for request in heard if f":{other.server_port}/" in request.url]  # the page left may still ask
    assert there and all("cookie" not in request.all_headers() for request in there)
