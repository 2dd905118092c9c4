"""What is read of a study folder beside study.db has an end, for each file and together."""

import json

import pytest

from trueness.cli import main

from .test_server import ask

MEGABYTE = 1024 * 1024


def sparse(path, megabytes):
    """A file that holds nothing and takes no room on a disk."""
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.truncate(megabytes * MEGABYTE)


def test_twelve_charts_of_strangers_are_not_read(copy, serve, capsys):
    """In the folders of several studies, each below its own end: report took over 7 GB for what is below 128 MB."""
    for place in ("plots", "forecast", "discovery"):
        for k in range(4):
            sparse(copy / place / f"y{k}.svg", 6)
    status, _, text = ask(serve(copy), "/copy/data/figures")
    assert status == 400 and "must have at most 24 MB together, got more. Move those away" in json.loads(text)["error"]
    assert main(["report", str(copy)]) == 2
    assert "must have at most 24 MB together" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "path"), [("notes.jsonl", "notes"), ("notes.jsonl", "misread.jsonl"), ("plots/x.svg", "data/figures")]
)
def test_one_file_has_an_end(copy, serve, file, path):
    sparse(copy / file, 250)
    status, _, text = ask(serve(copy), f"/copy/{path}")
    assert status == 400 and f"{file} must have at most 16 MB, got 250 MB." in json.loads(text)["error"]


def test_a_provenance_that_is_none_is_not_read(copy, serve):
    """No sentence rests on it but its own."""
    text = '{"python": "3", "packages": {"a": "' + "x" * 17 * MEGABYTE + '"}}'
    (copy / "provenance.json").write_text(text)
    assert json.loads(ask(serve(copy), "/copy/data/overview")[2])["provenance"] == {}
