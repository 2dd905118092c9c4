"""The two doors for texts: what comes from outside is cleaned where it arrives, what a person sees where it leaves.

    hide(secret)        from now on `arriving` takes it out of every text: plain, escaped, URL-quoted, in hex or base64
    arriving(text)      for the store: UTF-8 can carry it (half a character is U+FFFD), and no hidden secret is in it
    arriving_json(text) the same of a text that is JSON, where half a character may stand as \\ud83d
    printable(text)     for terminals, tables and pictures: no escape codes, nothing that turns the writing round
                        printable_lines: of several lines; printable_json, html_text, drawable: in those forms
                        shown_alike(names): two that would be one then, or look as one
    csv_row(values)     for CSV files: a text that a spreadsheet would compute stands behind an apostrophe, which
                        csv_value takes away again

A reply or a message may hold anything: an emoji cut in half at the last token, the key it was called with, codes that
drive a terminal. Nothing else in the program cleans texts; whoever stores or prints one calls these.
"""

from __future__ import annotations

import json
import re
import unicodedata
from base64 import b64encode
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from html import escape
from typing import TypeVar
from urllib.parse import quote

Value = TypeVar("Value")
HIDDEN = "***"
SHORTEST_SECRET = 8  # characters; shorter ones ("EMPTY", "ollama" for servers without keys) would blacken plain words
MOST_DRAWN = 400  # characters; the renderer takes minutes for a name of 200,000
_STARTS = r"[=+\-@\t\r＝＋－＠]"  # OWASP: CSV injection; spreadsheets take full-width signs (U+FF1D ...) for the others
_FORMULA = re.compile(rf"{_STARTS}.*[\w(]", re.DOTALL)  # signs alone ("->") compute nothing
_APOSTROPHES = re.compile(rf"'+{_STARTS}")
_IGNORABLE = re.compile(  # Unicode's Default_Ignorable_Code_Point: nothing is seen of them
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NUMBER = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?%?$")
_HALF = re.compile("[\ud800-\udfff]")
_HALF_IN_JSON = re.compile(r"\\u[dD][89a-fA-F]")  # or a whole one, written as two halves
_secrets: dict[str, re.Pattern[str]] = {}


def hide(secret: str) -> None:
    """Keep a secret out of every text that arrives from now on."""
    if len(secret) >= SHORTEST_SECRET and secret not in _secrets:
        _secrets[secret] = _pattern(secret)


def arriving(text: str) -> str:
    """A text as it may be stored."""
    for pattern in list(_secrets.values()):
        text = pattern.sub(HIDDEN, text)
    return _HALF.sub("\ufffd", text)


def arriving_values(value: object) -> object:
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

    Each is shown as \\x1b or \\u202e.
    """
    return text if text.isprintable() else "".join(map(_visible_sign, text))


def shown_alike(names: Iterable[str]) -> tuple[str, str] | None:
    """Two different names that look the same: an escape and its four letters, blanks of two widths, full-width and
    plain letters (NFKC), one with a sign that nobody sees. A study whose names do is refused: they would be one."""
    seen: dict[str, str] = {}
    for name in names:
        for looks in (printable(name), _IGNORABLE.sub("", unicodedata.normalize("NFKC", name))):
            first = seen.setdefault(looks, name)
            if first != name:
                return first, name
    return None


def printable_lines(text: str) -> str:
    """The same of a text that has line ends of its own."""
    return "\n".join(map(printable, text.split("\n")))


def printable_json(
    value: object,
    *,
    indent: int | None = None,
    allow_nan: bool = True,
    default: Callable[[object], object] | None = None,
) -> str:
    """JSON in which what acts is escaped, so that it reads back as it was."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=allow_nan, default=default)
    return "\n".join(line if line.isprintable() else "".join(map(_json_shown, line)) for line in text.split("\n"))


def html_text(text: str) -> str:
    """For HTML and SVG, as text or within quotes."""
    return escape(printable(text))


def drawable(text: str, most: int = MOST_DRAWN) -> str:
    """For a picture, where a name takes room: the middle of a long one is left out, for a mark of what it was."""
    shown = printable_lines(text)
    if len(shown) <= most:
        return shown
    mark = f"…{sha256(shown.encode()).hexdigest()[:6]}…"
    return f"{shown[: most // 2]}{mark}{shown[-(most // 4) :]}"


def csv_row(values: Iterable[Value]) -> list[Value | str]:
    """The cells of a row. A text that begins with = + - @ and could be computed gets an apostrophe in front."""
    return [_text_cell(value) if isinstance(value, str) else value for value in values]


def csv_value(value: Value) -> Value | str:
    """A cell of a CSV file as it was before `csv_row` put an apostrophe in front."""
    return value[1:] if isinstance(value, str) and _APOSTROPHES.match(value) else value


def not_computed(text: str) -> str:
    """A text that no spreadsheet takes for a formula; one that has an apostrophe there already gets a second one."""
    computed = _FORMULA.match(text) and not _NUMBER.match(text)
    return f"'{text}" if computed or _APOSTROPHES.match(text) else text


def _visible_sign(sign: str) -> str:
    if sign.isprintable():
        return sign
    if unicodedata.category(sign) == "Zs":  # a blank of another width
        return " "
    code = ord(sign)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_shown(sign: str) -> str:
    return sign if sign.isprintable() else json.dumps(sign)[1:-1]


@lru_cache(10_000)
def _text_cell(text: str) -> str:
    return not_computed(printable(text))


def _pattern(secret: str) -> re.Pattern[str]:
    """A secret as programs write it: as it is, escaped for Python, JSON, HTML or a URL, in hex, within base64. Of one
    of letters, digits, - and _, as keys are, an escape of an escape is the same again."""
    raw, dumped = secret.encode("utf-8", "replace"), json.dumps(secret)[1:-1]
    forms = {secret, dumped, dumped.replace("/", "\\/"), repr(secret)[1:-1], escape(secret), raw.hex()}
    forms |= {quote(secret, errors="replace"), quote(secret, safe="", errors="replace")}
    for before in range(3):  # the letters that are the secret's alone, wherever it begins in a group of three
        packed = b64encode(b"\0" * before + raw).decode()[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
        forms |= {packed, packed.replace("+", "-").replace("/", "_")}
    return re.compile("|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)), re.IGNORECASE)


def counted(count: int, noun: str) -> str:
    """`1 data set`, `2,400 fits`."""
    return f"{count:,} {noun}{'s' if count != 1 else ''}"
