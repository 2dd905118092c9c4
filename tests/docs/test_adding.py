"""A learner, a model, a task and a data set of one's own: short files that keep every rule, found from a plan."""

import csv
import json
import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks_of
from trueness.cli import main
from trueness.errors import TruenessError
from trueness.models import Message, Settings, build
from trueness.page.pages import StudyPage
from trueness.registry import locate
from trueness.running.study import Plan
from trueness.running.study_folder import StudyFolder
from trueness.status import Status
from trueness.studies.reading import own_name

pytestmark = pytest.mark.usefixtures("kept_lanes")

ADDING = ROOT / "examples" / "adding"
FILES = sorted(path.name for path in ADDING.glob("*.py"))
MOST = 62  # lines: more would not be an invitation


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
    with pytest.raises(TruenessError, match="'command' of model my_model.py:Command must be"):
        build("my_model.py:Command", {}, ADDING)


PLAN = """
["my_study.py:Directions"]
datasets = ["cancer"]
models = ["my_model.py:Command", "second.py:Says", "mock/empty"]
[models."my_model.py:Command"]
command = ["echo", "B."]
[models."second.py:Says"]
command = ["echo", "A"]
"""
RESPONDENTS = ["my_model.py:Command", "second.py:Says", "mock/empty"]


@pytest.fixture
def scores(in_tmp):
    """scores.csv of a run from another folder than the plan's, which lies beside the files."""
    (in_tmp / "plans").mkdir()
    for name in FILES:
        (in_tmp / "plans" / name).write_bytes((ADDING / name).read_bytes())
    (in_tmp / "plans" / "own.toml").write_text(PLAN)
    (in_tmp / "plans" / "second.py").write_text("from my_model import Command\n\n\nclass Says(Command):\n    pass\n")
    assert main(["run", "plans/own.toml"]) == 0
    with open("results/own/scores.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_paths_of_a_task_and_a_model_start_at_the_plan(scores):
    own = [row for row in scores if row["respondent"] == "my_model.py:Command"]
    assert [row["value"] for row in own] == ["0.0", "1.0"] * 4  # always B: wrong, then right where they are swapped


def test_what_a_task_of_one_s_own_cannot_read_stays_missing(scores):
    assert {(row["value"], row["status"]) for row in scores if row["respondent"] == "mock/empty"} == {
        ("", "unreadable")
    }


def test_a_task_of_one_s_own_says_what_it_does_not_know():
    with pytest.raises(TruenessError, match=r"got \['repeat', 'datasets', 'models'\]"):
        Plan.parse('["my_study.py:Directions"]\nrepeat = 3\ndatasets = []\nmodels = []', "own.toml", ADDING)


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("my_learner.py:Tree", "must name a task"),
        ("my_study.py:Nothing", "has no 'Nothing'"),
        ("nowhere.py:Task", "nowhere.py is not there"),
    ],
)
def test_a_table_that_names_no_task_is_refused_in_one_line(key, told):
    with pytest.raises(TruenessError, match=told):
        Plan.parse(f'["{key}"]', "own.toml", ADDING)


@pytest.mark.parametrize("name", ["pc", "embedded/smollm2", "plant.csv:plant.dot"])
def test_only_python_files_are_looked_for_beside_the_plan(name, tmp_path):
    assert locate(name, tmp_path) == name


def test_a_study_of_one_s_own_is_shown_compared_reported_and_viewed(scores, capsys):
    """A sixth study: `plan`, `work` and `scores` in one short file; everything else is made from its runs."""
    capsys.readouterr()
    assert main(["report"]) == 0
    told = "my_model.py:Command has the best mean accuracy over 4 items, 0.50 (the same on every item: no interval"
    assert told in " ".join(capsys.readouterr().out.split())
    assert main(["show"]) == 0
    shown = capsys.readouterr().out
    assert "cancer/Smoker -> Cancer" in shown
    assert main(["show", "--csv"]) == 0
    first = capsys.readouterr().out.splitlines()[1]
    assert first.startswith("cancer/Pollution -> Cancer,my_model.py:Command,,,,accuracy,2,")
    assert main(["show", "--tex"]) == 0 and r"\begin{table}" in capsys.readouterr().out
    assert main(["compare", "my_model.py:Command", "second.py:Says"]) == 0
    assert "paired over 4 items" in " ".join(capsys.readouterr().out.split())
    assert main(["report", "--json"]) == 0
    files = {Path(name).name for name in json.loads(capsys.readouterr().out)["files"]}
    assert {
        "directions_measured.png",
        "summary.md",
        "findings.txt",
        "draft.tex",
        "report.pdf",
        "report.html",
    } <= files


def test_the_page_has_its_matrix_its_cells_and_its_words(scores):
    with StudyFolder.reading(Path("results/own")) as opened:
        page = StudyPage(opened)
        grid, (task,) = page.get("grid/directions"), page.get("overview")["tasks"]
        cell = page.get(next(iter(page.cell_paths())))
    assert grid["measures"] == [
        {"name": "accuracy", "label": "accuracy", "better": "higher", "headline": True,
         "about": "share of edges turned the right way"}
    ]  # fmt: skip
    assert len(grid["items"]) == 4 and [one["name"] for one in grid["respondents"]] == RESPONDENTS
    assert "best mean accuracy" in str(task["sections"]) and cell["blocks"][0]["kind"] == "strips"


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("my_dataset.py:Greenhouse", 0, "500 rows, 4 columns (continuous), 4 edges"),
        ("my_learner.py:Tree", 0, "leaves the data unchanged"),
        ("my_model.py:Command", 2, "'command' of model"),  # `trueness check` takes no options
    ],
)
def test_check_knows_what_a_file_holds(name, code, told, monkeypatch, capsys):
    monkeypatch.chdir(ADDING)
    assert main(["check", name]) == code
    assert told in "".join(capsys.readouterr())


def test_a_name_of_any_signs_is_a_name_of_files_that_tex_takes_too():
    assert own_name("directions") == "directions"
    odd = [own_name(name) for name in ("a/../b", "x}\\input{y", "a b", "a-b", "ä", "", "z" * 300)]
    assert all(re.fullmatch(r"[A-Za-z0-9-]{1,50}", name) for name in odd) and len(set(odd)) == len(odd)
