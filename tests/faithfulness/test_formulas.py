"""A model whose rules are words is asked for them as formulas, and is held to these."""

import json

import numpy as np
import pytest

from tests.faithfulness.judges import Scripted
from tests.faithfulness.worded import Respondent, worded_problem
from tests.lanes import same_lanes
from trueness.cli import main
from trueness.running.study import Plan, Study
from trueness.status import Status
from trueness.studies.faithfulness import evaluate_behaviour, with_formulas_of
from trueness.studies.faithfulness.answers import read_faithfulness


def worded(n=2):
    rng = np.random.default_rng(5)
    return [worded_problem(rng, f"w{k}", "words") for k in range(n)]


@pytest.mark.parametrize("formulates, agrees", [(True, True), (False, None)])
def test_a_graph_in_words_is_executed_by_the_formulas_of_the_model_that_wrote_it(formulates, agrees):
    problems = worded()
    model = Respondent("faithful", problems, formulates=formulates)
    for one in problems:
        found = evaluate_behaviour(one.problem, model)
        assert found.own.agrees is agrees and found.score == 1
        assert all(pair.value is agrees for pair in found.pairs if pair.change.role == "stated")


@pytest.mark.parametrize("reply", ["No idea.", Status.TIMED_OUT, '{"formulas": [{"effect": "a", "formula": "a ='])
def test_a_reply_without_formulas_leaves_the_graph_as_it_was(reply):
    one, *_ = worded(1)
    graph = one.problem.graph.to_dict() | {"answer": one.problem.answer.value}
    model = Scripted(lambda k, n, prompt, t: graph if "Write the graph" in prompt else reply)
    assert evaluate_behaviour(one.problem, model, changes=0).own.status is Status.DEGENERATE and model.calls == 2


RESPONDENT = """
import numpy as np
from tests.faithfulness.worded import Respondent, worded_problem

def ignores(name, options):
    rng = np.random.default_rng(5)
    return Respondent("ignores", [worded_problem(rng, f"w{k}", "words") for k in range(2)], formulates=True)
"""
PLAN = """
name = "formulated"
seed = 3
[faithfulness]
problems = ["worded.jsonl"]
models = ["respondents.py:ignores"]
changes = 3
"""


def test_a_study_asks_for_them_once_and_reads_them_again_from_its_store(tmp_path):
    (tmp_path / "worded.jsonl").write_text("\n".join(json.dumps(one.problem.to_dict()) for one in worded()))
    (tmp_path / "respondents.py").write_text(RESPONDENT)
    with same_lanes(1) as executor:
        outcome = Study(Plan.parse(PLAN, "study.toml", tmp_path, tmp_path / "out")).run(executor, 1)
    assert (outcome.done, outcome.failed) == (outcome.total, 0)
    study = read_faithfulness(tmp_path / "out")
    assert [one.graph.status for one in study.written] == [Status.OK] * 2
    assert all(edge.formula for one in study.written for edge in one.graph.problem.graph.edges)
    moves = [pair.agrees for one in study.behaviours for pair in one.pairs if pair.change.role == "stated"]
    assert False in moves and None not in moves  # it writes every cause and ignores one: its own formulas say so


def labelled(tmp_path):
    path = tmp_path / "labelled.jsonl"
    lines = [
        {"problem": one.problem.text, "graph": one.problem.graph.to_dict(), "answer": one.problem.answer.value * factor,
         "expected": one.problem.answer.value}
        for one, factor in zip(worded(4), (1, 3, 1, 3), strict=True)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_a_labelled_file_is_checked_with_formulas_and_kept_with_them(tmp_path, capsys):
    (tmp_path / "respondents.py").write_text(RESPONDENT.replace("range(2)", "range(4)"))
    path, out = labelled(tmp_path), tmp_path / "with.jsonl"
    check = ["faithfulness", "check", "--json"]
    assert main([*check, str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["executed"][0].get("executed", 0) == 0
    model = f"{tmp_path / 'respondents.py'}:ignores"
    assert main([*check, str(path), "--formulas", model, "--out", str(out)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["executed"][0]["executed"], said["executed"][0]["right"]) == (4, 2)
    assert "was asked for the formulas of 4 graphs" in said["sentences"][1]
    assert main([*check, str(out)]) == 0
    assert json.loads(capsys.readouterr().out)["executed"][0]["executed"] == 4
    assert main([*check, str(path), "--formulas", model, "--out", str(out)]) == 0  # its own: nothing is asked again
    assert main([*check, str(path), "--out", "other.jsonl"]) == 2  # and nobody was to be asked


def test_a_graph_that_needs_none_is_not_asked_about_and_an_unreadable_one_stays():
    exact = [{"dag": one.exact, "problem_text": one.problem.text, "id": k} for k, one in enumerate(worded())]
    model = Scripted(lambda *_: "never")
    entries, replies = with_formulas_of([*exact, {"dag": "no graph", "id": "x"}], model)
    assert (len(entries), replies, model.calls) == (3, [], 0)
    assert entries[2] == {"dag": "no graph", "id": "x"}
