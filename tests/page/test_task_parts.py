"""Population, faithfulness and robustness on the page: every cell opens, and says what the study's own tables say."""

import json
import re
import sys

import pytest

from tests.lanes import same_lanes
from trueness.page.page import html_of
from trueness.page.pages import StudyPage
from trueness.page.standalone import document_of
from trueness.running.study import Plan, Study
from trueness.running.study_folder import StudyFolder

FAITHFULNESS = """
name = "reasons"
[faithfulness]
problems = ["physics"]
corrupt = true
judges = ["mock/judge"]
models = ["mock/judge"]
judged = 1
[models."mock/judge"]
script = "judge.jsonl"
"""
ROBUSTNESS = """
name = "robust"
[robustness]
datasets = ["series"]
corruptions = ["clean", "mcar_40"]
scorers = ["correlation", "granger"]
seeds = 2
rows = 120
validation = "mcar_40"
match = "granger"
subsamples = 2
k_seeds = 1
[datasets.series]
kind = "var"
graphs = 2
nodes = 4
lags = 1
"""
POPULATION = """
name = "people"
[population]
models = ["mock/says", "mock/refuses"]
tasks = ["tasks.toml"]
modes = ["sample", "distribution"]
draws = 4
[models."mock/says"]
script = "says.jsonl"
"""
TASKS = """
[defaults]
data = "people.csv"
source = "a made survey"
modes = ["sample", "distribution"]
[defaults.population]
who = "people"
country = "Atlantis"
[variables.sex]
levels = [["male", "man"], ["female", "woman"]]
[variables.age]
bins = [18, 45]
[tasks.sex_by_age]
variables = ["sex", "age"]
prompt = "What is the sex of a person aged {}?"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory, root):
    """made(plan, files) -> the folder of the study, run."""

    def make(text, **files):
        place = tmp_path_factory.mktemp("part")
        for name, content in files.items():
            (place / name.replace("_", ".")).write_text(content, encoding="utf-8")
        study = Study(Plan.parse(text, "plan.toml", place, place / "study"))
        with same_lanes(1) as (executor, slots):
            study.run(executor, slots)
        return place / "study"

    return make


@pytest.fixture(scope="module")
def faithful(made, root):
    return made(FAITHFULNESS, judge_jsonl=(root / "examples" / "judge.jsonl").read_text())


@pytest.fixture(scope="module")
def people(made):
    rows = ["sex,age"] + [
        f"{'female' if k < women else 'male'},{age}" for age, women in ((30, 105), (60, 225)) for k in range(300)
    ]
    says = [{"match": ["JSON"], "reply": '{"male": 60, "female": 40}'}, {"match": [], "reply": "I would say female."}]
    lines = "".join(json.dumps(line) + "\n" for line in says)
    return made(POPULATION, people_csv="\n".join(rows), tasks_toml=TASKS, says_jsonl=lines)


@pytest.fixture(scope="module")
def robust(made):
    return made(ROBUSTNESS)


@pytest.mark.parametrize("name", ["faithful", "people", "robust"])
def test_every_cell_opens_and_the_page_is_made(name, request):
    folder = request.getfixturevalue(name)
    with StudyFolder.reading(folder) as opened:
        page = StudyPage(opened)
        document = document_of(page)
        paths = list(page.cell_paths())
    cells = [document["data"][path] for path in paths]
    assert len(paths) == len(set(paths)) > 3 and all(cell["blocks"] for cell in cells)
    for block in (block for cell in cells for block in cell["blocks"] if block["kind"] == "exchange"):
        assert all(0 <= start < end <= len(block["text"]) for start, end, _ in block["marks"])
    assert document["data"]["overview"]["tasks"][0]["checks"]
    assert sys.getsizeof(html_of(document)) < 8e6


ENDS = re.compile(r"\[-?[\d.]+(e-\d+)?, -?[\d.]+(e-\d+)?\]|no interval|\(constant\)")
KIND = re.compile(r"CI|interval|range|, t\b|lies in")
COUNT = re.compile(r"n = \d|\d (informative|runs?|data sets?|graphs?|fits|tasks?|units?|right|problems|of \d)")
OPEN = re.compile(r"cannot be (told|compared)|no difference can reach|are needed|more data sets are in the matrix")
COUNTED = re.compile(r"\d of \d+ (pairs|cells|problems)|right on \d+ of \d+|was asked for \d+ graphs")


def well_formed(sentence):
    """Estimate and interval with its kind, n, and a p never without its adjustment; or a count; or that it is open."""
    if COUNTED.search(sentence) and "p = " not in sentence:
        return True
    if OPEN.search(sentence) and not ENDS.search(sentence):
        return True
    adjusted = re.search(r"Holm|BH|not adjusted", sentence) or not re.search(r"\bp [=<] ", sentence)
    return all((ENDS.search(sentence), KIND.search(sentence), COUNT.search(sentence), adjusted))


@pytest.mark.parametrize("name", ["small", "people", "faithful", "robust"])
def test_every_finding_has_estimate_interval_n_test_and_adjustment(name, request):
    folder = request.getfixturevalue(name)
    with StudyFolder.reading(folder) as opened:
        tasks = StudyPage(opened).get("overview")["tasks"]
    for task in tasks:
        assert task["checks"] and (task["sections"] or task["headline"]) and task["untold"], task["task"]
        said = [sentence for section in task["sections"] for sentence in section["sentences"]]
        assert not [sentence for sentence in said if not well_formed(sentence)]
        assert not [sentence for sentence in said if "nan" in sentence.split() or "None" in sentence]


def test_a_claimed_distribution_stands_beside_the_true_one(people):
    with StudyFolder.reading(people) as opened:
        cell = StudyPage(opened).get("cell/population/sex_by_age/distribution/mock%2Fsays")
    bars = [block for block in cell["blocks"] if block["kind"] == "bars"]
    assert [block["claimed"] for block in bars] == [[0.6, 0.4]] * 2
    assert [block["truth"] for block in bars] == [[0.65, 0.35], [0.25, 0.75]]
    reply = next(block for block in cell["blocks"] if block["kind"] == "exchange")
    assert [reply["text"][start:end] for start, end, _ in reply["marks"]] == ["60", "40"]


def test_a_refused_distribution_is_missing(people):
    with StudyFolder.reading(people) as opened:
        cell = StudyPage(opened).get("cell/population/sex_by_age/sample/mock%2Frefuses")
    bars = next(block for block in cell["blocks"] if block["kind"] == "bars")
    assert bars["claimed"] is None and bars["status"] == "refused" and bars["replies"] == {"refused": 4}


def test_uninformative_tasks_are_called_so_in_the_matrix_the_checks_and_the_note(people):
    """4 draws cannot tell a perfect sampler from a uniform one: the matrix said "undefined"."""
    with StudyFolder.reading(people) as opened:
        page = StudyPage(opened)
        grid, summary = page.get("grid/population"), page.get("overview")["tasks"][0]
    variants = grid["facets"][0]["values"]
    place = next(
        k for k, (_, who, mode, *_) in enumerate(grid["cells"])
        if (grid["respondents"][who]["name"], variants[mode]) == ("mock/says", "sample")
    )  # fmt: skip
    assert grid["values"]["score"][place] is None and grid["reasons"]["score"][place] == "uninformative"
    assert "In 1 of 2 answered tasks and modes" in str(summary)
    assert "sex_by_age (4 draws: sample, baseline/perfect)" in str(summary)
