"""A temperature in °C beside kelvin is converted, or has no value: it is never computed from the raw numbers."""

import pytest

from trueness.reasoning import Program, Quantity, ReasoningGraph, RuleEdge, check_answer
from trueness.status import Status


def executed(knowns, rule, **units):
    quantities = {name: Quantity(float(value), unit) for name, (value, unit) in knowns.items()}
    return Program(ReasoningGraph("y", quantities, (RuleEdge(tuple(knowns), "y", rule),), units=units))


@pytest.mark.parametrize(
    ("knowns", "rule", "value"),
    [
        ({"T_hot": (350, "K"), "T_cold": (20, "°C")}, "y = T_hot - T_cold", 56.85),
        ({"T1": (350, "K"), "T2": (20, "C")}, "y = T1 - T2", 56.85),  # C is no coulomb here
        ({"T_cold": (20, "°C"), "T_hot": (313.15, "°C")}, "y = 1 - T_cold/T_hot", 0.5),
        ({"n": (1, "mol"), "T": (27, "°C"), "V": (1, "m^3")}, "y = n * 8.314 * T / V", 8.314 * 300.15),
        ({"T": (27, "°C")}, "y = 5.67e-8 * T^4", 5.67e-8 * 300.15**4),
        ({"T": (20, "°C")}, "y = T + 273.15", 293.15),  # it converts itself
        ({"T1": (20, "°C"), "T2": (80, "°C")}, "y = T2 - T1", 60),
        ({"m": (2, "kg"), "c": (4186, "J/(kg K)"), "temperature rise": (10, "°C")}, "m * c * temperature rise", 83720),
        ({"m": (2, "kg"), "c": (4186, "J/(kg K)"), "T1": (20, "°C"), "T2": (30, "°C")}, "y = m*c*(T2 - T1)", 83720),
        ({"m": (2, "kg"), "c": (4186, "J/(kg °C)"), "T": (20, "°C")}, "y = m*c*T", 167440),  # one scale throughout
        ({"n": (2, "mol"), "R": (8.314, None), "T": (27, "°C"), "V": (2, "m^3")}, "y = n R T / V", 8.314 * 300.15),
        ({"n": (2, "mol"), "R": (8.314, "J/(mol K)"), "T": (27, "°C"), "V": (2, "m^3")}, "n R T / V", 8.314 * 300.15),
        ({"n": (2, "mol"), "R": (0.0821, None), "T": (27, "°C"), "V": (2, "L")}, "y = n*R*T/V", 0.0821 * 300.15),
        ({"R": (8.314, None), "T": (27, "°C")}, "y = 3/2 * R * T", 1.5 * 8.314 * 300.15),
        ({"k_B": (1.38e-23, None), "T": (27, "°C")}, "y = 1.5 * k_B * T", 1.5 * 1.38e-23 * 300.15),
        ({"Tc": (27, "°C"), "Th": (327, "°C")}, "y = 1 - Tc/Th", 1 - 300.15 / 600.15),
        ({"T": (20, "°C")}, "y = 331.3 + 0.606 * T", 343.42),  # numbers alone, with a zero of their own
        ({"T": (20, "°C")}, "y = 1.8 * T + 32", 68),
        ({"m1": (1, "kg"), "m2": (3, "kg"), "T1": (20, "°C"), "T2": (60, "°C")}, "(m1*T1 + m2*T2) / (m1 + m2)", 50),
    ],
)
def test_points_are_in_kelvin_where_a_rule_needs_it(knowns, rule, value):
    assert executed(knowns, rule).base.target == pytest.approx(value)


@pytest.mark.parametrize(
    ("knowns", "rule"),
    [
        ({"warm": (350, "K"), "cold": (20, "°C")}, "y = warm - cold"),  # 20 °C, or 20 degrees less
        ({"hot temperature": (350, "K"), "cold temperature": (68, "°F")}, "y = hot temperature - cold temperature"),
        ({"m": (2, "kg"), "c": (4186, "J/(kg K)"), "T": (20, "°C")}, "y = m*c*T"),
        ({"m": (2, "kg"), "c": (4186, "J/(kg K)"), "rise": (18, "°F")}, "y = m*c*rise"),
        ({"heat": (2, "J"), "warmth": (20, "°C")}, "y = heat / warmth"),
        ({"V1": (2, "L"), "T2": (127, "°C")}, "y = V1 * T2"),
        ({"m": (2, "kg"), "c": (4186, None), "T": (10, "°C")}, "y = m*c*T"),
        ({"a": (2, None), "T": (10, "°C")}, "y = a * T"),
        ({"T": (10, "°C")}, "y = 2 * T"),
        ({"T": (10, "°C"), "t": (5, "s")}, "y = T / t"),
        ({"H": (10, None), "S": (2, None), "T": (25, "°C")}, "y = H - T * S"),
    ],
)
def test_what_may_be_a_point_or_a_difference_has_no_value(knowns, rule):
    base = executed(knowns, rule).base
    assert (base.target, base.status) == (None, Status.DEGENERATE)
    assert "Give it in K" in base.message


def test_a_node_between_has_the_scale_of_its_rule():
    edges = (
        RuleEdge(("start", "rise"), "end", "end = start + rise"),
        RuleEdge(("end", "limit"), "y", "y = limit - end"),
    )
    knowns = {"start": Quantity(20.0, "°C"), "rise": Quantity(5.0, "°C"), "limit": Quantity(350.0, "K")}
    assert Program(ReasoningGraph("y", knowns, edges)).base.target is None


def test_a_point_of_one_scale_is_declared_in_the_other():
    assert executed({"T": (20, "°C"), "rise": (5, "°C")}, "y = T + rise", y="K").base.target == pytest.approx(298.15)
    assert executed({"T": (300, "K")}, "y = T", y="°C").base.target == pytest.approx(26.85)


def test_a_difference_of_points_is_compared_as_one():
    rise = executed({"T1": (20, "°C"), "T2": (80, "°C")}, "y = T2 - T1")
    for answer, agrees in (((60.0, "K"), True), ((60.0, "°C"), True), ((333.15, "K"), False), ((108.0, "°F"), True)):
        assert check_answer(rise, Quantity(*answer)).agrees is agrees, answer
