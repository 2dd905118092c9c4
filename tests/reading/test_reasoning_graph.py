"""A reasoning graph out of JSON in all its spellings, out of a model's answer, and out of nonsense."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import Quantity, RuleEdge, execute
from trueness.reasoning.problems import load_problems
from trueness.reasoning.prompts import GRAPH_SCHEMA, extraction_prompt
from trueness.reasoning.schema import quantity_of
from trueness.status import Status

GUIDE = {  # the example of the original guide
    "target_variable": "acceleration",
    "knowns": {"F": 10, "m": 2},
    "causal_graph": [{"cause": ["F", "m"], "effect": "acceleration", "rule": "a = F/m"}],
    "computation_plan": [
        {
            "id": "step1",
            "target": "acceleration",
            "inputs": ["F", "m"],
            "description": "Calculate a = F/m = 10/2 = 5 m/s²",
        }
    ],
}


def test_the_guides_json_is_read_whole():
    reading = read_reasoning(GUIDE)
    assert reading.status is Status.OK
    assert reading.messages == ()
    assert reading.graph.target == "acceleration"
    assert reading.graph.knowns == {"F": Quantity(10.0), "m": Quantity(2.0)}
    assert reading.graph.edges == (RuleEdge(("F", "m"), "acceleration", "a = F/m"),)
    assert reading.graph.plan[0].inputs == ("F", "m")
    assert reading.graph.to_dict() == GUIDE
    assert execute(reading.graph).target == 5.0


@pytest.mark.parametrize(
    "cause", ["F, m", "F and m", "F & m", ["F", "m"], ["F", "m", "F"], [{"name": "F"}, {"name": "m"}]]
)
def test_causes_may_be_a_list_or_a_text(cause):
    given = GUIDE | {"causal_graph": [{"cause": cause, "effect": "acceleration", "rule": "a = F/m"}]}
    assert read_reasoning(given).graph.edges[0].causes == ("F", "m")


@pytest.mark.parametrize(
    "knowns",
    [
        {"F": "10 N", "m": "2 kg"},
        {"F": {"value": 10, "unit": "N"}, "m": {"value": "2", "unit": "kg"}},
        [{"name": "F", "value": 10, "unit": "N"}, {"name": "m", "value": 2, "unit": "kg"}],
        [["F", "10 N"], ["m", "2 kg"]],
    ],
)
def test_knowns_may_have_units_in_several_spellings(knowns):
    assert read_reasoning(GUIDE | {"knowns": knowns}).graph.knowns == {
        "F": Quantity(10.0, "N"),
        "m": Quantity(2.0, "kg"),
    }


def test_units_may_stand_apart():
    graph = read_reasoning(GUIDE | {"units": {"F": "N", "acceleration": "m/s^2"}}).graph
    assert graph.unit_of("F") == "N"
    assert graph.unit_of("acceleration") == "m/s^2"


@pytest.mark.parametrize(
    ("given", "value", "unit"),
    [
        ("10", 10.0, None),
        ("-3.5 m/s", -3.5, "m/s"),
        ("$1,200", 1200.0, "USD"),
        ("3 x 10^8 m/s", 3e8, "m/s"),
        ("6.02×10²³", 6.02e23, None),
        ("1.6e-19 C", 1.6e-19, "C"),
        ("5 %", 5.0, "%"),
        ("3/4", 0.75, None),
        ("20°C", 20.0, "°C"),
        ("= 7", 7.0, None),
        ("heavy", None, None),
        (True, None, None),
        (None, None, None),
        (float("nan"), None, None),
        (float("inf"), None, None),
        ("10 or 20, perhaps", None, None),
        ([1, 2], None, None),
    ],
)
def test_quantities_are_numbers_or_text_without_a_value(given, value, unit):
    read = quantity_of(given)
    assert (read.value, read.unit) == (pytest.approx(value) if value is not None else None, unit)


def test_an_integer_of_ten_thousand_digits_is_no_number():
    assert quantity_of(10**10_000).value is None
    assert (
        read_reasoning({"target_variable": 10**10_000, "causal_graph": [[10**10_000, "a"]]}).status is Status.UNREADABLE
    )


@pytest.mark.parametrize("value", [None, "?", "unknown", ""])
def test_what_is_asked_for_is_not_known_though_it_stands_among_the_knowns(value):
    reading = read_reasoning(GUIDE | {"knowns": {"F": 10, "m": 2, "acceleration": value}})
    assert set(reading.graph.knowns) == {"F", "m"}
    assert reading.messages == ()


ANSWER = """Let me think. First {"note": 1}. The graph is:
```json
{'target_variable': 'a', "knowns": {"F": 10, "m": 2,},   // given
 "causal_graph": [{"cause": "F", "effect": "a", "rule": "a = F / m"}, {"cause": "m", "effect": "a"}],
}
```
I hope this helps."""


def test_a_graph_is_found_in_a_models_answer_with_its_place():
    reading = read_reasoning(ANSWER)
    assert reading.status is Status.OK
    assert ANSWER[reading.span[0] :].startswith("{'target_variable'")
    assert execute(reading.graph).target == 5.0


def test_the_last_of_several_graphs_is_taken():
    other = GUIDE | {"target_variable": "second"}
    reading = read_reasoning(f"First: {json.dumps(GUIDE)} Wait, better: {json.dumps(other)}")
    assert reading.graph.target == "second"


def test_a_graph_may_be_wrapped():
    assert read_reasoning({"result": {"dag": GUIDE}}).graph == read_reasoning(GUIDE).graph


@pytest.mark.parametrize(
    ("given", "status", "told"),
    [
        ("", Status.UNREADABLE, "empty"),
        ("The force causes the acceleration.", Status.UNREADABLE, "no JSON"),
        ("I'm sorry, I cannot help with that.", Status.REFUSED, "declines"),
        ({}, Status.UNREADABLE, "target_variable"),
        ({"target_variable": "a"}, Status.UNREADABLE, "'causal_graph' has no edge"),
        (GUIDE | {"target_variable": None}, Status.UNREADABLE, "'target_variable' is missing"),
        (GUIDE | {"knowns": None}, Status.OK, "'knowns' is missing"),
        (GUIDE | {"knowns": 3}, Status.OK, "'knowns' must be an object"),
        (GUIDE | {"knowns": {"F": None, "m": 2}}, Status.OK, "known 'F' has no value"),
        (GUIDE | {"causal_graph": "F -> a"}, Status.UNREADABLE, "must be a list of edges, got text"),
        (GUIDE | {"computation_plan": 7}, Status.OK, "'computation_plan' must be a list"),
        (GUIDE | {"target_variable": "speed"}, Status.OK, "'speed' is not in the causal graph"),
        (GUIDE | {"causal_graph": [*GUIDE["causal_graph"], {"cause": "F"}]}, Status.OK, "edge 2 must have an effect"),
        (GUIDE | {"causal_graph": [*GUIDE["causal_graph"], 5]}, Status.OK, "edge 2 must have a cause"),
        (GUIDE | {"causal_graph": [["F", "acceleration", 4]]}, Status.OK, "the rule of edge 1 must be text"),
        (GUIDE | {"causal_graph": [["F", "b"], ["b", "F"]]}, Status.DEGENERATE, "cycle: F -> b -> F"),
        (GUIDE | {"causal_graph": [["acceleration", "acceleration"]]}, Status.DEGENERATE, "its own cause"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_and_the_rest_is_kept(given, status, told):
    reading = read_reasoning(given)
    assert reading.status is status
    assert any(told in message and "\n" not in message for message in reading.messages), reading.messages


def test_a_graph_that_was_cut_off_keeps_what_stands_before_the_cut():
    text = json.dumps(GUIDE)
    reading = read_reasoning(text[: text.index("computation_plan") + 30])
    assert reading.graph.edges == read_reasoning(GUIDE).graph.edges
    assert "cut off" in reading.message
    assert read_reasoning(text[:60]).status is Status.TRUNCATED


def test_the_answer_to_the_schema_is_read():
    given = {
        "target_variable": "a",
        "knowns": [{"name": "F", "value": 10, "unit": "N"}, {"name": "m", "value": "2", "unit": ""}],
        "causal_graph": [{"cause": ["F", "m"], "effect": "a", "rule": "a = F/m"}],
        "computation_plan": [],
    }
    assert set(GRAPH_SCHEMA["required"]) == set(given)
    assert execute(read_reasoning(json.dumps(given)).graph).target == 5.0


def test_the_prompt_for_a_graph_shows_problem_and_reasoning():
    prompt = extraction_prompt("How fast {x}?", "")
    assert "How fast {x}?" in prompt
    assert "none was written down" in prompt


def test_every_problem_of_the_package_is_read_from_its_own_json():
    for problem in load_problems():
        reading = read_reasoning(f"Here it is:\n{json.dumps(problem.graph.to_dict(), indent=1)}\nDone.")
        assert (reading.graph, reading.messages) == (problem.graph, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "target_variable",
                    "knowns",
                    "causal_graph",
                    "computation_plan",
                    "cause",
                    "effect",
                    "rule",
                    "units",
                    "x",
                ]
            ),
            below,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    st.dictionaries(st.sampled_from(["target_variable", "knowns", "causal_graph", "computation_plan", "units"]), JSON)
)
def test_any_object_is_read_or_refused_with_a_sentence(given):
    reading = read_reasoning(given)
    assert reading.status is Status.OK or reading.messages
    if reading.graph is not None:
        execute(reading.graph)


@settings(max_examples=100)
@given(st.text(max_size=200) | st.text(alphabet='{}[]":,abF m12/=\\\n', max_size=200))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    reading = read_reasoning(text)
    assert reading.graph is not None or reading.messages
