"""A study: run, resume, refuse, write; the same bytes however it was run."""

import csv
import subprocess
import sys

import pytest

from trueness.errors import PlanError, StoreError
from trueness.running.cells import Cell
from trueness.running.engine import local_executor
from trueness.running.results import Results
from trueness.running.store import Store
from trueness.running.study import Plan, Study

PLAN = """
name = "small"
seed = {seed}
[discovery]
datasets = ["survey", "synthetic-6"]
learners = ["random", "correlation"]
runs = {runs}
rows = 400
"""


def run(text, folder, workers=1, **how):
    study = Study(Plan.parse(text, "small.toml", folder=folder))
    with local_executor(workers) as (executor, slots):
        return study.run(executor, slots, **how)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("done")
    outcome = run(PLAN.format(seed=1, runs=6), folder)
    assert (outcome.done, outcome.failed, outcome.interrupted) == (24, 0, False)
    return folder


def rows_of(folder):
    with (folder / "scores.csv").open() as file:
        return list(csv.DictReader(file))


def test_scores_are_one_long_table(done):
    rows = rows_of(done)
    assert list(rows[0]) == "study task item variant respondent repeat measure value status".split()
    assert len(rows) == 24 * len(Results.read(done).measures)
    assert {row["status"] for row in rows if row["value"]} == {"ok"}
    assert all(row["value"] == "" for row in rows if row["status"] != "ok")


def test_one_and_two_workers_give_the_same_bytes(done, tmp_path):
    run(PLAN.format(seed=1, runs=6), tmp_path, workers=2)
    assert (tmp_path / "scores.csv").read_bytes() == (done / "scores.csv").read_bytes()
    for file in (done / "variance").iterdir():
        assert (tmp_path / "variance" / file.name).read_bytes() == file.read_bytes()


def test_learners_see_the_same_draws_and_repeats_differ(tmp_path):
    plan = PLAN.format(seed=1, runs=4).replace('"random", "correlation"', '"correlation", "twin"')
    run(plan + '[discovery.twin]\nlearner = "correlation"\n', tmp_path)
    by = {}
    for row in rows_of(tmp_path):
        by.setdefault((row["item"], row["measure"], row["respondent"]), []).append(row["value"])
    for (item, measure, respondent), values in by.items():
        assert values == by[item, measure, "twin"], respondent
    assert len(set(by["survey", "shd", "correlation"])) > 1


def test_a_folder_of_another_plan_is_refused_and_unchanged(done):
    before = (done / "scores.csv").read_bytes(), (done / "study.toml").read_bytes()
    with pytest.raises(StoreError, match=r"another plan \(discovery.runs 6, now 7\)\. Use a new folder, or --replan"):
        run(PLAN.format(seed=1, runs=7), done)
    assert ((done / "scores.csv").read_bytes(), (done / "study.toml").read_bytes()) == before


def test_replan_keeps_the_runs_that_still_belong(tmp_path):
    run(PLAN.format(seed=1, runs=3), tmp_path)
    first = rows_of(tmp_path)
    outcome = run(PLAN.format(seed=1, runs=5), tmp_path, replan=True)
    assert outcome.done == 20
    after = rows_of(tmp_path)
    assert [row for row in after if int(row["repeat"]) < 3] == first


def test_bad_learners_get_a_status_and_leave_the_rest_alone(tmp_path, outside):
    names = ["Raises", "Nonsense", "Stranger", "Crashes", "Exits", "Prints"]
    learners = ", ".join(f'"{name}"' for name in ["random", *names])
    tables = "".join(f'[discovery.{name}]\nlearner = "{outside}{name}"\n' for name in names)
    plan = f'[discovery]\ndatasets = ["survey"]\nlearners = [{learners}]\nruns = 2\nrows = 400\n{tables}'
    outcome = run(plan, tmp_path, workers=2)
    assert outcome.failed == 10
    found = {row["respondent"]: row for row in Results.read(tmp_path).completeness()}
    assert found["random"]["ok"] == found["Prints"]["ok"] == 2
    assert found["Raises"]["failed"] == found["Crashes"]["failed"] == found["Exits"]["failed"] == 2
    assert found["Nonsense"]["unreadable"] == found["Stranger"]["unreadable"] == 2
    messages = {run.respondent: run.message for run in Results.read(tmp_path).failed_runs()}
    assert "RuntimeError: the matrix is singular (outside_learners.py:" in messages["Raises"]
    assert "SIGSEGV" in messages["Crashes"]
    assert messages["Nonsense"] == "fit must return a Graph, got ndarray"
    rows = [row for row in rows_of(tmp_path) if row["respondent"] == "Raises"]
    assert {(row["value"], row["status"]) for row in rows} == {("", "failed")}
    assert len(rows) == 2 * len(Results.read(tmp_path).measures)


