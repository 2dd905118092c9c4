"""The two doors for texts: nothing that arrives carries a key or half a character, nothing that is shown acts."""

import json
from base64 import b64encode, urlsafe_b64encode
from html import escape
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


WRITTEN = {
    "a URL": quote(KEY),
    "a URL in small letters": quote(KEY, safe="").lower(),
    "every letter quoted": "".join(f"%{ord(sign):02x}" for sign in KEY),
    "a URL in a URL": quote(quote(KEY, safe=""), safe=""),
    "JSON": json.dumps(KEY).replace("/", "\\/"),
    "JSON in JSON": json.dumps(json.dumps({"key": KEY})),
    "JSON without signs": KEY.replace("+", "\\u002b").replace("'", "\\u0027"),
    "HTML": escape(KEY),
    "HTML by numbers": KEY.replace("/", "&#47;").replace("'", "&#x27;"),
    "bytes": repr(KEY.encode()),
    "hex": KEY.encode().hex(),
    "capitals": KEY.upper(),
    "base64 for URLs": urlsafe_b64encode(f"Bearer {KEY}".encode()).decode(),
}


@pytest.mark.parametrize("form", WRITTEN.values(), ids=WRITTEN)
def test_a_hidden_key_is_found_however_it_is_written(form):
    shown = arriving(f"<{form}>")
    assert "***" in shown
    assert len(shown) < len(form) - len(KEY) + 10


def test_a_key_of_escapes_does_not_make_a_text_of_escapes_slow():
    hide("\\" * 40 + "%25" * 20)
    for unit in ("\\", "%25", "&#0", "\\x5c", KEY[:-1]):
        assert arriving(unit * 20_000) == unit * 20_000 or "***" in arriving(unit * 20_000)


@pytest.mark.parametrize("word", ["none", "EMPTY", "ollama"])
def test_what_stands_for_no_key_blackens_no_word(word):
    hide(word)
    assert arriving(f"the {word} set") == f"the {word} set"


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
