"""Every example runs, offline, as its first line says."""

import shutil

import pytest

from trueness.cli import main
from trueness.learners import build
from trueness.learners.contract import check_learner
from trueness.studies.reporting import Report

pytestmark = pytest.mark.usefixtures("kept_lanes")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("discovery", "320 of 320 runs ok"),
        ("forecast", "128 replies, 0 not fully read"),
    ],
)
def test_example_plans_run(root, tmp_path, monkeypatch, name, told, capsys):
    """Without charts and the page, which take longer than the study: tests/docs draws those of such studies."""
    monkeypatch.setattr("trueness.studies.reporting.write_report", Report)
    monkeypatch.setattr("trueness.page.standalone.with_page", lambda report: report)
    shutil.copytree(root / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    assert main(["run", f"examples/{name}.toml"]) == 0
    assert main(["show"]) == 0
    assert told in capsys.readouterr().out


def test_the_faithfulness_example_runs_with_the_scripted_judge_beside_it(root, tmp_path, monkeypatch, capsys):
    """The same plan; the embedded model, which takes minutes, answers in the test below."""
    shutil.copytree(root / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    plan = tmp_path / "examples" / "faithfulness.toml"
    scripted = plan.read_text().replace('"embedded/smollm2"', '"mock/judge"').replace("# [models", "[models")
    plan.write_text(scripted.replace("# script", "script"))
    assert main(["run", str(plan)]) == 0
    assert main(["show"]) == 0
    told = capsys.readouterr().out
    for part in ("64 problems, 320 damaged copies", "executable tells right from damaged", "gives 4 (critical)"):
        assert part in told


def test_the_example_learner_keeps_the_contract(root):
    learner = build(f"{root / 'examples' / 'adding' / 'my_learner.py'}:Tree")
    assert [check for check in check_learner(learner) if check.passed is False] == []
