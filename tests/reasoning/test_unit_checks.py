"""Units: dimensions of rules, conversions of answers, and life without pint."""

import pytest

from assay.errors import MissingExtra
from assay.reasoning import Quantity, ReasoningGraph, RuleEdge, units
from assay.reasoning.checks import check_answer
from assay.reasoning.units import check_units, coherent, converted, unit_findings

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
    ],
)
def test_each_rule_is_checked_by_its_dimensions(knowns, rule, declared, expected):
    said = {"y": declared} if declared else {}
    assert agreement("y", knowns, rule, **said) == expected


def test_a_mismatch_is_a_sentence_and_no_crash():
    (finding,) = unit_findings(graph("y", {"F": (10, "N"), "m": (2, "kg")}, "y = F*m", y="m/s^2"))
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
    assert converted(1.0, unit, "m") in (None, 1.0)


def test_without_pint_nothing_is_checked_and_only_a_needed_conversion_is_an_error(monkeypatch):
    monkeypatch.setattr(units, "_registry", lambda: None)
    speed = graph("v", {"d": (150.0, "km"), "t": (2.0, "hour")}, "v = d/t", v="km/h")
    assert check_units(speed) == ()
    assert check_answer(speed, Quantity(75.0, "km/h")).agrees
    with pytest.raises(MissingExtra, match="reasoning"):
        check_answer(speed, Quantity(20.8333, "m/s"))
