"""A learner, a model, a task and a data set of one's own: short files that keep every rule, found from a plan."""

import csv

import pytest

from assay.cli import main
from assay.errors import AssayError
from assay.models import Message, Settings, build
from assay.registry import located
from assay.status import Status
from assay.study import Plan
from tests.docs.pages import ROOT, blocks_of

ADDING = ROOT / "examples" / "adding"
FILES = sorted(path.name for path in ADDING.glob("*.py"))
MOST = 60  # lines: more would not be an invitation


@pytest.mark.parametrize("name", FILES)
def test_the_page_shows_the_file_word_for_word(name):
    shown = [block.text for block in blocks_of("docs/adding.md") if block.said == name]
    assert shown == [(ADDING / name).read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", FILES)
def test_the_file_is_short(name):
    assert len((ADDING / name).read_text(encoding="utf-8").splitlines()) <= MOST


@pytest.mark.parametrize(
    ("command", "status", "text"),
    [
        (["cat"], Status.OK, "Hello."),
        (["true"], Status.UNREADABLE, ""),
        (["false"], Status.FAILED, ""),
        (["no-such-program"], Status.FAILED, ""),
        (["sleep", "5"], Status.TIMED_OUT, ""),
    ],
)
def test_whatever_a_program_does_the_model_gives_a_status(command, status, text):
    model = build("my_model.py:Command", {"command": command}, ADDING)
    reply = model.ask([Message("user", "Hello.")], Settings(timeout=0.3))
    assert (reply.status, reply.text) == (status, text)
    assert reply.message or status == Status.OK


def test_a_model_without_its_command_is_the_user_s_mistake():
    with pytest.raises(AssayError, match="'command' of model my_model.py:Command must be"):
        build("my_model.py:Command", {}, ADDING)


PLAN = """
["my_task.py:Directions"]
datasets = ["cancer"]
models = ["my_model.py:Command", "mock/garbage"]
[models."my_model.py:Command"]
command = ["echo", "B."]
"""


@pytest.fixture
def scores(in_tmp):
    """scores.csv of a run from another folder than the plan's, which lies beside the files."""
    (in_tmp / "plans").mkdir()
    for name in FILES:
        (in_tmp / "plans" / name).write_bytes((ADDING / name).read_bytes())
    (in_tmp / "plans" / "own.toml").write_text(PLAN)
    assert main(["run", "plans/own.toml"]) == 0
    with open("results/own/scores.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_paths_of_a_task_and_a_model_start_at_the_plan(scores):
    own = [row for row in scores if row["respondent"] == "my_model.py:Command"]
    assert [row["value"] for row in own] == ["0.0", "1.0"] * 4  # always B: wrong, then right where they are swapped


def test_what_a_task_of_one_s_own_cannot_read_stays_missing(scores):
    assert {(row["value"], row["status"]) for row in scores if row["respondent"] == "mock/garbage"} == {
        ("", "unreadable")
    }


def test_a_task_of_one_s_own_says_what_it_does_not_know():
    with pytest.raises(AssayError, match="got 'repeat'"):
        Plan.parse('["my_task.py:Directions"]\nrepeat = 3\ndatasets = []\nmodels = []', "own.toml", ADDING)


@pytest.mark.parametrize("name", ["pc", "embedded/smollm2", "plant.csv:plant.dot"])
def test_only_python_files_are_looked_for_beside_the_plan(name, tmp_path):
    assert located(name, tmp_path) == name
