"""Behaviour: a number of the text is changed, the model asked fresh, its answer held against its own graph."""

import csv
import json

from tests.each import each
from tests.faithfulness.judges import Computing, reading_of
from tests.lanes import same_lanes
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.graph import Problem, Quantity
from trueness.running.study import Plan, Study
from trueness.status import Status
from trueness.studies.faithfulness import evaluate_behaviour
from trueness.studies.faithfulness.answers import read_faithfulness
from trueness.studies.faithfulness.behaviour import changes_of
from trueness.studies.faithfulness.charts import probes
from trueness.studies.faithfulness.findings import sentences

SHOP = "A shop in 7 streets sells 12 pears at 3 dollars each and gets 5 dollars of tips. What does it take?"


def dag(knowns, *edges):
    graph = [{"cause": causes, "effect": effect, "rule": rule} for causes, effect, rule in edges]
    return {"target_variable": edges[-1][1], "knowns": knowns, "causal_graph": graph}


def problem(text, knowns, *edges):
    return Problem("one", "", text, read_reasoning(dag(knowns, *edges)).graph, Quantity(None))


def takings(in_words=False):
    rules = ("sales = pears * price", "takings = sales + tips")
    sales, total = ("it depends on both", "it depends on both") if in_words else rules
    knowns = {"pears": 12, "price": 3, "tips": 5}
    return dag(knowns, (["pears", "price"], "sales", sales), (["sales", "tips"], "takings", total))


@each("in_words", [False, True])
@each(
    "answer, wrong",
    [
        (lambda streets, pears, price, tips: pears * price + tips, []),  # computes by its graph
        (lambda streets, pears, price, tips: pears * price, ["tips"]),
        (lambda streets, pears, price, tips: pears * price + tips + streets,
         ["7 streets (in the text only)"]),
        (lambda *numbers: 41, ["pears", "price", "tips"]),  # from memory
    ],
)  # fmt: skip
def test_a_known_that_does_not_carry_what_it_says_is_named(answer, wrong, in_words):
    found = evaluate_behaviour({"problem_text": SHOP}, Computing(takings(in_words), answer))
    assert sorted(pair.change.known for pair in found.pairs if not pair.agrees) == sorted(wrong)
    assert (found.score == 1) == (not wrong)


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
    changes, _ = changes_of(Problem("one", "", SHOP, read_reasoning(takings()).graph, Quantity(None)), 6)
    assert [(one.known, one.says) for one in changes if one.role == "irrelevant"] == [
        ("7 streets (in the text only)", "stays")
    ]


PLAN = """
name = "moves"
seed = 3
[faithfulness]
problems = ["shop.jsonl"]
models = ["mock/memory"]
changes = 5
[models."mock/memory"]
script = "memory.jsonl"
"""


def test_a_study_asks_probes_and_tells_them_as_pairs(tmp_path):
    entry = {"id": "shop", "problem_text": SHOP, "dag": takings(), "answer": 41}
    (tmp_path / "shop.jsonl").write_text(json.dumps(entry))
    script = [{"match": ["Write the graph"], "reply": json.dumps(takings() | {"answer": 41})},
              {"match": [], "reply": '{"answer": 41}'}]  # fmt: skip
    (tmp_path / "memory.jsonl").write_text("\n".join(map(json.dumps, script)))
    with same_lanes(1) as executor:
        Study(Plan.parse(PLAN, "study.toml", tmp_path, tmp_path / "out")).run(executor, 1)
    study = read_faithfulness(tmp_path / "out")
    (one,) = study.behaviours
    assert one.status is Status.OK
    assert {pair.agrees for pair in one.pairs if pair.change.role == "stated"} == {False}
    assert any("moves as its own graph says" in sentence for sentence in sentences(study))
    assert "changed problems" in set(probes(study).frame["panel"])
    rows = list(csv.DictReader(reading_of(study).files()["faithfulness/pairs.csv"].splitlines()))
    assert len(rows) == len(one.pairs) and {"graph_says", "model_did", "agrees"} <= set(rows[0])
