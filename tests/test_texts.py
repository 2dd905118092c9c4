"""The two doors for texts: nothing that arrives carries a key or half a character, nothing that is shown acts."""

import json
import random
from base64 import b64encode, urlsafe_b64encode
from html import escape
from urllib.parse import quote

import pytest

from trueness import texts
from trueness.texts import arriving, arriving_json, hide, printable

KEY = "sk-planted/7f3a+9c51'd2"


@pytest.fixture(autouse=True)
def _hidden(monkeypatch):
    monkeypatch.setattr(texts, "_secrets", {})
    hide(KEY)


@pytest.mark.parametrize("form", [KEY, repr(KEY), quote(KEY, safe=""), b64encode(KEY.encode()).decode()])
@pytest.mark.parametrize("before", ["", "u", "us"])
def test_a_hidden_key_is_in_no_text_that_arrives(form, before):
    assert form.strip("'\"=")[2:-2] not in arriving(f"{before}{form}!")


def written(key):
    """A key as programs write it."""
    raw = key.encode()
    forms = {
        "plain": key, "capitals": key.upper(), "repr": repr(key), "bytes": repr(raw), "JSON": json.dumps(key),
        "JSON with \\/": json.dumps(key).replace("/", "\\/"), "URL": quote(key, safe=""), "path": quote(key),
        "URL in small letters": quote(key, safe="").lower(), "HTML": escape(key), "hex": raw.hex(),
    }  # fmt: skip
    forms |= {f"base64 {n}": b64encode(b"x" * n + raw + b"y").decode() for n in range(3)}
    return forms | {f"base64 for URLs {n}": urlsafe_b64encode(b"x" * n + raw).decode() for n in range(3)}


def escaped_twice(key):
    url = quote(key, safe="")
    return {"URL in a URL": quote(url, safe=""), "JSON in JSON": json.dumps(json.dumps([key])), "": escape(escape(key))}


SIGNS = "".join(map(chr, range(33, 127)))
PLAIN = "".join(sign for sign in SIGNS if sign.isalnum() or sign in "-_")
DICE = random.Random(16)


def test_a_key_of_any_signs_is_found_in_every_form():
    for key in ["sk-lab+key/with=sign%and&weird<1234>", *("".join(DICE.choices(SIGNS, k=k)) for k in (8, 20, 51, 120))]:
        hide(key)
        for name, form in written(key).items():
            shown = arriving(f"before {form} after")
            assert "***" in shown and len(shown) < len(form) - len(key) + 25, (key, name)


def test_a_key_of_letters_and_digits_is_found_also_where_it_is_escaped_twice():
    for key in ("".join(DICE.choices(PLAIN, k=k)) for k in (8, 20, 51)):
        hide(key)
        for form in (written(key) | escaped_twice(key)).values():
            assert "***" in arriving(f"before {form} after"), form


def test_what_is_shown_drives_no_terminal_and_names_that_differ_look_different():
    assert printable("\x1b[2Jx\u202e\n") == "\\x1b[2Jx\\u202e\\x0a"
    assert printable("PC, α = .05") == "PC, α = .05"
    assert printable("a\u200bb") != printable("ab")


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
