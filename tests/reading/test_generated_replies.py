"""What holds for all replies: written ones are read back, spoiled ones are never misread, hostile ones cost no more."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reading.generator import spoiled, stands_in_reply, written
from trueness.reading import read_forecast
from trueness.reading.views import LIMIT, view_of
from trueness.status import Status


def all_values(reading):
    yield from reading.values.values()
    yield from reading.medians.values()
    for levels in reading.levels.values():
        yield from levels.values()


@pytest.mark.parametrize("seed", range(20))
def test_generated_replies_are_read_back(seed):
    rng = random.Random(seed)
    for _ in range(50):
        reply = written(rng)
        values = read_forecast(reply.text).values
        found = {measure: value and (value.low, value.high) for measure, value in values.items()}
        assert found == {measure: ends and pytest.approx(ends, abs=1e-9) for measure, ends in reply.expected.items()}, (
            reply.text
        )


@pytest.mark.parametrize("seed", range(20, 40))
def test_spoiled_replies_are_never_misread(seed):
    rng = random.Random(seed)
    for _ in range(50):
        text = spoiled(written(rng).text, rng)
        for value in all_values(read_forecast(text)):
            assert value is None or stands_in_reply(text, value), (text, value)


@settings(max_examples=200)
@given(st.text(max_size=200))
def test_any_text_has_a_reading(text):
    reading = read_forecast(text)
    for measure, value in reading.values.items():
        assert (value is not None) == (reading.statuses[measure] == Status.OK)
        assert value is None or stands_in_reply(text, value)


PIECES = st.sampled_from([
    "precision", "Recall", " F1", "SHD ", ": ", "0.6", "0,7", "[", "]", " - ", " to ", "{", "}", '"', ",", "|", "\n",
    "80%", " ±", " at least ", "lower", "upper", "median", "final answer", "95% CI", "\\frac", "<think>",
    "</think>", "(", ")",
])  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=30))
def test_values_stand_where_they_were_read(pieces):
    text = "".join(pieces)
    for value in all_values(read_forecast(text, nodes=8)):
        assert value is None or stands_in_reply(text, value), (text, value)
        assert value is None or (value.low <= value.high and 0 < value.confidence <= 1)
        assert value is None or "beyond" in value.flags or value.low >= 0


@settings(max_examples=200)
@given(st.text(max_size=100))
def test_the_view_moves_no_character(text):
    assert len(view_of(text)) == len(text)


HOSTILE = [
    "precision ", "0.6-", "{", "[{", "|1|\n", "a|1|\n\n", '"', "{'a ", "{\u201ca ", "((", "\\frac{1}",
    "precision x 0.5 ",
    "0.5 precision ", "precision: 0.5-0.7 final answer ", "precision/recall/", "[//a ", '{"precision": [0.6,0.8]} ',
    "precision  0.5  0.6\n", "precision 0.5-0.6\nignore these numbers.\n", "these values are for the skeleton ",
    "1/", "/*", "metric,precision,0.5\n", "harmonic mean ", "at least ", "<think>",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_megabyte_comes_to_an_end(unit):
    reading = read_forecast(unit * (1_000_000 // len(unit)))
    assert reading.status != Status.OK


def test_a_reply_beyond_the_limit_says_what_was_read():
    reading = read_forecast("Precision: 0.6-0.8\n" + "x" * LIMIT)
    assert reading.values["precision"].low == 0.6
    assert "text_too_long" in reading.flags
    assert reading.message.startswith("only the first 200,000 characters were read")
