"""Units: dimensions of rules, conversions of answers, and life without pint."""

import pytest

from trueness.errors import MissingExtra
from trueness.reasoning import Problem, Program, Quantity, ReasoningGraph, RuleEdge, units
from trueness.reasoning.checks import check_answer
from trueness.reasoning.units import check_units, coherent, convert
from trueness.status import Status
from trueness.studies.faithfulness import evaluate
from trueness.studies.faithfulness.scores import inversions_of

pytest.importorskip("pint")


def graph(target, knowns, rule, **declared):
    given = {name: Quantity(float(value), unit) for name, (value, unit) in knowns.items()}
    return ReasoningGraph(target, given, (RuleEdge(tuple(knowns), target, rule),), units=declared)


def agreement(*given, **declared):
    return check_units(graph(*given, **declared))[0].agreement


@pytest.mark.parametrize(
    ("knowns", "rule", "declared", "expected"),
    [
        ({"F": (10, "N"), "m": (2, "kg")}, "y = F/m", "m/s^2", "agrees"),
        ({"F": (10, "N"), "m": (2, "kg")}, "y = F*m", "m/s^2", "mismatch"),
        ({"F": (10, "N"), "m": (2, "kg")}, "y = F + m", None, "mismatch"),
        ({"m": (2, "kg"), "v": (3, "m/s")}, "y = 1/2*m*v^2", "J", "agrees"),
        ({"h": (2, "m"), "g": (9.81, "m/s^2")}, "y = sqrt(2*h/g)", "s", "agrees"),
        ({"x": (2, "m"), "k": (3, "m")}, "y = exp(x)", None, "mismatch"),
        ({"x": (2, "m"), "k": (3, "m")}, "y = exp(x/k)", None, "agrees"),
        ({"v": (36, "km/h"), "t": (10, "s")}, "y = v*t", "m", "mixed"),
        ({"a": (1, "km"), "b": (5, "m")}, "y = a + b", None, "mixed"),
        ({"m": (2, "kg")}, "y = 9.81*m", "N", "unchecked"),
        ({"t": (2, "minute")}, "y = 60*t", "s", "agrees"),
        ({"x": (2, "flurbs"), "k": (3, "m")}, "y = x*k", "m", "unchecked"),
        ({"p": (20, "USD"), "n": (3, "items")}, "y = p*n", "USD", "agrees"),
        ({"p": (20, "USD"), "n": (3, "EUR")}, "y = p + n", "USD", "mismatch"),
        ({"a": (20, "degC"), "b": (80, "degC")}, "y = b - a", "K", "agrees"),
        ({"m": (2, "kg"), "c": (4186, "J/(kg °C)"), "T": (20, "°C")}, "y = m*c*T", "J", "agrees"),
        ({"m": (2, "g"), "c": (4186, "J/(kg °C)"), "T": (20, "°C")}, "y = m*c*T", "J", "mixed"),
        ({"m": (2, "kg"), "dT": (20, "°F")}, "y = m*dT", "J", "mismatch"),
        ({"T": (20, "°C")}, "y = T^2", "K^2", "agrees"),
        ({"T": (20, "Δ°C")}, "y = T", "delta_degC", "agrees"),
    ],
)
def test_each_rule_is_checked_by_its_dimensions(knowns, rule, declared, expected):
    said = {"y": declared} if declared else {}
    assert agreement("y", knowns, rule, **said) == expected


def test_a_mismatch_is_a_sentence_and_no_crash():
    (finding,) = check_units(graph("y", {"F": (10, "N"), "m": (2, "kg")}, "y = F*m", y="m/s^2"))
    assert finding.message == "the rule of 'y' gives kg*N, but it is declared in m/s^2."


def test_mixed_units_are_converted_before_the_answer_is_compared():
    mixed = graph("d", {"v": (36, "km/h"), "t": (10, "s")}, "d = v*t", d="m")
    assert check_answer(mixed, Quantity(100.0, "m")).agrees
    assert not check_answer(mixed, Quantity(360.0, "m")).agrees


def test_the_answer_may_be_in_another_unit():
    speed = graph("v", {"d": (150.0, "km"), "t": (2.0, "hour")}, "v = d/t", v="km/h")
    assert check_answer(speed, Quantity(20.8333, "m/s")).agrees


def test_an_answer_of_another_dimension_is_wrong():
    speed = graph("v", {"d": (150.0, "km"), "t": (2.0, "hour")}, "v = d/t", v="km/h")
    checked = check_answer(speed, Quantity(75.0, "kg"))
    assert checked.agrees is False
    assert "kg" in checked.message


def test_per_cent_and_fraction_are_one_answer():
    rate = graph("y", {"a": (1.0, None), "b": (16.0, None)}, "y = a/b")
    assert check_answer(rate, Quantity(6.25, "%")).agrees
    assert check_answer(graph("y", {"a": (1.0, None), "b": (16.0, None)}, "y = 100*a/b"), Quantity(6.25, "%")).agrees
    assert not check_answer(rate, Quantity(62.5, "%")).agrees


def test_knowns_are_turned_into_base_units():
    assert coherent(graph("d", {"v": (36, "km/h")}, "d = v")).knowns["v"].value == pytest.approx(10.0)


