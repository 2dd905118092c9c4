"""The two doors for texts: nothing that arrives carries a key or half a character, nothing that is shown acts."""

from base64 import b64encode
from urllib.parse import quote

import pytest

from assay import texts
from assay.texts import arriving, arriving_json, arriving_values, csv_cell, hide, printable

KEY = "sk-planted/7f3a+9c51'd2"


@pytest.fixture(autouse=True)
def _hidden(monkeypatch):
    monkeypatch.setattr(texts, "_secrets", {})
    hide(KEY)


@pytest.mark.parametrize("form", [KEY, repr(KEY), quote(KEY, safe=""), b64encode(KEY.encode()).decode()])
@pytest.mark.parametrize("before", ["", "u", "us"])
def test_a_hidden_key_is_in_no_text_that_arrives(form, before):
    assert form.strip("'\"=")[2:-2] not in arriving(f"{before}{form}!")


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
def test_a_key_inside_base64_is_found_wherever_it_begins(before):
    packed = b64encode(f"{before}{KEY}:x".encode()).decode()
    assert len(arriving(packed)) < len(packed) - len(KEY)


def test_half_a_character_can_be_stored_and_short_words_are_no_secrets():
    hide("none")
    assert arriving("none \ud83d") == "none \ufffd"
    assert arriving_values({"a": ["\udc00", 1], KEY: None}) == {"a": ["\ufffd", 1], "***": None}


def test_what_is_shown_drives_no_terminal_and_names_that_differ_look_different():
    assert printable("\x1b[2Jx\u202e\n") == "\\x1b[2Jx\\u202e\\x0a"
    assert printable("PC, α = .05") == "PC, α = .05"
    assert printable("a\u200bb") != printable("ab")


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "=cmd\r"])
def test_a_cell_that_a_spreadsheet_would_compute_is_text(text):
    assert csv_cell(text).startswith("'")


@pytest.mark.parametrize("value", ["-0.5", "+3e-4", "asia", "", 1.5, None, "12 %"])
def test_other_cells_stay_as_they_are(value):
    assert csv_cell(value) == value


def test_json_is_cleaned_by_value_and_stays_json():
    assert arriving_json('{"text": "cut \\ud83d", "whole": "\\ud83d\\ude00"}') == (
        '{"text": "cut \\ufffd", "whole": "\\ud83d\\ude00"}'
    )
    untouched = '{"a":  [1, 0.5],  "b": "\\ud83d\\ude00"}'
    assert arriving_json(untouched) == untouched
    assert arriving_json("no JSON \\ud83d") == "no JSON \\ud83d"
    hide("31415926")
    assert arriving_json('{"pi": 3.1415926, "key": "31415926"}') == '{"pi": 3.1415926, "key": "31415926"}'.replace(
        '"31415926"', '"***"'
    )
