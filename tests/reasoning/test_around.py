"""What stands around the arithmetic of a rule, what it leaves out, and what must not be left out."""

import pytest

from tests.reasoning.test_in_words import executed
from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import execute
from trueness.reasoning.around import is_subject
from trueness.reasoning.word_pronouns import filled_in, with_conversion

_ANGLES = {"angle a": 40, "angle b": 60}


def test_a_function_is_evaluated_at_what_it_is_of():
    for rule in ("Evaluate f(x) = 3x^2 - 2x + 1 at the given x", "f(x) = 3x^2 - 2x + 1, evaluated at x"):
        assert executed(rule, {"x": -4}, "f(x)") == 57
    assert executed("Evaluate a*b at c", {"a": 2, "b": 3, "c": 4}, "y") is None


def test_a_left_side_of_two_symbols_is_not_the_effect():
    assert executed("PV = n*R*T with R = 8.314", {"n": 2, "T": 310}, "pressure") is None
    assert executed("PV = n*R*T with R = 8.314", {"n": 2, "T": 310, "V": 4}, "pressure") == pytest.approx(1288.67)
    assert executed("PV = n*R*T with R = 8.314", {"n": 2, "T": 310}, "gas_pressure") is None
    for energy in ("energy", "kinetic_energy", "final_kinetic_energy", "kinetic_energy_final"):
        assert executed("KE = 0.5 * m * v^2", {"m": 2, "v": 3}, energy) == 9


@pytest.mark.parametrize("reason", ["for constant acceleration", ", because the force is steady", ", t being the time"])
def test_a_formula_with_its_reason_behind_it(reason):
    causes = {"u": 4, "a": 2.5, "t": 6}
    assert executed(f"v = u + at {reason}", causes, "final_velocity") == 19
    assert executed("v = u + at for the first half", causes, "final_velocity") is None


@pytest.mark.parametrize("step", ["remove the broken seats", "burn the broken seats", "set aside the broken seats"])
def test_a_further_step_that_is_not_known_is_no_further_factor(step):
    causes = {"rows": 22, "seats_per_row": 18, "broken_seats": 7}
    product = "Take the product of rows and seats per row"
    assert executed(f"{product}, then {step}.", causes, "usable_seats") in (None, 389)
    assert executed(f"{product}, then subtract the broken seats.", causes, "usable_seats") == 389


@pytest.mark.parametrize("how", ["appropriately", "suitably", "where needed", "as required"])
def test_an_operation_that_is_left_to_the_reader_has_no_value(how):
    assert executed(f"Add the two rates {how}.", {"rate_1": 4, "rate_2": 6}, "combined_rate") is None
    assert executed("Add the two rates.", {"rate_1": 4, "rate_2": 6}, "combined_rate") == 10


@pytest.mark.parametrize(
    ("said", "effect", "causes", "is_it"),
    [
        ("density", "rho", ("mass", "volume"), True),
        ("weight", "rho", ("mass", "gravity"), False),
        ("the standard deviation", "std_dev", ("variance",), True),
        ("the variance", "std_dev", ("mean",), False),
        ("gravitational potential energy", "PE", ("m", "h"), True),
        ("potential energy", "KE", ("m", "h"), False),
        ("the perimeter", "area", ("length", "width"), False),
        ("the energy lost", "energy gained", ("m", "h"), False),
        ("the average of both", "average", ("a", "b"), False),
        ("the third", "Angle C", ("Angle A", "Angle B"), True),
        ("it", "total", ("a", "b"), True),
        ("the length", "area", ("length", "width"), False),
    ],
)
def test_whether_a_subject_may_be_the_effect(said, effect, causes, is_it):
    assert is_subject(said, causes, effect) is is_it


