"""Arithmetic in words: read rightly, or not at all."""

import math

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import execute
from trueness.reasoning.checks import check_answer
from trueness.reasoning.in_words import read_phrases, read_words
from trueness.reasoning.rules import read_rule
from trueness.reasoning.schema import quantity_of
from trueness.reasoning.trees import evaluate

# causes as graphs name them, how a sentence calls them, and the effect
PAIRS = [
    (("apples per basket", "number of baskets"), ("the apples per basket", "the number of baskets"), "total apples"),
    (("hourly_wage", "hours_worked"), ("hourly wage", "hours worked"), "weekly_pay"),
    (("Ticket Price", "Tickets Sold"), ("the ticket price", "the tickets sold"), "Ticket revenue"),
    (("distance driven", "fuel used"), ("the distance driven", "the fuel used"), "fuel economy"),
    (("original price", "coupon amount"), ("the original price", "the coupon amount"), "final price"),
    (("Maria_books", "Tom_books"), ("Maria's books", "Tom's books"), "books together"),
    (("morning_sales", "evening_sales"), ("sales in the morning", "sales in the evening"), "daily_sales"),
    (("length of the garden", "width of the garden"), ("the length", "the width"), "garden area"),
]
TWO = [  # a style of saying it, and what it computes
    ("Multiply {a} by {b}", lambda a, b: a * b),
    ("The product of {a} and {b}", lambda a, b: a * b),
    ("{e} is calculated by multiplying {a} and {b}.", lambda a, b: a * b),
    ("{a} times {b}", lambda a, b: a * b),
    ("Divide {a} by {b} to get {e}", lambda a, b: a / b),
    ("{e} is {a} divided by {b}", lambda a, b: a / b),
    ("Calculate {e} by dividing {a} by {b}.", lambda a, b: a / b),
    ("Ratio of {a} to {b}", lambda a, b: a / b),
    ("Add {a} and {b}", lambda a, b: a + b),
    ("Add {a} to {b} to find {e}.", lambda a, b: a + b),
    ("Sum of {a} and {b}", lambda a, b: a + b),
    ("{e} equals {a} plus {b}", lambda a, b: a + b),
    ("Subtract {b} from {a}", lambda a, b: a - b),
    ("{e} is obtained by subtracting {b} from {a}.", lambda a, b: a - b),
    ("{a} minus {b}", lambda a, b: a - b),
    ("Difference between {a} and {b}", lambda a, b: a - b),
    ("Average of {a} and {b}", lambda a, b: (a + b) / 2),
    ("Twice {a} plus {b}", lambda a, b: 2 * a + b),
    ("Subtract half of {b} from {a}", lambda a, b: a - b / 2),
    ("Half of {a} times {b}", lambda a, b: a * b / 2),
]
ONE = [
    ("Half of {a}", lambda a: a / 2),
    ("half {a}", lambda a: a / 2),
    ("Twice {a}", lambda a: 2 * a),
    ("One third of {a}", lambda a: a / 3),
    ("Calculate 15% of {a}", lambda a: 0.15 * a),
    ("{a} increased by 20%", lambda a: 1.2 * a),
    ("25 % less than {a}", lambda a: 0.75 * a),
    ("Divide {a} by 12", lambda a: a / 12),
    ("Multiply {a} by four", lambda a: 4 * a),
    ("5 more than {a}", lambda a: a + 5),
    ("3 fewer than {a}", lambda a: a - 3),
    ("The square of {a}", lambda a: a**2),
]


def sentences():
    for k, ((a, b), (phrase_a, phrase_b), effect) in enumerate(PAIRS):
        said = {"a": phrase_a, "b": phrase_b, "e": effect.replace("_", " ")}
        for text, compute in TWO:
            yield text.format(**said), (a, b), effect, compute
        for text, compute in ONE[k % 2 :: 2]:
            yield text.format(**said), (a,), effect, compute


def outcome(text, causes, effect, compute):
    found = read_words(text, causes, effect)
    if found is None:
        return "words"
    values = [17.0, 5.0][: len(causes)]
    right = evaluate(found.tree, dict(zip(causes, values, strict=True))) == pytest.approx(compute(*values))
    return "right" if right else f"wrong: {found.formula}"


