"""Every example runs, offline, as its first line says."""

import shutil

import pytest

from assay.cli import main
from assay.learners import build
from assay.learners.contract import check_learner


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("discovery", "320 of 320 runs ok"),
        ("forecast", "128 replies, 0 not fully read"),
        ("faithfulness", "64 problems, 320 damaged copies"),
    ],
)
def test_example_plans_run(root, tmp_path, monkeypatch, name, told, capsys):
    shutil.copytree(root / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    assert main(["run", f"examples/{name}.toml"]) == 0
    assert told in capsys.readouterr().out


def test_the_example_learner_keeps_the_contract(root):
    learner = build(f"{root / 'examples' / 'my_learner.py'}:Tree")
    assert [check for check in check_learner(learner) if check.passed is False] == []


def test_the_readme_s_python_runs(root, capsys):
    text = (root / "README.md").read_text()
    code = text.split("```python\n")[1].split("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip()