@pytest.mark.parametrize(
    ("rule", "effect", "causes", "value"),
    [
        ("Girls make up 60% of the class, so the boys are the other 40%.", "boys", {"class_size": 30}, 12),
        ("Girls make up 60% of the class, so the boys are the other 30%.", "boys", {"class_size": 30}, None),
        ("The angles add up to 180°, so it is 180 minus the two known ones.", "angle c", _ANGLES, 80),
        ("The angles add up to 180°, so it is 90 minus the two known ones.", "angle c", _ANGLES, None),
        ("Divide by 3.6 to go from km/h to m/s", "speed_m_per_s", {"speed_km_per_h": 90}, 25),
        ("Divide by 3.6 to go from m/s to km/h", "speed_km_per_h", {"speed_m_per_s": 90}, None),
        ("A polygon with n sides has n(n-3)/2 diagonals", "diagonals", {"n": 12}, 54),
        ("A polygon with n sides has n(n-3)/2 diagonals", "sides", {"n": 12}, None),
        ("$a/(1-r)$, valid since |r| < 1", "series_sum", {"a": 12, "r": 0.25}, 16),
        ("$a/(1-r)$, valid since |r| < 1", "series_sum", {"a": 12, "r": 2}, None),
        ("Arrithmetic mean of the two test scores", "mean score", {"test 1": 70, "test 2": 80}, 75),
        ("Greatest common divisor of the two lengths", "tile", {"length_cm": 252, "width_cm": 180}, 36),
        ("The product", "P(A and B)", {"P(A)": 0.5, "P(B)": 0.2}, 0.1),
        ("The product", "total", {"price": 5, "discount": 2}, None),
        ("cost minus deposit, spread evenly over the useful life", "y", {"cost": 9, "deposit": 3, "useful_life": 2}, 3),
        ("area = length × width", "area", {"length": 14, "perimeter_of_other_field": 60}, None),
        ("The exchange fee is 2% of the amount, so he receives 98% of it.", "received", {"amount": 200}, None),
        ("price less cost, as a fraction of price", "margin", {"price": 50, "cost": 30}, 0.4),
        ("Seconds divided by 3600", "time_hours", {"time_minutes": 7200}, None),
        ("The larger of the two bids", "lowest_bid", {"bid_a": 4, "bid_b": 6}, None),
    ],
)  # fmt: skip
def test_what_is_around_says_nothing_or_there_is_no_value(rule, effect, causes, value):
    assert executed(rule, causes, effect) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("sentence", "causes", "filled"),
    [
        ("180 minus the other two", ("angle a", "angle b"), "180 minus the other two angles"),
        ("all eggs minus the ones eaten", ("eggs_laid", "eggs_eaten"), "all eggs minus the eggs eaten"),
        ("all eggs minus the ones sold", ("eggs_laid", "eggs_eaten"), "all eggs minus the ones sold"),
        ("the eggs that broke", ("broken_eggs", "eggs_laid"), "the eggs broke"),
        ("the taller and the shorter tree", ("taller_tree", "shorter_tree"), "the taller tree and the shorter tree"),
        ("the taller and the older tree", ("taller_tree_m", "shorter_tree_m"), "the taller and the older tree"),
        ("kilograms times 1000", ("mass_kg",), "mass times 1000"),
        ("kilograms times 1000", ("mass_g",), "kilograms times 1000"),
        ("hours times 60", ("speed_km_h",), "hours times 60"),
    ],
)  # fmt: skip
def test_what_a_sentence_leaves_out_is_in_the_names_of_its_causes(sentence, causes, filled):
    assert filled_in(sentence, causes, "y") == filled


def test_a_conversion_before_a_sum_is_a_factor_where_both_are_in_one_unit():
    assert (
        with_conversion("convert hours to minutes and add the extra minutes")
        == "multiply hours by 60 and add the extra minutes"
    )
    for other in (
        "convert hours to seconds and add the extra minutes",
        "convert hours to minutes (100 minutes in an hour) and add the extra minutes",
    ):
        assert with_conversion(other) == other


@pytest.mark.parametrize(
    ("rule", "effect", "causes", "others", "value"),
    [
        ("Multiply ticket price by number of tickets", "total", {"ticket_price": 4}, {"number_of_tickets": 3}, 12),
        ("Subtract the rent from the income", "savings", {"income": 90}, {"rent": 30}, 60),
        ("Distance divided by time", "speed", {"distance": 90}, {"time": 30}, 3),
        ("The sum of the rent, the food cost and the travel cost", "spending", {"rent": 5, "food cost": 3},
         {"travel cost": 2}, 10),
        ("Multiply the ticket price by the number of tickets", "total", {"ticket_price": 4}, {"number": 3}, None),
        ("Multiply the ticket price by the number of tickets", "total", {"ticket_price": 4}, {"tickets left": 3}, None),
        ("Subtract the monthly rent from the income", "savings", {"income": 90}, {"rent": 30}, None),
        ("Subtract the rent from the income if it is paid", "savings", {"income": 90}, {"rent": 30}, None),
        ("Income depends on rent", "savings", {"income": 90}, {"rent": 30}, None),
        ("Half of the income goes to rent", "savings", {"income": 90}, {"rent": 30}, None),
    ],
)  # fmt: skip
def test_a_node_that_words_call_by_its_full_name_is_used_and_told_as_a_missing_edge(
    rule, effect, causes, others, value
):
    dag = {"target_variable": effect, "knowns": causes | others, "causal_graph": []}
    dag["causal_graph"] = [{"cause": list(causes), "effect": effect, "rule": rule}]
    found = execute(read_reasoning(dag).graph)
    assert found.target == (None if value is None else pytest.approx(value))
    told = [finding.message for finding in found.findings if "has no edge to it" in finding.message]
    assert len(told) == (value is not None)


def test_a_node_that_hangs_on_the_effect_is_no_missing_cause():
    edges = [
        {"cause": ["income"], "effect": "savings", "rule": "Subtract the rent from the income"},
        {"cause": ["savings"], "effect": "rent", "rule": "rent = savings / 2"},
    ]
    dag = {"target_variable": "savings", "knowns": {"income": 90}, "causal_graph": edges}
    assert execute(read_reasoning(dag).graph).target is None
