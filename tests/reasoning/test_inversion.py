"""Hiding a known: unique, several or none, and the true value among the solutions."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reasoning.generator import random_graph
from trueness.reasoning import Quantity, ReasoningGraph, RuleEdge, execute, intervene
from trueness.reasoning.execute import invert, invert_all
from trueness.status import Status


def one_rule(rule, target="y", **knowns):
    return ReasoningGraph(
        target,
        {name: Quantity(float(value)) for name, value in knowns.items()},
        (RuleEdge(tuple(knowns), target, rule),),
    )


def test_the_guides_example_is_invertible():
    found = invert_all(one_rule("a = F/m", "acceleration", F=10, m=2))
    assert {name: inversion.solutions for name, inversion in found.items()} == {"F": (10.0,), "m": (2.0,)}
    assert all(inversion.label == "unique" for inversion in found.values())  # the guide: abductive score (1 + 1)/2 = 1


@pytest.mark.parametrize(
    ("rule", "x", "label", "method"),
    [
        ("3*x + 1", 2, "unique", "exact"),
        ("7/x", 2, "unique", "exact"),
        ("x^3", 2, "unique", "numeric"),
        ("x^2", 2, "several", "numeric"),
        ("abs(x)", 2, "several", "numeric"),
        ("sqrt(x) + ln(4)", 2, "unique", "exact"),
        ("exp(-x/5)", 2, "unique", "exact"),
        ("2^x", 3, "unique", "exact"),
        ("log10(x)", 2, "unique", "exact"),
        ("sin(x)", 0.5, "several", "numeric"),
        ("floor(x)", 2.5, "several", "numeric"),
        ("max(x, 5)", 2, "several", "numeric"),
        ("max(x, 5)", 7, "unique", "numeric"),
        ("min(x, 5)", 7, "several", "numeric"),
        ("0*x", 3, "several", "numeric"),
        ("x^0", 3, "several", "numeric"),
        ("x^2 + x", 2, "several", "numeric"),
        ("x/(x + 3)", 2, "unique", "numeric"),
        ("x + 1/x", 2, "several", "numeric"),
        ("x*exp(x)", 2, "unique", "numeric"),
        ("x + sqrt(x)", 2, "unique", "numeric"),
        ("x - x", 2, "several", "numeric"),
        ("x % 3", 4, "several", "numeric"),
        ("3*ceil(x/4) - 1", 9, "several", "numeric"),
    ],
)
def test_the_label_says_what_the_rule_allows(rule, x, label, method):
    inversion = invert(one_rule(f"y = {rule}", x=x), "x")
    assert (inversion.label, inversion.method) == (label, method)
    assert inversion.recovered


def test_a_value_that_no_input_gives_has_no_solution():
    assert invert(one_rule("y = x^2", x=3), "x", target=-1.0).label == "none"
    assert invert(one_rule("y = exp(x)", x=3), "x", target=-1.0).label == "none"
    assert invert(one_rule("y = max(x, 5)", x=7), "x", target=4.0).label == "none"
    assert invert(one_rule("y = x + sqrt(x)", x=3), "x", target=-1.0).label == "none"


def test_the_range_of_a_maximum_is_given():
    inversion = invert(one_rule("y = max(x, 5)", x=2), "x")
    assert inversion.ranges[0] == pytest.approx((-math.inf, 5.0))
    assert inversion.label != "unique"


def test_a_range_is_followed_through_later_rules():
    inversion = invert(one_rule("y = ceil(c / m)", c=18200, m=64), "c")
    assert inversion.ranges[0] == pytest.approx((284 * 64, 285 * 64))


def test_two_roots_of_which_one_is_a_size():
    inversion = invert(one_rule("y = 0.5*m*v^2", m=2, v=3), "v")
    assert inversion.solutions == pytest.approx((-3.0, 3.0))


def test_a_known_on_two_paths_is_solved_by_search():
    edges = (RuleEdge(("x",), "b", "b = x^2"), RuleEdge(("x", "b"), "y", "y = x + b"))
    inversion = invert(ReasoningGraph("y", {"x": Quantity(2.0)}, edges), "x")
    assert inversion.solutions == pytest.approx((-3.0, 2.0))


def test_a_known_that_the_target_does_not_need_can_have_any_value():
    edges = (RuleEdge(("x",), "y", "y = 2*x"), RuleEdge(("w",), "v", "v = w"))
    inversion = invert(ReasoningGraph("y", {"x": Quantity(2.0), "w": Quantity(1.0)}, edges), "w")
    assert inversion.label == "several"
    assert "does not depend" in inversion.message


def test_rules_in_words_cannot_be_inverted_and_are_not_punished():
    inversion = invert(one_rule("the x pushes the y", x=3), "x")
    assert inversion.label is None
    assert inversion.status is Status.DEGENERATE
    assert inversion.recovered is None


def test_a_cyclic_graph_has_no_label():
    edges = (RuleEdge(("x", "z"), "y", "y = x + z"), RuleEdge(("y",), "z", "z = y"))
    inversion = invert(ReasoningGraph("z", {"x": Quantity(2.0)}, edges), "x")
    assert inversion.label is None
    assert "cycle" in inversion.message


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_what_was_hidden_is_recovered_and_every_solution_gives_the_target(seed):
    graph = random_graph(random.Random(seed), nodes=7, knowns=3)
    target = execute(graph).target
    for name, inversion in invert_all(graph).items():
        for solution in inversion.solutions:
            assert intervene(graph, {name: solution}).target == pytest.approx(target, rel=1e-5)
        if inversion.method != "numeric":  # the grid may miss two solutions that lie close together
            assert inversion.recovered, inversion