def test_a_hanging_fit_is_ended_and_the_study_goes_on(tmp_path, outside):
    plan = (
        '[discovery]\ndatasets = ["survey"]\nlearners = ["random", "hangs"]\nruns = 25\nrows = 400\ntime_limit = 0.5\n'
        f'[discovery.hangs]\nlearner = "{outside}HangsSometimes"\n'
    )
    run(plan, tmp_path, workers=2)
    found = {row["respondent"]: row for row in Results.read(tmp_path).completeness()}
    assert found["random"]["ok"] == 25
    assert found["hangs"]["timed_out"] >= 1  # one in five hangs: none of 25 in 4 of 1,000 places of the file
    assert found["hangs"]["ok"] + found["hangs"]["timed_out"] == 25


# ---- a store that cannot be used is reported and not touched


def test_a_damaged_database_is_reported_and_not_touched(tmp_path):
    (tmp_path / "study.db").write_bytes(b"this is no database" * 100)
    before = (tmp_path / "study.db").read_bytes()
    with pytest.raises(StoreError, match="sound SQLite file.*not touched"):
        run(PLAN.format(seed=1, runs=2), tmp_path)
    assert (tmp_path / "study.db").read_bytes() == before


def test_a_second_driver_is_sent_away(tmp_path):
    with Store.writing(tmp_path):
        code = (
            "from pathlib import Path\nfrom trueness.running.store import Store\n"
            "from trueness.errors import StoreError\n"
            f"try:\n    with Store.writing(Path({str(tmp_path)!r})):\n        print('in')\n"
            "except StoreError as error:\n    print(error)\n"
        )
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "is being written by another trueness" in told


# ---- plans


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[discovery]", "[discvery]"), "'discvery' is not a key of a plan. Did you mean 'discovery'"),
        (("runs", "rnus"), "'rnus' is not a setting of discovery. Did you mean 'runs'"),
        (("runs = 6", "runs = 0"), "'runs' of discovery must be a whole number of at least 1, got 0"),
        (("runs = 6", 'runs = "six"'), "'runs' of discovery must be a whole number"),
        (('"random"', '"randm"'), "'randm' is not a learner. Did you mean 'random'"),
        (('"survey"', '"survy"'), "'survy' is not a dataset. Did you mean 'survey'"),
        (("seed = 1", "seed = -1"), "'seed' must be a whole number of at least 0"),
        (("rows = 400", 'vary = "shuffle"'), "'vary' of discovery must be one of auto, redraw"),
        (("rows = 400", "time_limit = 0"), "'time_limit' of discovery must be a number above 0"),
        (("rows = 400", "level = 2"), r"'level' of discovery must be a number in \(0, 1\)"),
        (('"survey"', '"survey", "survey"'), "must name each once"),
        (("[discovery]", "[discovery"), "must be valid TOML"),
    ],
)
def test_a_wrong_plan_is_told_in_one_line(change, message):
    with pytest.raises(Exception, match=message) as caught:
        Plan.parse(PLAN.format(seed=1, runs=6).replace(*change), "small.toml")
    assert "\n" not in str(caught.value)


def test_two_cells_of_the_same_names_are_refused(tmp_path):
    class Twice:
        name, level, measures, headline = "twice", 0.95, (), ()

        def describe(self, item, respondent):
            return {}

        def cells(self):
            return [Cell("asia", "clean", "pc", 1, {}, {"is": k}) for k in range(2)]

    plan = Plan("p", 1, tmp_path, tmp_path, "", {}, (Twice(),))
    with pytest.raises(PlanError, match=r"a name twice in 'cells', \('asia', 'clean', 'pc'\)"):
        Study(plan)
