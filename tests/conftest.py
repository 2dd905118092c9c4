"""Shared places: the repository, and the learners that misbehave on purpose."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def outside() -> str:
    """The file of outside learners, as a prefix: outside + "Crashes" is a learner's name."""
    return str(ROOT / "tests" / "studies" / "outside_learners.py") + ":"


@pytest.fixture()
def in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pytest_collection_modifyitems(items):
    """What takes long goes first, so that no worker is left alone with it at the end."""
    items.sort(key=lambda item: "slow" not in item.keywords)
