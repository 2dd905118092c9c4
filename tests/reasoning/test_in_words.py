"""Arithmetic in words: read rightly, or not at all."""

import json
import math
import random
from collections import Counter
from pathlib import Path

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


def test_a_corpus_written_before_the_grammar_was_read_is_executed_rightly_or_not_at_all():
    """rules_in_words.jsonl: 200 rules of 14 styles, written by one who had not read the grammar. At first try 54 % of
    the 179 with a value were right and 9 were wrong; after tuning on half A, 88 % of half B were right and 1 wrong
    (a percentage in a formula). Since then B has been looked at as well."""
    corpus = Path(__file__).parent / "rules_in_words.jsonl"
    outcomes: Counter[str] = Counter()
    wrong = []
    for line in corpus.read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        edge = {"cause": list(given["causes"]), "effect": given["effect"], "rule": given["rule"]}
        dag = {"target_variable": given["effect"], "knowns": given["causes"], "causal_graph": [edge]}
        value, expected = execute(read_reasoning(dag).graph).target, given["value"]
        outcomes["said" if expected is not None else "open"] += 1
        if value is not None and (expected is None or not math.isclose(value, expected, rel_tol=1e-9)):
            wrong.append((given["rule"], value))
        outcomes["right"] += value is not None
    assert outcomes["said"] + outcomes["open"] == 200
    assert wrong == []
    assert outcomes["right"] >= 0.9 * outcomes["said"]


def test_rules_of_styles_that_were_not_there_before():
    """rules_of_other_styles.jsonl: 40 rules (typeset, equations, units, programs, numbered steps, notes), written
    with the grammar known and before any of them was run. At first try 20 of the 33 with a value were right and 2 were
    wrong: of `2 x + 3 y = 12` the y was taken for the one cause, and of x^2 = y the positive root is taken by rule."""
    outcomes: Counter[str] = Counter()
    wrong = []
    for line in (Path(__file__).parent / "rules_of_other_styles.jsonl").read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        edge = {"cause": list(given["causes"]), "effect": given["effect"], "rule": given["rule"]}
        dag = {"target_variable": given["effect"], "knowns": given["causes"], "causal_graph": [edge]}
        dag["units"] = {given["effect"]: given["unit"]} if "unit" in given else {}
        graph, expected = read_reasoning(dag).graph, given["value"]
        value = execute(graph).target
        if "unit" in given:
            right = check_answer(graph, quantity_of(f"{expected} {given['unit']}")).agrees
        else:
            right = None if value is None else expected is not None and math.isclose(value, expected, rel_tol=1e-9)
        wrong += [given["rule"]] if right is False else []
        outcomes["right"] += right is True
        outcomes["said"] += expected is not None
    assert wrong == ["x^2 = y"]
    assert (outcomes["said"], outcomes["right"] >= 29) == (33, True)


@pytest.mark.parametrize(
    ("name", "said", "right"),
    [
        ("of_changes_and_shares", 33, 33),
        ("that_mislead", 56, 50),
        ("of_laws_and_prices", 44, 43),
        ("with_units_and_steps", 41, 37),
        ("of_groups_and_shares", 22, 20),
    ],
)
def test_rules_of_change_and_rules_that_mislead(name, said, right):
    """Lists written in one sitting each, before any of their rules was run and with most of the grammar read. At first
    try (with a value: right, wrong of all): rules_of_changes_and_shares, 40 rules with reduced by, for every, per,
    remaining, share of: 14 of 33, 2; rules_that_mislead, 94, nearly half without a value (half of the students are
    girls, for the effect boys): 34 of 51, 4; rules_of_laws_and_prices, 63, once those were mended: 27 of 42, 4;
    rules_with_units_and_steps, 63, once the third was: 30 of 40, 5 (four add 30 minutes to a time in hours);
    rules_of_groups_and_shares, 40, once the fourth was: 19 of 22, 6 (wages of all workers as wage plus number). Six
    values that were left open when the grammar had no form for them are given since (hours above 40, a geometric mean,
    a remainder, ways to choose, the rest of the people, a complement)."""
    file = Path(__file__).parent / f"rules_{name}.jsonl"
    given = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    values = [(one["rule"], executed(one["rule"], one["causes"], one["effect"]), one["value"]) for one in given]
    wrong = [
        (rule, value, expected)
        for rule, value, expected in values
        if value is not None and (expected is None or not math.isclose(value, expected, rel_tol=1e-9))
    ]
    assert wrong == []
    assert sum(expected is not None for _, _, expected in values) == said
    assert sum(value is not None for _, value, _ in values) >= right


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


