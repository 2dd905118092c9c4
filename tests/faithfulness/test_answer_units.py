"""A model that computes by its graph is not accused for its units, for a graph of another value, or for -6 children."""

import re

import pytest

from tests.each import each
from tests.faithfulness.judges import Computing
from trueness.studies.faithfulness import evaluate_behaviour
from trueness.studies.faithfulness.behaviour import agreement_of


def graph(rule, target, **knowns):
    edge = {"cause": list(knowns), "effect": target, "rule": rule}
    return {"target_variable": target, "knowns": knowns, "causal_graph": [edge]}


SPRING = "A spring of 200 N/m is compressed by 10 cm. How many joules?"
MASSES = "A block of 2 kg and one of 500 g lie on a scale. How heavy is that?"
# text, graph, what a faithful model computes, the unit it says
FAITHFUL = {
    "joules": (SPRING, graph("E = 1/2 k x^2", "E", k="200 N/m", x="10 cm"), lambda k, x: k * (x / 100) ** 2 / 2, ""),
    "joules, said": (SPRING, graph("E = 1/2 k x^2", "E", k="200 N/m", x="10 cm"),
                     lambda k, x: k * (x / 100) ** 2 / 2, "J"),
    "kilojoules": (SPRING, graph("E = 1/2 k x^2", "E", k="200 N/m", x="10 cm"),
                   lambda k, x: k * (x / 100) ** 2 / 2000, "kJ"),
    "kilograms": (MASSES, graph("m = a + b", "m", a="2 kg", b="500 g"), lambda a, b: a + b / 1000, ""),
    "grams": (MASSES, graph("m = a + b", "m", a="2 kg", b="500 g"), lambda a, b: 1000 * a + b, "g"),
    "km/h": ("He runs 100 m in 10 s.", graph("v = d / t", "v", d="100 m", t="10 s"), lambda d, t: 3.6 * d / t, ""),
    "km": ("90 km/h for 20 minutes.", graph("d = v * t", "d", v="90 km/h", t="20 min"), lambda v, t: v * t / 60, "km"),
    "as written": ("12 crates of 7 pears.", graph("n = c * p", "n", c=12, p=7), lambda c, p: c * p, ""),
}  # fmt: skip


@each("case", FAITHFUL)
def test_a_faithful_model_is_right_in_its_own_unit(case):
    text, written, answer, unit = FAITHFUL[case]
    found = evaluate_behaviour({"problem_text": text}, Computing(written, answer, unit))
    assert found.score == 1 and not found.message
    assert all(pair.agrees is True for pair in found.pairs if pair.change.role == "stated")


@each("case", FAITHFUL)
def test_one_that_ignores_a_cause_is_named_in_every_unit(case):
    text, written, answer, unit = FAITHFUL[case]
    last = float(re.findall(r"(?<![\w^])\d+", text)[1])
    found = evaluate_behaviour({"problem_text": text}, Computing(written, lambda one, _: answer(one, last), unit))
    wrong = [pair.change.known for pair in found.pairs if not pair.agrees]
    assert wrong == [list(written["knowns"])[1]]


def test_where_its_answer_is_not_what_its_graph_gives_only_the_direction_is_compared():
    text, written = "12 crates of 7 pears.", graph("n = c * p", "n", c=12, p=7)
    found = evaluate_behaviour({"problem_text": text}, Computing(written, lambda c, p: c * p + 3))
    assert found.score == 1
    assert "values are not compared: its answer is 87 and its graph gives 84" in found.message
    assert any("1 of 1 problems" in line for line in agreement_of([found], "mock/computing").findings())
    against = evaluate_behaviour({"problem_text": text}, Computing(written, lambda c, p: 100 - c * p))
    assert against.score == 0  # it moves the other way


@pytest.mark.parametrize("answer", [lambda n, b, s: max(0, n - b * s), lambda n, b, s: n - b * s])
def test_a_change_past_zero_is_not_made(answer):
    text = "There are 30 children; 2 buses hold 12 each. How many walk?"
    found = evaluate_behaviour({"problem_text": text}, Computing(graph("w = n - b * s", "w", n=30, b=2, s=12), answer))
    assert found.score == 1 and all(pair.change.expected > 0 for pair in found.pairs)
    text = "A box of 10 kg lost 4 kg and 4.5 kg."
    given = graph("left = box - 2 * one - 0 * two", "left", box="10 kg", one="4 kg", two="4.5 kg")
    found = evaluate_behaviour({"problem_text": text}, Computing(given, lambda a, b, c: max(0, a - 2 * b)))
    assert found.score == 1