def test_two_hundred_rules_are_read_rightly_or_left_alone():
    outcomes = {(text, causes): outcome(text, causes, effect, made) for text, causes, effect, made in sentences()}
    assert len(outcomes) >= 200
    wrong = {text: said for text, said in outcomes.items() if said.startswith("wrong")}
    assert wrong == {}
    left = [text for text, said in outcomes.items() if said == "words"]
    assert len(left) <= 0.1 * len(outcomes), left


@pytest.mark.parametrize(
    ("text", "causes", "effect", "formula"),
    [
        ("Subtract rent and food from income", ("monthly income", "rent", "food costs"), "savings", "m - (r + f)"),
        ("Add rent, food, and travel costs", ("rent", "food", "travel"), "spending", "r + f + t"),
        ("Sum of all three costs", ("rent", "food", "travel"), "spending", "r + f + t"),
        ("The total is the sum of the individual distances", ("first_distance", "second_distance"), "total", "f + s"),
        ("Anna has twice as many coins as Ben", ("Ben_coins",), "Anna_coins", "2 * B"),
        ("Anna has 3 times as many coins as Ben", ("Ben_coins",), "Anna_coins", "3 * B"),
        ("The largest of all scores", ("first score", "second score"), "best", "max(f, s)"),
    ],
)
def test_lists_comparisons_and_all_of_them(text, causes, effect, formula):
    values = {cause: value for cause, value in zip(causes, (97.0, 11.0, 7.0), strict=False)}
    short = {cause[0]: value for cause, value in values.items()}
    expected = evaluate(read_rule(formula, tuple(short), "result").tree, short)
    assert evaluate(read_words(text, causes, effect).tree, values) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    [
        "friction slows the car",
        "Multiply the price by the quantity if it is a weekday",
        "The price is proportional to the quantity",
        "Subtract the price from the budget",  # there is no budget
        "Multiply the price by the quantity and by 3 for each shop",
        "Divide by the quantity",
        "Add the price",
        "The price depends on the quantity",
        "Use the price and the quantity",
        "Multiply price by price",
        "The price after half the quantity is gone",
        "Roughly the price times the quantity",
        "price not times quantity",
        "Sum of the quantity",
        "",
        "42",
    ],
)
def test_anything_uncertain_stays_words(text):
    assert read_words(text, ("price", "quantity"), "cost") is None


def test_two_changes_of_one_quantity_are_both_made():
    causes = ("initial_deposit", "interest_earned", "withdrawal_amount")
    text = "The final balance is the initial deposit increased by the interest earned and reduced by the withdrawal."
    values = dict(zip(causes, (900.0, 36.0, 120.0), strict=True))
    read = read_words(text, causes, "final_balance", {name: (value, None) for name, value in values.items()})
    assert evaluate(read.tree, values) == 816


def test_steps_behind_a_sum_of_steps_that_nobody_can_read_are_left_alone():
    text = "Multiply boxes by price, share the cake, add them, then divide by 2"
    assert read_rule(text, ("boxes", "price"), "total cost").kind == "words"


def test_two_readings_that_differ_are_none():
    assert read_words("Subtract the cost from the cost", ("cost of bread", "cost of milk"), "difference") is None
    assert read_words("Divide cups by cups", ("red cups", "blue cups"), "share") is None


def test_a_number_that_is_a_known_stands_for_it():
    values = {"share": (40.0, "%"), "size": (200.0, "GB")}
    found = read_words("Calculate 40% of 200 GB", ("share", "size"), "part", values)
    assert found.formula == "share / 100 * size"
    assert read_words("Calculate 30% of 200 GB", ("share", "size"), "part", values) is None


def test_a_factor_in_percent_is_a_hundredth_and_is_not_added():
    values = {"discount rate": (20.0, "%"), "price": (50.0, None)}
    product = read_words("Multiply the price by the discount rate", ("price", "discount rate"), "discount", values)
    assert evaluate(product.tree, {"price": 50.0, "discount rate": 20.0}) == 10
    assert read_words("Add the price and the discount rate", ("price", "discount rate"), "total", values) is None


def test_signs_between_phrases_are_read_by_their_words():
    found = read_phrases("Average Speed = Total Distance / Total Time", ("Ann_distance", "Ann_time"), "Ann_speed")
    assert found.formula == "Ann_distance / Ann_time"
    assert read_phrases("Speed = Total Distance / Weight", ("Ann_distance", "Ann_time"), "Ann_speed") is None


