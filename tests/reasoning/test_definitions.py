"""Quantities that a rule defines on its way, and formulas within a sentence; the lists on which they were mended."""

import pytest

from tests.reasoning.test_in_words import executed
from trueness.reasoning.definitions import definitions
from trueness.reasoning.islands import formulas_within


@pytest.mark.parametrize(
    ("text", "name", "what"),
    [
        ("cost over the margin, which is the price minus the rebate", "margin", "the price minus the rebate"),
        ("a = F_net / m, where F_net is the push minus the friction", "F_net", "the push minus the friction"),
        ("net rate: inflow less outflow. Time is volume over net rate", "net rate", "inflow less outflow"),
        ("add the prices and divide the cost by this sum", "this sum", "add the prices"),
        ("multiply the price by (1 - d/100)", "part", "1 - d/100"),
    ],
)
def test_what_a_rule_defines(text, name, what):
    causes = ("cost", "price", "rebate", "m", "push", "friction", "inflow", "outflow", "volume")
    assert (name, what) in [(one.name, one.what) for one in definitions(text, causes, "time to fill")]


def test_a_cause_or_the_effect_is_not_defined():
    assert not list(
        definitions("profit is revenue minus cost, where the cost is twice the rent", ("revenue", "cost"), "y")
    )
    assert not list(definitions("speed is d over t, where the speed is half of it", ("d", "t"), "speed"))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("the energy gained is mgh", ["mgh"]),
        ("arranged in n! ways", []),
        ("the energy gained is about mgh", []),
        ("half of the energy is mgh", []),
        ("the power lost is mgh", []),
        ("the energy gained is mgh, truncated", []),
    ],
)
def test_a_formula_within_a_sentence(text, formula):
    assert [found for _, found in formulas_within(text, ("m", "g", "h"), "energy")] == formula


@pytest.mark.parametrize(
    ("rule", "causes", "effect", "value"),
    [
        ("The reciprocal of the resistance is twice the current", {"current": 4}, "resistance", 0.125),
        ("Probability of red = red / (red + blue)", {"red_balls": 3, "blue_balls": 5}, "probability_red", 0.375),
        ("Interest is principal times rate, with the rate in percent", {"principal": 200, "rate": 5}, "interest", 10),
        (
            "Interest is principal times years, with the years in percent",
            {"principal": 2, "years": 5},
            "interest",
            None,
        ),
        ("x = v*sin(theta), theta in degrees", {"v": 2, "theta": 30}, "x", 1),
        ("x = v*theta, theta in degrees", {"v": 2, "theta": 30}, "x", None),
        ("The chance of two aces is (4/52) × (3/51).", {"aces": 4, "cards": 52}, "chance", None),
        ("Amount times one half raised to time over half-life", {"amount": 8, "time": 6, "half_life": 3}, "rest", 2),
    ],
)
def test_rules_that_were_wrong_or_refused(rule, causes, effect, value):
    assert executed(rule, causes, effect) == (None if value is None else pytest.approx(value))
