"""Who may ask the server for what, once they were let in (test_entrance.py)."""

import http.client
import json
import shutil
import socket
import threading

import pytest

from trueness.errors import StoreError
from trueness.page import server as view
from trueness.page.library import Library
from trueness.page.server import FILE

from .conftest import serving


def ask(server, path, method="GET", headers=None, body=None):
    """The status, the headers and the text of an answer to who was let in; the path is sent as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
    connection.putrequest(method, server.entrance.place[:-1] + path, skip_host=True, skip_accept_encoding=True)
    let_in = {"Host": f"127.0.0.1:{server.server_port}", "Cookie": server.entrance.cookie}
    for name, value in (let_in | (headers or {})).items():
        connection.putheader(name, value)
    content = None if body is None else json.dumps(body).encode()
    if content is not None:
        connection.putheader("Content-Length", str(len(content)))
    connection.endheaders(content)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return found


def ask_for_key(server):
    cell = "/copy/data/cell/forecast/asia%2Fpc/direct%2Fnamed%2Ffull%2Ftold%2Frun/mock%2Frefuses"
    return next(b["key"] for b in json.loads(ask(server, cell)[2])["blocks"] if b["kind"] == "exchange")


@pytest.fixture(scope="module")
def noted(small, tmp_path_factory):
    """A server for notes that are refused, the folder that none may be in, and the key of a reply."""
    folder = shutil.copytree(small, tmp_path_factory.mktemp("noted") / "copy")
    with serving(folder) as server:
        yield server, folder, ask_for_key(server)


def tree(folder):
    return {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_host_is_refused(small, serve, host):
    server = serve(small)
    status, _, text = ask(server, "/study/data/progress", headers={"Host": host.format(port=server.server_port)})
    assert status == 403 and "small" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/study/files/plots/../study.db", "/study/files/plots/..%2Fstudy.db", "/study/files/../study.db",
        "/study/files/plots/%2e%2e/study.toml", "/study/files/plots/intervals_f1.exe", "/../../etc/passwd",
        "/study/files/plots//etc/passwd", "/study/data/../../study.db", "/other/", "/study/files/variance/x.csv",
        "/study/files/plots/link.csv", "/study/files/plots/%00.csv",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_charts(copy, serve, path, tmp_path):
    (tmp_path / "secret.csv").write_text("secret")
    (copy / "plots" / "link.csv").symlink_to(tmp_path / "secret.csv")
    status, _, text = ask(serve(copy), path.replace("/study/", "/copy/"))
    assert status in (400, 404, 503) and "secret" not in text and "root:" not in text


def test_charts_can_be_had(small, serve):
    status, headers, text = ask(serve(small), "/study/files/plots/intervals_f1.csv")
    assert status == 200 and text.startswith("kind,") and headers["Content-Disposition"] == "attachment"


def test_only_our_own_page_may_write_a_note(copy, serve):
    server = serve(copy)
    note = {"key": ask_for_key(server), "text": "seen"}
    ours = {"Origin": f"http://127.0.0.1:{server.server_port}", "X-Trueness-Token": server.token}
    refused = [
        {},
        {"X-Trueness-Token": "wrong"},
        ours | {"Origin": "http://evil.example"},
        ours | {"X-Trueness-Token": ""},
    ]
    assert [ask(server, "/copy/notes", "POST", headers, note)[0] for headers in refused] == [403] * 4
    assert not (copy / FILE).exists()
    assert ask(server, "/copy/notes", "POST", ours, note)[0] == 200
    assert json.loads(ask(server, "/copy/notes")[2])[0]["text"] == "seen"


def test_looking_writes_nothing_into_the_study(copy, serve):
    before = tree(copy)
    server = serve(copy)
    for path in (
        "/copy/",
        "/copy/data/overview",
        "/copy/data/grid/forecast",
        "/copy/data/analysis",
        "/copy/data/figures",
    ):
        assert ask(server, path)[0] == 200
    sqlite_own = {"study.db-shm", "study.db-wal"}
    assert {k: v for k, v in tree(copy).items() if k not in sqlite_own} == {
        k: v for k, v in before.items() if k not in sqlite_own
    }


@pytest.mark.parametrize(
    "note",
    [
        [], {}, {"key": "no such reply", "text": "x"}, {"key": 5, "text": "x"}, {"key": None, "misread": True},
        {"key": "KEY", "text": ""}, {"key": "KEY", "text": "x" * 20_001}, {"key": "KEY", "text": 7},
    ],
)  # fmt: skip
def test_a_note_that_is_none_is_one_line(noted, note):
    server, folder, key = noted
    given = note | {"key": key} if isinstance(note, dict) and note.get("key") == "KEY" else note
    status, _, text = ask(server, "/copy/notes", "POST", {"X-Trueness-Token": server.token}, given)
    assert status == 400 and "\n" not in json.loads(text)["error"] and not (folder / FILE).exists()


def test_a_port_in_use_gives_the_next_one(small):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = view.server_for(Library([small]), port)
        assert port < server.server_port <= port + view.TRIES
        server.server_close()


def test_no_free_port_is_one_line(small, monkeypatch):
    monkeypatch.setattr(view, "TRIES", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(StoreError, match="Choose another: trueness view --port"):
            view.server_for(Library([small]), taken.getsockname()[1])


def test_many_at_once_get_the_same_answer(small, serve):
    server, found = serve(small), []
    threads = [
        threading.Thread(target=lambda: found.append(ask(server, "/study/data/grid/forecast")[2])) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1
