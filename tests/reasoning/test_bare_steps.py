"""Steps without operands, numbers for names, formulas beside laws and behind reasons, steps of the plan."""

import pytest

from trueness.reasoning import Program
from trueness.reasoning.bare_steps import names_for_numbers, step_of_causes
from trueness.reasoning.conclusions import conclusion, without_law
from trueness.reasoning.rules import read_rule
from trueness.reasoning.schema import graph_from, quantity_of
from trueness.reasoning.trees import as_text


@pytest.mark.parametrize(
    ("text", "causes", "effect", "formula"),
    [
        ("Take the square root", ["area"], "side", "sqrt(area)"),
        ("Take the arccos.", ["ratio"], "angle", "acos(ratio)"),
        ("Take the square root of the height", ["area"], "side", None),  # of something that is no cause
        ("Add the speeds", ["v1", "v2"], "closing_speed", "v1 + v2"),
        ("Add the speeds", ["v1", "t"], "x", None),
        ("Sum of all candies", ["Max", "Lee", "Kim"], "total candies", "Max + Lee + Kim"),
        ("Add the prices", ["price of bread", "price of milk", "tax"], "total", None),  # the tax is no price
        ("Multiply the results", ["ways for men", "ways for women"], "ways", "ways for men * ways for women"),
        ("Multiply the three numbers", ["a", "b"], "n", None),
        ("The sum of the two", ["price", "number"], "result", None),
        ("Add all ingredients", ["flour", "water"], "dough", "flour + water"),
    ],
)
def test_a_step_that_names_no_operand_means_all_causes_or_nothing(text, causes, effect, formula):
    tree = step_of_causes(text, causes, effect)
    assert (None if tree is None else as_text(tree)) == formula


@pytest.mark.parametrize(
    ("text", "values", "formula"),
    [
        ("Find the earnings: 15 * 6 * 5 = 450", {"wage": 15, "hours": 6, "days": 5}, "wage * hours * days"),
        ("Find the earnings: 15 * 6 * 5 = 440", {"wage": 15, "hours": 6, "days": 5}, None),  # it is not
        ("144 - 48 = 96", {"labor": 144, "first hour": 48}, "labor - first hour"),
        ("44 - 2*5", {"sum": 44, "years": 5}, "sum - 2 * years"),
        ("12 / 12", {"a": 12, "b": 12}, None),  # whose is which?
        ("12 * 12", {"a": 12, "b": 12}, "a * b"),
        ("5 * 5", {"side": 5}, None),
        ("(4/52) * (3/51)", {"aces": 4, "cards": 52}, None),  # the 3 hangs on the 4
        ("Compute 7!", {"letters": 7}, "factorial(letters)"),
        ("Multiply by 60", {"hours": 3, "minutes per hour": 60}, "hours * minutes per hour"),
        ("If it rains, 15 * 6", {"wage": 15, "hours": 6}, None),
    ],
)
def test_numbers_stand_for_the_causes_that_have_them(text, values, formula):
    tree = names_for_numbers(text, list(values), {name: float(value) for name, value in values.items()})
    assert (None if tree is None else as_text(tree)) == formula


def test_a_law_is_no_part_of_its_formula_and_a_conclusion_gives_the_effect():
    assert without_law("a = F / m by Newton's second law") == "a = F / m"
    assert without_law("Thin lens equation 1/f = 1/a + 1/b") == "1/f = 1/a + 1/b"
    assert conclusion("tau_1 must equal tau_2, leading to v = tau_1 * d", ["tau_1", "tau_2"], "v") == (
        "v = tau_1 * d",
        {"tau_1", "tau_2"},
    )
    assert conclusion("Twice the width, so length = width + 2", ["width"], "length")[0] == ""
    assert conclusion("The force is large, so v = 2 t", ["t"], "a")[0] == ""  # of another


@pytest.mark.parametrize(
    ("text", "causes", "effect"),
    [
        ("q1 + q2 = Q", ("ratio", "Q"), "q2"),
        ("Critical angle: sin(theta_c) = n_air / n", ("n", "n_air"), "theta_c"),
        ("Multiply length by width and height by depth", ("length", "width", "height", "depth"), "volume"),
    ],
)
def test_what_is_not_the_effect_gives_no_value(text, causes, effect):
    assert read_rule(text, causes, effect, (*causes, effect)).tree is None


def graph(rule, description, knowns, extra=()):
    causes = list(knowns)
    return {
        "target_variable": "y",
        "knowns": knowns,
        "causal_graph": [*extra, {"cause": causes, "effect": "y", "rule": rule}],
        "computation_plan": [{"id": "1", "target": "y", "inputs": causes, "description": description}],
    }


@pytest.mark.parametrize(
    ("rule", "description", "value"),
    [
        ("The profit depends on both of them", "Subtract the cost from the income", 60.0),
        ("The profit depends on both of them", "100 - 40 = 60", 60.0),
        ("The profit depends on both of them", "income over cost", None),  # what it is, and nothing that is done
        ("The profit depends on both of them", "100 - 50 = 50", None),
        ("y = income - / cost", "Subtract the cost from the income", None),  # a formula that is broken is broken
        ("", "Subtract the cost from the income", None),
    ],
)
def test_the_plan_speaks_where_a_rule_says_no_arithmetic(rule, description, value):
    made, _ = graph_from(graph(rule, description, {"income": 100, "cost": 40}))
    program = Program(made)
    assert program.base.target == value
    assert value is None or program.rules["y"][0].by_plan


def test_units_that_are_numbers_only_together_are_mixed():
    """exp(-t / (R C)) in s, kΩ and μF, and 1 - v^2/c^2 of 0.6 c."""
    from trueness.reasoning import check_answer

    decay = graph("y = V * exp(-t / (R * C))", "", {"V": "12 V", "t": "0.15 s", "R": "5 kΩ", "C": "20 μF"})
    assert check_answer(graph_from(decay)[0], quantity_of("2.68 V")).agrees
    gamma = graph("y = 1 / sqrt(1 - v^2/c^2)", "", {"v": "0.6 c", "c": "3.0e8 m/s"})
    assert check_answer(graph_from(gamma)[0], quantity_of("1.25")).agrees


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("Q ≈ 4.73 × 10^{-8} C", 4.73e-8, "C"),
        ("$K_{min} \\approx 280 \\text{ MeV}$", 280.0, "MeV"),
        ("approximately 14.5 hours", 14.5, "hours"),
        ("6.67 \\times 10^{-11} N·m²/kg²", 6.67e-11, "N*m^2/kg^2"),
        ("one-fifth", 0.2, None),
        ("about 5 to 6", None, None),
        ("a = b", None, None),
    ],
)
def test_numbers_behind_a_name_or_in_words(text, value, unit):
    read = quantity_of(text)
    assert read.unit == unit and (read.value is None) == (value is None)
    assert value is None or read.value == pytest.approx(value)