def test_what_words_became_is_told():
    rule = read_rule("Divide the force by the mass", ("force", "mass"), "acceleration")
    assert (rule.kind, rule.read_as) == ("formula", "acceleration = force / mass")
    assert rule.aliases == {"force": "force", "mass": "mass"}


def test_a_percentage_that_words_divide_by_a_hundred_needs_no_other_unit():
    graph = read_reasoning(
        {
            "target_variable": "time",
            "knowns": {"size": "200 GB", "share": "40 %", "rate": "2 GB/min", "pause": "20 min"},
            "causal_graph": [
                {"cause": ["size", "share"], "effect": "part", "rule": "Calculate 40% of 200 GB"},
                {"cause": ["part", "rate", "pause"], "effect": "time", "rule": "time = part / rate + pause"},
            ],
        }
    ).graph
    assert check_answer(graph, quantity_of("1 hour")).agrees


@pytest.mark.parametrize(
    "word", ["plus", "times", "and", "by", "minus", "multiplied by", "half of", "twice", "sum of", ","]
)
def test_a_sentence_without_end_is_read_or_left_in_a_moment(word):
    """Were every cut tried, these would have millions of readings."""
    for count in (5, 10, 40):
        read_words(f"multiply {f'a {word} ' * count} a from a", ("a", "b"), "c")


@pytest.mark.parametrize(
    ("rule", "causes", "value"),
    [
        ("1) Add red and blue. 2) Multiply by the price.", {"red": 2, "blue": 3, "price": 4}, 20),
        ("The cake is shared equally among the guests", {"cake": 12, "guests": 4}, 3),
        ("Speed is reduced by friction", {"speed": 12, "friction": 4}, None),  # and by how much nobody says
        ("The volume is increased by 3 times the dose", {"volume": 50, "dose": 10}, None),
        ("y = 500 g * rate", {"rate": 3}, 1500),  # grams, and not 9.81
        ("y = 500 g * price per kg", {"price per kg": 3}, None),
        ("y = 3 m + 2 s", {"a": 2, "b": 1}, None),  # nothing of its causes
        ("y = sqrt(2 g h)", {"h": 5}, math.sqrt(98.1)),
        ("The speed is increased by a factor equal to the gear ratio", {"speed": 12, "gear ratio": 4}, None),
        ("The price is increased by the rate", {"price": 12, "rate": 4}, None),
        ("The absolute value of the charge", {"charge": -3}, 3),
        ("avg. of the 2 readings", {"first reading": 4, "second reading": 6}, 5),
        ("The way from the a-axis is the absolute value of b", {"a": 5, "b": -3}, None),  # no a minus b
        ("2 x + 3 y = 12", {"total": 12}, None),
        ("return (red + blue) / 2", {"red": 2, "blue": 4}, 3),
        ("y := red * blue", {"red": 2, "blue": 4}, 8),
        ("f(red, blue) = red * blue", {"red": 2, "blue": 4}, 8),
        ("y = \\frac{1}{2} m v^{2}", {"mass": 4, "velocity": 3}, 18),
        ("y = V_s * 2", {"Vs": 4}, 8),
    ],
)
def test_ways_of_writing(rule, causes, value):
    assert executed(rule, causes) == (None if value is None else pytest.approx(value))


def test_a_bracket_or_a_premise_that_says_something_else_is_not_the_rule():
    assert (
        executed("Net pay is gross pay minus tax (tax = 0.2 * gross pay)", {"gross pay": 100}, "Net pay") == 80
    )  # defined
    drop = "The price drops by 20%, so the final price is the price times the quantity"
    assert executed(drop, {"price": 10, "quantity": 3}, "final price") is None
    ohm = "Ohm's law: current equals voltage divided by resistance (I = V/R)."
    assert executed(ohm, {"voltage": 12, "resistance": 4}, "current") == 3
    assert executed(ohm.replace("V/R", "V*R"), {"voltage": 12, "resistance": 4}, "current") is None


