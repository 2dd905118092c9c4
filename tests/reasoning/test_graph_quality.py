"""Quality of a graph: the original's formula to the letter, and our checks beside it."""

import pytest

from trueness.reasoning import Quantity, ReasoningGraph, RuleEdge
from trueness.reasoning.checks import executable_components, graph_quality, score_of
from trueness.status import Status


def graph(target, knowns, *edges):
    given = {name: Quantity(float(value)) for name, value in knowns.items()}
    return ReasoningGraph(target, given, tuple(RuleEdge(tuple(c.split()), effect, rule) for c, effect, rule in edges))


NEWTON = graph("a", {"F": 10, "m": 2}, ("F m", "a", "a = F/m"))


def test_list_valued_causes_count_as_edges():
    # the code that this replaces broke on lists and gave .400 to every graph
    assert graph_quality(NEWTON).original == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (graph("a", {"F": 10, "m": 2}, ("F m", "a", "")), 0.3 + 0.2 + 0.1),
        (graph("a", {"F": 10, "m": 2}, ("F", "a", "a = F")), 0.3 + 0.2 * 2 / 3 + 0.4 + 0.1),
        (graph("a", {"F": 10}, ("F a", "b", "b = F"), ("b", "a", "a = b")), 0.2 + 0.4 + 0.1),
        (graph("a", {"F": 1, "x": 2}, ("F", "a", "a = F"), ("x", "y", "")), 0.3 + 0.2 + 0.4 / 2),
        (
            graph(
                "a",
                {},
            ),
            0.0,
        ),
    ],
)
def test_the_original_formula(made, expected):
    assert graph_quality(made).original == pytest.approx(expected)


@pytest.mark.parametrize(
    ("made", "check", "expected"),
    [
        (graph("a", {"F": 1, "x": 2}, ("F", "a", "a = F"), ("x", "y", "y = x")), "reaches_target", 1 / 3),
        (graph("a", {"F": 1, "x": 2}, ("F", "a", "a = F")), "knowns_used", 0.5),
        (graph("a", {"F": 1}, ("F a", "a", "a = F")), "own_cause", 0.0),
        (graph("a", {"F": 1, "a": 2}, ("F", "a", "a = F")), "knowns_given", 0.5),
        (graph("a", {"F": 1}, ("F", "b", "b = F +"), ("b", "a", "a = b")), "rules_executable", 0.5),
        (graph("a", {"F": 1, "x": 2}, ("F x", "a", "a = F")), "causes_used", 0.5),
        (graph("a", {"F": 1}, ("F", "a", "force makes it move")), "rules_executable", None),
        (graph("a", {"F": 1}, ("F", "a", "force makes it move")), "causes_used", None),
    ],
)
def test_our_checks_name_what_the_original_does_not_see(made, check, expected):
    quality = graph_quality(made)
    assert quality.checks[check] == (None if expected is None else pytest.approx(expected))
    assert expected in (None, 1.0) or quality.messages


def test_a_right_graph_has_every_component():
    components = executable_components(NEWTON, Quantity(5.0))
    assert {name: component.value for name, component in components.items()} == {
        "structure": 1.0,
        "executes": 1.0,
        "answer": 1.0,
        "intervention": 1.0,
    }


def test_an_answer_that_is_no_number_stays_missing():
    component = executable_components(NEWTON, Quantity(None, None, "fast"))["answer"]
    assert component.value is None
    assert component.status is Status.UNREADABLE
    assert "'fast'" in component.message


def test_a_graph_of_words_is_missing_and_not_a_half():
    components = executable_components(graph("a", {"F": 1}, ("F", "a", "force makes it move")), Quantity(5.0))
    assert score_of(components) is None
    assert components["intervention"].value is None
    assert components["intervention"].status is Status.DEGENERATE


def test_a_cycle_is_told_and_stands_in_no_graph():
    cyclic = graph("c", {"x": 1}, ("x c", "b", "b = x + c"), ("b", "c", "c = b"))
    assert cyclic.cycle[0] == cyclic.cycle[-1] and set(cyclic.cycle) == {"b", "c"}
    assert graph_quality(cyclic).checks["acyclic"] == 0.0
    assert executable_components(cyclic, Quantity(1.0))["executes"].value == 0.0


def test_views_of_a_graph():
    assert NEWTON.path_to_target("F") == ("F", "a")
    assert NEWTON.path_to_target("a") == ("a",)
    assert NEWTON.ancestors("a") == {"F", "m"}
