"""Behaviour: a number of the text is changed, the model asked fresh, its answer held against its own graph."""

import csv
import json

import numpy as np
import pytest

from tests.faithfulness.judges import reading_of
from tests.faithfulness.worded import MANNERS, Respondent, worded_problem
from tests.lanes import same_lanes
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.graph import Problem, Quantity
from trueness.running.study import Plan, Study
from trueness.status import Status
from trueness.studies.faithfulness import evaluate_behaviour
from trueness.studies.faithfulness.answers import read_faithfulness
from trueness.studies.faithfulness.behaviour import agreement_of, changes_of
from trueness.studies.faithfulness.findings import sentences


def problem(text, knowns, *edges):
    target = edges[-1][1]
    graph = [{"cause": causes, "effect": effect, "rule": rule} for causes, effect, rule in edges]
    dag = {"target_variable": target, "knowns": knowns, "causal_graph": graph}
    return Problem("one", "", text, read_reasoning(dag).graph, Quantity(None))


@pytest.mark.parametrize("wording", ["formula", "words"])
def test_the_four_are_told_apart_and_the_edge_is_named(wording):
    rng = np.random.default_rng(11)
    problems = [worded_problem(rng, f"p{k}", wording) for k in range(6)]
    found = {
        manner: [evaluate_behaviour(one.problem, Respondent(manner, problems)) for one in problems]
        for manner in MANNERS
    }
    faithful = [one.score for one in found["faithful"]]
    assert faithful == [1.0] * 6 and not any(one.blame for one in found["faithful"])
    for manner in MANNERS[1:]:
        assert max(one.score for one in found[manner]) < 1.0
    for worded, one in zip(problems, found["ignores"], strict=True):
        assert [(b.cause, b.effect, b.fault) for b in one.blame][:1] == [
            (worded.ignored, worded.child, "stated, not used")
        ]
    for one in found["unstated"]:
        assert [blame.fault for blame in one.blame] == ["used, not stated"]
    assert all(pair.did == "stays" for one in found["memory"] for pair in one.pairs)
    control = agreement_of(found["faithful"], "mock/faithful")
    assert control.irrelevant.value == 1.0
    if wording == "formula":  # by words alone a graph says only that the answer moves, whatever the names
        assert control.permuted.value < 0.5


def test_words_say_which_way_the_answer_must_move():
    rules = ((["load", "push"], "speed", "Speed is proportional to push and inversely proportional to load"),)
    one = problem("A load of 40 kg, a push of 60 N.", {"load": 40, "push": 60}, *rules)
    assert {change.known: change.says for change in changes_of(one, 6)[0]} == {"load": "down", "push": "up"}
    one = problem(one.text, {"load": 40, "push": 60}, (["load", "push"], "speed", "push and load both count"))
    assert {change.says for change in changes_of(one, 6)[0]} == {"moves"}


def test_a_number_that_stands_twice_is_found_by_the_words_beside_it():
    given = problem(
        "James runs 3 sprints 3 times a week. He runs 60 meters each sprint. How many meters does he run a week?",
        {"sprints per session": 3, "sessions per week": 3, "meters per sprint": 60},
        (["sprints per session", "sessions per week"], "sprints", "sprints per session * sessions per week"),
        (["sprints", "meters per sprint"], "meters", "sprints * meters per sprint"),
    )
    changes, left = changes_of(given, 6)
    texts = {one.known: one.text for one in changes}
    assert texts["sprints per session"].startswith("James runs 4 sprints 3 times") and not left
    assert texts["sessions per week"].startswith("James runs 3 sprints 4 times")
    assert {one.known: one.expected for one in changes}["meters per sprint"] == 810


def test_what_cannot_be_found_for_certain_is_not_changed():
    given = problem(
        "Two jars hold 5 and 5 marbles; 80% are blue, in a dozen boxes.",
        {"first": 5, "second": 5, "blue share": "80%", "weight": 7, "dozen": 12},
        (["first", "second", "blue share", "weight", "dozen"], "blue", "(first + second) * blue share"),
    )
    changes, left = changes_of(given, 6)
    assert {one.known: one.after for one in changes} == {"blue share": 40.0}  # never above 100 %
    assert {one.known for one in left} == {"first", "second", "weight", "dozen"}


def test_a_number_that_the_graph_does_not_have_is_a_control():
    given = problem(
        "A shop opened in 7 streets sells 12 pears at 3 dollars each. What does it take?",
        {"pears": 12, "price": 3},
        (["pears", "price"], "takings", "pears * price"),
    )
    changes, _ = changes_of(given, 6)
    assert [(one.known, one.role, one.says) for one in changes if one.role == "irrelevant"] == [
        ("7 streets (in the text only)", "irrelevant", "stays")
    ]


MODEL = """
import numpy as np
from tests.faithfulness.worded import Respondent, worded_problem

def ignores(name, options):
    rng = np.random.default_rng(2)
    return Respondent("ignores", [worded_problem(rng, f"p{k}") for k in range(3)])
"""
PLAN = """
name = "moves"
seed = 3
[faithfulness]
problems = ["worded.jsonl"]
models = ["respondents.py:ignores"]
changes = 5
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("moves")
    rng = np.random.default_rng(2)
    lines = [json.dumps(worded_problem(rng, f"p{k}").problem.to_dict()) for k in range(3)]
    (folder / "worded.jsonl").write_text("\n".join(lines))
    (folder / "respondents.py").write_text(MODEL)
    with same_lanes(1) as executor:
        Study(Plan.parse(PLAN, "study.toml", folder, folder / "out")).run(executor, 1)
    return folder / "out"


def test_a_study_asks_probes_and_tells_them_as_pairs(folder, tmp_path):
    study = read_faithfulness(folder)
    assert [one.status for one in study.behaviours] == [Status.OK] * 3
    assert {blame.fault for one in study.behaviours for blame in one.blame} == {"stated, not used"}
    (agreement,) = study.agreements
    assert agreement.agreement.value < 0.9 and agreement.irrelevant.value == 1.0
    assert any("moves as its own graph says" in sentence for sentence in sentences(study))
    rows = list(csv.DictReader(reading_of(study).files()["faithfulness/pairs.csv"].splitlines()))
    assert len(rows) == sum(len(one.pairs) for one in study.behaviours)
    assert {"graph_says", "model_did", "agrees"} <= set(rows[0])


def test_a_plan_may_hold_a_model_against_the_graphs_of_the_file(folder):
    plan = PLAN.replace("changes = 5", 'changes = 5\nbehaviour = "given"').replace('"moves"', '"given"')
    with same_lanes(1) as executor:
        Study(Plan.parse(plan, "study.toml", folder.parent, folder.parent / "given")).run(executor, 1)
    study = read_faithfulness(folder.parent / "given")
    assert [(one.status, one.own.from_problem) for one in study.behaviours] == [(Status.OK, True)] * 3
    assert {blame.fault for one in study.behaviours for blame in one.blame} == {"stated, not used"}
    assert any("moves as the given graph says" in sentence for sentence in sentences(study))