def test_a_list_of_one_who_knew_nothing_of_the_reader():
    """rules_of_a_stranger.jsonl: 100 rules as models write them. At first try 61 of 82 with a value were right and 3
    of 100 wrong: `F = ma` of the mass alone was the mass, `mgh, with g = 9.8 m/s²` was 9.8 m / s², and 42 / 56 x 100 %
    was 0.75, which is 75 %."""
    right, wrong = outcomes_of("rules_of_a_stranger.jsonl")
    assert right >= 80 and wrong == []


def test_formulas_of_one_who_knew_nothing_of_the_reader():
    """formulas_of_a_stranger.jsonl: at first try 54 of 95 with a value were right and 5 of 110 wrong: log as ln in pH,
    `m2*a` of two equations, 100 % as 1, P(D|+) as P(D). Left: a sine that must be inverted."""
    right, wrong = outcomes_of("formulas_of_a_stranger.jsonl")
    assert right >= 93 and wrong == []


def test_formulas_that_mislead():
    """formulas_that_mislead.jsonl, by one who knew the reader: at first try 158 were wrong: mv^2 as (m v)^2, PV/RT as
    P V T / R, `x, capped at 5` as x. Left: what a letter means elsewhere, a mean of °C and K."""
    right, wrong = outcomes_of("formulas_that_mislead.jsonl")
    assert right >= 445
    assert {one["rule"] for one in wrong} <= {"f = μN", "h = v*t - 4.9*t^2", "T_avg = (T1 + T2)/2"}


def outcomes_of(name):
    """How many are right, and the wrong ones; a stranger's values have six digits."""
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    given = [json.loads(line) for line in lines]
    values = [(one, executed(one["rule"], one["causes"], one["effect"])) for one in given]
    said = [(one, value) for one, value in values if value is not None]
    wrong = [one for one, value in said if one["value"] is None or not math.isclose(value, one["value"], rel_tol=2e-3)]
    return len(said) - len(wrong), wrong


def test_a_second_list_of_one_who_knew_nothing_of_the_reader():
    """rules_of_a_second_stranger.jsonl: 120 rules as models write them, 20 of them without a value. At first try 73 of
    100 were right and 2 of 120 wrong: `base pay plus commission on sales` was base pay plus sales, and the other is a
    formula with its constant behind it (PE = mgh, with g = 9.81 m/s²)."""
    right, wrong = outcomes_of("rules_of_a_second_stranger.jsonl")
    assert right >= 100 and wrong == []


def test_a_third_and_a_fourth_list_of_such():
    """130 rules each, by others who knew nothing of the reader. The third, on the reader before the lists above: 64 of
    110 right and 1 wrong. The fourth, after them: 84 of 110 right (76 %) and 3 of 130 wrong (twice as many as Jan
    minus 5; a semi-perimeter; the energy for the speed of m v²/2 = E). The fifth and the sixth: test_clauses.py."""
    right, wrong = outcomes_of("rules_of_a_third_stranger.jsonl")
    assert right >= 91 and wrong == []
    right, wrong = outcomes_of("rules_of_a_fourth_stranger.jsonl")
    assert right >= 99 and wrong == []


def test_rules_of_many_genres_written_while_the_grammar_grew():
    """rules_of_many_genres.jsonl: ten lists, each written in one sitting before any of its rules was run, and mended
    before the next one was written. At first try, with a value right, and wrong of all: 76 of 122, 3 of 157; 79 of 91,
    7 of 150; 72 of 91, 8 of 150; 78 of 95, 6 of 149; 45 of 81, 6 of 130 (passive voice and idioms); 50 of 58, 5 of 117;
    46 of 57, 3 of 90; 47 of 60, 1 of 90; 45 of 53, 4 of 75; 36 of 40, 2 of 55. Four in ten have no value: something is
    missing, or it is of something else. One value and three rules were themselves wrong: mended, and left out."""
    right, wrong = outcomes_of("rules_of_many_genres.jsonl")
    assert wrong == []
    assert right >= 726


def test_a_cause_exchanged_for_a_stranger_is_hardly_ever_taken():
    """The rules of rules_of_many_genres.jsonl with a value, each of their causes exchanged for one of another rule:
    what the words name is no longer there. With two more lists 95 of 1,501 were still executed before kinds, labels
    and general words were told apart, and 23 after; half of those name a thing by another name (mass, total mass)."""
    lines = (Path(__file__).parent / "rules_of_many_genres.jsonl").read_text(encoding="utf-8").splitlines()
    given = [one for one in map(json.loads, lines) if one["value"] is not None and not set("=*+") & set(one["rule"])]
    names, rng = [name for one in given for name in one["causes"]], random.Random(5)
    tried = taken = 0
    for one in given:
        for cause in one["causes"]:
            other = rng.choice(names)
            causes = {other if name == cause else name: value for name, value in one["causes"].items()}
            tried += other not in one["causes"]
            taken += other not in one["causes"] and executed(one["rule"], causes, one["effect"]) is not None
    assert tried > 1000 and taken < 0.025 * tried


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