@pytest.mark.parametrize(
    ("rule", "causes", "effect", "value"),
    [
        ("What is left after paying for the food", {"Initial money": 50, "Cost of food": 20}, "Money left", 30),
        ("What is left after paying the rent", {"Initial money": 50, "Monthly rent": 20}, "Money left", None),
        ("The rest of the class walks", {"Students in class": 30, "Students on bus": 20}, "Students who walk", 10),
        ("The rest of the class walks or cycles", {"Students in class": 30, "Students on bus": 20}, "Walkers", None),
        ("40% are red, the rest are blue", {"Total balls": 50}, "Red balls", None),
        ("40% of the balls are red, the rest are blue", {"Total balls": 50}, "Blue balls", 30),
        ("Half of the remaining money", {"Total money": 50}, "Savings", None),
        ("Base pay plus commission on sales", {"Base pay": 10, "Sales": 5}, "Pay", None),
        ("Price times the number of shirts", {"Price": 10, "Number of hats": 5}, "Cost", None),
        ("The weekly pay times 52", {"Monthly pay": 10}, "Annual pay", None),
        ("The subtotal plus tax and tip", {"Subtotal": 10, "Tax": 5}, "Total", None),
        ("The harvest minus the losses", {"Harvest": 10, "Loss rate": 0.5}, "Net harvest", None),
        ("Multiply by 12 to get the annual fee", {"Monthly fee": 10}, "Annual fee", 120),
        ("Multiply by 12", {"Start": 10}, "Result", None),  # of what, nobody says
        ("n times the number of sides minus two", {"n": 10, "Number of sides": 5}, "Sum", None),
        ("Gravity (9.8 m/s²) times the mass", {"Mass": 10}, "Weight", 98),
        ("Sales minus everything spent (rent plus wages)", {"Sales": 9, "Rent": 2, "Wages": 3}, "Profit", 4),
    ],
)
def test_what_is_left_and_what_is_another_thing(rule, causes, effect, value):
    assert executed(rule, causes, effect) == (None if value is None else pytest.approx(value))


def executed(rule, causes, effect="y"):
    edge = {"cause": list(causes), "effect": effect, "rule": rule}
    return execute(read_reasoning({"target_variable": effect, "knowns": causes, "causal_graph": [edge]}).graph).target


@pytest.mark.parametrize(
    ("rule", "causes", "value"),
    [
        ("y = pay * rate", {"pay": 300, "rate": "20%"}, 60),
        ("y = pay - (pay * rate)", {"pay": 300, "rate": "20%"}, 240),
        ("y = pay * (1 - rate)", {"pay": 300, "rate": "20%"}, 240),
        ("y = pay * rate / 100", {"pay": 300, "rate": "20%"}, 60),
        ("y = first + second", {"first": "20%", "second": "30%"}, 50),
        ("y = money * (1 + rate / n)^n", {"money": 100, "rate": "10%", "n": 2}, 110.25),
        ("y = pay + rate", {"pay": 300, "rate": "20%"}, None),  # 300.2, or 360
        ("y = 1 if rate > 5 else 0", {"rate": "20%"}, None),
    ],
)
def test_a_percentage_in_a_formula_is_a_share(rule, causes, value):
    assert executed(rule, causes) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("rule", "causes", "value"),
    [
        ("y = m * g", {"m": "2 kg"}, 19.62),
        ("y = mgh", {"m": 2, "h": 3}, 58.86),
        ("y = m * g", {"m": "2 g"}, None),  # 9.81 m/s^2 and grams
        ("y = m c^2", {"m": 1}, 299_792_458.0**2),
        ("y = c * x", {"x": 1}, None),  # any c
        ("y = q / (4 pi epsilon_0 r)", {"q": 1e-9, "r": 1}, 8.987551787),
        ("y = pi/4 * d^2", {"d": 2}, math.pi),
        ("y = K + U = 0.5 m v^2 + m g h", {"m": 2, "v": 3, "h": 1}, 28.62),
        ("y = F/m = 10/2", {"F": 10, "m": 4}, 2.5),  # by its causes, not by its computation
        ("p = mv", {"mass": 3, "velocity": 7}, 21),
    ],
)
def test_constants_and_chains_of_equations(rule, causes, value):
    assert executed(rule, causes) == (None if value is None else pytest.approx(value))


