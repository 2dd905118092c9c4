"""A hidden value is nowhere in the prompt, in no spelling."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from trueness.reasoning.graph import Problem, Quantity, ReasoningGraph, RuleEdge
from trueness.reasoning.problems import load_problems
from trueness.studies.faithfulness.known_groups import with_damaged
from trueness.studies.faithfulness.probes import Probe, ask_about
from trueness.studies.faithfulness.redaction import MARK, Hidden, hide


@each(
    "spelling",
    ["10", "10.0", "10.", "1e1", "1E+1", "ten", "Ten", "1 x 10^1", "1·10¹", "10N", "20/2", "0.01 thousand", "1000 %"],
)
def test_every_spelling_of_ten_is_hidden(spelling):
    hidden = Hidden("F", Quantity(10.0, "N"))
    assert hidden.redact(f"F is {spelling} here").startswith(f"F is {MARK}")


@each("kept", ["100", "1.10", "F10", "x_10", "110", "tenant", "often", "10.5", "1e10"])
def test_other_numbers_and_words_stay(kept):
    assert Hidden("F", Quantity(10.0)).redact(f"see {kept} here") == f"see {kept} here"


@each(
    "value, unit, text",
    [
        (0.062, None, "at 6.2 % a year"),
        (7400.0, "USD", "a loan of 7,400 USD"),
        (25.0, None, "twenty-five people"),
        (250.0, None, "two hundred and fifty people"),
        (2.5, None, "two point five litres"),
        (0.5, None, "half of it"),
        (0.5, None, "½ of it"),
        (2.0, None, "it doubles"),
        (12.0, None, "a dozen eggs"),
        (1e6, None, "1 million EUR"),
        (0.25, "h", "after 15 min"),
        (5000.0, "m", "a road of 5 km"),
        (-5.0, None, "it is 5 below zero"),
        (0.35, None, "0,35 of it"),
    ],
)
def test_words_percent_and_other_units_are_spellings(value, unit, text):
    assert MARK in Hidden("x", Quantity(value, unit)).redact(text)


@given(st.text(max_size=200), st.floats(-1e6, 1e6, allow_nan=False))
def test_any_text_is_redacted_once_and_for_all(text, value):
    hidden = Hidden("x", Quantity(value))
    once = hidden.redact(text)
    assert hidden.redact(once) == once


@each("unit", ["m/s^2", "m s^-2", "kg m^2/s^2", "m/s**2", "J/(kg K^2)"])
def test_the_exponent_of_a_unit_is_no_value(unit):
    """a = 5 m/s^2 does not tell that m = 2, so m is asked for, and the unit stays whole."""
    hidden = Hidden("m", Quantity(2.0, "kg"))
    text = f"The answer is 5 {unit}, given in {unit}."
    assert hidden.redact(text) == text
    assert hidden.redact(f"{text} It has 2 kg.") == f"{text} It has {MARK} kg."


def prompts(problems):
    """Every abduction question that can be asked, with the value that it hides."""
    for problem in problems:
        for name, known in problem.graph.knowns.items():
            question = ask_about(problem, Probe("abduction", name))
            assert question.messages or question.message
            if question.messages:
                yield known, hide(problem.graph, name), "\n".join(message.content for message in question.messages)


@pytest.mark.slow
def test_no_prompt_of_a_problem_or_a_damaged_copy_contains_the_hidden_value():
    """Written without the code under test: plain spellings must not stand alone in a prompt."""
    asked = 0
    for known, hidden, prompt in prompts(with_damaged(load_problems(), np.random.default_rng(3))):
        assert MARK in prompt and hidden.places(prompt) == []
        spellings = [known.text] if known.value is None else [f"{abs(known.value):g}", f"{abs(known.value)}"]
        for spelling in spellings:
            assert not re.search(rf"(?<![\w.,]){re.escape(spelling)}(?![\w%]|[.,]\d)", prompt, re.IGNORECASE), spelling
        asked += 1
    assert asked > 800


@each(
    "force, mass, rule, node, told",
    [
        (2.0, 2.0, "a = F/m", "F", "'m' has the same value"),
        (4.0, 1.0, "a = F/m", "F", "the target has the same value"),
        (10.0, 2.0, "a = F^2/m", "m", "constant in the rule of 'a'"),  # a constant of the law is never redacted
        (10.0, 2.0, "a = 10/m", "F", ""),  # a value in place of its name is
        (10.0, 2.0, "a = F/m", "m", ""),  # m/s^2 does not tell that m = 2
    ],
)
def test_a_value_that_also_belongs_to_something_else_is_not_asked(force, mass, rule, node, told):
    knowns = {"F": Quantity(force, "N"), "m": Quantity(mass, "kg")}
    graph = ReasoningGraph("a", knowns, (RuleEdge(("F", "m"), "a", rule),))
    problem = Problem("newton", "physics", f"F={force:g}N and m={mass:g}kg", graph, Quantity(force / mass, "m/s^2"))
    question = ask_about(problem, Probe("abduction", node))
    assert told in question.message and bool(question.messages) == (told == "")
