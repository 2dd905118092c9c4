"""The two doors for texts: what comes from outside is cleaned where it arrives, what a person sees where it leaves.

    hide(secret)        from now on `arriving` takes it out of every text: plain, escaped, URL-quoted or in base64
    arriving(text)      for the store: UTF-8 can carry it (half a character is U+FFFD), and no hidden secret is in it
    arriving_json(text) the same of a text that is JSON, where half a character may stand as \\ud83d
    printable(text)     for terminals, tables and pictures: no escape codes, nothing that turns the writing round
    csv_cell(value)     for CSV files: a text that a spreadsheet would compute stands behind an apostrophe

A reply or a message may hold anything: an emoji cut in half at the last token, the key it was called with, codes that
drive a terminal. Nothing else in the program cleans texts; whoever stores or prints one calls these.
"""

from __future__ import annotations

import json
import re
import unicodedata
from base64 import b64encode
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus

HIDDEN = "***"
SHORTEST_SECRET = 5  # characters; shorter ones ("none", "EMPTY" for servers without keys) would blacken plain words
_COMPUTED = "=+-@\t\r"  # what a spreadsheet takes for a formula at the start of a cell (OWASP: CSV injection)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?$")
_HALF = re.compile("[\ud800-\udfff]")
_HALF_IN_JSON = re.compile(r"\\u[dD][89a-fA-F]")  # or a whole one, written as two halves
_secrets: dict[str, re.Pattern[str]] = {}


def hide(secret: str) -> None:
    """Keep a secret out of every text that arrives from now on."""
    if len(secret) >= SHORTEST_SECRET and secret not in _secrets:
        forms = sorted(_forms(secret), key=len, reverse=True)
        _secrets[secret] = re.compile("|".join(map(re.escape, forms)))


def arriving(text: str) -> str:
    """A text as it may be stored."""
    for pattern in list(_secrets.values()):
        text = pattern.sub(HIDDEN, text)
    return _HALF.sub("\ufffd", text)


def arriving_values(value: Any) -> Any:
    """The same of every text in lists and tables, keys of tables included."""
    if isinstance(value, str):
        return arriving(value)
    if isinstance(value, dict):
        return {arriving_values(key): arriving_values(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [arriving_values(entry) for entry in value]
    return value


def arriving_json(text: str) -> str:
    """The same of a text that is JSON, value by value; what needs no cleaning stays as it is, to the letter."""
    if not _HALF_IN_JSON.search(text) and arriving(text) == text:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return arriving(text)
    cleaned = arriving_values(value)
    return text if cleaned == value else json.dumps(cleaned)


def printable(text: str) -> str:
    """One line without anything that acts: control characters, escape codes, marks of direction, halves of characters.

    Each is shown as \\x1b or \\u202e: two names that differ look different.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def csv_cell(value: Any) -> Any:
    """A value for a CSV file. A text that begins with = + - @ and is no number gets an apostrophe in front."""
    if not isinstance(value, str):
        return value
    shown = printable(value)
    return f"'{shown}" if shown[:1] in _COMPUTED and shown and not _NUMBER.match(shown) else shown


def _shown(sign: str) -> str:
    if sign.isprintable():
        return sign
    if unicodedata.category(sign) == "Zs":  # a blank of another width
        return " "
    code = ord(sign)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _forms(secret: str) -> set[str]:
    """How a library may write a secret: as it is, as Python, JSON, HTML or a URL write it, within base64."""
    plain = {
        secret,
        repr(secret)[1:-1],
        json.dumps(secret)[1:-1],
        escape(secret),
        quote(secret, safe=""),
        quote_plus(secret),
    }
    return {form for form in plain | _base64(secret) if len(form) >= SHORTEST_SECRET}


def _base64(secret: str) -> set[str]:
    """The letters that are the secret's alone, for each of the three places where it may begin in a group of three."""
    raw = secret.encode("utf-8", "replace")
    found = set()
    for before in range(3):
        packed = b64encode(b"\0" * before + raw).decode()
        start, end = -(-before * 8 // 6), (before + len(raw)) * 8 // 6
        found |= {packed[start:end], packed[start:end].replace("+", "-").replace("/", "_")}
    return {form for form in found if len(form) > 2 * SHORTEST_SECRET}
