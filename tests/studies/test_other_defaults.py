"""A study of before whose plan names no setting that has another default today: said, and never mixed."""

import json

import pytest

from trueness.cli import main
from trueness.running.results import Results
from trueness.running.store import Store

pytestmark = pytest.mark.usefixtures("kept_lanes")

PLAN = """
name = "before"
[discovery]
datasets = ["survey"]
learners = ["pc", "ges", "correlation"]
runs = 2
rows = 300
"""
THEN = '[discovery.pc]\ncolliders = "separating set"\nconflicts = "first"\n[discovery.ges]\nsearch = "plain"\n'


@pytest.fixture
def of_before(tmp_path):
    """As it was when these were the defaults: the plan names none of them."""
    folder, plan = tmp_path / "study", tmp_path / "before.toml"
    plan.write_text(PLAN + THEN)
    assert main(["run", str(plan), "--folder", str(folder), "--workers", "1", "--json"]) == 0
    with Store.writing(folder) as store:
        planned = json.loads(store.meta("plan"))
        del planned["discovery"]["pc"], planned["discovery"]["ges"]
        store.set_meta("plan", json.dumps(planned, sort_keys=True))
    plan.write_text(PLAN)
    (folder / "study.toml").write_text(PLAN)
    return folder, plan


def fits(folder):
    results = Results.read(folder)
    return {cell.respondent: {run.key for run in results.of_cell(cell)} for cell in results.cells}


def test_what_is_by_defaults_of_before_is_said_first(of_before, capsys):
    folder, _ = of_before
    capsys.readouterr()
    for command in (["show", str(folder)], ["show", str(folder), "--json"]):
        assert main(command) == 0
        told = capsys.readouterr().err
        assert "pc: by defaults of before (colliders separating set, now majority, conflicts first, now str" in told
        assert "ges: by defaults of before (search plain, now extended)" in told and "correlation" not in told
    assert main(["report", str(folder), "--json"]) == 0
    assert len([note for note in json.loads(capsys.readouterr().out)["notes"] if "by defaults of before" in note]) == 2


def test_going_on_with_it_fits_anew_what_changed(of_before, capsys):
    folder, plan = of_before
    before = fits(folder)
    capsys.readouterr()
    assert main(["run", str(plan), "--folder", str(folder), "--workers", "1", "--json"]) == 0
    after = fits(folder)
    assert after["correlation"] == before["correlation"]
    for name in ("pc", "ges"):
        assert len(after[name]) == 2 and not after[name] & before[name], name
    assert main(["show", str(folder)]) == 0
    assert main(["run", str(plan), "--folder", str(folder), "--workers", "1", "--json"]) == 0
    assert "before" not in capsys.readouterr().err.replace(str(folder), "")
