"""A faithfulness study from plan to files: executed, judged, stored, read again."""

import json
import re

import pytest

from tests.lanes import same_lanes
from trueness.cli import main
from trueness.running.study import Plan, Study
from trueness.studies.faithfulness.answers import read_faithfulness

PLAN = """
name = "faith"
seed = 3
[faithfulness]
problems = ["physics", "everyday"]
corrupt = true
judges = [{judges}]
models = [{models}]
judged = 2
repeats = 2
"""
MODEL = """
[models.{name}]
script = "{file}"
"""
RATINGS = {"coherence": 4, "completeness": 3, "verification": 2, "no_errors": 4, "consistency": 4}
JUDGE = [
    {"match": ["What is the impact of do("], "reply": json.dumps({"impact": 4, "reasoning": "it matters"})},
    {"match": ["does the chain hold?"], "reply": json.dumps({"holds": True, "solutions": "unique", "value": None})},
    {"match": ["Rate the reasoning."], "reply": json.dumps(RATINGS)},
]
GRAPH = {
    "target_variable": "acceleration",
    "knowns": [{"name": "mass", "value": 14, "unit": "kg"}, {"name": "force", "value": 91, "unit": "N"}],
    "causal_graph": [{"cause": ["force", "mass"], "effect": "acceleration", "rule": "acceleration = force / mass"}],
    "answer": "6.5 m/s^2",
}
SOLVER = [
    {"match": ["Write the graph", "91 N"], "reply": f"Here it is: {json.dumps(GRAPH)}"},
    {"match": ["force of 136 N"], "reply": '{"answer": 9.714}'},
    {"match": ["A cart of mass"], "reply": '{"answer": 6.5}'},
    {"match": [], "reply": "No idea."},
]


def run(folder, judges='"mock/judge"', models='"mock/solver"'):
    for name, entries in (("judge", JUDGE), ("solver", SOLVER)):
        (folder / f"{name}.jsonl").write_text("\n".join(json.dumps(entry) for entry in entries))
    text = PLAN.format(judges=judges, models=models)
    text += MODEL.format(name=judges, file="judge.jsonl") if judges else ""
    text += MODEL.format(name=models, file="solver.jsonl") if models else ""
    plan = Plan.parse(text, "study.toml", folder, folder / "out")
    with same_lanes(1) as executor:
        return Study(plan).run(executor, 1)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faith")
    run(folder)
    return folder / "out"


@pytest.fixture(scope="module")
def found(study):
    return read_faithfulness(study)


def test_the_judge_completes_cf_where_it_was_asked(found):
    by_problem = {evaluation.problem: evaluation for evaluation in found.right}
    assert by_problem["physics-newton-second"].cf == pytest.approx((1 + 1 + 17 / 20 + 1) / 4)
    assert by_problem["everyday-lawn"].cf == pytest.approx((1 + 1 + 17 / 20 + 1) / 4)
    assert sum(evaluation.cf is None for evaluation in by_problem.values()) == len(by_problem) - 4


def test_the_model_is_held_to_the_graph_that_it_wrote_itself(found):
    written = {(one.problem, one.repeat): one.own for one in found.behaviours}
    assert (written["physics-newton-second", 1].agrees, written["physics-newton-second", 1].right) == (True, True)
    assert (written["physics-braking", 0].status, written["physics-braking", 0].problem) == ("unreadable", None)
    did = {(pair.change.known, one.repeat): pair.did for one in found.behaviours for pair in one.pairs}
    assert did == {("force", 0): "up", ("mass", 0): "stays", ("force", 1): "up", ("mass", 1): "stays"}
    assert found.own_batches["mock/solver"].mean_of("causal_intervention").value == 1
    assert found.agreements[0].agreement.value == 0.5


def test_the_tree_has_the_originals_schema(study, found):
    assert main(["report", str(study)]) == 0
    written = {path.name for path in (study / "faithfulness").iterdir()}
    assert {"batch.json", "known_groups.json", "reliability.json", "behaviour.csv", "summary.txt"} <= written
    report = json.loads((study / "faithfulness" / "physics-newton-second.json").read_text())
    assert set(report["components"]) == {
        "causal_intervention",
        "abductive_reasoning",
        "logic_quality",
        "graph_quality",
    }
    assert {"score", "weight", "details"} <= set(report["components"]["causal_intervention"])
    batch = json.loads((study / "faithfulness" / "batch.json").read_text())
    assert {"average_cf", "individual_scores", "total_problems", "summary", "detailed_reports"} <= set(batch)
    assert "is believed as far as this number goes" in (study / "faithfulness" / "summary.txt").read_text()


@pytest.mark.parametrize(
    "form, told",
    [("--csv", "as given,cf,4"), ("--tex", r"\label{tab:faithfulness-reliability}"), ("--json", '"behaviour"')],
)
def test_show_gives_the_tables_as_data(study, capsys, form, told):
    assert main(["show", str(study), form]) == 0
    assert told in capsys.readouterr().out


def test_a_study_without_judges_is_executed_only(tmp_path):
    outcome = run(tmp_path, "", "")
    assert (outcome.total, outcome.failed) == (0, 0)
    found = read_faithfulness(tmp_path / "out")
    assert found.reliability is None
    assert found.batch.mean_of("causal_intervention").value > 0.99
    assert main(["report", str(tmp_path / "out")]) == 0


def test_plan_and_run_count_the_same_asks_and_name_what_cannot_be_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    entries = [json.dumps(entry | {"reply": "I like trains."}) for entry in JUDGE]
    (tmp_path / "bad.jsonl").write_text("\n".join(entries))
    (tmp_path / "f.toml").write_text(
        'name = "f"\n[faithfulness]\nproblems = ["physics"]\njudges = ["mock/bad"]\njudged = 12\nnodes = 2\n'
        '[models."mock/bad"]\nscript = "bad.jsonl"\n'
    )
    assert main(["plan", "f.toml"]) == 0
    assert re.search(r"asks  calls .*\nmock/bad +12 +", capsys.readouterr().out)
    assert main(["run", "f.toml"]) == 0
    told = capsys.readouterr().err
    assert "12 / 12 asks" in told
    assert re.search(r"mock/bad: in (\d+) of \1 asks \(100 %\) a reply cannot be read", told)  # of those done by then
