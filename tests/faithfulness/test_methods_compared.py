"""`trueness compare METHOD METHOD`: what two methods wrote for the same problems, paired by the problem's text."""

import json

import pytest

from trueness import faithfulness
from trueness.cli import main


def wrote(problem, place, method):
    """The careless one leaves the rule of the first edge out."""
    dag = problem.graph.to_dict()
    if method == "careless":
        dag["causal_graph"][0]["rule"] = ""
    return {"id": f"{method}-{place}", "problem": problem.text, "dag": dag, "answer": problem.answer.value,
            "expected": problem.answer.value, "method": method}  # fmt: skip


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problems = list(enumerate(faithfulness.load_problems("physics")[:7]))
    lines = [wrote(problem, place, method) for place, problem in problems for method in ("careful", "careless")]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    table = '[faithfulness]\nproblems = ["mine.jsonl"]\ncorrupt = true\n'
    (tmp_path / "plan.toml").write_text(f'name = "methods"\nfolder = "methods"\n{table}')
    assert main(["run", "plan.toml"]) == 0
    return "methods"


def test_two_methods_are_compared_by_problem_without_their_damaged_copies(study, capsys):
    capsys.readouterr()
    assert main(["compare", "careful", "careless", study, "--measure", "graph_quality", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["a"], found["b"], found["n_units"]) == ("careful", "careless", 7)
    assert found["difference"] > 0.1 and found["p"] == pytest.approx(2 / 2**7)


def test_where_cf_has_no_value_nothing_is_compared_until_a_measure_is_named(study, capsys):
    """No judge, no logic quality, no cf."""
    capsys.readouterr()
    assert main(["compare", "careful", "careless", study]) == 0
    assert "careful and careless cannot be compared" in capsys.readouterr().out
