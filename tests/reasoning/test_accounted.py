"""Everything said must be used: what a rule says and its formula does not have leads to no value."""

import pytest

from trueness.reasoning.passages import surplus
from trueness.reasoning.rules import read_rule
from trueness.reasoning.syntax import parse


@pytest.mark.parametrize(
    ("text", "formula", "left"),
    [
        ("half of the a", "a / 2", ""),
        ("half of the a", "a", "half"),
        ("a third of the a that b has", "a - b", "a third"),
        ("the a angle, the third angle", "a", ""),
        ("a over b, where b is squared", "a / b^2", ""),
        ("a over b, with b squaring", "a / b", "squaring"),
        ("the sum of the two", "a + b", ""),
        ("the sum times two", "a + b", "times"),
        ("y times 7 = a", "a * b", "7"),
        ("half of y = a / 3", "a / 3", "half"),
        ("a times 7 and b", "a * b", "7"),
        ("15% more than a", "a * 1.15", ""),
        ("15% more than a", "a * 1.2", "15"),
        ("three-fifths as many as a", "0.6 * a", ""),
        ("a minus b", "a + b", "minus"),
    ],
)
def test_what_is_said_and_not_used(text, formula, left):
    assert surplus(text, parse(formula).right, ("a", "b", "y"), ()) == left


def test_a_name_may_have_what_is_said_and_a_number_may_be_a_value():
    tree = parse("a * b").right
    assert surplus("the half price times the count", tree, ("half price", "count", "y"), ()) == ""
    assert surplus("a times 7 and b", tree, ("a", "b", "y"), (7.0,)) == ""
    assert surplus("force equals mass times density", parse("f / m").right, ("f", "m", "acceleration"), ()) == "times"


def test_what_is_left_out_of_a_formula_is_told():
    rule = read_rule("y = a / b, where b is the cube of its edge", ("a", "b"), "y")
    assert rule.kind == "broken" and "'cube of'" in rule.message
