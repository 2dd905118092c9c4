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
        ("5 / 0 = 3", {"a": 5, "b": 0}, None),  # no result at all, and no error
        ("200! = 3", {"a": 200}, None),
        ("sqrt(0 - 4) = 2", {"a": 0, "b": 4}, None),
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


def value_of(text, knowns, effect="y", description=""):
    """What a graph of one rule executes to; with a description also its plan."""
    plan = [{"id": "1", "target": effect, "inputs": list(knowns), "description": description}]
    edges = [{"cause": list(knowns), "effect": effect, "rule": text}]
    parts = {"target_variable": effect, "knowns": knowns, "causal_graph": edges, "computation_plan": plan}
    return Program(graph_from(parts)[0]).base.target


@pytest.mark.parametrize(
    ("text", "knowns", "effect"),
    [
        ("Take the square root", {"area": 16}, "half of the side"),
        ("Take the square root of both sides", {"x squared plus 9": 25}, "x"),
        ("Sum of all candies", {"bags": 5, "children": 3}, "total candies"),  # who has candies is called by a name
        ("Sum of all scores", {"Ann": 5, "Ben": 3, "games": 2}, "total scores"),
        ("Sum of all legs", {"cows": 5, "chickens": 3}, "total legs"),
        ("Sum of all prices", {"Tea": 4, "Cake": 2, "Quantity": 3}, "total prices"),
        ("Total is everything combined", {"price": 5, "quantity": 2}, "total"),
        ("Add all components", {"Fx": 3, "Fy": 4}, "magnitude"),
        ("Add the costs", {"cost per shirt": 20, "number of shirts at full cost": 3}, "total cost"),
        ("Add the tickets", {"adult ticket price": 10, "child tickets": 20}, "revenue"),
        ("Add the squares", {"s1": 3, "s2": 4}, "y"),
        ("Add the roots", {"r1": 4, "r2": 9}, "y"),
        ("Add the resistances", {"R1": 3, "R2": 4}, "parallel resistance"),
        ("Multiply them", {"percent": 30, "total": 40}, "part"),
        ("Multiply the remaining numbers", {"a": 4, "b": 2}, "y"),
        ("Multiply by 60", {"speed": 60, "distance": 120}, "time in minutes"),  # 60 and 2 are in many formulas
        ("Divide by 2", {"base": 2, "height": 5}, "area"),
        ("Divide by 100", {"percent": 20, "income": 100}, "rate"),
    ],
)
def test_a_step_that_may_mean_other_operands_gives_no_value(text, knowns, effect):
    assert value_of(text, knowns, effect) is None


@pytest.mark.parametrize(
    "text",
    [
        *("half of 17 * 5", "twice 17 * 5", "The square root of 17 + 5", "The negative of 17 - 5", "One minus 17 * 5"),
        *("Round up 17 / 5", "The floor of 17 / 5", "The remainder of 17 / 5", "at least 17 * 5 = 85", "odds of 17/5"),
        *("The complement: 17 * 5", "Average: 17 + 5 = 22", "All but 17 * 5 = 85", "pages 17-5", "more than 17 * 5"),
        *("Divide the total by 17 + 5", "Subtract 17 * 5", "Increase by 17 * 5"),
        *("17 * 5 ways minus the forbidden ones", "17 * 5 ways for each of the two colors", "y != 17 + 5"),
        *("17 * 5 ways, doubled for the two orders", "17 + 5 = 22 dozen", "17 + 5 = 22 million", "17 * 5 = 85 percent"),
    ],
)
def test_words_around_numbers_that_change_them_give_no_value(text):
    assert value_of(text, {"a": 17, "b": 5}) is None


def test_an_equation_of_numbers_is_solved_and_not_read_off():
    assert value_of("y² = 17 + 5 = 22", {"a": 17, "b": 5}) in (None, pytest.approx(22**0.5))
    assert value_of("-y = 17 + 5", {"a": 17, "b": 5}) == -22


