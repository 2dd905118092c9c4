"""Where results come from is told in full, and they do not hang on where files lie."""

import hashlib
import json
import re
import shutil
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from tests.each import each
from tests.lanes import same_lanes
from trueness.page.standalone import with_page
from trueness.running.provenance import (
    plan_folder_of,
    without_paths,
)
from trueness.running.study import Plan, Study
from trueness.running.study_folder import StudyFolder
from trueness.studies.reporting import rewrite

PLAN = """
name = "told"
seed = 5
[discovery]
datasets = ["survey", "plant"]
learners = ["random", "own"]
runs = 2
rows = 200
codes = true
[discovery.own]
learner = "{own}"
[datasets.plant]
data = "{folder}/plant.csv"
graph = "{folder}/plant.dot"
"""
SHA256 = re.compile(r"[0-9a-f]{64}")


def study_of(root, where):
    """The same plan with its files in a folder of its own, named by full paths."""
    where.mkdir(parents=True, exist_ok=True)
    for name in ("plant.csv", "plant.dot", "adding/my_learner.py"):
        shutil.copy(root / "examples" / name, where)
    text = PLAN.format(own=f"{where}/my_learner.py:Tree", folder=where)
    return Study(Plan.parse(text, "told.toml", base=where, folder=where / "study"))


@pytest.fixture(scope="module")
def ran(tmp_path_factory, root):
    study = study_of(root, tmp_path_factory.mktemp("ran"))
    with same_lanes(1) as (executor, slots):
        study.run(executor, slots)
    return study.plan.folder


def told(folder):
    return json.loads((folder / "provenance.json").read_text())


def test_everything_that_decides_a_result_is_told(ran):
    found = told(ran)
    assert (found["study"], found["seed"], found["tasks"]) == ("told", 5, ["discovery"])
    assert SHA256.fullmatch(found["plan_sha256"])
    assert found["plan_file_sha256"] == hashlib.sha256((ran / "study.toml").read_bytes()).hexdigest()
    assert found["python"] and found["platform"] and found["machine"] and found["cpu"]["cores"]
    assert found["packages"]["numpy"] == np.__version__
    assert {item.metadata["Name"] for item in metadata.distributions()} == set(found["packages"])
    assert set(found["data"]) == {"survey", "plant"}
    assert all(SHA256.fullmatch(digest) for digest in found["data"].values())
    assert [(cell["item"], cell["respondent"], cell["runs"]) for cell in found["cells"]] == [
        ("survey", "random", 2), ("survey", "own", 2), ("plant", "random", 2), ("plant", "own", 2),
    ]  # fmt: skip


def test_a_session_has_a_beginning_an_end_and_a_machine(ran):
    found = told(ran)
    (session,) = found["sessions"]
    assert session["began"] <= session["ended"]
    assert found["environments"][session["environment"]]["packages"] == found["packages"]


def test_results_do_not_hang_on_where_files_lie(ran, root, tmp_path):
    here, there = study_of(root, ran.parent), study_of(root, tmp_path / "elsewhere")
    assert [cell.keys for cell in here.cells] == [cell.keys for cell in there.cells]


def texts_of(folder):
    """Everything that is handed on, but for the plan itself: that is the user's own words."""
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in ("study.toml", "study.lock"):
            yield path.name, path.read_bytes()


def test_no_file_names_a_folder_of_this_machine_or_its_user(ran, tmp_path, monkeypatch):
    """Although the plan names its files by full paths, below a folder that is called as the user."""
    folder = Path(shutil.copytree(ran, tmp_path / "study"))
    monkeypatch.chdir(tmp_path)
    with StudyFolder.reading("study") as opened:
        with_page(rewrite(opened))
    found = {name: text for name, text in texts_of(folder) if str(ran.parent).encode() in text}
    assert found == {} and b"plant.csv" in (folder / "provenance.json").read_bytes()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/home/ada/x.py:Tree", "x.py:Tree"),
        ("/a/b/plant.csv:/c/d/graph.dot", "plant.csv:graph.dot"),
        ("Rscript /home/ada/a.R --out=/data/ada/b.csv", "Rscript a.R --out=b.csv"),
        ("../../home/ada/x.csv", "x.csv"),
        ("asia/pc", "asia/pc"),
        ("ada/pc", "ada/pc"),  # a data set may be called as the user
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("1 / 2", "1 / 2"),
    ],
)
def test_of_a_full_path_the_name_is_left(text, left, monkeypatch):
    monkeypatch.setattr("trueness.running.provenance._users", lambda: frozenset({"ada"}))
    assert without_paths({text: [text, 5]}) == {left: [left, 5]}


def test_the_plan_is_found_from_the_study_wherever_both_are_moved(ran, tmp_path):
    assert told(ran)["plan_from_here"] == ".." and "plan_folder" not in told(ran)
    moved = Path(shutil.copytree(ran.parent, tmp_path / "moved")) / "study"
    assert plan_folder_of(moved).resolve() == moved.parent.resolve()


@each("entry", ["/etc", "../../../../../../../../../../etc", "a\0b", "x" * 5000, 5, None, ["/"]])
@each("key", ["plan_from_here", "plan_folder"])
def test_a_stranger_cannot_lead_the_paths_of_a_plan_elsewhere(entry, key, tmp_path):
    (tmp_path / "provenance.json").write_text(json.dumps({key: entry}))
    assert plan_folder_of(tmp_path) == tmp_path


def test_a_study_goes_on_by_its_folder_with_the_files_beside_its_plan(root, tmp_path):
    study = study_of(root, tmp_path / "here")
    text = study.plan.text.replace(f"{tmp_path / 'here'}/", "").replace("runs = 2", "runs = 1")
    (tmp_path / "here" / "told.toml").write_text(text)
    with same_lanes(1) as (executor, slots):
        Study(Plan.read(tmp_path / "here" / "told.toml", tmp_path / "here" / "study")).run(executor, slots)
        outcome = Study(Plan.read(tmp_path / "here" / "study")).run(executor, slots)
    assert (outcome.total, outcome.done, outcome.failed) == (4, 4, 0)
