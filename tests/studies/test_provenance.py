"""Where results come from is told in full, and they do not hang on where files lie."""

import hashlib
import json
import re
import shutil
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from assay.datasets import load
from assay.engine import local_executor
from assay.errors import StoreError
from assay.outputs import write_outputs
from assay.provenance import data_digest, environment, git_commit, model_digest, own_state
from assay.results import Results
from assay.store import Store
from assay.study import Plan, Study

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
    with local_executor(1) as (executor, slots):
        study.run(executor, slots)
    return study.plan.folder


def told(folder):
    return json.loads((folder / "provenance.json").read_text())


def written_anew(folder):
    with Store.reading(folder) as store:
        write_outputs(Results.all_of(store), store, (folder / "study.toml").read_text(), folder, folder)


def test_everything_that_decides_a_result_is_told(ran):
    found = told(ran)
    assert (found["study"], found["seed"], found["tasks"]) == ("told", 5, ["discovery"])
    assert SHA256.fullmatch(found["plan_sha256"])
    assert found["plan_file_sha256"] == hashlib.sha256((ran / "study.toml").read_bytes()).hexdigest()
    assert found["python"] and found["platform"] and found["machine"] and found["cpu"]["cores"]
    assert found["packages"]["numpy"] == np.__version__
    assert {item.metadata["Name"] for item in metadata.distributions()} == set(found["packages"])
    assert set(found["git"]) == {"plan", "assay"}
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


def test_a_command_that_finds_nothing_to_do_is_no_session(ran, root):
    study = study_of(root, ran.parent)
    with local_executor(1) as (executor, slots):
        study.run(executor, slots)
    assert len(told(ran)["sessions"]) == 1


def test_a_report_elsewhere_tells_of_the_machine_that_did_the_work(ran, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(ran, folder)
    with Store.writing(folder) as store:
        environments = json.loads(store.meta("environments"))
        store.set_meta(
            "environments", json.dumps({name: there | {"python": "3.0"} for name, there in environments.items()})
        )
    written_anew(folder)
    assert told(folder)["python"] == "3.0" != environment()["python"]


def test_results_do_not_hang_on_where_files_lie(ran, root, tmp_path):
    here, there = study_of(root, ran.parent), study_of(root, tmp_path / "elsewhere")
    assert [cell.keys for cell in here.cells] == [cell.keys for cell in there.cells]


def test_changed_files_are_new_work(ran, root, tmp_path):
    here, there = study_of(root, ran.parent), study_of(root, tmp_path)
    with (tmp_path / "my_learner.py").open("a") as file:
        file.write("# changed\n")
    changed = Study(there.plan)
    same = [mine.keys == other.keys for mine, other in zip(here.cells, changed.cells, strict=True)]
    assert same == [True, False, True, False]  # random, own


def test_one_changed_number_changes_the_hash_of_the_data(root, tmp_path):
    study_of(root, tmp_path)
    before = data_digest(load("plant.csv", folder=tmp_path))
    text = (tmp_path / "plant.csv").read_text()
    (tmp_path / "plant.csv").write_text(text.replace("64.2", "64.3", 1))
    assert data_digest(load("plant.csv", folder=tmp_path)) != before


def test_a_provider_s_model_has_no_hash(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("class Mine: ...\n")
    assert model_digest("openai/gpt-x") is None
    assert model_digest(f"{file}:Mine") == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_folder_that_is_no_clone_has_no_commit(tmp_path):
    assert git_commit(tmp_path) is None


def test_a_clone_has_a_commit(root):
    if not Path(root, ".git").exists():
        pytest.skip("this tree is no clone")
    assert re.fullmatch(r"[0-9a-f]{40}", git_commit(root))
    assert own_state() is None or own_state()["changed"] in (True, False)


@pytest.mark.parametrize("entry", ["7", "[1]", "[{", '{"x": {}}'])
def test_a_store_of_somebody_else_may_say_anything_of_its_sessions(ran, tmp_path, entry):
    folder = tmp_path / "copy"
    shutil.copytree(ran, folder)
    with Store.writing(folder) as store:
        store.set_meta("sessions", entry)
    with pytest.raises(StoreError, match="'sessions' of study.db must be"):
        written_anew(folder)
