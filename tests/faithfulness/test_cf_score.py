"""cf and its components: the guide's example, missing parts, weights, sampling, bad input."""

import json
import threading

import pytest

from tests.each import each
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.execute import Program
from trueness.reasoning.problems import load_problems
from trueness.status import Status
from trueness.studies.faithfulness import Asking, Scoring, evaluate, evaluate_batch, evaluate_intervention

from .judges import Scripted, guide, steady, verdict

DAG = {
    "target_variable": "acceleration",
    "knowns": {"F": 10, "m": 2},
    "causal_graph": [{"cause": ["F", "m"], "effect": "acceleration", "rule": "a = F/m"}],
    "computation_plan": [
        {
            "id": "step1",
            "target": "acceleration",
            "inputs": ["F", "m"],
            "description": "Calculate a = F/m = 10/2 = 5 m/s²",
        }
    ],
}
TEXT = "Calculate acceleration given F=10N and m=2kg"
REASONING = "Using Newton's second law a=F/m, we get a = 10/2 = 5 m/s²"
WORDS = {
    "target_variable": "wet",
    "knowns": {"rain": "heavy", "roof": "open"},
    "causal_graph": [{"cause": ["rain", "roof"], "effect": "wet", "rule": "rain comes in through an open roof"}],
}


def test_the_guides_example_gives_the_guides_report():
    found = evaluate(DAG, TEXT, REASONING, Scripted(guide), answer=5, scoring=Scoring(prefer="judge"))
    report = found.to_dict()["components"]
    intervention, abduction = report["causal_intervention"], report["abductive_reasoning"]
    # the guide, "Output format": 48 + 49 of 100 points, both abductions pass, logic .85
    assert intervention["score"] == pytest.approx(0.97)
    assert intervention["weight"] == 0.25
    details = intervention["details"]
    assert (details["status"], details["total_nodes"], details["non_target_nodes"]) == ("success", 3, 2)
    assert (details["max_score_per_node"], details["total_score"]) == (50, pytest.approx(97))
    assert [node["score"] for node in details["node_evaluations"]] == pytest.approx([48, 49])
    assert details["node_evaluations"][0]["report"]["impact_level"] == "high"
    assert details["node_evaluations"][0]["report"]["causal_path"] == "F → acceleration"
    assert abduction["score"] == 1
    assert (abduction["details"]["total_cause_nodes"], abduction["details"]["passed_tests"]) == (2, 2)
    assert report["logic_quality"]["score"] == pytest.approx(0.85)
    # the guide prints .73 for the graph as an illustration; its own formula gives 1 for this graph
    assert report["graph_quality"]["score"] == 1
    assert found.cf == pytest.approx((0.97 + 1 + 0.85 + 1) / 4)
    assert found.band == "excellent"


def test_execution_goes_before_the_judge():
    found = evaluate(DAG, TEXT, REASONING, Scripted(guide), answer=5)
    assert found.components["causal_intervention"].value == 1
    assert found.components["causal_intervention"].source == "executed"
    assert found.nodes["intervention"][0].judged == pytest.approx(0.96)


def test_without_a_judge_logic_is_missing_and_cf_has_bounds_only():
    found = evaluate(DAG, TEXT, REASONING, answer=5)
    assert found.cf is None
    assert found.bounds == (0.75, 1.0)
    assert found.components["logic_quality"].status == "degenerate"
    assert "no judge was asked" in found.message


@each(
    "said, status",
    [
        ("The impact is high.", "unreadable"),
        ("I'm sorry, I cannot do that.", "refused"),
        (Status.FAILED, "failed"),
        (Status.TIMED_OUT, "timed_out"),
        ({"impact": 9, "holds": "maybe"}, "unreadable"),
    ],
)
def test_a_failed_judgement_has_a_status_and_never_becomes_a_half(said, status):
    found = evaluate(WORDS, "It rains.", "So it gets wet.", Scripted(lambda *_: said), answer="yes")
    for name in ("causal_intervention", "abductive_reasoning", "logic_quality"):
        part = found.components[name]
        assert part.value is None
        assert part.status == status
        assert part.bounds == (0, 1)
    assert found.cf is None
    assert "0.5" not in json.dumps([p.to_dict(0.25) for n, p in found.components.items() if n != "graph_quality"])


def test_a_rule_that_cannot_be_inverted_is_labelled_and_not_punished():
    dag = {
        "target_variable": "top",
        "knowns": {"a": 7, "b": 3},
        "causal_graph": [{"cause": ["a", "b"], "effect": "top", "rule": "top = max(a, b)"}],
    }
    part = evaluate(dag, answer=7).components["abductive_reasoning"]
    assert part.value == 1
    assert part.details["identifiability"] == {"unique": 1, "several": 1}


def test_weights_are_shares_and_a_weight_of_zero_drops_a_component():
    weights = {"causal_intervention": 2, "abductive_reasoning": 1, "graph_quality": 1}
    found = evaluate(DAG, TEXT, answer=7, scoring=Scoring(weights))
    assert found.cf == pytest.approx((2 * 1 + 1 * 0 + 1 * 1) / 4)


