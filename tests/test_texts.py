"""The two doors for texts: nothing that arrives carries a key or half a character, nothing that is shown acts."""

import json
import random
from base64 import b64encode, encodebytes, urlsafe_b64encode
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


def written(key):
    """A key as programs write it, also twice."""
    raw, url, html = key.encode(), quote(key, safe=""), escape(key)
    forms = {
        "plain": key, "repr": repr(key), "bytes": repr(raw), "repr of it": repr(repr(raw)),
        "JSON": json.dumps(key), "JSON in JSON": json.dumps(json.dumps([json.dumps(key)])),
        "JSON with \\/": json.dumps(key).replace("/", "\\/"),
        "JSON for HTML": json.dumps(key).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
        "URL": url, "path": quote(key), "URL in a URL": quote(url, safe=""), "URL in JSON": json.dumps(url),
        "JSON in a URL": quote(json.dumps(key), safe=""), "every sign": "".join(f"%{byte:02x}" for byte in raw),
        "HTML": html, "HTML in HTML": escape(html), "apos": html.replace("&#x27;", "&apos;"),
        "JSON in HTML": escape(json.dumps(key)), "HTML in JSON": json.dumps(html),
        "numbers": "".join(f"&#{byte};" for byte in raw), "octal": "".join(f"\\{byte:03o}" for byte in raw),
        "hex": raw.hex(), "HEX": raw.hex(":").upper(), "capitals": key.upper(),
        "base64 in lines": encodebytes(b"Bearer " + raw).decode(),
        "base64 in a URL": quote(b64encode(raw), safe=""),
        "base64 in JSON": b64encode(raw).decode().replace("/", "\\/"),
    }  # fmt: skip
    forms |= {f"base64 {n}": b64encode(b"x" * n + raw + b"y").decode() for n in range(3)}
    return forms | {f"base64 for URLs {n}": urlsafe_b64encode(b"x" * n + raw).decode() for n in range(3)}


SIGNS = "".join(map(chr, range(33, 127)))
DICE = random.Random(16)
KEYS = ["sk-lab+key/with=sign%and&weird<1234>", *("".join(DICE.choices(SIGNS, k=k)) for k in (8, 20, 51, 51, 120) * 12)]


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_any_signs_is_found_in_every_form(key):
    hide(key)
    assert [name for name, form in written(key).items() if "***" not in arriving(f"before {form} after")] == []


def test_a_key_of_escapes_does_not_make_a_text_of_escapes_slow():
    hide("\\" * 40 + "%25" * 20)
    for unit in ("\\", "%25", "&#0", "\\x5c", KEY[:-1]):
        assert arriving(unit * 20_000) == unit * 20_000 or "***" in arriving(unit * 20_000)


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
