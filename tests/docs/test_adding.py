"""A learner, a model, a task and a data set of one's own: short files that keep every rule, found from a plan."""

import csv

import pytest

from assay.cli import main
from assay.errors import AssayError
from assay.models import Message, Settings, build
from assay.registry import located
from assay.running.study import Plan
from assay.status import Status
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
    with pytest.raises(AssayError, match=r"got \['repeat', 'datasets', 'models'\]"):
        Plan.parse('["my_task.py:Directions"]\nrepeat = 3\ndatasets = []\nmodels = []', "own.toml", ADDING)


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("my_learner.py:Tree", "must name a task"),
        ("my_task.py:Nothing", "has no 'Nothing'"),
        ("nowhere.py:Task", "nowhere.py is not there"),
    ],
)
def test_a_table_that_names_no_task_is_refused_in_one_line(key, told):
    with pytest.raises(AssayError, match=told):
        Plan.parse(f'["{key}"]', "own.toml", ADDING)


@pytest.mark.parametrize("name", ["pc", "embedded/smollm2", "plant.csv:plant.dot"])
def test_only_python_files_are_looked_for_beside_the_plan(name, tmp_path):
    assert located(name, tmp_path) == name


def test_a_task_of_one_s_own_is_shown_and_has_no_table_in_words_of_another(scores, capsys):
    capsys.readouterr()
    assert main(["show"]) == 0
    shown = capsys.readouterr().out
    assert "cancer/Smoker -> Cancer" in shown and "0 / 2" in shown and "0.50 [0.00, 1.00]" in shown
    assert main(["show", "--csv"]) == 0
    assert (
        capsys.readouterr()
        .out.splitlines()[1]
        .startswith("cancer/Pollution -> Cancer,my_model.py:Command,,,,accuracy,2,")
    )
    assert main(["show", "--tex"]) == 2
    assert "got 'directions'. Use --csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("my_dataset.py:Greenhouse", 0, "500 rows, 4 columns (continuous), 4 edges"),
        ("my_learner.py:Tree", 0, "leaves the data unchanged"),
        ("my_model.py:Command", 2, "'command' of model"),  # `assay check` takes no options
    ],
)
def test_check_knows_what_a_file_holds(name, code, told, monkeypatch, capsys):
    monkeypatch.chdir(ADDING)
    assert main(["check", name]) == code
    assert told in "".join(capsys.readouterr())
