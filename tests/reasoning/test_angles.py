"""An angle in degrees is converted before sin, cos or tan takes it, or the rule has no value."""

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import execute


def executed(rule, **knowns):
    edge = {"cause": list(knowns), "effect": "y", "rule": rule}
    return execute(read_reasoning({"target_variable": "y", "knowns": knowns, "causal_graph": [edge]}).graph).target


@pytest.mark.parametrize("angle", ["30°", "30 deg", "30 degrees", "0.5235987755982988 rad"])
@pytest.mark.parametrize(
    "rule",
    ["v sin(theta)", "y = v * sin(theta)", r"y = v \sin\theta", "v sin θ", "v * sin(theta) * cos(0)"],
)
def test_the_angle_is_the_one_that_was_given(rule, angle):
    assert executed(rule, v=20, theta=angle) == pytest.approx(10)


@pytest.mark.parametrize(
    "rule",
    ["v*sin(180 - theta)", "v*sin(theta*pi/180)", "v*sin(radians(theta))", "v*sin(2*theta)/(2*cos(theta))"],
)
def test_degrees_are_converted_once(rule):
    assert executed(rule, v=20, theta="30 deg") == pytest.approx(10)


def test_where_nobody_says_degrees_or_radians_there_is_no_value():
    assert executed("v*sin(theta)", v=20, theta=30) is None  # five turns, or degrees?
    assert executed("v*sin(theta + phi)", v=20, theta="30 deg", phi=1) is None
    assert executed("v*sin(theta)", v=20, theta=1) is not None


def graph_of(rules, knowns, units, target="y"):
    edges = [{"cause": causes, "effect": effect, "rule": rule} for causes, effect, rule in rules]
    dag = {"target_variable": target, "knowns": knowns, "causal_graph": edges, "units": units}
    return execute(read_reasoning(dag).graph).target


def test_a_step_between_is_in_degrees_as_its_rule_is():
    rules = [(["theta"], "beta", "beta = 90 - theta"), (["v", "beta"], "y", "y = v * cos(beta)")]
    assert graph_of(rules, {"v": 20, "theta": "30 deg"}, {}) == pytest.approx(10)


def test_an_angle_is_given_in_the_unit_of_its_node():
    rules = [(["a", "b"], "y", "y = atan(a / b)")]
    assert graph_of(rules, {"a": 1, "b": 1}, {"y": "degrees"}) == pytest.approx(45)
    assert graph_of(rules, {"a": 1, "b": 1}, {"y": "rad"}) == pytest.approx(0.7853981634)
    assert graph_of(rules, {"a": 1, "b": 1}, {}) == pytest.approx(0.7853981634)