@pytest.mark.parametrize("unit", ["9**9**9", "m^99999", "()", "x" * 100, "__class__", "m; n", "(" * 30, "", "/"])
def test_a_hostile_unit_is_not_known_and_never_computed(unit):
    assert convert(1.0, unit, "m") in (None, 1.0)


def test_without_pint_nothing_is_checked_and_only_a_needed_conversion_is_an_error(monkeypatch):
    monkeypatch.setattr(units, "_registry", lambda: None)
    speed = graph("v", {"d": (150.0, "km"), "t": (2.0, "hour")}, "v = d/t", v="km/h")
    assert check_units(speed) == ()
    assert check_answer(speed, Quantity(75.0, "km/h")).agrees
    with pytest.raises(MissingExtra, match="reasoning"):
        check_answer(speed, Quantity(20.8333, "m/s"))


# ---- what pint cannot do is a status

ODD = "°C degF Δ°C J/(kg°C) 1/°F °C^2 °C·m dB dBm dB/m Np octave foo K m %".split()
RULES = ("y = a * b", "y = a - b", "y = a + b", "y = a ^ 2 / b", "y = sqrt(a) * exp(b)", "y = max(a, b)", "y = a ^ 300")


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_no_unit_raises_whatever_rule_uses_it(rule):
    for k, (one, other) in enumerate((one, other) for one in ODD for other in ODD):
        for declared, answer in ((None, "5 °C"), ("J", "5 dB"), ("°F", "5 K"))[k % 3 : k % 3 + 1]:
            dag = {
                "target_variable": "y",
                "knowns": {"a": f"20 {one}", "b": f"3 {other}"},
                "units": {"y": declared} if declared else {},
                "causal_graph": [{"cause": ["a", "b"], "effect": "y", "rule": rule}],
            }
            assert evaluate(dag, "20 are given.", "so 20 °C it is", answer=answer).components


def test_heat_from_a_difference_in_degrees_is_computed_in_any_mixture():
    """0.5 kg x 4186 J/(kg K) x 60 K = 125.58 kJ."""
    knowns = {"m": (500, "g"), "c": (4186, "J/(kg·°C)"), "T1": (20, "°C"), "T2": (80, "°C")}
    heat = graph("Q", knowns, "Q = m*c*(T2 - T1)", Q="J")
    assert check_answer(heat, Quantity(125.58, "kJ")).agrees
    assert check_answer(
        graph("Q", {**knowns, "m": (0.5, "kg")}, "Q = m*c*(T2 - T1)", Q="J"), Quantity(125580, "J")
    ).agrees


def test_degrees_that_may_be_a_point_or_a_difference_are_not_converted():
    """A rise of 60 °C is 60 K; 60 °C are 333 K. The answer is neither right nor wrong: nobody can tell."""
    knowns = {"m": (500, "g"), "c": (4186, "J/(kg·°C)"), "rise": (60, "°C")}
    heat = graph("Q", knowns, "Q = m*c*rise", Q="J")
    assert coherent(heat) is None
    checked = check_answer(heat, Quantity(125.58, "kJ"))
    assert checked.agrees is None and checked.status is Status.DEGENERATE and "Give it in K" in checked.message
    found = inversions_of(Problem("p", "", "", heat, Quantity(125.58, "kJ")), Program(heat))
    assert {one.status for one in found.values()} == {Status.DEGENERATE} and len(found) == 3
    right = graph("Q", knowns | {"rise": (60, "K")}, "Q = m*c*rise", Q="J")
    assert check_answer(right, Quantity(125.58, "kJ")).agrees


@pytest.mark.parametrize("rule", ["y = T + 273.15", "y = 1.8*T + 32", "y = T - 20", "y = (T + S) - T", "y = max(T, S)"])
def test_only_a_difference_of_two_points_is_converted(rule):
    assert coherent(graph("y", {"T": (20, "°C"), "S": (5, "°C")}, rule)) is None
    assert coherent(graph("y", {"T": (20, "°C"), "S": (5, "°C")}, "y = T - S")) is not None


@pytest.mark.parametrize(("unit", "wanted"), [("dB", "dBm"), ("dBm", "W/m"), ("foo", "m"), ("m", "foo"), ("°C", "bar")])
def test_a_conversion_that_pint_cannot_do_is_none(unit, wanted):
    assert convert(0.0, unit, wanted) is None


def test_points_and_differences_are_converted_as_what_they_are():
    assert convert(20.0, "°C", "K") == pytest.approx(293.15)
    assert convert(68.0, "°F", "°C") == pytest.approx(20.0)
    assert convert(1.0, "J/(kg °C)", "J/(kg K)") == pytest.approx(1.0)
    assert convert(9.0, "Δ°F", "Δ°C") == pytest.approx(5.0)


def test_an_answer_in_a_unit_that_is_not_known_is_not_wrong():
    checked = check_answer(graph("y", {"a": (2, "m"), "b": (3, "m")}, "y = a*b", y="m^2"), Quantity(6.0, "flurbs"))
    assert checked.agrees is None and checked.status is Status.DEGENERATE and "cannot be converted" in checked.message
