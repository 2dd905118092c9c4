"""Values and answers as they are typeset; what is no one number has no value."""

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning.schema import quantity_of


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("10^5 W/m^2", 1e5, "W/m^2"),
        ("10^-7 Ohm m", 1e-7, "Ohm m"),
        (r"2\times 10^{5} Pa", 2e5, "Pa"),
        (r"\$70,000", 70_000, "USD"),
        ("{\n41050 \\, \\text{kg/m}^3\n}", 41_050, "kg/m^3"),
        (r"\[ 80\sqrt{5} \, \text{m} \]", 178.8854382, "m"),
        (r"\frac{\sqrt{2}}{2}", 0.70710678, None),
        (r"\(\frac{14}{3}\)", 14 / 3, None),
        (r"41051.4 \mathrm{kg} \mathrm{m}^{-3}", 41_051.4, "kg m^-3"),
        (r"\(\frac{8}{3} \, \text{m/s}\) or approximately \(2.67 \, \text{m/s}\)", 8 / 3, "m/s"),
        ("2π", 6.283185307, None),
        (r"30^\circ", 30, "°"),
        ("$0.50", 0.5, "USD"),
        ("1½ cups", 1.5, "cups"),
        ("2 ¾", 2.75, None),
        ("½", 0.5, None),
        ("-1½ m", -1.5, "m"),
        ("½ cup", 0.5, "cup"),
        ("$2M", 2e6, "USD"),
        ("$5k", 5_000, "USD"),
        ("€1.5bn", 1.5e9, "EUR"),
        ("$3 million", 3e6, "USD"),
        ("5 K", 5, "K"),
        ("2 M", 2, "M"),
        ("5 m2", 5, "m2"),
        ("pi/4", 0.7853981634, None),
        ("2*pi", 6.283185307, None),
        ("2 pi", 6.283185307, None),
        ("sqrt(2)/2", 0.7071067812, None),
        ("pi/6 rad", 0.5235987756, "rad"),
        ("π/4", 0.7853981634, None),
        ("3*sqrt(2) m/s", 4.242640687, "m/s"),
        ("sqrt(3)", 1.732050808, None),
    ],
)
def test_a_typeset_number_is_a_number(text, value, unit):
    found = quantity_of(text)
    assert (found.value, found.unit) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    "text",
    [
        "p - q",
        "2-3",
        "10:30",
        "{2, 3}",
        r"(3, \frac{\pi}{2})",
        "10^N s",
        "$x$",
        "5 to 10 km",
        r"\frac{1}{0}",
        r"2 or 5 \text{m}",
        "5k",
        "5k USD",
        "1_000",
        "2x5",
        "2x",
        "2X5 m",
        "$2m",
        "pi people",
        "2 + pi",
        "sqrt(-2)",
        "3 pigs * pi",
        "pint",
    ],
)
def test_what_is_not_one_number_has_no_value(text):
    assert quantity_of(text).value is None


def test_a_unit_that_is_also_a_node_is_one_only_where_that_is_clear():
    def value_of(known, knowns):
        edge = {"cause": list(knowns), "effect": "y", "rule": " + ".join(knowns)}
        graph = read_reasoning({"target_variable": "y", "knowns": knowns, "causal_graph": [edge]}).graph
        return graph.knowns[known].value

    assert value_of("a", {"a": "0.5 L", "L": "4 m"}) is None  # half a litre, or half of L?
    assert value_of("V", {"V": "0.5 L", "L": "4 m"}) is None
    assert value_of("water", {"water": "0.5 L", "L": "4 m"}) == 0.5
    assert value_of("d", {"d": "2 m", "m": "4 kg"}) == 2
    assert value_of("a", {"a": "0.5 m", "b": "3 m", "m": "4 kg"}) == 0.5  # as b is
    assert value_of("F", {"F": "10 N", "N": "20 N"}) == 10
    assert value_of("w", {"w": "250 g", "g": "9.81 m/s^2"}) == 250
