"""A hidden value is nowhere in the prompt, in no spelling."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from trueness.reasoning.graph import PlanStep, Problem, Quantity, ReasoningGraph, RuleEdge
from trueness.reasoning.problems import load_problems
from trueness.studies.faithfulness.known_groups import with_damaged
from trueness.studies.faithfulness.probes import Probe, ask_about, template
from trueness.studies.faithfulness.redaction import MARK, Hidden, hide, numbers_spelled

SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()


def newton(force=10.0, mass=2.0, text="Calculate a given F=10N and m=2kg", rule="a = F/m"):
    graph = ReasoningGraph(
        "a", {"F": Quantity(force, "N"), "m": Quantity(mass, "kg")}, (RuleEdge(("F", "m"), "a", rule),)
    )
    return Problem("newton", "physics", text, graph, Quantity(force / mass, "m/s^2"), "a = F/m")


def plain_spellings(value):
    """Written without the code under test; each must not stand alone in a prompt."""
    size = abs(value)
    found = {f"{size:g}", f"{size}", f"{size:.1f}", f"{size:.2f}", f"{size:e}", f"{size:.0e}", f"{size:,}"}
    found = {text for text in found if float(text.replace(",", "")) == size}
    if size.is_integer():
        found |= {f"{size:.0f}"} | ({SMALL[int(size)]} if size < len(SMALL) else set())
    if size < 1:
        found |= {f"{round(100 * size, 9):g} %", f"{round(100 * size, 9):g}%"}
    return found


def contains(prompt, spelling):
    return re.search(rf"(?<![\w.,]){re.escape(spelling)}(?![\w%]|[.,]\d)", prompt, re.IGNORECASE) is not None


def abductions():
    for problem in load_problems():
        for name in problem.graph.knowns:
            yield problem, name


@pytest.mark.slow
@each("problem, name", abductions())
def test_no_prompt_of_ours_contains_the_hidden_value(problem, name):
    question = ask_about(problem, Probe("abduction", name))
    assert question.messages, question.message
    prompt = "\n".join(message.content for message in question.messages)
    hidden = hide(problem.graph, name)
    assert MARK in prompt
    assert hidden.places(prompt) == []
    value = problem.graph.knowns[name].value
    for spelling in plain_spellings(value) if value is not None else [problem.graph.knowns[name].text]:
        assert not contains(prompt, spelling), spelling


def spelt(value):
    """Each way to write a value that a text could use, with what must not be left of it."""
    size = abs(value)
    yield from plain_spellings(value)
    exponent = 0 if not size else math.floor(math.log10(size))
    yield f"{size / 10.0**exponent:.12g} x 10^{exponent}"
    yield f"{size:.12g} (about)"
    if size.is_integer() and size < 1e6:
        yield in_words(int(size))


def in_words(n):
    """English, written apart from the code under test: 27 -> twenty-seven."""
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()
    if n < 20:
        return (SMALL + "thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split())[n]
    if n < 100:
        return tens[n // 10 - 2] + (f"-{in_words(n % 10)}" if n % 10 else "")
    step, word = (100, "hundred") if n < 1000 else (1000, "thousand")
    return f"{in_words(n // step)} {word}" + (f" and {in_words(n % step)}" if n % step else "")


@pytest.mark.slow
def test_a_text_that_tells_the_value_in_any_spelling_tells_it_no_more():
    """Over all problems: the value is added to text, plan and reasoning in every spelling, and none is left."""
    tried = 0
    for problem in load_problems():
        for name, known in problem.graph.knowns.items():
            for spelling in sorted(set(spelt(known.value))) if known.value is not None else ():
                said = f"Remember: {name} is {spelling} here."
                plan = (*problem.graph.plan, PlanStep("last", problem.graph.target, (name,), said))
                told = replace(
                    problem, text=f"{problem.text} {said}", reasoning=said, graph=replace(problem.graph, plan=plan)
                )
                question = ask_about(told, Probe("abduction", name, "reversed" if tried % 2 else "plain"))
                prompt = "\n".join(message.content for message in question.messages)
                assert MARK in prompt
                assert not contains(prompt, spelling), (problem.id, name, spelling)
                tried += 1
    assert tried > 500


@pytest.mark.slow
def test_no_prompt_about_a_damaged_copy_contains_the_hidden_value():
    """A damage moves rules and edges: what cannot be hidden any more is not asked."""
    asked = 0
    for problem in with_damaged(load_problems(), np.random.default_rng(3)):
        for name, known in problem.graph.knowns.items():
            question = ask_about(problem, Probe("abduction", name))
            assert question.messages or question.message
            prompt = "\n".join(message.content for message in question.messages)
            asked += bool(prompt)
            for spelling in plain_spellings(known.value) if known.value is not None else [known.text]:
                assert not contains(prompt, spelling), (problem.id, name, spelling)
    assert asked > 800


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


@given(st.floats(-1e9, 1e9, allow_nan=False, allow_infinity=False).map(lambda x: float(f"{x:.6g}")), st.data())
def test_what_was_redacted_holds_the_value_no_more(value, data):
    hidden = Hidden("x", Quantity(value))
    spelling = data.draw(st.sampled_from([f"{value:g}", f"{value!r}", f"{value:e}", f"{value:.6f}"]))
    if float(spelling) != value:
        return
    text = hidden.redact(f"we know that x = {spelling}, and y is 3.25e-7 or four")
    assert hidden.places(text) == []
    assert MARK in text


@given(st.text(max_size=200), st.floats(-1e6, 1e6, allow_nan=False))
def test_any_text_is_redacted_once_and_for_all(text, value):
    hidden = Hidden("x", Quantity(value))
    once = hidden.redact(text)
    assert hidden.redact(once) == once


def test_the_template_itself_has_no_number():
    for part in template("abduction")[1:]:
        assert [f for f in numbers_spelled(part)] == []


def test_a_value_that_another_known_has_too_is_not_asked():
    question = ask_about(newton(force=2.0, mass=2.0, text="F = 2 N, m = 2 kg"), Probe("abduction", "F"))
    assert question.messages == ()
    assert question.status == "degenerate"
    assert "'m' has the same value" in question.message


def test_a_value_that_is_the_targets_is_not_asked():
    question = ask_about(newton(force=4.0, mass=1.0), Probe("abduction", "F"))
    assert "the target has the same value" in question.message


def test_a_constant_of_the_law_is_never_redacted():
    problem = newton(force=10.0, mass=2.0, rule="a = F^2/m")
    assert "constant in the rule of 'a'" in ask_about(problem, Probe("abduction", "m")).message


def test_a_value_in_place_of_its_name_is_redacted_from_the_rule():
    question = ask_about(newton(rule="a = 10/m"), Probe("abduction", "F"))
    assert f"by: a = {MARK}/m" in question.messages[1].content


def test_a_known_in_words_is_hidden_by_its_words_and_its_story():
    problem = next(p for p in load_problems("everyday") if p.id == "everyday-traffic")
    prompt = ask_about(problem, Probe("abduction", "bridge")).messages[1].content
    assert "closed" not in prompt.lower()
    assert problem.text not in prompt


@each("unit", ["m/s^2", "m s^-2", "kg m^2/s^2", "m/s**2", "J/(kg K^2)"])
def test_the_exponent_of_a_unit_is_no_value(unit):
    """a = 5 m/s^2 does not tell that m = 2, so m is asked for, and the unit stays whole."""
    hidden = Hidden("m", Quantity(2.0, "kg"))
    text = f"The answer is 5 {unit}, given in {unit}."
    assert hidden.redact(text) == text
    assert hidden.redact(f"{text} It has 2 kg.") == f"{text} It has {MARK} kg."


def test_a_known_that_equals_an_exponent_of_the_answers_unit_is_asked():
    question = ask_about(newton(force=10.0, mass=2.0), Probe("abduction", "m"))
    assert question.messages, question.message
    assert "5 m/s^2" in question.messages[1].content
