"""Everything said must be used: what a rule says and its formula does not have leads to no value."""

import pytest

from tests.reasoning.test_in_words import executed
from trueness.reasoning.accounted import in_unused_unit, surplus
from trueness.reasoning.clauses import in_words, of_sets
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
    assert surplus("force equals mass times acceleration", parse("f / m").right, ("f", "m", "acceleration"), ()) == ""
    assert surplus("force equals mass times density", parse("f / m").right, ("f", "m", "acceleration"), ()) == "times"


def test_a_unit_that_is_said_must_be_used():
    units = {"volume (mL)": None, "moles": None}
    assert in_unused_unit("moles over the volume in liters", parse("a / b").right, units, "y") == "in liters"
    assert in_unused_unit("moles over the volume in liters", parse("a / (b / 1000)").right, units, "y") == ""
    assert in_unused_unit("moles over the volume in mL", parse("a / b").right, units, "y") == ""


def test_what_is_left_out_of_a_formula_is_told():
    rule = read_rule("y = a / b, where b is the cube of its edge", ("a", "b"), "y")
    assert rule.kind == "broken" and "'cube of'" in rule.message


@pytest.mark.parametrize(
    ("rule", "causes", "effect", "value"),
    [
        ("Density is mass over volume in liters", {"mass (g)": 10, "volume (mL)": 500}, "density", 20),
        ("Density is mass over volume in liters", {"mass (g)": 10, "volume": 500}, "density", 0.02),
        ("Energy is the power in watts times the time in seconds", {"power (kW)": 2, "time (min)": 3}, "energy", 3.6e5),
        ("Mass over volume in liters (volume / 100)", {"mass (g)": 10, "volume (mL)": 500}, "density", None),
        ("Distance in km is the distance in miles times 1.609", {"distance_miles": 10}, "distance_km", 16.09),
        ("A third of the students who are not in band swim", {"total_students": 150, "students_in_band": 60},
         "students_who_swim", 30),
        ("A third of the students who are in band swim", {"total_students": 150, "students_in_band": 60},
         "students_who_swim", None),
        ("Pressure = force / area, where the area is length times width", {"force": 36, "length": 2, "width": 3},
         "pressure", 6),
        ("Pressure = force / area, where the area is the square of the side", {"force": 36, "area": 2}, "p", None),
        ("Fuel used is the distance divided by the mileage, and the fuel cost is that times the price",
         {"distance": 75, "mileage": 25, "price": 4}, "fuel_cost", 12),
        ("Fuel used is the distance divided by the mileage, and the fuel cost is that times the price",
         {"distance": 75, "mileage": 25, "price": 4, "fuel_used": 2}, "fuel_cost", None),
        ("Profit is revenue minus cost, and the tax is the profit times the tax rate",
         {"revenue": 100, "cost": 40, "tax_rate": 0.1}, "profit", None),
        ("Net speed = boat speed − current speed, and time = distance / net speed",
         {"boat_speed": 16, "current_speed": 4, "distance": 30}, "time", 2.5),
        ("Net speed = boat speed − current speed, and time = distance / boat speed",
         {"boat_speed": 16, "current_speed": 4, "distance": 30}, "time", None),
        ("Using density = mass/volume, the mass is density × volume", {"density": 3, "volume": 2}, "mass", 6),
        ("Using density = mass*volume, the mass is density × volume", {"density": 3, "volume": 2}, "mass", None),
        ("As 1 mile = 1.609 km, distance_km is distance_miles times 1.6", {"distance_miles": 10}, "distance_km", None),
        ("Sales on the third day are twice the sales on the second day", {"sales_day_2": 10}, "sales_day_3", 20),
        ("Sales on the third day are twice the sales on the first day", {"sales_day_2": 10}, "sales_day_3", None),
        ("The value rises by 150% over its purchase price", {"purchase_price": 80}, "value", 200),
        ("The value rises by 150% over five years", {"purchase_price": 80}, "value", None),
        ("The deposit grows by 5% per year compounded annually for 3 years", {"deposit": 100}, "balance", 115.7625),
        ("The deposit grows by 5% per year compounded monthly for 3 years", {"deposit": 100}, "balance", None),
        ("Take the price and subtract the discount, then add sales tax of 8% on the result",
         {"price": 100, "discount": 10}, "final price", 97.2),
        ("Take the price and subtract the discount, then add sales tax of 8% on the price",
         {"price": 100, "discount": 10}, "final price", None),
        ("What remains of the income after rent and food", {"income": 99, "rent_cost": 10, "food_cost": 9}, "left", 80),
        ("What remains of the income after rent and gas", {"income": 9, "rent_cost": 1, "food_cost": 2}, "left", None),
        ("Product of the two masses divided by their sum", {"mass_1": 6, "mass_2": 3}, "reduced mass", 2),
        ("The complement of the angle", {"angle": 30}, "complement", None),
    ],
)  # fmt: skip
def test_forms_of_the_seventh_list_and_their_neighbours(rule, causes, effect, value):
    assert executed(rule, causes, effect) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    "clause",
    [
        ", where the rate is one over the time",
        ", doubled",
        ", but only a fifth of it",
        ", excluding the extra",
        ", averaged over the week",
        ", net of fees",
        ", each of which is half as large",
        " per person",
    ],
)
@pytest.mark.parametrize(
    ("rule", "causes"),
    [
        ("The total is the price times the count", {"price": 3, "count": 5}),
        ("total = price * count", {"price": 3, "count": 5}),
    ],
)
def test_a_last_clause_is_used_or_there_is_no_value(rule, causes, clause):
    assert executed(rule, causes, "total") == 15
    assert executed(rule + clause, causes, "total") != 15


def test_a_formula_with_a_clause_in_words_and_sets():
    assert (
        in_words("p = f / a, where the a is the square of s")
        == "p  is  f  divided by  a, where the a is the square of s"
    )
    assert in_words("p = f / a, where the a is in the room") == in_words("p = f / b, where the a is twice c") == ""
    assert of_sets("|A∪B| = c + d - b", "in_either") == "in_either = c + d - b"
    assert of_sets("|A∪B| = c + d - b", "in_neither") == "|A∪B| = c + d - b"


def test_what_is_asked_of_a_formula_is_done_to_it():
    """Five of four lists that nobody had seen, each read as a part of what it says."""
    colours = {"green": 9, "white": 14, "black": 17}
    assert executed("green out of all balls (green, white and black together)", colours, "p_green") is None
    sale = {"cost_price": 325, "selling_price": 273}
    assert (
        executed("Loss = cost price - selling price, as a percentage of the cost price", sale, "loss_percent") is None
    )
    rates = {"rate_first": 5.5, "rate_second": 8}
    assert executed("We combine the two rates in the usual way for this type of problem", rates, "combined") is None
    ages = {"anna": 7, "ben": 11, "cora": 14}
    assert executed("The combined age in 5 years: each of the three ages grows by 5", ages, "sum_in_5_years") is None
    boxes = {"objects": 137, "boxes": 19}
    assert executed("Some box contains at least ceil(objects / boxes) objects", boxes, "guaranteed") in (None, 8)
    assert executed("guaranteed = ceil(objects / boxes)", boxes, "guaranteed") == 8
    assert executed("choose 2 people out of the group", {"group": 7}, "pairs") == 21
