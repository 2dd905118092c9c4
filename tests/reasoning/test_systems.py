"""Rules that give their values together, and what need not be known because it cancels."""

import math

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import execute, intervene, invert_all, sensitivity


def graph_of(target, knowns, *rules):
    """rules: (causes, effect, rule)."""
    edges = [{"cause": causes.split(), "effect": effect, "rule": rule} for causes, effect, rule in rules]
    return read_reasoning({"target_variable": target, "knowns": knowns, "causal_graph": edges}).graph


def ages(difference="a - b = d"):
    return graph_of("a", {"s": 50, "d": 8}, ("b s", "a", "a + b = s"), ("a d", "b", difference))


def test_two_equations_give_two_unknowns():
    found = execute(ages())
    assert (found.target, found.values["b"]) == pytest.approx((29, 21))
    assert intervene(ages(), {"d": 10}).target == pytest.approx(30)
    assert sensitivity(ages())["s"].moves
    assert ages().cycle  # a fault of the graph it stays


def test_three_linear_equations():
    rules = (("y z", "x", "x + y + z = t"), ("x z", "y", "x - y = d"), ("x y", "z", "z = x + y"))
    found = execute(graph_of("z", {"t": 12, "d": 2}, *rules))
    assert found.values == pytest.approx({"t": 12, "d": 2, "x": 4, "y": 2, "z": 6})


def test_a_quantity_that_cancels_need_not_be_known():
    rules = (("L a", "M", "M = L * (1 + a)"), ("f L M", "g", "g = f * L / M"))
    found = execute(graph_of("g", {"f": 440, "a": 0.1}, *rules))
    assert found.target == pytest.approx(400)
    effects = sensitivity(graph_of("g", {"f": 440, "a": 0.1}, *rules))
    assert effects["f"].moves and effects["a"].moves
    hidden = invert_all(graph_of("g", {"f": 440, "a": 0.1}, *rules))
    assert {name: found.recovered for name, found in hidden.items()} == {"f": True, "a": True}
    without = execute(graph_of("g", {"f": 440, "a": 0.1}, rules[0], ("f M", "g", "g = f / M")))
    assert without.target is None and "'L'" in without.message


def test_a_maximum_only_looks_as_if_it_did_not_depend():
    assert execute(graph_of("y", {"a": 1e9}, ("a b", "y", "y = max(a, b)"))).target is None


@pytest.mark.parametrize(
    ("knowns", "rules", "why"),
    [
        ({"s": 5, "p": 6}, (("y s", "x", "x + y = s"), ("x p", "y", "x * y = p")), "several solutions: 2, 3"),
        ({"s": 5, "d": 6}, (("y s", "x", "x + y = s"), ("x d", "y", "x + y = d")), "contradict"),
        ({"k": 2}, (("y k", "x", "x = k * y"), ("x", "y", "y = x")), "only 0"),
        ({"k": 2}, (("y k", "x", "x = k * y"), ("x k", "y", "y = x / k")), "say the same"),
        ({}, (("y", "x", "x = y"), ("x", "y", "y = x")), "say the same"),
        ({"s": 25, "d": 1}, (("y s", "x", "x^2 + y^2 = s"), ("x d", "y", "x - y = d")), "several solutions: -3, 4"),
        ({"s": 1, "d": 9}, (("y s", "x", "x^2 + y^2 = s"), ("x d", "y", "x - y = d")), "no solution was found"),
        ({"k": 2}, (("y k", "x", "x = y + k"), ("x k", "y", "y = x + k")), "contradict"),
        ({"a": 1, "b": 0}, (("a b", "x", "x = a / b"),), "division by zero"),
        ({"k": -7}, (("y", "x", "x = sqrt(y)"), ("x k", "y", "y = x + k")), "were not solved"),
        ({"k": 2}, (("y k", "x", "x = k * y"), ("x", "y", "it grows with x")), "words"),
    ],
)
def test_what_has_no_single_solution_has_no_value_and_says_why(knowns, rules, why):
    found = execute(graph_of("x", knowns, *rules))
    assert found.target is None
    said = " ".join(finding.message for finding in found.findings)
    assert why in said
    assert (why == "contradict") == ("contradict" in said)
    assert said.count("division") < 2


def test_one_unknown_in_a_quadratic_equation_whose_roots_are_one():
    rules = (("y s", "x", "x + y = s"), ("x p", "y", "x * y = p"))
    assert execute(graph_of("x", {"s": 4, "p": 4}, *rules)).target == pytest.approx(2)


@pytest.mark.parametrize(
    ("k", "rules", "value"),
    [
        (6, (("y", "x", "x = sqrt(y)"), ("x k", "y", "y = x + k")), 3),
        (8, (("k", "x", "x + ln(x) = k"),), 6.178865346308127),
        (6, (("y k", "x", "x = 2 * sqrt(y) - 1"), ("x k", "y", "y = x + k")), 1 + 2 * math.sqrt(6)),
    ],
)
def test_an_equation_that_no_inverse_undoes_is_solved_by_search(k, rules, value):
    assert execute(graph_of("x", {"k": k}, *rules)).target == pytest.approx(value)


def test_a_power_is_undone_by_a_logarithm():
    assert execute(graph_of("N", {"t": 1e5}, ("t", "N", "Express the time as t = 1 * 10^N"))).target == 5


def test_a_strangers_system_ends():
    names = [f"x{k}" for k in range(12)]
    terms = " * ".join(f"({name} + 1 / {name})" for name in names)
    rules = [(" ".join(names), name, f"{terms} = {k + 2}") for k, name in enumerate(names)]
    assert execute(graph_of("x0", {"s": 1}, *rules)).target is None
