"""A study folder of a stranger: no command reads or writes through a link in it, whatever name the link has."""

import ast
import os
import re
import shutil
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.each import each
from trueness import files
from trueness.cli import main
from trueness.errors import StoreError
from trueness.page.notes import add_note, read_notes
from trueness.running.store import Store

pytestmark = pytest.mark.usefixtures("kept_lanes")

SOURCE = Path(files.__file__).parent
PLAN = 'name = "p"\n[discovery]\ndatasets = ["survey"]\nlearners = ["random", "correlation"]\nruns = 2\nrows = 200\n'
ITSELF = ("study.db", "study.lock", "study.toml")  # without these there is nothing to write anew
SECRET = "the canary's own words"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    place = tmp_path_factory.mktemp("links")
    (place / "p.toml").write_text(PLAN)
    assert main(["run", str(place / "p.toml"), "--folder", str(place / "p"), "--workers", "1", "--json"]) == 0
    return place / "p"


@pytest.fixture
def study(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "study"))


def commands(study):
    """What a user gives; each ends by itself, in one line where something is wrong."""
    for command in (["report"], ["run", "--workers", "1"], ["show"], ["compare", "random", "correlation"]):
        yield [command[0], *command[1:], str(study)] if command[0] != "run" else ["run", str(study), *command[1:]]


@contextmanager
def no_hang(seconds=240):
    def stop(*_):
        raise TimeoutError("a command waits for ever")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def give(study, capsys):
    """All commands, one after the other; what they told."""
    told = []
    for command in commands(study):
        with no_hang():
            code = main([*command, "--json"])
        error = capsys.readouterr().err
        assert code in (0, 2) and "Traceback" not in error
        told.append(error if code else "")
    return told


class Canaries:
    """Files and folders of the user, elsewhere, that nothing may change."""

    def __init__(self, place):
        self.place = place
        self.place.mkdir()

    def file(self, name):
        path = self.place / name.replace("/", "_")
        path.write_text(SECRET)
        return path

    def folder(self, name, like):
        path = self.place / name.replace("/", "_")
        path.mkdir()
        for inner in like.rglob("*"):
            if inner.is_file():
                (path / inner.name).write_text(SECRET)
        return path

    def state(self):
        return {path: path.read_bytes() if path.is_file() else None for path in sorted(self.place.rglob("*"))}


def test_every_file_that_is_written_is_attacked(study, tmp_path, capsys):
    canaries = Canaries(tmp_path / "canaries")
    names = [str(path.relative_to(study)) for path in study.rglob("*") if path.is_file()]
    assert len(names) > 25
    for name in names:
        path = study / name
        planted = [path.with_name(f".{path.name}.{os.getpid()}.tmp")] + ([] if name in ITSELF else [path])
        for link in planted:
            link.unlink(missing_ok=True)
            link.symlink_to(canaries.file(str(link.relative_to(study))))
    before = canaries.state()
    told = give(study, capsys)
    assert canaries.state() == before
    assert told == ["", "", "", ""]  # links are replaced by what is written
    assert not any((study / name).is_symlink() for name in names)
    assert not any(SECRET in path.read_text(errors="replace") for path in study.rglob("*") if path.suffix == ".html")


def test_every_folder_that_is_written_to_is_attacked(finished, tmp_path, capsys):
    folders = [str(path.relative_to(finished)) for path in finished.rglob("*") if path.is_dir()]
    assert {"plots", "variance", "statistics", "paper", "paper/tables", "paper/figures"} <= set(folders)
    for k, name in enumerate(folders):
        study = Path(shutil.copytree(finished, tmp_path / f"study{k}"))
        canaries = Canaries(tmp_path / f"canaries{k}")
        target = canaries.folder(name, study / name)
        shutil.rmtree(study / name)
        (study / name).symlink_to(target, target_is_directory=True)
        before = canaries.state()
        with no_hang():
            code = main(["report", str(study), "--json"])
        error = capsys.readouterr().err
        assert canaries.state() == before
        assert code == 2 and "must be a folder, got a link" in error and error.count("\n") == 1


@pytest.mark.parametrize("name", [*ITSELF, "study.db-wal", "study.db-shm", "study.db-journal"])
@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe", "folder"])
def test_the_study_itself_is_not_opened_elsewhere(name, kind, study, tmp_path, capsys):
    canaries = Canaries(tmp_path / "canaries")
    path, canary = study / name, canaries.place / "canary"
    if kind == "link":
        shutil.copy(path, canary) if path.exists() else canary.write_bytes(b"")
    path.unlink(missing_ok=True)
    if kind.startswith("link"):
        path.symlink_to(canary)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    before = canaries.state()
    told = give(study, capsys)
    assert canaries.state() == before
    wrong = f"{study / name} must be a plain file, got a {kind.split()[0]}"
    (line,) = (line for line in told[1].splitlines() if not line.startswith("compiling"))  # a new machine's first run
    assert wrong in line  # run: it is the one that writes to each of them
    assert name == "study.lock" or wrong in told[0]


