"""Shared places: the repository, and the learners that misbehave on purpose."""

import os
import signal
from pathlib import Path

import pytest

from tests.net.studies import finished

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def outside() -> str:
    """The file of outside learners, as a prefix: outside + "Crashes" is a learner's name."""
    return str(ROOT / "tests" / "studies" / "outside_learners.py") + ":"


@pytest.fixture(scope="session")
def small_study(tmp_path_factory):
    """kind -> the folder of a small finished study, made once a test run for all its processes: to be read only."""
    shared = tmp_path_factory.getbasetemp()
    place = (shared.parent if os.environ.get("PYTEST_XDIST_WORKER") else shared) / "small-studies"
    return lambda kind: finished(kind, place)


@pytest.fixture()
def in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pytest_configure():
    """A shell's background job ignores Ctrl-C, nohup a hang-up, and so would every program that a test starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_modifyitems(items):
    """What takes long goes first, so that no worker is left alone with it at the end."""
    items.sort(key=lambda item: "slow" not in item.keywords)