def test_a_cycle_is_scored_as_far_as_it_goes():
    dag = {
        "target_variable": "b",
        "knowns": {"a": 1},
        "causal_graph": [
            {"cause": "a", "effect": "b", "rule": "b = 2*a"},
            {"cause": "b", "effect": "a", "rule": "a = b"},
        ],
    }
    found = evaluate(dag, answer=2)
    assert found.components["causal_intervention"].value == 1  # a is known, so that b follows
    assert found.components["graph_quality"].value == pytest.approx(0.7)
    assert "'a' is given as 1, but its rule gives 2." in Program(read_reasoning(dag).graph).base.message
    without = evaluate(dag | {"knowns": {}}, answer=2)
    assert without.components["causal_intervention"].value is None


BAD = {
    "cycle": DAG | {"causal_graph": [["F", "acceleration"], ["acceleration", "F"]]},
    "target missing": DAG | {"target_variable": "speed"},
    "rule that does not parse": DAG | {"causal_graph": [DAG["causal_graph"][0] | {"rule": "a = F / (m"}]},
    "hostile rule": DAG | {"causal_graph": [DAG["causal_graph"][0] | {"rule": "a = __import__('os').getcwd()"}]},
    "values that are no numbers": DAG | {"knowns": {"F": "heavy", "m": None}},
    "no knowns": DAG | {"knowns": {}},
}


@each("dag", BAD.values())
@each("judge", [None, Scripted(lambda *_: "It is all fine.")])
def test_bad_input_has_a_status_and_a_sentence_and_the_batch_goes_on(dag, judge):
    good = {"id": "good", "dag": DAG, "problem_text": TEXT, "answer": 5}
    bad = {"id": "bad", "dag": dag, "problem_text": TEXT, "reasoning_trajectory": REASONING, "answer": 5}
    found, fine = evaluate_batch([bad, good], judge).evaluations
    part = found.components["causal_intervention"]
    assert part.value is None
    assert part.status in ("degenerate", "unreadable")
    assert part.message
    assert found.cf is None and found.bounds[0] < found.bounds[1]
    assert "0.5" not in json.dumps([found.components[n].value for n in found.components])
    assert fine.components["causal_intervention"].value == 1


@pytest.mark.slow
def test_a_batch_has_the_originals_keys_and_intervals():
    problems = load_problems()[:6]
    report = evaluate_batch(problems, steady(), asking=Asking(repeats=2)).to_dict()
    assert report["total_problems"] == 6
    assert len(report["individual_scores"]) == 6
    assert report["summary"]["min"] <= report["average_cf"] <= report["summary"]["max"]
    assert report["average"]["low"] <= report["average_cf"] <= report["average"]["high"]
    assert len(report["detailed_reports"]) == 6
    json.dumps(report)


def test_the_same_prompt_is_asked_once():
    judge = steady()
    evaluate_batch(
        [
            {"id": str(i), "dag": DAG, "problem_text": TEXT, "reasoning_trajectory": REASONING, "answer": 5}
            for i in range(5)
        ],
        judge,
    )
    assert judge.calls == 5  # two nodes, two knowns, one logic


def test_a_judge_is_asked_side_by_side():
    """Each call waits for another one to be under way: one after the other would never end."""
    meeting = threading.Barrier(2)

    def answer(kind, node, prompt, time):
        meeting.wait(timeout=30)
        return verdict(kind, 4)

    found = evaluate(DAG, TEXT, "", Scripted(answer), answer=5, scoring=Scoring(prefer="judge"))
    assert found.components["causal_intervention"].source == "judge"


def test_sampled_nodes_state_their_error():
    names = [f"x{i}" for i in range(9)]
    dag = {
        "target_variable": "y",
        "knowns": dict.fromkeys(names, "some"),
        "causal_graph": [{"cause": names, "effect": "y", "rule": "they all help"}],
    }
    judge = Scripted(lambda kind, node, prompt, time: verdict(kind, int(node[1:]) % 5 if node else 4))
    part = evaluate(dag, "?", "!", judge, asking=Asking(nodes=4), seed=1).components["causal_intervention"]
    assert part.n == 4
    assert part.details["sampling"]["of"] == 9
    assert part.details["sampling"]["standard_error"] > 0


def test_a_node_that_hardly_moves_the_target_is_low():
    dag = {
        "target_variable": "total",
        "knowns": {"base": 500, "dust": 1e-6},
        "causal_graph": [{"cause": ["base", "dust"], "effect": "total", "rule": "total = base + dust"}],
    }
    reports = {
        node["node"]: node["report"]
        for node in evaluate(dag, answer=500).to_dict()["components"]["causal_intervention"]["details"][
            "node_evaluations"
        ]
    }
    assert (reports["dust"]["impact_level"], reports["dust"]["score"]) == ("low", 0)
    assert (reports["base"]["impact_level"], reports["base"]["score"]) == ("high", 50)


def test_verbose_prints_every_component_and_node(capsys):
    evaluate(DAG, TEXT, REASONING, answer=5, verbose=True)
    printed = capsys.readouterr().out
    assert "cf no value (between 0.750 and 1.000)" in printed
    assert "causal_intervention 1.000 (n = 2 by executed)" in printed
    assert "F 1.000: do(F = 11) moves acceleration from 5 to 5.5" in printed
    assert "logic_quality no value" in printed
    evaluate_intervention(DAG, TEXT, verbose=True)
    assert "graph_quality" not in capsys.readouterr().out
    evaluate(DAG, TEXT, REASONING, answer=5)
    assert capsys.readouterr().out == ""
