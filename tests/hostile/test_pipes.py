"""A pipe or a device in the place of any input: it is named as such, in one line, and nobody waits for it."""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

from trueness.cli import main

PLAN = '[discovery]\ndatasets = ["asia"]\nlearners = ["pc"]\nruns = 2\nrows = 100\n'
DOORS = [
    "plan {}.toml", "run {}.toml", "plan {}.json", "learn {}.csv", "learn {}.parquet", "analyse {}.csv",
    "analyse {}.eval", "analyse {}.jsonl", "analyse {}.parquet", "analyse {}.json", "analyse {}.toml",
    "analyse {}.csv.gz", "check {}.csv", "check {}.bif", "check {}.parquet", "check {}.csv:g.dot", "check t.csv:{}.dot",
    "check {}.py:X", "judge {}.csv", "read {}.txt", "read {}.jsonl",
    "run {}", "faithfulness check {}",
]  # fmt: skip


class Waits(Exception):
    """Somebody waits for a pipe."""


@contextmanager
def without_waiting(seconds):
    def stop(*_):
        raise Waits

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def told(words, capsys):
    """The one line with which a command ends."""
    with without_waiting(20):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
    said = capsys.readouterr()
    assert code == 2 and "Traceback" not in said.err, words
    return said.err.strip().splitlines()[-1]


@pytest.fixture
def folder(in_tmp):
    Path("t.csv").write_text("a,b,c\n" + "".join(f"{k / 7},{k * k % 7 / 3},{k % 5 / 9}\n" for k in range(50)))
    return in_tmp


@pytest.mark.parametrize("words", DOORS)
def test_a_pipe_is_named_and_never_waited_for(words, folder, capsys):
    for word in words.split():
        if "{}" in word:
            name = word.format("pipe").split(":")[-1 if ":{}" in word else 0]
            if not os.path.lexists(name):
                os.mkfifo(name)
    line = told([word.format("pipe") for word in words.split()], capsys)
    assert "a pipe" in line, line


@pytest.mark.parametrize("command", ["show", "report", "view", "run", "plan"])
def test_a_pipe_as_the_store_of_a_study_is_named(command, folder, capsys):
    (folder / "s").mkdir()
    (folder / "s" / "study.toml").write_text(PLAN)
    (folder / "s" / "provenance.json").write_text("{}")
    os.mkfifo(folder / "s" / "study.db")
    line = told([command, "s"], capsys)
    assert "study.db must be a " in line and "file, got a pipe" in line, line


def test_a_pipe_that_a_plan_names_is_named(folder, capsys):
    for name in ("pipe", "pipe.dot", "pipe.md", "pipe.json"):
        os.mkfifo(name)
    forecast = PLAN + '[forecast]\nmodels = ["mock/constant"]\n'
    for text in (
        PLAN.replace("asia", "d") + '[datasets.d]\ndata = "pipe"\n',
        PLAN.replace("asia", "d") + '[datasets.d]\ndata = "t.csv"\ngraph = "pipe.dot"\n',
        forecast + 'formulations = ["pipe.md"]\n',
        forecast + 'humans = ["pipe"]\n',
        '[population]\nmodels = ["mock/constant"]\ntasks = ["pipe.json"]\n',
        '[faithfulness]\nmodels = ["mock/constant"]\nproblems = ["pipe"]\n',
    ):
        Path("p.toml").write_text(text)
        line = told(["plan", "p.toml"], capsys)
        assert "a pipe" in line or "not there" in line, line


def test_a_device_is_named(folder, capsys):
    (folder / "zero.csv").symlink_to("/dev/zero")
    assert "a device" in told(["analyse", "zero.csv"], capsys)
    assert "a device" in told(["learn", "/dev/zero"], capsys)
