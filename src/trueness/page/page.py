"""The page as one text: style, script and data inside, nothing loaded from elsewhere.

Content-Security-Policy   script-src and style-src are the hashes of our own script and style: whatever a model
                          wrote, the browser runs nothing else; a page from disk may connect to nobody
data                      JSON in a <script type="application/json">, all of it ASCII, with < > & escaped
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from urllib.parse import quote

from trueness.outside import Json
from trueness.texts import html_text

SCRIPTS = (
    "core.js", "source.js", "state.js", "overview.js", "figures.js", "matrix.js", "cell.js", "graphs.js", "analysis.js",
    "live.js", "main.js",
)  # fmt: skip
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def html_of(document: Mapping[str, Json]) -> str:
    """The whole page; `document` is what source.js calls BOOK."""
    parts = {
        "policy": escape(policy(bool(document["served"]))),
        "title": html_text(f"{document['head']['study']} · trueness"),
        "style": _static("page.css"),
        "script": _script(),
        "document": script_json(document),
    }
    return _PLACE.sub(lambda place: parts[place[1]], _static("page.html"))  # once: a name may look like a place


def policy(served: bool) -> str:
    """What the page may do: run our script, use our style, show pictures it holds; served: ask its own server."""
    connect = "'self'" if served else "'none'"
    return (
        f"default-src 'none'; script-src '{_hash(_script())}'; style-src '{_hash(_static('page.css'))}'; "
        f"img-src data: blob:; connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def script_json(value: object) -> str:
    """JSON that may stand inside a script element: it can neither end it nor begin another."""
    text = to_json(value)
    for sign, code in _ESCAPED.items():
        text = text.replace(sign, code)
    return text


def to_json(value: object) -> str:
    """ASCII; a number that JSON does not know is null."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=str)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, separators=(",", ":"), default=str)


def _finite(value: object) -> Json:
    if isinstance(value, Mapping):
        return {str(name): _finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shelf_of(studies: Sequence[Mapping[str, str]]) -> str:
    """The page in front of several studies, and of one that cannot be shown: names, folders, what is wrong."""
    entries = "".join(_entry(study) for study in studies)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>Studies · trueness</title>'
        f"<style>{_static('page.css')}</style></head><body><main><h1>Studies</h1>"
        f'<ul class="studies">{entries}</ul></main></body></html>\n'
    )


def _entry(study: Mapping[str, str]) -> str:
    name, folder = html_text(study["name"]), html_text(study["folder"])
    if study["problem"]:
        notice = f'<p class="notice">{html_text(study["problem"])}</p>'
        return f'<li class="card"><h3>{name}</h3><p class="quiet small">{folder}</p>{notice}</li>'
    link = f'<a href="{quote(study["name"], safe="")}/">{name}</a>'
    return f'<li class="card"><h3>{link}</h3><p class="quiet small">{folder}</p></li>'


@cache
def _script() -> str:
    """The modules one after the other, in a scope of their own."""
    return '"use strict";\n(() => {\n' + "\n".join(_static(name) for name in SCRIPTS) + "})();\n"


@cache
def _static(name: str) -> str:
    return (resources.files("trueness.page") / "static" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
