"""A finished study is one file that can be read where nothing can be written; while it runs, readers see it grow."""

import sqlite3
import subprocess
from contextlib import closing, contextmanager

import pytest

from tests.faults.scenarios import may_mount, small_disk
from trueness.errors import StoreError
from trueness.running.store import Run, Store


def run(key):
    return Run(key, "asia", "clean", "pc", 0, "ok", "", 0.1, "{}", {"f1": (0.5, "ok")})


def journal_of(folder):
    """What the file itself says: 1 for a rollback journal, 2 for a WAL (bytes 18 and 19 of the header)."""
    return set((folder / "study.db").read_bytes()[18:20])


def files_of(folder):
    return sorted(path.name for path in folder.iterdir())


def keys_of(folder):
    with Store.reading(folder) as store:
        return set(store.statuses())


def test_a_study_ends_in_one_file(tmp_path):
    with Store.writing(tmp_path) as store:
        store.add("discovery", [run("a")])
        assert journal_of(tmp_path) == {2} and "study.db-wal" in files_of(tmp_path)
    assert journal_of(tmp_path) == {1} and files_of(tmp_path) == ["study.db", "study.lock"]
    assert keys_of(tmp_path) == {"a"} and files_of(tmp_path) == ["study.db", "study.lock"]  # reading writes nothing


def test_a_driver_waits_for_a_reader_that_is_in_the_middle(tmp_path, monkeypatch):
    with Store.writing(tmp_path) as store:
        store.add("discovery", [run(str(k)) for k in range(1000)])
    monkeypatch.setattr("trueness.running.study_db.BUSY_SECONDS", 0.05)
    monkeypatch.setattr("trueness.running.study_db.TRIES", 2)
    with closing(sqlite3.connect(tmp_path / "study.db")) as reader:
        rows = reader.execute("SELECT key FROM runs")
        next(rows)
        with pytest.raises(StoreError, match="is locked by another program"), Store.writing(tmp_path):
            pass
        rows.close()
        with Store.writing(tmp_path) as store:
            store.add("discovery", [run("last")])
    assert "last" in keys_of(tmp_path)


def test_a_driver_killed_while_its_journal_was_a_second_file_goes_on(tmp_path):
    """In the moments in which a study begins and ends it has a rollback journal."""
    with Store.writing(tmp_path) as store:
        store.add("discovery", [run("a")])
    with closing(sqlite3.connect(tmp_path / "study.db", isolation_level=None)) as driver:
        driver.execute("PRAGMA cache_size=1")
        driver.execute("BEGIN")
        for k in range(2000):  # more than the cache holds: some of it is in the file already
            driver.execute("INSERT INTO prompts VALUES (?, ?)", (str(k), "x" * 500))
        left = {name: (tmp_path / name).read_bytes() for name in ("study.db", "study.db-journal")}
    for name, content in left.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(StoreError, match="was left in the middle of a write. Go on with the study"):
        keys_of(tmp_path)
    with Store.writing(tmp_path) as store:
        store.add("discovery", [run("b")])
    assert keys_of(tmp_path) == {"a", "b"}


@contextmanager
def read_only(folder):
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)


@pytest.fixture
def disk(tmp_path):
    if not may_mount():
        pytest.skip("a read-only medium needs the right to mount: root passes every permission")
    with small_disk(tmp_path / "disk", "16m"):
        yield tmp_path / "disk"


def test_a_finished_study_is_read_from_a_read_only_medium(disk):
    with Store.writing(disk) as store:
        store.add("discovery", [run("a")])
    with read_only(disk):
        assert keys_of(disk) == {"a"}
        with Store.reading(disk) as page:
            assert set(page.statuses()) == {"a"}
        with pytest.raises(StoreError, match="Read-only file system"), Store.writing(disk):
            pass


def test_a_study_with_a_log_that_cannot_be_read_there_is_told_in_one_line(disk):
    """What is only in the log would be missing: that is not a study to be shown."""
    with Store.writing(disk) as store:
        store.add("discovery", [run("a")])
        content, log = ((disk / name).read_bytes() for name in ("study.db", "study.db-wal"))
    (disk / "study.db").write_bytes(content)
    (disk / "study.db-wal").write_bytes(log)
    with read_only(disk), pytest.raises(StoreError, match="Copy the study to where it can be"):
        keys_of(disk)
    assert keys_of(disk) == {"a"}
