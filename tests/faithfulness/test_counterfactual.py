"""The evaluated model under change: its answers are compared with the graph that it wrote itself."""

import json
import re

import pytest

from tests.each import each
from trueness.errors import DataError
from trueness.models import Reply
from trueness.reasoning.problems import load_problems
from trueness.status import Status
from trueness.studies.faithfulness import evaluate_counterfactual
from trueness.studies.faithfulness.counterfactual import MOST_CHANGES, outcome_of, read_own_graph

from .judges import Scripted

NEWTON = load_problems("physics")[0]
GRAPH = {
    "target_variable": "acceleration",
    "knowns": [{"name": "force", "value": 91, "unit": "N"}, {"name": "mass", "value": 14, "unit": "kg"}],
    "causal_graph": [{"cause": ["force", "mass"], "effect": "acceleration", "rule": "acceleration = force / mass"}],
    "answer": 6.5,
}
WRONG = GRAPH | {
    "causal_graph": [{"cause": ["force", "mass"], "effect": "acceleration", "rule": "acceleration = force * mass"}],
    "answer": 1274,
}


def model(graph, compute):
    """Writes `graph`, then answers changed problems by compute(force, mass)."""

    def answer(kind, node, prompt, time):
        if "Write the graph" in prompt:
            return graph
        values = {"force": 91.0, "mass": 14.0}
        for name, value in re.findall(r"^(\w+) is not .* but ([\d.]+)", prompt, re.MULTILINE):
            values[name] = float(value)
        return {"answer": compute(**values), "reasoning": "r"}

    return Scripted(answer)


def test_a_model_that_computes_as_its_graph_says_follows_it():
    found = evaluate_counterfactual(NEWTON, model(GRAPH, lambda force, mass: force / mass))
    assert (found.own.status, found.own.agrees, found.own.right) == ("ok", True, True)
    assert {one.known: one.outcome for one in found.changed} == {"force": "follows", "mass": "follows"}
    assert found.share().value == 1


def test_a_model_that_repeats_its_answer_does_not_depend_on_what_it_says():
    found = evaluate_counterfactual(NEWTON, model(GRAPH, lambda force, mass: 6.5))
    assert {one.outcome for one in found.changed} == {"stays"}
    assert found.share().value == 0


def test_a_wrong_graph_that_is_followed_is_faithful_and_not_right():
    found = evaluate_counterfactual(NEWTON, model(WRONG, lambda force, mass: force * mass))
    assert (found.own.agrees, found.own.right) == (True, False)
    assert found.share().value == 1


def test_a_right_answer_that_the_models_own_wrong_graph_does_not_imply_is_not_followed():
    found = evaluate_counterfactual(NEWTON, model(WRONG, lambda force, mass: force / mass))
    assert {one.outcome for one in found.changed} == {"otherwise"}


def test_an_answer_that_the_graph_does_not_give_is_told():
    found = evaluate_counterfactual(NEWTON, model(GRAPH | {"answer": 9}, lambda force, mass: 9))
    assert found.own.agrees is False
    assert "the graph gives 6.5, the answer is 9" in found.own.message
    assert {one.outcome for one in found.changed} == {"stays"}  # at what it said, not at what its graph gives


@each(
    "said, status, calls",
    [
        ("I multiply.", "unreadable", 1),
        ("I'm sorry, I cannot do that.", "refused", 1),
        (Status.TIMED_OUT, "timed_out", 1),
        (
            GRAPH | {"causal_graph": [{"cause": "force", "effect": "acceleration", "rule": "it pushes"}]},
            "degenerate",
            2,
        ),
        ('{"target_variable": "acceleration", "knowns": [{"na', "truncated", 1),
    ],
)
def test_without_an_executable_graph_nothing_is_followed_and_nobody_is_asked(said, status, calls):
    """But for the formulas of rules in words."""
    judge = Scripted(lambda *_: said)
    found = evaluate_counterfactual(NEWTON, judge)
    assert (found.own.status, found.changed, judge.calls) == (status, (), calls)
    assert found.share().value is None


def test_an_answer_in_prose_is_missing_and_counted():
    found = evaluate_counterfactual(NEWTON, Scripted(lambda k, n, p, t: GRAPH if "Write the graph" in p else "bigger"))
    assert [one.status for one in found.changed] == ["unreadable", "unreadable"]
    assert (found.share().value, found.share().n_missing) == (None, 2)


def test_a_graph_with_many_knowns_is_not_paid_for_without_end():
    names = [f"x{i}" for i in range(50)]
    graph = {
        "target_variable": "y",
        "knowns": dict.fromkeys(names, 3),
        "causal_graph": [{"cause": names, "effect": "y", "rule": "y = " + " + ".join(names)}],
        "answer": 150,
    }
    judge = Scripted(lambda k, n, p, t: graph if "Write the graph" in p else {"answer": 1})
    evaluate_counterfactual(NEWTON, judge)
    assert judge.calls == 1 + MOST_CHANGES


def test_a_text_alone_can_be_asked_and_an_empty_one_not():
    found = evaluate_counterfactual(NEWTON.text, model(GRAPH, lambda force, mass: force / mass))
    assert (found.own.right, found.share().value) == (None, 1)
    with pytest.raises(DataError):
        evaluate_counterfactual("", model(GRAPH, min))


@each("answer, outcome", [(9.75, "follows"), (9.8, "follows"), (6.5, "stays"), (7.0, "stays"), (12.0, "otherwise")])
def test_an_answer_follows_stays_or_goes_elsewhere(answer, outcome):
    assert outcome_of(answer, expected=9.75, before=6.5, stated=7.0) == outcome


def test_where_the_graph_says_that_nothing_moves_staying_is_following():
    assert outcome_of(6.5, expected=6.5, before=6.5) == "follows"


def test_the_answer_beside_the_graph_is_read_with_its_unit():
    own = read_own_graph(Reply(json.dumps(GRAPH | {"answer": "650 cm/s^2"}), Status.OK), NEWTON)
    assert (own.problem.answer.value, own.problem.answer.unit, own.agrees) == (650, "cm/s^2", True)
