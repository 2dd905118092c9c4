"""What a rule says beside its arithmetic, in other units and in steps, with neighbours that must be refused."""

import pytest

from tests.reasoning.test_in_words import executed
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.clauses import gainsays, in_another_unit, plainly, restatements
from trueness.reasoning.rules import read_rule
from trueness.reasoning.symbols import to_sympy
from trueness.reasoning.syntax import parse
from trueness.reasoning.trees import Binary, Call, Name, Number, agree


@pytest.mark.parametrize(
    ("rule", "causes", "value"),
    [
        ("Half of the beads, so y = beads / 2", {"beads": 90}, 45),
        ("Half of the beads, so y = beads / 3", {"beads": 90}, None),
        ("Reduce the price by 25%, so y = 0.75 × price", {"price": 100}, 75),
        ("Reduce the price by 25%, so y = 0.25 × price", {"price": 100}, None),
        ("Subtract the tax: y = gross - tax", {"gross": 9, "tax": 2}, 7),
        ("Subtract the tax: y = gross + tax", {"gross": 9, "tax": 2}, None),
        ("Add the tax to the gross, i.e. the gross minus the tax", {"gross": 9, "tax": 2}, None),
        ("Subtract the second from the first: second - first", {"first": 9, "second": 4}, None),
        ("y = g * t or y = sqrt(2 * g * h)", {"g": 9.8, "t": 2, "h": 5}, None),
        ("y = salt / water, after boiling", {"salt": 9, "water before boiling": 4}, None),
        ("y = way / time, where time is the return time", {"way": 9, "outward time": 3}, None),
        ("y = tickets × price (6)", {"tickets": 3, "price": 6}, 18),
        ("y = tickets × price (5)", {"tickets": 3, "price": 6}, None),
        ("Since there are 52 weeks in a year, y = weekly × 52", {"weekly": 10}, 520),
        ("Since there are 52 weeks in a year, y = weekly × 12", {"weekly": 10}, None),
    ],
)
def test_what_is_said_twice_must_agree(rule, causes, value):
    assert executed(rule, causes) == (None if value is None else pytest.approx(value))


def test_what_gainsays_a_formula():
    assert gainsays("the field doubles, hence", "y = x / 4", ("x", "y"))
    assert not gainsays("the field doubles, hence", "y = 2 * x", ("x", "y"))
    assert gainsays("divided by three", "y = x / 2", ("x",)) and not gainsays("divided by three", "y = x / 3", ("x",))
    assert restatements("Add a to b, i.e. a + b") == ["Add a to b", "a + b"] and restatements("Add a to b") == []


def test_steps_behind_a_formula_are_one_formula():
    assert plainly("A = l × w, then divided by 2 because it is a triangle", ("l", "w"), "y", {}) == "A = (l × w) / (2)"
    assert plainly("A = l × w, divided by 2 if it is a triangle", ("l", "w"), "y", {}).endswith("if it is a triangle")
    assert plainly("Let x be the number of adults; then c = 3x - 4", ("adults",), "y", {}) == "c = 3(adults) - 4"
    assert plainly("c = bag price / ounces; the bag price is 9.60", ("ounces",), "y", {}) == "c = (9.60) / ounces"
    said = "c = bag price / ounces; the bag price is 9.60"
    assert plainly(said, ("ounces", "bag price"), "y", {"bag price": 8.0}) == said  # 9.60, and 8?


@pytest.mark.parametrize(
    ("rule", "causes", "value"),
    [
        ("tax = 0.2 × income; net = income − tax", {"income": 100}, 80),
        ("net = income − tax, where tax = 0.2 × income", {"income": 100}, 80),
        ("net = income − tax, where tax = 0.2 × income", {"income": 100, "tax": 10}, None),  # 10, or 20?
        ("net = income − fee, where tax = 0.2 × income", {"income": 100}, None),
        ("tax = 0.2 × sales; net = income − tax", {"income": 100}, None),
    ],
)
def test_what_is_no_node_stands_for_what_it_is(rule, causes, value):
    assert executed(rule, causes, "net") == (None if value is None else pytest.approx(value))


def test_a_cause_in_another_unit():
    found = in_another_unit("distance / time, with the time in hours", {"time (min)": "min", "distance": None})
    assert (found.text, found.cause) == ("distance / time", "time (min)") and found.factor == pytest.approx(1 / 60)
    assert in_another_unit("distance / time, with the time in hours", {"time": None}) is None
    assert in_another_unit("distance / time with time in hours (minutes / 100)", {"time (min)": None}) is None
    rule = "Speed is distance divided by time, with the time converted to hours"
    assert executed(rule, {"distance (km)": 30, "time (min)": 30}, "speed") == pytest.approx(60)
    assert executed(rule, {"distance (km)": 30, "time": 30}, "speed") is None


def test_letters_stand_for_names_by_custom_and_not_for_others():
    assert executed("V = π r² h", {"tank_radius": 1, "tank_height": 2}, "tank_volume") == pytest.approx(6.283185)
    assert executed("V = π r² h", {"tank_diameter": 1, "tank_height": 2}, "tank_volume") is None
    assert executed("V = π r² h", {"cone_radius": 1, "slant_height": 2}, "cone_volume") is None
    assert executed("x = 180 - A - B", {"angle_A": 50, "angle_B": 60}, "angle_x") == 70


def test_factorials_and_combinations():
    assert executed("n! / (n - 2)!", {"n": 5}) == 20
    assert executed("\\binom{n}{k}", {"n": 5, "k": 2}) == 10
    assert executed("y = factorial(n)", {"n": 2.5}) is None
    assert agree(parse("comb(n, 2)").right, parse("n * (n - 1) / 2").right)
    assert not agree(parse("factorial(n)").right, parse("n * n").right)
    tree = Call("comb", (Name("n"), Binary("+", Number(1.0), Number(1.0))))
    assert str(to_sympy(tree)) == "binomial(n, 2)"


def test_a_cause_with_a_backslash_is_no_pattern():
    assert executed("A 6% tax is added", {"\\Delta H": 50}, "total") in (None, 53)
    assert executed("Let x be the \\Delta H; then y = 3x", {"\\Delta H": 5}) in (None, 15)


def test_a_name_with_a_comma_is_one_where_the_graph_has_it():
    edge = {"cause": ["I", "R"], "effect": "Power, P", "rule": "P = I²R"}
    graph = read_reasoning({"target_variable": "Power, P", "knowns": {"I": 2, "R": 3}, "causal_graph": [edge]}).graph
    assert graph.rules_of.keys() == {"Power, P"}
    assert read_rule("P = I²R", ("I", "R"), "Power, P").executable
