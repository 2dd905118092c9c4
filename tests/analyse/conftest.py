"""Invented scores, the published ones where they are there, and the command line as a user meets it."""

import json
import os

import pandas as pd
import pytest

from trueness.cli import main


@pytest.fixture(scope="session")
def golden(root):
    """The published runs; $TRUENESS_GOLDEN, or beside the repository."""
    folder = root.parent / "shared" / "golden"
    if "TRUENESS_GOLDEN" in os.environ:
        folder = type(root)(os.environ["TRUENESS_GOLDEN"])
    if not (folder / "skills").is_dir():
        pytest.skip(f"the golden data are not in {folder} (set TRUENESS_GOLDEN)")
    return folder / "skills"


@pytest.fixture()
def analysed(capsys):
    """Run `trueness analyse` with --json and give back what it says."""

    def run(*arguments):
        assert main(["analyse", *map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture()
def mistake(capsys):
    """The one line that a mistake prints; exit code 2, no traceback."""

    def run(*arguments):
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as end:
            code = end.code
        captured = capsys.readouterr()
        assert code == 2, captured
        assert captured.err.startswith("trueness: ")
        assert len(captured.err.strip().splitlines()) == 1, captured.err
        return captured.err

    return run


@pytest.fixture()
def write(tmp_path):
    """Write records as CSV and give back the path."""

    def to_file(records, name="runs.csv"):
        path = tmp_path / name
        pd.DataFrame.from_records(records).to_csv(path, index=False)
        return path

    return to_file