@pytest.mark.parametrize("name", ["study.db", "study.lock"])
def test_what_is_changed_in_place_has_one_name(name, study, tmp_path, capsys):
    canary = tmp_path / "canary"
    canary.hardlink_to(study / name)
    before = canary.read_bytes()
    assert main(["run", str(study), "--workers", "1"]) == 2
    assert "must have one name, got 2 (hard links)" in capsys.readouterr().err
    assert canary.read_bytes() == before
    assert main(["show", str(study)]) == 0  # reading changes nothing


def test_a_chart_that_is_a_link_is_shown_nowhere(study, tmp_path, capsys):
    canary = Canaries(tmp_path / "canaries").file("x.svg")
    for name in ("plots/dag_other.svg", "plots/dag_other.csv", "plots/dag_other.pdf"):
        (study / name).symlink_to(canary)
    assert main(["report", str(study), "--json"]) == 0
    files_of_text = [path for path in study.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not any(SECRET.encode() in path.read_bytes() for path in files_of_text)


def test_notes_are_not_written_through_a_link(study, tmp_path):
    with Store.writing(study) as store:
        store.add_reply("r", "mock/x", "p", "[]", {"seed": 1}, {"status": "ok", "text": "x"})
    canary = Canaries(tmp_path / "canaries").file("notes")
    (study / "notes.jsonl").symlink_to(canary)
    with Store.reading(study) as store, pytest.raises(StoreError, match="got a link"):
        add_note(study, {"key": "r", "text": "mine"}, store)
    with pytest.raises(StoreError, match="got a link"):
        read_notes(study)
    assert canary.read_text() == SECRET


def test_a_planted_temporary_file_is_not_written_to(tmp_path, monkeypatch):
    canary = Canaries(tmp_path / "canaries").file("x")
    (tmp_path / ".scores.csv.guessed.tmp").symlink_to(canary)
    monkeypatch.setattr(files, "token_hex", lambda _: "guessed")
    with pytest.raises(StoreError, match="scores.csv cannot be used"):
        files.write_atomically(tmp_path, "scores.csv", "x")
    assert canary.read_text() == SECRET and not (tmp_path / "scores.csv").exists()


def test_the_folder_that_the_user_named_may_be_a_link(study, tmp_path, capsys):
    (tmp_path / "short").symlink_to(study, target_is_directory=True)
    assert give(tmp_path / "short", capsys) == ["", "", "", ""]


@each("name", ["../x", "/tmp/x", "", "a/../../x", "a\0b"])
def test_a_name_leads_nowhere_else(name, tmp_path):
    with pytest.raises(StoreError, match="must have a name below its folder"):
        files.write_atomically(tmp_path, name, "x")


def test_a_journal_that_names_another_file_deletes_none(study, tmp_path, capsys):
    """SQLite deletes the file that a rollback journal names as its super-journal."""
    victim = Canaries(tmp_path / "canaries").file("victim")
    name = str(victim).encode()
    number = [count.to_bytes(4, "big") for count in (0x40000000 // 4096 + 1, len(name), sum(name))]
    magic = bytes.fromhex("d9d505f920a163d7")
    page = (study / "study.db").read_bytes()[:4096]
    head = magic + b"".join(count.to_bytes(4, "big") for count in (1, 0, 1, 512, 4096))
    journal = head.ljust(512, b"\0") + (1).to_bytes(4, "big") + page + _checksum(page) + number[0] + name + number[1]
    (study / "study.db-journal").write_bytes(journal + number[2] + magic)
    code = main(["run", str(study), "--workers", "1"])
    assert victim.exists()
    assert code == 2 and "got one that names another file" in capsys.readouterr().err


def _checksum(page):
    return sum(page[k] for k in range(len(page) - 200, 0, -200)).to_bytes(4, "big")


OF_USERS = {  # what the user names on the command line or in Python, and what is in no study folder
    "cli.py": {"write_text"},  # trueness new FILE, which must not be there yet
    "files.py": {"fdopen", "mkdir", "replace"},
    "running/study.py": {"mkdir"},  # the study folder itself
    "graphs/formats.py": {"write_bytes"},  # graph.save(path)
    "learners/kernels/__init__.py": {"mkdir", "write_text"},  # the cache of compiled code
    "page/entrance.py": {"write_text"},  # in a temporary folder of its own
}


def test_nothing_else_in_the_program_writes_files():
    """Every writer goes through files.py; a new one that does not is found here."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        for name in filter(None, map(_writer, calls)):
            found.setdefault(str(path.relative_to(SOURCE)), set()).add(name)
    assert {file: names for file, names in found.items() if not names <= OF_USERS.get(file, set())} == {}


def _writer(call):
    """The name of a call that makes or changes a file."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = getattr(getattr(call.func, "value", None), "id", "")
    given = [a.value for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)]
    if name in ("open", "fdopen"):
        return name if any(re.fullmatch(r"[wax]\+?[bt]?|r\+b?", str(mode)) for mode in given) else None
    if name in ("replace", "rename", "copy", "move"):  # of files, not of texts and frames
        return name if owner in ("os", "shutil", "path", "temporary", "target") else None
    if name in ("write_text", "write_bytes", "touch", "mkdir", "makedirs", "symlink_to", "copytree", "savefig"):
        return name
    return name if name in ("to_csv", "to_parquet", "to_excel") and call.args else None
