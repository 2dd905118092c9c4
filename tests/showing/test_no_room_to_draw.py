"""Under `ulimit -v` the renderer's engine ends its process: charts are left out with one line, all else is written."""

import json
import subprocess
import sys

import pytest

PLAN = """
name = "small"
[discovery]
datasets = ["asia", "cancer"]
learners = ["random", "pc"]
runs = 3
rows = 500
"""
LITTLE = 8_000_000  # kB of addresses


def limited(place, *command):
    """What a command prints where there is little room for addresses."""
    line = ["bash", "-c", f'ulimit -c 0; ulimit -v {LITTLE}; exec "$@"', "bash", sys.executable, *command]
    done = subprocess.run(line, cwd=place, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-600:]
    return done.stdout, done.stderr


def names(folder, *endings):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in endings}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("little")
    (place / "plan.toml").write_text(PLAN)
    return place


def test_charts_are_left_out_with_one_line_and_all_else_is_written(place):
    out, err = limited(place, "-m", "trueness", "run", "plan.toml", "--folder", "out", "--workers", "1")
    (told,) = [line for line in (out + err).splitlines() if "left out" in line]
    assert told.startswith("2 charts were left out") and told.endswith("(ulimit -v unlimited).")
    assert "V8" not in out + err and "Traceback" not in out + err
    folder = place / "out"
    assert names(folder, ".png", ".svg", ".pdf") <= {"report.pdf"}  # whose words need no engine
    assert {"scores.csv", "plots/measured.csv", "plots/results_summary.csv"} <= names(folder, ".csv")
    assert {"report.html", "paper/draft.tex"} <= names(folder, ".html", ".tex")

    report = [sys.executable, "-m", "trueness", "report", "out", "--json"]
    with_room = json.loads(subprocess.run(report, cwd=place, capture_output=True, check=True, timeout=300).stdout)
    assert with_room["notes"] == [] and {"plots/measured.svg", "report.pdf"} <= names(folder, ".svg", ".pdf")

    again = json.loads(limited(place, *report[1:])[0])
    assert len(again["notes"]) == 1 and not [file for file in again["files"] if file.endswith((".png", ".svg"))]
    left = names(folder, ".png", ".svg", ".pdf")
    assert {name.split("/")[0] for name in left} <= {"paper", "report.pdf"}  # no older picture beside newer numbers
