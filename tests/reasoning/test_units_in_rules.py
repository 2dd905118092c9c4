"""Numbers with units inside rules, conversions, and what a number does to the unit of a result."""

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.checks import check_answer
from trueness.reasoning.names import read_unit
from trueness.reasoning.schema import quantity_of


def checked(rule, knowns, effect, answer):
    edge = {"cause": list(knowns), "effect": effect, "rule": rule}
    graph = read_reasoning({"target_variable": effect, "knowns": knowns, "causal_graph": [edge]}).graph
    return check_answer(graph, quantity_of(answer))


@pytest.mark.parametrize(
    ("rule", "knowns", "effect", "answer"),
    [
        ("t_min = t_h * 60", {"t_h": "2 h"}, "t_min", "120 min"),
        ("L_m = L_cm / 100", {"L_cm": "250 cm"}, "L_m", "2.5 m"),
        ("t = d * 1000 / v", {"d": "2 km", "v": "5 m/s"}, "t", "400 s"),
        ("t = d / v", {"d": "2 km", "v": "5 m/s"}, "t", "400 s"),
        ("v = d / t * 3.6", {"d": "100 m", "t": "10 s"}, "v", "36 km/h"),
        ("v = d / t", {"d": "100 m", "t": "10 s"}, "v", "36 km/h"),
        ("W = 9.81 * m", {"m": "2 kg"}, "W", "19.62 N"),
        ("cost = price * share / 100", {"price": "80 USD", "share": "15 %"}, "cost", "12 USD"),
        ("y = 5 m * x", {"m": 2, "x": 3}, "y", "30"),  # m is a cause
    ],
)
def test_units_inside_a_rule_are_read(rule, knowns, effect, answer):
    assert checked(rule, knowns, effect, answer).agrees


@pytest.mark.parametrize(
    ("rule", "knowns", "effect", "answer"),
    [
        ("t = d / v", {"d": "2 km", "v": "5 m/s"}, "t", "400"),  # 400, or 0.4: the answer has no unit
        ("F = m * 9.8 m/s^2", {"m": "2 kg"}, "F", "19.6 N"),  # a number in a formula has no unit
        ("t = 2 km / v", {"v": "5 m/s"}, "t", "400 s"),
        ("E = 5 V * I", {"I": "2 A"}, "E", "10 W"),
        ("d = 60 km/h * t", {"t": "30 min"}, "d", "30 km"),
        ("Convert 80 km/h to m/s", {"speed": "90 km/h"}, "v", "25 m/s"),  # another number
        ("Convert price to euros", {"price": "90 USD"}, "price in euros", "80 EUR"),
        ("Convert speed to kilograms", {"speed": "90 km/h"}, "v", "25 kg"),
        ("Convert hours to minutes by multiplying by 30", {"time in hours": "2 h"}, "time in minutes", "60 min"),
        ("d = a + b", {"a": "2 km", "b": "300 m"}, "d", "302"),  # 2.3 or 2300, and the answer has no unit
    ],
)
def test_units_that_do_not_go_together_have_no_value(rule, knowns, effect, answer):
    assert checked(rule, knowns, effect, answer).agrees is None


def test_a_graph_that_mixes_units_and_loses_them_is_not_compared():
    edges = [
        {"cause": ["r", "rho"], "effect": "M", "rule": "M = rho * r^3"},
        {"cause": ["M", "q"], "effect": "N", "rule": "N = M / q"},
    ]
    knowns = {"r": "2 km", "rho": "3 g/cm^3", "q": "4 blorps"}
    graph = read_reasoning({"target_variable": "N", "knowns": knowns, "causal_graph": edges}).graph
    found = check_answer(graph, quantity_of("6"))
    assert found.agrees is None and "mix units of one kind" in found.message


def test_a_formula_is_no_unit():
    assert quantity_of("1 / (2 * L) * sqrt(sigma / rho)").value is None
    assert quantity_of("8 hours/day for 5 days").value is None
    assert quantity_of("3 kg·m²·s⁻²") == quantity_of("3", "kg·m²·s⁻²")


def test_the_table_of_units():
    assert read_unit("blorp") is None
