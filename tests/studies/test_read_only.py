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
