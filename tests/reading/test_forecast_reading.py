"""What a value carries, which claim counts, and why there is none."""

import json

import pytest

from trueness.errors import SettingError, UnknownName
from trueness.reading import read_forecast
from trueness.status import Status


def test_a_value_says_where_by_whom_and_how_surely_it_was_read():
    text = "I think **Precision**: 0.60–0.80 is fair."
    value = read_forecast(text).values["precision"]
    assert text[slice(*value.span)] == "0.60–0.80"
    assert (value.low, value.high, value.parser, value.flags) == (0.6, 0.8, "label", ())
    assert value.confidence == 0.95


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("Precision: 0.8-0.6", "swapped"),
        ("Precision: 0.7", "point"),
        ("Precision: 0.7 ± 0.1", "plus_minus"),
        ("Precision: 0.95 ± 0.1", "clipped"),
        ("Precision: at least 0.6", "one_sided"),
        ("Precision: 0.6, 0.8", "bare_pair"),
        ("Precision: 0.6-0.8\nFinal answer: Precision: 0.5-0.7", "corrected"),
        ("Precision: 50% interval [0.5, 0.9], 95% interval [0.6, 0.8]", "not_nested"),
        ("Precision: median 0.2, 50% interval [0.5, 0.6], 95% interval [0.4, 0.8]", "median_outside"),
    ],
)
def test_what_was_mended_or_is_odd_is_flagged(text, flag):
    assert f"precision:{flag}" in read_forecast(text).flags


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Precision: 0.6-0.8\nPrecision: 0.5-0.7", "candidates"),
        ("Precision: 1.2-1.4", "out_of_range"),
        ("Precision: 60-80", "out_of_range"),
        ("Precision: 0.6 to 80%", "mixed"),
        ("SHD: 10%-20%", "unit"),
        ("SHD: at least 4", "no_upper_end"),
        ("SHD: 5,12", "thousands"),
        ("Use a format such as this example: Precision: [0.6, 0.8]", "example"),
        ("Precision: 0.6-0.8\nRecall: 0.5-", "truncated"),
        ("No numbers here.", "not_given"),
    ],
)
def test_what_cannot_be_read_says_why(text, problem):
    assert any(flag.endswith(f":{problem}") for flag in read_forecast(text).flags)


def test_a_reply_that_declines_and_answers_is_an_answer():
    assert read_forecast("I can't run it. Precision: 0.6-0.8").statuses["precision"] == Status.OK


def test_what_stands_before_the_cut_is_read():
    reading = read_forecast('{"precision": [0.6, 0.8], "recall": [0.5, ')
    assert reading.values["precision"].high == 0.8
    assert reading.statuses["recall"] == Status.TRUNCATED
    assert reading.status == Status.TRUNCATED


def test_an_shd_above_the_number_of_pairs_is_read_as_claimed_and_flagged():
    assert read_forecast("SHD: 5-10", nodes=5).values["shd"].flags == ()
    above = read_forecast("SHD: 5-11", nodes=5).values["shd"]
    assert (above.low, above.high, above.flags) == (5, 11, ("beyond",))
    assert read_forecast("SHD: at least 4", nodes=5).values["shd"].high == 10


def test_the_line_of_a_reading_is_json():
    line = read_forecast("Precision: median 0.7, 50% [0.6, 0.8], 95% [0.5, 0.9]").to_dict()
    assert json.loads(json.dumps(line)) == line
    assert line["levels"]["precision"] == {"0.5": [0.6, 0.8], "0.95": [0.5, 0.9]}
    assert line["medians"] == {"precision": 0.7}


def test_mistakes_of_the_caller_are_errors():
    with pytest.raises(SettingError, match="'text' of read_forecast must be text, got bytes"):
        read_forecast(b"Precision")
    with pytest.raises(SettingError, match="'nodes' of read_forecast"):
        read_forecast("", nodes=1)
    with pytest.raises(UnknownName, match="'f2' is not a measure"):
        read_forecast("", measures=("f2",))
