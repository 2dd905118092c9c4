"""A population study from plan to files: what is stored, scored, written; resumed, refused."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console

from tests.lanes import same_lanes
from trueness.analyse.comparing import compare
from trueness.cli import main
from trueness.running.results import Results
from trueness.running.store import Store
from trueness.running.study import Plan, Study
from trueness.running.study_folder import StudyFolder
from trueness.status import Status
from trueness.studies.population.answers import AnswerKey, read_populations
from trueness.studies.population.charts import distribution_frame
from trueness.studies.population.elicitation import Answer
from trueness.studies.population.reading import OriginalResults
from trueness.studies.reporting import write_report
from trueness.terminal.print_report import show_reading

pytestmark = pytest.mark.usefixtures("kept_lanes")

TASKS = """
[defaults]
data = "people.csv"
source = "a made survey"
modes = ["qa", "sample", "likelihood", "distribution"]
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
PLAN = """
name = "people"
seed = 5
[population]
models = [{models}]
tasks = ["tasks.toml"]
draws = 200
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A survey of 600 people: 35 % of the younger and 75 % of the older are women."""
    folder = tmp_path_factory.mktemp("atlantis")
    rows = [("sex", "age", "weight")]
    for age, women in ((30, 105), (60, 225)):
        rows += [("female" if k < women else "male", age, 50 + k % 40) for k in range(300)]
    (folder / "people.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    (folder / "tasks.toml").write_text(TASKS)
    return folder


@pytest.fixture(scope="module")
def believing(request):
    return f"{request.config.rootpath}/tests/studies/believing_models.py:"


@pytest.fixture(scope="module")
def folder(place, believing):
    """The study of four models, run once."""
    names = ("Knowing", "KnowingInWords", "FirstOption", "Unwilling")
    models = ", ".join(f'"{believing}{name}"' for name in names)
    run(PLAN.format(models=models), place, place / "out")
    with StudyFolder.reading(place / "out") as study:
        write_report(study)
    return place / "out"


@pytest.fixture(scope="module")
def found(folder):
    return read_populations(folder)


def run(text, base, folder, **how):
    study = Study(Plan.parse(text, "people.toml", base, folder))
    with same_lanes(1) as (executor, slots):
        return study.run(executor, slots, **how)


def score(found, name, mode, measure="score"):
    asked = next(a for a in found.score_by_key if a.respondent.endswith(name) and a.mode == mode)
    return found.score_by_key[asked].measures[measure]


@pytest.mark.parametrize("mode", ["qa", "sample", "likelihood", "distribution"])
def test_a_model_that_knows_scores_high_in_every_mode(found, mode):
    assert score(found, ":Knowing", mode).value > 90


def test_refusals_are_counted_and_scored_as_missing(found):
    for mode in ("qa", "sample", "likelihood", "distribution"):
        missing = score(found, ":Unwilling", mode)
        assert missing.value is None and missing.status in (Status.REFUSED, Status.UNREADABLE)
    name = next(model for model in found.models if model.endswith("Unwilling"))
    counts = found.replies_by_status(name, "sample")
    assert sum(counts.values()) == 400 and set(counts) == {Status.REFUSED, Status.UNREADABLE}


def test_a_model_without_log_probabilities_has_no_answer_and_the_reason(found):
    name = next(model for model in found.models if model.endswith("KnowingInWords"))
    for mode in ("qa", "likelihood"):
        for answer in found.answers[AnswerKey(name, mode, "sex_by_age", 0)].values():
            assert answer.status == Status.UNREADABLE and "no log-probabilities" in answer.message


@pytest.mark.parametrize("width", [72, 100, 200])
def test_the_terminal_shows_what_fits_and_names_the_rest(found, folder, width):
    out = Console(file=io.StringIO(), width=width)
    show_reading(OriginalResults(found), out, folder)
    text = out.file.getvalue()
    assert not re.search(r"[\d\]]…|…\d", text)  # a name is shortened, a number is not
    assert "not read" in text and "refused" in text
    assert "Not shown in so narrow a window" in text or width == 200


def test_what_was_left_out_divided_and_answered_in_part_is_said_in_the_first_lines(found, folder):
    key = next(key for key in found.answers if key.respondent.endswith(":Knowing") and key.mode == "distribution")
    one, other = found.answers[key]
    part = {one: replace(found.answers[key][one], flags=("off_sum",)), other: Answer(None, Status.REFUSED)}
    truths = {name: replace(truth, n_data=700, n_unlisted=100) for name, truth in found.truths.items()}
    changed = replace(found, truths=truths, answers={**found.answers, key: part})
    out = Console(file=io.StringIO(), width=300)
    show_reading(OriginalResults(changed), out, folder)
    first, _, rows, divided = out.file.getvalue().splitlines()[:4]
    assert re.search(r"\d of [\d,]+ replies read \(refused \d", first)
    assert "sex_by_age 100 of 700" in rows and "(distribution): shares of 1 condition do not sum to 100 %" in divided
    assert "1 of 2 conditions" in out.file.getvalue()


def test_every_cell_has_the_original_s_keys(found, folder):
    files = [path for path in (folder / "population").glob("*.json")]
    assert len(files) == 4
    entries = json.loads(next(path for path in files if "-Knowing_" in path.name).read_text())
    assert {entry["mode"] for entry in entries} == {"qa", "sample", "likelihood", "distribution"}
    drawn = next(entry for entry in entries if entry["mode"] == "sample" and entry["condition"] == "18-44")
    assert drawn["true_vals"] == ["male", "female"] and drawn["weights"] == pytest.approx([0.65, 0.35])
    assert len(drawn["model_vals"]) == len(drawn["model_weights"]) == 200
    assert 0 < len(drawn["model_texts"]) <= 5
    stated = next(entry for entry in entries if entry["mode"] == "distribution" and entry["condition"] == "18-44")
    assert dict(zip(stated["model_vals"], stated["model_weights"], strict=True)) == pytest.approx(
        {"male": 0.65, "female": 0.35}
    )


def test_the_same_replies_give_the_same_bytes(folder, place):
    before = {path.name: path.read_bytes() for path in (folder / "population").iterdir()}
    with StudyFolder.reading(folder) as opened:
        write_report(opened)
    assert {path.name: path.read_bytes() for path in (folder / "population").iterdir()} == before


def test_a_finished_study_asks_nothing_again(folder, place):
    with Store.reading(folder) as store:
        text, known = (folder / "study.toml").read_text(), {key: r.at for key, r in store.replies().items()}
    outcome = run(text, place, folder)
    assert (outcome.done, outcome.failed) == (outcome.total, 0)
    with Store.reading(folder) as store:
        assert {key: reply.at for key, reply in store.replies().items()} == known


def test_it_is_scored_without_the_microdata(folder, place, found):
    hidden = place / "people.csv"
    text = hidden.read_text()
    hidden.unlink()
    try:
        again = read_populations(folder)
    finally:
        hidden.write_text(text)
    assert [score.value("tv") for score in again.scores] == pytest.approx(
        [score.value("tv") for score in found.scores], nan_ok=True
    )


def test_the_commands_serve_a_plan_without_discovery(place, believing, monkeypatch, capsys):
    monkeypatch.chdir(place)
    (place / "plan.toml").write_text(PLAN.format(models=f'"{believing}Knowing"').replace("200", "8"))
    assert main(["plan", "plan.toml"]) == 0
    assert "over 1 source (the units): With 1 unit the" in capsys.readouterr().out
    assert main(["plan", "plan.toml", "--json"]) == 0
    # 2 conditions: 2 orders, 8 draws, 2 levels on 2 scales, 1 object
    assert json.loads(capsys.readouterr().out)["calls"] == 2 * (2 + 8 + 4 + 1)
    assert main(["run", "plan.toml"]) == 0
    assert "tables: trueness show results/people" in capsys.readouterr().out
    assert main(["show", "results/people"]) == 0
    shown = capsys.readouterr().out
    assert "1 task from 1 source," in shown and "Skill (marginal)" in shown
    for form, told in (("--json", '"respondents"'), ("--csv", "sex_by_age"), ("--tex", r"\toprule")):
        assert main(["show", "results/people", form]) == 0
        assert (told if form != "--json" else '"rows"') in capsys.readouterr().out
    assert main(["report", "results/people", "--json"]) == 0
    assert "population" in json.loads(capsys.readouterr().out)


def test_an_interrupted_study_can_be_read(place, believing, tmp_path):
    """Half of the units are taken away: the others are scored, and what is missing is missing."""
    run(PLAN.format(models=f'"{believing}Knowing"'), place, tmp_path)
    with Store.writing(tmp_path) as store:
        store._db.execute("DELETE FROM runs WHERE item LIKE '%45 or more'")
        store._db.commit()
    found = read_populations(tmp_path)
    one = found.score_by_key[next(a for a in found.score_by_key if a.mode == "qa")]
    assert one.answered == pytest.approx(0.5) and one.statuses["45 or more"] == Status.FAILED
    # one model, 2 conditions, 4 modes
    assert found.completeness() == (False, "4 of 8 conditions to be asked have an answer (4 not asked yet).")
    with Store.reading(tmp_path) as store:
        assert Results.all_of(store)[0].completeness()[0]["planned"] == 1


def test_compare_takes_sources_as_units_and_baselines_beside_every_mode(folder, found):
    names = [model for model in found.models if model.endswith((":Knowing", ":FirstOption"))]
    told = compare(folder, names[0], "baseline/uniform", "tv").row()
    assert (told["n_units"], told["n_clusters"], told["mean_b"]) == (4, 1, pytest.approx(0.2))
    assert {row["item"] for row in csv.DictReader((folder / "scores.csv").open())} == {"a made survey/sex_by_age"}


def test_the_chart_has_a_row_for_every_answer_missing_ones_too(found):
    frame = distribution_frame(found, "sex_by_age")
    assert len(frame) == 4 * 4 * 2 * 2  # models, modes, conditions, levels
    missing = frame[frame["respondent"].str.endswith("Unwilling")]
    assert missing["share"].isna().all() and set(missing["status"]) <= {"refused", "unreadable"}
    drawn = frame[frame["mode"] == "sample"].dropna(subset=["share"])
    assert ((drawn["low"] <= drawn["share"]) & (drawn["share"] <= drawn["high"])).all()
    assert frame[frame["mode"] == "distribution"]["low"].isna().all()