@pytest.mark.parametrize(
    ("text", "knowns", "effect"),
    [
        ("The side is the root of the area, so side = area / 2", {"area": 16}, "side"),
        ("E = m c^2, so m = E / c^2, giving m = E / c", {"E": 18, "c": 3}, "m"),
        ("It would be wrong to say that thus a = F / m", {"F": 10, "m": 2}, "a"),
        ("One might think that, so a = F / m", {"F": 10, "m": 2}, "a"),
        ("Friction f opposes F, so a = F / m", {"F": 10, "m": 2, "f": 4}, "a"),
        ("Energy is lost to heat Q, giving E = m * g", {"m": 5, "g": 2, "Q": 3}, "E"),
        ("a = F / m according to the wrong formula", {"F": 10, "m": 2}, "a"),
        ("y = a + b by the definition of the average", {"a": 5, "b": 3}, "y"),
        ("Not the Newton law a = F / m", {"F": 10, "m": 2}, "a"),
        ("Twice the Newton law a = F / m", {"F": 10, "m": 2}, "a"),
        ("Half the kinetic energy formula E = m * v^2", {"m": 10, "v": 2}, "E"),
        ("A violation of Ohm's law V = I * R", {"I": 10, "R": 2}, "V"),
    ],
)
def test_a_formula_that_its_own_text_gainsays_gives_no_value(text, knowns, effect):
    assert value_of(text, knowns, effect) is None


@pytest.mark.parametrize(
    ("rule", "description", "effect"),
    [
        ("The profit depends on both", "Add the income and the cost to get the turnover", "profit"),
        ("The profit depends on both", "Compute the cost ratio: cost / income", "profit"),
        ("The profit depends on both", "Calculate total revenue as income plus cost", "profit"),
        ("The average depends on both", "Add income and cost", "average"),
        ("The average depends on both", "100 + 40 = 140", "average"),
        ("The ratio depends on both", "100 - 40", "ratio"),
        ("Profit is half of what remains after cost", "Subtract the cost from the income", "profit"),
        ("Profit is the income less the cost, taxed at 20%", "Subtract the cost from the income", "profit"),
        ("The profit rises if income exceeds cost, else it is zero", "Subtract the cost from the income", "profit"),
        ("The ratio between income and cost matters here", "Subtract the cost from the income", "profit"),
        ("Only three quarters of the income count", "Subtract the cost from the income", "profit"),
        ("The income is shared equally", "100 - 40", "share"),
    ],
)
def test_a_step_of_the_plan_that_is_of_another_or_leaves_out_what_the_rule_says(rule, description, effect):
    assert value_of(rule, {"income": 100, "cost": 40}, effect, description) is None


@pytest.mark.parametrize(
    ("text", "effect", "value"),
    [
        ("Apply a 20% discount to the price", "discounted price", 40.0),
        ("Apply a 20% discount to the price", "price cut", 10.0),
        ("Apply an 8% sales tax to the price", "total tax", 4.0),
        ("Apply an 8% sales tax to the price", "price after tax", 54.0),
        ("Apply a 10% fee to the price", "fee on price", 5.0),
        ("Apply a 10% fee to the price", "net amount", None),
    ],
)
def test_an_applied_charge_is_the_charge_or_what_it_is_put_on(text, effect, value):
    assert value_of(text, {"price": 50}, effect) == value


def test_a_speed_is_no_count_and_an_unknown_factor_hides_no_mixed_units():
    from trueness.reasoning import check_answer

    trip = graph("y = speed * t", "", {"speed": 5, "t": "3 h"})
    assert not check_answer(graph_from(trip)[0], quantity_of("900 min")).agrees
    decay = graph("y = N * 0.5 ** (t / T)", "", {"N": 100, "t": "2 days", "T": "24 hours"})
    assert check_answer(graph_from(decay)[0], quantity_of("25")).executed in (None, 25.0)


@pytest.mark.parametrize(
    "text", ["third", "cos = 0.5", "not = 5", "around 5pm", "3 million", "2 dozen", "40 percent off"]
)
def test_what_is_no_number_as_it_stands(text):
    assert quantity_of(text).value is None
