"""A study folder of a stranger: no command reads or writes through a link in it, whatever name the link has."""

import os
import shutil
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

from trueness import files
from trueness.cli import main

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
    assert len(names) > 20
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