def test_an_identity_written_both_ways_is_one_relation():
    edges = [
        {"cause": ["V", "R"], "effect": "I", "rule": "I = V/R"},
        {"cause": ["I", "R"], "effect": "V", "rule": "V = I*R"},
    ]
    dag = {"target_variable": "I", "knowns": {"V": 12, "R": 4}, "causal_graph": edges}
    graph = read_reasoning(dag).graph
    assert graph.cycle == () and execute(graph).target == 3
    edges[1]["rule"] = "V = I + R"  # another relation: the cycle stays
    assert read_reasoning(dag).graph.cycle


@pytest.mark.parametrize(
    ("target", "effects", "taken"),
    [
        ("the total costs", ("cost",), "cost"),
        ("Cost (in dollars)", ("total_cost",), "total_cost"),
        ("cost", ("total cost", "final cost"), "cost"),  # two: neither
        ("cost of bread", ("cost of milk",), "cost of bread"),
    ],
)
def test_a_target_without_a_node_is_the_one_last_effect_of_nearly_its_name(target, effects, taken):
    edges = [{"cause": ["x"], "effect": effect, "rule": "2 * x"} for effect in effects]
    graph = read_reasoning({"target_variable": target, "knowns": {"x": 2}, "causal_graph": edges}).graph
    assert graph.target == taken and execute(graph).target == (4 if taken in effects else None)
    assert any("is taken for" in finding.message for finding in graph.findings) == (taken in effects)


def test_a_target_is_not_taken_for_a_node_between():
    edges = [
        {"cause": ["x"], "effect": "cost", "rule": "2 * x"},
        {"cause": ["cost"], "effect": "price", "rule": "3 * cost"},
    ]
    graph = read_reasoning({"target_variable": "total cost", "knowns": {"x": 2}, "causal_graph": edges}).graph
    assert graph.target == "total cost" and execute(graph).target is None


def test_an_effect_whose_name_is_a_formula_of_its_causes_is_that():
    assert executed("sum of the values found", {"f(0)": 2, "f(1)": 5}, "f(0) + f(1)") == 7
    assert executed("the forces compared", {"F1": 2, "F2": 5}, "F2/F1") == 2.5
    assert executed("the forces compared", {"F1": 2, "F3": 5}, "F2/F1") is None
    assert executed("the way between", {"north": 2, "south": 5}, "north-south") is None


def test_a_known_may_be_a_formula_of_constants_and_no_range():
    assert executed("y = k * q", {"k": "1 / (4 pi epsilon_0)", "q": 1}) == pytest.approx(8.9875518e9)
    assert executed("y = k * q", {"k": "10-20", "q": 1}) is None


def test_a_percentage_that_is_used_further_on_is_not_read():
    edges = [
        {"cause": ["profit", "revenue"], "effect": "margin", "rule": "profit as a percentage of revenue"},
        {"cause": ["margin", "sales"], "effect": "gain", "rule": "multiply sales by margin"},
    ]
    knowns = {"profit": 30, "revenue": 120, "sales": 200}
    dag = {"target_variable": "gain", "knowns": knowns, "causal_graph": edges}
    assert execute(read_reasoning(dag).graph).target is None  # 50, and not 5000
    dag = {"target_variable": "margin", "knowns": knowns, "causal_graph": edges[:1]}
    assert execute(read_reasoning(dag).graph).target == 25


@pytest.mark.parametrize(
    ("rule", "causes", "effect", "value"),
    [
        ("The heating time is the required heat divided by the power.", {"Q (J)": 600, "P (W)": 20}, "t (s)", 30),
        ("Friction force = friction coefficient times the normal force", {"mu_k": 0.2, "N": 30}, "f_k", 6),
        ("The force is the mass times the acceleration", {"m_1": 2, "a": 3}, "F", 6),
        ("The force is the mass times the acceleration", {"m_1": 2, "m_2": 3}, "F", None),  # two masses
        ("The force is the mass times the acceleration", {"m": 2, "b": 3}, "F", None),  # b is nothing by custom
        ("The power is the voltage times the current", {"V": 2, "I": 3, "R": 4}, "P", None),  # and R?
    ],
)
def test_symbols_are_found_by_the_words_that_they_have_by_custom(rule, causes, effect, value):
    assert executed(rule, causes, effect) == (None if value is None else pytest.approx(value))
